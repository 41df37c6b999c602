package acceptance

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

// withInput runs the program to its end with this on standard input.
func withInput(t *testing.T, env map[string]string, input string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	if err := program.SeeSource(); err != nil {
		t.Fatal(err)
	}
	p := newProcess(env, args...)
	p.Cmd.Stdin = strings.NewReader(input)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	status = p.Wait()
	return status, p.Stdout.String(), p.Stderr.String()
}

// TestTheServiceIsAskedFromTheCommandLine with the settings that it was started with.
func TestTheServiceIsAskedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	srv := startServer(t, memory, map[string]string{"RESELLERD_BASE_PATH": "/api"})
	env := map[string]string{"RESELLERD_ADDR": srv.Address, "RESELLERD_BASE_PATH": "/api"}
	want := srv.Login(t, api.AdminName, api.AdminPassword)
	if status, stdout, stderr := withInput(t, env, api.AdminPassword+"\n", "token", api.AdminName); status != 0 ||
		stdout != want+"\n" || stderr != "" {
		t.Errorf("token: status %d, printed %q, %q", status, stdout, stderr)
	}
	if status, stdout, stderr := withInput(t, env, "wrong", "token", api.AdminName); status != 1 || stdout != "" ||
		!strings.Contains(stderr, "401 invalid-credentials") {
		t.Errorf("token by a wrong password: status %d, printed %q, %q", status, stdout, stderr)
	}
	if status, stdout, stderr := withInput(t, env, "", "health"); status != 0 || stdout != "ready\n" {
		t.Errorf("health: status %d, printed %q, %q", status, stdout, stderr)
	}
	if status, stdout, _ := withInput(t, env, "", "openapi"); status != 0 ||
		stdout != string(srv.Nobody().Get(t, "/api/openapi.json").Body) {
		t.Errorf("openapi: status %d and %d bytes, which are not those that are served", status, len(stdout))
	}
	env["RESELLERD_TOKEN"] = want
	status, key, said := withInput(t, env, "", "key", "create", "--name", "bot", "--role", "read_only")
	if status != 0 || strings.Contains(said, strings.TrimSpace(key)) || strings.Contains(said, want) {
		t.Errorf("key create: status %d, printed %q, %q", status, key, said)
	}
	bot := srv.As(strings.TrimSpace(key))
	bot.Get(t, "/api/lines")
	if status, stdout, stderr := withInput(t, env, "", "key", "list"); status != 0 ||
		!strings.Contains(stdout, "bot   read_only  any ") {
		t.Errorf("key list: status %d, printed %q, %q", status, stdout, stderr)
	}
	if status, stdout, stderr := withInput(t, env, "", "key", "revoke", "1"); status != 0 {
		t.Errorf("key revoke: status %d, printed %q, %q", status, stdout, stderr)
	}
	bot.Send(t, "GET", "/api/lines", nil).Refused(http.StatusUnauthorized, "key-revoked")
	srv.stop(t)
	if status, _, stderr := withInput(t, env, "", "health"); status != 1 || stderr == "" {
		t.Errorf("health of a service that has ended: status %d, %q", status, stderr)
	}
}

func TestAnOperatorBlocksAdmins(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		status, stdout, stderr := srv.command(t, "admin", "create", "second", "--json")
		var made struct{ Username, Password string }
		if err := json.Unmarshal([]byte(stdout), &made); err != nil || status != 0 || made.Username != "second" {
			t.Fatalf("status %d, printed %q, %q", status, stdout, stderr)
		}
		second := srv.As(srv.Login(t, made.Username, made.Password))
		below := second.Reseller(t, "5")
		admins := func(want string) {
			t.Helper()
			status, stdout, stderr := srv.command(t, "admin", "list")
			lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
			if status != 0 || len(lines) != 3 || strings.Join(strings.Fields(lines[0]), " ") != "ID USERNAME BLOCKED CREATED" ||
				strings.Join(strings.Fields(lines[2])[1:3], " ") != want {
				t.Errorf("the admins: status %d, printed\n%s%s; want %s", status, stdout, stderr, want)
			}
		}
		admins("second no")
		for range 2 {
			if status, stdout, stderr := srv.command(t, "admin", "block", "SECOND"); status != 0 {
				t.Errorf("status %d, printed %q, %q", status, stdout, stderr)
			}
		}
		admins("second yes")
		second.Send(t, "GET", "/users/logged", nil).Refused(http.StatusForbidden, "account-blocked")
		below.Send(t, "GET", "/users/logged", nil).Refused(http.StatusForbidden, "account-blocked")
		if status, stdout, stderr := srv.command(t, "admin", "unblock", "second", "--json"); status != 0 ||
			stdout != `{"username":"second","blocked":false}`+"\n" {
			t.Errorf("status %d, printed %q, %q", status, stdout, stderr)
		}
		second.Get(t, "/users/logged")
		below.Get(t, "/users/logged")
		srv.stop(t)
		srv.audit(t).well()
	})
}

// TestAnOperatorLetsInWhoHasLostAnApp beside the service: an admin, for whom nobody else can, and a member of a staff.
func TestAnOperatorLetsInWhoHasLostAnApp(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		member := api.NewMember(nil)
		srv.Admin(t).Send(t, "POST", "/staff", member).Is(201)
		for name, password := range map[string]string{api.AdminName: api.AdminPassword,
			member["username"].(string): member["password"].(string)} {
			in := srv.SignIn(t, name, password)
			in.HaveFactor(t, password, time.Now())
			signIn := func() answer {
				return srv.Nobody().Send(t, "POST", "/auth/session", fields{"username": name, "password": password})
			}
			signIn().Refused(http.StatusUnauthorized, "totp-required")
			if status, stdout, stderr := srv.command(t, "admin", "totp-reset", name, "--json"); status != 0 ||
				stdout != `{"username":"`+name+`","second_factor":false}`+"\n" {
				t.Errorf("status %d, printed %q, %q", status, stdout, stderr)
			}
			signIn().Is(201)
			in.Get(t, "/users/logged") // what had begun goes on
			if status, _, stderr := srv.command(t, "admin", "totp-reset", name); status != 1 || stderr != "resellerd: "+name+
				" has no second factor\n" {
				t.Errorf("status %d, %q", status, stderr)
			}
		}
		const unknown = "resellerd: there is neither an account nor a member of a staff named nobody\n"
		if status, _, stderr := srv.command(t, "admin", "totp-reset", "nobody"); status != 1 || stderr != unknown {
			t.Errorf("status %d, %q", status, stderr)
		}
		if status, stdout, stderr := srv.command(t, "events", "--type", "totp.reset"); status != 0 ||
			strings.Count(stdout, " an operator removed a lost second factor of admin (") != 2 {
			t.Errorf("status %d, printed %q, %q", status, stdout, stderr)
		}
		srv.stop(t)
		srv.audit(t).well()
	})
}

// startSandbox returns a sandbox that serves.
func startSandbox(t *testing.T) (*program.Process, *api.Service) {
	t.Helper()
	p, err := launch(map[string]string{"RESELLERD_ADDR": "127.0.0.1:0"}, "sandbox")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	if err := p.Serves(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p, &api.Service{Address: p.ListensOn}
}

// setClock sets the clock of a sandbox, which the document does not have.
func setClock(t *testing.T, srv *api.Service, token, body string) (status int, now, code string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+srv.Address+"/sandbox/clock",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := api.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Now, Code string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer.Now, answer.Code
}

// TestASandboxHasLinesInEachState and a clock that goes forward, and none of it is taken for a service's.
func TestASandboxHasLinesInEachState(t *testing.T) {
	t.Parallel()
	p, srv := startSandbox(t)
	url := "http://" + srv.Address
	for deadline := time.Now().Add(patience); !strings.Contains(p.Stdout.String(),
		"a reseller who is blocked"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it printed %s%s", p.Stdout, p.Stderr)
		}
	}
	greeting := p.Stdout.String()
	for _, says := range []string{"listens on " + url, url + "/console", url + "/docs", url + "/openapi.json",
		"resellerd token admin --url " + url, url + "/sandbox/clock"} {
		if !strings.Contains(greeting, says) {
			t.Errorf("it does not say %q:\n%s", says, greeting)
		}
	}
	console, err := http.Get(url + "/console")
	if err != nil {
		t.Fatal(err)
	}
	_ = console.Body.Close()
	if policy := console.Header.Get("Content-Security-Policy"); console.StatusCode != http.StatusOK ||
		!strings.Contains(policy, "require-trusted-types-for") {
		t.Errorf("GET %s/console: %s with the policy %q", url, console.Status, policy)
	}
	as := func(name string) caller {
		t.Helper()
		password := "sandbox-" + name
		if !strings.Contains(greeting, password) {
			t.Errorf("the password %s is not shown", password)
		}
		status, token, stderr := withInput(t, nil, password, "token", name, "--url", url)
		if status != 0 {
			t.Fatalf("%s: status %d, %s", name, status, stderr)
		}
		return srv.As(strings.TrimSpace(token))
	}
	admin, joao := as("admin"), as("joao")
	as("maria").Get(t, "/users").Has(fields{})
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
	key := []string{"Idempotency-Key", "in-the-sandbox"}
	joao.Send(t, "POST", "/lines/test", nil, key...).Is(201).Replayed(false)
	joao.Send(t, "POST", "/lines/test", nil, key...).Is(201).Replayed(true)

	begun := srv.Nobody().Send(t, "POST", "/auth/session", fields{"username": "maria", "password": "sandbox-maria"}).Is(
		201)
	inBrowser := srv.BySession(begun)
	inBrowser.Get(t, "/users/logged").Has(fields{"username": "maria"})

	if status, _, code := setClock(t, srv, joao.Token, `{"forward":"1h"}`); status != 403 || code != "not-allowed" {
		t.Errorf("a reseller sets the clock: %d %s", status, code)
	}
	before := time.Now()
	status, now, _ := setClock(t, srv, admin.Token, `{"forward":"768h"}`) // 32 days
	if at, err := time.Parse(time.RFC3339, now); status != 200 || err != nil ||
		at.Sub(before) < 32*24*time.Hour-time.Second || at.Sub(before) > 33*24*time.Hour {
		t.Errorf("32 days on it shows %s (%d, %v)", now, status, err)
	}
	states(map[string]int{"status=1": 0, "isTrial=1&status=0": 3, "isTrial=0&status=0": 2})
	joao.Send(t, "POST", "/lines/test", nil, key...).Is(201).Replayed(false) // the key has expired, too
	inBrowser.Send(t, "GET", "/users/logged", nil).SessionEnded()
	if status, _, code := setClock(t, srv, admin.Token, `{"to":"`+before.UTC().Format(time.RFC3339)+`"}`); status != 409 ||
		code != "clock-goes-forward" {
		t.Errorf("the clock goes back: %d %s", status, code)
	}
	for _, path := range []string{"/healthz", "/readyz", "/nowhere", "/users", "/openapi.json"} {
		if a := srv.Nobody().Send(t, "GET", path, nil); a.Header.Get("X-Resellerd-Sandbox") != "true" {
			t.Errorf("%s: the answer is not marked", path)
		}
	}
	if status := p.Terminate(); status != 0 {
		t.Errorf("SIGTERM ended it with status %d", status)
	}
}

func TestASandboxIsNotStartedInTheEnvironmentOfAService(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	for variable, value := range map[string]string{
		"RESELLERD_STORE":               "memory:",
		"RESELLERD_SECRET":              "0123456789abcdef",
		"RESELLERD_SECRET_FILE":         file,
		"RESELLERD_ADMIN_PASSWORD":      "a real password",
		"RESELLERD_ADMIN_PASSWORD_FILE": file,
	} {
		status, stdout, stderr := withInput(t, map[string]string{variable: value, "RESELLERD_ADDR": "127.0.0.1:0"},
			"", "sandbox")
		if status != 2 || stdout != "" || !strings.Contains(stderr, "\n  "+variable+": is set") ||
			strings.Contains(stderr, value) && variable != "RESELLERD_STORE" {
			t.Errorf("%s: status %d, printed %q, %q", variable, status, stdout, stderr)
		}
	}
}
