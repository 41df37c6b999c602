package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"resellerd/adapters/sqlitestore/archive"
	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/internals"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Schema is the schema with which a test makes, upgrades and reads files.
type Schema struct{ schema.Schema }

// Present is the schema of this version.
func Present() Schema { return Schema{schema.Present} }

// Made returns a schema of these migrations.
func Made(files fs.FS) Schema { return Schema{schema.Schema{Files: files, Folder: "."}} }

// Open opens a store of this schema.
func (s Schema) Open(ctx context.Context, path string, migrating ports.Migrating) (*Store, error) {
	return openStore(ctx, path, s.Schema, migrating)
}

// OpenReadOnly opens an archive of this schema.
func (s Schema) OpenReadOnly(path string) (*archive.Archive, error) {
	return archive.OpenOf(path, s.Schema)
}

// Raw is a connection for tests.
type Raw struct{ c *engine.Conn }

// Exec runs statements.
func (r Raw) Exec(statements string) error {
	return schema.RunAll(r.c, statements)
}

// Ask reads the one row of a query into strings and ints.
func (r Raw) Ask(query string, columns ...any) error {
	st, _, err := r.c.PrepareTransient(query)
	if err != nil {
		return err
	}
	if found, err := st.Step(); err != nil || !found {
		return errors.Join(err, st.Finalize())
	}
	for i, c := range columns {
		switch c := c.(type) {
		case *string:
			*c = st.ColumnText(i)
		case *int:
			*c = st.ColumnInt(i)
		}
	}
	return st.Finalize()
}

// Plan returns the steps of a statement.
func (r Raw) Plan(statement string) (steps []string, err error) {
	st, _, err := r.c.PrepareTransient("EXPLAIN QUERY PLAN " + statement)
	if err != nil {
		return nil, err
	}
	for {
		found, err := st.Step()
		if err != nil || !found {
			return steps, errors.Join(err, st.Finalize())
		}
		steps = append(steps, st.ColumnText(3))
	}
}

// OnArchive runs look on the connection of an archive.
func OnArchive(a *archive.Archive, look func(Raw) error) error { return look(Raw{a.Reader.Conn}) }

// ListedAtOnce is how many entries of the journal are added to lists together.
const ListedAtOnce = listedAtOnce

// Transactions returns how many transactions the writer has committed.
func (s *Store) Transactions() int64 { return s.db.Writer.Transactions.Load() }

// Queued returns how many commands wait for the writer.
func (s *Store) Queued() int { return s.Load().Waiting }

// OnWriter runs look on the connection that writes, between two updates or inside the work of one.
func (s *Store) OnWriter(look func(Raw) error) error {
	s.db.Writer.Incomplete = true
	return look(Raw{s.db.Writer.Conn})
}

// FromOutside runs statements on the file like another program.
func (s *Store) FromOutside(statements string) error {
	c, err := engine.Connect(s.db.Path, engine.Mode("rw"), "ignore_check_constraints = on")
	if err != nil {
		return err
	}
	return errors.Join(schema.RunAll(c, statements), c.Close())
}

// LoseTransaction makes SQLite roll back the whole transaction that the present command shares with others, like a
// failing disk.
func (s *Store) LoseTransaction() error { return s.db.Writer.Rollback() }

// Followed reports whether the version of its file is known.
func (s *Store) Followed() bool { return s.cache.Version() != internals.Version{} }

// Cached returns the records in the cache.
func (s *Store) Cached() (map[int64]*line.State, map[int64]*reseller.State) {
	lines, resellers := map[int64]*line.State{}, map[int64]*reseller.State{}
	s.lines.Each(func(id int64, l *line.State) { lines[id] = l })
	s.resellers.Each(func(id int64, r *reseller.State) { resellers[id] = r })
	return lines, resellers
}

// CompareCache compares the cache with the file, and returns the number of records.
func (s *Store) CompareCache(ctx context.Context) (compared int, err error) {
	err = s.view(ctx, func(q *transaction) error {
		lines, resellers := s.Cached()
		if s.cache.Of() != q.Version {
			return nil
		}
		for id, cached := range resellers {
			read, err := engine.One(ctx, q.Tx, rows.GetReseller, engine.Args{engine.Integer("id", id)}, rows.Reseller)
			if err != nil {
				return err
			}
			stored, same := read.State(), *cached
			if stored.Credits.Equal(same.Credits) {
				same.Credits = stored.Credits
			}
			if !reflect.DeepEqual(same, stored) {
				return fmt.Errorf("account %d is %+v in the cache and %+v in the file", id, same, stored)
			}
		}
		for id, cached := range lines {
			read, err := engine.One(ctx, q.Tx, rows.GetLine, engine.Args{engine.Integer("id", id)}, rows.Line)
			if err != nil {
				return err
			}
			if stored := read.State(); !reflect.DeepEqual(*cached, stored) {
				return fmt.Errorf("line %d is %+v in the cache and %+v in the file", id, *cached, stored)
			}
		}
		compared = len(lines) + len(resellers)
		return nil
	})
	return compared, err
}

// Uncached makes every view and update read the file.
func (s *Store) Uncached() *Store {
	s.cache.Index.Watch(nil)
	return s
}
