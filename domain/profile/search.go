package profile

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Search is a part of a text to look for, whatever its case, as names are compared. The zero value is in every text.
type Search struct {
	folded string
	digits string // of a telephone number, or a part of one: "" for any other text
}

// ParseSearch reads a part of at most 64 characters. Spaces around it do not count; an empty one is the zero value.
func ParseSearch(text string) (Search, error) {
	part, err := ParseStored(MaxText)(text)
	return RestoreSearch(fold(part.value)), err
}

// RestoreSearch returns the search whose String a store kept.
func RestoreSearch(folded string) Search {
	s := Search{folded: folded}
	if digits := digitsOf(folded); len(digits) >= leastDigits && strings.Trim(folded, "0123456789 +-().") == "" {
		s.digits = digits
	}
	return s
}

// What people type of a telephone number has so many digits at least, and a number without its country's code so many.
const leastDigits, nationalDigits = 4, 8

// String returns what is looked for, as texts are compared.
func (s Search) String() string { return s.folded }

// IsZero reports whether there is nothing to look for.
func (s Search) IsZero() bool { return s.folded == "" }

// In reports whether one of the texts has the part in it.
func (s Search) In(texts ...string) bool {
	for _, text := range texts {
		if strings.Contains(fold(text), s.folded) {
			return true
		}
	}
	return s.folded == ""
}

// InNumber reports whether one of the texts, which may be telephone numbers, has the part in it, whichever signs stand
// between their digits; or all of a number, of which the part has a country's code as well.
func (s Search) InNumber(texts ...string) bool {
	if s.In(texts...) {
		return true
	}
	for _, text := range texts {
		digits := digitsOf(fold(text))
		if s.digits != "" && (strings.Contains(digits, s.digits) || len(digits) >= nationalDigits && strings.HasSuffix(s.digits, digits)) {
			return true
		}
	}
	return false
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

// fold makes texts that differ in case, width or composition alone the same.
func fold(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return folded(norm.NFC.String(strings.ToLower(norm.NFKC.String(text))))
		}
	}
	return strings.ToLower(text)
}
