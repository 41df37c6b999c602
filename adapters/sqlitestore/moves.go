package sqlitestore

import (
	"context"
	"slices"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/internals"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
)

// move is a change of the place of a line in lists.
type move struct {
	line     int64
	from, to rows.Place
}

// lists collects the moves of all commands that share a transaction. They are made at its end, in the order of the
// lists, so that neighbours are written together.
type lists struct {
	moves map[int64]move // by line
	asked []move         // by the present command

	// Buffers that each transaction reuses.
	leave, enter rows.Entries
	values       []int64
}

func newLists() *lists { return &lists{moves: map[int64]move{}} }

// Begin implements engine.Batch.
func (l *lists) Begin() { clear(l.moves) }

// Reset implements engine.Batch.
func (l *lists) Reset() { l.asked = l.asked[:0] }

// move records a move, which is made if its command is accepted.
func (l *lists) move(m move) { l.asked = append(l.asked, m) }

// Accept implements engine.Batch.
func (l *lists) Accept() {
	for _, m := range l.asked {
		if earlier, is := l.moves[m.line]; is {
			m.from = earlier.from
		}
		l.moves[m.line] = m
	}
}

// End implements engine.Batch: it makes the moves.
func (l *lists) End(ctx context.Context, q *engine.Tx) error {
	l.leave.Clear()
	l.enter.Clear()
	for _, m := range l.moves {
		m.from.Without(m.to, m.line, &l.leave)
		m.to.Without(m.from, m.line, &l.enter)
	}
	err := l.makeMoves(ctx, q)
	if err != nil {
		err = storekit.Unavailable("enter lines in lists", err)
	}
	return err
}

func (l *lists) makeMoves(ctx context.Context, q *engine.Tx) error {
	for _, left := range [...]struct {
		statement *engine.Statement
		entries   []rows.Entry
	}{{leaveByID, l.leave.IDs}, {leaveByExpiry, l.leave.Expiries}} {
		slices.SortFunc(left.entries, rows.Entry.Compare)
		for _, e := range left.entries {
			at := engine.Args{engine.Integer("scope", e.Scope), engine.Integer("expiry", e.Expiry), engine.Integer("line", e.Line)}
			if _, err := q.Exec(ctx, left.statement, at); err != nil {
				return err
			}
		}
	}
	l.values = l.values[:0]
	slices.SortFunc(l.enter.IDs, rows.Entry.Compare)
	for _, e := range l.enter.IDs {
		l.values = append(l.values, e.Scope, e.Line)
	}
	if err := enterByID.insert(ctx, q, l.values); err != nil {
		return err
	}
	l.values = l.values[:0]
	slices.SortFunc(l.enter.Expiries, rows.Entry.Compare)
	for _, e := range l.enter.Expiries {
		l.values = append(l.values, e.Scope, e.Expiry, e.Line)
	}
	return enterByExpiry.insert(ctx, q, l.values)
}

// Committed implements engine.Batch.
func (l *lists) Committed(internals.Version) {}
