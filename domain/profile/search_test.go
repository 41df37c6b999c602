package profile_test

import (
	"strings"
	"testing"
	"unicode"

	"resellerd/domain/profile"
	"resellerd/test/expect"
)

func TestSearches(t *testing.T) {
	for _, c := range []struct {
		part string
		text string
		in   bool
	}{
		{"ANA", "joana", true},
		{" ana ", "joana", true},
		{"ana", "an a", false},
		{"joão", "JOÃO.tv", true},
		{"jo\u0061\u0303o", "João", true},
		{"JOÃO", "joao", true},
		{"São", "sao paulo", true},
		{"jaao", "João", false},
		{"strasse", "Straße", true},
		{"aegir thor", "Ægir Þór", true},
		{"fuer", "für", false}, // as German has it, and no other language
		{"محمد", "مُحَمَّد", true},
		{"कमार", "कुमार", false}, // vowels are letters
		{"ที", "ทา", false},
		{"か", "が", false},
		{"ｶﾞ", "ガ", true},
		{"line 12", "Line ١٢", true},
		{"line ۱۲", "line १२", true},
		{"\u0301", "é", false}, // accents alone
		{"ΟΔΟΣ", "η οδος εδώ", true},
		{"%", "100", false},
		{"👩‍👩‍👧", "x👩‍👩‍👧", true},
		{"", "", true},
		{"a", "", false},
	} {
		s, err := profile.ParseSearch(c.part)
		if err != nil || s.In("zzz", c.text) != c.in || s.In(c.text) != c.in {
			t.Errorf("%q in %q: %v, error %v, want %v", c.part, c.text, s.In(c.text), err, c.in)
		}
		expect.Equal(t, s.IsZero(), c.part == "", "%q is an empty search", c.part)
	}
	if none := (profile.Search{}); !none.In() || !none.In("a") {
		t.Error("an empty search does not match every text")
	}
	for text, want := range map[string]error{
		strings.Repeat("é", profile.MaxText):   nil,
		strings.Repeat("é", profile.MaxText+1): profile.ErrTooLong,
		"a\nb":                                 profile.ErrControlCharacter,
		"\xff":                                 profile.ErrControlCharacter,
	} {
		_, err := profile.ParseSearch(text)
		expect.Error(t, err, want, "%q", text)
	}
}

func TestSearchesForNumbers(t *testing.T) {
	const whole = "+55 (11) 98888-7777"
	for _, c := range []struct {
		part string
		text string
		in   bool
	}{
		{"11 98888", whole, true},
		{"11988887777", whole, true},
		{"+5511988887777", whole, true},
		{"７７７７", "+55 11 98888-７７７７", true},
		{"٩٨٨٨٨", whole, true},
		{"۰۰۵۵۱۱۹۸۸۸۸۷۷۷۷", whole, true},
		{"98888-7778", "+٥٥ (١١) ٩٨٨٨٨-٧٧٧٧", false},
		{"90888-7777", "+55 11 9888-7777", false},
		{"11-9", whole, false}, // three digits are not enough
		{"8-777", whole, true},
		{"8) 9", whole, false},
		{"11 98888 7777 x", whole, false},
		{"ana 98888", whole, false},
		{"+55 11 98888-7777", "11 98888-7777", true},
		{"005511988887777", whole, true},
		{"+55 11 98888-7777", "8888-7777", true},
		{"+55 11 98888-7777", "888-7777", false}, // too short to be all of a number
		{"+55 11 98888-7777", "", false},
		{"AN", "@ana", true},
		{"", "", true},
	} {
		s, err := profile.ParseSearch(c.part)
		if err != nil || s.InNumber("zzz", c.text) != c.in || profile.RestoreSearch(s.String()).InNumber(c.text) != c.in {
			t.Errorf("%q in %q: %v, error %v, want %v", c.part, c.text, s.InNumber(c.text), err, c.in)
		}
	}
}

// Folding a folded text changes nothing, so that a stored search stays the same.
func TestFoldedLettersStayAsTheyAre(t *testing.T) {
	for r := range rune(0x20000) { // no letter beyond has two cases
		if unicode.In(r, unicode.Han, unicode.Hangul) {
			continue
		}
		s := profile.RestoreSearch(string(r))
		expect.Equal(t, profile.RestoreSearch(s.String()), s, "%q is %q and then", r, s)
		if !s.In(strings.ToUpper(string(r))) && unicode.IsLetter(r) {
			t.Errorf("%q is not found in capitals", r)
		}
	}
}

func TestSearchesOfASCIITakeNoMemory(t *testing.T) {
	s := profile.RestoreSearch("needle")
	texts := []string{strings.Repeat("hay ", 500), "ana.tv", "ana@example.org"}
	if n := testing.AllocsPerRun(10, func() { s.In(texts...) }); n > 0 {
		t.Errorf("a search allocates %v times", n)
	}
}
