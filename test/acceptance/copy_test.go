package acceptance

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"resellerd/test/api"
	"resellerd/test/require"
)

const copySecret = "the service key of source and copy"

// forEachPair runs a test on every storage that outlives the process, as the source of a copy, with the others as the
// target.
func forEachPair(t *testing.T, test func(t *testing.T, from, to store)) {
	t.Parallel()
	mongodb.available(t)
	for _, pair := range [][2]store{{sqlite, mongodb}, {mongodb, sqlite}} {
		t.Run(pair[0].name+" to "+pair[1].name, func(t *testing.T) {
			t.Parallel()
			test(t, pair[0], pair[1])
		})
	}
}

// withSecret is a server that does not run yet, with the service key that copies and sources of these tests have.
func withSecret(t *testing.T, s store) *server {
	t.Helper()
	return newServer(t, s, map[string]string{"RESELLERD_SECRET": copySecret})
}

// copied is the result of a copy.
type copied struct {
	t              *testing.T
	status         int
	stdout, stderr string
}

// copyTo runs the program's own copy to its end. The settings of a service say nothing to it.
func (s *server) copyTo(t *testing.T, target *server) copied {
	t.Helper()
	status, stdout, stderr := withInput(t, map[string]string{"RESELLERD_STORE": "memory:",
		"RESELLERD_LOG_LEVEL": "nonsense"}, "", "copy", "--from", s.env["RESELLERD_STORE"], "--to",
		target.env["RESELLERD_STORE"])
	return copied{t, status, stdout, stderr}
}

var copySummary = regexp.MustCompile(
	`^copied, and all well: \d+ accounts, \d+ lines, \d+ movements, \d+ entries of the journal and \d+ idempotency keys; \S+ credits issued = \S+ consumed \+ \S+ held(?:; \d+ lines? (?:was|were) imported)?(?:; \d+ charges? of .+)?
serve it with the service key of the source, fingerprint [0-9a-f]{32}: in RESELLERD_SECRET or RESELLERD_SECRET_FILE.*
$`)

// well expects a finished copy.
func (c copied) well() copied {
	c.t.Helper()
	if c.status != 0 || !copySummary.MatchString(c.stdout) {
		c.t.Fatalf("the copy ended with status %d and printed\n%s%s", c.status, c.stdout, c.stderr)
	}
	if strings.Contains(c.stdout+c.stderr, copySecret) {
		c.t.Errorf("the copy printed the service key:\n%s%s", c.stdout, c.stderr)
	}
	return c
}

// refused expects a status and texts on standard error.
func (c copied) refused(status int, says ...string) {
	c.t.Helper()
	if c.status != status {
		c.t.Errorf("the copy ended with status %d, want %d:\n%s%s", c.status, status, c.stdout, c.stderr)
	}
	for _, text := range says {
		if !strings.Contains(c.stderr, text) {
			c.t.Errorf("a copy that was refused does not say %q: %q", text, c.stderr)
		}
	}
}

// TestACopyIsTheSameService copies a store with records of every kind and serves the copy. Users of the service notice
// only that their sessions have ended.
func TestACopyIsTheSameService(t *testing.T) {
	forEachPair(t, func(t *testing.T, from, to store) {
		source, target := withSecret(t, from), withSecret(t, to)
		source.start(t)
		h := newHistory(t, source)
		source.stop(t)
		source.copyTo(t, target).well()
		proofs := make([]string, 2)
		for i, s := range []*server{source, target} {
			file := filepath.Join(t.TempDir(), "checkpoint.txt")
			v := s.audit(t, "--write-checkpoint", file)
			v.well()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			proofs[i] = v.summary + "\n" + string(text)
		}
		if proofs[0] != proofs[1] || !strings.Contains(proofs[0], "; 1 line was imported\n") {
			t.Errorf("the proofs of source and copy are:\n%s\n%s", proofs[0], proofs[1])
		}
		target.start(t)
		h.signedIn.On(target.Service).Send(t, "GET", "/users/logged", nil).SessionEnded()
		h.isOn(t, target)
		target.audit(t).well()
		target.stop(t)
		target.audit(t).well()
	})
}

// TestAServiceIsCopiedWhileItRuns writes to the source from before a copy to after it. The copy has the source's state
// of one instant.
func TestAServiceIsCopiedWhileItRuns(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, from store) {
		to := sqlite // what it is copied to is another process's
		source, target := withSecret(t, from), withSecret(t, to)
		source.start(t)
		admin := source.Admin(t)
		master := admin.Master(t, "1000")
		child := master.Reseller(t, "100")
		ctx, end := context.WithCancel(t.Context())
		var writing sync.WaitGroup
		var rounds atomic.Int64
		for range 4 {
			writing.Go(func() {
				for ctx.Err() == nil {
					child.Official(t)
					master.Fund(t, child.ID, 0.75, "Idempotency-Key", api.Unique("write")).Is(200)
					rounds.Add(1)
				}
			})
		}
		until := func(least int64) {
			eventually(t, "nothing is written", func() bool { return rounds.Load() >= least })
		}
		until(20)
		before := rounds.Load()
		c := source.copyTo(t, target)
		until(rounds.Load() + 5) // requests that ran during the copy may be answered after it
		end()
		writing.Wait()
		c.well()
		source.audit(t).well()
		target.audit(t).well()
		source.copyTo(t, target).refused(1, "--to: ", "not empty")

		target.start(t)
		proof := admin.On(target.Service).Get(t, "/ledger/proof").Has(fields{"balanced": true})
		now, _ := admin.Get(t, "/ledger/proof").Fields["movements"].(interface{ Int64() (int64, error) }).Int64()
		then, _ := proof.Fields["movements"].(interface{ Int64() (int64, error) }).Int64()
		if then < 2*before || then >= now {
			t.Errorf("the copy has %d movements; the source had more than %d before it and has %d after it", then, 2*before, now)
		}
		child.On(target.Service).Official(t)
		target.audit(t).well()
		source.stop(t)
	})
}

// TestTheServiceKeyFollowsACopyByHand copies a store whose service key is in a file beside it. The program does not
// start on the copy without that file, and its error names the missing key.
func TestTheServiceKeyFollowsACopyByHand(t *testing.T) {
	t.Parallel()
	source, target := newServer(t, sqlite, nil), newServer(t, sqlite, nil)
	source.start(t)
	seller := source.Admin(t).Reseller(t, "5")
	l := seller.Official(t)
	source.stop(t)
	keyOf := func(s *server) string { return database(s.dir) + ".key" }
	key, err := os.ReadFile(keyOf(source))
	require.NoError(t, err)
	absent := func(when string) {
		if _, err := os.Stat(keyOf(target)); !os.IsNotExist(err) {
			t.Errorf("%s there is a service key beside the copy: %v", when, err)
		}
	}

	c := source.copyTo(t, target).well()
	if !strings.Contains(c.stdout, "or in the file "+keyOf(target)+"; the source has it in "+keyOf(source)) ||
		strings.Contains(c.stdout+c.stderr, strings.TrimSpace(string(key))) {
		t.Errorf("printed %q, %q", c.stdout, c.stderr)
	}
	absent("after the copy")
	if status, _, stderr := target.command(t, "serve"); status != 1 || !strings.Contains(stderr, "service key") {
		t.Errorf("served without its service key: status %d, %q", status, stderr)
	}
	absent("after a start without it")
	require.NoError(t, os.WriteFile(keyOf(target), key, 0o600))
	target.start(t)
	seller.On(target.Service).Get(t, api.Path("/lines", l.ID)).Has(fields{"password": l.Password})
}
