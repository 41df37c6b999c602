package sqlitestore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"resellerd/ports"
	"resellerd/test/expect"
)

// TestCommitsAreTold has updates that write, that only read and that are refused. Those of the first alone are commits.
func TestCommitsAreTold(t *testing.T) {
	t.Parallel()
	s := holding(t, admin())
	told := make(chan ports.Commit, 9)
	s.Observe(func(c ports.Commit) { told <- c })
	refusal := errors.New("refused")
	look := func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Resellers.AnyBlocked(ctx, []int64{1})
		return err
	}
	for _, u := range []struct {
		work    func(context.Context, ports.Tx) error
		outcome error
	}{{inserts(master(2)), nil}, {look, nil}, {look, refusal}, {inserts(master(3)), refusal}, {inserts(master(3)), nil}} {
		expect.Error(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(u.work(ctx, tx), u.outcome)
		}), u.outcome)
	}
	expect.DeepEqual(t, len(told), 2, "commits")
	for range 2 {
		if c := <-told; c.Commands != 1 || c.Attempts != 1 || c.Took <= 0 || c.Took > time.Minute {
			t.Errorf("told of %+v", c)
		}
	}
	if now := s.Load(); now.Waiting != 0 || now.WAL == 0 {
		t.Errorf("the store stands as %+v", now)
	}
}

// TestAttemptsAreTold has one of two commands that share a transaction refused after it has written, so that both run
// again, and what was wanted of the other one the second time.
func TestAttemptsAreTold(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]struct {
		outcome error // of the command that was kept at first
		want    []ports.Commit
	}{
		"it is kept again": {nil, []ports.Commit{{Commands: 2, Attempts: 2}}},
		"nothing is kept":  {errors.New("refused by then"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := holding(t, admin())
			told := make(chan ports.Commit, 9)
			s.Observe(func(c ports.Commit) { told <- c })
			var runs int
			together(t, s, func(ctx context.Context, tx ports.Tx) error {
				if runs++; runs == 1 {
					return tx.Resellers.Insert(ctx, master(10))
				}
				return errors.Join(tx.Resellers.Insert(ctx, master(10)), again.outcome)
			}, func(ctx context.Context, tx ports.Tx) error {
				return errors.Join(tx.Resellers.Insert(ctx, master(11)), errors.New("refused"))
			})
			expect.DeepEqual(t, runs, 2)
			must(t, s.Close()) // whoever is told of a commit is so before its callers
			close(told)
			var got []ports.Commit
			for c := range told {
				c.Took = 0
				got = append(got, c)
			}
			expect.DeepEqual(t, got, again.want)
		})
	}
}
