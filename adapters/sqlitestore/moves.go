package sqlitestore

import (
	"cmp"
	"context"
	"slices"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

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

func placeOf(s *line.State) place { return place{s.Owner, s.ExpiresAt.UnixMilli()} }

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
