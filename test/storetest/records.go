package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var recordChecks = []Check{
	{"accounts-survive-unchanged", proves{"S1"}, func(w *harness) {
		chain := w.chain()
		for version := range 2 {
			top := chain[0]
			want := []reseller.State{
				fullReseller(fixture.Admin(w.id(ports.ResellerIDs)), version),
				fullReseller(w.below(top, "unstored"), version),
				fullReseller(w.below(chain[len(chain)-2], "unstored"), version),
			}
			want[1].Role = reseller.Standard
			for i, s := range want {
				s.Username = fixture.Name("ÄRGER" + strconv.Itoa(version*len(want)+i))
				if i == 2 { // the greatest length, at the greatest depth
					s.Username = awkwardNames[version]
				}
				w.update("insert an account", inserts(restored(s)))
				w.seesReseller(s)
			}
		}
	}},
	{"saved-accounts-survive-unchanged", proves{"R14"}, func(w *harness) {
		chain := w.chain()
		deepest := chain[len(chain)-1]
		for _, version := range []int{0, 1, 0} {
			s := fullReseller(deepest, version)
			w.saves(s)
			w.seesReseller(s)
		}
	}},
	{"lines-survive-unchanged", proves{"S1"}, func(w *harness) {
		chain := w.chain()
		for version, owner := range []*reseller.Reseller{chain[0], chain[len(chain)-1]} {
			s := fullLine(newTrial(owner, w.id(ports.LineIDs), "line"), version)
			w.update("insert a line", insertsLine(restoredLine(s)))
			w.seesLine(s)
		}
		l := fixture.Imported(chain[2], w.id(ports.LineIDs))
		w.update("insert an imported line", insertsLine(l))
		w.seesLine(l.State())
	}},
	{"saved-lines-survive-unchanged", proves{"L13"}, func(w *harness) {
		chain := w.chain()
		l := w.trial(chain[len(chain)-1], "line")
		for _, version := range []int{1, 0, 1} {
			s := fullLine(l, version)
			w.savesLine(s)
			w.seesLine(s)
		}
	}},
	{"movements-survive-unchanged", proves{"S1"}, func(w *harness) {
		payer, _, all := w.moved()
		w.seesMovements(all)
		w.same(w.statement(payer, 0, 1), all[len(all)-1:], "newest movement, of a great number")
	}},
	{"movements-are-never-changed", proves{"M2"}, func(w *harness) {
		_, _, all := w.moved()
		other := all[0]
		other.Amount, other.Notes = fixture.Units(7), "another one under the same id"
		// Whether it is refused is the store's own affair.
		_ = w.try(appends(other))
		w.seesMovements(all)

		// Nor by who holds one that was appended, or got.
		want := make([]credit.Movement, len(all))
		for i, m := range all {
			m.Postings = slices.Clone(m.Postings)
			want[i] = m
			all[i].Postings[0].Seq++
		}
		w.seesMovements(want)
		for _, m := range want {
			w.spoilMovement(m)
		}
		w.seesMovements(want)
	}},
	{"movements-outlive-lines", proves{"M1"}, func(w *harness) {
		_, l, all := w.moved()
		w.deleteLine(l)
		if w.line(l) != nil {
			w.Errorf("line %d is still there", l)
		}
		w.seesMovements(all)
	}},
	{"changes-stay-with-the-caller", proves{"R1", "L1"}, func(w *harness) {
		root := w.admin("root")
		a := w.master(root, "a", 1_000_000)
		l := w.trial(a, "line")
		r, stored := a.State(), l.State()
		spoil := func(a *reseller.Reseller, err error) error {
			if err == nil {
				a.SetPassword("spoiled", reseller.Generation{1}, noon.Add(1))
			}
			return err
		}
		spoilLine := func(l *line.Line, err error) error {
			if err == nil {
				_, err = l.Activate(fixture.Changed(a), credit.Prices()[0], line.Details{Username: fixture.Name("spoiled")}, 1,
					credit.Provenance{ID: 1, At: noon})
			}
			return err
		}
		unspoiled := func() {
			w.seesReseller(r)
			w.seesLine(stored)
		}
		w.must(errors.Join(spoil(a, nil), spoilLine(l, nil)), "change what was inserted")
		unspoiled()

		w.view(func(ctx context.Context, s ports.Snapshot) error {
			accounts, listed := s.Resellers.List(ctx, ports.ResellerQuery{Scope: ports.Scope{Reseller: r.ID}, Limit: 1})
			lines, listedLines := s.Lines.List(ctx, ports.LineQuery{Limit: 1})
			err := errors.Join(
				spoil(s.Resellers.Get(ctx, r.ID)), spoil(s.Resellers.FindByUsername(ctx, r.Username)),
				spoilLine(s.Lines.Get(ctx, stored.ID)),
				listed, listedLines,
			)
			for _, got := range accounts.Resellers {
				err = errors.Join(err, spoil(got, nil))
			}
			for _, got := range lines.Lines {
				err = errors.Join(err, spoilLine(got, nil))
			}
			return err
		})
		unspoiled()

		w.update("get and not save", func(ctx context.Context, tx ports.Tx) error {
			err := errors.Join(
				spoil(tx.Resellers.Get(ctx, r.ID)), spoil(tx.Resellers.FindByUsername(ctx, r.Username)),
				spoilLine(tx.Lines.Get(ctx, stored.ID)),
			)
			if err != nil {
				return err
			}
			got, err := tx.Resellers.Get(ctx, r.ID)
			if err != nil {
				return err
			}
			w.same(got.State(), r, "got again in the same update")
			gotLine, err := tx.Lines.Get(ctx, stored.ID)
			if err != nil {
				return err
			}
			w.same(gotLine.State(), stored, "line got again in the same update")
			return nil
		})
		unspoiled()

		w.update("save, then change", func(ctx context.Context, tx ports.Tx) error {
			got, err := tx.Resellers.Get(ctx, r.ID)
			if err != nil {
				return err
			}
			gotLine, err := tx.Lines.Get(ctx, stored.ID)
			if err != nil {
				return err
			}
			return errors.Join(spoil(got, tx.Resellers.Save(ctx, got)), spoilLine(gotLine, tx.Lines.Save(ctx, gotLine)))
		})
		unspoiled()
	}},
	{"absent-is-not-found", proves{"R2", "R3", "R18", "L2", "L11", "L17", "L19", "L28", "L29", "M3", "K2"}, func(w *harness) {
		root := w.admin("root")
		a := w.below(root, "absent")
		l := newTrial(root, w.id(ports.LineIDs), "absent")
		w.view(func(ctx context.Context, s ports.Snapshot) error {
			_, err := s.Resellers.Get(ctx, a.ID())
			w.want(err, fault.ErrNotFound, "get an account in a view")
			_, err = s.Resellers.FindByUsername(ctx, fixture.Name("absent"))
			w.want(err, fault.ErrNotFound, "find an account in a view")
			_, err = s.Resellers.FindByUsername(ctx, profile.Username{})
			w.want(err, fault.ErrNotFound, "find an account by no name")
			_, err = s.Lines.Get(ctx, l.ID())
			w.want(err, fault.ErrNotFound, "get a line in a view")
			_, err = s.Lines.FindByUsername(ctx, fixture.Name("absent"))
			w.want(err, fault.ErrNotFound, "find a line in a view")
			_, err = s.Lines.FindByUsername(ctx, fixture.Name("root"))
			w.want(err, fault.ErrNotFound, "find a line by the name of an account in a view")
			_, err = s.Lines.FindByExternalID(ctx, root.ID(), fixture.Text("absent"))
			w.want(err, fault.ErrNotFound, "find a line by an external id that none has")
			_, err = s.Keys.Get(ctx, root.ID(), "absent")
			w.want(err, fault.ErrNotFound, "get a key in a view")
			return nil
		})
		// Each in an update of its own: what fails may end the transaction.
		for doing, do := range map[string]work{
			"get an account": func(ctx context.Context, tx ports.Tx) error {
				_, err := tx.Resellers.Get(ctx, a.ID())
				return err
			},
			"get account 0": func(ctx context.Context, tx ports.Tx) error { _, err := tx.Resellers.Get(ctx, 0); return err },
			"find an account": func(ctx context.Context, tx ports.Tx) error {
				_, err := tx.Resellers.FindByUsername(ctx, fixture.Name("absent"))
				return err
			},
			"save an account": func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Save(ctx, a) },
			"get a line":      func(ctx context.Context, tx ports.Tx) error { _, err := tx.Lines.Get(ctx, l.ID()); return err },
			"find a line": func(ctx context.Context, tx ports.Tx) error {
				_, err := tx.Lines.FindByUsername(ctx, fixture.Name("absent"))
				return err
			},
			"save a line":   func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Save(ctx, l) },
			"delete a line": func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Delete(ctx, tombstoneOf(l)) },
			"get a movement": func(ctx context.Context, tx ports.Tx) error {
				_, err := tx.Ledger.Get(ctx, unknownID)
				return err
			},
			"get a key": func(ctx context.Context, tx ports.Tx) error {
				_, err := tx.Keys.Get(ctx, root.ID(), "absent")
				return err
			},
			"get nobody's key": func(ctx context.Context, tx ports.Tx) error {
				_, err := tx.Keys.Get(ctx, a.ID(), "")
				return err
			},
			"delete a line again": inTurn(insertsLine(l), deletes(l.ID()), func(ctx context.Context, tx ports.Tx) error {
				return tx.Lines.Delete(ctx, tombstoneOf(l))
			}),
		} {
			w.want(w.try(do), fault.ErrNotFound, doing)
		}
		// A refused save leaves nothing behind.
		if w.line(l.ID()) != nil {
			w.Errorf("line %d is there after a refused save", l.ID())
		}
	}},
	{"own-blocks-only", proves{"R4"}, func(w *harness) {
		root := w.admin("root")
		top := w.master(root, "top", 0)
		bottom := w.master(top, "bottom", 0)
		blocks := func(blocked bool) {
			w.update("block", changes(top.ID(), func(s *reseller.State) { s.Blocked = blocked }))
		}
		blocks(true)
		for _, c := range []struct {
			ids  []int64
			want bool
		}{
			{nil, false},
			{[]int64{}, false},
			{[]int64{bottom.ID()}, false},
			{[]int64{root.ID(), bottom.ID()}, false},
			{[]int64{w.id(ports.ResellerIDs)}, false},
			{[]int64{top.ID()}, true},
			{[]int64{root.ID(), bottom.ID(), top.ID()}, true},
			{[]int64{top.ID(), root.ID(), top.ID()}, true},
		} {
			var inUpdate bool
			w.update("any blocked", func(ctx context.Context, tx ports.Tx) (err error) {
				inUpdate, err = tx.Resellers.AnyBlocked(ctx, c.ids)
				return err
			})
			inView := seen(w, func(ctx context.Context, s ports.Snapshot) (bool, error) {
				return s.Resellers.AnyBlocked(ctx, c.ids)
			})
			if inUpdate != c.want || inView != c.want {
				w.Errorf("accounts %v, of which %d is blocked: got %t in an update and %t in a view, want %t", c.ids, top.ID(),
					inUpdate, inView, c.want)
			}
		}
		blocks(false)
		if seen(w, func(ctx context.Context, s ports.Snapshot) (bool, error) {
			return s.Resellers.AnyBlocked(ctx, []int64{top.ID()})
		}) {
			w.Errorf("an account is still blocked after its block was lifted")
		}
	}},
	{"own-blocks-are-listed", proves{"R6"}, func(w *harness) {
		chain := w.chain()
		var all, want []int64
		for i, a := range chain {
			all = append(all, a.ID())
			if i%3 == 1 {
				w.update("block", changes(a.ID(), func(s *reseller.State) { s.Blocked = true }))
				want = append(want, a.ID())
			}
		}
		// A page of resellers has thousands above it.
		for i := range int64(5_000) {
			all = append(all, unknownID+i)
		}
		slices.Reverse(all)
		w.blocks(all, want)
		w.blocks(want, want)
		w.blocks([]int64{want[0]}, want[:1])
		w.blocks([]int64{chain[0].ID(), chain[2].ID(), unknownID}, nil)
		w.blocks(nil, nil)
		w.update("unblock", changes(want[0], func(s *reseller.State) { s.Blocked = false }))
		w.blocks(all, want[1:])
	}},
	{"partial-suspensions-survive-unchanged", proves{"S1"}, func(w *harness) {
		root := w.admin("root")
		for i, b := range partialBlocks() {
			saved := w.master(root, fmt.Sprintf("blocked%d", i), 0)
			w.saves(blockedBy(saved, b))
			w.seesReseller(blockedBy(saved, b))
			w.saves(saved.State())
			w.seesReseller(saved.State())
			inserted := blockedBy(w.below(root, fmt.Sprintf("inserted%d", i)), b)
			w.update("insert a blocked account", inserts(restored(inserted)))
			w.seesReseller(inserted)
		}
		l := w.trial(root, "line")
		for _, s := range partialSuspensions(l) {
			w.savesLine(s)
			w.seesLine(s)
		}
	}},
	{"imported-lines-survive-unchanged", proves{"S1", "M7"}, func(w *harness) {
		root := w.admin("root")
		owner := w.master(root, "owner", 0)
		w.totals(credit.Totals{Imported: 0})
		var all []line.State
		for i, change := range []fixture.Change[line.State]{
			func(*line.State) {},
			func(s *line.State) { s.Suspension = line.Suspension{Suspended: true, Reason: fixture.Text("reason")} },
			func(s *line.State) {
				s.ExpiresAt, s.ExternalID = fixture.Time("1999-12-31T23:59:59.999Z"), fixture.Text("")
			},
		} {
			s := fixture.Imported(owner, w.id(ports.LineIDs), change).State()
			s.PlatformID = w.id(ports.PlatformIDs)
			w.update("insert an imported line", insertsLine(restoredLine(s)))
			w.seesLine(s)
			w.totals(credit.Totals{Imported: int64(i + 1)})
			all = append(all, s)
		}
		w.trial(owner, "trial")
		official := w.trial(owner, "official").State()
		official.Trial, official.PlatformID, official.Charge = false, w.id(ports.PlatformIDs), w.id(ports.MovementIDs)
		w.savesLine(official)
		for i, s := range all {
			s.Notes, s.ExpiresAt, s.Suspension, s.Edited = fixture.Text("another"), s.ExpiresAt.Add(time.Hour),
				line.Suspension{}, i == 0
			w.savesLine(s)
			w.seesLine(s)
		}
		w.totals(credit.Totals{Imported: int64(len(all))})
		w.deleteLine(all[1].ID)
		w.totals(credit.Totals{Imported: int64(len(all) - 1)})
	}},
	{"external-ids-find-lines", proves{"L29"}, func(w *harness) {
		root := w.admin("root")
		a, b := w.master(root, "a", 0), w.master(root, "b", 0)
		first, second := w.trial(a, "first").State(), w.trial(b, "second").State()
		first.ExternalID, second.ExternalID = fixture.Text("crm-1"), fixture.Text("crm-1")
		w.savesLine(first)
		w.savesLine(second)
		w.trial(a, "third")
		w.holdsExternalID(a.ID(), "crm-1", first.ID)
		w.holdsExternalID(b.ID(), "crm-1", second.ID)
		w.holdsExternalID(root.ID(), "crm-1", 0)
		w.holdsExternalID(a.ID(), "CRM-1", 0)
		w.holdsExternalID(a.ID(), "crm", 0)
		first.ExternalID = fixture.Text("crm-2")
		w.savesLine(first)
		w.holdsExternalID(a.ID(), "crm-1", 0)
		w.holdsExternalID(a.ID(), "crm-2", first.ID)
		w.deleteLine(second.ID)
		w.holdsExternalID(b.ID(), "crm-1", 0)
	}},
	{"blocks-that-suspend-are-listed", proves{"R19", "R20"}, func(w *harness) {
		chain := w.chain()
		some := func(want bool) {
			if got := seen(w, func(ctx context.Context, s ports.Snapshot) (bool, error) {
				return s.Resellers.AnySuspending(ctx)
			}); got != want {
				w.Errorf("some block suspends lines: got %t, want %t", got, want)
			}
		}
		sets := func(id int64, blocked, suspends bool) {
			w.update("block", changes(id, func(s *reseller.State) {
				s.Blocked, s.Block = blocked, reseller.Block{Terms: reseller.Terms{Suspends: suspends}}
			}))
		}
		some(false)
		sets(chain[len(chain)-1].ID(), true, false) // its lines run
		some(false)
		var all, want []int64
		for i, a := range chain {
			all = append(all, a.ID())
			switch i % 3 {
			case 1:
				sets(a.ID(), true, true)
				want = append(want, a.ID())
			case 2:
				sets(a.ID(), true, false)
			}
		}
		for i := range int64(5_000) {
			all = append(all, unknownID+i)
		}
		slices.Reverse(all)
		w.suspends(all, want)
		w.suspends(want, want)
		w.suspends(want[:1], want[:1])
		w.suspends([]int64{chain[0].ID(), chain[2].ID(), unknownID}, nil)
		w.suspends(nil, nil)
		some(true)
		sets(want[0], true, false) // the lines run again
		w.suspends(all, want[1:])
		for _, id := range want[1:] {
			some(true)
			sets(id, false, false)
		}
		w.suspends(all, nil)
		some(false)
		w.update("insert one that is blocked",
			inserts(fixture.Changed(w.below(chain[0], "suspending"), func(s *reseller.State) {
				s.Blocked, s.Block.Suspends = true, true
			})))
		some(true)
	}},
	{"empty-without-accounts", proves{"R5"}, func(w *harness) {
		empty := func() bool {
			return seen(w, func(ctx context.Context, s ports.Snapshot) (bool, error) { return s.Resellers.Empty(ctx) })
		}
		w.claims("fingerprint", "fingerprint")
		if !empty() {
			w.Errorf("a store without accounts is not empty")
		}
		w.admin("root")
		if empty() {
			w.Errorf("a store with an account is empty")
		}
	}},
}

// unknownID and those after it are ids that nothing has.
const unknownID = 1 << 40

func (w *harness) blocks(ids, want []int64) {
	w.Helper()
	w.among(ids, want, "are blocked", ports.ResellerDirectory.Blocked)
}

// suspends fails unless the blocks of these accounts suspend lines, and those of no others of ids.
func (w *harness) suspends(ids, want []int64) {
	w.Helper()
	w.among(ids, want, "suspend lines", ports.ResellerDirectory.Suspending)
}

func (w *harness) among(ids, want []int64, what string,
	list func(d ports.ResellerDirectory, ctx context.Context, ids []int64) ([]int64, error)) {
	w.Helper()
	got := seen(w, func(ctx context.Context, s ports.Snapshot) ([]int64, error) { return list(s.Resellers, ctx, ids) })
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.Errorf("of %d accounts from %v on %s: got %v, want %v", len(ids), ids[:min(len(ids), 3)], what, got, want)
	}
}

// spoilMovement changes what the store returns of a movement, in every way that
// there is to read it.
func (w *harness) spoilMovement(m credit.Movement) {
	w.Helper()
	spoil := func(got credit.Movement) {
		if len(got.Postings) > 0 {
			got.Postings[0].Hash[0]++
		}
	}
	got, _ := w.movement(m.ID)
	spoil(got)
	w.view(func(ctx context.Context, s ports.Snapshot) error {
		for _, e := range m.Postings {
			movements, err := s.Ledger.Statement(ctx, e.Reseller, e.Seq+1, 1)
			if err != nil {
				return err
			}
			for _, got := range movements {
				spoil(got)
			}
		}
		return nil
	})
	if w.audited {
		w.records(func(ctx context.Context, r ports.Records) error {
			found, err := audited(ctx, r, m)
			for _, f := range found {
				spoil(f.Record)
			}
			return err
		})
	}
}

// moved stores movements of every kind, and returns the payer of most of them and the
// line that one of them concerns, by their ids.
func (w *harness) moved() (payer, lineID int64, all []credit.Movement) {
	w.Helper()
	root := w.admin("root")
	first := w.master(root, "payer", 1)
	second := w.master(first, "payee", 1)
	lineID = w.trial(second, "line").ID()
	all = w.movements(root, first, second, lineID)
	for _, m := range all {
		w.update("append a movement", appends(m))
	}
	return first.ID(), lineID, all
}

// seesReseller fails unless the reseller is read as s in every way there is.
func (w *harness) seesReseller(s reseller.State) {
	w.Helper()
	w.same(w.reseller(s.ID).State(), s, "account in a view")
	w.view(func(ctx context.Context, snapshot ports.Snapshot) error {
		got, err := snapshot.Resellers.FindByUsername(ctx, s.Username)
		if err != nil {
			return err
		}
		w.same(got.State(), s, "account found by its name in a view")
		listed, err := listResellers(ctx, snapshot.Resellers,
			ports.ResellerQuery{Scope: ports.Scope{Reseller: s.ID}, Limit: 1})
		if err != nil {
			return err
		}
		w.same(mapped(listed, (*reseller.Reseller).State), []reseller.State{s}, "account listed")
		blocked, err := snapshot.Resellers.AnyBlocked(ctx, []int64{s.ID})
		if blocked != s.Blocked {
			w.Errorf("account %d is blocked: got %t, want %t", s.ID, blocked, s.Blocked)
		}
		return err
	})
	if w.audited {
		w.records(func(ctx context.Context, r ports.Records) error {
			return audits(ctx, w, r.Resellers, r.ResellersByID, stateOfReseller, s.ID, s)
		})
	}
	w.update("read an account", func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Resellers.Get(ctx, s.ID)
		if err != nil {
			return err
		}
		w.same(got.State(), s, "account in an update")
		if got, err = tx.Resellers.FindByUsername(ctx, s.Username); err == nil {
			w.same(got.State(), s, "account found by its name in an update")
		}
		return err
	})
}

// seesLine fails unless the line is read as s in every way there is.
func (w *harness) seesLine(s line.State) {
	w.Helper()
	l := w.line(s.ID)
	if l == nil {
		w.Fatalf("line %d is not there", s.ID)
	}
	w.same(l.State(), s, "line")
	w.view(func(ctx context.Context, snapshot ports.Snapshot) error {
		got, err := snapshot.Lines.Get(ctx, s.ID)
		if err != nil {
			return err
		}
		w.same(got.State(), s, "line in a view")
		for _, order := range ports.LineOrders() {
			listed, err := listLines(ctx, snapshot.Lines, ports.LineQuery{Username: s.Username.Key(), Order: order, Limit: 1})
			if err != nil {
				return err
			}
			w.same(mapped(listed, (*line.Line).State), []line.State{s}, "line listed")
		}
		return nil
	})
	if w.audited {
		w.records(func(ctx context.Context, r ports.Records) error {
			return audits(ctx, w, r.Lines, r.LinesByID, stateOfLine, s.ID, s)
		})
	}
}

// seesMovements fails unless the movements are read so in every way there is.
func (w *harness) seesMovements(movements []credit.Movement) {
	w.Helper()
	for _, m := range movements {
		got, found := w.movement(m.ID)
		if !found {
			w.Errorf("movement %d is not there", m.ID)
			continue
		}
		w.same(got, m, "movement")
		w.view(func(ctx context.Context, s ports.Snapshot) error {
			for _, e := range m.Postings {
				got, err := s.Ledger.Statement(ctx, e.Reseller, e.Seq+1, 1)
				if err != nil {
					return err
				}
				w.same(got, []credit.Movement{m}, "statement")
			}
			return nil
		})
		if w.audited {
			w.records(func(ctx context.Context, r ports.Records) error {
				found, err := audited(ctx, r, m)
				for how, f := range found {
					w.same(f, ports.Audited[credit.Movement]{ID: m.ID, Record: m}, "movement audited "+how)
				}
				return err
			})
		}
	}
}
