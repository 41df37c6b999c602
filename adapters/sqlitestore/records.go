package sqlitestore

import (
	"context"
	"errors"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// own is what a command has read and written itself. States are never changed: others may
// have them as well.
type own struct {
	resellers []*reseller.State // written
	lines     []ownLine         // read or written
	moves     []move
}

// ownLine is a line that the command has read or written. It has no state once it is deleted.
type ownLine struct {
	id    int64
	state *line.State
}

// emptied returns the room that it took.
func (o own) emptied() own { return own{o.resellers[:0], o.lines[:0], o.moves[:0]} }

// reseller returns the state of a reseller in the present transaction.
func (q *transaction) reseller(ctx context.Context, id int64) (*reseller.State, error) {
	if err := q.refusal(ctx, getReseller); err != nil {
		return nil, err
	}
	for _, s := range q.own.resellers {
		if s.ID == id {
			return s, nil
		}
	}
	if s := q.changed.reseller(id); s != nil {
		return s, nil
	}
	if s := q.cache.reseller(q.version, id); s != nil {
		q.told = true
		return s, nil
	}
	a, err := one(ctx, q, getReseller, args{{"id", integer(id)}}, resellerOfRow)
	if err != nil {
		return nil, err
	}
	s := a.State()
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

// wrote remembers what the command itself has written.
func (q *transaction) wrote(s *reseller.State) {
	for i, was := range q.own.resellers {
		if was.ID == s.ID {
			q.own.resellers[i] = s
			return
		}
	}
	q.own.resellers = append(q.own.resellers, s)
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
	if s, own := q.held(id); own {
		return found(s)
	}
	if s, changed := q.changed.line(id); changed {
		return found(s)
	}
	s := q.cache.line(q.version, id)
	if s != nil {
		q.told = true
	} else {
		var err error
		if s, err = one(ctx, q, getLine, args{{"id", integer(id)}}, q.stateOfRow); err != nil {
			return nil, err
		}
	}
	if q.update {
		q.holds(id, s)
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
	if !q.update { // of what is written much is never read
		q.cache.keep(q.version, func(c *cache) { c.lines.put(s.ID, &s) })
	}
	return &s, nil
}

// held returns a line that the command has read or written, and reports whether it has.
func (q *transaction) held(id int64) (s *line.State, own bool) {
	for _, l := range q.own.lines {
		if l.id == id {
			return l.state, true
		}
	}
	return nil, false
}

func (q *transaction) holds(id int64, s *line.State) {
	for i, l := range q.own.lines {
		if l.id == id {
			q.own.lines[i].state = s
			return
		}
	}
	q.own.lines = append(q.own.lines, ownLine{id, s})
}
