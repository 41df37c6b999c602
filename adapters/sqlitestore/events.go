package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/internals"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// events implements ports.Events.
type events struct{ *transaction }

// Head implements ports.Events.
func (j events) Head(ctx context.Context) (journal.Head, error) { return rows.Head(ctx, j.Tx) }

// List implements ports.Events.
func (j events) List(ctx context.Context, q ports.EventQuery) (ports.EventPage, error) {
	s := entrySearch{EventQuery: q, after: q.After, before: cmp.Or(q.Before, math.MaxInt64)}
	s.args = engine.Args{
		engine.Null("list"), engine.Null("id"), engine.Integer("after", s.after), engine.Integer("before", s.before),
		engine.Text("types", typesText(q.Types)), engine.Integer("limit", q.Limit+1),
		engine.Integer("examined", storekit.Examined(q.Limit)),
	}
	if lists := storekit.ListsOf(q.Of); len(lists) > 0 {
		return j.listed(ctx, s, lists)
	}
	return j.all(ctx, s)
}

// entrySearch is a query as parameters of the statements.
type entrySearch struct {
	ports.EventQuery
	after, before int64 // the bounds of the page, both excluded
	args          engine.Args
	edge          int64 // the last entry that the page may examine; 0: no limit
}

func typesText(types []journal.Type) string {
	if len(types) == 0 {
		return ""
	}
	var text strings.Builder
	for _, t := range types {
		text.WriteString("/" + t.String())
	}
	return text.String() + "/"
}

// endAt ends the page at this entry or earlier. The next page begins or ends with it.
func (s *entrySearch) endAt(seq int64) {
	if s.edge = seq; s.Descending {
		s.after = seq - 1
	} else {
		s.before = seq + 1
	}
	s.args.Set(engine.Integer("after", s.after))
	s.args.Set(engine.Integer("before", s.before))
}

// next returns the Next of a page, from the number of entries that were found and the last one in the page.
func (s *entrySearch) next(found int, last int64) int64 {
	if found > s.Limit {
		return last
	}
	return s.edge
}

// all lists entries of the whole journal. It has no gaps, so the edge of a page is computed.
func (j events) all(ctx context.Context, s entrySearch) (page ports.EventPage, err error) {
	if len(s.Types) > 0 {
		head, err := j.Head(ctx)
		if err != nil {
			return ports.EventPage{}, err
		}
		examined := int64(storekit.Examined(s.Limit))
		end := min(s.before, head.Seq+1)
		switch {
		case end-examined <= s.After+1:
		case s.Descending:
			s.endAt(end - examined)
		default:
			s.endAt(s.After + examined)
		}
	}
	found, last := 0, int64(0)
	err = j.Rows(ctx, entriesOf[s.Descending], s.args, func(r *engine.Row) error {
		if found++; found > s.Limit {
			return nil
		}
		last = r.First()
		return add(&page, last, func() (journal.Numbered, error) { return rows.Numbered(r) })
	})
	page.Next = s.next(found, last)
	return page, err
}

// listed lists entries from lists, which may share some, and from the entries that are in no list yet.
func (j events) listed(ctx context.Context, s entrySearch,
	lists []storekit.EventList) (page ports.EventPage, err error) {
	list := entriesIn
	if len(s.Types) > 0 { // the page examines everything up to the first edge
		list = filterEntries
		edges, err := j.numbers(ctx, entriesEdge, s, lists)
		if err != nil {
			return ports.EventPage{}, err
		}
		if len(edges) > 0 {
			s.endAt(edges[0])
		}
	}
	found, err := j.numbers(ctx, list, s, lists)
	if err != nil {
		return ports.EventPage{}, err
	}
	latest, err := j.unlisted(ctx, s, lists)
	if err != nil {
		return ports.EventPage{}, err
	}
	found = s.sorted(slices.AppendSeq(found, maps.Keys(latest)))
	for _, seq := range found[:min(len(found), s.Limit)] {
		page.Next = seq
		err := add(&page, seq, func() (journal.Numbered, error) {
			if n, is := latest[seq]; is {
				return n, nil
			}
			return engine.One(ctx, j.Tx, rows.GetEntry, engine.Args{engine.Integer("id", seq)}, rows.Numbered)
		})
		if err != nil && !errors.Is(err, fault.ErrNotFound) { // the number is a stray entry of a list
			return ports.EventPage{}, err
		}
	}
	page.Next = s.next(len(found), page.Next)
	return page, nil
}

// unlisted returns the entries of a page that are in no list yet.
func (j events) unlisted(ctx context.Context, s entrySearch,
	lists []storekit.EventList) (map[int64]journal.Numbered, error) {
	latest, err := j.latest(ctx)
	if err != nil {
		return nil, err
	}
	found := map[int64]journal.Numbered{}
	for i := range latest {
		n := &latest[i]
		listed := func(l storekit.EventList) bool { return slices.Contains(lists, l) }
		if n.Seq > s.after && n.Seq < s.before && (len(s.Types) == 0 || slices.Contains(s.Types, n.Type)) &&
			slices.ContainsFunc(storekit.EventLists(&n.Entry), listed) {
			found[n.Seq] = storekit.CloneEntry(*n)
		}
	}
	return found, nil
}

// add reads an entry into a page.
func add(page *ports.EventPage, seq int64, read func() (journal.Numbered, error)) error {
	n, err := read()
	switch {
	case err == nil:
		page.Entries = append(page.Entries, n)
	case errors.Is(err, storekit.ErrDamaged):
		page.Damaged = append(page.Damaged, seq)
		return nil
	}
	return err
}

// numbers reads the numbers of entries in each of several lists, and returns them in the order of the page, each once.
func (j events) numbers(ctx context.Context, n map[bool]*engine.Statement, s entrySearch,
	lists []storekit.EventList) (found []int64, err error) {
	for _, l := range lists {
		s.args.Set(engine.Integer("list", int(l.Of)))
		s.args.Set(engine.Integer("id", l.ID))
		err := j.Rows(ctx, n[s.Descending], s.args, func(r *engine.Row) error {
			found = append(found, r.Integer())
			return r.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return s.sorted(found), nil
}

// sorted returns numbers in the order of the page, each once.
func (s *entrySearch) sorted(numbers []int64) []int64 {
	slices.Sort(numbers)
	if numbers = slices.Compact(numbers); s.Descending {
		slices.Reverse(numbers)
	}
	return numbers
}

// OfMovements implements ports.Events.
func (j events) OfMovements(ctx context.Context, ids []int64) (map[int64]journal.Numbered, error) {
	latest, err := j.latest(ctx)
	if err != nil {
		return nil, err
	}
	found := make(map[int64]journal.Numbered, len(ids))
	for i := range latest {
		if m := latest[i].Movement; m != nil && slices.Contains(ids, m.ID) {
			found[m.ID] = storekit.CloneEntry(latest[i])
		}
	}
	for _, id := range ids {
		if _, is := found[id]; is {
			continue
		}
		n, err := engine.One(ctx, j.Tx, entryOfMovement, engine.Args{engine.Integer("movement", id)}, rows.Numbered)
		switch {
		case err == nil:
			found[id] = n
		case !errors.Is(err, fault.ErrNotFound) && !errors.Is(err, storekit.ErrDamaged):
			return nil, err
		}
	}
	return found, nil
}

// Figures implements ports.Events.
func (j events) Figures(ctx context.Context, accounts []int64,
	from, to time.Time) (found []ports.DayFigures, err error) {
	first, end := rows.DayOf(from), rows.DayOf(to)
	latest, err := j.latest(ctx)
	if err != nil {
		return nil, err
	}
	var all []rows.Counted
	for i := range latest {
		all = rows.AppendCounted(all, &latest[i])
	}
	all = slices.DeleteFunc(all, func(c rows.Counted) bool {
		return c.Day < first || c.Day >= end || !slices.Contains(accounts, c.Account)
	})
	for _, account := range slices.Compact(slices.Sorted(slices.Values(accounts))) {
		days := engine.Args{engine.Integer("account", account), engine.Integer("from", first), engine.Integer("to", end)}
		err := j.Rows(ctx, figuresOf, days, func(r *engine.Row) error {
			f, err := rows.Figures(r)
			all = append(all, f)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for f := range rows.Sums(all) {
		found = append(found, f.DayFigures())
	}
	return found, nil
}

// lookEach is how often waiting goroutines check whether another process has written to the file.
const lookEach = 250 * time.Millisecond

// AwaitEntry implements ports.Store.
func (s *Store) AwaitEntry(ctx context.Context, after int64) error {
	again := time.NewTicker(lookEach)
	defer again.Stop()
	return s.db.Writer.Changed.AwaitOr(ctx, again.C, func(ctx context.Context) (bool, error) {
		end, err := s.ends.seq(ctx, s)
		return end > after, err
	})
}

// ends is the end of the journal at the last look, and the version of the file at that time. While that version is the
// present one, the end is not read again.
type ends struct {
	turn chan struct{} // holds a value while a goroutine looks
	at   internals.Version
	last int64
}

func (e *ends) seq(ctx context.Context, s *Store) (last int64, err error) {
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	err = s.db.View(ctx, func(q *engine.Tx) error {
		if q.Version == e.at && e.at != (internals.Version{}) {
			return nil
		}
		head, err := rows.Head(ctx, q)
		if err == nil {
			e.at, e.last = q.Version, head.Seq
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return e.last, err
}
