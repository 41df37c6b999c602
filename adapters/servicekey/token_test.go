package servicekey

import (
	"encoding/base64"
	"math"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

var sample = ports.Token{
	Reseller:   42,
	Generation: reseller.Generation{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255},
}

func TestTokenStaysWhatItIsAndComesBackAsIssued(t *testing.T) {
	want := "eyJhbGciOiJIUzI1NiIsImtpZCI6ImQ3NmE4NWQ0IiwidHlwIjoiSldUIn0." +
		"eyJzdWIiOiI0MiIsImdlbiI6IkFBRUNBd1FGQmdjSUNRb0xEQTBPX3cifQ." +
		"ncdGXXtAd65DcIqRKf0QJxSDOKfKD4LR7RTYPHSxiJE"
	k := keyring(t, oneKey)
	expect.Equal(t, k.Issue(sample).Reveal(), want)
	for _, reseller := range []int64{1, 42, math.MaxInt64} {
		want := ports.Token{Reseller: reseller, Generation: sample.Generation}
		got, err := k.Verify(k.Issue(want).Reveal())
		require.NoError(t, err)
		expect.Equal(t, got, want)
	}
}

// Each token here is signed with the right key, but for the rows that say so.
func TestTokenThatWasNotIssuedIsRefused(t *testing.T) {
	k := keyring(t, oneKey)
	type header map[string]any
	generation := base64.RawURLEncoding.EncodeToString(sample.Generation[:])
	sign := func(method jwt.SigningMethod, h header, c jwt.MapClaims, key any) string {
		token := jwt.NewWithClaims(method, c)
		for name, value := range h {
			token.Header[name] = value
			if value == nil {
				delete(token.Header, name)
			}
		}
		text, err := token.SignedString(key)
		require.NoError(t, err)
		return text
	}
	ours := header{"kid": k.tokenKey.ID.String()}
	said := func(changes jwt.MapClaims) string {
		c := jwt.MapClaims{"sub": "42", "gen": generation}
		for name, value := range changes {
			c[name] = value
			if value == nil {
				delete(c, name)
			}
		}
		return sign(jwt.SigningMethodHS256, ours, c, k.tokenKey.Key)
	}
	content := jwt.MapClaims{"sub": "42", "gen": generation}
	issued := k.Issue(sample).Reveal()
	parts := strings.Split(issued, ".")

	for situation, token := range map[string]string{
		"nothing":                 "",
		"line feed in the middle": parts[0] + "." + parts[1] + "." + parts[2][:4] + "\r\n" + parts[2][4:],
		"claims of another order": said(nil),
		"other method":            sign(jwt.SigningMethodHS512, ours, content, k.tokenKey.Key),
		"no method":               sign(jwt.SigningMethodNone, ours, content, jwt.UnsafeAllowNoneSignatureType),
		"other key's bytes":       sign(jwt.SigningMethodHS256, ours, content, k.active.digests),
		"other key named":         sign(jwt.SigningMethodHS256, header{"kid": "00000000"}, content, k.tokenKey.Key),
		"one header more": sign(jwt.SigningMethodHS256, header{"kid": k.tokenKey.ID.String(), "jku": "x"}, content,
			k.tokenKey.Key),
		"account 0":               k.Issue(ports.Token{Generation: sample.Generation}).Reveal(),
		"negative account":        k.Issue(ports.Token{Reseller: -42, Generation: sample.Generation}).Reveal(),
		"account with zeros":      said(jwt.MapClaims{"sub": "042"}),
		"account beyond an int64": said(jwt.MapClaims{"sub": "9223372036854775808"}),
		"short generation":        said(jwt.MapClaims{"gen": generation[:20]}),
		"one claim more":          said(jwt.MapClaims{"aud": "x"}),
	} {
		got, err := k.Verify(token)
		expect.Error(t, err, reseller.ErrTokenRevoked, "%s", situation)
		expect.Equal(t, got, ports.Token{}, "%s: beside the error", situation)
	}
}

// A token over the bound is refused though it is signed.
func TestOverlongTokenIsRefusedUnread(t *testing.T) {
	k := keyring(t, oneKey)
	long := k.Issue(sample).Reveal() + strings.Repeat("\n", maxToken) // which decoding ignores
	_, err := k.Verify(long)
	expect.Error(t, err, reseller.ErrTokenRevoked)
	if n := testing.AllocsPerRun(10, func() { _, _ = k.Verify(long) }); n > 0 {
		t.Errorf("it was decoded: %v allocations", n)
	}
}

func FuzzVerify(f *testing.F) {
	k := keyring(f, oneKey)
	issued := k.Issue(sample).Reveal()
	f.Add(issued)
	f.Add(issued[:len(issued)-1])
	f.Add("e30.e30.")
	f.Add("bnVsbA.bnVsbA.bnVsbA")
	f.Fuzz(func(t *testing.T, token string) {
		said, err := k.Verify(token)
		if err == nil && k.Issue(said).Reveal() != token {
			t.Errorf("%q was taken for %+v", token, said)
		}
	})
}
