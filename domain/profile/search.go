package profile

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Search is a part of a text to find, in any case and with any accents. Every text contains the zero value.
type Search struct {
	folded string
	digits string // of a telephone number or a part of one, "" for any other text
}

// ParseSearch reads a part of at most 64 characters. Spaces around it do not count; an empty one is the zero value.
func ParseSearch(text string) (Search, error) {
	part, err := ParseStored(MaxText)(text)
	return RestoreSearch(part.value), err
}

// RestoreSearch returns the search of a stored String. Folding leaves nothing of a search for
// accents alone: no text contains it.
func RestoreSearch(text string) Search {
	s := Search{folded: cmp.Or(fold(text), text)}
	if digits := digitsOf(s.folded); len(digits) >= leastDigits && strings.Trim(s.folded, "0123456789 +-().") == "" {
		s.digits = digits
	}
	return s
}

// leastDigits is the least number of digits in a search for a telephone number; nationalDigits that of a number without
// its country code.
const leastDigits, nationalDigits = 4, 8

// String returns the part to find, as texts are compared.
func (s Search) String() string { return s.folded }

// IsZero reports whether the search is empty.
func (s Search) IsZero() bool { return s.folded == "" }

// In reports whether one of the texts contains the part.
func (s Search) In(texts ...string) bool {
	for _, text := range texts {
		if strings.Contains(fold(text), s.folded) {
			return true
		}
	}
	return s.folded == ""
}

// InNumber reports whether one of the texts, as a telephone number, contains the part, whatever signs separate the
// digits. It also finds a number without its country code if the part has the code.
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

// fold returns the same text for texts that differ only in case, accents, width, composition or the script of their
// digits.
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
	return string(norm.NFC.Bytes(folded)) // so that a kana or a Korean syllable is not a part of another
}

// firstAccent is the first character that may belong to the one before it.
const firstAccent = '\u0300'

// often returns the folded letters of Latin, Greek, Cyrillic, Hebrew and Arabic.
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

// appendFolded folds a character that NFKD leaves unchanged.
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

// isAccent reports whether people may leave out a mark when they type: accents, and the vowel points of Arabic and
// Hebrew. The marks of other scripts are letters, such as the vowels of Hindi and Thai and the signs of voiced kana.
func isAccent(r rune) bool {
	return unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Arabic, unicode.Hebrew) &&
		r != '\u3099' && r != '\u309a'
}

// digit returns the ASCII digit of the same value. In Unicode the digits of a script are in a row that begins with
// zero.
func digit(r rune) byte {
	value := byte(0)
	for unicode.IsDigit(r - 1) {
		r, value = r-1, value+1
	}
	return '0' + value%10
}

// spelled maps letters to their spelling on a keyboard without them. Unicode does not decompose a letter with a stroke,
// or two joined letters. The map has those of European languages and of Vietnamese.
var spelled = map[rune]string{
	'æ': "ae", 'đ': "d", 'ð': "d", 'ħ': "h", 'ł': "l", 'ø': "o", 'œ': "oe", 'ß': "ss", 'ŧ': "t", 'þ': "th",
}

// Member is a text of a record, with its name in the interface, the journal and the stores. T is Text, or *Text for a
// change: nil leaves the text, and a pointer to an empty text clears it.
type Member[T any] struct {
	Name       string
	At         *T
	Number     bool // it may be a telephone number, whose digits a search finds
	Unsearched bool // searches ignore it
	Required   bool // it is never empty
	OfOne      bool // unique among records, so a bulk job can't set it
}

// Finds reports whether a search covers a member and finds its part there.
func (s Search) Finds(m Member[Text]) bool {
	switch {
	case m.Unsearched:
		return false
	case m.Number:
		return s.InNumber(m.At.String())
	}
	return s.In(m.At.String())
}
