package bootstrap

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificateInterval is how often, at most, a handshake looks whether the files of the certificate are others.
const certificateInterval = time.Second

// certificate is the one that the service shows: what its files held when both last fitted together.
type certificate struct {
	files [2]string // certificate chain, private key
	log   *slog.Logger

	mu     sync.Mutex
	looked time.Time
	seen   [2]os.FileInfo // of the files that were read last, fitting or not
	pair   *tls.Certificate
}

// loadCertificate reads the files, which must fit.
func loadCertificate(chain, key string) (*certificate, error) {
	c := &certificate{files: [2]string{chain, key}, log: slog.New(slog.DiscardHandler), looked: time.Now()}
	var err error
	if c.seen, err = c.stat(); err == nil {
		err = c.read()
	}
	return c, err
}

// stat returns what tells the files from others.
func (c *certificate) stat() (found [2]os.FileInfo, err error) {
	for i, name := range c.files {
		var failed error
		found[i], failed = os.Stat(name)
		err = errors.Join(err, failed)
	}
	return found, err
}

func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err == nil {
		c.pair = &pair
	}
	return err
}

// get is tls.Config.GetCertificate. Where the files are others by now they are read again; a pair that does not fit, for
// which the one before is kept, is read again once it was changed.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.looked) >= certificateInterval {
		c.looked = now
		c.look()
	}
	return c.pair, nil
}

func (c *certificate) look() {
	found, err := c.stat()
	if sameFiles(found, c.seen) {
		return
	}
	c.seen = found
	if err == nil {
		err = c.read()
	}
	if err != nil {
		c.log.Warn("the certificate's files were changed and can't be used: the one before is kept", slog.Any("error", err))
		return
	}
	c.log.Info("the certificate was read again", slog.Time("not_after", c.pair.Leaf.NotAfter.UTC()))
}

// sameFiles reports whether neither file was replaced, written or removed.
func sameFiles(a, b [2]os.FileInfo) bool {
	for i := range a {
		if a[i] == nil || b[i] == nil {
			if a[i] != b[i] {
				return false
			}
			continue
		}
		if !os.SameFile(a[i], b[i]) || !a[i].ModTime().Equal(b[i].ModTime()) || a[i].Size() != b[i].Size() {
			return false
		}
	}
	return true
}
