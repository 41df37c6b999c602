package model

import (
	"cmp"
	"context"
	"errors"

	"pgregory.net/rapid"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/principal"
	"resellerd/domain/reseller"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// reasons are why something is blocked or suspended.
var reasons = []string{"", "unpaid", "asked for"}

// block blocks an account on terms, which may stand on others already, or lifts its block.
func (m *machine) block(t *rapid.T) {
	by, target := m.anyReseller(t, "actor"), m.anyReseller(t, "target")
	var to *Terms
	if rapid.IntRange(0, 2).Draw(t, "on") == 0 {
		to = &Terms{Suspends: rapid.Bool().Draw(t, "suspends"), Reason: rapid.SampledFrom(reasons).Draw(t, "reason")}
	}
	a := m.ask(t, by)
	refusal, block := m.Block(by, target, to, a.at)
	var got resellers.Reseller
	if !m.effect(t, "block", a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		if to == nil {
			return m.service.Resellers.Unblock(ctx, call, target.ID, shown(&got))
		}
		return m.service.Resellers.Block(ctx, call, resellers.Block{
			ID: target.ID, Terms: reseller.Terms{Suspends: to.Suspends, Reason: fixture.Text(to.Reason)},
		}, shown(&got))
	}) {
		return
	}
	block()
	m.isBlocked(t, got, target)
}

// isBlocked compares the block of an account, and whether there is one above it.
func (m *machine) isBlocked(t *rapid.T, got resellers.Reseller, r *Reseller) {
	s := got.State()
	is := Block{Terms{s.Block.Suspends, s.Block.Reason.String()}, s.Block.At}
	if s.Blocked != r.Blocked || got.BlockedAbove != (r.Parent != nil && r.Parent.Frozen()) || is.Terms != r.Block.Terms ||
		!is.At.Equal(r.Block.At) {
		t.Fatalf("account %d: blocked %t, above it %t, %+v, and the model says %t in %t, %+v", r.ID, s.Blocked,
			got.BlockedAbove, is, r.Blocked, r.Frozen(), r.Block)
	}
}

func (m *machine) suspend(t *rapid.T) {
	by, l := m.anyReseller(t, "actor"), m.anyLine(t)
	reason := rapid.SampledFrom(reasons).Draw(t, "reason")
	a := m.ask(t, by)
	refusal, suspend := m.Suspend(by, l, reason, a.at)
	m.suspension(t, "suspend", a, l, refusal, suspend,
		func(ctx context.Context, call application.Call,
			render application.Render[lines.Line]) (application.Receipt, error) {
			return m.service.Lines.Suspend(ctx, call, lines.Suspend{ID: l.ID, Reason: fixture.Text(reason)}, render)
		})
}

func (m *machine) resume(t *rapid.T) {
	by, l := m.anyReseller(t, "actor"), m.anyLine(t)
	a := m.ask(t, by)
	refusal, resume := m.Resume(by, l, a.at)
	m.suspension(t, "resume", a, l, refusal, resume,
		func(ctx context.Context, call application.Call,
			render application.Render[lines.Line]) (application.Receipt, error) {
			return m.service.Lines.Resume(ctx, call, l.ID, render)
		})
}

func (m *machine) suspension(
	t *rapid.T, doing string, a asked, l *Line, refusal string, does func(),
	use func(context.Context, application.Call, application.Render[lines.Line]) (application.Receipt, error),
) {
	var got lines.Line
	if !m.effect(t, doing, a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return use(ctx, call, shown(&got))
	}) {
		return
	}
	does()
	m.isLine(t, doing, a.at, got, l)
}

// isLine compares what an answer says of a line's password, of its suspension, and of what it amounts to.
func (m *machine) isLine(t *rapid.T, doing string, at Moment, got lines.Line, l *Line) {
	s := got.State()
	is := Suspension{s.Suspended, s.Reason.String()}
	if effect := string(got.Effect()); is != l.Suspension || effect != l.Effective(m.now) || s.Version != l.Version ||
		got.Password.Reveal() != at.sees(l.Password) {
		t.Fatalf("%s: answered %+v of version %d, %s, and the model says %+v of version %d, %s", doing, is, s.Version, effect,
			l.Suspension, l.Version, l.Effective(m.now))
	}
}

// serving returns who asks, on behalf of an account, for what those need who serve customers, and the refusal that this
// ends in, "" for none. It reports false where there is nothing more to ask.
func (m *machine) serving(t *rapid.T, of *Reseller) (call application.Call, at Moment, refused string, permitted bool) {
	caller, as, refused := m.asks(t, of)
	for _, p := range m.PrincipalsOf(of, false) {
		if of.Frozen() && p.ServesCustomers() && rapid.Bool().Draw(t, "by a key that is told all the same") {
			caller, refused = m.byKey(t, p)
			if as = p; refused != "" {
				return call, at, refused, false
			}
		}
	}
	if as != nil {
		refused = cmp.Or(refused, firstOf(!as.Has("entitlements:read"), "insufficient-scope"))
		if !outcome(t, "permit to serve", m.service.Authentication.Permit(t.Context(), caller, principal.EntitlementsRead),
			refused) {
			return call, at, refused, false
		}
	}
	at = Moment{Now: m.now, As: as}
	return application.Call{Caller: caller}, at, cmp.Or(refused, at.NotServed(of)), true
}

// letIn has somebody ask whether a customer is to be let in.
func (m *machine) letIn(t *rapid.T) {
	by, name := m.anyReseller(t, "actor"), "nobody"
	if l := m.anyLine(t); rapid.IntRange(0, 9).Draw(t, "known") > 0 {
		name = l.Name
	}
	call, at, refused, permitted := m.serving(t, by)
	if !permitted {
		return
	}
	refusal, l := m.LetIn(by, name, Moment{Now: m.now})
	if by.Frozen() && refused == "" { // who asks is told all the same
		key := &Principal{Rights: Rights{Scopes: []string{"entitlements:read"}}}
		refusal, l = m.LetIn(by, name, Moment{Now: m.now, As: key})
	}
	got, err := m.service.Lines.AuthorizeCustomer(t.Context(), call, fixture.Name(name))
	if outcome(t, "let in", err, cmp.Or(refused, refusal)) {
		if at.SeesServed() {
			at = Moment{}
		}
		m.isLine(t, "let in", at, got, l)
		return
	}
	if not, is := errors.AsType[*lines.NotServed](err); is && string(not.Effect) != l.Effective(m.now) {
		t.Fatalf("let in: refused as %s, and the model says %s", not.Effect, l.Effective(m.now))
	}
}

// serve makes a key that may read entitlements, and nothing else.
func (m *machine) serve(t *rapid.T) {
	m.createPrincipal(t, NewPrincipal{Name: "a key", Rights: Rights{Scopes: []string{"entitlements:read"}}})
}

// people makes a tree of some accounts, which have lines, each with a key by which somebody may follow.
func (m *machine) people(t *rapid.T) {
	for range 12 {
		if len(m.Resellers) < 5 {
			m.create(t)
		}
	}
	for range 4 {
		m.trial(t)
		m.serve(t)
		m.follow(t)
	}
}

// limits of a page of entitlements.
var limits = []int{1, 2, 3, 5, 5000}

// follow has somebody who follows entitlements take some pages, or all that there are.
func (m *machine) follow(t *rapid.T) {
	var f *Follower
	if len(m.followers) < 2 || len(m.followers) < 5 && rapid.IntRange(0, 9).Draw(t, "another") == 0 {
		f = &Follower{Of: m.anyReseller(t, "of")}
		m.followers = append(m.followers, f)
	} else {
		f = rapid.SampledFrom(m.followers).Draw(t, "follower")
	}
	pages, all := rapid.IntRange(1, 4).Draw(t, "pages"), rapid.IntRange(0, 2).Draw(t, "all") == 0
	if all || f.Epoch != m.Epoch {
		m.numbered(t)
	}
	for taken := 0; all || taken < pages; taken++ {
		call, at, refused, permitted := m.serving(t, f.Of)
		if !permitted {
			return
		}
		answered, more := m.takePage(t, f, call, at, refused, taken < pages)
		if !answered {
			return
		}
		if all && !more && taken >= pages {
			m.isTold(t, f)
			return
		}
	}
}

// takePage has a follower ask for one more page, and apply it. A careless one may forget how far it is. It reports
// whether it was answered, and whether there was more.
func (m *machine) takePage(t *rapid.T, f *Follower, call application.Call, at Moment, refused string,
	careless bool) (answered, more bool) {
	command := lines.ListEntitlements{Limit: rapid.SampledFrom(limits).Draw(t, "limit")}
	if f.Cursor != "" {
		after, err := lines.ParseEntitlementCursor(f.Cursor)
		require.NoError(t, err)
		command.After = &after
	}
	page, err := m.service.Lines.ListEntitlements(t.Context(), call, command)
	refused = cmp.Or(refused, firstOf(f.Cursor != "" && f.Epoch != m.Epoch, "cursor-unknown"))
	if !outcome(t, "list entitlements", err, refused) {
		unknown, is := errors.AsType[*application.CursorUnknown](err)
		if is {
			f.StartOver(unknown.Restart, m.Epoch)
		}
		return is, true
	}
	var all []Entitlement
	for _, e := range page.Items {
		all = append(all, entitlement(e))
	}
	if len(all) > command.Limit || page.Next == nil || len(page.Damaged) > 0 {
		t.Fatalf("a page of %d at most has %d, the cursor %q, and damaged lines %d", command.Limit, len(all), page.Next,
			page.Damaged)
	}
	told := m.Told(f.Of)
	all, amiss := told.Opened(all, at.SeesServed())
	if amiss = cmp.Or(amiss, told.PageAmiss(all)); amiss != "" {
		t.Fatalf("the follower of account %d is told %v, and should be told %s", f.Of.ID, all, amiss)
	}
	next, more := page.Next, page.More
	if n := len(all); n > 1 && rapid.IntRange(0, 5).Draw(t, "cut") == 0 { // as the API does with what is too long
		left := rapid.IntRange(1, n-1).Draw(t, "left")
		all, next, more = all[:left], new(page.After(page.Items[left-1])), true
	}
	if f.Apply(all); careless && rapid.IntRange(0, 4).Draw(t, "forgets") == 0 {
		return true, true
	}
	f.Cursor, f.Epoch = next.String(), m.Epoch
	return true, more
}

func entitlement(e lines.Entitlement) Entitlement {
	if e.Deleted {
		return Entitlement{Line: e.Line, Version: e.Version, Deleted: true}
	}
	return Entitlement{
		Line: e.Line, Version: e.Version, Name: e.Username, Password: e.Password.Reveal(), Enabled: e.Enabled,
		Expires: iso(e.ExpiresAt), ExternalID: e.ExternalID, Metadata: Metadata(e.Metadata.All()),
	}
}

func (m *machine) isTold(t *rapid.T, f *Follower) {
	if amiss := m.Told(f.Of).Amiss(f); amiss != "" {
		t.Fatalf("a follower that was told of everything differs:\n%s", amiss)
	}
}

// followed has all who follow be told of everything, and compares what they have. Blocks are lifted for those who could
// not ask.
func (m *machine) followed(t *rapid.T) {
	for _, r := range m.Resellers {
		if r.Blocked && rapid.Bool().Draw(t, "suspends to the end") {
			check(t, m.service.Admins.SetBlocked(t.Context(), fixture.Name(r.Name), false))
			m.OperatorBlocks(r, false, m.now)
		}
	}
	m.numbered(t)
	for _, f := range m.followers {
		for more := true; more && !f.Of.Frozen(); {
			_, more = m.takePage(t, f, application.Call{Caller: m.tokens[f.Of]}, Moment{}, "", false)
		}
		if !f.Of.Frozen() {
			m.isTold(t, f)
		}
	}
}
