// Package memstore keeps everything in memory: a real store for tests and demonstrations, which keeps every promise of
// a store except that records outlive the process.
//
// All records are one immutable value. Updates run one at a time, each on a copy of its own that replaces the value
// when it succeeds; a View reads the value that it found and never waits.
package memstore
