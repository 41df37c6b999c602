package sqlitestore

import (
	"context"
	"errors"
	"unicode/utf8"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/domain/fault"
)

// Any list is one range of an index: see the schema. Other filters are applied to each of its entries, so that a page
// is bounded by how many it examines: its edge is the last of them. Only if a filter by name leaves few names in the
// whole store, these are examined instead.

// namesWith returns the range of the keys that start with prefix: from the first up to, and without, the second. The
// order of UTF-8 is that of the code points that it spells.
func namesWith(prefix string) (from, to engine.Arg) {
	from = engine.Text("names_from", prefix)
	for end := prefix; end != ""; {
		last, size := utf8.DecodeLastRuneInString(end)
		end = end[:len(end)-size]
		for next := last + 1; next <= utf8.MaxRune; next++ {
			if utf8.ValidRune(next) { // there are none from U+D800 to U+DFFF
				return from, engine.Text("names_to", end+string(next))
			}
		}
	}
	return from, engine.Blob("names_to", nil) // which SQLite sorts after every text
}

// few reports whether a page may examine all names in the range; beyond looks for one more.
func (q *transaction) few(ctx context.Context, beyond *engine.Statement, search engine.Args) (bool, error) {
	err := q.Row(ctx, beyond, search, func(*engine.Row) {})
	if errors.Is(err, fault.ErrNotFound) {
		return true, nil
	}
	return false, err
}
