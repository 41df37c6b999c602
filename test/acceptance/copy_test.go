package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
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

// copied is how a copy ended.
type copied struct {
	t              *testing.T
	status         int
	stdout, stderr string
}

// copyTo runs the program's own copy to its end. The settings of a service say nothing to it.
func (s *server) copyTo(t *testing.T, target *server, flags ...string) copied {
	t.Helper()
	p := s.beginCopy(t, target, flags...)
	return copied{t, p.Wait(), p.Stdout.String(), p.Stderr.String()}
}

func (s *server) beginCopy(t *testing.T, target *server, flags ...string) *program.Process {
	t.Helper()
	args := append([]string{"copy", "--from", s.env["RESELLERD_STORE"], "--to", target.env["RESELLERD_STORE"]}, flags...)
	p, err := launch(map[string]string{"RESELLERD_STORE": "memory:", "RESELLERD_LOG_LEVEL": "nonsense"}, args...)
	if err != nil {
		t.Fatal(err)
	}
	return p
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

// refused expects a status and what is said on standard error.
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

// TestACopyIsTheSameService copies a store with records of every kind and serves the copy: nobody who uses the service
// notices, but that sessions have ended.
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
			if err != nil {
				t.Fatal(err)
			}
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

// TestAServiceIsCopiedWhileItRuns writes to the source from before a copy to after
// it: the copy is what the source was at one instant.
func TestAServiceIsCopiedWhileItRuns(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, from store) {
		to := sqlite // what it is copied to is another process's
		source, target := withSecret(t, from), withSecret(t, to)
		source.start(t)
		admin := source.Admin(t)
		master := admin.Master(t, "1000")
		child := master.Reseller(t, "100")
		ctx, writing := t.Context(), sync.WaitGroup{}
		var written, answers atomic.Int64
		done := make(chan struct{})
		for worker := range 4 {
			writing.Go(func() {
				for ctx.Err() == nil {
					select {
					case <-done:
						return
					default:
					}
					child.Official(t)
					answers.Add(1)
					master.Fund(t, child.ID, 0.75, "Idempotency-Key", api.Unique(fmt.Sprintf("write-%d", worker))).Is(200)
					answers.Add(1)
					child.Send(t, "POST", "/lines/test", nil).Is(201)
					written.Add(1)
				}
			})
		}
		for written.Load() < 20 {
			time.Sleep(time.Millisecond)
		}
		before, answered := written.Load(), answers.Load()
		c := source.copyTo(t, target)
		for answers.Load() == answered { // what was asked beside the copy may be answered after it
			time.Sleep(time.Millisecond)
		}
		close(done)
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

// TestWhatIsInUseIsNeverCopiedOver refuses every target that is a store, whether it is served or not.
func TestWhatIsInUseIsNeverCopiedOver(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, to store) {
		source, target := withSecret(t, sqlite), withSecret(t, to)
		source.start(t)
		source.Admin(t).Master(t, "5")
		target.start(t)
		kept := target.Admin(t).Reseller(t, "3")
		source.copyTo(t, target).refused(1, "--to: ", "not empty", "name a new one")
		target.stop(t)
		source.copyTo(t, target, "--restart").refused(1, "--to: ", "not empty", "name a new one")
		target.start(t)
		if got := kept.Credits(t); got != "3" {
			t.Errorf("an account of the target holds %s, want 3", got)
		}
		source.copyTo(t, source).refused(2, "--to: this is the store that is to be copied")
		target.audit(t).well()
	})
}

// manyLines is enough for several batches of a copy.
const manyLines = 1_200

// busy is what busyForLong returns.
var busy struct {
	sync.Mutex
	*server
}

// busyForLong returns a stopped server with a store that takes several batches to copy. It is made once: nobody may
// change it.
func busyForLong(t *testing.T) *server {
	t.Helper()
	busy.Lock()
	defer busy.Unlock()
	if busy.server != nil {
		return busy.server
	}
	source := serverOn(sqlite, root, changed(defaults(sqlite, root), map[string]string{"RESELLERD_SECRET": copySecret}))
	source.start(t)
	r := source.Admin(t).Reseller(t, "50")
	r.Official(t)
	api.AtOnce(20, func(int) {
		for range manyLines / 20 {
			r.Send(t, "POST", "/lines/test", nil).Is(201)
		}
	})
	source.stop(t)
	busy.server = source
	return source
}

// endCopy begins a copy and ends it in its middle. The status is 0 where the copy was faster.
func (s *server) endCopy(t *testing.T, target *server, end func(p *program.Process), flags ...string) copied {
	t.Helper()
	p := s.beginCopy(t, target, flags...)
	for !strings.Contains(p.Stderr.String(), "copying records") {
		select {
		case <-p.Ended():
			t.Fatalf("the copy ended by itself, with status %d: %s%s", p.Status, p.Stdout, p.Stderr)
		case <-time.After(time.Millisecond):
		}
	}
	end(p)
	return copied{t, p.Wait(), p.Stdout.String(), p.Stderr.String()}
}

// interrupted returns the target of a copy that was ended in its middle.
func (s *server) interrupted(t *testing.T, to store, end func(p *program.Process)) (*server, copied) {
	t.Helper()
	for range 20 {
		target := withSecret(t, to)
		if c := s.endCopy(t, target, end); c.status != 0 {
			return target, c
		}
	}
	t.Fatal("no copy could be ended in its middle")
	return nil, copied{}
}

// unusable expects that nothing uses an unfinished copy, and that whoever tries is told what to do.
func (s *server) unusable(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{{"serve"}, {"audit"}, {"admin", "create", "somebody"},
		{"admin", "password", api.AdminName}} {
		status, stdout, stderr := s.command(t, args...)
		if status != 1 || stdout != "" || !strings.Contains(stderr, "RESELLERD_STORE: ") ||
			!strings.Contains(stderr, "not finished") || !strings.Contains(stderr, "--restart") {
			t.Errorf("%q on an unfinished copy: status %d, printed %q and %q", args, status, stdout, stderr)
		}
	}
}

// TestACopyThatEndsInItsMiddle leaves what nobody can use and another copy starts over: one that was killed, and one
// that a signal ended, which says what to do.
func TestACopyThatEndsInItsMiddle(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, to store) {
		source := busyForLong(t)
		target, c := source.interrupted(t, to, func(p *program.Process) { _ = p.Cmd.Process.Signal(syscall.SIGTERM) })
		c.refused(1, "interrupted: ", "not finished", "--restart")
		if c.stdout != "" {
			t.Errorf("an interrupted copy printed %q", c.stdout)
		}
		source.endCopy(t, target, (*program.Process).Kill, "--restart") // it may have been faster
		source.copyTo(t, target, "--restart")
		target.audit(t).well()

		target, _ = source.interrupted(t, to, (*program.Process).Kill)
		target.unusable(t)
		source.copyTo(t, target).refused(1, "--to: ", "not finished", "--restart")
		target.copyTo(t, withSecret(t, sqlite)).refused(1, "--from: ", "not finished")
		target.unusable(t)
		source.copyTo(t, target, "--restart").well()
		target.start(t)
		if lines := target.Admin(t).Get(t, "/lines?limit=500").IDs(); len(lines) != 500 {
			t.Errorf("a page of the copy holds %d lines, want 500", len(lines))
		}
		source.copyTo(t, target, "--restart").refused(1, "--to: ", "not empty")
	})
}

// TestForgedRecordsAreNotCopied refuses a source with findings, as the audit does, and leaves the target as it is.
func TestForgedRecordsAreNotCopied(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, to store) {
		source, target := withSecret(t, sqlite), withSecret(t, to)
		source.start(t)
		rich := source.Admin(t).Reseller(t, "5")
		source.stop(t)
		balance := func(units int) {
			onSQLite(t, source.dir,
				fmt.Sprintf("UPDATE accounts SET credits = %d, checksum = NULL WHERE id = %d", units, rich.ID))
		}
		balance(5_000_000)
		c := source.copyTo(t, target)
		c.refused(3)
		want := fmt.Sprintf("account %d: its balance is 500, and its movements make 5\n1 findings in 2 accounts, 0 lines, "+
			"1 movements and 3 entries of the journal of the source: nothing was copied\n", rich.ID)
		if c.stdout != want {
			t.Errorf("printed %q, want %q", c.stdout, want)
		}
		balance(50_000)
		source.copyTo(t, target).well()
	})
}

// TestTheServiceKeyFollowsACopyByHand copies a store whose service key lies in a
// file beside it: the copy is no good without it, and says so.
func TestTheServiceKeyFollowsACopyByHand(t *testing.T) {
	t.Parallel()
	source, target := newServer(t, sqlite, nil), newServer(t, sqlite, nil)
	source.start(t)
	seller := source.Admin(t).Reseller(t, "5")
	l := seller.Official(t)
	source.stop(t)
	keyOf := func(s *server) string { return database(s.dir) + ".key" }
	key, err := os.ReadFile(keyOf(source))
	if err != nil {
		t.Fatal(err)
	}
	absent := func(when string) {
		if _, err := os.Stat(keyOf(target)); !os.IsNotExist(err) {
			t.Errorf("%s there is a service key beside the copy: %v", when, err)
		}
	}

	killed, _ := busyForLong(t).interrupted(t, sqlite, (*program.Process).Kill)
	delete(killed.env, "RESELLERD_SECRET")
	killed.unusable(t)
	if _, err := os.Stat(keyOf(killed)); !os.IsNotExist(err) {
		t.Errorf("there is a service key beside an unfinished copy: %v", err)
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
	if err := os.WriteFile(keyOf(target), key, 0o600); err != nil {
		t.Fatal(err)
	}
	target.start(t)
	seller.On(target.Service).Get(t, api.Path("/lines", l.ID)).Has(fields{"password": l.Password})
}
