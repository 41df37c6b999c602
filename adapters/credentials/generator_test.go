package credentials

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"testing"

	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
)

func TestEveryCharacterIsEquallyLikely(t *testing.T) {
	var everyByte []byte
	for b := range 256 {
		everyByte = append(everyByte, byte(b))
	}
	count := map[byte]int{}
	for _, c := range spell(nil, everyByte) {
		count[c]++
	}
	expect.Equal(t, len(count), 31, "characters")
	for c, n := range count {
		expect.Equal(t, n, 8, "bytes of 256 that give %q", c)
		if bytes.IndexByte([]byte("ilo01"), c) >= 0 {
			t.Errorf("%q looks like another character", c)
		}
	}
}

func TestGeneratedValues(t *testing.T) {
	var g Generator
	form := regexp.MustCompile(`^[abcdefghjkmnpqrstuvwxyz23456789]+$`)
	seen := map[string]bool{}
	generations, secrets := map[reseller.Generation]bool{}, map[string]bool{}
	const rounds = 500
	for range rounds {
		name := g.LineUsername()
		expect.Equal(t, name.Key(), name.String(), "name %q has the key", name)
		for _, c := range []struct {
			text   string
			length int
		}{{name.String(), 12}, {g.LinePassword().Reveal(), 12}, {g.Password().Reveal(), 20}} {
			if len(c.text) != c.length || !form.MatchString(c.text) {
				t.Errorf("got %q, want %d letters and digits", c.text, c.length)
			}
			_, err := profile.ParsePassword(c.text, reseller.MinPassword)
			expect.Error(t, err, nil, "the password %q", c.text)
			seen[c.text] = true
		}
		generations[g.Generation()] = true
		secret := g.SessionSecret().Reveal()
		if bits, err := base64.RawURLEncoding.DecodeString(secret); err != nil || len(bits) != 32 {
			t.Errorf("the secret %q has %d bytes: %v", secret, len(bits), err)
		}
		secrets[secret] = true
	}
	if len(seen) != 3*rounds || len(generations) != rounds || len(secrets) != rounds {
		t.Errorf("got %d texts, %d generations and %d secrets of %d rounds: one came twice", len(seen), len(generations),
			len(secrets), rounds)
	}
}
