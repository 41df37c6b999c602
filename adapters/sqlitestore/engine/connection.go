// Package engine implements access to a SQLite file: connections and rows, the one writer with its queue, snapshots for
// readers, and a cache of records of one version of the file. It does not depend on the content of the records.
//
// Some facts about SQLite matter here. It writes a savepoint's journal above 64 KiB to a temporary file unless
// temp_store is memory. mode=ro on a closed WAL file leaves -wal and -shm behind, immutable does not. It prepares a
// statement whose plan depends on a bound value again at each call (14 % of a list). An UPDATE that names an indexed
// column rewrites its index entry even if the value does not change.
package engine

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const busyTimeout = 5 * time.Second

// Conn is one connection to a file with its prepared statements. One goroutine uses it at a time.
type Conn struct {
	*sqlite.Conn
	prepared []Row // by the number of the statement
}

// Connect opens a connection with these pragmas, and with any of SQLite's own parameters. It needs no folder for
// temporary files, which may be missing or full: savepoints and sorters use memory. Functions in the file's schema may
// only compute.
func Connect(path string, how url.Values, pragmas ...string) (*Conn, error) {
	flags := sqlite.OpenReadWrite
	if how.Get("mode") == "ro" {
		flags = sqlite.OpenReadOnly
	}
	c, err := sqlite.OpenConn(uri(path, how), flags|sqlite.OpenURI)
	if err != nil {
		return nil, plain(err)
	}
	c.SetBusyTimeout(busyTimeout)
	made := &Conn{c, make([]Row, len(statements))}
	for _, pragma := range append(pragmas, "temp_store = memory", "trusted_schema = off") {
		if err := made.Run("PRAGMA " + pragma); err != nil {
			_ = c.Close()
			return nil, fmt.Errorf("%s: %w", pragma, err)
		}
	}
	return made, nil
}

// plain returns an error of SQLite without the name of the call and its parameters.
func plain(err error) error {
	code := sqlite.ErrCode(err)
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return fmt.Errorf("%w (%d)", err, code)
}

// uri returns the URI of the file at path for SQLite. Every character of a path is allowed.
func uri(path string, how url.Values) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/...
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: how.Encode()}
	return u.String()
}

// Mode returns the parameters of a connection that writes ("rw") or reads ("ro"), and
// any others.
func Mode(name string, others ...url.Values) url.Values {
	how := url.Values{"mode": {name}}
	for _, o := range others {
		maps.Copy(how, o)
	}
	return how
}

// Run runs a statement once.
func (c *Conn) Run(statement string) error {
	return sqlitex.ExecuteTransient(c.Conn, statement, nil)
}

// Ask reads the rows of a query that runs once.
func (c *Conn) Ask(query string, read func(*Row)) error {
	return sqlitex.ExecuteTransient(c.Conn, query, &sqlitex.ExecOptions{
		ResultFunc: func(st *sqlite.Stmt) error {
			r := &Row{st: st}
			read(r)
			return r.err
		},
	})
}

// Settled runs the first read of a snapshot. With readonly_shm, SQLite reports that a recovery is needed if a writer
// changes the index of the WAL at that moment. Settled then runs read again, for as long as it would wait for a lock.
func Settled(read func() error) error {
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		err := read()
		if sqlite.ErrCode(err) != sqlite.ResultReadOnlyRecovery || time.Since(began) > busyTimeout {
			return err
		}
	}
}

// PrepareReads prepares the statements of views, so that a schema that does not match them shows at once.
func (c *Conn) PrepareReads() error {
	for _, n := range statements {
		if n.Reads {
			if _, err := c.statement(n); err != nil {
				return fmt.Errorf("%s: %w", n, err)
			}
		}
	}
	return nil
}

// statement returns a statement, prepared at its first use.
func (c *Conn) statement(n *Statement) (*sqlite.Stmt, error) {
	r := &c.prepared[n.number]
	if r.st != nil {
		return r.st, nil
	}
	st, err := c.Prepare(n.SQL)
	r.st = st
	return st, err
}

// Do runs a statement without parameters and rows.
func (c *Conn) Do(n *Statement) error {
	st, err := c.statement(n)
	if err != nil {
		return err
	}
	_, err = st.Step()
	_ = st.Reset() // returns the same error again
	return err
}
