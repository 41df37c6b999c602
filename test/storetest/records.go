package storetest

import (
	"context"
	"errors"
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
		// Records from before blocks had terms have no terms.
		for _, block := range []reseller.Block{{}, {At: noon}, {Terms: reseller.Terms{Suspends: true}}} {
			w.saves(blockedBy(deepest, block))
			w.seesReseller(blockedBy(deepest, block))
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
			w.deleteLine(s.ID) // another line takes its name
		}
		w.update("insert an imported line", insertsLine(restoredLine(imported)))
		w.seesLine(imported)
		imported.Edited, imported.ExternalID = true, fixture.Text("")
		saved := w.trial(deepest, "saved")
		unreasoned := saved.State()
		unreasoned.Suspended = true
		for _, s := range []line.State{unreasoned, fullLine(saved, 1), fullLine(saved, 0), fullLine(saved, 1), imported} {
			w.savesLine(s)
			w.seesLine(s)
		}
	}},
	{"movements-survive-unchanged", proves{"S1", "M1", "M2"}, func(w *harness) {
		m := w.moved()
		w.deleteLine(m.line)
		w.seesMovements(m.all)
		w.same(w.statement(m.payer, 0, 1), m.all[len(m.all)-1:], "newest movement, of a great number")
		other := m.all[0]
		other.Amount, other.Notes = fixture.Units(7), "another one under the same id"
		// The store may refuse it or not.
		_ = w.try(appends(other))
		w.seesMovements(m.all)

		// A caller that changes a movement after appending or reading it does not change the stored one.
		want := make([]credit.Movement, len(m.all))
		for i, movement := range m.all {
			movement.Postings = slices.Clone(movement.Postings)
			want[i] = movement
		}
		spoilBatch(ports.Batch{Movements: m.all})
		w.seesMovements(want)
		for _, m := range want {
			spoilBatch(ports.Batch{Movements: w.readMovement(m)})
		}
		w.seesMovements(want)
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
				_, err = v.Activate(restored(r), fixture.Prices()[0], line.Details{Username: fixture.Name("spoiled")}, 1,
					credit.Provenance{ID: 1, At: noon})
			}
			return err
		}
		w.must(errors.Join(spoil(a, nil), spoil(l, nil)), "change what was stored")
		w.seesReseller(r)
		w.seesLine(stored)
		w.view(func(ctx context.Context, s ports.Snapshot) error {
			accounts, listed := s.Resellers.List(ctx, ports.ResellerQuery{Scope: ports.Scope{Reseller: r.ID}, Limit: 1})
			lines, listedLines := s.Lines.List(ctx, ports.LineQuery{Limit: 1})
			return errors.Join(listed, listedLines, spoil(accounts.Resellers[0], nil), spoil(lines.Lines[0], nil),
				spoil(s.Resellers.Get(ctx, r.ID)), spoil(s.Resellers.FindByUsername(ctx, r.Username)),
				spoil(s.Lines.Get(ctx, stored.ID)))
		})
		w.update("change records after reading and saving them", func(ctx context.Context, tx ports.Tx) error {
			err := errors.Join(spoil(tx.Resellers.Get(ctx, r.ID)), spoil(tx.Resellers.FindByUsername(ctx, r.Username)),
				spoil(tx.Lines.Get(ctx, stored.ID)))
			again, failed := tx.Resellers.Get(ctx, r.ID)
			lineAgain, lineFailed := tx.Lines.Get(ctx, stored.ID)
			if err := errors.Join(err, failed, lineFailed); err != nil { // a run that is repeated may find nothing yet
				return err
			}
			w.same([]any{stateOf(again), stateOf(lineAgain)}, []any{r, stored}, "got again in the same update")
			return errors.Join(spoil(again, tx.Resellers.Save(ctx, again)), spoil(lineAgain, tx.Lines.Save(ctx, lineAgain)))
		})
		w.seesReseller(r)
		w.seesLine(stored)
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
			tries := func(ctx context.Context, tx ports.Tx) map[string]func() (any, error) {
				return map[string]func() (any, error){
					"get an account":  func() (any, error) { return tx.Resellers.Get(ctx, a.ID()) },
					"find an account": func() (any, error) { return tx.Resellers.FindByUsername(ctx, absent) },
					"save an account": func() (any, error) { return nil, tx.Resellers.Save(ctx, a) },
					"get a line":      func() (any, error) { return tx.Lines.Get(ctx, l.ID()) },
					"find a line":     func() (any, error) { return tx.Lines.FindByUsername(ctx, absent) },
					"save a line":     func() (any, error) { return nil, tx.Lines.Save(ctx, l) },
					"delete a line":   func() (any, error) { return nil, tx.Lines.Delete(ctx, tombstoneOf(l)) },
					"get a movement":  func() (any, error) { return tx.Ledger.Get(ctx, unknownID) },
					"get a key":       func() (any, error) { return tx.Keys.Get(ctx, root.ID(), "absent") },
				}
			}
			for doing := range tries(w.ctx, ports.Tx{}) { // each in an update of its own: what fails may end the transaction
				w.want(w.try(func(ctx context.Context, tx ports.Tx) error { return failure(tries(ctx, tx)[doing]()) }),
					fault.ErrNotFound, doing)
			}
			// A refused save leaves nothing behind.
			w.holdsLineName("absent", 0)
		}},
	{"blocks-are-found", proves{"R4", "R6", "R19", "R20"}, func(w *harness) {
		all := mapped(w.chain(), (*reseller.Reseller).ID)
		many := slices.Clone(all)
		for i := range int64(5_000) { // a page of accounts has thousands above it
			many = append(many, unknownID+i)
		}
		slices.Reverse(many)
		blocked, suspending := map[int64]bool{}, map[int64]bool{}
		for round := range 4 { // none, one whose lines run, some, none
			for i, id := range all {
				blocked[id] = round == 1 && id == all[len(all)-1] || round == 2 && i%3 > 0
				suspending[id] = round == 2 && i%3 == 1
				w.update("block", changes(id, func(s *reseller.State) {
					s.Blocked, s.Block = blocked[id], reseller.Block{Terms: reseller.Terms{Suspends: suspending[id]}}
				}))
			}
			for _, ids := range [][]int64{nil, all[:1], all[1:2], all[2:3], all, many} {
				w.blocks(ids, blocked, suspending)
			}
		}
		w.update("insert one that is blocked", inserts(restored(blockedBy(w.below(fixture.Admin(all[0]), "suspending"),
			reseller.Block{Terms: reseller.Terms{Suspends: true}}))))
		w.same(seen(w, func(ctx context.Context, s ports.Snapshot) (bool, error) { return s.Resellers.AnySuspending(ctx) }),
			true, "some block suspends lines, of an account that was inserted with one")
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
		return slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !is[id] })))
	}
	inUpdate, _ := seenInUpdate(w, func(ctx context.Context, tx ports.Tx) (bool, error) {
		return tx.Resellers.AnyBlocked(ctx, ids)
	})
	w.view(func(ctx context.Context, s ports.Snapshot) error {
		inView, err := s.Resellers.AnyBlocked(ctx, ids)
		anySuspends, failed := s.Resellers.AnySuspending(ctx)
		all, listing := s.Resellers.Blocked(ctx, ids)
		suspends, failing := s.Resellers.Suspending(ctx, ids)
		slices.Sort(all)
		slices.Sort(suspends)
		is, some := len(among(blocked)) > 0, slices.Contains(slices.Collect(maps.Values(suspending)), true)
		w.same([]any{inUpdate, inView, all, suspends, anySuspends}, []any{is, is, among(blocked), among(suspending), some},
			"any blocked in an update and in a view, the blocked, those that suspend lines, and whether any does")
		return errors.Join(err, failed, listing, failing)
	})
}

// readMovement reads a movement in every way that there is.
func (w *harness) readMovement(m credit.Movement) []credit.Movement {
	all := []credit.Movement{w.movement(m.ID)}
	for _, e := range m.Postings {
		all = append(all, w.statement(e.Reseller, e.Seq+1, 1)...)
	}
	if !w.audited {
		return all
	}
	w.records(func(ctx context.Context, r ports.Records) error {
		named, err := r.MovementsByID(ctx, []int64{m.ID})
		page, failed := r.Movements(ctx, m.ID-1, 1)
		err = errors.Join(err, failed)
		all = append(all, named[m.ID].Record)
		for _, f := range page {
			all = append(all, f.Record)
		}
		for _, e := range m.Postings {
			number := ports.PostingID{Reseller: e.Reseller, Seq: e.Seq}
			found, failed := r.MovementsByPosting(ctx, []ports.PostingID{number})
			all, err = append(all, found[number].Record), errors.Join(err, failed)
		}
		return err
	})
	return all
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
	sees := func(where string) func(r *reseller.Reseller, err error) error {
		return func(r *reseller.Reseller, err error) error {
			if err == nil {
				w.same(r.State(), s, where)
			}
			return err
		}
	}
	w.view(func(ctx context.Context, v ports.Snapshot) error {
		found, err := listed(ctx, v, ports.ResellerQuery{Scope: ports.Scope{Reseller: s.ID}, Limit: 1}, resellerPage)
		w.same(mapped(found, (*reseller.Reseller).State), []reseller.State{s}, "account listed")
		blocked, blockedErr := v.Resellers.AnyBlocked(ctx, []int64{s.ID})
		w.same(blocked, s.Blocked, "whether the account is blocked")
		return errors.Join(err, blockedErr, sees("account in a view")(v.Resellers.Get(ctx, s.ID)),
			sees("account found by its name in a view")(v.Resellers.FindByUsername(ctx, s.Username)))
	})
	w.update("read an account", func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(sees("account in an update")(tx.Resellers.Get(ctx, s.ID)),
			sees("account found by its name in an update")(tx.Resellers.FindByUsername(ctx, s.Username)))
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
		w.Fatalf("line %d does not exist", s.ID)
	}
	w.same(l.State(), s, "line in an update")
	w.view(func(ctx context.Context, v ports.Snapshot) error {
		l, err := v.Lines.Get(ctx, s.ID)
		if err != nil {
			return err
		}
		w.same(l.State(), s, "line in a view")
		for _, order := range ports.LineOrders() {
			q := ports.LineQuery{Scope: ports.Scope{Reseller: s.Owner.ID}, Username: s.Username.Key(), Order: order, Limit: 1}
			found, failed := listed(ctx, v, q, linePage)
			found = slices.DeleteFunc(found, func(l *line.Line) bool { return l.ID() != s.ID }) // names that begin with it
			w.same(mapped(found, (*line.Line).State), []line.State{s}, "line listed")
			err = errors.Join(err, failed)
		}
		return err
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
		ways := 1 + len(m.Postings)
		if w.audited {
			ways += 2 + len(m.Postings)
		}
		w.same(w.readMovement(m), slices.Repeat([]credit.Movement{m}, ways), "movement in every way that there is to read it")
	}
}
