package acceptance

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resellerd/test/api"
)

// command runs the program to its end with the server's settings.
func (s *server) command(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	p, err := launch(s.env, args...)
	if err != nil {
		t.Fatal(err)
	}
	status = p.Wait()
	return status, p.Stdout.String(), p.Stderr.String()
}

var madePassword = regexp.MustCompile(`(?m)^password: (\S{20})$`)

func TestAdminCommandsWorkBesideTheService(t *testing.T) {
	forEachDurableStore(t, testAdminCommandsWorkBesideTheService)
}

func testAdminCommandsWorkBesideTheService(t *testing.T, s store) {
	srv := startServer(t, s, nil)
	typo := newServer(t, s, nil)
	victim := srv.Admin(t).Reseller(t, "5")

	status, stdout, stderr := srv.command(t, "admin", "create", "second")
	password := madePassword.FindStringSubmatch(stdout)
	if status != 0 || password == nil {
		t.Fatalf("status %d, printed %q, %q", status, stdout, stderr)
	}
	second := srv.As(srv.Login(t, "second", password[1]))
	second.Fund(t, victim.ID, 1).Is(http.StatusOK).Has(fields{"credits": 6})

	file := filepath.Join(srv.dir, "password")
	if err := os.WriteFile(file, []byte("from the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr = srv.command(t, "admin", "password", "second", "--password-file", file); status != 0 ||
		strings.Contains(stdout, "from the file") {
		t.Errorf("status %d, printed %q, %q", status, stdout, stderr)
	}
	second.Send(t, "POST", "/lines/test", nil).Refused(http.StatusUnauthorized, "invalid-token")
	srv.Login(t, "second", "from the file")

	for _, refused := range []struct {
		args []string
		says string
	}{
		{[]string{"admin", "create", "SECOND"}, "taken"},
		{[]string{"admin", "password", "nobody"}, "no account named nobody"},
		{[]string{"admin", "create", "x", "--store", "memory:"}, "ends with the process"},
		{[]string{"admin", "create", "x", "--store", typo.env["RESELLERD_STORE"]}, s.left(typo.dir).whereabouts(t)},
	} {
		if status, stdout, stderr := srv.command(t, refused.args...); status != 1 || stdout != "" ||
			!strings.Contains(stderr, refused.says) {
			t.Errorf("%q: status %d, printed %q, %q", refused.args, status, stdout, stderr)
		}
	}
	if made := s.left(typo.dir).bytes(t); len(made) > 0 {
		t.Errorf("a command made a store of its own: %v", slices.Collect(maps.Keys(made)))
	}
}

func TestForwardedAddressesAreBelievedOfTrustedProxiesOnly(t *testing.T) {
	t.Parallel()
	for _, proxies := range []string{"", "127.0.0.1"} {
		srv := startServer(t, memory, map[string]string{"RESELLERD_TRUSTED_PROXIES": proxies})
		login := func(password, address string) answer {
			return srv.Nobody().Send(t, "POST", "/auth/static-token", fields{"username": api.AdminName, "password": password},
				"X-Forwarded-For", address)
		}
		// One client, as a proxy names it that adds the port; of IPv6 it has a network.
		for i := range 10 {
			login("wrong", fmt.Sprintf("[2001:db8:1:2::%d]:%d", i, 4000+i)).Refused(http.StatusUnauthorized,
				"invalid-credentials")
		}
		login(api.AdminPassword, "2001:db8:1:2:ffff::1").Refused(http.StatusTooManyRequests, "too-many-attempts")
		for _, other := range []string{"[2001:db8:1:3::1]:4000", "192.0.2.1:4000"} {
			if proxies == "" {
				login(api.AdminPassword, other).Refused(http.StatusTooManyRequests, "too-many-attempts")
			} else {
				login(api.AdminPassword, other).Is(http.StatusOK)
			}
		}
	}
}
