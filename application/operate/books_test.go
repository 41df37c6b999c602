package operate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/credentials"
	"resellerd/adapters/loginlimit"
	"resellerd/adapters/memstore"
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/internal/usecase"
	"resellerd/application/lines"
	"resellerd/application/operate"
	"resellerd/application/resellers"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// books is a service whose clock is set by hand, and its store.
type books struct {
	*application.Service
	t     *testing.T
	store *memstore.Store
	keys  *servicekey.Keyring
	now   time.Time
	admin usecase.Caller
}

func newBooks(t *testing.T) *books {
	t.Helper()
	keys, err := servicekey.New(first)
	require.NoError(t, err)
	b := &books{t: t, store: memstore.New(), keys: keys, now: fixture.Time("2026-11-01T00:00:00Z")}
	t.Cleanup(func() { require.NoError(t, b.store.Close()) })
	clock := func() time.Time { return b.now }
	b.Service = application.New(usecase.Dependencies{
		Store: b.store, Clock: clock, Generator: credentials.Generator{}, Hasher: credentials.NewHasher(credentials.Least, 0),
		Tokens: keys, Vault: keys, Limiter: loginlimit.New(10, time.Minute, clock),
	}, usecase.Policy{TrialDuration: time.Hour})
	require.NoError(t, b.Admins.Create(t.Context(), fixture.Name("admin"), profile.NewSecret("admin-password")))
	issued, err := b.Access.Login(t.Context(),
		access.Login{Username: fixture.Name("admin"), Password: profile.NewSecret("admin-password")})
	require.NoError(t, err)
	b.admin, err = b.Authentication.Authenticate(issued.Reveal())
	require.NoError(t, err)
	return b
}

// call is a request whose id tells its number.
func (b *books) call(by usecase.Caller) usecase.Call {
	b.now = b.now.Add(time.Minute)
	return usecase.Call{Caller: by, Request: "request of " + b.now.Format(time.TimeOnly), Address: "192.0.2.1"}
}

func (b *books) master(by usecase.Caller, name, credits string) (id int64, caller usecase.Caller) {
	b.t.Helper()
	_, err := b.Resellers.Create(b.t.Context(), b.call(by), resellers.Create{
		Username: fixture.Name(name), Password: profile.NewSecret("password-" + name), Master: true,
		Credits: fixture.Credits(credits), Contact: reseller.Contact{Country: fixture.Text("BR")},
		Language: fixture.Text("pt"),
	}, func(made resellers.Reseller) usecase.Receipt {
		var err error
		caller, err = b.Authentication.Authenticate(
			b.keys.Issue(ports.Token{Reseller: made.ID(), Generation: made.Token()}).Reveal())
		require.NoError(b.t, err)
		return usecase.Receipt{}
	})
	require.NoError(b.t, err)
	return caller.Reseller(), caller
}

func (b *books) trial(by usecase.Caller) (id int64) {
	b.t.Helper()
	_, err := b.Lines.CreateTrial(b.t.Context(), b.call(by), line.Description{}, func(l lines.Line) usecase.Receipt {
		id = l.ID()
		return usecase.Receipt{}
	})
	require.NoError(b.t, err)
	return id
}

// sell makes a line official for a credit, and has it extended for half of one.
func (b *books) sell(by usecase.Caller, name string) (id int64) {
	b.t.Helper()
	id = b.trial(by)
	_, err := b.Lines.Activate(b.t.Context(), b.call(by), lines.Activate{
		Edit: lines.Edit{ID: id, Username: fixture.Name(name), Password: profile.NewSecret("7788"),
			Description: line.Description{Country: new(fixture.Text("PT"))}},
		Price: fixture.Price("1"),
	}, nothing)
	require.NoError(b.t, err)
	_, err = b.Lines.Extend(b.t.Context(), b.call(by), lines.Extend{ID: id, Price: fixture.Price("0.5")}, nothing)
	require.NoError(b.t, err)
	return id
}

func (b *books) move(move func(context.Context, usecase.Call, resellers.Move,
	usecase.Render[resellers.Moved]) (usecase.Receipt, error), by usecase.Caller, id int64, credits string) {
	b.t.Helper()
	_, err := move(b.t.Context(), b.call(by), resellers.Move{ID: id, Credits: fixture.Credits(credits)}, nothing)
	require.NoError(b.t, err)
}

func nothing[R any](R) usecase.Receipt { return usecase.Receipt{} }

// opened is the store as commands open it; it stays open.
func (b *books) opened() operate.Store {
	return operate.Store{Exists: func() error { return nil }, Archive: func(context.Context) (ports.OpenArchive, error) {
		return stays{b.store}, nil
	}}
}

type stays struct{ ports.Archive }

func (stays) Close() error { return nil }

// events are the entries that a query selects, each as its number and type.
func (b *books) events(q operate.EventQuery) string {
	b.t.Helper()
	var found []string
	require.NoError(b.t, operate.Events(b.t.Context(), b.opened(), q, func(finding string) {
		b.t.Error(finding)
	}, func(e operate.Event) error {
		found = append(found, fmt.Sprintf("%d %s", e.Seq, e.Type))
		return nil
	}))
	return strings.Join(found, ", ")
}

func TestEventsTellWhoDidWhat(t *testing.T) {
	b := newBooks(t)
	maria, hers := b.master(b.admin, "maria", "10") // entry 3
	b.now = fixture.Time("2026-11-02T10:00:00Z")
	b.move(b.Credits.Add, b.admin, maria, "50") // 4
	jose, his := b.master(hers, "jose", "5")    // 5
	sold := b.sell(his, "sold")                 // 6, 7, 8
	b.now = fixture.Time("2026-11-03T10:00:00Z")
	_, err := b.Resellers.Block(t.Context(), b.call(b.admin), resellers.Block{ID: maria}, nothing) // 9
	require.NoError(t, err)
	_, err = b.Lines.Delete(t.Context(), b.call(b.admin), sold, nothing) // 10
	require.NoError(t, err)
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
		{"who blocked an account", operate.EventQuery{Account: operate.AccountName{ID: maria},
			Types: []journal.Type{journal.ResellerBlocked}}, "9 reseller.blocked"},
		{"both sides of credits", operate.EventQuery{Account: operate.AccountName{ID: maria}},
			"3 reseller.created, 4 reseller.credited, 5 reseller.created, 9 reseller.blocked"},
		{"its own",
			operate.EventQuery{Account: operate.AccountName{ID: jose}, Types: []journal.Type{journal.ResellerCreated}},
			"5 reseller.created"},
		{"from an instant on, itself included", operate.EventQuery{Since: fixture.Time("2026-11-03T10:01:00Z")},
			"9 reseller.blocked, 10 line.deleted"},
		{"before an instant, itself excluded", operate.EventQuery{Since: fixture.Time("2026-11-03T10:01:00Z"),
			Until: fixture.Time("2026-11-03T10:02:00Z")}, "9 reseller.blocked"},
		{"in the future", operate.EventQuery{Since: b.now.Add(time.Hour)}, ""},
		{"all", operate.EventQuery{Since: fixture.Time("2020-01-01T00:00:00Z")}, whole},
	} {
		expect.Equal(t, b.events(c.q), c.want, "%s", c.name)
	}
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

func (b *books) report(month string) operate.Report {
	b.t.Helper()
	from := fixture.Time(month + "-01T00:00:00Z")
	r, err := operate.ReportOf(b.t.Context(), b.opened(), from, from.AddDate(0, 1, 0), func(int64) {})
	require.NoError(b.t, err)
	for _, a := range append(slices.Clone(r.Accounts), r.Total) {
		if got := a.Beginning.Add(a.Received).Sub(a.Spent).Sub(a.Given).Sub(a.Reclaimed); !got.Equal(a.End) {
			b.t.Errorf("%s, account %d: %s + %s - %s - %s - %s is %s, not %s", month, a.ID, a.Beginning, a.Received, a.Spent,
				a.Given, a.Reclaimed, got, a.End)
		}
	}
	return r
}

func row(a operate.AccountReport) string {
	return fmt.Sprintf("%s: %d %d %d; %s received, %s spent, %s given, %s reclaimed; %s to %s", a.Name, a.Trials,
		a.Activations, a.Extensions, a.Received, a.Spent, a.Given, a.Reclaimed, a.Beginning, a.End)
}

// TestAMonthIsAccountedFor holds each row against what was done, and all months against the proof.
func TestAMonthIsAccountedFor(t *testing.T) {
	b := newBooks(t)
	maria, hers := b.master(b.admin, "maria", "100")
	b.master(b.admin, "idle", "0")
	b.sell(hers, "first")
	b.now = fixture.Time("2026-11-30T23:59:00Z")
	b.trial(hers) // at the very beginning of December
	jose, his := b.master(hers, "jose", "20")
	b.sell(his, "second")
	b.sell(b.admin, "third")
	b.move(b.Credits.Reclaim, hers, jose, "2")
	b.move(b.Credits.Reclaim, b.admin, maria, "8")
	b.move(b.Credits.Add, b.admin, jose, "0.0001")
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

	proof, err := b.Ledger.Prove(t.Context(), usecase.Call{Caller: b.admin})
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
}
