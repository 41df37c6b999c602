package sqlitestore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	driver "modernc.org/sqlite"
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
	versions      = "goose_db_version"
	leastReaders  = 4
)

var errNoFile = errors.New("this is no regular file")

//go:embed migrations/*.sql
var migrations embed.FS

// schema is how a file is brought up to date, and how one that is not is read. A
// migration adds to records, is never changed once it was released, and runs in one
// transaction, so that one that was interrupted starts again.
type schema struct {
	folder string // in files
	files  fs.FS
	// lacking has, by the version of a migration, what makes up for it where a file
	// from before it is only read: temporary tables without rows, or temporary views
	// of what is in their place. A name means these first. Every migration but the
	// first has an entry.
	lacking map[int64]string
}

var present = schema{"migrations", migrations, map[int64]string{
	// No deletion has left a tombstone by now.
	2: `CREATE TEMP TABLE tombstones (line INTEGER PRIMARY KEY, charge INTEGER, actor INTEGER NOT NULL, at INTEGER NOT NULL, checksum INTEGER);
		CREATE TEMP VIEW settings AS SELECT name, value FROM main.settings
			UNION ALL SELECT 'tombstones-since', CAST(CAST(unixepoch('subsec') * 1000 AS INTEGER) AS TEXT)`,
	// Each list of the older schema but that of all, and but that of what the owner's own tree
	// had twice.
	3: `CREATE TEMP VIEW lines AS SELECT id, owner, owner_path AS path, username, username_key, password, trial, expires_at,
			country, whatsapp, notes, platform_id, charge, edited, created_at, updated_at, NULL AS checksum FROM main.lines;
		CREATE TEMP VIEW line_ids AS SELECT e.list AS scope, e.line AS line
			FROM line_lists AS e LEFT JOIN main.lines AS l ON l.id = e.line WHERE e.list <> 0 AND (l.id IS NULL OR e.list <> l.owner);
		CREATE TEMP VIEW line_expiries AS SELECT e.list AS scope, e.expiry AS expiry, e.line AS line
			FROM line_lists AS e LEFT JOIN main.lines AS l ON l.id = e.line WHERE e.list <> 0 AND (l.id IS NULL OR e.list <> l.owner)`,
	// The same columns under the same name.
	4: "",
	// Nobody who only reads looks at sessions.
	5: "",
	// What was written without checksums has none.
	6: `CREATE TEMP VIEW accounts AS SELECT *, NULL AS checksum FROM main.accounts;
		CREATE TEMP VIEW IF NOT EXISTS lines AS SELECT *, NULL AS checksum FROM main.lines;
		CREATE TEMP VIEW IF NOT EXISTS tombstones AS SELECT *, NULL AS checksum FROM main.tombstones;
		CREATE TEMP VIEW idempotency AS SELECT *, NULL AS checksum FROM main.idempotency`,
}}

// versions returns those of the migrations in their order.
func (s schema) versions() (known []int64, err error) {
	files, err := fs.ReadDir(s.files, s.folder)
	for _, f := range files {
		version, err := goose.NumericComponent(f.Name())
		if err != nil {
			return nil, err
		}
		known = append(known, version)
	}
	return known, err
}

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
		return nil, fmt.Errorf("open the store in %s: %w", path, err)
	}
	return s, nil
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
	s := &Store{path: path, cache: newCache()}
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

// upToDate runs the migrations that are missing. Where another process does the
// same at the same time, one of the two fails and finds it done when it looks
// again.
func (s schema) upToDate(ctx context.Context, path string, migrating ports.Migrating) (err error) {
	const attempts = 5
	if err := checksumInSQL(); err != nil {
		return err
	}
	connector, err := driver.NewConnector(uri(path, mode("rw", url.Values{
		"_busy_timeout": {strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
		"_txlock":       {"immediate"},
		"_pragma":       {"journal_mode(wal)", "synchronous(full)", "foreign_keys(on)", "temp_store(memory)"},
	})))
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	for attempt := 1; ; attempt++ {
		err := s.migrate(ctx, db, func(from, to int64) func(error) { return migrating(from, to, writtenTo(path)) })
		if _, engine := errors.AsType[*driver.Error](err); !engine || attempt == attempts {
			return err
		}
		select {
		case <-time.After(time.Duration(attempt) * 100 * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// writtenTo returns what says how many bytes a transaction has written so far: what it
// can't keep in memory goes to the WAL.
func writtenTo(path string) func() int64 {
	return func() int64 {
		if wal, err := os.Stat(path + "-wal"); err == nil {
			return wal.Size()
		}
		return 0
	}
}

func (s schema) migrate(ctx context.Context, db *sql.DB, migrating func(from, to int64) (ended func(error))) error {
	folder, err := fs.Sub(s.files, s.folder)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, folder,
		goose.WithTableName(versions), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	known, err := s.versions()
	if err != nil {
		return err
	}
	for made := false; ; {
		found, newest, err := p.GetVersions(ctx)
		switch {
		case err != nil:
			return err
		case found > newest:
			return newer(found, newest)
		case found == newest:
			return nil
		}
		ended := func(error) {}
		if made = made || found == 0; !made { // a new file has nothing to migrate
			ended = migrating(found, known[slices.Index(known, found)+1])
		}
		_, err = p.UpByOne(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			err = nil // another process was first
		}
		if ended(err); err != nil {
			return err
		}
	}
}

func newer(found, newest int64) error {
	return fmt.Errorf("%w (schema %d, this version knows %d)", ErrNewer, found, newest)
}
