// Package secondfactor holds what somebody gives at a sign-in besides the password: a code that an app shows for half a
// minute (RFC 6238), or one of some recovery codes. Each is good once.
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
	// guess of one who knows the password is right once in 300,000.
	mostWrong = 20
	wrongTime = time.Hour
)

// Why a second factor is refused, or missing.
var (
	ErrRequired   = fault.New(fault.Unauthenticated, "totp-required", "The password is right; a code of the second factor is needed as well.")
	ErrCode       = fault.New(fault.Invalid, "wrong-code", "The code is wrong, or was used.")
	ErrActive     = fault.New(fault.Conflict, "totp-active", "There is a second factor already: remove it first.")
	ErrInactive   = fault.New(fault.Conflict, "totp-inactive", "There is no second factor.")
	ErrNotPending = fault.New(fault.Conflict, "totp-not-pending", "There is no second factor to confirm: begin with a new one.")
)

// Digest is what is kept of a recovery code.
type Digest string

// DigestOf returns that of a recovery code, as it is written or with other spaces, dashes and letter case.
func DigestOf(code string) Digest {
	plain := strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(code))
	return Digest(fmt.Sprintf("%x", sha256.Sum256([]byte("recovery\n"+plain))))
}

// Factor is the second factor of an account, or of a member of its staff. It is a value: a change is made to a copy.
type Factor struct {
	Of       string   // of which: see OfAccount and OfStaff
	Secret   []byte   // sealed, none while it is not active
	Pending  []byte   // sealed: of one that is not confirmed yet
	Step     int64    // the last half-minute whose code was used
	Recovery []Digest // those that were not used
	Since    time.Time
	Wrong    int       // codes in the time that began at WrongFrom
	WrongBy  time.Time // when that time ends
}

// OfAccount names the factor of an account.
func OfAccount(id int64) string { return fmt.Sprintf("account %d", id) }

// OfStaff names the factor of a member of the staff.
func OfStaff(id int64) string { return fmt.Sprintf("staff %d", id) }

// Owner returns whose factor it is: an account, or a member of the staff. It is known if the factor has one of the names.
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
	return f, nil
}

// Confirm makes the pending secret, sealed under its own name, the active one: a code of this step was given, which is
// used up by that.
func (f Factor) Confirm(sealed []byte, step int64, recovery []Digest, now time.Time) Factor {
	f.Secret, f.Pending, f.Step, f.Recovery, f.Since = sealed, nil, step, recovery, now
	return f
}

// Accept takes the code of a step, once: neither that one nor an earlier one is good again.
func (f Factor) Accept(step int64) (Factor, error) {
	if step <= f.Step {
		return f, ErrCode
	}
	f.Step = step
	return f, nil
}

// Recover takes a recovery code, once.
func (f Factor) Recover(code Digest) (Factor, error) {
	at := slices.Index(f.Recovery, code)
	if at < 0 {
		return f, ErrCode
	}
	f.Recovery = slices.Delete(slices.Clone(f.Recovery), at, at+1)
	return f, nil
}

// Wait returns how long to hold off with another code, 0 if one may be given.
func (f Factor) Wait(now time.Time) time.Duration {
	if f.Wrong < mostWrong || !now.Before(f.WrongBy) {
		return 0
	}
	return min(f.WrongBy.Sub(now), wrongTime) // it is no longer if a clock was ahead
}

// Failed counts a wrong code.
func (f Factor) Failed(now time.Time) Factor {
	if !now.Before(f.WrongBy) {
		f.Wrong, f.WrongBy = 0, now.Add(wrongTime)
	}
	f.Wrong++
	return f
}
