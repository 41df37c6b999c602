package sqlitestore

import (
	"context"
	"errors"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
)

// A list is one range of an index: see the schema. Other filters are applied to each of its entries. A page is bounded
// by the number of entries that it examines: its edge is the last of them. If one filter leaves few lines of the whole
// store, the page examines these instead. In the order of names, the scope of the list is such a filter.

// namesWith returns the range of the keys that start with prefix: from the first up to, and without, the second.
func namesWith(prefix string) (from, to engine.Arg) {
	if end, bounded := storekit.AfterPrefix(prefix); bounded {
		return engine.Text("names_from", prefix), engine.Text("names_to", end)
	}
	return engine.Text("names_from", prefix), engine.Blob("names_to", nil) // which SQLite sorts after every text
}

// few reports whether a page may examine all names in the range; the statement beyond looks for one more.
func (q *transaction) few(ctx context.Context, beyond *engine.Statement, search engine.Args) (bool, error) {
	err := q.Row(ctx, beyond, search, func(*engine.Row) {})
	if errors.Is(err, fault.ErrNotFound) {
		return true, nil
	}
	return false, err
}
