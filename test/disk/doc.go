// Package disk hurts the embedded store where its promises begin: at the calls that SQLite makes on its files.
//
// The files of a folder are watched by a VFS that stands between SQLite's own and everybody who opens a database in the
// process. It records each call that changes something, or has one fail. From a record a model of a disk knows what a
// power cut may leave at any moment; the store has to make of that what it acknowledged, and nothing half. See
// README.md.
package disk
