package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"resellerd/test/api"
)

const (
	// patience bounds what a start, an answer or an end may take before a test gives
	// up: more than on a machine with many other things to do. No test measures time.
	patience = 2 * time.Minute
)

// server is the program as a child process; a restart keeps its settings and its records.
type server struct {
	store        store
	dir          string
	env          map[string]string
	*api.Service // as its clients know it
	*process
}

func defaults(s store, dir string) map[string]string {
	env := map[string]string{
		"RESELLERD_ADDR":           "127.0.0.1:0",
		"RESELLERD_STORE":          s.address(dir),
		"RESELLERD_ADMIN_PASSWORD": api.AdminPassword,
	}
	if s.settings != nil {
		maps.Copy(env, s.settings(dir))
	}
	return env
}

// newServer returns a server of the test's own that does not run yet. Settings
// change the defaults; an empty one takes a variable away.
func newServer(t *testing.T, s store, settings map[string]string) *server {
	t.Helper()
	dir := newDir(t, s)
	return serverOn(s, dir, changed(defaults(s, dir), settings))
}

// serverOn returns a server that does not run yet.
func serverOn(s store, dir string, env map[string]string) *server {
	return &server{store: s, dir: dir, env: env, Service: &api.Service{BasePath: env["RESELLERD_BASE_PATH"]}}
}

// newDir returns the folder of a server, which is gone after the test, and all that the server keeps with it.
func newDir(t *testing.T, s store) string {
	t.Helper()
	dir := t.TempDir()
	if s.discard != nil {
		t.Cleanup(func() {
			if err := s.discard(dir); err != nil {
				t.Error(err)
			}
		})
	}
	return dir
}

// startServer is newServer and start.
func startServer(t *testing.T, s store, settings map[string]string) *server {
	t.Helper()
	srv := newServer(t, s, settings)
	srv.start(t)
	return srv
}

func changed(env, settings map[string]string) map[string]string {
	env = maps.Clone(env)
	for name, value := range settings {
		if env[name] = value; value == "" {
			delete(env, name)
		}
	}
	return env
}

func (s *server) start(t *testing.T) {
	t.Helper()
	if err := s.launch(); err != nil {
		t.Fatal(err)
	}
	p := s.process
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("log of the server:\n%s", p.stderr)
			p.stderr.keep(t, fmt.Sprintf("server-%d.log", p.cmd.Process.Pid))
		}
	})
}

// stop asks the program to end and expects that it does so in order.
func (s *server) stop(t *testing.T) {
	t.Helper()
	if status := s.terminate(); status != 0 {
		t.Errorf("SIGTERM ended the program with status %d, want 0", status)
	}
}

func (s *server) restart(t *testing.T) {
	t.Helper()
	s.stop(t)
	s.start(t)
}

func (s *server) launch() error {
	p, err := launch(s.env, "serve")
	if err != nil {
		return err
	}
	s.process = p
	return s.listens()
}

// listens returns once the program listens.
func (s *server) listens() error {
	err := s.process.listens()
	s.Address = s.listensOn
	return err
}

// process is one run of the program.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr *output
	listening      chan struct{} // closed once listensOn is known
	listensOn      string
	ended          chan struct{} // closed once status is known
	status         int
}

// launch runs the program with these variables and no others.
func launch(env map[string]string, args ...string) (*process, error) {
	if err := seeSource(); err != nil {
		return nil, err
	}
	p := newProcess(binary, env, args...)
	return p, p.start()
}

// newProcess returns a run of the program at this path that did not start yet.
func newProcess(program string, env map[string]string, args ...string) *process {
	p := &process{
		cmd:       exec.Command(program, args...),
		stdout:    new(output),
		stderr:    new(output),
		listening: make(chan struct{}),
		ended:     make(chan struct{}),
	}
	p.cmd.Env = []string{"HOME=" + os.TempDir(), "RESELLERD_ADMIN_ADDR=off"} // unless env says otherwise
	for name, value := range env {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	p.cmd.Stdout = p.stdout
	return p
}

func (p *process) start() error {
	log, err := p.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go p.watch(log)
	return nil
}

// listens returns once the program listens.
func (p *process) listens() error {
	select {
	case <-p.listening:
		return nil
	case <-p.ended:
		return fmt.Errorf("the program ended with status %d before it listened:\n%s", p.status, p.stderr)
	case <-time.After(patience):
		p.kill()
		return fmt.Errorf("the program does not listen:\n%s", p.stderr)
	}
}

// watch reads the log to its end and waits for the process.
func (p *process) watch(log io.Reader) {
	defer close(p.ended)
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fmt.Fprintf(p.stderr, "%s\n", lines.Bytes())
		var record struct{ Msg, Addr string }
		if p.listensOn == "" && json.Unmarshal(lines.Bytes(), &record) == nil && record.Msg == "listening" {
			p.listensOn = record.Addr
			close(p.listening)
		}
	}
	var exit *exec.ExitError
	switch err := p.cmd.Wait(); {
	case errors.As(err, &exit):
		p.status = exit.ExitCode() // -1 where a signal ended it
	case err != nil:
		p.status = -1
	}
}

// terminate asks the process to end and returns its status, -1 where it had to be killed.
func (p *process) terminate() int {
	// A connection that was opened and never used holds up the drain of net/http for 5 seconds.
	api.Client.CloseIdleConnections()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	return p.wait()
}

// wait returns the status with which the process ends by itself.
func (p *process) wait() int {
	select {
	case <-p.ended:
		return p.status
	case <-time.After(patience):
		p.kill()
		return -1
	}
}

// kill ends the process as a power failure would, if it still runs.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// output collects what a process writes. In a message it is the end of that: see ending.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Format implements fmt.Formatter.
func (o *output) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, ending(o.String(), 50, 8<<10))
}

// keep writes the whole where go test -artifacts keeps it.
func (o *output) keep(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), []byte(o.String()), 0o600); err != nil {
		t.Error(err)
	}
}

// ending returns the last lines of a text, and says what it leaves out: many
// servers' logs in one failure hide what failed.
func ending(text string, most, mostBytes int) string {
	rest := text
	if len(rest) > mostBytes {
		rest = strings.ToValidUTF8(rest[len(rest)-mostBytes:], "")
	}
	lines := strings.SplitAfter(strings.TrimSuffix(rest, "\n"), "\n")
	rest = strings.Join(lines[max(0, len(lines)-most):], "")
	left := len(strings.TrimSuffix(text, "\n")) - len(rest)
	if left == 0 {
		return text
	}
	return fmt.Sprintf("(%d bytes are left out here; go test -artifacts keeps the whole)\n%s\n", left, rest)
}

// TestWhatAFailurePrintsIsBounded holds the logs and pages that a message shows.
func TestWhatAFailurePrintsIsBounded(t *testing.T) {
	t.Parallel()
	short := new(output)
	_, _ = short.Write([]byte("one\ntwo\n"))
	if got := fmt.Sprintf("%s", short); got != "one\ntwo\n" {
		t.Errorf("a short log is %q", got)
	}
	many, long := new(output), new(output)
	for i := range 100_000 {
		fmt.Fprintf(many, "line %d\n", i)
		fmt.Fprint(long, "é")
	}
	for name, c := range map[string]struct {
		log   *output
		lines int
		end   string
	}{
		"many lines":  {many, 51, "line 99998\nline 99999\n"},
		"a long line": {long, 2, "éé\n"},
	} {
		got := fmt.Sprintf("%s", c.log)
		if len(got) > 9<<10 || strings.Count(got, "\n") != c.lines || !strings.HasSuffix(got, c.end) || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, %q ... %q", name, len(got), got[:100], got[len(got)-100:])
		}
		if !strings.Contains(got, " bytes are left out here; go test -artifacts keeps the whole") || len(c.log.String()) < 100_000 {
			t.Errorf("%s: begins with %q, and the whole has %d bytes", name, got[:100], len(c.log.String()))
		}
	}
	body := api.Payload(many.String())
	if got := fmt.Sprintf("page: %s", body); len(got) > 3<<10 || !strings.HasPrefix(got, "page: line 0\nline 1\n") || !strings.HasSuffix(got, " bytes more)") {
		t.Errorf("a page in a message has %d bytes", len(got))
	}
}
