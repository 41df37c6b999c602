package servicekey

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/adapters/regularfile"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// FuzzEarlier has the store keep anything of earlier keys, sealed as it must be: whoever can seal it has the key, but
// an older version may have written it, or half of it may be missing.
func FuzzEarlier(f *testing.F) {
	key, err := derive(profile.NewSecret(oneKey))
	require.NoError(f, err)
	plain := &Keyring{active: key}
	for _, text := range []string{
		"", "{}", "null", `{"digests":[]}`, `{"digests":[{"id":"00000000","key":""}]}`,
		`{"digests":[{"id":"0000","key":"AA=="}],"signing":{"id":"0"}}`,
		`{"digests":[{"id":"01020304","key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}],"sealing":[{"id":"01020304","key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}],"leaked":true}`,
		`{"digests":[{}],"sealing":[]}`, `{"digests":[{"id":"01020304","key":"AA=="},{"id":"01020304","key":"AQ=="}]}`,
		`{"digests":[{"id":"0102030405060708","key":"AA=="}]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		recorded := ports.ServiceKey{Fingerprint: key.fingerprint,
			Earlier: base64.StdEncoding.EncodeToString(plain.seal([]byte(text), earlierLabel))}
		k, err := restore(recorded, key)
		if err != nil {
			if k != nil {
				t.Fatalf("%q: a keyring beside %v", text, err)
			}
			return
		}
		// Whatever it took over, it opens what it seals, and knows its own tokens and digests.
		if opened, err := k.Open(k.seal([]byte("content"), "label"), "label"); err != nil || string(opened) != "content" {
			t.Errorf("%q: opened %q, %v", text, opened, err)
		}
		if said, err := k.Verify(k.Issue(sample).Reveal()); err != nil || said != sample {
			t.Errorf("%q: its token says %+v, %v", text, said, err)
		}
		if same, err := k.Digested(k.Digest([]byte("content")), []byte("content")); err != nil || !same {
			t.Errorf("%q: its digest is that of what it was made of: %t, %v", text, same, err)
		}
		// What it records again says the same.
		made, err := record(key, k.earlier)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := restore(made, key)
		if err != nil {
			t.Fatalf("%q: recorded again it is not read: %v", text, err)
		}
		expect.Equal(t, written(t, again.earlier), written(t, k.earlier), "%q: recorded again", text)
	})
}

func written(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// FuzzKeyFile has a key file hold anything.
func FuzzKeyFile(f *testing.F) {
	f.Add([]byte(strings.Repeat("a", 64) + "\n"))
	f.Add([]byte("\n  " + oneKey + " \r\n\n"))
	f.Add([]byte("short"))
	f.Add([]byte(" \n"))
	f.Add(append([]byte(strings.Repeat("k", regularfile.Secret)), '\n'))
	path := filepath.Join(f.TempDir(), "key")
	f.Fuzz(func(t *testing.T, content []byte) {
		require.NoError(t, os.WriteFile(path, content, 0o600))
		secret, err := LoadOrCreate(path, false)
		trimmed := strings.TrimSpace(string(content))
		if good := len(content) <= regularfile.Secret && len(trimmed) >= MinLength; (err == nil) != good || err == nil &&
			secret.Reveal() != trimmed {
			t.Fatalf("%d bytes: %d bytes of a key, error %v", len(content), len(secret.Reveal()), err)
		}
		if err == nil {
			return
		}
		if len(trimmed) > 6 && strings.Contains(err.Error(), trimmed) || !strings.Contains(err.Error(), path) {
			t.Fatalf("the error tells the content, or not the file: %v", err)
		}
		_, err = LoadOrCreate(path, true)
		if kept, _ := os.ReadFile(path); err == nil || !bytes.Equal(kept, content) {
			t.Fatalf("a file without a key is replaced: %v", err)
		}
	})
}
