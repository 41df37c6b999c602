package profile

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Search is a part of a text to look for, whatever its case and accents. The zero value is in every text.
type Search struct {
	folded string
	digits string // of a telephone number, or a part of one: "" for any other text
}

// ParseSearch reads a part of at most 64 characters. Spaces around it do not count; an empty one is the zero value.
func ParseSearch(text string) (Search, error) {
	part, err := ParseStored(MaxText)(text)
	return RestoreSearch(part.value), err
}

// RestoreSearch returns the search whose String a store kept. One for accents alone, of which folding leaves nothing,
// is in no text.
func RestoreSearch(text string) Search {
	s := Search{folded: cmp.Or(fold(text), text)}
	if digits := digitsOf(s.folded); len(digits) >= leastDigits && strings.Trim(s.folded, "0123456789 +-().") == "" {
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
	if in := s.In(texts...); in || s.digits == "" {
		return in
	}
	for _, text := range texts {
		digits := digitsOf(fold(text))
		if strings.Contains(digits, s.digits) || len(digits) >= nationalDigits && strings.HasSuffix(s.digits, digits) {
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

// fold makes texts the same that differ in case, accents, width, composition or the script of their digits alone.
func fold(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return foldUnicode(text)
		}
	}
	return strings.ToLower(text)
}

func foldUnicode(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= firstAccent }) {
		text = norm.NFKD.String(text)
	}
	often := often()
	folded := make([]byte, 0, len(text))
	for _, r := range text {
		if int(r) < len(often) {
			folded = append(folded, often[r]...)
		} else {
			folded = appendFolded(folded, r)
		}
	}
	return string(norm.NFC.Bytes(folded)) // so that a kana or a syllable of Korean is not a part of another
}

// firstAccent is the first character that may belong to the one before it.
const firstAccent = '\u0300'

// often returns what the letters of Latin, Greek, Cyrillic, Hebrew and Arabic fold to.
var often = sync.OnceValue(func() *[0x800]string {
	var often [0x800]string
	for r := range often {
		var folded []byte
		for _, part := range norm.NFKD.String(string(rune(r))) {
			folded = appendFolded(folded, part)
		}
		often[r] = string(folded)
	}
	return &often
})

// appendFolded folds a character that NFKD leaves as it is.
func appendFolded(folded []byte, r rune) []byte {
	r = unicode.ToLower(unicode.ToUpper(r)) // upper first: σ and ς are one letter, and so are i and ı
	switch {
	case unicode.IsDigit(r):
		return append(folded, digit(r))
	case isAccent(r):
		return folded
	}
	if letters, is := spelled[r]; is {
		return append(folded, letters...)
	}
	return utf8.AppendRune(folded, r)
}

// isAccent reports whether a mark may be left out as people type: accents, and the vowel points of Arabic and Hebrew.
// The marks of other scripts are letters, such as the vowels of Hindi and Thai, and so are voiced kana.
func isAccent(r rune) bool {
	return unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Arabic, unicode.Hebrew) &&
		r != '\u3099' && r != '\u309a'
}

// digit returns the ASCII digit of the same value. Unicode has the digits of a script in a row that begins with zero.
func digit(r rune) byte {
	value := byte(0)
	for unicode.IsDigit(r - 1) {
		r, value = r-1, value+1
	}
	return '0' + value%10
}

// spelled has letters as a keyboard without them spells them. Unicode takes no letter apart that has a stroke or is two
// joined; these are those of languages of Europe and of Vietnamese.
var spelled = map[rune]string{
	'æ': "ae", 'đ': "d", 'ð': "d", 'ħ': "h", 'ł': "l", 'ø': "o", 'œ': "oe", 'ß': "ss", 'ŧ': "t", 'þ': "th",
}

// Member is a text of a record, under the name that the interface, the journal and the stores have for it. T is Text,
// or *Text for a change of it: nil leaves it alone, and a pointer to an empty text clears it.
type Member[T any] struct {
	Name       string
	At         *T
	Number     bool // it may be a telephone number, of which a search finds the digits
	Unsearched bool // no search looks at it
	Required   bool // it is never empty
	OfOne      bool // no two records have the same, so that a job for many sets none
}

// Finds reports whether a search looks at a member and finds its part there.
func (s Search) Finds(m Member[Text]) bool {
	switch {
	case m.Unsearched:
		return false
	case m.Number:
		return s.InNumber(m.At.String())
	}
	return s.In(m.At.String())
}
