// Package memstore implements ports.Store in memory, for tests and demonstrations. It makes every promise of a store
// except durability: its records end with the process.
//
// All records are one immutable value. Updates run one at a time, each on a copy that replaces the value when the
// update succeeds. A View reads the current value and never waits.
package memstore
