package sqlitestore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/storekit/fields"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// another gives a field another value than it has. What is no value by itself changes with what goes with it.
func another(at any) bool {
	switch at := at.(type) {
	case *int64:
		*at += 7
	case *bool:
		*at = !*at
	case *string:
		*at += "another"
	case *time.Time:
		*at = at.Add(time.Hour)
	case *profile.Text:
		*at = fixture.Text("another")
	case *profile.Username:
		*at = fixture.Name("Another")
	case *credit.Amount:
		*at = fixture.Credits("5")
	case *reseller.Role:
		*at = reseller.Standard
	case *reseller.Generation:
		at[15]++
	case *line.Sealed:
		*at = line.Sealed("another")
	case *line.Metadata:
		*at = fixture.Metadata("plan", "gold")
	case *[]reseller.TrialSlot:
		*at = (*at)[:1]
	default:
		return false
	}
	return true
}

// TestASaveWritesWhatChanged changes one field at a time: what is saved by a statement that writes fewer columns is
// there all the same.
func TestASaveWritesWhatChanged(t *testing.T) {
	t.Parallel()
	s := holding(t, admin(), master(2), master(3)).Uncached() // what is read is what was written
	id := int64(10)
	tip := func(s *reseller.State) { s.Tip = credit.Tip{Seq: 7, Hash: credit.Hash{1}} }
	alert := func(s *reseller.State) { s.Alert = reseller.Alert{Below: fixture.Credits("5"), Told: true} }
	block := func(s *reseller.State) {
		s.Blocked, s.Block = true, reseller.Block{Terms: reseller.Terms{Suspends: true, Reason: fixture.Text("another")},
			At: s.UpdatedAt.Add(time.Hour)}
	}
	resellers := map[string]func(*reseller.State){
		"id": nil, "path": nil, // of which no reseller gets another
		"ledger.seq": tip, "ledger.link": tip, "alert_below": alert, "alert_told": alert, "block_suspends": block,
		"block_reason": block, "blocked_at": block,
		"spelling": func(s *reseller.State) { s.Username = profile.RestoreUsername("RESELLER-X", s.Username.Key()) },
	}
	for _, f := range fields.Reseller.Fields {
		if _, is := resellers[f.Name]; !is && !f.OfDocument {
			resellers[f.Name] = func(s *reseller.State) { expect.Equal(t, another(f.At(s)), true, "another %s", f.Name) }
		}
	}
	delete(resellers, "id")
	delete(resellers, "path")
	for name, change := range resellers {
		id++
		insert(t, s, master(id))
		var want *reseller.Reseller
		must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			a, err := tx.Resellers.Get(ctx, id)
			if err != nil {
				return err
			}
			want = fixture.Changed(a, change)
			return tx.Resellers.Save(ctx, want)
		}), name)
		wantSame(t, get(t, s, id), want)
	}
	official := func(s *line.State) { s.Trial, s.PlatformID, s.Charge = false, 7, 8 }
	clamped := func(s *line.State) {
		official(s)
		s.MonthDay = 31 // it expires on 28 February
	}
	imported := func(s *line.State) { s.Trial, s.PlatformID, s.Origin = false, 7, line.Imported }
	reimported := func(s *line.State) {
		imported(s)
		s.Version, s.Reimport = 2, 2
	}
	suspend := func(s *line.State) { s.Suspension = line.Suspension{Suspended: true, Reason: fixture.Text("another")} }
	moved := func(s *line.State) { s.Owner = reseller.Position{ID: 3, Ancestors: []int64{1}} }
	lines := map[string]func(*line.State){"id": nil, "trial": official, "platform_id": official, "charge": official,
		"owner": moved, "path": moved, "suspension_reason": suspend, "origin": imported, "month_day": clamped,
		"reimport": reimported}
	for _, f := range fields.Line.Fields {
		if _, is := lines[f.Name]; !is {
			lines[f.Name] = func(s *line.State) { expect.Equal(t, another(f.At(s)), true, "another %s", f.Name) }
		}
	}
	delete(lines, "id")
	for name, change := range lines {
		id++
		put(t, s, fixture.Trial(master(2), id))
		var want line.State
		must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			l, err := tx.Lines.Get(ctx, id)
			if err != nil {
				return err
			}
			l = fixture.ChangedLine(l, change)
			want = l.State()
			return tx.Lines.Save(ctx, l)
		}), name)
		l := seen(t, s, func(ctx context.Context, v ports.Snapshot) (*line.Line, error) { return v.Lines.Get(ctx, id) })
		expect.DeepEqual(t, l.State(), want, "%v", name)
	}
	expect.DeepEqual(t, derived(t, s), nil, "lists")
}

// TestWhatIsLostIsNotRemembered saves in a command that is refused, by itself and beside another, and in a batch that
// is lost: the next command reads what is recorded.
func TestWhatIsLostIsNotRemembered(t *testing.T) {
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

// TestALineMovesSeveralTimesInOneTransaction has commands that share a transaction insert, move and delete the same
// lines, some of them in vain.
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

// TestAStrayEntryHarmsNobody has a list show a line that is not there yet, which no command leaves, and lines that are
// gone: the line enters its lists, and pages go on.
func TestAStrayEntryHarmsNobody(t *testing.T) {
	s := holding(t, admin(), master(2))
	execute(t, s, "INSERT INTO line_ids VALUES (-2, 7)")
	must(t, errors.Join(together(t, s, insertsLine(fixture.Trial(master(2), 7)),
		insertsLine(fixture.Trial(master(2), 8)))...))
	expect.DeepEqual(t, derived(t, s), nil, "lists")
	for id := int64(1); id <= 4; id++ {
		put(t, s, fixture.Trial(master(2), id))
	}
	execute(t, s, "DELETE FROM lines WHERE id = 2")
	for _, scope := range []ports.Scope{{Reseller: 2}, {Reseller: 2, Tree: true}, {}} {
		found, _ := listed(t, s, ports.LineQuery{Scope: scope})
		expect.DeepEqual(t, found, []int64{1, 3, 4, 7, 8}, "%v", scope)
	}
}

func put(t *testing.T, s *sqlitestore.Store, l *line.Line) {
	t.Helper()
	must(t, s.Update(t.Context(), insertsLine(l)))
}

func insertsLine(l *line.Line) func(context.Context, ports.Tx) error {
	return func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Insert(ctx, l) }
}
