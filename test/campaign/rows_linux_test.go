package campaign

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"resellerd/domain/journal"
	"resellerd/test/api"
	"resellerd/test/program"
)

// ofMachine are the rows that need Linux.
var ofMachine = []row{
	{name: "kills/SQLite, full disk", workload: newCommands, failures: []failure{fullDisk}, few: 1},
	{name: "stops/SQLite", workload: newStops, failures: []failure{stopUnderLoad}},
}

// limitFiles lets the program write no file beyond some bytes, as a full disk does.
func limitFiles(t *testing.T, p *program.Process, bytes uint64) {
	t.Helper()
	limit := unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}
	if err := unix.Prlimit(p.Cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		t.Fatal(err)
	}
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

// TestAnAlmostFullDiskIsNotReady has room for a page or two: a command needs more, and readiness is about commands.
func TestAnAlmostFullDiskIsNotReady(t *testing.T) {
	t.Parallel()
	p := program.Start(t, nil, built(0)...)
	admin := p.Service.Admin(t)
	wal, err := os.Stat(filepath.Join(p.Folder, "resellerd.db-wal")) // which only grows as long as it is small
	if err != nil {
		t.Fatal(err)
	}
	const frame = 4096 + 24 // a page in it
	limitFiles(t, p.Process, uint64(wal.Size())+4*frame)
	admin.Send(t, "POST", "/lines/test", nil).Refused(http.StatusServiceUnavailable, "store-unavailable")
	p.Nobody().Send(t, "GET", "/readyz", nil).Refused(http.StatusServiceUnavailable, "store-unavailable")
	limitFiles(t, p.Process, unix.RLIM_INFINITY)
	p.Nobody().Get(t, "/readyz")
	admin.Trial(t)
}

// habit is how a client uses its connections.
type connecting int

const (
	busy    connecting = iota // one request after the other on one connection
	pausing                   // the same, with pauses in which the connection is idle
	once                      // a connection for each request
	slow                      // a header that comes in two parts
	late                      // a body that comes a while after its header
	habits
)

// asked is a request that a client sent, and its result.
type asked struct {
	id     string
	habit  connecting
	effect bool // it adds a credit, under its id as key
	status int  // 0: no answer
	err    error
	// hungUp says that the connection was closed in order, and had taken all of the request: the kernel of Linux resets a
	// connection that is closed with anything unread, so the program had read it.
	hungUp bool
}

// stops is the workload of 32 clients at a program that is asked to end. A request whose header the program has read
// must have its answer. Two witnesses show whether it was read: its log has a line for each request that reached its
// handler, and the kernel resets a connection that is closed while anything in it is unread.
type stops struct {
	*site
	account api.Reseller
	gone    atomic.Bool // nothing listens any more
	clients sync.WaitGroup
	mu      sync.Mutex
	asked   []asked
	retries []string
	effects int
	total   int
}

func newStops(s *site) workload { return &stops{site: s, account: s.admin.Reseller(s.t, "0")} }

// run implements workload.
func (s *stops) run() {
	s.gone.Store(false)
	address := s.processes[0].Address
	for n := range 32 {
		random := rand.New(rand.NewPCG(s.random.Uint64(), uint64(n)))
		s.clients.Go(func() {
			for !s.gone.Load() {
				raw, err := net.DialTimeout("tcp", address, 10*time.Second)
				if err != nil {
					s.gone.Store(true)
					return
				}
				s.connection(random, connecting(n%int(habits)), raw.(*net.TCPConn))
				_ = raw.Close()
			}
		})
	}
}

// connection asks until the connection ends, in order or not.
func (s *stops) connection(random *rand.Rand, h connecting, conn *net.TCPConn) {
	answers := bufio.NewReader(conn)
	for {
		a := asked{id: s.id("stop"), habit: h, effect: h == late || random.IntN(2) == 0}
		method, path, content := "GET", api.Path("/users", s.account.ID), ""
		if a.effect {
			method, path, content = "PATCH", api.Path("/users/credits", s.account.ID), `{"credits":1}`
		}
		head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nX-Request-Id: %s\r\n", method, path,
			s.admin.Token, a.id)
		if a.effect {
			head += fmt.Sprintf("Idempotency-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", a.id,
				len(content))
		}
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		var closing bool
		a.status, closing, a.err = exchange(random, h, conn, answers, head+"\r\n", content)
		a.hungUp = errors.Is(a.err, io.EOF) && taken(conn)
		s.mu.Lock()
		s.asked = append(s.asked, a)
		s.mu.Unlock()
		if closing || a.err != nil || h == once {
			return
		}
		if h == pausing {
			time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond)
		}
	}
}

// exchange sends a request as the habit is, and reads its answer.
func exchange(random *rand.Rand, h connecting, conn net.Conn, answers *bufio.Reader,
	head, content string) (status int, closing bool, err error) {
	parts := []string{head + content}
	switch h { //nolint:exhaustive // others send all at once
	case slow:
		half := 1 + random.IntN(len(head)-2)
		parts = []string{head[:half], head[half:] + content}
	case late:
		parts = []string{head, content}
	}
	for i, part := range parts {
		if i > 0 {
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
		}
		if err == nil {
			_, err = io.WriteString(conn, part)
		}
	}
	// There may be an answer although not all was taken. ReadResponse does not tell the end before it from one within it.
	if _, readErr := answers.Peek(1); readErr != nil {
		return 0, true, errors.Join(readErr, err)
	}
	response, err := http.ReadResponse(answers, nil)
	if err != nil {
		return 0, true, err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return 0, true, fmt.Errorf("the answer breaks off: %w", err)
	}
	return response.StatusCode, response.Close, nil
}

// taken reports whether the other side has acknowledged all that was sent, and then has closed the connection without a
// reset.
func taken(conn *net.TCPConn) (all bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	const closeWait = 8 // TCP_CLOSE_WAIT of the kernel: the other side's FIN came, and no reset
	_ = raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		unacknowledged, queueErr := unix.IoctlGetInt(int(fd), unix.SIOCOUTQ)
		all = err == nil && queueErr == nil && info.State == closeWait && unacknowledged == 0
	})
	return all
}

func (s *stops) ready() { time.Sleep(time.Duration(150+s.random.IntN(300)) * time.Millisecond) }

// stopUnderLoad asks the program to end, and holds its log against what the clients saw.
var stopUnderLoad = failure{"the program is asked to end", func(on *site, w workload) {
	s, p := w.(*stops), on.processes[0]
	if err := p.Stop(); err != nil {
		s.fail("%v", err)
	}
	s.gone.Store(true)
	s.clients.Wait()
	served := map[string]bool{}
	for line := range bytes.Lines(p.Log()) {
		var record struct {
			ID string `json:"request_id"`
		}
		if bytes.Contains(line, []byte(`"msg":"request"`)) && json.Unmarshal(line, &record) == nil {
			served[record.ID] = true
		}
	}
	for _, a := range s.asked {
		s.total++
		switch {
		case a.err == nil && a.status == http.StatusOK:
		case a.err == nil:
			s.fail("%s (habit %d) was answered with %d", a.id, a.habit, a.status)
		case served[a.id] || a.hungUp:
			s.fail("%s (habit %d) was read (in the log: %t) and has no answer: %v", a.id, a.habit, served[a.id], a.err)
		case a.effect:
			s.retries = append(s.retries, a.id)
		}
		if a.effect {
			s.effects++
		}
	}
	s.asked = nil
	on.launch(p)
}}

// struck implements workload.
func (s *stops) struck() { s.run() }

// end implements workload: each effect without an answer is asked again under its key, and then each is there once.
func (s *stops) end() {
	s.t.Helper()
	stopUnderLoad.strike(s.site, s)
	admin := s.admin.On(s.processes[0].at.Load())
	for _, id := range s.retries {
		admin.Fund(s.t, s.account.ID, 1, "Idempotency-Key", id, "X-Request-Id", id).Is(http.StatusOK)
	}
	s.t.Logf("%d requests, %d effects, %d of them asked again", s.total, s.effects, len(s.retries))
}

// concluded implements workload.
func (s *stops) concluded(found sums, entries []journal.Numbered) {
	credited := map[string]int{}
	for _, e := range entries {
		if e.Type == journal.ResellerCredited {
			credited[e.Request]++
		}
	}
	once := len(credited)
	for id, times := range credited {
		if times > 1 || !strings.HasPrefix(id, "stop-") {
			s.t.Errorf("%s took effect %d times", id, times)
		}
	}
	if want := units(s.effects) * 1_0000; once != s.effects || found.held != want {
		s.t.Errorf("%d effects were acknowledged, and the journal has %d, and the accounts %s", s.effects, once, found.held)
	}
}
