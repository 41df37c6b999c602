package campaign

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// receiver has an endpoint for each webhook, in the process of the test.
type receiver struct {
	*httptest.Server
	seed   uint64
	better chan struct{} // closed once all endpoints answer well, and hanging connections are cut

	mu        sync.Mutex
	endpoints []*endpoint
	strayed   []string  // requests to paths of no webhook
	latest    time.Time // arrival
}

// endpoint is the address of one webhook.
type endpoint struct {
	*receiver
	number int
	habits []habit
	random *rand.Rand
	bodies map[string][]byte // as they came first, by the id of their entry
	came   []arrival
	wrong  []string // differences between what came under the same id
}

// arrival is one attempt to deliver an entry.
type arrival struct {
	id         string
	at         time.Time
	timestamp  string
	signatures []string
	accepted   bool
}

// habit is a way to answer.
type habit struct {
	name   string
	weight int
	answer func(e *endpoint, w http.ResponseWriter, r *http.Request) (accepted bool)
}

// The ways to answer.
var (
	accepts = habit{"accepted", 700, func(e *endpoint, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader([]int{200, 200, 200, 201, 202, 204}[e.chance(6)])
		return true
	}}
	dawdles = habit{"accepted late", 60, func(e *endpoint, w http.ResponseWriter, r *http.Request) bool {
		e.rest(r, time.Duration(e.chance(2000))*time.Millisecond)
		w.WriteHeader(http.StatusOK)
		return true
	}}
	refuses = habit{"refused", 80, func(e *endpoint, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader([]int{400, 401, 404, 500, 502}[e.chance(5)])
		return false
	}}
	putsOff = habit{"put off by Retry-After", 50, func(e *endpoint, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Retry-After", strconv.Itoa(1+e.chance(8)))
		w.WriteHeader([]int{429, 503}[e.chance(2)])
		return false
	}}
	closes = habit{"closed", 40, func(e *endpoint, w http.ResponseWriter, _ *http.Request) bool {
		e.cut(w, []string{"", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-", "no HTTP at all\r\n\r\n"}[e.chance(4)])
		return false
	}}
	hangs = habit{"hung", 8, func(e *endpoint, w http.ResponseWriter, r *http.Request) bool {
		e.rest(r, time.Minute)
		e.cut(w, "")
		return false
	}}
	leaves = habit{"gone", 8, func(_ *endpoint, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusGone)
		return false
	}}
)

// The characters of endpoints.
var (
	reliable = []habit{accepts}
	mixed    = []habit{accepts, dawdles, refuses, putsOff, closes, hangs}
	leaving  = append(slices.Clone(mixed), leaves)
	dead     = []habit{refuses, closes}
	hanging  = []habit{hangs}
	hookPath = "/hook/"
)

func receive(t *testing.T, seed uint64) *receiver {
	r := &receiver{seed: seed, better: make(chan struct{})}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() {
		r.improve()
		r.Close()
	})
	return r
}

// improve has all endpoints answer well from now on.
func (r *receiver) improve() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.good() {
		close(r.better)
	}
}

func (r *receiver) good() bool {
	select {
	case <-r.better:
		return true
	default:
		return false
	}
}

// endpoint returns a new one.
func (r *receiver) endpoint(habits []habit) *endpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.endpoints)
	e := &endpoint{receiver: r, number: n, habits: habits, random: rand.New(rand.NewPCG(r.seed, uint64(n))),
		bodies: map[string][]byte{}}
	r.endpoints = append(r.endpoints, e)
	return e
}

func (e *endpoint) address() string { return e.URL + hookPath + strconv.Itoa(e.number) }

func (r *receiver) serve(w http.ResponseWriter, request *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(request.Body)
	if err != nil { // it was cut off in the middle: it has not arrived
		return
	}
	number, wrong := strconv.Atoi(strings.TrimPrefix(request.URL.Path, hookPath))
	r.mu.Lock()
	if wrong != nil || number >= len(r.endpoints) || request.Method != http.MethodPost {
		r.strayed = append(r.strayed, request.Method+" "+request.URL.Path)
		r.mu.Unlock()
		w.WriteHeader(http.StatusNotFound)
		return
	}
	e := r.endpoints[number]
	r.latest = at
	index := e.keep(request.Header, body, at)
	h := accepts
	if !r.good() {
		h = e.pick()
	}
	r.mu.Unlock()
	if h.answer(e, w, request) {
		r.mu.Lock()
		e.came[index].accepted = true
		r.mu.Unlock()
	}
}

// keep stores an arrival, and whether it differs from an earlier one under the same id.
func (e *endpoint) keep(header http.Header, body []byte, at time.Time) (index int) {
	a := arrival{
		id: header.Get("Webhook-Id"), at: at, timestamp: header.Get("Webhook-Timestamp"),
		signatures: strings.Fields(header.Get("Webhook-Signature")),
	}
	if first, again := e.bodies[a.id]; !again {
		e.bodies[a.id] = body
	} else if !bytes.Equal(first, body) {
		e.wrong = append(e.wrong, fmt.Sprintf("%s came as %s, and then as %s", a.id, first, body))
	}
	sent, err := strconv.ParseInt(a.timestamp, 10, 64)
	if skew := at.Sub(time.Unix(sent, 0)); err != nil || skew < -2*time.Second || skew > time.Minute {
		e.wrong = append(e.wrong, fmt.Sprintf("%s came at %s with the timestamp %q", a.id, at, a.timestamp))
	}
	if kind := header.Get("Content-Type"); kind != "application/json" {
		e.wrong = append(e.wrong, fmt.Sprintf("%s came as %q", a.id, kind))
	}
	e.came = append(e.came, a)
	return len(e.came) - 1
}

func (e *endpoint) pick() habit {
	total := 0
	for _, h := range e.habits {
		total += h.weight
	}
	n := e.random.IntN(total)
	for _, h := range e.habits {
		if n -= h.weight; n < 0 {
			return h
		}
	}
	return accepts
}

func (e *endpoint) chance(n int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.random.IntN(n)
}

// rest waits, until the client has gone or the receiver improves.
func (e *endpoint) rest(r *http.Request, d time.Duration) {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-over.C:
	case <-e.better:
	case <-r.Context().Done():
	}
}

// cut ends the connection after these bytes.
func (e *endpoint) cut(w http.ResponseWriter, after string) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer connection.Close()
	_ = connection.(*net.TCPConn).SetLinger(0)
	_, _ = io.WriteString(connection, after)
	if after != "" {
		time.Sleep(time.Millisecond) // so that it is read before the reset
	}
}

// arrivals returns the deliveries that have arrived.
func (e *endpoint) arrivals() []arrival {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.came)
}

// body returns an entry as it came.
func (e *endpoint) body(id string) []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bodies[id]
}

// since reports whether anything came since an instant.
func (r *receiver) since(at time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.latest.After(at)
}

// unharmed fails where anything came elsewhere, or otherwise than before.
func (r *receiver) unharmed(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.strayed) > 0 {
		t.Errorf("%d requests came to paths of no webhook: %.300v", len(r.strayed), r.strayed)
	}
	for _, e := range r.endpoints {
		for _, wrong := range e.wrong[:min(len(e.wrong), 3)] {
			t.Errorf("endpoint %d: %s", e.number, wrong)
		}
	}
}
