package memstore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"resellerd/adapters/storekit"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// entries implements ports.Journal. Updates run one at a time, so each assigns the numbers of its own entries.
type entries struct{ *transaction }

// Append implements ports.Journal.
func (j entries) Append(ctx context.Context, e journal.Entry) error {
	if j.head.Epoch == "" {
		return ports.ErrEpoch
	}
	return j.insertEntry(ctx, j.head.Append(e))
}

// Begin implements ports.Journal.
func (j entries) Begin(ctx context.Context, from, to journal.Epoch, e journal.Entry) error {
	if j.head.Epoch != from {
		return ports.ErrEpoch
	}
	return j.insertEntry(ctx, j.head.AppendInNewEpoch(to, e))
}

// Epoch implements ports.Journal.
func (j entries) Epoch(context.Context) (journal.Epoch, error) { return j.head.Epoch, nil }

// insertEntry adds an entry that already has its number.
func (t *transaction) insertEntry(_ context.Context, n journal.Numbered) error {
	if err := t.open(); err != nil {
		return err
	}
	if !n.Follows(t.head) {
		return fmt.Errorf("entry %d does not follow entry %d", n.Seq, t.head.Seq)
	}
	if err := t.enter(nil, eventEntries(&n)); err != nil {
		return fmt.Errorf("append to the journal: an entry names movement %d already: %w", n.Movement.ID, err)
	}
	t.journal, t.head = t.journal.with(n.Seq, storekit.CloneEntry(n)), n.Head
	day := journal.DayOf(n.At)
	n.Figures(func(account int64, f journal.Figures) {
		sum, _ := t.figures.get(dayName(account, day))
		t.figures = t.figures.with(dayName(account, day), ports.DayFigures{Account: account, Day: day, Figures: sum.Plus(f)})
	})
	return nil
}

func dayName(account int64, day time.Time) string { return ordered(account) + ordered(day.UnixMilli()) }

func eventEntries(n *journal.Numbered) (all []entry) {
	h := holder{id: n.Seq}
	for _, list := range storekit.EventLists(&n.Entry) {
		all = append(all, entry{eventList(list) + ordered(n.Seq), h})
	}
	if n.Movement != nil {
		all = append(all, entry{naming(n.Movement.ID), h})
	}
	return all
}

func eventList(l storekit.EventList) string { return eventLists + ordered(int64(l.Of)) + ordered(l.ID) }

func naming(movement int64) string { return namings + ordered(movement) }

// events implements ports.Events.
type events struct{ *transaction }

// Head implements ports.Events.
func (j events) Head(context.Context) (journal.Head, error) { return j.head, nil }

// List implements ports.Events.
func (j events) List(_ context.Context, q ports.EventQuery) (page ports.EventPage, err error) {
	seen := 0
	for seq := range j.selected(q) {
		if len(page.Entries) >= q.Limit || seen >= storekit.Examined(q.Limit) {
			return page, nil
		}
		seen++
		page.Next = seq
		n, _ := j.journal.get(seq)
		if len(q.Types) == 0 || slices.Contains(q.Types, n.Type) {
			page.Entries = append(page.Entries, storekit.CloneEntry(n))
		}
	}
	page.Next = 0
	return page, nil
}

// selected yields the numbers of the entries of a scope in the order of a query.
func (j events) selected(q ports.EventQuery) iter.Seq[int64] {
	before := cmp.Or(q.Before, math.MaxInt64)
	lists := storekit.ListsOf(q.Of)
	if len(lists) == 0 {
		return func(yield func(int64) bool) {
			for seq := q.After + 1; !q.Descending && seq < min(before, j.head.Seq+1) && yield(seq); seq++ {
			}
			for seq := min(before, j.head.Seq+1) - 1; q.Descending && seq > q.After && yield(seq); seq-- {
			}
		}
	}
	var all []int64 // in memory a copy of numbers costs little
	for _, list := range lists {
		for h := range j.between(eventList(list), ordered(q.After+1), ordered(before)) {
			all = append(all, h.id)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if q.Descending {
		slices.Reverse(all)
	}
	return slices.Values(all)
}

// OfMovements implements ports.Events.
func (j events) OfMovements(_ context.Context, ids []int64) (map[int64]journal.Numbered, error) {
	found := map[int64]journal.Numbered{}
	for _, id := range ids {
		if h, there := j.index.get(naming(id)); there {
			n, _ := j.journal.get(h.id)
			found[id] = storekit.CloneEntry(n)
		}
	}
	return found, nil
}

// Figures implements ports.Events.
func (j events) Figures(_ context.Context, accounts []int64, from, to time.Time) (found []ports.DayFigures, err error) {
	for _, account := range slices.Compact(slices.Sorted(slices.Values(accounts))) {
		for name, f := range j.figures.from(dayName(account, journal.DayOf(from))) {
			if name >= dayName(account, journal.DayOf(to)) {
				break
			}
			found = append(found, f)
		}
	}
	return found, nil
}

// AwaitEntry implements ports.Store.
func (s *Store) AwaitEntry(ctx context.Context, after int64) error {
	return s.appended.Await(ctx, func(context.Context) (bool, error) {
		if err := s.users.Enter(context.WithoutCancel(ctx)); err != nil {
			return false, err
		}
		defer s.users.Leave()
		return s.committed.Load().head.Seq > after, nil
	})
}

// Entries implements ports.Records.
func (a audit) Entries(_ context.Context, after int64, limit int) ([]ports.Audited[journal.Numbered], error) {
	return audited(a.journal, after, limit, wholeEntry), nil
}

func wholeEntry(n journal.Numbered) (journal.Numbered, error) { return storekit.CloneEntry(n), nil }

// Head implements ports.Records.
func (a audit) Head(context.Context) (journal.Head, error) { return a.head, nil }

// Figures implements ports.Records.
func (a audit) Figures(_ context.Context, account int64, day time.Time,
	limit int) (page []ports.DayFigures, err error) {
	for _, f := range a.figures.from(next(dayName(account, day))) {
		if len(page) >= limit {
			break
		}
		page = append(page, f)
	}
	return page, nil
}
