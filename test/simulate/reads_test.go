package simulate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"resellerd/test/model"
)

func (c *choice) self() *request {
	by := c.someone()
	return c.ask(by, "/users/logged", func(model.Moment) *outcome {
		return &outcome{status: http.StatusOK, fields: c.resellerRecord(by)}
	})
}

func (c *choice) reseller() *request {
	by, target, id := c.govern()
	return c.ask(by, "/users/"+id, func(model.Moment) *outcome {
		if !by.Sees(target) {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK, fields: c.resellerRecord(target)}
	})
}

// page is what the model says of a list: the first records of all, and whether there are more.
func page(all []fields, limit int) *outcome {
	more := len(all) > limit
	o := &outcome{status: http.StatusOK, fields: fields{"data": all[:min(limit, len(all))]}}
	o.fields["next_cursor"] = matcher(func(got any) string {
		if _, is := got.(string); is != more && more {
			return "a cursor, as there are more"
		}
		return ""
	})
	return o
}

func (c *choice) listResellers() *request {
	by := c.someone()
	limit := pick(c.a.random, []int{1, 3, 50})
	return c.ask(by, fmt.Sprintf("/users?limit=%d", limit), func(model.Moment) *outcome {
		var records []fields
		for _, target := range c.visible(by) {
			records = append(records, c.resellerRecord(target))
		}
		return page(records, limit)
	})
}

// visible are the accounts that somebody sees, by id.
func (c *choice) visible(by *model.Reseller) (all []*model.Reseller) {
	for _, target := range c.world.Resellers {
		if by.Sees(target) {
			all = append(all, target)
		}
	}
	slices.SortFunc(all, func(a, b *model.Reseller) int { return int(a.ID - b.ID) })
	return all
}

func (c *choice) statement() *request {
	by, target, id := c.govern()
	limit := pick(c.a.random, []int{1, 5, 50})
	return c.ask(by, fmt.Sprintf("/users/%s/ledger?limit=%d", id, limit), func(model.Moment) *outcome {
		if !by.Sees(target) {
			return refused("not-found")
		}
		var records []fields
		for seq := len(target.Statement); seq > max(0, len(target.Statement)-limit-1); seq-- {
			records = append(records, c.entry(by, target, seq))
		}
		return page(records, limit)
	})
}

// entry is the entry with a number in a statement, as somebody sees it.
func (r *run) entry(by, of *model.Reseller, seq int) fields {
	e := of.Statement[seq-1]
	line, name, other := any(nil), any(nil), "consumption"
	if e.Line != nil {
		line, name = e.Line.ID, e.Line.Name // its last one where it is gone
	}
	if e.To == of {
		other = party(e.From)
	} else if e.To != nil {
		other = party(e.To)
	}
	request := e.Request
	if !by.Sees(e.By) {
		request = ""
	}
	return fields{
		"id": e.ID, "seq": seq, "kind": e.Kind, "amount": e.Change.String(), "balance": e.Balance.String(),
		"counterparty": other,
		"line":         line, "line_username": name, "actor": e.By.ID,
		"actor_name": nullable(r.world.Naming(e.Movement).NameTo(by)),
		"request_id": nullable(request), "notes": nullable(e.Notes), "at": iso(e.Now),
	}
}

func party(r *model.Reseller) string {
	if r.Admin {
		return "issuance"
	}
	return strconv.FormatInt(r.ID, 10)
}

// balance asks for the balance at an instant about that of a movement. Where clocks made movements out of order it is
// that after any until then which a later one follows.
func (c *choice) balance() *request {
	by, target, id := c.govern()
	path, asked := "/users/"+id+"/balance", time.Time{}
	if target != nil && len(target.Statement) > 0 && c.n(10) > 0 {
		asked = pick(c.a.random, target.Statement).Now.Add(time.Duration(c.n(3)-1) * time.Millisecond)
		path += "?at=" + iso(asked)
	}
	return c.ask(by, path, func(at model.Moment) *outcome {
		if !by.Sees(target) {
			return refused("not-found")
		}
		if asked.IsZero() || asked.After(at.Now) {
			return &outcome{status: http.StatusOK,
				fields: fields{"id": target.ID, "balance": target.Balance.String(), "at": iso(at.Now)}}
		}
		var right []string
		last := "0"
		for _, e := range target.Statement {
			if e.Now.After(asked) {
				right = append(right, last)
			}
			last = e.Balance.String()
		}
		if n := len(target.Statement); n == 0 || !target.Statement[n-1].Now.After(asked) {
			right = append(right, last)
		}
		return &outcome{status: http.StatusOK,
			fields: fields{"id": target.ID, "at": iso(asked), "balance": matcher(func(got any) string {
				if text, is := got.(string); is && slices.Contains(right, text) {
					return ""
				}
				return fmt.Sprintf("one of %q", right)
			})}}
	})
}

// summary sums up an account or a tree.
func (c *choice) summary() *request {
	by, target := c.someone(), c.someone()
	if c.n(4) > 0 {
		target = by
	}
	days, tree := 1+c.n(3), c.n(2) == 0
	path := fmt.Sprintf("/reports/summary?days=%d&account=%d", days, target.ID)
	if tree {
		path = fmt.Sprintf("/reports/summary?days=%d&tree=%d", days, target.ID)
	}
	return c.ask(by, path, func(at model.Moment) *outcome {
		if !by.Sees(target) {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK,
			fields: c.sumUp(func(r *model.Reseller) bool { return r == target || tree && r.Within(target) }, days, at.Now)}
	})
}

// sumUp is what a summary should say of some accounts.
func (r *run) sumUp(has func(*model.Reseller) bool, days int, now time.Time) fields {
	var balance decimal.Decimal
	for _, a := range r.world.Resellers {
		if has(a) {
			balance = balance.Add(a.Balance)
		}
	}
	const day = 24 * time.Hour
	running, trials, expiring, expired := 0, 0, 0, 0
	for _, l := range r.world.Lines {
		switch left := l.Expires.Sub(now); {
		case l.Deleted || l.Suspended || !has(l.Owner):
		case l.Trial:
			trials += bit(left > 0)
		case left > 0:
			running, expiring = running+1, expiring+bit(left <= 7*day)
		default:
			expired += bit(left >= -14*day)
		}
	}
	var all []fields
	for ago := days - 1; ago >= 0; ago-- {
		begins := now.Truncate(day).Add(-time.Duration(ago) * day)
		all = append(all, r.doneOn(begins, has))
	}
	return fields{"at": iso(now), "balance": balance.String(), "days": all, "lines": matcher(func(got any) string {
		lines, _ := got.(fields)
		return compare(fields{"running": running, "trials": trials, "expiring_7d": expiring, "expired_14d": expired,
			"capped": false}, lines)
	})}
}

// doneOn is what some accounts did on a day, as the journal tells it.
func (r *run) doneOn(begins time.Time, has func(*model.Reseller) bool) fields {
	counts := map[string]int{}
	var spent, received decimal.Decimal
	for _, e := range r.world.Journal {
		if !e.Now.Truncate(24 * time.Hour).Equal(begins) {
			continue
		}
		m := e.Movement
		if e.Account != nil && has(e.Account) {
			if counts[e.Type]++; m != nil && m.Line != nil {
				spent = spent.Add(m.Amount)
			}
		}
		if m != nil && m.To != nil && !m.To.Admin && has(m.To) {
			received = received.Add(m.Amount)
		}
	}
	return fields{
		"day": begins.Format(time.DateOnly), "trials": counts["line.trial_created"], "activations": counts["line.activated"],
		"extensions": counts["line.extended"],
		"spent":      spent.String(), "received": received.String(),
	}
}

func (c *choice) listLines() *request {
	by := c.someone()
	limit := pick(c.a.random, []int{1, 5, 40})
	query, status, suspended, effective := fmt.Sprintf("?limit=%d", limit), c.n(4), c.n(6), ""
	if status < 2 {
		query += fmt.Sprintf("&status=%d", status)
	}
	if suspended < 2 {
		query += fmt.Sprintf("&suspended=%t", suspended == 1)
	}
	if c.n(4) == 0 {
		effective = pick(c.a.random, model.Effects)
		query += "&effective=" + effective
	}
	externalID := ""
	if c.n(3) == 0 && len(c.world.Lines) > 0 {
		externalID = pick(c.a.random, c.world.Lines).ExternalID
	}
	if externalID != "" {
		query += "&external_id=" + externalID
	}
	sort := ""
	if c.n(3) == 0 {
		sort = pick(c.a.random, []string{"id", "expiry", "latest_expiry", "newest", "username"})
		query += "&sort=" + sort
	}
	return c.ask(by, "/lines"+query, func(at model.Moment) *outcome {
		var all []*model.Line
		for _, l := range c.world.Lines {
			is := l.Effective(at.Now)
			if by.SeesLine(l) && (status > 1 || bit(is == "running") == status) &&
				(suspended > 1 || bit(l.Suspended) == suspended) &&
				(effective == "" || is == effective) && (externalID == "" || l.ExternalID == externalID) {
				all = append(all, l)
			}
		}
		window := status < 2 || effective != ""
		byExpiry := sort == "expiry" || sort == "latest_expiry" || sort == "" && window
		slices.SortFunc(all, func(a, b *model.Line) int {
			if sort == "newest" || sort == "latest_expiry" {
				a, b = b, a
			}
			if first := a.Expires.Compare(b.Expires); byExpiry && first != 0 {
				return first
			}
			if sort == "username" {
				return cmp.Compare(a.Key(), b.Key())
			}
			return int(a.ID - b.ID)
		})
		var records []fields
		for _, l := range all[:min(len(all), limit+1)] {
			records = append(records, lineRecord(l, at.Now))
		}
		if window {
			return sifted(records, limit)
		}
		return page(records, limit)
	})
}

// sifted is page of a list whose pages may have fewer records than there is room for: of those that the service
// examines for a page some may not be asked for.
func sifted(all []fields, limit int) *outcome {
	return &outcome{status: http.StatusOK, seen: func(body fields) string {
		data, _ := body["data"].([]any)
		_, more := body["next_cursor"].(string)
		if most := min(limit, len(all)); len(data) > most || len(data) < most && !more || len(data) < len(all) && !more {
			return fmt.Sprintf("%d records, or a cursor", most)
		}
		return compareValue(all[:len(data)], data)
	}}
}

// exportedAtOnce is fewer than a page of an export has: one of several pages is of several moments.
const exportedAtOnce = 100

// exported is what an export of these records answers, of which the client makes a list.
func exported(records []fields) *outcome {
	return &outcome{status: http.StatusOK, fields: fields{"data": records}}
}

var (
	looksLikeNumber = regexp.MustCompile(`^[-0-9 +().]+$`)
	noDigit         = regexp.MustCompile(`[^0-9]+`)
)

// inNumber reports whether what looks like a telephone number, or four digits of one, is a part of a contact's digits,
// or ends with all of them, which are eight at least.
func inNumber(part, contact string) bool {
	asked, has := noDigit.ReplaceAllString(part, ""), noDigit.ReplaceAllString(contact, "")
	return looksLikeNumber.MatchString(part) && len(asked) >= 4 &&
		(strings.Contains(has, asked) || len(has) >= 8 && strings.HasSuffix(asked, has))
}

func (c *choice) exportLines() *request {
	by, part := c.someone(), ""
	if len(c.world.Lines) > exportedAtOnce || len(c.world.Lines) > 0 && c.n(2) == 0 {
		part = pick(c.a.random, c.world.Lines).Name
	}
	return c.ask(by, "/exports/lines?format=ndjson&q="+url.QueryEscape(part), func(at model.Moment) *outcome {
		var records []fields
		for _, l := range c.world.Lines {
			mentions := slices.ContainsFunc([]string{l.Name, l.Notes, l.Whatsapp, l.Telegram, l.Email, l.ExternalID},
				func(text string) bool {
					return strings.Contains(strings.ToLower(text), strings.ToLower(part))
				})
			if !mentions && !inNumber(part, l.Whatsapp) && !inNumber(part, l.Telegram) || !by.SeesLine(l) {
				continue
			}
			r := lineRecord(l, at.Now)
			for _, name := range []string{"idPlatform", "trash", "error_platform", "updated", "migrationUrl", "lastTrust",
				"updatedAt", "suspension_reason"} {
				delete(r, name)
			}
			records = append(records, with(r, fields{"password": shownTo(at, l.Password)}))
		}
		slices.SortFunc(records, func(a, b fields) int { return cmp.Compare(a["id"].(int64), b["id"].(int64)) })
		return exported(records)
	})
}

func (c *choice) exportResellers() *request {
	by, from := c.someone(), ""
	if len(c.world.Resellers) > exportedAtOnce {
		from = pick(c.a.random, c.world.Resellers).Name
	}
	return c.ask(by, "/exports/users?format=ndjson&username="+url.QueryEscape(from), func(model.Moment) *outcome {
		var records []fields
		for _, target := range c.visible(by) {
			if !strings.HasPrefix(strings.ToLower(target.Name), strings.ToLower(from)) {
				continue
			}
			records = append(records, c.resellerRecord(target))
		}
		return exported(records)
	})
}

func (c *choice) exportLedger() *request {
	by, target, id := c.govern()
	if target == nil || len(target.Statement) > exportedAtOnce {
		return c.statement()
	}
	return c.ask(by, "/exports/ledger?format=ndjson&account="+id, func(model.Moment) *outcome {
		if !by.Sees(target) {
			return refused("not-found")
		}
		var records []fields
		for seq := len(target.Statement); seq > 0; seq-- {
			records = append(records, c.entry(by, target, seq))
		}
		return exported(records)
	})
}

func (c *choice) line() *request {
	by, l, id := c.manage(c.n(3) == 0)
	return c.ask(by, "/lines/"+id, func(at model.Moment) *outcome {
		if !by.SeesLine(l) {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK,
			fields: with(lineRecord(l, at.Now), fields{"password": shownTo(at, l.Password)})}
	})
}

func (c *choice) preview() *request {
	by, l, id := c.manage(false)
	p := c.price()
	return c.ask(by, "/lines/extend-preview/"+id+"?credits="+p.Credits, func(at model.Moment) *outcome {
		at.As = nil // of whose limit a preview says nothing
		refusal, x, _ := c.world.Extend(by, l, p, at)
		return decided(refusal, func() *outcome {
			return &outcome{status: http.StatusOK, fields: fields{
				"id": l.ID, "credits": json.Number(p.Credits), "from": iso(x.From), "expDate": iso(x.Until),
			}}
		})
	})
}

func (c *choice) prices() *request {
	var records []fields
	for _, p := range model.Prices() {
		records = append(records, fields{"credits": json.Number(p.Credits), "period": p.Period})
	}
	return c.ask(c.someone(), "/prices", func(model.Moment) *outcome {
		return &outcome{status: http.StatusOK, fields: fields{"prices": records}}
	})
}

func (c *choice) proof() *request {
	by := c.someone()
	return c.ask(by, proofPath, func(at model.Moment) *outcome {
		if !by.Admin {
			return refused("not-allowed")
		}
		return &outcome{status: http.StatusOK, fields: with(c.sums(), fields{"at": iso(at.Now)})}
	})
}

// sums are what the proof should say.
func (r *run) sums() fields {
	var balances decimal.Decimal
	for _, a := range r.world.Resellers {
		balances = balances.Add(a.Balance)
	}
	return fields{
		"issued": r.world.Issued.String(), "balances": balances.String(), "consumed": r.world.Consumed.String(),
		"balanced": true, "movements": len(r.world.Movements),
	}
}

// anybody makes a request that says nothing of who asks, and is answered so.
func (c *choice) anybody(path string, answered fields) *request {
	return &request{path: path, spoiled: &outcome{status: http.StatusOK, fields: answered}}
}

func (c *choice) health() *request    { return c.anybody("/healthz", fields{"status": "ok"}) }
func (c *choice) readiness() *request { return c.anybody("/readyz", fields{"status": "ready"}) }
func (c *choice) document() *request  { return c.anybody("/openapi.json", fields{"openapi": "3.0.3"}) }
