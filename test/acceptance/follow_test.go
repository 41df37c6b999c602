package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

// What the campaign of followers is asked by.
const (
	followersVariable     = "RESELLERD_TEST_FOLLOWERS"      // how often each is killed; without it twice
	followersSeedVariable = "RESELLERD_TEST_FOLLOWERS_SEED" // of an earlier run
)

// TestFollowersAndServicesAreKilled again and again while lines change, are suspended and blocked. The record that the
// command of a follower keeps is then what one is told that begins anew.
func TestFollowersAndServicesAreKilled(t *testing.T) {
	kills := numberOf(t, followersVariable, 2)
	forEachStore(t, func(t *testing.T, s store) {
		seed := numberOf(t, followersSeedVariable, rand.Uint64())
		t.Logf("seed %d (%s)", seed, followersSeedVariable)
		random := rand.New(rand.NewPCG(seed, 200))
		srv := startServer(t, s, nil)
		srv.env["RESELLERD_ADDR"] = srv.Address // also of the processes after it
		b := openShops(t, srv)
		f := newFollower(t, srv, b.key.Text("key"))
		f.start()
		b.run(seed)
		for range kills {
			for _, target := range random.Perm(2) {
				time.Sleep(time.Duration(random.Int64N(int64(time.Second))))
				if target == 0 {
					f.Kill()
					time.Sleep(time.Duration(random.Int64N(int64(500 * time.Millisecond))))
					f.start()
				} else if s.durable { // or nothing is left to follow
					srv.Kill()
					api.Client.CloseIdleConnections()
					srv.start(t)
				}
			}
		}
		b.end()
		b.admin.Unblock(t, b.master.ID).Is(200)
		paused, gone := b.master.Trial(t), b.master.Trial(t)
		f.hasAll(b.key.Text("key"))
		b.master.Send(t, "PUT", api.Path("/lines", paused.ID)+"/suspension", nil).Is(200)
		b.master.Send(t, "DELETE", api.Path("/lines", gone.ID), nil).Is(200)
		f.hasAll(b.key.Text("key"))
		if status := f.Terminate(); status != 0 {
			t.Errorf("SIGTERM ended the follower with status %d:\n%s", status, f.Stderr)
		}
		told := f.record()
		t.Logf("%d kills; %d changes were answered, and %d lines were told %d times; one began anew %d times", kills,
			b.done.Load(), len(told.versions), told.changes, told.starts)
		if told.starts == 0 || told.disabled == 0 || told.deleted == 0 {
			t.Errorf("the campaign has not met what it is for: %+v", told)
		}

		b.master.Send(t, "DELETE", api.Path("/keys", b.key.ID()), nil).Is(200)
		f.start()
		if status := f.Wait(); status != 1 || !strings.Contains(f.Stderr.String(), "(401 key-revoked)\n") {
			t.Errorf("without its key it ended with status %d:\n%s", status, f.Stderr)
		}
		srv.stopAndAudit(t)
	})
}

// TestAFollowerEndsAfterItsCommand when it is asked to, and goes on after it.
func TestAFollowerEndsAfterItsCommand(t *testing.T) {
	t.Parallel()
	srv := sharedServer(t, memory)
	master := srv.Admin(t).Master(t, "0")
	l := master.Trial(t)
	f := newFollower(t, srv, master.Token)
	begun := filepath.Join(f.dir, "begun")
	f.command = `text=$(cat); echo >> ` + begun + `; while [ ! -e ` + begun +
		`.go ]; do sleep 0.05; done; echo "$text" >> ` + f.file
	f.start()
	comes(t, func() bool { _, err := os.Stat(begun); return err == nil })
	if err := f.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(begun+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if status := f.Wait(); status != 0 {
		t.Errorf("it ended with status %d:\n%s", status, f.Stderr)
	}
	if got := f.record(); got.starts != 1 || got.changes != 0 {
		t.Errorf("after the first command it told %+v", got)
	}
	f.start()
	f.hasAll(master.Token)
	if got := f.record(); got.versions[l.ID] == 0 {
		t.Errorf("it has not told line %d", l.ID)
	}
	if status := f.Terminate(); status != 0 || strings.Contains(f.Stderr.String(), master.Token) {
		t.Errorf("it ended with status %d:\n%s", status, f.Stderr)
	}
}

func numberOf[N int | uint64](t *testing.T, variable string, otherwise N) N {
	t.Helper()
	given := os.Getenv(variable)
	if given == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(given, 10, 64)
	if err != nil || n < 1 {
		t.Fatalf("%s: %q", variable, given)
	}
	return N(n)
}

func comes(t *testing.T, there func() bool) {
	t.Helper()
	for late := time.Now().Add(patience); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("it does not come")
		}
	}
}

// follower is the program that follows a service, with a command that appends to a file.
type follower struct {
	*program.Process
	t                  *testing.T
	server             *server
	key                string
	dir, file, command string
}

func newFollower(t *testing.T, srv *server, key string) *follower {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "told")
	return &follower{t: t, server: srv, key: key, dir: dir, file: file, command: "cat >> " + file}
}

func (f *follower) start() {
	f.t.Helper()
	env := map[string]string{"RESELLERD_TOKEN": f.key, "PATH": os.Getenv("PATH")}
	p, err := launch(env, "entitlements", "follow", "--url", "http://"+f.server.Address, "--exec", f.command, "--state",
		filepath.Join(f.dir, "state"))
	if err != nil {
		f.t.Fatal(err)
	}
	f.Process = p
	f.t.Cleanup(func() {
		p.Kill()
		if f.t.Failed() {
			f.t.Logf("a follower:\n%s", p.Stderr)
		}
	})
}

// heard is what a command was told, as a consumer applies it.
type heard struct {
	lines    map[int64]string // as they are by now
	versions map[int64]int64

	starts, changes, disabled, deleted int
}

// record reads what the command was told, and expects the order of each line's changes.
func (f *follower) record() heard {
	f.t.Helper()
	text, err := os.ReadFile(f.file)
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	r := heard{lines: map[int64]string{}, versions: map[int64]int64{}}
	again := map[int64]bool{} // told since it started over
	for line := range bytes.Lines(text) {
		var change struct {
			StartOver bool `json:"start_over"`
			CaughtUp  bool `json:"caught_up"`
			Deleted   bool
			Enabled   *bool
			Line      int64
			Version   int64
		}
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is being written
		}
		if err := json.Unmarshal(line, &change); err != nil {
			f.t.Fatalf("it told %q: %v", line, err)
		}
		switch {
		case change.StartOver:
			r.starts++
			again = map[int64]bool{}
			continue
		case change.CaughtUp:
			for id := range r.lines {
				if !again[id] {
					delete(r.lines, id)
				}
			}
			continue
		case change.Deleted:
			r.deleted++
			delete(r.lines, change.Line)
		default:
			again[change.Line] = true
			r.lines[change.Line] = strings.TrimSpace(string(line))
			if !*change.Enabled {
				r.disabled++
			}
		}
		if r.changes++; change.Version < r.versions[change.Line] {
			f.t.Errorf("line %d was told in version %d after %d", change.Line, change.Version, r.versions[change.Line])
		}
		r.versions[change.Line] = change.Version
	}
	return r
}

// hasAll waits until the record is what one is told that begins by now.
func (f *follower) hasAll(key string) {
	f.t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		want, got := listedAnew(f.t, f.server.As(key)), f.record().lines
		if maps.Equal(got, want) {
			return
		}
		if time.Now().After(late) {
			for id := range got {
				if want[id] != got[id] {
					f.t.Errorf("the record has %s, want %s", got[id], want[id])
				}
			}
			f.t.Fatalf("the record has %d lines, want %d", len(got), len(want))
		}
	}
}

// listedAnew returns all lines that a caller is told of from the beginning.
func listedAnew(t *testing.T, by caller) map[int64]string {
	t.Helper()
	lines := map[int64]string{}
	for cursor := ""; ; {
		page := by.Get(t, "/entitlements?limit=5000"+cursor)
		var body struct {
			Data []json.RawMessage
			Next string `json:"next_cursor"`
			More bool   `json:"has_more"`
		}
		if err := json.Unmarshal(page.Body, &body); err != nil {
			t.Fatal(err)
		}
		for _, text := range body.Data {
			var e struct {
				Line    int64
				Deleted bool
			}
			if err := json.Unmarshal(text, &e); err != nil {
				t.Fatal(err)
			}
			if lines[e.Line] = string(text); e.Deleted {
				delete(lines, e.Line)
			}
		}
		if cursor = "&cursor=" + body.Next; !body.More {
			return lines
		}
	}
}

// shops are accounts that go on with their business while the service may be gone: a master, whose key is followed by,
// two shops below it, and one below the first.
type shops struct {
	t      *testing.T
	admin  caller
	master api.Reseller
	owners []api.Reseller
	key    answer

	stop    chan struct{}
	workers sync.WaitGroup
	done    atomic.Int64

	mu    sync.Mutex
	lines []line
}

func openShops(t *testing.T, srv *server) *shops {
	t.Helper()
	admin := (&api.Service{Address: srv.Address}).Admin(t) // which no restart writes to
	master := admin.Master(t, "100000")
	first, second := master.Create(t, fields{"is_master": 1, "credits": "20000"}), master.Reseller(t, "20000")
	b := &shops{t: t, admin: admin, master: master,
		owners: []api.Reseller{master, first, second, first.Reseller(t, "5000")}, stop: make(chan struct{})}
	b.key = master.MakeKey(t, fields{"scopes": []string{"entitlements:read"}})
	for _, owner := range b.owners {
		for range 8 {
			b.lines = append(b.lines, owner.Trial(t))
		}
	}
	return b
}

// run has some of them act at once until end.
func (b *shops) run(seed uint64) {
	const workers = 3
	for i := range uint64(workers) {
		b.workers.Go(func() {
			for random := rand.New(rand.NewPCG(seed, i)); ; {
				select {
				case <-b.stop:
					return
				case <-time.After(time.Duration(random.Int64N(int64(20 * time.Millisecond)))):
					b.act(random)
				}
			}
		})
	}
}

// end ends their business, with some blocks left.
func (b *shops) end() {
	close(b.stop)
	b.workers.Wait()
}

// act does one thing, which may be refused, or have no answer.
func (b *shops) act(random *rand.Rand) {
	owner := b.owners[random.IntN(len(b.owners))]
	b.mu.Lock()
	l := b.lines[random.IntN(len(b.lines))]
	b.mu.Unlock()
	by := b.master.Caller
	send := func(by caller, method, path string, body any) answer {
		a, err := by.Try(b.t, method, path, body)
		if err != nil {
			return answer{}
		}
		if a.Status/100 == 2 {
			b.done.Add(1)
		}
		return a
	}
	at := func(suffix ...string) string { return api.Path("/lines", l.ID, suffix...) }
	block := func(by caller, account int64) {
		body := fields{"lines": []string{"suspend", "run"}[random.IntN(2)], "reason": "unpaid"}
		if path := api.Path("/users", account, "/block"); random.IntN(2) == 0 {
			send(by, http.MethodPut, path, body)
		} else {
			send(by, http.MethodDelete, path, nil)
		}
	}
	switch random.IntN(12) {
	case 0, 1:
		if a := send(owner.Caller, "POST", "/lines/test", nil); a.Status == http.StatusCreated {
			b.mu.Lock()
			b.lines = append(b.lines, line{ID: a.ID(), Username: a.Text("username"), Password: a.Text("password")})
			b.mu.Unlock()
		}
	case 2, 3:
		send(by, "PATCH", api.Path("/lines/active", l.ID), l.Activation(1))
	case 4:
		send(by, "PATCH", api.Path("/lines/extend", l.ID), fields{"credits": 0.5})
	case 5:
		send(by, "PATCH", at(), api.With(l.Edit(), fields{"password": fmt.Sprintf("another %d", random.IntN(1000))}))
	case 6:
		send(by, "PATCH", at("/details"), fields{"metadata": fields{"plan": fmt.Sprint(random.IntN(1000))}})
	case 7:
		send(by, http.MethodPut, at("/suspension"), fields{"reason": "asked for it"})
	case 8:
		send(by, http.MethodDelete, at("/suspension"), nil)
	case 9:
		send(by, http.MethodDelete, at(), nil)
	case 10:
		block(by, b.owners[1+random.IntN(len(b.owners)-1)].ID)
	case 11:
		if random.IntN(4) > 0 {
			send(b.admin, http.MethodDelete, api.Path("/users", b.master.ID, "/block"), nil)
		} else {
			block(b.admin, b.master.ID)
		}
	}
}
