package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// mostKnown bounds how many resellers a connection knows, of about 1 KiB each.
const mostKnown = 4_096

// known has resellers as a connection read or wrote them, which need not be read
// again as long as nobody else writes: SQLite's data version tells.
type known struct {
	resellers map[int64]reseller.State
	version   int64
}

func newKnown() *known { return &known{resellers: map[int64]reseller.State{}} }

func (k *known) forget() { clear(k.resellers) }

func (k *known) keep(s reseller.State) {
	if len(k.resellers) >= mostKnown {
		k.forget()
	}
	k.resellers[s.ID] = s
}

// refresh forgets what others may have changed. It is the first read of an update's
// transaction.
func (k *known) refresh(c *connection) error {
	st, err := c.statement(dataVersion)
	if err != nil {
		return err
	}
	defer func() { _ = st.Reset() }()
	if _, err := st.Step(); err != nil {
		return err
	}
	k.at(st.ColumnInt64(0))
	return nil
}

// at forgets what is of another version of the data.
func (k *known) at(version int64) {
	if version != k.version {
		k.forget()
		k.version = version
	}
}

// own is what a command has read and written itself.
type own struct {
	resellers []reseller.State // written
	lines     []line.State     // read or written
	moves     []move
}

// emptied returns the room that it took.
func (o own) emptied() own { return own{o.resellers[:0], o.lines[:0], o.moves[:0]} }

// reseller returns the state of a reseller in the present transaction.
func (q *transaction) reseller(ctx context.Context, id int64) (reseller.State, error) {
	if err := q.refusal(ctx, getReseller); err != nil {
		return reseller.State{}, err
	}
	for i := range q.own.resellers {
		if q.own.resellers[i].ID == id {
			return q.own.resellers[i], nil
		}
	}
	if s, ok := q.known.resellers[id]; ok {
		return s, nil
	}
	a, err := one(ctx, q, getReseller, args{{"id", integer(id)}}, resellerOfRow)
	if err != nil {
		return reseller.State{}, err
	}
	s := a.State()
	q.known.keep(s)
	return s, nil
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
	return s.Blocked, err
}

// wrote remembers what the command itself has written.
func (q *transaction) wrote(s reseller.State) {
	for i := range q.own.resellers {
		if q.own.resellers[i].ID == s.ID {
			q.own.resellers[i] = s
			return
		}
	}
	q.own.resellers = append(q.own.resellers, s)
}

// line returns a line of the present transaction.
func (q *transaction) line(ctx context.Context, id int64) (*line.Line, error) {
	if err := q.refusal(ctx, getLine); err != nil {
		return nil, err
	}
	if s := q.held(id); s != nil {
		return line.Restore(*s)
	}
	l, err := one(ctx, q, getLine, args{{"id", integer(id)}}, q.remembered.line)
	if err == nil && q.update {
		q.holds(l.State())
	}
	return l, err
}

// recorded returns the state of a line that is about to be replaced.
func (q *transaction) recorded(ctx context.Context, id int64) (line.State, error) {
	if err := q.refusal(ctx, getLine); err != nil {
		return line.State{}, err
	}
	if s := q.held(id); s != nil {
		return *s, nil
	}
	l, err := q.line(ctx, id)
	if err != nil {
		return line.State{}, err
	}
	return l.State(), nil
}

// held returns a line that the command has read or written, or nil.
func (q *transaction) held(id int64) *line.State {
	for i := range q.own.lines {
		if q.own.lines[i].ID == id {
			return &q.own.lines[i]
		}
	}
	return nil
}

func (q *transaction) holds(s line.State) {
	if was := q.held(s.ID); was != nil {
		*was = s
		return
	}
	q.own.lines = append(q.own.lines, s)
}

// place is where a line stands in lists; the zero value is in none.
type place struct {
	owner  reseller.Position
	expiry int64
}

func (p place) none() bool { return p.owner.ID == 0 }

// scopes are the lists: what the owner has itself, and what is below each reseller
// above it.
func (p place) scopes(yield func(scope int64) bool) {
	if p.none() || !yield(-p.owner.ID) {
		return
	}
	for _, above := range p.owner.Ancestors {
		if !yield(above) {
			return
		}
	}
}

// move takes a line from one place to another.
type move struct {
	line     int64
	from, to place
}

func placeOf(s line.State) place { return place{s.Owner, s.ExpiresAt.UnixMilli()} }

// entry is a line in a list. In the order of ids expiry is 0.
type entry struct{ scope, expiry, line int64 }

func (e entry) compare(other entry) int {
	return cmp.Or(cmp.Compare(e.scope, other.scope), cmp.Compare(e.expiry, other.expiry), cmp.Compare(e.line, other.line))
}

// lists are the moves of all commands that share a transaction. They are made at its
// end, in the order of the lists: what is close together is then written once.
type lists struct {
	moves map[int64]move // by line

	leaveIDs, enterIDs, leave, enter []entry // room that each transaction uses again
}

func newLists() *lists { return &lists{moves: map[int64]move{}} }

// add adds the moves of a command that is kept.
func (l *lists) add(moves []move) {
	for _, m := range moves {
		if earlier, is := l.moves[m.line]; is {
			m.from = earlier.from
		}
		l.moves[m.line] = m
	}
}

// write makes the moves.
func (l *lists) write(ctx context.Context, q *transaction) error {
	if len(l.moves) == 0 {
		return nil
	}
	defer clear(l.moves)
	l.leaveIDs, l.enterIDs, l.leave, l.enter = l.leaveIDs[:0], l.enterIDs[:0], l.leave[:0], l.enter[:0]
	for _, m := range l.moves {
		l.leaveIDs, l.leave = m.from.without(m.to, m.line, l.leaveIDs, l.leave)
		l.enterIDs, l.enter = m.to.without(m.from, m.line, l.enterIDs, l.enter)
	}
	for _, step := range [...]struct {
		statement *statement
		entries   []entry
	}{{leaveByID, l.leaveIDs}, {enterByID, l.enterIDs}, {leaveByExpiry, l.leave}, {enterByExpiry, l.enter}} {
		slices.SortFunc(step.entries, entry.compare)
		for _, e := range step.entries {
			at := args{{"scope", integer(e.scope)}, {"expiry", integer(e.expiry)}, {"line", integer(e.line)}}
			if _, err := q.exec(ctx, step.statement, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// without adds the entries of a line at one place that it does not have at another.
func (p place) without(other place, id int64, byID, byExpiry []entry) (ids, expiries []entry) {
	for scope := range p.scopes {
		stays := false
		for its := range other.scopes {
			stays = stays || its == scope
		}
		if !stays {
			byID = append(byID, entry{scope, 0, id})
		}
		if !stays || p.expiry != other.expiry {
			byExpiry = append(byExpiry, entry{scope, p.expiry, id})
		}
	}
	return byID, byExpiry
}
