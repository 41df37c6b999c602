package rival

import (
	"fmt"
	"net/url"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// open opens a connection as the writer of resellerd's store opens it: as durable, over the same driver.
func open(path string) (*sqlite.Conn, error) {
	c, err := sqlite.OpenConn((&url.URL{Scheme: "file", Path: path}).String(), sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(5 * time.Second)
	for _, pragma := range []string{"journal_mode = wal", "synchronous = full", "foreign_keys = on", "temp_store = memory", "cache_size = -4000", "wal_autocheckpoint = 4000"} {
		if err := sqlitex.ExecuteTransient(c, "PRAGMA "+pragma, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", pragma, err)
		}
	}
	level, err := sqlitex.ResultInt64(c.Prep("PRAGMA synchronous"))
	if err != nil || level != 2 {
		return nil, fmt.Errorf("synchronous is %d and not FULL: %w", level, err)
	}
	return c, nil
}

// batcher runs prepared statements in transactions, on the one connection that writes.
type batcher struct {
	conn          *sqlite.Conn
	begin, commit *sqlite.Stmt
}

func newBatcher(path string) (*batcher, error) {
	conn, err := open(path)
	if err != nil {
		return nil, err
	}
	b := &batcher{conn: conn}
	return b, b.prepare(map[string]**sqlite.Stmt{"BEGIN IMMEDIATE": &b.begin, "COMMIT": &b.commit})
}

func (b *batcher) prepare(statements map[string]**sqlite.Stmt) (err error) {
	for text, statement := range statements {
		if *statement, err = b.conn.Prepare(text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// execute runs a statement.
func execute(st *sqlite.Stmt, args ...any) error {
	bind(st, args)
	_, err := st.Step()
	_ = st.Reset() // returns the same error again
	return err
}

func bind(st *sqlite.Stmt, args []any) {
	for i, a := range args {
		switch a := a.(type) {
		case int64:
			st.BindInt64(i+1, a)
		case string:
			st.BindText(i+1, a)
		case []byte:
			st.BindBytes(i+1, a)
		default:
			panic(fmt.Sprintf("an argument of type %T", a))
		}
	}
}

// transact runs work in a transaction.
func (b *batcher) transact(work func() error) error {
	if err := execute(b.begin); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	return execute(b.commit)
}

func (b *batcher) close() error { return b.conn.Close() }
