package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/domain/profile"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/fixture"
)

// modelSession is a session with what a browser holds of it.
type modelSession struct {
	*Session
	secret string
}

func (s *modelSession) id() session.ID { return session.ID(s.ID) }

// forgottenBy is how many sessions are forgotten at a time.
const forgottenBy = 5

// there reports whether the store should have it.
func (m *machine) there(s *modelSession) bool {
	return slices.Contains(m.SessionsOf(s.Person), s.Session)
}

// left are the sessions that a reseller should have, the newest first.
func (m *machine) left(of Person) (all []*modelSession) {
	for _, s := range m.SessionsOf(of) {
		i := slices.IndexFunc(m.begun, func(begun *modelSession) bool { return begun.Session == s })
		all = append(all, m.begun[i])
	}
	return all
}

// authenticate has a browser ask, and says what the model makes of it: "" where it is let in, if its password is still
// the reseller's.
func (m *machine) authenticate(t *rapid.T, s *modelSession) (application.Caller, string) {
	caller, err := m.service.Authentication.AuthenticateSession(t.Context(), s.secret)
	refused := firstOf(!m.there(s) || s.Over(m.now), "session-ended")
	if gone := s.As != nil && s.As.Removed; outcome(t, "authenticate", err, refused) && s.UseIsKept(m.now) && !gone {
		s.Use(m.now)
	}
	return caller, refused
}

// asks returns who asks on behalf of a reseller, by its token or by one of its sessions, or a principal of its, and the
// refusal that this ends in, "" for none.
func (m *machine) asks(t *rapid.T, by *Reseller) (caller application.Caller, as *Principal, refused string) {
	who := Person{Of: by}
	if all := slices.DeleteFunc(slices.Clone(m.Principals), func(p *Principal) bool { return p.Of != by }); len(all) > 0 &&
		rapid.Bool().Draw(t, "by a principal") {
		if who.As = rapid.SampledFrom(all).Draw(t, "principal"); !who.As.Staff {
			if caller, refused = m.byKey(t, who.As); refused == "" {
				return caller, who.As, ""
			}
			who.As = nil
		}
	}
	if left := m.left(who); len(left) > 0 && rapid.Bool().Draw(t, "by session") {
		s := rapid.SampledFrom(left).Draw(t, "session")
		if caller, refused = m.authenticate(t, s); refused == "" {
			refused = firstOf(!s.Good(), "session-ended")
			if s.As != nil {
				outcome(t, "permit", m.service.Authentication.Permit(t.Context(), caller, ""), refused)
			}
			return caller, s.As, refused
		}
	}
	return m.tokens[by], nil, ""
}

// anySession returns a session that the store has, or had.
func (m *machine) anySession(t *rapid.T) *modelSession {
	if len(m.begun) == 0 {
		t.Skip("no session yet")
	}
	return rapid.SampledFrom(m.begun).Draw(t, "session")
}

// signIn begins sessions, one after the other in one browser or each in another.
func (m *machine) signIn(t *rapid.T) {
	by := rapid.SampledFrom(m.Persons()).Draw(t, "who")
	name := by.Name()
	if by.As != nil && by.As.Removed { // nobody has its name, or somebody else
		m.refusedSignIn(t, name)
		return
	}
	var previous *modelSession
	if len(m.begun) > 0 && rapid.Bool().Draw(t, "again") {
		previous = m.anySession(t)
	}
	browsers := rapid.IntRange(0, 3).Draw(t, "browsers")
	if browsers == 0 {
		browsers = MostSessions + 1
	}
	for range browsers {
		code := m.anyCode(t, by)
		command := access.SignIn{
			Login: access.Login{Username: fixture.Name(name), Password: profile.NewSecret(by.Password()), Code: code,
				Client: fmt.Sprint(m.fresh())},
			Device: "a browser", Request: "sign-in", Address: client,
		}
		if previous != nil {
			command.Previous = previous.secret
		}
		begun, secret, err := m.service.Access.SignIn(t.Context(), command)
		f := m.Factor(by)
		if !outcome(t, "sign in", err,
			cmp.Or(firstOf(by.Of.Frozen(), "account-blocked"), f.Refuses(m.source(by), code, m.show(t), m.now))) {
			m.fails(by, code, t)
			return
		}
		if f.Active() {
			f.Use(code, m.show(t), m.now)
		}
		if previous != nil {
			m.End(previous.Session)
			previous = nil
		}
		s := &Session{ID: string(begun.ID), Person: by, Began: by.Passwords(), Created: m.now, Used: m.now}
		m.begun = append(m.begun, &modelSession{s, secret.Reveal()})
		m.Begin(s)
		m.Started(by.Of, name, Moment{Now: m.now, Request: "sign-in", Address: client, As: by.As})
	}
}

func (m *machine) signOut(t *rapid.T) {
	s := m.anySession(t)
	caller, refused := m.authenticate(t, s)
	if refused != "" {
		return
	}
	err := m.service.Access.SignOut(t.Context(), application.Call{Caller: caller, Request: "sign-out", Address: client})
	if outcome(t, "sign out", err, firstOf(!s.Good(), "session-ended")) {
		m.End(s.Session)
		m.Ended(s.Of, Moment{Now: m.now, Request: "sign-out", Address: client, As: s.As})
	}
}

// endSession ends a session in a browser, which is its own or any other.
func (m *machine) endSession(t *rapid.T) {
	by, target := m.anySession(t), m.anySession(t)
	caller, refused := m.authenticate(t, by)
	if refused != "" {
		return
	}
	err := m.service.Access.EndSession(t.Context(), application.Call{Caller: caller, Request: "end", Address: client},
		target.id())
	if outcome(t, "end session", err, firstOf(
		!by.Good(), "session-ended",
		by.Of.Frozen(), "account-blocked",
		target.Of != by.Of || by.As != nil && target.As != by.As || !m.there(target), "not-found",
	)) {
		m.End(target.Session)
		m.Ended(by.Of, Moment{Now: m.now, Request: "end", Address: client, As: by.As})
	}
}

func (m *machine) listSessions(t *rapid.T) {
	by := m.anySession(t)
	caller, refused := m.authenticate(t, by)
	if refused != "" {
		return
	}
	listed, err := m.service.Access.Sessions(t.Context(), application.Call{Caller: caller})
	if !outcome(t, "list sessions", err, firstOf(!by.Good(), "session-ended", by.Of.Frozen(), "account-blocked")) {
		return
	}
	var got, want []session.ID
	for _, s := range listed {
		got = append(got, s.ID)
	}
	for _, who := range m.Listed(by.Person) {
		for _, s := range m.SessionsOf(who) {
			if !s.Over(m.now) && s.Good() {
				want = append(want, session.ID(s.ID))
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("sessions: got %v, and the model says %v", got, want)
	}
}

// forget removes sessions that are over, some of them at a time.
func (m *machine) forget(t *rapid.T) {
	over := len(m.SessionsOver(m.now))
	for over > 0 {
		n, err := m.service.Access.ForgetSessions(t.Context(), forgottenBy)
		check(t, err)
		if n != min(over, forgottenBy) {
			t.Fatalf("forgot %d of %d sessions that are over", n, over)
		}
		over -= n
	}
	n, err := m.service.Access.ForgetSessions(t.Context(), forgottenBy)
	if check(t, err); n != 0 {
		t.Fatalf("forgot %d sessions, none of which is over", n)
	}
	for _, s := range m.SessionsOver(m.now) {
		m.End(s)
	}
}

// ended expects that no session is good any more that began with another password than the reseller's.
func (m *machine) ended(t *rapid.T, of Person) {
	for _, s := range m.left(of) {
		if s.Good() {
			continue
		}
		caller, refused := m.authenticate(t, s)
		if refused == "" {
			_, err := m.service.Resellers.Self(t.Context(), application.Call{Caller: caller})
			outcome(t, "ask after a change of the password", err, "session-ended")
		}
	}
}

// keeps compares what the store has of a reseller's sessions with the model.
func (m *machine) keeps(t *rapid.T, a Person) {
	holder := a.Of.ID
	if a.As != nil {
		holder = -a.As.ID
	}
	var kept []session.Session
	check(t, m.kept.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
		page, err := ports.SessionsByHolder.List(ctx, s.Records, record.Query{Equal: record.Tuple{holder}, Descending: true,
			Limit: 100})
		kept = page.Items
		return err
	}))
	var got, want []string
	for _, s := range kept {
		got = append(got, described(s.ID, int64(s.Of()), s.Created, s.Used))
	}
	for _, s := range m.left(a) {
		want = append(want, described(session.IDOf(s.secret), holder, s.Created, s.Used))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s has the sessions %q, and the model says %q", a.Name(), got, want)
	}
}

func described(id session.ID, of int64, created, used time.Time) string {
	return fmt.Sprintf("%s of %d, begun %s, used %s", id, of, created.Format(time.RFC3339Nano),
		used.Format(time.RFC3339Nano))
}
