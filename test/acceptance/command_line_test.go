package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

// command runs the program to its end with the server's settings.
func (s *server) command(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return withInput(t, s.env, "", args...)
}

// does runs a command that ends well, and returns what it prints.
func (s *server) does(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := s.command(t, args...)
	if status != 0 {
		t.Fatalf("%q: status %d, printed %q, %q", args, status, stdout, stderr)
	}
	return stdout
}

// withInput runs the program to its end with this on standard input.
func withInput(t *testing.T, env map[string]string, input string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	require.NoError(t, program.SeeSource())
	p := newProcess(env, args...)
	p.Cmd.Stdin = strings.NewReader(input)
	require.NoError(t, p.Start())
	status = p.Wait()
	return status, p.Stdout.String(), p.Stderr.String()
}

// TestCommandsUseTheRunningService runs commands with the settings of the running service.
func TestCommandsUseTheRunningService(t *testing.T) {
	t.Parallel()
	srv := startServer(t, memory, map[string]string{"RESELLERD_BASE_PATH": "/api"})
	env := map[string]string{"RESELLERD_ADDR": srv.Address, "RESELLERD_BASE_PATH": "/api"}
	want := srv.Login(t, api.AdminName, api.AdminPassword)
	if status, stdout, stderr := withInput(t, env, api.AdminPassword+"\n", "token", api.AdminName); status != 0 ||
		stdout != want+"\n" || stderr != "" {
		t.Errorf("token: status %d, printed %q, %q", status, stdout, stderr)
	}
	if status, stdout, stderr := withInput(t, env, "", "health"); status != 0 || stdout != "ready\n" {
		t.Errorf("health: status %d, printed %q, %q", status, stdout, stderr)
	}
	if status, stdout, _ := withInput(t, env, "", "openapi"); status != 0 ||
		stdout != string(srv.Nobody().Get(t, "/api/openapi.json").Body) {
		t.Errorf("openapi: status %d and %d bytes, which are not those that are served", status, len(stdout))
	}
	for _, nowhere := range []string{"/auth/static-token", "/openapi.json", "/api/healthz", "/api/api/users"} {
		srv.Nobody().Send(t, "POST", nowhere, nil).Refused(404, "unknown-route")
	}
	srv.Nobody().Send(t, "GET", "/readyz", nil).Is(200)
	env["RESELLERD_TOKEN"] = want
	status, key, said := withInput(t, env, "", "key", "create", "--name", "bot", "--role", "read_only")
	if status != 0 || strings.Contains(said, strings.TrimSpace(key)) || strings.Contains(said, want) {
		t.Errorf("key create: status %d, printed %q, %q", status, key, said)
	}
	bot := srv.As(strings.TrimSpace(key))
	bot.Get(t, "/api/lines")
	if status, stdout, stderr := withInput(t, env, "", "key", "revoke", "1"); status != 0 {
		t.Errorf("key revoke: status %d, printed %q, %q", status, stdout, stderr)
	}
	bot.Send(t, "GET", "/api/lines", nil).Refused(http.StatusUnauthorized, "key-revoked")
	srv.stop(t)
	if status, _, stderr := withInput(t, env, "", "health"); status != 1 || stderr == "" {
		t.Errorf("health of a service that has ended: status %d, %q", status, stderr)
	}
}

// TestAnOperatorWorksDuringService creates, blocks and unblocks administrators, and reads the actors in the journal.
func TestAnOperatorWorksDuringService(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv, typo := startServer(t, s, nil), newServer(t, s, nil)
		var made struct{ Username, Password string }
		if err := json.Unmarshal([]byte(srv.does(t, "admin", "create", "second", "--json")), &made); err != nil ||
			len(made.Password) != 20 {
			t.Fatalf("made %+v, %v", made, err)
		}
		second := srv.As(srv.Login(t, "second", made.Password))
		below := second.Reseller(t, "5")
		file := filepath.Join(t.TempDir(), "password")
		write(t, file, "from the file\n")
		srv.does(t, "admin", "password", "second", "--password-file", file)
		second.Send(t, "POST", "/lines/test", nil).Refused(http.StatusUnauthorized, "invalid-token")
		srv.Login(t, "second", "from the file")
		for range 2 {
			srv.does(t, "admin", "block", "SECOND")
		}
		if listed := strings.Fields(srv.does(t, "admin", "list")); listed[9] != "second" || listed[10] != "yes" {
			t.Errorf("the admins are %q", listed)
		}
		below.Send(t, "GET", "/users/logged", nil).Refused(http.StatusForbidden, "account-blocked")
		srv.does(t, "admin", "unblock", "second")
		below.Get(t, "/users/logged")

		// Only the command line can restore the sign-in of an admin that has lost its app.
		in := srv.SignIn(t, api.AdminName, api.AdminPassword)
		in.HaveFactor(t, api.AdminPassword, time.Now())
		signIn := func() answer {
			return srv.Nobody().Send(t, "POST", "/auth/session",
				fields{"username": api.AdminName, "password": api.AdminPassword})
		}
		signIn().Refused(http.StatusUnauthorized, "totp-required")
		srv.does(t, "admin", "totp-reset", api.AdminName)
		signIn().Is(201)
		in.Get(t, "/users/logged") // what had begun goes on
		if got := srv.does(t, "events", "--type", "totp.reset"); !strings.Contains(got,
			" an operator removed a lost second factor of admin (") {
			t.Errorf("the journal has %q", got)
		}

		for _, refused := range []struct {
			args []string
			says string
		}{
			{[]string{"admin", "create", "SECOND"}, "taken"},
			{[]string{"admin", "password", "nobody"}, "no account named nobody"},
			{[]string{"admin", "totp-reset", "nobody"}, "neither an account nor a member of a staff named nobody"},
			{[]string{"admin", "create", "x", "--store", "memory:"}, "ends with the process"},
			{[]string{"admin", "create", "x", "--store", typo.env["RESELLERD_STORE"]}, s.left(typo.dir).whereabouts(t)},
			{[]string{"audit", "--store", typo.env["RESELLERD_STORE"]}, s.left(typo.dir).whereabouts(t)},
		} {
			if status, stdout, stderr := srv.command(t, refused.args...); status != 1 || !strings.Contains(stderr,
				refused.says) {
				t.Errorf("%q: status %d, printed %q, %q", refused.args, status, stdout, stderr)
			}
		}
		if made := s.left(typo.dir).bytes(t); len(made) > 0 {
			t.Errorf("a command made a store of its own: %d parts", len(made))
		}
		srv.stopAndAudit(t)
	})
}

// TestEventsAreReadDuringService checks that the command prints the same entries as the API.
func TestEventsAreReadDuringService(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		admin := srv.Admin(t)
		maria := admin.Master(t, "10")
		funded := admin.Fund(t, maria.ID, 50).Is(200)
		maria.DeleteLine(t, maria.Official(t).ID).Is(200)
		admin.Fund(t, maria.ID, 1).Is(200) // a movement at the end, to wait for
		awaitJournal(t, admin, 4)
		shown := admin.Get(t, "/events?limit=500").List()
		lines := slices.Collect(strings.Lines(srv.does(t, "events", "--format", "ndjson")))
		if len(lines) != len(shown) || len(lines) != 8 {
			t.Fatalf("the command prints %d entries, and the service %d: %q", len(lines), len(shown), lines)
		}
		for i, line := range lines {
			decoder := json.NewDecoder(strings.NewReader(line))
			decoder.UseNumber()
			var object api.Fields
			if err := decoder.Decode(&object); err != nil || !reflect.DeepEqual(object, shown[i].Fields) {
				t.Errorf("the command prints %s, and the service %v, %v", line, shown[i].Fields, err)
			}
		}
		by := fmt.Sprintf("admin (1) by token from 127.0.0.1 added credits to %s (%d): 50 credits from issuance to ",
			maria.Username, maria.ID)
		if got := srv.does(t, "events", "--account", maria.Username, "--type", "reseller.credited", "--since",
			"1h"); strings.Count(got, "\n") != 2 || !strings.Contains(got, by) || !strings.Contains(got,
			fmt.Sprintf("(request %q; reseller.credited; evt_", funded.Header.Get("X-Request-Id"))) {
			t.Errorf("who added 50 credits to maria? %s", got)
		}
	})
}

// startSandbox returns a sandbox that serves.
func startSandbox(t *testing.T) (*program.Process, *api.Service) {
	t.Helper()
	p, err := launch(map[string]string{"RESELLERD_ADDR": "127.0.0.1:0"}, "sandbox")
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	require.NoError(t, p.Serves(t.Context()))
	return p, &api.Service{Address: p.ListensOn}
}

// setClock sets the clock of a sandbox, which the document does not have.
func setClock(t *testing.T, srv *api.Service, token, body string) (status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+srv.Address+"/sandbox/clock",
		strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := api.Client.Do(r)
	require.NoError(t, err)
	_ = response.Body.Close()
	return response.StatusCode
}

// TestASandboxHasLinesInEachState checks that a sandbox also has a clock that goes forward, and that its output can't
// be mistaken for a service's.
func TestASandboxHasLinesInEachState(t *testing.T) {
	t.Parallel()
	p, srv := startSandbox(t)
	url := "http://" + srv.Address
	waitFor(t, p.Stdout, "a reseller who is blocked")
	greeting := p.Stdout.String()
	for _, says := range []string{"listens on " + url, url + "/console", url + "/docs", url + "/openapi.json",
		"resellerd token admin --url " + url, url + "/sandbox/clock"} {
		if !strings.Contains(greeting, says) {
			t.Errorf("it does not say %q:\n%s", says, greeting)
		}
	}
	as := func(name string) caller {
		t.Helper()
		password := "sandbox-" + name
		if !strings.Contains(greeting, password) {
			t.Errorf("the password %s is not shown", password)
		}
		return srv.As(srv.Login(t, name, password))
	}
	admin, joao := as("admin"), as("joao")
	as("maria").Get(t, "/users")
	srv.Nobody().Send(t, "POST", "/auth/static-token", fields{"username": "pedro", "password": "sandbox-pedro"}).Refused(
		http.StatusForbidden, "account-blocked")
	as("ana").Get(t, "/users/logged").Has(fields{"credits": "0"})
	states := func(want map[string]int) {
		t.Helper()
		for query, n := range want {
			if got := len(joao.Get(t, "/lines?"+query).List()); got != n {
				t.Errorf("%s: %d lines, want %d", query, got, n)
			}
		}
	}
	states(map[string]int{"isTrial=1&status=1": 1, "isTrial=1&status=0": 1, "isTrial=0&status=1": 1,
		"isTrial=0&status=0": 1})
	admin.Get(t, "/ledger/proof").Has(fields{"balanced": true})
	if status := setClock(t, srv, joao.Token, `{"forward":"1h"}`); status != http.StatusForbidden {
		t.Errorf("a reseller sets the clock: %d", status)
	}
	if status := setClock(t, srv, admin.Token, `{"forward":"768h"}`); status != http.StatusOK { // 32 days
		t.Errorf("an admin sets the clock: %d", status)
	}
	states(map[string]int{"status=1": 0, "isTrial=1&status=0": 2, "isTrial=0&status=0": 2})
	if a := srv.Nobody().Send(t, "GET", "/readyz", nil); a.Header.Get("X-Resellerd-Sandbox") != "true" {
		t.Error("an answer is not marked")
	}
	if status := p.Terminate(); status != 0 {
		t.Errorf("SIGTERM ended it with status %d", status)
	}
}

func TestASandboxIsNotStartedInTheEnvironmentOfAService(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("0123456789abcdef"), 0o600))
	env := map[string]string{"RESELLERD_STORE": "memory:", "RESELLERD_SECRET": "0123456789abcdef",
		"RESELLERD_SECRET_FILE": file, "RESELLERD_ADMIN_PASSWORD": "a real password", "RESELLERD_ADMIN_PASSWORD_FILE": file}
	status, stdout, stderr := withInput(t, env, "", "sandbox")
	if status != 2 || stdout != "" || strings.Contains(stderr, "0123456789abcdef") || strings.Contains(stderr, "real password") {
		t.Errorf("status %d, printed %q, %q", status, stdout, stderr)
	}
	for variable := range env {
		says(t, stderr, "\n  "+variable+": is set")
	}
}
