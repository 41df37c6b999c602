package httpserver

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"resellerd/adapters/regularfile"
)

// certificateInterval is the minimum time between two checks of the certificate's files, which handshakes make.
const certificateInterval = time.Second

// A certificate that expires within expiryNotice, or has expired, is logged once per noticeInterval.
const (
	expiryNotice   = 14 * 24 * time.Hour
	noticeInterval = 24 * time.Hour
)

// suites are the cipher suites of TLS 1.2 with AEAD and forward secrecy, as all suites of TLS 1.3 have them.
var suites = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// Certificate is the TLS certificate of a server: the last matching content of its files.
type Certificate struct {
	files [2]string // certificate chain, private key
	log   *slog.Logger

	mu     sync.Mutex
	looked time.Time
	seen   [2][]byte // content of the files, matching or not
	pair   *tls.Certificate
	warned time.Time // of the validity of pair
}

// LoadCertificate reads the files, which must match.
func LoadCertificate(chain, key string) (*Certificate, error) {
	c := &Certificate{files: [2]string{chain, key}, log: slog.New(slog.DiscardHandler), looked: time.Now()}
	_, err := c.read()
	return c, err
}

// read uses the content of the files, if it has changed.
func (c *Certificate) read() (changed bool, err error) {
	var found [2][]byte
	for i, name := range c.files {
		var failed error
		found[i], failed = regularfile.Read(name, regularfile.PEM)
		err = errors.Join(err, failed)
	}
	if c.pair != nil && bytes.Equal(found[0], c.seen[0]) && bytes.Equal(found[1], c.seen[1]) {
		return false, nil
	}
	c.seen = found
	if err != nil {
		return true, err
	}
	pair, err := pairOf(c.files, found)
	if err == nil {
		c.pair, c.warned = &pair, time.Time{}
	}
	return true, err
}

// pairOf returns the certificate chain and its private key. The error names the unusable file, and the reason.
func pairOf(files [2]string, content [2][]byte) (tls.Certificate, error) {
	isCertificate := func(kind string) bool { return kind == "CERTIFICATE" }
	isKey := func(kind string) bool { return kind == "PRIVATE KEY" || strings.HasSuffix(kind, " PRIVATE KEY") }
	chain, err := firstBlock(files[0], content[0], "certificate", isCertificate)
	key, keyErr := firstBlock(files[1], content[1], "private key", isKey)
	if err = errors.Join(err, keyErr); err != nil {
		return tls.Certificate{}, err
	}
	if key.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(key.Headers["Proc-Type"], "ENCRYPTED") {
		return tls.Certificate{},
			fmt.Errorf("%s: the private key is encrypted: write it without a passphrase (openssl pkey -in ENCRYPTED -out KEY)",
				files[1])
	}
	if _, err := x509.ParseCertificate(chain.Bytes); err != nil {
		return tls.Certificate{}, fmt.Errorf("%s: the certificate is damaged: %w", files[0], err)
	}
	pair, err := tls.X509KeyPair(content[0], content[1])
	switch {
	case err == nil:
		return pair, nil
	case strings.Contains(err.Error(), "does not match"):
		return pair, fmt.Errorf("%s: the private key does not match the first certificate in %s", files[1], files[0])
	}
	return pair, fmt.Errorf("%s: the private key can't be used: %w", files[1], err)
}

// firstBlock returns the first wanted block of a PEM file.
func firstBlock(file string, content []byte, wanted string, is func(kind string) bool) (*pem.Block, error) {
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(content, []byte(mark)) {
			return nil, fmt.Errorf("%s: the file begins with a byte order mark: save it as ASCII, or as UTF-8 without a mark",
				file)
		}
	}
	first := ""
	for rest := content; ; {
		var block *pem.Block
		switch block, rest = pem.Decode(rest); {
		case block == nil && first == "":
			return nil, fmt.Errorf("%s: the file has no PEM block, from -----BEGIN to -----END, with a %s", file, wanted)
		case block == nil:
			return nil, fmt.Errorf("%s: the file has no %s, but a %s", file, wanted, first)
		case is(block.Type):
			return block, nil
		case first == "":
			first = block.Type
		}
	}
}

// NotAfter returns the expiry of the certificate. It reads changed files again.
func (c *Certificate) NotAfter() time.Time {
	pair, _ := c.get(nil) // never an error
	return pair.Leaf.NotAfter
}

// warn logs that the certificate is not valid, or soon will not be.
func (c *Certificate) warn(now time.Time) {
	leaf, text := c.pair.Leaf, ""
	switch {
	case now.After(leaf.NotAfter):
		text = "the TLS certificate has expired: clients refuse it until its file is replaced"
	case leaf.NotAfter.Sub(now) <= expiryNotice:
		text = "the TLS certificate expires soon: replace its file"
	case now.Before(leaf.NotBefore):
		text = "the TLS certificate is not valid yet: clients refuse it until then; is the clock of this machine right?"
	}
	if text != "" && now.Sub(c.warned) >= noticeInterval {
		c.warned = now
		c.log.Warn(text, slog.String("file", c.files[0]), slog.Time("not_before", leaf.NotBefore.UTC()),
			slog.Time("not_after", leaf.NotAfter.UTC()))
	}
}

// get implements tls.Config.GetCertificate. It reads changed files again. If the new files do not match, the previous
// pair stays in use until the files change.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.looked) >= certificateInterval {
		c.looked = now
		switch changed, err := c.read(); {
		case err != nil:
			c.log.Warn("the certificate's files were changed and can't be used: the previous certificate stays in use", slog.Any("error", err))
		case changed:
			c.log.Info("the certificate was read again", slog.Time("not_after", c.pair.Leaf.NotAfter.UTC()))
		}
		c.warn(now)
	}
	return c.pair, nil
}
