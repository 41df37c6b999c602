package campaign

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"resellerd/test/api"
)

// Initial credits of the accounts of a group: few, so that some requests are refused. The master pays the credits of a
// reseller.
const (
	masterOpening   units = 60_0000
	resellerOpening units = 10_0000
)

// group is a master, resellers below it and their lines, used by some clients at the same time. No request of it
// depends on anything outside.
type group struct {
	admin    api.Caller
	accounts [groupSize]api.Reseller
	key      api.Caller // of the master
	initial  state
	openings []record

	mu      sync.Mutex
	lines   []ownedLine // of trials that were acknowledged, the oldest first
	records []record
	open    []record // sent once, without a key and without an answer
}

type ownedLine struct {
	api.Line
	owner int
}

// record is a request that has its outcome. A success took effect after its first attempt began and before the outcome
// was there.
type record struct {
	request
	outcome
	client      int
	began, ends time.Duration
	unknown     int // attempts that left open whether it was executed
}

// newGroup makes a group.
func (c *commands) newGroup() *group {
	c.t.Helper()
	g := &group{admin: c.admin}
	above, opening := c.admin, masterOpening
	for i := range groupSize {
		if i > master {
			above, opening = g.accounts[master].Caller, resellerOpening
		}
		body := api.NewReseller(api.Fields{"is_master": max(0, 1-i), "credits": opening.String()})
		a, done := c.asking.settle(above, "POST", "/users", body)
		if !done {
			c.t.FailNow()
		}
		g.accounts[i] = api.Reseller{Caller: c.login(body["username"].(string), body["password"].(string)), ID: a.ID()}
		r := record{request: request{kind: "opening", id: c.asking.key(), account: i, amount: opening},
			outcome: outcome{balance: opening}}
		g.openings = append(g.openings, r)
		var contradiction string
		if g.initial, contradiction = g.initial.after(r.request, r.outcome); contradiction != "" {
			c.t.Fatal(contradiction)
		}
	}
	key, done := c.asking.settle(g.accounts[master].Caller, "POST", "/keys", api.NewKey(api.Fields{"role": "manager"}))
	if !done {
		c.t.FailNow()
	}
	g.key = c.admin.Server.As(key.Text("key"))
	c.aside[c.asking.key()] = true
	return g
}

// login returns an account's token.
func (s *site) login(username, password string) (by api.Caller) {
	s.t.Helper()
	s.until("a token", func() bool {
		at := s.at(s.random)
		a, err := at.Nobody().Try(s.t, "POST", "/auth/static-token", api.Fields{"username": username, "password": password})
		if err == nil && a.Status == http.StatusOK {
			by = at.As(a.Text("token"))
		}
		return by.Token != ""
	})
	return by
}

// add stores a record, and a line that it made.
func (g *group) add(r record, made api.Answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.records = append(g.records, r)
	if r.kind == trial && r.refusal == "" {
		g.lines = append(g.lines, ownedLine{made.Line(), r.account})
	}
}

// recentLines are few, so that clients meet.
const recentLines = 10

// operations has the API's operation for each kind of request. shares has how many of 100 requests have this kind.
var (
	operations = map[kind]string{
		recharge: "addCredits", transfer: "addCredits", reclaim: "reclaimCredits", withdrawal: "reclaimCredits",
		trial: "createTrial", activation: "activateLine", extension: "extendLine", deletion: "deleteLine",
	}
	shares = map[kind]int{recharge: 14, transfer: 18, reclaim: 14, withdrawal: 6, trial: 10, activation: 16, extension: 16,
		deletion: 6}
)

// choose returns a request of one of the clients, and how it is sent.
func (g *group) choose(random *rand.Rand, id string) (request, call) {
	r := request{id: id, asked: time.Now().UTC().Truncate(time.Millisecond)}
	ticket := random.IntN(100)
	for _, k := range slices.Sorted(maps.Keys(shares)) {
		if ticket -= shares[k]; ticket < 0 {
			r.kind = k
			break
		}
	}
	g.mu.Lock()
	recent := slices.Clone(g.lines[max(0, len(g.lines)-recentLines):])
	g.mu.Unlock()
	ofLine := r.kind == activation || r.kind == extension || r.kind == deletion
	if ofLine && len(recent) == 0 {
		r.kind, ofLine = trial, false
	}
	moves := !ofLine && r.kind != trial
	r.account = random.IntN(groupSize)
	if r.kind == transfer || r.kind == reclaim {
		r.account = 1 + random.IntN(groupSize-1)
	}
	r.amount = units(1 + random.IntN(20_0000))
	q := call{id: id, key: id}
	operation := api.RowOf(operations[r.kind])
	above := g.accounts[master].Token
	if random.IntN(2) == 0 {
		above = g.key.Token
	}
	var about int64
	switch {
	case moves:
		about, q.body = g.accounts[r.account].ID, api.Fields{"credits": r.amount.String(), "notes": id}
		if q.token = above; r.kind == recharge || r.kind == withdrawal {
			q.token = g.admin.Token
		}
		if random.IntN(6) == 0 {
			q.key = ""
		}
	case ofLine:
		l := recent[random.IntN(len(recent))]
		prices := []units{5000, 5000, 1_0000, 1_0000, 2_0000, 3_0000, 5_0000, 10_0000}
		r.line, r.account, r.amount, about = l.ID, l.owner, prices[random.IntN(len(prices))], l.ID
		switch r.kind { //nolint:exhaustive // a deletion has no body, and others have no line
		case activation:
			q.body = l.Activation(r.amount.String())
		case extension:
			q.body = api.Fields{"credits": r.amount.String()}
		}
		fallthrough
	default:
		if q.token = g.accounts[r.account].Token; ofLine && random.IntN(3) == 0 { // the owner pays for any caller
			q.token = above
		}
	}
	q.method, q.path = operation.Method, operation.At(about)
	return r, q
}

// outcomeOf reads the outcome of a request from its answer.
func (g *group) outcomeOf(r request, a api.Answer) (o outcome, err error) {
	var body struct {
		Code                                  string
		ID, Owner                             int64
		Credits, Balance, Required, Shortfall units
		IsTrial                               int
		UpdatedAt, ExpDate                    time.Time
	}
	if err = json.Unmarshal(a.Body, &body); err != nil || a.Status >= http.StatusBadRequest {
		if !slices.Contains(refusals, a.Status) {
			err = fmt.Errorf("status %d", a.Status)
		}
		return outcome{refusal: body.Code, balance: body.Balance, required: body.Required, shortfall: body.Shortfall}, err
	}
	want, about := http.StatusOK, g.accounts[r.account].ID
	switch r.kind {
	case recharge, transfer, reclaim, withdrawal:
		o.balance = body.Credits
	case trial, activation, extension:
		o.at, o.expires, o.trial = body.UpdatedAt, body.ExpDate, body.IsTrial == 1
		if body.Owner != about {
			return o, fmt.Errorf("the line is owned by %d", body.Owner)
		}
		if about = r.line; r.kind != extension {
			want = http.StatusCreated
		}
		if r.kind == trial {
			o.line, about = body.ID, body.ID
		}
	case deletion, opening, accountRead, lineRead:
		about = 0
	}
	if about != 0 && body.ID != about || a.Status != want {
		return o, fmt.Errorf("status %d, want %d, about %d, want %d", a.Status, want, body.ID, about)
	}
	return o, nil
}

// movement is a movement in a statement.
type movement struct {
	Seq          int64
	Kind         string
	Amount       units // negative where it left the account
	Balance      units // right after
	Counterparty string
	Line         int64
	Request      string `json:"request_id"`
}

// statement reads an account's statement, the newest movement first.
func (c *commands) statement(account int64) (all []movement) {
	c.t.Helper()
	for _, text := range c.list(api.Path("/users", account, "/ledger?")) {
		var m movement
		c.decode(text, &m)
		all = append(all, m)
	}
	return all
}

// wanted is a movement that an acknowledged request must have left.
type wanted struct {
	movement      // without Seq
	answered bool // the answer had the balance, so the movement must have the same one
}

// acknowledged returns the expected statement of each account, and the totals.
func (g *group) acknowledged() (statements [groupSize][]wanted, total sums) {
	owners := map[int64]int{}
	for _, l := range g.lines {
		owners[l.ID] = l.owner
	}
	called := map[int]string{issuance: "issuance", consumption: "consumption"}
	for i, a := range g.accounts {
		called[i] = a.Name()
	}
	for _, r := range slices.Concat(g.openings, g.records) {
		if r.refusal != "" {
			continue
		}
		for i, p := range r.postings(owners[r.request.line]) {
			statements[p.account] = append(statements[p.account], wanted{movement{Kind: p.kind, Amount: p.change,
				Balance: r.balance, Counterparty: called[p.counterparty], Line: r.request.line, Request: r.id},
				p.account == r.account && p.counterparty != consumption})
			total = total.plus(sums{held: p.change, movements: int64(1 - min(1, i))})
			switch p.counterparty {
			case issuance:
				total.issued += p.change
			case consumption:
				total.consumed -= p.change
			}
		}
	}
	return statements, total
}

// compare finds what a statement has too much or too little of: every wanted movement is there once, and, where it is
// whole, nothing else; they are numbered without a gap, and each balance follows from the one before.
func compare(statement []movement, want []wanted, whole bool) (problems []string) {
	problem := func(format string, values ...any) { problems = append(problems, fmt.Sprintf(format, values...)) }
	missing, seen := map[string]wanted{}, map[string]bool{}
	for _, w := range want {
		missing[w.Request] = w
	}
	var balance units
	for i, m := range slices.Backward(statement) {
		balance += m.Amount
		if place := int64(len(statement) - i); m.Seq != place || m.Balance != balance || seen[m.Request] {
			problem("movement %d is %+v, again (%t), and must leave %s", place, m, seen[m.Request], balance)
		}
		w, asked := missing[m.Request]
		if w.Seq = m.Seq; !w.answered {
			w.Balance = m.Balance
		}
		if asked && w.movement != m {
			problem("it has %+v, and %+v was acknowledged", m, w.movement)
		} else if !asked && whole && !seen[m.Request] {
			problem("no answer shows %+v", m)
		}
		seen[m.Request] = true
		delete(missing, m.Request)
	}
	for _, w := range missing {
		problem("it lacks %+v, which was acknowledged", w.movement)
	}
	return problems
}

// expectation is the expected content of an entry.
type expectation struct {
	kind          string
	account, line int64
	amount        units
}

// expect adds what entries a group must have left, by their requests.
func (g *group) expect(all map[string]expectation) {
	types := map[kind]string{
		opening: "reseller.created", recharge: "reseller.credited", transfer: "reseller.credited",
		reclaim: "reseller.reclaimed", withdrawal: "reseller.reclaimed", trial: "line.trial_created",
		activation: "line.activated", extension: "line.extended", deletion: "line.deleted",
	}
	for _, r := range slices.Concat(g.openings, g.records) {
		if r.refusal != "" {
			continue
		}
		want := expectation{types[r.kind], g.accounts[r.account].ID, max(r.request.line, r.outcome.line), r.amount}
		if r.kind == trial || r.kind == deletion {
			want.amount = 0
		}
		all[r.id] = want
	}
}
