package faults

import (
	"bufio"
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
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	databaseName  = "faults"
	adminPassword = "the operator's password"
	serviceKey    = "7f1de0a8c3b64955b21e08d4a6f37c90112233445566778899aabbccddeeff00"
	// startTime bounds the start of a process. No test measures it.
	startTime = 90 * time.Second
	// logLines are kept of what a process logged about failures.
	logLines = 400
)

// service is one of the processes of the service. It may be killed and started
// again, then on another port.
type service struct {
	name        string
	binary      string
	environment []string
	client      *http.Client

	mu      sync.Mutex
	cmd     *exec.Cmd
	ended   chan struct{} // closed once the process is gone
	address string
	log     []string // the last lines but for those of each request
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
			"RESELLERD_FREE_BYTES_PER_DAY=0", // an account makes more in an hour than people do in a day
		},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}},
	}
}

// start returns when the process listens. It must be called from a goroutine that
// is locked to its thread and outlives the process.
func (s *service) start(ctx context.Context) error {
	cmd := exec.Command(s.binary, "serve")
	cmd.Env = s.environment
	cmd.SysProcAttr = attributes()
	log, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended, listening := make(chan struct{}), make(chan struct{})
	s.mu.Lock()
	s.cmd, s.ended, s.address = cmd, ended, ""
	s.mu.Unlock()
	go s.watch(cmd, log, listening, ended)
	late := time.NewTimer(startTime)
	defer late.Stop()
	select {
	case <-listening:
		return nil
	case <-ended:
		err = errors.New("it ended before it listened")
	case <-late.C:
		err = fmt.Errorf("it does not listen after %s", startTime)
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.kill()
	return fmt.Errorf("start process %s: %w:\n%s", s.name, err, s.said(""))
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

// watch reads the log to its end and waits for the process.
func (s *service) watch(cmd *exec.Cmd, log io.Reader, listening, ended chan struct{}) {
	defer close(ended)
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var record struct{ Msg, Addr string }
		known := json.Unmarshal(lines.Bytes(), &record) == nil
		if known && record.Msg == "request" {
			continue
		}
		s.mu.Lock()
		if s.log = append(s.log, lines.Text()); len(s.log) > logLines {
			s.log = slices.Delete(s.log, 0, len(s.log)-logLines)
		}
		if known && record.Msg == "listening" {
			s.address = record.Addr
			close(listening)
		}
		s.mu.Unlock()
	}
	_ = cmd.Wait() // it was killed, or its log says why
}

// said returns what the process logged last that has the word in it.
func (s *service) said(word string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []string
	for _, line := range s.log {
		if strings.Contains(line, word) {
			found = append(found, line)
		}
	}
	return strings.Join(found[max(0, len(found)-10):], "\n")
}

// kill ends the process as a power failure would, if it still runs.
func (s *service) kill() {
	s.mu.Lock()
	cmd, ended := s.cmd, s.ended
	s.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Kill() // fails where it has ended
	<-ended
	s.client.CloseIdleConnections()
}

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
