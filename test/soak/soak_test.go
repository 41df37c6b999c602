package soak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

const (
	tenantCount = 8
	mostPause   = 30 * time.Millisecond // of a tenant between two operations
	mostLines   = 150                   // of a tenant: more are deleted
	segmentTime = 10 * time.Minute      // between two restarts, in the long form
)

// soak is one run.
type soak struct {
	t        *testing.T
	p        *program.Program
	ids      atomic.Int64
	ended    atomic.Bool
	requests atomic.Int64
	unknown  atomic.Int64 // attempts without an answer, or with 503
	counts   []atomic.Int64
	receives *receiver
}

// tenant is a master with a reseller below it, and what they must have in the end.
type tenant struct {
	*soak
	random   *rand.Rand
	master   api.Reseller
	reseller api.Reseller
	session  api.Caller
	trials   []api.Line
	official []api.Line
	accounts int                 // below the master
	balances [2]int64            // halves of a credit: of the master, of the reseller
	moved    [2]map[string]int64 // the same by request
	webhook  int64               // of the master, for everything: what it is for arrives
	webhooks []int64             // others, that come and go
	keys     []key               // of the reseller
	staff    []member            // of the master
	follows  string              // how far the master follows entitlements, "" for the beginning
	served   map[int64]bool      // what it knows by that: the lines that are there, and which are enabled
	started  int64               // id of the latest job, 0 for none
}

// row is an operation of the API, and how a tenant asks for it.
type row struct {
	operation string // its operationId
	weight    int
	ask       func(w *tenant)
}

// Whose balance.
const (
	ofMaster = iota
	ofReseller
)

// special says how a tenant asks for operations whose effect it has to know, or of which the example is not enough.
var special = map[string]func(w *tenant){
	"issueToken": (*tenant).login,
	"revokeToken": func(w *tenant) {
		// Asked again it may find its own token dead.
		w.effect(w.reseller.Caller, "DELETE", "/auth/static-token", nil, 200, 401)
		w.login()
	},
	"changePassword": func(w *tenant) {
		next := "another " + w.name()
		w.effect(w.session, "PATCH", "/auth/password", api.Fields{"password": w.master.Password, "new_password": next}, 200)
		w.master.Password = next
		w.master.Token = w.token(w.master)
	},
	"signIn": (*tenant).signIn,
	"signOut": func(w *tenant) {
		w.settle(w.session, "DELETE", "/auth/session", nil, "", 200, 401)
		w.signIn()
	},
	"endSession": func(w *tenant) {
		for _, s := range w.read(w.session, "/auth/sessions").List() {
			if current, _ := s.Fields["current"].(bool); !current && s.Fields["staff"] == nil {
				w.settle(w.session, "DELETE", "/auth/sessions/"+s.Text("id"), nil, "", 200, 404)
				return
			}
		}
	},
	"createReseller": func(w *tenant) {
		if w.accounts < 40 {
			w.accounts++
			w.effect(w.master.Caller, "POST", "/users", api.NewReseller(nil), 201)
		}
	},
	"getSelf": func(w *tenant) {
		w.read(w.reseller.Caller, "/users/logged").Has(api.Fields{"credits": credits(w.balances[ofReseller])})
	},
	"updateReseller": func(w *tenant) {
		if w.random.IntN(3) == 0 {
			w.reseller.Password = "another " + w.name()
		}
		w.effect(w.master.Caller, "PATCH", api.Path("/users", w.reseller.ID), w.reseller.Update(), 200)
		w.login()
	},
	"addCredits": func(w *tenant) { w.fund(2) },
	"reclaimCredits": func(w *tenant) {
		w.fund(1)
		_, id := w.effect(w.master.Caller, "POST", api.Path("/users", w.reseller.ID, "/credits/reclaim"),
			api.Fields{"credits": 0.5}, 200)
		w.moves(id, 1, -1)
	},
	"blockReseller": func(w *tenant) {
		w.effect(w.master.Caller, "PUT", api.Path("/users", w.reseller.ID, "/block"), nil, 200)
		w.settle(w.reseller.Caller, "GET", "/users/logged", nil, "", 403)
		if w.random.IntN(2) == 0 {
			w.effect(w.master.Caller, "PUT", api.Path("/users", w.reseller.ID, "/block"),
				api.Fields{"lines": "suspend", "reason": w.name()}, 200)
			w.follow(true)
		}
		w.unblock()
	},
	"unblockReseller": (*tenant).unblock,
	"getBalance": func(w *tenant) {
		at := time.Now().Add(-time.Duration(w.random.IntN(3600)) * time.Second)
		w.read(w.master.Caller, api.Query(api.Path("/users", w.reseller.ID, "/balance"), "at", at.UTC().Format(time.RFC3339)))
	},
	"getSummary": func(w *tenant) {
		w.read(w.master.Caller, api.Query("/reports/summary", "tree", w.master.ID, "days", 1+w.random.IntN(366)))
	},
	"setAlerts": func(w *tenant) {
		below := max(1, w.balances[ofReseller]+int64(w.random.IntN(3)))
		w.effect(w.master.Caller, "PUT", api.Path("/users", w.reseller.ID, "/alerts"),
			api.Fields{"balance_low": credits(below)}, 200)
	},
	"createKey": (*tenant).makeKey,
	"getKey": func(w *tenant) {
		k := w.key()
		w.read(w.reseller.Caller, api.Path("/keys", k.id))
		w.read(w.p.As(k.secret), "/lines?limit=5")
	},
	"revokeKey": func(w *tenant) {
		k := w.key()
		w.keys = slices.DeleteFunc(w.keys, func(other key) bool { return other == k })
		w.effect(w.reseller.Caller, "DELETE", api.Path("/keys", k.id), nil, 200)
		w.settle(w.p.As(k.secret), "GET", "/prices", nil, "", 401)
	},
	"createStaff": (*tenant).hire,
	"getStaff": func(w *tenant) {
		m := w.member()
		w.read(w.master.Caller, api.Path("/staff", m.id))
		w.read(m.session, "/lines?limit=5")
	},
	"removeStaff": func(w *tenant) {
		m := w.member()
		w.staff = slices.DeleteFunc(w.staff, func(other member) bool { return other.id == m.id })
		w.effect(w.master.Caller, "DELETE", api.Path("/staff", m.id), nil, 200)
		w.settle(m.session, "GET", "/prices", nil, "", 401)
	},
	"resetStaffTOTP": func(w *tenant) {
		m := w.member()
		w.haveFactor(m.session, memberPassword)
		w.effect(w.master.Caller, "DELETE", api.Path("/staff", m.id, "/totp"), nil, 200)
	},
	"beginTOTP": func(w *tenant) {
		w.effect(w.signedIn(w.reseller.Username, w.reseller.Password), "POST", "/auth/totp",
			api.Fields{"password": w.reseller.Password}, 200)
	},
	"confirmTOTP": (*tenant).haveNoFactor,
	"removeTOTP":  (*tenant).haveNoFactor,
	"resetTOTP": func(w *tenant) {
		w.haveFactor(w.signedIn(w.reseller.Username, w.reseller.Password), w.reseller.Password)
		w.effect(w.master.Caller, "DELETE", api.Path("/users", w.reseller.ID, "/totp"), nil, 200)
	},
	"createWebhook": func(w *tenant) {
		if w.random.IntN(2) == 0 && len(w.webhooks) < 5 { // what is for it waits, and is sent again
			w.webhooks = append(w.webhooks, w.makeWebhook("https://soak.invalid/", "webhook.*"))
		} else if len(w.webhooks) < 5 {
			w.webhooks = append(w.webhooks, w.makeWebhook(w.receives.URL+w.hookPath(ofOthers), "line.*", "balance.*"))
		}
	},
	"getWebhook": func(w *tenant) {
		w.read(w.master.Caller, api.Path("/webhooks", w.webhook)).Has(api.Fields{"enabled": true, "disabled_reason": nil})
	},
	"updateWebhook": func(w *tenant) {
		id := w.anyWebhook()
		w.effect(w.master.Caller, "PATCH", api.Path("/webhooks", id),
			api.Fields{"description": w.name(), "enabled": id == w.webhook || w.random.IntN(4) > 0}, 200)
	},
	"replayWebhook": func(w *tenant) {
		last := seqOf(w.read(w.master.Caller, "/events?order=desc&limit=1").List()[0])
		w.effect(w.master.Caller, "POST", api.Path("/webhooks", w.anyWebhook(), "/replay"),
			api.Fields{"after_seq": max(0, last-100)}, 202)
	},
	"deleteWebhook": func(w *tenant) {
		if n := len(w.webhooks); n > 0 {
			w.effect(w.master.Caller, "DELETE", api.Path("/webhooks", w.webhooks[n-1]), nil, 200)
			w.webhooks = w.webhooks[:n-1]
		}
	},
	"listLines": func(w *tenant) {
		order := []string{"", "&sort=id", "&sort=expiry", "&sort=latest_expiry", "&sort=newest",
			"&sort=username"}[w.random.IntN(6)]
		w.read(w.master.Caller, fmt.Sprintf("/lines?tree=%d&limit=%d%s", w.master.ID, 1+w.random.IntN(100), order))
	},
	"createTrial":  (*tenant).trial,
	"activateLine": (*tenant).activate,
	"extendLine": func(w *tenant) {
		l := w.line()
		w.fund(1)
		a, id := w.effect(w.reseller.Caller, "PATCH", api.Path("/lines/extend", l.ID), api.Fields{"credits": 0.5}, 200, 409)
		if a.Status == 200 {
			w.moves(id, 0, -1)
		}
	},
	"previewExtension": func(w *tenant) {
		w.settle(w.reseller.Caller, "GET", api.Path("/lines/extend-preview", w.line().ID, "?credits=1"), nil, "",
			200, 402, 409)
	},
	"getLine": func(w *tenant) {
		l := w.line()
		w.read(w.reseller.Caller, api.Path("/lines", l.ID)).Has(api.Fields{"username": l.Username, "password": l.Password,
			"isTrial": 0})
	},
	"editLine": func(w *tenant) {
		l := w.line()
		w.effect(w.reseller.Caller, "PATCH", api.Path("/lines", l.ID), api.With(l.Edit(), api.Fields{"notes": w.name()}), 200)
	},
	"describeLine": func(w *tenant) {
		w.effect(w.reseller.Caller, "PATCH", api.Path("/lines", w.line().ID, "/details"), api.Fields{"external_id": w.name()},
			200)
	},
	"suspendLine": (*tenant).suspend,
	"deleteLine":  (*tenant).remove,
	"startBulk":   (*tenant).job,
	"exportLines": func(w *tenant) {
		if a := w.settle(w.reseller.Caller, "GET", "/exports/lines", nil, "", 200, 429); a.Status == 200 {
			w.exports(a, "id,owner,username,password,")
		}
	},
	"exportResellers": func(w *tenant) {
		if a := w.settle(w.master.Caller, "GET", "/exports/users", nil, "", 200, 429); a.Status == 200 {
			w.exports(a, "id,username,is_master,credits,")
		}
	},
	"exportLedger": func(w *tenant) {
		if a := w.settle(w.reseller.Caller, "GET", "/exports/ledger", nil, "", 200, 429); a.Status == 200 {
			w.exports(a, "id,seq,kind,amount,balance,")
		}
	},
	"importLines": func(w *tenant) {
		row := api.With(api.NewImport(), api.Fields{"owner": w.reseller.ID})
		w.settle(w.p.As(w.p.AdminToken), "POST", "/imports/lines?dry_run=true", row, "", 200).Has(api.Fields{"created": 1})
	},
	"listEntitlements": func(w *tenant) { w.follow(false) },
	"letIn": func(w *tenant) {
		l := w.line()
		w.read(w.reseller.Caller, api.RowOf("letIn").At(l.Username)).Has(api.Fields{"control:Cleartext-Password": l.Password})
	},
	"proveLedger": func(w *tenant) {
		if w.random.IntN(10) == 0 { // it sums all that is there
			w.settle(w.p.As(w.p.AdminToken), "GET", "/ledger/proof", nil, "", 200).Has(api.Fields{"balanced": true})
		}
	},
	"listEvents": func(w *tenant) {
		w.read(w.master.Caller, fmt.Sprintf("/events?order=desc&limit=%d", 1+w.random.IntN(100)))
	},
}

// table has all operations, in proportion to their weights in a simulation.
var table = func() (all []row) {
	for _, r := range api.Table() {
		ask, known := special[r.ID]
		if !known {
			ask = func(w *tenant) { w.example(r) }
		}
		all = append(all, row{r.ID, max(1, r.Weight/4), ask})
	}
	return all
}()

// example asks for an operation about what the tenant has, with the example of its row.
func (w *tenant) example(r api.Row) {
	by, line := w.master, api.Line{}
	by.Webhook, by.Job = w.webhook, w.started
	caller := map[api.Right]api.Caller{api.Anybody: w.p.Nobody(), api.Browser: w.session, api.Account: by.Caller,
		api.Master: by.Caller, api.Operator: w.p.As(w.p.AdminToken)}[r.For]
	switch {
	case r.Of == api.ATrial:
		w.trial()
		line = w.trials[len(w.trials)-1]
	case r.Of == api.AnOfficialLine, r.Of == api.ALineByName:
		line = w.line()
	case r.Of == api.AKey:
		by = w.reseller
		by.Key, caller = w.key().id, by.Caller
	case r.Of == api.AMember:
		by.Member = w.member().id
	case r.Of == api.AJob && by.Job == 0:
		return
	}
	op, key, want := r.Example(by, w.reseller, line), "", []int{200}
	if r.Keyed {
		key, want = w.name(), []int{200, 201, 202, 409}
	}
	var body any
	if op.Body != nil {
		body = op.Body
	}
	w.settle(caller, op.Method, op.Path, body, key, want...)
}

// exports expects a whole table, whose header begins so.
func (w *tenant) exports(a api.Answer, header string) {
	text, begins := strings.CutPrefix(string(a.Body), "\ufeff"+header)
	if !begins || !strings.HasSuffix(text, "\r\n") {
		a.T.Errorf("%s: the table is %s", a.Request, a.Body)
	}
}

func (s *soak) name() string { return fmt.Sprintf("soak-%d", s.ids.Add(1)) }

// settle asks until there is an answer other than 503, and expects one of the statuses.
func (w *tenant) settle(by api.Caller, method, path string, body any, key string, want ...int) api.Answer {
	var headers []string
	if key != "" {
		headers = []string{"Idempotency-Key", key, "X-Request-Id", key}
	}
	for late := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		w.requests.Add(1)
		a, err := by.Try(w.t, method, path, body, headers...)
		if err != nil || a.Status == 503 || a.Status == 429 {
			if w.unknown.Add(1); time.Now().After(late) {
				w.t.Errorf("%s %s has no answer: %v, status %d", method, path, err, a.Status)
				return a
			}
			continue
		}
		if !slices.Contains(want, a.Status) {
			w.t.Errorf("%s: status %d, want one of %v: %s", a.Request, a.Status, want, a.Body)
		}
		return a
	}
}

func (w *tenant) read(by api.Caller, path string) api.Answer {
	return w.settle(by, "GET", path, nil, "", 200)
}

// effect settles what takes effect once under its key, which is its request id as well.
func (w *tenant) effect(by api.Caller, method, path string, body any, want ...int) (a api.Answer, id string) {
	id = w.name()
	return w.settle(by, method, path, body, id, want...), id
}

func (w *tenant) login() {
	w.reseller.Token = w.token(w.reseller)
}

func (w *tenant) token(of api.Reseller) string {
	return w.settle(w.p.Nobody(), "POST", "/auth/static-token",
		api.Fields{"username": of.Username, "password": of.Password}, "", 200).Text("token")
}

func (w *tenant) signIn() {
	w.session = w.signedIn(w.master.Username, w.master.Password)
}

func (w *tenant) unblock() {
	w.effect(w.master.Caller, "DELETE", api.Path("/users", w.reseller.ID, "/block"), nil, 200)
}

// moves keeps what a request has moved, in halves of a credit.
func (w *tenant) moves(id string, master, reseller int64) {
	for whose, amount := range [2]int64{master, reseller} {
		if amount != 0 {
			w.balances[whose] += amount
			w.moved[whose][id] = amount
		}
	}
}

func (w *tenant) fund(halves int64) {
	_, id := w.effect(w.master.Caller, "PATCH", api.Path("/users/credits", w.reseller.ID),
		api.Fields{"credits": credits(halves)}, 200)
	w.moves(id, -halves, halves)
}

func (w *tenant) trial() {
	a, _ := w.effect(w.reseller.Caller, "POST", "/lines/test", api.Fields{"notes": w.name()}, 201)
	w.trials = append(w.trials, a.Line())
	for len(w.trials)+len(w.official) > mostLines {
		w.remove()
	}
}

func (w *tenant) activate() {
	if len(w.trials) == 0 {
		w.trial()
	}
	w.fund(2)
	l := w.trials[len(w.trials)-1]
	w.trials = w.trials[:len(w.trials)-1]
	_, id := w.effect(w.reseller.Caller, "PATCH", api.Path("/lines/active", l.ID), l.Activation("1"), 201)
	w.moves(id, 0, -2)
	w.official = append(w.official, l)
}

// line returns an official line.
func (w *tenant) line() api.Line {
	if len(w.official) == 0 {
		w.activate()
	}
	return w.official[w.random.IntN(len(w.official))]
}

func (w *tenant) remove() {
	from := &w.official
	if len(w.official) == 0 || len(w.trials) > 1 && w.random.IntN(2) == 0 { // one trial stays, for who has just made it
		from = &w.trials
	}
	if len(*from) == 0 {
		return
	}
	i := w.random.IntN(len(*from))
	w.effect(w.reseller.Caller, "DELETE", api.Path("/lines", (*from)[i].ID), nil, 200)
	*from = slices.Delete(*from, i, i+1)
}

func credits(halves int64) string {
	if halves%2 == 0 {
		return strconv.FormatInt(halves/2, 10)
	}
	return strconv.FormatInt(halves/2, 10) + ".5"
}

func (w *tenant) run() {
	total := 0
	for _, r := range table {
		total += r.weight
	}
	for !w.ended.Load() {
		pick := w.random.IntN(total)
		for i, r := range table {
			if pick -= r.weight; pick < 0 {
				w.counts[i].Add(1)
				r.ask(w)
				break
			}
		}
		time.Sleep(time.Duration(w.random.Int64N(int64(mostPause))))
	}
}

// TestSoak has tenants ask for all operations while the program is restarted now and then, in order and not.
func TestSoak(t *testing.T) {
	t.Parallel()
	long, segments := 40*time.Second, 2
	switch given := os.Getenv("RESELLERD_TEST_SOAK"); given {
	case "":
		t.Skip("takes a minute or more: run make soak, or make test-all for the short form")
	case "short":
	default:
		var err error
		if long, err = time.ParseDuration(given); err != nil {
			t.Fatal(err)
		}
		segments = max(2, int(long/segmentTime))
	}
	seed := seedOf(t)
	t.Logf("seed %d: RESELLERD_TEST_SOAK_SEED repeats the choices of its clients", seed)
	s := &soak{t: t, p: program.Start(t, opensLoopback, program.CheapPasswords), receives: receive(t),
		counts: make([]atomic.Int64, len(table))}
	s.p.Set(map[string]string{"RESELLERD_ADDR": s.p.Address}) // the same after a restart
	admin := s.p.Service.Admin(t)
	var all sync.WaitGroup
	var tenants []*tenant
	const given = 1_000_000 // credits
	for i := range tenantCount {
		w := &tenant{soak: s, random: rand.New(rand.NewPCG(seed, uint64(i)))}
		w.master = admin.Master(t, strconv.Itoa(given))
		w.reseller = w.master.Reseller(t, "0")
		w.balances[ofMaster] = 2 * given
		w.moved = [2]map[string]int64{{}, {}}
		tenants = append(tenants, w)
		w.signIn()
		w.webhook = w.makeWebhook(w.receives.URL+w.hookPath(ofAll), "*")
	}
	began := time.Now()
	for _, w := range tenants {
		all.Go(w.run)
	}
	var seen []segment
	for i := range segments {
		if i > 0 {
			s.p.Restart(t, i%2 == 1)
		}
		seen = append(seen, s.watch(long/time.Duration(segments)))
	}
	s.ended.Store(true)
	all.Wait()
	took := time.Since(began)

	for _, w := range tenants {
		w.audit()
		w.follow(false)
		w.arrived()
	}
	admin.Get(t, "/ledger/proof").Has(api.Fields{"balanced": true, "issued": strconv.Itoa(tenantCount * given)})
	if err := s.p.Stop(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	said := s.p.Verified(t)
	judge(t, seen, long/time.Duration(segments) >= 3*time.Minute)
	var counts []string
	for i, r := range table {
		counts = append(counts, fmt.Sprintf("%s %d", r.operation, s.counts[i].Load()))
	}
	t.Logf("seed %d: %s, %d restarts, %d requests, %d of them without an answer at first; %s; by operation: %s",
		seed, took.Round(time.Second), segments-1, s.requests.Load(), s.unknown.Load(), said, strings.Join(counts, ", "))
}

// audit compares what a tenant's accounts and lines are with what was acknowledged.
func (w *tenant) audit() {
	for whose, account := range [2]api.Reseller{w.master, w.reseller} {
		w.read(w.master.Caller, api.Path("/users", account.ID)).Has(api.Fields{"credits": credits(w.balances[whose])})
		left := w.moved[whose]
		statement := api.Path("/users", account.ID, "/ledger")
		for path := statement + "?limit=500"; path != ""; {
			page := w.read(w.master.Caller, path)
			for _, e := range page.List() {
				id, _ := e.Fields["request_id"].(string)
				if !strings.HasPrefix(id, "soak-") {
					continue // what it began with
				}
				amount, there := left[id]
				want := credits(max(amount, -amount))
				if amount < 0 {
					want = "-" + want
				}
				if !there || e.Text("amount") != want {
					w.t.Errorf("account %d: %s moved %s, and was acknowledged (%t) with %s", account.ID, id, e.Text("amount"),
						there, want)
				}
				delete(left, id)
			}
			path = ""
			if next := page.Next(); next != "" {
				path = api.Query(statement, "limit", 500, "cursor", next)
			}
		}
		for id := range left {
			w.t.Errorf("account %d: %s was acknowledged and is not in the statement", account.ID, id)
		}
	}
	want := map[int64]int{} // isTrial
	for _, l := range w.trials {
		want[l.ID] = 1
	}
	for _, l := range w.official {
		want[l.ID] = 0
	}
	tree := fmt.Sprintf("/lines?tree=%d&limit=500", w.master.ID)
	for path := tree; path != ""; {
		page := w.read(w.master.Caller, path)
		for _, l := range page.List() {
			trial, there := want[l.ID()]
			if !there {
				w.t.Errorf("line %d is there, and was deleted or never acknowledged", l.ID())
				continue
			}
			l.Has(api.Fields{"isTrial": trial})
			delete(want, l.ID())
		}
		path = ""
		if next := page.Next(); next != "" {
			path = api.Query("/lines", "tree", w.master.ID, "limit", 500, "cursor", next)
		}
	}
	for id := range want {
		w.t.Errorf("line %d was acknowledged and is not there", id)
	}
}

// What is looked at.
const (
	memory = iota
	goroutines
	files
	wal
	looks
)

var lookNames = [looks]string{"memory", "goroutines", "open files", "WAL"}

// segment is what was seen of one process: medians of the second and of the last third of its time.
type segment struct{ middle, last [looks]float64 }

// watch looks at the program for so long.
func (s *soak) watch(long time.Duration) segment {
	const samples = 90
	var seen [looks][]float64
	look := time.NewTicker(long / samples)
	defer look.Stop()
	for range samples {
		<-look.C
		metrics, err := s.p.Metrics()
		if err != nil {
			s.t.Errorf("the figures of the program: %v", err)
			continue
		}
		for i, name := range [looks]string{"process_resident_memory_bytes", "go_goroutines", "process_open_fds",
			"resellerd_store_wal_bytes"} {
			value, err := program.Figure(metrics, name)
			if err != nil {
				if runtime.GOOS == "linux" {
					s.t.Error(err)
				}
				continue
			}
			seen[i] = append(seen[i], value)
		}
	}
	var g segment
	for i, values := range seen {
		third := len(values) / 3
		if third > 0 {
			g.middle[i], g.last[i] = median(values[third:2*third]), median(values[2*third:])
		}
	}
	return g
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}

// judge expects that nothing grows: neither in a process's time nor from one process to the next.
func judge(t *testing.T, seen []segment, memoryToo bool) {
	t.Helper()
	const mega = 1 << 20
	for i := range looks {
		grows := func(what string, from, to float64) {
			slack := [looks]float64{from*0.15 + 8*mega, from*0.1 + 16, 8, from*0.5 + 8*mega}[i]
			if to > from+slack && (i != memory || memoryToo) {
				t.Errorf("%s: %s grows from %.0f to %.0f", what, lookNames[i], from, to)
			}
		}
		var line []string
		for n, g := range seen {
			grows(fmt.Sprintf("process %d", n), g.middle[i], g.last[i])
			unit := 1.0
			if i == memory || i == wal {
				unit = mega
			}
			line = append(line, fmt.Sprintf("%.4g/%.4g", g.middle[i]/unit, g.last[i]/unit))
		}
		grows("from the first process to the last", seen[0].last[i], seen[len(seen)-1].last[i])
		t.Logf("%s, medians of the second and the last third of each process's time: %s", lookNames[i],
			strings.Join(line, ", "))
	}
}
