package credentials

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/crypto/argon2"

	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

var hunter = profile.NewSecret("hunter2 ünïcode")

func TestHashMatchesItsPasswordOnly(t *testing.T) {
	h := NewHasher(Recommended, 0)
	hash, err := h.Hash(t.Context(), "caller", hunter)
	require.NoError(t, err)
	if !regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`).MatchString(hash) {
		t.Errorf("got %q of another form", hash)
	}

	for password, want := range map[string]bool{
		hunter.Reveal():                  true,
		hunter.Reveal() + " ":            false,
		strings.ToUpper(hunter.Reveal()): false,
		"":                               false,
	} {
		got, err := h.Matches(t.Context(), "caller", profile.NewSecret(password), hash)
		require.NoError(t, err)
		expect.Equal(t, got, want, "password %q", password)
		if got, err = h.Matches(t.Context(), "caller", profile.NewSecret(password), ""); got || err != nil {
			t.Errorf("password %q, no hash: got %v, %v", password, got, err)
		}
	}
	if again, err := h.Hash(t.Context(), "caller", hunter); again == hash || err != nil {
		t.Errorf("another hash of the password is %q, %v", again, err)
	}
}

// TestOlderParametersStillMatch checks hashes of another Cost within the bounds: a change of the cost of new hashes
// keeps old ones valid.
func TestOlderParametersStillMatch(t *testing.T) {
	p := Cost{memory: 64, passes: 1, lanes: 2}
	salt := []byte("saltsalt")
	hash := encode(p, salt, argon2.IDKey([]byte(hunter.Reveal()), salt, p.passes, p.memory, p.lanes, 16))
	got, err := NewHasher(Recommended, 1).Matches(t.Context(), "caller", hunter, hash)
	require.NoError(t, err)
	expect.Equal(t, got, true)
}

func TestMalformedHashIsRefused(t *testing.T) {
	b64 := base64.RawStdEncoding.EncodeToString
	salt, key := b64(make([]byte, 16)), b64(make([]byte, 32))
	good := "$argon2id$v=19$m=64,t=1,p=1$" + salt + "$" + key
	_, _, _, err := decode(good)
	if err != nil {
		t.Fatalf("the text that each row spoils: %v", err)
	}

	for situation, hash := range map[string]string{
		"no hash":               "secret",
		"line feed in the salt": strings.Replace(good, salt, salt[:4]+"\n"+salt[4:], 1),
		"stray bits in the key": strings.TrimSuffix(good, "A") + "B",
		"memory over the bound": strings.Replace(good, "m=64", "m=65537", 1),
		"no pass":               strings.Replace(good, "t=1", "t=0", 1),
		"many lanes":            strings.Replace(good, "p=1", "p=255", 1),
		"short salt":            strings.Replace(good, salt, b64(make([]byte, 7)), 1),
	} {
		got, err := NewHasher(Recommended, 1).Matches(t.Context(), "caller", hunter, hash)
		expect.Equal(t, got, false, "%s", situation)
		expect.Error(t, err, errMalformed, "%s", situation)
		expect.Lacks(t, fmt.Sprint(err), hash, "%s", situation)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(Recommended, make([]byte, saltLength), make([]byte, keyLength)))
	f.Add("$argon2id$v=19$m=64,t=1,p=1$$")
	f.Fuzz(func(t *testing.T, hash string) {
		p, salt, key, err := decode(hash)
		if err == nil &&
			(encode(p, salt, key) != hash || p.memory > maxMemory || p.passes > maxPasses || p.lanes > maxLanes) {
			t.Errorf("%q was read as %+v", hash, p)
		}
	})
}

// Waiting for a slot ends with the context. The slot is returned once its memory is collected.
func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(Least, 1)
		h.slots <- struct{}{} // someone else computes
		for _, wait := range []func(context.Context) error{
			func(ctx context.Context) error { _, err := h.Hash(ctx, "caller", hunter); return err },
			func(ctx context.Context) error { _, err := h.Matches(ctx, "caller", hunter, ""); return err },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			waited := make(chan error, 1)
			go func() { waited <- wait(ctx) }()
			synctest.Wait()
			expect.Equal(t, len(waited), 0, "calls that went ahead without a slot")
			cancel()
			err := <-waited
			expect.Error(t, err, ports.ErrUnavailable)
			expect.Error(t, err, context.Canceled)
		}
		<-h.slots
		_, err := h.Hash(t.Context(), "caller", hunter)
		require.NoError(t, err)
		synctest.Wait()
		expect.Equal(t, len(h.slots), 0, "slots that were not given back")
	})
}
