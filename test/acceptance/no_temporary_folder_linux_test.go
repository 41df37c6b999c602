package acceptance

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

// imageUser is the user as whom the image runs the program.
const imageUser = 65532

// image is a folder laid out like the program's image: the program, a folder for its records, and no other folder where
// it may write.
type image struct {
	dir string
	env map[string]string // beside what a process needs
}

func newImage(t *testing.T, env map[string]string) image {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("changes its root folder and its user, for which it must be root")
	}
	i := image{t.TempDir(), env}
	content, err := os.ReadFile(binary)
	if err == nil {
		err = os.WriteFile(filepath.Join(i.dir, "resellerd"), content, 0o755)
	}
	if err == nil {
		err = os.Chmod(i.dir, 0o755)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(i.dir, "data"), 0o700)
	}
	if err == nil {
		err = os.Chown(filepath.Join(i.dir, "data"), imageUser, imageUser)
	}
	require.NoError(t, err)
	return i
}

// run runs the program in the image.
func (i image) run(t *testing.T, env map[string]string, args ...string) *program.Process {
	t.Helper()
	all := maps.Clone(i.env)
	maps.Copy(all, env)
	p := program.NewProcess("/resellerd", variables(all), args...)
	p.Cmd.Dir = "/"
	p.Cmd.SysProcAttr = &syscall.SysProcAttr{
		Chroot:     i.dir,
		Credential: &syscall.Credential{Uid: imageUser, Gid: imageUser},
	}
	require.NoError(t, p.Start())
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("log of %v:\n%s", args, p.Stderr)
		}
	})
	return p
}

// command runs the program to its end and expects that it printed this.
func (i image) command(t *testing.T, want string, env map[string]string, args ...string) {
	t.Helper()
	p := i.run(t, env, args...)
	if status := p.Wait(); status != 0 || !strings.Contains(p.Stdout.String(), want) {
		t.Errorf("%v ended with status %d and printed %q, want %q", args, status, p.Stdout, want)
	}
}

// TestItNeedsNoTemporaryFolder runs the program in the conditions of the image, without a folder for temporary files.
// The commands are many, and from many accounts. So each changes more pages than SQLite can undo from memory alone.
func TestItNeedsNoTemporaryFolder(t *testing.T) {
	t.Parallel()
	i := newImage(t, map[string]string{"TMPDIR": "/none", "SQLITE_TMPDIR": "/none"})
	dir := filepath.Join(i.dir, "data")
	srv := serverOn(sqlite, dir,
		changed(defaults(sqlite, dir), map[string]string{"RESELLERD_STORE": "sqlite:/data/resellerd.db"}))
	srv.Process = i.run(t, srv.env, "serve")
	require.NoError(t, srv.listens())

	const clients, each = 4, 100
	var owners []api.Reseller
	for above := srv.Admin(t); len(owners) < clients; above = owners[len(owners)-1].Caller {
		owners = append(owners, above.Master(t, fmt.Sprint(100*(clients-len(owners)))))
	}
	answers := make([][]answer, clients)
	api.AtOnce(clients, func(c int) {
		send := func(method, path string, body any) answer {
			a := owners[c].Send(t, method, path, body, "Idempotency-Key", api.Unique("key"))
			answers[c] = append(answers[c], a)
			return a
		}
		for n := range each {
			a := send("POST", "/lines/test", fields{"notes": strings.Repeat("n", 1_000)})
			if a.Status != http.StatusCreated {
				continue
			}
			if l := (a.Line()); n%2 == 0 {
				send("PATCH", api.Path("/lines/active", l.ID), l.Activation("0.5"))
			}
			if n%10 == 0 {
				srv.Admin(t).Fund(t, owners[c].ID, 1).Is(http.StatusOK)
			}
		}
	})
	for c, all := range answers {
		if got := api.Count(all); got[http.StatusCreated] != each+each/2 {
			t.Errorf("client %d: of %d trials and %d activations there are these statuses: %v", c, each, each/2, got)
		}
	}
	srv.Nobody().Send(t, "GET", "/readyz", nil).Is(http.StatusOK)

	store := map[string]string{"RESELLERD_STORE": "sqlite:/data/resellerd.db"}
	i.command(t, "all well: ", store, "audit")
	i.command(t, "copied, and all well: ", nil, "copy", "--from", store["RESELLERD_STORE"], "--to",
		"sqlite:/data/copy.db")
	srv.stop(t)
	i.command(t, fmt.Sprintf(" %d lines", clients*each), map[string]string{"RESELLERD_STORE": "sqlite:/data/copy.db"},
		"audit")
}
