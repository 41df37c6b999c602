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

// limitFiles lets the program write no file beyond this many bytes, as a full disk does; 0 lifts the limit.
func (s *server) limitFiles(t *testing.T, bytes uint64) {
	t.Helper()
	limit := unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}
	if bytes == 0 {
		limit.Cur = unix.RLIM_INFINITY
	}
	if err := unix.Prlimit(s.Cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		t.Fatal(err)
	}
}

func TestAFullDiskIsUnavailableAndMends(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	admin := srv.Admin(t)
	r := admin.Reseller(t, "5")
	ready := func() answer { return srv.Nobody().Send(t, "GET", "/readyz", nil) }

	srv.limitFiles(t, 4096)
	admin.Send(t, "POST", "/lines/test", nil).Refused(http.StatusServiceUnavailable, "store-unavailable")
	ready().Refused(http.StatusServiceUnavailable, "store-unavailable")
	admin.Fund(t, r.ID, 1).Refused(http.StatusServiceUnavailable, "store-unavailable")
	srv.logs(t, "disk I/O error")

	srv.limitFiles(t, 0)
	ready().Is(http.StatusOK)
	admin.Fund(t, r.ID, 1).Is(http.StatusOK).Has(fields{"credits": 6})
}

// Where there is room for a page or two, a command needs more, and readiness is about commands.
func TestAnAlmostFullDiskIsNotReady(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	admin := srv.Admin(t)
	ready := func() answer { return srv.Nobody().Send(t, "GET", "/readyz", nil) }
	ready().Is(http.StatusOK)

	const frame = 4096 + 24 // a page in the WAL, which only grows as long as it is small
	wal, err := os.Stat(database(srv.dir) + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	srv.limitFiles(t, uint64(wal.Size())+4*frame)
	admin.Send(t, "POST", "/lines/test", nil).Refused(http.StatusServiceUnavailable, "store-unavailable")
	ready().Refused(http.StatusServiceUnavailable, "store-unavailable")

	srv.limitFiles(t, 0)
	ready().Is(http.StatusOK)
	admin.Trial(t)
}

func TestAStoreThatWasRemovedIsNotReady(t *testing.T) {
	t.Parallel()
	srv := startServer(t, sqlite, nil)
	if err := os.Remove(filepath.Join(srv.dir, "resellerd.db")); err != nil {
		t.Fatal(err)
	}
	srv.Nobody().Send(t, "GET", "/readyz", nil).Refused(http.StatusServiceUnavailable, "store-unavailable")
	srv.logs(t, "no such file")
}

// logs expects this cause in the log, which comes through a pipe of its own, after the answer.
func (s *server) logs(t *testing.T, cause string) {
	t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(s.Stderr.String(), cause); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the log does not say %q", cause)
		}
	}
}
