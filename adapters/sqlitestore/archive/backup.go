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
	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// pagesAtOnce is how many pages of a file are copied between two looks at the context.
const pagesAtOnce = 64

// CopyTo writes the store as it stands at one instant, page by page, into the empty file at path, which must have no
// other user, without the records that no copy has. The store may be served meanwhile; later writes are not in the
// copy, and its WAL can't be truncated until the copy is done.
//
// It does not flush the file: that is left to the caller. After an error the file is useless. progress is called
// repeatedly with how many pages of all are copied.
func (a *Archive) CopyTo(ctx context.Context, path string, progress func(done, total int64)) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if err := a.ViewRecords(ctx, func(ctx context.Context, _ ports.Records) error {
		return a.copyPages(ctx, path, progress)
	}); err != nil {
		return err
	}
	if err := removeUncopied(path); err != nil {
		return fmt.Errorf("remove from the copy what no copy has: %w", err)
	}
	return nil
}

// alone is for a file that nothing else uses: it needs no locks, which a network folder may lack.
var alone = url.Values{"nolock": {"1"}}

func (a *Archive) copyPages(ctx context.Context, path string, progress func(done, total int64)) (err error) {
	// Its name marks it as unfinished in a crash.
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

// removeUncopied removes records that no copy has from the file of a store that is not in use, and leaves nothing of
// them in it. A file in WAL mode is written by way of a WAL only, which takes locks: so it is taken out of that mode,
// in which the first process that opens it puts it again. By that a WAL that a killed process has left where the copy
// is put is known not to belong to it.
func removeUncopied(path string) (err error) {
	const at = 18 // and 19: how the file is to be written, and how it is to be read
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt([]byte{1, 1}, at)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return dropUncopied(path)
}

func dropUncopied(path string) (err error) {
	c, err := engine.Connect(path, engine.Mode("rw", alone), "journal_mode = off", "synchronous = off",
		"secure_delete = on")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for _, of := range ports.Kinds() {
		if of.Copied() {
			continue
		}
		from, to := of.Bounds()
		err := errors.Join(c.Run(fmt.Sprintf("DELETE FROM records WHERE kind = '%s'", of.Name())),
			c.Run(fmt.Sprintf("DELETE FROM record_index WHERE entry >= '%s' AND entry < '%s'", from, to)))
		if err != nil {
			return err
		}
	}
	return nil
}
