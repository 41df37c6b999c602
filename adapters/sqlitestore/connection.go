package sqlitestore

import (
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

// connection is one connection to a file with what was prepared on it. One
// goroutine uses it at a time.
type connection struct {
	*sqlite.Conn
	prepared []row // by the number of a statement, whose row it is
}

// connect opens a connection with these pragmas, and with any of SQLite's own
// parameters. It needs no folder for temporary files, which the machine may lack or
// others may fill: savepoints and sorters keep in memory what they would spill. What somebody has put into the schema of
// the file may call no function that does more than compute, and no statement may write to the schema by itself.
func connect(path string, how url.Values, pragmas ...string) (*connection, error) {
	if err := defending(); err != nil {
		return nil, err
	}
	if !how.Has(defensive) {
		how = mode(how.Get("mode"), how, url.Values{defensive: {"1"}})
	}
	flags := sqlite.OpenReadWrite
	if how.Get("mode") == "ro" {
		flags = sqlite.OpenReadOnly
	}
	c, err := sqlite.OpenConn(uri(path, how), flags|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(busyTimeout)
	made := &connection{c, make([]row, len(statements))}
	for _, pragma := range append(pragmas, "temp_store = memory", "trusted_schema = off") {
		if err := made.run("PRAGMA " + pragma); err != nil {
			_ = c.Close()
			return nil, fmt.Errorf("%s: %w", pragma, err)
		}
	}
	return made, nil
}

// uri names the file at path to SQLite. Every character of a path is allowed.
func uri(path string, how url.Values) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/...
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: how.Encode()}
	return u.String()
}

// mode returns the parameters of a connection that writes ("rw") or reads ("ro"), and
// any others.
func mode(name string, others ...url.Values) url.Values {
	how := url.Values{"mode": {name}}
	for _, o := range others {
		maps.Copy(how, o)
	}
	return how
}

// run runs a statement once.
func (c *connection) run(statement string) error {
	return sqlitex.ExecuteTransient(c.Conn, statement, nil)
}

// ask reads the one row of a query that runs once.
func (c *connection) ask(query string, read func(*row)) error {
	return sqlitex.ExecuteTransient(c.Conn, query, &sqlitex.ExecOptions{
		ResultFunc: func(st *sqlite.Stmt) error {
			r := &row{st: st}
			read(r)
			return r.err
		},
	})
}

// prepareAll prepares the statements that are wanted, so that a schema which they do
// not fit shows at once.
func (c *connection) prepareAll(wanted func(*statement) bool) error {
	for _, n := range statements {
		if wanted(n) {
			if _, err := c.statement(n); err != nil {
				return fmt.Errorf("%s: %w", n, err)
			}
		}
	}
	return nil
}

// statement returns a statement, which is prepared when it is needed first.
func (c *connection) statement(n *statement) (*sqlite.Stmt, error) {
	r := &c.prepared[n.number]
	if r.st != nil {
		return r.st, nil
	}
	st, err := c.Prepare(n.sql)
	r.st = st
	return st, err
}

// do runs a statement without parameters and rows.
func (c *connection) do(n *statement) error {
	st, err := c.statement(n)
	if err != nil {
		return err
	}
	_, err = st.Step()
	_ = st.Reset() // returns the same error again
	return err
}
