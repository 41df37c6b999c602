package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/adapters/servicekey"
	"resellerd/adapters/sqlitestore"
	"resellerd/application/audit"
	"resellerd/application/webhooks"
	"resellerd/domain/bulk"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/api"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
	"resellerd/test/journals"
)

// Every call fails: for each operation of the API, and for what an operator does, each call of a port fails once, in
// each way that it may. What is stored then is what was stored before, or what the operation makes of it, and never
// anything between. The answer is that of the operation, or 503; and who asks again under the same key is told which.

// specialRequests are for operations of the API of which the example is not enough, on what ready has made.
var specialRequests = []everyRow{
	{"changePassword", north, "/auth/password", `{"password":"password","new_password":"another password"}`},
	{"createReseller", north, "/users",
		`{"username":"new","password":"password","is_master":1,"credits":"2.5","country":"BR"}`},
	{"updateReseller", north, "/users/3",
		`{"username":"west","password":"another password","country":"PT","whatsapp":"1"}`},
	{"addCredits", north, "/users/credits/3", `{"credits":2.5,"notes":"more"}`},
	{"blockReseller", north, "/users/3/block", ""},
	{"blockReseller", north, "/users/4/block", `{"lines":"suspend","reason":"unpaid"}`}, // on other terms
	{"unblockReseller", north, "/users/4/block", ""},
	{"createTrial", south, "/lines/test", `{"notes":"on trial","external_id":"crm-1"}`},
	{"activateLine", north, "/lines/active/1", `{"username":"client","password":"1234","credits":3,"country":"BR"}`},
	{"editLine", north, "/lines/2", `{"username":"renamed","password":"4321","whatsapp":"1","country":"PT"}`},
	{"describeLine", north, "/lines/1/details", `{"external_id":"crm-1","metadata":{"plan":"gold"}}`},
	{"resumeLine", south, "/lines/1/suspension", ""},
	{"startBulk", north, "/bulk",
		`{"action":"extend","select":{"filter":{"isTrial":0}},"params":{"credits":0.5},"expect":{"count":1,"total":"0.5"}}`},
	{"exportLines", north, "/exports/lines?q=o", ""},
	{"exportLedger", north, "/exports/ledger?account=3", ""},
	{"listEntitlements", north, "/entitlements?limit=1", ""},
	{"listResellers", north, "/users?tree=2", ""},
	{"getBalance", north, "/users/3/balance?at=2026-01-01T00:00:00Z", ""},
	{"getSummary", north, "/reports/summary?tree=2&days=7", ""},
	{"listLines", north, "/lines?owner=3&status=1", ""},
	{"listEvents", north, "/events?order=desc&account=3&type=line.*", ""},
	{"updateWebhook", north, "/webhooks/2", `{"types":["*"],"enabled":true}`},
	{"replayWebhook", north, "/webhooks/1/replay", `{"after_seq":3}`},
	{"createKey", south, "/keys", `{"name":"a bot","scopes":["lines:read"],"allowed_addresses":["10.0.0.0/8"]}`},
	{"updateKey", north, "/keys/2", `{"role":"support","spend_limit":{"credits":"10","per":"day"}}`},
	{"createStaff", south, "/staff", `{"username":"clerk","password":"password","role":"cashier"}`},
	{"updateStaff", north, "/staff/1", `{"username":"renamed","password":"another password"}`},
	{"addCredits", keyOfNorth, "/users/credits/3", `{"credits":2.5}`}, // like any other by a key that has a limit
}

// everyOperation has a request for each operation of the API that asks a port and needs no browser: the special ones,
// and the examples of all others.
func everyOperation() []everyRow {
	all := slices.Clone(specialRequests)
	for _, row := range api.Table() {
		special := slices.ContainsFunc(specialRequests, func(r everyRow) bool { return r.operation == row.ID })
		if special || row.For == api.Browser || slices.Contains(elsewhere, row.ID) {
			continue
		}
		by := map[api.Right]string{api.Anybody: "", api.Operator: admin}[row.For]
		if row.Of == api.AJob {
			by = south
		} else if row.For == api.Account || row.For == api.Master {
			by = north
		}
		path, body := exampleOf(row)
		all = append(all, everyRow{row.ID, by, path, body})
	}
	return all
}

// elsewhere are the operations that ask no port, that have several transactions, each of which
// application/lines/import_test.go ends, or that begin a session.
var elsewhere = []string{"getHealth", "getDescription", "importLines", "signIn"}

// exampleOf returns the example of a row, about what ready has made.
func exampleOf(row api.Row) (path, body string) {
	by := api.Reseller{Username: north, Password: "password", Webhook: 1, Key: 2, Member: 1, Job: 1}
	line := api.Line{ID: 2, Username: "official", Password: "1234"}
	if row.Of == api.ATrial {
		line.ID = 1
	}
	example := row.Example(by, api.Reseller{ID: 3, Username: south, Password: "password"}, line)
	if example.Body == nil {
		return example.Path, ""
	}
	text, err := json.Marshal(example.Body)
	if err != nil {
		panic(err)
	}
	return example.Path, string(text)
}

// sessionRow is a request by a session, or in a browser that has one: the first of the two that north has, unless it
// says another one.
type sessionRow struct {
	operation string
	cookie    bool
	path      string
	body      string
	after     int // status of a retry where everything had happened
	by        int // number of the session
}

// ofSouth is the number of the session of south.
const ofSouth = 3

// everySecret is that of each second factor.
const everySecret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

// specialSessions are the requests of browsers of which the example is not enough.
var specialSessions = []sessionRow{
	{"signIn", false, "/auth/session", `{"username":"north","password":"password"}`, 201, 0},
	{"signIn", true, "/auth/session", `{"username":"north","password":"password"}`, 201, 0},
	{"signOut", true, "/auth/session", "", 401, 0},
	{"endSession", true, "/auth/sessions/" + string(session.IDOf(secretOf(2, everyNow.Add(-time.Hour)))), "", 404, 0},
	{"addCredits", true, "/users/credits/3", `{"credits":2.5}`, 200, 0}, // like any other by a session
	{"changePassword", true, "/auth/password", `{"password":"password","new_password":"another password"}`, 200, 0},
	{"confirmTOTP", true, "/auth/totp/confirm", `{"code":"` + codeAt(everySecret, everyNow) + `"}`, 200, 0},
	{"removeTOTP", true, "/auth/totp", `{"password":"password","totp":"` + codeAt(everySecret, everyNow) + `"}`,
		200, ofSouth},
	// the code is used up
	{"signIn", false, "/auth/session", `{"username":"south","password":"password","totp":"` +
		codeAt(everySecret, everyNow) + `"}`, 401, 0},
}

// everySessionOperation has a request for each operation that needs a browser.
func everySessionOperation() []sessionRow {
	all := slices.Clone(specialSessions)
	for _, row := range api.Table() {
		special := slices.ContainsFunc(specialSessions, func(r sessionRow) bool { return r.operation == row.ID })
		if row.For == api.Browser && !special {
			path, body := exampleOf(row)
			all = append(all, sessionRow{row.ID, true, path, body, 200, 0})
		}
	}
	return all
}

type everyRow struct {
	operation string // its operationId
	by        string // name of the account that asks
	path      string
	body      string
}

const admin, north, south = "admin", "north", "south"

// keyOfNorth is a key in place of an account.
const keyOfNorth = "a key of north"

// atWork is the process that holds the lease.
const atWork = "a process"

// refusedOperations are more requests for operations of the table: a refusal may not hide behind a fault, nor a fault
// behind a refusal, and what a refusal keeps is kept whole.
var refusedOperations = []everyRow{
	{"createTrial", north, "/lines/test", ""}, // its allowance is spent, by a clock that was ahead
	{"activateLine", south, "/lines/active/1", `{"username":"client","password":"1234","credits":10,"country":"BR"}`},
	{"createReseller", south, "/users",
		`{"username":"new","password":"password","is_master":1,"credits":"2.5","country":"BR"}`},
	{"describeLine", south, "/lines/1/details", `{"external_id":"crm-2","notes":"of another line"}`},
	{"setAlerts", admin, "/users/1/alerts", `{"balance_low":"10"}`},
	{"setMessages", south, "/users/2/messages", `{"access":"of another account"}`},
	{"getService", north, "/service", ""},
	{"letIn", south, "/radius/users/nobody", ""},
	{"createWebhook", north, "/webhooks", `{"url":"http://hooks.example/","types":["*"],"scope":"own"}`},
	{"testWebhook", north, "/webhooks/2/test", ""}, // it is disabled
}

// TestOperationsWithAWeightAreDrawn and no others. A change without one says why, or goes on by itself.
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
	at     int // which one, from 0; -1: none
	how    verdict
	calls  []call
	failed bool
}

func (f *failing) called(_ context.Context, c call) verdict {
	f.calls = append(f.calls, c)
	if len(f.calls)-1 == f.at {
		return f.how
	}
	return fine
}

func (f *failing) enter(context.Context) bool   { return true }
func (f *failing) leave()                       {}
func (f *failing) reads()                       { f.failed = false } // what an earlier run met counts for nothing
func (f *failing) later() bool                  { return false }
func (f *failing) wrote(any)                    {}
func (f *failing) kept()                        {}
func (f *failing) dropped(time.Time, time.Time) {}
func (f *failing) waits(time.Duration)          {}
func (f *failing) unanswered()                  { f.failed = true }

var everyKey = profile.NewSecret("the service key of every call that fails")

// oneService is a process over a store that fails as hooks say. Its randomness and its hashes are always the same.
type oneService struct {
	*inprocess.Service
	keyring *servicekey.Keyring
	made    int // what the generator has made
	begun   int // sessions
	now     time.Time
}

func newService(t testing.TB, store ports.Store, now time.Time) *oneService {
	t.Helper()
	keyring, err := servicekey.New(everyKey)
	if err != nil {
		t.Fatal(err)
	}
	s := &oneService{keyring: keyring, now: now}
	sealing := ports.Vault(keyring)
	if failing, is := store.(*port); is {
		sealing = vault{keyring, failing.hooks}
	}
	clock := func() time.Time { return s.now }
	s.Service, err = inprocess.New(store, inprocess.At(clock), func(p *inprocess.Parts) {
		p.Generator, p.Hasher, p.Tokens, p.Vault, p.Policy.TrialsPerDay = s, inprocess.PlainHasher{Salt: s.salt},
			keyring, sealing, 1
		p.Codes, p.Policy.ExpiringDays = codes{next: func() string { return everySecret }}, expiringDays
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// LineUsername implements ports.Generator.
func (s *oneService) LineUsername() profile.Username {
	s.made++
	return fixture.Name(fmt.Sprintf("generated%d-%d", s.made, s.now.Unix()))
}

// LinePassword implements ports.Generator.
func (s *oneService) LinePassword() profile.Secret { return profile.NewSecret("generated") }

// Generation implements ports.Generator.
func (s *oneService) Generation() (g reseller.Generation) {
	s.made++
	g[0], g[1] = byte(s.made), byte(s.now.Unix())
	copy(g[2:], "generation")
	return g
}

// SessionSecret implements ports.Generator.
func (s *oneService) SessionSecret() profile.Secret {
	s.begun++
	return profile.NewSecret(secretOf(s.begun, s.now))
}

// RecoveryCode implements ports.Generator.
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

// archived is a store that can be looked into.
type archived interface {
	ports.Store
	ports.Archive
}

var everyNow = fixture.Time("2028-01-31T12:00:00.001Z")

// ready makes what the requests of the tables are about: an admin, north below it with 100 credits, and below north
// south with 5 credits, a trial that is suspended and an official line, and a job that resumes them, and a reseller
// that is blocked. North has two webhooks, the second of which is disabled, somebody on its staff, and a key that has
// spent some of its limit; it has begun with a second factor, and south and who is on the staff have one. North is told
// once its balance is any lower, and south was told that its is low. A process holds the lease of what is done beside
// requests, and has begun to tell of lines.
func ready(t testing.TB, store ports.Store) {
	t.Helper()
	s := newService(t, store, everyNow.Add(-time.Hour))
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
	send(north, "PUT", "/users/4/block", "")
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
	for _, by := range []int{1, ofSouth, 4} {
		browser := func(operation, path, body string) {
			t.Helper()
			if got := s.sendByBrowser(t, sessionRow{operation, true, path, body, 0, by}, ""); got.status >= 300 {
				t.Fatalf("%s: %d %s", operation, got.status, got.body)
			}
		}
		if browser("beginTOTP", "/auth/totp", `{"password":"password"}`); by > 1 {
			browser("confirmTOTP", "/auth/totp/confirm", `{"code":"`+codeAt(everySecret, s.now)+`"}`)
		}
	}
	send(north, "PUT", "/lines/1/suspension", `{"reason":"asked for"}`)
	send(south, "POST", "/bulk", `{"action":"resume","select":{"ids":[1,2,9]},"expect":{"count":2,"total":"0"}}`)
	send(north, "POST", "/keys", `{"name":"a key","role":"manager","spend_limit":{"credits":"20","per":"day"}}`)
	s.now = everyNow.Add(-time.Second)
	send(keyOfNorth, "PATCH", "/users/credits/4", `{"credits":1}`)
	s.now = everyNow.Add(-time.Hour)
	s.now = s.now.Add(90 * time.Minute) // a clock that is ahead
	send(north, "POST", "/lines/test", "")
}

// send asks the handler on behalf of an account, "" for nobody, under a key, "" for none. Its token is made of what the
// store has, past every port that fails.
func (s *oneService) send(t testing.TB, kept ports.Store, by, method, path, body, key string) answer {
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
	if by == keyOfNorth {
		r.Header.Set("Authorization", "Bearer rsk_2_"+secretOf(everyKeyMade, everyNow.Add(-time.Hour)))
	} else if by != "" {
		err := kept.View(t.Context(), func(ctx context.Context, snapshot ports.Snapshot) error {
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

// sendByBrowser asks by the first session of north, or by none, under a key, "" for none.
func (s *oneService) sendByBrowser(t testing.TB, row sessionRow, key string) answer {
	t.Helper()
	method := api.RowOf(row.operation).Method
	r, err := http.NewRequestWithContext(t.Context(), method, row.path, strings.NewReader(row.body))
	if err != nil {
		t.Fatal(err)
	}
	r.RemoteAddr = "10.0.0.1:4000"
	r.Header.Set("X-Request-Id", "request")
	if row.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	if row.cookie {
		r.Header.Set("Cookie", "__Host-"+api.CookieName("")+"="+secretOf(max(1, row.by), everyNow.Add(-time.Hour)))
	}
	w := api.NewRecorder()
	s.Handler.ServeHTTP(w, r)
	return answer{status: w.Code, header: w.Header(), body: w.Body.Bytes()}
}

// sessionsIn names the sessions of north and south, and says how many entries the journal has: for one that begins, or
// that its account ends, it has another one.
func sessionsIn(t testing.TB, store ports.Store) string {
	t.Helper()
	var names []string
	var head journal.Head
	if err := store.View(t.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		names = nil
		for _, holder := range []int64{2, 3} {
			page, err := ports.SessionsByHolder.List(ctx, s.Records, record.Query{Equal: record.Tuple{holder}, Descending: true,
				Limit: 100})
			if err != nil {
				return err
			}
			for _, s := range page.Items {
				names = append(names, string(s.ID)+" of "+iso(s.Created))
			}
		}
		head, err = s.Journal.Head(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s after %d entries", strings.Join(names, ", "), head.Seq)
}

// watching is failing that tells what is stored before each call.
type watching struct {
	failing
	look   func() string
	states []string
}

func (w *watching) called(ctx context.Context, c call) verdict {
	w.states = append(w.states, w.look())
	return w.failing.called(ctx, c)
}

// TestEveryCallOfASessionFails has each call fail that a request by a session makes, or a sign-in. Each call of
// ports.Sessions is a transaction of its own: what is stored is what was there before the call, or after it, and who
// asks again is answered by what is there. A sign-in that nobody was told of leaves a session that nobody has the
// secret of.
func TestEveryCallOfASessionFails(t *testing.T) {
	t.Parallel()
	for kind, open := range makers(t) {
		for i, row := range everySessionOperation() {
			t.Run(fmt.Sprintf("%s/%d %s", kind, i, row.operation), func(t *testing.T) {
				t.Parallel()
				row.everyCall(t, open)
			})
		}
	}
}

func (row sessionRow) everyCall(t *testing.T, open func(t *testing.T) archived) {
	t.Helper()
	key := ""
	if api.RowOf(row.operation).Keyed {
		key = "the-key"
	}
	look := func(t *testing.T, store archived, keyring *servicekey.Keyring) string {
		t.Helper()
		records, _ := stored(t, store, keyring)
		return sessionsIn(t, store) + "\n" + records
	}
	good := open(t)
	defer func() { _ = good.Close() }()
	keyring := newService(t, good, everyNow).keyring
	way := &watching{failing: failing{at: -1}}
	way.look = func() string { return sessionsIn(t, good) }
	want := newService(t, &port{good, way, unwatched{row.operation == "signIn"}}, everyNow).sendByBrowser(t, row, key)
	way.states = append(way.states, sessionsIn(t, good))
	is := look(t, good, keyring)
	if want.status >= http.StatusBadRequest || len(way.calls) == 0 {
		t.Fatalf("without a fault: %d %s after %d calls", want.status, want.body, len(way.calls))
	}
	if uses := slices.ContainsFunc(way.calls, func(c call) bool {
		return c.name == "UseSession"
	}); uses != (row.cookie && row.operation != "signIn" && row.operation != "signOut") {
		t.Fatalf("without a fault the use of a session is kept: %t", uses)
	}
	for at, c := range way.calls {
		for _, how := range []verdict{before, after, again, twice} {
			if how == after && !c.effect || how > after && !c.work {
				continue
			}
			store := open(t)
			fail := func(format string, args ...any) {
				t.Helper()
				t.Errorf("call %d, %s, %s: %s", at, c.name, how, fmt.Sprintf(format, args...))
			}
			hooks := &failing{at: at, how: how}
			got := newService(t, &port{store, hooks, unwatched{row.operation == "signIn"}}, everyNow).sendByBrowser(t, row, key)
			now := sessionsIn(t, store)
			wanted := way.states[len(way.states)-1]
			if got.status == http.StatusServiceUnavailable {
				wanted = way.states[at]
				if how == after {
					wanted = way.states[at+1]
				}
				if how == after && c.name == "Update" { // whose work makes calls, too
					wanted = way.states[len(way.states)-1]
				}
			}
			if now != wanted {
				fail("answered %d, and there are the sessions %s, want %s", got.status, now, wanted)
			}
			// what comes after a sign-in nobody waits for
			if hooks.failed != (got.status == http.StatusServiceUnavailable) && got.status != http.StatusCreated {
				fail("a port was unavailable: %t, and the answer is %d %s", hooks.failed, got.status, got.body)
			}
			if !hooks.failed && c.name != "UseSession" &&
				(got.status != want.status || c.name != "UseSession" && !bytes.Equal(got.body, want.body)) {
				fail("%d %s, want %d %s", got.status, got.body, want.status, want.body)
			}
			// Another process, to which nothing happens, is asked again a second later.
			status := want.status
			if done := now == way.states[len(way.states)-1]; done && key == "" {
				status = row.after
			}
			retried := newService(t, store, everyNow.Add(time.Second)).sendByBrowser(t, row, key)
			if retried.status != status {
				fail("the retry is answered %d %s, want %d", retried.status, retried.body, status)
			}
			then, _, _ := strings.Cut(look(t, store, keyring), "\n")
			switch {
			case row.operation == "signIn" && status == http.StatusCreated:
				secret := session.IDOf(secretOf(1, everyNow.Add(time.Second)))
				if previous := session.IDOf(secretOf(1, everyNow.Add(-time.Hour))); !strings.Contains(then, string(secret)) ||
					row.cookie == strings.Contains(then, string(previous)) {
					fail("after the retry there are the sessions %s", then)
				}
			case then != way.states[len(way.states)-1]:
				fail("after the retry there are the sessions %s, want %s", then, way.states[len(way.states)-1])
			}
			if key != "" && look(t, store, keyring) != is && now == wanted && got.status == want.status {
				fail("the retry changed what is stored:\n%s\nwas\n%s", look(t, store, keyring), is)
			}
			if err := store.Close(); err != nil {
				fail("%v", err)
			}
			if t.Failed() {
				return
			}
		}
	}
}

// stored is all that a store has recorded, in the clear. The first text has every record as it is; the second one tells
// the records apart by their order in place of their ids, of which a call that failed may have taken one.
func stored(t testing.TB, store archived, keyring *servicekey.Keyring) (exact, shape string) {
	t.Helper()
	var b, shapes strings.Builder
	tell := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	open := func(sealed []byte, label string) string {
		plain, err := keyring.Open(sealed, label)
		if err != nil {
			t.Errorf("%s: %v", label, err)
		}
		return string(plain)
	}
	err := store.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		resellers, err1 := r.Resellers(ctx, 0, everything)
		lines, err2 := r.Lines(ctx, 0, everything)
		tombstones, err3 := r.Tombstones(ctx, 0, everything)
		movements, err4 := r.Movements(ctx, 0, everything)
		keys, err5 := r.KeyRecords(ctx, 0, "", everything)
		for _, found := range resellers {
			s := found.Record.State()
			tell("%+v", s)
			fmt.Fprintf(&shapes, "%s %s %s %s %d %t %v %v %v %s\n", s.Username, s.PasswordHash, s.Role, s.Credits, s.Tip.Seq,
				s.Blocked, s.Block.Terms, s.Trials, s.Contact, s.UpdatedAt)
		}
		for _, found := range lines {
			s := found.Record.State()
			password := open(s.Password, "line/["+strconv.FormatInt(s.ID, 10)+"]")
			s.Password = nil
			tell("%+v %s", s, password)
			fmt.Fprintf(&shapes, "%d %s %s %t %s %t %v %s %s\n", s.Owner.ID, s.Username, password, s.Trial, s.ExpiresAt,
				s.Edited, s.Suspension, s.ExternalID, s.Metadata)
		}
		for _, found := range tombstones {
			tell("%+v", found.Record)
			fmt.Fprintf(&shapes, "%+v\n", found.Record)
		}
		for _, found := range movements {
			m := found.Record
			tell("%+v", m)
			fmt.Fprintf(&shapes, "%s %q %q %s %d %d", m.Operation, m.Source.System(), m.Target.System(), m.Amount,
				m.Line, m.Actor)
			for _, p := range m.Postings {
				fmt.Fprintf(&shapes, " %d %s", p.Seq, p.Balance)
			}
			shapes.WriteByte('\n')
		}
		for _, k := range keys {
			body := open(k.Body, fmt.Sprintf("key/[%d %s]", k.Reseller, k.Key))
			tell("%d %s %x %d %s %s", k.Reseller, k.Key, k.Request, k.Status, body, k.Expires)
			fmt.Fprintf(&shapes, "%d %s %d %s\n", k.Reseller, k.Key, k.Status, k.Expires)
		}
		entries, err6 := r.Entries(ctx, 0, everything)
		for _, found := range entries {
			n := found.Record
			tell("%s", spelled(journals.Shown(&n)))
			fmt.Fprintf(&shapes, "%s %s %d %v\n", n.Type, iso(n.At), n.Version, n.Changes)
		}
		for _, of := range ports.Kinds() {
			if of == ports.Sessions.Kind {
				continue
			}
			kept, err := r.OfKind(ctx, of, "", everything)
			err6 = errors.Join(err6, err)
			for _, found := range kept {
				v, err := of.Read(found.Payload)
				err6 = errors.Join(err6, err)
				switch w := v.(type) {
				case *webhook.Webhook:
					secrets := open(w.Secret, ports.Webhooks.Label(w.ID, "secret"))
					if w.Previous != nil {
						secrets += " " + open(w.Previous, ports.Webhooks.Label(w.ID, "previous"))
					}
					w.Secret, w.Previous = nil, nil
					tell("%+v %s", w, secrets)
					fmt.Fprintf(&shapes, "%s %q %s %s %t %s %s\n", w.URL, w.Types, w.Scope, w.Description, w.Enabled,
						w.Created, secrets)
				case *webhook.Progress:
					tell("%+v", w)
					w.Webhook = 0
					fmt.Fprintf(&shapes, "%+v\n", w)
				case *profile.NameClaim:
					tell("%+v", w)
					named := slices.ContainsFunc(resellers, func(r ports.Audited[*reseller.Reseller]) bool {
						return r.ID == w.ID && r.Record.State().Username.Key() == w.Folded
					})
					fmt.Fprintf(&shapes, "%s %t, by its account: %t\n", w.Folded, w.Staff, named)
				case *principal.Principal:
					tell("%+v", w)
					w.ID, w.Secret, w.PasswordHash = 0, principal.Digest{}, ""
					fmt.Fprintf(&shapes, "%+v\n", w)
				case *bulk.Job:
					tell("%+v", w)
					w.ID = 0
					fmt.Fprintf(&shapes, "%+v\n", w)
				case *bulk.Part:
					tell("%+v", w)
					w.Job = 0
					fmt.Fprintf(&shapes, "%+v\n", w)
				case *secondfactor.Factor:
					for field, sealed := range map[string]*[]byte{"secret": &w.Secret, "pending": &w.Pending} {
						if len(*sealed) > 0 {
							*sealed = []byte(open(*sealed, ports.SecondFactors.Label(w.Of, field)))
						}
					}
					tell("%+v", w)
					fmt.Fprintf(&shapes, "%+v\n", w)
				default:
					tell("%s %s", of.Show(found.Key), found.Payload)
					fmt.Fprintf(&shapes, "%s %s\n", of.Name(), found.Payload)
				}
			}
		}
		return errors.Join(err1, err2, err3, err4, err5, err6)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), shapes.String()
}

// makers returns, for each kind of store, what makes one on which the tables' requests can be asked, again and again.
func makers(t *testing.T) map[string]func(t *testing.T) archived {
	t.Helper()
	readied := filepath.Join(t.TempDir(), "ready.db")
	store, err := sqlitestore.Open(t.Context(), readied)
	if err != nil {
		t.Fatal(err)
	}
	ready(t, store)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(readied)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func(t *testing.T) archived{
		"memory": func(t *testing.T) archived {
			t.Helper()
			store := memstore.New()
			ready(t, store)
			return store
		},
		"sqlite": func(t *testing.T) archived {
			t.Helper()
			path := filepath.Join(t.TempDir(), "copy.db")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			store, err := sqlitestore.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			return store
		},
	}
}

func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	for kind, open := range makers(t) {
		for i, row := range slices.Concat(everyOperation(), refusedOperations) {
			t.Run(fmt.Sprintf("%s/%d %s", kind, i, row.operation), func(t *testing.T) {
				t.Parallel()
				row.everyCall(t, open)
			})
		}
	}
}

// everyCall has each call fail that the row's request makes.
func (row everyRow) everyCall(t *testing.T, open func(t *testing.T) archived) {
	t.Helper()
	method := api.RowOf(row.operation).Method
	key := ""
	if api.RowOf(row.operation).Keyed {
		key = "the-key"
	}
	ask := func(t *testing.T, store archived, hooks hooks) answer {
		t.Helper()
		return newService(t, &port{store, hooks, unwatched{}}, everyNow).send(t, store, row.by, method, row.path,
			row.body, key)
	}

	// What there was, what there is to be, and the calls on the way.
	good := open(t)
	defer func() { _ = good.Close() }()
	keyring := newService(t, good, everyNow).keyring
	was, wasShape := stored(t, good, keyring)
	way := &failing{at: -1}
	want := ask(t, good, way)
	is, isShape := stored(t, good, keyring)
	if want.status >= http.StatusInternalServerError || len(way.calls) == 0 {
		t.Fatalf("without a fault: %d %s after %d calls", want.status, want.body, len(way.calls))
	}
	if want.status >= http.StatusMultipleChoices && !slices.Contains(refusedOperations, row) {
		t.Fatalf("without a fault it is refused: %d %s", want.status, want.body)
	}
	if changed := is != was; changed != (key != "" && want.status < 300) && want.status != http.StatusTooManyRequests {
		t.Fatalf("without a fault: %d %s, and something changed: %t", want.status, want.body, changed)
	}

	for at, c := range way.calls {
		ways := []verdict{before}
		if c.effect {
			ways = append(ways, after)
		}
		if c.work {
			ways = append(ways, again, twice)
		}
		for _, how := range ways {
			store := good // which who only reads leaves as it is
			if key != "" {
				store = open(t)
			}
			hooks := &failing{at: at, how: how}
			fail := func(format string, args ...any) {
				t.Helper()
				t.Errorf("call %d, %s, %s: %s", at, c.name, how, fmt.Sprintf(format, args...))
			}
			got := ask(t, store, hooks)
			now, _ := stored(t, store, keyring)
			switch {
			case now != was && now != is:
				fail("what is stored is neither what was there nor what was to be:\n%s\nwas\n%s\nto be\n%s", now, was, is)
			case got.status == http.StatusServiceUnavailable && (how == before || how == after) && c.name != "return of Update":
			case got.status != want.status || !bytes.Equal(got.body, want.body):
				fail("%d %s, want %d %s", got.status, got.body, want.status, want.body)
			case now != is:
				fail("answered %d, and what is stored is what was there before", got.status)
			}
			if hooks.failed != (got.status == http.StatusServiceUnavailable) {
				fail("a port was unavailable: %t, and the answer is %d %s", hooks.failed, got.status, got.body)
			}

			// Another process, which nothing keeps from its work, is asked again, and tells which it was.
			retried := ask(t, store, &failing{at: -1})
			then, thenShape := stored(t, store, keyring)
			replayed := retried.header.Get("Idempotency-Replayed") == "true"
			kept := key != "" && want.status < 300 && now == is
			switch {
			case retried.status != want.status:
				fail("the retry is answered %d %s, want %d", retried.status, retried.body, want.status)
			case replayed != kept:
				fail("the retry is replayed: %t, and the effect was there: %t", replayed, kept)
			case kept && !bytes.Equal(retried.body, want.body):
				fail("the retry is answered %s, want %s", retried.body, want.body)
			case kept && then != is:
				fail("the retry changed what is stored:\n%s\nwas\n%s", then, is)
			case thenShape != isShape:
				fail("after the retry there is\n%s\nwant\n%s\nbefore\n%s", thenShape, isShape, wasShape)
			}
			if key != "" && want.status < 300 {
				if third := ask(t, store, &failing{at: -1}); third.header.Get("Idempotency-Replayed") != "true" ||
					!bytes.Equal(third.body, retried.body) {
					fail("asked once more it answers %d %s, want %s", third.status, third.body, retried.body)
				}
			}
			if _, err := audit.Run(t.Context(), store, audit.Options{Report: func(finding string) {
				fail("the audit says: %s", finding)
			}}); err != nil {
				fail("the audit says: %v", err)
			}
			if store != good {
				if err := store.Close(); err != nil {
					fail("%v", err)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
}

// everyCommand is what an operator does, past the API. It may be repeated, whatever became of it: all but the making of
// an admin say the same again.
var everyCommand = []struct {
	name string
	do   func(ctx context.Context, s *oneService) error
	then error // where it is repeated
}{
	{"create admin", func(ctx context.Context, s *oneService) error {
		return s.Admins.Create(ctx, fixture.Name("second"), profile.NewSecret("password"))
	}, profile.ErrUsernameTaken},
	{"reset password", func(ctx context.Context, s *oneService) error {
		return s.Admins.ResetPassword(ctx, fixture.Name(south), profile.NewSecret("another password"))
	}, nil},
	{"block", func(ctx context.Context, s *oneService) error {
		return s.Admins.SetBlocked(ctx, fixture.Name(south), true)
	}, nil},
	{"restore", func(ctx context.Context, s *oneService) error { return s.Epochs.BeginRestored(ctx) }, nil},
	{"replace the service key", func(ctx context.Context, s *oneService) error {
		return s.Epochs.ServiceKeyReplaced(ctx)
	}, nil},
	{"take the lease", func(ctx context.Context, s *oneService) error {
		_, err := s.Leases.Change(ctx, func(l lease.Lease) (lease.Lease, bool) { return l.Take("another process"), true })
		return err
	}, nil},
	{"tell of a line", func(ctx context.Context, s *oneService) error {
		s.now = everyNow.Add(16 * day)
		_, err := s.Reminders.Send(ctx, atWork, 0, 10)
		return err
	}, nil},
	{"keep what became of deliveries", func(ctx context.Context, s *oneService) error {
		_, err := s.Deliveries.Record(ctx, atWork,
			webhooks.Delivered{Webhook: 1, UpTo: 10, Requests: 1, Outcomes: []webhook.Outcome{
				{Seq: 8, Event: "evt_8", Number: 1, At: s.now, Status: 200},
				{Seq: 9, Event: "evt_9", Number: 1, At: s.now, Status: 410, Failure: webhook.NotAccepted},
			}})
		return err
	}, nil},
	{"disable webhooks", func(ctx context.Context, s *oneService) error {
		_, err := s.Webhooks.DisableAll(ctx, webhook.Restored)
		return err
	}, nil},
	{"stop jobs", func(ctx context.Context, s *oneService) error {
		_, err := s.Jobs.StopAll(ctx)
		return err
	}, nil},
	{"reset a second factor", func(ctx context.Context, s *oneService) error {
		return s.Admins.ResetFactor(ctx, fixture.Name(south))
	}, secondfactor.ErrInactive},
	{"forget expired keys", func(ctx context.Context, s *oneService) error {
		s.now = everyNow.Add(8 * day)
		_, err := s.IdempotencyKeys.ForgetExpired(ctx, 100)
		return err
	}, nil},
}

func TestEveryCallOfACommandFails(t *testing.T) {
	t.Parallel()
	for kind, open := range makers(t) {
		for _, row := range everyCommand {
			t.Run(kind+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				good := open(t)
				defer func() { _ = good.Close() }()
				keyring := newService(t, good, everyNow).keyring
				was, _ := stored(t, good, keyring)
				way := &failing{at: -1}
				if err := row.do(t.Context(), newService(t, &port{good, way, unwatched{}}, everyNow)); err != nil {
					t.Fatal(err)
				}
				is, _ := stored(t, good, keyring)
				if is == was || len(way.calls) == 0 {
					t.Fatalf("it changes nothing, in %d calls", len(way.calls))
				}
				for at, c := range way.calls {
					for _, how := range []verdict{before, after, again, twice} {
						if how == after && !c.effect || how > after && !c.work {
							continue
						}
						store := open(t)
						hooks := &failing{at: at, how: how}
						err := row.do(t.Context(), newService(t, &port{store, hooks, unwatched{}}, everyNow))
						now, _ := stored(t, store, keyring)
						if hooks.failed != errors.Is(err, ports.ErrUnavailable) || err != nil && !hooks.failed || err == nil &&
							now != is || now != was && now != is {
							t.Errorf("call %d, %s, %s: %v, and stored is\n%s\nwas\n%s\nto be\n%s", at, c.name, how, err, now, was, is)
						}
						want := error(nil)
						if now == is {
							want = row.then
						}
						if err := row.do(t.Context(), newService(t, store, everyNow)); !errors.Is(err, want) {
							t.Errorf("call %d, %s, %s: repeated it says %v, want %v", at, c.name, how, err, want)
						}
						if err := store.Close(); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
	}
}
