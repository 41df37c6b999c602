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
