package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/adapters/sqlitestore/walcheck"
	"resellerd/adapters/storekit"
	"resellerd/ports"
)

var _ ports.OpenArchive = (*Archive)(nil)

// The errors of Open, and of a View of an archive.
var (
	ErrLeftOver = errors.New(
		"a process that used the file was ended before it could tidy up, and what it left beside it can't be read without writing there: " +
			"start the service on it once and stop it, or copy the file, its -wal and its -journal to a folder of your own and open the copy there with sqlite3")
	ErrChanged = errors.New(
		"the file was changed, or taken into use, while it was read: the result is not valid; repeat the command")
)

// Archive is a ports.OpenArchive on the file of a store. Views wait for each other: they share one connection.
type Archive struct {
	Reader *engine.Reader

	users     storekit.Gate
	turn      chan struct{} // holds a value during a view
	schema    schema.Schema
	unchanged func() error // nil while the file is unchanged
}

// Open opens the store in the file at path for examination. It never writes, neither to the file nor beside it, and
// needs no right to write.
//
// A file without a WAL, which no process uses, is read without locks; each View fails with ErrChanged if that changed
// before its end. With a WAL a View is a snapshot like that of a Store. Of a file in use it is read under the locks of
// the file. Of a file whose process was killed it includes all commits. The index of the WAL (-shm) has to be beside
// the file and readable. If it is not, or if another program left a rollback journal, Open refuses the file with
// ErrLeftOver.
//
// Open refuses a file that is no store, or has another version: reading never upgrades.
func Open(path string) (*Archive, error) {
	return OpenOf(path, schema.Present)
}

// OpenOf is Open for a file of another schema.
func OpenOf(path string, of schema.Schema) (*Archive, error) {
	engine.Opening.Lock()
	defer engine.Opening.Unlock()
	a, err := openFound(path, of)
	if err != nil {
		return nil, fmt.Errorf("open the store in %s to read it: %w", path, engine.Explained(path, false, err))
	}
	return a, nil
}

// openFound opens the file depending on its state. If a process opens or closes it at that moment, openFound notices
// and examines it again.
func openFound(path string, of schema.Schema) (*Archive, error) {
	const attempts = 5
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path) // files beside it are beside the target of the link
	}
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		found, err := stateOf(path)
		if err != nil {
			return nil, err
		}
		a, err := found.open(path, of)
		if err == nil || attempt == attempts || found.same(path) == nil {
			return a, err
		}
	}
}

// open opens a file in this state.
func (s state) open(path string, of schema.Schema) (*Archive, error) {
	inUse := s.wal.there && s.index.there
	if s.journal.size > 0 || s.wal.size > 0 && !inUse {
		return nil, ErrLeftOver
	}
	if err := walcheck.Check(path); err != nil {
		return nil, err
	}
	a := &Archive{schema: of, turn: make(chan struct{}, 1), unchanged: func() error { return nil }}
	how := url.Values{"mode": {"ro"}}
	if inUse {
		how.Set("readonly_shm", "1") // neither create nor write the index of the WAL
	} else {
		how.Set("immutable", "1") // no locks, and no file beside it is read
		a.unchanged = func() error { return s.same(path) }
	}
	var err error
	if a.Reader, err = openArchive(path, how, of); err != nil {
		// An incomplete index of a killed process is no index (SQLITE_PROTOCOL).
		code := sqlite.ErrCode(err).ToPrimary()
		if inUse && (code == sqlite.ResultCantOpen || code == sqlite.ResultProtocol) && readable(path) {
			err = fmt.Errorf("%w (%w)", ErrLeftOver, err)
		}
		return nil, err
	}
	return a, nil
}

// readable reports whether the file itself can be read, without the files beside it.
func readable(path string) bool {
	c, err := engine.Connect(path, engine.Mode("ro", url.Values{"immutable": {"1"}}))
	if err != nil {
		return false
	}
	defer func() { _ = c.Close() }()
	return c.Run("SELECT count(*) FROM sqlite_schema") == nil
}

// openArchive opens a connection, checks that the file is a store, and prepares the statements.
func openArchive(path string, how url.Values, of schema.Schema) (_ *engine.Reader, err error) {
	c, err := engine.Connect(path, how)
	if err != nil {
		return nil, schema.Foreign(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	var differences []string
	err = engine.Settled(func() error {
		differences, err = of.Check(c)
		return err
	})
	if err == nil {
		err = c.PrepareReads()
	}
	if err != nil && len(differences) > 0 {
		err = schema.Altered(differences)
	}
	if err != nil {
		return nil, err
	}
	return &engine.Reader{Conn: c}, c.Run("PRAGMA query_only = on")
}

// ViewRecords implements ports.Archive. It takes the snapshot before it calls look.
func (a *Archive) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	if err := a.users.Enter(ctx); err != nil {
		return err
	}
	defer a.users.Leave()
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return storekit.Unavailable("wait for another view", ctx.Err())
	}
	if err := a.Reader.Begin(); err != nil {
		return err
	}
	q := a.Reader.Transaction()
	err := q.Look(func() error { return look(ctx, Records(q, a.schema)) })
	if err == nil || q.Failed() != nil {
		if changed := a.unchanged(); changed != nil { // even after a failure
			return storekit.Unavailable("end a view", changed)
		}
	}
	return err
}

// Close implements ports.OpenArchive.
func (a *Archive) Close() error {
	if !a.users.Shut() {
		return nil
	}
	return a.Reader.Close()
}

// state describes a file and the files beside it. The file itself is not opened: see engine.Opening.
type state struct {
	file                os.FileInfo
	wal, index, journal beside
}

// beside is a file that SQLite puts beside a database.
type beside struct {
	there bool
	size  int64
}

func stateOf(path string) (s state, err error) {
	if s.file, err = os.Stat(path); err != nil {
		return state{}, err
	}
	if !s.file.Mode().IsRegular() {
		return state{}, engine.ErrNoFile
	}
	for suffix, found := range map[string]*beside{"-wal": &s.wal, "-shm": &s.index, "-journal": &s.journal} {
		switch info, err := os.Stat(path + suffix); {
		case err == nil:
			*found = beside{true, info.Size()}
		case !errors.Is(err, fs.ErrNotExist):
			return state{}, err
		}
	}
	return s, nil
}

// same returns ErrChanged if the state of the file has changed. A process that opens it first puts a WAL and its index
// beside it. Once these are gone again, the process has written to the file, or changed nothing.
func (s state) same(path string) error {
	now, err := stateOf(path)
	if err != nil {
		return fmt.Errorf("%w (%w)", ErrChanged, err)
	}
	if !os.SameFile(s.file, now.file) || s.file.Size() != now.file.Size() || !s.file.ModTime().Equal(now.file.ModTime()) ||
		s.wal != now.wal || s.index != now.index || s.journal != now.journal {
		return ErrChanged
	}
	return nil
}

// pagesAtOnce is how many pages of a file are copied between two checks of the context.
const pagesAtOnce = 64

// CopyTo writes the store as of one instant, page by page, into the empty file at path, without the records that no
// copy has. That file must have no other user. The store may run at the same time. Later writes are not in the copy.
// The WAL of the store can't be truncated until the copy is complete.
//
// It does not flush the file: that is left to the caller. After an error the file is useless. progress is called
// repeatedly with the number of copied pages and of all pages.
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
	// After a crash its name marks it as unfinished.
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

// removeUncopied removes the records that no copy has from the file of a store that is not in use, and erases their
// content. A file in WAL mode is written only with a WAL, which needs locks. The file therefore leaves that mode; the
// first process that opens it sets it again. This also shows that a WAL which a killed process has left at the path of
// the copy does not belong to the copy.
func removeUncopied(path string) (err error) {
	const at = 18 // and 19: how the file is written, and how it is read
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
