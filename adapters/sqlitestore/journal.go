package sqlitestore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/internals"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// entries implements ports.Journal. An entry gets its number at once, because commands run one at a time. Triggers
// prevent changes and removals of entries.
type entries struct{ *transaction }

// Append implements ports.Journal.
func (j entries) Append(ctx context.Context, e journal.Entry) error {
	head, err := j.head(ctx)
	switch {
	case err != nil:
		return err
	case head.Epoch == "":
		return ports.ErrEpoch
	}
	return j.enter(ctx, head.Append(e))
}

// Begin implements ports.Journal.
func (j entries) Begin(ctx context.Context, from, to journal.Epoch, e journal.Entry) error {
	head, err := j.head(ctx)
	switch {
	case err != nil:
		return err
	case head.Epoch != from:
		return ports.ErrEpoch
	}
	return j.enter(ctx, head.AppendInNewEpoch(to, e))
}

// Epoch implements ports.Journal.
func (j entries) Epoch(ctx context.Context) (journal.Epoch, error) {
	head, err := j.head(ctx)
	return head.Epoch, err
}

// insertEntry adds an entry that already has its number.
func (q *transaction) insertEntry(ctx context.Context, n journal.Numbered) error {
	head, err := q.head(ctx)
	switch {
	case err != nil:
		return err
	case !n.Follows(head):
		return fmt.Errorf("entry %d does not follow entry %d", n.Seq, head.Seq)
	}
	return q.enter(ctx, n)
}

// head returns the end of the journal, including the entries of this command.
func (q *transaction) head(ctx context.Context) (head journal.Head, err error) {
	a := q.store.appended
	if err := q.Ready(ctx, appendEntry); err != nil {
		return journal.Head{}, err
	}
	switch {
	case a.known:
		return a.head, nil
	case q.Version == a.before && q.Version != (internals.Version{}):
		a.known, a.began, a.head = true, a.accepted.Seq, a.accepted
		return a.head, nil
	}
	head, listed, err := rows.Ends(ctx, q.Tx)
	if err != nil {
		return journal.Head{}, err
	}
	if head != a.accepted { // another process has appended, or a transaction was lost
		a.accepted, a.entered, a.counted = journal.Head{}, nil, nil // until all is read
		if err := rows.Tail(ctx, q.Tx, listed.Seq, a.add); err != nil {
			return journal.Head{}, err
		}
		a.accepted, a.acceptedEntered, a.acceptedCounted = head, a.entered, a.counted
	}
	a.known, a.began, a.listed, a.head = true, head.Seq, listed.Seq, head
	return head, nil
}

// enter appends an entry that follows the head.
func (q *transaction) enter(ctx context.Context, n journal.Numbered) error {
	if n.Movement != nil {
		if err := q.unnamed(ctx, n.Movement.ID); err != nil {
			return err
		}
	}
	row, err := rows.OfNumbered(&n)
	if err == nil {
		_, err = q.Exec(ctx, appendEntry, row[:])
	}
	if err != nil {
		return err
	}
	q.store.appended.head = n.Head
	q.store.appended.add(&n)
	return nil
}

// unnamed returns an error if an entry names a movement.
func (q *transaction) unnamed(ctx context.Context, movement int64) error {
	naming := storekit.EventList{Of: rows.Naming, ID: movement}
	for _, e := range q.store.appended.entered {
		if e.EventList == naming {
			return errNamed(movement)
		}
	}
	if movement == q.moved {
		return nil
	}
	found := false
	err := q.Rows(ctx, namesMovement, engine.Args{engine.Integer("movement", movement)}, func(*engine.Row) error {
		found = true
		return nil
	})
	if err == nil && found {
		err = errNamed(movement)
	}
	return err
}

func errNamed(movement int64) error {
	return fmt.Errorf("append to the journal: an entry names movement %d already", movement)
}

// listedAtOnce is how many entries are added to lists and figures together. A page of a list has to search as many
// entries that are in no list yet.
const listedAtOnce = 256

// appended collects the latest entries of the journal. Once there are enough, it adds them to lists and figures at the
// end of the transaction. If another process may have appended, the transaction reads the end of the journal first.
type appended struct {
	known  bool  // the end is known
	began  int64 // the end at the start
	listed int64 // the last entry in lists and figures
	// The versions of the file that the last transaction and this one have made. Zero means unknown, lost, or that the
	// transaction did not read the end of the journal.
	before, made internals.Version
	// With the present command, and without it.
	head, accepted           journal.Head
	entered, acceptedEntered []entered
	counted, acceptedCounted []rows.Counted
}

// entered is an entry in a list.
type entered struct {
	storekit.EventList

	seq int64
}

func (e entered) compare(other entered) int {
	return cmp.Or(cmp.Compare(e.Of, other.Of), cmp.Compare(e.ID, other.ID), cmp.Compare(e.seq, other.seq))
}

func (a *appended) add(n *journal.Numbered) {
	for _, list := range rows.EventLists(&n.Entry) {
		a.entered = append(a.entered, entered{list, n.Seq})
	}
	a.counted = rows.AppendCounted(a.counted, n)
}

// Begin implements engine.Batch.
func (a *appended) Begin() { a.known, a.before, a.made = false, a.made, internals.Version{} }

// Reset implements engine.Batch.
func (a *appended) Reset() {
	a.head, a.entered, a.counted = a.accepted, a.acceptedEntered, a.acceptedCounted
}

// Accept implements engine.Batch.
func (a *appended) Accept() {
	a.accepted, a.acceptedEntered, a.acceptedCounted = a.head, a.entered, a.counted
}

// End implements engine.Batch. It adds the latest entries in the order of the lists, so that neighbours are written
// together, and writes the figures of each account and day once.
func (a *appended) End(ctx context.Context, q *engine.Tx) error {
	if !a.known || a.accepted.Seq == a.began || a.accepted.Seq-a.listed < listedAtOnce {
		return nil
	}
	slices.SortFunc(a.acceptedEntered, entered.compare)
	values := make([]int64, 0, 3*len(a.acceptedEntered))
	for _, e := range a.acceptedEntered {
		values = append(values, int64(e.Of), e.ID, e.seq)
	}
	if err := enterEntries.insert(ctx, q, values); err != nil {
		return storekit.Unavailable("enter entries of the journal in lists", err)
	}
	for sum := range rows.Sums(a.acceptedCounted) {
		row := rows.OfFigures(&sum)
		if _, err := q.Exec(ctx, addFigures, row[:]); err != nil {
			return storekit.Unavailable("add to the figures of accounts", err)
		}
	}
	at := engine.Args{engine.Text("epoch", string(a.accepted.Epoch)), engine.Integer("seq", a.accepted.Seq),
		engine.Blob("hash", a.accepted.Hash[:])}
	if _, err := q.Exec(ctx, putListed, at); err != nil {
		return storekit.Unavailable("write where the lists of the journal end", err)
	}
	a.listed, a.acceptedEntered, a.acceptedCounted = a.accepted.Seq, a.acceptedEntered[:0], a.acceptedCounted[:0]
	return nil
}

// Committed implements engine.Batch.
func (a *appended) Committed(made internals.Version) {
	if a.known { // else another process may have appended before it
		a.made = made
	}
}
