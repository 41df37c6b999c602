package campaign

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"resellerd/test/program"
	"resellerd/test/require"
)

// ofMachine are the rows that need Linux.
var ofMachine = []row{
	{name: "kills/SQLite, full disk", workload: newCommands, failures: []failure{fullDisk}, few: 1},
}

// limitFiles lets the program write no file beyond some bytes, as a full disk does.
func limitFiles(t *testing.T, p *program.Process, bytes uint64) {
	t.Helper()
	limit := unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}
	require.NoError(t, unix.Prlimit(p.Cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil))
}

// fullDisk has the process say so for a while, and refuse commands as unavailable.
var fullDisk = failure{"the disk is full", func(s *site, w workload) {
	c, p := w.(*commands), s.processes[0]
	ready := func(status int) {
		s.until(fmt.Sprintf("readiness %d", status), func() bool {
			return s.admin.Server.Nobody().On(p.at.Load()).Send(s.t, "GET", "/readyz", nil).Status == status
		})
	}
	limitFiles(s.t, p.Process, 4096)
	ready(http.StatusServiceUnavailable)
	full := s.now()
	s.until("a refusal", func() bool {
		return slices.ContainsFunc(c.seen.since(full), func(a attempt) bool {
			return a.purpose == effect && a.status == http.StatusServiceUnavailable
		})
	})
	limitFiles(s.t, p.Process, unix.RLIM_INFINITY)
	ready(http.StatusOK)
}}
