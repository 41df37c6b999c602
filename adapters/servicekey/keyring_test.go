package servicekey

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"resellerd/domain/profile"
	"resellerd/test/expect"
	"resellerd/test/require"
)

func keyring(t testing.TB, secret string) *Keyring {
	t.Helper()
	k, err := New(profile.NewSecret(secret))
	require.NoError(t, err)
	return k
}

const (
	oneKey     = "0123456789abcdef0123456789abcdef"
	anotherKey = "0123456789abcdef0123456789abcdeF"
)

func TestGeneratedKeysAreValidAndShortOnesAreRefused(t *testing.T) {
	first, second := Generate(), Generate()
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(first.Reveal()) || second.Reveal() == first.Reveal() {
		t.Errorf("got %q and %q", first.Reveal(), second.Reveal())
	}
	_, err := New(profile.NewSecret(strings.Repeat("k", MinLength-1)))
	expect.Contains(t, fmt.Sprint(err), "openssl rand -hex 32")
}

// Stored data and the tokens of clients depend on these bytes: another derivation makes every token and ciphertext
// invalid.
func TestKeyDerivationNeverChanges(t *testing.T) {
	k := keyring(t, oneKey)
	expect.Equal(t, k.Fingerprint(), "d76a85d43ce54140f670859746cacd66", "the fingerprint")
	digest := hex.EncodeToString(k.Digest([]byte("content")))
	expect.Equal(t, digest, "2051cad083cd6863e3d493df75a57fc6897754e1f691f87d9fbd4704da61b7c2", "the digest")
	sealed, err := hex.DecodeString("01d76a85d401926e759793f4423ec76e868d1b9442c0795b92b32b662ae6fb6555017ee320")
	require.NoError(t, err)
	plain, err := k.Open(sealed, "line/7")
	require.NoError(t, err)
	expect.Equal(t, string(plain), "kept", "opened as")
}

func TestSealedOpensUnderItsKeyAndLabelOnly(t *testing.T) {
	k := keyring(t, oneKey)
	for _, plain := range []string{"", "pässword", strings.Repeat("x", 100_000)} {
		sealed := k.seal([]byte(plain), "line/7")
		got, err := k.Open(sealed, "line/7")
		require.NoError(t, err)
		expect.Equal(t, string(got), plain)
		_, err = k.Open(sealed, "line/8")
		expect.Error(t, err, ErrDamaged)
		if plain != "" {
			expect.Lacks(t, string(sealed), plain)
		}
	}
	sealed := k.seal([]byte("password"), "line/7")
	if bytes.Equal(sealed, k.seal([]byte("password"), "line/7")) {
		t.Error("a nonce came twice")
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		_, err := k.Open(changed, "line/7")
		want := ErrDamaged
		if i >= 1 && i < len(k.active.sealer.header) {
			want = ErrOtherKey
		}
		expect.Error(t, err, want, "byte %d", i)
		_, err = k.Open(sealed[:i], "line/7")
		expect.Error(t, err, ErrDamaged, "cut to %d bytes", i)
	}
	_, err := keyring(t, anotherKey).Open(sealed, "line/7")
	expect.Error(t, err, ErrOtherKey)
}

func FuzzOpen(f *testing.F) {
	k := keyring(f, oneKey)
	f.Add([]byte{}, "")
	f.Add(k.seal([]byte("password"), "line/7"), "line/8")
	f.Add(k.active.sealer.header, "line/7")
	f.Fuzz(func(t *testing.T, sealed []byte, label string) {
		// A fuzzer finds the label of the seed that is sealed well.
		if plain, err := k.Open(sealed, label); err == nil && (label != "line/7" || string(plain) != "password") {
			t.Errorf("%x under %q opened as %q", sealed, label, plain)
		}
	})
}
