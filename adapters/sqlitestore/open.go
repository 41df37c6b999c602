package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// What Open refuses.
var (
	ErrForeign = errors.New("the file is not a store of this program: name another file, or a new one")
	// ErrIndexGone is of a file that another process has open.
	ErrIndexGone = errors.New("another process has the file open, and the index beside it (-shm) was removed: " +
		"have that process answer a request, such as GET /readyz, by which it makes the index anew, or end it; then repeat the command")
	ErrNewer = errors.New("the file was made by a newer version of this program: run that version, or restore a backup from before the upgrade")
)

const (
	applicationID = 1920167026 // "rslr", as the first migration writes it
	leastReaders  = 4
)

var errNoFile = errors.New("this is no regular file")

// opening lets one Open of this process pass at a time: closing a new file drops
// the locks that the process holds on it, so nobody may use it before.
var opening sync.Mutex

// Open opens the store in the file at path, which is made where it is missing,
// with its folder, for the present user only, and brings it up to this version.
// The file is refused with ErrForeign, ErrNewer or ErrDamaged before anything in it is
// changed.
func Open(ctx context.Context, path string) (*Store, error) {
	return OpenMigrating(ctx, path, func(int64, int64, func() int64) func(error) { return func(error) {} })
}

// OpenMigrating is Open, and tells of each migration of an older file. These take
// as long as they need, or until ctx ends: then the last one is undone, and the next
// Open goes on with it.
func OpenMigrating(ctx context.Context, path string, migrating ports.Migrating) (*Store, error) {
	return openStore(ctx, path, present, migrating)
}

func openStore(ctx context.Context, path string, of schema, migrating ports.Migrating) (*Store, error) {
	opening.Lock()
	defer opening.Unlock()
	s, err := open(ctx, path, of, migrating)
	if err != nil {
		return nil, fmt.Errorf("open the store in %s: %w", path, withRoom(path, err))
	}
	return s, nil
}

// withRoom adds to an error of a full disk what is full.
func withRoom(path string, err error) error {
	switch code := sqlite.ErrCode(err); {
	case code.ToPrimary() == sqlite.ResultFull, code == sqlite.ResultIOErrSHMSize:
	default:
		return err
	}
	folder := filepath.Dir(path)
	if itself, unknown := filepath.EvalSymlinks(path); unknown == nil {
		folder = filepath.Dir(itself)
	}
	return fmt.Errorf("there is no room in %s, where the file, its -wal and its -shm grow%s: make room on that file system, and repeat the command: %w",
		folder, free(folder), err)
}

func open(ctx context.Context, path string, of schema, migrating ports.Migrating) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := makeFile(path); err != nil {
		return nil, err
	}
	if err := inspect(path); err != nil {
		return nil, err
	}
	s := &Store{path: path, schema: of, cache: newCache()}
	s.ids = storekit.NewIDs(leastIDs, mostIDs, s.takeIDs)
	if s.writer, err = openWriter(ctx, path, of, migrating, s.cache); err != nil {
		return nil, err
	}
	if s.readers, err = newReaders(path, s.cache.file); err != nil {
		return nil, errors.Join(err, s.writer.close())
	}
	s.writer.connected = s.reconnect
	return s, nil
}

func openWriter(ctx context.Context, path string, of schema, migrating ports.Migrating, c *cache) (*writer, error) {
	if err := of.upToDate(ctx, path, migrating); err != nil {
		return nil, err
	}
	w, err := newWriter(path, c)
	if err != nil {
		return nil, err
	}
	if err := w.connect(); err != nil {
		return nil, err
	}
	go w.queue.Serve(w.run)
	return w, nil
}

// makeFile makes an empty file where there is none. SQLite gives the files that
// it puts beside it the same permissions.
func makeFile(path string) error {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case err == nil:
		return f.Close()
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	// It must not even be opened: see opening.
	if info, err := os.Stat(path); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return errNoFile
	}
	return nil
}

// makeFolder makes a folder, and those above it, where there are none. They survive a power cut: SQLite sees to that only
// for what it makes itself, in the folder that it is in.
func makeFolder(folder string) error {
	_, err := os.Stat(folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return err // what is no folder shows later
	}
	above := filepath.Dir(folder)
	if err := makeFolder(above); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return flushFolder(above)
}

// flushFolder has the disk keep what a folder lists. Tests look at who asks for it.
var flushFolder = func(folder string) error {
	if runtime.GOOS == "windows" { // which keeps it by itself, and lets nobody flush a folder
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// inspect refuses what another program has made, and what the disk has damaged, before anything is changed in it.
func inspect(path string) error {
	if err := checkWAL(path); err != nil {
		return err
	}
	c, err := openAlone(path)
	if err != nil {
		return foreign(err)
	}
	defer func() { _ = c.Close() }()
	return c.ours()
}

// ours returns ErrForeign for a file of another program. An empty one may become
// ours.
func (c *connection) ours() error {
	var id, others int64
	err := c.ask("SELECT (SELECT application_id FROM pragma_application_id), count(*) FROM sqlite_schema WHERE tbl_name <> '"+versions+"' AND tbl_name NOT GLOB 'sqlite_*'", func(r *row) { id, others = r.integer(), r.integer() })
	switch {
	case err != nil:
		return foreign(err)
	case id != applicationID && (id != 0 || others > 0):
		return ErrForeign
	}
	return nil
}

// foreign makes ErrForeign of what SQLite says of a file that is no database.
func foreign(err error) error {
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultNotADB {
		return fmt.Errorf("%w (%w)", ErrForeign, err)
	}
	return err
}
