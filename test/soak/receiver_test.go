package soak

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

// opensLoopback lets the program send to receivers on this machine.
var opensLoopback = map[string]string{"RESELLERD_WEBHOOK_ALLOW": "127.0.0.0/8"}

// receiver is where the webhooks of all tenants send to.
type receiver struct {
	*httptest.Server
	t    *testing.T
	mu   sync.Mutex
	came map[string]map[int64]arrival // by the path, then by the number of the entry
}

// arrival is an entry that came, once or more.
type arrival struct {
	body  uint64 // hash of it
	taken bool
}

// oneFails of so many entries is refused the first time.
const oneFails = 100

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, came: map[string]map[int64]arrival{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err == nil && !r.takes(request.URL.Path, request.Header.Get("Webhook-Id"), body) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// takes keeps what came, and reports whether it is accepted. It has to be the same each time.
func (r *receiver) takes(path, id string, body []byte) bool {
	if strings.HasPrefix(id, "test_") {
		return true
	}
	seq, err := strconv.ParseInt(id[strings.LastIndexByte(id, '_')+1:], 10, 64)
	h := fnv.New64a()
	_, _ = h.Write(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.came[path]
	if of == nil {
		of = map[int64]arrival{}
		r.came[path] = of
	}
	before, again := of[seq]
	if err != nil || again && before.body != h.Sum64() {
		r.t.Errorf("%s came as another entry than before: %s", id, body)
	}
	taken := again || seq%oneFails > 0
	of[seq] = arrival{h.Sum64(), taken}
	return taken
}

// has reports whether an entry was accepted at a path.
func (r *receiver) has(path string, seq int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.came[path][seq].taken
}

// Where webhooks send to: those that are for everything, and others.
const (
	ofAll    = "all"
	ofOthers = "others"
)

// makeWebhook makes a webhook of the master for these types, and returns its id.
func (w *tenant) makeWebhook(url string, types ...string) int64 {
	a, _ := w.effect(w.master.Caller, "POST", "/webhooks", api.NewWebhook(api.Fields{"url": url, "types": types}), 201)
	return a.ID()
}

func (w *tenant) hookPath(to string) string {
	return "/" + strconv.FormatInt(w.master.ID, 10) + "/" + to
}

// anyWebhook returns the id of one of the webhooks.
func (w *tenant) anyWebhook() int64 {
	all := append([]int64{w.webhook}, w.webhooks...)
	return all[w.random.IntN(len(all))]
}

// seqOf is the number of an entry.
func seqOf(e api.Answer) int64 {
	seq, _ := e.Fields["seq"].(json.Number)
	n, _ := seq.Int64()
	return n
}

// arrived expects that each entry about the tenant's accounts has arrived, from that on which tells of the webhook.
func (w *tenant) arrived() {
	const limit = 500
	query := api.Query("/events", "order", "asc", "limit", limit, "tree", w.master.ID)
	begun, missing, late := false, 0, time.Now().Add(program.Patience)
	for path := query; path != ""; {
		page := w.read(w.master.Caller, path)
		for _, e := range page.List() {
			data, _ := e.Fields["data"].(map[string]any)
			begun = begun || e.Text("type") == "webhook.created" &&
				data["webhook"] == json.Number(strconv.FormatInt(w.webhook, 10))
			for begun && !w.receives.has(w.hookPath(ofAll), seqOf(e)) && time.Now().Before(late) {
				time.Sleep(100 * time.Millisecond)
			}
			if begun && !w.receives.has(w.hookPath(ofAll), seqOf(e)) {
				missing++
			}
		}
		path = ""
		if more, _ := page.Fields["has_more"].(bool); more {
			path = api.Query("/events", "order", "asc", "limit", limit, "tree", w.master.ID, "cursor", page.Next())
		}
	}
	if !begun || missing > 0 {
		w.t.Errorf("account %d: %d entries have not arrived (%t)", w.master.ID, missing, begun)
	}
}
