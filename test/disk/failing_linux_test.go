package disk

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/engine"
	"resellerd/test/api"
	"resellerd/test/require"
)

var every = flag.Bool("disk.every", false, "have every call of every command fail in every way, and not only some")

// stride is from one call that fails to the next, where not every call does.
func stride() int {
	if *every {
		return 1
	}
	return 4
}

// way is how calls fail.
type way struct {
	name    string
	lasting bool // the call fails, and all of its kind that follow, until the disk is repaired
	part    bool // of a write that fails half is written
	// codes are the codes of the failing calls, as SQLite's own VFS would return them for the system's error.
	codes map[kind]int32
}

// full says that there is no room, and failing that the disk fails.
func full(name string, lasting, part bool) way {
	return way{name, lasting, part, map[kind]int32{
		created: sqlite3.SQLITE_CANTOPEN, written: sqlite3.SQLITE_FULL, flushed: sqlite3.SQLITE_IOERR_FSYNC,
		mapping: sqlite3.SQLITE_IOERR_SHMSIZE,
	}}
}

func failing(name string, lasting, part bool) way {
	return way{name, lasting, part, map[kind]int32{
		created: sqlite3.SQLITE_CANTOPEN, written: sqlite3.SQLITE_IOERR_WRITE, flushed: sqlite3.SQLITE_IOERR_FSYNC,
		truncated: sqlite3.SQLITE_IOERR_TRUNCATE,
		deleted:   sqlite3.SQLITE_IOERR_DELETE, reading: sqlite3.SQLITE_IOERR_READ, mapping: sqlite3.SQLITE_IOERR_SHMMAP,
	}}
}

var ways = []way{
	full("no room once", false, false),
	full("no room, after half of a write, until there is some", true, true),
	failing("an I/O error once", false, true),
	failing("I/O errors until the disk is replaced", true, false),
}

// injector records the calls on files, and makes the nth call fail that can fail.
type injector struct {
	recorder
	way   way
	left  int // calls that are still made, -1: all
	hit   bool
	first call   // that failed
	asked []call // since it was armed
}

// arm makes the call fail that follows a number of calls.
func (i *injector) arm(w way, after int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.way, i.left, i.hit, i.asked = w, after, false, nil
}

// repair lets every later call succeed, and reports whether a call has failed.
func (i *injector) repair() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.left = -1
	return i.hit
}

func (i *injector) before(c call) (int32, int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked = append(i.asked, call{kind: c.kind, name: c.name, offset: c.offset})
	code := i.way.codes[c.kind]
	if i.left < 0 || code == 0 {
		return 0, 0
	}
	if i.left > 0 {
		i.left--
		return 0, 0
	}
	if !i.hit {
		i.first = c
	}
	if i.hit = true; !i.way.lasting {
		i.left = -1
	}
	if c.kind == flushed {
		c.lost = true
		i.calls = append(i.calls, c)
	}
	if i.way.part {
		return code, len(c.data) / 2
	}
	return code, 0
}

// commands are the requests to the office in prepared, by operation.
func commands(o *office) map[string]request {
	all := map[string]request{}
	someone := api.Reseller{ID: 2, Username: "someone", Password: password, Key: 1, Member: 2}
	for _, row := range api.Table() {
		switch {
		case !row.Keyed, row.For == api.Browser: // and no user is signed in
			continue
		case row.ID == "revokeToken": // a repetition needs the new token
			continue
		case row.ID == "resetTOTP", row.ID == "resetStaffTOTP": // no account has one
			continue
		}
		line := api.Line{ID: 1, Username: "client", Password: password}
		if row.Of == api.AnOfficialLine {
			line.ID, line.Username = 2, "official"
		}
		r := o.example(row, someone, line, func(body api.Fields) {
			if row.ID == "createTrial" {
				body["notes"] = strings.TrimSpace(strings.Repeat("long ", 300))
			}
		})
		r.key = "command"
		all[row.ID] = r
	}
	return all
}

// prepared returns a disk with a store of some resellers and lines, as a killed process left it: nothing is in the
// database itself that did not exist at the last checkpoint.
func prepared(t *testing.T, parent string) *disk {
	t.Helper()
	folder, err := lay(parent, nil)
	require.NoError(t, err)
	record := &recorder{}
	stop, err := watch(folder, record)
	require.NoError(t, err)
	defer stop()
	s, _, err := opened(t.Context(), folder)
	require.NoError(t, err)
	o, err := newOffice(9)
	require.NoError(t, err)
	require.NoError(t, o.open(t.Context(), s))
	for i, r := range []request{
		{administrator, "POST", "/users",
			`{"username":"someone","password":"password","is_master":1,"credits":"50","country":"BR"}`, "1"},
		{"someone", "POST", "/keys", `{"name":"till","role":"read_only"}`, "key"},
		{"someone", "POST", "/staff", `{"username":"ana","password":"password","role":"read_only"}`, "staff"},
		{"someone", "POST", "/lines/test", "", "2"},
		{"someone", "POST", "/lines/test", "", "3"},
		{"someone", "PATCH", "/lines/active/2", `{"username":"official","password":"1234","credits":1,"country":"BR"}`, "4"},
		{"someone", "POST", "/webhooks", `{"url":"https://a.example","types":["*"],"scope":"tree"}`, "5"},
		{"someone", "POST", "/bulk", `{"action":"resume","select":{"ids":[1]},"expect":{"count":1,"total":"0"}}`, "6"},
		{"someone", "DELETE", "/bulk/1", "", "7"}, // so that another one can be started
	} {
		a := o.send(t.Context(), r)
		if a.status/100 != 2 {
			t.Fatalf("request %d: %d %s", i, a.status, a.body)
		}
		o.learn(r, a)
	}
	d := newDisk()
	for _, c := range record.calls[:record.position()] {
		d.do(c)
	}
	require.NoError(t, s.Close())
	return d
}

// TestEveryCallOfACommandFails makes each call on the files fail in each command, and in each way: see failable.
//
//nolint:paralleltest // see TestPowerCuts
func TestEveryCallOfACommandFails(t *testing.T) {
	parent := fast(t)
	restore := slices.Clone(engine.Durably)
	defer func() { engine.Durably = restore }()
	f := &failures{parent: parent, base: prepared(t, parent)}
	o, err := newOffice(9)
	require.NoError(t, err)
	read := map[string]bool{}
	for _, pages := range []string{"1", "4000"} { // a checkpoint with each commit, or none
		engine.Durably = append(slices.Clone(restore), "wal_autocheckpoint = "+pages)
		var working sync.WaitGroup // a command that can't be done is tried again, with rests in between
		turns := make(chan struct{}, 8)
		for name, command := range commands(o) {
			if !*every && name != "activateLine" {
				continue
			}
			calls, _, err := f.command(t.Context(), command, way{}, 0)
			if err != nil {
				t.Fatalf("%s, while no call fails: %v", name, err)
			}
			for i, w := range ways {
				if !*every && (i == 0 || i == 3 && pages == "1") {
					continue
				}
				for n, c := range failable(calls, w, read) {
					turns <- struct{}{}
					working.Go(func() {
						defer func() { <-turns }()
						_, hit, err := f.command(t.Context(), command, w, n)
						if err != nil || !hit {
							t.Errorf("%s, a checkpoint after %s pages, %s, at call %d (%s of %s), which failed: %t: %v", name, pages,
								w.name, n, c.kind, c.name, hit, err)
						}
					})
				}
			}
		}
		working.Wait()
	}
	failed, answered := f.failed.Load(), f.answered.Load()
	t.Logf("%d calls failed: %d were still answered as done, the others as unavailable", failed, answered)
	if answered == 0 || answered == failed {
		t.Error("both answers were to be expected")
	}
}

// failable returns the calls that fail in a way, by how many that could come before them: of a page one read, and of
// writes of a file in a row, such as the pages of a commit, the first two, one in the middle and the last.
func failable(calls []call, w way, read map[string]bool) map[int]call {
	calls = slices.DeleteFunc(slices.Clone(calls), func(c call) bool { return w.codes[c.kind] == 0 })
	chosen, taken, begins := map[int]call{}, 0, 0
	for n, c := range calls {
		if n > 0 && (calls[n-1].kind != c.kind || calls[n-1].name != c.name) {
			begins = n
		}
		ends := n
		for ends+1 < len(calls) && calls[ends+1].kind == c.kind && calls[ends+1].name == c.name {
			ends++
		}
		page := fmt.Sprint(w.name, c.name, c.offset)
		if c.kind == reading && read[page] || c.kind == written && n > begins+1 && n != (begins+ends)/2 && n != ends {
			continue
		}
		read[page] = read[page] || c.kind == reading
		if taken++; taken%stride() == 0 {
			chosen[n] = c
		}
	}
	return chosen
}

// failures counts the results of failed calls.
type failures struct {
	parent           string
	base             *disk
	failed, answered atomic.Int64
}

// command sends a command while its call number n fails, and again after the disk is repaired. Where no call can fail
// it returns the calls that are made.
func (f *failures) command(ctx context.Context, command request, w way, n int) (calls []call, hit bool, err error) {
	folder, err := lay(f.parent, f.base.present())
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	disk := &injector{left: -1}
	stop, err := watch(folder, disk)
	if err != nil {
		return nil, false, err
	}
	defer stop()
	s, _, err := opened(ctx, folder)
	if err != nil {
		return nil, false, err
	}
	closing := sync.OnceValue(s.Close)
	defer func() { err = errors.Join(err, closing()) }()
	o, err := newOffice(10)
	if err == nil {
		err = o.open(ctx, s)
	}
	if err == nil {
		err = o.ids.fill(ctx, 3) // ids may be taken whatever becomes of the command
	}
	if err != nil {
		return nil, false, err
	}
	r, err := newReader(folder)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var problems []error
	problem := func(format string, values ...any) { problems = append(problems, fmt.Errorf(format, values...)) }
	state := func() state {
		found, err := r.state()
		if err != nil {
			problem("the state: %w", err)
		}
		return found
	}
	before := state()

	disk.arm(w, n)
	a := o.send(ctx, command)
	ready := o.send(ctx, request{"", "GET", "/readyz", "", ""})
	if hit = disk.repair(); !hit {
		if a.status/100 != 2 {
			problem("it was answered with %d %s", a.status, a.body)
		}
		return disk.asked, false, errors.Join(problems...)
	}
	f.failed.Add(1)
	now := state()
	switch {
	case a.status/100 == 2:
		f.answered.Add(1)
		if now == before {
			problem("it was answered with %d and nothing was done", a.status)
		}
	case a.status == http.StatusServiceUnavailable:
		if w.lasting && ready.status == http.StatusOK && (disk.first.kind == written || disk.first.kind == flushed) {
			problem("it is said to be ready while no write succeeds")
		}
	default:
		problem("it was answered with %d %s", a.status, a.body)
	}
	if ready := o.send(ctx, request{"", "GET", "/readyz", "", ""}); ready.status != http.StatusOK {
		problem("it is not ready on a repaired disk: %s", o.cause.Load())
	}
	again := o.send(ctx, command)
	// An import stores its receipt in a transaction after that of its lines, which it then finds unchanged.
	resumed := strings.HasPrefix(command.path, "/imports/") && now != before &&
		strings.Contains(string(again.body), `"created":0,`)
	if again.status/100 != 2 || again.replayed != (now != before) && !resumed {
		problem("repeated it was answered with %d %s, replayed: %t, done before: %t: %s", again.status, again.body,
			again.replayed, now != before, o.cause.Load())
	}
	acknowledged, want := disk.position(), state()
	if again.replayed && want != now {
		problem("a replay has changed something")
	}
	if n%4 == 0 {
		findings, err := audited(ctx, folder)
		if err != nil || len(findings) > 0 {
			problem("the audit finds: %q, %v", findings, err)
		}
	}
	if err := closing(); err != nil {
		problem("it can't be closed: %w", err)
	}
	// Whatever happens to the disk from now on, the command is done. Once the store is closed, ids were returned.
	position := acknowledged
	if n%3 == 0 {
		position, want = disk.position(), state()
	}
	d := f.base.clone()
	for _, c := range disk.calls[:position] {
		d.do(c)
	}
	how := []cut{nothing, scattered}[n%2]
	if left, err := stateOf(ctx, f.parent, d.after(how, rand.New(rand.NewPCG(uint64(n), 4)))); err != nil || left != want {
		problem("after a power cut %d calls later, of which %s survives, the state is %d and not %d: %v",
			position-acknowledged, how, left, want, err)
	}
	return nil, true, errors.Join(problems...)
}

// TestEveryCallOfAnOpenFails makes the nth call on the files fail while a store is opened and closed: a new one, one
// after a kill, and one after a power cut.
//
//nolint:paralleltest // see TestPowerCuts
func TestEveryCallOfAnOpenFails(t *testing.T) {
	parent := fast(t)
	base := prepared(t, parent)
	left := laid(base.after(nothing, rand.New(rand.NewPCG(1, 5))))
	var failed, refused atomic.Int64
	var working sync.WaitGroup // a store that can't be opened is tried again, with rests in between
	for name, d := range map[string]*disk{"a new store": newDisk(), "a killed store": base,
		"a store after a power cut": left} {
		folder, err := lay(parent, d.present())
		require.NoError(t, err)
		s, want, err := opened(t.Context(), folder)
		require.NoError(t, errors.Join(err, s.Close()))
		for i, w := range ways {
			if !*every && i != 2 {
				continue
			}
			working.Go(func() {
				for n, hit := 0, true; hit && !t.Failed(); n += 2*stride() - 1 {
					disk := &injector{left: -1}
					var err, opening error
					if hit, opening, err = opens(t.Context(), parent, d, disk, w, n, want); err != nil {
						t.Errorf("%s, %s, at call %d (%s of %s), after the open said %v: %v", name, w.name, n, disk.first.kind,
							disk.first.name, opening, err)
					}
					if hit {
						failed.Add(1)
					}
					if opening != nil {
						refused.Add(1)
					}
				}
			})
		}
	}
	working.Wait()
	t.Logf("%d calls failed, and %d times the store was not opened", failed.Load(), refused.Load())
	if refused.Load() == 0 {
		t.Error("no store was refused")
	}
}

func opens(ctx context.Context, parent string, base *disk, disk *injector, w way, n int,
	want state) (hit bool, opening, err error) {
	folder, err := lay(parent, base.present())
	if err != nil {
		return false, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	stop, err := watch(folder, disk)
	if err != nil {
		return false, nil, err
	}
	defer stop()
	disk.arm(w, n)
	s, opening := sqlitestore.Open(ctx, folder+"/"+database)
	if opening == nil {
		_ = s.Close() // it may say that it could not tidy up
	}
	hit = disk.repair()
	d := base.clone()
	for _, c := range disk.calls {
		d.do(c)
	}
	again, found, err := opened(ctx, folder)
	if err == nil {
		err = again.Close()
	}
	if err == nil && found != want {
		err = errors.New("the store is in another state when it is opened again")
	}
	left, failed := stateOf(ctx, parent, d.after(cut(n%int(cuts)), rand.New(rand.NewPCG(uint64(n), 6))))
	if failed == nil && left != want {
		failed = errors.New("the store is in another state after a power cut")
	}
	return hit, opening, errors.Join(err, failed)
}
