package acceptance

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// limitFiles lets the program write no file beyond this many bytes, as a full
// disk does; 0 lifts the limit.
func (s *server) limitFiles(t *testing.T, bytes uint64) {
	t.Helper()
	limit := unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}
	if bytes == 0 {
		limit.Cur = unix.RLIM_INFINITY
	}
	if err := unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		t.Fatal(err)
	}
}

func TestAFullDiskIsUnavailableAndMends(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	admin := srv.admin(t)
	r := admin.reseller(t, "5")
	ready := func() answer { return srv.nobody().send(t, "GET", "/readyz", nil) }

	srv.limitFiles(t, 4096)
	admin.send(t, "POST", "/lines/test", nil).refused(http.StatusServiceUnavailable, "store-unavailable")
	ready().refused(http.StatusServiceUnavailable, "store-unavailable")
	admin.send(t, "PATCH", path("/users/credits", r.id), fields{"credits": 1}).refused(http.StatusServiceUnavailable, "store-unavailable")
	srv.logs(t, "disk I/O error")

	srv.limitFiles(t, 0)
	ready().is(http.StatusOK)
	admin.send(t, "PATCH", path("/users/credits", r.id), fields{"credits": 1}).is(http.StatusOK).has(fields{"credits": 6})
}

// Where there is room for a page or two, a command needs more, and readiness is about
// commands.
func TestAnAlmostFullDiskIsNotReady(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	admin := srv.admin(t)
	ready := func() answer { return srv.nobody().send(t, "GET", "/readyz", nil) }
	ready().is(http.StatusOK)

	const frame = 4096 + 24 // a page in the WAL, which only grows as long as it is small
	wal, err := os.Stat(database(srv.dir) + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	srv.limitFiles(t, uint64(wal.Size())+4*frame)
	admin.send(t, "POST", "/lines/test", nil).refused(http.StatusServiceUnavailable, "store-unavailable")
	ready().refused(http.StatusServiceUnavailable, "store-unavailable")

	srv.limitFiles(t, 0)
	ready().is(http.StatusOK)
	admin.trial(t)
}

func TestAStoreThatWasRemovedIsNotReady(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	if err := os.Remove(filepath.Join(srv.dir, "resellerd.db")); err != nil {
		t.Fatal(err)
	}
	srv.nobody().send(t, "GET", "/readyz", nil).refused(http.StatusServiceUnavailable, "store-unavailable")
	srv.logs(t, "no such file")
}

// logs expects this cause in the log, which comes through a pipe of its own, after
// the answer.
func (s *server) logs(t *testing.T, cause string) {
	t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(s.stderr.String(), cause); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the log does not say %q", cause)
		}
	}
}
