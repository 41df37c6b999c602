package transfer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// The kinds of records. A reseller is copied before records that name it, and entries of the journal come last.
var (
	resellers = recorded("account",
		func(s side) pages[ports.Audited[*reseller.Reseller]] { return pagesByID(s.ctx, s.Resellers) },
		func(r *reseller.Reseller) any { return r.State() },
		func(all []*reseller.Reseller) ports.Batch { return ports.Batch{Resellers: all} })
	lines = recorded("line",
		func(s side) pages[ports.Audited[*line.Line]] { return pagesByID(s.ctx, s.Lines) },
		func(l *line.Line) any { return l.State() },
		func(all []*line.Line) ports.Batch { return ports.Batch{Lines: all} })
	tombstones = recorded("tombstone",
		func(s side) pages[ports.Audited[line.Tombstone]] { return pagesByID(s.ctx, s.Tombstones) },
		func(t line.Tombstone) any { return t },
		func(all []line.Tombstone) ports.Batch { return ports.Batch{Tombstones: all} })
	movements = recorded("movement",
		func(s side) pages[ports.Audited[credit.Movement]] { return pagesByID(s.ctx, s.Movements) },
		func(m credit.Movement) any { return m },
		func(all []credit.Movement) ports.Batch { return ports.Batch{Movements: all} })
	entries = recorded("entry",
		func(s side) pages[ports.Audited[journal.Numbered]] { return pagesByID(s.ctx, s.Entries) },
		func(n journal.Numbered) any { return n },
		func(all []journal.Numbered) ports.Batch { return ports.Batch{Entries: all} })
	idempotencyKeys = kind[ports.KeyRecord]{
		name: func(r ports.KeyRecord) string {
			return fmt.Sprintf("idempotency key %q of account %d", r.Key, r.Reseller)
		},
		order: func(a, b ports.KeyRecord) int {
			return cmp.Or(cmp.Compare(a.Reseller, b.Reseller), strings.Compare(a.Key, b.Key))
		},
		content: func(r ports.KeyRecord) (any, error) { return r, nil },
		pages: func(s side) pages[ports.KeyRecord] {
			var last ports.KeyRecord
			return func() ([]ports.KeyRecord, error) {
				found, err := s.KeyRecords(s.ctx, last.Reseller, last.Key, ports.CopyBatch)
				if len(found) > 0 {
					last = found[len(found)-1]
				}
				return found, err
			}
		},
		batch: func(all []ports.KeyRecord) ports.Batch { return ports.Batch{Keys: all} },
	}
)

// copiedKinds are the declared kinds whose records copies contain.
func copiedKinds() (all []kind[record.Found]) {
	for _, of := range ports.Kinds() {
		if of.Copied() {
			all = append(all, declared(of))
		}
	}
	return all
}

func declared(of *record.Kind) kind[record.Found] {
	return kind[record.Found]{
		name:  func(f record.Found) string { return of.Show(f.Key) },
		order: func(a, b record.Found) int { return strings.Compare(a.Key, b.Key) },
		content: func(f record.Found) (any, error) {
			if f.Damage != nil {
				return nil, f.Damage
			}
			v, err := of.Read(f.Payload)
			return reflect.ValueOf(v).Elem().Interface(), err
		},
		pages: func(s side) pages[record.Found] {
			after := ""
			return func() ([]record.Found, error) {
				found, err := s.OfKind(s.ctx, of, after, ports.CopyBatch)
				if len(found) > 0 {
					after = found[len(found)-1].Key
				}
				return found, err
			}
		},
		batch: func(page []record.Found) ports.Batch {
			records := make([]ports.KindRecord, len(page))
			for i, f := range page {
				records[i].Kind = of
				records[i].Stored, _ = of.Examine(f.Payload) // no error: its content was read
			}
			return ports.Batch{Kinds: records}
		},
	}
}

// recorded returns a kind of records that have ids.
func recorded[T any](
	name string, read func(side) pages[ports.Audited[T]], state func(T) any, batch func([]T) ports.Batch,
) kind[ports.Audited[T]] {
	return kind[ports.Audited[T]]{
		name:  func(f ports.Audited[T]) string { return fmt.Sprintf("%s %d", name, f.ID) },
		order: func(a, b ports.Audited[T]) int { return cmp.Compare(a.ID, b.ID) },
		content: func(f ports.Audited[T]) (any, error) {
			if f.Damage != nil {
				return nil, f.Damage
			}
			return state(f.Record), nil
		},
		pages: read,
		batch: func(page []ports.Audited[T]) ports.Batch {
			records := make([]T, len(page))
			for i, f := range page {
				records[i] = f.Record
			}
			return batch(records)
		},
	}
}

// pageOf is how ports.Records reads a kind of records.
type pageOf[T any] = func(ctx context.Context, after int64, limit int) ([]ports.Audited[T], error)

// kind describes one kind of records to a copy.
type kind[R any] struct {
	name    func(R) string
	order   func(a, b R) int
	content func(R) (any, error) // must be the same in the copy; an error if the record is damaged
	pages   func(side) pages[R]
	batch   func([]R) ports.Batch
}

// pages returns the next page each time, an empty one at the end.
type pages[R any] func() ([]R, error)

func pagesByID[T any](ctx context.Context, page pageOf[T]) pages[ports.Audited[T]] {
	after := int64(math.MinInt64)
	return func() ([]ports.Audited[T], error) {
		found, err := page(ctx, after, ports.CopyBatch)
		if len(found) > 0 {
			after = found[len(found)-1].ID
		}
		return found, err
	}
}

// carry passes all records of the kind in the source to put, batch by batch.
func (k kind[R]) carry(source side, put func(count int, batch ports.Batch) error) error {
	next := k.pages(source)
	for {
		page, err := next()
		if err != nil || len(page) == 0 {
			return err
		}
		for _, r := range page {
			if _, err := k.content(r); err != nil {
				return fmt.Errorf("%s: %w", k.name(r), err)
			}
		}
		if err := put(len(page), k.batch(page)); err != nil {
			return err
		}
	}
}
