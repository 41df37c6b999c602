package profile

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Search is a part of a text to look for, whatever its case, as names are compared. The zero value is in every text.
type Search struct{ folded string }

// ParseSearch reads a part of at most 64 characters. Spaces around it do not count; an empty one is the zero value.
func ParseSearch(text string) (Search, error) {
	part, err := ParseText(text)
	return Search{fold(part.value)}, err
}

// RestoreSearch returns the search whose String a store kept.
func RestoreSearch(folded string) Search { return Search{folded} }

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

// fold makes texts that differ in case, width or composition alone the same.
func fold(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return folded(norm.NFC.String(strings.ToLower(norm.NFKC.String(text))))
		}
	}
	return strings.ToLower(text)
}
