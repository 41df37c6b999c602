package model

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/domain/fault"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/fixture"
)

// network is an address, or a range of them, as the service has it.
func network(p netip.Prefix) principal.Network {
	return principal.Network{Address: p.Addr().As16(), Bits: p.Bits() + 128 - p.Addr().BitLen()}
}

func networks(all []netip.Prefix) (is []principal.Network) {
	for _, p := range all {
		is = append(is, network(p))
	}
	return is
}

// byKey has a key ask, and says what the model makes of it.
func (m *machine) byKey(t *rapid.T, p *Principal) (application.Caller, string) {
	from := netip.MustParsePrefix(client + "/32")
	caller, err := m.service.Authentication.AuthenticateKey(t.Context(), p.Secret, network(from), client)
	refused := firstOf(p.Refused(m.now) != "", p.Refused(m.now), !p.From(client), "address-not-allowed")
	outcome(t, "authenticate a key", err, refused)
	return caller, refused
}

func anyRights(t *rapid.T) (r Rights) {
	if rapid.Bool().Draw(t, "by role") {
		r.Role = rapid.SampledFrom([]string{"read_only", "support", "cashier", "manager"}).Draw(t, "role")
	} else {
		r.Scopes = rapid.SampledFrom([][]string{Scopes, Scopes, {}, {"lines:read", "lines:passwords"}, {"manage"},
			{"users:write", "lines:spend"}, {"entitlements:read"}, {"entitlements:read"}}).Draw(t, "scopes")
	}
	if rapid.IntRange(0, 2).Draw(t, "limited") == 0 {
		r.Limit = decimal.Min(anyCredits(t, 1), mostAtOnce)
	}
	return r
}

// onlyKeys adds what people have not.
func onlyKeys(t *rapid.T, r Rights, now time.Time) Rights {
	if rapid.IntRange(0, 3).Draw(t, "from") == 0 {
		r.Addresses = rapid.SampledFrom([][]netip.Prefix{
			{netip.MustParsePrefix("192.0.2.0/24")}, {netip.MustParsePrefix(client + "/32")},
			{netip.MustParsePrefix("203.0.113.0/25")},
		}).Draw(t, "addresses")
	}
	if rapid.IntRange(0, 3).Draw(t, "expires") == 0 {
		r.Expires = now.Add(time.Duration(rapid.IntRange(-1, 100).Draw(t, "hours")) * time.Hour)
	}
	return r
}

func units(of decimal.Decimal) principal.Units { return principal.Units(of.Shift(4).IntPart()) }

func scopes(of []string) []principal.Scope {
	all := []principal.Scope{}
	for _, s := range of {
		all = append(all, principal.Scope(s))
	}
	return all
}

func kindOfPrincipal(staff bool) principal.Kind {
	if staff {
		return principal.Staff
	}
	return principal.Key
}

func (m *machine) createKey(t *rapid.T) {
	m.createPrincipal(t, NewPrincipal{Name: "a key", Rights: onlyKeys(t, anyRights(t), m.now)})
}

func (m *machine) createStaff(t *rapid.T) {
	n := NewPrincipal{Staff: true, Name: m.freshName(t), Password: "password", Rights: anyRights(t)}
	if n.Name == "" {
		n.Name = rapid.SampledFrom(m.Persons()).Draw(t, "holder").Name()
	}
	m.createPrincipal(t, n)
}

func (m *machine) createPrincipal(t *rapid.T, n NewPrincipal) {
	by := m.anyReseller(t, "actor")
	a := m.ask(t, by)
	refusal, create := m.CreatePrincipal(by, n, a.at)
	a.beyond = func(as *Principal) bool { return as.known() && !n.Within(as) }
	if a.beyond(a.at.As) {
		a.refused = "beyond-own-rights" // which it is told before anything is looked at, its session too
	}
	c := access.CreatePrincipal{
		Kind: kindOfPrincipal(n.Staff), Role: principal.Role(n.Role), Scopes: scopes(n.Scopes),
		Networks: networks(n.Addresses), Expires: n.Expires, Limit: units(n.Limit),
	}
	if c.Name = n.Name; n.Staff {
		c.Username, c.Password = fixture.Name(n.Name), profile.NewSecret(n.Password)
	}
	var got access.Principal
	if m.effect(t, "create principal", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Principals.Create(ctx, call, c, shown(&got))
		}) {
		create(got.ID, got.Slot, got.Key.Reveal())
	}
}

// known reports whether it is there still, so that its rights are known by the time a request of its is made.
func (p *Principal) known() bool { return p != nil && !p.Removed }

// anyPrincipal returns a key or somebody on a staff, who may be gone, and mostly whose.
func (m *machine) anyPrincipal(t *rapid.T, staff bool) (by *Reseller, p *Principal) {
	all := slices.DeleteFunc(slices.Clone(m.Principals), func(p *Principal) bool { return p.Staff != staff })
	if len(all) == 0 {
		t.Skip("no principal yet")
	}
	p = rapid.SampledFrom(all).Draw(t, "principal")
	if by = p.Of; rapid.IntRange(0, 3).Draw(t, "by another") == 0 {
		by = m.anyReseller(t, "actor")
	}
	return by, p
}

func (m *machine) updateKey(t *rapid.T) {
	by, p := m.anyPrincipal(t, false)
	r := onlyKeys(t, anyRights(t), m.now)
	c, change := m.anyChange(t, r)
	c.Name = maybe(t, "name", 2, []string{"a key", "another"})
	change.Name = c.Name
	if rapid.Bool().Draw(t, "addresses") {
		c.Addresses, change.Networks = &r.Addresses, new(networks(r.Addresses))
	}
	if rapid.Bool().Draw(t, "expiry") {
		c.Expires, change.Expires = &r.Expires, &r.Expires
	}
	m.updatePrincipal(t, by, p, c, access.UpdatePrincipal{ID: p.ID, Kind: principal.Key, Change: change})
}

// anyChange returns a change of what keys and people have.
func (m *machine) anyChange(t *rapid.T, r Rights) (c PrincipalChange, change principal.Change) {
	switch {
	case rapid.Bool().Draw(t, "same rights"):
	case r.Role != "":
		c.Role, change.Role = &r.Role, new(principal.Role(r.Role))
	default:
		c.Scopes, change.Scopes = r.Scopes, scopes(r.Scopes)
	}
	if rapid.Bool().Draw(t, "limit") {
		c.Limit, change.Limit = &r.Limit, new(units(r.Limit))
	}
	return c, change
}

func (m *machine) updateStaff(t *rapid.T) {
	by, p := m.anyPrincipal(t, true)
	c, change := m.anyChange(t, anyRights(t))
	command := access.UpdatePrincipal{ID: p.ID, Kind: principal.Staff, Change: change}
	if rapid.IntRange(0, 2).Draw(t, "another name") == 0 {
		name := m.freshName(t)
		if name == "" {
			name = rapid.SampledFrom(m.Persons()).Draw(t, "holder").Name()
		}
		c.Name, command.Username = &name, fixture.Name(name)
	}
	if c.Password = maybe(t, "password", 3, []string{"password", "another"}); c.Password != nil {
		command.Password = new(profile.NewSecret(*c.Password))
	}
	m.updatePrincipal(t, by, p, c, command)
	m.ended(t, Person{p.Of, p})
}

func (m *machine) updatePrincipal(t *rapid.T, by *Reseller, p *Principal, c PrincipalChange,
	command access.UpdatePrincipal) {
	a := m.ask(t, by)
	refusal, update := m.UpdatePrincipal(by, p, p.Staff, c, a.at)
	var got access.Principal
	if m.effect(t, "update principal", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Principals.Update(ctx, call, command, shown(&got))
		}) {
		update()
		m.isPrincipal(t, got.Principal, p)
	}
}

func (m *machine) revokeKey(t *rapid.T)   { m.removePrincipal(t, false) }
func (m *machine) removeStaff(t *rapid.T) { m.removePrincipal(t, true) }

// removePrincipal revokes a key or removes somebody from a staff, who gets nothing done from then on.
func (m *machine) removePrincipal(t *rapid.T, staff bool) {
	by, p := m.anyPrincipal(t, staff)
	if rapid.IntRange(0, 2).Draw(t, "really") > 0 {
		t.Skip("they are to be there for a while")
	}
	a := m.ask(t, by)
	refusal, remove := m.RemovePrincipal(by, p, staff, a.at)
	var id int64
	if m.effect(t, "remove principal", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Principals.Remove(ctx, call, access.RemovePrincipal{ID: p.ID, Kind: kindOfPrincipal(staff)},
				shown(&id))
		}) {
		if remove(); staff {
			m.ended(t, Person{p.Of, p})
		}
	}
}

// listPrincipals compares what a reseller is shown of its principals with the model.
func (m *machine) listPrincipals(t *rapid.T) {
	staff := rapid.Bool().Draw(t, "staff")
	by, p := m.anyPrincipal(t, staff)
	caller, _, refused := m.asks(t, by)
	refused = firstOf(refused != "", refused, by.Frozen(), "account-blocked")
	call := application.Call{Caller: caller}
	all, err := m.service.Principals.List(t.Context(), call, kindOfPrincipal(staff))
	if outcome(t, "list principals", err, refused) {
		want := m.PrincipalsOf(by, staff)
		if len(all) != len(want) {
			t.Fatalf("account %d has %d principals, and the model says %d", by.ID, len(all), len(want))
		}
		for i := range want {
			m.isPrincipal(t, all[i].Principal, want[i])
		}
	}
	one, err := m.service.Principals.Get(t.Context(), call, kindOfPrincipal(staff), p.ID)
	if outcome(t, "read a principal", err, firstOf(refused != "", refused, !by.has(p, staff), "not-found")) {
		m.isPrincipal(t, one.Principal, p)
	}
}

func describedPrincipal(id, of int64, staff bool, name string, scopes any, addresses int, expires time.Time,
	limit, spent int64, removed bool) string {
	return fmt.Sprintf("%d of %d, staff %t, %q, %v from %d networks until %s, %d of %d are spent, removed %t", id, of,
		staff, name, scopes, addresses, iso(expires), spent, limit, removed)
}

func (m *machine) isPrincipal(t *rapid.T, got principal.Principal, p *Principal) {
	spent, _ := got.SpentBy(m.now)
	if got.Limit == 0 { // nothing is counted, and what was is of no matter
		spent = units(p.SpentOn(m.now))
	}
	is := describedPrincipal(got.ID, got.Account, got.Kind == principal.Staff, got.Name, got.Scopes(), len(got.Networks),
		got.Expires, int64(got.Limit), int64(spent), !got.Revoked.IsZero())
	want := describedPrincipal(p.ID, p.Of.ID, p.Staff, p.Name, p.Shown(), len(p.Addresses), p.Expires,
		int64(units(p.Limit)), int64(units(p.SpentOn(m.now))), p.Removed)
	if is != want {
		t.Fatalf("there is principal\n%s, and the model says\n%s", is, want)
	}
}

// keepsPrincipals compares what the store has of principals and second factors with the model.
func (m *machine) keepsPrincipals(t *rapid.T) {
	check(t, m.kept.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
		for _, p := range m.Principals {
			got, err := ports.Principals.From(s.Records).Get(ctx, p.ID)
			if err != nil {
				return err
			}
			m.isPrincipal(t, got, p)
		}
		for _, who := range m.Persons() {
			got, err := ports.SecondFactors.From(s.Records).Get(ctx, factorName(who))
			f := m.Factor(who)
			switch {
			case f == nil && errors.Is(err, fault.ErrNotFound):
			case err != nil || f == nil:
				t.Fatalf("%s has the second factor %+v (%v), and the model says %+v", who.Name(), got, err, f)
			case got.Active() != f.Active() || got.Step != f.Step || len(got.Recovery) != len(f.Codes) || got.Wrong != f.Wrong ||
				(len(got.Pending) > 0) != (f.Pending != ""):
				t.Fatalf("%s has the second factor %+v, and the model says %+v", who.Name(), got, f)
			}
		}
		return nil
	}))
}

func factorName(who Person) string {
	if who.As != nil {
		return fmt.Sprintf("staff %d", who.As.ID)
	}
	return fmt.Sprintf("account %d", who.Of.ID)
}

// show is what an app shows of second factors.
func (m *machine) show(t *rapid.T) CodeAt {
	return func(secret string, at time.Time) string {
		code, err := api.CodeOf(secret, at)
		check(t, err)
		return code
	}
}

func (m *machine) fresh() int {
	m.names++
	return m.names
}

// goodCode returns a code by which a person gets in, "" where none is needed. It may take a while.
func (m *machine) goodCode(t *rapid.T, who Person) string {
	f := m.Factor(who)
	if !f.Active() {
		return ""
	}
	m.now = m.now.Add(f.Wait(m.source(who), m.now))
	if len(f.Codes) > 0 {
		return f.Codes[0]
	}
	m.now = m.now.Add(2 * time.Minute)
	return m.show(t)(f.Secret, m.now)
}

// anyCode returns a code for a person, which is a good one or not.
func (m *machine) anyCode(t *rapid.T, who Person) string {
	f := m.Factor(who)
	if !f.Active() {
		return rapid.SampledFrom([]string{"", "", "123456"}).Draw(t, "code")
	}
	early := time.Duration(rapid.IntRange(-2, 2).Draw(t, "half-minutes")) * 30 * time.Second
	codes := []string{"", "no code", m.show(t)(f.Secret, m.now.Add(early)), m.show(t)(f.Secret, m.now)}
	if len(f.Codes) > 0 {
		codes = append(codes, f.Codes[0])
	}
	return rapid.SampledFrom(codes).Draw(t, "code")
}

// fails counts a code that was refused.
func (m *machine) fails(who Person, code string, t *rapid.T) {
	if f, by := m.Factor(who), m.source(who); !who.Of.Frozen() &&
		f.Refuses(by, code, m.show(t), m.now) == "invalid-credentials" {
		f.Fails(by, code, m.now)
	}
}

// source is a client of its own, which has the person's password.
func (m *machine) source(who Person) Source { return Source{fmt.Sprint(m.fresh()), who.Password()} }

// refusedSignIn has somebody sign in by a name that its former holder has no more.
func (m *machine) refusedSignIn(t *rapid.T, name string) {
	if m.ResellerNamed(name) != nil || m.StaffNamed(name) != nil {
		return
	}
	_, _, err := m.service.Access.SignIn(t.Context(),
		access.SignIn{Login: access.Login{Username: fixture.Name(name), Password: profile.NewSecret("password"),
			Client: fmt.Sprint(m.fresh())}})
	outcome(t, "sign in by a name of the past", err, "invalid-credentials")
}

// personal returns a request by a session, of somebody whose second factor it is about.
func (m *machine) personal(t *rapid.T) (a asked, who Person) {
	s := m.anySession(t)
	caller, refused := m.authenticate(t, s)
	if refused != "" {
		t.Skip("it has ended")
	}
	request := fmt.Sprintf("request-%d", m.fresh())
	at := Moment{Now: m.now, Request: request, Address: client, Session: true, As: s.As}
	return asked{by: s.Of, call: application.Call{Caller: caller, Request: request, Address: client},
		refused: firstOf(!s.Good(), "session-ended"), at: at}, s.Person
}

func (m *machine) beginFactor(t *rapid.T) {
	a, who := m.personal(t)
	password := rapid.SampledFrom([]string{who.Password(), who.Password(), "wrong"}).Draw(t, "password")
	refusal, begin := m.BeginFactor(a.by, password, false, a.at)
	var got access.NewFactor
	_, err := m.service.Access.BeginFactor(t.Context(), a.call, access.BeginFactor{Password: profile.NewSecret(password),
		Client: fmt.Sprint(m.fresh())}, shown(&got))
	if outcome(t, "begin with a second factor", err, firstOf(a.refused != "", a.refused, refusal != "", refusal)) {
		begin(got.Secret.Reveal())
	}
}

func (m *machine) confirmFactor(t *rapid.T) {
	a, who := m.personal(t)
	code := "no code"
	if f := m.Factor(who); f != nil && f.Pending != "" {
		code = m.show(t)(f.Pending, m.now.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "half-minutes"))*30*time.Second))
	}
	from := m.source(who)
	refusal, confirm := m.ConfirmFactor(a.by, from.Client, code, m.show(t), a.at)
	var got []profile.Secret
	_, err := m.service.Access.ConfirmFactor(t.Context(), a.call, access.ConfirmFactor{Code: code, Client: from.Client},
		shown(&got))
	if a.refused == "" && refusal == "wrong-code" {
		m.Factor(who).Fails(from, code, m.now)
	}
	if outcome(t, "confirm a second factor", err, firstOf(a.refused != "", a.refused, refusal != "", refusal)) {
		var codes []string
		for _, c := range got {
			codes = append(codes, c.Reveal())
		}
		if confirm(codes); len(codes) != RecoveryCodes {
			t.Fatalf("there are %d codes for recovery", len(codes))
		}
	}
}

func (m *machine) removeFactor(t *rapid.T) {
	a, who := m.personal(t)
	password := rapid.SampledFrom([]string{who.Password(), who.Password(), "wrong"}).Draw(t, "password")
	code := m.anyCode(t, who)
	if code == "" {
		code = "no code"
	}
	f := m.Factor(who)
	from := m.source(who)
	refusal, remove := m.RemoveFactor(a.by, from.Client, code, m.show(t), a.at)
	if refusal != "account-blocked" && refusal != "totp-inactive" {
		refusal = firstOf(password != who.Password(), "invalid-credentials", refusal != "", refusal)
	}
	_, err := m.service.Access.RemoveFactor(t.Context(), a.call, access.RemoveFactor{Password: profile.NewSecret(password),
		Code: code, Client: from.Client}, shown(new(struct{})))
	switch {
	case outcome(t, "remove a second factor", err, firstOf(a.refused != "", a.refused, refusal != "", refusal)):
		remove()
	case a.refused == "" && refusal == "invalid-credentials" && password == who.Password():
		f.Fails(from, code, m.now)
	}
}

func (m *machine) resetFactor(t *rapid.T) {
	by, target := m.anyReseller(t, "actor"), m.anyReseller(t, "target")
	a := m.ask(t, by)
	refusal, reset := m.ResetFactor(by, target, a.at)
	var id int64
	if m.effect(t, "reset a second factor", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Access.ResetFactor(ctx, call, target.ID, shown(&id))
		}) {
		reset()
	}
}

func (m *machine) resetStaffsFactor(t *rapid.T) {
	by, p := m.anyPrincipal(t, true)
	a := m.ask(t, by)
	refusal, reset := m.ResetStaffsFactor(by, p, a.at)
	var id int64
	if m.effect(t, "reset staff's second factor", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Principals.ResetFactor(ctx, call, p.ID, shown(&id))
		}) {
		reset()
	}
}

// resetByOperator has an operator remove the second factor of whoever has a name.
func (m *machine) resetByOperator(t *rapid.T) {
	who := rapid.SampledFrom(m.Persons()).Draw(t, "who")
	if who.As != nil && who.As.Removed {
		return
	}
	active := m.Factor(who).Active()
	if outcome(t, "reset a second factor by its name", m.service.Admins.ResetFactor(t.Context(), fixture.Name(who.Name())),
		firstOf(!active, "totp-inactive")) {
		m.OperatorResetsFactor(who, who.Name(), m.now)
	}
}
