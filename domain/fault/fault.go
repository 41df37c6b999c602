// Package fault implements refusals as errors that a caller can act on. Each has a kind, one of a closed set that
// decides how the refusal is treated, and a code, a kebab-case word that names it and never changes once released.
//
// Faults are declared once, next to the rule that raises them, and matched with errors.Is. An error type that carries
// figures (a shortfall, an end) unwraps to its fault and names them by Members. After adds the time to wait.
package fault

import (
	"fmt"
	"time"
)

// Kind is how the caller treats a refusal. The set is closed: Kinds lists it.
type Kind struct{ name string }

// The kinds of refusal.
var (
	Invalid         = Kind{"invalid"}         // the value itself can never be accepted
	Unauthenticated = Kind{"unauthenticated"} // the caller is not authenticated
	Unpaid          = Kind{"unpaid"}          // credits are missing
	Forbidden       = Kind{"forbidden"}       // the caller sees it, but may not do this
	Absent          = Kind{"absent"}          // it does not exist, or the caller may not see it
	Gone            = Kind{"gone"}            // it existed once, and never will again
	Conflict        = Kind{"conflict"}        // the present state does not allow it
	Exhausted       = Kind{"exhausted"}       // a limit in time is used up
	Unavailable     = Kind{"unavailable"}     // the answer is not known now; a repetition may help
)

// Kinds returns every kind, so that a table over kinds can be checked for gaps.
func Kinds() []Kind {
	return []Kind{Invalid, Unauthenticated, Unpaid, Forbidden, Absent, Gone, Conflict, Exhausted, Unavailable}
}

// String returns the kind's name.
func (k Kind) String() string { return k.name }

// Fault is a refusal with a kind and a stable code.
type Fault struct {
	kind Kind
	code string
	text string
}

// New declares a fault. The text is a sentence for people, without figures.
func New(kind Kind, code, text string) *Fault {
	return &Fault{kind: kind, code: code, text: text}
}

// Error returns the sentence for people.
func (f *Fault) Error() string { return f.text }

// WithDetail returns an error that matches the fault and has a sentence about this case.
func (f *Fault) WithDetail(format string, args ...any) error {
	return &detailed{f, fmt.Sprintf(format, args...)}
}

type detailed struct {
	*Fault

	text string
}

// Error returns the sentence about this case.
func (d *detailed) Error() string { return d.text }

// Unwrap makes the error match its fault.
func (d *detailed) Unwrap() error { return d.Fault }

// Kind returns how the caller treats the refusal.
func (f *Fault) Kind() Kind { return f.kind }

// Code returns the stable kebab-case word that names the refusal.
func (f *Fault) Code() string { return f.code }

// Member is a figure of a refusal. The name never changes once released. The value is a text, a time, or has a String
// method.
type Member struct {
	Name  string
	Value any
}

// Detailed is an error with figures, in the order in which they are shown.
type Detailed interface {
	error
	Members() []Member
}

// Later is a refusal that ends with time.
type Later struct {
	error

	Wait time.Duration // until the same request may succeed
}

// After returns a refusal that ends after a time.
func After(wait time.Duration, refusal error) error { return &Later{refusal, wait} }

// Unwrap makes the error match its refusal.
func (l *Later) Unwrap() error { return l.error }

// ErrNotFound refuses an id that does not exist, or that the caller may not see. Both get the same answer.
var ErrNotFound = New(Absent, "not-found", "There is nothing with this id.")
