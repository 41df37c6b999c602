package acceptance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"testing"

	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

const (
	// patience bounds the time of a start, an answer or an end before a test gives
	// up: more than on a machine with many other things to do. No test measures time.
	patience = program.Patience
)

// server is the program as a child process. A restart leaves its settings and its records unchanged.
type server struct {
	store        store
	dir          string
	env          map[string]string
	*api.Service // as its clients know it
	*program.Process
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

// newDir returns the folder of a server. It is removed after the test, together with all records of the server.
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
	require.NoError(t, s.launch())
	p := s.Process
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("log of the server:\n%s", p.Stderr)
			p.Stderr.Keep(t, fmt.Sprintf("server-%d.log", p.Cmd.Process.Pid))
		}
	})
}

// stop sends the program the signal to end and expects an orderly end.
func (s *server) stop(t *testing.T) {
	t.Helper()
	if status := s.Terminate(); status != 0 {
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
	s.Process = p
	return s.listens()
}

// listens returns once the program listens.
func (s *server) listens() error {
	err := s.Serves(context.Background())
	s.Address = s.ListensOn
	return err
}

// launch runs the program with these variables and no others.
func launch(env map[string]string, args ...string) (*program.Process, error) {
	p := newProcess(env, args...)
	return p, errors.Join(program.SeeSource(), p.Start())
}

// newProcess returns a run of the program that did not start yet.
func newProcess(env map[string]string, args ...string) *program.Process {
	return program.NewProcess(binary, variables(env), args...)
}

// variables returns the environment of a process.
func variables(env map[string]string) []string {
	all := []string{"HOME=" + os.TempDir(), "RESELLERD_ADMIN_ADDR=off"} // unless env says otherwise
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	return all
}
