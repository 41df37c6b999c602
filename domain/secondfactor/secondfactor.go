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
	// RecoveryCodes is how many there are.
	RecoveryCodes = 10
	// mostWrong is how many wrong codes may be given in a time, from wherever: with three codes good at any moment, a
	// guess of one who knows the password is right once in 300,000. Another password begins with none.
	mostWrong = 20
	// mostOfClient is how many of them one client may give: it takes more than one to stop the others.
	mostOfClient = 10
	// mostInAll is how many there may be under all passwords of that time: a client that may change the password gets no
	// more guesses by it.
	mostInAll = 2 * mostWrong
	wrongTime = time.Hour
	// recoverySize is how many letters and digits a recovery code has, and longestCode bounds one as it is written.
	recoverySize = 16
	longestCode  = 64
)

// Why a second factor is refused, or missing.
var (
	ErrRequired = fault.New(fault.Unauthenticated, "totp-required",
		"The password is right; a code of the second factor is needed as well.")
	ErrCode     = fault.New(fault.Invalid, "wrong-code", "The code is wrong, or was used.")
	ErrActive   = fault.New(fault.Conflict, "totp-active", "There is a second factor already: remove it first.")
	ErrInactive = fault.New(fault.Conflict, "totp-inactive", "There is no second factor.")
	ErrTooMany  = fault.New(fault.Exhausted, "too-many-attempts",
		"Too many wrong codes for this user in the last hour: at most 10 from one address and 20 from all addresses, since the last change of the password.")
	ErrNotPending = fault.New(fault.Conflict, "totp-not-pending",
		"There is no second factor to confirm: begin with a new one.")
)

// Digest is what is kept of a recovery code.
type Digest string

// DigestOf returns that of a recovery code, as it is written or with other spaces, dashes and letter case.
func DigestOf(code string) Digest {
	return Digest(fmt.Sprintf("%x", sha256.Sum256([]byte("recovery\n"+plain(code)))))
}

func plain(code string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(code))
}

// IsRecovery reports whether a text has the form of a recovery code, which no code of an app has. With 80 random bits
// it is never guessed, so that wrong ones are not counted.
func IsRecovery(code string) bool {
	return len(code) <= longestCode && len(plain(code)) == recoverySize
}

// Source is where a code comes from.
type Source struct {
	Client   string // the client's network
	Password string // mark of the password of who gives it
}

// Factor is the second factor of an account, or of a member of its staff. It is a value: a change is made to a copy.
type Factor struct {
	Of       string   // of which: see OfAccount and OfStaff
	Secret   []byte   // sealed, none while it is not active
	Pending  []byte   // sealed: of one that is not confirmed yet
	Step     int64    // the last half-minute whose code was used
	Recovery []Digest // those that were not used
	Since    time.Time
	Wrong    int       // codes in a time
	WrongBy  time.Time // when that time ends
	Under    string    // mark of the password under which the last wrong code was given
	Before   int       // of Wrong those that were given under an earlier password
	Clients  []string  // that gave the others
}

// OfAccount names the factor of an account.
func OfAccount(id int64) string { return fmt.Sprintf("account %d", id) }

// OfStaff names the factor of a member of the staff.
func OfStaff(id int64) string { return fmt.Sprintf("staff %d", id) }

// Owner returns whose factor it is: an account, or a member of the staff. It is known if the factor has one of the
// names.
func (f Factor) Owner() (id int64, staff, known bool) {
	kind, text, _ := strings.Cut(f.Of, " ")
	id, err := strconv.ParseInt(text, 10, 64)
	staff = kind == "staff"
	return id, staff, err == nil && (f.Of == OfStaff(id) || f.Of == OfAccount(id))
}

// Active reports whether a code is needed.
func (f Factor) Active() bool { return len(f.Secret) > 0 }

// Begin returns it with another sealed secret, which is to be confirmed. The refusal is ErrActive.
func (f Factor) Begin(sealed []byte) (Factor, error) {
	if f.Active() {
		return f, ErrActive
	}
	f.Pending = sealed
	return f.uncounted(), nil
}

// uncounted returns it without wrong codes: they were given for another secret.
func (f Factor) uncounted() Factor {
	f.Wrong, f.WrongBy, f.Under, f.Before, f.Clients = 0, time.Time{}, "", 0, nil
	return f
}

// Confirm makes the pending secret, sealed under its own name, the active one: a code of this step was given, which is
// used up by that.
func (f Factor) Confirm(sealed []byte, step int64, recovery []Digest, now time.Time) Factor {
	f.Secret, f.Pending, f.Step, f.Recovery, f.Since = sealed, nil, step, recovery, now
	return f.uncounted()
}

// UseCode takes the code of a step, once: neither that one nor an earlier one is good again.
func (f Factor) UseCode(step int64) (Factor, error) {
	if step <= f.Step {
		return f, ErrCode
	}
	f.Step = step
	return f, nil
}

// UseRecoveryCode takes a recovery code, once.
func (f Factor) UseRecoveryCode(code Digest) (Factor, error) {
	at := slices.Index(f.Recovery, code)
	if at < 0 {
		return f, ErrCode
	}
	f.Recovery = slices.Delete(slices.Clone(f.Recovery), at, at+1)
	return f, nil
}

// counting returns it with the wrong codes that count for a source now.
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

// Wait returns how long a source has to hold off with another code, 0 if it may give one. Its own are counted first,
// then those from wherever.
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
	return min(f.WrongBy.Sub(now), wrongTime) // it is no longer if a clock was ahead
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
