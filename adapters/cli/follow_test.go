//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// said stores the output of a follower, which a test reads at the same time.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// following is a follower whose command appends its input to a file.
type following struct {
	t               *testing.T
	url, token      string
	dir             string
	command         string
	said            said
	end             context.CancelFunc
	ended           chan error
	state, received string // files
}

func newFollowing(t *testing.T, url, token string) *following {
	t.Helper()
	dir := t.TempDir()
	f := &following{t: t, url: url, token: token, dir: dir, state: filepath.Join(dir, "state"),
		received: filepath.Join(dir, "received")}
	f.command = "cat >> " + f.received
	t.Cleanup(f.stop)
	return f
}

// followingOf returns a follower of a service with these answers.
func followingOf(t *testing.T, answer http.HandlerFunc) *following {
	t.Helper()
	service := httptest.NewServer(answer)
	t.Cleanup(service.Close)
	return newFollowing(t, service.URL, "the-key")
}

func (f *following) start() {
	f.t.Helper()
	var wrong Misconfiguration
	service := accountOverHTTP{RemoteFlags{URL: f.url, Timeout: "10s"}.open(true, &wrong), f.token}
	state := followState{file: f.state, url: service.base.String()}
	at, err := state.read()
	require.NoError(f.t, errors.Join(err, wrong.Err(), state.lock(f.t.Context(), time.Second)))
	ctx, end := context.WithCancel(f.t.Context())
	f.end, f.ended = end, make(chan error, 1)
	one := follower{
		session: &session{stdout: &f.said, stderr: &f.said}, service: service, state: state, command: f.command,
		limit: firstPage, leastIdle: time.Millisecond, firstWait: time.Millisecond,
	}
	go func() {
		defer state.unlock()
		f.ended <- one.follow(ctx, at)
	}()
}

// stop ends the follower, and expects that nothing else ended it.
func (f *following) stop() {
	if f.end == nil {
		return
	}
	f.end()
	expect.Error(f.t, <-f.ended, context.Canceled, "it ended: %s", &f.said)
	f.end = nil
}

// lines returns the lines that the command has received, as soon as there are enough.
func (f *following) lines(enough func(lines []string) bool) []string {
	f.t.Helper()
	for late := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(f.received)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if strings.HasSuffix(string(text), "\n") && enough(lines) {
			return lines
		}
		if time.Now().After(late) {
			f.t.Fatalf("the command received %q; %s", lines, &f.said)
		}
	}
}

func ends(with string) func([]string) bool {
	return func(lines []string) bool { return strings.Contains(lines[len(lines)-1], with) }
}

// TestACommandThatFailsIsRunAgain on the same line, before any other line. The command does not get the credential.
// Only the owner may read the state file.
func TestACommandThatFailsIsRunAgain(t *testing.T) {
	s := serveWhole(t)
	master := s.admin.Master(t, "0")
	lines := []api.Line{master.Trial(t), master.Trial(t), master.Trial(t)}
	f := newFollowing(t, s.url, master.Token)
	attempts := filepath.Join(f.dir, "attempts")
	f.command = `text=$(cat); printf '%s\n' "$text" >> ` + attempts + `; case $text in *'"line":` +
		fmt.Sprint(lines[1].ID) +
		`,'*) [ $(grep -cF "$text" ` + attempts + `) -gt 3 ] || exit 7;; esac; printf '%s\n' "$text" >> ` + f.received
	t.Setenv(tokenVariable, master.Token)
	f.command += `; [ -z "$RESELLERD_TOKEN" ] || echo "$RESELLERD_TOKEN" >> ` + f.received
	f.start()
	received := f.lines(ends("caught_up"))
	master.DeleteLine(t, lines[0].ID).Is(200)
	f.lines(ends(fmt.Sprintf(`{"line":%d,"deleted":true,`, lines[0].ID)))
	f.stop()
	expect.Equal(t, len(received), 5, "lines that the command received: %q", received)
	if info, err := os.Stat(f.state); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the state: %v, %v", info, err)
	}
	text, err := os.ReadFile(attempts)
	require.NoError(t, err)
	var order []string
	for line := range strings.Lines(string(text)) {
		order = append(order, nameOf([]byte(line)))
	}
	name := func(i int) string { return fmt.Sprintf("line %d", lines[i].ID) }
	want := []string{startsOver + "\n", name(0), name(1), name(1), name(1), name(1), name(2), caughtUp + "\n", name(0)}
	expect.Elements(t, order, want, "the order of attempts")
	if says := f.said.String(); strings.Count(says, "resellerd: the command failed on "+name(1)+
		" (exit status 7): it is tried again until it succeeds\n") != 1 ||
		strings.Count(says, "resellerd: the command succeeds again\n") != 1 || strings.Contains(says, `"password"`) {
		t.Errorf("it says %q", says)
	}
}

// TestAFollowerStartsOver if the service does not know its cursor. The command gets a line before and after all lines.
func TestAFollowerStartsOver(t *testing.T) {
	f := followingOf(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.FormValue("cursor") {
		case "old":
			w.WriteHeader(http.StatusGone)
			_, _ = io.WriteString(w, `{"code":"cursor-unknown","detail":"It belongs to another journal.","restart":"start"}`)
		case "start":
			_, _ = io.WriteString(w, `{"data":[{"line":7,"deleted":true,"version":2}],"next_cursor":"head","has_more":false}`)
		default:
			_, _ = io.WriteString(w, `{"data":[],"next_cursor":"head","has_more":false}`)
		}
	})
	require.NoError(t, os.WriteFile(f.state, []byte(`{"url":"`+f.url+`","cursor":"old"}`), 0o600))
	f.start()
	received := f.lines(ends("caught_up"))
	for late := time.Now().Add(time.Minute); !strings.Contains(f.said.String(), "up to date") &&
		time.Now().Before(late); time.Sleep(time.Millisecond) {
	}
	f.stop()
	expect.Elements(t, received, []string{startsOver, `{"line":7,"deleted":true,"version":2}`, caughtUp}, "the command received")
	if stored, err := os.ReadFile(f.state); err != nil || string(stored) != `{"url":"`+f.url+`","cursor":"head"}`+"\n" {
		t.Errorf("the state file has %s, %v", stored, err)
	}
}

// TestAFollowerEndsIfARetryCantHelp checks the failures that end a follower at once.
func TestAFollowerEndsIfARetryCantHelp(t *testing.T) {
	s := serveWhole(t)
	master := s.admin.Master(t, "0")
	made := master.MakeKey(t, api.Fields{"scopes": []string{"entitlements:read"}})
	revoked := made.Text("key")
	master.Send(t, "DELETE", api.Path("/keys", made.ID()), nil).Is(200)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	broken, other := file("broken", "{}"), file("other", `{"url":"http://other","cursor":"x"}`)
	page := serveAnswers(t, false, map[string]string{"/empty/entitlements": "{}", "/moved/entitlements": "/elsewhere"})
	for _, c := range []struct {
		args  []string
		token string
		code  int
		says  string
	}{
		{[]string{"--state", filepath.Join(dir, "a")}, revoked, ExitFailed, "(401 key-revoked)\n"},
		{[]string{"--state", broken}, master.Token, ExitFailed, broken + " is not a state file of this command"},
		{[]string{"--state", other}, master.Token, ExitFailed, other + " belongs to the service at http://other: "},
		{[]string{"--state", filepath.Join(dir, "a"), "--url", page.URL + "/empty"}, "the-token", ExitFailed,
			"the answer is no list of entitlements"},
		{[]string{"--state", filepath.Join(dir, "a"), "--url", page.URL + "/moved"}, "the-token", ExitFailed, "answers 308"},
	} {
		t.Setenv(tokenVariable, c.token)
		code, stdout, stderr := ran(append([]string{"entitlements", "follow", "--exec", "echo received"}, c.args...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.says) || strings.Contains(stderr, c.token) {
			t.Errorf("%q: code %d, printed %q, %q, want %d, %q", c.args, code, stdout, stderr, c.code, c.says)
		}
	}
}

// TestOneFollowerAtATimeUsesAStateFile and waits for the command of a killed follower.
func TestOneFollowerAtATimeUsesAStateFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	first := followState{file: file}
	require.NoError(t, first.lock(t.Context(), 0))
	left := first.shell(t.Context(), "read text")
	stdin, err := left.StdinPipe()
	require.NoError(t, errors.Join(err, left.Start()))
	second := followState{file: file}
	if err := second.lock(t.Context(), time.Millisecond); err == nil || !strings.Contains(err.Error(), file+" is in use") {
		t.Errorf("beside the first: %v", err)
	}
	first.unlock()
	if err := second.lock(t.Context(), time.Millisecond); err == nil {
		t.Error("it does not wait for the command")
	}
	ended := make(chan error, 1)
	go func() { ended <- second.lock(t.Context(), time.Minute) }()
	expect.Error(t, errors.Join(stdin.Close(), <-ended), nil)
	_ = left.Wait() // read found no line
	second.unlock()
}
