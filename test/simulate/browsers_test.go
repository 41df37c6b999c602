package simulate

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"resellerd/domain/session"
	"resellerd/test/model"
)

const sessionPath = "/auth/session"

// browser is a browser with the cookie of a session.
type browser struct {
	id     session.ID
	cookie string // as a browser sends it
}

// sessionFacts are the facts about a sign-in before its answer.
type sessionFacts struct {
	passwords int // of the person who signs in, at the last look
	holder    model.Person
	name      string // of the holder, as it signed in
	begun     *model.Session
	answered  bool // the sign-in has its answer: its client does not wait for later steps
}

func (r *run) begins() bool {
	t := r.attempt()
	return t != nil && t.request.signsIn != "" && t.session.begun == nil
}

// stored takes over the stored changes of principals and sessions. domain/session has the rules of a session's end. The
// year checks only that no session ends except in a sign-in or a sign-out.
func (r *run) stored(all changes) {
	t := r.attempt()
	for _, kept := range all.principals {
		r.keptPrincipal(t, kept)
	}
	for _, c := range all.sessions {
		known := r.world.Sessions[string(c.id)]
		switch {
		case c.added:
			r.begun(t, *c.now)
		case known == nil:
			r.differ("a session that is changed", "that it is there", string(c.id))
		case c.now != nil:
			known.Created, known.Used = c.now.Created, c.now.Used
		case t != nil && t.request.signsIn == "" && !t.request.leaving:
			r.differ(t.String(), "that no session ends", string(c.id))
		default:
			if delete(r.world.Sessions, known.ID); t != nil && t.request.leaving {
				r.world.Ended(known.Of, r.moment(t))
			}
		}
	}
	r.committed()
}

func (r *run) begun(t *attempt, s session.Session) {
	if t == nil || t.request.signsIn == "" || t.decided == nil || t.decided.status != http.StatusCreated ||
		t.session.begun != nil || r.browsers[s.ID] != nil {
		r.differ("a session that begins", "that a sign-in begins one, once", fmt.Sprintf("%+v", s))
		return
	}
	f := &t.session
	want := fmt.Sprintf("of %d, staff %d at %s from %s", f.holder.Of.ID, idOf(f.holder.As), iso(t.now), addressOf(r.current))
	if got := fmt.Sprintf("of %d, staff %d at %s from %s", s.Reseller, s.Staff, iso(s.Created), s.Address); got != want {
		r.differ(t.String(), "a session "+want, got)
	}
	f.begun = &model.Session{ID: string(s.ID), Person: f.holder, Began: f.passwords, Created: t.now, Used: t.now}
	r.world.Sessions[f.begun.ID] = f.begun
	at := r.moment(t)
	at.As = f.holder.As
	r.world.Started(f.holder.Of, f.name, at)
	t.decided.fields["expires_at"], t.decided.fields["ends_at"] = iso(f.begun.ExpiresAt()), iso(f.begun.EndsAt())
	r.tell(r.current.step, "begun: session %s", s.ID)
}

// decideSession decides whether a session may use an operation, before the operation's own rules: refused, or nil.
func (r *run) decideSession(t *attempt) *outcome {
	known := r.world.Sessions[string(t.request.browser.id)]
	switch {
	case known == nil || known.Over(t.now):
		return refused("session-ended")
	// passwords are compared with the request, which is looked at before
	case !known.Valid() && t.request.spoiled != nil && t.request.as == nil:
		return t.request.spoiled
	case !known.Valid():
		return refused("session-ended")
	}
	return r.permitted(t.request)
}

// checkSession compares the effect of an answer on its browser's cookie with the model. It returns the difference, ""
// for none.
func (r *run) checkSession(t *attempt, got answer) string {
	q, set := t.request, got.header.Values("Set-Cookie")
	if q.signsIn != "" && got.status == http.StatusCreated {
		return r.hasSignedIn(t, set)
	}
	out := q.leaving && got.status == http.StatusOK
	cleared := out || q.browser != nil && got.fields["code"] == "session-ended"
	if out && r.world.Sessions[string(q.browser.id)] != nil {
		return "that the session is ended"
	}
	if cleared != (len(set) == 1 && strings.Contains(set[0], "=; ") && strings.Contains(set[0], "Max-Age=0")) {
		return fmt.Sprintf("that the cookie is cleared: %t (%q)", cleared, set)
	}
	return ""
}

// hasSignedIn has a browser store the cookie that it got.
func (r *run) hasSignedIn(t *attempt, set []string) string {
	if len(set) != 1 || t.session.begun == nil {
		return fmt.Sprintf("a session and its cookie (%q)", set)
	}
	cookie, err := http.ParseSetCookie(set[0])
	if err != nil || string(session.IDOf(cookie.Value)) != t.session.begun.ID {
		return fmt.Sprintf("the cookie of session %s (%q, %v)", t.session.begun.ID, set, err)
	}
	b := &browser{id: session.IDOf(cookie.Value), cookie: cookie.Name + "=" + cookie.Value}
	who := t.session.holder
	r.browsers[b.id], r.held[who], r.cookieName = b, append(r.held[who], b), cookie.Name
	return ""
}

func addressOf(a *actor) string {
	host, _, err := net.SplitHostPort(a.address)
	if err != nil {
		panic(err)
	}
	return host
}

// credentials is the body of a sign-in.
func credentials(name, password string) string {
	return spelled(fields{"username": name, "password": password})
}

// lets refuses who does not sign in.
func lets(who model.Person, password string) *outcome {
	switch {
	case who.Of == nil || who.Password() != password:
		return refused("invalid-credentials")
	case who.Of.Frozen():
		return refused("account-blocked")
	}
	return nil
}

// personNamed returns the person with a name for the sign-in, the zero value where none exists.
func (r *run) personNamed(name string) model.Person {
	if p := r.world.StaffNamed(name); p != nil {
		return model.Person{Of: p.Of, As: p}
	}
	return model.Person{Of: r.world.ResellerNamed(name)}
}

// someoneOf returns an account, or a member of its staff.
func (c *choice) someoneOf(by *model.Reseller) model.Person {
	if staff := c.world.PrincipalsOf(by, true); len(staff) > 0 && c.n(2) == 0 {
		return model.Person{Of: by, As: pick(c.a.random, staff)}
	}
	return model.Person{Of: by}
}

// signInOf returns the sign-in by a name, in a browser that may have a session.
func (r *run) signInOf(a *actor, name, password string, with *browser) *request {
	q := &request{login: true, signsIn: name, method: http.MethodPost, path: sessionPath,
		body: credentials(name, password), browser: with}
	q.decide = func(model.Moment) *outcome {
		holder := r.personNamed(name)
		if not := lets(holder, password); not != nil {
			return not
		}
		f := &a.attempt.session
		f.holder, f.name, f.passwords = holder, holder.Name(), holder.Passwords()
		return &outcome{status: http.StatusCreated, fields: whoIs(holder)}
	}
	return q
}

func whoIs(who model.Person) fields {
	a := who.Of
	return fields{"id": a.ID, "username": a.Name, "is_admin": bit(a.Admin), "is_master": bit(a.Master), "totp": false}
}

func idOf(p *model.Principal) int64 {
	if p == nil {
		return 0
	}
	return p.ID
}

// byBrowser gives a request the cookie of a session: mostly of a valid one, now and then of any earlier one, and of a
// new one where the account has no session. It reports false where the account can't get one.
func (r *run) byBrowser(a *actor, q *request) bool {
	who := q.person()
	good := slices.Clone(r.held[who])
	if a.random.IntN(12) > 0 {
		good = slices.DeleteFunc(good, func(b *browser) bool {
			s := r.world.Sessions[string(b.id)]
			return s == nil || s.Over(r.now()) || !s.Valid()
		})
	}
	if len(good) == 0 {
		if who.As != nil && who.As.Removed {
			return false
		}
		tries, before := a.tries, len(r.held[who])
		got := r.insist(a, r.signInOf(a, who.Name(), who.Password(), nil))
		a.tries = tries
		if good = r.held[who][before:]; got.status != http.StatusCreated || r.difference != nil || len(good) == 0 {
			return false
		}
	}
	q.browser = pick(a.random, good)
	r.misuse(a, q)
	return true
}

// misuse has a request with a session, now and then, be refused for a wrong header.
func (r *run) misuse(a *actor, q *request) {
	ways := []struct{ header, value, code string }{
		{"Sec-Fetch-Site", "cross-site", "cross-origin"},
		{"Origin", "https://elsewhere.example", "cross-origin"},
		{"Authorization", "Bearer nonsense", "two-credentials"},
		{"Cookie", r.cookieName + "=another", "session-ended"}, // no session is identified
	}
	q.headers = nil
	if n := a.random.IntN(60); q.early == nil && n < len(ways) {
		q.headers, q.early = [][2]string{{ways[n].header, ways[n].value}}, refused(ways[n].code)
	}
}

// viaBrowser makes a request for an operation on sessions, which takes no token.
func (c *choice) viaBrowser(decide func(q *request) *outcome) *request {
	by := c.someone()
	q := c.request(by, sessionPath, nil, nil)
	q.decide = func(model.Moment) *outcome { return decide(c.a.attempt.request) }
	if q.bySession = true; c.n(40) == 0 {
		q.noToken, q.token, q.early = true, c.tokens[by], refused("missing-session")
	}
	return q
}

func (c *choice) signIn() *request {
	who, with := c.someoneOf(c.someone()), (*browser)(nil)
	if held := c.held[who]; len(held) > 0 && c.n(3) == 0 {
		with = pick(c.a.random, held)
	}
	switch c.n(24) {
	case 0:
		return c.signInOf(c.a, "nobody-"+c.a.step.String()[5:], "password", with)
	case 1:
		return c.signInOf(c.a, who.Name(), "wrong password", with)
	}
	return c.signInOf(c.a, who.Name(), who.Password(), with)
}

func (c *choice) currentSession() *request {
	return c.viaBrowser(func(q *request) *outcome {
		return &outcome{status: http.StatusOK, fields: whoIs(q.person())}
	})
}

func (c *choice) signOut() *request {
	q := c.viaBrowser(func(*request) *outcome { return &outcome{status: http.StatusOK, fields: fields{"status": 200}} })
	q.leaving = true
	return q
}
