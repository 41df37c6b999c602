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
	defer func() { s.readers <- r }()
	return r.view(look)
}

// reader is a connection that reads.
type reader struct {
	*connection
	known *known
}

// readers opens connections that read, as many as can do so at once.
func openReaders(path string) (readers chan *reader, err error) {
	readers = make(chan *reader, max(leastReaders, runtime.GOMAXPROCS(0)))
	for range cap(readers) {
		c, err := connect(path, mode("ro"))
		if err == nil {
			readers <- &reader{c, newKnown()}
			err = c.prepareToView()
		}
		if err != nil {
			return nil, errors.Join(err, closeReaders(readers))
		}
	}
	return readers, nil
}

// closeReaders closes connections that nobody uses.
func closeReaders(readers chan *reader) (err error) {
	for len(readers) > 0 {
		err = errors.Join(err, (<-readers).Close())
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

func (c *connection) prepareToView() error {
	return c.prepare(func(n *statement) bool { return n.query || n == beginView || n == rollback })
}
