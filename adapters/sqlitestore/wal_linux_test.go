//go:build !plain

package sqlitestore_test

import (
	"context"
	"syscall"
	"testing"

	"resellerd/adapters/sqlitestore/internals"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// TestAFailedFlushFailsTheUpdate has the disk refuse one flush. As on Linux the next one succeeds, whether the pages got
// there or not: it proves nothing for them.
//
//nolint:paralleltest // all stores of the process flush by the same function
func TestAFailedFlushFailsTheUpdate(t *testing.T) {
	path := emptyStore(t)
	s := open(t, path)
	insert(t, s, admin())
	write := func(id int64) error {
		return s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Insert(ctx, master(id)) })
	}
	must(t, write(2)) // from the second flush on it is fdatasync's

	var asked int
	refuse := func(errs ...error) func(int) error {
		asked = 0
		return func(int) error {
			asked++
			return errs[min(asked, len(errs))-1]
		}
	}
	flush := internals.Fdatasync
	restore := func() { internals.Fdatasync = flush }
	defer restore()
	internals.Fdatasync = refuse(syscall.EIO, nil)
	err := write(3)
	wantError(t, err, ports.ErrUnavailable)
	wantMention(t, err, "disk I/O error (1034)") // SQLITE_IOERR_FSYNC
	wantEqual(t, asked, 1, "it is not flushed again")
	wantError(t, s.View(t.Context(), read(3)), fault.ErrNotFound)

	restore()
	must(t, write(3), "once the disk works")
	must(t, write(4))
	internals.Fdatasync = refuse(syscall.EINTR, nil)
	must(t, write(5), "a flush that a signal has interrupted is made again")
	wantEqual(t, asked, 2)
	restore()

	// What was answered is in the files as they are, and what was refused is not.
	found := open(t, powerCut(t, path))
	for _, id := range []int64{1, 2, 3, 4, 5} {
		wantNone(t, found.View(t.Context(), read(id)))
	}
}
