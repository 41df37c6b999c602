package archive

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/internals"
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
var alone = url.Values{"nolock": {"1"}, internals.Defensive: {"0"}}

func (a *Archive) copyPages(ctx context.Context, path string, progress func(done, total int64)) (err error) {
	// What becomes of it in a crash is told by its name.
	to, err := engine.Connect(path, engine.Mode("rw", alone), "journal_mode = off", "synchronous = off")
	if err != nil {
		return fmt.Errorf("open the copy: %w", err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	copying, err := sqlite.NewBackup(to.Conn, "main", a.Reader.Conn.Conn, "main")
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

// removeSessions removes the sessions from the file of a store that nobody has open, and leaves nothing of them in it.
// A file that says it has a WAL is written by way of one alone, which takes locks: so it says meanwhile that it has none.
func removeSessions(path string) (err error) {
	const at = 18 // and 19: how the file is to be written, and how it is to be read
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var versions [2]byte
	if _, err := file.ReadAt(versions[:], at); err != nil {
		return err
	}
	if _, err := file.WriteAt([]byte{1, 1}, at); err != nil {
		return err
	}
	if err := dropSessions(path); err != nil {
		return err
	}
	_, err = file.WriteAt(versions[:], at)
	return err
}

func dropSessions(path string) (err error) {
	c, err := engine.Connect(path, engine.Mode("rw", alone), "journal_mode = off", "synchronous = off", "secure_delete = on")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	var there bool // not in an older schema
	err = c.Ask("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'sessions')", func(r *engine.Row) { there = engine.Parsed(r, r.Integer(), engine.TruthOf) })
	if err != nil || !there {
		return err
	}
	return c.Run("DELETE FROM sessions")
}
