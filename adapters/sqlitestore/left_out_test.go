package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/storekit"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestADamagedRecordIsLeftOutOfItsLists reads each kind of list page by page. A read of the record by its id reports
// damage, neither absence nor unavailability.
func TestADamagedRecordIsLeftOutOfItsLists(t *testing.T) {
	t.Parallel()
	const last = 9
	for _, damaged := range []int64{2, 5, last} { // at either end of a page, and in its midst
		s := holding(t, admin())
		var ledger fixture.Ledger
		root, owner := admin(), master(2)
		must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) (err error) {
			for id := int64(2); id <= last; id++ {
				at := func(s *line.State) { s.ExpiresAt = fixture.Noon.AddDate(0, 0, int(10-id)) } // in the reverse order
				err = errors.Join(err, tx.Resellers.Insert(ctx, master(id)),
					tx.Ledger.Append(ctx, ledger.Fund(root, owner, "1")),
					tx.Lines.Insert(ctx, fixture.Trial(master(2+id%2), id, at)))
			}
			return err
		}))
		movement := ledger.Movements[damaged-2].ID
		execute(t, s, fmt.Sprintf(`UPDATE accounts SET country = 'XX' WHERE id = %[1]d;
			UPDATE lines SET notes = 'XX' WHERE id = %[1]d;
			DROP TRIGGER movements_are_never_changed; UPDATE movements SET operation = 'gift' WHERE id = %[2]d`,
			damaged, movement))
		var want []int64
		for id := int64(2); id <= last; id++ {
			if id != damaged {
				want = append(want, id)
			}
		}
		expected := func(name string, found, left []int64) {
			t.Helper()
			if slices.Sort(found); !slices.Equal(found, want) || !slices.Equal(left, []int64{damaged}) {
				t.Errorf("%s: %d are listed and %d left out, want %d and %d", name, found, left, want, damaged)
			}
		}
		name := fixture.Trial(admin(), 2).Shown().Username.Key()[:1]
		for _, q := range []ports.LineQuery{{}, {Order: ports.LinesByExpiry}, {Order: ports.LatestExpiry},
			{Scope: ports.Scope{Reseller: 1, Tree: true}}, {Trial: new(true)}, {Username: name}} {
			for range 2 { // the second time from the cache
				found, left := listed(t, s, q)
				expected(fmt.Sprintf("%+v", q), found, left)
			}
		}
		must(t, s.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
			var found, left []int64
			for q := (ports.ResellerQuery{Limit: 2, After: 1}); q.After > 0; {
				page, err := s.Resellers.List(ctx, q)
				must(t, err)
				for _, r := range page.Resellers {
					found = append(found, r.ID())
				}
				left, q.After = append(left, page.Damaged...), page.Next
			}
			expected("accounts", found, left)
			found, left = nil, nil
			for before, again := int64(0), true; again; again = before > 1 {
				page, err := s.Ledger.Statement(ctx, 2, before, 2)
				for _, m := range page {
					posting, _ := m.Posting(2)
					before = posting.Seq
					found = append(found, posting.Seq+1) // in the order in which they were made
				}
				if out, is := errors.AsType[*ports.IncompletePage](err); is {
					expect.DeepEqual(t, out.Damaged, []int64{movement})
					left, before, err = append(left, damaged), out.Next, nil
				}
				must(t, err)
			}
			expected("a statement", found, left)
			return nil
		}))
		for _, get := range []func(context.Context, ports.Tx) error{
			func(ctx context.Context, tx ports.Tx) error { _, err := tx.Lines.Get(ctx, damaged); return err },
			func(ctx context.Context, tx ports.Tx) error { _, err := tx.Resellers.Get(ctx, damaged); return err },
			func(ctx context.Context, tx ports.Tx) error { _, err := tx.Ledger.Get(ctx, movement); return err },
		} {
			err := s.Update(t.Context(), get)
			expect.Error(t, err, storekit.ErrDamaged)
			expect.Equal(t, errors.Is(err, ports.ErrUnavailable), false, "%v", err)
		}
	}
}

// listed lists lines, two in a page.
func listed(t *testing.T, s *sqlitestore.Store, q ports.LineQuery) (found, left []int64) {
	t.Helper()
	must(t, s.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
		for q.Limit = 2; ; {
			page, err := s.Lines.List(ctx, q)
			for _, l := range page.Lines {
				found = append(found, l.ID())
			}
			left = append(left, page.Damaged...)
			if err != nil || page.Next == nil {
				return err
			}
			q.After = *page.Next
		}
	}))
	return found, left
}
