package httpserver

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/certificate"
	"resellerd/test/expect"
)

func TestACertificateIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		chain, key := filepath.Join(dir, "chain.pem"), filepath.Join(dir, "key.pem")
		// put renames a file over another, as who keeps certificates does.
		put := func(file string, content []byte) {
			must(t, os.WriteFile(file+".new", content, 0o600))
			must(t, os.Rename(file+".new", file))
		}
		firstChain, firstKey := certificate.New(t, 1)
		put(chain, firstChain)
		put(key, firstKey)
		c, err := LoadCertificate(chain, key)
		must(t, err)
		var log bytes.Buffer
		c.log = slog.New(slog.NewTextHandler(&log, nil))
		shows := func(serial int64, lines int, when string) {
			t.Helper()
			shown, err := c.get(nil)
			must(t, err)
			expect.Equal(t, shown.Leaf.SerialNumber.Int64(), serial, "%s: it shows certificate", when)
			expect.Equal(t, strings.Count(log.String(), "\n"), lines, "%s: lines of %s", when, &log)
		}
		passes := func() { time.Sleep(certificateInterval) }

		shows(1, 0, "at first")
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
		must(t, os.Remove(chain))
		passes()
		shows(2, 3, "removed")
		must(t, os.WriteFile(chain, secondChain, 0o600))
		must(t, os.WriteFile(key, []byte("no key at all"), 0o600)) // in its place
		passes()
		shows(2, 4, "with a broken key")
		expect.Contains(t, log.String(), "the one before is kept", "the log")
		expect.Lacks(t, log.String(), "PRIVATE", "the log shows a key")
	})
	_, err := LoadCertificate(filepath.Join(t.TempDir(), "none"), "none")
	expect.Error(t, err, os.ErrNotExist, "no file")
}

func TestAPairThatCannotBeUsedNamesItsFileAndWhy(t *testing.T) {
	chain, key := certificate.New(t, 1)
	_, another := certificate.New(t, 2)
	block, _ := pem.Decode(chain)
	sealed := func(kind string, headers map[string]string) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Headers: headers, Bytes: []byte("sealed")})
	}
	const encrypted = "KEY: the private key is encrypted: write it without a passphrase (openssl pkey -in ENCRYPTED -out KEY)"
	const mark = ": the file begins with a byte order mark: save it as ASCII, or as UTF-8 without a mark"
	const notChain = "CHAIN: the file has no PEM block, from -----BEGIN to -----END, with a certificate"
	const notKey = "KEY: the file has no PEM block, from -----BEGIN to -----END, with a private key"
	for name, c := range map[string]struct {
		chain, key []byte
		want       string
	}{
		"a pair": {chain, key, "<nil>"},
		"text before the blocks": {slices.Concat([]byte("subject: panel\r\n"), chain),
			slices.Concat(sealed("EC PARAMETERS", nil), key), "<nil>"},
		"an encrypted key": {chain, sealed("ENCRYPTED PRIVATE KEY", nil), encrypted},
		"an encrypted old key": {chain,
			sealed("RSA PRIVATE KEY", map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,00"}), encrypted},
		"a mark before the chain": {slices.Concat([]byte("\ufeff"), chain), key, "CHAIN" + mark},
		"a mark before the key":   {chain, slices.Concat([]byte("\ufeff"), key), "KEY" + mark},
		"DER":                     {block.Bytes, key, notChain},
		"empty files":             {nil, nil, notChain + "\n" + notKey},
		"exchanged": {key, chain,
			"CHAIN: the file has no certificate, but a PRIVATE KEY\nKEY: the file has no private key, but a CERTIFICATE"},
		"another key": {chain, another, "KEY: the private key is not that of the first certificate in CHAIN"},
		"a damaged certificate": {sealed("CERTIFICATE", nil), key,
			"CHAIN: the certificate is damaged: x509: malformed certificate"},
		"a damaged key": {chain, sealed("PRIVATE KEY", nil),
			"KEY: the private key can't be used: tls: failed to parse private key"},
	} {
		_, err := pairOf([2]string{"CHAIN", "KEY"}, [2][]byte{c.chain, c.key})
		expect.Equal(t, fmt.Sprint(err), c.want, "%s", name)
	}
}

func TestACertificateThatExpiresIsLoggedOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		files := [2]string{filepath.Join(dir, "chain.pem"), filepath.Join(dir, "key.pem")}
		load := func() {
			t.Helper()
			chain, key := certificate.New(t, 1) // for 90 days
			for i, content := range [][]byte{chain, key} {
				must(t, os.WriteFile(files[i], content, 0o600))
			}
		}
		load()
		c, err := LoadCertificate(files[0], files[1])
		must(t, err)
		var log bytes.Buffer
		logs := func(want string, times int, when string) {
			t.Helper()
			c.NotAfter()
			expect.Equal(t, strings.Count(log.String(), want), times, "%s: %q in %s", when, want, &log)
			expect.Equal(t, strings.Count(log.String(), "level=WARN"), times, "%s: warnings in %s", when, &log)
			log.Reset()
		}
		// start listens, as the service does at its start.
		start := func() {
			t.Helper()
			s := New(Options{Addr: "127.0.0.1:0", Certificate: c, Log: slog.New(slog.NewTextHandler(&log, nil))})
			must(t, s.Listen(t.Context()))
			must(t, s.Close())
		}
		const soon, expired, early = "the TLS certificate expires soon", "the TLS certificate has expired",
			"the TLS certificate is not valid yet"
		day := 24 * time.Hour
		start()
		logs("the TLS certificate", 0, "at the start")
		time.Sleep(76*day - time.Second)
		logs(soon, 0, "a moment more than 14 days before")
		time.Sleep(time.Second)
		logs(soon, 1, "14 days before")
		time.Sleep(day - time.Second)
		logs(soon, 0, "on the same day")
		time.Sleep(time.Second)
		logs(soon, 1, "on the next day")
		time.Sleep(13*day + time.Second)
		logs(expired, 1, "after it")
		c.warned = time.Time{}
		start()
		logs(expired, 1, "at a start with one that has expired")
		load()
		time.Sleep(certificateInterval)
		logs("the TLS certificate", 0, "renewed")
		c.pair.Leaf.NotBefore, c.warned = time.Now().Add(time.Hour), time.Time{}
		time.Sleep(certificateInterval)
		logs(early, 1, "before its time")
	})
}
