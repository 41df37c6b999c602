//go:build unix

package mongotest

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// childVariable says what the test of a child process is to do.
const childVariable = "MONGOTEST_CHILD"

// TestChild is the child process of TestNothingIsLeftBehind: it uses a server of
// its own and ends in the way that it is told.
func TestChild(t *testing.T) {
	how := os.Getenv(childVariable)
	if how == "" {
		t.Skip("the child process of another test")
	}
	if !exists(t, fill(t, URI(t))) {
		t.Fatal("no database")
	}
	os.Stdout.WriteString("ready\n")
	switch how {
	case "fail":
		t.Fatal("on purpose")
	case "panic":
		panic("on purpose")
	case "hang":
		<-t.Context().Done()
	}
}

// child runs TestChild in a process with a server of its own, the folder of which
// is in dir, and returns when the server is there.
func child(t *testing.T, dir, how string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childVariable+"="+how, AddressVariable+"=", "TMPDIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "ready" {
			go func() {
				for lines.Scan() {
				}
			}()
			return cmd
		}
	}
	t.Fatalf("the child ended early: %v", cmd.Wait())
	return nil
}

func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	needBinary(t)
	for _, how := range []string{"pass", "fail"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			err := child(t, dir, how).Wait()
			if (err == nil) != (how == "pass") {
				t.Errorf("the child ended with %v", err)
			}
			if left := names(t, dir); len(left) > 0 {
				t.Errorf("it left %q", left)
			}
		})
	}
	for _, how := range []string{"panic", "hang"} {
		t.Run(how, func(t *testing.T) {
			if runtime.GOOS != "linux" {
				t.Skip("a server outlives a process that was killed")
			}
			t.Parallel()
			dir := t.TempDir()
			cmd := child(t, dir, how)
			if how == "hang" {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the child passed")
			}
			stale := names(t, dir)
			if len(stale) != 1 {
				t.Fatalf("it left %q, want its folder", stale)
			}
			// The server holds the lock as long as it lives.
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			lock, err := waitForLock(ctx, filepath.Join(dir, stale[0], "lock"))
			if err != nil {
				t.Fatal(err)
			}
			if err := lock.Close(); err != nil {
				t.Fatal(err)
			}
			if err := child(t, dir, "pass").Wait(); err != nil {
				t.Errorf("the next child ended with %v", err)
			}
			if left := names(t, dir); len(left) > 0 {
				t.Errorf("the next child left %q", left)
			}
		})
	}
}

func TestAFolderIsInUseAsLongAsItsServerRuns(t *testing.T) {
	binary := needBinary(t)
	t.Setenv("TMPDIR", t.TempDir())
	c, err := startMembers(t.Context(), binary, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for _, lock := range c.inherited { // as the end of this process would
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeStaleFolders(); err != nil {
		t.Fatal(err)
	}
	if left := names(t, os.TempDir()); len(left) != 1 {
		t.Fatal("the folder of a server that runs was removed")
	}
	if err := errors.Join(c.Members[0].Kill(), removeStaleFolders()); err != nil {
		t.Fatal(err)
	}
	if left := names(t, os.TempDir()); len(left) > 0 {
		t.Error("the folder of a server that was killed is still there")
	}
}

func TestOnlyStaleFoldersAreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	live, lock, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(os.TempDir(), "another-folder")
	stale := filepath.Join(os.TempDir(), strings.TrimSuffix(folderPattern, "*")+"1")
	for _, dir := range []string{other, filepath.Join(stale, "member-0")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	next, nextLock, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{live, other, next} {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(stale); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stale folder: %v", err)
	}
	if err := errors.Join(lock.Close(), nextLock.Close(), removeStaleFolders()); err != nil {
		t.Fatal(err)
	}
	if left := names(t, os.TempDir()); len(left) != 1 {
		t.Errorf("%q are left, want another-folder alone", left)
	}
}

func TestSeveralRemoveOneStaleFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	stale := filepath.Join(os.TempDir(), strings.TrimSuffix(folderPattern, "*")+"1")
	for range 500 {
		if err := os.MkdirAll(filepath.Join(stale, "member-0"), 0o700); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				if err := removeStaleFolders(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if left := names(t, os.TempDir()); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}
