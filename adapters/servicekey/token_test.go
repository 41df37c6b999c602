package servicekey

import (
	"encoding/base64"
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

func TestTokensNeverChange(t *testing.T) {
	want := "eyJhbGciOiJIUzI1NiIsImtpZCI6ImQ3NmE4NWQ0IiwidHlwIjoiSldUIn0." +
		"eyJzdWIiOiI0MiIsImdlbiI6IkFBRUNBd1FGQmdjSUNRb0xEQTBPX3cifQ." +
		"ncdGXXtAd65DcIqRKf0QJxSDOKfKD4LR7RTYPHSxiJE"
	k := keyring(t, oneKey)
	expect.Equal(t, k.Issue(sample).Reveal(), want)
	got, err := k.Verify(want)
	require.NoError(t, err)
	expect.Equal(t, got, sample)
}

// TestTokenThatWasNotIssuedIsRefused signs each token with the right key, except in rows that name another one.
func TestTokenThatWasNotIssuedIsRefused(t *testing.T) {
	k := keyring(t, oneKey)
	content := jwt.MapClaims{"sub": "42", "gen": base64.RawURLEncoding.EncodeToString(sample.Generation[:])}
	sign := func(method jwt.SigningMethod, kid string, key any) string {
		token := jwt.NewWithClaims(method, content)
		token.Header["kid"] = kid
		text, err := token.SignedString(key)
		require.NoError(t, err)
		return text
	}
	ours := k.tokenKey.ID.String()
	parts := strings.Split(k.Issue(sample).Reveal(), ".")

	for situation, token := range map[string]string{
		"nothing":                 "",
		"line feed in the middle": parts[0] + "." + parts[1] + "." + parts[2][:4] + "\r\n" + parts[2][4:],
		"claims of another order": sign(jwt.SigningMethodHS256, ours, k.tokenKey.Key),
		"no method":               sign(jwt.SigningMethodNone, ours, jwt.UnsafeAllowNoneSignatureType),
		"other key's bytes":       sign(jwt.SigningMethodHS256, ours, k.active.digests),
		"other key named":         sign(jwt.SigningMethodHS256, "00000000", k.tokenKey.Key),
		"account 0":               k.Issue(ports.Token{Generation: sample.Generation}).Reveal(),
		"negative account":        k.Issue(ports.Token{Reseller: -42, Generation: sample.Generation}).Reveal(),
	} {
		got, err := k.Verify(token)
		expect.Error(t, err, reseller.ErrTokenRevoked, "%s", situation)
		expect.Equal(t, got, ports.Token{}, "%s: beside the error", situation)
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
