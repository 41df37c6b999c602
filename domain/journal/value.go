package journal

import "time"

// Value is a shown value of an entry: none, a text, a number, an instant, or a truth value. The zero value is none.
// Values are compared by ==.
type Value struct {
	kind   valueKind
	text   string
	number int64 // of an instant the Unix milliseconds, of a truth value 1 or 0
}

type valueKind byte

const (
	none valueKind = iota
	text
	number
	instant
	truth
)

// Text returns a value that is a text.
func Text(s string) Value { return Value{kind: text, text: s} }

// Number returns a value that is a number.
func Number(n int64) Value { return Value{kind: number, number: n} }

// Instant returns a value that is an instant, to the millisecond.
func Instant(t time.Time) Value { return Value{kind: instant, number: t.UnixMilli()} }

// Bool returns a value that is true or false.
func Bool(is bool) Value {
	v := Value{kind: truth}
	if is {
		v.number = 1
	}
	return v
}

// Any returns the value as nil, string, int64, time.Time in UTC or bool.
func (v Value) Any() any {
	switch v.kind {
	case text:
		return v.text
	case number:
		return v.number
	case instant:
		return time.UnixMilli(v.number).UTC()
	case truth:
		return v.number == 1
	case none:
	}
	return nil
}
