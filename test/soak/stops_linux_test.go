package soak

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"resellerd/test/api"
	"resellerd/test/program"
)

// habit is how a client uses its connections.
type habit int

const (
	busy    habit = iota // one request after the other on one connection
	pausing              // the same, with pauses in which the connection is idle
	once                 // a connection for each request
	slow                 // a header that comes in two parts
	body                 // a body that comes a while after its header
	streams              // HTTP/2, several requests on one connection
	habits
)

var habitNames = [habits]string{"busy", "pausing", "once", "slow header", "late body", "HTTP/2"}

// ask is a request that a client sent, and what became of it.
type ask struct {
	id     string
	habit  habit
	effect bool // it adds a credit, under its id as key
	first  bool // on its connection
	status int  // 0: no answer
	err    error
	// hungUp says that the connection was closed in order, and had taken all of the request: the kernel of Linux resets a
	// connection that is closed with anything unread, so the program had read it.
	hungUp bool
	began  time.Time
}

// stopping is a run of the program that is asked to stop while clients ask it.
type stopping struct {
	p       *program.Program
	secure  *tls.Config // nil: plain HTTP
	token   string
	account int64
	number  int
	gone    atomic.Bool // nobody listens any more

	mu   sync.Mutex
	asks []ask
}

var sequence atomic.Int64

func (s *stopping) request(random *rand.Rand, h habit) (a ask, head, content string) {
	a = ask{id: fmt.Sprintf("stop-%d-%d", s.number, sequence.Add(1)), habit: h, effect: random.IntN(2) == 0}
	if h == body {
		a.effect = true
	}
	if !a.effect {
		return a, fmt.Sprintf("GET /users/%d HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nX-Request-Id: %s\r\n\r\n",
			s.account, s.token, a.id), ""
	}
	content = `{"credits":1}`
	return a,
		fmt.Sprintf(
			"PATCH /users/credits/%d HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nX-Request-Id: %s\r\nIdempotency-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
			s.account, s.token, a.id, a.id, len(content)), content
}

// client asks on connections of its own until nobody listens.
func (s *stopping) client(random *rand.Rand, h habit) {
	for !s.gone.Load() {
		raw, err := net.DialTimeout("tcp", s.p.Address, 10*time.Second)
		if err != nil {
			s.gone.Store(true)
			return
		}
		s.connection(random, h, raw.(*net.TCPConn))
		_ = raw.Close()
	}
}

// connection asks until the connection ends, as is said or not.
func (s *stopping) connection(random *rand.Rand, h habit, raw *net.TCPConn) {
	var conn net.Conn = raw
	if s.secure != nil {
		encrypted := tls.Client(raw, s.secure)
		if encrypted.Handshake() != nil {
			return // nothing was asked
		}
		conn = encrypted
	}
	answers := bufio.NewReader(conn)
	for first := true; ; first = false {
		a, head, content := s.request(random, h)
		a.first, a.began = first, time.Now()
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		var closing bool
		a.status, closing, a.err = exchange(random, h, conn, answers, head, content)
		if s.secure == nil && errors.Is(a.err, io.EOF) {
			a.hungUp = taken(raw)
		}
		s.add(a)
		if closing || a.err != nil || h == once {
			return
		}
		if h == pausing {
			time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond)
		}
	}
}

func (s *stopping) add(a ask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks = append(s.asks, a)
}

// exchange sends a request as the habit is, and reads its answer.
func exchange(random *rand.Rand, h habit, conn net.Conn, answers *bufio.Reader,
	head, content string) (status int, closing bool, err error) {
	send := func(text string) {
		if err == nil {
			_, err = io.WriteString(conn, text)
		}
	}
	pause := func() { time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond) }
	switch h {
	case slow:
		half := 1 + random.IntN(len(head)-2)
		send(head[:half])
		pause()
		send(head[half:] + content)
	case body:
		send(head)
		pause()
		send(content)
	case busy, pausing, once, streams, habits:
		send(head + content)
	}
	// An answer may be there although not all was taken. ReadResponse does not tell the end before it from one within it.
	if _, readErr := answers.Peek(1); readErr != nil {
		return 0, true, errors.Join(readErr, err)
	}
	response, readErr := http.ReadResponse(answers, nil)
	if readErr != nil {
		return 0, true, errors.Join(readErr, err)
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

// multiplexed asks by HTTP/2, some requests at a time, until nobody listens.
func (s *stopping) multiplexed(random *rand.Rand) {
	transport := &http.Transport{TLSClientConfig: s.secure.Clone(), ForceAttemptHTTP2: true}
	transport.TLSClientConfig.NextProtos = []string{"h2"}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	var all sync.WaitGroup
	for range 4 {
		seed := random.Uint64()
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, 0))
			for !s.gone.Load() {
				a, _, content := s.request(random, streams)
				a.began = time.Now()
				method, path := "GET", api.Path("/users", s.account)
				if a.effect {
					method, path = "PATCH", api.Path("/users/credits", s.account)
				}
				r, err := http.NewRequest(method, "https://"+s.p.Address+path, strings.NewReader(content))
				if err != nil {
					panic(err) // the address is ours
				}
				r.GetBody = nil // what is sent once is sent once
				r.Header.Set("Authorization", "Bearer "+s.token)
				r.Header.Set("X-Request-Id", a.id)
				if a.effect {
					r.Header.Set("Idempotency-Key", a.id)
					r.Header.Set("Content-Type", "application/json")
				}
				response, err := client.Do(r)
				if err == nil {
					_, err = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
				if err == nil {
					a.status = response.StatusCode
				}
				if dial, is := errors.AsType[*net.OpError](err); is && dial.Op == "dial" {
					s.gone.Store(true)
					return
				}
				a.err = err
				s.add(a)
			}
		})
	}
	all.Wait()
}

// served returns the ids of the requests that the program's log has, and their statuses.
func served(log []byte) map[string]int {
	found := map[string]int{}
	for line := range bytes.Lines(log) {
		var record struct {
			ID     string `json:"request_id"`
			Status int
		}
		if bytes.Contains(line, []byte(`"msg":"request"`)) && json.Unmarshal(line, &record) == nil {
			found[record.ID] = record.Status
		}
	}
	return found
}

// TestStops stops the program in order, again and again, while clients of each habit ask it.
func TestStops(t *testing.T) {
	t.Parallel()
	stops := 5
	switch given := os.Getenv("RESELLERD_TEST_SOAK_STOPS"); given {
	case "":
		t.Skip("takes a minute or more: run make soak, or make test-all for the short form")
	case "short":
	default:
		var err error
		if stops, err = strconv.Atoi(given); err != nil {
			t.Fatal(err)
		}
	}
	seed := seedOf(t)
	random := rand.New(rand.NewPCG(seed, 1))
	certificate, key, trusted := program.NewCertificate(t)
	plain := program.New(t, nil, program.CheapPasswords)
	plain.Launch(t)
	account := plain.Service.Admin(t).Reseller(t, "0")
	if err := plain.Stop(); err != nil {
		t.Fatal(err)
	}

	var total, answered, effects, unread, unreadFirst int
	var retries []string
	var longest time.Duration
	perHabit, perHabitLost := [habits]int{}, [habits]int{}
	failures := 0
	began := time.Now()
	for i := range stops {
		s := &stopping{p: plain, token: plain.AdminToken, account: account.ID, number: i}
		if i%4 == 3 {
			s.secure = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
		}
		plain.Set(map[string]string{"RESELLERD_TLS_CERT": "", "RESELLERD_TLS_KEY": ""})
		if s.secure != nil {
			plain.Set(map[string]string{"RESELLERD_TLS_CERT": certificate, "RESELLERD_TLS_KEY": key})
		}
		plain.Launch(t)
		var clients sync.WaitGroup
		for n := range 32 {
			h := habit(n % int(streams))
			seed := random.Uint64()
			clients.Go(func() { s.client(rand.New(rand.NewPCG(seed, 2)), h) })
		}
		if s.secure != nil {
			for range 4 {
				seed := random.Uint64()
				clients.Go(func() { s.multiplexed(rand.New(rand.NewPCG(seed, 3))) })
			}
		}
		time.Sleep(time.Duration(150+random.IntN(300)) * time.Millisecond)
		asked := time.Now()
		if err := plain.Stop(); err != nil {
			t.Errorf("stop %d: %v", i, err)
		}
		longest = max(longest, time.Since(asked))
		s.gone.Store(true)
		clients.Wait()

		log := served(plain.Log())
		for _, a := range s.asks {
			total++
			perHabit[a.habit]++
			status, inLog := log[a.id]
			switch {
			case a.err == nil && a.status == http.StatusOK:
				answered++
				if a.effect {
					effects++
				}
				continue
			case a.err == nil:
				t.Errorf("stop %d: %s (%s) was answered with %d", i, a.id, habitNames[a.habit], a.status)
			case inLog || a.hungUp:
				if failures++; failures <= 20 {
					t.Errorf(
						"stop %d: %s (%s, first on its connection: %t, %s before the stop) was read and has no answer: %v; in the log: %t, status %d",
						i, a.id, habitNames[a.habit], a.first, asked.Sub(a.began), a.err, inLog, status)
				}
			default:
				unread++
				perHabitLost[a.habit]++
				if a.first {
					unreadFirst++
				}
			}
			if a.effect {
				retries = append(retries, a.id)
			}
		}
	}

	// Who has no answer asks again under its key, and then each effect is there once.
	plain.Set(map[string]string{"RESELLERD_TLS_CERT": "", "RESELLERD_TLS_KEY": ""})
	plain.Launch(t)
	admin := plain.Service.Admin(t)
	replayed := 0
	for _, id := range retries {
		a := admin.Send(t, "PATCH", api.Path("/users/credits", account.ID), api.Fields{"credits": 1}, "Idempotency-Key", id,
			"X-Request-Id", id).Is(http.StatusOK)
		if a.Header.Get("Idempotency-Replayed") == "true" {
			replayed++
		}
		effects++
	}
	statement(t, admin, account.ID, effects)
	said := plain.Verified(t)
	if err := plain.Stop(); err != nil {
		t.Error(err)
	}
	t.Logf("seed %d: %d stops in %s, the longest in %s: %d requests, %d answered, %d read and not answered, %d not read by the program when it closed (%d of them first on their connection), "+
		"%d effects without an answer asked again, %d of them had been done; requests and unread ones by habit: %s; %s",
		seed, stops, time.Since(began).Round(time.Second), longest.Round(time.Millisecond), total, answered, failures, unread,
		unreadFirst, len(retries), replayed, habitTable(perHabit, perHabitLost), said)
}

func habitTable(all, lost [habits]int) string {
	var text []string
	for h := range habits {
		text = append(text, fmt.Sprintf("%s %d/%d", habitNames[h], all[h], lost[h]))
	}
	return strings.Join(text, ", ")
}

// statement expects that an account has got one credit so often, each time by another request.
func statement(t *testing.T, admin api.Caller, account int64, times int) {
	t.Helper()
	seen := map[string]bool{}
	for path := api.Path("/users", account, "/ledger?limit=500"); path != ""; {
		page := admin.Get(t, path)
		for _, e := range page.List() {
			id := e.Text("request_id")
			if seen[id] || e.Text("amount") != "1" {
				t.Errorf("%s is there twice, or of %s credits", id, e.Text("amount"))
			}
			seen[id] = true
		}
		path = ""
		if next := page.Next(); next != "" {
			path = api.Query(api.Path("/users", account, "/ledger"), "limit", 500, "cursor", next)
		}
	}
	if len(seen) != times {
		t.Errorf("%d effects were acknowledged, and the statement has %d", times, len(seen))
	}
	admin.Get(t, api.Path("/users", account)).Has(api.Fields{"credits": strconv.Itoa(times)})
}
