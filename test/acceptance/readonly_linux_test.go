package acceptance

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"resellerd/test/require"
)

// folder returns the contents of a folder: names, sizes, times, permissions and digests.
func folder(t *testing.T, dir string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		if !entry.IsDir() {
			content, err = os.ReadFile(path)
		}
		found += fmt.Sprintf("%s %s %d %s %x\n", entry.Name(), info.Mode(), info.Size(), info.ModTime(), sha256.Sum256(content))
		return err
	})
	require.NoError(t, err)
	return found
}

// still stops the process while do looks at its files, which it writes by itself now and then.
func (s *server) still(t *testing.T, do func()) {
	t.Helper()
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGSTOP))
	defer func() { _ = s.Cmd.Process.Signal(syscall.SIGCONT) }()
	// The signal returns while threads still run.
	require.NoError(t, unix.Waitid(unix.P_PID, s.Cmd.Process.Pid, nil, unix.WSTOPPED, nil))
	do()
}

// anybody is a user who owns nothing here.
const anybody = 65532

// asAnybody runs the program as that user. A tester that may not become another user runs it as itself.
func asAnybody(t *testing.T, env map[string]string, args ...string) (status int, output string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can run the program as another user")
	}
	program := filepath.Join(publicDir(t), "resellerd")
	require.NoError(t, errors.Join(exec.Command("cp", binary, program).Run(), os.Chmod(program, 0o755)))
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"HOME=/", "TMPDIR=/nowhere"}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: anybody, Gid: anybody}}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// publicDir is a folder that everybody finds the way to.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "resellerd-readonly-") //nolint:usetesting // other users may not enter the parent of t.TempDir()
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// put lays copies of files into a folder, with these permissions.
func put(t *testing.T, dir string, mode os.FileMode, files ...string) {
	t.Helper()
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, mode))
	}
}

// backup writes one as the README says.
func backup(t *testing.T, dir, to string) {
	t.Helper()
	db := openSQLite(t, dir, "rw")
	if _, err := db.ExecContext(t.Context(), "VACUUM INTO ?", to); err != nil {
		t.Fatal(err)
	}
}

// TestExaminingChangesNoFile examines and copies each combination of a store's files.
func TestExaminingChangesNoFile(t *testing.T) {
	t.Parallel()
	h := newHistory(t, startServer(t, sqlite, map[string]string{"RESELLERD_SECRET": copySecret}))
	whole := database(h.dir)
	saved := filepath.Join(t.TempDir(), "backup.db")
	backup(t, h.dir, saved)

	served := t.TempDir() // what a process that is killed just then leaves
	put(t, served, 0o600, whole, whole+"-wal", whole+"-shm")
	torn := t.TempDir() // a copy by a user that overlooked the third file
	put(t, torn, 0o600, whole, whole+"-wal")
	examine := func(t *testing.T, dir, file string) {
		t.Helper()
		before := folder(t, dir)
		from := serverOn(sqlite, dir, map[string]string{"RESELLERD_STORE": "sqlite:" + file})
		from.audit(t).well()
		to := newServer(t, sqlite, nil)
		from.copyTo(t, to).well()
		to.audit(t).well()
		if after := folder(t, dir); after != before {
			t.Errorf("it was\n%sand is now\n%s", before, after)
		}
	}
	t.Run("a store in use", func(t *testing.T) { h.still(t, func() { examine(t, h.dir, whole) }) })
	t.Run("a backup", func(t *testing.T) { examine(t, filepath.Dir(saved), saved) })
	t.Run("a store whose process was killed", func(t *testing.T) { examine(t, served, database(served)) })
	t.Run("a store that was stopped", func(t *testing.T) {
		h.stop(t)
		examine(t, h.dir, whole)
	})
	t.Run("a WAL without its index", func(t *testing.T) {
		before := folder(t, torn)
		from := serverOn(sqlite, torn, map[string]string{"RESELLERD_STORE": "sqlite:" + database(torn)})
		v := from.audit(t)
		if v.status != 1 {
			t.Errorf("the audit ended with status %d, want 1", v.status)
		}
		says(t, v.stderr, database(torn), "start the service on it once and stop it", "copy the file, its -wal")
		to := newServer(t, sqlite, nil)
		from.copyTo(t, to).refused(1, "--from: ", "start the service on it once and stop it")
		if made := folder(t, to.dir); strings.Count(made, "\n") != 1 {
			t.Errorf("a copy of nothing has made\n%s", made)
		}
		if after := folder(t, torn); after != before {
			t.Errorf("it was\n%sand is now\n%s", before, after)
		}
	})
}

// TestReadAccessIsEnoughToExamine runs the audit and a copy as a user that can't write.
func TestReadAccessIsEnoughToExamine(t *testing.T) {
	t.Parallel()
	h := newHistory(t, startServer(t, sqlite, map[string]string{"RESELLERD_SECRET": copySecret}))
	whole := database(h.dir)
	target := publicDir(t)
	require.NoError(t, os.Chmod(target, 0o777))
	audited := func(t *testing.T, file string, want int) (output string) {
		t.Helper()
		status, output := asAnybody(t, map[string]string{"RESELLERD_STORE": "sqlite:" + file}, "audit")
		if status != want || (want == 0) != strings.Contains(output, "all well: ") {
			t.Errorf("the audit ended with status %d, want %d:\n%s", status, want, output)
		}
		return output
	}
	examine := func(t *testing.T, file string) {
		t.Helper()
		before := folder(t, filepath.Dir(file))
		audited(t, file, 0)
		to := filepath.Join(target, strings.ReplaceAll(t.Name(), "/", "-")+".db")
		if status, output := asAnybody(t, nil, "copy", "--from", "sqlite:"+file, "--to", "sqlite:"+to); status != 0 ||
			!strings.Contains(output, "copied, and all well: ") {
			t.Errorf("copy ended with status %d:\n%s", status, output)
		}
		if after := folder(t, filepath.Dir(file)); after != before {
			t.Errorf("it was\n%sand is now\n%s", before, after)
		}
	}
	own := func(dirMode, fileMode os.FileMode, files ...string) string {
		dir := publicDir(t)
		put(t, dir, fileMode, files...)
		require.NoError(t, os.Chmod(dir, dirMode))
		return filepath.Join(dir, filepath.Base(files[0]))
	}
	saved := filepath.Join(t.TempDir(), "backup.db")
	backup(t, h.dir, saved)
	t.Run("another's backup", func(t *testing.T) { examine(t, own(0o755, 0o444, saved)) })
	t.Run("another's store after a kill", func(t *testing.T) {
		examine(t, own(0o555, 0o444, whole, whole+"-wal", whole+"-shm"))
	})
	t.Run("what can't be read", func(t *testing.T) {
		for _, files := range [][]string{{saved}, {whole, whole + "-wal", whole + "-shm"}} {
			if output := audited(t, own(0o555, 0o400, files...), 1); strings.Contains(output, "start the service") {
				t.Errorf("the audit names a remedy that is none:\n%s", output)
			}
		}
	})
	t.Run("another's store in use", func(t *testing.T) {
		live := startServer(t, sqlite, map[string]string{"RESELLERD_STORE": "sqlite:" + own(0o755, 0o644, saved),
			"RESELLERD_SECRET": copySecret})
		file := strings.TrimPrefix(live.env["RESELLERD_STORE"], "sqlite:")
		live.still(t, func() { examine(t, file) })
		live.Admin(t).Reseller(t, "3")
		audited(t, file, 0)
		live.stop(t)
		audited(t, file, 0)
	})
}
