package memstore

import (
	"iter"
	"strings"

	"resellerd/adapters/storekit"
)

// page goes through positions in the order of a list and returns up to limit of
// what find finds there; next is the last position that was examined, nil where
// there is no further one.
func page[P, R any](positions iter.Seq[P], limit int, find func(P) (R, bool)) (found []R, next *P) {
	most, seen := storekit.Examined(limit), 0
	var last P
	for p := range positions {
		if len(found) >= limit || seen >= most {
			return found, &last
		}
		last = p
		seen++
		if r, matches := find(p); matches {
			found = append(found, r)
		}
	}
	return found, nil
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
