package model

// Random operations over the use cases of the whole service, against the model, on every store: each answer and each
// refusal is predicted, and after each step the proof and all balances are compared with the model's.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"resellerd/adapters/memstore"
	"resellerd/adapters/mongostore"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/sqlitestore"
	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/audit"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
	"resellerd/test/mongotest"
	_ "resellerd/test/rapidflags"
)

// machine is the service and its model, side by side.
type machine struct {
	World
	service *application.Service
	kept    ports.Store
	keyring *servicekey.Keyring
	now     time.Time
	tokens  map[*Reseller]application.Caller
	begun   []*modelSession // every one that ever was
	names   int
	last    func(t *rapid.T)   // repeats the last keyed effect
	holder  string             // of the lease
	looked  map[*Webhook]int64 // up to where who delivers remembers to have looked

	followers []*Follower
	jobs      []*Job
}

func newMachine(t *rapid.T, store ports.Store) *machine {
	keyring, err := servicekey.New(servicekey.Generate())
	check(t, err)
	m := &machine{
		World: World{TrialRuns: 4 * time.Hour, ExpiringDays: []int{14, 3, 1}}, keyring: keyring,
		now:    time.Date(2027, time.October, 31, 10, 0, 0, 0, time.UTC),
		tokens: map[*Reseller]application.Caller{}, looked: map[*Webhook]int64{},
	}
	m.kept = store
	service, err := inprocess.New(store, inprocess.At(func() time.Time { return m.now }), inprocess.Sealed(keyring),
		func(p *inprocess.Parts) {
			p.Policy.ExpiringDays = m.ExpiringDays
		})
	check(t, err)
	m.service = service.Service
	check(t, m.service.Admins.Create(t.Context(), fixture.Name("admin"), profile.NewSecret("password")))
	admin := &Reseller{Admin: true, Master: true, Name: "admin", Password: "password", Contact: Contact{Country: "ZZ"}}
	m.tokens[admin] = m.login(t, admin)
	admin.ID = m.tokens[admin].Reseller()
	m.BeginJournal(m.epoch(t), m.now)
	m.CreateAdmin(admin, m.now)
	return m
}

func check(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (m *machine) login(t *rapid.T, a *Reseller) application.Caller {
	code := m.goodCode(t, Person{Of: a})
	issued, err := m.service.Access.Login(t.Context(),
		access.Login{Username: fixture.Name(a.Name), Password: profile.NewSecret(a.Password), Code: code})
	check(t, err)
	if f := m.Factor(Person{Of: a}); f.Active() {
		f.Use(code, m.show(t), m.now)
	}
	token, err := m.service.Authentication.Authenticate(issued.Reveal())
	check(t, err)
	return token
}

// tokenOf is the token that a record stands for.
func (m *machine) tokenOf(t *rapid.T, r resellers.Reseller) application.Caller {
	token, err := m.service.Authentication.Authenticate(
		m.keyring.Issue(ports.Token{Reseller: r.ID(), Generation: r.Token()}).Reveal())
	check(t, err)
	return token
}

func (m *machine) anyReseller(t *rapid.T, label string) *Reseller {
	return rapid.SampledFrom(m.Resellers).Draw(t, label)
}

func (m *machine) anyLine(t *rapid.T) *Line {
	if len(m.Lines) == 0 {
		t.Skip("no line yet")
	}
	return rapid.SampledFrom(m.Lines).Draw(t, "line")
}

// freshName returns a new name, or now and then "" for one that somebody has or had.
func (m *machine) freshName(t *rapid.T) string {
	m.names++
	if rapid.IntRange(0, 9).Draw(t, "name") > 0 {
		return fmt.Sprintf("name-%d", m.names)
	}
	return ""
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

// asked is a request that a reseller makes.
type asked struct {
	by      *Reseller
	call    application.Call
	refused string // what it ends in for who asks, "" for nothing
	at      Moment
	// asks for what is beyond the rights of who asks, which is refused first; nil: nothing is
	beyond func(as *Principal) bool
}

// client is from where all ask.
const client = "192.0.2.1"

// ask returns a request under a key of its own, by a token or by a session.
func (m *machine) ask(t *rapid.T, by *Reseller) asked {
	m.names++
	caller, as, refused := m.asks(t, by)
	request := fmt.Sprintf("request-%d", m.names)
	call := application.Call{Caller: caller, Request: request, Address: client, Key: fmt.Sprintf("key-%d", m.names),
		Content: []byte("x")}
	return asked{by: by, call: call, refused: refused,
		at: Moment{Now: m.now, Request: request, Address: client, Session: caller.SessionID() != "", As: as}}
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
	t *rapid.T, doing string, a asked, predicted string,
	use func(ctx context.Context, call application.Call) (application.Receipt, error),
) bool {
	t.Helper()
	by, token, at := a.by, m.tokens[a.by], m.now
	shown := a.at.As == nil || a.at.As.Has("lines:passwords")
	first, err := use(t.Context(), a.call)
	if !outcome(t, doing, err, cmp.Or(a.refused, predicted)) {
		return false
	}
	m.last = func(t *rapid.T) {
		if !m.now.Before(at.Add(application.KeyLifetime)) {
			t.Skip("the key has expired: it would be a new request")
		}
		// The key is the account's, however it asks.
		call := a.call
		predicted := firstOf(m.tokens[by] != token, "invalid-token", by.Frozen(), "account-blocked")
		if call.Caller = token; rapid.Bool().Draw(t, "otherwise") {
			var refused string
			var as *Principal
			call.Caller, as, refused = m.asks(t, by)
			predicted = firstOf(a.beyond != nil && a.beyond(as), "beyond-own-rights", refused != "", refused, by.Frozen(),
				"account-blocked", shown != (as == nil || as.Has("lines:passwords")), "idempotency-key-reused")
		} else if !shown && predicted == "" {
			predicted = "idempotency-key-reused"
		}
		receipt, err := use(t.Context(), call)
		if outcome(t, "repeat "+doing, err, predicted) &&
			(!receipt.Replayed || string(receipt.Content) != string(first.Content)) {
			t.Fatalf("repeat %s: got %+v, first %+v", doing, receipt, first)
		}
	}
	return true
}

func (m *machine) create(t *rapid.T) {
	by, n := m.anyReseller(t, "actor"), NewReseller{Password: "password", Contact: Contact{Country: "BR"}}
	if rapid.Bool().Draw(t, "with credits") {
		n.Credits = anyCredits(t, 0)
	}
	if n.Name = m.freshName(t); n.Name == "" {
		n.Name = m.anyReseller(t, "holder").Name
	}
	n.Master = rapid.IntRange(0, 2).Draw(t, "kind") > 0
	command := resellers.Create{
		Username: fixture.Name(n.Name), Password: profile.NewSecret(n.Password), Master: n.Master,
		Credits: fixture.Credits(n.Credits.String()), Contact: reseller.Contact{Country: fixture.Text("BR")},
	}
	a := m.ask(t, by)
	refusal, create := m.Create(by, n, a.at)
	var created resellers.Reseller
	if m.effect(t, "create", a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.Resellers.Create(ctx, call, command, shown(&created))
	}) {
		m.tokens[create(created.ID())] = m.tokenOf(t, created)
	}
}

// update changes a record, and now and then its password, which revokes the token
// and, like everything else in a record, lifts no block. A change of contacts with a name, or a password, does the
// same.
func (m *machine) update(t *rapid.T) {
	by, target := m.anyReseller(t, "actor"), m.anyReseller(t, "target")
	u := ResellerUpdate{Name: m.freshName(t), Contact: [5]Change{new("PT"), new("1")}}
	if u.Name == "" {
		u.Name = m.anyReseller(t, "holder").Name
	}
	u.Password = rapid.SampledFrom([]string{target.Password, "password", "another"}).Draw(t, "password")
	command := resellers.Update{
		ID: target.ID, Username: fixture.Name(u.Name), Password: profile.NewSecret(u.Password),
		ContactChange: reseller.ContactChange{Country: new(fixture.Text("PT")), Whatsapp: new(fixture.Text("1"))},
	}
	send := m.service.Resellers.Update
	switch rapid.SampledFrom([]string{"update", "name", "password"}).Draw(t, "what") {
	case "name":
		send, u.Password, command.Password = m.service.Resellers.ChangeContact, "", profile.Secret{}
	case "password":
		send, u.Name, command.Username = m.service.Resellers.ChangeContact, "", profile.Username{}
	}
	a := m.ask(t, by)
	refusal, update := m.ChangeContact(by, target, u, a.at)
	var got resellers.Reseller
	_, err := send(t.Context(), a.call, command, shown(&got))
	if !outcome(t, "update", err, cmp.Or(a.refused, refusal)) {
		return
	}
	token, before := m.tokenOf(t, got), target.Tokens
	if update(); (token != m.tokens[target]) != (target.Tokens != before) || got.State().Username.String() != target.Name {
		t.Fatalf("update: the token was revoked: %t, with the password %q, and the name is %s", token != m.tokens[target],
			u.Password, got.State().Username)
	}
	m.tokens[target] = token
	m.ended(t, Person{Of: target})
}

// contact changes what is known of the person behind a reseller, which needs no password and revokes nothing.
func (m *machine) contact(t *rapid.T) {
	by, target, notes := m.anyReseller(t, "actor"), m.anyReseller(t, "target"),
		rapid.SampledFrom([]string{"", "known"}).Draw(t, "notes")
	text := fixture.Text(notes)
	command := resellers.Update{ID: target.ID, ContactChange: reseller.ContactChange{Notes: &text}}
	a := m.ask(t, by)
	refusal, change := m.ChangeContact(by, target, ResellerUpdate{Contact: [5]Change{4: &notes}}, a.at)
	var got resellers.Reseller
	if !m.effect(t, "contact", a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.Resellers.ChangeContact(ctx, call, command, shown(&got))
	}) {
		return
	}
	change()
	k := got.State().Contact
	is := Contact{k.Country.String(), k.Whatsapp.String(), k.Telegram.String(), k.Email.String(), k.Notes.String()}
	if is != target.Contact || m.tokenOf(t, got) != m.tokens[target] {
		t.Fatalf("contact: answered %+v, and the model says %+v", got.State(), target.Contact)
	}
}

func (m *machine) fund(t *rapid.T) { m.moveCredits(t, "fund", m.Fund, m.service.Credits.Add) }

func (m *machine) reclaim(t *rapid.T) {
	m.moveCredits(t, "reclaim", m.Reclaim, m.service.Credits.Reclaim)
}

func (m *machine) moveCredits(
	t *rapid.T, doing string, decide func(by, target *Reseller, c Transfer, at Moment) (string, func()),
	use func(context.Context, application.Call, resellers.Move,
		application.Render[resellers.Moved]) (application.Receipt, error),
) {
	by, target, credits := m.anyReseller(t, "actor"), m.anyReseller(t, "target"), anyCredits(t, 1)
	if told := target.Low.Below; !told.IsZero() && rapid.Bool().Draw(t, "about what is told of") {
		about := rapid.SampledFrom([]decimal.Decimal{told, told.Mul(recovers)}).Draw(t, "of") // and a unit less or more
		about = about.Sub(target.Balance).Abs().Add(decimal.New(rapid.Int64Range(-1, 1).Draw(t, "by"), -credit.Scale)).
			RoundUp(credit.Scale)
		if about.IsPositive() && about.LessThanOrEqual(mostAtOnce) {
			credits = about
		}
	}
	a := m.ask(t, by)
	refusal, move := decide(by, target, Transfer{Amount: credits}, a.at)
	command := resellers.Move{ID: target.ID, Credits: fixture.Credits(credits.String())}
	var got resellers.Moved
	if !m.effect(t, doing, a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return use(ctx, call, command, shown(&got))
	}) {
		return
	}
	if move(); !got.State().Credits.Decimal().Equal(target.Balance) {
		t.Fatalf("%s: answered %s, and the model says %s", doing, got.State().Credits, target.Balance)
	}
}

func (m *machine) revoke(t *rapid.T) {
	by := m.anyReseller(t, "actor")
	old := m.tokens[by]
	a := m.ask(t, by)
	refusal, revoke := m.Revoke(by, a.at)
	var none struct{}
	_, err := m.service.Access.RevokeToken(t.Context(), a.call, shown(&none))
	if !outcome(t, "revoke", err, cmp.Or(a.refused, refusal)) {
		return
	}
	revoke()
	_, err = m.service.Resellers.Self(t.Context(), application.Call{Caller: old})
	outcome(t, "use a revoked token", err, "invalid-token")
	m.tokens[by] = m.login(t, by)
}

// changePassword gives a reseller that knows its password another one, or the same. The session that asks stays.
func (m *machine) changePassword(t *rapid.T) {
	by := m.anyReseller(t, "actor")
	a := m.ask(t, by)
	if a.at.As != nil && !a.at.As.Staff {
		return // which the API refuses
	}
	who := a.at.Person(by)
	present := rapid.SampledFrom([]string{who.Password(), who.Password(), "wrong"}).Draw(t, "present")
	next := rapid.SampledFrom([]string{who.Password(), "password", "another"}).Draw(t, "next")
	refusal, change := m.ChangePassword(by, present, next, a.at)
	var none struct{}
	_, err := m.service.Access.ChangePassword(t.Context(), a.call, access.ChangePassword{
		// so that none has to wait
		Present: profile.NewSecret(present), New: profile.NewSecret(next), Client: fmt.Sprint(m.names),
	}, shown(&none))
	if !outcome(t, "change password", err, cmp.Or(a.refused, refusal)) {
		return
	}
	change()
	asking := m.Session(string(a.call.Caller.SessionID()))
	if asking != nil {
		asking.Stay()
	}
	if next != present && who.As == nil {
		_, err = m.service.Resellers.Self(t.Context(), application.Call{Caller: m.tokens[by]})
		outcome(t, "use the token of a former password", err, "invalid-token")
		m.tokens[by] = m.login(t, by)
	}
	m.ended(t, who)
	if asking != nil {
		_, err = m.service.Resellers.Self(t.Context(), application.Call{Caller: a.call.Caller})
		outcome(t, "ask by the session that has changed the password", err, "")
	}
}

// anyDescription returns a change of what is known about a line: of each text none, another one, or to no text at all.
func anyDescription(t *rapid.T) (Description, line.Description) {
	text := func(label string, in int, of ...string) (Change, *profile.Text) {
		to := maybe(t, label, in, append(of, ""))
		if to == nil {
			return nil, nil
		}
		return to, new(profile.RestoreText(*to))
	}
	var d Description
	var c line.Description
	d.Notes, c.Notes = text("notes", 4, "known")
	d.Email, c.Email = text("email", 4, "a@example.com")
	d.ExternalID, c.ExternalID = text("external id", 2, "crm-1", "crm-2", "CRM-2", "crm-3")
	if d.Metadata = maybe(t, "metadata", 3, []string{"", `{"plan":"gold"}`, `{"plan":"","seat":"4"}`}); d.Metadata != nil {
		members := map[string]string{}
		if *d.Metadata != "" {
			check(t, json.Unmarshal([]byte(*d.Metadata), &members))
		}
		metadata, err := line.ParseMetadata(members)
		check(t, err)
		c.Metadata = &metadata
	}
	return d, c
}

func known(s line.State) Known {
	return Known{
		s.Notes.String(), s.Country.String(), s.Whatsapp.String(), s.Telegram.String(), s.Email.String(),
		s.ExternalID.String(), Metadata(s.Metadata.All()),
	}
}

// describe changes what is known about a line, a trial too.
func (m *machine) describe(t *rapid.T) {
	by, l := m.anyReseller(t, "actor"), m.anyLine(t)
	d, change := anyDescription(t)
	a := m.ask(t, by)
	refusal, describe := m.Describe(by, l, LineDetails{Description: d}, a.at)
	var got lines.Line
	if !m.effect(t, "describe", a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.Lines.Describe(ctx, call, lines.Edit{ID: l.ID, Description: change}, shown(&got))
	}) {
		return
	}
	if describe(); known(got.State()) != l.Known {
		t.Fatalf("describe: answered %+v, and the model says %+v", got.State(), l)
	}
	m.isLine(t, "describe", a.at, got, l)
}

func (m *machine) trial(t *rapid.T) {
	by := m.anyReseller(t, "actor")
	d, c := anyDescription(t)
	a := m.ask(t, by)
	refusal, issue := m.Trial(by, d, a.at)
	var got lines.Line
	if m.effect(t, "trial", a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.Lines.CreateTrial(ctx, call, c, shown(&got))
	}) {
		s := got.State()
		all, err := m.service.Lines.Get(t.Context(), application.Call{Caller: m.tokens[m.Resellers[0]]}, s.ID)
		check(t, err)
		m.isLine(t, "trial", a.at, got, issue(NewTrial{s.ID, s.Username.String(), all.Password.Reveal()}))
	}
}

// lineDetails returns details with a new name for a line, or one that a line has or had.
func (m *machine) lineDetails(t *rapid.T, password, country string) (LineDetails, lines.Edit) {
	name := m.freshName(t)
	if name == "" {
		name = m.anyLine(t).Name
	}
	d, c := anyDescription(t)
	d.Country, c.Country = &country, new(fixture.Text(country))
	return LineDetails{name, password, d},
		lines.Edit{Username: fixture.Name(name), Password: profile.NewSecret(password), Description: c}
}

func anyPrice(t *rapid.T) (credit.Price, Price) {
	price := rapid.SampledFrom(Prices()).Draw(t, "price")
	p, err := credit.ParsePrice(price.Credits)
	check(t, err)
	return p, price
}

func (m *machine) activate(t *rapid.T) {
	by, l := m.anyReseller(t, "actor"), m.anyLine(t)
	details, edit := m.lineDetails(t, "1234", "BR")
	p, price := anyPrice(t)
	edit.ID = l.ID
	a := m.ask(t, by)
	refusal, activate := m.Activate(by, l, price, details, a.at)
	var got lines.Line
	if m.effect(t, "activate", a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.Lines.Activate(ctx, call, lines.Activate{Edit: edit, Price: p}, shown(&got))
	}) {
		activate(got.State().PlatformID)
		m.isLine(t, "activate", a.at, got, l)
	}
}

func (m *machine) extend(t *rapid.T) {
	by, l := m.anyReseller(t, "actor"), m.anyLine(t)
	p, price := anyPrice(t)
	a := m.ask(t, by)
	refusal, x, extend := m.Extend(by, l, price, a.at)
	command := lines.Extend{ID: l.ID, Price: p}
	preview, err := m.service.Lines.PreviewExtension(t.Context(), application.Call{Caller: m.tokens[by]}, command)
	unlimited, _, _ := m.Extend(by, l, price, Moment{Now: m.now})
	if outcome(t, "preview", err, unlimited) && (!preview.From.Equal(x.From) || !preview.Until.Equal(x.Until)) {
		t.Fatalf("preview: %s to %s, and the model says %s to %s", preview.From, preview.Until, x.From, x.Until)
	}
	var got lines.Line
	if m.effect(t, "extend", a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.Lines.Extend(ctx, call, command, shown(&got))
	}) {
		extend()
		m.isLine(t, "extend", a.at, got, l)
	}
}

func (m *machine) edit(t *rapid.T) {
	by, l := m.anyReseller(t, "actor"), m.anyLine(t)
	details, command := m.lineDetails(t, "4321", "PT")
	command.ID = l.ID
	send := m.service.Lines.Describe // which is an edit, with a name or a password
	switch rapid.SampledFrom([]string{"edit", "name", "password", "both"}).Draw(t, "what") {
	case "edit":
		send, details.ExternalID, command.ExternalID = m.service.Lines.Edit, nil, nil // which it leaves alone
	case "name":
		details.Password, command.Password = "", profile.Secret{}
	case "password":
		details.Name, command.Username = "", profile.Username{}
	}
	a := m.ask(t, by)
	refusal, edit := m.Describe(by, l, details, a.at)
	var got lines.Line
	_, err := send(t.Context(), a.call, command, shown(&got))
	if outcome(t, "edit", err, cmp.Or(a.refused, refusal)) {
		edit()
		m.isLine(t, "edit", a.at, got, l)
	}
}

func (m *machine) remove(t *rapid.T) {
	by, l := m.anyReseller(t, "actor"), m.anyLine(t)
	a := m.ask(t, by)
	refusal, remove := m.Delete(by, l, a.at)
	var id int64
	if m.effect(t, "delete", a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.Lines.Delete(ctx, call, l.ID, shown(&id))
	}) {
		remove()
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
	m.now = m.now.Add(
		time.Duration(rapid.Int64Range(1, int64(longest/time.Millisecond)).Draw(t, "wait")) * time.Millisecond)
}

// walk goes through the pages of a list. It reports false where the list is refused, as the model says, too.
func walk[I any](t *rapid.T, m *machine, by *Reseller,
	ask func(call application.Call, after *application.Cursor) (application.Page[I], error)) (all []I, listed bool) {
	t.Helper()
	caller, _, refused := m.asks(t, by)
	for after := (*application.Cursor)(nil); ; {
		page, err := ask(application.Call{Caller: caller}, after)
		if !outcome(t, "list", err, firstOf(refused != "", refused, by.Frozen(), "account-blocked")) {
			return nil, false
		}
		if all = append(all, page.Items...); page.Next == nil {
			return all, true
		}
		after = page.Next
	}
}

// maybe draws one of these once in so many times, and else nil.
func maybe[V any](t *rapid.T, label string, in int, of []V) *V {
	if rapid.IntRange(1, in).Draw(t, "by "+label) < in {
		return nil
	}
	v := rapid.SampledFrom(of).Draw(t, label)
	return &v
}

// lists asks for several lists: what is there by now is worth it.
func (m *machine) lists(t *rapid.T) {
	for range 5 {
		m.listLines(t)
		m.listResellers(t)
	}
}

// listLines compares what a reseller is shown of lines with the model: of a status, of a window of expiry, of an owner.
func (m *machine) listLines(t *rapid.T) {
	by, owner := m.anyReseller(t, "actor"), maybe(t, "owner", 4, m.Resellers)
	instants := []time.Time{m.now.Add(-time.Hour), m.now, m.now.Add(40 * 24 * time.Hour)}
	for _, l := range m.Lines {
		instants = append(instants, l.Expires)
	}
	query := lines.List{
		ExternalID: rapid.SampledFrom([]string{"", "", "", "crm-1", "CRM-2"}).Draw(t, "external id"),
		Running:    maybe(t, "running", 2, []bool{false, true}), Trial: maybe(t, "trial", 4, []bool{false, true}),
		Suspended:    maybe(t, "suspended", 3, []bool{false, true}),
		ExpiresAfter: maybe(t, "from", 2, instants), ExpiresBefore: maybe(t, "before", 2, instants),
		Limit: rapid.IntRange(1, 5).Draw(t, "limit"),
	}
	if owner != nil {
		query.Owner = &(*owner).ID
	}
	effect := maybe(t, "effective", 3, Effects)
	if effect != nil {
		query.Effect = new(line.Effect(*effect))
	}
	query.Sort = maybe(t, "order", 2, []application.Order{application.LinesByID, application.LinesByExpiry,
		application.LinesByName, application.NewestLines, application.LatestExpiry})
	found, listed := walk(t, m, by,
		func(call application.Call, after *application.Cursor) (application.Page[lines.Line], error) {
			query.After = after
			return m.service.Lines.List(t.Context(), call, query)
		})
	if !listed {
		return
	}
	var matching []*Line
	for _, l := range m.Lines {
		if by.SeesLine(l) && (owner == nil || l.Owner == *owner) &&
			(query.ExternalID == "" || l.ExternalID == query.ExternalID) &&
			(query.Running == nil || (l.Effective(m.now) == "running") == *query.Running) &&
			(effect == nil || l.Effective(m.now) == *effect) && (query.Suspended == nil || l.Suspended == *query.Suspended) &&
			(query.Trial == nil || l.Trial == *query.Trial) &&
			(query.ExpiresAfter == nil || !l.Expires.Before(*query.ExpiresAfter)) &&
			(query.ExpiresBefore == nil || l.Expires.Before(*query.ExpiresBefore)) {
			matching = append(matching, l)
		}
	}
	byExpiry := query.Running != nil || effect != nil || query.ExpiresAfter != nil || query.ExpiresBefore != nil
	if query.Sort != nil {
		byExpiry = *query.Sort == application.LinesByExpiry
	}
	slices.SortStableFunc(matching, func(a, b *Line) int {
		switch {
		case byExpiry:
			return a.Expires.Compare(b.Expires)
		case query.Sort != nil && *query.Sort == application.LinesByName:
			return cmp.Compare(a.Key(), b.Key())
		case query.Sort != nil && *query.Sort == application.NewestLines:
			return int(b.ID - a.ID)
		case query.Sort != nil && *query.Sort == application.LatestExpiry:
			return cmp.Or(b.Expires.Compare(a.Expires), cmp.Compare(b.ID, a.ID))
		}
		return 0
	})
	type shown struct {
		id      int64
		edited  bool
		updated int64
		effect  string
		Suspension
		Known
	}
	var got, want []shown
	for _, l := range found {
		s := l.State()
		got = append(got, shown{s.ID, s.Edited, s.UpdatedAt.UnixMilli(), string(l.Effect()),
			Suspension{s.Suspended, s.Reason.String()}, known(s)})
	}
	for _, l := range matching {
		want = append(want, shown{l.ID, l.Edited, l.UpdatedAt.UnixMilli(), l.Effective(m.now), l.Suspension, l.Known})
	}
	if !slices.Equal(got, want) {
		t.Fatalf("lines: got %+v, and the model says %+v", got, want)
	}
}

// listResellers compares what a reseller is shown of others with the model: of a tree, right below one.
func (m *machine) listResellers(t *rapid.T) {
	by, tree, master := m.anyReseller(t, "actor"), maybe(t, "tree", 3, m.Resellers), maybe(t, "master", 3, m.Resellers)
	query := resellers.List{Limit: rapid.IntRange(1, 5).Draw(t, "limit")}
	if tree != nil {
		query.Tree = &(*tree).ID
	}
	if master != nil {
		query.Master = &(*master).ID
	}
	found, listed := walk(t, m, by,
		func(call application.Call, after *application.Cursor) (application.Page[resellers.Reseller], error) {
			query.After = after
			return m.service.Resellers.List(t.Context(), call, query)
		})
	if !listed {
		return
	}
	type shown struct {
		id                    int64
		blocked, blockedAbove bool
	}
	var got, want []shown
	for _, r := range found {
		got = append(got, shown{r.ID(), r.State().Blocked, r.BlockedAbove})
	}
	for _, r := range m.Resellers {
		if by.Sees(r) && (tree == nil || by.Sees(*tree) && r.Within(*tree)) &&
			(master == nil || by.Sees(*master) && r.Parent == *master) {
			want = append(want, shown{r.ID, r.Blocked, r.Parent != nil && r.Parent.Frozen()})
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("accounts: got %+v, and the model says %+v", got, want)
	}
}

// proven is checked after each step.
func (m *machine) proven(t *rapid.T) {
	admin := application.Call{Caller: m.tokens[m.Resellers[0]]}
	proof, err := m.service.Ledger.Prove(t.Context(), admin)
	check(t, err)
	if !proof.Balanced() || !proof.Issued.Equal(m.Issued) || !proof.Consumed.Equal(m.Consumed) ||
		proof.Movements != int64(len(m.Movements)) {
		t.Fatalf("proof %+v, and the model says issued %s, consumed %s, %d movements", proof, m.Issued, m.Consumed,
			len(m.Movements))
	}
	for _, a := range m.Resellers {
		got, err := m.service.Resellers.Get(t.Context(), admin, a.ID)
		check(t, err)
		s := got.State()
		if !s.Credits.Decimal().Equal(a.Balance) || s.Tip.Seq != int64(len(a.Statement)) {
			t.Fatalf("account %d has %s after %d movements, and the model says %s after %d", a.ID, s.Credits, s.Tip.Seq,
				a.Balance, len(a.Statement))
		}
		m.isBlocked(t, got, a)
		m.alerts(t, got, a)
	}
	for _, p := range m.Persons() {
		m.keeps(t, p)
	}
	m.keepsPrincipals(t)
}

// TestMain keeps a plain run short; -rapid.checks asks for more histories.
func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set("12"); err != nil {
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

// actions are what resellers do, by the operation of the API whose use case it is, and what happens besides.
func (m *machine) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"createReseller": m.create, "updateReseller": m.update, "changeContact": m.contact, "addCredits": m.fund,
		"reclaimCredits": m.reclaim,
		"blockReseller":  m.block, "revokeToken": m.revoke, "changePassword": m.changePassword,
		"createTrial": m.trial, "activateLine": m.activate, "extendLine": m.extend, "editLine": m.edit,
		"describeLine": m.describe, "deleteLine": m.remove,
		"suspendLine": m.suspend, "resumeLine": m.resume, "letIn": m.letIn, "listEntitlements": m.follow,
		"signIn": m.signIn, "signOut": m.signOut, "endSession": m.endSession, "listSessions": m.listSessions,
		"listLines": m.lists, "forget": m.forget, "repeat": m.repeat, "wait": m.wait, "operate": m.operate,
		"listEvents": m.listEvents, "reports": m.reports, "setAlerts": m.setAlert, "setMessages": m.setMessages,
		"createWebhook": m.createWebhook, "updateWebhook": m.updateWebhook, "rotateWebhook": m.rotateWebhook,
		"deleteWebhook": m.deleteWebhook,
		"testWebhook":   m.testWebhook, "replayWebhook": m.replayWebhook, "listWebhooks": m.readWebhooks,
		"createKey": m.createKey, "updateKey": m.updateKey, "revokeKey": m.revokeKey, "listKeys": m.listPrincipals,
		"createStaff": m.createStaff, "updateStaff": m.updateStaff, "removeStaff": m.removeStaff,
		"beginTOTP": m.beginFactor, "confirmTOTP": m.confirmFactor, "removeTOTP": m.removeFactor, "resetTOTP": m.resetFactor,
		"resetStaffTOTP": m.resetStaffsFactor,
		"startBulk":      m.startJob, "stopJob": m.stopJob, "work": m.workOnJobs,
		"takeLease": m.takeLease, "remind": m.remind, "deliver": m.deliver,
		"": m.proven,
	}
}

// TestRandomHistories has resellers do what they may, and what they may not.
func TestRandomHistories(t *testing.T) { histories(t, (*machine).actions) }

// TestRandomSessions has them do what sessions come and go by, again and again.
func TestRandomSessions(t *testing.T) {
	histories(t, func(m *machine) map[string]func(*rapid.T) {
		actions := m.actions()
		for _, name := range []string{"changeContact", "addCredits", "reclaimCredits", "revokeToken", "activateLine",
			"extendLine", "editLine", "describeLine", "deleteLine", "listLines"} {
			delete(actions, name)
		}
		return actions
	})
}

// TestRandomDeliveries has them be told of what happens, again and again.
func TestRandomDeliveries(t *testing.T) {
	histories(t, func(m *machine) map[string]func(*rapid.T) {
		all, actions := m.actions(), map[string]func(*rapid.T){}
		for _, name := range []string{
			"createReseller", "addCredits", "blockReseller", "createTrial", "activateLine", "extendLine", "deleteLine",
			"setAlerts", "wait", "operate",
			"createWebhook", "updateWebhook", "rotateWebhook", "testWebhook", "replayWebhook", "listWebhooks", "takeLease",
			"remind", "deliver", "",
		} {
			actions[name] = all[name]
		}
		deliver := actions["deliver"]
		for i := range 4 { // most of all
			actions[fmt.Sprint("deliver", i)] = deliver
		}
		return actions
	})
}

// TestRandomEntitlements has them be followed, again and again.
func TestRandomEntitlements(t *testing.T) {
	histories(t, func(m *machine) map[string]func(*rapid.T) {
		all, actions := m.actions(), map[string]func(*rapid.T){}
		for _, name := range []string{
			"createReseller", "addCredits", "blockReseller", "createTrial", "activateLine", "extendLine", "editLine",
			"describeLine", "suspendLine", "resumeLine",
			"deleteLine", "letIn", "listLines", "wait", "operate", "listEntitlements", "",
		} {
			actions[name] = all[name]
		}
		actions["serve"] = m.serve
		for _, name := range []string{"listEntitlements", "createTrial", "blockReseller"} { // most of all
			for i := range 3 {
				actions[fmt.Sprint(name, i)] = all[name]
			}
		}
		return actions
	}, (*machine).people)
}

// TestEveryChangeIsModelled by an action of the name of its operation, unless its row says why it is not.
func TestEveryChangeIsModelled(t *testing.T) {
	actions := new(machine).actions()
	byOthers := []string{"issueToken", "unblockReseller"}
	for _, row := range api.Table() {
		modelled := actions[row.ID] != nil || slices.Contains(byOthers, row.ID)
		if row.Method != http.MethodGet && modelled != (row.Unmodelled == "") {
			t.Errorf("%s is modelled: %t, and its row says %q", row.ID, modelled, row.Unmodelled)
		}
	}
}

// histories runs random histories of these actions, after what comes first, on each kind of store.
func histories(t *testing.T, actions func(m *machine) map[string]func(*rapid.T),
	first ...func(m *machine, t *rapid.T)) {
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
				for _, does := range first {
					does(m, t)
				}
				t.Repeat(actions(m))
				m.settle(t)
				m.followed(t)
				m.journal(t)
				verdict, err := audit.Run(t.Context(), store.Parts().Archive,
					audit.Options{Report: func(finding string) { t.Error(finding) }})
				check(t, err)
				if verdict.Findings != 0 || verdict.Movements != int64(len(m.Movements)) {
					t.Fatalf("the audit says %+v", verdict)
				}
			})
		})
	}
}
