package faults

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"resellerd/test/api"
)

// Credits with which the resellers of a group start: few, so that some requests are
// refused. The master pays for what a reseller starts with.
const (
	masterOpening   units = 60_0000
	resellerOpening units = 10_0000
)

// group is a master, resellers below it and their lines, whom some clients use at
// the same time. Whatever happens in it depends on nothing outside.
type group struct {
	admin     string // token
	resellers [groupSize]reseller
	key       reseller // of the master, with a limit that is never reached: it counts what is spent by it
	initial   state
	openings  []done

	mu      sync.Mutex
	lines   []line // of trials that were acknowledged, the oldest first
	records []record
	open    []record // asked once, without a key and without an answer
}

type reseller struct {
	id    int64
	token string
}

type line struct {
	id                 int64
	owner              int
	username, password string
}

// record is a request that has its outcome. It took effect, if it did, after its
// first attempt began and before the outcome was there.
type record struct {
	done
	client      int
	began, ends time.Duration
	unknown     int // attempts that left open whether it was done
}

// leaveOpen keeps a request of which nobody knows whether it was done.
func (g *group) leaveOpen(r record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = append(g.open, r)
}

// add keeps a record, and what is to be known of a new line.
func (g *group) add(r record, made answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.records = append(g.records, r)
	if r.kind == trial && r.told.refusal == "" {
		g.lines = append(g.lines, line{r.told.line, r.reseller, made.text("username"), made.text("password")})
	}
}

// recentLines are few, so that clients meet.
const recentLines = 10

// someLine returns a line that some client has made not long ago.
func (g *group) someLine(random *rand.Rand) (l line, found bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	recent := g.lines[max(0, len(g.lines)-recentLines):]
	if len(recent) == 0 {
		return line{}, false
	}
	return recent[random.IntN(len(recent))], true
}

// shares of the kinds in what clients ask for.
var shares = map[kind]int{recharge: 14, transfer: 18, reclaim: 14, withdrawal: 6, trial: 10, activation: 16,
	extension: 16, deletion: 6}

// choose returns a request, and how it is asked.
func (g *group) choose(random *rand.Rand, id string) (request, call) {
	r := request{id: id, asked: time.Now().UTC().Truncate(time.Millisecond)}
	ticket := random.IntN(100)
	for _, k := range effects {
		if ticket -= shares[k]; ticket < 0 {
			r.kind = k
			break
		}
	}
	l, found := g.someLine(random)
	if !found && slices.Contains([]kind{activation, extension, deletion}, r.kind) {
		r.kind = trial
	}
	r.reseller = random.IntN(groupSize)
	r.amount = units(1 + random.IntN(20_0000))
	r.price = []string{"0.5", "0.5", "1", "1", "2", "3", "5", "10"}[random.IntN(8)]
	switch r.kind {
	case transfer, reclaim:
		r.reseller = 1 + random.IntN(groupSize-1)
	case activation, extension, deletion:
		r.line, r.reseller = l.id, l.owner
	}
	c := g.call(r, l, random)
	if slices.Contains(moves, r.kind) && random.IntN(6) == 0 {
		c.key = ""
	}
	return r, c
}

// operations are those of the API, by what they are asked for here.
var operations = map[kind]string{
	recharge: "addCredits", transfer: "addCredits", reclaim: "reclaimCredits", withdrawal: "reclaimCredits",
	trial: "createTrial", activation: "activateLine", extension: "extendLine", deletion: "deleteLine",
}

// call says how a request is asked, by one of those who may.
func (g *group) call(r request, l line, random *rand.Rand) call {
	operation := api.RowOf(operations[r.kind])
	c := call{method: operation.Method, path: operation.At(l.id), id: r.id, key: r.id,
		token: g.resellers[r.reseller].token}
	above := g.resellers[master].token
	if random.IntN(2) == 0 {
		above = g.key.token
	}
	if random.IntN(3) == 0 { // the owner pays, whoever asks
		c.token = above
	}
	if slices.Contains(moves, r.kind) {
		c.path = operation.At(g.resellers[r.reseller].id)
		c.body = map[string]any{"credits": r.amount.String(), "notes": r.id}
	}
	switch r.kind {
	case recharge, withdrawal:
		c.token = g.admin
	case transfer, reclaim:
		c.token = above
	case trial:
		c.token = g.resellers[r.reseller].token
	case activation:
		c.body = map[string]any{"username": l.username, "password": l.password, "credits": r.price, "country": "BR"}
	case extension:
		c.body = map[string]any{"credits": r.price}
	}
	return c
}

// outcomeOf reads what an answer says to a request.
func (g *group) outcomeOf(r request, a answer) (outcome, error) {
	read := &reader{answer: a}
	var o outcome
	if a.status >= http.StatusBadRequest {
		if o.refusal = read.text("code"); o.refusal == insufficient {
			o.balance, o.required, o.shortfall = read.units("balance"), read.units("required"), read.units("shortfall")
		}
		return o, read.err
	}
	want, about := http.StatusOK, int64(0)
	switch r.kind {
	case recharge, transfer, reclaim, withdrawal:
		o.balance, about = read.units("credits"), g.resellers[r.reseller].id
	case trial, activation, extension:
		o.at, o.expires, o.trial = read.time("updatedAt"), read.time("expDate"), read.number("isTrial") == 1
		about = r.line
		if r.kind == trial {
			o.line = read.number("id")
			about = o.line
		}
		if owner := read.number("owner"); owner != g.resellers[r.reseller].id {
			return o, fmt.Errorf("the line is owned by %d", owner)
		}
		if r.kind != extension {
			want = http.StatusCreated
		}
	}
	if id := a.text("id"); about != 0 && id != name(about) {
		return o, fmt.Errorf("the answer is about %s", id)
	}
	if a.status != want {
		return o, fmt.Errorf("status %d, want %d", a.status, want)
	}
	return o, read.err
}

// history returns the records as a history to judge.
func (g *group) history() []porcupine.Operation {
	history := make([]porcupine.Operation, len(g.records))
	for i, r := range g.records {
		history[i] = porcupine.Operation{ClientId: r.client, Input: r.request, Call: int64(r.began), Output: r.told,
			Return: int64(r.ends)}
	}
	return history
}

// acknowledged returns what each reseller's statement must hold, and the totals.
func (g *group) acknowledged() (statements [groupSize][]wanted, total sums) {
	owners := make(map[int64]int, len(g.lines))
	for _, l := range g.lines {
		owners[l.id] = l.owner
	}
	var names [groupSize]string
	for i, a := range g.resellers {
		names[i] = name(a.id)
	}
	add := func(d done) {
		left, sum := d.entries(func(line int64) int { return owners[line] }, names)
		for i := range left {
			statements[i] = append(statements[i], left[i]...)
		}
		total = total.plus(sum)
	}
	for _, d := range g.openings {
		add(d)
	}
	for _, r := range g.records {
		if r.told.refusal == "" {
			add(r.done)
		}
	}
	return statements, total
}
