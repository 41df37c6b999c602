package session_test

import (
	"regexp"
	"testing"

	"resellerd/domain/session"
)

var ids = regexp.MustCompile(`^[0-9a-f]{32}$`)

func FuzzParseID(f *testing.F) {
	for _, text := range []string{"", string(session.IDOf("secret")), "0123456789ABCDEF0123456789abcdef",
		"0123456789abcdef0123456789abcde\n", "é"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, ok := session.ParseID(text)
		if ok != ids.MatchString(text) || ok && string(id) != text {
			t.Fatalf("%q is read as %q, %t", text, id, ok)
		}
	})
}
