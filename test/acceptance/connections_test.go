package acceptance

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

// raw sends a request over a connection of its own, which the caller closes.
func raw(t *testing.T, c caller, method, path, body string) *net.TCPConn {
	t.Helper()
	connection, err := net.Dial("tcp", c.Server.Address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(connection,
		"%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, c.Server.Address, c.Token, len(body), body)
	if err != nil {
		t.Error(err)
	}
	return connection.(*net.TCPConn)
}

// TestClientsThatHangUp sends requests whose clients do not wait for the answer:
// nothing fails, and what changes something is done all the same.
func TestClientsThatHangUp(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		r := srv.Admin(t).Reseller(t, "0")
		login := string(api.Encode(t, fields{"username": r.Username, "password": r.Password}))
		const many = 50
		api.AtOnce(many, func(int) {
			for _, connection := range []*net.TCPConn{
				raw(t, r.Caller, "GET", "/lines", ""), raw(t, r.Caller, "POST", "/lines/test", "{}"),
				raw(t, r.Caller, "POST", "/auth/static-token", login),
			} {
				_ = connection.Close()
			}
		})
		for range 5 { // closes the sending side only
			connection := raw(t, r.Caller, "POST", "/auth/static-token", login)
			if err := connection.CloseWrite(); err != nil {
				t.Error(err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil || answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("a client that still reads gets %v, %v, want an answer", answer, err)
			}
			_ = connection.Close()
		}
		for deadline := time.Now().Add(patience); len(r.Get(t, "/lines?limit=100").List()) < many; time.Sleep(
			10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d of %d trials were made", len(r.Get(t, "/lines?limit=100").List()), many)
			}
		}
		srv.stop(t)
		if hasRecord(srv.Stderr.String(), "ERROR", "") {
			t.Error("clients that hang up are logged as errors")
		}
		made := 0
		for line := range strings.Lines(srv.Stderr.String()) {
			var record struct {
				Route  string
				Status int
			}
			if json.Unmarshal([]byte(line), &record) != nil || record.Route != "/lines/test" {
				continue
			}
			if made++; record.Status != http.StatusCreated {
				t.Errorf("a trial that was made is logged with status %d", record.Status)
			}
		}
		if made != many {
			t.Errorf("%d trials are in the log, want %d", made, many)
		}
	})
}

// TestAClientThatDoesNotReadCannotMakeTheEndFail asks for page after page on one
// connection, takes none, and has the program end.
func TestAClientThatDoesNotReadCannotMakeTheEndFail(t *testing.T) {
	t.Parallel()
	srv := startServer(t, memory, nil)
	r := srv.Admin(t).Reseller(t, "0")
	notes := fields{"notes": strings.Repeat("\U0001F642", 2000)}
	for range 120 { // about 8 KB each
		r.Send(t, "POST", "/lines/test", notes).Is(http.StatusCreated)
	}
	const pages = 30 // more than a connection can hold
	connection := raw(t, r.Caller, "GET", "/lines?limit=500", "")
	defer connection.Close()
	for range pages - 1 {
		fmt.Fprintf(connection, "GET /lines?limit=500 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", r.Token)
	}
	given := func() int { return strings.Count(srv.Stderr.String(), `"route":"/lines",`) }
	deadline := time.Now().Add(patience)
	for before := -1; before < 1 || given() > before; time.Sleep(500 * time.Millisecond) { // until it is stuck in one
		if before = given(); before == pages || time.Now().After(deadline) {
			t.Skipf("%d of %d pages went out to a client that reads none, and it is not stuck", before, pages)
		}
	}
	if err := srv.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-srv.Ended():
	case <-time.After(patience): // it has 20 seconds
		t.Fatal("the program does not end")
	}
	if srv.Status != 0 || !hasRecord(srv.Stderr.String(), "INFO", "stopped") {
		t.Errorf("the program ended with status %d, want 0, in order", srv.Status)
	}
}

// TestHTTPS serves with a certificate, and without TLS or with an old one nobody.
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
	answer, err := https.Post("https://"+srv.Address+"/auth/static-token", "application/json", bytes.NewReader(login))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.ProtoMajor != 2 ||
		answer.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
		t.Errorf("a login is answered with %s over %s and %v", answer.Status, answer.Proto, answer.Header)
	}
	begun, err := https.Post("https://"+srv.Address+"/auth/session", "application/json", bytes.NewReader(login))
	if err != nil {
		t.Fatal(err)
	}
	_ = begun.Body.Close()
	if cookie := begun.Header.Get("Set-Cookie"); begun.StatusCode != http.StatusCreated ||
		!strings.HasPrefix(cookie, "__Host-"+api.CookieName("")+"=") ||
		!strings.HasSuffix(cookie, "; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Strict") {
		t.Errorf("a browser is answered with %s and the cookie %s", begun.Status, cookie)
	}
	for version, taken := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true,
		tls.VersionTLS13: true} {
		connection, err := tls.Dial("tcp", srv.Address,
			&tls.Config{RootCAs: trusted, MinVersion: version, MaxVersion: version})
		if err == nil {
			_ = connection.Close()
		}
		if (err == nil) != taken {
			t.Errorf("a handshake by %s ended in %v, want it taken: %t", tls.VersionName(version), err, taken)
		}
	}
	for suite, taken := range map[uint16]bool{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: true, tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: true,
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: false, tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: false,
	} {
		connection, err := tls.Dial("tcp", srv.Address, &tls.Config{RootCAs: trusted, MaxVersion: tls.VersionTLS12,
			CipherSuites: []uint16{suite}})
		if err == nil {
			_ = connection.Close()
		}
		if (err == nil) != taken {
			t.Errorf("a handshake by %s ended in %v, want it taken: %t", tls.CipherSuiteName(suite), err, taken)
		}
	}
	if plain, err := api.Client.Get("http://" + srv.Address + "/healthz"); err == nil {
		_ = plain.Body.Close()
		if plain.StatusCode != http.StatusBadRequest {
			t.Errorf("a request without TLS is answered with %s", plain.Status)
		}
	}
	https.CloseIdleConnections()
	srv.stop(t)
}
