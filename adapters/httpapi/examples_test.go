package httpapi_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"resellerd/adapters/credentials"
	"resellerd/adapters/httpapi"
	"resellerd/adapters/loginlimit"
	"resellerd/adapters/memstore"
	"resellerd/adapters/onetime"
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/domain/bulk"
	"resellerd/domain/lease"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
)

// examples asks the API for what the document shows, on a store in memory and by a clock that is set: so an answer is
// the document's to the last letter, but for what is random.
type examples struct {
	http.Handler
	service  *inprocess.Service
	limited  http.Handler // to one request a minute
	thrifty  http.Handler // by which hardly anything is kept without credits
	t        *testing.T
	clock    *fixture.Clock
	store    *watched
	document map[string]any
	tokens   map[string]string // by the name of an account
	cookie   string            // of the session that the browser has
	shown    map[string]bool   // places whose example was compared
	links    []string          // to the pages that follow
	entry    string            // of the journal, as a list has it
}

// shownCodes are those of a second factor with the secret that the document shows.
type shownCodes struct{ onetime.Codes }

const shownSecret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

// New implements ports.OneTimeCodes.
func (c shownCodes) New(account string) (secret profile.Secret, address string, err error) {
	made, address, err := c.Codes.New(account)
	return profile.NewSecret(shownSecret), strings.Replace(address, made.Reveal(), shownSecret, 1), err
}

// sceneID is the one of all requests, which the document shows as well.
const sceneID = "019ac5f0-6a10-7c3e-9d52-3f1b7a0e8c44"

func newExamples(t *testing.T) *examples {
	t.Helper()
	e := &examples{
		t:      t,
		clock:  fixture.NewClock(fixture.Time("2026-01-31T09:00:00Z")),
		store:  &watched{memstore.New(), func(context.Context) error { return nil }},
		tokens: map[string]string{},
		shown:  map[string]bool{},
	}
	decoder := json.NewDecoder(bytes.NewReader(httpapi.Document("")))
	decoder.UseNumber()
	must(t, decoder.Decode(&e.document))
	keyring, err := servicekey.New(servicekey.Generate())
	must(t, err)
	generator := &firstEpoch{Generator: credentials.Generator{}}
	limiter := loginlimit.New(inprocess.FailedLogins, inprocess.LoginWindow, e.clock.Now)
	service := func(change func(*inprocess.Parts)) *inprocess.Service {
		s, err := inprocess.New(e.store, inprocess.At(e.clock.Now), inprocess.Sealed(keyring), func(p *inprocess.Parts) {
			p.Policy.ExpiringDays = []int{7, 3, 1}
			p.Process = application.Process{Version: "0.2.0", Store: "sqlite", Started: e.clock.Now()}
			p.Policy.TrialsPerDay, p.Limiter, p.Generator, p.Codes = 1, limiter, generator,
				shownCodes{onetime.Codes{Issuer: "resellerd"}}
			change(p)
		})
		must(t, err)
		return s
	}
	first := service(func(*inprocess.Parts) {})
	must(t, first.Admins.Create(t.Context(), fixture.Name("admin"), profile.NewSecret("the operator's")))
	e.Handler, e.service = first.Handler, first
	e.limited = service(func(p *inprocess.Parts) { p.HTTP.RequestsPerMinute = 1 }).Handler
	e.thrifty = service(func(p *inprocess.Parts) { p.Policy.FreeChangesPerDay = 1 }).Handler
	e.login("admin", "the operator's")
	return e
}

// firstEpoch is a generator of whose bits the first are the journal's epoch, as the document has it.
type firstEpoch struct {
	ports.Generator
	given bool
}

// Generation implements ports.Generator.
func (g *firstEpoch) Generation() reseller.Generation {
	if g.given {
		return g.Generator.Generation()
	}
	g.given = true
	return reseller.Generation{0x4d, 0x1f, 0x0a, 0x7c}
}

// at returns what stands at a place of the document, nil where there is nothing.
func (e *examples) at(steps ...string) any {
	var value any = e.document
	for _, step := range steps {
		object, _ := value.(map[string]any)
		value = object[step]
	}
	if reference, is := value.(map[string]any); is {
		if to, is := reference["$ref"].(string); is {
			return e.at(strings.Split(strings.TrimPrefix(to, "#/"), "/")...)
		}
	}
	return value
}

func (e *examples) is(at string) { e.clock.Set(fixture.Time("2026-01-31T" + at + ":00Z")) }

// fails makes the store answer so from now on.
func (e *examples) fails(how func(context.Context) error) { e.store.first = how }

func (e *examples) login(username, password string) {
	e.t.Helper()
	var answer struct{ Token string }
	body := map[string]any{"username": username, "password": password}
	if err := json.Unmarshal(e.ask("", "POST", "/auth/static-token", body).Body.Bytes(), &answer); err != nil ||
		answer.Token == "" {
		e.t.Fatalf("%s has no token: %v", username, err)
	}
	e.tokens[username] = answer.Token
}

// request makes a request of an account, "" for nobody. A body that is a string is sent as it is.
func (e *examples) request(account, method, path string, body any, headers ...string) *http.Request {
	e.t.Helper()
	var sent []byte
	switch b := body.(type) {
	case nil:
	case string:
		sent = []byte(b)
	default:
		var err error
		if sent, err = json.Marshal(b); err != nil {
			e.t.Fatal(err)
		}
	}
	r := httptest.NewRequestWithContext(e.t.Context(), method, path, bytes.NewReader(sent))
	if len(sent) > 0 {
		r.Header.Set("Content-Type", api.MediaType(r.URL.Path))
	}
	switch account {
	case "":
	case "the browser":
		r.Header.Set("Cookie", e.cookie)
	default:
		r.Header.Set("Authorization", "Bearer "+e.tokens[account])
	}
	r.Header.Set("X-Request-Id", sceneID)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return r
}

func (e *examples) ask(account, method, path string, body any, headers ...string) api.Recorder {
	e.t.Helper()
	answer := api.NewRecorder()
	e.ServeHTTP(answer, e.request(account, method, path, body, headers...))
	return answer
}

// does asks for something that the scene needs and the document does not show.
func (e *examples) does(account, method, path string, body any) {
	e.t.Helper()
	answer := e.ask(account, method, path, body)
	expect.Equal(e.t, answer.Code < 300, true, "%s %s is done: %d %s", method, path, answer.Code, answer.Body)
}

// shows sends the example of an operation's request, if it has one, and expects the example of its answer.
func (e *examples) shows(account, operation, path string, headers ...string) api.Recorder {
	e.t.Helper()
	method, template, _ := strings.Cut(operation, " ")
	of := []string{"paths", template, strings.ToLower(method)}
	var body any
	asked := e.at(append(slices.Clone(of), "requestBody", "content", "application/json", "schema")...)
	if asked == nil {
		asked = e.at(append(slices.Clone(of), "requestBody", "content", "application/x-ndjson", "schema")...)
	}
	if asked != nil {
		schema, _ := asked.(map[string]any)
		body = schema["example"]
		expect.Equal(e.t, body != nil, true, "%s: its request has an example", operation)
	}
	answer := e.ask(account, method, path, body, headers...)
	place := append(slices.Clone(of), "responses", fmt.Sprint(answer.Code))
	content, _, _ := strings.Cut(answer.Header().Get("Content-Type"), ";")
	e.compare(operation, place, content, answer)
	if link := answer.Header().Get("Link"); link != "" {
		e.links = append(e.links, link)
	}
	return answer
}

// refuses expects the example of a refusal.
func (e *examples) refuses(refusal string, answer api.Recorder) {
	e.t.Helper()
	e.compare(refusal, []string{"components", "responses", refusal}, "application/problem+json", answer)
}

func (e *examples) compare(of string, place []string, content string, answer api.Recorder) {
	e.t.Helper()
	media, _ := e.at(append(slices.Clone(place), "content", content)...).(map[string]any)
	e.shown[strings.Join(place, "/")] = true
	e.shown[strings.Join(place, "/")+" "+content] = true
	if !strings.HasSuffix(content, "json") || strings.HasSuffix(content, "ndjson") {
		expect.Equal[any](e.t, answer.Body.String(), media["example"], "%s: status %d", of, answer.Code)
		return
	}
	var got any
	decoder := json.NewDecoder(bytes.NewReader(answer.Body.Bytes()))
	decoder.UseNumber()
	expect.Error(e.t, decoder.Decode(&got), nil, "%s", of)
	expect.Equal(e.t, encoded(likely(of, got)), encoded(likely(of, media["example"])), "%s: status %d", of, answer.Code)
}

func encoded(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return text.String()
}

// random is what an answer has that no other has, by operation and field, as fmt prints it. The document shows some
// that could be.
var random = map[string]map[string]*regexp.Regexp{
	"POST /auth/static-token": {"token": regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$`)},
	"GET /auth/sessions":      {"id": regexp.MustCompile(`^[0-9a-f]{32}$`)},
	"POST /keys":              {"key": regexp.MustCompile(`^rsk_2_[A-Za-z0-9_-]{43}$`)},
	"POST /auth/totp": {
		"qr_svg": regexp.MustCompile(
			`^<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 53 53".*<path d="M4 4h7v1H4z.*/></svg>$`)},
	"POST /auth/totp/confirm":    {"recovery_codes": regexp.MustCompile(`^\[([a-z2-7]{4}(-[a-z2-7]{4}){3} ?){10}\]$`)},
	"POST /webhooks":             {"secret": regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{43}=$`)},
	"POST /webhooks/{id}/rotate": {"secret": regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{43}=$`)},
	"POST /lines/test": {"username": regexp.MustCompile(`^[a-z0-9]{12}$`),
		"password": regexp.MustCompile(`^[a-z0-9]{12}$`)},
}

// likely replaces what is random in an answer to an operation.
func likely(operation string, value any) any {
	if list, is := value.([]any); is {
		var all []any
		for _, record := range list {
			all = append(all, likely(operation, record))
		}
		return all
	}
	object, _ := value.(map[string]any)
	if random[operation] == nil || object == nil {
		return value
	}
	object = maps.Clone(object)
	for name, form := range random[operation] {
		if value, is := object[name]; is && form.MatchString(fmt.Sprint(value)) {
			object[name] = form.String()
		}
	}
	return object
}

// TestExamplesAreAnswers plays the scene that the examples of the document are taken from: each request is sent, and
// each answer is compared.
func TestExamplesAreAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newExamples(t)
		e.does("admin", "POST", "/lines/test", nil) // line 1, which north does not see
		e.accounts()
		e.lines()
		e.sessions()
		e.webhooks()
		e.principals()
		e.secondFactors()
		e.serving()
		e.jobs()
		e.parameters()
		e.refusals()
		e.imports()
		e.failures()
		e.complete()
	})
}

func (e *examples) accounts() {
	e.is("09:30")
	e.shows("admin", "POST /users", "/users")
	e.login("north", "s3cret-word")
	e.shows("", "POST /auth/static-token", "/auth/static-token")
	e.does("admin", "POST", "/users", map[string]any{
		"username": "northwest", "password": "s3cret-word", "is_master": 0, "credits": "0.5", "country": "BR",
	})
	e.login("northwest", "s3cret-word")
	e.is("09:40")
	e.shows("admin", "PATCH /users/credits/{id}", "/users/credits/2", "Idempotency-Key", "0f8f9a54-top-up-42")
	e.shows("admin", "GET /users", "/users?username=nor&limit=1")
	e.shows("north", "GET /users/logged", "/users/logged")
	e.shows("admin", "GET /users/{id}", "/users/2")
	e.is("09:45")
	e.shows("north", "PATCH /users/{id}/contact", "/users/2/contact")
	e.is("09:50")
	e.shows("north", "PATCH /users/{id}", "/users/2")
	e.shows("admin", "PUT /users/{id}/block", "/users/2/block")
	e.is("09:55")
	e.shows("admin", "DELETE /users/{id}/block", "/users/2/block")
}

func (e *examples) lines() {
	e.is("10:00")
	e.shows("north", "GET /prices", "/prices")
	e.shows("north", "POST /lines/test", "/lines/test")
	e.is("10:30")
	e.shows("north", "PATCH /lines/active/{id}", "/lines/active/2")
	e.shows("north", "GET /users/{id}/ledger", "/users/2/ledger?limit=2")
	e.shows("north", "GET /users/{id}/balance", "/users/2/balance?at=2026-01-31T10:00:00Z")
	e.is("10:40")
	e.shows("north", "PATCH /lines/{id}", "/lines/2")
	e.shows("north", "GET /lines/{id}", "/lines/2")
	e.shows("north", "GET /lines", "/lines?status=1&limit=20")
	e.shows("north", "GET /lines/extend-preview/{id}", "/lines/extend-preview/2?credits=2")
	e.is("10:50")
	e.shows("north", "PATCH /lines/extend/{id}", "/lines/extend/2")
	e.shows("admin", "GET /ledger/proof", "/ledger/proof")
	listed := e.shows("north", "GET /events", "/events?line=2&order=desc&limit=1")
	_, entry, _ := strings.Cut(listed.Body.String(), `{"data":[`)
	e.entry, _, _ = strings.Cut(entry, `],"next_cursor"`)
	e.shows("north", "GET /reports/summary", "/reports/summary?days=1")
	e.is("10:51")
	e.shows("north", "PATCH /lines/{id}/details", "/lines/2/details")
	for _, of := range []string{"lines", "users", "ledger"} {
		e.shows("north", "GET /exports/"+of, "/exports/"+of)
		e.shows("north", "GET /exports/"+of, "/exports/"+of+"?format=ndjson")
	}
}

func (e *examples) sessions() {
	e.is("10:52")
	begun := e.shows("", "POST /auth/session", "/auth/session", "User-Agent",
		"Mozilla/5.0 (Android 16; Mobile; rv:146.0) Gecko/146.0 Firefox/146.0")
	e.cookie, _, _ = strings.Cut(begun.Header().Get("Set-Cookie"), ";")
	e.shows("the browser", "GET /auth/session", "/auth/session")
	listed := e.shows("the browser", "GET /auth/sessions", "/auth/sessions")
	var sessions []struct{ ID string }
	if err := json.Unmarshal(listed.Body.Bytes(), &sessions); err != nil || len(sessions) != 1 {
		e.t.Fatalf("there are %d sessions: %v", len(sessions), err)
	}
	e.refuses("CrossOrigin", e.ask("the browser", "DELETE", "/auth/session", nil, "Sec-Fetch-Site", "cross-site"))
	e.refuses("SignInRefused", e.ask("", "POST", "/auth/session", nil, "Origin", "https://example.net"))
	e.refuses("TwoCredentials", e.ask("north", "GET", "/users/logged", nil, "Cookie", e.cookie))
	e.shows("the browser", "DELETE /auth/sessions/{id}", "/auth/sessions/"+sessions[0].ID)

	e.signIn("north", "s3cret-word")
	e.shows("the browser", "DELETE /auth/session", "/auth/session")
	e.refuses("NoSession", e.ask("", "GET", "/auth/session", nil))
}

// signIn has the browser ask by a new session.
func (e *examples) signIn(username, password string) {
	e.t.Helper()
	begun := e.ask("", "POST", "/auth/session", map[string]any{"username": username, "password": password})
	e.cookie, _, _ = strings.Cut(begun.Header().Get("Set-Cookie"), ";")
}

func (e *examples) principals() {
	e.is("10:59")
	// 1
	e.key("north's", "north",
		map[string]any{"name": "till", "role": "cashier", "spend_limit": map[string]any{"credits": 1, "per": "day"}})
	// 2
	e.keep("the shop", e.shows("admin", "POST /keys", "/keys"))
	e.shows("admin", "GET /keys", "/keys")
	e.shows("admin", "GET /keys/{id}", "/keys/2")
	e.does("the shop", "GET", "/lines", nil)
	e.refuses("NotPermitted", e.ask("the shop", "DELETE", "/lines/2", nil))
	e.shows("admin", "PATCH /keys/{id}", "/keys/2")
	e.shows("admin", "POST /staff", "/staff") // 3
	e.shows("admin", "GET /staff", "/staff")
	e.shows("admin", "GET /staff/{id}", "/staff/3")
	e.shows("admin", "PATCH /staff/{id}", "/staff/3")
	e.refuses("NameTakenOrTooMany", e.ask("admin", "POST", "/staff", api.NewMember(api.Fields{"username": "North"})))
	e.key("the office's", "admin", map[string]any{"name": "office", "scopes": []string{"manage"}})
	e.refuses("BeyondOwnRights", e.ask("the office's", "POST", "/keys", api.NewKey(nil)))
	e.key("the bank's", "admin", map[string]any{"name": "bank", "scopes": []string{"credits:move"},
		"spend_limit": map[string]any{"credits": 1, "per": "day"}})
	e.refuses("SpendLimitReached", e.ask("north's", "PATCH", "/lines/extend/2", map[string]any{"credits": 2}))
	e.refuses("SpendLimitOrFreeChanges", e.ask("the bank's", "PATCH", "/users/credits/3", map[string]any{"credits": 2}))
	e.key("the desk's", "admin", map[string]any{"name": "desk", "scopes": []string{"users:write"}})
	e.refuses("NotTakenOver",
		e.ask("the desk's", "PATCH", "/users/2", map[string]any{"username": "north", "password": "s3cret-word",
			"country": "BR", "whatsapp": "+55"}))
	for range 99 {
		e.does("north", "POST", "/keys", api.NewKey(nil))
	}
	e.refuses("TooManyPrincipals", e.ask("north", "POST", "/keys", api.NewKey(nil)))
}

// key makes a key of an account.
func (e *examples) key(name, account string, body map[string]any) {
	e.t.Helper()
	e.keep(name, e.ask(account, "POST", "/keys", body))
}

// keep has somebody ask by the key that an answer shows.
func (e *examples) keep(name string, made api.Recorder) {
	e.t.Helper()
	var answer struct{ Key string }
	if err := json.Unmarshal(made.Body.Bytes(), &answer); err != nil || answer.Key == "" {
		e.t.Fatalf("%s has no key: %v", name, err)
	}
	e.tokens[name] = answer.Key
}

func (e *examples) secondFactors() {
	wrong := map[string]any{"password": "wrong"}
	e.is("10:59")
	e.signIn("north", "s3cret-word")
	e.refuses("TOTPNotPending", e.ask("the browser", "POST", "/auth/totp/confirm", map[string]any{"code": "083551"}))
	e.refuses("WrongProof", e.ask("the browser", "POST", "/auth/totp", wrong))
	e.shows("the browser", "POST /auth/totp", "/auth/totp")
	e.refuses("InvalidOrWrongCode", e.ask("the browser", "POST", "/auth/totp/confirm", map[string]any{"code": "000000"}))
	e.shows("the browser", "POST /auth/totp/confirm", "/auth/totp/confirm")
	e.refuses("TOTPActive", e.ask("the browser", "POST", "/auth/totp", wrong))
	e.clock.Set(fixture.Time("2026-01-31T10:59:30Z"))
	e.shows("the browser", "DELETE /auth/totp", "/auth/totp")
	e.factor("s3cret-word")
	e.shows("admin", "DELETE /users/{id}/totp", "/users/2/totp")
	e.refuses("TOTPInactive", e.ask("admin", "DELETE", "/users/3/totp", nil))
	e.signIn("ana", "s3cret-ana")
	e.factor("s3cret-ana")
	e.shows("admin", "DELETE /staff/{id}/totp", "/staff/3/totp")
	for range 10 {
		e.ask("", "POST", "/auth/session", map[string]any{"username": "ana", "password": "wrong"})
	}
	e.refuses("TooManyProofs", e.ask("the browser", "POST", "/auth/totp", wrong))
}

// factor has who is signed in have a second factor, half a minute after 10:59.
func (e *examples) factor(password string) {
	e.t.Helper()
	e.does("the browser", "POST", "/auth/totp", map[string]any{"password": password})
	e.does("the browser", "POST", "/auth/totp/confirm", map[string]any{"code": "734469"})
}

func (e *examples) webhooks() {
	e.is("10:53")
	e.shows("north", "PUT /users/{id}/alerts", "/users/2/alerts")
	e.shows("north", "GET /users/{id}/alerts", "/users/2/alerts")
	e.refuses("NoBalance", e.ask("admin", "PUT", "/users/1/alerts", map[string]any{"balance_low": 10}))
	e.does("admin", "PUT", "/users/1/messages",
		map[string]any{"apps": "Android: Player One", "whatsapp": "+55 11 91234-5678"})
	e.shows("north", "PUT /users/{id}/messages", "/users/2/messages")
	e.shows("north", "GET /users/{id}/messages", "/users/2/messages")
	e.shows("admin", "GET /service", "/service")
	e.is("10:55")
	e.does("north", "POST", "/webhooks", api.NewWebhook(nil)) // 1
	e.shows("admin", "POST /webhooks", "/webhooks")
	e.signed()
	e.shows("admin", "GET /webhooks", "/webhooks")
	e.shows("admin", "GET /webhooks/{id}", "/webhooks/2")
	e.refuses("InvalidOrPlain",
		e.ask("admin", "POST", "/webhooks", api.NewWebhook(api.Fields{"url": "http://crm.example.com"})))
	e.is("10:56")
	e.shows("admin", "POST /webhooks/{id}/rotate", "/webhooks/2/rotate")
	e.shows("admin", "POST /webhooks/{id}/replay", "/webhooks/2/replay")
	e.is("10:57")
	e.shows("admin", "POST /webhooks/{id}/test", "/webhooks/2/test")
	e.attempted(2,
		webhook.Attempt{Event: "evt_4d1f0a7c_14", Number: 1, Took: 15_000, Failure: webhook.TimedOut,
			At: fixture.Time("2026-01-31T10:56:00Z"), Next: fixture.Time("2026-01-31T10:56:20Z")},
		webhook.Attempt{Event: "test_2_1", Number: 1, Status: 200, Took: 48, At: fixture.Time("2026-01-31T10:57:00Z")},
	)
	e.shows("admin", "GET /webhooks/{id}/deliveries", "/webhooks/2/deliveries")
	e.is("10:58")
	e.shows("admin", "PATCH /webhooks/{id}", "/webhooks/2")
	e.does("admin", "PATCH", "/webhooks/2", map[string]any{"enabled": false})
	e.refuses("WebhookDisabled", e.ask("admin", "POST", "/webhooks/2/test", nil))
	for range 9 {
		e.does("north", "POST", "/webhooks", api.NewWebhook(nil))
	}
	e.refuses("TooManyWebhooks", e.ask("north", "POST", "/webhooks", api.NewWebhook(nil)))
}

// signed expects that the headers of what is sent are those of the entry, by the secret that is shown.
func (e *examples) signed() {
	e.t.Helper()
	of := []string{"paths", "/webhooks", "post"}
	header := map[string]string{}
	sent, _ := e.at(append(of, "callbacks", "event", "{$request.body#/url}", "post", "parameters")...).([]any)
	for _, parameter := range sent {
		p, _ := parameter.(map[string]any)
		header[fmt.Sprint(p["name"])] = fmt.Sprint(p["example"])
	}
	secret, err := base64.StdEncoding.DecodeString(
		strings.TrimPrefix(
			fmt.Sprint(e.at(append(of, "responses", "201", "content", "application/json", "example", "secret")...)), "whsec_"))
	expect.Error(e.t, err, nil)
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.%s", header["webhook-id"], header["webhook-timestamp"], e.entry)
	expect.Equal(e.t, header["webhook-signature"], "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)),
		"the signature of %s", e.entry)
}

// attempted has a webhook's progress tell of attempts, as what delivers would.
func (e *examples) attempted(id int64, attempts ...webhook.Attempt) {
	e.t.Helper()
	err := e.store.Update(e.t.Context(), func(ctx context.Context, tx ports.Tx) error {
		all := ports.WebhookProgress.In(tx.Records)
		p, err := all.Get(ctx, id)
		if err != nil {
			return err
		}
		p.Attempts = attempts
		return all.Save(ctx, p)
	})
	expect.Error(e.t, err, nil)
}

func (e *examples) refusals() {
	e.is("11:00")
	e.does("northwest", "POST", "/lines/test", nil) // line 3
	line := map[string]any{"username": "west-tv", "password": "5566", "country": "BR", "whatsapp": "+55 11 91234-5678",
		"credits": 1}
	account := func(username string, credits string) map[string]any {
		return map[string]any{
			"username": username, "password": "s3cret-word", "is_master": 0, "credits": credits, "country": "BR",
			"whatsapp": "+55 11 91234-5678",
		}
	}
	unlimited := e.Handler
	e.Handler = e.limited
	e.does("north", "GET", "/lines", nil)
	e.refuses("TooManyRequests", e.ask("north", "GET", "/lines", nil))
	e.Handler = unlimited
	e.Handler, e.thrifty = e.thrifty, e.Handler
	e.ask("north", "PATCH", "/users/2/contact", nil, "Idempotency-Key", "0f8f9a54-first")
	e.refuses("TooManyFreeChanges", e.ask("north", "PATCH", "/users/2/contact", nil, "Idempotency-Key", "0f8f9a54-second"))
	e.Handler, e.thrifty = e.thrifty, e.Handler
	e.refuses("BadRequest", e.ask("admin", "POST", "/users", "{"))
	e.refuses("Unauthenticated", e.ask("", "GET", "/users", nil))
	e.refuses("WrongCredentials",
		e.ask("", "POST", "/auth/static-token", map[string]any{"username": "north", "password": "wrong"}))
	e.refuses("WrongPassword",
		e.ask("north", "PATCH", "/auth/password", map[string]any{"password": "wrong", "new_password": "an0ther-word"}))
	e.refuses("Unpaid", e.ask("northwest", "PATCH", "/lines/active/3", line))
	e.refuses("NotHeld", e.ask("admin", "POST", "/users/3/credits/reclaim", map[string]any{"credits": 12.5}))
	e.refuses("Forbidden", e.ask("northwest", "POST", "/users", account("south", "0")))
	e.refuses("ForbiddenOrBeyond", e.ask("northwest", "POST", "/users", account("south", "0")))
	e.refuses("NotFound", e.ask("north", "GET", "/lines/1", nil))
	e.refuses("NoRoute", e.ask("", "GET", "/resellerd/healthz", nil))
	e.refuses("NameTakenOrTooDeep", e.ask("admin", "POST", "/users", account("North", "0")))
	e.refuses("NameTaken", e.ask("admin", "PATCH", "/users/3", account("north", "0")))
	e.refuses("NotTrialOrNameTaken", e.ask("north", "PATCH", "/lines/active/2", line))
	e.refuses("TrialOrTooLong", e.ask("northwest", "PATCH", "/lines/extend/3", line))
	e.refuses("TrialOrNameTaken", e.ask("northwest", "PATCH", "/lines/3", line))
	e.refuses("TrialOrTaken", e.ask("northwest", "PATCH", "/lines/3/details", map[string]any{"password": "s3cret"}))
	e.refuses("TooLarge", e.ask("admin", "POST", "/users", strings.Repeat(" ", 64<<10+1)))
	e.refuses("NotJSON", e.ask("admin", "POST", "/users", "username=north", "Content-Type", "text/plain"))
	e.refuses("Invalid", e.ask("admin", "POST", "/users", account("south", "-1")))
	e.refuses("InvalidLogin", e.ask("", "POST", "/auth/static-token", map[string]any{"username": "north"}))
	e.refuses("InvalidOrUnsold", e.ask("north", "PATCH", "/lines/extend/2", map[string]any{"credits": 4}))
	e.refuses("InvalidQuery", e.ask("north", "GET", "/lines?limit=0", nil))
	e.refuses("UnknownParameter", e.ask("north", "GET", "/lines/2?page=2", nil))
	e.refuses("UnknownParameterOrKeyReused", e.ask("north", "DELETE", "/keys/3?force=true", nil))
	e.refuses("InvalidOrPastExpiry",
		e.ask("north", "POST", "/keys",
			map[string]any{"name": "shop", "role": "read_only", "expires_at": "2026-01-31T10:00:00Z"}))
	e.refuses("CursorUnknown",
		e.ask("north", "GET", "/events?cursor="+base64.RawURLEncoding.EncodeToString([]byte("events 00000000 7.")), nil))
	e.waiting()
	e.refuses("InvalidOrUnsoldQuery", e.ask("north", "GET", "/lines/extend-preview/2?credits=4", nil))
	e.refuses("KeyReused", e.ask("admin", "DELETE", "/lines/3", nil, "Idempotency-Key", "0f8f9a54-top-up-42"))
	e.refuses("AllowanceSpent", e.ask("north", "POST", "/lines/test", nil))
	e.does("admin", "PUT", "/users/3/block", nil)
	e.refuses("Blocked", e.ask("northwest", "GET", "/users/logged", nil))
	e.refuses("LoginBlocked",
		e.ask("", "POST", "/auth/static-token", map[string]any{"username": "northwest", "password": "s3cret-word"}))
	for range 10 {
		e.ask("", "POST", "/auth/static-token", map[string]any{"username": "south", "password": "wrong"})
	}
	e.refuses("TooManyAttempts",
		e.ask("", "POST", "/auth/static-token", map[string]any{"username": "south", "password": "wrong"}))
	for range 10 {
		e.ask("", "POST", "/auth/static-token", map[string]any{"username": "admin", "password": "wrong"})
	}
	e.refuses("TooManyPasswords",
		e.ask("admin", "PATCH", "/auth/password", map[string]any{"password": "wrong", "new_password": "an0ther-word"}))
	for range 100 {
		e.does("admin", "PATCH", "/users/credits/3", map[string]any{"credits": 999_999_990})
	}
	e.refuses("BalanceLimit", e.ask("admin", "PATCH", "/users/credits/3", map[string]any{"credits": 1000}))
	e.clock.Set(fixture.Time("2026-02-02T12:00:00Z")) // when north may issue a trial again
	e.refuses("ExternalIDTaken", e.ask("north", "POST", "/lines/test", map[string]any{"external_id": "crm-1042"}))

	e.is("11:30")
	e.shows("admin", "POST /users/{id}/credits/reclaim", "/users/2/credits/reclaim")
	e.shows("north", "DELETE /auth/static-token", "/auth/static-token")
	e.login("north", "s3cret-word")
	e.shows("north", "PATCH /auth/password", "/auth/password")
}

func (e *examples) serving() {
	e.is("10:59")
	e.shows("north", "PUT /lines/{id}/suspension", "/lines/2/suspension")
	e.refuses("NotServed", e.ask("north", "GET", "/radius/users/north-tv", nil))
	e.shows("north", "DELETE /lines/{id}/suspension", "/lines/2/suspension")
	e.shows("north", "GET /entitlements", "/entitlements?limit=20")
	e.shows("north", "GET /radius/users/{username}", "/radius/users/North-TV")
}

func (e *examples) jobs() {
	order := e.at("components", "schemas", "BulkOrder", "example").(map[string]any)
	dry := maps.Clone(order)
	dry["dry_run"] = true
	e.compare("POST /bulk", []string{"paths", "/bulk", "post", "responses", "200"}, "application/json",
		e.ask("admin", "POST", "/bulk", dry))
	e.shows("admin", "POST /bulk", "/bulk")
	e.refuses("JobRefused", e.ask("admin", "POST", "/bulk", order))
	e.work()
	e.shows("admin", "GET /bulk", "/bulk?limit=20")
	e.shows("admin", "GET /bulk/{id}", "/bulk/1")
	e.shows("admin", "GET /bulk/{id}/results", "/bulk/1/results")
	e.shows("admin", "GET /bulk/{id}/results", "/bulk/1/results?format=csv")
	e.shows("admin", "DELETE /bulk/{id}", "/bulk/1")
	e.refuses("InvalidOrTooManyLines",
		e.ask("admin", "POST", "/bulk",
			map[string]any{"action": "resume", "select": map[string]any{"filter": map[string]any{"expires": "soon"}}}))
}

// work does all jobs, as what works on them would.
func (e *examples) work() {
	e.t.Helper()
	_, err := e.service.Leases.Change(e.t.Context(), func(l lease.Lease) (lease.Lease, bool) {
		return l.Take("this"), true
	})
	if err != nil {
		e.t.Fatal(err)
	}
	running, err := e.service.JobWorker.Running(e.t.Context())
	if err != nil || len(running) == 0 {
		e.t.Fatalf("there are %d jobs: %v", len(running), err)
	}
	for _, j := range running {
		_, err := e.service.JobWorker.Work(e.t.Context(), "this", j, bulk.MaxLines)
		expect.Error(e.t, err, nil)
	}
}

func (e *examples) imports() {
	e.shows("admin", "POST /imports/lines", "/imports/lines")
	e.refuses("ImportTooLarge", e.ask("admin", "POST", "/imports/lines", strings.Repeat("x", 1<<20+1)))
	e.refuses("NotRows", e.ask("admin", "POST", "/imports/lines", "{}", "Content-Type", "application/json"))
	e.refuses("InvalidImport", e.ask("admin", "POST", "/imports/lines", strings.Repeat("{}\n", 501)))
}

// waiting has as many requests wait as may.
func (e *examples) waiting() {
	var waits sync.WaitGroup
	for range 16 {
		waits.Go(func() { e.does("northwest", "GET", "/events?type=line.deleted&wait=9", nil) })
	}
	synctest.Wait()
	e.refuses("TooManyWaiting", e.ask("northwest", "GET", "/events?type=line.deleted&wait=9", nil))
	waits.Wait()
}

func (e *examples) failures() {
	e.is("12:00")
	e.rest()

	e.fails(func(context.Context) error { panic("a defect") })
	e.refuses("InternalError", e.ask("admin", "GET", "/users", nil))
	e.fails(func(context.Context) error { return fmt.Errorf("%w: the disk is full", ports.ErrUnavailable) })
	e.refuses("Unavailable", e.ask("admin", "PATCH", "/users/credits/2", map[string]any{"credits": 1}))
	reads := 0
	e.fails(func(ctx context.Context) error {
		if reads++; reads == 1 { // whether the caller may ask
			return nil
		}
		<-ctx.Done()
		return errors.Join(ports.ErrUnavailable, ctx.Err())
	})
	e.refuses("ProofUnavailable", e.ask("admin", "GET", "/ledger/proof", nil))

	// Two long lists that are being read take all that an account may have under way of them, and one order at a time is
	// counted.
	e.during(2, "GET", "/lines?limit=500", nil, func() {
		e.refuses("ListUnavailable", e.ask("admin", "GET", "/lines?limit=500", nil))
	})
	e.during(2, "GET", "/exports/lines", nil, func() {
		e.refuses("TooManyExports", e.ask("admin", "GET", "/exports/lines", nil))
	})
	order := map[string]any{"action": "resume", "select": map[string]any{"filter": map[string]any{}}, "dry_run": true}
	e.during(1, "POST", "/bulk", order, func() { e.refuses("CountRunning", e.ask("admin", "POST", "/bulk", order)) })
}

// during does something while so many requests of the admin wait for the store.
func (e *examples) during(many int, method, path string, body any, do func()) {
	e.t.Helper()
	let := make(chan struct{})
	e.fails(func(context.Context) error {
		<-let
		return nil
	})
	var requests sync.WaitGroup
	for range many {
		requests.Go(func() { e.does("admin", method, path, body) })
	}
	synctest.Wait()
	do()
	close(let)
	requests.Wait()
}

// parameters sends the examples of the parameters of each operation that reads.
func (e *examples) parameters() {
	e.t.Helper()
	for _, row := range api.Table() {
		if row.Method != http.MethodGet {
			continue
		}
		if asked := e.asked(row); asked != row.Path {
			e.does("admin", "GET", asked, nil)
		}
	}
}

// asked returns the path of an operation with the examples of its parameters.
func (e *examples) asked(row api.Row) string {
	e.t.Helper()
	asked, query := row.Path, url.Values{}
	list, _ := e.at("paths", row.Path, strings.ToLower(row.Method), "parameters").([]any)
	for _, parameter := range list {
		p, _ := parameter.(map[string]any)
		if to, is := p["$ref"].(string); is {
			p, _ = e.at(strings.Split(strings.TrimPrefix(to, "#/"), "/")...).(map[string]any)
		}
		name, example := fmt.Sprint(p["name"]), p["example"]
		expect.Equal(e.t, example != nil, true, "%s: %s has an example", row.Name(), name)
		several, is := example.([]any)
		if !is {
			several = []any{example}
		}
		switch {
		case p["in"] == "path":
			asked = strings.ReplaceAll(asked, "{"+name+"}", fmt.Sprint(example))
		case p["in"] == "query" && name != "cursor": // which belongs to one query
			for _, value := range several {
				query.Add(name, fmt.Sprint(value))
			}
		}
	}
	if len(query) > 0 {
		asked += "?" + query.Encode()
	}
	return asked
}

// rest shows the examples of all operations that the scene has not, as answered to an admin at its end: those that
// remove something come last.
func (e *examples) rest() {
	e.t.Helper()
	rows := slices.Clone(api.Table())
	slices.SortStableFunc(rows, func(a, b api.Row) int {
		return cmp.Compare(strings.Index(a.Method, "DELETE"), strings.Index(b.Method, "DELETE"))
	})
	for _, row := range rows {
		answers := "paths/" + row.Path + "/" + strings.ToLower(row.Method) + "/responses/2"
		shown := row.Path == "/openapi.json"
		for place := range e.shown {
			shown = shown || strings.HasPrefix(place, answers)
		}
		if !shown {
			by := map[bool]string{true: "", false: "admin"}[row.For == api.Anybody]
			e.shows(by, row.Name(), e.asked(row))
		}
	}
}

// complete expects that every example was compared.
func (e *examples) complete() {
	e.t.Helper()
	for kind, seen := range map[string][]string{"headers/NextPage": e.links, "parameters/Cursor": e.cursors()} {
		of := strings.Split("components/"+kind, "/")
		shown, _ := e.at(of...).(map[string]any)
		example := fmt.Sprint(shown["example"])
		expect.Equal(e.t, slices.Contains(seen, example), true, "%s of %s is among %q", example, kind, seen)
	}
	refusals, _ := e.at("components", "responses").(map[string]any)
	for name := range refusals {
		expect.Equal(e.t, e.shown["components/responses/"+name], true, "the example of %s is shown", name)
	}
	paths, _ := e.at("paths").(map[string]any)
	for path, item := range paths {
		for method := range item.(map[string]any) {
			responses, _ := e.at("paths", path, method, "responses").(map[string]any)
			for status := range responses {
				place := strings.Join([]string{"paths", path, method, "responses", status}, "/")
				contents, _ := e.at("paths", path, method, "responses", status, "content").(map[string]any)
				for content := range contents {
					if status < "300" && !e.shown[place+" "+content] && path != "/openapi.json" {
						e.t.Errorf("nothing shows that the example of %s %s as %s is true", method, path, content)
					}
				}
				if status < "300" && !e.shown[place] && path != "/openapi.json" { // which is the document itself
					e.t.Errorf("nothing shows that the example of %s %s is true", method, path)
				}
			}
		}
	}
}

// cursors returns those of the links.
func (e *examples) cursors() (all []string) {
	for _, link := range e.links {
		_, cursor, _ := strings.Cut(link, "cursor=")
		cursor, _, _ = strings.Cut(cursor, ">")
		all = append(all, cursor)
	}
	return all
}
