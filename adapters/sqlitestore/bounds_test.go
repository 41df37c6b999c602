package sqlitestore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// The page of 50 ends after 1,000 records of its list: what lies beyond is on the
// next, also where nothing before it was selected. In orders of expiry a window
// begins where it says, whatever lies before it.
func TestAPageExaminesABoundedNumberOfRecords(t *testing.T) {
	t.Parallel()
	const (
		bound        = 1_000
		list         = bound + 500
		selected     = bound + 200
		first, other = 10_000, 20_000
	)
	owner, masterOfOthers := master(2), master(3)
	expires := func(n int64) time.Time { return fixture.Noon.Add(time.Duration(n) * time.Millisecond) }
	s := holding(t, admin(), owner, masterOfOthers)
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		for n := int64(1); n <= list; n++ {
			if err := tx.Lines.Insert(ctx, fixture.Trial(owner, n, func(s *line.State) {
				s.Username, s.ExpiresAt = fixture.Name(fmt.Sprintf("line%05d", n)), expires(n)
			})); err != nil {
				return err
			}
			child := fixture.Reseller(masterOfOthers, first+n, func(s *reseller.State) {
				if n != selected {
					s.Username = fixture.Name(fmt.Sprint("other", n))
				}
			})
			if err := tx.Resellers.Insert(ctx, child); err != nil {
				return err
			}
			if err := tx.Resellers.Insert(ctx, master(other+n)); err != nil { // has the name that is asked for
				return err
			}
		}
		return nil
	}))
	lines := func(q ports.LineQuery) ports.LinePage {
		return seen(t, s, func(ctx context.Context, v ports.Snapshot) (ports.LinePage, error) { return v.Lines.List(ctx, q) })
	}
	for _, order := range ports.LineOrders() {
		end, found := int64(bound), int64(selected)
		if order.Backwards() {
			end, found = list+1-end, list+1-found
		}
		execute(t, s, fmt.Sprintf(`UPDATE lines SET trial = id <> %[1]d, platform_id = iif(id = %[1]d, 1, NULL),
			charge = iif(id = %[1]d, 1, NULL), checksum = NULL`, found))
		wantFound := func(q ports.LineQuery) {
			t.Helper()
			if page := lines(q); len(page.Lines) != 1 || page.Lines[0].ID() != found || page.Next != nil {
				t.Errorf("%+v: got %v and the cursor %v, want line %d and none", q, page.Lines, page.Next, found)
			}
		}
		q := ports.LineQuery{Scope: ports.Scope{Reseller: 2}, Trial: new(false), Order: order, Limit: 50}
		page := lines(q)
		if len(page.Lines) != 0 || page.Next == nil || page.Next.ID != end {
			t.Fatalf("order %d: got %v and the cursor %v, want none and that of line %d", order, page.Lines, page.Next, end)
		}
		q.After = *page.Next
		wantFound(q)
		if order.ByExpiry() {
			q.After, q.ExpiresAfter, q.ExpiresBefore = ports.LineCursor{}, new(expires(found)), new(expires(found+1))
			wantFound(q)
		}
	}
	for after, want := range map[int64][]int64{0: {first + bound}, first + bound: {0, first + selected}} {
		q := ports.ResellerQuery{Master: masterOfOthers.ID(), Username: "reseller", After: after, Limit: 50}
		page := seen(t, s, func(ctx context.Context, v ports.Snapshot) (ports.ResellerPage, error) {
			return v.Resellers.List(ctx, q)
		})
		got := []int64{page.Next}
		for _, r := range page.Resellers {
			got = append(got, r.ID())
		}
		expect.DeepEqual(t, got, want, "the cursor, and the accounts of the page after %v", after)
	}
}
