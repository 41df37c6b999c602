package sqlitestore

import (
	"context"
	"errors"
	"runtime"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// View implements ports.Store. The snapshot is taken at the first read.
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
	var r *reader
	select {
	case r = <-s.readers:
	case <-ctx.Done():
		return storekit.Unavailable("wait for a connection that reads", ctx.Err())
	}
	defer func() {
		if r != nil && !r.AutocommitEnabled() { // its transaction could not be ended
			_ = r.Close()
			r = nil
		}
		s.readers <- r
	}()
	if r == nil {
		opened, err := openReader(s.path)
		if err != nil {
			return storekit.Unavailable("open a connection that reads", err)
		}
		r = opened
	}
	return r.view(look)
}

// reader is a connection that reads.
type reader struct {
	*connection
	known *known
}

// newReaders returns a connection that reads, and place for as many as can do so at
// once. Each is opened when it is needed.
func newReaders(path string) (chan *reader, error) {
	first, err := openReader(path)
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

func openReader(path string) (*reader, error) {
	c, err := connect(path, mode("ro"))
	if err != nil {
		return nil, err
	}
	return &reader{c, newKnown()}, nil
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

// view runs look in a transaction.
func (r *reader) view(look func(*transaction) error) error {
	if err := r.do(beginView); err != nil {
		return unavailable(beginView, err)
	}
	q := &transaction{connection: r.connection, known: r.known}
	defer func() {
		q.End(false)
		_ = r.do(rollback) // nothing was written: there is nothing to lose
	}()
	err := look(q)
	if q.lost != nil {
		return q.lost
	}
	return err
}
