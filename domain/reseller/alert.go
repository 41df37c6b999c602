package reseller

import (
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
)

// ErrNoBalance refuses an alert of an account that holds no credits.
var ErrNoBalance = fault.New(fault.Conflict, "no-balance",
	"Admins hold no credits, so a low-balance alert can't be set.")

// Alert is the low-balance alert of a reseller.
type Alert struct {
	Below credit.Amount // the threshold of the balance, 0: no alert
	Sent  bool          // and the balance has not recovered since
}

// AlertChange is the event that a change of a balance, or of its alert, causes.
type AlertChange int

// The changes.
const (
	Unchanged AlertChange = iota
	Low
	Recovered
)

// recovered reports whether a balance is no longer low. It must reach 1.2 times the threshold, so that a balance near
// the threshold does not alert again and again.
func (a Alert) recovered(balance credit.Amount) bool {
	const share, of = 6, 5
	return of*balance.Units() >= share*a.Below.Units()
}

// after returns the alert at a balance, and the event that it causes.
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

// possible reports whether the alert is consistent with a balance.
func (a Alert) possible(balance credit.Amount) bool {
	if a.Below.IsZero() {
		return !a.Sent
	}
	_, change := a.after(balance)
	return change == Unchanged
}

// Alert returns the low-balance alert of the reseller.
func (r *Reseller) Alert() Alert { return r.s.Alert }

// AlertChange returns the event of the balance that the verbs since Restore caused.
func (r *Reseller) AlertChange() AlertChange { return r.alert }

// SetAlert sets the threshold of the low-balance alert, 0 for no alert. The alert is sent at once if the balance is
// already below it. by must see the reseller. Another threshold can alert again, whatever was sent before. Refusals:
// fault.ErrNotFound, ErrNoBalance.
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
