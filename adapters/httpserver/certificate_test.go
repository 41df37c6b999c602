package httpserver

import (
	"bytes"
	"crypto/tls"
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
		firstChain, firstKey := certificate.New(t, 1)
		put := func(file string, content []byte) { must(t, os.WriteFile(file, content, 0o600)) }
		put(chain, firstChain)
		put(key, firstKey)
		c, err := LoadCertificate(chain, key)
		must(t, err)
		var log bytes.Buffer
		c.log = slog.New(slog.NewTextHandler(&log, nil))
		shows := func(serial int64, lines int, when string) {
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
		put(key, secondKey)
		passes()
		shows(2, 2, "with its key")
		must(t, os.Remove(chain))
		passes()
		shows(2, 3, "removed")
		expect.Contains(t, log.String(), "the previous certificate stays in use", "the log")
		expect.Lacks(t, log.String(), "PRIVATE", "the log shows a key")
	})
	_, err := LoadCertificate(filepath.Join(t.TempDir(), "none"), "none")
	expect.Error(t, err, os.ErrNotExist, "no file")
}

func TestAnUnusablePairNamesItsFileAndTheReason(t *testing.T) {
	chain, key := certificate.New(t, 1)
	_, another := certificate.New(t, 2)
	block, _ := pem.Decode(chain)
	sealed := func(kind string, headers map[string]string) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Headers: headers, Bytes: []byte("sealed")})
	}
	const encrypted = "KEY: the private key is encrypted: write it without a passphrase (openssl pkey -in ENCRYPTED -out KEY)"
	const mark = ": the file begins with a byte order mark: save it as ASCII, or as UTF-8 without a mark"
	const notChain = "CHAIN: the file has no PEM block, from -----BEGIN to -----END, with a certificate"
	for name, c := range map[string]struct {
		chain, key []byte
		want       string
	}{
		"text before the blocks": {slices.Concat([]byte("subject: panel\r\n"), chain),
			slices.Concat(sealed("EC PARAMETERS", nil), key), "<nil>"},
		"an encrypted key":        {chain, sealed("ENCRYPTED PRIVATE KEY", nil), encrypted},
		"a mark before the chain": {slices.Concat([]byte("\ufeff"), chain), key, "CHAIN" + mark},
		"DER":                     {block.Bytes, key, notChain},
		"exchanged": {key, chain,
			"CHAIN: the file has no certificate, but a PRIVATE KEY\nKEY: the file has no private key, but a CERTIFICATE"},
		"another key": {chain, another, "KEY: the private key does not match the first certificate in CHAIN"},
		"a damaged certificate": {sealed("CERTIFICATE", nil), key,
			"CHAIN: the certificate is damaged: x509: malformed certificate"},
	} {
		_, err := pairOf([2]string{"CHAIN", "KEY"}, [2][]byte{c.chain, c.key})
		expect.Equal(t, fmt.Sprint(err), c.want, "%s", name)
	}
}

func TestACertificateThatExpiresIsLoggedOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pair, err := tls.X509KeyPair(certificate.New(t, 1)) // for 90 days
		must(t, err)
		var log bytes.Buffer
		c := &Certificate{pair: &pair, log: slog.New(slog.NewTextHandler(&log, nil))}
		const soon, expired = "the TLS certificate expires soon", "the TLS certificate has expired"
		day := 24 * time.Hour
		for _, step := range []struct {
			wait time.Duration
			want string
		}{
			{76*day - time.Second, ""}, {time.Second, soon}, // 14 days before
			{day - time.Second, ""}, {time.Second, soon}, {13*day + time.Second, expired},
		} {
			time.Sleep(step.wait)
			log.Reset()
			c.warn(time.Now())
			expect.Contains(t, log.String(), step.want)
			expect.Equal(t, strings.Count(log.String(), "level=WARN"), min(1, len(step.want)), "warnings in %s", &log)
		}
	})
}
