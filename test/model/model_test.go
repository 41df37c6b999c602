// Package model drives the use cases of the whole service with random operations
// against a model that knows the rules by itself, on every store: each answer and
// each refusal is predicted, and after each step the proof and all balances are
// compared with the model's.
package model

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"resellerd/adapters/credentials"
	"resellerd/adapters/loginlimit"
	"resellerd/adapters/memstore"
	"resellerd/adapters/mongostore"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/sqlitestore"
	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/given"
	"resellerd/test/mongotest"
	_ "resellerd/test/repeatable"
)

// reseller is what the model knows of a reseller.
type modelReseller struct {
	id      int64
	parent  *modelReseller
	admin   bool
	master  bool
	blocked bool
	balance decimal.Decimal
	token   application.Caller
	entries int
	name    string

	password string
	changes  int // of the password
	sessions []*modelSession
}

func (a *modelReseller) depth() int {
	if a.parent == nil {
		return 0
	}
	return a.parent.depth() + 1
}

func (a *modelReseller) within(top *modelReseller) bool {
	return a == top || a.parent != nil && a.parent.within(top)
}

func (a *modelReseller) frozen() bool { return a.blocked || a.parent != nil && a.parent.frozen() }

// client is what the model knows of a line.
type client struct {
	id      int64
	owner   *modelReseller
	trial   bool
	deleted bool
	expires time.Time
	name    string
}

// machine is the service and its model, side by side.
type machine struct {
	service   *application.Service
	sessions  ports.Sessions
	keyring   *servicekey.Keyring
	now       time.Time
	resellers []*modelReseller
	clients   []*client
	begun     []*modelSession
	issued    decimal.Decimal
	consumed  decimal.Decimal
	moved     int64
	names     int
	last      func(t *rapid.T) // repeats the last keyed effect
}

const trialRuns = 4 * time.Hour

func newMachine(t *rapid.T, store ports.Store) *machine {
	keyring, err := servicekey.New(servicekey.Generate())
	check(t, err)
	m := &machine{keyring: keyring, now: time.Date(2027, time.October, 31, 10, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return m.now }
	m.sessions = store.(ports.Sessions)
	m.service = application.New(application.Dependencies{
		Store: store, Sessions: func() ports.Sessions { return m.sessions }, Clock: clock, Generator: credentials.Generator{}, Hasher: credentials.NewHasher(credentials.Least, 0),
		Tokens: keyring, Vault: keyring, Limiter: loginlimit.New(10, time.Minute, clock),
	}, application.Policy{TrialDuration: trialRuns})
	check(t, m.service.CreateAdmin(t.Context(), given.Name("admin"), profile.NewSecret("password")))
	admin := &modelReseller{admin: true, master: true, name: "admin", password: "password"}
	admin.token = m.login(t, admin)
	admin.id = admin.token.Reseller()
	m.resellers = []*modelReseller{admin}
	return m
}

func check(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (m *machine) login(t *rapid.T, a *modelReseller) application.Caller {
	issued, err := m.service.Login(t.Context(), application.Login{Username: given.Name(a.name), Password: profile.NewSecret(a.password)})
	check(t, err)
	token, err := m.service.Authenticate(issued.Reveal())
	check(t, err)
	return token
}

// tokenOf is the token that a record stands for.
func (m *machine) tokenOf(t *rapid.T, r application.Reseller) application.Caller {
	token, err := m.service.Authenticate(m.keyring.Issue(ports.Token{Reseller: r.ID(), Generation: r.Token()}).Reveal())
	check(t, err)
	return token
}

func (m *machine) anyReseller(t *rapid.T, label string) *modelReseller {
	return rapid.SampledFrom(m.resellers).Draw(t, label)
}

func (m *machine) anyClient(t *rapid.T) *client {
	if len(m.clients) == 0 {
		t.Skip("no line yet")
	}
	return rapid.SampledFrom(m.clients).Draw(t, "line")
}

// freshName returns a new name, or now and then one that is taken.
func (m *machine) freshName(t *rapid.T) (text string, isNew bool) {
	m.names++
	if rapid.IntRange(0, 9).Draw(t, "name") > 0 {
		return fmt.Sprintf("name-%d", m.names), true
	}
	return "", false
}

func anyCredits(t *rapid.T, least int64) decimal.Decimal {
	most := rapid.SampledFrom([]int64{20, 200_000, 10_000_000_000_000}).Draw(t, "magnitude")
	return decimal.New(rapid.Int64Range(least, most).Draw(t, "units"), -credit.Scale)
}

// outcome compares what the service answered with the refusal that the model
// predicts, "" for none, and reports whether the effect took place.
func outcome(t *rapid.T, doing string, err error, predicted string) bool {
	t.Helper()
	got := ""
	var known *fault.Fault
	if errors.As(err, &known) {
		got = known.Code()
	} else if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
	if got != predicted {
		t.Fatalf("%s: got %q, and the model says %q", doing, got, predicted)
	}
	return got == ""
}

// firstOf returns the first refusal whose condition holds.
func firstOf(refusals ...any) string {
	for i := 0; i < len(refusals); i += 2 {
		if refusals[i].(bool) {
			return refusals[i+1].(string)
		}
	}
	return ""
}

func sees(a, target *modelReseller) bool { return a.admin || target.within(a) }

func mayGovern(a, target *modelReseller) bool { return a.master && !target.admin && target != a }

var limit = decimal.New(1, 11)

// move is what the model makes of credits that move; nil stands for consumption.
func (m *machine) move(from, to *modelReseller, amount decimal.Decimal) {
	m.moved++
	if from.admin {
		m.issued = m.issued.Add(amount)
	} else {
		from.balance = from.balance.Sub(amount)
	}
	switch {
	case to == nil:
		m.consumed = m.consumed.Add(amount)
		from.entries++
	case to.admin:
		m.issued = m.issued.Sub(amount)
		from.entries++
	default:
		to.balance = to.balance.Add(amount)
		to.entries++
		if !from.admin {
			from.entries++
		}
	}
}

// keyed returns a call under a key of its own, and the refusal that it ends in for who asks, "" for none.
func (m *machine) keyed(t *rapid.T, by *modelReseller) (call application.Call, refused string) {
	m.names++
	caller, refused := m.asks(t, by)
	return application.Call{Caller: caller, Request: "model", Key: fmt.Sprintf("key-%d", m.names), Content: []byte("x")}, refused
}

// shown renders a result and keeps it.
func shown[R any](into *R) application.Render[R] {
	return func(r R) application.Receipt {
		*into = r
		return application.Receipt{Code: 200, Content: fmt.Appendf(nil, "%T", r)}
	}
}

// effect runs a use case under a key of its own, compares what it answers with the refusal that the model predicts, ""
// for none, and reports whether it took place. If so, a later step may repeat it under its key, which must change
// nothing and answer the same.
func (m *machine) effect(
	t *rapid.T, doing string, by *modelReseller, predicted string, use func(ctx context.Context, call application.Call) (application.Receipt, error),
) bool {
	t.Helper()
	call, refused := m.keyed(t, by)
	token, at := by.token, m.now
	first, err := use(t.Context(), call)
	if !outcome(t, doing, err, cmp.Or(refused, predicted)) {
		return false
	}
	m.last = func(t *rapid.T) {
		if !m.now.Before(at.Add(application.KeyLifetime)) {
			t.Skip("the key has expired: it would be a new request")
		}
		// The key is the account's, however it asks.
		call := call
		predicted := firstOf(by.token != token, "invalid-token", by.frozen(), "account-blocked")
		if call.Caller = token; rapid.Bool().Draw(t, "otherwise") {
			var refused string
			call.Caller, refused = m.asks(t, by)
			predicted = firstOf(refused != "", refused, by.frozen(), "account-blocked")
		}
		receipt, err := use(t.Context(), call)
		if outcome(t, "repeat "+doing, err, predicted) && (!receipt.Replayed || string(receipt.Content) != string(first.Content)) {
			t.Fatalf("repeat %s: got %+v, first %+v", doing, receipt, first)
		}
	}
	return true
}

func (m *machine) create(t *rapid.T) {
	by, credits := m.anyReseller(t, "actor"), decimal.Decimal{}
	if rapid.Bool().Draw(t, "with credits") {
		credits = anyCredits(t, 0)
	}
	text, isNew := m.freshName(t)
	if !isNew {
		text = m.anyReseller(t, "holder").name
	}
	command := application.CreateReseller{
		Username: given.Name(text), Password: profile.NewSecret("password"), Master: rapid.IntRange(0, 2).Draw(t, "kind") > 0,
		Credits: given.Credits(credits.String()), Contact: reseller.Contact{Country: given.Text("BR")},
	}
	var created application.Reseller
	if !m.effect(t, "create", by, firstOf(
		by.frozen(), "account-blocked",
		!by.master, "not-allowed",
		!isNew, "username-taken",
		by.depth() >= reseller.MaxDepth, "tree-too-deep",
		!by.admin && by.balance.LessThan(credits), "insufficient-credits",
	), func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.CreateReseller(ctx, call, command, shown(&created))
	}) {
		return
	}
	a := &modelReseller{id: created.ID(), parent: by, master: command.Master, name: text, password: "password", token: m.tokenOf(t, created)}
	m.resellers = append(m.resellers, a)
	if !credits.IsZero() {
		m.move(by, a, credits)
	}
}

// update changes a record, and now and then its password, which revokes the token
// and, like everything else in a record, lifts no block.
func (m *machine) update(t *rapid.T) {
	by, target := m.anyReseller(t, "actor"), m.anyReseller(t, "target")
	text, isNew := m.freshName(t)
	taken := false
	if !isNew {
		holder := m.anyReseller(t, "holder")
		text, taken = holder.name, holder != target
	}
	password := rapid.SampledFrom([]string{target.password, "password", "another"}).Draw(t, "password")
	command := application.UpdateReseller{
		ID: target.id, Username: given.Name(text), Password: profile.NewSecret(password),
		Country: given.Text("PT"), Whatsapp: given.Text("1"),
	}
	var got application.Reseller
	call, refused := m.keyed(t, by)
	_, err := m.service.UpdateReseller(t.Context(), call, command, shown(&got))
	if !outcome(t, "update", err, firstOf(
		refused != "", refused,
		by.frozen(), "account-blocked",
		!sees(by, target), "not-found",
		taken, "username-taken",
	)) {
		return
	}
	token := m.tokenOf(t, got)
	if revoked := token != target.token; revoked != (password != target.password) {
		t.Fatalf("update: the token was revoked: %t, with the password %q after %q", revoked, password, target.password)
	}
	changed := password != target.password
	target.name, target.password, target.token = text, password, token
	if changed {
		target.changes++
		m.ended(t, target)
	}
}

// contact changes what is known of the person behind a reseller, which needs no password and revokes nothing.
func (m *machine) contact(t *rapid.T) {
	by, target, notes := m.anyReseller(t, "actor"), m.anyReseller(t, "target"), given.Text(rapid.SampledFrom([]string{"", "known"}).Draw(t, "notes"))
	command := application.ChangeContact{ID: target.id, ContactChange: reseller.ContactChange{Notes: &notes}}
	var got application.Reseller
	if m.effect(t, "contact", by, firstOf(
		by.frozen(), "account-blocked",
		!sees(by, target), "not-found",
	), func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.ChangeContact(ctx, call, command, shown(&got))
	}) && (got.State().Contact.Notes != notes || m.tokenOf(t, got) != target.token) {
		t.Fatalf("contact: %+v", got.State())
	}
}

func (m *machine) fund(t *rapid.T)    { m.moveCredits(t, "fund") }
func (m *machine) reclaim(t *rapid.T) { m.moveCredits(t, "reclaim") }

func (m *machine) moveCredits(t *rapid.T, doing string) {
	by, target, credits := m.anyReseller(t, "actor"), m.anyReseller(t, "target"), anyCredits(t, 1)
	from, to, use := by, target, m.service.AddCredits
	if doing == "reclaim" {
		from, to, use = target, by, m.service.ReclaimCredits
	}
	command := application.MoveCredits{ID: target.id, Credits: given.Credits(credits.String())}
	var got application.Moved
	if !m.effect(t, doing, by, firstOf(
		by.frozen(), "account-blocked",
		!sees(by, target), "not-found",
		!mayGovern(by, target), "not-allowed",
		!to.admin && to.balance.Add(credits).GreaterThan(limit), "balance-limit",
		!from.admin && from.balance.LessThan(credits), "insufficient-credits",
	), func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return use(ctx, call, command, shown(&got))
	}) {
		return
	}
	m.move(from, to, credits)
	if !got.State().Credits.Decimal().Equal(target.balance) {
		t.Fatalf("%s: answered %s, and the model says %s", doing, got.State().Credits, target.balance)
	}
}

func (m *machine) block(t *rapid.T) {
	by, target, on := m.anyReseller(t, "actor"), m.anyReseller(t, "target"), rapid.IntRange(0, 2).Draw(t, "on") == 0
	use := m.service.Unblock
	if on {
		use = m.service.Block
	}
	var got application.Reseller
	call, refused := m.keyed(t, by)
	_, err := use(t.Context(), call, target.id, shown(&got))
	if !outcome(t, "block", err, firstOf(
		refused != "", refused,
		by.frozen(), "account-blocked",
		!sees(by, target), "not-found",
		!mayGovern(by, target), "not-allowed",
	)) {
		return
	}
	target.blocked = on
	if frozen := got.BlockedAbove || got.State().Blocked; frozen != target.frozen() {
		t.Fatalf("block: answered frozen %t, and the model says %t", frozen, target.frozen())
	}
}

func (m *machine) revoke(t *rapid.T) {
	by := m.anyReseller(t, "actor")
	old := by.token
	caller, refused := m.asks(t, by)
	var none struct{}
	_, err := m.service.RevokeToken(t.Context(), application.Call{Caller: caller}, shown(&none))
	if !outcome(t, "revoke", err, firstOf(refused != "", refused, by.frozen(), "account-blocked")) {
		return
	}
	_, err = m.service.Self(t.Context(), application.Call{Caller: old})
	outcome(t, "use a revoked token", err, "invalid-token")
	by.token = m.login(t, by)
}

func (m *machine) trial(t *rapid.T) {
	by := m.anyReseller(t, "actor")
	var got application.Line
	if m.effect(t, "trial", by, firstOf(by.frozen(), "account-blocked"), func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.CreateTrial(ctx, call, profile.Text{}, shown(&got))
	}) {
		s := got.State()
		m.clients = append(m.clients, &client{id: s.ID, owner: by, trial: true, expires: m.now.Add(trialRuns), name: s.Username.String()})
	}
}

// lineName returns a name for a line, and whether another line has it.
func (m *machine) lineName(t *rapid.T, own *client) (text string, taken bool) {
	text, isNew := m.freshName(t)
	if isNew {
		return text, false
	}
	holder := m.anyClient(t)
	return holder.name, holder != own && !holder.deleted
}

// prices as the contract lists them, with what they add to a time.
var prices = map[string]func(time.Time) time.Time{
	"0.5": func(t time.Time) time.Time { return t.AddDate(0, 0, 15) },
	"1":   func(t time.Time) time.Time { return months(t, 1) },
	"2":   func(t time.Time) time.Time { return months(t, 2) },
	"3":   func(t time.Time) time.Time { return months(t, 3) },
	"5":   func(t time.Time) time.Time { return t.AddDate(0, 0, 180) },
	"10":  func(t time.Time) time.Time { return t.AddDate(0, 0, 360) },
}

// months goes back from where AddDate overflows into the month that follows.
func months(t time.Time, n int) time.Time {
	end := t.AddDate(0, n, 0)
	for want := (int(t.Month())-1+n)%12 + 1; int(end.Month()) != want; {
		end = end.AddDate(0, 0, -1)
	}
	return end
}

func anyPrice(t *rapid.T) (credit.Price, decimal.Decimal, func(time.Time) time.Time) {
	text := rapid.SampledFrom([]string{"0.5", "1", "2", "3", "5", "10"}).Draw(t, "price")
	p, err := credit.ParsePrice(text)
	check(t, err)
	return p, decimal.RequireFromString(text), prices[text]
}

func (m *machine) activate(t *rapid.T) {
	by, c := m.anyReseller(t, "actor"), m.anyClient(t)
	text, taken := m.lineName(t, c)
	price, credits, after := anyPrice(t)
	command := application.ActivateLine{Price: price, EditLine: application.EditLine{
		ID: c.id, Username: given.Name(text), Password: profile.NewSecret("1234"), Country: given.Text("BR"),
	}}
	var got application.Line
	if m.effect(t, "activate", by, firstOf(
		by.frozen(), "account-blocked",
		c.deleted || !sees(by, c.owner), "not-found",
		!c.trial, "line-not-trial",
		taken, "username-taken",
		!c.owner.admin && c.owner.balance.LessThan(credits), "insufficient-credits",
	), func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.ActivateLine(ctx, call, command, shown(&got))
	}) {
		c.trial, c.name, c.expires = false, text, after(m.now)
		m.move(c.owner, nil, credits)
	}
}

func (m *machine) extend(t *rapid.T) {
	by, c := m.anyReseller(t, "actor"), m.anyClient(t)
	price, credits, after := anyPrice(t)
	from := c.expires
	if from.Before(m.now) {
		from = m.now
	}
	until := after(from)
	refusal := firstOf(
		by.frozen(), "account-blocked",
		c.deleted || !sees(by, c.owner), "not-found",
		c.trial, "line-is-trial",
		until.After(months(m.now, 120)), "period-too-long",
		!c.owner.admin && c.owner.balance.LessThan(credits), "insufficient-credits",
	)
	command := application.ExtendLine{ID: c.id, Price: price}
	preview, err := m.service.PreviewExtension(t.Context(), application.Call{Caller: by.token}, command)
	if outcome(t, "preview", err, refusal) && (!preview.From.Equal(from) || !preview.Until.Equal(until)) {
		t.Fatalf("preview: %s to %s, and the model says %s to %s", preview.From, preview.Until, from, until)
	}
	var got application.Line
	if m.effect(t, "extend", by, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.ExtendLine(ctx, call, command, shown(&got))
	}) {
		c.expires = until
		m.move(c.owner, nil, credits)
	}
}

func (m *machine) edit(t *rapid.T) {
	by, c := m.anyReseller(t, "actor"), m.anyClient(t)
	text, taken := m.lineName(t, c)
	var got application.Line
	call, refused := m.keyed(t, by)
	_, err := m.service.EditLine(t.Context(), call, application.EditLine{
		ID: c.id, Username: given.Name(text), Password: profile.NewSecret("4321"), Country: given.Text("PT"),
	}, shown(&got))
	if outcome(t, "edit", err, firstOf(
		refused != "", refused,
		by.frozen(), "account-blocked",
		c.deleted || !sees(by, c.owner), "not-found",
		c.trial, "line-is-trial",
		taken, "username-taken",
	)) {
		c.name = text
	}
}

func (m *machine) remove(t *rapid.T) {
	by, c := m.anyReseller(t, "actor"), m.anyClient(t)
	refusal := firstOf(by.frozen(), "account-blocked", c.deleted || !sees(by, c.owner), "not-found")
	var id int64
	if m.effect(t, "delete", by, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.DeleteLine(ctx, call, c.id, shown(&id))
	}) {
		c.deleted = true
	}
}

func (m *machine) repeat(t *rapid.T) {
	if m.last == nil {
		t.Skip("nothing to repeat")
	}
	m.last(t)
}

// wait lets time pass: what a use of a session takes to be kept, what one lasts, or what lines last.
func (m *machine) wait(t *rapid.T) {
	longest := rapid.SampledFrom([]time.Duration{15 * time.Minute, 13 * time.Hour, 40 * 24 * time.Hour}).Draw(t, "at most")
	m.now = m.now.Add(time.Duration(rapid.Int64Range(1, int64(longest/time.Millisecond)).Draw(t, "wait")) * time.Millisecond)
}

// lists compares what a reseller is shown of lines with the model.
func (m *machine) lists(t *rapid.T) {
	by, running := m.anyReseller(t, "actor"), rapid.Bool().Draw(t, "running")
	query := application.ListLines{Limit: rapid.IntRange(1, 5).Draw(t, "limit")}
	byStatus := rapid.Bool().Draw(t, "by status")
	if byStatus {
		query.Running = &running
	}
	caller, refused := m.asks(t, by)
	var got, want []int64
	for {
		page, err := m.service.ListLines(t.Context(), application.Call{Caller: caller}, query)
		if !outcome(t, "list", err, firstOf(refused != "", refused, by.frozen(), "account-blocked")) {
			return
		}
		for _, l := range page.Items {
			got = append(got, l.ID())
		}
		if page.Next == "" {
			break
		}
		query.After, err = application.OrderOfLines(query.Running, nil, nil).Parse(page.Next)
		check(t, err)
	}
	var matching []*client
	for _, c := range m.clients {
		if !c.deleted && sees(by, c.owner) && (!byStatus || m.now.Before(c.expires) == running) {
			matching = append(matching, c)
		}
	}
	if byStatus {
		slices.SortStableFunc(matching, func(a, b *client) int { return a.expires.Compare(b.expires) })
	}
	for _, c := range matching {
		want = append(want, c.id)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("lines: got %v, and the model says %v", got, want)
	}
}

// proven is checked after each step.
func (m *machine) proven(t *rapid.T) {
	admin := application.Call{Caller: m.resellers[0].token}
	proof, err := m.service.Prove(t.Context(), admin)
	check(t, err)
	if !proof.Balanced() || !proof.Issued.Equal(m.issued) || !proof.Consumed.Equal(m.consumed) || proof.Movements != m.moved {
		t.Fatalf("proof %+v, and the model says issued %s, consumed %s, %d movements", proof, m.issued, m.consumed, m.moved)
	}
	for _, a := range m.resellers {
		got, err := m.service.Reseller(t.Context(), admin, a.id)
		check(t, err)
		s := got.State()
		if !s.Credits.Decimal().Equal(a.balance) || s.Tip.Seq != int64(a.entries) {
			t.Fatalf("account %d has %s after %d movements, and the model says %s after %d", a.id, s.Credits, s.Tip.Seq, a.balance, a.entries)
		}
		if s.Blocked != a.blocked || got.BlockedAbove != (a.parent != nil && a.parent.frozen()) {
			t.Fatalf("account %d: blocked %t, above it %t, and the model says %t in %t", a.id, s.Blocked, got.BlockedAbove, a.blocked, a.frozen())
		}
		m.keeps(t, a)
	}
}

// TestMain keeps a plain run short; -rapid.checks asks for more histories.
func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set("20"); err != nil {
			panic(err)
		}
	}
	os.Exit(mongotest.Main(m))
}

// opensSQLite returns what opens an empty store for each history.
func opensSQLite(t *testing.T) func(*rapid.T) ports.Store {
	t.Helper()
	return func(rt *rapid.T) ports.Store {
		store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), fmt.Sprintf("%d.db", time.Now().UnixNano())))
		check(rt, err)
		return store
	}
}

// opensMongoDB is opensSQLite on databases of their own; the test is skipped where
// there is no MongoDB.
func opensMongoDB(t *testing.T) func(*rapid.T) ports.Store {
	t.Helper()
	mongotest.Available(t)
	return func(rt *rapid.T) ports.Store {
		uri, drop, err := mongotest.NewDatabase(t.Name())
		check(rt, err)
		rt.Cleanup(func() {
			if err := drop(); err != nil {
				t.Error(err)
			}
		})
		store, err := mongostore.Open(t.Context(), uri)
		check(rt, err)
		return store
	}
}

// TestRandomHistories has resellers do what they may, and what they may not.
func TestRandomHistories(t *testing.T) {
	histories(t, func(m *machine) map[string]func(*rapid.T) {
		return map[string]func(*rapid.T){
			"create": m.create, "update": m.update, "contact": m.contact, "fund": m.fund, "reclaim": m.reclaim, "block": m.block, "revoke": m.revoke,
			"trial": m.trial, "activate": m.activate, "extend": m.extend, "edit": m.edit, "delete": m.remove,
			"sign in": m.signIn, "sign out": m.signOut, "end session": m.endSession, "sessions": m.listSessions, "forget": m.forget,
			"repeat": m.repeat, "wait": m.wait, "list": m.lists,
			"": m.proven,
		}
	})
}

// TestRandomSessions has them do what sessions come and go by, again and again.
func TestRandomSessions(t *testing.T) {
	histories(t, func(m *machine) map[string]func(*rapid.T) {
		return map[string]func(*rapid.T){
			"create": m.create, "update": m.update, "block": m.block, "trial": m.trial,
			"sign in": m.signIn, "sign out": m.signOut, "end session": m.endSession, "sessions": m.listSessions, "forget": m.forget,
			"repeat": m.repeat, "wait": m.wait,
			"": m.proven,
		}
	})
}

// histories runs random histories of these actions on each kind of store.
func histories(t *testing.T, actions func(m *machine) map[string]func(*rapid.T)) {
	for kind, open := range map[string]func(t *testing.T) func(*rapid.T) ports.Store{
		"memory": func(*testing.T) func(*rapid.T) ports.Store {
			return func(*rapid.T) ports.Store { return memstore.New() }
		},
		"sqlite":  opensSQLite,
		"mongodb": opensMongoDB,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			open := open(t)
			rapid.Check(t, func(t *rapid.T) {
				store := open(t)
				defer func() { check(t, store.Close()) }()
				m := newMachine(t, store)
				t.Repeat(actions(m))
				verdict, err := audit.Run(t.Context(), store.(ports.Archive), audit.Options{Report: func(finding string) { t.Error(finding) }})
				check(t, err)
				if verdict.Findings != 0 || verdict.Movements != m.moved {
					t.Fatalf("the audit says %+v", verdict)
				}
			})
		})
	}
}
