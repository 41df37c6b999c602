package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// MostWebhooks is how many an account has.
const MostWebhooks = 10

// Webhook is what the model knows of who is told of what happens, and of what became of that.
type Webhook struct {
	ID        int64
	Of        *Reseller
	Disabled  string // why, "" if it is enabled
	CreatedAt time.Time
	Removed   bool
	Settings

	Secret, Previous string // as they were shown; Previous is that before the last rotation
	PreviousUntil    time.Time

	Cursor    int64 // number of the entry up to which it is known of each what becomes of it
	Waiting   []*Waiting
	Attempts  []*Attempt // the latest, oldest first
	Succeeded time.Time  // when something arrived last
	Tests     int        // how many were asked for
	TestAsked time.Time  // when, of the one that was not sent yet
	GivenUp   int        // entries
	Asked     int64      // how often something was asked of who delivers, and how often that one has seen it
	Heeded    int64

	past    []Settings // those that it had before, each until an entry
	claims  []claim
	arrived []int64 // numbers of entries, in the order of their arrivals; negative: was given up
}

// Settings are what is set of a webhook.
type Settings struct {
	URL         string
	Types       []string
	Tree        bool // it is for what concerns accounts below its own, too
	Description string

	until int64 // number of the entry of the change that ended it
}

// selects is the filter of the entries that a webhook is for.
func (s Settings) selects(of *Reseller) (f EventFilter) {
	if !slices.Contains(s.Types, "*") {
		f.Types = s.Types
	}
	switch {
	case !s.Tree:
		f.Account = of
	case !of.Admin:
		f.Tree = of
	}
	return f
}

// hears reports whether an entry is for a webhook of these settings.
func (s Settings) hears(of *Reseller, e *Event) bool { return e.seenBy(of) && s.selects(of).selects(e) }

// WebhooksOf are the webhooks that a reseller has.
func (w *World) WebhooksOf(r *Reseller) (all []*Webhook) {
	for _, h := range w.Webhooks {
		if h.Of == r && !h.Removed {
			all = append(all, h)
		}
	}
	return all
}

// Webhook returns the one with an id, nil where there is none any more.
func (w *World) Webhook(id int64) *Webhook {
	i := slices.IndexFunc(w.Webhooks, func(h *Webhook) bool { return h.ID == id && !h.Removed })
	if i < 0 {
		return nil
	}
	return w.Webhooks[i]
}

// plain reports whether an address is refused, as what is sent there is not encrypted.
func (w *World) plain(url string) bool { return strings.HasPrefix(url, "http://") && !w.PlainWebhooks }

// NewWebhook is what the service made of a webhook.
type NewWebhook struct {
	ID     int64
	Secret string
	After  int64 // number of the last entry, shortly before
}

// CreateWebhook decides that an account has somebody told of what happens from now on.
func (w *World) CreateWebhook(by *Reseller, s Settings, at Moment) (refusal string, effect func(NewWebhook) *Webhook) {
	return firstOf(
			by.Frozen(), "account-blocked",
			at.lacks("events:read"), "insufficient-scope", // to be told is to read
			at.bound(), "beyond-own-rights",
			w.plain(s.URL), "bad-url",
			len(w.WebhooksOf(by)) >= MostWebhooks, "too-many-webhooks",
		), func(n NewWebhook) *Webhook {
			h := &Webhook{ID: n.ID, Of: by, CreatedAt: at.Now, Settings: s, Secret: n.Secret, Cursor: n.After, Asked: 1}
			w.Webhooks = append(w.Webhooks, h)
			slices.SortFunc(w.Webhooks, func(a, b *Webhook) int { return cmp.Compare(a.ID, b.ID) })
			w.happened(did(by, "webhook.created", at).ofWebhook(h))
			h.claim(w, int64(len(w.Journal))-1)
			return h
		}
}

func (e *Event) ofWebhook(h *Webhook) *Event {
	e.Account, e.Data, e.Changes = h.Of, map[string]any{"webhook": h.ID}, map[string]any{}
	return e
}

// owns reports whether a webhook is a reseller's own: nobody else knows of it.
func (r *Reseller) owns(h *Webhook) bool { return h != nil && !h.Removed && h.Of == r }

// WebhookChange is what is set of a webhook anew; what is nil stays.
type WebhookChange struct {
	URL, Description Change
	Types            []string
	Tree, Enabled    *bool
}

// bound reports whether an end or addresses bound the caller, and so bind no webhook of it.
func (at Moment) bound() bool {
	return at.As != nil && (!at.As.Expires.IsZero() || len(at.As.Addresses) > 0)
}

// subscribes reports whether a change has a webhook told of more than before, or told elsewhere.
func (h *Webhook) subscribes(c WebhookChange) bool {
	return h != nil && (c.URL != nil && *c.URL != h.URL || c.Types != nil && !slices.Equal(c.Types, h.Types) ||
		c.Tree != nil && *c.Tree != h.Tree || c.Enabled != nil && *c.Enabled && h.Disabled != "")
}

// UpdateWebhook decides a change of a webhook.
func (w *World) UpdateWebhook(by *Reseller, h *Webhook, c WebhookChange, at Moment) (refusal string, effect func()) {
	return firstOf(
			by.Frozen(), "account-blocked",
			!by.owns(h), "not-found",
			at.lacks("events:read"), "insufficient-scope",
			at.bound() && h.subscribes(c), "beyond-own-rights",
			c.URL != nil && w.plain(*c.URL), "bad-url",
		), func() {
			was, enabled := h.Settings, h.Disabled == ""
			change(&h.URL, c.URL)
			change(&h.Description, c.Description)
			if c.Types != nil {
				h.Types = c.Types
			}
			if c.Tree != nil {
				h.Tree = *c.Tree
			}
			e := did(by, "webhook.updated", at).ofWebhook(h)
			if c.Enabled != nil && *c.Enabled != enabled {
				e.Changes["enabled"] = true
				if h.Disabled = ""; !*c.Enabled {
					h.Disabled = "requested"
				}
			}
			e.hidden("url", was.URL, h.URL)
			e.hidden("description", was.Description, h.Description)
			e.hidden("types", strings.Join(was.Types, " "), strings.Join(h.Types, " "))
			e.hidden("scope", was.Tree, h.Tree)
			if len(e.Changes) == 0 {
				return
			}
			w.happened(e)
			if h.Asked++; h.Disabled == "" && !enabled {
				h.resume(at.Now)
			}
			was.until = e.Seq
			h.past = append(h.past, was)
		}
}

// RotateWebhook decides that a webhook has another secret. The present one is good for a while longer.
func (w *World) RotateWebhook(by *Reseller, h *Webhook, overlap time.Duration,
	at Moment) (refusal string, effect func(secret string)) {
	return firstOf(by.Frozen(), "account-blocked", !by.owns(h), "not-found"), func(secret string) {
		h.Previous, h.PreviousUntil, h.Secret = h.Secret, at.Now.Add(overlap), secret
		if overlap == 0 {
			h.Previous, h.PreviousUntil = "", time.Time{}
		}
		w.happened(did(by, "webhook.rotated", at).ofWebhook(h))
	}
}

// DeleteWebhook decides that a webhook is removed.
func (w *World) DeleteWebhook(by *Reseller, h *Webhook, at Moment) (refusal string, effect func()) {
	return firstOf(by.Frozen(), "account-blocked", !by.owns(h), "not-found"), func() {
		h.Removed = true
		w.happened(did(by, "webhook.removed", at).ofWebhook(h))
	}
}

// TestWebhook decides that a webhook is sent a test, unless one is on its way to it.
func (w *World) TestWebhook(by *Reseller, h *Webhook, at Moment) (refusal string, effect func()) {
	return firstOf(by.Frozen(), "account-blocked", !by.owns(h), "not-found", h != nil && h.Disabled != "",
			"webhook-disabled"), func() {
			if h.TestAsked.IsZero() {
				h.Tests++
				h.Asked++
				h.TestAsked = at.Now
			}
		}
}

// ReplayWebhook decides that a webhook is sent all that it is for from after an entry on.
func (w *World) ReplayWebhook(by *Reseller, h *Webhook, after int64) (refusal string, effect func()) {
	return firstOf(by.Frozen(), "account-blocked", !by.owns(h), "not-found"), func() {
		h.Asked++
		h.Cursor = min(h.Cursor, after)
		h.claim(w, after)
	}
}

// DisableWebhook has the service disable a webhook by itself.
func (w *World) DisableWebhook(h *Webhook, why string, now time.Time) {
	if h.Disabled != "" || h.Removed {
		return
	}
	h.Disabled = why
	e := byItself("webhook.disabled", Moment{Now: now}).ofWebhook(h)
	e.Changes["enabled"], e.Reason = true, why
	w.happened(e)
}
