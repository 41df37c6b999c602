package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"
)

const secret = "a service key of the operator's own, long enough"

func TestRestartKeepsEverything(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		master := srv.Admin(t).Master(t, "100")
		r := master.Create(t, fields{"credits": "7.5", "telegram": "@kept", "notes": "kept"})
		l, trial := r.Official(t), r.Trial(t)
		deleted := r.Trial(t)
		r.DeleteLine(t, deleted.ID).Is(200)
		revoked := r.Caller
		r.Send(t, "DELETE", "/auth/static-token", nil).Is(200)
		r.Token = srv.Login(t, r.Username, r.Password)
		srv.restart(t)

		revoked.Dead(t)
		for _, a := range []api.Reseller{master, r} {
			if token := srv.Login(t, a.Username, a.Password); token != a.Token {
				t.Error("the token is another after a restart")
			}
		}
		if got := master.Balance(t, r.ID); got != "92.5" {
			t.Errorf("the master holds %s, want 92.5", got)
		}
		r.Send(t, "PATCH", api.Path("/users", r.ID), r.Update()).Is(200).Has(fields{"telegram": "@kept", "notes": "kept"})
		r.Activate(t, l, 1).Refused(409, "line-not-trial")
		r.Send(t, "PATCH", api.Path("/lines", l.ID), api.With(l.Edit(), fields{"notes": "edited"})).Is(200).Has(
			fields{"id": l.ID, "username": l.Username})
		r.Activate(t, trial, 1).Is(201).Has(fields{"owner": r.ID, "username": trial.Username})
		r.DeleteLine(t, deleted.ID).Refused(404, "not-found")
		srv.Admin(t).Send(t, "POST", "/users", api.NewReseller(fields{"username": r.Username})).Refused(409, "username-taken")
		if id := r.Trial(t).ID; id <= deleted.ID {
			t.Errorf("the line %d was made after the line %d: an id came back", id, deleted.ID)
		}
		srv.Admin(t).Fund(t, r.ID, 1).Is(200).Has(fields{"credits": 7})
		srv.stopAndAudit(t)
	})
}

func TestMemoryForgets(t *testing.T) {
	t.Parallel()
	srv := startServer(t, memory, nil)
	r := srv.Admin(t).Reseller(t, "0")
	by := r.SignIn(t)
	srv.restart(t)
	r.Send(t, "POST", "/lines/test", nil).Refused(401, "invalid-token")
	by.Send(t, "POST", "/lines/test", nil).SessionEnded()
	srv.Nobody().Send(t, "POST", "/auth/static-token", fields{"username": r.Username, "password": r.Password}).Refused(401,
		"invalid-credentials")
}

// TestKillUnderLoad ends the process without warning while requests are under
// way: what was acknowledged is there, and what was not is repeated with its key.
func TestKillUnderLoad(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		master := srv.Admin(t).Master(t, "2000")
		r := master.Reseller(t, "1000")

		type sent struct {
			by         api.Reseller
			path       string
			body       fields
			key        string
			acked      bool
			answer     answer
			activation bool
		}
		const workers, enough = 6, 60
		var mu sync.Mutex
		var all []sent
		acked := 0
		loaded := make(chan struct{})
		record := func(s sent) {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, s)
			if s.acked {
				if acked++; acked == enough {
					close(loaded)
				}
			}
		}
		request := func(s sent) bool {
			a, err := s.by.Try(t, "PATCH", s.path, s.body, "Idempotency-Key", s.key)
			s.acked, s.answer = err == nil, a
			record(s)
			return err == nil
		}
		var running sync.WaitGroup
		for worker := range workers {
			running.Go(func() {
				for i := 0; ; i++ {
					trial, err := r.Try(t, "POST", "/lines/test", nil)
					if err != nil {
						return
					}
					l := trial.Line()
					activate := sent{by: r, path: api.Path("/lines/active", l.ID), body: l.Activation("0.5"),
						key: fmt.Sprintf("activate-%d", l.ID), activation: true}
					topUp := sent{by: master, path: api.Path("/users/credits", r.ID), body: fields{"credits": 0.25},
						key: fmt.Sprintf("top-up-%d-%d", worker, i)}
					if !request(activate) || !request(topUp) {
						return
					}
				}
			})
		}
		select {
		case <-loaded:
		case <-time.After(patience):
			t.Error("the load does not come about")
		}
		srv.Kill()
		running.Wait()
		srv.start(t)

		topUps := 0
		for _, sent := range all {
			again := sent.by.Send(t, "PATCH", sent.path, sent.body, "Idempotency-Key", sent.key)
			if sent.acked {
				again.Same(sent.answer)
			} else if again.Status >= 300 {
				t.Errorf("%s: not acknowledged, and when repeated: %s", again.Request, again.Body)
			}
			if sent.activation {
				sent.by.Send(t, "PATCH", sent.path, sent.body).Refused(409, "line-not-trial")
			} else {
				topUps++
			}
		}
		activations := len(all) - topUps
		// 1000 was given at the start, 0.25 with each top-up, 0.5 paid for each line.
		units := int64(1000*4 + topUps - 2*activations)
		a := srv.Admin(t).Fund(t, r.ID, 1).Is(200)
		total, err := a.Fields["credits"].(json.Number).Float64() // quarters are exact
		if err != nil || int64(total*4) != units+4 {
			t.Errorf("after %d top-ups and %d activations: %s (%v), want %d quarters", topUps, activations, a.Body, err, units+4)
		}
		srv.stopAndAudit(t)
	})
}

func TestStopDrains(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
			t.Run(signal.String(), func(t *testing.T) { stopDrains(t, s, signal) })
		}
	})
}

func stopDrains(t *testing.T, s store, signal syscall.Signal) {
	srv := startServer(t, s, nil)
	r := srv.Admin(t).Reseller(t, "0")
	connection, err := net.Dial("tcp", srv.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	body := `{"notes":"under way"}`
	fmt.Fprintf(connection,
		"POST /lines/test HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", srv.Address, r.Token, len(body))
	replies := bufio.NewReader(connection)
	// The program asks for the body: the request is under way.
	if interim, err := http.ReadResponse(replies, nil); err != nil || interim.StatusCode != http.StatusContinue {
		t.Fatalf("the request does not get under way: %v, %v", interim, err)
	}
	if err := srv.Cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		another, err := net.Dial("tcp", srv.Address)
		if err != nil {
			break // no new ones
		}
		_ = another.Close()
		if time.Now().After(deadline) {
			t.Fatal("the program takes connections after it was asked to end")
		}
	}
	fmt.Fprint(connection, body)
	response, err := http.ReadResponse(replies, nil)
	if err != nil {
		t.Fatalf("the request under way got no answer: %v", err)
	}
	var trial struct {
		ID    int64
		Notes string
	}
	if err := json.NewDecoder(response.Body).Decode(&trial); err != nil || response.StatusCode != http.StatusCreated ||
		trial.Notes != "under way" {
		t.Errorf("the request under way: status %d, %+v, %v", response.StatusCode, trial, err)
	}
	if status := srv.Wait(); status != 0 {
		t.Errorf("the program ended with status %d, want 0", status)
	}
	if s.durable {
		srv.start(t)
		r.DeleteLine(t, trial.ID).Is(200)
	}
}

// TestStopRightAfterStart asks the program to end as soon as it says that it
// listens, time and again: from there on it ends in order.
func TestStopRightAfterStart(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, map[string]string{"RESELLERD_LOG_LEVEL": "debug"})
		for range 15 {
			srv.restart(t)
		}
	})
}

// fails runs the program with settings with which it must not start, and returns what it says.
func fails(t *testing.T, status int, env map[string]string) string {
	t.Helper()
	p, err := launch(env, "serve")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	select {
	case <-p.Listening():
		t.Error("the program listens, but must not start")
		p.Kill()
	case <-p.Ended():
	case <-time.After(patience):
		t.Error("the program neither starts nor ends")
		p.Kill()
	}
	if p.Status != status {
		t.Errorf("the program ended with status %d, want %d:\n%s", p.Status, status, p.Stderr)
	}
	if out := p.Stdout.String(); out != "" {
		t.Errorf("a start that fails prints %q", out)
	}
	return p.Stderr.String()
}

// says expects words in a message.
func says(t *testing.T, message string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(message, word) {
			t.Errorf("the program does not speak of %q:\n%s", word, message)
		}
	}
}

func TestTakenPort(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	srv := newServer(t, sqlite, map[string]string{"RESELLERD_ADDR": taken.Addr().String(), "RESELLERD_ADMIN_PASSWORD": ""})
	says(t, fails(t, 1, srv.env), taken.Addr().String(), "address already in use")

	// No admin was made whose password nobody saw.
	srv.env["RESELLERD_ADDR"] = "127.0.0.1:0"
	srv.start(t)
	srv.Login(t, api.AdminName, printedPassword(t, srv))
}

var passwordLine = regexp.MustCompile(`(?m)^password: (\S+)$`)

// printedPassword returns the password that the program prints, or one of several processes of it.
func printedPassword(t *testing.T, servers ...*server) string {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		for _, srv := range servers {
			if found := passwordLine.FindStringSubmatch(srv.Stdout.String()); found != nil {
				return found[1]
			}
		}
	}
	t.Fatalf("standard output has no password:\n%s", servers[0].Stdout)
	return ""
}

func TestWrongConfiguration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  map[string]string
	}{
		{"one", map[string]string{"RESELLERD_TRIAL_DURATION": "soon"}},
		{"a store of no kind", map[string]string{"RESELLERD_STORE": "ftp:somewhere"}},
		{"a store without a path", map[string]string{"RESELLERD_STORE": "sqlite:"}},
		{"a short secret", map[string]string{"RESELLERD_SECRET": "tiny"}},
		{"a file that is not there", map[string]string{"RESELLERD_SECRET_FILE": "/nowhere/at/all"}},
		{"several", map[string]string{
			"RESELLERD_ADDR":            "no port",
			"RESELLERD_BASE_PATH":       "no slash",
			"RESELLERD_TRIAL_DURATION":  "-4h",
			"RESELLERD_TRIALS_PER_DAY":  "-1",
			"RESELLERD_ADMIN_USERNAME":  "two words",
			"RESELLERD_ADMIN_PASSWORD":  "12345",
			"RESELLERD_SECRET":          "tiny",
			"RESELLERD_LOG_LEVEL":       "loud",
			"RESELLERD_LOG_FORMAT":      "xml",
			"RESELLERD_TRUSTED_PROXIES": "nonsense",
			"RESELLERD_MAX_CONNECTIONS": "0",
			"RESELLERD_TLS_CERT":        "/nowhere/at/all",
		}},
		{"several with the store", map[string]string{"RESELLERD_STORE": "nowhere", "RESELLERD_TRIALS_PER_DAY": "many",
			"RESELLERD_TRIAL_DURATION": "0s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			env := changed(defaults(sqlite, dir), c.env)
			message := fails(t, 2, env)
			for name, value := range c.env {
				says(t, message, strings.TrimSuffix(name, "_FILE"))
				if name == "RESELLERD_ADMIN_PASSWORD" || name == "RESELLERD_SECRET" {
					if strings.Contains(message, value) {
						t.Errorf("the message shows the value of %s:\n%s", name, message)
					}
				}
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
				t.Errorf("a start that fails left %v, %v", files, err)
			}
		})
	}
}

func TestGeneratedPassword(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, map[string]string{"RESELLERD_ADMIN_PASSWORD": "", "RESELLERD_ADMIN_USERNAME": "Operator",
		"RESELLERD_LOG_LEVEL": "debug"})
	password := printedPassword(t, srv)
	says(t, srv.Stdout.String(), "username: Operator\n")
	srv.Login(t, "operator", password)
	srv.stop(t)
	if strings.Contains(srv.Stderr.String(), password) {
		t.Error("the generated password is in the log")
	}
	if n := strings.Count(srv.Stdout.String(), password); n != 1 {
		t.Errorf("the generated password is printed %d times:\n%s", n, srv.Stdout)
	}
	srv.start(t)
	srv.Login(t, "Operator", password)
	srv.stop(t)
	if out := srv.Stdout.String(); out != "" {
		t.Errorf("a start with accounts prints %q", out)
	}
}

func TestAdminSettingsOfAStoreWithAccounts(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		token := srv.Admin(t).Token
		srv.stop(t)
		srv.env["RESELLERD_ADMIN_USERNAME"], srv.env["RESELLERD_ADMIN_PASSWORD"] = "usurper", "the usurper's password"
		srv.start(t)
		if !hasRecord(srv.Stderr.String(), "WARN", "RESELLERD_ADMIN_PASSWORD") {
			t.Errorf("no warning that the admin's settings are ignored:\n%s", srv.Stderr)
		}
		if again := srv.Login(t, api.AdminName, api.AdminPassword); again != token {
			t.Error("the admin's token is another one")
		}
		for name, password := range map[string]string{"usurper": "the usurper's password",
			api.AdminName: "the usurper's password"} {
			srv.Nobody().Send(t, "POST", "/auth/static-token", fields{"username": name, "password": password}).Refused(401,
				"invalid-credentials")
		}
		srv.stop(t)
		srv.env = changed(srv.env, map[string]string{"RESELLERD_ADMIN_USERNAME": "", "RESELLERD_ADMIN_PASSWORD": ""})
		srv.start(t)
		if hasRecord(srv.Stderr.String(), "WARN", "RESELLERD_ADMIN") {
			t.Errorf("a warning about settings that are not given:\n%s", srv.Stderr)
		}
	})
}

// hasRecord reports whether the log has a record of this level whose message speaks of word.
func hasRecord(log, level, word string) bool {
	for line := range strings.Lines(log) {
		var record struct{ Level, Msg string }
		if json.Unmarshal([]byte(line), &record) == nil && record.Level == level && strings.Contains(record.Msg, word) {
			return true
		}
	}
	return false
}

func TestLogIsJSON(t *testing.T) {
	t.Parallel()
	srv := startServer(t, memory, map[string]string{"RESELLERD_LOG_LEVEL": "debug"})
	srv.Nobody().Send(t, "GET", "/nowhere", nil, "X-Request-Id", "find-me").Refused(404, "unknown-route")
	srv.stop(t)
	says(t, srv.Stderr.String(), `"request_id":"find-me"`)
	for line := range strings.Lines(srv.Stderr.String()) {
		var record struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &record); err != nil || record.Time == "" || record.Level == "" ||
			record.Msg == "" {
			t.Errorf("a line of the log is no record: %v: %s", err, line)
		}
	}
}

func TestServiceKey(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, map[string]string{"RESELLERD_SECRET": secret})
		r := srv.Admin(t).Reseller(t, "1")
		l := r.Trial(t)
		srv.stop(t)
		other := "another key of the operator's, as long as it must be"
		message := fails(t, 1, changed(srv.env, map[string]string{"RESELLERD_SECRET": other}))
		says(t, message, "RESELLERD_SECRET", "fingerprint")
		withoutKey := 1
		if s.settings != nil {
			withoutKey = 2 // it is the operator's to give
		}
		message += fails(t, withoutKey, changed(srv.env, map[string]string{"RESELLERD_SECRET": ""}))
		for _, hidden := range []string{secret, other} {
			if strings.Contains(message, hidden) {
				t.Errorf("the message shows a service key:\n%s", message)
			}
		}
		file := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		srv.env = changed(srv.env, map[string]string{"RESELLERD_SECRET": "", "RESELLERD_SECRET_FILE": file})
		srv.start(t)
		r.Activate(t, l, 1).Is(201)
	})
}

func TestServiceKeyFile(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	r := srv.Admin(t).Reseller(t, "0")
	srv.stop(t)
	file := database(srv.dir) + ".key"
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the service key file has mode %v, want 0600", info.Mode())
	}
	away := file + ".away"
	if err := os.Rename(file, away); err != nil {
		t.Fatal(err)
	}
	says(t, fails(t, 1, srv.env), "service key")
	if _, err := os.Stat(file); err == nil {
		t.Error("a start that failed for want of the key left a new one")
	}
	if err := os.Rename(away, file); err != nil {
		t.Fatal(err)
	}
	srv.start(t)
	r.Trial(t)
}

func TestBasePath(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"/api", "/v1/resellers"} {
		srv := startServer(t, memory, map[string]string{"RESELLERD_BASE_PATH": prefix})
		nobody := srv.Nobody()
		login := fields{"username": api.AdminName, "password": api.AdminPassword}
		token := nobody.Send(t, "POST", prefix+"/auth/static-token", login).Is(200).Text("token")
		admin := srv.As(token)
		trial := admin.Send(t, "POST", prefix+"/lines/test", nil).Is(201)
		admin.Send(t, "DELETE", prefix+api.Path("/lines", trial.ID()), nil, "Idempotency-Key", "delete").Is(200)
		admin.Send(t, "DELETE", prefix+api.Path("/lines", trial.ID()), nil, "Idempotency-Key", "delete").Is(200).Replayed(
			true)
		admin.Send(t, "PATCH", prefix+"/users/credits/999999", fields{"credits": 1}).Refused(404, "not-found")
		nobody.Send(t, "GET", prefix+"/openapi.json", nil).Is(200)
		nobody.Send(t, "GET", "/healthz", nil).Is(200)
		nobody.Send(t, "GET", "/readyz", nil).Is(200)
		for _, nowhere := range []string{"/auth/static-token", "/openapi.json", prefix, prefix + "/", prefix + "/healthz",
			prefix + "/readyz", prefix + prefix + "/users"} {
			nobody.Send(t, "POST", nowhere, login).Refused(404, "unknown-route")
		}
	}
}

// TestNoSecretIsKeptOrLogged does everything with known secrets and looks for
// them in the log, at its most talkative, and in the files.
func TestNoSecretIsKeptOrLogged(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, map[string]string{"RESELLERD_SECRET": secret, "RESELLERD_LOG_LEVEL": "debug"})
		nobody := srv.Nobody()
		r := srv.Admin(t).Create(t, fields{"password": "the first password", "credits": "10"})
		l := r.Trial(t)
		other := r.Trial(t)
		r.Send(t, "PATCH", api.Path("/lines/active", l.ID),
			api.With(l.Activation(1), fields{"password": "activated-password"}), "Idempotency-Key", "activate").Is(201)
		r.Send(t, "PATCH", api.Path("/lines", l.ID), api.With(l.Edit(), fields{"password": "edited-password"}),
			"Idempotency-Key", "edit").Is(200)
		r.Send(t, "PATCH", api.Path("/users", r.ID), api.With(r.Update(), fields{"password": "the second password"}),
			"Idempotency-Key", "update").Is(200)
		renewed := srv.Login(t, r.Username, "the second password")
		_, session, _ := strings.Cut(srv.SignIn(t, r.Username, "the second password").Cookie, "=")
		nobody.Send(t, "POST", "/auth/static-token", fields{"username": r.Username, "password": "a mistyped password"}).Is(
			401)
		nobody.Send(t, "POST", "/auth/static-token", `{"username":"x","password":"a broken password"`).Is(400)
		nobody.Send(t, "POST", "/users", api.NewReseller(fields{"password": "an unsigned password"})).Is(401)
		srv.Admin(t).Send(t, "POST", "/users", api.NewReseller(fields{"password": "an invalid password", "country": ""})).Is(
			422)
		nobody.Send(t, "GET", "/healthz?token=a-token-in-a-query", nil).Is(200)
		nobody.Send(t, "GET", "/live/joao.tv/a-token-in-a-path", nil).Is(404)
		nobody.Send(t, "POST", "/lines/test", nil, "Authorization", "Bearer a-token-that-is-bad").Is(401)
		nobody.Send(t, "POST", "/lines/test", nil, "Cookie", api.CookieName("")+
			"=a-session-that-has-never-been-43-characters").SessionEnded()
		srv.stop(t)

		kept := []string{
			secret, api.AdminPassword, srv.AdminToken, r.Token, renewed, session, l.Password, other.Password,
			"the first password", "the second password",
			"activated-password", "edited-password",
		}
		sent := slices.Concat(kept, []string{
			"a mistyped password", "a broken password", "an unsigned password", "an invalid password",
			"a-token-in-a-query", "a-token-in-a-path", "a-token-that-is-bad", "a-session-that-has-never-been-43-characters",
		})
		for _, hidden := range sent {
			if strings.Contains(srv.Stderr.String(), hidden) || strings.Contains(srv.Stdout.String(), hidden) {
				t.Errorf("%q is in the log", hidden)
			}
		}
		if !s.durable {
			if files, err := os.ReadDir(srv.dir); err != nil || len(files) > 0 {
				t.Errorf("files: %v, %v", files, err)
			}
			return
		}
		left := s.left(srv.dir).bytes(t)
		if len(left) == 0 {
			t.Fatal("nothing is kept")
		}
		for part, content := range left {
			for _, hidden := range kept {
				if bytes.Contains(content, []byte(hidden)) {
					t.Errorf("%q is in %s", hidden, part)
				}
			}
		}
	})
}
