package simulate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"resellerd/test/api"
	"resellerd/test/model"
)

// request is a client's request, sent again and again until it has an answer.
type request struct {
	op      *operation
	by      *model.Reseller // nil for a login
	token   *token          // nil: none is sent
	method  string
	path    string // with its query
	body    string
	key     string
	login   bool
	noToken bool
	media   string // of the body, where it is not JSON
	// spoiled is the answer that the API gives after it has authenticated the caller, without looking at the request;
	// nil for a request that it looks at.
	spoiled *outcome
	// early is the answer that the API gives before it authenticates the caller, nil for none.
	early *outcome

	bySession bool     // it has a session, and not a token
	browser   *browser // whose cookie is sent, nil for none
	headers   [][2]string
	signsIn   string // name for the sign-in, "" where it is none
	leaving   bool   // it signs out
	// decide returns the outcome of the request in the present world, after the checks that every request has.
	decide func(at model.Moment) *outcome

	delegated bool                              // the acting principal was chosen
	as        *model.Principal                  // that acts for the account, nil: the account itself
	beyond    func(giver *model.Principal) bool // reports whether it grants rights beyond the giver's; nil: it grants none
	personal  bool                              // it concerns the person, and not the account
}

// person is the person of the caller.
func (q *request) person() model.Person { return model.Person{Of: q.by, As: q.as} }

// byKey reports whether the caller is a key.
func (q *request) byKey() bool { return q.as != nil && !q.as.Staff }

// outcome is the model's answer to a request.
type outcome struct {
	status int
	code   string // of a refusal
	fields fields // of the answer
	wait   time.Duration
	// effect changes the world, once, where the request takes effect, and completes fields.
	effect   func(t *attempt)
	replayed *recorded
	seen     func(body fields) string // "" or what is wrong
}

// fields is a JSON object: numbers as they are written.
type fields = map[string]any

// String names the outcome in a story.
func (o *outcome) String() string {
	if o == nil {
		return "no answer"
	}
	text := strconv.Itoa(o.status)
	if o.code != "" {
		text += " " + o.code
	}
	if o.replayed != nil {
		text += " (replayed)"
	}
	if len(o.fields) > 0 {
		text += " " + spelled(o.fields)
	}
	return text
}

func refused(code string) *outcome { return &outcome{status: statuses[code], code: code} }

// statuses are the statuses of the refusals.
var statuses = map[string]int{
	"malformed-body": 400, "bad-idempotency-key": 400, "two-credentials": 400,
	"invalid-token": 401, "missing-token": 401, "invalid-credentials": 401, "missing-session": 401, "session-ended": 401,
	"key-revoked": 401, "key-expired": 401, "insufficient-credits": 402,
	"account-blocked": 403, "not-allowed": 403, "cross-origin": 403, "line-not-served": 403, "address-not-allowed": 403,
	"insufficient-scope": 403, "beyond-own-rights": 403, "not-found": 404, "unknown-route": 404, "method-not-allowed": 405,
	"tree-too-deep": 409, "username-taken": 409, "external-id-taken": 409, "balance-limit": 409, "line-not-trial": 409,
	"line-is-trial": 409, "period-too-long": 409, "no-balance": 409, "too-many-webhooks": 409, "webhook-disabled": 409,
	"too-many-principals": 409, "price-changed": 409, "too-many-versions": 409, "cursor-unknown": 410,
	"body-too-large": 413, "unsupported-media-type": 415, "validation-failed": 422, "unknown-price": 422,
	"effective-too-soon": 422, "bad-url": 422, "expiry-in-past": 422, "idempotency-key-reused": 422,
	"spend-limit-reached": 429, "store-unavailable": 503, "proof-unavailable": 503,
}

// account names an idempotency key of the request's reseller.
func (q *request) account(key string) string { return fmt.Sprintf("%d %s", q.by.ID, key) }

// content is the request that an idempotency key identifies. It includes whether the caller sees passwords and, for a
// personal request, the principal.
func (q *request) content() string {
	text := q.method + " " + q.path + "\n" + q.body
	if q.personal && q.as != nil {
		text += fmt.Sprintf("\nof principal %d", q.as.ID)
	}
	if q.as != nil && !q.as.Has("lines:passwords") {
		text += "\nwithout passwords"
	}
	return text
}

// String names the request in a story.
func (q *request) String() string {
	who := "nobody"
	if q.by != nil {
		who = fmt.Sprintf("account %d", q.by.ID)
	}
	text := fmt.Sprintf("%s: %s %s %.2000s", who, q.method, q.path, q.body)
	if q.as != nil {
		text += fmt.Sprintf(" by principal %d", q.as.ID)
	}
	if q.browser != nil {
		text += fmt.Sprintf(" by session %s %s", q.browser.id, q.headers)
	}
	if q.key != "" {
		text += " under " + q.key
	}
	return text
}

// String names the attempt in a story.
func (t *attempt) String() string {
	return fmt.Sprintf("%s, process %d, %s", t.id, t.process.number, t.request)
}

// moment is the time and the caller of a request, as the service last saw them.
func (r *run) moment(t *attempt) model.Moment {
	at := model.Moment{Now: t.now, Request: t.id, Address: addressOf(r.current), Session: t.request.browser != nil,
		As: t.request.as}
	if at.Now.IsZero() {
		at.Now = t.process.now()
	}
	return at
}

// decide decides a request: it applies the rules in the promised order.
func (r *run) decide(t *attempt) *outcome {
	q, at := t.request, r.moment(t)
	now := at.Now
	if q.by == nil {
		return q.decide(at)
	}
	switch {
	case q.browser != nil:
		if ended := r.decideSession(t); ended != nil {
			return ended
		}
	case q.byKey():
		if not := r.decideKey(t, at); not != nil {
			return not
		}
	case q.token.made != q.by.Tokens:
		return refused("invalid-token")
	}
	if q.beyond != nil && r.authenticating(t) && q.beyond(q.as) {
		return refused("beyond-own-rights")
	}
	if told := q.as.ServesCustomers() && q.op.Scope == "entitlements:read"; q.by.Frozen() && !q.leaving && !told {
		return refused("account-blocked")
	}
	if q.key != "" {
		if known := r.answers[q.account(q.key)]; known != nil && now.Before(known.expires) {
			if known.content != q.content() {
				return refused("idempotency-key-reused")
			}
			return &outcome{status: known.answer.status, fields: known.answer.fields, replayed: known}
		}
	}
	return q.decide(at)
}

// answer is the answer to a request; lost where none came.
type answer struct {
	lost   bool
	status int
	header http.Header
	body   []byte
	fields fields
}

const proofPath = "/ledger/proof"

// send sends a request to a process once, and compares its answer with the model.
func (r *run) send(a *actor, p *process, q *request) answer {
	for !p.admits(q) {
		a.ready = func() bool { return p.admits(q) }
		a.pause()
	}
	t := &attempt{request: q, process: p, begun: p.begun, entries: len(r.world.Journal),
		id: fmt.Sprintf("s%d-%d-%d", a.step.round, a.step.slot, a.tries)}
	a.attempt = t
	underWay := p.underWay
	underWay[t] = true
	defer delete(underWay, t)
	a.tries++
	r.requests++
	defer func() { a.attempt = nil }()
	clock := ""
	if p.skew != 0 {
		clock = fmt.Sprintf(" (its clock off by %s)", p.skew)
	}
	r.tell(a.step, "process %d%s <- %s", p.number, clock, q)
	t.decided = cmp.Or(q.early, q.spoiled)
	w := api.NewRecorder()
	if !r.serve(t, a, w) {
		r.tell(a.step, "process %d died", p.number)
		return answer{lost: true}
	}
	got := answer{status: w.Code, header: w.Header(), body: w.Body.Bytes()}
	r.tell(a.step, "process %d -> %d %.4000s", p.number, got.status, bytes.TrimSpace(got.body))
	decoded, err := decode(got.body)
	if err != nil {
		r.differ(t.String(), "an answer in JSON", err.Error())
	}
	if got.fields, _ = decoded.(fields); got.fields == nil {
		got.fields = fields{"list": decoded}
	}
	r.check(t, got)
	return got
}

// decode reads JSON, with numbers as they are written.
func decode(text []byte) (decoded any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&decoded)
	return decoded, err
}

// serve calls the handler. It reports false where the process died during the call.
func (r *run) serve(t *attempt, a *actor, w api.Recorder) (ended bool) {
	address, err := url.ParseRequestURI(t.request.path)
	if err != nil {
		panic(err)
	}
	asked := &http.Request{
		Method: t.request.method, URL: address, RequestURI: t.request.path, Host: "simulated", RemoteAddr: a.address,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"X-Request-Id": {t.id}},
		Body: io.NopCloser(bytes.NewReader([]byte(t.request.body))), ContentLength: int64(len(t.request.body)),
	}
	if t.request.browser != nil {
		asked.Header.Set("Cookie", t.request.browser.cookie)
	} else if t.request.token != nil {
		asked.Header.Set("Authorization", "Bearer "+t.request.token.text)
	}
	for _, header := range t.request.headers {
		asked.Header.Add(header[0], header[1])
	}
	if t.request.body != "" {
		asked.Header.Set("Content-Type", cmp.Or(t.request.media, "application/json"))
	}
	if t.request.key != "" {
		asked.Header.Set("Idempotency-Key", t.request.key)
	}
	defer func() {
		p := recover()
		if p != nil && !t.died {
			panic(p) // the year is over
		}
		ended = p == nil
	}()
	t.process.handler.ServeHTTP(w, asked)
	return true
}

// check compares an answer with the model's decision at the last moment at which the service read its store.
func (r *run) check(t *attempt, got answer) {
	want := t.decided
	expected := func(what string) { r.differ(t.String(), what, fmt.Sprintf("%d %s %s", got.status, got.body, r.cause)) }
	if id := got.header.Get("X-Request-Id"); id != t.id {
		expected("the request's id " + t.id)
	}
	if t.failed {
		code, _ := got.fields["code"].(string)
		if got.status != http.StatusServiceUnavailable || statuses[code] != http.StatusServiceUnavailable ||
			got.header.Get("Retry-After") == "" {
			expected("503, as a port was unavailable")
		}
		r.seen[t.request.name()+" "+code]++
		return
	}
	switch {
	case want == nil:
		expected("that the store is read")
		return
	case got.status != want.status:
		expected(want.String())
		return
	case (t.kept != nil) != (want.effect != nil):
		expected("an effect for this answer, and for no other: " + want.String())
		return
	}
	if replayed := got.header.Get("Idempotency-Replayed") == "true"; replayed != (want.replayed != nil) {
		expected(fmt.Sprintf("replayed %t: %s", want.replayed != nil, want))
		return
	}
	if want.code != "" && got.fields["code"] != want.code {
		expected(want.String())
		return
	}
	if want.wait > 0 && got.header.Get("Retry-After") != strconv.Itoa(int(math.Ceil(want.wait.Seconds()))) {
		expected(fmt.Sprintf("Retry-After of %s", want.wait))
		return
	}
	if wrong := compare(want.fields, got.fields); wrong != "" {
		expected(wrong)
		return
	}
	if wrong := r.checkSession(t, got); wrong != "" {
		expected(wrong)
		return
	}
	if want.seen != nil {
		if wrong := want.seen(got.fields); wrong != "" {
			expected(wrong)
			return
		}
	}
	r.remember(t, want, got, expected)
	r.seen[t.request.name()+" "+cmp.Or(want.code, strconv.Itoa(want.status))]++
}

// name is the operation of the request, and whether it is replayed.
func (q *request) name() string {
	if q.op == nil {
		return q.method + " " + q.path
	}
	return q.op.Name()
}

// remember stores the answer under a key, which any process replays byte for byte.
func (r *run) remember(t *attempt, want *outcome, got answer, expected func(string)) {
	known := want.replayed
	if known == nil && t.kept != nil && t.request.key != "" {
		// It may have expired since, by another process's clock.
		if known = r.answers[t.request.account(t.request.key)]; known == nil || known.answer != t.kept {
			return
		}
	}
	if known == nil {
		return
	}
	if known.body == nil {
		known.body = slices.Clone(got.body)
	} else if !bytes.Equal(known.body, got.body) {
		expected("the recorded answer " + string(known.body))
	}
}

// compare returns the difference of an object, "" for none. It may have more fields than the wanted ones.
func compare(want, got fields) string {
	names := make([]string, 0, len(want))
	for name := range want {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value, there := got[name]
		if wrong := compareValue(want[name], value); wrong != "" || !there {
			return fmt.Sprintf("%s to be %s (there: %t)", name, wrong, there)
		}
	}
	return ""
}

func compareValue(want, got any) string {
	switch w := want.(type) {
	case int:
		want = json.Number(strconv.Itoa(w))
	case int64:
		want = json.Number(strconv.FormatInt(w, 10))
	case json.RawMessage: // all of it
		if text := spelled(got); text != string(w) {
			return fmt.Sprintf("%s, not %s", w, text)
		}
		return ""
	case []fields:
		list, _ := got.([]any)
		if len(list) != len(w) {
			return fmt.Sprintf("%d records, not %d", len(w), len(list))
		}
		for i := range w {
			record, _ := list[i].(fields)
			if wrong := compare(w[i], record); wrong != "" {
				return fmt.Sprintf("of record %d %s", i, wrong)
			}
		}
		return ""
	}
	if want != got {
		return fmt.Sprintf("%#v, not %#v", want, got)
	}
	return ""
}

// perform is a client's work in a step: it sends a request and, where it may, repeats it until it has an answer.
func (r *run) perform(a *actor) {
	op := r.choose(a)
	q := op.draw(&choice{r, a})
	if q == nil {
		return // there is nothing yet to do it with
	}
	first := q.op == nil
	if first {
		q.op, q.method = op, cmp.Or(q.method, op.Method)
		q.bySession = q.bySession || a.random.IntN(4) == 0
	}
	if !r.introduce(a, q) {
		return
	}
	if first && q.key != "" && q.spoiled == nil && q.early == nil {
		r.keyed = append(r.keyed, q)
	}
	r.insist(a, q)
}

// insist sends a request until it has an answer, at one process or another. Without a key the outcome of a request
// without an answer is unknown, and the request is abandoned.
func (r *run) insist(a *actor, q *request) answer {
	a.tries = 0
	for {
		got := r.send(a, r.processes[a.random.IntN(processes)], q)
		switch {
		case r.difference != nil || !got.lost && got.status != http.StatusServiceUnavailable:
			return got
		case q.key == "" && q.method != http.MethodGet && !q.login:
			return got
		}
		a.rest(time.Duration(a.random.IntN(20_000)) * time.Millisecond)
		if a.tries > 2 && q.browser == nil {
			r.introduce(a, q) // the token may have changed
		}
	}
}

// introduce gives a request its credentials: a token, or the cookie of a session. It reports false where the caller
// can't get any.
func (r *run) introduce(a *actor, q *request) bool {
	switch {
	case q.by == nil || q.noToken:
		return true
	case q.browser != nil:
		return true
	case q.token != nil && q.byKey():
		return true
	}
	r.delegate(a, q)
	switch {
	case q.byKey():
		q.bySession, q.token = false, &token{text: q.as.Secret}
		return true
	case q.bySession:
		return r.byBrowser(a, q)
	}
	return r.logIn(a, q)
}

// logIn gives a request the token that its client has, or a new one. It reports false where the client can't get one.
func (r *run) logIn(a *actor, q *request) bool {
	held := r.tokens[q.by]
	if held == nil || held.made != q.by.Tokens {
		ask := r.loginOf(q.by.Name, q.by.Password)
		tries := a.tries
		got := r.insist(a, ask)
		a.tries = tries
		if got.status != http.StatusOK || r.difference != nil {
			return false
		}
		held = r.tokens[q.by]
	}
	q.token = held
	return true
}
