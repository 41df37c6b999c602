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
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"resellerd/test/api"
)

// receiver is where webhooks send to.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	statuses []int // of the next answers; then all is well
	came     []delivery
}

// delivery is what came.
type delivery struct {
	fields
	header http.Header
	body   []byte
	at     time.Time
}

func receive(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		d := delivery{header: request.Header, body: body, at: time.Now()}
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

// answers are those of the next deliveries.
func (r *receiver) answers(statuses ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses = statuses
}

// take waits for an entry of a type, about a line or 0 for none, and takes the first delivery of it.
func (r *receiver) take(t *testing.T, kind string, line int64) (taken delivery) {
	t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if i := r.find(kind, line); i >= 0 {
			r.mu.Lock()
			defer r.mu.Unlock()
			taken = r.came[i]
			r.came = slices.Delete(r.came, i, i+1)
			return taken
		}
	}
	t.Fatalf("no %s of line %d has come", kind, line)
	return taken
}

// find returns where such a delivery is among those that were not taken, -1 if it is not.
func (r *receiver) find(kind string, line int64) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.IndexFunc(r.came, func(d delivery) bool {
		return d.fields["type"] == kind && (line == 0 || fmt.Sprint(d.fields["line"]) == fmt.Sprint(line))
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
	if err != nil {
		t.Fatal(err)
	}
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

// attempts waits until a webhook's deliveries have so many of an entry, and returns these, the newest first.
func attempts(t *testing.T, by caller, webhook int64, event any, many int) (found []answer) {
	t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		found = slices.DeleteFunc(by.Get(t, api.Path("/webhooks", webhook, "/deliveries")).List(), func(a answer) bool {
			return a.Fields["event"] != event
		})
		if len(found) >= many {
			return found
		}
	}
	t.Fatalf("%d of %d attempts to deliver %v are there", len(found), many, event)
	return nil
}

// becomes waits until a webhook is as wanted.
func becomes(t *testing.T, by caller, webhook int64, want fields) {
	t.Helper()
	for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		is := by.Get(t, api.Path("/webhooks", webhook))
		if time.Now().After(until) {
			is.Has(want)
			return
		}
		different := false
		for name, value := range want {
			different = different || is.Fields[name] != value
		}
		if !different {
			return
		}
	}
}

// TestWebhooks goes through the life of a webhook, with a receiver of its own.
func TestWebhooks(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, map[string]string{"RESELLERD_WEBHOOK_ALLOW": "127.0.0.0/8"})
		admin := srv.Admin(t)
		master := admin.Master(t, "100")
		child := master.Reseller(t, "10")
		to, above := receive(t), receive(t)
		hook := fields{"url": to.URL + "/hook?of=master", "types": []string{"line.*", "balance.*"}, "scope": "tree",
			"description": " the office's CRM "}
		keyed := []string{"Idempotency-Key", "hook"}
		made := master.MakeWebhook(t, hook, keyed...)
		want := fields{
			"id": made.ID(), "url": hook["url"], "types": []any{"line.*", "balance.*"}, "scope": "tree",
			"description": "the office's CRM",
			"enabled":     true, "disabled_reason": nil, "created_at": api.ISO,
		}
		secret := made.Text("secret")
		made.Exactly(api.With(want, fields{"secret": secret}))
		master.MakeWebhook(t, hook, keyed...).Same(made)
		at := api.Path("/webhooks", made.ID())
		master.Get(t, at).Exactly(want)
		if all := master.Get(t, "/webhooks").Has(fields{"next_cursor": nil}).List(); len(all) != 1 {
			t.Errorf("there are %d webhooks", len(all))
		} else {
			all[0].Exactly(want)
		}
		admin.MakeWebhook(t, fields{"url": above.URL, "types": []string{"line.updated"}})

		// What happens below it comes, as its own list has it; what is of another type does not.
		trial := child.Trial(t)
		to.take(t, "line.trial_created", trial.ID).signed(t, secret).listed(t, master.Caller)
		child.Activate(t, trial, 1).Is(201)
		to.take(t, "line.activated", trial.ID).signed(t, secret).listed(t, master.Caller)
		master.Send(t, "PUT", api.Path("/users", child.ID, "/alerts"), fields{"balance_low": 20}).Is(200).Exactly(
			fields{"balance_low": "20", "expiring_days": []any{json.Number("7"), json.Number("3"), json.Number("1")}})
		low := to.take(t, "balance.low", 0).signed(t, secret)
		low.listed(t, master.Caller)
		if data := low.fields["data"]; !reflect.DeepEqual(data,
			map[string]any{"balance": "9", "balance_low": "20", "username": child.Username}) {
			t.Errorf("a low balance is told of with %v", data)
		}
		if to.find("reseller.updated", 0) >= 0 {
			t.Error("what the webhook is not for has come")
		}

		// A test comes once, and no list has it.
		master.Send(t, "POST", at+"/test", nil).Is(202).Has(fields{"status": 202})
		test := to.take(t, "webhook.test", 0).signed(t, secret)
		if test.fields["id"] != fmt.Sprintf("test_%d_1", made.ID()) || fmt.Sprint(test.fields["seq"]) != "0" {
			t.Errorf("the test is %s", test.body)
		}
		attempts(t, master.Caller, made.ID(), test.fields["id"], 1)[0].Has(fields{"attempt": 1, "http_status": 200,
			"error": nil, "next_attempt_at": nil})
		for _, e := range master.Get(t, "/events?limit=500").List() {
			if e.Fields["type"] == "webhook.test" {
				t.Errorf("the journal has a test: %v", e.Fields)
			}
		}

		// While it is rotated both secrets sign.
		rotated := master.Send(t, "POST", at+"/rotate", nil, "Idempotency-Key", "rotate").Is(200)
		master.Send(t, "POST", at+"/rotate", nil, "Idempotency-Key", "rotate").Same(rotated)
		if until := rotated.Instant("previous_expires_at"); time.Until(until).Round(time.Hour) != 24*time.Hour {
			t.Errorf("the secret before signs until %s", until)
		}
		second := rotated.Text("secret")
		trial = child.Trial(t)
		to.take(t, "line.trial_created", trial.ID).signed(t, secret, second)
		rotated = master.Send(t, "POST", at+"/rotate", fields{"overlap_hours": 0}).Is(200).Has(
			fields{"previous_expires_at": nil})
		third := rotated.Text("secret")
		trial = child.Trial(t)
		alone := to.take(t, "line.trial_created", trial.ID).signed(t, third)
		if alone.verify(t, second, alone.body) == nil || secret == second || second == third {
			t.Error("a secret from before signs still")
		}

		// What did not arrive comes again, byte for byte.
		to.answers(500)
		trial = child.Trial(t)
		failed := to.take(t, "line.trial_created", trial.ID).signed(t, third)
		attempts(t, master.Caller, made.ID(), failed.fields["id"], 1)[0].Has(fields{"attempt": 1, "http_status": 500,
			"error": "not-accepted", "next_attempt_at": api.ISO})
		again := to.take(t, "line.trial_created", trial.ID).signed(t, third)
		if !bytes.Equal(again.body, failed.body) || again.at.Sub(failed.at) < 4*time.Second {
			t.Errorf("%s came again after %s as %s", failed.body, again.at.Sub(failed.at), again.body)
		}
		attempts(t, master.Caller, made.ID(), failed.fields["id"], 2)[0].Has(fields{"attempt": 2, "http_status": 200,
			"error": nil, "next_attempt_at": nil})

		// Nothing is lost while it is disabled, over a restart as well.
		master.Send(t, "PATCH", at, fields{"enabled": false}).Is(200).Exactly(
			api.With(want, fields{"enabled": false, "disabled_reason": "requested"}))
		master.Send(t, "POST", at+"/test", nil).Refused(409, "webhook-disabled")
		trial = child.Trial(t)
		if s.durable {
			srv.restart(t)
		}
		master.Send(t, "PATCH", at, fields{"enabled": true, "description": nil}).Is(200).Exactly(
			api.With(want, fields{"description": nil}))
		to.take(t, "line.trial_created", trial.ID).signed(t, third)

		// 410 disables it, and what was answered so comes once it is enabled again.
		to.answers(410)
		trial = child.Trial(t)
		gone := to.take(t, "line.trial_created", trial.ID)
		becomes(t, master.Caller, made.ID(), fields{"enabled": false, "disabled_reason": "gone"})
		disabled := master.Get(t, "/events?type=webhook.disabled&wait=9").List() // on a replica set it is told a moment later
		if len(disabled) != 1 {
			t.Fatalf("%d entries say that the webhook was disabled", len(disabled))
		}
		disabled[0].Has(fields{"account": master.ID, "reason": "gone",
			"data": map[string]any{"webhook": json.Number(fmt.Sprint(made.ID()))}})
		master.Send(t, "PATCH", at, fields{"enabled": true}).Is(200)
		if again := to.take(t, "line.trial_created", trial.ID).signed(t, third); again.fields["id"] != gone.fields["id"] {
			t.Errorf("%v came in place of %v", again.fields["id"], gone.fields["id"])
		}

		// Of a blocked account nothing is sent until the block is lifted; those above it get its entries.
		admin.Block(t, master.ID).Is(200)
		admin.Send(t, "PATCH", api.Path("/lines", trial.ID, "/details"), fields{"notes": "known"}).Is(200)
		above.take(t, "line.updated", trial.ID)
		if to.find("line.updated", trial.ID) >= 0 {
			t.Error("a blocked account was sent an entry")
		}
		admin.Unblock(t, master.ID).Is(200)
		to.take(t, "line.updated", trial.ID).signed(t, third).listed(t, master.Caller)

		// A replay sends what was there before the webhook.
		late := master.MakeWebhook(t, fields{"url": to.URL, "types": []string{"reseller.created"}, "scope": "own"})
		master.Send(t, "POST", api.Path("/webhooks", late.ID(), "/replay"), fields{"after_seq": 0}).Is(202).Has(
			fields{"status": 202})
		var accounts []string // of its own, and of its credits
		for range 2 {
			was := to.take(t, "reseller.created", 0).signed(t, late.Text("secret"))
			was.listed(t, master.Caller)
			accounts = append(accounts, fmt.Sprint(was.fields["account"]))
		}
		if slices.Sort(accounts); !slices.Equal(accounts, []string{fmt.Sprint(master.ID), fmt.Sprint(child.ID)}) {
			t.Errorf("it was sent that the accounts %q were made", accounts)
		}

		master.Send(t, "DELETE", at, nil).Is(200).Has(fields{"status": 200})
		master.Send(t, "GET", at, nil).Refused(404, "not-found")
		master.Send(t, "GET", at+"/deliveries", nil).Refused(404, "not-found")
		srv.stopAndAudit(t)
	})
}

// TestExpiredLinesAreToldOf to a webhook, within seconds.
func TestExpiredLinesAreToldOf(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, map[string]string{"RESELLERD_WEBHOOK_ALLOW": "127.0.0.0/8",
			"RESELLERD_TRIAL_DURATION": "1s"})
		r := srv.Admin(t).Reseller(t, "10")
		to := receive(t)
		secret := r.MakeWebhook(t, fields{"url": to.URL, "types": []string{"line.expired"}, "scope": "own"}).Text("secret")
		trial := r.Send(t, "POST", "/lines/test", nil).Is(201)
		expired := to.take(t, "line.expired", trial.ID()).signed(t, secret)
		expired.listed(t, r.Caller)
		if data := expired.fields["data"]; !reflect.DeepEqual(data,
			map[string]any{"expDate": trial.Text("expDate"), "username": trial.Text("username")}) {
			t.Errorf("the end of %s is told of with %v", trial.Body, data)
		}
	})
}

// TestWhatIsNotPublicIsNotReached where the operator has opened nothing.
func TestWhatIsNotPublicIsNotReached(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		r := sharedServer(t, s).Admin(t).Reseller(t, "0")
		to := receive(t)
		r.Send(t, "POST", "/webhooks", api.NewWebhook(fields{"url": to.URL})).Invalid("bad-url",
			map[string]string{"url": "bad-url"})
		made := r.MakeWebhook(t, fields{"url": "https://" + to.Listener.Addr().String()})
		at := api.Path("/webhooks", made.ID())
		r.Send(t, "PATCH", at, fields{"url": to.URL}).Invalid("bad-url", map[string]string{"url": "bad-url"})
		r.Send(t, "POST", at+"/test", nil).Is(202)
		attempts(t, r.Caller, made.ID(), fmt.Sprintf("test_%d_1", made.ID()), 1)[0].Has(
			fields{"http_status": nil, "error": "address-refused"})
		r.Send(t, "DELETE", at, nil).Is(200)
	})
}
