package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

var errEnded = errors.New("a transaction is used after its end")

// transaction runs statements for one run of work, or for one look.
type transaction struct {
	prepared func(context.Context, *statement) *sql.Stmt
	// update is for a transaction that is shared: its statements are not
	// interrupted when a caller's context ends.
	update bool
	// lost is the first failure of the engine itself. SQLite may have given up the
	// transaction with it, so that a later statement would take effect by itself:
	// none is run.
	lost   error
	repeat func(context.Context, *transaction) error // what failed so, once more
	ended  bool
	values []any // of the last statement: the driver has taken them when it returns
}

func (q *transaction) bind(n *statement, args args) []any {
	q.values = n.bind(q.values[:0], args)
	return q.values
}

// refusal returns why no statement is run any more, nil where one may be.
func (q *transaction) refusal() error {
	if q.ended {
		return errEnded
	}
	return q.lost
}

// exec runs a statement and returns how many rows it changed.
func (q *transaction) exec(ctx context.Context, n *statement, args args) (int64, error) {
	if err := q.refusal(); err != nil {
		return 0, err
	}
	ctx = q.detached(ctx)
	result, err := q.prepared(ctx, n).ExecContext(ctx, q.bind(n, args)...) //nolint:sqlclosecheck // prepared once for many transactions
	if err != nil {
		return 0, q.failed(n, args, err)
	}
	changed, err := result.RowsAffected()
	if err != nil {
		return 0, q.failed(n, args, err)
	}
	return changed, nil
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
func (q *transaction) row(ctx context.Context, n *statement, args args, columns ...sql.Scanner) error {
	found := false
	err := q.rows(ctx, n, args, func(scan scan) error {
		found = true
		err := scan(columns...)
		if err == nil {
			return nil
		}
		// The id that starts most rows says which it is. The arguments are not told: one
		// may be a name, which is not for the log.
		var id int64
		if scan(plain(&id)) != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
		return fmt.Errorf("%s: %d: %w", n, id, err)
	})
	if err == nil && !found {
		return fault.ErrNotFound
	}
	return err
}

// rows calls each with every row of a statement until it returns an error, which
// comes back unchanged.
func (q *transaction) rows(ctx context.Context, n *statement, args args, each func(scan) error) error {
	if err := q.refusal(); err != nil {
		return err
	}
	ctx = q.detached(ctx)
	rows, err := q.prepared(ctx, n).QueryContext(ctx, q.bind(n, args)...) //nolint:sqlclosecheck // prepared once for many transactions
	if err != nil {
		return q.failed(n, args, err)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		return q.failed(n, args, err)
	}
	stored, targets := make([]any, len(names)), make([]any, len(names))
	for i := range stored {
		targets[i] = &stored[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return q.failed(n, args, err)
		}
		if err := each(func(columns ...sql.Scanner) error {
			for i, c := range columns {
				if err := c.Scan(stored[i]); err != nil {
					return fmt.Errorf("%s: %w", names[i], err)
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return q.failed(n, args, err)
	}
	return nil
}

// scanner returns row without its columns.
func (q *transaction) scanner(ctx context.Context, n *statement, args args) scan {
	return func(columns ...sql.Scanner) error { return q.row(ctx, n, args, columns...) }
}

func (q *transaction) detached(ctx context.Context) context.Context {
	if q.update {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// Failed implements storekit.Run.
func (q *transaction) Failed() error { return q.lost }

// End implements storekit.Run. The writer undoes what is not kept.
func (q *transaction) End(bool) { q.ended = true }

// failed says what an error of a statement means. A broken constraint undoes the
// statement alone: a taken name is a refusal, any other is a defect of the caller.
// Anything else is the engine's failure.
func (q *transaction) failed(n *statement, args args, err error) error {
	if e, engine := errors.AsType[*sqlite.Error](err); engine {
		switch {
		case e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE && n != appendMovement: // anywhere else names alone are unique
			return profile.ErrUsernameTaken
		case primary(e) == sqlite3.SQLITE_CONSTRAINT:
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	q.lost = storekit.Unavailable(n.String(), err)
	q.repeat = func(ctx context.Context, again *transaction) error {
		return again.rows(ctx, n, args, func(scan) error { return nil })
	}
	return q.lost
}

// primary returns the result code without what extends it.
func primary(e *sqlite.Error) int { return e.Code() & 0xff }
