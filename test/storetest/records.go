package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var recordChecks = []Check{
	{"accounts-survive-unchanged", proves{"S1", "R14"}, func(w *harness) {
		chain := w.chain()
		top, deepest := chain[0], chain[len(chain)-1]
		for version := range 2 {
			want := []reseller.State{
				fullReseller(fixture.Admin(w.id(ports.ResellerIDs)), version),
				fullReseller(w.below(top, "unstored"), version),
				fullReseller(w.below(chain[len(chain)-2], "unstored"), version),
			}
			want[1].Role = reseller.Standard
			for i, s := range want {
				s.Username = fixture.Name("ÄRGER" + strconv.Itoa(version*len(want)+i))
				w.update("insert an account", inserts(restored(s)))
				w.seesReseller(s)
			}
		}
		for _, version := range []int{0, 1, 0} { // with names of the greatest length, at the greatest depth
			s := fullReseller(deepest, version)
			w.saves(s)
			w.seesReseller(s)
		}
		for i, b := range partialBlocks() {
			saved, inserted := w.master(top, fmt.Sprintf("saved%d", i), 0), w.below(top, fmt.Sprintf("inserted%d", i))
			w.update("insert a blocked account", inserts(restored(blockedBy(inserted, b))))
			w.saves(blockedBy(saved, b))
			w.seesReseller(blockedBy(saved, b))
			w.seesReseller(blockedBy(inserted, b))
			w.saves(saved.State())
			w.seesReseller(saved.State())
		}
	}},
	{"lines-survive-unchanged", proves{"S1", "L13"}, func(w *harness) {
		chain := w.chain()
		deepest := chain[len(chain)-1]
		imported := fixture.Imported(chain[2], w.id(ports.LineIDs)).State()
		for version, owner := range []*reseller.Reseller{chain[0], deepest} {
			s := fullLine(newTrial(owner, w.id(ports.LineIDs), "line"), version)
			w.update("insert a line", insertsLine(restoredLine(s)))
			w.seesLine(s)
			w.deleteLine(s.ID) // its name is that of another
		}
		w.update("insert an imported line", insertsLine(restoredLine(imported)))
		w.seesLine(imported)
		imported.Edited, imported.ExternalID = true, fixture.Text("")
		saved := w.trial(deepest, "saved")
		for _, s := range append(partialSuspensions(saved), fullLine(saved, 1), fullLine(saved, 0), fullLine(saved, 1),
			imported) {
			w.savesLine(s)
			w.seesLine(s)
		}
	}},
	{"movements-survive-unchanged", proves{"S1"}, func(w *harness) {
		m := w.moved()
		w.seesMovements(m.all)
		w.same(w.statement(m.payer, 0, 1), m.all[len(m.all)-1:], "newest movement, of a great number")
	}},
	{"movements-are-never-changed", proves{"M2"}, func(w *harness) {
		all := w.moved().all
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
			w.readMovement(m, func(_ string, got credit.Movement) {
				if len(got.Postings) > 0 {
					got.Postings[0].Hash[0]++
				}
			})
		}
		w.seesMovements(want)
	}},
	{"movements-outlive-lines", proves{"M1"}, func(w *harness) {
		m := w.moved()
		w.deleteLine(m.line)
		if w.line(m.line) != nil {
			w.Errorf("line %d is still there", m.line)
		}
		w.seesMovements(m.all)
	}},
	{"changes-stay-with-the-caller", proves{"R1", "L1"}, func(w *harness) {
		root := w.admin("root")
		a := w.master(root, "a", 1_000_000)
		l := w.trial(a, "line")
		r, stored := a.State(), l.State()
		spoil := func(v any, err error) error {
			if err != nil {
				return err
			}
			switch v := v.(type) {
			case *reseller.Reseller:
				v.SetPassword("spoiled", reseller.Generation{1}, noon.Add(1))
			case *line.Line:
				_, err = v.Activate(restored(r), credit.Prices()[0], line.Details{Username: fixture.Name("spoiled")}, 1,
					credit.Provenance{ID: 1, At: noon})
			}
			return err
		}
		for _, spoils := range []func() error{
			func() error { return errors.Join(spoil(a, nil), spoil(l, nil)) },
			func() error {
				return w.store.View(w.ctx, func(ctx context.Context, s ports.Snapshot) error {
					accounts, listed := s.Resellers.List(ctx, ports.ResellerQuery{Scope: ports.Scope{Reseller: r.ID}, Limit: 1})
					lines, listedLines := s.Lines.List(ctx, ports.LineQuery{Limit: 1})
					return errors.Join(listed, listedLines, spoil(accounts.Resellers[0], nil), spoil(lines.Lines[0], nil),
						spoil(s.Resellers.Get(ctx, r.ID)), spoil(s.Resellers.FindByUsername(ctx, r.Username)),
						spoil(s.Lines.Get(ctx, stored.ID)))
				})
			},
			func() error {
				return w.try(func(ctx context.Context, tx ports.Tx) error {
					err := errors.Join(spoil(tx.Resellers.Get(ctx, r.ID)), spoil(tx.Resellers.FindByUsername(ctx, r.Username)),
						spoil(tx.Lines.Get(ctx, stored.ID)))
					again, failed := tx.Resellers.Get(ctx, r.ID)
					lineAgain, lineFailed := tx.Lines.Get(ctx, stored.ID)
					w.same([]any{stateOf(again), stateOf(lineAgain)}, []any{r, stored}, "got again in the same update")
					return errors.Join(err, failed, lineFailed)
				})
			},
			func() error {
				return w.try(func(ctx context.Context, tx ports.Tx) error {
					got, err := tx.Resellers.Get(ctx, r.ID)
					gotLine, failed := tx.Lines.Get(ctx, stored.ID)
					return errors.Join(err, failed, spoil(got, tx.Resellers.Save(ctx, got)),
						spoil(gotLine, tx.Lines.Save(ctx, gotLine)))
				})
			},
		} {
			w.must(spoils(), "change what was stored, or was read")
			w.seesReseller(r)
			w.seesLine(stored)
		}
	}},
	{"absent-is-not-found", proves{"R2", "R3", "R18", "L2", "L11", "L17", "L19", "L28", "L29", "M3", "K2"},
		func(w *harness) {
			root := w.admin("root")
			a, absent := w.below(root, "absent"), fixture.Name("absent")
			l := newTrial(root, w.id(ports.LineIDs), "absent")
			failure := func(_ any, err error) error { return err }
			w.view(func(ctx context.Context, s ports.Snapshot) error {
				for doing, err := range map[string]error{
					"get an account":                        failure(s.Resellers.Get(ctx, a.ID())),
					"find an account":                       failure(s.Resellers.FindByUsername(ctx, absent)),
					"find an account by no name":            failure(s.Resellers.FindByUsername(ctx, profile.Username{})),
					"get a line":                            failure(s.Lines.Get(ctx, l.ID())),
					"find a line":                           failure(s.Lines.FindByUsername(ctx, absent)),
					"find a line by the name of an account": failure(s.Lines.FindByUsername(ctx, root.State().Username)),
					"find a line by an external id":         failure(s.Lines.FindByExternalID(ctx, root.ID(), fixture.Text("absent"))),
					"get a key":                             failure(s.Keys.Get(ctx, root.ID(), "absent")),
				} {
					w.want(err, fault.ErrNotFound, doing+" in a view")
				}
				return nil
			})
			// Each in an update of its own: what fails may end the transaction.
			for doing, do := range map[string]work{
				"get an account": func(ctx context.Context, tx ports.Tx) error { return failure(tx.Resellers.Get(ctx, a.ID())) },
				"get account 0":  func(ctx context.Context, tx ports.Tx) error { return failure(tx.Resellers.Get(ctx, 0)) },
				"find an account": func(ctx context.Context, tx ports.Tx) error {
					return failure(tx.Resellers.FindByUsername(ctx,
						absent))
				},
				"save an account": func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Save(ctx, a) },
				"get a line":      func(ctx context.Context, tx ports.Tx) error { return failure(tx.Lines.Get(ctx, l.ID())) },
				"find a line": func(ctx context.Context, tx ports.Tx) error {
					return failure(tx.Lines.FindByUsername(ctx,
						absent))
				},
				"save a line":    func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Save(ctx, l) },
				"delete a line":  func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Delete(ctx, tombstoneOf(l)) },
				"get a movement": func(ctx context.Context, tx ports.Tx) error { return failure(tx.Ledger.Get(ctx, unknownID)) },
				"get a key": func(ctx context.Context, tx ports.Tx) error {
					return failure(tx.Keys.Get(ctx, root.ID(),
						"absent"))
				},
				"get no key": func(ctx context.Context, tx ports.Tx) error { return failure(tx.Keys.Get(ctx, a.ID(), "")) },
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
	{"blocks-are-found", proves{"R4", "R6", "R19", "R20"}, func(w *harness) {
		all := mapped(w.chain(), (*reseller.Reseller).ID)
		many := slices.Clone(all)
		for i := range int64(5_000) { // a page of accounts has thousands above it
			many = append(many, unknownID+i)
		}
		slices.Reverse(many)
		blocked, suspending := map[int64]bool{}, map[int64]bool{}
		sets := func(id int64, isBlocked, suspends bool) {
			w.update("block", changes(id, func(s *reseller.State) {
				s.Blocked, s.Block = isBlocked, reseller.Block{Terms: reseller.Terms{Suspends: suspends}}
			}))
			blocked[id], suspending[id] = isBlocked, suspends
		}
		sees := func() {
			for _, ids := range [][]int64{nil, all[:1], all[1:2], all[2:3], all[3:4], all, many} {
				w.blocks(ids, blocked, suspending)
			}
		}
		sees()
		sets(all[len(all)-1], true, false) // its lines run
		sees()
		for i, id := range all {
			sets(id, i%3 > 0, i%3 == 1)
		}
		sees()
		for i, id := range all {
			sets(id, i > 4, false)
			sees()
		}
		w.update("insert one that is blocked", inserts(restored(blockedBy(w.below(fixture.Admin(all[0]), "suspending"),
			reseller.Block{Terms: reseller.Terms{Suspends: true}}))))
		if !seen(w, func(ctx context.Context, s ports.Snapshot) (bool, error) { return s.Resellers.AnySuspending(ctx) }) {
			w.Errorf("no block suspends lines, of an account that was inserted with one")
		}
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
	{"empty-without-accounts", proves{"R5"}, func(w *harness) {
		empty := func(ctx context.Context, s ports.Snapshot) (bool, error) { return s.Resellers.Empty(ctx) }
		w.claims("fingerprint", "fingerprint")
		w.same(seen(w, empty), true, "empty without accounts")
		w.admin("root")
		w.same(seen(w, empty), false, "empty with an account")
	}},
}

// unknownID and those after it are ids that nothing has.
const unknownID = 1 << 40

// blocks fails unless those of the accounts that are blocked, and those whose blocks suspend lines, are found.
func (w *harness) blocks(ids []int64, blocked, suspending map[int64]bool) {
	among := func(is map[int64]bool) []int64 {
		found := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !is[id] })
		slices.Sort(found)
		return found
	}
	anyInUpdate, _ := seenInUpdate(w, func(ctx context.Context, tx ports.Tx) (bool, error) {
		return tx.Resellers.AnyBlocked(ctx, ids)
	})
	w.view(func(ctx context.Context, s ports.Snapshot) error {
		anyBlocked, err := s.Resellers.AnyBlocked(ctx, ids)
		anySuspends, failed := s.Resellers.AnySuspending(ctx)
		all, listing := s.Resellers.Blocked(ctx, ids)
		suspends, failing := s.Resellers.Suspending(ctx, ids)
		slices.Sort(all)
		slices.Sort(suspends)
		w.same([]any{anyInUpdate, anyBlocked, all, suspends}, []any{len(among(blocked)) > 0, len(among(blocked)) > 0,
			among(blocked), among(suspending)},
			"any blocked in an update and in a view, the blocked, and those that suspend lines")
		if want := slices.Contains(slices.Collect(maps.Values(suspending)), true); anySuspends != want {
			w.Errorf("some block suspends lines: got %t, want %t", anySuspends, want)
		}
		return errors.Join(err, failed, listing, failing)
	})
}

// readMovement reads a movement in every way that there is.
func (w *harness) readMovement(m credit.Movement, got func(how string, m credit.Movement)) {
	inUpdate, _ := w.movement(m.ID)
	got("in an update", inUpdate)
	for _, e := range m.Postings {
		for _, stated := range w.statement(e.Reseller, e.Seq+1, 1) {
			got(fmt.Sprintf("in the statement of account %d", e.Reseller), stated)
		}
	}
	if !w.audited {
		return
	}
	w.records(func(ctx context.Context, r ports.Records) error {
		for _, e := range m.Postings {
			number := ports.PostingID{Reseller: e.Reseller, Seq: e.Seq}
			found, err := r.MovementsByPosting(ctx, []ports.PostingID{number})
			if err != nil {
				return err
			}
			got(fmt.Sprintf("audited by its number in account %d", e.Reseller), found[number].Record)
		}
		found, err := r.MovementsByID(ctx, []int64{m.ID})
		got("audited by its id", found[m.ID].Record)
		page, failed := r.Movements(ctx, m.ID-1, 1)
		for _, f := range page {
			got("audited in a page", f.Record)
		}
		return errors.Join(err, failed)
	})
}

// moved are movements of every kind.
type moved struct {
	payer, line int64 // of most of them, and that one of them concerns
	all         []credit.Movement
}

// moved stores movements of every kind.
func (w *harness) moved() (m moved) {
	root := w.admin("root")
	first := w.master(root, "payer", 1)
	second := w.master(first, "payee", 1)
	m.payer, m.line = first.ID(), w.trial(second, "line").ID()
	m.all = w.movements(root, first, second, m.line)
	storeAll(w, m.all, appends)
	return m
}

// seesReseller fails unless the reseller is read as s in every way there is.
func (w *harness) seesReseller(s reseller.State) {
	w.view(func(ctx context.Context, v ports.Snapshot) error {
		got, err := v.Resellers.Get(ctx, s.ID)
		named, namedErr := v.Resellers.FindByUsername(ctx, s.Username)
		found, listErr := listed(ctx, v, ports.ResellerQuery{Scope: ports.Scope{Reseller: s.ID}, Limit: 1}, resellerPage)
		blocked, blockedErr := v.Resellers.AnyBlocked(ctx, []int64{s.ID})
		if err := errors.Join(err, namedErr, listErr, blockedErr); err != nil {
			return err
		}
		w.same(got.State(), s, "account in a view")
		w.same(named.State(), s, "account found by its name in a view")
		w.same(mapped(found, (*reseller.Reseller).State), []reseller.State{s}, "account listed")
		w.same(blocked, s.Blocked, "whether the account is blocked")
		return nil
	})
	w.update("read an account", func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Resellers.Get(ctx, s.ID)
		named, namedErr := tx.Resellers.FindByUsername(ctx, s.Username)
		if err := errors.Join(err, namedErr); err != nil {
			return err
		}
		w.same(got.State(), s, "account in an update")
		w.same(named.State(), s, "account found by its name in an update")
		return nil
	})
	if w.audited {
		w.records(func(ctx context.Context, r ports.Records) error {
			return audits(ctx, w, r.Resellers, r.ResellersByID, s.ID, s)
		})
	}
}

// seesLine fails unless the line is read as s in every way there is.
func (w *harness) seesLine(s line.State) {
	l := w.line(s.ID)
	if l == nil {
		w.Fatalf("line %d is not there", s.ID)
	}
	w.same(l.State(), s, "line")
	w.view(func(ctx context.Context, v ports.Snapshot) error {
		got, err := v.Lines.Get(ctx, s.ID)
		if err != nil {
			return err
		}
		w.same(got.State(), s, "line in a view")
		for _, order := range ports.LineOrders() {
			q := ports.LineQuery{Scope: ports.Scope{Reseller: s.Owner.ID}, Username: s.Username.Key(), Order: order, Limit: 1}
			found, err := listed(ctx, v, q, linePage)
			if err != nil {
				return err
			}
			found = slices.DeleteFunc(found, func(l *line.Line) bool { return l.ID() != s.ID }) // names that begin with it
			w.same(mapped(found, (*line.Line).State), []line.State{s}, "line listed")
		}
		return nil
	})
	if w.audited {
		w.records(func(ctx context.Context, r ports.Records) error {
			return audits(ctx, w, r.Lines, r.LinesByID, s.ID, s)
		})
	}
}

// seesMovements fails unless the movements are read so in every way there is.
func (w *harness) seesMovements(movements []credit.Movement) {
	for _, m := range movements {
		ways := 0
		w.readMovement(m, func(how string, got credit.Movement) {
			ways++
			w.same(got, m, "movement "+how)
		})
		if want := 1 + len(m.Postings); ways != want && ways != 2*want+1 {
			w.Errorf("movement %d is shown in %d ways", m.ID, ways)
		}
	}
}
