package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MostWebhooks is how many an account has.
const MostWebhooks = 10

// Webhook is a subscription to entries.
type Webhook struct {
	ID        int64
	Of        *Reseller
	Disabled  string // why, "" if it is enabled
	CreatedAt time.Time
	Removed   bool
	Settings

	Secret, Previous string // as they were shown; Previous is that before the last rotation
	PreviousUntil    time.Time

	Tests     int       // how many were requested
	TestAsked time.Time // when, of the one that was not sent yet

	past    []Settings // those that it had before, each until an entry
	claims  []claim
	arrived []int64 // numbers of entries that arrived, or were abandoned, in their order
}

// Settings are the settings of a webhook.
type Settings struct {
	URL         string
	Types       []string
	Tree        bool // it also gets the entries of accounts below its own
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

// matches reports whether an entry is for a webhook of these settings.
func (s Settings) matches(of *Reseller, e *Event) bool {
	return e.seenBy(of) && s.selects(of).selects(e)
}

// WebhooksOf are the webhooks that a reseller has.
func (w *World) WebhooksOf(r *Reseller) (all []*Webhook) {
	for _, h := range w.Webhooks {
		if h.Of == r && !h.Removed {
			all = append(all, h)
		}
	}
	return all
}

// Webhook returns the webhook with an id, nil where none exists.
func (w *World) Webhook(id int64) *Webhook {
	i := slices.IndexFunc(w.Webhooks, func(h *Webhook) bool { return h.ID == id && !h.Removed })
	if i < 0 {
		return nil
	}
	return w.Webhooks[i]
}

// plain reports whether an address is refused because deliveries to it would not be encrypted.
func plain(url string) bool { return strings.HasPrefix(url, "http://") }

// CreateWebhook decides the creation of a webhook.
func (w *World) CreateWebhook(by *Reseller, s Settings,
	at Moment) (refusal string, effect func(id int64, secret string) *Webhook) {
	return firstOf(
			by.Frozen(), "account-blocked",
			at.lacks("events:read"), "insufficient-scope", // a webhook reads the journal
			at.bound(), "beyond-own-rights",
			plain(s.URL), "bad-url",
			len(w.WebhooksOf(by)) >= MostWebhooks, "too-many-webhooks",
		), func(id int64, secret string) *Webhook {
			h := &Webhook{ID: id, Of: by, CreatedAt: at.Now, Settings: s, Secret: secret}
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

// owns reports whether a webhook belongs to a reseller: no other account sees it.
func (r *Reseller) owns(h *Webhook) bool { return h != nil && !h.Removed && h.Of == r }

// WebhookChange has the new values of a webhook; nil leaves a value unchanged.
type WebhookChange struct {
	URL, Description Change
	Types            []string
	Tree, Enabled    *bool
}

// bound reports whether the caller has an expiry or addresses, which its webhooks would not have.
func (at Moment) bound() bool {
	return at.As != nil && (!at.As.Expires.IsZero() || len(at.As.Addresses) > 0)
}

// subscribes reports whether a change sends more to a webhook than before, or to another address.
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
			c.URL != nil && plain(*c.URL), "bad-url",
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
			was.until = e.Seq
			h.past = append(h.past, was)
		}
}

// RotateWebhook decides that a webhook gets another secret. The present one stays valid for overlap.
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

// TestWebhook decides that a webhook gets a test, unless one is already pending.
func (w *World) TestWebhook(by *Reseller, h *Webhook, at Moment) (refusal string, effect func()) {
	return firstOf(by.Frozen(), "account-blocked", !by.owns(h), "not-found", h != nil && h.Disabled != "",
			"webhook-disabled"), func() {
			if h.TestAsked.IsZero() {
				h.Tests++
				h.TestAsked = at.Now
			}
		}
}

// ReplayWebhook decides that a webhook gets all its entries after an entry again.
func (w *World) ReplayWebhook(by *Reseller, h *Webhook, after int64) (refusal string, effect func()) {
	return firstOf(by.Frozen(), "account-blocked", !by.owns(h), "not-found"), func() {
		h.claim(w, after)
	}
}

// DisableWebhook has the service itself disable a webhook.
func (w *World) DisableWebhook(h *Webhook, why string, now time.Time) {
	if h.Disabled != "" || h.Removed {
		return
	}
	h.Disabled = why
	e := byItself("webhook.disabled", Moment{Now: now}).ofWebhook(h)
	e.Changes["enabled"], e.Reason = true, why
	w.happened(e)
}

// Held reports whether deliveries to a webhook pause.
func (h *Webhook) Held() bool { return h.Disabled != "" || h.Of.Frozen() }

// ID is the id of the entry.
func (e *Event) ID() string { return "evt_" + e.Epoch + "_" + strconv.FormatInt(e.Seq, 10) }

// TestID is the id of a test.
func (h *Webhook) TestID(n int) string { return fmt.Sprintf("test_%d_%d", h.ID, n) }

// Test is a test as its receiver gets it.
func (h *Webhook) Test() map[string]any {
	e := byItself("webhook.test", Moment{Now: h.TestAsked}).ofWebhook(h)
	e.Data["test"] = h.Tests
	shown := e.Shown(h.Of)
	shown["id"] = h.TestID(h.Tests)
	return shown
}

// claim is a promise to a webhook: all its entries after an entry.
type claim struct {
	after    int64
	entries  int // of the journal, at that time
	arrivals int // likewise
}

func (h *Webhook) claim(w *World, after int64) {
	h.claims = append(h.claims, claim{after, len(w.Journal), len(h.arrived)})
}

// Arrived notes that an entry has arrived.
func (h *Webhook) Arrived(e *Event) { h.arrived = append(h.arrived, e.Seq) }

// Abandoned notes that the last attempt to send an entry failed.
func (h *Webhook) Abandoned(e *Event) { h.arrived = append(h.arrived, e.Seq) }

// MayHave reports whether an entry may be sent to the webhook: it matches the present settings, or settings since the
// entry was made.
func (h *Webhook) MayHave(e *Event) bool {
	return h.matches(h.Of, e) || slices.ContainsFunc(h.past, func(s Settings) bool {
		return s.until > e.Seq && s.matches(h.Of, e)
	})
}

// Missing returns the entries that were promised to a webhook and did not arrive since. They match all settings of the
// webhook since then.
func (w *World) Missing(h *Webhook) (missing []*Event) {
	for _, c := range h.claims {
		came := h.arrived[c.arrivals:]
		for _, e := range w.Journal[min(c.after, int64(len(w.Journal))):] {
			since := max(e.Seq, int64(c.entries))
			always := h.matches(h.Of, e) && !slices.ContainsFunc(h.past, func(s Settings) bool {
				return s.until > since && !s.matches(h.Of, e)
			})
			if always && !slices.Contains(came, e.Seq) {
				missing = append(missing, e)
			}
		}
	}
	return missing
}
