package line

import (
	"time"

	"resellerd/domain/profile"
)

// Suspension is that a line is not to be served, whatever its period. The zero value is none.
type Suspension struct {
	Suspended bool
	Reason    profile.Text // "" if none was given
}

// Suspend has a line served no more until it is resumed. Its period goes on, and it may be extended, edited and deleted
// as before. It may be repeated, with another reason.
func (l *Line) Suspend(reason profile.Text, now time.Time) {
	was := l.s
	l.s.Suspension = Suspension{true, reason}
	l.date(was, now)
}

// Resume ends a suspension. It may be repeated.
func (l *Line) Resume(now time.Time) {
	was := l.s
	l.s.Suspension = Suspension{}
	l.date(was, now)
}

// Effect is what a line amounts to for the customer, at an instant. The set is closed.
type Effect string

// The effects. Of those that hold, the first in this order counts.
const (
	Suspended    Effect = "suspended"     // the line itself
	OwnerBlocked Effect = "owner_blocked" // its owner, or a reseller above, by a block that suspends
	Expired      Effect = "expired"
	Running      Effect = "running" // the customer is to be served
)

// Effects returns every effect, in their order.
func Effects() []Effect { return []Effect{Suspended, OwnerBlocked, Expired, Running} }

// Effect returns what the line amounts to. ownerBlocked tells that a block that suspends lines stands at its owner or
// above: nothing of that is written to the line, so that lifting the block undoes it whole.
func (l *Line) Effect(ownerBlocked bool, now time.Time) Effect {
	switch {
	case l.s.Suspended:
		return Suspended
	case ownerBlocked:
		return OwnerBlocked
	case !l.Running(now):
		return Expired
	}
	return Running
}

// Enabled reports whether a line is to be served until its expiry.
func (e Effect) Enabled() bool { return e == Running || e == Expired }
