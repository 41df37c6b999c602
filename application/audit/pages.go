package audit

import (
	"context"
	"maps"
	"math"
	"slices"

	"resellerd/application/internal/auditing"
	"resellerd/ports"
)

// kind is a kind of records, and the sequence of their ids, if any.
type kind struct {
	name string
	ids  ports.Sequence
}

var (
	resellerKind  = kind{"account", ports.ResellerIDs}
	lineKind      = kind{"line", ports.LineIDs}
	tombstoneKind = kind{"tombstone", ports.LineIDs}
	movementKind  = kind{"movement", ports.MovementIDs}
	entryKind     = kind{name: "entry"} // of the journal
)

// each reads all records of a kind, page by page. It counts them, reports damaged ones and calls check for the others.
// Before that each function of namedBy notes the other records that the page refers to, and these are read. A later
// function can use what an earlier one had read. In a damaged store records may not come in the order of their ids:
// that is a finding, and each ends, since they might repeat for ever.
func each[T any](
	ctx context.Context, a *auditor, of kind, count *int64,
	page func(ctx context.Context, after int64, limit int) ([]ports.Audited[T], error),
	check func(record T), namedBy ...func(record T),
) error {
	after, highest := int64(math.MinInt64), int64(math.MinInt64)
	for {
		found, err := page(ctx, after, auditing.PageSize)
		a.saw(len(found))
		if err != nil || len(found) == 0 {
			return err
		}
		a.forgetNamed()
		for _, name := range namedBy {
			for _, f := range found {
				if f.Damage == nil {
					name(f.Record)
				}
			}
			if err := a.readNamed(ctx); err != nil {
				return err
			}
		}
		for _, f := range found {
			if f.Damage == nil { // a damaged id has no position
				if f.ID <= highest {
					a.Find("%s %d: it comes after %s %d: they are out of order, and were not audited to the end", of.name, f.ID,
						of.name, highest)
					return nil
				}
				highest = f.ID
			}
			*count++
			if of.ids != (ports.Sequence{}) {
				a.given(of.ids, f.ID, "%s %d: it has an id that was not given yet", of.name, f.ID)
			}
			switch {
			case f.Damage != nil:
				a.Find("%s %d: %v", of.name, f.ID, f.Damage)
			case f.ID <= 0:
				a.Find("%s %d: an id is positive", of.name, f.ID)
			default:
				check(f.Record)
			}
		}
		after = found[len(found)-1].ID
	}
}

// named reads the records of one kind that the records of a page refer to, such as the owners of lines. First each
// reference is noted, then all of them are read in one query, and after that each is looked up in memory. So a page of
// an audit costs a few queries, not one for each record.
type named[K comparable, R any] struct {
	stored func(ctx context.Context, keys []K) (map[K]ports.Audited[R], error)
	keys   map[K]bool
	found  map[K]ports.Audited[R]
}

func namedIn[K comparable, R any](stored func(context.Context, []K) (map[K]ports.Audited[R], error)) named[K, R] {
	return named[K, R]{stored: stored, keys: map[K]bool{}}
}

func (n *named[K, R]) name(key K) { n.keys[key] = true }

func (n *named[K, R]) read(ctx context.Context) (err error) {
	if len(n.keys) > 0 {
		n.found, err = n.stored(ctx, slices.Collect(maps.Keys(n.keys)))
		clear(n.keys)
	}
	return err
}

// get looks up a record whose reference was noted and read.
func (n *named[K, R]) get(key K) (record R, is auditing.Presence) {
	found, stored := n.found[key]
	switch {
	case !stored:
		return record, auditing.Missing
	case found.Damage != nil:
		return record, auditing.Damaged
	}
	return found.Record, auditing.There
}

func number(reseller, seq int64) ports.PostingID {
	return ports.PostingID{Reseller: reseller, Seq: seq}
}

// forgetNamed drops the references of the page.
func (a *auditor) forgetNamed() {
	a.resellers.found, a.lines.found, a.tombstones.found, a.movements.found, a.postings.found = nil, nil, nil, nil, nil
}

// readNamed reads every noted reference.
func (a *auditor) readNamed(ctx context.Context) error {
	for _, read := range []func(context.Context) error{a.resellers.read, a.lines.read, a.tombstones.read, a.movements.read,
		a.postings.read} {
		if err := read(ctx); err != nil {
			return err
		}
	}
	return nil
}
