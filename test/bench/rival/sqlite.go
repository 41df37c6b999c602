package rival

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"

	_ "modernc.org/sqlite" // the driver of the store that is measured
)

// open opens a database as the writer of resellerd's store opens it: as durable, over the same driver.
func open(path string, most int) (*sql.DB, error) {
	parameters := url.Values{
		"_busy_timeout": {"5000"},
		"_txlock":       {"immediate"},
		"_pragma":       {"journal_mode(wal)", "synchronous(full)", "foreign_keys(on)", "temp_store(memory)"},
	}
	db, err := sql.Open("sqlite", "file:"+path+"?"+parameters.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	var level int
	if err := db.QueryRow("PRAGMA synchronous").Scan(&level); err != nil || level != 2 {
		return nil, fmt.Errorf("synchronous is %d and not FULL: %w", level, err)
	}
	return db, nil
}

// batcher runs prepared statements in transactions, on the one connection that writes.
type batcher struct {
	db            *sql.DB
	conn          *sql.Conn
	begin, commit *sql.Stmt
}

func newBatcher(ctx context.Context, path string) (*batcher, error) {
	db, err := open(path, 1)
	if err != nil {
		return nil, err
	}
	b := &batcher{db: db}
	if b.conn, err = db.Conn(ctx); err == nil {
		err = b.prepare(ctx, map[string]**sql.Stmt{"BEGIN IMMEDIATE": &b.begin, "COMMIT": &b.commit})
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return b, nil
}

func (b *batcher) prepare(ctx context.Context, statements map[string]**sql.Stmt) (err error) {
	for text, statement := range statements {
		if *statement, err = b.conn.PrepareContext(ctx, text); err != nil { //nolint:sqlclosecheck // lives as long as the connection, which closes it
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// transact runs work in a transaction.
func (b *batcher) transact(work func() error) error {
	if _, err := b.begin.Exec(); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	_, err := b.commit.Exec()
	return err
}

func (b *batcher) close() error {
	_ = b.conn.Close()
	return b.db.Close()
}
