package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

const secret = "a service key of the operator's own, long enough"

// TestStopDrains checks that the program, after each signal that ends it, still answers the request under way, and no
// other.
func TestStopDrains(t *testing.T) {
	t.Parallel()
	for _, number := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(number.String(), func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(number) {
				t.Skip("the program ignores it, too, as under nohup")
			}
			srv := startServer(t, sqlite, nil)
			r := srv.Admin(t).Reseller(t, "0")
			connection, err := net.Dial("tcp", srv.Address)
			require.NoError(t, err)
			defer connection.Close()
			body := `{"notes":"under way"}`
			fmt.Fprintf(connection,
				"POST /lines/test HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
					"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", srv.Address, r.Token, len(body))
			replies := bufio.NewReader(connection)
			// The program requests the body: the request is under way.
			if interim, err := http.ReadResponse(replies, nil); err != nil || interim.StatusCode != http.StatusContinue {
				t.Fatalf("the request does not get under way: %v, %v", interim, err)
			}
			require.NoError(t, srv.Cmd.Process.Signal(number))
			eventually(t, "the program takes connections after the signal to end", func() bool {
				another, err := net.Dial("tcp", srv.Address)
				if err == nil {
					_ = another.Close()
				}
				return err != nil
			})
			fmt.Fprint(connection, body)
			response, err := http.ReadResponse(replies, nil)
			if err != nil {
				t.Fatalf("the request under way got no answer: %v", err)
			}
			var trial struct {
				ID    int64
				Notes string
			}
			if err := json.NewDecoder(response.Body).Decode(&trial); err != nil || trial.Notes != "under way" {
				t.Errorf("the request under way: status %d, %+v, %v", response.StatusCode, trial, err)
			}
			if status := srv.Wait(); status != 0 {
				t.Errorf("the program ended with status %d, want 0", status)
			}
			srv.start(t)
			r.DeleteLine(t, trial.ID).Is(200)
		})
	}
}

// eventually waits until a condition is true.
func eventually(t *testing.T, otherwise string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(otherwise)
		}
	}
}

func waitFor(t *testing.T, screen *program.Output, text string) {
	t.Helper()
	eventually(t, fmt.Sprintf("%q is not shown", text), func() bool { return strings.Contains(screen.String(), text) })
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// fails runs the program with settings with which it must not start, and returns what it says.
func fails(t *testing.T, status int, env map[string]string) string {
	t.Helper()
	p, err := launch(env, "serve")
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	if p.Serves(t.Context()) == nil {
		t.Error("the program listens, but must not start")
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

var passwordLine = regexp.MustCompile(`(?m)^password: (\S+)$`)

// printedPassword returns the password that the program prints, or one of several processes of it.
func printedPassword(t *testing.T, servers ...*server) (password string) {
	t.Helper()
	eventually(t, "no process prints a password", func() bool {
		for _, srv := range servers {
			if found := passwordLine.FindStringSubmatch(srv.Stdout.String()); found != nil {
				password = found[1]
			}
		}
		return password != ""
	})
	return password
}

// TestTheFirstAdmin checks that the first start that serves prints the password of the first admin once. Later settings
// are ignored.
func TestTheFirstAdmin(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	srv := newServer(t, sqlite, map[string]string{"RESELLERD_ADDR": taken.Addr().String(), "RESELLERD_ADMIN_PASSWORD": "",
		"RESELLERD_ADMIN_USERNAME": "Operator", "RESELLERD_LOG_LEVEL": "debug"})
	says(t, fails(t, 1, srv.env), taken.Addr().String(), "address already in use")

	srv.env["RESELLERD_ADDR"] = "127.0.0.1:0"
	srv.start(t)
	password := printedPassword(t, srv)
	says(t, srv.Stdout.String(), "username: Operator\n")
	token := srv.Login(t, "operator", password)
	srv.stop(t)
	if strings.Contains(srv.Stderr.String(), password) || strings.Count(srv.Stdout.String(), password) != 1 {
		t.Errorf("the password is in the log, or printed more than once:\n%s%s", srv.Stdout, srv.Stderr)
	}

	srv.env["RESELLERD_ADMIN_USERNAME"], srv.env["RESELLERD_ADMIN_PASSWORD"] = "usurper", "the usurper's password"
	srv.start(t)
	if out := srv.Stdout.String(); out != "" || !hasRecord(srv.Stderr.String(), "WARN", "RESELLERD_ADMIN_PASSWORD") {
		t.Errorf("it prints %q, and the log does not say that the admin's settings are ignored:\n%s", out, srv.Stderr)
	}
	if again := srv.Login(t, "Operator", password); again != token {
		t.Error("the admin's token is another one")
	}
	srv.Nobody().Send(t, "POST", "/auth/static-token",
		fields{"username": "usurper", "password": "the usurper's password"}).Refused(401, "invalid-credentials")
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
			withoutKey = 2 // the operator has to set it
		}
		message += fails(t, withoutKey, changed(srv.env, map[string]string{"RESELLERD_SECRET": ""}))
		for _, hidden := range []string{secret, other} {
			if strings.Contains(message, hidden) {
				t.Errorf("the message shows a service key:\n%s", message)
			}
		}
		file := filepath.Join(t.TempDir(), "key")
		write(t, file, secret+"\n")
		srv.env = changed(srv.env, map[string]string{"RESELLERD_SECRET": "", "RESELLERD_SECRET_FILE": file})
		srv.start(t)
		r.Activate(t, l, 1).Is(201)
	})
}

// TestFilesOfAStore checks that the files of a store are for their owner alone. The program does not start without the
// key beside the database, and warns of a database that others can read.
func TestFilesOfAStore(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	const advice = "run `chmod 600 "
	if log := srv.Stderr.String(); strings.Contains(log, advice) {
		t.Errorf("a database of mode 0600 is warned of: %s", log)
	}
	r := srv.Admin(t).Reseller(t, "0")
	srv.stop(t)
	key := database(srv.dir) + ".key"
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the service key file: %v, %v", info, err)
	}
	move := func(from, to string) {
		require.NoError(t, os.Rename(from, to))
	}
	move(key, key+".away")
	says(t, fails(t, 1, srv.env), "service key")
	if _, err := os.Stat(key); err == nil {
		t.Error("a start that failed for want of the key left a new one")
	}
	move(key+".away", key)
	require.NoError(t, os.Chmod(database(srv.dir), 0o602))
	srv.start(t)
	r.Trial(t)
	if log := srv.Stderr.String(); !hasRecord(log, "WARN", "the database "+database(srv.dir)+" is open to others") ||
		!strings.Contains(log, advice+database(srv.dir)) {
		t.Errorf("a database of mode 0602 is not warned of: %s", log)
	}
}

// TestNoSecretIsStoredOrLogged does everything with known secrets and looks for them in the log, at its most detailed
// level, and in the records. Each line of the log is a record.
func TestNoSecretIsStoredOrLogged(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
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
		nobody.Send(t, "GET", "/healthz?token=a-token-in-a-query", nil, "X-Request-Id", "find-me").Is(200)
		nobody.Send(t, "GET", "/live/joao.tv/a-token-in-a-path", nil).Is(404)
		nobody.Send(t, "POST", "/lines/test", nil, "Authorization", "Bearer a-token-that-is-bad").Is(401)
		nobody.Send(t, "POST", "/lines/test", nil, "Cookie", api.CookieName("")+
			"=a-session-that-has-never-been-43-characters").SessionEnded()
		srv.stop(t)

		kept := []string{
			secret, api.AdminPassword, srv.AdminToken, r.Token, renewed, session, l.Password, other.Password,
			"the first password", "the second password", "activated-password", "edited-password",
		}
		sent := slices.Concat(kept, []string{
			"a mistyped password", "a broken password", "a-token-in-a-query", "a-token-in-a-path", "a-token-that-is-bad",
			"a-session-that-has-never-been-43-characters",
		})
		for _, hidden := range sent {
			if strings.Contains(srv.Stderr.String(), hidden) || strings.Contains(srv.Stdout.String(), hidden) {
				t.Errorf("%q is in the log", hidden)
			}
		}
		says(t, srv.Stderr.String(), `"request_id":"find-me"`)
		for line := range strings.Lines(srv.Stderr.String()) {
			var record struct{ Time, Level, Msg string }
			if err := json.Unmarshal([]byte(line), &record); err != nil || record.Time == "" || record.Level == "" ||
				record.Msg == "" {
				t.Errorf("a line of the log is no record: %v: %s", err, line)
			}
		}
		left := s.left(srv.dir).bytes(t)
		if len(left) == 0 {
			t.Fatal("nothing is stored")
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
