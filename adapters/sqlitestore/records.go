package sqlitestore

import (
	"context"
	"errors"

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
	if err := q.refusal(ctx, getReseller); err != nil {
		return nil, err
	}
	if s := q.writeSet.reseller(id); s != nil {
		return s, nil
	}
	if s := q.changed.reseller(id); s != nil {
		return s, nil
	}
	if s := q.cache.reseller(q.version, id); s != nil {
		q.cached = true
		return s, nil
	}
	r, err := one(ctx, q, getReseller, args{{"id", integer(id)}}, resellerOfRow)
	if err != nil {
		return nil, err
	}
	s := r.State()
	q.cache.keep(q.version, func(c *cache) { c.resellers.put(id, &s) })
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
	if err := q.refusal(ctx, getLine); err != nil {
		return nil, err
	}
	if s, there := q.writeSet.line(id); there {
		return found(s)
	}
	if s, changed := q.changed.line(id); changed {
		return found(s)
	}
	s := q.cache.line(q.version, id)
	if s != nil {
		q.cached = true
	} else {
		var err error
		if s, err = one(ctx, q, getLine, args{{"id", integer(id)}}, q.stateOfRow); err != nil {
			return nil, err
		}
	}
	if q.update {
		q.writeSet.putLine(id, s)
	}
	return s, nil
}

func found(s *line.State) (*line.State, error) {
	if s == nil {
		return nil, fault.ErrNotFound
	}
	return s, nil
}

// stateOfRow returns the line of a row, which later views need not read again.
func (q *transaction) stateOfRow(r *row) (*line.State, error) {
	if s := q.cache.line(q.version, r.st.ColumnInt64(0)); s != nil {
		return s, nil
	}
	l, err := lineOfRow(r)
	if err != nil {
		return nil, err
	}
	s := l.State()
	if !q.update { // most of what is written is never read
		q.cache.keep(q.version, func(c *cache) { c.lines.put(s.ID, &s) })
	}
	return &s, nil
}
