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

// reasons are the reasons of blocks and suspensions.
var reasons = []string{"", "unpaid", "asked for"}

// terms returns the terms of a block, and the body of the request that sets them.
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

// letIn requests the authorization of a customer, by the name that a line has, or had.
func (c *choice) letIn() *request {
	by, l, _ := c.manage(c.n(3) == 0)
	name := "nobody"
	if l != nil {
		name = l.Name
	}
	return c.ask(by, api.RowOf("letIn").At(url.PathEscape(name)), func(at model.Moment) *outcome {
		refusal, l := c.world.AuthorizeCustomer(by, name, at)
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

// Outcomes of followers that few years lack: a campaign has to meet each.
const (
	metUpToDate = "a follower of entitlements has all of them"
	metBegun    = "a follower begins again, as another epoch has begun"
)

// listEntitlements has the follower of an account request its next page, and apply it unless another request was first.
func (c *choice) listEntitlements() *request {
	by, limit := c.someone(), pick(c.a.random, []int{1, 7, 50})
	f := c.followers[by]
	if f == nil {
		f = &model.Follower{Of: by}
		c.followers[by] = f
	}
	path, from, epochOf := fmt.Sprintf("/entitlements?limit=%d", limit), f.Cursor, f.Epoch
	if from != "" {
		path += "&cursor=" + from
	}
	first := func() bool { return f.Cursor == from && f.Epoch == epochOf }
	return c.ask(by, path, func(at model.Moment) *outcome {
		if refusal := at.NotServed(by); refusal != "" {
			return refused(refusal)
		}
		is, epoch, sees := c.world.Entitlements(by), c.world.Epoch, at.SeesServed()
		if from != "" && epochOf != epoch {
			o := refused("cursor-unknown")
			o.seen = func(body fields) string {
				if restart, _ := body["restart"].(string); first() {
					c.seen[metBegun]++
					f.StartOver(restart, epoch)
				}
				return ""
			}
			return o
		}
		return &outcome{status: http.StatusOK, seen: func(body fields) string {
			page, wrong := entitlements(body)
			for i, e := range page {
				if !sees && e.Password != "" || len(page) > limit {
					wrong = fmt.Sprintf("at most %d lines, their passwords: %t", limit, sees)
				}
				if !sees && !e.Deleted {
					page[i].Password = is[e.Line].Password
				}
			}
			if wrong = cmp.Or(wrong, is.PageFault(page)); wrong != "" || !first() {
				return wrong
			}
			f.Apply(page)
			f.Cursor, _ = body["next_cursor"].(string)
			if f.Epoch = epoch; body["has_more"] == false {
				c.seen[metUpToDate]++
				return is.Differences(f)
			}
			return ""
		}}
	})
}

// entitlements returns the entitlements of a page, and what is wrong with its form, "" for nothing.
func entitlements(body fields) (all []model.Entitlement, wrong string) {
	var page struct {
		Data []struct {
			model.Entitlement
			Metadata json.RawMessage `json:"metadata"`
		} `json:"data"`
		More   *bool  `json:"has_more"`
		Cursor string `json:"next_cursor"`
	}
	err := json.Unmarshal([]byte(spelled(body)), &page)
	if err != nil || page.Data == nil || page.More == nil || page.Cursor == "" {
		return nil, "lines, a cursor, and whether there is more"
	}
	for _, e := range page.Data {
		if string(e.Metadata) != "null" {
			e.Entitlement.Metadata = string(e.Metadata)
		}
		all = append(all, e.Entitlement)
	}
	return all, ""
}
