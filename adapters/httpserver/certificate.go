package httpserver

import (
	"bytes"
	"crypto/tls"
	"errors"
	"log/slog"
	"sync"
	"time"

	"resellerd/adapters/regularfile"
)

// certificateInterval is how often, at most, a handshake checks the certificate's files for changes.
const certificateInterval = time.Second

// suites are those of TLS 1.2 that encrypt and authenticate in one (AEAD), as all of TLS 1.3 do, with forward secrecy.
var suites = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// Certificate is that of a server: the content of its files when they last matched.
type Certificate struct {
	files [2]string // certificate chain, private key
	log   *slog.Logger

	mu     sync.Mutex
	looked time.Time
	seen   [2][]byte // content of the files, matching or not
	pair   *tls.Certificate
}

// LoadCertificate reads the files, which must match.
func LoadCertificate(chain, key string) (*Certificate, error) {
	c := &Certificate{files: [2]string{chain, key}, log: slog.New(slog.DiscardHandler), looked: time.Now()}
	_, err := c.read()
	return c, err
}

// read takes over the content of the files, if that has changed.
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
	pair, err := tls.X509KeyPair(found[0], found[1])
	if err == nil {
		c.pair = &pair
	}
	return true, err
}

// get is tls.Config.GetCertificate. Changed files are read again; instead of a pair that does not match the previous
// one is kept, until the files change.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.looked) >= certificateInterval {
		c.looked = now
		switch changed, err := c.read(); {
		case err != nil:
			c.log.Warn("the certificate's files were changed and can't be used: the one before is kept", slog.Any("error", err))
		case changed:
			c.log.Info("the certificate was read again", slog.Time("not_after", c.pair.Leaf.NotAfter.UTC()))
		}
	}
	return c.pair, nil
}
