package storekit

import (
	"cmp"
	"time"
	"unicode/utf8"

	"resellerd/ports"
)

// Position returns the fields of a position that matter in an order.
func Position(o ports.LineOrder, at ports.LineCursor) ports.LineCursor {
	if !o.ByExpiry() {
		at.ExpiresAt = time.Time{}
	}
	if o != ports.LinesByName {
		at.Name = ""
	}
	return at
}

// ComparePositions compares positions in an order.
func ComparePositions(o ports.LineOrder, a, b ports.LineCursor) int {
	if o.Backwards() {
		a, b = b, a
	}
	return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}

// Range returns the positions between which a query has lines. The cursor limits the range. The window limits it in the
// order by expiry, and Username in the order by name. Both positions are excluded, nil is no bound, and every line has
// an id above 0.
func Range(q ports.LineQuery) (start, end *ports.LineCursor) {
	if at := Position(q.Order, q.After); at != (ports.LineCursor{}) {
		start = &at
	}
	var first *ports.LineCursor
	switch {
	case q.Order.ByExpiry():
		if q.ExpiresAfter != nil {
			first = &ports.LineCursor{ExpiresAt: *q.ExpiresAfter}
		}
		if q.ExpiresBefore != nil {
			end = &ports.LineCursor{ExpiresAt: *q.ExpiresBefore}
		}
		if q.Order.Backwards() {
			first, end = end, first
		}
	case q.Order == ports.LinesByName && q.Username != "":
		first = &ports.LineCursor{Name: q.Username}
		if name, bounded := AfterPrefix(q.Username); bounded {
			end = &ports.LineCursor{Name: name}
		}
	}
	if first != nil && (start == nil || ComparePositions(q.Order, *start, *first) < 0) {
		start = first
	}
	return start, end
}

// AfterPrefix returns the first text after all texts that begin with prefix, and false if there is no such text. UTF-8
// sorts in the order of its code points.
func AfterPrefix(prefix string) (text string, bounded bool) {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		for next := last + 1; next <= utf8.MaxRune; next++ {
			if utf8.ValidRune(next) { // there are none from U+D800 to U+DFFF
				return prefix + string(next), true
			}
		}
	}
	return "", false
}
