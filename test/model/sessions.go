package model

import (
	"cmp"
	"slices"
	"time"
)

// Session is what the model knows of a sign-in in a browser.
type Session struct {
	ID string // as the service names it
	Person
	Began         int // Passwords of the person, when it began
	Created, Used time.Time
}

// How long sessions last, and how many a reseller has, as the contract says.
const (
	SessionIdle    = 12 * time.Hour
	SessionLongest = 7 * 24 * time.Hour
	MostSessions   = 20
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

// Good reports whether it began with the password that its person has, who is on the staff still.
func (s *Session) Good() bool { return s.Began == s.Passwords() && (s.As == nil || !s.As.Removed) }

// Stay has it go on after a change of the password.
func (s *Session) Stay() { s.Began = s.Passwords() }

// SessionsOf are the sessions that a person should have, the newest first, whether or not they are over.
func (w *World) SessionsOf(p Person) []*Session { return w.sessions[p] }

// Listed are whose sessions a person is shown: an account its own, then those of its staff.
func (w *World) Listed(p Person) []Person {
	all := []Person{p}
	if p.As == nil {
		staff := w.PrincipalsOf(p.Of, true)
		slices.SortFunc(staff, func(a, b *Principal) int { return cmp.Compare(a.Slot, b.Slot) })
		for _, s := range staff {
			all = append(all, Person{p.Of, s})
		}
	}
	return all
}

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

// Session returns the one with an id, nil where there is none: it was ended, or forgotten, or never was.
func (w *World) Session(id string) *Session {
	for _, of := range w.sessions {
		for _, s := range of {
			if s.ID == id {
				return s
			}
		}
	}
	return nil
}

// Add adds a session, and ends none.
func (w *World) Add(s *Session) {
	if w.sessions == nil {
		w.sessions = map[Person][]*Session{}
	}
	w.sessions[s.Person] = append(w.sessions[s.Person], s)
	slices.SortFunc(w.sessions[s.Person], newest)
}

// Date has a session be one that began and was used at other instants, among the others where it belongs by them.
func (w *World) Date(s *Session, created, used time.Time) {
	s.Created, s.Used = created, used
	slices.SortFunc(w.sessions[s.Person], newest)
}

// End takes a session out of the world.
func (w *World) End(s *Session) {
	w.sessions[s.Person] = slices.DeleteFunc(w.sessions[s.Person], func(other *Session) bool { return other == s })
}

// newest compares as the index of sessions orders them, read backwards: of two of one instant by their ids.
func newest(a, b *Session) int {
	return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
}
