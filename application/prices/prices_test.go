package prices_test

import (
	"fmt"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/application/lines"
	"resellerd/application/prices"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/plan"
	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// shop is a tree of a master, a reseller below it, and a reseller beside them.
type shop struct {
	*kit.Harness
	north, leaf, other       *reseller.Reseller
	byNorth, byLeaf, byOther application.Caller
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{Harness: kit.New(t, application.Policy{TrialDuration: time.Hour})}
	s.north, s.byNorth = s.Create(s.Admin, "north", "1000", true)
	s.leaf, s.byLeaf = s.Create(s.byNorth, "leaf", "100", false)
	s.other, s.byOther = s.Create(s.Admin, "other", "100", false)
	return s
}

// put sets prices of plans, by their ids in turn; "" leaves a plan out.
func (s *shop) put(account int64, at *time.Time, rows ...string) (v prices.Version, err error) {
	n := plan.Next{EffectiveAt: at}
	for i, p := range rows {
		if p != "" {
			n.Rows = append(n.Rows, plan.Row{Plan: int64(i + 1), Credits: fixture.Credits(p)})
		}
	}
	_, err = s.Prices.Put(s.T.Context(), kit.Call(s.Admin), prices.Put{Account: account, Next: n}, kit.Into(&v))
	return v, err
}

func (s *shop) activate(by application.Caller, name string, r plan.Request) (lines.Line, error) {
	c := s.Activation(s.Trial(by).ID(), name, "1")
	c.Price = r
	return s.Activate(by, c)
}

// audited fails unless an audit of the store has no findings.
func (s *shop) audited() {
	s.T.Helper()
	_, err := audit.Run(s.T.Context(), s.Archive, audit.Options{Report: func(finding string) { s.T.Error(finding) }})
	require.NoError(s.T, err)
}

// The nearest book counts for the owner and each caller, from its instant on, and until the account inherits again.
func TestNearestBookCountsFromItsInstantOn(t *testing.T) {
	s := newShop(t)
	_, err := s.put(prices.Platform, nil, "0.5", "2")
	require.NoError(t, err)
	later := s.Now.Add(time.Hour)
	_, err = s.put(s.north.ID(), &later, "", "3")
	require.NoError(t, err)
	check := func(when, leaf, other string) {
		t.Helper()
		for name, c := range map[string]struct {
			by    application.Caller
			owner *int64
			want  string
		}{
			"leaf": {s.byLeaf, nil, leaf}, "leaf by north": {s.byNorth, new(s.leaf.ID()), leaf}, "north": {s.byNorth, nil, leaf},
			"other": {s.byOther, nil, other}, "leaf by admin": {s.Admin, new(s.leaf.ID()), leaf}, "admin": {s.Admin, nil, other},
		} {
			found, err := s.Prices.Prices(t.Context(), kit.Call(c.by), c.owner)
			require.NoError(t, err)
			got := ""
			for _, o := range found {
				got += fmt.Sprintf("%d=%s ", o.ID, o.Credits)
			}
			expect.Equal(t, got, c.want, "%s: prices of %s", when, name)
		}
	}
	contract := "1=0.5 2=1 3=2 4=3 5=5 6=10 "
	check("at first", contract, contract)
	s.Now = s.Now.Add(plan.Lead)
	check("a minute later", "1=0.5 2=2 ", "1=0.5 2=2 ")
	s.Now = later.Add(-time.Millisecond)
	check("before the hour", "1=0.5 2=2 ", "1=0.5 2=2 ")
	s.Now = later
	check("at the hour", "2=3 ", "1=0.5 2=2 ")

	before := s.Balance(s.leaf.ID())
	l, err := s.activate(s.byNorth, "mine", plan.Request{Plan: 2})
	require.NoError(t, err)
	expect.Equal(t, l.Shown().Plan, int64(2), "the plan of the line")
	l, err = s.activate(s.byLeaf, "tv", plan.Request{Plan: 2, Credits: new(fixture.Credits("3"))})
	require.NoError(t, err)
	expect.Equal(t, before+" "+s.Balance(s.leaf.ID()), "100 97", "the owner pays")
	_, err = s.Lines.Extend(t.Context(), kit.Call(s.Admin), lines.Extend{ID: l.ID(), Price: fixture.Request("2")},
		kit.Shown)
	expect.Error(t, err, plan.ErrUnknownPrice, "the price of another book")
	_, err = s.put(s.north.ID(), nil)
	require.NoError(t, err)
	check("before it inherits", "2=3 ", "1=0.5 2=2 ")
	s.Now = s.Now.Add(plan.Lead)
	check("after it inherits", "1=0.5 2=2 ", "1=0.5 2=2 ")
	require.NoError(t, kit.ErrorOf(s.Lines.Extend(t.Context(), kit.Call(s.Admin),
		lines.Extend{ID: l.ID(), Price: fixture.Request("2")}, kit.Shown)))
	s.audited()
}

// A process whose clock is late sets prices whose instant has passed. An audit compares earlier charges with the book
// that they had.
func TestAuditKnowsPricesOnlyFromTheirEntryOn(t *testing.T) {
	s := newShop(t)
	_, err := s.activate(s.byOther, "tv", fixture.Request("1"))
	require.NoError(t, err)
	s.Now = s.Now.Add(-time.Hour)
	_, err = s.put(prices.Platform, nil, "0.5", "2")
	require.NoError(t, err)
	s.audited()
	s.Now = s.Now.Add(time.Hour)
	_, err = s.activate(s.byOther, "tv.2", fixture.Request("2"))
	require.NoError(t, err)
	s.audited()
}

// A book says how many accounts and lines are below it, and which of them have books of their own.
func TestBookSaysWhomItReaches(t *testing.T) {
	s := newShop(t)
	for name, by := range map[string]application.Caller{"tv": s.byLeaf, "other.tv": s.byOther} {
		_, err := s.activate(by, name, fixture.Request("1"))
		require.NoError(t, err)
	}
	for _, of := range []int64{s.leaf.ID(), s.other.ID()} {
		_, err := s.put(of, nil, "0.5")
		require.NoError(t, err)
	}
	_, err := s.put(s.other.ID(), nil) // inherits again
	require.NoError(t, err)
	s.Now = s.Now.Add(plan.Lead)
	for account, want := range map[int64]prices.Reach{
		prices.Platform: {Resellers: 3, Lines: 2, Others: []int64{s.leaf.ID()}},
		s.north.ID():    {Resellers: 2, Lines: 1, Others: []int64{s.leaf.ID()}},
		s.leaf.ID():     {Resellers: 1, Lines: 1},
	} {
		b, err := s.Prices.Book(t.Context(), kit.Call(s.Admin), prices.BookAt{Account: account})
		require.NoError(t, err)
		expect.DeepEqual(t, b.Reach, want, "the book of account %d", account)
	}
	s.audited()
}

// A charge at another price than the stated one makes nothing, and leaves no entry.
func TestStatedPriceIsTheOnlyOneCharged(t *testing.T) {
	s := newShop(t)
	trial := s.Trial(s.byLeaf)
	c := s.Activation(trial.ID(), "tv", "1")
	c.Price.Plan = 3
	entries := s.Appended(func() {
		_, err := s.Activate(s.byLeaf, c)
		expect.Error(t, err, plan.ErrPriceChanged, "plan 3 costs 2")
	})
	expect.Equal(t, len(entries), 0, "entries")
	expect.Equal(t, s.Balance(s.leaf.ID()), "100", "the balance")
}

func TestEachChargeNamesItsPrice(t *testing.T) {
	s := newShop(t)
	_, err := s.put(s.north.ID(), nil, "0.25", "1.5")
	require.NoError(t, err)
	s.Now = s.Now.Add(plan.Lead)
	var id int64
	entries := s.Appended(func() {
		l, err := s.activate(s.byLeaf, "tv", plan.Request{Plan: 2})
		require.NoError(t, err)
		id = l.ID()
		require.NoError(t, kit.ErrorOf(s.Lines.Extend(t.Context(), kit.Call(s.byNorth),
			lines.Extend{ID: id, Price: fixture.Request("0.25")}, kit.Shown)))
	})
	for i, want := range []string{"2 3 1 1.5", "1 3 1 0.25"} {
		e := entries[i+1] // after that of the trial
		got := fmt.Sprint(e.Datum(journal.Plan), " ", e.Datum(journal.Book).(int64)-s.north.ID()+3, " ",
			e.Datum(journal.BookVersion), " ", e.Datum(journal.Price))
		expect.Equal(t, got, want, "plan, book, version and price of entry %d", i)
		seen, err := e.SeenBy(s.leaf)
		require.NoError(t, err)
		expect.Equal(t, seen.Datum(journal.Book), nil, "the reseller does not see whose book it is")
	}
	s.audited()
}

func TestOnlyAdministratorsSetPrices(t *testing.T) {
	s := newShop(t)
	for name, by := range map[string]application.Caller{"the master": s.byNorth, "the account": s.byLeaf} {
		_, err := s.Prices.Put(t.Context(), kit.Call(by), prices.Put{Account: s.leaf.ID()}, kit.Shown)
		expect.Error(t, err, reseller.ErrNotAllowed, "%s", name)
		_, err = s.Prices.Put(t.Context(), kit.Call(by), prices.Put{}, kit.Shown)
		expect.Error(t, err, reseller.ErrNotAllowed, "%s, the platform", name)
		_, err = s.Prices.CreatePlan(t.Context(), kit.Call(by), plan.Plan{}, kit.Shown)
		expect.Error(t, err, reseller.ErrNotAllowed, "%s, a plan", name)
		_, err = s.Prices.UpdatePlan(t.Context(), kit.Call(by), plan.Change{ID: 1}, kit.Shown)
		expect.Error(t, err, reseller.ErrNotAllowed, "%s, a change of a plan", name)
		_, err = s.Prices.Plans(t.Context(), kit.Call(by), prices.List{All: true})
		expect.Error(t, err, reseller.ErrNotAllowed, "%s, all plans", name)
		_, err = s.Prices.Book(t.Context(), kit.Call(by), prices.BookAt{})
		expect.Error(t, err, reseller.ErrNotAllowed, "%s, the book of the platform", name)
		_, err = s.Prices.History(t.Context(), kit.Call(by), prices.History{Limit: 1})
		expect.Error(t, err, reseller.ErrNotAllowed, "%s, its history", name)
	}
	_, err := s.Prices.Put(t.Context(), kit.Call(s.byOther), prices.Put{Account: s.leaf.ID()}, kit.Shown)
	expect.Error(t, err, fault.ErrNotFound, "out of sight")
	_, err = s.Prices.Book(t.Context(), kit.Call(s.byOther), prices.BookAt{Account: s.leaf.ID()})
	expect.Error(t, err, fault.ErrNotFound, "out of sight, the book")
	_, err = s.put(1, nil, "1")
	expect.Error(t, err, reseller.ErrNotAllowed, "an admin has no book")
	_, err = s.put(prices.Platform, nil, "1", "", "", "", "", "", "2")
	expect.Error(t, err, plan.ErrUnknownPlan, "a plan that does not exist")
}

func TestPriceChangesHaveEntries(t *testing.T) {
	s := newShop(t)
	for i, c := range []struct {
		do   func() error
		want string // of its entry, "" where nothing changes
	}{
		{func() error { return kit.ErrorOf(s.put(s.leaf.ID(), nil, "1", "2")) }, "prices.changed 1=1 2=2 1"},
		{func() error { return kit.ErrorOf(s.put(s.leaf.ID(), new(s.Now.Add(plan.Lead)), "1", "2")) }, ""},
		{func() error { return kit.ErrorOf(s.put(s.leaf.ID(), nil)) }, "prices.changed  2"},
		{func() error { return kit.ErrorOf(s.put(s.other.ID(), nil)) }, ""},
		{func() error {
			return kit.ErrorOf(s.Prices.Cancel(t.Context(), kit.Call(s.Admin), prices.Cancel{Account: s.leaf.ID(), Number: 2},
				kit.Shown))
		}, "prices.changed  2"},
		{func() error {
			return kit.ErrorOf(s.Prices.UpdatePlan(t.Context(), kit.Call(s.Admin), plan.Change{ID: 1, Name: new("half")},
				kit.Shown))
		}, "plan.updated <nil> <nil>"},
		{func() error {
			return kit.ErrorOf(s.Prices.UpdatePlan(t.Context(), kit.Call(s.Admin), plan.Change{ID: 1, Name: new("half")},
				kit.Shown))
		}, ""},
		{func() error {
			return kit.ErrorOf(s.Prices.CreatePlan(t.Context(), kit.Call(s.Admin), plan.Plan{Name: "n", Unit: credit.Day,
				Count: 1, Connections: 1}, kit.Shown))
		}, "plan.created <nil> <nil>"},
	} {
		got := ""
		for _, e := range s.Appended(func() { require.NoError(t, c.do()) }) {
			got = fmt.Sprint(e.Type, " ", e.Datum(journal.Rows), " ", e.Datum(journal.BookVersion))
		}
		expect.Equal(t, got, c.want, "step %d", i)
		s.audited()
	}
}

// Ten years of monthly changes stay readable, page by page and at any instant.
func TestHistoryHasEveryVersion(t *testing.T) {
	s := newShop(t)
	begun := s.Now
	for i := range 30 {
		_, err := s.put(s.north.ID(), nil, fmt.Sprint(i+1))
		require.NoError(t, err)
		s.Now = s.Now.Add(24 * time.Hour)
	}
	var got []int64
	c := prices.History{Account: s.north.ID(), Limit: 7}
	for {
		page, err := s.Prices.History(t.Context(), kit.Call(s.byNorth), c)
		require.NoError(t, err)
		for _, v := range page.Items {
			got = append(got, v.Number)
			expect.Equal(t, v.Rows, fmt.Sprintf("1=%d", v.Number), "rows of version %d", v.Number)
		}
		if page.Next == nil {
			break
		}
		c = c.PageAfter(page.Next, 7)
	}
	expect.Equal(t, len(got), 30, "versions")
	for i, number := range got {
		expect.Equal(t, number, int64(30-i), "the newest first")
	}
	for day := range 32 {
		at := begun.Add(time.Duration(day) * 24 * time.Hour)
		b, err := s.Prices.Book(t.Context(), kit.Call(s.byLeaf), prices.BookAt{Account: s.leaf.ID(), At: &at})
		require.NoError(t, err)
		want := "0 1=0.5 2=1 3=2 4=3 5=5 6=10"
		if day > 0 {
			want = fmt.Sprintf("%d 1=%d", s.north.ID(), min(day, 30))
		}
		expect.Equal(t, fmt.Sprint(b.Book, " ", b.Rows), want, "day %d", day)
		expect.Equal(t, *b.InheritedFrom, int64(0), "the reseller does not see whose book it is")
	}
	b, err := s.Prices.Book(t.Context(), kit.Call(s.Admin), prices.BookAt{Account: s.leaf.ID()})
	require.NoError(t, err)
	expect.Equal(t, *b.InheritedFrom, s.north.ID(), "an administrator sees it")
	s.audited()
}

func TestPlanOffSaleIsNotSold(t *testing.T) {
	s := newShop(t)
	l, err := s.activate(s.byLeaf, "tv", plan.Request{Plan: 2})
	require.NoError(t, err)
	require.NoError(t, kit.ErrorOf(s.Prices.UpdatePlan(t.Context(), kit.Call(s.Admin), plan.Change{ID: 2,
		OnSale: new(false)}, kit.Shown)))
	require.NoError(t, kit.ErrorOf(s.activate(s.byLeaf, "tv2", plan.Request{Plan: 2})))
	s.Now = s.Now.Add(plan.Lead)
	_, err = s.activate(s.byLeaf, "tv3", plan.Request{Plan: 2})
	expect.Error(t, err, plan.ErrOffSale, "an activation by the plan")
	_, err = s.activate(s.byLeaf, "tv3", fixture.Request("1"))
	expect.Error(t, err, plan.ErrOffSale, "an activation by its price")
	_, err = s.Lines.Extend(t.Context(), kit.Call(s.byLeaf), lines.Extend{ID: l.ID(), Price: plan.Request{Plan: 2}},
		kit.Shown)
	expect.Error(t, err, plan.ErrOffSale, "an extension")
	all, err := s.Prices.Plans(t.Context(), kit.Call(s.byLeaf), prices.List{})
	require.NoError(t, err)
	expect.Equal(t, len(all), 5, "plans that the reseller can buy")
	all, err = s.Prices.Plans(t.Context(), kit.Call(s.Admin), prices.List{All: true})
	require.NoError(t, err)
	expect.Equal(t, len(all), 6, "plans that an administrator sees")
	s.audited()
}

// devices adds plan 7, a month with two connections for 2 credits.
func (s *shop) devices() {
	s.T.Helper()
	require.NoError(s.T, kit.ErrorOf(s.Prices.CreatePlan(s.T.Context(), kit.Call(s.Admin), plan.Plan{Name: "two",
		Unit: credit.Month, Count: 1, Connections: 2, Packages: []string{"full", "sport"}, OnSale: true}, kit.Shown)))
	require.NoError(s.T, kit.ErrorOf(s.put(prices.Platform, nil, "0.5", "1", "2", "3", "5", "10", "3")))
	s.Now = s.Now.Add(plan.Lead)
}

func TestRunningLineChangesItsPlanForTheDifference(t *testing.T) {
	s := newShop(t)
	s.devices()
	l, err := s.activate(s.byLeaf, "tv", plan.Request{Plan: 2})
	require.NoError(t, err)
	_, err = s.Lines.Extend(t.Context(), kit.Call(s.byLeaf), lines.Extend{ID: l.ID(), Price: plan.Request{Plan: 7}},
		kit.Shown)
	expect.Error(t, err, plan.ErrDiffers, "an extension by another plan")
	s.Now = l.ExpiresAt().Add(-15 * 24 * time.Hour)
	change := func(by application.Caller, c lines.ChangePlan) (x lines.Switched, err error) {
		_, err = s.Lines.ChangePlan(t.Context(), kit.Call(by), c, kit.Into(&x))
		return x, err
	}
	dry, err := change(s.byLeaf, lines.ChangePlan{ID: l.ID(), Plan: 7, Expected: credit.MaxMovement(), DryRun: true})
	require.NoError(t, err)
	expect.Equal(t, dry.Cost.String()+" "+s.Balance(s.leaf.ID()), "1 99", "the dry run")
	_, err = change(s.byLeaf, lines.ChangePlan{ID: l.ID(), Plan: 7, Expected: fixture.Credits("0.9999")})
	expect.Error(t, err, plan.ErrPriceChanged, "less is expected")
	entries := s.Appended(func() {
		done, err := change(s.byNorth, lines.ChangePlan{ID: l.ID(), Plan: 7, Expected: fixture.Credits("1")})
		require.NoError(t, err)
		expect.Equal(t, done.Cost.String(), "1", "the cost")
	})
	e := entries[0]
	got := fmt.Sprint(e.Type, " ", e.Movement.Operation, " ", e.Movement.Amount, " ", e.Datum(journal.PriceBefore), " ",
		e.Datum(journal.Price), " ", e.Datum(journal.RemainingMS), " ", e.Datum(journal.PeriodMS))
	expect.Equal(t, got, "line.plan_changed plan_change 1 1 3 1296000000 2592000000", "the entry has all five numbers")
	is := s.Recorded().Lines[l.ID()]
	expect.Equal(t, is.Terms, credit.Terms{Connections: 2, Packages: "full,sport"}, "the line has its terms")
	expect.Equal(t, is.ExpiresAt.Equal(l.ExpiresAt()), true, "the expiry stays")
	again, err := change(s.byLeaf, lines.ChangePlan{ID: l.ID(), Plan: 7})
	require.NoError(t, err)
	expect.Equal(t, again.Cost.IsZero(), true, "the present plan costs nothing")
	_, err = change(s.byLeaf, lines.ChangePlan{ID: l.ID(), Plan: 2})
	expect.Error(t, err, plan.ErrDowngrade, "a cheaper plan")
	require.NoError(t, kit.ErrorOf(s.Lines.Suspend(t.Context(), kit.Call(s.byLeaf), lines.Suspend{ID: l.ID()}, kit.Shown)))
	_, err = change(s.byLeaf, lines.ChangePlan{ID: l.ID(), Plan: 2})
	expect.Error(t, err, line.ErrSuspended, "a suspended line")
	s.Now = l.ExpiresAt()
	_, err = change(s.byLeaf, lines.ChangePlan{ID: l.ID(), Plan: 2})
	expect.Error(t, err, line.ErrExpired, "an expired line")
	require.NoError(t, kit.ErrorOf(s.Lines.Extend(t.Context(), kit.Call(s.byLeaf), lines.Extend{ID: l.ID(),
		Price: plan.Request{Plan: 2}}, kit.Shown)))
	_, err = change(s.byLeaf, lines.ChangePlan{ID: s.Trial(s.byLeaf).ID(), Plan: 2})
	expect.Error(t, err, line.ErrIsTrial, "a trial")
	s.audited()
}

func TestImportedLineGetsItsPlan(t *testing.T) {
	s := newShop(t)
	s.devices()
	rows := []lines.ImportRow{
		{Row: 1, Owner: s.leaf.ID(), Username: fixture.Name("plain"), ExpiresAt: s.Now.Add(time.Hour)},
		{Row: 2, Owner: s.leaf.ID(), Username: fixture.Name("mapped"), ExpiresAt: s.Now.Add(time.Hour), Plan: 7},
		{Row: 3, Owner: s.leaf.ID(), Username: fixture.Name("unknown"), ExpiresAt: s.Now.Add(time.Hour), Plan: 99},
	}
	var report lines.ImportReport
	imports := func() {
		t.Helper()
		_, err := s.Lines.Import(t.Context(), kit.Call(s.Admin), lines.Import{Rows: rows}, kit.Into(&report))
		require.NoError(t, err)
	}
	imports()
	expect.Equal(t, report.Created, 2, "created")
	expect.Error(t, report.Refused[0].Reason, plan.ErrUnknownPlan, "the third row")
	imports()
	expect.Equal(t, report.Unchanged, 2, "a repetition")
	byName := map[string]line.State{}
	for _, l := range s.Recorded().Lines {
		byName[l.Username.String()] = l
	}
	expect.Equal(t, byName["mapped"].Connections, int64(2), "connections of the mapped one")
	expect.Equal(t, byName["plain"].Plan, int64(0), "the plan of the other one")
	_, err := s.Lines.ChangePlan(t.Context(), kit.Call(s.byLeaf), lines.ChangePlan{ID: byName["plain"].ID, Plan: 7}, kit.Shown)
	expect.Error(t, err, line.ErrNoPlan, "a line without a plan")
	require.NoError(t, kit.ErrorOf(s.Lines.Extend(t.Context(), kit.Call(s.byLeaf), lines.Extend{ID: byName["plain"].ID,
		Price: fixture.Request("1")}, kit.Shown)))
	expect.Equal(t, s.Recorded().Lines[byName["plain"].ID].Plan, int64(2), "an extension gives it a plan")
	s.audited()
}

func TestManagerHasNoPriceRights(t *testing.T) {
	expect.Equal(t, principal.Principal{Role: principal.Manager}.Has(principal.PricesWrite), false, "a manager")
}
