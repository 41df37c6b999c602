// Package credit implements the money of the service: exact amounts, prices with their periods, and movements, each an
// atomic double entry between two parties.
//
// The owner of a line pays for it, not the caller. An admin's balance is always 0: issuance pays for its lines. Nothing
// is refunded when a line is deleted, and the ledger outlives lines.
//
// Each reseller numbers its movements 1, 2, 3 ... and stores the number and the hash of the last one. What an admin
// issues is in the receiver's chain only, so that the admin's record is no bottleneck.
package credit

import (
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"resellerd/domain/fault"
)

// Scale is the number of decimal places of a credit: one unit is 0.0001.
const Scale = 4

const (
	unitsPerCredit = 10_000
	// maxBalanceUnits is 100,000,000,000 credits. With 4 decimal places these are 15 significant digits, which every
	// JSON client represents exactly.
	maxBalanceUnits  = 100_000_000_000 * unitsPerCredit
	maxMovementUnits = 1_000_000_000 * unitsPerCredit
	// maxNumberLength bounds the text of a number before it is scanned.
	maxNumberLength = 64
)

// The reasons for which a text is refused as an amount.
var (
	ErrNotANumber = fault.New(fault.Invalid, "not-a-number",
		"This must be a decimal number of at most 64 characters, such as 12.5.")
	ErrDecimalPlaces = fault.New(fault.Invalid, "too-many-decimal-places", "Credits have at most 4 decimal places.")
	ErrNegative      = fault.New(fault.Invalid, "negative", "Credits can't be negative.")
	ErrNotPositive   = fault.New(fault.Invalid, "not-positive", "This must be more than 0.")
	ErrTooLarge      = fault.New(fault.Invalid, "too-large", "At most 1000000000 credits can be moved at once.")
	ErrOutOfRange    = fault.New(fault.Invalid, "out-of-range", "A balance lies between 0 and 100000000000 credits.")
)

// Amount is an exact number of credits from 0 to MaxBalance with at most 4
// decimal places. The zero value is 0. Compare with Equal or Cmp, not with ==.
type Amount struct{ value decimal.Decimal }

// MaxBalance is the most that one reseller can hold: 100,000,000,000 credits.
func MaxBalance() Amount { return ofUnits(maxBalanceUnits) }

// MaxMovement is the most that one movement can carry: 1,000,000,000 credits.
func MaxMovement() Amount { return ofUnits(maxMovementUnits) }

// Parse reads an amount of a movement, 0 included: exactly one JSON number of at most 64 characters, from 0 to
// MaxMovement. Decimal places count by value, so 0.50000 is accepted. Nothing is rounded. A hostile exponent is refused
// before any arithmetic: decimal before 1.5 took seconds to add 1 to a parsed 1e10000000.
func Parse(text string) (Amount, error) {
	n, err := scanNumber(text)
	if err != nil {
		if strings.Contains(text[:min(len(text), maxNumberLength)], ",") {
			err = ErrNotANumber.WithDetail(
				"This must be a decimal number whose decimal separator is a point, such as 1234.5, and without a comma.")
		}
		return Amount{}, err
	}
	units, err := n.units()
	if err != nil {
		return Amount{}, err
	}
	return ofUnits(units), nil
}

// ParsePositive reads an amount as Parse does and refuses 0.
func ParsePositive(text string) (Amount, error) {
	a, err := Parse(text)
	if err == nil && a.IsZero() {
		return Amount{}, ErrNotPositive
	}
	return a, err
}

// FromUnits returns the amount of that many ten-thousandths of a credit, or ErrOutOfRange. Stores use it.
func FromUnits(units int64) (Amount, error) {
	if units < 0 || units > maxBalanceUnits {
		return Amount{}, ErrOutOfRange
	}
	return ofUnits(units), nil
}

func ofUnits(units int64) Amount { return Amount{decimal.New(units, -Scale)} }

// Units returns the amount in ten-thousandths of a credit.
func (a Amount) Units() int64 { return a.value.Shift(Scale).IntPart() }

// Decimal returns the amount as a decimal, for sums over many of them.
func (a Amount) Decimal() decimal.Decimal { return a.value }

// String returns the canonical form: no exponent, no trailing zeros (100, 12.5).
func (a Amount) String() string { return a.value.String() }

// IsZero reports whether the amount is 0.
func (a Amount) IsZero() bool { return a.value.IsZero() }

// Equal compares by value. The operator == compares representations: 1.5 and 1.50 differ.
func (a Amount) Equal(b Amount) bool { return a.value.Equal(b.value) }

// Cmp returns -1, 0 or 1 as a is less than, equal to or more than b.
func (a Amount) Cmp(b Amount) int { return a.value.Cmp(b.value) }

// Plus returns a+b; it reports false if that is over MaxBalance.
func (a Amount) Plus(b Amount) (Amount, bool) {
	sum := Amount{a.value.Add(b.value)}
	if sum.Cmp(MaxBalance()) > 0 {
		return Amount{}, false
	}
	return sum, true
}

// Minus returns a-b; it reports false if b is more than a.
func (a Amount) Minus(b Amount) (Amount, bool) {
	if a.Cmp(b) < 0 {
		return Amount{}, false
	}
	return Amount{a.value.Sub(b.value)}, true
}

// number is a scanned JSON number: digits × 10^exponent, digits without leading or trailing zeros and empty for zero.
// An exponent of more than four figures is clamped: it is far out of any range.
type number struct {
	negative bool
	digits   string
	exponent int
}

const farExponent = 1 << 20

// scanNumber checks the JSON grammar of a number. It costs one pass over at most 64 characters and builds no number.
func scanNumber(text string) (number, error) {
	if len(text) > maxNumberLength {
		return number{}, ErrNotANumber
	}
	rest, negative := strings.CutPrefix(text, "-")
	whole, rest := digitsOf(rest)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return number{}, ErrNotANumber
	}
	var fraction string
	if after, found := strings.CutPrefix(rest, "."); found {
		if fraction, rest = digitsOf(after); fraction == "" {
			return number{}, ErrNotANumber
		}
	}
	exponent := 0
	if rest != "" {
		if rest[0] != 'e' && rest[0] != 'E' {
			return number{}, ErrNotANumber
		}
		rest = rest[1:]
		sign := 1
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			if rest[0] == '-' {
				sign = -1
			}
			rest = rest[1:]
		}
		figures, tail := digitsOf(rest)
		if figures == "" || tail != "" {
			return number{}, ErrNotANumber
		}
		exponent = farExponent
		if figures = strings.TrimLeft(figures, "0"); len(figures) <= 4 {
			exponent, _ = strconv.Atoi("0" + figures)
		}
		exponent *= sign
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	significant := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(significant)
	return number{negative: negative, digits: significant, exponent: exponent}, nil
}

func digitsOf(s string) (digits, rest string) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	return s[:end], s[end:]
}

// units returns the number in ten-thousandths, exactly, if it can be moved.
func (n number) units() (int64, error) {
	const longestWhole = 10 // digits of 1,000,000,000
	switch {
	case n.digits == "":
		return 0, nil
	case n.negative:
		return 0, ErrNegative
	case len(n.digits)+n.exponent > longestWhole:
		return 0, ErrTooLarge
	case n.exponent < -Scale:
		return 0, ErrDecimalPlaces
	}
	units, err := strconv.ParseInt(n.digits+strings.Repeat("0", n.exponent+Scale), 10, 64)
	if err != nil || units > maxMovementUnits {
		return 0, ErrTooLarge
	}
	return units, nil
}
