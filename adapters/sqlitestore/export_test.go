package sqlitestore

import (
	"context"
	"database/sql"
)

// Statement is one statement of the store, as tests look at it.
type Statement struct{ Purpose, SQL string }

// Statements returns every statement of the store.
func Statements() []Statement {
	all := make([]Statement, 0, len(statements))
	for _, s := range statements {
		all = append(all, Statement{s.purpose, s.sql})
	}
	return all
}

// Transactions returns how many transactions the writer has committed.
func (s *Store) Transactions() int64 { return s.writer.transactions.Load() }

// Queued returns how many commands wait for the writer.
func (s *Store) Queued() int { return len(s.writer.queue) }

// OnWriter runs look on the connection that writes, between two updates or inside
// the work of one.
func (s *Store) OnWriter(look func(*sql.Conn) error) error { return look(s.writer.conn) }

// OnReader runs look on a connection that reads.
func (s *Store) OnReader(ctx context.Context, look func(*sql.Conn) error) error {
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return look(conn)
}

// LoseTransaction makes SQLite give up the whole transaction that the present
// command shares with others, as a failing disk does.
func (s *Store) LoseTransaction(ctx context.Context) error {
	_, err := s.writer.prepared[rollback].ExecContext(ctx)
	return err
}
