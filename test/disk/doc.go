// Package disk tests the embedded store under power cuts, failed calls and damaged files.
//
// A VFS between SQLite's own and the store records each call that changes a file, or makes one fail. From the record a
// model of a disk computes the possible files after a power cut at any moment. The store opened on them must have
// exactly what it acknowledged. See README.md.
package disk
