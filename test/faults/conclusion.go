package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/anishathalye/porcupine"
)

// get reads from one process what must be there.
func (c *campaign) get(ctx context.Context, service int, path string) answer {
	c.t.Helper()
	asked := c.now()
	for {
		a, _, err := c.attempt(ctx, service, reading, patience, call{method: http.MethodGet, path: path, token: c.admin})
		if err == nil && a.status == http.StatusOK {
			return a
		}
		if ctx.Err() != nil {
			c.t.Fatal("interrupted")
		}
		if err == nil && a.status != http.StatusServiceUnavailable || c.now()-asked > gone {
			c.t.Fatalf("process %s answered %d %s to %s, %v", c.services[service].name, a.status, a.body, path, err)
		}
		rest(ctx, mostRest)
	}
}

// list reads all pages of a list from one process.
func (c *campaign) list(ctx context.Context, service int, path string) (all []answer) {
	c.t.Helper()
	cursor := ""
	for {
		page := c.get(ctx, service, path+"limit=500"+cursor)
		records, _ := page.fields["data"].([]any)
		for _, r := range records {
			fields, _ := r.(map[string]any)
			all = append(all, answer{fields: fields})
		}
		next, more := page.fields["next_cursor"].(string)
		if !more {
			return all
		}
		cursor = "&cursor=" + url.QueryEscape(next)
	}
}

// read fails the test where a field could not be read.
func (c *campaign) read(r *reader) {
	c.t.Helper()
	if r.err != nil {
		c.t.Fatalf("%v in %v", r.err, r.fields)
	}
}

// statement reads a reseller's statement, which all processes must show alike.
func (c *campaign) statement(ctx context.Context, id int64) (entries []entry) {
	c.t.Helper()
	path := fmt.Sprintf("/users/%d/ledger?", id)
	shown := c.list(ctx, 0, path)
	for s := range c.services[1:] {
		if other := c.list(ctx, 1+s, path); !reflect.DeepEqual(shown, other) {
			c.fail("the processes show different statements of reseller %d: %v and %v", id, shown, other)
		}
	}
	for _, a := range shown {
		r := &reader{answer: a}
		e := entry{r.number("seq"), r.text("kind"), r.units("amount"), r.units("balance"), r.text("counterparty"), 0,
			r.text("request_id")}
		if a.fields["line"] != nil {
			e.line = r.number("line")
		}
		c.read(r)
		entries = append(entries, e)
	}
	return entries
}

// checkStatements holds the ledger of each reseller of a group against what was
// acknowledged.
func (c *campaign) checkStatements(ctx context.Context, g *group) {
	c.t.Helper()
	statements, _ := g.acknowledged()
	for i, a := range g.resellers {
		for _, problem := range compare(c.statement(ctx, a.id), statements[i]) {
			c.fail("the statement of reseller %d: %s", a.id, problem)
		}
	}
}

// resolve finds in the ledger what became of the requests that were asked once and
// not answered. Those that were done took effect at some time until now.
func (c *campaign) resolve(ctx context.Context, g *group) {
	c.t.Helper()
	var last time.Duration
	for _, r := range g.open {
		last = max(last, r.began)
	}
	if len(g.open) > 0 && c.load.hasty {
		rest(ctx, last+lingering-c.now())
	}
	left := map[string]units{}
	for i, a := range g.resellers {
		for _, e := range c.statement(ctx, a.id) {
			left[fmt.Sprint(i, e.request)] = e.balance
		}
	}
	for _, r := range g.open {
		if balance, found := left[fmt.Sprint(r.reseller, r.id)]; found {
			r.told, r.ends, r.unknown = outcome{balance: balance}, c.now(), 1
			g.records = append(g.records, r)
			c.done++
		}
	}
	c.open += len(g.open)
}

// conclude reads what a group has in the end, and judges its history with that.
func (c *campaign) conclude(ctx context.Context, number int, g *group) {
	c.t.Helper()
	c.resolve(ctx, g)
	history := g.history()
	seen := func(r request, o outcome) {
		at := int64(c.now())
		history = append(history, porcupine.Operation{ClientId: clientsPerGroup, Input: r, Call: at, Output: o, Return: at})
	}
	for i, a := range g.resellers {
		r := &reader{answer: c.get(ctx, i%len(c.services), fmt.Sprintf("/users/%d", a.id))}
		seen(request{kind: resellerRead, reseller: i}, outcome{balance: r.units("credits")})
		c.read(r)
	}
	path := fmt.Sprintf("/lines?tree=%d&", g.resellers[master].id)
	listed := c.list(ctx, number%len(c.services), path)
	if other := c.list(ctx, (number+1)%len(c.services), path); !reflect.DeepEqual(listed, other) {
		c.fail("the processes show different lines: %v and %v", listed, other)
	}
	there := map[int64]bool{}
	for _, a := range listed {
		r := &reader{answer: a}
		id := r.number("id")
		there[id] = true
		if !slices.ContainsFunc(g.lines, func(l line) bool { return l.id == id }) {
			c.fail("line %d is there, and nobody was told of it", id)
		}
		seen(request{kind: lineRead, line: id}, outcome{trial: r.number("isTrial") == 1, expires: r.time("expDate")})
		c.read(r)
	}
	for _, l := range g.lines {
		if !there[l.id] {
			seen(request{kind: lineRead, line: l.id}, outcome{refusal: absent})
		}
	}
	began := time.Now()
	verdict, reason := judge(g.initial, history, judging)
	if c.judged += len(history); !c.load.terse {
		c.verdicts = append(c.verdicts, fmt.Sprintf("%d operations: %s, in %.1f s", len(history), verdict,
			time.Since(began).Seconds()))
	}
	if verdict != porcupine.Ok {
		c.fail("the history of group %d is not shown to be linearizable: %s: %s", number, verdict, reason)
	}
	c.checkStatements(ctx, g)
}

// allWell is what the program says of a store in which it has found nothing.
var allWell = regexp.MustCompile(
	`^all well: \d+ accounts, \d+ lines, (\d+) movements and \d+ entries of the journal; (\S+) credits issued = (\S+) consumed \+ (\S+) held\n$`)

// prove compares both processes' proofs, and the words of resellerd audit, with
// the totals of what was acknowledged.
func (c *campaign) prove(ctx context.Context) {
	c.t.Helper()
	var want sums
	for _, g := range c.groups {
		_, total := g.acknowledged()
		want = want.plus(total)
		c.checkStatements(ctx, g) // again: nothing may have been added since
	}
	for s := range c.services {
		r := &reader{answer: c.get(ctx, s, "/ledger/proof")}
		found := sums{r.units("issued"), r.units("consumed"), r.units("balances"), r.number("movements")}
		c.read(r)
		if found != want || r.fields["balanced"] != true {
			c.fail("process %s proves %s; acknowledged was %s", c.services[s].name, r.body, want)
		}
		c.verdicts = append(c.verdicts, fmt.Sprintf("proof of process %s: %s, balanced: %v", c.services[s].name, found,
			r.fields["balanced"]))
	}
	audit := exec.CommandContext(ctx, c.services[0].binary, "audit")
	audit.Env = c.services[0].environment
	out, err := audit.CombinedOutput()
	if err != nil {
		c.fail("resellerd audit: %v:\n%s", err, out)
		return
	}
	said := allWell.FindStringSubmatch(string(out))
	if said == nil {
		c.fail("resellerd audit says %s", out)
		return
	}
	r := &reader{
		answer: answer{fields: map[string]any{"movements": said[1], "issued": said[2], "consumed": said[3], "held": said[4]}}}
	found := sums{r.units("issued"), r.units("consumed"), r.units("held"), r.number("movements")}
	if c.read(r); found != want {
		c.fail("resellerd audit finds %s; acknowledged was %s", found, want)
	}
	c.verdicts = append(c.verdicts, "resellerd audit: "+strings.TrimSpace(string(out)))
}

// measured says how an outage showed.
func (c *campaign) measured(i outage) string {
	all := c.seen.since(i.hit)
	refused := "no 503"
	if at, found := first(all, func(a attempt) bool { return a.unavailable(effect) && a.began <= i.healed }); found {
		refused = fmt.Sprintf("first 503 after %.1f s", (at - i.hit).Seconds())
	}
	var back []string
	for _, s := range slices.Sorted(maps.Keys(i.back)) {
		back = append(back, fmt.Sprintf("%s %.2f s", c.services[s].name, (i.back[s]-i.writable).Seconds()))
	}
	ready := fmt.Sprintf("primary after %.1f s, majority writes after %.1f s", (i.elected - i.hit).Seconds(),
		(i.writable - i.hit).Seconds())
	if i.elected == i.writable {
		ready = fmt.Sprintf("over after %.1f s", (i.writable - i.hit).Seconds())
	}
	gap, began := longestGap(all, i.hit, i.healed)
	return fmt.Sprintf("%s\t%s\tfirst effect then: %s\tlongest gap %.1f s, from %.1f s on",
		refused, ready, strings.Join(back, ", "), gap.Seconds(), (began - i.hit).Seconds())
}

// report prints what was done and found.
func (c *campaign) report() {
	counts := map[kind]*[4]int{}
	for _, k := range effects {
		counts[k] = new([4]int)
	}
	for _, g := range c.groups {
		for _, r := range g.records {
			n := counts[r.kind]
			n[0]++
			if r.told.refusal == "" {
				n[1]++
			} else {
				n[2]++
			}
			if r.unknown > 0 {
				n[3]++
			}
		}
	}
	lines := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(lines, "\nasked\trequests\tacknowledged\trefused\tof them unknown at first\n")
	var total [4]int
	for _, k := range effects {
		n := counts[k]
		fmt.Fprintf(lines, "%s\t%d\t%d\t%d\t%d\n", k.name, n[0], n[1], n[2], n[3])
		for i := range total {
			total[i] += n[i]
		}
	}
	fmt.Fprintf(lines, "all\t%d\t%d\t%d\t%d\n", total[0], total[1], total[2], total[3])
	var reads, ready [2]int
	for _, a := range c.seen.since(0) {
		for p, n := range map[purpose]*[2]int{reading: &reads, readiness: &ready} {
			if a.good(p) {
				n[0]++
			} else if a.unavailable(p) {
				n[1]++
			}
		}
	}
	fmt.Fprintf(lines, "\n%d requests were asked once without a key and had no answer: %d of them were done\n",
		c.open, c.done)
	fmt.Fprintf(lines, "%d acknowledged requests were asked again and answered alike\n", c.repeated.Load())
	fmt.Fprintf(lines,
		"%d reads were answered and %d refused with 503; readiness was said %d times and denied %d times\n\n", reads[0],
		reads[1], ready[0], ready[1])
	for _, i := range c.outages {
		fmt.Fprintf(lines, "%s\t%s\n", i.name, c.measured(i))
	}
	fmt.Fprintf(lines, "\n%d histories of %d operations in all were judged\n", len(c.groups), c.judged)
	for _, v := range c.verdicts {
		fmt.Fprintln(lines, v)
	}
	if err := errors.Join(lines.Flush()); err != nil {
		c.t.Error(err)
	}
}
