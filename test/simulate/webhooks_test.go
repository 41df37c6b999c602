package simulate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"resellerd/domain/webhook"
	"resellerd/test/model"
)

// texts are all of a list.
func texts[T any](all []T) json.RawMessage {
	if all == nil {
		all = []T{}
	}
	return json.RawMessage(spelled(all))
}

// alertsOf has an account's alerts.
func alertsOf(r *model.Reseller) fields {
	below := any(nil)
	if !r.Low.Below.IsZero() {
		below = r.Low.Below.String()
	}
	return fields{"balance_low": below, "expiring_days": texts(expiringDays)}
}

func (c *choice) alerts() *request {
	by, target, id := c.govern()
	return c.look(by, target, "/users/"+id+"/alerts", func() fields { return alertsOf(target) })
}

// setAlerts sets an account's low-balance alert near its balance, at another amount, or off.
func (c *choice) setAlerts() *request {
	by, target, id := c.govern()
	below := c.amount()
	if target != nil && c.n(3) > 0 {
		below = target.Balance.Add(decimal.New(int64(c.n(3)-1), -4))
	}
	if target != nil && c.n(8) == 0 {
		below = target.Low.Below
	}
	var body fields
	if below = decimal.Min(below, most); c.n(6) == 0 || !below.IsPositive() {
		below, body = decimal.Decimal{}, fields{"balance_low": nil}
	} else if body = (fields{"balance_low": below.String()}); c.n(2) == 0 {
		body["balance_low"] = json.Number(below.String())
	}
	return c.change(by, "/users/"+id+"/alerts", body, func(at model.Moment) (string, func()) {
		return c.world.SetAlert(by, target, below, at)
	}, func(model.Moment) fields { return alertsOf(target) })
}

// anyWebhook returns an account, a webhook, mostly of its own, and the id in the path.
func (c *choice) anyWebhook() (by *model.Reseller, h *model.Webhook, id string) {
	by = c.someone()
	if len(c.world.Webhooks) == 0 || c.n(40) == 0 {
		return by, nil, pick(c.a.random, append([]string{"999999"}, noIDs...))
	}
	for range 5 {
		if h = pick(c.a.random, c.world.Webhooks); !h.Removed {
			break
		}
	}
	if own := c.world.WebhooksOf(by); len(own) > 0 && c.n(2) == 0 {
		h = pick(c.a.random, own)
	}
	if c.contended.webhook != nil && c.n(2) == 0 {
		h = c.contended.webhook
	}
	if c.n(8) > 0 {
		by = h.Of
	}
	return by, h, strconv.FormatInt(h.ID, 10)
}

func webhookRecord(h *model.Webhook) fields {
	scope := "own"
	if h.Tree {
		scope = "tree"
	}
	return fields{
		"id": h.ID, "url": h.URL, "types": texts(h.Types), "scope": scope, "description": nullable(h.Description),
		"enabled": h.Disabled == "", "disabled_reason": nullable(h.Disabled), "created_at": iso(h.CreatedAt),
	}
}

// types draws what a webhook is for.
func (c *choice) types() []string {
	return pick(c.a.random, [][]string{
		{"*"}, {"*"}, {"line.*"}, {"line.expiring", "line.expired"}, {"balance.*", "reseller.credited"}, {"webhook.*"},
		{"session.*", "operator.*"}, {"line.deleted", "*"},
	})
}

func (c *choice) url() string {
	if c.n(15) == 0 {
		return "http://10.0.0.1/hook"
	}
	return fmt.Sprintf("https://hooks-%d.example/hook?n=%d", c.n(5), c.n(100))
}

func (c *choice) createWebhook() *request {
	by := c.someone()
	s := model.Settings{URL: c.url(), Types: c.types(), Tree: c.n(2) == 0}
	body := fields{"url": s.URL, "types": s.Types, "scope": "own"}
	if s.Tree {
		body["scope"] = "tree"
	}
	if c.n(3) == 0 {
		s.Description = fmt.Sprintf("of %s", c.a.step)
		body["description"] = s.Description
	}
	if c.n(12) == 0 { // up to the limit
		c.several(model.MostWebhooks-len(c.world.WebhooksOf(by)), "createWebhook",
			func() *request { return c.newWebhook(by, s, body) })
	}
	return c.newWebhook(by, s, body)
}

func (c *choice) newWebhook(by *model.Reseller, s model.Settings, body fields) *request {
	return c.effect(by, "/webhooks", body, func(at model.Moment) *outcome {
		refusal, create := c.world.CreateWebhook(by, s, at)
		return lacking(answered(refusal, http.StatusCreated, func(t *attempt) fields {
			made, progress := wroteA[*webhook.Webhook](t.wrote), wroteA[*webhook.Progress](t.wrote)
			if made == nil || progress == nil {
				c.differ(t.String(), "a webhook", "none")
				return nil
			}
			id, after := made.ID, progress.Cursor
			if !c.fresh("webhook", id) {
				return nil
			}
			if now := len(c.world.Journal); after < int64(t.entries) || after > int64(now) {
				c.differ(t.String(), fmt.Sprintf("that it begins between the entries %d and %d", t.entries, now),
					strconv.FormatInt(after, 10))
			}
			return with(webhookRecord(create(id, t.secret)), fields{"secret": t.secret})
		}))
	})
}

// lacking adds to a refusal that to subscribe is to read.
func lacking(o *outcome) *outcome {
	if o.code == "insufficient-scope" {
		o.fields = fields{"required_scope": "events:read"}
	}
	return o
}

func (c *choice) updateWebhook() *request {
	by, h, id := c.anyWebhook()
	var w model.WebhookChange
	body := fields{}
	if c.n(3) == 0 {
		w.URL = new(c.url())
		body["url"] = *w.URL
	}
	if c.n(3) == 0 {
		w.Types = c.types()
		body["types"] = w.Types
	}
	if c.n(3) == 0 {
		w.Tree = new(c.n(2) == 0)
		body["scope"] = map[bool]string{true: "tree", false: "own"}[*w.Tree]
	}
	if c.n(3) == 0 {
		w.Description = new(pick(c.a.random, []string{"", "described"}))
		body["description"] = nullable(*w.Description)
	}
	if disabled := h != nil && h.Disabled != ""; c.n(3) == 0 || disabled && c.n(4) > 0 {
		w.Enabled = new(disabled || c.n(3) > 0)
		body["enabled"] = *w.Enabled
	}
	return c.effect(by, "/webhooks/"+id, body, func(at model.Moment) *outcome {
		refusal, update := c.world.UpdateWebhook(by, h, w, at)
		return lacking(answered(refusal, http.StatusOK, func(*attempt) fields {
			update()
			return webhookRecord(h)
		}))
	})
}

func (c *choice) rotateWebhook() *request {
	by, h, id := c.anyWebhook()
	hours, body := 24, fields(nil)
	if c.n(2) == 0 {
		hours = pick(c.a.random, []int{0, 1, 48})
		body = fields{"overlap_hours": hours}
	}
	return c.effect(by, "/webhooks/"+id+"/rotate", body, func(at model.Moment) *outcome {
		refusal, rotate := c.world.RotateWebhook(by, h, time.Duration(hours)*time.Hour, at)
		return answered(refusal, http.StatusOK, func(t *attempt) fields {
			rotate(t.secret)
			until := any(nil)
			if hours > 0 {
				until = iso(at.Now.Add(time.Duration(hours) * time.Hour))
			}
			return fields{"secret": t.secret, "previous_expires_at": until}
		})
	})
}

// simply makes a request for a webhook whose answer is a status alone.
func (c *choice) simply(path string, body fields, status int,
	decide func(by *model.Reseller, h *model.Webhook, at model.Moment) (string, func())) *request {
	by, h, id := c.anyWebhook()
	return c.effect(by, "/webhooks/"+id+path, body, func(at model.Moment) *outcome {
		refusal, do := decide(by, h, at)
		return answered(refusal, status, func(*attempt) fields {
			do()
			return fields{"status": status}
		})
	})
}

func (c *choice) testWebhook() *request {
	return c.simply("/test", nil, http.StatusAccepted, c.world.TestWebhook)
}

func (c *choice) deleteWebhook() *request {
	return c.simply("", nil, http.StatusOK, c.world.DeleteWebhook)
}

func (c *choice) replayWebhook() *request {
	after := c.n(len(c.world.Journal) + 3)
	if c.n(2) == 0 { // only the latest
		after = max(0, len(c.world.Journal)-c.n(50))
	}
	return c.simply("/replay", fields{"after_seq": after}, http.StatusAccepted,
		func(by *model.Reseller, h *model.Webhook, _ model.Moment) (string, func()) {
			return c.world.ReplayWebhook(by, h, int64(after))
		})
}

func (c *choice) listWebhooks() *request {
	by := c.someone()
	return c.ask(by, "/webhooks", func(model.Moment) *outcome {
		records := []fields{}
		for _, h := range c.world.WebhooksOf(by) {
			records = append(records, webhookRecord(h))
		}
		return &outcome{status: http.StatusOK, fields: fields{"data": records, "next_cursor": nil}}
	})
}

func (c *choice) webhook() *request {
	by, h, id := c.anyWebhook()
	return c.ask(by, "/webhooks/"+id, func(model.Moment) *outcome {
		if h == nil || h.Removed || h.Of != by {
			return refused("not-found")
		}
		return &outcome{status: http.StatusOK, fields: webhookRecord(h)}
	})
}
