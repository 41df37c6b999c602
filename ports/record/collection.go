package record

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Stored is a record as a store has it. All of it is text without NUL.
type Stored struct {
	Key     string
	Payload string
	Entries []string // of indexes, for this key alone
}

// Reader gets records of all kinds.
//
//   - D1 A record is read unchanged, with every field.
//   - D2 Kinds are separate: the same key names a different record of each.
//   - D14 A record with fields that only a newer version knows is not damaged: it is read, listed, saved and deleted
//     like any other, and Collection.Save keeps those fields.
type Reader interface {
	// Get returns the stored payload of a key.
	//
	//   - D3 A record that does not exist is fault.ErrNotFound, and so is a deleted one, for every process.
	//
	// If it is damaged the error wraps ErrDamaged; no check proves this, since no port damages records.
	Get(ctx context.Context, of *Kind, key string) (payload string, err error)
}

// Writer reads and writes records in an Update: its changes take effect with the Update, or not at all.
//
//   - D4 The Update sees its own changes, and others see them only after it has returned.
//   - D5 Changes outlive the process.
type Writer interface {
	Reader
	// Insert adds a record.
	//
	//   - D6 A record whose key or unique entry another record has is refused with Taken of that entry, or ErrExists,
	//     here or when Update returns: of two concurrent ones one takes effect.
	Insert(ctx context.Context, of *Kind, r Stored) error
	// Save replaces a record that was read in this Update; no other process changes or removes it in between.
	//
	//   - D7 It replaces the whole record and its entries: an entry that it no longer has is free for other records
	//     from the next Update on.
	//   - D8 A record that does not exist is fault.ErrNotFound, and a concurrently deleted one stays deleted.
	//   - D9 Of many concurrent updates that read and save one record, none is lost.
	//   - D10 A unique entry that another record has is refused as by Insert.
	Save(ctx context.Context, of *Kind, r Stored) error
	// Delete removes a record, damaged or not, with its entries.
	//
	//   - D11 A record that does not exist is fault.ErrNotFound. Of two concurrent calls one removes it.
	Delete(ctx context.Context, of *Kind, key string) error
}

// Lister reads records outside Update.
type Lister interface {
	Reader
	// List returns the records of the entries in a range, in their present state, at a cost that grows with what it
	// returns, not with what is stored.
	//
	//   - D12 They come in the order of their entries, or the reverse, and are up to Limit.
	//   - D13 They are all records of the range, and no others.
	List(ctx context.Context, r Range) ([]Found, error)
}

// Range is a range of entries.
type Range struct {
	Of         *Kind
	From, To   string // the first entry, and the first after the last
	Limit      int
	Descending bool
}

// Found is a record as a list or an archive reads it.
type Found struct {
	Key, Payload string
	Entry        string // in a list: its entry
	Damage       error  // why this program can't have written it
}

// Collection reads and writes records of a kind as values.
type Collection[K ~string | ~int64, V any] struct {
	of     *Of[K, V]
	reader Reader
	writer Writer // nil outside Update
}

// In returns the records of the kind in an Update.
func (of *Of[K, V]) In(w Writer) Collection[K, V] { return Collection[K, V]{of, w, w} }

// From returns the records of the kind for reading only.
func (of *Of[K, V]) From(r Reader) Collection[K, V] { return Collection[K, V]{of, r, nil} }

// Get returns the record of a key: see Reader.
func (c Collection[K, V]) Get(ctx context.Context, key K) (v V, err error) {
	payload, err := c.reader.Get(ctx, c.of.Kind, keyText(key))
	if err == nil {
		v, err = c.of.value(payload)
	}
	if err == nil && c.of.declared.Key(&v) != key {
		v, err = *new(V), fmt.Errorf("%w: it belongs to another key", ErrDamaged)
	}
	if errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%s %v: %w", c.of.name, key, err)
	}
	return v, err
}

// value returns the value of a payload, which callers may share.
func (of *Of[K, V]) value(payload string) (V, error) {
	decode := func() (V, error) {
		v, _, err := of.decode(payload)
		return v, err
	}
	if of.declared.Shared {
		return of.shared.get(payload, decode)
	}
	return decode()
}

// Insert adds a record: see Writer.
func (c Collection[K, V]) Insert(ctx context.Context, v V) error {
	s, err := c.of.encode(&v)
	if err != nil {
		return err
	}
	return c.writer.Insert(ctx, c.of.Kind, s)
}

// Save replaces a record: see Writer. It keeps the fields of a newer version that the record has.
func (c Collection[K, V]) Save(ctx context.Context, v V) error {
	s, err := c.of.encode(&v)
	if err != nil {
		return err
	}
	before, err := c.writer.Get(ctx, c.of.Kind, s.Key)
	if err == nil && strings.HasPrefix(before, countBegins) {
		_, newer, damage := c.of.decode(before)
		s.Payload, err = newer.with(s.Payload), damage
	}
	if err != nil {
		return err
	}
	return c.writer.Save(ctx, c.of.Kind, s)
}

// Delete removes the record of a key: see Writer.
func (c Collection[K, V]) Delete(ctx context.Context, key K) error {
	return c.writer.Delete(ctx, c.of.Kind, keyText(key))
}

// Named names a record to a store that reads ahead.
func (of *Of[K, V]) Named(key K) Name { return Name{of.Kind, keyText(key)} }

// Name is a kind and a key.
type Name struct {
	Of  *Kind
	Key string
}

// Query selects records of an index: all if only Limit is set.
type Query struct {
	Equal      Tuple // the first parts
	From, To   any   // the part after them: from this on, and below this; nil: unbounded
	Descending bool
	After      string // Next of the page before, "" for the first
	Limit      int    // more than 0
}

// Page is a part of a list.
type Page[K ~string | ~int64, V any] struct {
	Items   []V
	Damaged []K    // keys of records that can't be read and were left out
	Next    string // After of the next page, "" if there is none
}

// List returns the records that a query selects: see Lister.
func (i Index[K, V]) List(ctx context.Context, l Lister, q Query) (p Page[K, V], err error) {
	within := string(q.Equal.append([]byte(i.prefix)))
	from, to := bounds(within)
	if q.From != nil {
		from = string(Tuple{q.From}.append([]byte(within)))
	}
	if q.To != nil {
		to = string(Tuple{q.To}.append([]byte(within)))
	}
	switch {
	case q.After == "":
	case q.Descending:
		to = min(to, q.After)
	default:
		from = max(from, q.After+endOfText) // right after the last entry of the page before
	}
	found, err := l.List(ctx, Range{i.of.Kind, from, to, q.Limit, q.Descending})
	if err != nil {
		return p, err
	}
	for _, f := range found {
		v, damage := *new(V), f.Damage
		if damage == nil {
			v, _, damage = i.of.decode(f.Payload)
		}
		if damage == nil {
			p.Items = append(p.Items, v)
		} else if key, ok := keyOf[K](f.Key); ok {
			p.Damaged = append(p.Damaged, key)
		}
	}
	if len(found) > 0 && len(found) == q.Limit {
		p.Next = found[len(found)-1].Entry
	}
	return p, nil
}
