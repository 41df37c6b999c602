package gather

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
)

// Collection keeps the records of one kind, by keys.
type Collection[K comparable, V any] interface {
	// Query returns a query that calls found with each record that these keys have, or nil if there is none.
	Query(keys []K, found func(K, Stored[V])) Query
	// Write makes all of these changes. It returns RefusedWrite if no attempt can make one of them, such as when a
	// record to add exists already, or one to change or remove does not.
	Write(ctx context.Context, changes []Change[K, V]) error
}

// Query is a query of a collection, which its Database can run.
type Query any

// Stored is a record as it is stored.
type Stored[V any] struct {
	Value  V
	Damage error // why it can't be read: the error of a Get
	// The collection's own, passed back to it with a change of the record.
	Version int64
	Raw     []byte
}

// Change is one change to make.
type Change[K comparable, V any] struct {
	Action Action
	Key    K
	Stored[V]
}

// Action is what a change does to the stored record. A change or removal of one that was
// not read has no version.
type Action int

// The actions.
const (
	Add Action = iota
	Replace
	Remove
)

// Run is one run of an update's work.
type Run struct {
	tx     *transaction
	undo   []func() // takes back what it wrote, the last first
	missed bool     // it asked for a record that was not read yet
	ended  bool
}

var _ storekit.Run = (*Run)(nil)

var errEnded = storekit.Unavailable("run an update", errors.New("a transaction is used after its end"))

// Missed reports whether the run asked for a record that was not read yet, and so is to
// be repeated.
func (r *Run) Missed() bool { return r.missed }

// Failed implements storekit.Run.
func (r *Run) Failed() error {
	if r.missed {
		return storekit.ErrAgain
	}
	return nil
}

// End implements storekit.Run.
func (r *Run) End(kept bool) {
	if !kept {
		for _, undo := range slices.Backward(r.undo) {
			undo()
		}
	}
	r.undo, r.ended = nil, true
}

// AnyKind is a Kind of any records.
type AnyKind interface {
	register(at int)
	table() table
}

// Kind is a kind of records, through which work reads and writes them. It belongs to one
// engine.
type Kind[K comparable, V any] struct {
	collection Collection[K, V]
	claim      func(ctx context.Context, keys []K) error // nil: records are not claimed
	compare    func(a, b K) int                          // nil: they are written in any order
	at         int                                       // among the kinds of the engine
}

// NewKind returns the kind of the records in a collection.
func NewKind[K comparable, V any](c Collection[K, V]) *Kind[K, V] { return &Kind[K, V]{collection: c} }

// NewSharedKind returns the kind of the records in a collection that several processes keep changing: see Contention.
// Claim writes those that exist, in the order of their keys, without a change that matters, so that from then on every
// other transaction that writes one of them meets a conflict.
func NewSharedKind[K cmp.Ordered, V any](c Collection[K, V],
	claim func(ctx context.Context, keys []K) error) *Kind[K, V] {
	return &Kind[K, V]{collection: c, claim: claim, compare: cmp.Compare[K]}
}

func (k *Kind[K, V]) register(at int) { k.at = at }

func (k *Kind[K, V]) table() table {
	return &tableOf[K, V]{Kind: k, records: map[K]record[V]{}, wanted: map[K]struct{}{}, claimed: map[K]struct{}{}}
}

func (k *Kind[K, V]) of(r *Run) *tableOf[K, V] { return r.tx.tables[k.at].(*tableOf[K, V]) }

// Want asks for records that work is going to read, so that all of those that are missing
// are read at once. It returns those that are there.
func (k *Kind[K, V]) Want(r *Run, keys ...K) (there []V) {
	for _, key := range keys {
		if v, err := k.Get(r, key); err == nil {
			there = append(there, v)
		}
	}
	return there
}

// Get returns a record, or fault.ErrNotFound. If it was not read yet, this ends the run of work, which is repeated once
// it is.
func (k *Kind[K, V]) Get(r *Run, key K) (v V, err error) {
	if r.ended {
		return v, errEnded
	}
	t := k.of(r)
	found, known := t.records[key]
	switch {
	case !known:
		t.wanted[key] = struct{}{}
		r.missed = true
		return v, storekit.ErrAgain
	case found.Damage != nil:
		return v, found.Damage
	case !found.present:
		return v, fault.ErrNotFound
	}
	return found.Value, nil
}

// Added reports whether this transaction adds a record that it has not read.
func (k *Kind[K, V]) Added(r *Run, key K) bool {
	found := k.of(r).records[key]
	return found.changed && found.present && !found.stored
}

// Insert adds a record that need not have been read: if it exists, taken is the error if this transaction knows by now,
// and otherwise the database refuses it.
func (k *Kind[K, V]) Insert(r *Run, key K, v V, taken error) error {
	if !r.ended && k.of(r).records[key].present {
		return taken
	}
	return k.Put(r, key, v)
}

// Put sets a record. One that was never read is a new one.
func (k *Kind[K, V]) Put(r *Run, key K, v V) error {
	return k.set(r, key, func(after *record[V], _ bool) { after.present, after.Value = true, v })
}

// ErrGone refuses to remove what is known not to be there.
var ErrGone = errors.New("a record to remove is not there")

// Remove removes a record. If it was never read and is not there, the database refuses that.
func (k *Kind[K, V]) Remove(r *Run, key K) error {
	if found, known := k.of(r).records[key]; known && !found.present && !r.ended {
		return ErrGone
	}
	return k.set(r, key, func(after *record[V], known bool) {
		after.present, after.stored = false, after.stored || !known
	})
}

func (k *Kind[K, V]) set(r *Run, key K, change func(after *record[V], known bool)) error {
	if r.ended {
		return errEnded
	}
	t := k.of(r)
	r.tx.wrote = true
	before, known := t.records[key]
	r.undo = append(r.undo, func() {
		if known {
			t.records[key] = before
		} else {
			delete(t.records, key)
		}
	})
	after := before
	after.changed = true
	change(&after, known)
	t.records[key] = after
	return nil
}

// table is what a transaction knows of the records of any kind.
type table interface {
	// query returns a query for what is wanted, nil for nothing.
	query() Query
	write(ctx context.Context) error
	// claim claims what another transaction may have kept an earlier attempt from changing.
	claim(ctx context.Context) error
	// wantAgain wants everything that the table of an earlier attempt knew or wanted and, if it met another
	// transaction, claims what it claimed or was to change.
	wantAgain(earlier table, met bool)
}

// tableOf is the identity map of a kind: what is known of its records by now, and what
// is to be written.
type tableOf[K comparable, V any] struct {
	*Kind[K, V]

	records map[K]record[V]
	wanted  map[K]struct{} // asked for and not read yet
	claimed map[K]struct{}
}

// record is a record as it stands for the next command.
type record[V any] struct {
	Stored[V]
	present bool
	stored  bool // the database has it, as far as is known
	changed bool
}

func (t *tableOf[K, V]) wantAgain(earlier table, met bool) {
	before := earlier.(*tableOf[K, V])
	maps.Copy(t.wanted, before.wanted)
	for key, r := range before.records {
		t.wanted[key] = struct{}{}
		if met && r.changed && r.stored {
			t.claimed[key] = struct{}{}
		}
	}
	if met {
		maps.Copy(t.claimed, before.claimed)
	}
}

func (t *tableOf[K, V]) claim(ctx context.Context) error {
	if t.Kind.claim == nil || len(t.claimed) == 0 {
		return nil
	}
	return t.Kind.claim(ctx, slices.SortedFunc(maps.Keys(t.claimed), t.compare))
}

// query implements table. A record that a command has written unread after another one asked for it is known by now.
func (t *tableOf[K, V]) query() Query {
	keys := make([]K, 0, len(t.wanted))
	for key := range t.wanted {
		if _, known := t.records[key]; !known {
			keys = append(keys, key)
			t.records[key] = record[V]{}
		}
	}
	clear(t.wanted)
	if len(keys) == 0 {
		return nil
	}
	return t.collection.Query(keys, func(key K, s Stored[V]) {
		t.records[key] = record[V]{Stored: s, present: true, stored: true}
	})
}

// write writes what has changed, each record once.
func (t *tableOf[K, V]) write(ctx context.Context) error {
	var changes []Change[K, V]
	for key, r := range t.records {
		action := Add
		switch {
		case !r.changed || !r.present && !r.stored:
			continue
		case !r.present:
			action = Remove
		case r.stored:
			action = Replace
		}
		changes = append(changes, Change[K, V]{action, key, r.Stored})
	}
	if len(changes) == 0 {
		return nil
	}
	if t.compare != nil {
		slices.SortFunc(changes, func(a, b Change[K, V]) int { return t.compare(a.Key, b.Key) })
	}
	return t.collection.Write(ctx, changes)
}
