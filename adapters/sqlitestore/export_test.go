package sqlitestore

import (
	"context"
	"database/sql"
	"io/fs"
	"maps"

	"resellerd/ports"
)

// Schema is how files are migrated and, older ones, read.
type Schema = schema

// Present is the schema of this version.
func Present() Schema { return present }

// Versions returns those of the migrations.
func (s schema) Versions() ([]int64, error) { return s.versions() }

// Files returns the migrations.
func (s schema) Files() (fs.FS, error) { return fs.Sub(s.files, s.folder) }

// Made returns a schema of these migrations, with what makes up for the last of them
// in a file from before it.
func Made(files fs.FS, last int64, lacking string) Schema {
	made := schema{".", files, maps.Clone(present.lacking)}
	made.lacking[last] = lacking
	return made
}

// Open opens a store of this schema.
func (s schema) Open(ctx context.Context, path string, migrating ports.Migrating) (*Store, error) {
	return openStore(ctx, path, s, migrating)
}

// OpenReadOnly opens an archive of this schema.
func (s schema) OpenReadOnly(ctx context.Context, path string) (*Archive, error) {
	return openReadOnly(ctx, path, s)
}

// OnConn runs look on the connection of the archive.
func (a *Archive) OnConn(look func(*sql.Conn) error) error { return look(a.conn) }

// Statement is one statement of the store, as tests look at it.
type Statement struct{ Purpose, SQL string }

// Statements returns every statement of the store.
func Statements() []Statement {
	all := make([]Statement, 0, len(statements))
	for _, n := range statements {
		all = append(all, Statement{n.purpose, n.sql})
	}
	return all
}

// Transactions returns how many transactions the writer has committed.
func (s *Store) Transactions() int64 { return s.writer.transactions.Load() }

// Queued returns how many commands wait for the writer.
func (s *Store) Queued() int { return s.writer.queue.Len() }

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
	_, err := s.writer.prepared[rollback.number].ExecContext(ctx)
	return err
}
