package sqlitestore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"resellerd/ports"
	"resellerd/test/expect"
)

// TestCommitsAreTold has updates that only read and that are refused, and two that share a transaction, of which one is
// refused after it has written, so that both run again, and the other one is kept again, or not. A commit is told alone
// where something is kept.
func TestCommitsAreTold(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for again, want := range map[error][]ports.Commit{nil: {{Commands: 2, Attempts: 2}}, refused: nil} {
		s := holding(t, admin())
		told := make(chan ports.Commit, 9)
		s.Observe(func(c ports.Commit) { told <- c })
		look := func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Resellers.AnyBlocked(ctx, []int64{1})
			return err
		}
		must(t, s.Update(t.Context(), look))
		expect.Error(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(inserts(master(3))(ctx, tx), refused)
		}), refused)
		runs := 0
		together(t, s, func(ctx context.Context, tx ports.Tx) error {
			if runs++; runs == 1 {
				return tx.Resellers.Insert(ctx, master(10))
			}
			return errors.Join(tx.Resellers.Insert(ctx, master(10)), again)
		}, func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Resellers.Insert(ctx, master(11)), refused)
		})
		if now := s.Load(); now.Waiting != 0 || now.WAL == 0 {
			t.Errorf("the store stands as %+v", now)
		}
		must(t, s.Close()) // whoever is told of a commit is so before its callers
		close(told)
		var got []ports.Commit
		for c := range told {
			if c.Took <= 0 || c.Took > time.Minute {
				t.Errorf("told of %+v", c)
			}
			c.Took = 0
			got = append(got, c)
		}
		expect.DeepEqual(t, got, want, "commits where the other one ends in %v", again)
	}
}
