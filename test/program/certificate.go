package program

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"

	"resellerd/test/certificate"
)

// NewCertificate makes a certificate of this machine and its key, as files.
func NewCertificate(t testing.TB) (chain, key string, trusted *x509.CertPool) {
	t.Helper()
	public, private := certificate.New(t, 1)
	file := func(name string, content []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	trusted = x509.NewCertPool()
	trusted.AppendCertsFromPEM(public)
	return file("certificate.pem", public), file("key.pem", private), trusted
}
