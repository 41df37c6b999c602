package line

import (
	"time"

	"resellerd/domain/profile"
)

// Suspension stops service of a line, whatever its period. The zero value is no suspension.
type Suspension struct {
	Suspended bool
	Reason    profile.Text // may be ""
}

// Suspend stops service until Resume. The line's period goes on, and its owner may extend, edit and delete it as
// before. A repetition may change the reason.
func (l *Line) Suspend(reason profile.Text, now time.Time) {
	was := l.s
	l.s.Suspension = Suspension{true, reason}
	l.date(was, now)
}

// Resume ends a suspension. A repetition changes nothing.
func (l *Line) Resume(now time.Time) {
	was := l.s
	l.s.Suspension = Suspension{}
	l.date(was, now)
}

// Effect is the service status that the customer sees. The set is closed.
type Effect string

// The effects. If several apply, the first in this order counts.
const (
	Suspended    Effect = "suspended"     // the line itself
	OwnerBlocked Effect = "owner_blocked" // its owner, or a parent of the owner, by a block that suspends
	Expired      Effect = "expired"
	Running      Effect = "running" // the customer is served
)

// Effects returns every effect, in their order.
func Effects() []Effect { return []Effect{Suspended, OwnerBlocked, Expired, Running} }

// Effect returns the service status at now. ownerBlocked states that the owner, or a parent, has a block that suspends
// lines. A block writes nothing to the line, so the end of the block restores every line.
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

// Enabled reports whether a line is served until its expiry.
func (e Effect) Enabled() bool { return e == Running || e == Expired }
