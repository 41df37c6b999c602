package model

import (
	"slices"
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
}

// RecoveryCodes is how many there are.
const RecoveryCodes = 10

const (
	mostWrong = 20 // codes
	wrongTime = time.Hour
)

// Factor returns the second factor of a person, nil for none.
func (w *World) Factor(of Person) *Factor { return w.factors[of] }

// Active reports whether a code is needed.
func (f *Factor) Active() bool { return f != nil && f.Secret != "" }

// Wait is how long no code may be given.
func (f *Factor) Wait(now time.Time) time.Duration {
	if f.Wrong < mostWrong || !now.Before(f.WrongBy) {
		return 0
	}
	return min(f.WrongBy.Sub(now), wrongTime)
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
func (f *Factor) Refuses(code string, show CodeAt, now time.Time) string {
	if !f.Active() {
		return ""
	}
	return firstOf(code == "", "totp-required", f.Wait(now) > 0, "too-many-attempts", !f.Takes(code, show, now), "invalid-credentials")
}

// Use uses a code up that it takes.
func (f *Factor) Use(code string, show CodeAt, now time.Time) {
	if step := show.step(f.Secret, code, now); step > 0 {
		f.Step = step
		return
	}
	f.Codes = slices.DeleteFunc(slices.Clone(f.Codes), func(c string) bool { return c == code })
}

// Fails counts a wrong code.
func (f *Factor) Fails(now time.Time) {
	if !now.Before(f.WrongBy) {
		f.Wrong, f.WrongBy = 0, now.Add(wrongTime)
	}
	f.Wrong++
}

// BeginFactor decides that a person begins with a second factor. Who has proved the password does not do it once more.
func (w *World) BeginFactor(by *Reseller, password string, proved bool, at Moment) (refusal string, effect func(secret string)) {
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
		}
}

// ConfirmFactor decides that the second factor counts that a person has begun with.
func (w *World) ConfirmFactor(by *Reseller, code string, show CodeAt, at Moment) (refusal string, effect func(codes []string)) {
	who := at.Person(by)
	f := w.Factor(who)
	pending, step := f != nil && f.Pending != "", int64(0)
	if pending {
		step = show.step(f.Pending, code, at.Now)
	}
	return firstOf(by.Frozen(), "account-blocked", !pending, "totp-not-pending", step == 0, "wrong-code"), func(codes []string) {
		f.Secret, f.Pending, f.Step, f.Codes = f.Pending, "", step, codes
		w.happened(did(by, "totp.enabled", at).ofPrincipal(by, at.As))
	}
}

// RemoveFactor decides that a person does without a second factor, by a code that was taken already or is used up now.
func (w *World) RemoveFactor(by *Reseller, code string, show CodeAt, at Moment) (refusal string, effect func()) {
	who := at.Person(by)
	f := w.Factor(who)
	return firstOf(
			by.Frozen(), "account-blocked",
			!f.Active(), "totp-inactive",
			f.Active() && f.Wait(at.Now) > 0, "too-many-attempts",
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
		!w.Factor(Person{Of: target}).Active(), "totp-inactive",
	), func() { w.reset(Person{Of: target}, target.Name, did(by, "totp.reset", at)) }
}

// ResetStaffsFactor decides that somebody on the staff has no second factor any more.
func (w *World) ResetStaffsFactor(by *Reseller, p *Principal, at Moment) (refusal string, effect func()) {
	return firstOf(
		by.Frozen(), "account-blocked",
		!by.has(p, true), "not-found",
		p != nil && !p.Within(at.As), "beyond-own-rights",
		!w.Factor(Person{by, p}).Active(), "totp-inactive",
	), func() { w.reset(Person{by, p}, p.Name, did(by, "totp.reset", at)) }
}

// OperatorResetsFactor has an operator remove the second factor of a person who was found by a name.
func (w *World) OperatorResetsFactor(of Person, name string, now time.Time) {
	w.reset(of, name, operated("totp.reset", Moment{Now: now}))
}

func (w *World) reset(of Person, name string, e *Event) {
	delete(w.factors, of)
	e.ofPrincipal(of.Of, of.As)
	if of.As == nil {
		e.Data = named(name)
	}
	w.happened(e)
}
