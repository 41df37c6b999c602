// Package schema brings the file of a store up to date, reads older ones as they are, and compares the schema of a file
// with that of its migrations.
package schema

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/storekit/fields"
	"resellerd/ports"
)

// versions is the table of migrations that have run. It is that of goose, with which earlier builds ran them and
// recognise a newer file.
const versions = "goose_db_version"

//go:embed migrations/*.sql
var migrations embed.FS

// Schema is how a file is brought up to date, and how one that is not is read. A
// migration adds to records, is never changed once it was released, and runs in one
// transaction, so that one that was interrupted starts again.
type Schema struct {
	Folder string // in Files
	Files  fs.FS
	// Lacking has, by the version of a migration, what replaces its tables when an earlier file is only read: empty
	// temporary tables, or temporary views of what the file has instead. Names resolve to these first. Every migration
	// but the first has an entry. Missing columns need none: see lackColumns.
	Lacking map[int64]string
	made    *made
	digest  string // of the parts that all migrations make; "": unknown
}

// Of returns a schema of these migrations, with what they lack.
func Of(folder string, files fs.FS, lacking map[int64]string) Schema {
	return Schema{folder, files, lacking, &made{of: map[int64]parts{}}, ""}
}

// Present is that of this version.
var Present = Schema{"migrations", migrations, map[int64]string{
	// No deletion has left a tombstone yet.
	2: `CREATE TEMP TABLE tombstones (line INTEGER PRIMARY KEY, charge INTEGER, actor INTEGER NOT NULL, at INTEGER NOT NULL, checksum INTEGER);
		CREATE TEMP VIEW settings AS SELECT name, value FROM main.settings
			UNION ALL SELECT 'tombstones-since', CAST(CAST(unixepoch('subsec') * 1000 AS INTEGER) AS TEXT)`,
	// Each list of the older schema except that of all, and except the duplicates of an owner's own tree.
	3: `CREATE TEMP VIEW line_ids AS SELECT e.list AS scope, e.line AS line
			FROM line_lists AS e LEFT JOIN main.lines AS l ON l.id = e.line WHERE e.list <> 0 AND (l.id IS NULL OR e.list <> l.owner);
		CREATE TEMP VIEW line_expiries AS SELECT e.list AS scope, e.expiry AS expiry, e.line AS line
			FROM line_lists AS e LEFT JOIN main.lines AS l ON l.id = e.line WHERE e.list <> 0 AND (l.id IS NULL OR e.list <> l.owner)`,
	// The same columns under the same name.
	4: "",
	// Readers ignore sessions.
	5: "",
	// Columns alone.
	6: "",
	7: "",
	// There are no kinds, and readers ignore sessions.
	8: `CREATE TEMP TABLE records (kind TEXT, key TEXT, payload TEXT, checksum INTEGER);
		CREATE TEMP TABLE record_index (entry TEXT, key TEXT)`,
	// Nothing was journalled.
	9: `CREATE TEMP TABLE journal (seq INTEGER PRIMARY KEY, epoch TEXT, hash BLOB, type TEXT, at INTEGER, entry TEXT);
		CREATE TEMP TABLE journal_listed (id INTEGER PRIMARY KEY, epoch TEXT, seq INTEGER, hash BLOB);
		CREATE TEMP TABLE journal_lists (list INTEGER, id INTEGER, seq INTEGER);
		CREATE TEMP TABLE journal_figures (account INTEGER, day INTEGER, trials INTEGER, activations INTEGER, extensions INTEGER,
			spent_high INTEGER, spent_low INTEGER, received_high INTEGER, received_low INTEGER)`,
	// Columns alone.
	10: "",
	11: "",
	// Each list, in the order of names.
	12: `CREATE TEMP VIEW line_names AS SELECT e.scope AS scope, l.username_key AS name, l.id AS line FROM line_ids AS e JOIN main.lines AS l ON l.id = e.line`,
}, &made{of: map[int64]parts{}}, presentDigest}

// presentDigest saves the time to make the schema again if a file is as it should be.
const presentDigest = "5c921700a5361eb27e1113c2f0aa14b6014c6870f3e3edd8d53036e4f83dc56a"

// migration is a file of statements.
type migration struct {
	version int64
	file    string
}

// migrations returns them in their order.
func (s Schema) migrations() (all []migration, err error) {
	files, err := fs.ReadDir(s.Files, s.Folder)
	for _, f := range files {
		number, _, _ := strings.Cut(f.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: its name begins with no number: %w", f.Name(), err)
		}
		all = append(all, migration{version, path.Join(s.Folder, f.Name())})
	}
	return all, err
}

// Versions returns those of the migrations in their order.
func (s Schema) Versions() (known []int64, err error) {
	all, err := s.migrations()
	for _, m := range all {
		known = append(known, m.version)
	}
	return known, err
}

// UpToDate runs the missing migrations. If another process does so at the same time, each is run by the one that gets
// the lock first, and the other finds it done.
func (s Schema) UpToDate(ctx context.Context, path string, migrating ports.Migrating) error {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		err := s.migrate(ctx, path, migrating)
		if !contended(err) || attempt == attempts {
			return err
		}
		select {
		case <-time.After(time.Duration(attempt) * 100 * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// contended reports whether another process held the file for longer than a connection waits.
func contended(err error) bool {
	return slices.Contains([]sqlite.ResultCode{sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultProtocol}, sqlite.ErrCode(err).ToPrimary())
}

func (s Schema) migrate(ctx context.Context, path string, migrating ports.Migrating) (err error) {
	c, err := engine.Connect(path, engine.Mode("rw", engine.Undefended()), "journal_mode = wal", "synchronous = full", "fullfsync = on", "foreign_keys = on")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := addFunctions(c); err != nil {
		return err
	}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.SetInterrupt(ctx.Done())
		more, err = s.step(c, func(from, to int64) func(error) { return migrating(from, to, writtenTo(path)) })
		if err != nil {
			return errors.Join(ctx.Err(), err)
		}
	}
	return nil
}

// step runs the next migration, and of a new file all. It decides what is to be done in the transaction that does it,
// with the write lock: several processes that decided before would each do the same.
func (s Schema) step(c *engine.Conn, migrating func(from, to int64) (ended func(error))) (more bool, err error) {
	ended := func(error) {}
	defer func() { ended(err) }()
	if err := c.Run("BEGIN IMMEDIATE"); err != nil {
		return false, err
	}
	defer func() {
		if err == nil {
			err = c.Run("COMMIT")
		}
		if c.SetInterrupt(nil); !c.AutocommitEnabled() {
			err = errors.Join(err, c.Run("ROLLBACK"))
		}
	}()
	all, err := s.migrations()
	if err != nil {
		return false, err
	}
	found, err := versionOf(c)
	newest := all[len(all)-1].version
	switch {
	case err != nil:
		return false, err
	case found > newest:
		return false, newer(found, newest)
	case found == 0:
		return false, cmp.Or(s.make(c, newest), setFormat(c))
	}
	if err := s.repair(c, found); err != nil {
		return false, err
	}
	if found == newest {
		return false, setFormat(c)
	}
	next := all[slices.IndexFunc(all, func(m migration) bool { return m.version > found })]
	ended = migrating(found, next.version)
	if err := s.apply(c, next); err != nil || next.version < newest {
		return true, err
	}
	return false, setFormat(c)
}

// make makes an empty file one of this version. It may have the table of migrations, of which none has run.
func (s Schema) make(c *engine.Conn, version int64) error {
	const table = `CREATE TABLE IF NOT EXISTS ` + versions + ` (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
	INSERT INTO ` + versions + ` (version_id, is_applied) SELECT 0, 1 WHERE NOT EXISTS (SELECT 1 FROM ` + versions + `)`
	if err := RunAll(c, table); err != nil {
		return err
	}
	all, err := s.migrations()
	for _, m := range all {
		if err == nil && m.version <= version {
			err = s.apply(c, m)
		}
	}
	return err
}

// apply runs a migration.
func (s Schema) apply(c *engine.Conn, m migration) error {
	statements, err := fs.ReadFile(s.Files, m.file)
	if err == nil {
		err = RunAll(c, string(statements))
	}
	if err == nil {
		err = c.Run(fmt.Sprintf("INSERT INTO %s (version_id, is_applied) VALUES (%d, 1)", versions, m.version))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path.Base(m.file), err)
	}
	return nil
}

// RunAll runs statements one after the other, without a savepoint, whose journal would be kept in memory.
func RunAll(c *engine.Conn, statements string) error {
	for len(tokens(statements)) > 0 { // and not comments alone
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

// writtenTo returns a function that reports how many bytes a transaction has written so far: what does not fit in
// memory goes to the WAL.
func writtenTo(path string) func() int64 {
	return func() int64 {
		if wal, err := os.Stat(path + "-wal"); err == nil {
			return wal.Size()
		}
		return 0
	}
}

// versionOf returns that of the schema, 0 if there is none yet.
func versionOf(c *engine.Conn) (version int64, err error) {
	var there bool
	err = c.Ask("SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE name = '"+versions+"')", func(r *engine.Row) { there = engine.Parsed(r, r.Integer(), engine.TruthOf) })
	if err == nil && there {
		err = c.Ask("SELECT coalesce(max(version_id), 0) FROM "+versions+" WHERE is_applied", func(r *engine.Row) { version = r.Integer() })
	}
	return version, err
}

// lackColumns replaces each table that lacks columns of the newest version by a view that has NULL for them, or the
// column's former name.
func (s Schema) lackColumns(c *engine.Conn, newest int64) error {
	has, err := columnsOf(c)
	if err != nil {
		return err
	}
	wants, err := s.columns(newest)
	if err != nil {
		return err
	}
	for table, columns := range wants {
		view := []string{"*"}
		for _, column := range columns {
			if former := formerly[table+"."+column]; !slices.Contains(has[table], column) {
				view = append(view, cmp.Or(former, "NULL")+" AS "+column)
			}
		}
		if len(view) == 1 || len(has[table]) == 0 {
			continue
		}
		if err := c.Run("CREATE TEMP VIEW IF NOT EXISTS " + table + " AS SELECT " + strings.Join(view, ", ") + " FROM main." + table); err != nil {
			return fmt.Errorf("make up for columns of %s: %w", table, err)
		}
	}
	return nil
}

// formerly has the names that columns had first.
var formerly = map[string]string{"lines.path": "owner_path"}

// columnsOf returns the columns of each table.
func columnsOf(c *engine.Conn) (map[string][]string, error) {
	found := map[string][]string{}
	err := c.Ask("SELECT t.name, c.name FROM main.sqlite_schema AS t, pragma_table_info(t.name, 'main') AS c WHERE t.type = 'table'", func(r *engine.Row) {
		r.Again()
		table := r.Text()
		found[table] = append(found[table], r.Text())
	})
	return found, err
}

// Format is the format that this version writes: the user_version of a file, which a process checks in each transaction
// that writes.
const Format = fields.Newest

// formatOf returns that of the file, or ErrNewer.
func formatOf(c *engine.Conn) (format int64, err error) {
	err = c.Ask("PRAGMA user_version", func(r *engine.Row) { format = r.Integer() })
	if err == nil && format > Format {
		err = fmt.Errorf("%w (format %d, this version knows %d)", ErrNewer, format, Format)
	}
	return format, err
}

// setFormat keeps processes of earlier versions from writing.
func setFormat(c *engine.Conn) error {
	format, err := formatOf(c)
	if err == nil && format != Format {
		err = c.Run(fmt.Sprintf("PRAGMA user_version = %d", Format))
	}
	return err
}

func newer(found, newest int64) error {
	return fmt.Errorf("%w (schema %d, this version knows %d)", ErrNewer, found, newest)
}

// Complete adds what an older file lacks, in this connection's memory, and returns how the file's schema differs from
// those that this program has made.
func (s Schema) Complete(c *engine.Conn) (differences []string, err error) {
	version, err := versionOf(c)
	if err != nil {
		return nil, err
	}
	known, err := s.Versions()
	switch newest := slices.Max(append(known, 0)); {
	case err != nil:
		return nil, err
	case version == 0:
		return nil, ErrForeign // an incomplete store, or none at all
	case version > newest:
		return nil, newer(version, newest)
	}
	differences, again, err := s.compare(c, version, true)
	if err == nil {
		_, err = formatOf(c)
	}
	newest := slices.Max(known)
	if err != nil || version == newest && !again {
		return differences, err
	}
	for _, later := range known {
		if later <= version {
			continue
		}
		if err := RunAll(c, s.Lacking[later]); err != nil {
			return differences, fmt.Errorf("make up for what schema %d lacks of schema %d: %w", version, later, err)
		}
	}
	return differences, s.lackColumns(c, newest)
}
