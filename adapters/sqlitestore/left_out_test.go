package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"resellerd/adapters/storekit"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestADamagedRecordIsLeftOutOfItsLists goes through each kind of list page by page.
func TestADamagedRecordIsLeftOutOfItsLists(t *testing.T) {
	t.Parallel()
	const last = 9
	for _, damaged := range []int64{2, 5, last} { // at either end of a page, and in its midst
		t.Run(fmt.Sprint(damaged), func(t *testing.T) {
			t.Parallel()
			s := holding(t, admin())
			var ledger fixture.Ledger
			must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
				root := admin()
				owner := master(2)
				for id := int64(2); id <= last; id++ {
					m := ledger.Fund(root, owner, "1")
					at := func(s *line.State) { s.ExpiresAt = fixture.Noon.AddDate(0, 0, int(10-id)) } // the other way round
					if err := errors.Join(tx.Resellers.Insert(ctx, master(id)), tx.Ledger.Append(ctx, m),
						tx.Lines.Insert(ctx, fixture.Trial(master(2+id%2), id, at))); err != nil {
						return err
					}
				}
				return nil
			}))
			movement := ledger.Movements[damaged-2].ID
			execute(t, s,
				fmt.Sprintf(`UPDATE accounts SET country = 'XX' WHERE id = %[1]d; UPDATE lines SET notes = 'XX' WHERE id = %[1]d;
				DROP TRIGGER movements_are_never_changed; UPDATE movements SET operation = 'gift' WHERE id = %[2]d`,
					damaged, movement))

			var want []int64
			for id := int64(2); id <= last; id++ {
				if id != damaged {
					want = append(want, id)
				}
			}
			for name, list := range map[string]func(context.Context, ports.Snapshot) (found, left []int64, err error){
				"lines":               linesOf(ports.LineQuery{}),
				"lines by expiry":     linesOf(ports.LineQuery{Order: ports.LinesByExpiry}),
				"latest expiries":     linesOf(ports.LineQuery{Order: ports.LatestExpiry}),
				"lines of a tree":     linesOf(ports.LineQuery{Scope: ports.Scope{Reseller: 1, Tree: true}}),
				"filtered lines":      linesOf(ports.LineQuery{Trial: new(true)}),
				"lines of some names": linesOf(ports.LineQuery{Username: fixture.Trial(admin(), 2).Shown().Username.Key()[:1]}),
				"accounts": func(ctx context.Context, s ports.Snapshot) (found, left []int64, err error) {
					for q := (ports.ResellerQuery{Limit: 2, After: 1}); ; {
						page, err := s.Resellers.List(ctx, q)
						for _, r := range page.Resellers {
							found = append(found, r.ID())
						}
						left = append(left, page.Damaged...)
						if q.After = page.Next; err != nil || q.After == 0 {
							return found, left, err
						}
					}
				},
				"a statement": func(ctx context.Context, s ports.Snapshot) (found, left []int64, err error) {
					for before := int64(0); ; {
						page, err := s.Ledger.Statement(ctx, 2, before, 2)
						next := int64(0)
						for _, m := range page {
							posting, _ := m.Posting(2)
							next = posting.Seq
							found = append(found, posting.Seq+1) // as they were made with the others
						}
						if out, is := errors.AsType[*ports.LeftOut](err); is {
							for range out.Damaged {
								left = append(left, damaged)
							}
							expect.DeepEqual(t, out.Damaged[0], movement)
							next, err = out.Next, nil
						}
						if before = next; err != nil || before <= 1 {
							return found, left, err
						}
					}
				},
			} {
				for _, again := range []bool{false, true} {
					must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
						found, left, err := list(ctx, v)
						if slices.Sort(found); !slices.Equal(found, want) || !slices.Equal(left, []int64{damaged}) {
							t.Errorf("%s, again %v: %d are listed and %d left out, want %d and %d", name, again, found, left, want, damaged)
						}
						return err
					}), name)
				}
			}
			for _, get := range []func(context.Context, ports.Tx) error{
				func(ctx context.Context, tx ports.Tx) error { _, err := tx.Lines.Get(ctx, damaged); return err },
				func(ctx context.Context, tx ports.Tx) error { _, err := tx.Resellers.Get(ctx, damaged); return err },
				func(ctx context.Context, tx ports.Tx) error { _, err := tx.Ledger.Get(ctx, movement); return err },
			} {
				expect.Error(t, s.Update(t.Context(), get), storekit.ErrDamaged, "by its id")
			}
		})
	}
}

// linesOf lists lines, two in a page.
func linesOf(q ports.LineQuery) func(context.Context, ports.Snapshot) (found, left []int64, err error) {
	return func(ctx context.Context, s ports.Snapshot) (found, left []int64, err error) {
		q := q
		for q.Limit = 2; ; {
			page, err := s.Lines.List(ctx, q)
			for _, l := range page.Lines {
				found = append(found, l.ID())
			}
			left = append(left, page.Damaged...)
			if err != nil || page.Next == nil {
				return found, left, err
			}
			q.After = *page.Next
		}
	}
}
