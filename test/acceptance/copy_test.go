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

// withSecret is a server that does not run yet, with the service key that copies
// and sources of these tests have.
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

// copyTo runs the program's own copy to its end. The settings of a service say
// nothing to it.
func (s *server) copyTo(t *testing.T, target *server, flags ...string) copied {
	t.Helper()
	p := s.beginCopy(t, target, flags...)
	return copied{t, p.wait(), p.stdout.String(), p.stderr.String()}
}

func (s *server) beginCopy(t *testing.T, target *server, flags ...string) *process {
	t.Helper()
	args := append([]string{"copy", "--from", s.env["RESELLERD_STORE"], "--to", target.env["RESELLERD_STORE"]}, flags...)
	p, err := launch(map[string]string{"RESELLERD_STORE": "memory:", "RESELLERD_LOG_LEVEL": "nonsense"}, args...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var copySummary = regexp.MustCompile(`^copied, and all well: (\d+) accounts, (\d+) lines, (\d+) movements and (\d+) idempotency keys; \S+ credits issued = \S+ consumed \+ \S+ held(?:; \d+ charges? of .+)?
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
	master, child, seller, blocked account
	trial, line, gone              line
	sent                           []operation
	answers                        []answer // to what was sent
}

// newHistory makes records of every kind in a server that runs.
func newHistory(t *testing.T, srv *server) *history {
	t.Helper()
	h := &history{server: srv}
	admin := srv.admin(t)
	h.master = admin.master(t, "100")
	h.child = h.master.master(t, "40.25")
	h.seller = h.child.create(t, fields{"username": unique("Straße.ÉLAN"), "credits": "12.0001", "notes": "first line\n\"second\" 'line'; --"})
	h.blocked = h.master.reseller(t, "7")
	h.trial, h.line, h.gone = h.seller.trial(t), h.seller.official(t), h.seller.trial(t)
	h.blocked.official(t)
	admin.official(t)
	h.sent = []operation{
		{"POST", "/users", newReseller(fields{"credits": 1.5, "country": "PT"})},
		{"POST", "/lines/test", fields{"notes": "for a friend"}},
		{"PATCH", path("/users/credits", h.seller.id), fields{"credits": 0.0001, "notes": "once"}},
		{"POST", path("/users", h.seller.id, "/credits/reclaim"), fields{"credits": 2}},
		{"PATCH", path("/lines/extend", h.line.id), fields{"credits": 0.5}},
		{"PATCH", path("/lines", h.line.id), with(h.line.edit(), fields{"notes": "edited", "password": "another password"})},
		{"PUT", path("/users", h.blocked.id, "/block"), nil},
		{"DELETE", path("/lines", h.gone.id), nil},
	}
	for i, op := range h.sent {
		h.answers = append(h.answers, op.by(t, h.master.caller, "Idempotency-Key", fmt.Sprintf("key-%d", i)))
		if h.answers[i].status >= 300 {
			t.Fatalf("%s: %s", h.answers[i].request, h.answers[i].body)
		}
	}
	return h
}

// on is who asks, on another server.
func (c caller) on(other *server) caller { return caller{other, c.token} }

// ofNow is when a proof was made.
var ofNow = regexp.MustCompile(`,"at":"[^"]*"}\s*$`)

// reads returns what everybody reads on a server, by who and what.
func (h *history) reads(t *testing.T, on *server) map[string]string {
	t.Helper()
	read := map[string]string{}
	for who, by := range map[string]caller{"admin": h.admin(t), "master": h.master.caller, "child": h.child.caller, "seller": h.seller.caller, "blocked": h.blocked.caller} {
		by := by.on(on)
		note := func(path string) answer {
			a := by.send(t, "GET", path, nil)
			body := string(a.body)
			if a.status >= 400 { // names the request
				body = a.text("code")
			}
			read[who+" "+path] = fmt.Sprintf("%d %s", a.status, ofNow.ReplaceAllString(body, "}"))
			return a
		}
		note("/users/logged")
		note("/users?limit=500")
		note("/lines?limit=500&status=1")
		note("/ledger/proof")
		for _, a := range []account{h.master, h.child, h.seller, h.blocked} {
			note(path("/users", a.id))
			note(path("/users", a.id, "/ledger?limit=500"))
			note(fmt.Sprintf("/lines?limit=500&tree=%d", a.id))
		}
		if lines := note("/lines?limit=500"); lines.status == 200 {
			for _, id := range lines.ids() {
				note(path("/lines", id)) // with its password
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
		admin := source.admin(t)
		before := h.reads(t, source)
		lines := append(admin.get(t, "/lines?limit=500").ids(), h.gone.id)
		accounts := admin.get(t, "/users?limit=500").ids()
		movements := admin.get(t, path("/users", h.seller.id, "/ledger?limit=500")).list()
		source.stop(t)

		source.copyTo(t, target).well().counts(6, 5, 11, len(h.sent))
		proofs := make([]string, 2)
		for i, s := range []*server{source, target} {
			file := filepath.Join(t.TempDir(), "checkpoint.txt")
			v := s.verify(t, "--write-checkpoint", file)
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
		if token := target.login(t, h.seller.username, h.seller.password); token != h.seller.token {
			t.Error("the copy gives an account another token")
		}
		for i, op := range h.sent {
			op.by(t, h.master.on(target), "Idempotency-Key", fmt.Sprintf("key-%d", i)).same(h.answers[i])
		}
		h.sent[0].by(t, h.master.on(target), "Idempotency-Key", "key-1").refused(422, "idempotency-key-reused")

		// The copy goes on where the source ended.
		if again := h.reads(t, target); !maps.Equal(again, before) {
			t.Errorf("replays had effects: %s", again["admin /ledger/proof"])
		}
		adminThere, sellerThere := admin.on(target), account{caller: h.seller.on(target), id: h.seller.id}
		if made := adminThere.reseller(t, "5"); made.id <= slices.Max(accounts) {
			t.Errorf("a new account got id %d, and there was %d", made.id, slices.Max(accounts))
		}
		fresh := sellerThere.official(t)
		if fresh.id <= slices.Max(lines) {
			t.Errorf("a new line got id %d, and there was %d", fresh.id, slices.Max(lines))
		}
		if platform := adminThere.get(t, path("/lines", fresh.id)).fields["idPlatform"]; platform == adminThere.get(t, path("/lines", h.line.id)).fields["idPlatform"] {
			t.Errorf("a new line got the platform id %v of another one", platform)
		}
		last := adminThere.get(t, path("/users", h.seller.id, "/ledger?limit=1")).list()[0]
		if last.id() <= movements[0].id() {
			t.Errorf("a new movement got id %d, and there was %d", last.id(), movements[0].id())
		}
		h.blocked.on(target).send(t, "GET", "/lines", nil).refused(403, "account-blocked")
		adminThere.send(t, "DELETE", path("/users", h.blocked.id, "/block"), nil).is(200)
		sellerThere.send(t, "PATCH", path("/lines/active", h.trial.id), h.trial.activation(1)).is(201)
		sellerThere.send(t, "DELETE", path("/lines", h.line.id), nil).is(200)
		target.verify(t).well()
		target.stop(t)
		target.verify(t).well()
		source.verify(t).well()
	})
}

// TestAServiceIsCopiedWhileItRuns writes to the source from before a copy to after
// it: the copy is what the source was at one instant.
func TestAServiceIsCopiedWhileItRuns(t *testing.T) {
	forEachPair(t, func(t *testing.T, from, to store) {
		source, target := withSecret(t, from), withSecret(t, to)
		source.start(t)
		admin := source.admin(t)
		master := admin.master(t, "1000")
		child := master.reseller(t, "100")
		ctx, writing := t.Context(), sync.WaitGroup{}
		var written atomic.Int64
		done := make(chan struct{})
		for worker := range 4 {
			writing.Go(func() {
				for ctx.Err() == nil {
					select {
					case <-done:
						return
					default:
					}
					child.official(t)
					master.send(t, "PATCH", path("/users/credits", child.id), fields{"credits": 0.75}, "Idempotency-Key", unique(fmt.Sprintf("write-%d", worker))).is(200)
					child.send(t, "POST", "/lines/test", nil).is(201)
					written.Add(1)
				}
			})
		}
		for written.Load() < 20 {
			time.Sleep(time.Millisecond)
		}
		before := written.Load()
		c := source.copyTo(t, target)
		between := written.Load() - before
		close(done)
		writing.Wait()
		c.well()
		if between == 0 {
			t.Error("nothing was written beside the copy")
		}
		source.verify(t).well()
		target.verify(t).well()
		source.copyTo(t, target).refused(1, "--to: ", "not empty")

		target.start(t)
		proof := admin.on(target).get(t, "/ledger/proof").has(fields{"balanced": true})
		now, _ := admin.get(t, "/ledger/proof").fields["movements"].(interface{ Int64() (int64, error) }).Int64()
		then, _ := proof.fields["movements"].(interface{ Int64() (int64, error) }).Int64()
		if then < 2*before || then >= now {
			t.Errorf("the copy has %d movements; the source had more than %d before it and has %d after it", then, 2*before, now)
		}
		child.on(target).official(t)
		target.verify(t).well()
		source.stop(t)
	})
}

// TestWhatIsInUseIsNeverCopiedOver refuses every target that is a store.
func TestWhatIsInUseIsNeverCopiedOver(t *testing.T) {
	forEachPair(t, func(t *testing.T, from, to store) {
		source, target := withSecret(t, from), withSecret(t, to)
		source.start(t)
		source.admin(t).master(t, "5")
		target.start(t)
		kept := target.admin(t).reseller(t, "3")
		for _, flags := range [][]string{nil, {"--restart"}} {
			source.copyTo(t, target, flags...).refused(1, "--to: ", "not empty", "name a new one")
		}
		target.stop(t)
		for _, flags := range [][]string{nil, {"--restart"}} {
			source.copyTo(t, target, flags...).refused(1, "--to: ", "not empty", "name a new one")
		}
		target.start(t)
		if got := kept.credits(t); got != "3" {
			t.Errorf("an account of the target holds %s, want 3", got)
		}
		source.copyTo(t, source).refused(2, "--to: this is the store that is to be copied")
		target.verify(t).well()
	})
}

// manyLines is enough for several batches of a copy.
const manyLines = 1_200

// busyForLong is a stopped server with a store that takes several batches to copy.
func busyForLong(t *testing.T, s store) *server {
	t.Helper()
	source := withSecret(t, s)
	source.start(t)
	r := source.admin(t).reseller(t, "50")
	r.official(t)
	atOnce(20, func(int) {
		for range manyLines / 20 {
			r.send(t, "POST", "/lines/test", nil).is(201)
		}
	})
	source.stop(t)
	return source
}

// endCopy begins a copy and ends it in its middle. The status is 0 where the copy
// was faster.
func (s *server) endCopy(t *testing.T, target *server, end func(p *process), flags ...string) copied {
	t.Helper()
	p := s.beginCopy(t, target, flags...)
	for !strings.Contains(p.stderr.String(), "copying records") {
		select {
		case <-p.ended:
			t.Fatalf("the copy ended by itself, with status %d: %s%s", p.status, p.stdout, p.stderr)
		case <-time.After(time.Millisecond):
		}
	}
	end(p)
	return copied{t, p.wait(), p.stdout.String(), p.stderr.String()}
}

// interrupted returns the target of a copy that was ended in its middle.
func (s *server) interrupted(t *testing.T, to store, end func(p *process)) (*server, copied) {
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

// unusable expects that nothing uses an unfinished copy, and that whoever tries is
// told what to do.
func (s *server) unusable(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{{"serve"}, {"verify"}, {"admin", "create", "somebody"}, {"admin", "password", adminName}} {
		status, stdout, stderr := s.command(t, args...)
		if status != 1 || stdout != "" || !strings.Contains(stderr, "RESELLERD_STORE: ") || !strings.Contains(stderr, "not finished") || !strings.Contains(stderr, "--restart") {
			t.Errorf("%q on an unfinished copy: status %d, printed %q and %q", args, status, stdout, stderr)
		}
	}
}

// TestACopyThatWasKilled leaves what nobody can use and another copy starts over.
func TestACopyThatWasKilled(t *testing.T) {
	forEachPair(t, func(t *testing.T, from, to store) {
		source := busyForLong(t, from)
		target, _ := source.interrupted(t, to, (*process).kill)
		target.unusable(t)
		source.copyTo(t, target).refused(1, "--to: ", "not finished", "--restart")
		elsewhere := withSecret(t, from)
		target.copyTo(t, elsewhere).refused(1, "--from: ", "not finished")
		target.unusable(t)

		again := source.endCopy(t, target, (*process).kill, "--restart")
		if c := source.copyTo(t, target, "--restart"); again.status == 0 {
			c.refused(1, "--to: ", "not empty")
		} else {
			c.well().counts(2, manyLines+1, 2, 0)
		}
		target.verify(t).well()
		target.start(t)
		if lines := target.admin(t).get(t, "/lines?limit=500").ids(); len(lines) != 500 {
			t.Errorf("a page of the copy holds %d lines, want 500", len(lines))
		}
		source.copyTo(t, target, "--restart").refused(1, "--to: ", "not empty")
	})
}

// TestACopyThatWasInterrupted ends in order and says what to do.
func TestACopyThatWasInterrupted(t *testing.T) {
	forEachPair(t, func(t *testing.T, from, to store) {
		source := busyForLong(t, from)
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			target, c := source.interrupted(t, to, func(p *process) { _ = p.cmd.Process.Signal(signal) })
			c.refused(1, "interrupted: ", "not finished", "--restart")
			if c.stdout != "" {
				t.Errorf("an interrupted copy printed %q", c.stdout)
			}
			target.unusable(t)
			source.copyTo(t, target, "--restart").well()
			target.verify(t).well()
		}
	})
}

// TestForgedRecordsAreNotCopied refuses a source with findings, as verify does, and
// leaves the target as it is.
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
			rich := source.admin(t).reseller(t, "5")
			source.stop(t)
			balance := func(units int) {
				db := openSQLite(t, source.dir, "rw")
				if _, err := db.ExecContext(t.Context(), `UPDATE accounts SET credits = ? WHERE id = ?`, units, rich.id); err != nil {
					t.Fatal(err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			}
			balance(5_000_000)
			c := source.copyTo(t, target)
			c.refused(3)
			want := fmt.Sprintf("account %d: its balance is 500, and its movements make 5\n1 findings in 2 accounts, 0 lines and 1 movements of the source: nothing was copied\n", rich.id)
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
	seller := source.admin(t).reseller(t, "5")
	l := seller.official(t)
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

	killed, _ := busyForLong(t, sqlite).interrupted(t, sqlite, (*process).kill)
	delete(killed.env, "RESELLERD_SECRET")
	killed.unusable(t)
	if _, err := os.Stat(keyOf(killed)); !os.IsNotExist(err) {
		t.Errorf("there is a service key beside an unfinished copy: %v", err)
	}

	c := source.copyTo(t, target).well()
	if !strings.Contains(c.stdout, "or in the file "+keyOf(target)+"; the source has it in "+keyOf(source)) || strings.Contains(c.stdout+c.stderr, strings.TrimSpace(string(key))) {
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
	seller.on(target).get(t, path("/lines", l.id)).has(fields{"password": l.password})
}
