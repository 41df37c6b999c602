package audit

import (
	"context"
	"maps"
	"slices"

	"resellerd/application/internal/auditing"
	"resellerd/ports"
)

// named reads the records of one kind that the records of a page refer to, such as the owners of lines: first each
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

// forgetNamed makes room for the references of the next page.
func (a *auditor) forgetNamed() {
	a.resellers.found, a.lines.found, a.tombstones.found, a.movements.found, a.postings.found = nil, nil, nil, nil, nil
}

// readNamed reads every reference that was noted.
func (a *auditor) readNamed(ctx context.Context) error {
	for _, read := range []func(context.Context) error{a.resellers.read, a.lines.read, a.tombstones.read, a.movements.read,
		a.postings.read} {
		if err := read(ctx); err != nil {
			return err
		}
	}
	return nil
}
