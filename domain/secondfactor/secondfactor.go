// Package secondfactor implements second factors of a sign-in: codes of an authenticator app (RFC 6238), which change
// each half-minute, and recovery codes. Each code is valid once.
//
// A factor is active after its first correct code. Existing sessions continue, and API keys never need a code. A code
// of the app is valid for its own half-minute and the ones before and after. A wrong or used code is a failed login.
// Removing a member of the staff removes the factor.
package secondfactor

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"resellerd/domain/fault"
)

const (
	// RecoveryCodes is the number of recovery codes.
	RecoveryCodes = 10
	// mostWrong is the limit of wrong codes in a time, from all addresses. Three codes are valid at any moment, so a
	// guess by a client that knows the password is right once in 300,000. A new password starts the count again.
	mostWrong = 20
	// mostOfClient is the limit of wrong codes from one client: one client alone can't lock out the others.
	mostOfClient = 10
	// mostInAll is the limit under all passwords of that time: a client that may change the password gets no more
	// guesses by doing so.
	mostInAll = 2 * mostWrong
	wrongTime = time.Hour
	// recoverySize is the number of letters and digits of a recovery code; longestCode bounds its written form.
	recoverySize = 16
	longestCode  = 64
)

// The reasons for which a second factor is refused, or missing.
var (
	ErrRequired = fault.New(fault.Unauthenticated, "totp-required",
		"The password is right; a code of the second factor is needed as well.")
	ErrCode     = fault.New(fault.Invalid, "wrong-code", "The code is wrong, or was used.")
	ErrActive   = fault.New(fault.Conflict, "totp-active", "There is a second factor already: remove it first.")
	ErrInactive = fault.New(fault.Conflict, "totp-inactive", "There is no second factor.")
	ErrTooMany  = fault.New(fault.Exhausted, "too-many-attempts",
		"Too many wrong codes for this user in the last hour: at most 10 from one address and 20 from all addresses, since the last change of the password.")
	ErrNotPending = fault.New(fault.Conflict, "totp-not-pending",
		"There is no second factor to confirm: start with a new one.")
)

// Digest is the stored hash of a recovery code.
type Digest string

// DigestOf returns the digest of a recovery code, whatever its spaces, dashes and letter case.
func DigestOf(code string) Digest {
	return Digest(fmt.Sprintf("%x", sha256.Sum256([]byte("recovery\n"+plain(code)))))
}

func plain(code string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(code))
}

// IsRecovery reports whether a text has the form of a recovery code, which no code of an app has. Its 80 random bits
// can't be guessed, so wrong ones are not counted.
func IsRecovery(code string) bool {
	return len(code) <= longestCode && len(plain(code)) == recoverySize
}

// Source is the client and the password that a code was sent with.
type Source struct {
	Client   string // the client's network
	Password string // mark of the password of the caller
}

// Factor is the second factor of an account, or of a member of its staff. It is a value: a change is made to a copy.
type Factor struct {
	Of       string   // the name of its owner: see OfAccount and OfStaff
	Secret   []byte   // sealed, empty while the factor is not active
	Pending  []byte   // sealed: of a factor that is not confirmed yet
	Step     int64    // the last half-minute whose code was used
	Recovery []Digest // the unused ones
	Since    time.Time
	Wrong    int       // number of wrong codes in a time
	WrongBy  time.Time // when that time ends
	Under    string    // mark of the password under which the last wrong code was sent
	Before   int       // the part of Wrong under earlier passwords
	Clients  []string  // the senders of the other wrong codes
}

// OfAccount names the factor of an account.
func OfAccount(id int64) string { return fmt.Sprintf("account %d", id) }

// OfStaff names the factor of a member of the staff.
func OfStaff(id int64) string { return fmt.Sprintf("staff %d", id) }

// Owner returns the owner of the factor: an account, or a member of the staff. known is false if the factor has neither
// of the names.
func (f Factor) Owner() (id int64, staff, known bool) {
	kind, text, _ := strings.Cut(f.Of, " ")
	id, err := strconv.ParseInt(text, 10, 64)
	staff = kind == "staff"
	return id, staff, err == nil && (f.Of == OfStaff(id) || f.Of == OfAccount(id))
}

// Active reports whether a sign-in needs a code.
func (f Factor) Active() bool { return len(f.Secret) > 0 }

// Begin returns the factor with a new pending secret, which must be confirmed. The refusal is ErrActive.
func (f Factor) Begin(sealed []byte) (Factor, error) {
	if f.Active() {
		return f, ErrActive
	}
	f.Pending = sealed
	return f.uncounted(), nil
}

// uncounted returns the factor without wrong codes: they were sent for another secret.
func (f Factor) uncounted() Factor {
	f.Wrong, f.WrongBy, f.Under, f.Before, f.Clients = 0, time.Time{}, "", 0, nil
	return f
}

// Confirm makes the pending secret, sealed under its own name, the active one, after a code of this step. That code is
// used.
func (f Factor) Confirm(sealed []byte, step int64, recovery []Digest, now time.Time) Factor {
	f.Secret, f.Pending, f.Step, f.Recovery, f.Since = sealed, nil, step, recovery, now
	return f.uncounted()
}

// UseCode uses the code of a step. This code and earlier ones are not valid again.
func (f Factor) UseCode(step int64) (Factor, error) {
	if step <= f.Step {
		return f, ErrCode
	}
	f.Step = step
	return f, nil
}

// UseRecoveryCode uses a recovery code. It is not valid again.
func (f Factor) UseRecoveryCode(code Digest) (Factor, error) {
	at := slices.Index(f.Recovery, code)
	if at < 0 {
		return f, ErrCode
	}
	f.Recovery = slices.Delete(slices.Clone(f.Recovery), at, at+1)
	return f, nil
}

// counting returns the factor with the wrong codes that count for a source now.
func (f Factor) counting(by Source, now time.Time) Factor {
	switch {
	case !now.Before(f.WrongBy):
		f = f.uncounted()
	case f.Under != by.Password:
		f.Before, f.Clients = f.Wrong, nil
	}
	f.Under = by.Password
	return f
}

// Wait returns how long a source must wait before another code, 0 if it may send one. The limit of the source is
// checked first, then the limit of all addresses.
func (f Factor) Wait(by Source, now time.Time) time.Duration {
	f = f.counting(by, now)
	own := 0
	for _, client := range f.Clients {
		if client == by.Client {
			own++
		}
	}
	if own < mostOfClient && f.Wrong-f.Before < mostWrong && f.Wrong < mostInAll {
		return 0
	}
	return min(f.WrongBy.Sub(now), wrongTime) // not longer, even if a clock was fast
}

// CountWrongCode counts a wrong code.
func (f Factor) CountWrongCode(by Source, now time.Time) Factor {
	if f = f.counting(by, now); f.Wrong == 0 {
		f.WrongBy = now.Add(wrongTime)
	}
	f.Wrong++
	f.Clients = append(slices.Clone(f.Clients), by.Client)
	return f
}
