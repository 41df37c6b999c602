package simulate

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/adapters/onetime"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/test/api"
	"resellerd/test/model"
)

// codes implements ports.OneTimeCodes as the program does, but for the secrets, which somebody else makes.
type codes struct {
	onetime.Codes
	next func() string // a secret in base32
}

func (c codes) New(account string) (secret profile.Secret, url string, err error) {
	made := c.next()
	return profile.NewSecret(made), "otpauth://totp/" + account + "?secret=" + made, nil
}

// codeAt is what an app shows at an instant of a second factor with this secret.
func codeAt(secret string, at time.Time) string {
	code, err := api.CodeOf(secret, at)
	if err != nil {
		panic(err)
	}
	return code
}

// entry is what becomes of who has given the right password.
type entry struct {
	who      model.Person
	by       model.Source
	code     string
	factor   *model.Factor // as it was looked up, nil for none
	now      time.Time     // as the use case was told then, the zero value: not yet
	counts   bool          // the code is wrong
	takes    bool          // it is right, and is to be used up
	confirms bool          // it is to confirm a factor
	done     bool          // a wrong one was counted, or there is nothing any more by which to count it
}

// lets refuses who does not sign in, by the password, or begins to look at the code.
func (r *run) lets(t *attempt, who model.Person, password, code string) *outcome {
	switch {
	case who.Of == nil || who.Password() != password:
		return refused("invalid-credentials")
	case who.Of.Frozen():
		return refused("account-blocked")
	}
	t.entry = r.entryOf(who, code)
	return nil
}

// entryOf is what begins with the code of a person who has given the right password.
func (r *run) entryOf(who model.Person, code string) *entry {
	return &entry{who: who, by: model.Source{Client: addressOf(r.current), Password: who.Password()}, code: code,
		factor: copied(r.world.Factor(who))}
}

func copied(f *model.Factor) *model.Factor {
	if f == nil {
		return nil
	}
	is := *f
	return &is
}

// provesItself decides about the code of who signs in, as soon as it is known what time it is.
func (r *run) provesItself(t *attempt) {
	e := t.entry
	if e == nil || !e.now.IsZero() {
		return
	}
	if not := e.prove(t.now); not != nil {
		t.decided = not
	}
}

// prove decides about a code at an instant.
func (e *entry) prove(now time.Time) *outcome {
	e.now = now
	refusal := e.factor.Refuses(e.by, e.code, codeAt, now)
	if e.counts, e.takes = refusal == "invalid-credentials" && !model.OfRecovery(e.code), refusal == "" &&
		e.factor.Active(); refusal == "" {
		return nil
	}
	not := refused(refusal)
	if refusal == "too-many-attempts" {
		not.wait = e.factor.Wait(e.by, now)
	}
	return not
}

// enters implements hooks: the code may have been used since it was looked at.
func (r *run) enters() {
	t := r.attempt()
	if t == nil || t.entry == nil {
		return
	}
	e, f := t.entry, r.world.Factor(t.entry.who)
	there := f.Active() || e.confirms && f != nil
	switch e.done = e.done || !there; {
	case !there || !e.takes && !e.counts:
		return
	case f.Stops(e.by, e.code, e.now): // others were first
		e.done, e.takes = true, false
		t.decided = refused("too-many-attempts")
		t.decided.wait = f.Wait(e.by, e.now)
		return
	}
	if e.takes && !f.Takes(e.code, codeAt, e.now) {
		e.takes = false
		t.decided = refused("invalid-credentials")
		r.seen[metCodeUsed]++
	}
}

// keptFactor holds what was kept of a second factor against the model.
func (r *run) keptFactor(t *attempt, kept *secondfactor.Factor) {
	var who model.Person
	for _, p := range r.world.Persons() {
		if factorName(p) == kept.Of {
			who = p
		}
	}
	f := r.world.Factor(who)
	if t != nil && t.entry != nil && t.entry.who == who && f != nil {
		switch e := t.entry; {
		case e.counts:
			f.Fails(e.by, e.code, e.now)
			e.done = true
		case e.takes:
			if slices.Contains(f.Codes, e.code) {
				r.seen[metRecovery]++
			}
			f.Use(e.code, codeAt, e.now)
			e.takes = false // what comes then needs none
		}
	}
	if want, got := spelledFactor(who, f), storedFactor(kept); want != got {
		r.differ(r.doing(), want, got)
	}
}

func factorName(who model.Person) string {
	if who.As != nil {
		return "staff " + strconv.FormatInt(who.As.ID, 10)
	}
	return "account " + strconv.FormatInt(who.Of.ID, 10)
}

const factorForm = "the second factor of %s, active %t, begun %t, step %d, %d codes, %d wrong until %s"

func spelledFactor(who model.Person, f *model.Factor) string {
	if f == nil {
		return "no second factor"
	}
	return fmt.Sprintf(factorForm, factorName(who), f.Active(), f.Pending != "", f.Step, len(f.Codes), f.Wrong,
		iso(f.WrongBy))
}

func storedFactor(f *secondfactor.Factor) string {
	return fmt.Sprintf(factorForm, f.Of,
		f.Active(), len(f.Pending) > 0, f.Step, len(f.Recovery), f.Wrong, iso(f.WrongBy))
}

// someoneOf returns an account, or somebody on its staff.
func (c *choice) someoneOf(by *model.Reseller) model.Person {
	if staff := c.world.PrincipalsOf(by, true); len(staff) > 0 && c.n(2) == 0 {
		return model.Person{Of: by, As: pick(c.a.random, staff)}
	}
	return model.Person{Of: by}
}

// goodCode returns a code by which a person should get in, "" where none is needed: one for recovery first, as clocks
// may be off.
func (r *run) goodCode(who model.Person) string {
	f := r.world.Factor(who)
	switch {
	case !f.Active():
		return ""
	case len(f.Codes) > 0:
		return f.Codes[0]
	}
	return codeAt(f.Secret, r.now())
}

// anyCode returns a code for a person, mostly a good one.
func (c *choice) anyCode(who model.Person) string {
	f := c.world.Factor(who)
	if !f.Active() {
		return pick(c.a.random, []string{"", "", "123456"})
	}
	switch n := c.n(8); {
	case n < 2:
		return ""
	case n == 2:
		return "000000"
	case n < 5 && len(f.Codes) > 0: // not the one by which it signs in before
		return f.Codes[len(f.Codes)-1]
	}
	return codeAt(f.Secret, c.now().Add(time.Duration(c.n(5)-2)*30*time.Second))
}

// credentials is the body of a sign-in.
func credentials(name, password, code string) string {
	body := fields{"username": name, "password": password}
	if code != "" {
		body["totp"] = code
	}
	return spelled(body)
}

// ofFactor makes a request by a session, about the second factor of who asks.
func (c *choice) ofFactor(who model.Person, path string, body fields, decide func(at model.Moment) *outcome) *request {
	q := c.effect(who.Of, path, body, decide)
	if q.as, q.bySession, q.personal = who.As, true, true; q.noToken {
		q.spoiled, q.early = nil, refused("missing-session")
	}
	return q
}

// factored returns a person, mostly one with a second factor, or who has begun with one.
func (c *choice) factored() model.Person {
	who := c.someoneOf(c.someone())
	for _, p := range c.world.Persons() {
		if c.world.Factor(p) != nil && c.n(3) == 0 && (p.As == nil || !p.As.Removed) {
			who = p
		}
	}
	return who
}

func (c *choice) beginFactor() *request {
	who := c.someoneOf(c.someone())
	if c.n(4) == 0 {
		who = c.factored()
	}
	password := who.Password()
	if c.n(10) == 0 {
		password = "wrong password"
	}
	return c.ofFactor(who, "/auth/totp", fields{"password": password}, func(at model.Moment) *outcome {
		refusal, begin := c.world.BeginFactor(who.Of, password, !c.current.inView, at)
		return decided(refusal, func() *outcome {
			o := &outcome{status: http.StatusOK}
			o.effect = func(t *attempt) {
				begin(t.secret)
				o.fields = fields{"secret": t.secret, "otpauth_url": matcher(func(got any) string {
					if text, is := got.(string); is && strings.HasSuffix(text, "?secret="+t.secret) {
						return ""
					}
					return fmt.Sprintf("a URL with the secret, not %v", got)
				})}
			}
			return o
		})
	})
}

func (c *choice) confirmFactor() *request {
	who, code := c.factored(), "000000"
	if f := c.world.Factor(who); f != nil && f.Pending != "" && c.n(8) > 0 {
		code = codeAt(f.Pending, c.now())
	}
	if c.n(10) == 0 { // until it has to wait
		c.several(12, "confirmTOTP", func() *request { return c.confirmation(who, "000000") })
	}
	return c.confirmation(who, code)
}

func (c *choice) confirmation(who model.Person, code string) *request {
	return c.ofFactor(who, "/auth/totp/confirm", fields{"code": code}, func(at model.Moment) *outcome {
		refusal, confirm := c.world.ConfirmFactor(who.Of, addressOf(c.current), code, codeAt, at)
		if t := c.attempt(); c.current.inView {
			t.entry = nil
			if refusal == "wrong-code" { // it is counted once that is seen
				t.entry = c.entryOf(at.Person(who.Of), code)
				t.entry.now, t.entry.counts, t.entry.confirms = at.Now, true, true
			}
		}
		o := decided(refusal, func() *outcome {
			o := &outcome{status: http.StatusOK}
			o.effect = func(t *attempt) {
				made := slices.Clone(t.recovery)
				confirm(made)
				o.fields = fields{"recovery_codes": texts(made)}
			}
			return o
		})
		if refusal == "too-many-attempts" {
			o.wait = c.world.Factor(at.Person(who.Of)).Wait(model.Source{Client: addressOf(c.current),
				Password: at.Person(who.Of).Password()}, at.Now)
		}
		return o
	})
}

func (c *choice) removeFactor() *request {
	who := c.factored()
	for range 3 {
		if !c.world.Factor(who).Active() {
			who = c.factored()
		}
	}
	password, code := who.Password(), c.anyCode(who)
	if code == "" {
		code = "000000"
	}
	if c.n(10) == 0 {
		password = "wrong password"
	}
	q := c.ofFactor(who, "/auth/totp", fields{"password": password, "totp": code}, nil)
	q.decide = func(at model.Moment) *outcome {
		t, who := c.attempt(), at.Person(who.Of)
		refusal, remove := c.world.RemoveFactor(who.Of, addressOf(c.current), code, codeAt, at)
		if c.current.inView && refusal != "totp-inactive" { // the password comes first, and then what the code counts for
			if who.Password() != password {
				return refused("invalid-credentials")
			}
			t.entry = c.entryOf(who, code)
			if not := t.entry.prove(at.Now); not != nil {
				return not
			}
			t.entry.takes = false // it is used up with the factor
		}
		o := decided(refusal, func() *outcome {
			return &outcome{status: http.StatusOK, fields: fields{"status": 200}, effect: func(*attempt) { remove() }}
		})
		if refusal == "too-many-attempts" {
			o.wait = c.world.Factor(who).Wait(model.Source{Client: addressOf(c.current), Password: who.Password()}, at.Now)
		}
		return o
	}
	return q
}

func (c *choice) resetFactor() *request {
	by, target, id := c.govern()
	for _, p := range c.world.Persons() {
		if p.As == nil && p.Of != by && c.world.Factor(p).Active() && by.Sees(p.Of) && c.n(2) == 0 {
			target, id = p.Of, strconv.FormatInt(p.Of.ID, 10)
		}
	}
	return c.change(by, "/users/"+id+"/totp", nil, func(at model.Moment) (string, func()) {
		return c.world.ResetFactor(by, target, at)
	}, done)
}

// personNamed returns who signs in by a name, the zero value for nobody.
func (r *run) personNamed(name string) model.Person {
	if holder := r.world.ResellerNamed(name); holder != nil {
		return model.Person{Of: holder}
	}
	if p := r.world.StaffNamed(name); p != nil {
		return model.Person{Of: p.Of, As: p}
	}
	return model.Person{}
}
