package model

import (
	"slices"
	"strings"
	"time"
)

// Factor is what the model knows of the second factor of a person.
type Factor struct {
	Secret  string   // as it was shown, "" while it is not confirmed
	Pending string   // of one that is to be confirmed
	Step    int64    // the half-minute of the last code that was used
	Codes   []string // for recovery, that were not used
	Wrong   int
	WrongBy time.Time // when these count no more
	Under   string    // the password under which the last one was given
	Before  int       // how many were given under others
	Clients []string  // that gave those under it
}

// RecoveryCodes is how many there are.
const RecoveryCodes = 10

const (
	mostWrong    = 20 // codes under a password
	mostOfClient = 10
	mostInAll    = 40
	wrongTime    = time.Hour
)

// Factor returns the second factor of a person, nil for none.
func (w *World) Factor(of Person) *Factor { return w.factors[of] }

// Active reports whether a code is needed.
func (f *Factor) Active() bool { return f != nil && f.Secret != "" }

// Source is who gives a code: the client, and the password that it has given, or by which it is signed in.
type Source struct{ Client, Password string }

// Wait is how long no code may be given.
func (f *Factor) Wait(by Source, now time.Time) time.Duration {
	under, own := f.Wrong-f.Before, 0
	for _, c := range f.Clients {
		if c == by.Client {
			own++
		}
	}
	if f.Under != by.Password {
		under, own = 0, 0
	}
	if !now.Before(f.WrongBy) || under < mostWrong && own < mostOfClient && f.Wrong < mostInAll {
		return 0
	}
	return min(f.WrongBy.Sub(now), wrongTime)
}

// OfRecovery reports whether a code is one for recovery, or could be: such are not counted.
func OfRecovery(code string) bool {
	return len(strings.NewReplacer(" ", "", "-", "").Replace(code)) == 16
}

// CodeAt says what an app shows at an instant of a second factor with this secret.
type CodeAt func(secret string, at time.Time) string

// step returns of which half-minute around now a code is, 0 for none.
func (show CodeAt) step(secret, code string, now time.Time) (step int64) {
	const half = 30 * time.Second
	for _, at := range []time.Time{now.Add(-half), now, now.Add(half)} {
		if code == show(secret, at) {
			step = at.Unix() / 30
		}
	}
	return step
}

// Takes reports whether a code is good now.
func (f *Factor) Takes(code string, show CodeAt, now time.Time) bool {
	if step := show.step(f.Secret, code, now); step > 0 {
		return step > f.Step
	}
	return slices.Contains(f.Codes, code)
}

// Refuses says why nobody gets in by a code, "" for a good one. Only a wrong one counts.
func (f *Factor) Refuses(by Source, code string, show CodeAt, now time.Time) string {
	if !f.Active() {
		return ""
	}
	return firstOf(code == "", "totp-required", f.Stops(by, code, now), "too-many-attempts", !f.Takes(code, show, now),
		"invalid-credentials")
}

// Stops reports whether a code is not looked at.
func (f *Factor) Stops(by Source, code string, now time.Time) bool {
	return f.Wait(by, now) > 0 && !OfRecovery(code)
}

// Use uses a code up that it takes.
func (f *Factor) Use(code string, show CodeAt, now time.Time) {
	if step := show.step(f.Secret, code, now); step > 0 {
		f.Step = step
		return
	}
	f.Codes = slices.DeleteFunc(slices.Clone(f.Codes), func(c string) bool { return c == code })
}

// Fails counts a wrong code, if such are counted.
func (f *Factor) Fails(by Source, code string, now time.Time) {
	if OfRecovery(code) {
		return
	}
	if !now.Before(f.WrongBy) {
		f.forget()
		f.WrongBy = now.Add(wrongTime)
	}
	if f.Under != by.Password {
		f.Under, f.Before, f.Clients = by.Password, f.Wrong, nil
	}
	f.Wrong++
	f.Clients = append(slices.Clone(f.Clients), by.Client)
}

// forget counts no wrong code that was given for another secret, or long ago.
func (f *Factor) forget() {
	f.Wrong, f.WrongBy, f.Under, f.Before, f.Clients = 0, time.Time{}, "", 0, nil
}

// BeginFactor decides that a person begins with a second factor. Who has proved the password does not do it once more.
func (w *World) BeginFactor(by *Reseller, password string, proved bool,
	at Moment) (refusal string, effect func(secret string)) {
	who := at.Person(by)
	return firstOf(
			by.Frozen(), "account-blocked",
			w.Factor(who).Active(), "totp-active",
			!proved && who.Password() != password, "invalid-credentials",
		), func(secret string) {
			f := w.Factor(who)
			if f == nil {
				f = &Factor{}
				if w.factors == nil {
					w.factors = map[Person]*Factor{}
				}
				w.factors[who] = f
			}
			f.Pending = secret
			f.forget()
		}
}

// ConfirmFactor decides that the second factor counts that a person has begun with.
func (w *World) ConfirmFactor(by *Reseller, client, code string, show CodeAt,
	at Moment) (refusal string, effect func(codes []string)) {
	who := at.Person(by)
	f := w.Factor(who)
	pending, step := f != nil && f.Pending != "", int64(0)
	if pending {
		step = show.step(f.Pending, code, at.Now)
	}
	stopped := pending && f.Wait(Source{client, who.Password()}, at.Now) > 0
	return firstOf(by.Frozen(), "account-blocked", !pending, "totp-not-pending", stopped, "too-many-attempts", step == 0,
			"wrong-code"), func(codes []string) {
			f.forget()
			f.Secret, f.Pending, f.Step, f.Codes = f.Pending, "", step, codes
			w.happened(did(by, "totp.enabled", at).ofPrincipal(by, at.As))
		}
}

// RemoveFactor decides that a person does without a second factor, by a code that was taken already or is used up now.
func (w *World) RemoveFactor(by *Reseller, client, code string, show CodeAt,
	at Moment) (refusal string, effect func()) {
	who := at.Person(by)
	f := w.Factor(who)
	return firstOf(
			by.Frozen(), "account-blocked",
			!f.Active(), "totp-inactive",
			f.Active() && f.Stops(Source{client, who.Password()}, code, at.Now), "too-many-attempts",
			f.Active() && !f.Takes(code, show, at.Now), "invalid-credentials",
		), func() {
			delete(w.factors, who)
			w.happened(did(by, "totp.disabled", at).ofPrincipal(by, at.As))
		}
}

// ResetFactor decides that an account below has no second factor any more.
func (w *World) ResetFactor(by, target *Reseller, at Moment) (refusal string, effect func()) {
	return firstOf(
		by.Frozen(), "account-blocked",
		!by.Sees(target), "not-found",
		!by.Sees(target) || !by.governs(target), "not-allowed",
		!Rights{Role: "manager"}.Within(at.As), "beyond-own-rights",
		!w.Factor(Person{Of: target}).Active(), "totp-inactive",
	), func() { w.reset(Person{Of: target}, did(by, "totp.reset", at)) }
}

// ResetStaffsFactor decides that somebody on the staff has no second factor any more.
func (w *World) ResetStaffsFactor(by *Reseller, p *Principal, at Moment) (refusal string, effect func()) {
	return firstOf(
		by.Frozen(), "account-blocked",
		!by.has(p, true), "not-found",
		p != nil && !p.Within(at.As), "beyond-own-rights",
		!w.Factor(Person{by, p}).Active(), "totp-inactive",
	), func() { w.reset(Person{by, p}, did(by, "totp.reset", at)) }
}

func (w *World) reset(of Person, e *Event) {
	delete(w.factors, of)
	e.ofPrincipal(of.Of, of.As)
	if of.As == nil {
		e.Data = named(of.Name())
	}
	w.happened(e)
}
