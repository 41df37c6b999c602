package sqlitestore

import (
	"context"
	"sync"

	"resellerd/adapters/sqlitestore/rows"
	"resellerd/domain/journal"
)

// tail has the latest entries of the journal, as views have read them: consecutive entries that are in no list yet. So
// each is decoded once. The hash of an entry covers those before it. A snapshot whose journal has the same hash at the
// same number therefore has the same entries.
type tail struct {
	mu      sync.Mutex
	entries []journal.Numbered
}

// after returns the known entries after the last listed one, up to the end of a journal: all of them, some, or none.
func (t *tail) after(listed, head journal.Head) []journal.Numbered {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.entries) == 0 || listed.Seq+1 < t.entries[0].Seq {
		return nil
	}
	t.entries = t.entries[min(int64(len(t.entries)), listed.Seq+1-t.entries[0].Seq):]
	known := t.entries[:min(int64(len(t.entries)), head.Seq-listed.Seq)]
	if len(known) == 0 {
		return nil
	}
	if last := known[len(known)-1].Head; last.Seq == head.Seq && last != head {
		return nil
	}
	return known
}

// extend adds entries that follow the known ones, or the last listed one.
func (t *tail) extend(from journal.Head, more []journal.Numbered) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch last := len(t.entries) - 1; {
	case last >= 0 && t.entries[last].Head == from:
		t.entries = append(t.entries, more...) // earlier callers of after do not see them
	case last < 0 || t.entries[last].Seq <= from.Seq:
		t.entries = more
	}
}

// latest returns the entries that are in no list yet, in their order, except damaged ones, whose lists are unknown.
// Callers share them.
func (j events) latest(ctx context.Context) (all []journal.Numbered, err error) {
	head, listed, err := rows.Ends(ctx, j.Tx)
	if err != nil || head == listed {
		return nil, err
	}
	for range 2 { // the first time it may add to the known entries
		known, from := j.store.tail.after(listed, head), listed
		if len(known) > 0 {
			from = known[len(known)-1].Head
		}
		if from == head {
			return known, nil
		}
		at, sound := from, true
		var more []journal.Numbered
		err = rows.Tail(ctx, j.Tx, from.Seq, func(n *journal.Numbered) {
			sound = sound && n.Follows(at)
			at, more = n.Head, append(more, *n)
		})
		if err != nil {
			return nil, err
		}
		if !sound { // one is damaged, or the known ones belong to another journal
			break
		}
		j.store.tail.extend(from, more)
	}
	err = rows.Tail(ctx, j.Tx, listed.Seq, func(n *journal.Numbered) { all = append(all, *n) })
	return all, err
}
