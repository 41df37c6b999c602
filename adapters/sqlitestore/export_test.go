package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"reflect"
	"slices"

	"zombiezen.com/go/sqlite"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
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

// FlushingFolders has folders flushed by another function, until the one that is returned is called.
func FlushingFolders(flush func(folder string) error) (restore func()) {
	before := flushFolder
	flushFolder = flush
	return func() { flushFolder = before }
}

// Digests are what is recorded of the parts that the migrations of this version make, and what they are.
func Digests() (recorded, of string, err error) {
	known, err := present.versions()
	if err != nil {
		return "", "", err
	}
	made, err := present.makeParts(slices.Max(known))
	return present.digest, made.digest(), err
}

// Made returns a schema of these migrations, with what makes up for the last of them
// in a file from before it.
func Made(files fs.FS, last int64, lacking string) Schema {
	of := schema{".", files, maps.Clone(present.lacking), &made{of: map[int64]parts{}}, ""}
	of.lacking[last] = lacking
	return of
}

// AddFunction gives migrations a function of a test.
func AddFunction(name string, do func()) {
	functions[name] = &sqlite.FunctionImpl{Scalar: func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
		do()
		return sqlite.IntegerValue(1), nil
	}}
}

// Open opens a store of this schema.
func (s schema) Open(ctx context.Context, path string, migrating ports.Migrating) (*Store, error) {
	return openStore(ctx, path, s, migrating)
}

// OpenReadOnly opens an archive of this schema.
func (s schema) OpenReadOnly(path string) (*Archive, error) {
	return openReadOnly(path, s)
}

// Raw is a connection as tests use it.
type Raw struct{ c *connection }

// Exec runs statements.
func (r Raw) Exec(statements string) error {
	return r.c.runAll(statements)
}

// Ask reads the one row of a query into strings and ints.
func (r Raw) Ask(query string, columns ...any) error {
	return r.c.ask(query, func(found *row) {
		for i, c := range columns {
			switch c := c.(type) {
			case *string:
				*c = found.st.ColumnText(i)
			case *int:
				*c = found.st.ColumnInt(i)
			}
		}
	})
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

// OnConn runs look on the connection of the archive.
func (a *Archive) OnConn(look func(Raw) error) error { return look(Raw{a.main.connection}) }

// Helped returns what the other connection of an audit reads, nil where it has none.
func Helped(r ports.Records) ports.Records {
	of := r.(archived).audit
	if of.helper == nil {
		return nil
	}
	return of.helper.archived(of.schema)
}

// Helpless has the other connection of an audit fail from now on.
func Helpless(r ports.Records) { r.(archived).audit.helper.ended = true }

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

// WithRoom adds to an error of a full disk what is full.
func WithRoom(path string, err error) error { return withRoom(path, err) }

// Transactions returns how many transactions the writer has committed.
func (s *Store) Transactions() int64 { return s.writer.transactions.Load() }

// Queued returns how many commands wait for the writer.
func (s *Store) Queued() int { return s.writer.queue.Len() }

// OnWriter runs look on the connection that writes, between two updates or inside
// the work of one.
func (s *Store) OnWriter(look func(Raw) error) error {
	s.writer.changed.incomplete = true
	return look(Raw{s.writer.conn})
}

// FromOutside runs statements on the file as any other program may.
func (s *Store) FromOutside(statements string) error {
	c, err := connect(s.path, mode("rw", url.Values{defensive: {"0"}}), "ignore_check_constraints = on")
	if err != nil {
		return err
	}
	return errors.Join(c.runAll(statements), c.Close())
}

// OnReader runs look on a connection that reads.
func (s *Store) OnReader(look func(Raw) error) error {
	r, err := openReader(s.path, nil)
	if err != nil {
		return err
	}
	return errors.Join(look(Raw{r.connection}), r.Close())
}

// LoseTransaction makes SQLite give up the whole transaction that the present
// command shares with others, as a failing disk does.
func (s *Store) LoseTransaction() error { return s.writer.conn.do(rollback) }

// Cached returns what is in the cache.
func (s *Store) Cached() (map[int64]*line.State, map[int64]*reseller.State) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return s.cache.lines.all(), s.cache.resellers.all()
}

// ForgetCached empties the cache.
func (s *Store) ForgetCached() {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.begin(s.cache.of)
}

// CompareCache compares the cache with the file, and returns how many records were.
func (s *Store) CompareCache(ctx context.Context) (compared int, err error) {
	err = s.view(ctx, func(q *transaction) error {
		c, at := s.cache, q.version
		q.cache = nil
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.of != at {
			return nil
		}
		for id, cached := range c.resellers.all() {
			stored, err := q.reseller(ctx, id)
			if err != nil {
				return err
			}
			if !stored.Credits.Equal(cached.Credits) {
				return fmt.Errorf("account %d has %v in the cache and %v in the file", id, cached.Credits, stored.Credits)
			}
			same := *cached
			same.Credits = stored.Credits
			if !reflect.DeepEqual(same, *stored) {
				return fmt.Errorf("account %d is %+v in the cache and %+v in the file", id, same, *stored)
			}
			compared++
		}
		for id, cached := range c.lines.all() {
			stored, err := q.recorded(ctx, id)
			if err != nil {
				return err
			}
			if !reflect.DeepEqual(cached, stored) {
				return fmt.Errorf("line %d is %+v in the cache and %+v in the file", id, *cached, *stored)
			}
			compared++
		}
		return nil
	})
	return compared, err
}

// all returns the records of both generations.
func (g *generations[T]) all() map[int64]*T {
	all := maps.Clone(g.before.records)
	if all == nil {
		all = make(map[int64]*T)
	}
	maps.Copy(all, g.recent.records)
	return all
}

// Uncached has every view and update read the file.
func (s *Store) Uncached() *Store {
	s.cache.file.head = nil
	return s
}
