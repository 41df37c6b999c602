package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync/atomic"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// maxBatch bounds how many commands share a transaction, and so how long the first
// of them waits for the last.
const maxBatch = 128

// Update implements ports.Store. A read costs so little that hints are of no use.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error, _ ...ports.Reads) error {
	return s.update(ctx, func(q *transaction) error {
		return work(ctx, ports.Tx{
			Resellers: resellers{q},
			Lines:     lines{q},
			Ledger:    ledger{q},
			Keys:      keys{q},
		})
	})
}

func (s *Store) update(ctx context.Context, work func(*transaction) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	return s.writer.queue.Do(ctx, work)
}

// writer owns the only connection that writes.
type writer struct {
	db       *sql.DB
	queue    *storekit.Queue[*transaction]
	conn     *sql.Conn // nil until the next transaction needs it
	prepared []*sql.Stmt
	values   []any // of a transaction, used again by the next

	transactions atomic.Int64             // committed ones
	unproven     atomic.Pointer[unproven] // nil where writes are known to be kept
}

// unproven says that it is not known whether a write is kept: none was tried yet, or
// a command was lost, whether a statement of its own failed or the transaction that
// it shared.
type unproven struct {
	repeat func(context.Context, *transaction) error // the statement that failed, nil where none did
}

func newWriter(db *sql.DB) *writer {
	w := &writer{db: db, queue: storekit.NewQueue[*transaction](maxBatch, 0)}
	w.unproven.Store(new(unproven))
	return w
}

// run runs commands and tells each how its transaction ended.
func (w *writer) run(batch []*storekit.Command[*transaction]) {
	err := w.transact(batch)
	for _, c := range batch {
		c.End(err)
	}
}

// transact runs the commands in one transaction. An error means that nothing of
// it was kept, or, where the commit itself failed, that nobody can tell.
func (w *writer) transact(batch []*storekit.Command[*transaction]) (err error) {
	ctx := context.Background() // a statement is never interrupted
	var lost *transaction       // the last that met a failure of the engine
	defer func() {
		switch {
		case lost != nil:
			w.unproven.Store(&unproven{lost.repeat})
		case err != nil:
			w.unproven.Store(new(unproven))
		}
	}()
	if w.conn == nil {
		if err := w.connect(ctx); err != nil {
			return storekit.Unavailable("connect the writer", err)
		}
	}
	if err := w.exec(ctx, begin); err != nil {
		w.disconnect()
		return err
	}
	defer func() {
		if err != nil && w.exec(ctx, rollback) != nil {
			w.disconnect() // it is not known what the connection is in
		}
	}()
	for _, c := range batch {
		q, err := w.give(ctx, c)
		if q.lost != nil {
			lost = q
		}
		if err != nil {
			return err
		}
	}
	if err := w.exec(ctx, commit); err != nil {
		return err
	}
	w.transactions.Add(1)
	return nil
}

// give gives a command its turn inside a savepoint, and returns the transaction
// as it had it. That SQLite gave up the transaction meanwhile shows here, because the
// savepoint is gone: the error is then the failure for which it did.
func (w *writer) give(ctx context.Context, c *storekit.Command[*transaction]) (*transaction, error) {
	q := &transaction{prepared: w.statement, update: true, values: w.values}
	defer func() { w.values = q.values }()
	if err := w.exec(ctx, savepoint); err != nil {
		return q, err
	}
	if c.Run(q) != storekit.Kept {
		if err := w.exec(ctx, rollbackTo); err != nil {
			return q, cmp.Or(q.lost, err)
		}
	}
	return q, w.exec(ctx, release)
}

func (w *writer) statement(_ context.Context, n *statement) *sql.Stmt { return w.prepared[n.number] }

func (w *writer) exec(ctx context.Context, n *statement) error {
	if _, err := w.prepared[n.number].ExecContext(ctx); err != nil {
		return storekit.Unavailable(n.String(), err)
	}
	return nil
}

// connect takes a connection, checks that it is as durable as promised, and
// prepares the statements.
func (w *writer) connect(ctx context.Context) error {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return err
	}
	w.conn = conn
	if err := w.prepare(ctx); err != nil {
		w.disconnect()
		return err
	}
	return nil
}

func (w *writer) prepare(ctx context.Context) error {
	for _, p := range []struct{ pragma, want string }{{"journal_mode", "wal"}, {"synchronous", "2"}, {"foreign_keys", "1"}} {
		var got string
		if err := w.conn.QueryRowContext(ctx, "PRAGMA "+p.pragma).Scan(&got); err != nil {
			return err
		}
		if got != p.want {
			return fmt.Errorf("%s is %s and not %s: keep the file on a local disk", p.pragma, got, p.want)
		}
	}
	for _, n := range statements {
		stmt, err := w.conn.PrepareContext(ctx, n.sql) //nolint:sqlclosecheck // unprepare closes it
		if err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
		w.prepared = append(w.prepared, stmt)
	}
	return nil
}

// disconnect gives up the connection, and with it whatever transaction is open.
func (w *writer) disconnect() {
	_ = w.unprepare()
	_ = w.conn.Raw(func(any) error { return driver.ErrBadConn }) // has it closed, not kept for the next
	w.conn = nil
}

// unprepare closes the statements, which database/sql leaves to who prepared them
// on a connection: SQLite keeps a closed connection, its locks included, until
// its last statement is closed.
func (w *writer) unprepare() error {
	var errs []error
	for _, s := range w.prepared {
		errs = append(errs, s.Close())
	}
	w.prepared = nil
	return errors.Join(errs...)
}

// close waits until the queue is empty. Nobody may be about to join it.
func (w *writer) close() error {
	w.queue.Close()
	var err error
	if w.conn != nil {
		// Also where another process keeps the WAL alive. It waits for no reader.
		_, err = w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
		err = errors.Join(err, w.unprepare(), w.conn.Close())
	}
	return errors.Join(err, w.db.Close())
}
