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

// Collection stores the records of one kind, by keys.
type Collection[K comparable, V any] interface {
	// Query returns a query that calls found with each existing record of these keys. It returns nil if there is none.
	Query(keys []K, found func(K, Stored[V])) Query
	// Write makes all of these changes. It returns RefusedWrite if no attempt can make one of them. Examples are a
	// record to add that already exists, and a record to change or remove that does not exist.
	Write(ctx context.Context, changes []Change[K, V]) error
}

// Query is a query of a collection, which its Database can run.
type Query any

// Stored is a record as it is stored.
type Stored[V any] struct {
	Value  V
	Damage error // why it can't be read: the error of a Get
	// Version belongs to the collection, which gets it back with a change of the record.
	Version int64
	Raw     []byte
}

// Change is one change to make.
type Change[K comparable, V any] struct {
	Action Action
	Key    K
	Stored[V]
}

// Action is the effect of a change on the stored record. A change or removal of a record that was not read has no
// version.
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
	undo   []func() // undoes the writes of work, the last first
	missed bool     // work requested a record that was not read yet
	ended  bool
}

var _ storekit.Run = (*Run)(nil)

var errEnded = storekit.Unavailable("run an update", errors.New("a transaction is used after its end"))

// Missed reports whether the run requested a record that was not read yet, and must therefore be repeated.
func (r *Run) Missed() bool { return r.missed }

// Failed implements storekit.Run.
func (r *Run) Failed() error {
	if r.missed {
		return storekit.ErrAgain
	}
	return nil
}

// End implements storekit.Run.
func (r *Run) End(commit bool) {
	if !commit {
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

// NewSharedKind returns the kind of the records in a collection that several processes often change: see Contention.
// Claim writes the existing records, in the order of their keys, without a significant change. From then on every other
// transaction that writes one of them conflicts.
func NewSharedKind[K cmp.Ordered, V any](c Collection[K, V],
	claim func(ctx context.Context, keys []K) error) *Kind[K, V] {
	return &Kind[K, V]{collection: c, claim: claim, compare: cmp.Compare[K]}
}

func (k *Kind[K, V]) register(at int) { k.at = at }

func (k *Kind[K, V]) table() table {
	return &tableOf[K, V]{Kind: k, records: map[K]record[V]{}, wanted: map[K]struct{}{}, claimed: map[K]struct{}{}}
}

func (k *Kind[K, V]) of(r *Run) *tableOf[K, V] { return r.tx.tables[k.at].(*tableOf[K, V]) }

// Want requests records that work is going to read, so that all missing ones are read at once. It returns the existing
// ones.
func (k *Kind[K, V]) Want(r *Run, keys ...K) (there []V) {
	for _, key := range keys {
		if v, err := k.Get(r, key); err == nil {
			there = append(there, v)
		}
	}
	return there
}

// Get returns a record, or fault.ErrNotFound. If the record was not read yet, Get ends the run of work; work runs again
// once the record was read.
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

// Insert adds a record, which need not have been read. If the transaction knows that the record exists, the error is
// taken. Otherwise the database refuses the write.
func (k *Kind[K, V]) Insert(r *Run, key K, v V, taken error) error {
	if !r.ended && k.of(r).records[key].present {
		return taken
	}
	return k.Put(r, key, v)
}

// Put sets a record. A record that was never read is a new one.
func (k *Kind[K, V]) Put(r *Run, key K, v V) error {
	return k.set(r, key, func(after *record[V], _ bool) { after.present, after.Value = true, v })
}

// ErrGone refuses to remove a record that is known not to exist.
var ErrGone = errors.New("a record to remove does not exist")

// Remove removes a record. The database refuses the write if the record was never read and does not exist.
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

// table is the state of one kind of records in a transaction.
type table interface {
	// query returns a query for the requested records, nil if there are none.
	query() Query
	write(ctx context.Context) error
	// claim claims the records that other transactions may have prevented an earlier attempt from changing.
	claim(ctx context.Context) error
	// wantAgain requests all records that the table of an earlier attempt knew or requested. If the earlier attempt
	// conflicted with another transaction, it also claims the records that the attempt claimed or was going to change.
	wantAgain(earlier table, met bool)
}

// tableOf is the identity map of a kind: its known records, and the changes to write.
type tableOf[K comparable, V any] struct {
	*Kind[K, V]

	records map[K]record[V]
	wanted  map[K]struct{} // requested and not read yet
	claimed map[K]struct{}
}

// record is the state of a record for the next command.
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

// query implements table. A requested record that a later command has written without reading it is already known.
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

// write writes the changes, each record once.
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
