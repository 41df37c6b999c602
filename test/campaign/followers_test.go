package campaign

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
	"resellerd/test/require"
)

// followers is a business with `resellerd entitlements follow` beside it, which is killed as often as the service. Its
// command appends to a file, which in the end has the lines that a follower reads that begins then.
type followers struct {
	*business
	*program.Process
	by     api.Caller // the key of a master
	folder string
}

func newFollowers(s *site) workload {
	f := &followers{business: newBusiness(s), folder: s.t.TempDir()}
	f.blocks = true
	s.processes[0].Set(map[string]string{"RESELLERD_ADDR": s.processes[0].Address}) // also after a restart
	key := f.masters[0].MakeKey(s.t, api.Fields{"scopes": []string{"entitlements:read"}})
	f.by = s.processes[0].at.Load().As(key.Text("key"))
	f.start()
	return f
}

// command runs a command of the program that uses a service, with a token.
func (s *site) command(token string, args ...string) *program.Process {
	s.t.Helper()
	binary, err := program.Binary(built(0)...)
	require.NoError(s.t, err)
	p := program.NewProcess(binary,
		[]string{"HOME=" + os.TempDir(), "PATH=" + os.Getenv("PATH"), "RESELLERD_TOKEN=" + token},
		append(args, "--url", "http://"+s.processes[0].Address)...)
	require.NoError(s.t, p.Start())
	s.t.Cleanup(p.Kill)
	return p
}

func (f *followers) start() {
	f.Process = f.command(f.by.Token, "entitlements", "follow", "--exec", "cat >> "+filepath.Join(f.folder, "told"),
		"--state", filepath.Join(f.folder, "state"))
}

// struck implements workload: the follower is killed as well.
func (f *followers) struck() {
	f.Kill()
	time.Sleep(rand.N(500 * time.Millisecond))
	f.start()
}

// change is a change that the command of a follower reads.
type change struct {
	StartOver bool `json:"start_over"`
	CaughtUp  bool `json:"caught_up"`
	Deleted   bool
	Enabled   *bool
	Line      int64
	Version   int64
}

// heard is the consumer's copy after the changes that the command has read.
type heard struct {
	lines                              map[int64]string
	starts, changes, disabled, deleted int
}

// record reads what the command has read, and expects the order of each line's changes.
func (f *followers) record() heard {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.folder, "told"))
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	r, versions, again := heard{lines: map[int64]string{}}, map[int64]int64{}, map[int64]bool{}
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is being written
		}
		var c change
		switch f.decode(line, &c); {
		case c.StartOver:
			r.starts++
			again = map[int64]bool{}
			continue
		case c.CaughtUp:
			maps.DeleteFunc(r.lines, func(id int64, _ string) bool { return !again[id] })
			continue
		case c.Deleted:
			r.deleted++
			delete(r.lines, c.Line)
		default:
			again[c.Line], r.lines[c.Line] = true, strings.TrimSpace(string(line))
			if !*c.Enabled {
				r.disabled++
			}
		}
		if r.changes++; c.Version < versions[c.Line] {
			f.fail("line %d was sent in version %d after %d", c.Line, c.Version, versions[c.Line])
		}
		versions[c.Line] = c.Version
	}
	return r
}

// hasAll waits until the record is what a follower reads that begins now.
func (f *followers) hasAll() {
	f.t.Helper()
	f.until("the follower", func() bool {
		want := map[int64]string{}
		for cursor, more := "", true; more; {
			page := f.by.Get(f.t, "/entitlements?limit=5000"+cursor)
			var body struct {
				Data []json.RawMessage
				Next string `json:"next_cursor"`
				More bool   `json:"has_more"`
			}
			f.decode(page.Body, &body)
			for _, text := range body.Data {
				var c change
				f.decode(text, &c)
				if want[c.Line] = string(text); c.Deleted {
					delete(want, c.Line)
				}
			}
			cursor, more = "&cursor="+body.Next, body.More
		}
		return maps.Equal(f.record().lines, want)
	})
}

// end implements workload.
func (f *followers) end() {
	f.t.Helper()
	f.close()
	admin := f.admin.On(f.processes[0].at.Load())
	paused, gone := f.masters[0].Trial(f.t), f.masters[0].Trial(f.t)
	f.hasAll()
	admin.Send(f.t, "PUT", api.Path("/lines", paused.ID)+"/suspension", nil).Is(200)
	admin.Send(f.t, "DELETE", api.Path("/lines", gone.ID), nil).Is(200)
	f.hasAll()
	if status := f.Terminate(); status != 0 {
		f.t.Errorf("SIGTERM ended the follower with status %d:\n%s", status, f.Stderr)
	}
	r := f.record()
	if f.t.Logf("%d lines: %+v", len(r.lines), r.changes); r.starts == 0 || r.disabled == 0 || r.deleted == 0 {
		f.t.Errorf("the campaign has not met what it is for: %+v", r)
	}
}
