package sqlitestore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"resellerd/adapters/storekit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestAPageExaminesABoundedNumberOfRecords selects one line with a page of 50. The page ends after 1,000 records of its
// list, by name after 5,000, and the next page has the line.
func TestAPageExaminesABoundedNumberOfRecords(t *testing.T) {
	t.Parallel()
	const last = 5_500
	owner := master(2)
	s := holding(t, admin(), owner)
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		for n := int64(1); n <= last; n++ {
			l := fixture.Trial(owner, n, func(s *line.State) {
				s.Username = fixture.Name(fmt.Sprintf("line%05d", n))
				s.ExpiresAt = fixture.Noon.Add(time.Duration(n) * time.Millisecond)
			})
			if err := tx.Lines.Insert(ctx, l); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, order := range ports.LineOrders() {
		q := ports.LineQuery{Scope: ports.Scope{Reseller: 2}, Trial: new(false), Order: order, Limit: 50}
		end := int64(storekit.ExaminedLines(q))
		found := end + 200
		if order.Backwards() {
			end, found = last+1-end, last+1-found
		}
		execute(t, s, fmt.Sprintf(`UPDATE lines SET trial = id <> %[1]d, platform_id = iif(id = %[1]d, 1, NULL),
			charge = iif(id = %[1]d, 1, NULL), checksum = NULL`, found))
		lines := func(ctx context.Context, v ports.Snapshot) (ports.LinePage, error) { return v.Lines.List(ctx, q) }
		page := seen(t, s, lines)
		if len(page.Lines) != 0 || page.Next == nil || page.Next.ID != end {
			t.Fatalf("order %d: got %v and the cursor %v, want none and that of line %d", order, page.Lines, page.Next, end)
		}
		q.After = *page.Next
		if page = seen(t, s, lines); len(page.Lines) != 1 || page.Lines[0].ID() != found {
			t.Errorf("order %d: got %v, want line %d", order, page.Lines, found)
		}
	}
}

// TestAPageOfEventsExaminesABoundedNumber selects one entry with a page of 50. The page ends after 1,000 entries, and
// the next page has the entry.
func TestAPageOfEventsExaminesABoundedNumber(t *testing.T) {
	t.Parallel()
	s := holding(t)
	all := make([]journal.Entry, 2_400)
	for i := range all {
		all[i] = started(2)
	}
	all[len(all)/2].Type = journal.ResellerBlocked
	appendAll(t, s, all...)
	for _, of := range []ports.EventScope{{}, {Account: 2}} {
		for _, descending := range []bool{false, true} {
			q := ports.EventQuery{Of: of, Types: []journal.Type{journal.ResellerBlocked}, Descending: descending, Limit: 50}
			page := events(t, s, q)
			if len(page.Entries) != 0 || page.Next == 0 {
				t.Errorf("%+v: got %d entries and the cursor %d, want a cursor alone", q, len(page.Entries), page.Next)
			}
			if q.After = page.Next; descending {
				q.After, q.Before = 0, page.Next
			}
			expect.Equal(t, len(events(t, s, q).Entries), 1, "%+v: entries of the next page", q)
		}
	}
}
