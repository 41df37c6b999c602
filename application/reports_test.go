package application_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/application/reports"
	"resellerd/application/resellers"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// sumUp is a summary as a text: balance, counts, and the days on which something happened, as they are away from today.
func (h *harness) sumUp(by application.Caller, c reports.Summary) string {
	h.t.Helper()
	found, err := h.Reports.Summary(h.t.Context(), call(by), c)
	require.NoError(h.t, err)
	if len(found.Days) != c.Days || !found.Days[c.Days-1].Begins.Equal(h.now.Truncate(24*time.Hour)) ||
		!found.At.Equal(h.now) {
		h.t.Errorf("%d days until %s were asked for, at %s; got %v", c.Days, h.now, found.At, found.Days)
	}
	l := found.Lines
	text := fmt.Sprintf("%s; %d %d %d %d %t", found.Balance, l.Running, l.Trials, l.Expiring, l.Expired, l.Capped)
	for i, d := range found.Days {
		if f := fmt.Sprintf("%d %d %d %s %s", d.Trials, d.Activations, d.Extensions, d.Spent, d.Received); f != "0 0 0 0 0" {
			text += fmt.Sprintf("; %d: %s", i-c.Days+1, f)
		}
	}
	return text
}

func TestASummaryCountsWhatWasDoneDayByDay(t *testing.T) {
	h := newHarness(t, application.Policy{})
	master, masters := h.create(h.admin, "master", "20", true)
	below, belows := h.create(masters, "below", "5", false)
	sold, err := h.activate(belows, h.activation(h.trial(belows).ID(), "sold", "0.5"))
	require.NoError(t, err)
	h.now = h.now.Add(12 * time.Hour) // the next day
	require.NoError(t, errorOf(h.Lines.Extend(t.Context(), call(masters),
		lines.Extend{ID: sold.ID(), Price: fixture.Price("1")}, shown)))
	require.NoError(t, errorOf(h.Credits.Reclaim(t.Context(), call(masters),
		resellers.Move{ID: below.ID(), Credits: fixture.Credits("2")}, shown)))
	require.NoError(t, errorOf(h.activate(h.admin, h.activation(h.trial(h.admin).ID(), "own", "10"))))
	h.trial(masters)
	own := reports.Summary{Days: 2}
	of := func(id int64) reports.Summary { return reports.Summary{Account: &id, Days: 2} }
	tree := reports.Summary{Tree: new(master.ID()), Days: 2}
	for _, c := range []struct {
		name string
		by   application.Caller
		asks reports.Summary
		want string
	}{
		{"one's own", belows, own, "1.5; 1 0 0 0 false; -1: 1 1 0 0.5 5; 0: 0 0 1 1 0"},
		{"of one below", masters, of(below.ID()), "1.5; 1 0 0 0 false; -1: 1 1 0 0.5 5; 0: 0 0 1 1 0"},
		{"its own, without what is below", masters, own, "17; 0 1 0 0 false; -1: 0 0 0 0 20; 0: 1 0 0 0 2"},
		{"of a tree", masters, tree, "18.5; 1 1 0 0 false; -1: 1 1 0 0.5 25; 0: 1 0 1 1 2"},
		{"of an admin, whose lines issuance pays", h.admin, own, "0; 1 0 0 0 false; 0: 1 1 0 10 0"},
		{"of all that an admin has", h.admin, reports.Summary{Tree: new(h.admin.Reseller()), Days: 1},
			"18.5; 2 1 0 0 false; 0: 2 1 1 11 2"},
		{"of one of a tree", h.admin, reports.Summary{Account: new(below.ID()), Tree: new(master.ID()), Days: 1},
			"1.5; 1 0 0 0 false; 0: 0 0 1 1 0"},
		{"of a year", belows, reports.Summary{Days: reports.MostDays},
			"1.5; 1 0 0 0 false; -1: 1 1 0 0.5 5; 0: 0 0 1 1 0"},
	} {
		expect.Equal(t, h.sumUp(c.by, c.asks), c.want, "%s", c.name)
	}
	expect.Error(t, errorOf(h.Reports.Summary(t.Context(), call(belows), of(master.ID()))), fault.ErrNotFound)
	expect.Error(t, errorOf(h.Reports.Summary(t.Context(), call(masters),
		reports.Summary{Account: new(master.ID()), Tree: new(below.ID()), Days: 1})), fault.ErrNotFound)
	for _, c := range []struct {
		expires time.Duration // of the one official line, from now
		want    string
	}{
		{7*24*time.Hour + time.Millisecond, "1 0 0 0"}, {7 * 24 * time.Hour, "1 0 1 0"}, {time.Millisecond, "1 0 1 0"},
		{0, "0 0 0 1"}, {-14 * 24 * time.Hour, "0 0 0 1"}, {-14*24*time.Hour - time.Millisecond, "0 0 0 0"},
	} {
		line, err := h.Lines.Get(t.Context(), call(belows), sold.ID())
		require.NoError(t, err)
		h.now = line.ExpiresAt().Add(-c.expires)
		got := h.sumUp(belows, own)
		expect.Equal(t, strings.HasPrefix(got, "1.5; "+c.want+" false"), true, "in %s, %q has %q", c.expires, got, c.want)
	}
}

// A summary counts what lists have, and by its expiry what is below a block besides.
func TestASummaryCountsWhatListsHave(t *testing.T) {
	h := newHarness(t, application.Policy{})
	master, masters := h.create(h.admin, "master", "20", true)
	below, belows := h.create(masters, "below", "5", false)
	var sold lines.Line
	for _, name := range []string{"served", "suspended"} {
		var err error
		sold, err = h.activate(belows, h.activation(h.trial(belows).ID(), name, "1"))
		require.NoError(t, err)
	}
	h.trial(belows)
	for _, id := range []int64{sold.ID(), h.trial(belows).ID()} {
		require.NoError(t, errorOf(h.Lines.Suspend(t.Context(), call(belows), lines.Suspend{ID: id}, shown)))
	}
	of := func(effect line.Effect, trial bool, after, before *time.Time) int {
		c := lines.List{Effect: &effect, Trial: &trial, ExpiresAfter: after, ExpiresBefore: before, Limit: 5}
		page, err := h.Lines.List(t.Context(), call(masters), c)
		require.NoError(t, err)
		return len(page.Items)
	}
	holds := func(counts, lists reports.LineCounts) {
		t.Helper()
		found, err := h.Reports.Summary(t.Context(), call(masters), reports.Summary{Tree: new(master.ID()), Days: 1})
		require.NoError(t, err)
		soon, past := h.now.Add(7*24*time.Hour), h.now.Add(-14*24*time.Hour)
		listed := reports.LineCounts{
			Running: of(line.Running, false, nil, nil), Trials: of(line.Running, true, nil, nil),
			Expiring: of(line.Running, false, nil, &soon), Expired: of(line.Expired, false, &past, nil),
		}
		expect.Equal(t, found.Lines, counts, "at %s it counts", h.now)
		expect.Equal(t, listed, lists, "at %s lists have", h.now)
	}
	holds(reports.LineCounts{Running: 1, Trials: 1}, reports.LineCounts{Running: 1, Trials: 1})
	h.now = sold.ExpiresAt().Add(-time.Hour)
	holds(reports.LineCounts{Running: 1, Expiring: 1}, reports.LineCounts{Running: 1, Expiring: 1})
	h.now = sold.ExpiresAt()
	holds(reports.LineCounts{Expired: 1}, reports.LineCounts{Expired: 1})
	require.NoError(t, errorOf(h.Resellers.Block(t.Context(), call(masters),
		resellers.Block{ID: below.ID(), Terms: reseller.Terms{Suspends: true}}, shown)))
	holds(reports.LineCounts{Expired: 1}, reports.LineCounts{})
}

// countless is a store in which each count is bounded, and whose trees are large and have a damaged account.
type countless struct{ ports.Store }

func (c countless) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	return c.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		s.Resellers, s.Lines = endless{s.Resellers}, bounded{s.Lines}
		return look(ctx, s)
	})
}

type endless struct{ ports.ResellerDirectory }

func (e endless) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	asked := q
	asked.After, asked.Limit = 0, 1
	page, err := e.ResellerDirectory.List(ctx, asked)
	page.Damaged = []int64{q.After + 1}
	page.Next = q.After + 2
	return page, err
}

type bounded struct{ ports.LineDirectory }

func (b bounded) Count(_ context.Context, _ ports.LineQuery, examined int) (int, bool, error) {
	return examined, false, nil
}

func TestASummaryIsBounded(t *testing.T) {
	h := newHarness(t, application.Policy{})
	_, master := h.create(h.admin, "master", "1", true)
	h.dependencies.Store = countless{h.dependencies.Store}
	h.Service = application.New(h.dependencies, application.Policy{})
	if got, want := h.sumUp(master, reports.Summary{Days: 1}),
		"1; 5000 5000 5000 5000 true"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	found, err := h.Reports.Summary(t.Context(), call(master), reports.Summary{Tree: new(master.Reseller()), Days: 1})
	require.NoError(t, err)
	if found.Balance.String() != "1000" || !found.Lines.Capped || len(found.Damaged) != 1_000 || found.Damaged[0] != 1 {
		t.Errorf("of an endless tree %s, %+v, %d damaged", found.Balance, found.Lines, len(found.Damaged))
	}
}

func TestABalanceIsFoundAtAnyInstant(t *testing.T) {
	h := newHarness(t, application.Policy{})
	began := h.now
	h.now = began.Add(time.Hour)
	maria, token := h.create(h.admin, "maria", "1", false)
	const movements = 21 // hour by hour, two at a time
	for i := range movements - 1 {
		h.now = began.Add(time.Duration(2+i/2) * time.Hour)
		require.NoError(t, errorOf(h.Credits.Add(t.Context(), call(h.admin),
			resellers.Move{ID: maria.ID(), Credits: fixture.Credits("1")}, shown)))
	}
	h.now = h.now.Add(time.Hour)
	at := func(instant time.Time) string {
		found, err := h.Reports.BalanceAt(t.Context(), call(token), reports.BalanceAt{Reseller: maria.ID(), At: &instant})
		require.NoError(t, err)
		expect.Equal(t, found.At.UnixMilli(), min(instant.UnixMilli(), h.now.UnixMilli()), "asked for %s", instant)
		expect.Equal(t, found.Reseller, maria.ID(), "asked for %s, the account is", instant)
		return found.Credits.String()
	}
	for hour := range 13 {
		this := began.Add(time.Duration(hour) * time.Hour)
		before, want := max(0, 2*hour-3), max(0, 2*hour-1)
		if hour == 12 {
			before, want = movements, movements
		}
		expect.Equal(t, at(this.Add(-time.Millisecond)), fmt.Sprint(before), "just before hour %d it is", hour)
		expect.Equal(t, at(this), fmt.Sprint(want), "at hour %d it is", hour)
	}
	expect.Equal(t, at(h.now.Add(time.Hour)), fmt.Sprint(movements), "in the future it is")
	found := must(h.Reports.BalanceAt(t.Context(), call(h.admin), reports.BalanceAt{Reseller: maria.ID()}))
	expect.Equal(t, found.At, h.now, "without an instant it is that of")
	_, err := h.Reports.BalanceAt(t.Context(), call(token), reports.BalanceAt{Reseller: h.admin.Reseller()})
	expect.Error(t, err, fault.ErrNotFound)

	// Between instants a damaged movement is passed over; what came before it counts.
	store := h.dependencies.Store
	for damaged := range int64(movements) {
		h.dependencies.Store = damagedStatement{store, damaged + 1}
		h.Service = application.New(h.dependencies, application.Policy{})
		for hour := range 12 {
			want := max(0, 2*hour-1)
			if int64(want) == damaged+1 {
				want--
			}
			expect.Equal(t, at(began.Add(time.Duration(hour)*time.Hour)), fmt.Sprint(want),
				"with number %d damaged it is", damaged+1)
		}
	}
}

// damagedStatement is a store in whose statements a number is damaged.
type damagedStatement struct {
	ports.Store
	number int64
}

func (d damagedStatement) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	return d.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		s.Ledger = lackingNumber{s.Ledger, d.number}
		return look(ctx, s)
	})
}

type lackingNumber struct {
	ports.Statements
	number int64
}

func (l lackingNumber) Statement(ctx context.Context, of, before int64, limit int) ([]credit.Movement, error) {
	found, err := l.Statements.Statement(ctx, of, before, limit)
	lacking := slices.DeleteFunc(found, func(m credit.Movement) bool {
		p, _ := m.Posting(of)
		return p.Seq == l.number
	})
	if err != nil || len(lacking) == len(found) {
		return found, err
	}
	next := l.number
	if next == 1 {
		next = 0
	}
	return lacking, &ports.LeftOut{Damaged: []int64{1}, Next: next}
}
