// Package memstore keeps everything in memory: a real store for tests and
// demonstrations, held to the promises of every other one but for the obvious
// one, that records outlive the process.
//
// All records are one immutable value. Updates run one at a time, each on a copy
// of its own that replaces the value when it succeeds; a View reads the value
// that it found and waits for nobody.
package memstore
