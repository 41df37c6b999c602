package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync/atomic"
)

// maxBatch bounds how many commands share a transaction, and so how long the first
// of them waits for the last.
const maxBatch = 128

// command is one run of work on its way through the writer. The work runs on its
// caller's goroutine: a panic, a Goexit and whatever work assigns belong there.
type command struct {
	ctx  context.Context
	turn chan *transaction // gives the transaction to the caller, who is waiting or gone
	ran  chan bool         // gives it back: true keeps what work did
	done chan error        // the end of the transaction: nil where it was committed
}

// writer owns the only connection that writes.
type writer struct {
	db       *sql.DB
	queue    chan *command
	stopped  chan struct{}
	conn     *sql.Conn // nil until the next transaction needs it
	prepared [statementCount]*sql.Stmt

	transactions atomic.Int64          // committed ones
	doubt        atomic.Pointer[doubt] // nil where writes are known to be kept
}

// doubt says that it is not known whether a write is kept: none was tried yet, or
// a command was lost, whether a statement of its own failed or the transaction that
// it shared.
type doubt struct {
	repeat func(context.Context, *transaction) error // the statement that failed, nil where none did
}

func newWriter(db *sql.DB) *writer {
	w := &writer{db: db, queue: make(chan *command, maxBatch), stopped: make(chan struct{})}
	w.doubt.Store(new(doubt))
	return w
}

// do runs work in a transaction and returns after its commit.
func (w *writer) do(ctx context.Context, work func(*transaction) error) error {
	if err := ctx.Err(); err != nil {
		return unavailable("wait for the writer", err)
	}
	c := &command{
		ctx:  ctx,
		turn: make(chan *transaction),
		ran:  make(chan bool),
		done: make(chan error, 1),
	}
	select {
	case w.queue <- c:
	case <-ctx.Done():
		return unavailable("wait for the writer", ctx.Err())
	}
	var refusal error
	select {
	case q := <-c.turn:
		refusal = c.run(q, work)
	case err := <-c.done:
		return err // its transaction was lost before its turn
	case <-ctx.Done():
		return unavailable("wait for the writer", ctx.Err())
	}
	select {
	case err := <-c.done:
		if err != nil {
			return err
		}
		return refusal
	case <-ctx.Done(): // the commit may still succeed
		return unavailable("wait for the commit", ctx.Err())
	}
}

// run runs work and gives the transaction back, also when work does not return.
func (c *command) run(q *transaction, work func(*transaction) error) (err error) {
	keep := false
	defer func() {
		q.end()
		c.ran <- keep
	}()
	if err := c.ctx.Err(); err != nil {
		return unavailable("wait for the writer", err)
	}
	err = work(q)
	switch {
	case q.lost != nil:
		// Whatever work made of it: it has not seen what it asked for.
		return q.lost
	case c.ctx.Err() != nil:
		return unavailable("run an update", c.ctx.Err())
	}
	keep = err == nil
	return err
}

// run gathers commands and runs them until the queue is closed.
func (w *writer) run() {
	defer close(w.stopped)
	batch := make([]*command, 0, maxBatch)
	for c := range w.queue {
		batch = append(batch[:0], c)
		for len(batch) < maxBatch && len(w.queue) > 0 {
			batch = append(batch, <-w.queue)
		}
		err := w.transact(batch)
		for _, c := range batch {
			c.done <- err
		}
		clear(batch)
	}
}

// transact runs the commands in one transaction. An error means that nothing of
// it was kept, or, where the commit itself failed, that nobody can tell.
func (w *writer) transact(batch []*command) (err error) {
	ctx := context.Background() // a statement is never interrupted
	var lost *transaction       // the last that met a failure of the engine
	defer func() {
		switch {
		case lost != nil:
			w.doubt.Store(&doubt{lost.repeat})
		case err != nil:
			w.doubt.Store(new(doubt))
		}
	}()
	if w.conn == nil {
		if err := w.connect(ctx); err != nil {
			return unavailable("connect the writer", err)
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

// give gives a command its turn inside a savepoint, and returns the session that it
// had. That SQLite gave up the transaction meanwhile shows here, because the
// savepoint is gone: the error is then the failure for which it did.
func (w *writer) give(ctx context.Context, c *command) (*transaction, error) {
	q := &transaction{prepared: w.statement, update: true}
	if err := w.exec(ctx, savepoint); err != nil {
		return q, err
	}
	keep := false
	select {
	case c.turn <- q:
		keep = <-c.ran
	case <-c.ctx.Done():
	}
	if !keep {
		if err := w.exec(ctx, rollbackTo); err != nil {
			return q, cmp.Or(q.lost, err)
		}
	}
	return q, w.exec(ctx, release)
}

func (w *writer) statement(_ context.Context, n statement) *sql.Stmt { return w.prepared[n] }

func (w *writer) exec(ctx context.Context, n statement) error {
	if _, err := w.prepared[n].ExecContext(ctx); err != nil {
		return unavailable(n.String(), err)
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
	for n, s := range statements {
		stmt, err := w.conn.PrepareContext(ctx, s.sql) //nolint:sqlclosecheck // unprepare closes it
		if err != nil {
			return fmt.Errorf("%s: %w", s.purpose, err)
		}
		w.prepared[n] = stmt
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
	for n, s := range w.prepared {
		if s != nil {
			errs = append(errs, s.Close())
		}
		w.prepared[n] = nil
	}
	return errors.Join(errs...)
}

// close waits until the queue is empty. Nobody may be about to join it.
func (w *writer) close() error {
	close(w.queue)
	<-w.stopped
	var err error
	if w.conn != nil {
		// Also where another process keeps the WAL alive. It waits for no reader.
		_, err = w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
		err = errors.Join(err, w.unprepare(), w.conn.Close())
	}
	return errors.Join(err, w.db.Close())
}
