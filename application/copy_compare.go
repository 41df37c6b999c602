package application

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// The kinds of records, in the order in which they are copied: a reseller comes
// before what names it.
var (
	copiedResellers = audited("account",
		func(s side) pages[ports.Audited[*reseller.Reseller]] { return pagesByID(s.ctx, s.Resellers) },
		func(a *reseller.Reseller) any { return a.State() },
		func(all []*reseller.Reseller) ports.Batch { return ports.Batch{Resellers: all} })
	copiedLines = audited("line",
		func(s side) pages[ports.Audited[*line.Line]] { return pagesByID(s.ctx, s.Lines) },
		func(l *line.Line) any { return l.State() },
		func(all []*line.Line) ports.Batch { return ports.Batch{Lines: all} })
	copiedTombstones = audited("tombstone",
		func(s side) pages[ports.Audited[line.Tombstone]] { return pagesByID(s.ctx, s.Tombstones) },
		func(t line.Tombstone) any { return t },
		func(all []line.Tombstone) ports.Batch { return ports.Batch{Tombstones: all} })
	copiedMovements = audited("movement",
		func(s side) pages[ports.Audited[credit.Movement]] { return pagesByID(s.ctx, s.Movements) },
		func(m credit.Movement) any { return m },
		func(all []credit.Movement) ports.Batch { return ports.Batch{Movements: all} })
	copiedKeys = kindOf[ports.KeyRecord]{
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

func audited[T any](
	name string, read func(side) pages[ports.Audited[T]], state func(T) any, batch func([]T) ports.Batch,
) kindOf[ports.Audited[T]] {
	return kindOf[ports.Audited[T]]{
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

// mostDifferences bounds how many differences are reported: more say nothing new.
const mostDifferences = 20

// errEnough ends a comparison early.
var errEnough = errors.New("enough differences")

// compare reads both sides from the beginning to the end, in order, and reports
// every record that is not the same on both.
func (c *copying) compare(target side) error {
	var done, differences int64
	differs := func(format string, args ...any) error {
		c.Report(fmt.Sprintf(format, args...))
		if differences++; differences == mostDifferences {
			return errEnough
		}
		return nil
	}
	total := c.records() + c.done.Keys
	c.Progress(Compare, 0, total)
	step := func() {
		if done++; done%ports.CopyBatch == 0 || done == total {
			c.Progress(Compare, done, total)
		}
	}
	origin, err := target.Origin(target.ctx)
	if err != nil {
		return err
	}
	if origin.Fingerprint != c.origin.Fingerprint {
		_ = differs("service key: the copy has recorded another one")
	}
	if !origin.TombstonesSince.Equal(c.origin.TombstonesSince) {
		_ = differs("tombstones: the copy says that deletions leave them since %s, and the source since %s", origin.TombstonesSince, c.origin.TombstonesSince)
	}
	for _, of := range ports.Sequences() {
		if origin.Next[of] != c.origin.Next[of] { // these few are never too many
			_ = differs("sequence %s: it goes on with %d in the copy and with %d in the source", of, origin.Next[of], c.origin.Next[of])
		}
	}
	err = compareKind(copiedResellers, c.source, target, step, differs)
	if err == nil {
		err = compareKind(copiedLines, c.source, target, step, differs)
	}
	if err == nil {
		err = compareKind(copiedTombstones, c.source, target, step, differs)
	}
	if err == nil {
		err = compareKind(copiedMovements, c.source, target, step, differs)
	}
	if err == nil {
		err = compareKind(copiedKeys, c.source, target, step, differs)
	}
	if err == nil && differences > 0 || errors.Is(err, errEnough) {
		return ErrCopyDiffers
	}
	return err
}

func compareKind[R any](k kindOf[R], source, target side, step func(), differs func(format string, args ...any) error) error {
	from, to := stream[R]{next: k.pages(source)}, stream[R]{next: k.pages(target)}
	for {
		if err := errors.Join(from.fill(), to.fill()); err != nil {
			return err
		}
		var err error
		switch here, there := from.page, to.page; {
		case len(here) == 0 && len(there) == 0:
			return nil
		case len(there) == 0 || len(here) > 0 && k.order(here[0], there[0]) < 0:
			err = differs("%s: it is missing in the copy", k.name(here[0]))
			from.drop()
			step()
		case len(here) == 0 || k.order(here[0], there[0]) > 0:
			err = differs("%s: it is in the copy and not in the source", k.name(there[0]))
			to.drop()
		default:
			if !k.same(here[0], there[0]) {
				err = differs("%s: it is not in the copy what it is in the source", k.name(here[0]))
			}
			from.drop()
			to.drop()
			step()
		}
		if err != nil {
			return err
		}
	}
}

func (k kindOf[R]) same(a, b R) bool {
	here, damageHere := k.content(a)
	there, damageThere := k.content(b)
	return damageHere == nil && damageThere == nil && same(reflect.ValueOf(here), reflect.ValueOf(there))
}

// stream reads records one by one.
type stream[R any] struct {
	next  pages[R]
	page  []R // what is left of it
	ended bool
}

// fill sees that there is a record, unless there are no more.
func (s *stream[R]) fill() (err error) {
	if len(s.page) == 0 && !s.ended {
		s.page, err = s.next()
		s.ended = len(s.page) == 0
	}
	return err
}

func (s *stream[R]) drop() { s.page = s.page[1:] }

// same compares two records of one type, whatever they are made of: every field
// counts, those that are added later too. Amounts and instants count by value, the
// latter with their zone; nothing and empty are the same.
func same(a, b reflect.Value) bool {
	if a.CanInterface() {
		switch value := a.Interface().(type) {
		case time.Time:
			other := b.Interface().(time.Time) //nolint:forcetypeassert // both have one type
			return value.Equal(other) && value.Location() == other.Location()
		case credit.Amount:
			return value.Equal(b.Interface().(credit.Amount)) //nolint:forcetypeassert // both have one type
		}
	}
	switch a.Kind() { //nolint:exhaustive // what is not listed is a value of its own
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Type().Elem().Kind() == reflect.Uint8 {
			return bytes.Equal(a.Bytes(), b.Bytes())
		}
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	default:
		return a.Equal(b)
	}
}
