// Package session implements sessions of browsers: how long one is valid, and for which password.
package session

import (
	"crypto/sha256"
	"fmt"
	"time"

	"resellerd/domain/fault"
)

// How long sessions last, and how many a reseller has.
const (
	// IdleTimeout is how long a session is good after its last use.
	IdleTimeout = 12 * time.Hour
	// MaxLifetime is how long it is good after its beginning, however much it is used.
	MaxLifetime = 7 * 24 * time.Hour
	// UseSaveInterval is how far the last use that is kept may be behind: not every request writes.
	UseSaveInterval = 10 * time.Minute
	// MaxSessions is how many sessions a reseller has at once. The oldest ends when one more begins.
	MaxSessions = 20
)

// ErrEnded refuses a session that is over, was ended, or began with an earlier password of the reseller.
var ErrEnded = fault.New(fault.Unauthenticated, "session-ended", "The session has ended: sign in again.")

// ID names a session: 32 lower-case hexadecimal digits. It is a hash of what the browser holds, so neither an id nor
// all records suffice to use the session.
type ID string

const idBytes = 16

// IDOf returns the id of the session whose browser holds this secret.
func IDOf(secret string) ID {
	sum := sha256.Sum256([]byte(secret))
	return ID(fmt.Sprintf("%x", sum[:idBytes])) //nolint:perfsprint // the domain imports no encoding
}

// ParseID reads an id, and reports whether the text is one.
func ParseID(text string) (id ID, ok bool) {
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", false
		}
	}
	return ID(text), len(text) == 2*idBytes
}

// Mark distinguishes password hashes without being one: each hash has a salt of its own.
type Mark [32]byte

// MarkOf returns the mark of a password hash.
func MarkOf(passwordHash string) Mark { return sha256.Sum256([]byte("session\n" + passwordHash)) }

// Session is a reseller's sign-in in one browser. It is a value: a change is made to a copy.
type Session struct {
	ID       ID
	Reseller int64
	Staff    int64  // the member of the reseller's staff who signed in, 0: it itself
	Password Mark   // of the password that it began with
	Device   string // what the browser calls itself, "" if it does not say
	Address  string // from which it began
	Created  time.Time
	Used     time.Time // its last use that was kept
}

// Holder is who signed in: the id of a reseller, or minus that of a member of its staff.
type Holder int64

// Holder returns who signed in.
func (s Session) Holder() Holder {
	if s.Staff != 0 {
		return Holder(-s.Staff)
	}
	return Holder(s.Reseller)
}

// ExpiresAt returns from which instant on the session is over unless it is used before.
func (s Session) ExpiresAt() time.Time {
	if idle := s.Used.Add(IdleTimeout); idle.Before(s.EndsAt()) {
		return idle
	}
	return s.EndsAt()
}

// EndsAt returns from which instant on the session is over in any case.
func (s Session) EndsAt() time.Time { return s.Created.Add(MaxLifetime) }

// Active reports whether the session is not over at now. One that a clock which was ahead dated after now is good,
// until it is Clamped: it can't be distinguished from a new one.
func (s Session) Active(now time.Time) bool { return now.Before(s.ExpiresAt()) }

// Clamped returns the session with nothing dated after now: a clock that was ahead makes it last longer than it may.
// That is any session that is good for longer than Idle from now.
func (s Session) Clamped(now time.Time) Session {
	if s.Created.After(now) {
		s.Created = now
	}
	if s.Used.After(now) {
		s.Used = now
	}
	return s
}

// BeganWith reports whether the session began with the password of this hash. After a change of password it is over.
func (s Session) BeganWith(passwordHash string) bool { return s.Password == MarkOf(passwordHash) }

// WithPassword returns the session as it outlives the change to the password of this hash.
func (s Session) WithPassword(passwordHash string) Session {
	s.Password = MarkOf(passwordHash)
	return s
}

// Use returns the session as it is once it was used now, and whether that is to be kept.
func (s Session) Use(now time.Time) (used Session, keep bool) {
	if now.Sub(s.Used) < UseSaveInterval {
		return s, false
	}
	s.Used = now
	return s, true
}
