package acceptance

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"resellerd/test/program"
)

// TestLimitsOfOneClient sets each of them: that nothing is limited by default but connections, all other tests show.
func TestLimitsOfOneClient(t *testing.T) {
	t.Parallel()
	t.Run("requests", func(t *testing.T) {
		t.Parallel()
		srv := startServer(t, memory, map[string]string{"RESELLERD_REQUESTS_PER_MINUTE": "2"})
		admin := srv.Admin(t)
		for range 2 {
			admin.Get(t, "/prices")
		}
		admin.Send(t, "GET", "/prices", nil).Refused(http.StatusTooManyRequests, "too-many-requests")
		srv.stop(t)
	})
	t.Run("free changes", func(t *testing.T) {
		t.Parallel()
		srv := startServer(t, memory, map[string]string{"RESELLERD_FREE_CHANGES_PER_DAY": "3"})
		seller := srv.Admin(t).Reseller(t, "1")
		seller.Official(t)
		seller.Trial(t)
		last := seller.Trial(t)
		seller.Send(t, "POST", "/lines/test", nil).Refused(http.StatusTooManyRequests, "too-many-free-changes")
		seller.Activate(t, last, "0.5").Is(201)
		srv.stop(t)
	})
	for situation, c := range map[string]struct {
		proxies string
		closed  bool
	}{"connections": {"192.0.2.1", true}, "connections of a proxy": {"127.0.0.0/8", false}} {
		t.Run(situation, func(t *testing.T) {
			t.Parallel()
			srv := startServer(t, memory, map[string]string{"RESELLERD_MAX_CONNECTIONS_PER_ADDRESS": "2",
				"RESELLERD_TRUSTED_PROXIES": c.proxies})
			dial := func() net.Conn {
				connection, err := net.Dial("tcp", srv.Address)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = connection.Close() })
				return connection
			}
			// served reports whether a request is answered, and not its connection closed.
			served := func(connection net.Conn) bool {
				_ = connection.SetDeadline(time.Now().Add(patience))
				_, _ = io.WriteString(connection, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
				response, err := http.ReadResponse(bufio.NewReader(connection), nil)
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatal("the connection is neither served nor closed")
				}
				return err == nil && response.StatusCode == http.StatusOK
			}
			first, second := dial(), dial()
			if !served(first) || !served(second) {
				t.Fatal("the first two are not served")
			}
			if served(dial()) == c.closed {
				t.Errorf("the third is closed: %v, want %v", !c.closed, c.closed)
			}
			_ = first.Close()
			for deadline := time.Now().Add(patience); !served(dial()); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("a connection that was closed still counts")
				}
			}
		})
	}
}

// TestTheCertificateIsReplaced while the service runs.
func TestTheCertificateIsReplaced(t *testing.T) {
	t.Parallel()
	certificate, key, trusted := program.NewCertificate(t)
	srv := startServer(t, memory, map[string]string{"RESELLERD_TLS_CERT": certificate, "RESELLERD_TLS_KEY": key})
	handshake := func(c *tls.Config) error {
		connection, err := tls.Dial("tcp", srv.Address, c)
		if err == nil {
			err = connection.Close()
		}
		return err
	}
	if err := handshake(&tls.Config{RootCAs: trusted}); err != nil {
		t.Fatal(err)
	}
	otherCertificate, otherKey, otherTrusted := program.NewCertificate(t)
	for from, to := range map[string]string{otherCertificate: certificate, otherKey: key} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(patience); handshake(&tls.Config{RootCAs: otherTrusted}) != nil; time.Sleep(
		50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the certificate is the old one")
		}
	}
	srv.stop(t)
}
