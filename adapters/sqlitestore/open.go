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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What Open refuses.
var (
	ErrForeign = errors.New("the file is not a store of this program: name another file, or a new one")
	ErrNewer   = errors.New("the file was made by a newer version of this program: run that version, or restore a backup from before the upgrade")
)

const (
	applicationID = 1920167026 // "rslr", as the first migration writes it
	versions      = "goose_db_version"
	busyTimeout   = 5 * time.Second
	leastReaders  = 4
)

//go:embed migrations/*.sql
var migrations embed.FS

// opening lets one Open of this process pass at a time: closing a new file drops
// the locks that the process holds on it, so nobody may use it before.
var opening sync.Mutex

// Open opens the store in the file at path, which is made where it is missing,
// with its folder, for the present user only, and brings it up to this version.
// The file is refused with ErrForeign or ErrNewer before anything in it is
// changed.
func Open(ctx context.Context, path string) (*Store, error) {
	opening.Lock()
	defer opening.Unlock()
	s, err := open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open the store in %s: %w", path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := makeFile(path); err != nil {
		return nil, err
	}
	if err := inspect(ctx, path); err != nil {
		return nil, err
	}
	w, err := openWriter(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, writer: w, ids: newIDBlocks()}
	if s.file, err = os.Stat(path); err == nil {
		err = s.openReaders(ctx, path)
	}
	if err != nil {
		return nil, errors.Join(err, w.close()) //nolint:contextcheck // closing is not given up half way
	}
	return s, nil
}

func openWriter(ctx context.Context, path string) (*writer, error) {
	db, err := connections(path, "rw", 1, "journal_mode(wal)", "synchronous(full)", "foreign_keys(on)")
	if err != nil {
		return nil, err
	}
	w := newWriter(db)
	err = upToDate(ctx, db)
	if err == nil {
		err = w.connect(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	go w.run() //nolint:contextcheck // it outlives the context of Open
	return w, nil
}

func (s *Store) openReaders(ctx context.Context, path string) error {
	db, err := connections(path, "ro", max(leastReaders, runtime.GOMAXPROCS(0)))
	if err != nil {
		return err
	}
	for n, st := range statements {
		if !st.look {
			continue
		}
		if s.looks[n], err = db.PrepareContext(ctx, st.sql); err != nil { //nolint:sqlclosecheck // lives as long as db, which closes it
			return errors.Join(fmt.Errorf("%s: %w", st.purpose, err), db.Close())
		}
	}
	s.readers = db
	return nil
}

// makeFile makes an empty file where there is none. SQLite gives the files that
// it puts beside it the same permissions.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
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
		return errors.New("this is no regular file")
	}
	return nil
}

// inspect refuses what another program has made, before anything is changed in it.
func inspect(ctx context.Context, path string) error {
	db, err := connections(path, "rw", 1)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var id, others int
	err = db.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), count(*) FROM sqlite_schema WHERE tbl_name <> ? AND tbl_name NOT GLOB 'sqlite_*'", versions).Scan(&id, &others)
	switch e, _ := errors.AsType[*sqlite.Error](err); {
	case e != nil && primary(e) == sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w (%w)", ErrForeign, err)
	case err != nil:
		return err
	case id != applicationID && (id != 0 || others > 0):
		return ErrForeign
	}
	return nil
}

// connections opens a pool of at most that many connections to the file, each
// with these pragmas. Every character of a path is allowed. No connection needs a
// folder for temporary files, which the machine may lack or others may fill:
// savepoints and sorters keep in memory what they would spill.
func connections(path, mode string, most int, pragmas ...string) (*sql.DB, error) {
	pragmas = append(pragmas, "temp_store(memory)")
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/...
	}
	dsn := url.URL{Scheme: "file", Path: slashed, RawQuery: url.Values{
		"mode":          {mode},
		"_busy_timeout": {strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
		"_txlock":       {"immediate"},
		"_dqs":          {"false"},
		"_error_rc":     {"true"},
		"_pragma":       pragmas,
	}.Encode()}
	connector, err := sqlite.NewConnector(dsn.String())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return db, nil
}

// upToDate runs the migrations that are missing. Where another process does the
// same at the same time, one of the two fails and finds it done when it looks
// again.
func upToDate(ctx context.Context, db *sql.DB) error {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		err := migrate(ctx, db)
		if _, engine := errors.AsType[*sqlite.Error](err); !engine || attempt == attempts {
			return err
		}
		select {
		case <-time.After(time.Duration(attempt) * 100 * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

func migrate(ctx context.Context, db *sql.DB) error {
	folder, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, folder,
		goose.WithTableName(versions), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	found, ours, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if found > ours {
		return fmt.Errorf("%w (schema %d, this version knows %d)", ErrNewer, found, ours)
	}
	_, err = p.Up(ctx)
	return err
}
