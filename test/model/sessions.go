package model

import "time"

// Session is a sign-in in a browser.
type Session struct {
	ID string // as the service names it
	Person
	Began         int       // Passwords of the person, when it began
	Created, Used time.Time // as they were last stored
}

// How long sessions last, as the contract says.
const (
	SessionIdle    = 12 * time.Hour
	SessionLongest = 7 * 24 * time.Hour
)

// ExpiresAt is from when on it is over unless it is used before.
func (s *Session) ExpiresAt() time.Time {
	if idle := s.Used.Add(SessionIdle); idle.Before(s.EndsAt()) {
		return idle
	}
	return s.EndsAt()
}

// EndsAt is from when on it is over in any case.
func (s *Session) EndsAt() time.Time { return s.Created.Add(SessionLongest) }

// Over reports whether it has lasted for as long as it may.
func (s *Session) Over(now time.Time) bool { return !now.Before(s.ExpiresAt()) }

// Valid reports whether the session began with the person's present password, and the person is still on the staff.
func (s *Session) Valid() bool { return s.Began == s.Passwords() && (s.As == nil || !s.As.Removed) }

// Persons are all who sign in, or ever did.
func (w *World) Persons() (all []Person) {
	for _, r := range w.Resellers {
		all = append(all, Person{Of: r})
	}
	for _, p := range w.Principals {
		if p.Staff {
			all = append(all, Person{p.Of, p})
		}
	}
	return all
}
