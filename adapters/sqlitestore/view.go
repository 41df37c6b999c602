package sqlitestore

import (
	"context"
	"errors"
	"net/url"
	"runtime"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// View implements ports.Store. The snapshot is taken at the first read that the cache can't
// answer. Look is run once more, on one that is taken at once, where that is a later one than
// what it was told before.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	if err := s.beginView(ctx); err != nil {
		return err
	}
	defer s.endView()
	run := func(q *transaction) error {
		return q.look(func() error {
			return look(ctx, ports.Snapshot{
				Resellers: resellers{q},
				Lines:     lines{q},
				Ledger:    ledger{q},
				Keys:      keys{q},
				Sessions:  sessions{q},
			})
		})
	}
	err := run(&transaction{store: s, cache: s.cache, version: s.cache.file.version()})
	if errors.Is(err, errMoved) {
		err = s.snapshot(ctx, run)
	}
	return err
}

// errMoved ends a view that the cache has told of an earlier version than its snapshot is.
var errMoved = errors.New("the file was changed before the snapshot was taken")

// view runs look on one snapshot, which is taken before.
func (s *Store) view(ctx context.Context, look func(*transaction) error) error {
	if err := s.beginView(ctx); err != nil {
		return err
	}
	defer s.endView()
	return s.snapshot(ctx, func(q *transaction) error { return q.look(func() error { return look(q) }) })
}

func (s *Store) snapshot(ctx context.Context, run func(*transaction) error) error {
	q := &transaction{store: s, cache: s.cache}
	if err := q.begin(ctx); err != nil {
		return err
	}
	return run(q)
}

// look runs look and ends the view.
func (q *transaction) look(look func() error) error {
	defer q.endView()
	err := look()
	if q.lost != nil {
		return q.lost
	}
	if err == nil && q.store != nil && q.reader != nil {
		err = q.store.cache.file.inPlace() // else others did not know of the snapshot
	}
	return err
}

func (q *transaction) endView() {
	if q.helper != nil {
		_ = q.helper.do(func(other audit) error {
			other.endView()
			return nil
		})
	}
	q.End(false)
	if q.reader == nil {
		return
	}
	q.reader.end()
	if q.store != nil {
		q.store.readers <- q.reader
	}
}

// begin takes the snapshot of a view.
func (q *transaction) begin(ctx context.Context) error {
	r, err := q.store.reader(ctx)
	if err != nil {
		return err
	}
	if r == nil {
		if r, err = openReader(q.store.path, nil); err != nil {
			q.store.readers <- nil
			return storekit.Unavailable("open a connection that reads", err)
		}
	}
	before := q.cache.file.version()
	if _, err := r.begin(); err != nil {
		q.store.readers <- r
		return unavailable(takeSnapshot, err)
	}
	q.reader, q.connection = r, r.connection
	at := q.cache.file.version()
	switch {
	case q.cached && (at != before || at != q.version):
		return errMoved
	case at != before:
		at = version{} // it is one of several
	}
	q.version = at
	return nil
}

// reader returns a connection that nobody uses, or nil where it is still to be opened.
func (s *Store) reader(ctx context.Context) (*reader, error) {
	select {
	case r := <-s.readers: // mostly there is one, and it costs something to wait for the end of ctx
		return r, nil
	default:
	}
	select {
	case r := <-s.readers:
		return r, nil
	case <-ctx.Done():
		return nil, storekit.Unavailable("wait for a connection that reads", ctx.Err())
	}
}

// reader is a connection that reads.
type reader struct {
	*connection
	// snapshot is the statement that holds a snapshot, nil until the first view.
	snapshot *sqlite.Stmt
}

// newReaders returns a connection that reads, and place for as many as can do so at
// once. Each is opened when it is needed. The first has the versions of the file told.
func newReaders(path string, f *file) (chan *reader, error) {
	first, err := f.follow(path)
	if err != nil {
		return nil, err
	}
	readers := make(chan *reader, max(leastReaders, runtime.GOMAXPROCS(0)))
	readers <- first
	for len(readers) < cap(readers) {
		readers <- nil
	}
	return readers, nil
}

func openReader(path string, how url.Values) (*reader, error) {
	c, err := connect(path, mode("ro", how))
	if err != nil {
		return nil, err
	}
	return &reader{connection: c}, nil
}

// Close closes the connection.
func (r *reader) Close() error {
	if r.snapshot != nil {
		_ = r.snapshot.Finalize() // returns the error of its last step again
	}
	return r.connection.Close()
}

// closeReaders closes connections that nobody uses.
func closeReaders(readers chan *reader) (err error) {
	for len(readers) > 0 {
		if r := <-readers; r != nil {
			err = errors.Join(err, r.Close())
		}
	}
	return err
}

// begin takes a snapshot. SQLite keeps it as long as one statement has not come to its end: that which asks for the data
// version, until the view ends. A transaction would take two statements more, its BEGIN and ROLLBACK. It returns that
// version: the next snapshot of this connection has another one if anybody committed in between.
func (r *reader) begin() (version int64, err error) {
	if r.snapshot == nil {
		// Not one of the connection's own statements: those are reset where one that takes long begins or ends.
		if r.snapshot, _, err = r.PrepareTransient(takeSnapshot.sql); err != nil {
			return 0, err
		}
	}
	if _, err = r.snapshot.Step(); err != nil {
		r.end()
		return 0, err
	}
	return r.snapshot.ColumnInt64(0), nil
}

func (r *reader) end() { _ = r.snapshot.Reset() } // it has read its row
