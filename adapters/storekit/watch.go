package storekit

import (
	"sync/atomic"
	"time"

	"resellerd/ports"
)

// Watch reports a store's commits: the half of ports.Observable that all stores share. The zero value reports to no
// observer.
type Watch struct {
	seen atomic.Pointer[func(ports.Commit)]
}

// Observe has seen called for every commit from now on.
func (w *Watch) Observe(seen func(ports.Commit)) { w.seen.Store(&seen) }

// Committed reports a commit, with the fields of a ports.Commit.
func (w *Watch) Committed(commands, attempts int, took time.Duration) {
	if seen := w.seen.Load(); seen != nil {
		(*seen)(ports.Commit{Commands: commands, Attempts: attempts, Took: took})
	}
}
