package sqlitestore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
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
	trials := false
	for _, order := range ports.LineOrders() {
		end, found := int64(bound), int64(selected)
		if order.Backwards() {
			end, found = list+1-end, list+1-found
		}
		execute(t, s, fmt.Sprintf("UPDATE lines SET trial = id <> %[1]d, platform_id = iif(id = %[1]d, 1, NULL), charge = iif(id = %[1]d, 1, NULL), checksum = NULL", found))
		must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
			q := ports.LineQuery{Scope: ports.Scope{Reseller: 2}, Trial: &trials, Order: order, Limit: 50}
			page, err := v.Lines.List(ctx, q)
			must(t, err)
			if len(page.Lines) != 0 || page.Next == nil || page.Next.ID != end {
				t.Fatalf("order %d: got %d lines and the cursor %v, want none and that of line %d", order, len(page.Lines), page.Next, end)
			}
			q.After = *page.Next
			page, err = v.Lines.List(ctx, q)
			must(t, err)
			if len(page.Lines) != 1 || page.Lines[0].ID() != found || page.Next != nil {
				t.Errorf("order %d: got %v and the cursor %v, want line %d and none", order, page.Lines, page.Next, found)
			}
			if !order.ByExpiry() {
				return nil
			}
			q.After, q.ExpiresAfter, q.ExpiresBefore = ports.LineCursor{}, new(expires(found)), new(expires(found+1))
			page, err = v.Lines.List(ctx, q)
			must(t, err)
			if len(page.Lines) != 1 || page.Lines[0].ID() != found || page.Next != nil {
				t.Errorf("order %d: in a window got %v and the cursor %v, want line %d and none", order, page.Lines, page.Next, found)
			}
			return nil
		}))
	}
	must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		q := ports.ResellerQuery{Master: masterOfOthers.ID(), Username: "reseller", Limit: 50}
		page, err := v.Resellers.List(ctx, q)
		must(t, err)
		if len(page.Resellers) != 0 || page.Next != first+bound {
			t.Fatalf("got %d accounts and the cursor %d, want none and %d", len(page.Resellers), page.Next, first+bound)
		}
		q.After = page.Next
		page, err = v.Resellers.List(ctx, q)
		must(t, err)
		if len(page.Resellers) != 1 || page.Resellers[0].ID() != first+selected || page.Next != 0 {
			t.Errorf("got %v and the cursor %d, want account %d and none", page.Resellers, page.Next, first+selected)
		}
		return nil
	}))
}
