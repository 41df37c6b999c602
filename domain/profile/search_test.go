package profile_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"resellerd/domain/profile"
)

func TestSearches(t *testing.T) {
	for _, c := range []struct {
		part string
		text string
		in   bool
	}{
		{"ana", "Joana", true},
		{"ANA", "joana", true},
		{" ana ", "joana", true},
		{"ana b", "Ana Beatriz", true},
		{"ana", "an a", false},
		{"joão", "JOÃO.tv", true},
		{"jo\u0061\u0303o", "João", true},
		{"joao", "João", false},
		{"ΟΔΟΣ", "η οδος εδώ", true},
		{"οδος", "ΟΔΟΣ", true},
		{"ab", "xＡＢ", true},
		{"+5511", "+5511912345678", true},
		{"%", "100%", true},
		{"%", "100", false},
		{"שלום", "אבגשלום", true},
		{"👩‍👩‍👧", "x👩‍👩‍👧", true},
		{"", "", true},
		{"a", "", false},
	} {
		s, err := profile.ParseSearch(c.part)
		if err != nil || s.In("zzz", c.text) != c.in || s.In(c.text) != c.in {
			t.Errorf("%q in %q: %v, error %v, want %v", c.part, c.text, s.In(c.text), err, c.in)
		}
		if s.IsZero() != (c.part == "") {
			t.Errorf("%q is nothing to look for: %v", c.part, s.IsZero())
		}
	}
	if none := (profile.Search{}); !none.In() || !none.In("a") {
		t.Error("what looks for nothing is not in every text")
	}
	for text, want := range map[string]error{
		strings.Repeat("é", profile.MaxText):   nil,
		strings.Repeat("é", profile.MaxText+1): profile.ErrTooLong,
		"a\nb":                                 profile.ErrControlCharacter,
		"\xff":                                 profile.ErrControlCharacter,
	} {
		if _, err := profile.ParseSearch(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
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
		{"55 11 9 8888.7777", whole, true},
		{"（11）98888", whole, true},
		{"７７７７", "+55 11 98888-７７７７", true},
		{"11-9", whole, false}, // three digits are not enough
		{"8-777", whole, true},
		{"8) 9", whole, false},
		{"98888-77778", whole, false},
		{"11 98888 7777 x", whole, false},
		{"ana 98888", whole, false},
		{"+55 11 98888-7777", "11 98888-7777", true},
		{"005511988887777", whole, true},
		{"+55 11 98888-7777", "8888-7777", true},
		{"+55 11 98888-7777", "888-7777", false}, // too short to be all of a number
		{"+55 11 98888-7777", "11 98888-777", false},
		{"+55 11 98888-7777", "", false},
		{"988887777", "@ana", false},
		{"AN", "@ana", true},
		{"", "", true},
	} {
		s, err := profile.ParseSearch(c.part)
		if err != nil || s.InNumber("zzz", c.text) != c.in || profile.RestoreSearch(s.String()).InNumber(c.text) != c.in {
			t.Errorf("%q in %q: %v, error %v, want %v", c.part, c.text, s.InNumber(c.text), err, c.in)
		}
	}
}

// Whatever a text is made of, a part of it finds it, in either case.
func TestAPartOfATextFindsIt(t *testing.T) {
	letters := rapid.RuneFrom([]rune("aZ0.%_ßÉéΣσςǅＡ𐐀אب中 🔑"))
	rapid.Check(t, func(t *rapid.T) {
		runes := []rune(norm.NFC.String(rapid.StringOfN(letters, 1, 20, -1).Draw(t, "text")))
		from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
		part := string(runes[from:rapid.IntRange(from, len(runes)).Draw(t, "to")])
		for _, given := range []string{part, strings.ToLower(part), norm.NFD.String(part)} {
			s, err := profile.ParseSearch(given)
			if err != nil || !s.In(string(runes)) || !s.In(strings.ToLower(string(runes))) {
				t.Fatalf("%q is not found in %q, error %v", given, string(runes), err)
			}
		}
	})
}
