package memstore

import (
	"iter"
	"strings"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
)

// one returns the record that is kept under an id.
func one[S, R any](kept tree[int64, S], id int64, restore func(S) (R, error)) (record R, err error) {
	state, found := kept.get(id)
	if !found {
		return record, fault.ErrNotFound
	}
	return restore(state)
}

// page goes through positions in the order of a list and returns up to limit of
// the records that find finds there; next is the last position that was examined,
// nil where there is no further one.
func page[P, S, R any](positions iter.Seq[P], limit int, find func(P) (S, bool), restore func(S) (R, error)) (found []R, next *P, err error) {
	most, seen := storekit.Examined(limit), 0
	var last P
	for p := range positions {
		if len(found) >= limit || seen >= most {
			return found, &last, nil
		}
		last = p
		seen++
		state, matches := find(p)
		if !matches {
			continue
		}
		record, err := restore(state)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, record)
	}
	return found, nil, nil
}

// named returns the ids whose names start with prefix; it reports false where
// they are more than most.
func named(names tree[string, int64], prefix string, most int) (ids []int64, few bool) {
	for key, id := range names.from(prefix) {
		if !strings.HasPrefix(key, prefix) {
			break
		}
		if len(ids) >= most {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}
