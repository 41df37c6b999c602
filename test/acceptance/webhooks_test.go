package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"resellerd/test/api"
	"resellerd/test/require"
)

// receiver is the server at the address of webhooks.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	statuses []int // of the next answers; then all is well
	came     []delivery
}

// delivery is a request that arrived at a receiver.
type delivery struct {
	fields
	header http.Header
	body   []byte
}

func receive(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		d := delivery{header: request.Header, body: body}
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		if wrong := decoder.Decode(&d.fields); err != nil || wrong != nil || request.Method != http.MethodPost ||
			request.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v came: %v, %v", request.Method, body, request.Header, err, wrong)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.came = append(r.came, d)
		if len(r.statuses) > 0 {
			w.WriteHeader(r.statuses[0])
			r.statuses = r.statuses[1:]
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// answers sets the statuses of the next deliveries.
func (r *receiver) answers(statuses ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses = statuses
}

// take waits for an entry of a type, about a line, and takes the first delivery of it.
func (r *receiver) take(t *testing.T, kind string, line int64) (taken delivery) {
	t.Helper()
	eventually(t, fmt.Sprintf("no %s of line %d has come", kind, line), func() bool {
		i := r.find(kind, line)
		if i >= 0 {
			r.mu.Lock()
			defer r.mu.Unlock()
			taken = r.came[i]
			r.came = slices.Delete(r.came, i, i+1)
		}
		return i >= 0
	})
	return taken
}

// find returns the index of such a delivery among those that were not taken, -1 if it is not there.
func (r *receiver) find(kind string, line int64) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.IndexFunc(r.came, func(d delivery) bool {
		return d.fields["type"] == kind && fmt.Sprint(d.fields["line"]) == fmt.Sprint(line)
	})
}

// signed expects that secrets sign a delivery, each of them, by the library of Standard Webhooks.
func (d delivery) signed(t *testing.T, secrets ...string) delivery {
	t.Helper()
	for _, secret := range secrets {
		if err := d.verify(t, secret, d.body); err != nil {
			t.Errorf("%v: %s with %v", err, d.body, d.header)
		}
		if d.verify(t, secret, append(slices.Clone(d.body), ' ')) == nil {
			t.Errorf("another body than %s is signed as well", d.body)
		}
	}
	if d.header.Get("Webhook-Id") != d.fields["id"] {
		t.Errorf("%v is sent as %s", d.fields["id"], d.header.Get("Webhook-Id"))
	}
	var plain any
	if err := json.Unmarshal(d.body, &plain); err != nil ||
		api.Contract().Components.Schemas["Event"].Value.VisitJSON(plain) != nil {
		t.Errorf("%s is no entry as the document has it", d.body)
	}
	return d
}

func (d delivery) verify(t *testing.T, secret string, body []byte) error {
	t.Helper()
	by, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	return by.Verify(body, d.header)
}

// listed expects that a delivery is the entry as its receiver's own list has it.
func (d delivery) listed(t *testing.T, by caller) {
	t.Helper()
	all := by.Get(t, "/events?limit=500").List()
	at := slices.IndexFunc(all, func(a answer) bool { return a.Fields["id"] == d.fields["id"] })
	if at < 0 || !reflect.DeepEqual(all[at].Fields, d.fields) {
		t.Errorf("%s is not in the list of entries like this", d.body)
	}
}

// TestWebhooks checks deliveries with the official library. They are repeated after a failure and after a restart.
// test/campaign and application/webhooks test the other rules of webhooks.
func TestWebhooks(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, map[string]string{"RESELLERD_WEBHOOK_ALLOW": "127.0.0.0/8",
			"RESELLERD_TRIAL_DURATION": "1s"})
		master := srv.Admin(t).Master(t, "100")
		child := master.Reseller(t, "10")
		to := receive(t)
		made := master.MakeWebhook(t, fields{"url": to.URL + "/hook?of=master", "types": []string{"line.*"}, "scope": "tree"})
		secret, at := made.Text("secret"), api.Path("/webhooks", made.ID())

		trial := child.Trial(t)
		to.take(t, "line.trial_created", trial.ID).signed(t, secret).listed(t, master.Caller)
		to.take(t, "line.expired", trial.ID).signed(t, secret).listed(t, master.Caller)

		// While it is rotated both secrets sign.
		second := master.Send(t, "POST", at+"/rotate", nil).Is(200).Text("secret")
		trial = child.Trial(t)
		to.take(t, "line.trial_created", trial.ID).signed(t, secret, second)

		// A failed delivery is repeated, byte for byte.
		to.answers(500)
		trial = child.Trial(t)
		failed := to.take(t, "line.trial_created", trial.ID).signed(t, second)
		again := to.take(t, "line.trial_created", trial.ID).signed(t, second)
		if !bytes.Equal(again.body, failed.body) {
			t.Errorf("%s came again as %s", failed.body, again.body)
		}

		// Nothing is lost while it is disabled, over a restart as well.
		master.Send(t, "PATCH", at, fields{"enabled": false}).Is(200)
		trial = child.Trial(t)
		srv.restart(t)
		master.Send(t, "PATCH", at, fields{"enabled": true}).Is(200)
		to.take(t, "line.trial_created", trial.ID).signed(t, second)
		srv.stopAndAudit(t)
	})
}

// TestWebhooksReachNoPrivateAddress checks a service whose operator has allowed no private address.
func TestWebhooksReachNoPrivateAddress(t *testing.T) {
	t.Parallel()
	r := startServer(t, memory, nil).Admin(t).Reseller(t, "0")
	to := receive(t)
	r.Send(t, "POST", "/webhooks", api.NewWebhook(fields{"url": to.URL})).Invalid("bad-url",
		map[string]string{"url": "bad-url"})
	made := r.MakeWebhook(t, fields{"url": "https://" + to.Listener.Addr().String()})
	at := api.Path("/webhooks", made.ID())
	r.Send(t, "POST", at+"/test", nil).Is(202)
	eventually(t, "no attempt is listed", func() bool {
		attempts := r.Get(t, at+"/deliveries").List()
		return len(attempts) > 0 && attempts[0].Fields["error"] == "address-refused"
	})
}
