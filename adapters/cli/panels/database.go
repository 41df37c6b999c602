package panels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Bounds of a database, which may come from a stranger: https://sqlite.org/security.html.
const (
	mostFile  = 4 << 30 // bytes, of each file
	mostValue = 1 << 20 // bytes, of a value or a row
)

// most bounds the reading of a database. Tests lower it.
var most = bounds{rows: 2_000_000, values: 256 << 20, time: time.Minute}

type bounds struct {
	rows   int           // of a statement, and customers
	values int64         // bytes of the texts and blobs of all statements
	time   time.Duration // of a statement
}

// Faults of a file.
var (
	errNotDatabase = errors.New("this is no SQLite database")
	errChanged     = errors.New(
		"the database changes while it is read: make a copy with sqlite3 FILE \".backup COPY\", and import the copy")
)

// attempts is how often a file that changes during the reading is read.
const attempts = 5

// read passes a consistent snapshot of a database to do. It writes nothing to the file or its folder, and needs read
// permission only. A database with a WAL or a journal is copied into a temporary folder, which no other user may read.
// do may run more than once, and its last run counts.
func read(ctx context.Context, file string, do func(database) error) error {
	path, err := filepath.Abs(file)
	if err == nil {
		path, err = filepath.EvalSymlinks(path) // the WAL is beside the file, not beside a link to it
	}
	if err != nil {
		return err
	}
	for range attempts {
		var found, now state
		if found, err = stateOf(path); err != nil {
			return err
		}
		err = found.read(ctx, path, do)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if now, _ = stateOf(path); now == found {
			if err != nil {
				err = fmt.Errorf("%s: %w", file, err)
			}
			return err
		}
	}
	return fmt.Errorf("%s: %w", file, errChanged)
}

// suffixes name a database, its WAL and its journal.
var suffixes = [...]string{"", "-wal", "-journal"}

// state is the state of a database and of the files beside it.
type state [len(suffixes)]struct {
	there    bool
	size     int64
	modified int64
}

func stateOf(path string) (s state, err error) {
	for i, suffix := range suffixes {
		info, err := os.Stat(path + suffix)
		switch {
		case err == nil && info.Mode().IsRegular() && info.Size() > mostFile:
			return s,
				fmt.Errorf("%s has more than %d GiB, which is the limit: remove other data from a copy, and VACUUM it",
					path+suffix, mostFile>>30)
		case err == nil && info.Mode().IsRegular():
			s[i].there, s[i].size, s[i].modified = true, info.Size(), info.ModTime().UnixNano()
		case err == nil:
			return s, fmt.Errorf("%s is no regular file", path+suffix)
		case i == 0 || !errors.Is(err, fs.ErrNotExist):
			return s, err
		}
	}
	return s, nil
}

// read reads the database itself if all of it is in one file, and otherwise a copy.
func (s state) read(ctx context.Context, path string, do func(database) error) (err error) {
	if err := begins(path); err != nil {
		return err
	}
	how := url.Values{"mode": {"ro"}, "immutable": {"1"}} // no locks, and nothing beside the file
	flags := sqlite.OpenReadOnly
	if s[1].size > 0 || s[2].size > 0 {
		folder, err := os.MkdirTemp("", "resellerd-import-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		copied := filepath.Join(folder, "copy.db")
		for i, suffix := range suffixes {
			if s[i].there {
				if err := copyFile(path+suffix, copied+suffix); err != nil {
					return err
				}
			}
		}
		if now, err := stateOf(path); err != nil || now != s {
			return errors.Join(errChanged, err)
		}
		path, how, flags = copied, url.Values{"mode": {"rw"}}, sqlite.OpenReadWrite
	}
	c, err := sqlite.OpenConn(address(path, how), flags|sqlite.OpenURI)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.Limit(sqlite.LimitLength, mostValue)
	c.Limit(sqlite.LimitAttached, 0)
	d := database{c, ctx, new(int64)}
	for _, pragma := range []string{"temp_store = memory", "trusted_schema = off", "query_only = on",
		"cell_size_check = on", "ignore_check_constraints = on"} {
		if err := d.each("PRAGMA "+pragma, func(*sqlite.Stmt) error { return nil }); err != nil {
			return err
		}
	}
	if err := d.each("PRAGMA quick_check(1)", func(st *sqlite.Stmt) error {
		if says := st.ColumnText(0); says != "ok" {
			return fmt.Errorf("the database is damaged: %s", says)
		}
		return nil
	}); err != nil {
		return err
	}
	return do(d)
}

// begins refuses a file that does not begin as a database does.
func begins(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if head = head[:n]; bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return nil
	}
	return fmt.Errorf("%w: %s", errNotDatabase, otherwise(head))
}

// otherwise says what kind of file begins with head, and what to do with it.
func otherwise(head []byte) string {
	const (
		unpack  = "unpack it, and import the database in it"
		foreign = "SQLite can't read it: import its customers from a table, as csv"
	)
	at := func(offset int, magic string) bool {
		return len(head) > offset && bytes.HasPrefix(head[offset:], []byte(magic))
	}
	for _, packed := range []struct {
		offset int
		magic  string
		name   string
	}{
		{0, "\x1f\x8b", "gzip, such as .tar.gz"}, {0, "PK\x03\x04", "zip"}, {257, "ustar", "tar"}, {0, "\xfd7zXZ\x00", "xz"},
		{0, "BZh", "bzip2"},
		{0, "\x28\xb5\x2f\xfd", "zstd"}, {0, "7z\xbc\xaf\x27\x1c", "7z"}, {0, "Rar!", "rar"},
	} {
		if at(packed.offset, packed.magic) {
			return "it is an archive (" + packed.name + "): " + unpack
		}
	}
	if at(0, "\x37\x7f\x06\x82") || at(0, "\x37\x7f\x06\x83") {
		return "it is the WAL of a database: import the database, and leave the WAL beside it"
	}
	text := strings.ToUpper(strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n"))
	has := func(some ...string) bool {
		return slices.ContainsFunc(some, func(s string) bool { return strings.Contains(text, s) })
	}
	switch {
	case len(head) == 0:
		return "it is empty"
	case at(0, "PGDMP"), has("POSTGRESQL DATABASE", "PG_CATALOG", "SET STATEMENT_TIMEOUT"):
		return "it is a dump of PostgreSQL. " + foreign
	case has("MYSQL DUMP", "MARIADB DUMP", "ENABLE THE SANDBOX MODE", "PHPMYADMIN", "ENGINE=INNODB", "/*!40"):
		return "it is a dump of MySQL or MariaDB. " + foreign
	case strings.HasPrefix(text, "PRAGMA FOREIGN_KEYS"), strings.HasPrefix(text, "BEGIN TRANSACTION"),
		strings.HasPrefix(text, "CREATE TABLE"),
		strings.HasPrefix(text, "INSERT INTO"), strings.HasPrefix(text, "--") && has("CREATE TABLE", "INSERT INTO"):
		return "it is a dump of SQL: load it with sqlite3 panel.db <FILE, and import panel.db"
	}
	return "import the file of the database, as .backup of sqlite3 makes it"
}

// copyFile copies a file into a new one that only its owner may read.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// address names a file to SQLite. Every character of a path is allowed.
func address(path string, how url.Values) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/...
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: how.Encode()}
	return u.String()
}

// database is an open database.
type database struct {
	*sqlite.Conn
	ctx    context.Context //nolint:containedctx // of the whole reading; each statement has its own time limit
	values *int64          // bytes read so far
}

// each runs a query, and passes its rows to row, one by one.
func (d database) each(query string, row func(*sqlite.Stmt) error) error {
	ctx, end := context.WithTimeout(d.ctx, most.time)
	defer end()
	d.SetInterrupt(ctx.Done())
	defer d.SetInterrupt(nil)
	rows := 0
	err := sqlitex.ExecuteTransient(d.Conn, query, &sqlitex.ExecOptions{ResultFunc: func(st *sqlite.Stmt) error {
		rows++
		if err := few(rows); err != nil {
			return err
		}
		if err := d.small(st); err != nil {
			return err
		}
		return row(st)
	}})
	switch code := sqlite.ErrCode(err).ToPrimary(); {
	case code == sqlite.ResultTooBig:
		return fmt.Errorf("a value or a row has more than %d MiB, which is the limit: shorten it in a copy, and import the copy",
			mostValue>>20)
	case code == sqlite.ResultInterrupt && d.ctx.Err() == nil:
		return fmt.Errorf(
			"a statement took more than %v, which is the limit: copy the database to a faster disk, or remove other data from a copy", most.time)
	}
	return err
}

// few refuses too many rows or customers.
func few(n int) error {
	if n > most.rows {
		return fmt.Errorf(
			"a table has more than %d rows or customers, which is the limit: remove some from a copy, and import the copy", most.rows)
	}
	return nil
}

// small refuses a row that exceeds the limit of bytes.
func (d database) small(st *sqlite.Stmt) error {
	for i := range st.ColumnCount() {
		if kind := st.ColumnType(i); kind == sqlite.TypeText || kind == sqlite.TypeBlob {
			*d.values += int64(st.ColumnLen(i))
		}
	}
	if *d.values > most.values {
		return fmt.Errorf(
			"the values have more than %d MiB together, which is the limit: remove some customers from a copy, and import the copy",
			most.values>>20)
	}
	return nil
}

// has reports whether a column exists and is not NULL.
func has(st *sqlite.Stmt, column string) bool {
	i := st.ColumnIndex(column)
	return i >= 0 && st.ColumnType(i) != sqlite.TypeNull
}
