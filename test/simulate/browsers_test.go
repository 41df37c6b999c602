package simulate

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"resellerd/domain/principal"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/test/model"
)

const (
	sessionPath  = "/auth/session"
	sessionsPath = "/auth/sessions"
)

// browser is what holds the cookie of a session.
type browser struct {
	of      model.Person
	id      session.ID
	secret  string
	cookie  string // as it is sent
	device  string
	address string
}

// sessionFacts are what becomes of a request by a session, or of a sign-in, before its answer.
type sessionFacts struct {
	found     *model.Session // as the look-up found it, and as its use was kept: nil where it is good for nothing
	passwords int            // of who asks or signs in, at the last look
	holder    model.Person
	name      string // of the holder, as it signed in
	begun     *model.Session
	crowded   []*model.Session // that are beyond the newest, as the service last looked for them
	told      bool             // who signs in is: what fails from then on nobody has to wait for
	ended     bool             // somebody asked to end one
}

// Why a session is refused, and what else few years may lack: a campaign has to meet each.
const (
	metIdle      = "a session has ended: not used for 12 hours"
	metLongest   = "a session has ended: 7 days old"
	metSignedOut = "a session has ended: signed out"
	metEnded     = "a session has ended: by another one of the account"
	metReplaced  = "a session has ended: signed in again"
	metCrowded   = "a session has ended: 20 newer ones"
	metForgotten = "a session has ended: and was removed"
	metPassword  = "a session has ended: another password"
	metUnknown   = "a session has ended: and never was"
	metStale     = "a session that was ended between its look-up and the operation"
)

var met = append(
	slices.Concat(metEntries(), metBeside, metPrincipals, []string{metTold, metBegun}),
	metIdle, metLongest, metSignedOut, metEnded, metReplaced, metCrowded, metForgotten, metPassword, metUnknown, metStale,
)

// over says why a session is over, by its times.
func over(s *model.Session, now time.Time) string {
	if !now.Before(s.EndsAt()) {
		return metLongest
	}
	return metIdle
}

// drop takes a session out of the world.
func (r *run) drop(s *model.Session, why string) {
	r.world.End(s)
	r.gone[session.ID(s.ID)] = why
}

func (r *run) begins() bool {
	t := r.attempt()
	if t == nil {
		return false
	}
	return t.request.signsIn != "" && t.session.begun == nil
}

func (r *run) changed(all changes) {
	t := r.attempt()
	for _, kept := range all.kept {
		switch v := kept.(type) {
		case *principal.Principal:
			r.keptPrincipal(t, v)
		case *secondfactor.Factor:
			r.keptFactor(t, v)
		}
	}
	for _, c := range all.sessions {
		known := r.world.Session(string(c.id))
		switch {
		case c.added:
			r.begun(t, *c.now)
		case known == nil:
			r.differ("a session that is changed", "that it is there", string(c.id))
		case c.now != nil:
			r.world.Date(known, c.now.Created, c.now.Used)
			if t != nil && t.session.found != nil && t.session.found.ID == known.ID {
				t.session.found.Used = c.now.Used
			}
		default:
			why := r.why(t, known)
			if why == "" {
				r.differ("a session that ends", "that it is over, or ended by who may", string(c.id))
			}
			r.drop(known, why)
			if why == metSignedOut || why == metEnded {
				r.world.Ended(known.Of, r.moment(t))
			}
		}
	}
}

// crowds keeps which sessions are one too many, as the service sees them that looks for them after a sign-in.
func (r *run) crowds(t *attempt) {
	if t.session.begun != nil {
		all := r.world.SessionsOf(t.session.begun.Person)
		t.session.crowded = slices.Clone(all[min(model.MostSessions, len(all)):])
	}
}

// why says why a session ends now, "" where nothing allows it.
func (r *run) why(t *attempt, s *model.Session) string {
	if t == nil {
		if a := r.current; a != nil && s.Over(a.sweeps) { // by a clock that may be wrong
			return metForgotten
		}
		return ""
	}
	q, id := t.request, session.ID(s.ID)
	switch {
	case q.signsIn != "" && q.browser != nil && q.browser.id == id:
		return metReplaced
	case slices.Contains(t.session.crowded, s): // however many are left by now
		return metCrowded
	case q.leaving && q.browser.id == id:
		t.session.ended = true
		return metSignedOut
	case q.ends == id && s.Of == q.by && (q.as == nil || s.As == q.as):
		t.session.ended = true
		return metEnded
	}
	return ""
}

func (r *run) begun(t *attempt, s session.Session) {
	if t == nil || t.request.signsIn == "" || t.decided == nil || t.decided.status != http.StatusCreated ||
		t.session.begun != nil {
		r.differ("a session that begins", "that a sign-in begins one, once", fmt.Sprintf("%+v", s))
		return
	}
	f := &t.session
	if b := t.request.browser; b != nil && r.world.Session(string(b.id)) != nil {
		r.differ(t.String(), "that the session ends that the browser had", string(b.id))
	}
	want := fmt.Sprintf("of %d, staff %d at %s, used at %s, by %s from %s", f.holder.Of.ID, idOf(f.holder.As), iso(t.now),
		iso(t.now), t.request.device, addressOf(r.current))
	if got := fmt.Sprintf("of %d, staff %d at %s, used at %s, by %s from %s", s.Reseller, s.Staff, iso(s.Created),
		iso(s.Used), s.Device, s.Address); got != want {
		r.differ(t.String(), "a session "+want, got)
	}
	if r.world.Session(string(s.ID)) != nil || r.gone[s.ID] != "" {
		r.differ(t.String(), "a session that nobody had before", string(s.ID))
	}
	f.begun = &model.Session{ID: string(s.ID), Person: f.holder, Began: f.passwords, Created: t.now, Used: t.now}
	r.world.Add(f.begun)
	at := r.moment(t)
	at.As = f.holder.As
	r.world.Started(f.holder.Of, f.name, at)
	t.decided.fields["expires_at"], t.decided.fields["ends_at"] = iso(f.begun.ExpiresAt()), iso(f.begun.EndsAt())
	r.tell(r.current.step, "begun: session %s", s.ID)
}

// decideSession is what comes before the rules of an operation that is asked for by a session: refused, or nil.
func (r *run) decideSession(t *attempt) *outcome {
	t.session.passwords = t.request.person().Passwords()
	known := r.world.Session(string(t.request.browser.id))
	switch {
	case known == nil:
		why := cmp.Or(r.gone[t.request.browser.id], metUnknown)
		if t.session.found != nil {
			why = metStale
		}
		r.seen[why]++
	case known.Over(t.now):
		r.seen[over(known, t.now)]++
	// passwords are compared with the request, which is looked at before
	case !known.Good() && t.request.spoiled != nil && t.request.as == nil:
		return t.request.spoiled
	case !known.Good():
		r.seen[metPassword]++
	default:
		found := *known
		t.session.found = &found
		return r.permitted(t.request)
	}
	return refused("session-ended")
}

// checkSession holds what an answer does to the cookie of its browser against the model, and what the service should
// have asked of the sessions before. It returns what is wrong, "" for nothing.
func (r *run) checkSession(t *attempt, got answer) string {
	q, f := t.request, &t.session
	set, cleared := got.header.Values("Set-Cookie"), false
	switch {
	case q.signsIn != "" && got.status == http.StatusCreated:
		return r.hasSignedIn(t, set)
	case q.browser == nil:
	case got.fields["code"] == "session-ended":
		cleared = true
	case q.leaving && got.status == http.StatusOK, q.ends != "" && got.status == http.StatusOK && q.ends == q.browser.id:
		cleared = true
	}
	if (q.leaving || q.ends != "") && got.status == http.StatusOK && !f.ended {
		return "that the session is ended"
	}
	if !cleared && len(set) > 0 || cleared &&
		(len(set) != 1 || !strings.Contains(set[0], "=; ") || !strings.Contains(set[0], "Max-Age=0")) {
		return fmt.Sprintf("that the cookie is cleared: %t (%q)", cleared, set)
	}
	return ""
}

// hasSignedIn has a browser keep the cookie that it got.
func (r *run) hasSignedIn(t *attempt, set []string) string {
	if len(set) != 1 || t.session.begun == nil {
		return fmt.Sprintf("a session and its cookie (%q)", set)
	}
	cookie, err := http.ParseSetCookie(set[0])
	if err != nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode ||
		cookie.MaxAge != int(model.SessionLongest.Seconds()) {
		return fmt.Sprintf("a cookie that lasts for a session (%q, %v)", set, err)
	}
	id := session.IDOf(cookie.Value)
	if string(id) != t.session.begun.ID {
		return "the cookie of session " + t.session.begun.ID
	}
	b := &browser{of: t.session.holder, id: id, secret: cookie.Value, cookie: cookie.Name + "=" + cookie.Value,
		device: t.request.device, address: addressOf(r.current)}
	r.browsers[id] = b
	r.held[b.of] = append(r.held[b.of], b)
	r.cookieName = cookie.Name
	return ""
}

func addressOf(a *actor) string {
	host, _, err := net.SplitHostPort(a.address)
	if err != nil {
		panic(err)
	}
	return host
}

// signInOf returns the sign-in of an account, nil for one that is not there, in a browser that may have a session.
func (r *run) signInOf(a *actor, who model.Person, password, code string, with *browser) *request {
	name := "nobody-" + a.step.String()[5:]
	if who.Of != nil {
		name = who.Name()
	}
	q := &request{
		login: true, signsIn: name, method: http.MethodPost, path: sessionPath, body: credentials(name, password, code),
		browser: with,
		device:  fmt.Sprintf("browser of %s", a.step),
	}
	q.decide = func(model.Moment) *outcome {
		holder := r.personNamed(name)
		if not := r.lets(a.attempt, holder, password, code); not != nil {
			return not
		}
		f := &a.attempt.session
		f.holder, f.name, f.passwords = holder, holder.Name(), holder.Passwords()
		return &outcome{status: http.StatusCreated, fields: r.whoIs(holder)}
	}
	return q
}

func (r *run) whoIs(who model.Person) fields {
	a := who.Of
	f := fields{"id": a.ID, "username": a.Name, "is_admin": bit(a.Admin), "is_master": bit(a.Master), "language": "en",
		"totp": r.world.Factor(who).Active()}
	if p := who.As; p != nil {
		want := fields{"id": p.ID, "username": p.Name, "role": nullable(p.Role), "scopes": texts(p.Shown())}
		f["staff"] = matcher(func(got any) string {
			is, _ := got.(fields)
			return compare(want, is)
		})
	}
	return f
}

func idOf(p *model.Principal) int64 {
	if p == nil {
		return 0
	}
	return p.ID
}

// byBrowser gives a request the cookie of a session: mostly of one that should be good, now and then of any that ever
// was, or one that is none; a new one where the account has none. It reports false where there is none to be had.
func (r *run) byBrowser(a *actor, q *request) bool {
	who := q.person()
	all := r.held[who]
	switch n := a.random.IntN(12); {
	case n == 0 && len(all) > 0:
		q.browser = pick(a.random, all)
	case n == 1 && r.cookieName != "":
		secret := strings.Repeat("A", 42) + string(alphabet[a.random.IntN(len(alphabet))])
		q.browser = &browser{of: who, id: session.IDOf(secret), secret: secret, cookie: r.cookieName + "=" + secret}
	default:
		good := slices.DeleteFunc(slices.Clone(all), func(b *browser) bool {
			s := r.world.Session(string(b.id))
			return s == nil || s.Over(r.now()) || !s.Good()
		})
		if len(good) > 0 {
			q.browser = pick(a.random, good)
			break
		}
		if who.As != nil && who.As.Removed {
			return false
		}
		tries, before := a.tries, len(all)
		got := r.insist(a, r.signInOf(a, who, who.Password(), r.goodCode(who), nil))
		a.tries = tries
		if got.status != http.StatusCreated || r.difference != nil || len(r.held[who]) == before {
			return false
		}
		q.browser = r.held[who][len(r.held[who])-1]
	}
	r.misuse(a, q)
	return true
}

// misuse has a request by a session, now and then, be one that is refused for how it came.
func (r *run) misuse(a *actor, q *request) {
	q.headers = nil
	switch n := a.random.IntN(60); {
	case q.early != nil:
	case n == 0:
		q.headers, q.early = [][2]string{{"Sec-Fetch-Site", "cross-site"}}, refused("cross-origin")
	case n == 1:
		q.headers, q.early = [][2]string{{"Origin", "https://elsewhere.example"}}, refused("cross-origin")
	case n == 2:
		q.headers, q.early = [][2]string{{"Authorization", "Bearer nonsense"}}, refused("two-credentials")
	case n == 3 && r.tokens[q.by] != nil:
		q.headers, q.early = [][2]string{{"Authorization", "Bearer " + r.tokens[q.by].text}}, refused("two-credentials")
	case n == 4: // nobody can tell whose they are
		q.headers, q.early = [][2]string{{"Cookie", r.cookieName + "=another"}}, refused("session-ended")
	case n < 10:
		q.headers = [][2]string{{"Sec-Fetch-Site", "same-origin"}}
	case n < 14:
		q.headers = [][2]string{{"Origin", "https://simulated"}}
	}
}

// viaBrowser makes a request for an operation on sessions, which no token is good for.
func (c *choice) viaBrowser(by *model.Reseller, path string, decide func(at model.Moment) *outcome) *request {
	q := c.request(by, path, nil, decide)
	q.bySession = true
	if c.n(40) == 0 {
		q.noToken, q.token, q.early = true, c.tokens[by], refused("missing-session")
	}
	return q
}

func (c *choice) signIn() *request {
	who := c.someoneOf(c.someone())
	if c.n(4) == 0 {
		who = c.factored()
	}
	with := (*browser)(nil)
	switch held := c.held[who]; {
	case c.n(3) > 0:
	case len(held) > 0 && c.n(4) > 0:
		with = pick(c.a.random, held)
	case len(c.held[model.Person{Of: c.world.Resellers[0]}]) > 0: // somebody else's browser
		with = pick(c.a.random, c.held[model.Person{Of: c.world.Resellers[0]}])
	}
	q := c.signInOf(c.a, who, who.Password(), c.anyCode(who), with)
	switch c.n(24) {
	case 0:
		return c.signInOf(c.a, model.Person{}, "password", "", with)
	case 1:
		return c.signInOf(c.a, who, "wrong password", "", with)
	case 2:
		q.headers, q.spoiled = [][2]string{{"Sec-Fetch-Site", "same-site"}}, refused("cross-origin")
	case 3:
		q.body, q.spoiled = "[]", refused("malformed-body")
	case 4: // one after the other, until the oldest has to go
		c.several(model.MostSessions+1, "signIn",
			func() *request { return c.signInOf(c.a, who, who.Password(), c.goodCode(who), nil) })
	}
	return q
}

func (c *choice) currentSession() *request {
	by := c.someone()
	q := c.viaBrowser(by, sessionPath, nil)
	q.decide = func(model.Moment) *outcome {
		return &outcome{status: http.StatusOK, fields: c.whoIs(q.person())}
	}
	if c.n(25) == 0 {
		c.stay(q)
	}
	return q
}

// stay has a browser ask again and again, for as long as its session lasts.
func (c *choice) stay(q *request) {
	q.method = http.MethodGet
	if q.noToken || !c.byBrowser(c.a, q) || q.early != nil {
		return
	}
	for range 60 {
		c.a.tries = 0
		if got := c.send(c.a, c.processes[c.n(processes)], q); c.difference != nil || !got.lost && got.status < 500 &&
			got.status != http.StatusOK {
			return
		}
		s := c.world.Session(string(q.browser.id))
		if s == nil {
			return
		}
		left := s.ExpiresAt().Sub(c.now())
		if left > 5*time.Second && c.n(4) > 0 {
			left -= time.Duration(1+c.n(4000)) * time.Millisecond
		} else if left > time.Hour {
			left = time.Duration(c.n(int(left/time.Millisecond))) * time.Millisecond
		}
		c.a.rest(max(left, 0))
	}
}

func (c *choice) signOut() *request {
	q := c.viaBrowser(c.someone(), sessionPath, func(model.Moment) *outcome {
		return &outcome{status: http.StatusOK, fields: fields{"status": 200}}
	})
	q.leaving = true
	return q
}

func (c *choice) listSessions() *request {
	by := c.someone()
	return c.viaBrowser(by, sessionsPath, func(model.Moment) *outcome {
		t, records := c.a.attempt, []fields{}
		var sessions []*model.Session
		for _, who := range c.world.Listed(t.request.person()) {
			sessions = append(sessions, c.world.SessionsOf(who)...)
		}
		for _, s := range sessions {
			if s.Over(t.now) || !s.Good() {
				continue
			}
			record := fields{"id": s.ID, "current": s.ID == t.session.found.ID, "staff": nil}
			if s.As != nil {
				record["staff"] = s.As.Name
			}
			if s.ID != t.session.found.ID { // whose use is kept beside the request
				record["created_at"], record["last_used_at"] = iso(s.Created), iso(s.Used)
			}
			if b := c.browsers[session.ID(s.ID)]; b != nil {
				record["device"], record["address"] = b.device, b.address
			}
			records = append(records, record)
		}
		return &outcome{status: http.StatusOK, fields: fields{"list": records}}
	})
}

// endSession ends a session of the account, its own or another one, or what is none of its.
func (c *choice) endSession() *request {
	by := c.someone()
	id := session.IDOf(fmt.Sprint(c.n(1000)))
	var from []*browser
	switch n := c.n(10); {
	case n == 0:
		return c.viaBrowser(by, sessionsPath+"/"+pick(c.a.random, noIDs), nil)
	case n == 1:
		from = c.held[pick(c.a.random, c.world.Persons())]
	case n < 4:
		from = c.held[c.someoneOf(by)]
	case n < 9:
		if all := c.world.SessionsOf(c.someoneOf(by)); len(all) > 0 {
			id = session.ID(pick(c.a.random, all).ID)
		}
	}
	if len(from) > 0 {
		id = pick(c.a.random, from).id
	}
	q := c.viaBrowser(by, sessionsPath+"/"+string(id), func(model.Moment) *outcome {
		if s, as := c.world.Session(string(id)), c.a.attempt.request.as; s == nil || s.Of != by || as != nil && s.As != as {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK, fields: fields{"status": 200}}
	})
	q.ends = id
	return q
}
