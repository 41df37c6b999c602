package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/internals"
	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
)

var errEnded = errors.New("a transaction is used after its end")

// Tx runs statements for one run of work, or for one look.
type Tx struct {
	*Conn // nil in a view whose reads came from caches so far

	// Version is the version of the file, without the changes of this transaction. It is zero if the version is
	// unknown, or if an earlier command of the same commit was incomplete.
	Version internals.Version
	// Incomplete means that the command changes records without reporting them to the cache.
	Incomplete bool

	db      *DB     // of a view that takes its snapshot when needed, else nil
	reader  *Reader // of a view
	cached  bool    // a record came from the cache
	stale   bool    // an earlier command of the same commit was incomplete
	written bool    // it has certainly written a page of the file

	// update marks a shared transaction: the end of a caller's context does not interrupt its statements.
	update   bool
	undoable bool // it has a savepoint of its own from its first write on
	writes   bool
	// lost is the first failure of the engine itself. SQLite may have rolled back the transaction with it. A later
	// statement would then be committed on its own, so no further statement runs.
	lost   error
	repeat func(context.Context, *Tx) error // repeats the statement that failed
	ended  bool
}

// Ready returns an error if a statement may not run. It takes the snapshot of a view that did not need one before.
func (q *Tx) Ready(ctx context.Context, n *Statement) error {
	switch {
	case q.ended:
		return errEnded
	case q.lost != nil:
	case !q.update && ctx.Err() != nil:
		q.lost = storekit.Unavailable(n.String(), ctx.Err())
	case q.Conn == nil:
		q.lost = q.begin(ctx)
	}
	return q.lost
}

// Exec runs a statement and returns how many rows it changed.
func (q *Tx) Exec(ctx context.Context, n *Statement, args Args) (int64, error) {
	if err := q.Rows(ctx, n, args, nil); err != nil {
		return 0, err
	}
	return int64(q.Changes()), nil
}

// Change runs a statement that changes the one row of an id, or returns
// fault.ErrNotFound.
func (q *Tx) Change(ctx context.Context, n *Statement, args Args) error {
	changed, err := q.Exec(ctx, n, args)
	if err == nil && changed == 0 {
		return fault.ErrNotFound
	}
	return err
}

// Row reads the one row of a statement, or returns fault.ErrNotFound.
func (q *Tx) Row(ctx context.Context, n *Statement, args Args, read func(*Row)) error {
	_, err := One(ctx, q, n, args, func(r *Row) (struct{}, error) {
		read(r)
		return struct{}{}, r.err
	})
	return err
}

// One returns the record of the one row of a statement, or fault.ErrNotFound.
func One[T any](ctx context.Context, q *Tx, n *Statement, args Args,
	convert func(*Row) (T, error)) (record T, err error) {
	found := false
	err = q.Rows(ctx, n, args, func(r *Row) (err error) {
		found = true
		if record, err = convert(r); err == nil {
			return nil
		}
		// The id that starts most rows identifies it. The arguments are not logged: one may be a name.
		id := r.Again().Integer()
		if r.err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
		return fmt.Errorf("%s: %d: %w", n, id, err)
	})
	if err == nil && !found {
		err = fault.ErrNotFound
	}
	return record, err
}

// Rows calls each with every row of a statement until each returns an error, which Rows returns unchanged. each must
// not run the same statement.
func (q *Tx) Rows(ctx context.Context, n *Statement, args Args, each func(*Row) error) error {
	if err := q.Ready(ctx, n); err != nil {
		return err
	}
	switch {
	case n.long && !q.update:
		defer q.SetInterrupt(q.SetInterrupt(ctx.Done()))
	case !n.Reads && !q.writes:
		if q.undoable {
			if err := q.Do(savepoint); err != nil {
				return q.failed(ctx, savepoint, nil, err)
			}
		}
		q.writes = true
	}
	st, err := q.statement(n)
	if err != nil {
		return q.failed(ctx, n, args, err)
	}
	n.bind(st, args)
	defer func() { _ = st.Reset() }() // repeats the error of the last step
	r := &q.prepared[n.number]
	for {
		found, err := st.Step()
		switch {
		case err != nil:
			return q.failed(ctx, n, args, err)
		case !found:
			q.written = q.written || n.changes && q.Changes() > 0 // rows of this statement, or of the last one that changed any
			return nil
		case each == nil:
			continue
		}
		if err := each(r.Again()); err != nil {
			return err
		}
	}
}

// Failed implements storekit.Run.
func (q *Tx) Failed() error { return q.lost }

// End implements storekit.Run. The writer undoes the changes of a run that is not accepted.
func (q *Tx) End(bool) { q.ended = true }

// failed interprets the error of a statement. A violated constraint undoes only the statement: a taken name is a
// refusal, any other constraint is a defect of the caller. Any other error is a failure of the engine.
func (q *Tx) failed(ctx context.Context, n *Statement, args Args, err error) error {
	code := sqlite.ErrCode(err)
	switch {
	case code == sqlite.ResultConstraintUnique:
		for column, taken := range n.Taken {
			if strings.Contains(err.Error(), "."+column) {
				return taken
			}
		}
		return fmt.Errorf("%s: %w", n, err)
	case code.ToPrimary() == sqlite.ResultConstraint:
		return fmt.Errorf("%s: %w", n, err)
	case code == sqlite.ResultInterrupt && ctx.Err() != nil:
		q.lost = storekit.Unavailable(n.String(), ctx.Err())
	default:
		q.lost = unavailable(n, err)
	}
	given := args.clone() // so that other arguments need not outlive their statement
	q.repeat = func(ctx context.Context, again *Tx) error { return again.Rows(ctx, n, given, nil) }
	if q.db != nil && ctx.Err() == nil {
		q.db.unread.Store(&unproven{q.repeat})
	}
	return q.lost
}

// unavailable names the statement in which the engine failed, and its code.
func unavailable(n *Statement, err error) error {
	return storekit.Unavailable(n.String(), plain(err))
}
