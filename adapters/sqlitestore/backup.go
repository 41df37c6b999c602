package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// pagesAtOnce is how many pages of a file are copied between two looks at the context.
const pagesAtOnce = 64

// CopyTo writes the store as it stands at one instant, page by page, into the empty file at path, which nobody else may
// use meanwhile, without the sessions. Whoever serves the store goes on, and what it writes from then on is not in the
// copy. Until it is done the log of a store that is written to can't be cut short, so that it grows.
//
// What it wrote is with the operating system and not yet on the disk: that is left to the caller. After an error the
// file holds nothing of use. progress is told again and again how many pages of all are copied.
func (a *Archive) CopyTo(ctx context.Context, path string, progress func(done, total int64)) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if err := a.ViewRecords(ctx, func(ctx context.Context, _ ports.Records) error { return a.copyPages(ctx, path, progress) }); err != nil {
		return err
	}
	if err := removeSessions(path); err != nil {
		return fmt.Errorf("remove the sessions from the copy: %w", err)
	}
	return nil
}

// alone is for a file that nobody else has open: it needs no locks, which a folder of another machine may lack. A
// defensive connection could not do without a journal.
var alone = url.Values{"nolock": {"1"}, defensive: {"0"}}

func (a *Archive) copyPages(ctx context.Context, path string, progress func(done, total int64)) (err error) {
	// What becomes of it in a crash is told by its name.
	to, err := connect(path, mode("rw", alone), "journal_mode = off", "synchronous = off")
	if err != nil {
		return fmt.Errorf("open the copy: %w", err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	copying, err := sqlite.NewBackup(to.Conn, "main", a.main.Conn, "main")
	if err != nil {
		return fmt.Errorf("begin the copy: %w", err)
	}
	defer func() { err = errors.Join(err, copying.Close()) }()
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return storekit.Unavailable("copy the store", err)
		}
		if more, err = copying.Step(pagesAtOnce); err != nil {
			return fmt.Errorf("copy the store: %w", err)
		}
		total := int64(copying.PageCount())
		progress(total-int64(copying.Remaining()), total)
	}
	return nil
}
