package sqlitestore

import (
	"context"
	"errors"
	"runtime"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// View implements ports.Store. The snapshot is taken before look is called.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return s.view(ctx, func(q *transaction) error {
		return look(ctx, ports.Snapshot{
			Resellers: resellers{q},
			Lines:     lines{q},
			Ledger:    ledger{q},
			Keys:      keys{q},
		})
	})
}

func (s *Store) view(ctx context.Context, look func(*transaction) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	r, err := s.reader(ctx)
	if err != nil {
		return err
	}
	defer func() { s.readers <- r }()
	if r == nil {
		if r, err = openReader(s.path, s.remembered); err != nil {
			return storekit.Unavailable("open a connection that reads", err)
		}
	}
	return r.view(look)
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
	known      *known
	remembered *remembered // of all of a store, nil where nothing is
	// snapshot asks for the data version, and is nil until the first view.
	snapshot *sqlite.Stmt
}

// newReaders returns a connection that reads, and place for as many as can do so at
// once. Each is opened when it is needed.
func newReaders(path string, m *remembered) (chan *reader, error) {
	first, err := openReader(path, m)
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

func openReader(path string, m *remembered) (*reader, error) {
	c, err := connect(path, mode("ro"))
	if err != nil {
		return nil, err
	}
	return &reader{connection: c, known: newKnown(), remembered: m}, nil
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

// view runs look on one snapshot. SQLite keeps it as long as one statement has not come to its end: that which asks for
// the data version, until the view ends. A transaction would take two statements more, its BEGIN and ROLLBACK.
func (r *reader) view(look func(*transaction) error) error {
	if err := r.begin(); err != nil {
		return unavailable(dataVersion, err)
	}
	q := &transaction{connection: r.connection, known: r.known, remembered: r.remembered}
	defer func() {
		q.End(false)
		_ = r.snapshot.Reset() // it has read its row
	}()
	err := look(q)
	if q.lost != nil {
		return q.lost
	}
	return err
}

// begin takes a snapshot, and forgets what others may have changed before.
func (r *reader) begin() (err error) {
	if r.snapshot == nil {
		// Not one of the connection's own statements: those are reset where one that takes long begins or ends.
		if r.snapshot, _, err = r.PrepareTransient(dataVersion.sql); err != nil {
			return err
		}
	}
	if _, err := r.snapshot.Step(); err != nil {
		return err
	}
	r.known.at(r.snapshot.ColumnInt64(0))
	return nil
}
