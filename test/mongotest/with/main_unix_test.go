//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"resellerd/test/mongotest"
)

// asWith makes the test's own binary behave as the command.
const asWith = "WITH_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asWith) != "" {
		main()
	}
	os.Exit(m.Run())
}

// with is a run of the command, the temporary folder of which is dir.
type with struct {
	*exec.Cmd
	dir    string
	stderr bytes.Buffer
}

// command prepares a run. What env says comes after the settings of this process.
func command(t *testing.T, env []string, args ...string) *with {
	t.Helper()
	w := &with{Cmd: exec.Command(os.Args[0], args...), dir: t.TempDir()}
	w.Env = append(os.Environ(), asWith+"=1", "TMPDIR="+w.dir, mongotest.AddressVariable+"=")
	w.Env = append(w.Env, env...)
	w.Stderr = &w.stderr
	return w
}

// leavesNothing fails where the folder of a server is still there.
func (w *with) leavesNothing(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("%s is left in the temporary folder", entry.Name())
	}
}

func needBinary(t *testing.T) {
	t.Helper()
	_, err := mongotest.Binary(t.Context())
	mongotest.Need(t, err)
}

func status(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	default:
		t.Fatal(err)
		return 0
	}
}

func TestTheCommandGetsAServer(t *testing.T) {
	needBinary(t)
	w := command(t, nil, "--", "sh", "-c", `echo "$RESELLERD_TEST_MONGODB"; ls "$TMPDIR"; exit 7`)
	out, err := w.Output()
	if got := status(t, err); got != 7 {
		t.Errorf("the status is %d, want the command's: %s", got, &w.stderr)
	}
	if got := string(out); !strings.HasPrefix(got, "mongodb://127.0.0.1:") || !strings.Contains(got, "\nresellerd-mongod-") {
		t.Errorf("the command sees %q", got)
	}
	w.leavesNothing(t)
}

func TestAGivenAddressIsLeftAsItIs(t *testing.T) {
	const given = "mongodb://somewhere.invalid/?replicaSet=rs"
	w := command(t, []string{mongotest.AddressVariable + "=" + given}, "sh", "-c", `echo "$RESELLERD_TEST_MONGODB"; ls "$TMPDIR"`)
	out, err := w.Output()
	if got := status(t, err); got != 0 || string(out) != given+"\n" {
		t.Errorf("the status is %d and the command sees %q", got, out)
	}
}

func TestWithoutAServerTheCommandRunsUnlessOneIsRequired(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := []string{"PATH=", "HOME=" + t.TempDir(), "XDG_CACHE_HOME=", mongotest.RequiredVariable + "="}
	const line = "with: no MongoDB to test with ("
	const remedy = "): put mongod on the PATH or the address of a replica set in RESELLERD_TEST_MONGODB\n"
	for _, c := range []struct {
		name   string
		env    []string
		status int
		stdout string
	}{
		{"not required", nowhere, 3, "none\n"},
		{"required", append(nowhere, mongotest.RequiredVariable+"=1"), 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := command(t, c.env, shell, "-c", `echo "$RESELLERD_TEST_MONGODB"; exit 3`)
			out, err := w.Output()
			if got := status(t, err); got != c.status || string(out) != c.stdout {
				t.Errorf("the status is %d and the command says %q, want %d and %q", got, out, c.status, c.stdout)
			}
			said := w.stderr.String()
			if at := strings.Index(said, line); at < 0 || !strings.HasSuffix(said, remedy) || strings.Count(said[at:], "\n") != 1 {
				t.Errorf("it says %q", said)
			}
			w.leavesNothing(t)
		})
	}
}

// waiting is a command that says that it runs, and says so when it is asked to end.
const waiting = `trap 'echo asked; exit 9' TERM HUP; echo ready; while :; do sleep 0.05; done`

func TestASignalReachesAllOfTheCommand(t *testing.T) {
	needBinary(t)
	for _, sent := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sent.String(), func(t *testing.T) {
			// The outer shell waits for the inner one, as go test waits for its tests.
			w := command(t, nil, "sh", "-c", `trap : TERM HUP; sh -c "$0" & wait; wait; exit 5`, waiting)
			lines := w.run(t)
			if err := w.Process.Signal(sent); err != nil {
				t.Fatal(err)
			}
			if rest, err := io.ReadAll(lines); err != nil || string(rest) != "asked\n" {
				t.Errorf("the inner command says %q, %v", rest, err)
			}
			if got := status(t, w.Wait()); got != 5 {
				t.Errorf("the status is %d: %s", got, &w.stderr)
			}
			w.leavesNothing(t)
		})
	}
}

func TestTheEndOfTheParentEndsIt(t *testing.T) {
	needBinary(t)
	w := command(t, nil)
	w.Path, w.Args = "/bin/sh", []string{"sh", "-c", `"$0" "$@" & read end`, os.Args[0], "sh", "-c", waiting}
	end, err := w.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	lines := w.run(t)
	if err := end.Close(); err != nil { // the shell ends, and leaves its child behind
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(lines); err != nil || string(rest) != "asked\n" {
		t.Errorf("the command says %q, %v", rest, err)
	}
	_ = w.Wait() // until all have closed stderr
	w.leavesNothing(t)
}

// run starts it and returns what it writes once its command runs.
func (w *with) run(t *testing.T) *bufio.Reader {
	t.Helper()
	out, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Process.Kill() })
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the command says %q, %v", line, err)
	}
	return lines
}
