package profile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"resellerd/domain/profile"
	"resellerd/test/expect"
	"resellerd/test/require"
)

func TestUsernames(t *testing.T) {
	for _, c := range []struct {
		text, shown, key string
		err              error
	}{
		{"anna", "anna", "anna", nil},
		{"ANNA@Example.com", "ANNA@Example.com", "anna@example.com", nil},
		{"Ａｎｎａ７", "Anna7", "anna7", nil},    // full width
		{"Jose\u0301", "José", "josé", nil}, // combining accent
		{"Straße", "Straße", "straße", nil}, // lower case, not folded: no ss
		{"Σίσυφος", "Σίσυφος", "σίσυφοσ", nil},
		{"用户", "用户", "用户", nil},
		{strings.Repeat("e\u0301", 64), strings.Repeat("é", 64), strings.Repeat("é", 64), nil}, // 64 once composed
		{strings.Repeat("𐐨", 64), strings.Repeat("𐐨", 64), strings.Repeat("𐐨", 64), nil},       // 4 bytes each

		{"", "", "", profile.ErrEmpty},
		{strings.Repeat("a", 65), "", "", profile.ErrTooLong},
		{strings.Repeat("a", 1<<16), "", "", profile.ErrTooLong},
		{"2João_", "2João_", "2joão_", nil},
		{"אבא5", "אבא5", "אבא5", nil},
		{"אבא-a", "", "", profile.ErrUsername}, // right to left, with a letter the other way
		{"5אבא", "", "", profile.ErrUsername},  // right to left must not start with a digit
		{"anna karenina", "", "", profile.ErrUsername},
		{"anna\u00a0k", "", "", profile.ErrUsername},
		{"anna\n", "", "", profile.ErrUsername},
		{"an\u200bna", "", "", profile.ErrUsername},    // zero width
		{"an\u202ena", "", "", profile.ErrUsername},    // right to left override
		{"an\u2028na", "", "", profile.ErrUsername},    // line separator
		{"an\xffna", "", "", profile.ErrUsername},      // no UTF-8
		{"\u0660a\u05d0", "", "", profile.ErrUsername}, // against the bidi rule
	} {
		got, err := profile.ParseUsername(c.text)
		if !errors.Is(err, c.err) || got.String() != c.shown || got.Key() != c.key {
			t.Errorf("%q: got %q with key %q, error %v, want %q, %q, %v", c.text, got, got.Key(), err, c.shown, c.key, c.err)
		}
	}
}

// Clients remove such segments from a URL. Records that have such a name stay readable.
func TestNewNamesFitIntoThePathOfAURL(t *testing.T) {
	for text, fits := range map[string]bool{
		".": false, "..": false, "．．": false, "../ana": false, "ana/.": false, "a/../b": false,
		"...": true, ".ana": true, "ana.": true, "a..b": true, "/a//b": true, "ana.tv": true, "%2e%2e": true,
	} {
		kept, err := profile.ParseUsername(text)
		if err != nil || !kept.IsCanonical() {
			t.Errorf("%q: got error %v, sound: %t", text, err, kept.IsCanonical())
		}
		switch name, err := profile.NewUsername(text); {
		case fits && (err != nil || name != kept):
			t.Errorf("%q: got %q, error %v", text, name, err)
		case !fits && (!errors.Is(err, profile.ErrUsername) || name != profile.Username{}):
			t.Errorf("%q: got %q, error %v", text, name, err)
		}
	}
	_, err := profile.NewUsername("a b")
	expect.Error(t, err, profile.ErrUsername)
}

func TestNamesAreTheSameInAnyCase(t *testing.T) {
	key := func(text string) string {
		name, err := profile.ParseUsername(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return name.Key()
	}
	for _, same := range [][]string{{"anna", "ANNA", "aNNa", "ＡＮＮＡ"}, {"josé", "JOSÉ", "Jose\u0301"}, {"σοφια", "ΣΟΦΙΑ"},
		{"οδος", "ΟΔΟΣ", "οδοσ", "Οδος"}} {
		for _, text := range same[1:] {
			expect.Equal(t, key(text), key(same[0]), "%q and %q are two names", same[0], text)
		}
	}
	for _, pair := range [][2]string{{"anna", "anne"}, {"jose", "josé"}, {"a", "а" /* Cyrillic */}} {
		if key(pair[0]) == key(pair[1]) {
			t.Errorf("%q and %q are one name", pair[0], pair[1])
		}
	}
}

// A stored name is read unchanged, and a parsed name is always within the limits.
func FuzzParseUsername(f *testing.F) {
	for _, text := range []string{"anna", "Ａｎｎａ", "Jose\u0301", "a b", "", "İ", "ﬁ", "\u0660a\u05d0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := profile.ParseUsername(text)
		if err != nil {
			expect.Equal(t, name, profile.Username{}, "%q beside %v", text, err)
			return
		}
		if n := utf8.RuneCountInString(name.String()); n < 1 || n > profile.MaxUsername || name.Key() == "" {
			t.Fatalf("%q: %q of %d characters with key %q", text, name, n, name.Key())
		}
		expect.Equal(t, profile.RestoreUsername(name.String(), name.Key()), name, "%q restored", text)
		if again, err := profile.ParseUsername(name.String()); err != nil || again != name {
			t.Fatalf("%q: shown as %q, which is read as %q with key %q, error %v", text, name, again, again.Key(), err)
		}
	})
}

func TestPasswords(t *testing.T) {
	const minimum = 6
	for _, c := range []struct {
		text, want string
		err        error
	}{
		{"secret", "secret", nil},
		{"Se cret", "Se cret", nil},
		{"  secret  ", "  secret  ", nil}, // not trimmed
		{"Se\u00a0cret", "Se cret", nil},  // other spaces become plain ones
		{"Jose\u0301123", "José123", nil},
		{"ＡＢＣＤＥＦ", "ＡＢＣＤＥＦ", nil}, // full width stays
		{"🔑🔑🔑🔑🔑🔑", "🔑🔑🔑🔑🔑🔑", nil},
		{strings.Repeat("é", 128), strings.Repeat("é", 128), nil},

		{"", "", profile.ErrEmpty},
		{"short", "", profile.ErrTooShort},
		{"ééééé", "", profile.ErrTooShort},       // counted in characters
		{"e\u0301éééé", "", profile.ErrTooShort}, // once composed
		{strings.Repeat("x", 129), "", profile.ErrTooLong},
		{strings.Repeat("x", 1<<16), "", profile.ErrTooLong},
		{"secret\n", "", profile.ErrPassword},
		{"sec\x00ret", "", profile.ErrPassword},
	} {
		got, err := profile.ParsePassword(c.text, minimum)
		expect.Error(t, err, c.err, "%q", c.text)
		expect.Equal(t, got.Reveal(), c.want, "%q", c.text)
	}
}

func TestTexts(t *testing.T) {
	type parse = func(string) (profile.Text, error)
	for _, c := range []struct {
		name       string
		parse      parse
		text, want string
		err        error
	}{
		{"text", profile.ParseText, "  Łódź 12 \t", "Łódź 12", nil},
		{"text", profile.ParseText, "", "", nil},
		{"text", profile.ParseText, " \u00a0\n ", "", nil},
		{"text", profile.ParseText, strings.Repeat("é", 64), strings.Repeat("é", 64), nil},
		{"text", profile.ParseText, " " + strings.Repeat("x", 64) + " ", strings.Repeat("x", 64), nil},
		{"text", profile.ParseText, strings.Repeat("x", 65), "", profile.ErrTooLong},
		{"text", profile.ParseText, "two\nlines", "", profile.ErrControlCharacter},
		{"text", profile.ParseText, "nul\x00", "", profile.ErrControlCharacter},
		{"text", profile.ParseText, "\u202egnp.exe", "", profile.ErrControlCharacter},
		{"text", profile.ParseText, "a\u2028b", "", profile.ErrControlCharacter},
		{"text", profile.ParseText, "\ufeffa", "", profile.ErrControlCharacter},
		{"text", profile.ParseText, "a\u200bb", "", profile.ErrControlCharacter},
		{"text", profile.ParseText, "می\u200cخواهم ක්\u200dෂ 👩\u200d👩\u200d👧 🏴\U000e0067\U000e0062\U000e007f \u0601١",
			"می\u200cخواهم ක්\u200dෂ 👩\u200d👩\u200d👧 🏴\U000e0067\U000e0062\U000e007f \u0601١", nil},
		{"stored", profile.ParseStored(3), "\u202ea\ufeff", "\u202ea\ufeff", nil},
		{"stored", profile.ParseStored(3), "a\nb", "", profile.ErrControlCharacter},
		{"reason", profile.ParseReason, " unpaid\nlate ", "unpaid\nlate", nil},
		{"reason", profile.ParseReason, "unpaid\u2028(request 1; line.deleted)", "", profile.ErrControlCharacter},
		{"reason", profile.ParseReason, "a\tb", "", profile.ErrControlCharacter},
		{"reason", profile.ParseReason, strings.Repeat("é", 501), "", profile.ErrTooLong},

		{"required", profile.ParseRequired, " PT ", "PT", nil},
		{"required", profile.ParseRequired, " \t ", "", profile.ErrEmpty},

		{"email", profile.ParseEmail, strings.Repeat("x", 254), strings.Repeat("x", 254), nil},
		{"email", profile.ParseEmail, strings.Repeat("x", 255), "", profile.ErrTooLong},
		{"email", profile.ParseEmail, "a@b.c\r\nBcc: d", "", profile.ErrControlCharacter},

		{"notes", profile.ParseNotes, "\nfirst\n\nlast\n", "first\n\nlast", nil},
		{"notes", profile.ParseNotes, "\u200fשלום", "\u200fשלום", nil},
		{"notes", profile.ParseNotes, strings.Repeat("é", 2000), strings.Repeat("é", 2000), nil},
		{"notes", profile.ParseNotes, strings.Repeat("é", 2001), "", profile.ErrTooLong},
		{"notes", profile.ParseNotes, "\r\nfirst\r\n\r\nthird\rfourth\n\rlast\r", "first\n\nthird\nfourth\n\nlast", nil},
		{"notes", profile.ParseNotes, strings.Repeat("\r\n", 1999) + "x", "x", nil},
		// the limit counts line feeds
		{"notes", profile.ParseNotes, "x" + strings.Repeat("\r\n", 1998) + "x", "x" + strings.Repeat("\n", 1998) + "x", nil},
		{"notes", profile.ParseNotes, "x" + strings.Repeat("\r\n", 1999) + "x", "", profile.ErrTooLong},
		{"reason", profile.ParseReason, "unpaid\r\nlate\rtwice", "unpaid\nlate\ntwice", nil},
		{"value of metadata", profile.ParseValue, "a\r\nb", "a\nb", nil},
		{"notes", profile.ParseNotes, "tab\tted", "", profile.ErrControlCharacter},
	} {
		got, err := c.parse(c.text)
		expect.Error(t, err, c.err, "%s %q", c.name, c.text)
		expect.Equal(t, got.String(), c.want, "%s %q", c.name, c.text)
		again, err := c.parse(got.String())
		if c.err == nil && (err != nil || again != got || profile.RestoreText(got.String()) != got) {
			t.Errorf("%s %q is read as %q, and that as %q, error %v", c.name, c.text, got, again, err)
		}
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	const text = "correct horse"
	secret := profile.NewSecret(text)
	expect.Equal(t, secret.Reveal(), text)
	record := struct {
		Password profile.Secret
		Others   []profile.Secret
		Any      any
	}{secret, []profile.Secret{secret}, &secret}
	printed := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		printed[verb] = fmt.Sprintf(verb, secret)
		printed[verb+" in a struct"] = fmt.Sprintf(verb, record)
	}
	asJSON, err := json.Marshal(record)
	require.NoError(t, err)
	asKey, err := json.Marshal(map[profile.Secret]int{secret: 1})
	require.NoError(t, err)
	printed["JSON"], printed["JSON key"] = string(asJSON), string(asKey)
	var out bytes.Buffer
	slog.New(slog.NewTextHandler(&out, nil)).Info("login", "password", secret, "record", record)
	printed["a log"] = out.String()
	for how, got := range printed {
		if strings.Contains(got, "correct") || strings.Contains(got, "636f7272") || !strings.Contains(got, "redacted") &&
			!strings.Contains(got, fmt.Sprintf("%x", "[redacted]")) {
			t.Errorf("%s prints %s", how, got)
		}
	}
	expect.Equal(t, printed["%s"], "[redacted]")
}

func TestCanonicalNames(t *testing.T) {
	for _, c := range []struct {
		shown, key string
		want       bool
	}{
		{"Maria", "maria", true},
		{"João_2", "joão_2", true},
		{"Maria", "Maria", false},
		{"Maria", "other", false},
		{"Maria", "", false},
		{"a b", "a b", false},
		{"", "", false},
		{"Ｍaria", "maria", false}, // shown in another width
	} {
		expect.Equal(t, profile.RestoreUsername(c.shown, c.key).IsCanonical(), c.want, "%q as %q", c.shown, c.key)
	}
}
