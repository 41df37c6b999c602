package sqlitestore

import (
	"bytes"
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

// refresh forgets what others may have changed. It is the first read of a
// transaction, and takes its snapshot.
func (k *known) refresh(c *connection) error {
	st, err := c.statement(dataVersion)
	if err != nil {
		return err
	}
	defer func() { _ = st.Reset() }()
	if _, err := st.Step(); err != nil {
		return err
	}
	if version := st.ColumnInt64(0); version != k.version {
		k.forget()
		k.version = version
	}
	return nil
}

// own is what a command has read and written itself.
type own struct {
	resellers map[int64]reseller.State // written
	lines     map[int64]line.State     // read or written
	moves     []move
}

// reseller returns the state of a reseller in the present transaction.
func (q *transaction) reseller(ctx context.Context, id int64) (reseller.State, error) {
	if err := q.refresh(ctx); err != nil {
		return reseller.State{}, err
	}
	if s, ok := q.own.resellers[id]; ok {
		return s, nil
	}
	if s, ok := q.known.resellers[id]; ok {
		return s, nil
	}
	a, err := one(ctx, q, getReseller, args{{"id", id}}, resellerOfRow)
	if err != nil {
		return reseller.State{}, err
	}
	s := a.State()
	q.known.keep(s)
	return s, nil
}

// refresh brings what is known up to date, once in a view; an update shares its
// transaction, and this was done with its begin.
func (q *transaction) refresh(ctx context.Context) error {
	if err := q.refusal(ctx, getReseller); err != nil || q.fresh {
		return err
	}
	q.fresh = true
	if err := q.known.refresh(q.connection); err != nil {
		return q.failed(ctx, dataVersion, nil, err)
	}
	return nil
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
	if q.own.resellers == nil {
		q.own.resellers = map[int64]reseller.State{}
	}
	q.own.resellers[s.ID] = s
}

// line returns the state of a line in the present transaction.
func (q *transaction) line(ctx context.Context, id int64) (line.State, error) {
	if err := q.refusal(ctx, getLine); err != nil {
		return line.State{}, err
	}
	if s, ok := q.own.lines[id]; ok {
		return s, nil
	}
	l, err := one(ctx, q, getLine, args{{"id", id}}, lineOfRow)
	if err != nil {
		return line.State{}, err
	}
	s := l.State()
	if q.update {
		q.holds(s)
	}
	return s, nil
}

func (q *transaction) holds(s line.State) {
	if q.own.lines == nil {
		q.own.lines = map[int64]line.State{}
	}
	q.own.lines[s.ID] = s
}

// narrowest returns the first of the statements that writes all columns in which two
// rows differ, each with fewer of them than the next: what is not written need not
// leave its indexes and enter them again.
func narrowest(before, after args, statements ...*statement) *statement {
	for _, n := range statements[:len(statements)-1] {
		enough := true
		for i, a := range after {
			enough = enough && (slices.Contains(n.names, a.name) || equal(before[i].value, a.value))
		}
		if enough {
			return n
		}
	}
	return statements[len(statements)-1]
}

// equal compares two values of a column.
func equal(a, b any) bool {
	if a, is := a.([]byte); is {
		b, is := b.([]byte)
		return is && bytes.Equal(a, b)
	}
	_, bytes := b.([]byte)
	return !bytes && a == b
}

// place is where a line stands in lists.
type place struct {
	owner  reseller.Position
	expiry int64
}

// scopes are the lists: what the owner has itself, and what is below each reseller
// above it.
func (p *place) scopes(yield func(scope int64) bool) {
	if p == nil || !yield(-p.owner.ID) {
		return
	}
	for _, above := range p.owner.Ancestors {
		if !yield(above) {
			return
		}
	}
}

// move takes a line from one place to another, nil for none.
type move struct {
	line     int64
	from, to *place
}

func placeOf(s line.State) *place { return &place{s.Owner, s.ExpiresAt.UnixMilli()} }

// entry is a line in a list. In the order of ids expiry is 0.
type entry struct{ scope, expiry, line int64 }

func (e entry) compare(other entry) int {
	return cmp.Or(cmp.Compare(e.scope, other.scope), cmp.Compare(e.expiry, other.expiry), cmp.Compare(e.line, other.line))
}

func (e entry) args() args {
	return args{{"scope", e.scope}, {"expiry", e.expiry}, {"line", e.line}}
}

// lists are the moves of all commands that share a transaction. They are made at its
// end, in the order of the lists: what is close together is then written once.
type lists struct {
	moves map[int64]move // by line
}

func newLists() *lists { return &lists{map[int64]move{}} }

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
	var leave, enter, leaveIDs, enterIDs []entry
	for _, m := range l.moves {
		differ := func(a, b *place, ids, expiries *[]entry) {
			for scope := range a.scopes {
				stays := false
				for other := range b.scopes {
					stays = stays || other == scope
				}
				if !stays {
					*ids = append(*ids, entry{scope, 0, m.line})
				}
				if !stays || a.expiry != b.expiry {
					*expiries = append(*expiries, entry{scope, a.expiry, m.line})
				}
			}
		}
		differ(m.from, m.to, &leaveIDs, &leave)
		differ(m.to, m.from, &enterIDs, &enter)
	}
	for _, step := range []struct {
		statement *statement
		entries   []entry
	}{{leaveByID, leaveIDs}, {enterByID, enterIDs}, {leaveByExpiry, leave}, {enterByExpiry, enter}} {
		slices.SortFunc(step.entries, entry.compare)
		for _, e := range step.entries {
			if _, err := q.exec(ctx, step.statement, e.args()); err != nil {
				return err
			}
		}
	}
	return nil
}
