package sqlitestore_test

import (
	"context"
	"os"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/ports"
	"resellerd/test/expect"
)

// TestAMissingWALIndexIsCreatedAgain removes or replaces the index of the WAL while a store is open. Another process,
// which does not know the first one, then writes.
func TestAMissingWALIndexIsCreatedAgain(t *testing.T) {
	t.Parallel()
	for _, replaced := range []bool{false, true} {
		path := newPath(t)
		s := open(t, path)
		hide := func() {
			t.Helper()
			must(t, os.Remove(path+"-shm"))
			if replaced {
				must(t, os.WriteFile(path+"-shm", nil, 0o600))
			}
		}
		must(t, addCredits(t.Context(), s, 3))
		hide()
		ended, other := make(chan error, 1), startProcess(t, path)
		go func() { ended <- other.Wait() }()
		for running := true; running; {
			select {
			case err := <-ended:
				running = false
				must(t, err)
			default:
				expect.Error(t, s.Ready(t.Context()), nil) // this makes the index that the other process waits for
			}
		}
		must(t, addCredits(t.Context(), s, 2))
		// While a view reads, the connections do not change, and no other call succeeds.
		expect.Error(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
			if _, err := v.Resellers.Empty(ctx); err != nil {
				return err
			}
			hide()
			for range 2 {
				expect.Error(t, s.View(ctx, read(2)), ports.ErrUnavailable)
				expect.Error(t, addCredits(ctx, s, 1), ports.ErrUnavailable)
				wantNotReady(t, s, "(-shm)")
			}
			return nil
		}), ports.ErrUnavailable)
		must(t, addCredits(t.Context(), s, 1))
		// A transaction during which the index is removed is not acknowledged.
		expect.Error(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			hide()
			return tx.Resellers.Insert(ctx, master(4))
		}), ports.ErrUnavailable)
		must(t, addCredits(t.Context(), s, 1))
		must(t, s.Close())
		s = open(t, path)
		expect.DeepEqual(t, get(t, s, 2).State().Credits.Units(), int64(childRounds+7))
		var verdict string
		must(t, s.OnWriter(func(c sqlitestore.Raw) error { return c.Ask("PRAGMA integrity_check", &verdict) }))
		expect.DeepEqual(t, verdict, "ok")
	}
}
