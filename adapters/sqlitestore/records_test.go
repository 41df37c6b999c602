package sqlitestore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestTheCacheForgetsLostChanges saves a record in a command that is refused, alone and together with another one, and
// in a batch that is lost. The next command reads the stored record.
func TestTheCacheForgetsLostChanges(t *testing.T) {
	s := holding(t, admin(), master(2))
	before, refused := get(t, s, 2), errors.New("refused")
	save := func(fail func() error) func(context.Context, ports.Tx) error {
		return func(ctx context.Context, tx ports.Tx) error {
			a, err := tx.Resellers.Get(ctx, 2)
			if err != nil {
				return err
			}
			lost := fixture.Changed(a, func(s *reseller.State) { s.PasswordHash = "lost" })
			return errors.Join(tx.Resellers.Save(ctx, lost), fail())
		}
	}
	look := func(ctx context.Context, tx ports.Tx) error {
		a, err := tx.Resellers.Get(ctx, 2)
		if err == nil {
			wantSame(t, a, before)
		}
		return err
	}
	refuse := save(func() error { return refused })
	expect.Error(t, s.Update(t.Context(), refuse), refused)
	must(t, s.Update(t.Context(), look))
	expect.Error(t, s.Update(t.Context(), save(s.LoseTransaction)), ports.ErrUnavailable)
	must(t, s.Update(t.Context(), look))
	errs := together(t, s, refuse, look)
	expect.Error(t, errs[0], refused)
	expect.Error(t, errs[1], nil, "an update that shares the commit")
}

// TestALineMovesSeveralTimesInOneTransaction has commands that share a transaction. They insert, move and delete the
// same lines, some of them without success.
func TestALineMovesSeveralTimesInOneTransaction(t *testing.T) {
	owner := master(2)
	s := holding(t, admin(), owner)
	put(t, s, fixture.Trial(owner, 1))
	refused := errors.New("refused")
	move := func(id int64, by time.Duration, outcome error) func(context.Context, ports.Tx) error {
		return func(ctx context.Context, tx ports.Tx) error {
			l, err := tx.Lines.Get(ctx, id)
			if err != nil {
				return err
			}
			l = fixture.ChangedLine(l, func(s *line.State) { s.ExpiresAt = s.ExpiresAt.Add(by) })
			return errors.Join(tx.Lines.Save(ctx, l), outcome)
		}
	}
	before := s.Transactions()
	for _, err := range together(t, s,
		insertsLine(fixture.Trial(owner, 2)), move(1, time.Hour, nil), move(1, time.Minute, refused),
		move(1, -time.Hour, nil), move(2, time.Hour, nil),
		func(ctx context.Context, tx ports.Tx) error {
			l := fixture.Trial(owner, 2)
			return tx.Lines.Delete(ctx, l.Tombstone(2, l.ExpiresAt()))
		},
		insertsLine(fixture.Trial(owner, 3)), move(3, time.Second, nil),
	) {
		if err != nil && !errors.Is(err, refused) {
			t.Error(err)
		}
	}
	expect.DeepEqual(t, s.Transactions()-before, int64(2), "transactions")
	expect.DeepEqual(t, derived(t, s), nil, "lists")
	found, _ := listed(t, s, ports.LineQuery{Order: ports.LinesByExpiry})
	expect.DeepEqual(t, found, []int64{1, 3})
}

func put(t *testing.T, s *sqlitestore.Store, l *line.Line) {
	t.Helper()
	must(t, s.Update(t.Context(), insertsLine(l)))
}

func insertsLine(l *line.Line) func(context.Context, ports.Tx) error {
	return func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Insert(ctx, l) }
}
