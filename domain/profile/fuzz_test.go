package profile_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"resellerd/domain/profile"
	"resellerd/test/expect"
)

func FuzzTexts(f *testing.F) {
	for _, text := range []string{"", " ", "São Paulo", "Jose\u0301", "two\nlines\r\nand\ttabs", "\x00", "\xff",
		"a\u2028b", "ﬁ", "\u200b", "🔑🔑🔑🔑🔑🔑", "a@example.com", "\u202eabc"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []struct {
			name    string
			parse   func(string) (profile.Text, error)
			longest int
			lines   bool
		}{
			{"a text", profile.ParseText, profile.MaxText, false},
			{"a required one", profile.ParseRequired, profile.MaxText, false},
			{"an e-mail address", profile.ParseEmail, profile.MaxEmail, false},
			{"notes", profile.ParseNotes, profile.MaxNotes, true},
		} {
			got, err := kind.parse(text)
			if err != nil {
				expect.Equal(t, got, profile.Text{}, "%q as %s beside %v", text, kind.name, err)
				continue
			}
			s := got.String()
			if !utf8.ValidString(s) || utf8.RuneCountInString(s) > kind.longest {
				t.Fatalf("%q as %s: %q of %d characters", text, kind.name, s, utf8.RuneCountInString(s))
			}
			for _, r := range s {
				if unicode.IsControl(r) && (!kind.lines || r != '\n') {
					t.Fatalf("%q as %s: %q holds %U", text, kind.name, s, r)
				}
			}
			if again, err := kind.parse(s); err != nil || again != got {
				t.Fatalf("%q as %s: shown as %q, which is read as %q, error %v", text, kind.name, s, again, err)
			}
			expect.Equal(t, profile.RestoreText(s), got, "%q as %s restored", text, kind.name)
		}
		if got, err := profile.ParsePassword(text, 1); err == nil {
			if again, err := profile.ParsePassword(got.Reveal(), 1); err != nil || again.Reveal() != got.Reveal() {
				t.Fatalf("%q as a password is %q, which is read as %q, error %v", text, got.Reveal(), again.Reveal(), err)
			}
		}
	})
}
