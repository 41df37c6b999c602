package acceptance

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

// TestHTTPS serves with a certificate, also after another one replaces it. It does not serve without TLS, or with an
// old version of TLS.
func TestHTTPS(t *testing.T) {
	t.Parallel()
	certificate, key, trusted := program.NewCertificate(t)
	srv := startServer(t, memory, map[string]string{"RESELLERD_TLS_CERT": certificate, "RESELLERD_TLS_KEY": key})
	https := &http.Client{
		Timeout:   patience,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true},
	}
	defer https.CloseIdleConnections()
	login := api.Encode(t, fields{"username": api.AdminName, "password": api.AdminPassword})
	begun, err := https.Post("https://"+srv.Address+"/auth/session", "application/json", bytes.NewReader(login))
	require.NoError(t, err)
	_ = begun.Body.Close()
	if begun.ProtoMajor != 2 || begun.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
		t.Errorf("a login is answered over %s and %v", begun.Proto, begun.Header)
	}
	if cookie := begun.Header.Get("Set-Cookie"); begun.StatusCode != http.StatusCreated ||
		!strings.HasPrefix(cookie, "__Host-"+api.CookieName("")+"=") ||
		!strings.HasSuffix(cookie, "; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Strict") {
		t.Errorf("a browser is answered with %s and the cookie %s", begun.Status, cookie)
	}
	handshake := func(c *tls.Config) error {
		connection, err := tls.Dial("tcp", srv.Address, c)
		if err == nil {
			err = connection.Close()
		}
		return err
	}
	for version, taken := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		if err := handshake(&tls.Config{RootCAs: trusted, MinVersion: version, MaxVersion: version}); (err == nil) != taken {
			t.Errorf("a handshake by %s ended in %v, want it taken: %t", tls.VersionName(version), err, taken)
		}
	}
	for suite, taken := range map[uint16]bool{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: true,
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: false} {
		if err := handshake(&tls.Config{RootCAs: trusted, MaxVersion: tls.VersionTLS12,
			CipherSuites: []uint16{suite}}); (err == nil) != taken {
			t.Errorf("a handshake by %s ended in %v, want it taken: %t", tls.CipherSuiteName(suite), err, taken)
		}
	}
	if plain, err := api.Client.Get("http://" + srv.Address + "/healthz"); err == nil {
		_ = plain.Body.Close()
		if plain.StatusCode != http.StatusBadRequest {
			t.Errorf("a request without TLS is answered with %s", plain.Status)
		}
	}
	otherCertificate, otherKey, otherTrusted := program.NewCertificate(t)
	for from, to := range map[string]string{otherCertificate: certificate, otherKey: key} {
		require.NoError(t, os.Rename(from, to))
	}
	eventually(t, "the certificate is the old one", func() bool {
		return handshake(&tls.Config{RootCAs: otherTrusted}) == nil
	})
	https.CloseIdleConnections()
	srv.stop(t)
}

// TestLimitsOfOneClient sets each limit. All other tests run with the default, which limits only connections.
func TestLimitsOfOneClient(t *testing.T) {
	t.Parallel()
	srv := startServer(t, memory, map[string]string{"RESELLERD_REQUESTS_PER_MINUTE": "3",
		"RESELLERD_FREE_CHANGES_PER_DAY": "2", "RESELLERD_MAX_CONNECTIONS_PER_ADDRESS": "20"})
	seller := srv.Admin(t).Reseller(t, "1")
	seller.Trial(t)
	seller.Trial(t)
	seller.Send(t, "POST", "/lines/test", nil).Refused(http.StatusTooManyRequests, "too-many-free-changes")
	seller.Send(t, "GET", "/prices", nil).Refused(http.StatusTooManyRequests, "too-many-requests")

	// served reports whether a connection of its own is answered, and not closed.
	served := func() bool {
		connection, err := net.Dial("tcp", srv.Address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = connection.Close() })
		_ = connection.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(connection, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		return err == nil && response.StatusCode == http.StatusOK
	}
	if !served() {
		t.Error("the first connection is not served")
	}
	for n := 0; served(); n++ {
		if n > 20 {
			t.Fatal("an address has more connections than it may")
		}
	}
}
