package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

const (
	// followers read the journal while it is written, each at any process.
	followers = 3
	feedPage  = 40
	feedWait  = 2 // seconds, for the next entry
	// numbering is how soon an entry has its number once nothing is hurt any more.
	numbering = 30 * time.Second
)

// event is an entry of the journal as it was answered.
type event struct {
	seq     int64
	kind    string
	account int64
	line    int64
	version int64
	request string
	amount  units            // of its movement, 0 for none
	after   map[string]units // balances after it, by account
	at      time.Time
	key     int64  // that did it, 0 for none
	text    string // all of it
}

// follower is who reads the journal from its beginning on, and must see each number once, in their order.
type follower struct {
	cursor string
	events []event
	more   bool // there were more entries than the last answer had
	lost   bool // it was shown what it must not be, and reads no further
}

// feed is what followers have seen.
type feed struct {
	all    []*follower
	judged int      // events of the first one that were held against what was acknowledged
	aside  []string // requests of nobody's group, which may have an entry
}

// follow reads the journal until it is enough.
func (c *campaign) follow(ctx context.Context, f *follower, random *rand.Rand, enough <-chan struct{}) {
	for !over(ctx, enough) && !f.lost {
		if !c.readOn(ctx, f, random.IntN(len(c.services)), feedWait) {
			rest(ctx, mostRest/4+rand.N(mostRest*3/4))
		}
	}
}

// lose fails, and has a follower read no further.
func (c *campaign) lose(f *follower, format string, values ...any) (answered bool) {
	c.fail(format, values...)
	f.lost = true
	return false
}

// readOn reads a page, and reports whether there was an answer.
func (c *campaign) readOn(ctx context.Context, f *follower, service, wait int) bool {
	path := fmt.Sprintf("/events?order=asc&limit=%d&wait=%d", feedPage, wait)
	if f.cursor != "" {
		path += "&cursor=" + url.QueryEscape(f.cursor)
	}
	a, _, err := c.attempt(ctx, service, feeding, patience, call{method: http.MethodGet, path: path, token: c.admin})
	if err != nil || a.status == http.StatusServiceUnavailable {
		return false
	}
	if a.status != http.StatusOK {
		return c.lose(f, "process %s answered %d to %s: %s", c.services[service].name, a.status, path, a.body)
	}
	data, _ := a.fields["data"].([]any)
	for _, d := range data {
		fields, _ := d.(map[string]any)
		e, err := eventOf(fields)
		if err != nil {
			return c.lose(f, "process %s shows an entry that can't be read: %v in %v", c.services[service].name, err, fields)
		}
		if e.seq != int64(len(f.events))+1 {
			return c.lose(f, "process %s shows entry %d after %d entries, by cursor %q: %s", c.services[service].name, e.seq,
				len(f.events), f.cursor, e.text)
		}
		f.events = append(f.events, e)
	}
	next, is := a.fields["next_cursor"].(string)
	more, says := a.fields["has_more"].(bool)
	if !is || !says {
		return c.lose(f, "process %s does not say where the journal goes on: %.300s", c.services[service].name, a.body)
	}
	f.cursor, f.more = next, more
	return true
}

func eventOf(fields map[string]any) (e event, err error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return e, err
	}
	r := &reader{answer: answer{fields: fields}}
	e = event{seq: r.number("seq"), kind: r.text("type"), request: r.text("request_id"), text: string(text),
		after: map[string]units{}, at: r.time("timestamp")}
	if actor, _ := fields["actor"].(map[string]any); actor["kind"] == "key" {
		by := &reader{answer: answer{fields: actor}}
		e.key = by.number("id")
		r.err = errors.Join(r.err, by.err)
	}
	for field, to := range map[string]*int64{"account": &e.account, "line": &e.line, "version": &e.version} {
		if fields[field] != nil {
			*to = r.number(field)
		}
	}
	if m, moved := fields["movement"].(map[string]any); moved {
		of := &reader{answer: answer{fields: m}}
		e.amount = of.units("amount")
		balances, _ := m["balances"].(map[string]any)
		left := &reader{answer: answer{fields: balances}}
		for account := range balances {
			e.after[account] = left.units(account)
		}
		r.err = errors.Join(r.err, of.err, left.err)
	}
	return e, r.err
}

// following has the followers read on until it is enough.
func (c *campaign) following(ctx context.Context, seed uint64, enough <-chan struct{}, reading *sync.WaitGroup) {
	for len(c.feed.all) < followers {
		c.feed.all = append(c.feed.all, &follower{})
	}
	for i, f := range c.feed.all {
		random := rand.New(rand.NewPCG(seed, uint64(1_000_000+len(c.groups)*followers+i)))
		reading.Go(func() { c.follow(ctx, f, random, enough) })
	}
}

// catchUp reads on until each follower has seen as much as the others, and the entries of these requests.
func (c *campaign) catchUp(ctx context.Context, requests map[string]expectation) {
	c.t.Helper()
	missing := maps.Clone(requests)
	first := c.feed.all[0]
	for at, began := c.feed.judged, c.now(); ; {
		for ; at < len(first.events); at++ {
			delete(missing, first.events[at].request)
		}
		together := !slices.ContainsFunc(c.feed.all, func(f *follower) bool { return len(f.events) != len(first.events) })
		if len(missing) == 0 && together {
			break
		}
		if ctx.Err() != nil {
			c.t.Fatal("interrupted")
		}
		if slices.ContainsFunc(c.feed.all, func(f *follower) bool { return f.lost }) {
			break
		}
		if c.now()-began > numbering {
			c.fail("after %s the followers have seen %v entries, and none of %d requests that were done: %.300v", numbering,
				c.counts(), len(missing), missing)
			break
		}
		for _, f := range c.feed.all {
			c.readOn(ctx, f, c.asking.IntN(len(c.services)), 0)
		}
		rest(ctx, 20*time.Millisecond)
	}
	for i, f := range c.feed.all[1:] {
		for at := c.feed.judged; at < min(len(f.events), len(first.events)); at++ {
			if f.events[at].text != first.events[at].text {
				c.fail("follower %d saw %s, and the first one %s", i+2, f.events[at].text, first.events[at].text)
				return
			}
		}
	}
}

func (c *campaign) counts() (all []int) {
	for _, f := range c.feed.all {
		all = append(all, len(f.events))
	}
	return all
}

// eventKinds are what an entry is of that is done.
var eventKinds = map[kind]string{
	recharge: "reseller.credited", transfer: "reseller.credited", reclaim: "reseller.reclaimed",
	withdrawal: "reseller.reclaimed",
	trial:      "line.trial_created", activation: "line.activated", extension: "line.extended", deletion: "line.deleted",
}

// checkJournal holds the journal against what was acknowledged to these groups, which are all that was asked since it
// was last held: what was done has one entry, and nothing else has any.
func (c *campaign) checkJournal(ctx context.Context, groups []*group) {
	c.t.Helper()
	expected := map[string]expectation{}
	for _, g := range groups {
		g.expect(expected)
	}
	c.catchUp(ctx, expected)
	seen := map[string]event{}
	versions := map[string]int64{}
	all := c.feed.all[0].events
	for at := c.feed.judged; at < len(all); at++ {
		e := all[at]
		if e.kind == "journal.began" || e.kind == "operator.admin_created" {
			if at > 1 {
				c.fail("there is another one of the first entries: %s", e.text)
			}
			continue
		}
		if twice, is := seen[e.request]; is {
			c.fail("%s has two entries: %s and %s", e.request, twice.text, e.text)
		}
		seen[e.request] = e
		if slices.Contains(c.feed.aside, e.request) {
			continue
		}
		want, is := expected[e.request]
		if !is {
			c.fail("nobody was told of what has the entry %s", e.text)
			continue
		}
		if e.kind != want.kind || e.account != want.account || e.line != want.line || e.amount != want.amount {
			c.fail("%s, %+v, has the entry %s", e.request, want, e.text)
		}
		of := fmt.Sprintf("account %d", e.account)
		if e.line != 0 {
			of = fmt.Sprintf("line %d", e.line)
		}
		if e.version <= versions[of] {
			c.fail("version %d of %s comes after version %d: %s", e.version, of, versions[of], e.text)
		}
		versions[of] = e.version
	}
	c.feed.judged = len(all)
	for _, g := range groups {
		c.inOrder(ctx, g, seen)
		c.counted(ctx, g, seen)
	}
}

// counted holds what the key of a group has counted as spent against the entries of what was done by it. A day that
// began meanwhile has its own count.
func (c *campaign) counted(ctx context.Context, g *group, seen map[string]event) {
	c.t.Helper()
	shown := &reader{
		answer: c.must(ctx, call{method: http.MethodGet, path: fmt.Sprintf("/keys/%d", g.key.id),
			token: g.resellers[master].token, id: c.id("count")})}
	spent, began := shown.units("spent"), shown.time("resets_at").Add(-24*time.Hour)
	c.read(shown)
	told := units(0)
	for _, e := range seen {
		if e.key != g.key.id || e.kind == "reseller.reclaimed" {
			continue
		}
		if e.at.Before(began) {
			return
		}
		told += e.amount
	}
	if spent != told {
		c.fail("key %d has counted %s, and the journal tells of %s", g.key.id, spent, told)
	}
}

// inOrder holds the statements of a group against the entries: movements of an account come in the order of their
// entries, and leave the balance that these say.
func (c *campaign) inOrder(ctx context.Context, g *group, seen map[string]event) {
	c.t.Helper()
	for _, a := range g.resellers {
		last := int64(0)
		for _, posting := range slices.Backward(c.statement(ctx, a.id)) {
			e := seen[posting.request]
			if e.seq <= last {
				c.fail("posting %d of account %d, %s, has entry %d, and the one before entry %d", posting.seq, a.id,
					posting.request, e.seq, last)
			}
			if left, is := e.after[name(a.id)]; !is || left != posting.balance {
				c.fail("posting %d of account %d leaves %s, and its entry says %s", posting.seq, a.id, posting.balance, e.text)
			}
			last = e.seq
		}
	}
}

// expectation is what an entry must say.
type expectation struct {
	kind          string
	account, line int64
	amount        units
}

// expect adds what entries a group must have left, by their requests.
func (g *group) expect(all map[string]expectation) {
	for _, d := range g.openings {
		all[d.id] = expectation{"reseller.created", g.resellers[d.reseller].id, 0, d.amount}
	}
	owners := map[int64]int64{}
	for _, l := range g.lines {
		owners[l.id] = g.resellers[l.owner].id
	}
	for _, r := range g.records {
		if r.told.refusal != "" {
			continue
		}
		want := expectation{kind: eventKinds[r.kind], account: g.resellers[r.reseller].id, line: r.line, amount: r.amount}
		switch r.kind {
		case trial:
			want.line, want.amount = r.told.line, 0
		case activation, extension, deletion:
			want.account, want.amount = owners[r.line], 0
			if cost, err := parseUnits(r.price); err == nil && r.kind != deletion {
				want.amount = cost
			}
		}
		all[r.id] = want
	}
}

// seenAlready fails where entries of what was acknowledged before a kill can't be seen after it.
func (c *campaign) seenAlready(ctx context.Context, f *follower, acknowledged map[string]expectation) {
	c.t.Helper()
	for began := c.now(); ctx.Err() == nil && !f.lost && c.now()-began < numbering; {
		if c.readOn(ctx, f, 0, 0) && !f.more {
			break
		}
	}
	missing := maps.Clone(acknowledged)
	for _, e := range f.events {
		delete(missing, e.request)
	}
	if len(missing) > 0 {
		c.fail("after a kill the journal has %d entries and none of %d requests that were acknowledged: %.300v",
			len(f.events), len(missing), missing)
	}
}
