package soak

import (
	"time"

	"resellerd/test/api"
)

// key is one of the reseller's, for a program.
type key struct {
	id     int64
	secret string
}

// member is somebody on the staff of the master, who is signed in.
type member struct {
	id      int64
	session api.Caller
}

// memberPassword is that of each.
const memberPassword = "a member's password"

// mostPrincipals is how many keys, and how many people, a tenant has at once.
const mostPrincipals = 5

func (w *tenant) makeKey() {
	if len(w.keys) < mostPrincipals {
		a, _ := w.effect(w.reseller.Caller, "POST", "/keys",
			api.NewKey(api.Fields{"role": "cashier", "spend_limit": api.Fields{"credits": "5", "per": "day"}}), 201)
		w.keys = append(w.keys, key{a.ID(), a.Text("key")})
	}
}

// key returns one that is good.
func (w *tenant) key() key {
	if len(w.keys) == 0 {
		w.makeKey()
	}
	return w.keys[w.random.IntN(len(w.keys))]
}

func (w *tenant) hire() {
	if len(w.staff) < mostPrincipals {
		name := w.name()
		a, _ := w.effect(w.master.Caller, "POST", "/staff",
			api.NewMember(api.Fields{"username": name, "password": memberPassword}), 201)
		w.staff = append(w.staff, member{a.ID(), w.signedIn(name, memberPassword)})
	}
}

// member returns somebody who is on the staff.
func (w *tenant) member() member {
	if len(w.staff) == 0 {
		w.hire()
	}
	return w.staff[w.random.IntN(len(w.staff))]
}

// signedIn asks by a new session of whoever has a name.
func (w *tenant) signedIn(name, password string) api.Caller {
	return w.p.BySession(w.settle(w.p.Nobody(), "POST", "/auth/session",
		api.Fields{"username": name, "password": password}, "", 201))
}

// haveFactor gives who is signed in a second factor, and returns a code for recovery.
func (w *tenant) haveFactor(by api.Caller, password string) (recovery string) {
	begun, _ := w.effect(by, "POST", "/auth/totp", api.Fields{"password": password}, 200)
	w.settle(by, "POST", "/auth/totp/confirm", api.Fields{"code": "no code"}, "", 422)
	confirmed, _ := w.effect(by, "POST", "/auth/totp/confirm",
		api.Fields{"code": api.Code(w.t, begun.Text("secret"), time.Now())}, 200)
	codes, _ := confirmed.Fields["recovery_codes"].([]any)
	for _, code := range codes {
		recovery, _ = code.(string)
	}
	return recovery
}

// haveNoFactor gives the reseller a second factor, without which it does not get in, and takes it away again.
func (w *tenant) haveNoFactor() {
	by := w.signedIn(w.reseller.Username, w.reseller.Password)
	recovery := w.haveFactor(by, w.reseller.Password)
	w.settle(w.p.Nobody(), "POST", "/auth/static-token",
		api.Fields{"username": w.reseller.Username, "password": w.reseller.Password}, "", 401)
	w.effect(by, "DELETE", "/auth/totp", api.Fields{"password": w.reseller.Password, "totp": recovery}, 200)
}
