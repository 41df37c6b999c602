package model

import "github.com/shopspring/decimal"

// Alert is when a reseller is told that its balance is low.
type Alert struct {
	Below decimal.Decimal // the balance, zero: never
	Told  bool            // it was, and the balance has not recovered since
}

// recovers is by how much a balance that was low exceeds the threshold once it is not any more.
var recovers = decimal.RequireFromString("1.2")

// SetAlert decides below which balance a reseller is told that it is low. Another threshold begins anew.
func (w *World) SetAlert(by, target *Reseller, below decimal.Decimal, at Moment) (refusal string, effect func()) {
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.Sees(target), "not-found",
			target != nil && target.Admin, "no-balance",
		), func() {
			if target.Low.Below.Equal(below) {
				return
			}
			was := *target
			target.Low = Alert{Below: below}
			target.dated(at.Now)
			w.happened(did(by, "reseller.updated", at).ofReseller(&was, target, nil))
			w.alert(at, target)
		}
}

// alert has the journal say of these resellers, in this order, that their balances are low, or are not any more. It
// follows the entry of what happened to them.
func (w *World) alert(at Moment, of ...*Reseller) {
	by := w.Journal[len(w.Journal)-1].By
	for _, r := range of {
		at := at
		if r != by { // whose request is not for it to see
			at.Request = ""
		}
		switch below := r.Low.Below; {
		case below.IsZero():
		case !r.Low.Told && r.Balance.LessThan(below):
			r.Low.Told = true
			w.happened(byItself("balance.low", at).ofBalance(r))
		case r.Low.Told && !r.Balance.LessThan(below.Mul(recovers)):
			r.Low.Told = false
			w.happened(byItself("balance.recovered", at).ofBalance(r))
		}
	}
}

// byItself is an entry of what the service tells by itself, in the course of a request or without one.
func byItself(what string, at Moment) *Event {
	at.Address, at.As = "", nil
	return &Event{Type: what, Kind: bySystem, Moment: at}
}

func (e *Event) ofBalance(r *Reseller) *Event {
	e.Account, e.Version = r, r.Version
	e.Data = map[string]any{"balance": r.Balance.String(), "balance_low": r.Low.Below.String(), "username": r.Name}
	return e
}
