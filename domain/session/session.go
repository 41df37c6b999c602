// Package session implements sessions of browsers: their lifetime, and the password that they depend on.
package session

import (
	"crypto/sha256"
	"fmt"
	"time"

	"resellerd/domain/fault"
)

// The lifetime of sessions, and their number.
const (
	// IdleTimeout is how long a session is valid after its last use.
	IdleTimeout = 12 * time.Hour
	// MaxLifetime is how long a session is valid after its beginning, even if it is used.
	MaxLifetime = 7 * 24 * time.Hour
	// UseSaveInterval is how far the stored last use may be behind: not every request writes.
	UseSaveInterval = 10 * time.Minute
	// MaxSessions is the limit of sessions of a reseller. A new one beyond it ends the oldest.
	MaxSessions = 20
)

// ErrEnded refuses a session that has expired, was ended, or began with an earlier password.
var ErrEnded = fault.New(fault.Unauthenticated, "session-ended", "The session has ended: sign in again.")

// ID names a session: 32 lower-case hexadecimal digits. It is a hash of the browser's secret. So neither an id nor all
// records suffice to use the session.
type ID string

const idBytes = 16

// IDOf returns the id of the session with this secret.
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

// Mark distinguishes password hashes and is not a hash of the password: each password hash has its own salt.
type Mark [32]byte

// MarkOf returns the mark of a password hash.
func MarkOf(passwordHash string) Mark { return sha256.Sum256([]byte("session\n" + passwordHash)) }

// Session is a reseller's sign-in in one browser. It is a value: a change is made to a copy.
type Session struct {
	ID       ID
	Reseller int64
	Staff    int64  // the member of the reseller's staff who signed in; 0: its owner
	Password Mark   // of the password that it began with
	Device   string // the name that the browser sent, "" if it sent none
	Address  string // of the sign-in
	Created  time.Time
	Used     time.Time // the stored last use
}

// Holder is the account or the person that signed in: the id of a reseller, or minus the id of a member of its staff.
type Holder int64

// Holder returns the account or the person that signed in.
func (s Session) Holder() Holder {
	if s.Staff != 0 {
		return Holder(-s.Staff)
	}
	return Holder(s.Reseller)
}

// ExpiresAt returns the end of the session if it is not used before.
func (s Session) ExpiresAt() time.Time {
	if idle := s.Used.Add(IdleTimeout); idle.Before(s.EndsAt()) {
		return idle
	}
	return s.EndsAt()
}

// EndsAt returns the end of the session in any case.
func (s Session) EndsAt() time.Time { return s.Created.Add(MaxLifetime) }

// Active reports whether the session has not expired at now. A session that a fast clock dated after now is active
// until it is Clamped: it looks like a new one.
func (s Session) Active(now time.Time) bool { return now.Before(s.ExpiresAt()) }

// Clamped returns the session without dates after now: such dates, of a fast clock, would make the session last too
// long. It changes every session that is valid for longer than IdleTimeout from now.
func (s Session) Clamped(now time.Time) Session {
	if s.Created.After(now) {
		s.Created = now
	}
	if s.Used.After(now) {
		s.Used = now
	}
	return s
}

// BeganWith reports whether the session began with the password of this hash. A change of the password ends the
// session.
func (s Session) BeganWith(passwordHash string) bool { return s.Password == MarkOf(passwordHash) }

// WithPassword returns the session that continues after the change to the password of this hash.
func (s Session) WithPassword(passwordHash string) Session {
	s.Password = MarkOf(passwordHash)
	return s
}

// Use returns the session with now as its last use, and whether to store it.
func (s Session) Use(now time.Time) (used Session, due bool) {
	if now.Sub(s.Used) < UseSaveInterval {
		return s, false
	}
	s.Used = now
	return s, true
}
