package model

import "github.com/shopspring/decimal"

// Alert is the threshold of a reseller's low-balance alert.
type Alert struct {
	Below decimal.Decimal // the balance, zero: never
	Sent  bool            // the alert was sent, and the balance has not recovered since
}

// recovers is the factor of the threshold that a low balance has to reach to have recovered.
var recovers = decimal.RequireFromString("1.2")

// SetAlert decides a new threshold of a reseller's low-balance alert. After a change of the threshold the alert can be
// sent again.
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

// alert appends the entries of the low-balance alerts of these resellers, in this order: a balance is low, or has
// recovered. They follow the entry of the change of the balance.
func (w *World) alert(at Moment, of ...*Reseller) {
	by := w.Journal[len(w.Journal)-1].By
	for _, r := range of {
		at := at
		if r != by { // only the caller sees its request
			at.Request = ""
		}
		switch below := r.Low.Below; {
		case below.IsZero():
		case !r.Low.Sent && r.Balance.LessThan(below):
			r.Low.Sent = true
			w.happened(byItself("balance.low", at).ofBalance(r))
		case r.Low.Sent && !r.Balance.LessThan(below.Mul(recovers)):
			r.Low.Sent = false
			w.happened(byItself("balance.recovered", at).ofBalance(r))
		}
	}
}

// byItself is an entry that the service itself causes, during a request or without one.
func byItself(what string, at Moment) *Event {
	at.Address, at.As = "", nil
	return &Event{Type: what, Kind: bySystem, Moment: at}
}

func (e *Event) ofBalance(r *Reseller) *Event {
	e.Account, e.Version = r, r.Version
	e.Data = map[string]any{"balance": r.Balance.String(), "balance_low": r.Low.Below.String(), "username": r.Name}
	return e
}
