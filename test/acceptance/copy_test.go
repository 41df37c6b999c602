package acceptance

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// forEachPair runs a test on every storage that outlives the process, as the source
// of a copy, with every other and itself as the target.
func forEachPair(t *testing.T, test func(t *testing.T, from, to store)) {
	forEachDurableStore(t, func(t *testing.T, from store) {
		for _, to := range stores {
			if to.durable {
				t.Run("to "+to.name, func(t *testing.T) {
					t.Parallel()
					if to.available != nil {
						to.available(t)
					}
					test(t, from, to)
				})
			}
		}
	})
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
	`^copied, and all well: (\d+) accounts, (\d+) lines, (\d+) movements, \d+ entries of the journal and (\d+) idempotency keys; \S+ credits issued = \S+ consumed \+ \S+ held(?:; \d+ lines? (?:was|were) imported)?(?:; \d+ charges? of .+)?
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

// counts expects so many accounts, lines, movements and keys.
func (c copied) counts(want ...int) {
	c.t.Helper()
	got := copySummary.FindStringSubmatch(c.stdout)[1:]
	if fmt.Sprint(got) != fmt.Sprint(want) {
		c.t.Errorf("copied %v, want %v accounts, lines, movements and idempotency keys", got, want)
	}
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

// history is what was done to a server, and is there to be found in its copy.
type history struct {
	*server
	master, child, seller, blocked api.Reseller
	trial, line, gone              line
	sent                           []operation
	answers                        []answer // to what was sent
}

// newHistory makes records of every kind in a server that runs.
func newHistory(t *testing.T, srv *server) *history {
	t.Helper()
	h := &history{server: srv}
	admin := srv.Admin(t)
	h.master = admin.Master(t, "100")
	h.child = h.master.Master(t, "40.25")
	h.seller = h.child.Create(t, fields{"username": api.Unique("Straße.ÉLAN"), "credits": "12.0001",
		"notes": "first line\n\"second\" 'line'; --"})
	h.blocked = h.master.Reseller(t, "7")
	h.trial, h.line, h.gone = h.seller.Trial(t), h.seller.Official(t), h.seller.Trial(t)
	h.blocked.Official(t)
	admin.Official(t)
	h.sent = []operation{
		api.Op("POST", "/users", api.NewReseller(fields{"credits": 1.5, "country": "PT"})),
		api.Op("POST", "/lines/test", fields{"notes": "for a friend"}),
		api.Op("PATCH", api.Path("/users/credits", h.seller.ID), fields{"credits": 0.0001, "notes": "once"}),
		api.Op("POST", api.Path("/users", h.seller.ID, "/credits/reclaim"), fields{"credits": 2}),
		api.Op("PATCH", api.Path("/lines/extend", h.line.ID), fields{"credits": 0.5}),
		api.Op("PATCH", api.Path("/lines", h.line.ID),
			api.With(h.line.Edit(), fields{"notes": "edited", "password": "another password"})),
		api.Op("PUT", api.Path("/users", h.blocked.ID, "/block"), nil),
		api.Op("DELETE", api.Path("/lines", h.gone.ID), nil),
	}
	for i, op := range h.sent {
		h.answers = append(h.answers, op.By(t, h.master.Caller, "Idempotency-Key", fmt.Sprintf("key-%d", i)))
		if h.answers[i].Status >= 300 {
			t.Fatalf("%s: %s", h.answers[i].Request, h.answers[i].Body)
		}
	}
	return h
}

// ofNow is when a proof was made.
var ofNow = regexp.MustCompile(`,"at":"[^"]*"}\s*$`)

// reads returns what everybody reads on a server, by who and what.
func (h *history) reads(t *testing.T, on *server) map[string]string {
	t.Helper()
	read := map[string]string{}
	for who, by := range map[string]caller{"admin": h.Admin(t), "master": h.master.Caller, "child": h.child.Caller,
		"seller": h.seller.Caller, "blocked": h.blocked.Caller} {
		by := by.On(on.Service)
		note := func(path string) answer {
			a := by.Send(t, "GET", path, nil)
			body := string(a.Body)
			if a.Status >= 400 { // names the request
				body = a.Text("code")
			}
			read[who+" "+path] = fmt.Sprintf("%d %s", a.Status, ofNow.ReplaceAllString(body, "}"))
			return a
		}
		note("/users/logged")
		note("/users?limit=500")
		note("/lines?limit=500&status=1")
		note("/ledger/proof")
		for _, a := range []api.Reseller{h.master, h.child, h.seller, h.blocked} {
			note(api.Path("/users", a.ID))
			note(api.Path("/users", a.ID, "/ledger?limit=500"))
			note(fmt.Sprintf("/lines?limit=500&tree=%d", a.ID))
		}
		if lines := note("/lines?limit=500"); lines.Status == 200 {
			for _, id := range lines.IDs() {
				note(api.Path("/lines", id)) // with its password
			}
		}
	}
	return read
}

// TestACopyIsTheSameService copies a store with records of every kind and serves
// the copy: nobody who uses the service notices.
func TestACopyIsTheSameService(t *testing.T) {
	forEachPair(t, func(t *testing.T, from, to store) {
		source, target := withSecret(t, from), withSecret(t, to)
		source.start(t)
		h := newHistory(t, source)
		admin := source.Admin(t)
		told(t, admin, 11)
		before := h.reads(t, source)
		lines := append(admin.Get(t, "/lines?limit=500").IDs(), h.gone.ID)
		accounts := admin.Get(t, "/users?limit=500").IDs()
		movements := admin.Get(t, api.Path("/users", h.seller.ID, "/ledger?limit=500")).List()
		source.stop(t)

		source.copyTo(t, target).well().counts(6, 5, 11, len(h.sent))
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
		if proofs[0] != proofs[1] {
			t.Errorf("the proofs of source and copy differ:\n%s\n%s", proofs[0], proofs[1])
		}

		target.start(t)
		after := h.reads(t, target)
		for what, body := range before {
			if after[what] != body {
				t.Errorf("%s: read in the copy\n%s\nand in the source\n%s", what, after[what], body)
			}
		}
		if len(before) < 60 || !slices.Equal(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))) {
			t.Errorf("%d reads in the source, %d in the copy", len(before), len(after))
		}
		if token := target.Login(t, h.seller.Username, h.seller.Password); token != h.seller.Token {
			t.Error("the copy gives an account another token")
		}
		for i, op := range h.sent {
			op.By(t, h.master.Caller.On(target.Service), "Idempotency-Key", fmt.Sprintf("key-%d", i)).Same(h.answers[i])
		}
		h.sent[0].By(t, h.master.Caller.On(target.Service), "Idempotency-Key", "key-1").Refused(422, "idempotency-key-reused")

		// The copy goes on where the source ended.
		if again := h.reads(t, target); !maps.Equal(again, before) {
			t.Errorf("replays had effects: %s", again["admin /ledger/proof"])
		}
		adminThere, sellerThere := admin.On(target.Service), h.seller.On(target.Service)
		if made := adminThere.Reseller(t, "5"); made.ID <= slices.Max(accounts) {
			t.Errorf("a new account got id %d, and there was %d", made.ID, slices.Max(accounts))
		}
		fresh := sellerThere.Official(t)
		if fresh.ID <= slices.Max(lines) {
			t.Errorf("a new line got id %d, and there was %d", fresh.ID, slices.Max(lines))
		}
		if platform := adminThere.Get(t, api.Path("/lines", fresh.ID)).Fields["idPlatform"]; platform == adminThere.Get(t,
			api.Path("/lines", h.line.ID)).Fields["idPlatform"] {
			t.Errorf("a new line got the platform id %v of another one", platform)
		}
		last := adminThere.Get(t, api.Path("/users", h.seller.ID, "/ledger?limit=1")).List()[0]
		if last.ID() <= movements[0].ID() {
			t.Errorf("a new movement got id %d, and there was %d", last.ID(), movements[0].ID())
		}
		h.blocked.On(target.Service).Send(t, "GET", "/lines", nil).Refused(403, "account-blocked")
		adminThere.Unblock(t, h.blocked.ID).Is(200)
		sellerThere.Activate(t, h.trial, 1).Is(201)
		sellerThere.DeleteLine(t, h.line.ID).Is(200)
		target.audit(t).well()
		target.stop(t)
		target.audit(t).well()
		source.audit(t).well()
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

// TestWhatIsInUseIsNeverCopiedOver refuses every target that is a store.
func TestWhatIsInUseIsNeverCopiedOver(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, to store) {
		source, target := withSecret(t, sqlite), withSecret(t, to)
		source.start(t)
		source.Admin(t).Master(t, "5")
		target.start(t)
		kept := target.Admin(t).Reseller(t, "3")
		for _, flags := range [][]string{nil, {"--restart"}} {
			source.copyTo(t, target, flags...).refused(1, "--to: ", "not empty", "name a new one")
		}
		target.stop(t)
		for _, flags := range [][]string{nil, {"--restart"}} {
			source.copyTo(t, target, flags...).refused(1, "--to: ", "not empty", "name a new one")
		}
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

// busyForLong returns a stopped server with a store that takes several batches to copy. It is made once: nobody may
// change it.
func busyForLong(t *testing.T) *server {
	t.Helper()
	return madeOnce(t, sqlite, "busy", func(source *server) *server {
		source.env["RESELLERD_SECRET"] = copySecret
		source.start(t)
		r := source.Admin(t).Reseller(t, "50")
		r.Official(t)
		api.AtOnce(20, func(int) {
			for range manyLines / 20 {
				r.Send(t, "POST", "/lines/test", nil).Is(201)
			}
		})
		source.stop(t)
		return source
	})
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

// TestACopyThatWasKilled leaves what nobody can use and another copy starts over.
func TestACopyThatWasKilled(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, to store) {
		source := busyForLong(t)
		target, _ := source.interrupted(t, to, (*program.Process).Kill)
		target.unusable(t)
		source.copyTo(t, target).refused(1, "--to: ", "not finished", "--restart")
		elsewhere := withSecret(t, sqlite)
		target.copyTo(t, elsewhere).refused(1, "--from: ", "not finished")
		target.unusable(t)

		again := source.endCopy(t, target, (*program.Process).Kill, "--restart")
		if c := source.copyTo(t, target, "--restart"); again.status == 0 {
			c.refused(1, "--to: ", "not empty")
		} else {
			c.well().counts(2, manyLines+1, 2, 0)
		}
		target.audit(t).well()
		target.start(t)
		if lines := target.Admin(t).Get(t, "/lines?limit=500").IDs(); len(lines) != 500 {
			t.Errorf("a page of the copy holds %d lines, want 500", len(lines))
		}
		source.copyTo(t, target, "--restart").refused(1, "--to: ", "not empty")
	})
}

// TestACopyThatWasInterrupted ends in order and says what to do.
func TestACopyThatWasInterrupted(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, to store) {
		source := busyForLong(t)
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			target, c := source.interrupted(t, to, func(p *program.Process) { _ = p.Cmd.Process.Signal(signal) })
			c.refused(1, "interrupted: ", "not finished", "--restart")
			if c.stdout != "" {
				t.Errorf("an interrupted copy printed %q", c.stdout)
			}
			target.unusable(t)
			source.copyTo(t, target, "--restart").well()
			target.audit(t).well()
		}
	})
}

// TestForgedRecordsAreNotCopied refuses a source with findings, as the audit does, and leaves the target as it is.
func TestForgedRecordsAreNotCopied(t *testing.T) {
	for _, to := range stores {
		if !to.durable {
			continue
		}
		t.Run(to.name, func(t *testing.T) {
			t.Parallel()
			if to.available != nil {
				to.available(t)
			}
			source, target := withSecret(t, sqlite), withSecret(t, to)
			source.start(t)
			rich := source.Admin(t).Reseller(t, "5")
			source.stop(t)
			balance := func(units int) {
				db := openSQLite(t, source.dir, "rw")
				if _, err := db.ExecContext(t.Context(), `UPDATE accounts SET credits = ?, checksum = NULL WHERE id = ?`, units,
					rich.ID); err != nil {
					t.Fatal(err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			}
			balance(5_000_000)
			c := source.copyTo(t, target)
			c.refused(3)
			want := fmt.Sprintf(
				"account %d: its balance is 500, and its movements make 5\n1 findings in 2 accounts, 0 lines, 1 movements and 3 entries of the journal of the source: nothing was copied\n", rich.ID)
			if c.stdout != want {
				t.Errorf("printed %q, want %q", c.stdout, want)
			}
			balance(50_000)
			source.copyTo(t, target).well().counts(2, 0, 1, 0)
		})
	}
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
