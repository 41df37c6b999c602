package sqlitestore

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

var errEnded = errors.New("a transaction is used after its end")

// transaction runs statements for one run of work, or for one look.
type transaction struct {
	*connection // nil in a view that the cache has answered so far

	cache      *cache   // nil for an auditor
	version    version  // of the file, without what this transaction changes; zero where it is not known
	changed    *changes // by earlier commands of the same commit, nil in a view
	writeSet   writeSet
	incomplete bool // it changes resellers or lines that the write set does not have
	written    bool // a page of the file, for sure

	// What follows is of a view alone.
	store  *Store // nil for an auditor
	reader *reader
	cached bool    // a record came from the cache, without a snapshot
	helper *helper // of an auditor, nil where there is none

	// update is for a transaction that is shared: its statements are not
	// interrupted when a caller's context ends.
	update   bool
	undoable bool // by itself: it has a savepoint to return to from its first write on
	writes   bool
	// lost is the first failure of the engine itself. SQLite may have given up the
	// transaction with it, so that a later statement would take effect by itself:
	// none is run.
	lost   error
	repeat func(context.Context, *transaction) error // what failed so, once more
	ended  bool
}

// refusal returns why no statement is run any more, nil where one may be.
func (q *transaction) refusal(ctx context.Context, n *statement) error {
	switch {
	case q.ended:
		return errEnded
	case q.lost == nil && !q.update && ctx.Err() != nil:
		q.lost = storekit.Unavailable(n.String(), ctx.Err())
	}
	return q.lost
}

// ready returns why a statement is not run, and takes the snapshot of a view that has none yet.
func (q *transaction) ready(ctx context.Context, n *statement) error {
	if err := q.refusal(ctx, n); err != nil {
		return err
	}
	if q.connection == nil {
		q.lost = q.begin(ctx)
	}
	return q.lost
}

// exec runs a statement and returns how many rows it changed.
func (q *transaction) exec(ctx context.Context, n *statement, args args) (int64, error) {
	if err := q.rows(ctx, n, args, nil); err != nil {
		return 0, err
	}
	return int64(q.Changes()), nil
}

// change runs a statement that changes the one row of an id, or returns
// fault.ErrNotFound.
func (q *transaction) change(ctx context.Context, n *statement, args args) error {
	changed, err := q.exec(ctx, n, args)
	if err == nil && changed == 0 {
		return fault.ErrNotFound
	}
	return err
}

// row reads the one row of a statement, or returns fault.ErrNotFound.
func (q *transaction) row(ctx context.Context, n *statement, args args, read func(*row)) error {
	_, err := one(ctx, q, n, args, func(r *row) (struct{}, error) {
		read(r)
		return struct{}{}, r.err
	})
	return err
}

// one returns the record of the one row of a statement, or fault.ErrNotFound.
func one[T any](ctx context.Context, q *transaction, n *statement, args args, convert func(*row) (T, error)) (record T, err error) {
	found := false
	err = q.rows(ctx, n, args, func(r *row) (err error) {
		found = true
		if record, err = convert(r); err == nil {
			return nil
		}
		// The id that starts most rows says which it is. The arguments are not told: one
		// may be a name, which is not for the log.
		id := r.again().integer()
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

// rows calls each with every row of a statement until it returns an error, which
// comes back unchanged. The statement is not run again in between.
func (q *transaction) rows(ctx context.Context, n *statement, args args, each func(*row) error) error {
	if err := q.ready(ctx, n); err != nil {
		return err
	}
	switch {
	case n.long && !q.update:
		defer q.SetInterrupt(q.SetInterrupt(ctx.Done()))
	case !n.query && !q.writes:
		if q.undoable {
			if err := q.do(savepoint); err != nil {
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
	defer func() { _ = st.Reset() }() // returns the error of the last step again
	r := &q.prepared[n.number]
	for {
		found, err := st.Step()
		switch {
		case err != nil:
			return q.failed(ctx, n, args, err)
		case !found:
			q.written = q.written || n.changes && q.Changes() > 0 // the rows of this statement: it is no other than the last that changes any
			return nil
		case each == nil:
			continue
		}
		if err := each(r.again()); err != nil {
			return err
		}
	}
}

// Failed implements storekit.Run.
func (q *transaction) Failed() error { return q.lost }

// End implements storekit.Run. The writer undoes what is not kept.
func (q *transaction) End(bool) { q.ended = true }

// failed says what an error of a statement means. A broken constraint undoes the
// statement alone: a taken name is a refusal, any other is a defect of the caller.
// Anything else is the engine's failure.
func (q *transaction) failed(ctx context.Context, n *statement, args args, err error) error {
	code := sqlite.ErrCode(err)
	switch {
	case code == sqlite.ResultConstraintUnique && n != appendMovement: // anywhere else names alone are unique
		return profile.ErrUsernameTaken
	case code.ToPrimary() == sqlite.ResultConstraint:
		return fmt.Errorf("%s: %w", n, err)
	case code == sqlite.ResultInterrupt && ctx.Err() != nil:
		q.lost = storekit.Unavailable(n.String(), ctx.Err())
	default:
		q.lost = unavailable(n, err)
	}
	given := args.clone() // so that all others need not outlive their statement
	q.repeat = func(ctx context.Context, again *transaction) error { return again.rows(ctx, n, given, nil) }
	return q.lost
}

// unavailable says in which statement the engine failed, and its code.
func unavailable(n *statement, err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without the name of the call
	}
	return storekit.Unavailable(n.String(), fmt.Errorf("%w (%d)", err, sqlite.ErrCode(err)))
}
