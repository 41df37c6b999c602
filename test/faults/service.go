package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"resellerd/test/program"
)

const (
	databaseName  = "faults"
	adminPassword = "the operator's password"
	serviceKey    = "7f1de0a8c3b64955b21e08d4a6f37c90112233445566778899aabbccddeeff00"
	// mostLog is kept of what a process logged about failures.
	mostLog = 100 << 10
)

// service is one of the processes of the service. It may be killed and started
// again, then on another port.
type service struct {
	name        string
	binary      string
	environment []string
	client      *http.Client

	mu      sync.Mutex
	process *program.Process
	address string
}

func newService(name, binary, store string) *service {
	return &service{
		name:   name,
		binary: binary,
		environment: []string{
			"HOME=" + os.TempDir(),
			"RESELLERD_ADDR=127.0.0.1:0",
			"RESELLERD_ADMIN_ADDR=off",
			"RESELLERD_STORE=" + store,
			"RESELLERD_SECRET=" + serviceKey,
			"RESELLERD_ADMIN_PASSWORD=" + adminPassword,
			"RESELLERD_FREE_CHANGES_PER_DAY=0", // an account makes more in an hour than people do in a day
		},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}},
	}
}

// start returns when the process listens. It must be called from a goroutine that
// is locked to its thread and outlives the process.
func (s *service) start(ctx context.Context) error {
	p := program.NewProcess(s.binary, s.environment, "serve")
	p.Stderr.Without, p.Stderr.Most = `"msg":"request"`, mostLog
	p.DieWithThread()
	if err := p.Start(); err != nil {
		return err
	}
	s.mu.Lock()
	s.process, s.address = p, ""
	s.mu.Unlock()
	if err := p.Serves(ctx); err != nil {
		return fmt.Errorf("start process %s: %w", s.name, err)
	}
	s.mu.Lock()
	s.address = p.ListensOn
	s.mu.Unlock()
	return nil
}

// run is start for as often as it takes: a process ends where its store has no
// primary in the moment in which it starts, and whoever runs it starts it again.
func (s *service) run(ctx context.Context) error {
	for began := time.Now(); ; rest(ctx, time.Second) {
		if err := s.start(ctx); err == nil || ctx.Err() != nil || time.Since(began) > gone {
			return err
		}
	}
}

func (s *service) running() *program.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// said returns what the process logged last that has the word in it.
func (s *service) said(word string) string {
	p := s.running()
	if p == nil {
		return ""
	}
	var found []string
	for line := range strings.Lines(p.Stderr.String()) {
		if strings.Contains(line, word) {
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
	}
	return strings.Join(found[max(0, len(found)-10):], "\n")
}

// kill ends the process as a power failure would, if it still runs.
func (s *service) kill() {
	if p := s.running(); p != nil {
		p.Kill()
		s.client.CloseIdleConnections()
	}
}

// signal sends a signal to the process.
func (s *service) signal(sent os.Signal) error { return s.running().Cmd.Process.Signal(sent) }

func (s *service) at() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.address
}

// call is an HTTP request.
type call struct {
	method, path string
	body         any // nil: none
	token        string
	id           string // X-Request-Id, which a movement keeps
	key          string // Idempotency-Key; "": none
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
	fields map[string]any // numbers as they were written
}

// errNotSent says that no process can have seen a request.
var errNotSent = errors.New("the process is not there")

// ask sends a request once. An error other than errNotSent leaves open what
// becomes of it.
func (s *service) ask(ctx context.Context, patience time.Duration, c call) (a answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	address := s.at()
	if address == "" {
		return a, errNotSent
	}
	var body []byte
	if c.body != nil {
		if body, err = json.Marshal(c.body); err != nil {
			return a, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, c.method, "http://"+address+c.path, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.id != "" {
		r.Header.Set("X-Request-Id", c.id)
	}
	if c.key != "" {
		// In lower case, since net/http itself would repeat what has the key in its
		// canonical form, and hide that the first try may have been executed.
		r.Header["idempotency-key"] = []string{c.key}
	}
	response, err := s.client.Do(r)
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return a, fmt.Errorf("%w: %w", errNotSent, err)
	}
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	a.status, a.header = response.StatusCode, response.Header
	if a.body, err = io.ReadAll(response.Body); err != nil {
		return a, err
	}
	a.decode()
	return a, nil
}

// decode reads the body, which malformed calls no JSON object where it is none.
func (a *answer) decode() {
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.UseNumber()
	if err := decoder.Decode(&a.fields); err != nil {
		a.fields = nil
	}
}

// malformed returns what is wrong with the form of an answer, whatever it says.
func (a answer) malformed() string {
	want := "application/json"
	if a.status >= http.StatusBadRequest {
		want = "application/problem+json"
	}
	if got, _, _ := mime.ParseMediaType(a.header.Get("Content-Type")); got != want {
		return fmt.Sprintf("Content-Type %q, want %s", got, want)
	}
	if a.fields == nil {
		return "the body is no JSON object"
	}
	if a.status != http.StatusServiceUnavailable {
		return ""
	}
	if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 {
		return fmt.Sprintf("Retry-After %q", a.header.Get("Retry-After"))
	}
	if a.fields["code"] != "store-unavailable" || a.fields["status"] != json.Number("503") {
		return "a 503 that does not say store-unavailable"
	}
	return ""
}

func (a answer) text(field string) string {
	switch v := a.fields[field].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	default:
		return ""
	}
}

// reader reads fields of an answer and remembers the first that can't be.
type reader struct {
	answer
	err error
}

func (r *reader) failed(field string, err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w", field, err)
	}
}

func (r *reader) units(field string) units {
	u, err := parseUnits(r.text(field))
	r.failed(field, err)
	return u
}

func (r *reader) number(field string) int64 {
	n, err := strconv.ParseInt(r.text(field), 10, 64)
	r.failed(field, err)
	return n
}

func (r *reader) time(field string) time.Time {
	t, err := time.Parse(time.RFC3339, r.text(field))
	r.failed(field, err)
	return t
}
