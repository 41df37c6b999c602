package sqlitestore

import (
	"context"
	"errors"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// writeSet is what a command has written, with the lines that it has read. States are never changed: the cache and other
// commands may have them as well.
type writeSet struct {
	resellers []*reseller.State
	lines     []lineOfSet
	moves     []move
}

// lineOfSet is a line that the command has read or written. It has no state once it is deleted.
type lineOfSet struct {
	id    int64
	state *line.State
}

// emptied returns an empty set in the same memory.
func (w *writeSet) emptied() writeSet { return writeSet{w.resellers[:0], w.lines[:0], w.moves[:0]} }

// reseller returns a reseller that the command has written, or nil.
func (w *writeSet) reseller(id int64) *reseller.State {
	for _, s := range w.resellers {
		if s.ID == id {
			return s
		}
	}
	return nil
}

func (w *writeSet) putReseller(s *reseller.State) {
	for i, was := range w.resellers {
		if was.ID == s.ID {
			w.resellers[i] = s
			return
		}
	}
	w.resellers = append(w.resellers, s)
}

// line returns a line that the command has read or written, and reports whether it has.
func (w *writeSet) line(id int64) (s *line.State, there bool) {
	for _, l := range w.lines {
		if l.id == id {
			return l.state, true
		}
	}
	return nil, false
}

func (w *writeSet) putLine(id int64, s *line.State) {
	for i, l := range w.lines {
		if l.id == id {
			w.lines[i].state = s
			return
		}
	}
	w.lines = append(w.lines, lineOfSet{id, s})
}

// reseller returns the state of a reseller in the present transaction.
func (q *transaction) reseller(ctx context.Context, id int64) (*reseller.State, error) {
	if err := q.Refusal(ctx, rows.GetReseller); err != nil {
		return nil, err
	}
	if s := q.writeSet.reseller(id); s != nil {
		return s, nil
	}
	if s, known := q.store.resellers.Get(q.Tx, id); known {
		return s, nil
	}
	r, err := engine.One(ctx, q.Tx, rows.GetReseller, engine.Args{engine.Integer("id", id)}, rows.Reseller)
	if err != nil {
		return nil, err
	}
	s := r.State()
	q.store.resellers.Keep(q.Tx, id, &s)
	return &s, nil
}

// blocked reports whether a reseller is blocked itself. A record that is damaged
// elsewhere still tells.
func (q *transaction) blocked(ctx context.Context, id int64) (bool, error) {
	s, err := q.reseller(ctx, id)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return false, nil
	case errors.Is(err, storekit.ErrDamaged):
		blocked, err := resellers{q}.Blocked(ctx, []int64{id})
		return len(blocked) > 0, err
	}
	return err == nil && s.Blocked, err
}

// line returns a line of the present transaction.
func (q *transaction) line(ctx context.Context, id int64) (*line.Line, error) {
	s, err := q.recorded(ctx, id)
	if err != nil {
		return nil, err
	}
	return line.Restore(*s) // which shares nothing with it
}

// recorded returns the state of a line in the present transaction.
func (q *transaction) recorded(ctx context.Context, id int64) (*line.State, error) {
	if err := q.Refusal(ctx, rows.GetLine); err != nil {
		return nil, err
	}
	if s, there := q.writeSet.line(id); there {
		if s == nil {
			return nil, fault.ErrNotFound
		}
		return s, nil
	}
	s, known := q.store.lines.Get(q.Tx, id)
	if known && s == nil {
		return nil, fault.ErrNotFound
	}
	if !known {
		var err error
		if s, err = engine.One(ctx, q.Tx, rows.GetLine, engine.Args{engine.Integer("id", id)}, q.stateOfRow); err != nil {
			return nil, err
		}
	}
	if q.Updates() {
		q.writeSet.putLine(id, s)
	}
	return s, nil
}

// stateOfRow returns the line of a row, which later views need not read again.
func (q *transaction) stateOfRow(r *engine.Row) (*line.State, error) {
	if s, _ := q.store.lines.Get(q.Tx, r.First()); s != nil {
		return s, nil
	}
	l, err := rows.Line(r)
	if err != nil {
		return nil, err
	}
	s := l.State()
	if !q.Updates() { // most of what is written is never read
		q.store.lines.Keep(q.Tx, s.ID, &s)
	}
	return &s, nil
}
