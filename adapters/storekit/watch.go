package storekit

import (
	"sync/atomic"
	"time"

	"resellerd/ports"
)

// Watch hands a store's commits to whoever watches it: the half of ports.Observable that all stores have alike. The
// zero value hands them to nobody.
type Watch struct {
	seen atomic.Pointer[func(ports.Commit)]
}

// Observe has seen told of every commit from now on.
func (w *Watch) Observe(seen func(ports.Commit)) { w.seen.Store(&seen) }

// Committed reports a commit, with the fields of a ports.Commit.
func (w *Watch) Committed(commands, attempts int, took time.Duration) {
	if seen := w.seen.Load(); seen != nil {
		(*seen)(ports.Commit{Commands: commands, Attempts: attempts, Took: took})
	}
}
