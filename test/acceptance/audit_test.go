package acceptance

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// verdict is the result of an audit.
type verdict struct {
	t        *testing.T
	status   int
	findings []string // a line each
	summary  string
	stderr   string
}

// audit runs the program's command on the server's records, whether the server runs or not.
func (s *server) audit(t *testing.T, flags ...string) verdict {
	t.Helper()
	status, stdout, stderr := s.command(t, append([]string{"audit"}, flags...)...)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	last := len(lines) - 1
	return verdict{t, status, lines[:last], lines[last], stderr}
}

// well expects that nothing is found.
func (v verdict) well() {
	v.t.Helper()
	if v.status != 0 || len(v.findings) > 0 || !strings.HasPrefix(v.summary, "all well: ") {
		v.t.Errorf("the audit ended with status %d:\n%s", v.status, v)
	}
}

// finds expects findings that begin like these, among others.
func (v verdict) finds(want ...string) {
	v.t.Helper()
	all := "\n" + strings.Join(v.findings, "\n")
	for _, finding := range want {
		if !strings.Contains(all, "\n"+finding) {
			v.t.Errorf("the audit does not find %q", finding)
		}
	}
	if v.status != 3 || !strings.HasPrefix(v.summary, fmt.Sprintf("%d findings in ", len(v.findings))) || v.t.Failed() {
		v.t.Errorf("the audit ended with status %d, want 3:\n%s", v.status, v)
	}
}

func (v verdict) String() string {
	return strings.Join(append(v.findings, v.summary, v.stderr), "\n")
}

// TestAuditNamesWhatWasForged changes a record of each class on each store, all in one store, with the store's own
// tools. application/audit tests each forgery alone.
func TestAuditNamesWhatWasForged(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		admin := srv.Admin(t)
		master := admin.Master(t, "100")   // account 2, by movement 1
		leaf := master.Reseller(t, "50")   // account 3, by movement 2
		other := master.Reseller(t, "1")   // account 4, by movement 3
		master.Reseller(t, "1")            // account 5, by movement 4
		leaf.Official(t)                   // line 1, by movement 5
		leaf.Official(t)                   // line 2, by movement 6
		buried := leaf.Official(t)         // line 3, by movement 7
		admin.Fund(t, leaf.ID, 4).Is(200)  // movement 8
		admin.Fund(t, other.ID, 4).Is(200) // movement 9, the last of account 4
		leaf.DeleteLine(t, buried.ID).Is(200)
		leaf.Trial(t) // line 4

		checkpoint := filepath.Join(t.TempDir(), "monday.txt")
		srv.audit(t, "--write-checkpoint", checkpoint).well() // beside the service
		leaf.Trial(t)
		srv.stop(t)
		srv.audit(t, "--checkpoint", checkpoint).well()

		s.left(srv.dir).forge(t)
		forged := []string{
			"movement 8: it is not what was recorded as number 5 of account 3",
			"account 4: its movement number 2, the last, is missing",
			"account 2: its balance is ",
			"line 1: it is official, and movement 2 is not its charge",
			"movement 7: line 3, which it paid for, is missing and has left no tombstone",
			"line 4: it has an id that was not given yet",
			"line 2: a stored record is damaged: ",
		}
		srv.audit(t).finds(forged...)
		srv.audit(t, "--checkpoint", checkpoint).finds(append(forged,
			"account 4: its movement number 2 was there at the checkpoint and is missing")...)
		list := map[string]string{sqlite.name: "account_lists", mongodb.name: "account_names"}[s.name]
		for _, repaired := range []string{list + ": ", "nothing: "} {
			if v := srv.audit(t, "--repair-lists"); v.status != 3 || !strings.Contains(v.String(), "repaired "+repaired) {
				t.Errorf("the repair ended with status %d, want one of %s:\n%s", v.status, repaired, v)
			}
		}
	})
}
