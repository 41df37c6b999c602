package servicekey

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

const thirdKey = "fedcba9876543210fedcba9876543210"

func moved(t *testing.T, k *Keyring, to string, leaked bool) ports.ServiceKey {
	t.Helper()
	next, err := k.MoveTo(profile.NewSecret(to), leaked)
	require.NoError(t, err)
	return next
}

func restored(t *testing.T, recorded ports.ServiceKey, secrets ...string) *Keyring {
	t.Helper()
	var all []profile.Secret
	for _, s := range secrets {
		all = append(all, profile.NewSecret(s))
	}
	k, err := Restore(recorded, all...)
	require.NoError(t, err)
	return k
}

// made is the content that clients and the store have from a keyring.
type made struct {
	token          string
	sealed, digest []byte
}

var said = ports.Token{Reseller: 7, Generation: reseller.Generation{1, 2, 3}}

func makes(k *Keyring) made {
	return made{k.Issue(said).Reveal(), k.seal([]byte("kept"), "line/7"), k.Digest([]byte("content"))}
}

// wantMade expects that a keyring accepts the content of an earlier one.
func wantMade(t *testing.T, k *Keyring, m made, when string) {
	t.Helper()
	if got, err := k.Verify(m.token); err != nil || got != said {
		t.Errorf("%s: the token says %+v, %v", when, got, err)
	}
	if plain, err := k.Open(m.sealed, "line/7"); err != nil || string(plain) != "kept" {
		t.Errorf("%s: opened as %q, %v", when, plain, err)
	}
	for content, want := range map[string]bool{"content": true, "another": false} {
		if got, err := k.Digested(m.digest, []byte(content)); err != nil || got != want {
			t.Errorf("%s: digested %q: got %v, %v, want %v", when, content, got, err, want)
		}
	}
}

// TestContentOutlivesItsServiceKey moves a store twice. The last key alone then accepts all earlier content.
func TestContentOutlivesItsServiceKey(t *testing.T) {
	first := restored(t, keyring(t, oneKey).Recorded(), anotherKey, oneKey)
	atFirst := makes(first)
	expect.Equal(t, len(atFirst.digest), 32, "a digest of the first key")

	to := moved(t, first, anotherKey, false)
	if strings.Contains(to.Earlier, base64.StdEncoding.EncodeToString(first.active.tokens)) {
		t.Error("the record of the earlier key is readable text")
	}
	second := restored(t, to, anotherKey)
	expect.Equal(t, second.Fingerprint(), keyring(t, anotherKey).Fingerprint(), "the fingerprint of another key")
	then := makes(second)
	expect.Equal(t, then.token, atFirst.token, "the token")
	if bytes.Equal(then.digest, atFirst.digest) || len(then.digest) != 36 {
		t.Errorf("got digest %x, want one that names the second key", then.digest)
	}
	third := restored(t, moved(t, second, thirdKey, false), thirdKey)
	for when, m := range map[string]made{"first": atFirst, "second": then, "third": makes(third)} {
		wantMade(t, third, m, when)
	}
	wantMade(t, first, then, "by a process that has both and still seals under the first")

	settled, err := third.Settled()
	expect.Error(t, err, nil, "a key that has not leaked")
	expect.Equal(t, settled, third.Recorded(), "the record of a key that has not leaked")
	expect.Equal(t, moved(t, third, thirdKey, false), third.Recorded(), "moved to the key that it has")
	wantMade(t, restored(t, moved(t, third, oneKey, false), oneKey), atFirst, "moved back")
}

func TestRenewedContentNeedsOnlyThePresentKey(t *testing.T) {
	first := keyring(t, oneKey)
	sealed := first.seal([]byte("kept"), "line/7")
	second := restored(t, moved(t, first, anotherKey, false), anotherKey)
	renewed, changed, err := second.Renew(sealed, "line/7")
	require.NoError(t, err)
	plain, err := keyring(t, anotherKey).Open(renewed, "line/7")
	require.NoError(t, err)
	_, again, err := second.Renew(renewed, "line/7")
	require.NoError(t, err)
	expect.Equal(t, string(plain), "kept")
	expect.Equal(t, changed && !again, true, "changed %v, renewed again: changed %v", changed, again)
}

// TestALeakedKeyOnlyComparesDigests checks that a leaked key is only used to compare the digests of idempotency keys.
func TestALeakedKeyOnlyComparesDigests(t *testing.T) {
	first := keyring(t, oneKey)
	old := makes(first)
	atOnce := restored(t, moved(t, first, anotherKey, true), anotherKey)
	expect.Equal(t, moved(t, atOnce, anotherKey, true), atOnce.Recorded(), "moved once more")
	second := restored(t, moved(t, first, anotherKey, false), anotherKey)
	late := restored(t, moved(t, second, anotherKey, true), anotherKey)
	third := restored(t, moved(t, atOnce, thirdKey, false), thirdKey)
	wantMade(t, third, makes(atOnce), "which the second made")
	for situation, c := range map[string]struct {
		keyring *Keyring
		secret  string
	}{"at once": {atOnce, anotherKey}, "found late": {late, anotherKey}, "moved on before all is resealed": {third, thirdKey}} {
		_, err := c.keyring.Verify(old.token)
		expect.Error(t, err, reseller.ErrTokenRevoked, "%s: an old token", situation)
		if c.keyring.Issue(said).Reveal() == old.token {
			t.Errorf("%s: the token stayed", situation)
		}
		if plain, err := c.keyring.Open(old.sealed, "line/7"); err != nil || string(plain) != "kept" {
			t.Errorf("%s: before all is resealed: opened as %q, %v", situation, plain, err)
		}
		settled, err := c.keyring.Settled()
		require.NoError(t, err)
		last := restored(t, settled, c.secret)
		_, err = last.Open(old.sealed, "line/7")
		expect.Error(t, err, ErrOtherKey, "%s: once all is", situation)
		if same, err := last.Digested(old.digest, []byte("content")); err != nil || !same {
			t.Errorf("%s: a retry is not known: %v, %v", situation, same, err)
		}
		wantMade(t, last, makes(c.keyring), situation)
		if again, err := last.Settled(); err != nil || again != settled {
			t.Errorf("%s: settled once more, something else is to be recorded: %v", situation, err)
		}
	}
}

func TestAKeyringRequiresTheRecordedKey(t *testing.T) {
	recorded := keyring(t, oneKey).Recorded()
	_, err := Restore(recorded, profile.NewSecret(anotherKey), profile.NewSecret(thirdKey))
	expect.Error(t, err, ErrOtherKey)
	if _, err := Restore(recorded, profile.NewSecret(oneKey), profile.NewSecret("short")); err == nil ||
		errors.Is(err, ErrOtherKey) {
		t.Errorf("a short key: got error %v", err)
	}
	good := moved(t, keyring(t, oneKey), anotherKey, false)
	sealed, err := base64.StdEncoding.DecodeString(good.Earlier)
	require.NoError(t, err)
	seal := func(text, label string) string {
		return base64.StdEncoding.EncodeToString(keyring(t, anotherKey).seal([]byte(text), label))
	}
	for situation, earlier := range map[string]string{
		"cut":               base64.StdEncoding.EncodeToString(sealed[:len(sealed)-1]),
		"of another key":    moved(t, keyring(t, oneKey), thirdKey, false).Earlier,
		"sealed for a line": seal(`{"digests":[{}]}`, "line/7"),
		"without any key":   seal("{}", earlierLabel),
	} {
		if _, err := Restore(ports.ServiceKey{Fingerprint: good.Fingerprint, Earlier: earlier},
			profile.NewSecret(anotherKey)); err == nil {
			t.Errorf("%s: it was taken", situation)
		}
	}
}
