package credentials

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"testing"

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
	const rounds = 500
	for range rounds {
		for text, length := range map[string]int{g.LineUsername().Key(): 12, g.LinePassword().Reveal(): 12,
			g.Password().Reveal(): 20} {
			expect.Equal(t, len(text) == length && form.MatchString(text), true, "%q has %d letters and digits", text, length)
			seen[text] = true
		}
		generation, secret := g.Generation(), g.SessionSecret().Reveal()
		bits, err := base64.RawURLEncoding.DecodeString(secret)
		expect.Equal(t, len(bits), 32, "bytes of %q, %v", secret, err)
		seen[string(generation[:])], seen[secret] = true, true
	}
	expect.Equal(t, len(seen), 5*rounds, "different texts")
}
