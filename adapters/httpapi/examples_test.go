package httpapi_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"resellerd/adapters/credentials"
	"resellerd/adapters/httpapi"
	"resellerd/adapters/memstore"
	"resellerd/adapters/onetime"
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

// The scene of the examples in the document. A line is the time, the caller, and a request. A request without a body is
// an example of the document, and so is its answer. A request with a body is necessary for the scene and not in the
// document.
const (
	sceneOfAccounts = `
09:00 admin POST /lines/test {}
09:30 admin POST /users
09:30 nobody POST /auth/static-token
09:30 admin POST /users {"username":"northwest","password":"s3cret-word","is_master":0,"credits":"0.5","country":"BR"}
09:40 admin PATCH /users/credits/2
09:40 admin GET /users?username=nor&limit=1
09:40 north GET /users/logged
09:40 admin GET /users/2
09:45 north PATCH /users/2/contact
09:50 north PATCH /users/2
09:50 admin PUT /users/2/block
09:55 admin DELETE /users/2/block
10:00 north GET /prices
10:00 north POST /lines/test
10:30 north PATCH /lines/active/2
10:30 north GET /users/2/ledger?from=2026-01-31T09:35:00Z&to=2026-01-31T10:35:00Z&limit=2
10:30 north GET /users/2/balance?at=2026-01-31T10:00:00Z
10:40 north PATCH /lines/2
10:40 north GET /lines/2
10:40 north GET /lines?status=1&limit=20
10:40 north GET /lines/extend-preview/2?credits=2
10:50 north PATCH /lines/extend/2
10:50 admin GET /ledger/proof
10:50 north GET /events?line=2&order=desc&limit=1
10:50 north GET /reports/summary?days=1
10:51 north PATCH /lines/2/details
10:51 north GET /exports/lines
10:51 north GET /exports/lines?format=ndjson
10:51 north GET /exports/users
10:51 north GET /exports/users?format=ndjson
10:51 north GET /exports/ledger
10:51 north GET /exports/ledger?format=ndjson
10:52 nobody POST /auth/session
10:52 browser GET /auth/session
10:52 browser GET /auth/sessions
10:52 browser DELETE /auth/sessions/{id}
10:52 nobody POST /auth/session {"username":"north","password":"s3cret-word"}
10:52 browser DELETE /auth/session
10:53 north PUT /users/2/alerts
10:53 north GET /users/2/alerts
10:53 admin PUT /users/1/messages {"apps":"Android: Player One","whatsapp":"+55 11 91234-5678"}
10:53 north PUT /users/2/messages
10:53 north GET /users/2/messages
10:53 admin GET /service
10:55 north POST /webhooks {"url":"https://hooks.example.com/resellerd","types":["*"],"scope":"tree"}
10:55 admin POST /webhooks
10:55 admin GET /webhooks
10:55 admin GET /webhooks/2
10:56 admin POST /webhooks/2/rotate
10:56 admin POST /webhooks/2/replay
10:57 admin POST /webhooks/2/test`
	sceneOfPrincipals = `
10:57 admin GET /webhooks/2/deliveries
10:58 admin PATCH /webhooks/2
10:59 north POST /keys {"name":"till","role":"cashier","spend_limit":{"credits":1,"per":"day"}}
10:59 admin POST /keys
10:59 admin GET /keys
10:59 admin GET /keys/2
10:59 key GET /lines {}
10:59 admin PATCH /keys/2
10:59 admin POST /staff
10:59 admin GET /staff
10:59 admin GET /staff/3
10:59 admin PATCH /staff/3
10:59 nobody POST /auth/session {"username":"north","password":"s3cret-word"}
10:59 browser POST /auth/totp
10:59 browser POST /auth/totp/confirm
10:59:30 browser DELETE /auth/totp
10:59:30 browser POST /auth/totp {"password":"s3cret-word"}
10:59:30 browser POST /auth/totp/confirm {"code":"734469"}
10:59:30 admin DELETE /users/2/totp
10:59:30 nobody POST /auth/session {"username":"ana","password":"s3cret-ana"}
10:59:30 browser POST /auth/totp {"password":"s3cret-ana"}
10:59:30 browser POST /auth/totp/confirm {"code":"734469"}
10:59:30 admin DELETE /staff/3/totp
10:59 north PUT /lines/2/suspension
10:59 north DELETE /lines/2/suspension
10:59 north GET /entitlements?limit=20
10:59 north GET /radius/users/North-TV
10:59 admin POST /bulk`
	sceneOfJobs = `
10:59 admin GET /bulk?limit=20
10:59 admin GET /bulk/1
10:59 admin GET /bulk/1/results
10:59 admin GET /bulk/1/results?format=csv
10:59 admin DELETE /bulk/1
11:30 admin POST /users/2/credits/reclaim
11:30 north DELETE /auth/static-token
11:30 nobody POST /auth/static-token {"username":"north","password":"s3cret-word"}
11:30 north PATCH /auth/password
11:30 admin POST /imports/lines
11:40 nobody POST /auth/static-token {"username":"north","password":"an0ther-word"}
11:40 admin POST /plans
11:40 admin GET /prices/book
11:40 admin GET /prices/book/history
11:40 north GET /users/2/prices
11:40 north GET /users/2/prices/history
11:40 admin PUT /prices/book
11:40 admin DELETE /prices/book/versions/2
11:40 admin PUT /users/2/prices
11:40 admin DELETE /users/2/prices/versions/1
11:40 admin PATCH /plans/7
11:40 admin PUT /users/2/prices {"rows":[{"plan":3,"credits":2},{"plan":7,"credits":4}]}
11:41 north GET /plans
11:41 north PATCH /lines/2/plan
11:41 admin DELETE /users/2/prices
12:00 nobody GET /healthz
12:00 nobody GET /readyz
12:00 admin DELETE /lines/2
12:00 admin DELETE /keys/2
12:00 admin DELETE /staff/3
12:00 admin DELETE /webhooks/2`
)

// examples sends the requests of the document to the API, on a store in memory and with a fixed clock. So an answer
// equals the document's, except for random values.
type examples struct {
	*inprocess.Service
	t        *testing.T
	clock    *fixture.Clock
	store    *memstore.Store
	document map[string]any
	tokens   map[string]string // by the name of an account, or of its last key
	cookie   string            // of the session that the browser has, whose id is the next
	session  string
	shown    map[string]bool // positions in the document whose example was compared
	links    []string        // to the pages that follow
}

// shownCodes are the codes of a second factor with the secret of the document.
type shownCodes struct{ onetime.Codes }

const shownSecret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

// New implements ports.OneTimeCodes.
func (c shownCodes) New(account string) (secret profile.Secret, address string, err error) {
	made, address, err := c.Codes.New(account)
	return profile.NewSecret(shownSecret), strings.Replace(address, made.Reveal(), shownSecret, 1), err
}

// firstEpoch is a generator whose first bits are the journal's epoch in the document.
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

func newExamples(t *testing.T) *examples {
	t.Helper()
	e := &examples{t: t, clock: fixture.NewClock(fixture.Time("2026-01-31T09:00:00Z")), store: memstore.New(),
		tokens: map[string]string{}, shown: map[string]bool{}}
	decoder := json.NewDecoder(bytes.NewReader(httpapi.Document("")))
	decoder.UseNumber()
	must(t, decoder.Decode(&e.document))
	var err error
	e.Service, err = inprocess.New(e.store, inprocess.At(e.clock.Now), func(p *inprocess.Parts) {
		p.Policy.ExpiringDays, p.Policy.TrialsPerDay = []int{7, 3, 1}, 1
		p.Process = application.Process{Version: "0.2.0", Store: "sqlite", Started: e.clock.Now()}
		p.Generator = &firstEpoch{Generator: credentials.Generator{}}
		p.Codes = shownCodes{onetime.Codes{Issuer: "resellerd"}}
	})
	must(t, err)
	must(t, e.Admin(t.Context()))
	e.play(fmt.Sprintf(`09:00 nobody POST /auth/static-token {"username":%q,"password":%q}`, api.AdminName, api.AdminPassword))
	return e
}

// at returns the value at a path of the document, nil if there is none.
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

// play sends the requests of a scene, and compares the answers that the document shows.
func (e *examples) play(scene string) {
	e.t.Helper()
	for step := range strings.Lines(strings.TrimSpace(scene)) {
		parts := strings.SplitN(strings.TrimSpace(step), " ", 5)
		at := parts[0]
		if len(at) == len("09:00") {
			at += ":00"
		}
		e.clock.Set(fixture.Time("2026-01-31T" + at + "Z"))
		body, shown := "", len(parts) < 5
		if !shown {
			body = parts[4]
		}
		e.ask(parts[1], parts[2], strings.Replace(parts[3], "{id}", e.session, 1), body, shown)
	}
}

// ask sends a request, by default with the example of its body, and compares the answer if it is shown.
func (e *examples) ask(by, method, path, body string, shown bool) {
	e.t.Helper()
	bare, _, _ := strings.Cut(path, "?")
	template := api.Contract().Route(method, bare).Path
	operation := []string{"paths", template, strings.ToLower(method)}
	for _, content := range []string{"application/json", "application/x-ndjson"} {
		asked, _ := e.at(append(operation, "requestBody", "content", content, "schema")...).(map[string]any)
		switch example := asked["example"].(type) {
		case nil:
		case string:
			body = cmp.Or(body, example)
		default:
			body = cmp.Or(body, encoded(example))
		}
	}
	r := httptest.NewRequestWithContext(e.t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", api.MediaType(bare))
	r.Header.Set("User-Agent", "Mozilla/5.0 (Android 16; Mobile; rv:146.0) Gecko/146.0 Firefox/146.0")
	r.Header.Set("X-Request-Id", "019ac5f0-6a10-7c3e-9d52-3f1b7a0e8c44")
	switch by {
	case "nobody":
	case "browser":
		r.Header.Set("Cookie", e.cookie)
	default:
		r.Header.Set("Authorization", "Bearer "+e.tokens[by])
	}
	answer := api.NewRecorder()
	e.Handler.ServeHTTP(answer, r)
	expect.Equal(e.t, answer.Code < 300, true, "%s %s by %s: %d %s", method, path, by, answer.Code, answer.Body)
	e.learn(path, body, answer)
	if shown {
		content, _, _ := strings.Cut(answer.Header().Get("Content-Type"), ";")
		e.compare(method+" "+template, append(operation, "responses", fmt.Sprint(answer.Code), "content", content), answer)
	}
}

// learn stores the credentials and links of an answer.
func (e *examples) learn(path, body string, answer api.Recorder) {
	var signedIn struct{ Username string }
	var got struct{ Token, Key string }
	var sessions []struct{ ID string }
	_ = json.Unmarshal([]byte(body), &signedIn)
	_ = json.Unmarshal(answer.Body.Bytes(), &got)
	if path == "/auth/static-token" {
		e.tokens[signedIn.Username] = got.Token
	}
	e.tokens["key"] = cmp.Or(got.Key, e.tokens["key"])
	if path == "/auth/sessions" && json.Unmarshal(answer.Body.Bytes(), &sessions) == nil {
		e.session = sessions[0].ID
	}
	if cookie := answer.Header().Get("Set-Cookie"); cookie != "" {
		e.cookie, _, _ = strings.Cut(cookie, ";")
	}
	e.links = append(e.links, answer.Header()["Link"]...)
}

func (e *examples) compare(operation string, place []string, answer api.Recorder) {
	e.t.Helper()
	media, _ := e.at(place...).(map[string]any)
	e.shown[strings.Join(place, " ")] = true
	if content := place[len(place)-1]; !strings.HasSuffix(content, "json") || strings.HasSuffix(content, "ndjson") {
		expect.Equal[any](e.t, answer.Body.String(), media["example"], "%s", operation)
		return
	}
	var got any
	decoder := json.NewDecoder(bytes.NewReader(answer.Body.Bytes()))
	decoder.UseNumber()
	expect.Error(e.t, decoder.Decode(&got), nil, "%s", operation)
	expect.Equal(e.t, likely(operation, got), likely(operation, media["example"]), "%s", operation)
}

func encoded(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return text.String()
}

// random matches the random values of an answer, by operation, in the form of encoded. The document has possible ones.
var random = map[string]*regexp.Regexp{
	"POST /auth/static-token":    regexp.MustCompile(`"token":"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}"`),
	"GET /auth/sessions":         regexp.MustCompile(`"id":"[0-9a-f]{32}"`),
	"POST /keys":                 regexp.MustCompile(`"key":"rsk_2_[A-Za-z0-9_-]{43}"`),
	"POST /auth/totp":            regexp.MustCompile(`"qr_svg":"<svg [^<>]* viewBox=\\"0 0 53 53\\".*<path d=\\"M4 4h7v1H4z.*</svg>"`),
	"POST /auth/totp/confirm":    regexp.MustCompile(`\["[a-z2-7]{4}(-[a-z2-7]{4}){3}"(,"[a-z2-7]{4}(-[a-z2-7]{4}){3}"){9}\]`),
	"GET /entitlements":          regexp.MustCompile(`"next_cursor":"ZW50[A-Za-z0-9_-]+"`),
	"POST /webhooks":             regexp.MustCompile(`"secret":"whsec_[A-Za-z0-9+/]{43}="`),
	"POST /webhooks/{id}/rotate": regexp.MustCompile(`"secret":"whsec_[A-Za-z0-9+/]{43}="`),
	"POST /lines/test":           regexp.MustCompile(`"(username|password)":"[a-z0-9]{12}"`),
}

// likely returns an answer to an operation, encoded, with the form of its random values instead of the values.
func likely(operation string, value any) string {
	if form := random[operation]; form != nil {
		return form.ReplaceAllLiteralString(encoded(value), form.String())
	}
	return encoded(value)
}

// TestExamplesAreAnswers plays the scene: each request is sent, and each answer is compared.
func TestExamplesAreAnswers(t *testing.T) {
	e := newExamples(t)
	e.play(sceneOfAccounts)
	e.attempted()
	e.play(sceneOfPrincipals)
	e.work()
	e.play(sceneOfJobs)
	e.complete()
	for kind, of := range map[string]string{"headers": "NextPage", "parameters": "Cursor"} {
		shown, _ := e.at("components", kind, of).(map[string]any)
		expect.Contains(t, fmt.Sprint(e.links), fmt.Sprint(shown["example"]), "the links")
	}
}

// attempted adds attempts to the second webhook's progress, as the dispatcher would.
func (e *examples) attempted() {
	e.t.Helper()
	must(e.t, e.store.Update(e.t.Context(), func(ctx context.Context, tx ports.Tx) error {
		all := ports.WebhookProgress.In(tx.Records)
		p, err := all.Get(ctx, 2)
		if err != nil {
			return err
		}
		p.Attempts = []webhook.Attempt{
			{Event: "evt_4d1f0a7c_14", Number: 1, Took: 15_000, Failure: webhook.TimedOut,
				At: fixture.Time("2026-01-31T10:56:00Z"), Next: fixture.Time("2026-01-31T10:56:20Z")},
			{Event: "test_2_1", Number: 1, Status: 200, Took: 48, At: fixture.Time("2026-01-31T10:57:00Z")},
		}
		return all.Save(ctx, p)
	}))
}

// work runs the job, as the worker would.
func (e *examples) work() {
	e.t.Helper()
	_, err := e.Leases.Change(e.t.Context(), func(l lease.Lease) (lease.Lease, bool) { return l.Take("this"), true })
	must(e.t, err)
	running, err := e.JobWorker.Running(e.t.Context())
	must(e.t, err)
	_, err = e.JobWorker.Work(e.t.Context(), "this", running[0], bulk.MaxLines)
	must(e.t, err)
}

// complete expects that each example of a success was compared.
func (e *examples) complete() {
	e.t.Helper()
	for _, row := range api.Table() {
		place := []string{"paths", row.Path, strings.ToLower(row.Method), "responses"}
		responses, _ := e.at(place...).(map[string]any)
		for status := range responses {
			contents, _ := e.at(append(place, status, "content")...).(map[string]any)
			for content := range contents {
				shown := e.shown[strings.Join(append(place, status, "content", content), " ")] ||
					row.ID == "getDescription" || // which is the document itself
					row.ID == "startBulk" && status == "200" // of a dry run
				if !shown && status < "300" {
					e.t.Errorf("nothing shows that the example of %s %s as %s is true", row.Name(), status, content)
				}
			}
		}
	}
}
