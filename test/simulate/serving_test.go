package simulate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"resellerd/test/api"
	"resellerd/test/model"
)

// reasons are why something is blocked or suspended.
var reasons = []string{"", "unpaid", "asked for"}

// terms returns what a block is to mean to lines, and the body that says so.
func (c *choice) terms() (*model.Terms, fields) {
	to := model.Terms{Suspends: c.n(2) == 0, Reason: pick(c.a.random, reasons)}
	body := fields{"lines": "run", "reason": nullable(to.Reason)}
	switch {
	case to.Suspends:
		body["lines"] = "suspend"
	case c.n(3) == 0:
		delete(body, "lines")
		if to.Reason == "" {
			body = nil
		}
	}
	return &to, body
}

func (c *choice) suspend() *request {
	reason := pick(c.a.random, reasons)
	body := fields{"reason": nullable(reason)}
	if reason == "" && c.n(2) == 0 {
		body = nil
	}
	return c.suspension(body, func(by *model.Reseller, l *model.Line, at model.Moment) (string, func()) {
		return c.world.Suspend(by, l, reason, at)
	})
}

func (c *choice) resume() *request { return c.suspension(nil, c.world.Resume) }

func (c *choice) suspension(body fields,
	decide func(by *model.Reseller, l *model.Line, at model.Moment) (string, func())) *request {
	by, l, id := c.manage(c.n(3) == 0)
	if body == nil { // mostly one that is suspended
		for _, other := range c.world.Lines {
			if by.SeesLine(other) && other.Suspended && c.n(2) == 0 {
				l, id = other, strconv.FormatInt(other.ID, 10)
			}
		}
	}
	return c.change(by, "/lines/"+id+"/suspension", body, func(at model.Moment) (string, func()) {
		return decide(by, l, at)
	}, wholeLine(l))
}

// letIn asks whether a customer is to be let in, by the name that a line has, or had.
func (c *choice) letIn() *request {
	by, l, _ := c.manage(c.n(3) == 0)
	name := "nobody"
	if l != nil {
		name = l.Name
	}
	return c.ask(by, api.RowOf("letIn").At(url.PathEscape(name)), func(at model.Moment) *outcome {
		refusal, l := c.world.LetIn(by, name, at)
		o := decided(refusal, func() *outcome {
			left := max(1, int64(l.Expires.Sub(at.Now)/time.Second))
			o := &outcome{status: http.StatusOK,
				fields: fields{"control:Cleartext-Password": nil, "reply:Session-Timeout": left}}
			if at.SeesServed() {
				o.fields["control:Cleartext-Password"] = l.Password
			}
			return o
		})
		if refusal == "line-not-served" {
			o.fields = fields{"effective": l.Effective(at.Now)}
		}
		return o
	})
}

// follower follows the entitlements of an account, and applies what it is sent in the order in which it asks.
type follower struct {
	model.Follower
	busy bool
}

// What few years may lack of followers: a campaign has to meet each.
const (
	metTold  = "a follower of entitlements has all of them"
	metBegun = "a follower begins again, as another epoch has begun"
)

// mostFollowers is how many there are.
const mostFollowers = 12

// listEntitlements has a follower go on, by some pages or by all that there are.
func (c *choice) listEntitlements() *request {
	var f *follower
	by, bySession := c.someone(), c.n(4) == 0
	for _, other := range c.followers {
		if !other.busy && (f == nil || other.Of == by || c.n(3) == 0) {
			f = other
		}
	}
	if len(c.followers) < mostFollowers && (f == nil || f.Of != by && c.n(3) == 0) {
		f = &follower{Follower: model.Follower{Of: by}}
		c.followers = append(c.followers, f)
	}
	if f == nil {
		return nil // all are at it
	}
	f.busy = true
	defer func() { f.busy = false }()
	for range pick(c.a.random, []int{1, 2, 4, everything, everything}) {
		if more := c.page(f, pick(c.a.random, []int{1, 2, 7, 50}), bySession); !more {
			break
		}
		if c.n(4) == 0 {
			c.a.rest(time.Duration(c.n(3000)) * time.Millisecond)
		}
	}
	return nil
}

// page has a follower ask for a page until it has it, and apply it; now and then it is killed before it has kept its
// cursor. It reports whether there is more.
func (c *choice) page(f *follower, limit int, bySession bool) (more bool) {
	path, from := fmt.Sprintf("/entitlements?limit=%d", limit), f.Follower
	if f.Cursor != "" {
		path += "&cursor=" + f.Cursor
	}
	var is model.Told
	var epoch string
	q := &request{op: &operation{Row: api.RowOf("listEntitlements")}, by: f.Of, method: http.MethodGet, path: path,
		bySession: bySession, delegated: true}
	q.decide = func(model.Moment) *outcome {
		is, epoch = c.world.Told(f.Of), c.world.Epoch
		if from.Cursor != "" && from.Epoch != epoch {
			return refused("cursor-unknown")
		}
		return &outcome{status: http.StatusOK, seen: func(body fields) string {
			told, wrong := entitlements(body)
			if len(told) > limit {
				wrong = fmt.Sprintf("at most %d lines", limit)
			}
			return cmp.Or(wrong, is.PageAmiss(told))
		}}
	}
	if !c.introduce(c.a, q) || c.difference != nil {
		return false
	}
	got := c.insist(c.a, q)
	switch {
	case c.difference != nil:
		return false
	case got.status == http.StatusGone:
		c.seen[metBegun]++
		restart, _ := got.fields["restart"].(string)
		f.StartOver(restart, epoch)
		return true
	case got.status != http.StatusOK:
		return false
	}
	told, _ := entitlements(got.fields)
	f.Apply(told)
	if more, _ = got.fields["has_more"].(bool); !more {
		c.seen[metTold]++
		if amiss := is.Amiss(&f.Follower); amiss != "" {
			c.differ(c.a.step.String(), amiss, "a follower that has all")
		}
	}
	if !c.a.calm && c.n(6) == 0 {
		c.tell(c.a.step, "the follower of account %d is killed before it has kept its cursor", f.Of.ID)
		return true
	}
	f.Cursor, _ = got.fields["next_cursor"].(string)
	f.Epoch = epoch
	return more
}

// entitlements are those of a page, and what is wrong with how it has them, "" for nothing.
func entitlements(body fields) (all []model.Entitlement, wrong string) {
	data, is := body["data"].([]any)
	cursor, _ := body["next_cursor"].(string)
	if _, said := body["has_more"].(bool); !is || !said || cursor == "" {
		return nil, "lines, a cursor, and whether there is more"
	}
	for _, v := range data {
		record, _ := v.(fields)
		number := func(name string) int64 {
			n, _ := record[name].(json.Number)
			value, _ := n.Int64()
			return value
		}
		text := func(name string) string {
			t, _ := record[name].(string)
			return t
		}
		e := model.Entitlement{Line: number("line"), Version: number("version"), Name: text("username"),
			Password: text("password"), Expires: text("expDate"), ExternalID: text("external_id")}
		e.Deleted, _ = record["deleted"].(bool)
		e.Enabled, _ = record["enabled"].(bool)
		if record["metadata"] != nil {
			e.Metadata = spelled(record["metadata"])
		}
		all = append(all, e)
	}
	return all, ""
}

// followAll has each follower whose account is not blocked have everything in the end.
func (c *choice) followAll() {
	for _, f := range c.followers {
		for more := true; more && c.difference == nil && !f.Of.Frozen(); {
			more = c.page(f, 50, false)
		}
	}
}
