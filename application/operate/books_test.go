package operate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/application/lines"
	"resellerd/application/operate"
	"resellerd/application/resellers"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// books is a service whose store commands open.
type books struct{ *kit.Harness }

func newBooks(t *testing.T) books {
	t.Helper()
	b := books{kit.New(t, application.Policy{})}
	b.Now = fixture.Time("2026-11-01T00:00:00Z")
	return b
}

// sell makes a line official for a credit, and extends it for half of one.
func (b books) sell(by application.Caller, name string) (id int64) {
	b.T.Helper()
	l, err := b.Activate(by, b.Activation(b.Trial(by).ID(), name, "1"))
	require.NoError(b.T, err)
	require.NoError(b.T, kit.ErrorOf(b.Lines.Extend(b.T.Context(), kit.Call(by),
		lines.Extend{ID: l.ID(), Price: fixture.Request("0.5")}, kit.Shown)))
	return l.ID()
}

// move adds credits, or with a sign reclaims them.
func (b books) move(by application.Caller, id int64, credits string) {
	b.T.Helper()
	move := b.Credits.Add
	amount, reclaims := strings.CutPrefix(credits, "-")
	if reclaims {
		move = b.Credits.Reclaim
	}
	require.NoError(b.T, kit.ErrorOf(move(b.T.Context(), kit.Call(by),
		resellers.Move{ID: id, Credits: fixture.Credits(amount)}, kit.Shown)))
}

// opened is the store as commands open it; it stays open.
func (b books) opened() operate.Store {
	return operate.Store{Exists: func() error { return nil }, Archive: func(context.Context) (ports.OpenArchive, error) {
		return stays{b.Archive}, nil
	}}
}

type stays struct{ ports.Archive }

func (stays) Close() error { return nil }

// damagedEnd is an archive whose entries from 9 on are damaged.
type damagedEnd struct{ ports.Archive }

type damagedEntries struct{ ports.Records }

func (d damagedEnd) ViewRecords(ctx context.Context, look func(context.Context, ports.Records) error) error {
	return d.Archive.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
		return look(ctx, damagedEntries{r})
	})
}

func (d damagedEntries) Entries(ctx context.Context, after int64,
	limit int) ([]ports.Audited[journal.Numbered], error) {
	page, err := d.Records.Entries(ctx, after, limit)
	for i := range page {
		if page[i].ID >= 9 {
			page[i].Damage = errors.New("damaged")
		}
	}
	return page, err
}

// events are the entries that a query selects, each as its number and type.
func (b books) events(q operate.EventQuery) string {
	b.T.Helper()
	var found []string
	require.NoError(b.T, operate.Events(b.T.Context(), b.opened(), q, func(finding string) {
		b.T.Error(finding)
	}, func(e operate.Event) error {
		found = append(found, fmt.Sprintf("%d %s", e.Seq, e.Type))
		return nil
	}))
	return strings.Join(found, ", ")
}

func TestEventsNameTheActor(t *testing.T) {
	b := newBooks(t)
	m, hers := b.Create(b.Admin, "maria", "10", true) // entry 3
	maria := m.ID()
	b.Now = fixture.Time("2026-11-02T10:00:00Z")
	b.move(b.Admin, maria, "50")                // 4
	j, his := b.Create(hers, "jose", "5", true) // 5
	jose := j.ID()
	sold := b.sell(his, "sold") // 6, 7, 8
	b.Now = fixture.Time("2026-11-03T10:00:00Z")
	require.NoError(t, kit.ErrorOf(b.Resellers.Block(t.Context(), kit.Call(b.Admin), resellers.Block{ID: maria},
		kit.Shown))) // 9
	b.Now = b.Now.Add(time.Minute)
	require.NoError(t, kit.ErrorOf(b.Lines.Delete(t.Context(), kit.Call(b.Admin), sold, kit.Shown))) // 10
	whole := b.events(operate.EventQuery{})
	for _, c := range []struct {
		name string
		q    operate.EventQuery
		want string
	}{
		{"who added credits to maria that day", operate.EventQuery{
			Since: fixture.Time("2026-11-02T00:00:00Z"), Until: fixture.Time("2026-11-03T00:00:00Z"),
			Account: operate.AccountName{Name: fixture.Name("MARIA")}, Types: []journal.Type{journal.ResellerCredited},
		}, "4 reseller.credited"},
		{"what happened to a line", operate.EventQuery{Line: sold},
			"6 line.trial_created, 7 line.activated, 8 line.extended, 10 line.deleted"},
		{"both sides of credits", operate.EventQuery{Account: operate.AccountName{ID: maria}},
			"3 reseller.created, 4 reseller.credited, 5 reseller.created, 9 reseller.blocked"},
		{"before an instant, itself excluded", operate.EventQuery{Since: fixture.Time("2026-11-03T10:00:00Z"),
			Until: fixture.Time("2026-11-03T10:01:00Z")}, "9 reseller.blocked"},
		{"all", operate.EventQuery{Since: fixture.Time("2020-01-01T00:00:00Z")}, whole},
	} {
		expect.Equal(t, b.events(c.q), c.want, "%s", c.name)
	}
	var findings []string
	ended := b.opened()
	ended.Archive = func(context.Context) (ports.OpenArchive, error) { return stays{damagedEnd{b.Archive}}, nil }
	require.NoError(t, operate.Events(t.Context(), ended, operate.EventQuery{Since: b.Now.Add(time.Hour)},
		func(finding string) { findings = append(findings, finding) }, nil))
	expect.Equal(t, len(findings), 2, "entries without a readable one after them: %q", findings)
	if !strings.HasPrefix(whole, "1 journal.began, 2 operator.admin_created, 3 reseller.created, ") ||
		strings.Count(whole, ",") != 9 {
		t.Errorf("all are %s", whole)
	}
	for _, of := range []operate.AccountName{{ID: 99}, {Name: fixture.Name("nobody")}} {
		expect.Error(t, operate.Events(t.Context(), b.opened(), operate.EventQuery{Account: of}, nil, nil),
			fault.ErrNotFound, "%+v", of)
	}
	var names map[int64]string
	full := errors.New("the pipe is closed")
	if err := operate.Events(t.Context(), b.opened(), operate.EventQuery{Line: sold}, nil, func(e operate.Event) error {
		names = e.Names
		return full
	}); !errors.Is(err, full) || names[maria] != "maria" || names[jose] != "jose" {
		t.Errorf("got %v, and the names %v", err, names)
	}
}

func (b books) report(month string) operate.Report {
	b.T.Helper()
	from := fixture.Time(month + "-01T00:00:00Z")
	r, err := operate.ReadReport(b.T.Context(), b.opened(), from, from.AddDate(0, 1, 0), func(movements int64) {
		b.T.Errorf("the progress of %d movements was reported", movements)
	})
	require.NoError(b.T, err)
	for _, a := range append(slices.Clone(r.Accounts), r.Total) {
		if got := a.Beginning.Add(a.Received).Sub(a.Spent).Sub(a.Given).Sub(a.Reclaimed); !got.Equal(a.End) {
			b.T.Errorf("%s, account %d: %s + %s - %s - %s - %s is %s, not %s", month, a.ID, a.Beginning, a.Received, a.Spent,
				a.Given, a.Reclaimed, got, a.End)
		}
	}
	return r
}

func row(a operate.AccountReport) string {
	return fmt.Sprintf("%s: %d %d %d; %s received, %s spent, %s given, %s reclaimed; %s to %s", a.Name, a.Trials,
		a.Activations, a.Extensions, a.Received, a.Spent, a.Given, a.Reclaimed, a.Beginning, a.End)
}

// The report compares each row with the activity, and all months with the proof.
func TestMonthlyReportsMatchActivityAndProof(t *testing.T) {
	b := newBooks(t)
	maria, hers := b.Create(b.Admin, "maria", "100", true)
	b.Create(b.Admin, "idle", "0", true)
	b.sell(hers, "first")
	b.Now = fixture.Time("2026-12-01T00:00:00Z")
	b.Trial(hers) // at the very beginning of December
	jose, his := b.Create(hers, "jose", "20", true)
	b.sell(his, "second")
	b.sell(b.Admin, "third")
	b.move(hers, jose.ID(), "-2")
	b.move(b.Admin, maria.ID(), "-8")
	b.move(b.Admin, jose.ID(), "0.0001")
	november, december := b.report("2026-11"), b.report("2026-12")
	for _, c := range []struct {
		month operate.Report
		want  []string
	}{
		{november, []string{"maria: 1 1 1; 100 received, 1.5 spent, 0 given, 0 reclaimed; 0 to 98.5"}},
		{december, []string{
			"admin: 1 1 1; 1.5 received, 1.5 spent, 0 given, 0 reclaimed; 0 to 0",
			"maria: 1 0 0; 2 received, 0 spent, 20 given, 8 reclaimed; 98.5 to 72.5",
			"jose: 1 1 1; 20.0001 received, 1.5 spent, 0 given, 2 reclaimed; 0 to 16.5001",
		}},
		{b.report("2027-01"), []string{
			"maria: 0 0 0; 0 received, 0 spent, 0 given, 0 reclaimed; 72.5 to 72.5",
			"jose: 0 0 0; 0 received, 0 spent, 0 given, 0 reclaimed; 16.5001 to 16.5001",
		}},
		{b.report("2026-10"), nil},
	} {
		var got []string
		for _, a := range c.month.Accounts {
			got = append(got, row(a))
		}
		expect.Elements(t, got, c.want, "%s", c.month.From)
	}
	var kinds []string
	for _, k := range december.Kinds {
		kinds = append(kinds, fmt.Sprintf("%d %s %s", k.Count, k.Kind, k.Credits))
	}
	want := []string{"1 opening 20", "1 recharge 0.0001", "2 reclaim 10", "2 activation 2", "2 extension 1"}
	expect.Elements(t, kinds, want, "the kinds of December")

	proof, err := b.Ledger.Prove(t.Context(), kit.Call(b.Admin))
	require.NoError(t, err)
	spent := november.Total.Spent.Add(december.Total.Spent)
	issued := credit.Sum{}
	for _, m := range []operate.Report{november, december} {
		issued = issued.Add(m.Total.Received).Sub(m.Total.Given).Sub(m.Total.Reclaimed)
	}
	if !december.Total.End.Equal(proof.Balances) || !spent.Equal(proof.Consumed) || !issued.Equal(proof.Issued) {
		t.Errorf("the months make %s held, %s spent and %s issued; the proof says %+v", december.Total.End, spent, issued,
			proof.Totals)
	}
	verdict, err := operate.Audit(t.Context(), b.opened(), audit.Options{Report: func(f string) { t.Error(f) }})
	require.NoError(t, err)
	if !verdict.Consumed.Equal(proof.Consumed) || verdict.Resellers != 4 {
		t.Errorf("the audit says %+v", verdict)
	}
}
