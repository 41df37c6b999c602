package simulate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/adapters/onetime"
	"resellerd/adapters/servicekey"
	"resellerd/application/audit"
	"resellerd/application/webhooks"
	"resellerd/domain/bulk"
	"resellerd/domain/lease"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
	"resellerd/test/journals"
)

// Every call fails: for each operation of the API, each command of an operator and each step of background work, each
// call of a port fails once, in each possible way. The stored records are then those before one of the step's
// transactions, or after the last, and never anything between. The step gives its normal answer, or 503. A retry under
// the same key shows which.

// everyStep is a step whose calls fail: a request, or what an operator or a process does by itself.
type everyStep struct {
	name    string // of a request the operationId
	by      string // the account of the request, or one of the callers below
	path    string
	body    string
	refused bool // a refusal may not hide behind a fault, nor a fault behind a refusal
	after   int  // status of a retry without a key after the step took effect, 0: the same
	do      func(ctx context.Context, s *oneService) error
	then    error // where do is repeated
}

const admin, north, south = "admin", "north", "south"

// More callers: a key of north, and sessions by their numbers, the first two of north.
const (
	keyOfNorth = "a key of north"
	aSession   = "session 1"
	ofSouth    = "session 3"
)

// atWork is the process with the lease.
const atWork = "a process"

// codes implements ports.OneTimeCodes as the program does, except for the secret, which is always the same.
type codes struct{ onetime.Codes }

const everySecret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

func (codes) New(account string) (secret profile.Secret, url string, err error) {
	return profile.NewSecret(everySecret), "otpauth://totp/" + account, nil
}

// codeAt is the code of the authenticator app at an instant.
func codeAt(at time.Time) string {
	code, err := api.CodeOf(everySecret, at)
	if err != nil {
		panic(err)
	}
	return code
}

// refusedStep is a step whose refusal may not hide behind a fault, nor a fault behind it.
func refusedStep(name, by, path, body string) everyStep {
	return everyStep{name: name, by: by, path: path, body: body, refused: true}
}

// special are the steps whose operation has no example that is enough, on what ready has made.
var special = []everyStep{
	{name: "changePassword", by: north, path: "/auth/password",
		body: `{"password":"password","new_password":"another password"}`},
	{name: "createReseller", by: north, path: "/users",
		body: `{"username":"new","password":"password","is_master":1,"credits":"2.5","country":"BR"}`},
	{name: "updateReseller", by: north, path: "/users/3",
		body: `{"username":"west","password":"another password","country":"PT","whatsapp":"1"}`},
	{name: "blockReseller", by: north, path: "/users/3/block"},
	{name: "createTrial", by: south, path: "/lines/test", body: `{"notes":"on trial","external_id":"crm-1"}`},
	{name: "activateLine", by: north, path: "/lines/active/1",
		body: `{"username":"client","password":"1234","credits":3,"country":"BR"}`},
	{name: "editLine", by: north, path: "/lines/2",
		body: `{"username":"renamed","password":"4321","whatsapp":"1","country":"PT"}`},
	{name: "resumeLine", by: south, path: "/lines/1/suspension"},
	{name: "startBulk", by: north, path: "/bulk",
		body: `{"action":"extend","select":{"filter":{"isTrial":0}},"params":{"credits":0.5},"expect":{"count":1,"total":"0.5"}}`},
	{name: "exportLedger", by: north, path: "/exports/ledger?account=3"},
	{name: "getBalance", by: north, path: "/users/3/balance?at=2026-01-01T00:00:00Z"},
	{name: "updateWebhook", by: north, path: "/webhooks/2", body: `{"types":["*"],"enabled":true}`},
	{name: "addCredits", by: keyOfNorth, path: "/users/credits/3", body: `{"credits":2.5}`}, // which has a limit
	{name: "addCredits", by: aSession, path: "/users/credits/3", body: `{"credits":2.5}`},
	{name: "signIn", by: aSession, path: "/auth/session", body: `{"username":"north","password":"password"}`},
	{name: "signIn", path: "/auth/session", // whose code is used up
		body: `{"username":"south","password":"password","totp":"` + codeAt(everyNow) + `"}`, after: 401},
	{name: "signOut", by: aSession, path: "/auth/session", after: 401},
	{name: "endSession", by: aSession, after: 404,
		path: "/auth/sessions/" + string(session.IDOf(secretOf(2, everyNow.Add(-time.Hour))))},
	{name: "confirmTOTP", by: aSession, path: "/auth/totp/confirm", body: `{"code":"` + codeAt(everyNow) + `"}`},
	{name: "removeTOTP", by: ofSouth, path: "/auth/totp",
		body: `{"password":"password","totp":"` + codeAt(everyNow) + `"}`},
	refusedStep("createTrial", north, "/lines/test", ""), // by a clock that was ahead
	refusedStep("activateLine", south, "/lines/active/1",
		`{"username":"client","password":"1234","credits":10,"country":"BR"}`),
	refusedStep("describeLine", south, "/lines/1/details", `{"external_id":"crm-2","notes":"of another line"}`),
	refusedStep("getService", north, "/service", ""),
	{name: "create admin", do: func(ctx context.Context, s *oneService) error {
		return s.Admins.Create(ctx, fixture.Name("second"), profile.NewSecret("password"))
	}, then: profile.ErrUsernameTaken},
	{name: "reset password", do: func(ctx context.Context, s *oneService) error {
		return s.Admins.ResetPassword(ctx, fixture.Name(south), profile.NewSecret("another password"))
	}},
	{name: "block", do: func(ctx context.Context, s *oneService) error {
		return s.Admins.SetBlocked(ctx, fixture.Name(south), true)
	}},
	{name: "restore", do: func(ctx context.Context, s *oneService) error { return s.Epochs.BeginRestored(ctx) }},
	{name: "take the lease", do: func(ctx context.Context, s *oneService) error {
		_, err := s.Leases.Change(ctx, func(l lease.Lease) (lease.Lease, bool) { return l.Take("another process"), true })
		return err
	}},
	{name: "remind of a line", do: func(ctx context.Context, s *oneService) error {
		s.now = everyNow.Add(16 * day)
		_, err := s.Reminders.Send(ctx, atWork, 0, 10)
		return err
	}},
	{name: "record the outcomes of deliveries", do: func(ctx context.Context, s *oneService) error {
		_, err := s.Deliveries.Record(ctx, atWork,
			webhooks.Delivered{Webhook: 1, UpTo: 10, Requests: 1, Outcomes: []webhook.Outcome{
				{Seq: 8, Event: "evt_8", Number: 1, At: s.now, Status: 200},
				{Seq: 9, Event: "evt_9", Number: 1, At: s.now, Status: 410, Failure: webhook.NotAccepted},
			}})
		return err
	}},
	{name: "read a retry that is due", do: func(ctx context.Context, s *oneService) error {
		failed := webhook.Outcome{Seq: 8, Event: "evt_8", Number: 1, At: s.now, Status: 500, Failure: webhook.NotAccepted}
		_, err := s.Deliveries.Record(ctx, atWork,
			webhooks.Delivered{Webhook: 1, UpTo: 8, Outcomes: []webhook.Outcome{failed}})
		if err == nil {
			s.now = everyNow.Add(day)
			_, err = s.Deliveries.Due(ctx, 1, 0, func(int64) bool { return false }, 20)
		}
		return err
	}},
	{name: "read subscriptions", do: func(ctx context.Context, s *oneService) error {
		_, _, err := s.Deliveries.Subscriptions(ctx, "", 10)
		if err == nil {
			_, err = s.Deliveries.Subscription(ctx, 1)
		}
		if err == nil {
			_, err = s.Deliveries.Requested(ctx, 10)
		}
		if err == nil {
			_, err = s.Deliveries.LastEntry(ctx)
		}
		if err == nil {
			_, _, err = s.Deliveries.Entries(ctx, 0, 10)
		}
		return err
	}},
	{name: "disable webhooks", do: func(ctx context.Context, s *oneService) error {
		_, err := s.Webhooks.DisableAll(ctx, webhook.Restored)
		return err
	}},
	{name: "stop jobs", do: func(ctx context.Context, s *oneService) error {
		_, err := s.Jobs.StopAll(ctx)
		return err
	}},
	{name: "forget a job", do: func(ctx context.Context, s *oneService) error {
		_, err := s.Jobs.StopAll(ctx)
		if err == nil {
			s.now = everyNow.Add(bulk.JobRetention + day)
			_, err = s.Jobs.Forget(ctx, 10)
		}
		return err
	}},
	{name: "forget sessions", do: func(ctx context.Context, s *oneService) error {
		s.now = everyNow.Add(session.IdleTimeout)
		_, err := s.Access.ForgetSessions(ctx, 10)
		return err
	}},
	{name: "shorten sessions of a clock that was ahead", do: func(ctx context.Context, s *oneService) error {
		s.now = everyNow.Add(-session.IdleTimeout)
		_, err := s.Access.ForgetSessions(ctx, 10)
		return err
	}},
	{name: "list admins", do: func(ctx context.Context, s *oneService) error {
		_, err := s.Admins.List(ctx)
		return err
	}},
	{name: "work on a job", do: func(ctx context.Context, s *oneService) error {
		running, err := s.JobWorker.Running(ctx)
		if err != nil || len(running) == 0 { // which it is once it was worked on
			return err
		}
		worked, err := s.JobWorker.Work(ctx, atWork, running[0], 10)
		return errors.Join(append(worked.UnexpectedErrors, err)...)
	}},
	{name: "reset a second factor", do: func(ctx context.Context, s *oneService) error {
		return s.Admins.ResetFactor(ctx, fixture.Name(south))
	}, then: secondfactor.ErrInactive},
	{name: "forget expired keys", do: func(ctx context.Context, s *oneService) error {
		s.now = everyNow.Add(8 * day)
		_, err := s.IdempotencyKeys.ForgetExpired(ctx, 100)
		return err
	}},
}

// everySteps are the special ones, and the example of each other operation that uses a port in one transaction.
func everySteps() []everyStep {
	all, elsewhere := slices.Clone(special), []string{"getHealth", "getDescription", "importLines",
		"cancelPrices", "cancelPlatformPrices"} // like the other changes of a book, of a version that is ahead
	for _, row := range api.Table() {
		if slices.Contains(elsewhere, row.ID) ||
			slices.ContainsFunc(special, func(s everyStep) bool { return s.name == row.ID && !s.refused }) {
			continue
		}
		by := map[api.Right]string{api.Operator: admin, api.Browser: aSession, api.Account: north, api.Master: north}[row.For]
		if row.Of == api.AJob {
			by = south
		}
		path, body := exampleOf(row)
		all = append(all, everyStep{name: row.ID, by: by, path: path, body: body})
	}
	return all
}

// exampleOf returns the example of a row, about what ready has made.
func exampleOf(row api.Row) (path, body string) {
	by := api.Reseller{Username: north, Password: "password", Webhook: 1, Key: 2, Member: 1, Job: 1}
	line := api.Line{ID: 2, Username: "official", Password: "1234"}
	if row.Of == api.ATrial {
		line.ID = 1
	}
	example := row.Example(by, api.Reseller{ID: 3, Username: south, Password: "password"}, line)
	if example.Body != nil {
		body = spelled(example.Body)
	}
	return example.Path, body
}

// TestOperationsWithAWeightAreDrawn checks that a year draws these operations and no others. A change without a weight
// needs a reason in its row.
func TestOperationsWithAWeightAreDrawn(t *testing.T) {
	t.Parallel()
	drawn := operations()
	for _, row := range api.Table() {
		if is := slices.ContainsFunc(drawn, func(o *operation) bool { return o.ID == row.ID }); is != (row.Weight > 0) {
			t.Errorf("%s is drawn: %t, and has the weight %d", row.ID, is, row.Weight)
		}
		if row.Method != http.MethodGet && row.Weight == 0 && row.Unmodelled == "" {
			t.Errorf("%s changes something, and nothing says why it is not simulated", row.ID)
		}
	}
}

// failing has one call of a port fail, and counts them all.
type failing struct {
	at      int // which one, from 0; -1: none
	how     verdict
	calls   []call
	failed  bool
	signsIn bool
	waits   bool   // for its updates of sessions
	look    func() // at the stored records, before each call that changes something; nil: no look
}

func (f *failing) called(_ context.Context, c call) verdict {
	f.calls = append(f.calls, c)
	if f.look != nil && c.effect {
		f.look()
	}
	if len(f.calls)-1 == f.at {
		return f.how
	}
	return fine
}

func (f *failing) reads()                       { f.failed = false } // an earlier run counts for nothing
func (f *failing) unanswered()                  { f.failed = true }
func (f *failing) begins() bool                 { return f.signsIn || f.waits }
func (f *failing) enter(context.Context) bool   { return true }
func (f *failing) leave()                       {}
func (f *failing) later() bool                  { return false }
func (f *failing) wrote(any)                    {}
func (f *failing) kept()                        {}
func (f *failing) dropped(time.Time, time.Time) {}
func (f *failing) stored(changes)               {}

// hides reports whether a call has changed values that stored leaves out: an id was assigned, or a session was used.
func (f *failing) hides() bool {
	return slices.ContainsFunc(f.calls, func(c call) bool {
		return c.name == "UseSession" || strings.HasPrefix(c.name, "NextID")
	})
}

// oneService is a process over a store that fails as hooks say. Its randomness and its hashes are always the same, and
// it seals nothing, so that stored records can be compared.
type oneService struct {
	*inprocess.Service
	hooks   hooks // nil: nothing fails
	keyring *servicekey.Keyring
	made    int // what the generator has made
	begun   int // sessions
	now     time.Time
}

func newService(t testing.TB, store ports.Store, h hooks, now time.Time) *oneService {
	t.Helper()
	keyring, err := servicekey.New(profile.NewSecret("the service key of every call that fails"))
	if err != nil {
		t.Fatal(err)
	}
	s := &oneService{hooks: h, keyring: keyring, now: now}
	if h != nil {
		store = &port{viewed{store, &port{hooks: h}}, h}
	}
	s.Service, err = inprocess.New(store, inprocess.At(func() time.Time { return s.now }), func(p *inprocess.Parts) {
		p.Generator, p.Hasher, p.Tokens, p.Vault, p.Policy.TrialsPerDay = s, inprocess.PlainHasher{Salt: s.salt},
			keyring, s, 1
		p.Codes, p.Policy.ExpiringDays = codes{}, expiringDays
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *oneService) Seal(plain []byte, label string) ([]byte, error) {
	if s.hooks != nil {
		if err := keyKnown(s.hooks); err != nil {
			return nil, err
		}
	}
	return append([]byte(label+": "), plain...), nil
}

func (s *oneService) Open(sealed []byte, label string) ([]byte, error) {
	plain, is := bytes.CutPrefix(sealed, []byte(label+": "))
	if !is {
		return nil, fmt.Errorf("%q is not sealed as %s", sealed, label)
	}
	return plain, nil
}

func (*oneService) Renew(sealed []byte, _ string) ([]byte, bool, error) { return sealed, false, nil }
func (*oneService) Digest(content []byte) []byte                        { return content }
func (*oneService) Digested(digest, content []byte) (bool, error) {
	return bytes.Equal(digest, content), nil
}

func (s *oneService) LineUsername() profile.Username {
	s.made++
	return fixture.Name(fmt.Sprintf("generated%d-%d", s.made, s.now.Unix()))
}

func (s *oneService) LinePassword() profile.Secret { return profile.NewSecret("generated") }

func (s *oneService) Generation() (g reseller.Generation) {
	s.made++
	g[0], g[1] = byte(s.made), byte(s.now.Unix())
	copy(g[2:], "generation")
	return g
}

func (s *oneService) SessionSecret() profile.Secret {
	s.begun++
	return profile.NewSecret(secretOf(s.begun, s.now))
}

func (s *oneService) RecoveryCode() profile.Secret {
	s.made++
	return profile.NewSecret(fmt.Sprintf("code-%012d", s.made))
}

// WebhookSecret implements ports.Generator. It is made in the transaction, which may be run again.
func (s *oneService) WebhookSecret() profile.Secret {
	return profile.NewSecret(fmt.Sprintf("whsec_%043d=", s.now.UnixMilli()))
}

// salt is another one for each hash.
func (s *oneService) salt() string {
	s.made++
	return fmt.Sprintf("%d-%d", s.now.Unix(), s.made)
}

// everyKeyMade is the number of the secret of the key that north has.
const everyKeyMade = 5

// secretOf is the secret of the session, or of the principal, that a service begins as its nth, at an instant.
func secretOf(n int, at time.Time) string { return fmt.Sprintf("%042d%d", at.Unix(), n) }

var everyNow = fixture.Time("2028-01-31T12:00:00.001Z")

// ready makes the records that the requests of the tables are about. Below an admin is north, with 100 credits. Below
// north are south, with 5 credits, a suspended trial, an official line and a job that resumes them, and a blocked
// reseller. North has two webhooks, the second disabled, a staff member, and a key that has spent some of its limit.
// North has begun to set up a second factor; south and the staff member have one. North's low-balance alert is one
// change away, and south's was sent. A process holds the lease of the background work, and has begun to send reminders.
func ready(t testing.TB) kept {
	t.Helper()
	store := memstore.New()
	s := newService(t, store, nil, everyNow.Add(-time.Hour))
	if err := s.Admins.Create(t.Context(), fixture.Name(admin), profile.NewSecret("password")); err != nil {
		t.Fatal(err)
	}
	sent := 0
	send := func(by, method, path, body string) {
		t.Helper()
		sent++
		if got := s.send(t, store, by, method, path, body, fmt.Sprintf("of-old-%d", sent)); got.status >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, got.status, got.body)
		}
	}
	send(admin, "POST", "/users",
		`{"username":"north","password":"password","is_master":1,"credits":"100","country":"BR"}`)
	send(north, "POST", "/users", `{"username":"south","password":"password","is_master":0,"credits":"5","country":"BR"}`)
	send(north, "POST", "/users", `{"username":"east","password":"password","is_master":0,"credits":"0","country":"BR"}`)
	send(north, "PUT", "/users/4/block", `{"lines":"suspend"}`)
	for _, ago := range []time.Duration{100 * time.Hour, 50 * time.Hour} { // the allowance of south is not to be spent
		s.now = everyNow.Add(-ago)
		send(south, "POST", "/lines/test", "")
	}
	s.now = everyNow.Add(-time.Hour)
	send(south, "PATCH", "/lines/active/2",
		`{"username":"official","password":"1234","credits":0.5,"country":"BR","external_id":"crm-2"}`)
	send(north, "POST", "/webhooks", `{"url":"https://hooks.example/","types":["*"],"scope":"tree"}`)
	send(north, "POST", "/webhooks",
		`{"url":"https://hooks.example/","types":["line.*"],"scope":"own","description":"disabled"}`)
	send(north, "PATCH", "/webhooks/2", `{"enabled":false}`)
	send(north, "PUT", "/users/2/alerts", `{"balance_low":"94"}`)
	send(north, "PUT", "/users/3/alerts", `{"balance_low":"5"}`)
	if _, err := s.Leases.Change(t.Context(), func(l lease.Lease) (lease.Lease, bool) {
		return l.Take(atWork), true
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reminders.Send(t.Context(), atWork, 0, 1); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		send("", "POST", "/auth/session", `{"username":"north","password":"password"}`)
	}
	send("", "POST", "/auth/session", `{"username":"south","password":"password"}`)
	send(north, "POST", "/staff",
		`{"username":"member","password":"password","role":"support","spend_limit":{"credits":"1","per":"day"}}`)
	send("", "POST", "/auth/session", `{"username":"member","password":"password"}`)
	for _, by := range []string{aSession, ofSouth, "session 4"} {
		if send(by, "POST", "/auth/totp", `{"password":"password"}`); by != aSession {
			send(by, "POST", "/auth/totp/confirm", `{"code":"`+codeAt(s.now)+`"}`)
		}
	}
	send(north, "PUT", "/lines/1/suspension", `{"reason":"asked for"}`)
	send(south, "POST", "/bulk", `{"action":"resume","select":{"ids":[1,2,9]},"expect":{"count":2,"total":"0"}}`)
	send(north, "POST", "/keys", `{"name":"a key","role":"manager","spend_limit":{"credits":"20","per":"day"}}`)
	s.now = everyNow.Add(-time.Second)
	send(keyOfNorth, "PATCH", "/users/credits/4", `{"credits":1}`)
	s.now = everyNow.Add(30 * time.Minute) // a clock that is ahead
	send(north, "POST", "/lines/test", "")
	return store
}

// send sends a request to the handler under a key, "" for none. The token comes directly from the store, without the
// failing ports.
func (s *oneService) send(t testing.TB, store ports.Store, by, method, path, body, key string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.RemoteAddr = "10.0.0.1:4000"
	r.Header.Set("X-Request-Id", "request")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	number := 0
	if _, err := fmt.Sscanf(by, "session %d", &number); err == nil {
		r.Header.Set("Cookie", "__Host-"+api.CookieName("")+"="+secretOf(number, everyNow.Add(-time.Hour)))
	} else if by == keyOfNorth {
		r.Header.Set("Authorization", "Bearer rsk_2_"+secretOf(everyKeyMade, everyNow.Add(-time.Hour)))
	} else if by != "" {
		err := store.View(t.Context(), func(ctx context.Context, snapshot ports.Snapshot) error {
			found, err := snapshot.Resellers.FindByUsername(ctx, fixture.Name(by))
			if err == nil {
				r.Header.Set("Authorization", "Bearer "+
					s.keyring.Issue(ports.Token{Reseller: found.ID(), Generation: found.Token()}).Reveal())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w := api.NewRecorder()
	s.Handler.ServeHTTP(w, r)
	return answer{status: w.Code, header: w.Header(), body: w.Body.Bytes()}
}

// stored is all that a store has recorded, but when a session was used.
func stored(t testing.TB, store kept) string {
	t.Helper()
	var b strings.Builder
	err := store.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		resellers, err1 := r.Resellers(ctx, 0, everything)
		lines, err2 := r.Lines(ctx, 0, everything)
		tombstones, err3 := r.Tombstones(ctx, 0, everything)
		movements, err4 := r.Movements(ctx, 0, everything)
		keys, err5 := r.KeyRecords(ctx, 0, "", everything)
		entries, err6 := r.Entries(ctx, 0, everything)
		for _, found := range resellers {
			fmt.Fprintf(&b, "%+v\n", found.Record.State())
		}
		for _, found := range lines {
			fmt.Fprintf(&b, "%+v\n", found.Record.State())
		}
		fmt.Fprintf(&b, "%+v\n%+v\n", tombstones, movements)
		for _, k := range keys {
			fmt.Fprintf(&b, "%d %s %s %d %s %s\n", k.Reseller, k.Key, k.Request, k.Status, k.Body, k.Expires)
		}
		for _, found := range entries {
			fmt.Fprintln(&b, spelled(journals.Shown(&found.Record)))
		}
		for _, of := range ports.Kinds() {
			all, err := r.OfKind(ctx, of, "", everything)
			err6 = errors.Join(err6, err)
			for _, found := range all {
				v, err := of.Read(found.Payload)
				err6 = errors.Join(err6, err)
				if s, is := v.(*session.Session); is {
					fmt.Fprintln(&b, s.ID, s.Created)
				} else {
					fmt.Fprintln(&b, of.Show(found.Key), found.Payload)
				}
			}
		}
		return errors.Join(err1, err2, err3, err4, err5, err6)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	for i, step := range everySteps() {
		t.Run(fmt.Sprintf("%d %s", i, step.name), func(t *testing.T) {
			t.Parallel()
			step.everyCall(t)
		})
	}
}

// run takes the step, over a store whose calls fail as hooks say.
func (step everyStep) run(t *testing.T, store kept, h hooks, now time.Time) answer {
	t.Helper()
	s := newService(t, store, h, now)
	if step.do == nil {
		return s.send(t, store, step.by, api.RowOf(step.name).Method, step.path, step.body, step.key())
	}
	switch err := step.do(t.Context(), s); {
	case err == nil:
		return answer{status: http.StatusOK}
	case errors.Is(err, ports.ErrUnavailable):
		return answer{status: http.StatusServiceUnavailable}
	default:
		return answer{status: http.StatusConflict, body: []byte(err.Error())}
	}
}

func (step everyStep) key() string {
	if step.do == nil && api.RowOf(step.name).Keyed {
		return "the-key"
	}
	return ""
}

// everyCall has each call fail that the step makes, in each way.
func (step everyStep) everyCall(t *testing.T) {
	t.Helper()
	signsIn, good := step.name == "signIn", ready(t)
	states := []string{stored(t, good)} // between the transactions
	way := &failing{at: -1, signsIn: signsIn, waits: step.do != nil}
	way.look = func() { states = append(states, stored(t, good)) }
	want := step.run(t, good, way, everyNow)
	states = append(states, stored(t, good))
	was, is := states[0], states[len(states)-1]
	if refused := want.status >= http.StatusMultipleChoices; want.status >= http.StatusInternalServerError ||
		len(way.calls) == 0 || refused != step.refused || step.key() != "" && !refused && is == was {
		t.Fatalf("without a fault: %d %s after %d calls", want.status, want.body, len(way.calls))
	}
	spare := ready(t) // which a call may leave as it was
	for at, c := range way.calls {
		ways := []verdict{before}
		if c.effect {
			ways = append(ways, after)
		}
		if c.work {
			ways = append(ways, twice)
		}
		for _, how := range ways {
			if !step.oneCall(t, spare, &failing{at: at, how: how, signsIn: signsIn, waits: step.do != nil}, want, states) {
				spare = ready(t)
			}
			if t.Failed() {
				t.Fatalf("call %d, %s, %s", at, c.name, how)
			}
		}
	}
	if now := stored(t, spare); now != was {
		t.Errorf("stored is\n%s\nwant\n%s", now, was)
	}
}

// oneCall takes the step while one call fails, and compares the answer and the records with those of a step without a
// failure. It reports whether the store is unchanged.
func (step everyStep) oneCall(t *testing.T, store kept, hooks *failing, want answer,
	states []string) (unused bool) {
	t.Helper()
	was, is := states[0], states[len(states)-1]
	got := step.run(t, store, hooks, everyNow)
	if was == is { // it only answers, and the answer may show that the use of a session was not stored
		same := bytes.Equal(got.body, want.body) || hooks.calls[hooks.at].name == "UseSession"
		if failed := got.status == http.StatusServiceUnavailable; hooks.failed != failed ||
			!failed && (got.status != want.status || !same) {
			t.Errorf("a port was unavailable: %t, answered %d %s, want %d %s", hooks.failed, got.status, got.body, want.status,
				want.body)
		}
		return !hooks.hides()
	}
	now := stored(t, store)
	if !slices.Contains(states, now) {
		t.Errorf("the stored records match no moment between two transactions:\n%s\nwas\n%s\nto be\n%s", now, was, is)
	}
	failed := got.status == http.StatusServiceUnavailable
	if hooks.failed != failed && !hooks.signsIn { // no client waits for the steps after a sign-in
		t.Errorf("a port was unavailable: %t, and the answer is %d %s", hooks.failed, got.status, got.body)
	}
	if !failed && (got.status != want.status || !hooks.signsIn && !bytes.Equal(got.body, want.body) || now != is) {
		t.Errorf("answered %d %s, want %d %s, and the stored records are right: %t", got.status, got.body, want.status,
			want.body, now == is)
	}
	report := func(finding string) { t.Error(finding) }
	if _, err := audit.Run(t.Context(), store, audit.Options{Report: report}); err != nil {
		t.Error(err)
	}
	if now == was && !hooks.hides() {
		return true // a retry is the first one
	}

	// Another process, whose calls do not fail, gets the request again.
	later := everyNow
	if hooks.signsIn {
		later = later.Add(time.Second) // and makes another secret
	}
	retried := step.run(t, store, nil, later)
	then := stored(t, store)
	done, keyed := now == is && is != was && !step.refused, step.key() != ""
	status := want.status
	if done && step.after != 0 {
		status = step.after
	} else if done && step.then != nil {
		status = http.StatusConflict
	}
	if retried.status != status {
		t.Errorf("the retry is answered %d %s, want %d", retried.status, retried.body, status)
	}
	if replayed := retried.header.Get("Idempotency-Replayed") == "true"; keyed && replayed != done ||
		replayed && (then != is || !bytes.Equal(retried.body, want.body)) {
		t.Errorf("the retry is replayed: %t, and took effect before: %t: %s, stored\n%s\nwas\n%s", replayed, done,
			retried.body, then, is)
	}
	return false
}
