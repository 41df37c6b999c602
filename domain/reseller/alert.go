package reseller

import (
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
)

// ErrNoBalance refuses an alert of an account that holds no credits.
var ErrNoBalance = fault.New(fault.Conflict, "no-balance", "An admin holds no credits: there is nothing to be told of.")

// Alert is when a reseller is told that its balance is low.
type Alert struct {
	Below credit.Amount // the balance, 0: never
	Sent  bool          // it was, and the balance has not recovered since
}

// AlertChange is what a change of a balance, or of its alert, tells.
type AlertChange int

// The changes.
const (
	Unchanged AlertChange = iota
	Low
	Recovered
)

// recovered reports whether a balance is not low any more: from a fifth above the threshold on, so that one near it is
// not told of again and again.
func (a Alert) recovered(balance credit.Amount) bool {
	const share, of = 6, 5
	return of*balance.Units() >= share*a.Below.Units()
}

// after returns the alert as it is at a balance, and what that tells.
func (a Alert) after(balance credit.Amount) (Alert, AlertChange) {
	switch {
	case a.Below.IsZero():
	case !a.Sent && balance.Cmp(a.Below) < 0:
		a.Sent = true
		return a, Low
	case a.Sent && a.recovered(balance):
		a.Sent = false
		return a, Recovered
	}
	return a, Unchanged
}

// possible reports whether an alert can be like this at a balance.
func (a Alert) possible(balance credit.Amount) bool {
	if a.Below.IsZero() {
		return !a.Sent
	}
	_, change := a.after(balance)
	return change == Unchanged
}

// Alert returns when the reseller is told that its balance is low.
func (r *Reseller) Alert() Alert { return r.s.Alert }

// AlertChange returns what the verbs called on the reseller since it was restored tell of its balance.
func (r *Reseller) AlertChange() AlertChange { return r.alert }

// SetAlert has the reseller told once its balance is below an amount, at once if it is; 0: never. by must see it.
// Another amount than the present one begins anew, whatever was told of. Refusals: fault.ErrNotFound, ErrNoBalance.
func (r *Reseller) SetAlert(by *Reseller, below credit.Amount, now time.Time) error {
	if err := by.Sees(r.s.Position); err != nil {
		return err
	}
	if r.s.Role == Admin {
		return ErrNoBalance
	}
	if below.Cmp(r.s.Alert.Below) == 0 {
		return nil
	}
	r.s.Alert, r.alert = Alert{Below: below}.after(r.s.Credits)
	r.date(now)
	return nil
}
