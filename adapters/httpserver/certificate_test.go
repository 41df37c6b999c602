package httpserver

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/certificate"
)

func TestACertificateIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		chain, key := filepath.Join(dir, "chain.pem"), filepath.Join(dir, "key.pem")
		// put renames a file over another, as who keeps certificates does.
		put := func(file string, content []byte) {
			if err := os.WriteFile(file+".new", content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(file+".new", file); err != nil {
				t.Fatal(err)
			}
		}
		firstChain, firstKey := certificate.New(t, 1)
		put(chain, firstChain)
		put(key, firstKey)
		c, err := LoadCertificate(chain, key)
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		c.log = slog.New(slog.NewTextHandler(&log, nil))
		shows := func(serial int64, lines int, when string) {
			t.Helper()
			shown, err := c.get(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := shown.Leaf.SerialNumber.Int64(); got != serial {
				t.Errorf("%s: it shows certificate %d, want %d", when, got, serial)
			}
			if got := strings.Count(log.String(), "\n"); got != lines {
				t.Errorf("%s: %d lines are logged, want %d: %s", when, got, lines, &log)
			}
		}
		passes := func() { time.Sleep(certificateInterval) }

		shows(1, 0, "at first")
		passes()
		shows(1, 0, "unchanged")
		secondChain, secondKey := certificate.New(t, 2)
		put(chain, secondChain)
		shows(1, 0, "within a second")
		passes()
		shows(1, 1, "without its key")
		passes()
		shows(1, 1, "still without its key")
		put(key, secondKey)
		passes()
		shows(2, 2, "with its key")
		if err := os.Remove(chain); err != nil {
			t.Fatal(err)
		}
		passes()
		shows(2, 3, "removed")
		passes()
		shows(2, 3, "still removed")
		thirdChain, thirdKey := certificate.New(t, 3)
		put(chain, thirdChain)
		put(key, thirdKey)
		passes()
		shows(3, 4, "there again")
		if err := os.WriteFile(key, []byte("no key at all"), 0o600); err != nil { // in its place
			t.Fatal(err)
		}
		passes()
		shows(3, 5, "with a broken key")
		if !strings.Contains(log.String(), "the one before is kept") {
			t.Errorf("the log says %s", &log)
		}
		if strings.Contains(log.String(), "PRIVATE") {
			t.Error("the log shows a key")
		}
	})
	if _, err := LoadCertificate(filepath.Join(t.TempDir(), "none"), "none"); err == nil {
		t.Error("no file is a certificate")
	}
}
