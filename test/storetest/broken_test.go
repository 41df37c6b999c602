package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"resellerd/domain/line"
	"resellerd/ports"
)

// broken is a sound store broken in one way, and the checks that must see it.
// Checks run under a fake clock, in which a sleep lets every other goroutine run
// until it waits too: races that a real store would lose now and then are lost
// here every time.
type broken struct {
	how      string
	sabotage func(sound full) full
	reopen   func(old full) full
	beside   func(open full) full // as another process has it open
	caught   []string
}

func caughtBy(checks ...string) []string { return checks }

// tick is how long broken stores wait where others may come between.
const tick = time.Millisecond

func brokenStores() []broken {
	return slices.Concat(
		brokenUpdates(), brokenConcurrency(), brokenViews(), brokenLives(), brokenIDs(),
		brokenRecords(), brokenFields(), brokenNames(), brokenKeys(),
		brokenLists(), brokenLedgers(), brokenArchives(), brokenCopies(), brokenExports(), brokenRekeys(), brokenDurability(), brokenReopenings(),
		brokenSessions(),
	)
}

// by is the sabotage of a patch that remembers nothing.
func by[P any](patched func(sound full, patch P) *wrapped, patch P) func(full) full {
	return func(sound full) full { return patched(sound, patch) }
}

// withVia replaces the Tx of every update by one whose operations pass through
// with(tx).
func withVia(sound full, with func(tx ports.Tx) via) *wrapped {
	return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
		return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error { return do(ctx, with(tx).tx()) })
	}}
}

// answering is a store that answers an operation with what change makes of its
// error.
func answering(operation string, change func(error) error) func(full) full {
	return by(withVia, func(tx ports.Tx) via {
		return func(op string, on func(ports.Tx) error) error {
			err := on(tx)
			if op == operation {
				err = change(err)
			}
			return err
		}
	})
}

// instead returns other in place of an error, and every other error as it is.
func instead(of, other error) func(err error) error {
	return func(err error) error {
		if errors.Is(err, of) {
			return other
		}
		return err
	}
}

// forgetting is a store that leaves an operation out and says nothing.
func forgetting(operation string) func(full) full {
	return by(withVia, func(tx ports.Tx) via {
		return func(op string, on func(ports.Tx) error) error {
			if op == operation {
				return nil
			}
			return on(tx)
		}
	})
}

// autocommit runs each operation of a work in a transaction of its own.
func autocommit(sound full) full {
	return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
		return do(ctx, via(func(_ string, on func(ports.Tx) error) error {
			time.Sleep(tick)
			return sound.Update(ctx, func(_ context.Context, tx ports.Tx) error { return on(tx) })
		}).tx())
	}}
}

// onDelete tells of deletions.
type onDelete struct {
	ports.Lines
	tell func(t line.Tombstone)
}

func (d onDelete) Delete(ctx context.Context, t line.Tombstone) error {
	d.tell(t)
	return d.Lines.Delete(ctx, t)
}

// patchedTx replaces repositories of every update's Tx.
func patchedTx(sound full, patch func(tx *ports.Tx)) *wrapped {
	return &wrapped{full: sound, update: func(ctx context.Context, do work) error {
		return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			patch(&tx)
			return do(ctx, tx)
		})
	}}
}

// patchedRecords replaces what auditors and copies read in every view.
func patchedRecords(sound full, patch func(r ports.Records) ports.Records) *wrapped {
	return &wrapped{full: sound, viewRecords: func(ctx context.Context, look lookAtRecords) error {
		return sound.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error { return look(ctx, patch(r)) })
	}}
}

// patchedView replaces the directory of every view.
func patchedView(sound full, patch func(s *ports.Snapshot)) *wrapped {
	return &wrapped{full: sound, view: func(ctx context.Context, look look) error {
		return sound.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
			patch(&s)
			return look(ctx, s)
		})
	}}
}
