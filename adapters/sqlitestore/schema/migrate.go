// Package schema implements the migrations of a store's file: it makes the file, upgrades an earlier version, and
// compares the schema of a file with that of its version.
//
// It does not use zombiezen.com/go/sqlite/sqlitemigration. That package commits each step separately, treats a newer
// file as up to date, and runs while other processes have the file open.
package schema

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/ports"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Schema is a list of migrations: files of statements, in order. The first file makes version 1, each further one the
// next version. The version of a file is its user_version, which a process checks in each transaction that writes. A
// field that needs no statement of its own therefore has a file without statements.
type Schema struct {
	Files  fs.FS
	Folder string // in Files

	digest string // of the parts that the files make; "": unknown
}

// Present is the schema of this version.
var Present = Schema{migrations, "migrations", presentDigest}

// Newest returns the version after all files.
func (s Schema) Newest() (int64, error) {
	files, err := fs.ReadDir(s.Files, s.Folder)
	return int64(len(files)), err
}

// How long UpToDate waits for other processes: for one that makes or upgrades the file, and for one that has it open
// and may be about to close it. Tests shorten the second.
var (
	patience     = 25 * time.Second
	InUseTimeout = 5 * time.Second
)

// UpToDate makes the file, or upgrades it, and refuses a file whose schema was changed. All steps run in one
// transaction: after an interruption no change remains. If several processes do this at the same time, one of them does
// the work. An upgrade needs the file for itself, because a process that has it open could continue as before. A nil
// migrating refuses an upgrade.
func (s Schema) UpToDate(ctx context.Context, path string, migrating ports.Migrating) error {
	for began := time.Now(); ; {
		err := s.upToDate(ctx, path, migrating)
		if waited := time.Since(began); !contended(err) || waited > patience || errors.Is(err, ErrInUse) &&
			waited > InUseTimeout {
			return err
		}
		//nolint:gosec // so that others that want the same seldom meet again
		pause := 10*time.Millisecond + rand.N(50*time.Millisecond)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// contended reports whether another process blocked the file.
func contended(err error) bool {
	busy := []sqlite.ResultCode{sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultProtocol}
	return errors.Is(err, ErrInUse) || slices.Contains(busy, sqlite.ErrCode(err).ToPrimary())
}

func (s Schema) upToDate(ctx context.Context, path string, migrating ports.Migrating) (err error) {
	c, err := engine.Connect(path, engine.Mode("rw"), "synchronous = full", "fullfsync = on", "foreign_keys = on")
	if err != nil {
		return Foreign(err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	found, err := s.versionOf(c)
	switch {
	case errors.Is(err, ErrOlder):
		if migrating == nil {
			return err
		}
		if err := s.upgrade(ctx, c, path, migrating); err != nil {
			return err
		}
		return c.Run(enterWAL)
	case err != nil:
		return err
	case found == 0:
		return s.create(ctx, c)
	}
	if err := c.Run(enterWAL); err != nil {
		return err
	}
	return s.transact(ctx, c, "BEGIN IMMEDIATE", func() error {
		differences, err := s.compare(c, found)
		if err == nil {
			err = Altered(differences)
		}
		if err == nil {
			err = c.Run("DELETE FROM settings WHERE name = ''") // it matches nothing, but fails if the file can't be written
		}
		return err
	})
}

// create turns an empty file into one of the newest version.
func (s Schema) create(ctx context.Context, c *engine.Conn) error {
	newest, err := s.Newest()
	if err != nil {
		return err
	}
	if err := c.Run(enterWAL); err != nil {
		return err
	}
	return s.transact(ctx, c, "BEGIN IMMEDIATE", func() error {
		if found, err := s.versionOf(c); err != nil || found > 0 {
			return err // another process was first
		}
		return s.run(c, 0, newest)
	})
}

// enterWAL makes SQLite write to a WAL. A copy is not in this mode, and an upgrade leaves it. SQLite does not wait for
// other processes that do the same at the same time. UpToDate therefore tries again, so that connections find the mode
// set.
const enterWAL = "PRAGMA journal_mode = wal"

// upgrade upgrades a file that no other process has open. SQLite leaves the WAL mode only if no other connection
// exists: the steps run with a rollback journal.
func (s Schema) upgrade(ctx context.Context, c *engine.Conn, path string, migrating ports.Migrating) error {
	if err := c.Run("PRAGMA journal_mode = delete"); err != nil {
		return inUse(err)
	}
	err := s.transact(ctx, c, "BEGIN EXCLUSIVE", func() (err error) {
		var mode string
		if err := c.Ask("PRAGMA journal_mode", func(r *engine.Row) { mode = r.Text() }); err != nil || mode != "delete" {
			return errors.Join(ErrInUse, err) // another process was first
		}
		found, err := s.versionOf(c)
		if !errors.Is(err, ErrOlder) {
			return err // likewise
		}
		differences, err := s.compare(c, found)
		if err == nil {
			err = Altered(differences)
		}
		if err != nil {
			return err
		}
		newest, err := s.Newest()
		if err != nil {
			return err
		}
		ended := migrating(found, newest, writtenTo(path))
		defer func() { ended(err) }()
		return s.run(c, found, newest)
	})
	return inUse(err)
}

// transact runs do in a transaction, which is undone if do fails or ctx ends.
func (s Schema) transact(ctx context.Context, c *engine.Conn, begin string, do func() error) (err error) {
	if err := c.Run(begin); err != nil {
		return err
	}
	defer c.SetInterrupt(c.SetInterrupt(ctx.Done()))
	if err = do(); err == nil {
		err = c.Run("COMMIT")
	}
	if err != nil {
		err = errors.Join(ctx.Err(), err)
	}
	if c.SetInterrupt(nil); !c.AutocommitEnabled() {
		err = errors.Join(err, c.Run("ROLLBACK"))
	}
	return err
}

// run runs the steps after a version up to another one.
func (s Schema) run(c *engine.Conn, after, last int64) error {
	files, err := fs.ReadDir(s.Files, s.Folder)
	if err != nil {
		return err
	}
	for _, f := range files[after:last] {
		statements, err := fs.ReadFile(s.Files, path.Join(s.Folder, f.Name()))
		if err == nil {
			err = RunAll(c, string(statements))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return c.Run(fmt.Sprintf("PRAGMA user_version = %d", last))
}

// RunAll runs statements one after the other, without a savepoint, because a savepoint would need memory for its
// journal.
func RunAll(c *engine.Conn, statements string) error {
	for canonical(statements) != "" {
		st, left, err := c.PrepareTransient(statements)
		if err != nil {
			return err
		}
		for found := true; found && err == nil; {
			found, err = st.Step()
		}
		if err := errors.Join(err, st.Finalize()); err != nil {
			return err
		}
		statements = statements[len(statements)-left:]
	}
	return nil
}

// writtenTo returns a function that reports approximately how many bytes a transaction has written: to the file, and to
// the journal that can undo it.
func writtenTo(path string) func() int64 {
	size := func() (size int64) {
		for _, suffix := range []string{"", "-journal"} {
			if file, err := os.Stat(path + suffix); err == nil {
				size += file.Size()
			}
		}
		return size
	}
	before := size()
	return func() int64 { return max(0, size()-before) }
}

// versionOf returns the version of the file, 0 for an empty one. It returns ErrForeign, ErrNewer or ErrOlder if the
// file does not have the newest version.
func (s Schema) versionOf(c *engine.Conn) (version int64, err error) {
	newest, err := s.Newest()
	if err != nil {
		return 0, err
	}
	var id, parts int64
	err = c.Ask(
		"SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*') FROM pragma_application_id, pragma_user_version",
		func(r *engine.Row) { id, version, parts = r.Integer(), r.Integer(), r.Integer() })
	switch {
	case err != nil:
		return 0, Foreign(err)
	case id == 0 && version == 0 && parts == 0:
		return 0, nil
	case id != applicationID || version < 1:
		return 0, ErrForeign
	case version > newest:
		err = fmt.Errorf("%w (schema %d, this version knows %d)", ErrNewer, version, newest)
	case version < newest:
		err = fmt.Errorf("%w (from schema %d to %d)", ErrOlder, version, newest)
	}
	return version, err
}

// Check returns the differences between the schema of a file that is only read and that of the newest version. It
// refuses any other version, and an empty file.
func (s Schema) Check(c *engine.Conn) (differences []string, err error) {
	version, err := s.versionOf(c)
	switch {
	case err != nil:
		return nil, err
	case version == 0:
		return nil, ErrForeign // an incomplete store, or no store
	}
	return s.compare(c, version)
}
