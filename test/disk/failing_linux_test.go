package disk

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/engine"
	"resellerd/test/api"
)

var every = flag.Bool("disk.every", false, "have every call of every command fail in every way, and not only some")

// stride is from one call that fails to the next, where not every call does.
func stride() int {
	if *every {
		return 1
	}
	return 5
}

// way is how calls fail.
type way struct {
	name    string
	lasting bool // the call fails, and all of its kind that follow, until the disk is mended
	part    bool // of a write that fails half is written
	// codes are what the calls fail with, as SQLite's own VFS would say of the error of the system.
	codes map[kind]int32
}

// full says that there is no room, and broken that the disk fails.
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

// injector records what is done, and has the nth call fail that can.
type injector struct {
	recorder
	way   way
	left  int // calls that are still made, -1: all
	hit   bool
	first call // that failed
}

// arm has the call fail that comes after so many.
func (i *injector) arm(w way, after int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.way, i.left, i.hit = w, after, false
}

// mend has no call fail any more, and returns whether one has.
func (i *injector) mend() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.left = -1
	return i.hit
}

func (i *injector) before(c call) (int32, int) {
	i.mu.Lock()
	defer i.mu.Unlock()
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

// commands are what is asked of the office in prepared, by operation.
func commands(o *office) map[string]request {
	all := map[string]request{}
	someone := api.Reseller{ID: 2, Username: "someone", Password: password, Key: 1, Member: 2}
	for _, row := range api.Table() {
		switch {
		case !row.Keyed, row.For == api.Browser: // and nobody is signed in
			continue
		case row.ID == "revokeToken": // who asks again needs the new token
			continue
		case row.ID == "resetTOTP", row.ID == "resetStaffTOTP": // which nobody has
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
// database itself that was not there at the last checkpoint.
func prepared(t *testing.T, parent string) *disk {
	t.Helper()
	folder, err := lay(parent, nil)
	must(t, err)
	record := &recorder{}
	stop, err := watch(folder, record)
	must(t, err)
	defer stop()
	s, _, err := opened(t.Context(), folder)
	must(t, err)
	o, err := newOffice(9)
	must(t, err)
	must(t, o.open(t.Context(), s))
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
	record.mu.Lock()
	made := slices.Clone(record.calls)
	record.mu.Unlock()
	must(t, s.Close())
	d := newDisk()
	for _, c := range made {
		d.do(c)
	}
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryCallOfACommandFails has the nth call on the files fail in each command, for each n, and in each way.
//
//nolint:paralleltest // see TestPowerCuts
func TestEveryCallOfACommandFails(t *testing.T) {
	parent := fast(t)
	base := prepared(t, parent)
	restore := slices.Clone(engine.Durably)
	defer func() { engine.Durably = restore }()
	began, f := time.Now(), &failures{parent: parent, random: rand.New(rand.NewPCG(1, 4))}
	o, err := newOffice(9)
	must(t, err)
	for name, command := range commands(o) {
		if _, err := f.command(t.Context(), base, command, ways[0], math.MaxInt); err != nil {
			t.Fatalf("%s, while no call fails: %v", name, err)
		}
		for i, w := range ways {
			for _, pages := range []string{"1", "4000"} { // a checkpoint with each commit, or none
				if !*every && (name != "activateLine" || i == 0 || i == 3 && pages == "1") {
					continue
				}
				engine.Durably = append(slices.Clone(restore), "wal_autocheckpoint = "+pages)
				for n, hit := 0, true; hit && !t.Failed(); n += stride() {
					var err error
					if hit, err = f.command(t.Context(), base, command, w, n); err != nil {
						t.Errorf("%s, a checkpoint after %s pages, %s, at call %d (%s of %s): %v", name, pages, w.name, n, f.first.kind,
							f.first.name, err)
					}
				}
			}
		}
	}
	t.Logf("%d calls failed in %s: %d were answered as done all the same, %d as unavailable, and of these %d were done",
		f.failed, time.Since(began).Round(time.Millisecond), f.answered, f.unavailable, f.done)
	if f.unavailable == 0 || f.answered == 0 {
		t.Error("both answers were to be expected")
	}
}

// failures counts what came of them.
type failures struct {
	parent                              string
	random                              *rand.Rand
	failed, answered, unavailable, done int
	first                               call
}

// command asks for a command while its call number n fails, and again when the disk is mended.
func (f *failures) command(ctx context.Context, base *disk, command request, w way, n int) (hit bool, err error) {
	folder, err := lay(f.parent, base.present())
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	disk := &injector{left: -1}
	stop, err := watch(folder, disk)
	if err != nil {
		return false, err
	}
	defer stop()
	s, _, err := opened(ctx, folder)
	if err != nil {
		return false, err
	}
	closed := false
	defer func() {
		if !closed {
			err = errors.Join(err, s.Close())
		}
	}()
	o, err := newOffice(10)
	if err != nil {
		return false, err
	}
	if err := o.open(ctx, s); err != nil {
		return false, err
	}
	r, err := newReader(folder)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := o.ids.fill(ctx, 3); err != nil { // ids may be taken whatever becomes of the command
		return false, err
	}
	before, err := r.state()
	if err != nil {
		return false, err
	}

	disk.arm(w, n)
	a := o.send(ctx, command)
	ready := o.send(ctx, request{"", "GET", "/readyz", "", ""})
	if hit = disk.mend(); !hit {
		if a.status/100 != 2 {
			err = fmt.Errorf("it was answered with %d %s", a.status, a.body)
		}
		return false, err
	}
	f.failed++
	f.first = disk.first
	now, err := r.state()
	if err != nil {
		return hit, err
	}
	var problems []string
	problem := func(format string, values ...any) { problems = append(problems, fmt.Sprintf(format, values...)) }
	switch {
	case a.status/100 == 2:
		f.answered++
		if now == before {
			problem("it was answered with %d and nothing was done", a.status)
		}
	case a.status == http.StatusServiceUnavailable:
		f.unavailable++
		if now != before {
			f.done++
		}
		if w.lasting && ready.status == http.StatusOK && (disk.first.kind == written || disk.first.kind == flushed) {
			problem("it is said to be ready while no write succeeds")
		}
	default:
		problem("it was answered with %d %s", a.status, a.body)
	}
	if ready := o.send(ctx, request{"", "GET", "/readyz", "", ""}); ready.status != http.StatusOK {
		problem("it is not ready on a disk that was mended: %s", o.cause.Load())
	}
	again := o.send(ctx, command)
	// An import keeps its receipt in a transaction after that of its lines, which it then finds unchanged.
	resumed := strings.HasPrefix(command.path, "/imports/") && now != before &&
		strings.Contains(string(again.body), `"created":0,`)
	if again.status/100 != 2 || again.replayed != (now != before) && !resumed {
		problem("asked again it was answered with %d %s, replayed: %t, done before: %t: %s", again.status, again.body,
			again.replayed, now != before, o.cause.Load())
	}
	acknowledged := disk.position()
	after, err := r.state()
	if err != nil {
		return hit, err
	}
	if again.replayed && after != now {
		problem("a replay has changed something")
	}
	findings, err := audited(ctx, folder)
	if err != nil {
		return hit, err
	}
	for _, finding := range findings {
		problem("the audit finds: %s", finding)
	}
	closed = true
	if err := s.Close(); err != nil {
		problem("it can't be closed: %v", err)
	}
	ended, err := r.state() // ids were returned
	if err != nil {
		return hit, err
	}

	// Whatever happens to the disk from now on, the command is done.
	d := base.clone()
	for i, c := range disk.calls {
		want := after
		if i == len(disk.calls)-1 {
			want = ended
		}
		if d.do(c); i == acknowledged-1 || i == len(disk.calls)-1 {
			for _, how := range []cut{nothing, scattered} {
				if err := survives(ctx, f.parent, d.after(how, f.random), want); err != nil {
					problem("after a power cut %d calls later, of which survives %s: %v", i-acknowledged+1, how, err)
				}
			}
		}
	}
	if len(problems) > 0 {
		return hit, errors.New(strings.Join(problems, "; "))
	}
	return hit, nil
}

// survives opens a store on what is left of a disk, in the state in which it has to be.
func survives(ctx context.Context, parent string, files map[string][]byte, want state) (err error) {
	folder, err := lay(parent, files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	s, found, err := opened(ctx, folder)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	if found != want {
		return errors.New("the store is in another state")
	}
	return nil
}

// TestEveryCallOfAnOpenFails has the nth call on the files fail while a store is opened and closed: one that is made,
// one that a killed process left, and one that a power cut left.
//
//nolint:paralleltest // see TestPowerCuts
func TestEveryCallOfAnOpenFails(t *testing.T) {
	parent := fast(t)
	base := prepared(t, parent)
	left := laid(base.after(nothing, rand.New(rand.NewPCG(1, 5))))
	began := time.Now()
	var failed, refused atomic.Int64
	var working sync.WaitGroup // a store that can't be opened is tried again, with rests in between
	for name, d := range map[string]*disk{"a new store": newDisk(), "a killed store": base,
		"a store after a power cut": left} {
		folder, err := lay(parent, d.present())
		must(t, err)
		s, want, err := opened(t.Context(), folder)
		must(t, errors.Join(err, s.Close()))
		for i, w := range ways {
			if !*every && i != 2 {
				continue
			}
			working.Go(func() {
				for n, hit := 0, true; hit && !t.Failed(); n += stride() {
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
	t.Logf("%d calls failed in %s, and %d times the store was not opened", failed.Load(),
		time.Since(began).Round(time.Millisecond), refused.Load())
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
	hit = disk.mend()
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
	return hit, opening,
		errors.Join(err, survives(ctx, parent, d.after(cut(n%int(cuts)), rand.New(rand.NewPCG(uint64(n), 6))), want))
}
