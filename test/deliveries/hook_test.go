package deliveries

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"resellerd/test/api"
)

// hook is a webhook that the test has made.
type hook struct {
	*endpoint
	owner   api.Caller
	account int64
	id      int64
	scope   string
	types   []string
	floor   int64 // number of the last entry that its owner saw before it was made
	made    int64 // that of the entry that tells of it

	mu      sync.Mutex
	secrets []secret
	removed time.Time
}

// secret is one of a hook's.
type secret struct {
	text     string
	from, by time.Time // when it was asked for, and there
	until    time.Time // until when, as the service's clock shows it, the one before signs as well
}

func (h *hook) path(suffix ...string) string { return api.Path("/webhooks", h.id, suffix...) }

// hook makes a webhook that is sent to an endpoint of these habits.
func (c *client) hook(to *receiver, habits []habit, owner api.Reseller, scope string, types ...string) *hook {
	c.t.Helper()
	h := &hook{endpoint: to.endpoint(habits), owner: owner.Caller, account: owner.ID, scope: scope, types: types}
	h.floor = c.last(h.owner)
	from := time.Now()
	a, done := c.settle(h.owner, "POST", "/webhooks", api.Fields{"url": h.address(), "types": types, "scope": scope})
	if !done {
		return nil
	}
	h.id = a.ID()
	h.secrets = []secret{{text: a.Text("secret"), from: from, by: time.Now()}}
	return h
}

// last returns the number of the last entry that an account sees.
func (c *client) last(by api.Caller) int64 {
	c.t.Helper()
	a, done := c.settle(by, "GET", "/events?order=desc&limit=1", nil)
	if !done || len(a.List()) == 0 {
		return 0
	}
	seq, err := a.List()[0].Fields["seq"].(json.Number).Int64()
	if err != nil {
		c.t.Error(err)
	}
	return seq
}

// rotate gives it another secret, beside which the one before signs for some hours.
func (c *client) rotate(h *hook, hours int) {
	c.t.Helper()
	from := time.Now()
	if a, done := c.settle(h.owner, "POST", h.path("/rotate"), api.Fields{"overlap_hours": hours}); done {
		s := secret{text: a.Text("secret"), from: from, by: time.Now()}
		if hours > 0 {
			s.until = a.Instant("previous_expires_at")
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.secrets = append(h.secrets, s)
	}
}

// feed reads what the webhook is for, as the list of entries selects it.
func (h *hook) feed() *feed {
	f := newFeed(h.owner)
	if h.scope == "own" {
		f.query.Set("account", strconv.FormatInt(h.account, 10))
	}
	if !slices.Contains(h.types, "*") {
		f.query["type"] = h.types
	}
	return f
}

// found finds the entry that tells that the hook was made: it is for all that follows.
func (h *hook) found(owners []entry) bool {
	for _, e := range owners {
		if id, is := e.Data["webhook"].(float64); is && e.Type == "webhook.created" && int64(id) == h.id {
			h.made = e.Seq
		}
	}
	return h.made != 0
}

// missing returns the entries of the feed that were not accepted yet.
func (h *hook) missing(entries []entry) (all []entry) {
	accepted := h.accepted()
	for _, e := range entries {
		if e.Seq >= h.made && !accepted[e.ID] {
			all = append(all, e)
		}
	}
	return all
}

// tally is what has come in all.
type tally struct {
	entries, arrivals, again, signedTwice, tests int
}

// judge expects that nothing has come that the hook is not for, and that each arrival is the entry as the feed has it,
// signed by the secrets of its time.
func (h *hook) judge(t *testing.T, s *site, f *feed, sum *tally) {
	t.Helper()
	arrivals := h.arrivals()
	f.read(t, s.processes[0].at.Load()) // it has all that came before
	listed := map[string]entry{}
	for _, e := range f.entries {
		if e.Seq > h.floor {
			listed[e.ID] = e
		}
		if e.Seq >= h.made {
			sum.entries++
		}
	}
	accepted := map[string]bool{}
	wrong := 0
	for _, a := range arrivals {
		sum.arrivals++
		body := h.body(a.id)
		e, is := listed[a.id]
		switch {
		case wrong > 3:
			return
		case strings.HasPrefix(a.id, fmt.Sprintf("test_%d_", h.id)):
			sum.tests++
		case !is:
			wrong++
			t.Errorf("webhook %d of account %d, for %s of %v, was sent %s", h.id, h.account, h.scope, h.types, body)
			continue
		case !bytes.Equal(body, e.text):
			wrong++
			t.Errorf("webhook %d was sent %s, and the feed has %s", h.id, body, e.text)
		}
		if accepted[a.id] {
			sum.again++
		}
		accepted[a.id] = accepted[a.id] || a.accepted
		if len(a.signatures) > 1 {
			sum.signedTwice++
		}
		if problem := h.signed(s, a, parseEntry(t, body)); problem != "" {
			wrong++
			t.Errorf("webhook %d, at %s: %s", h.id, a.at.Format(time.StampMilli), problem)
		}
		if !h.removed.IsZero() && a.at.After(h.removed.Add(webhookTimeout)) {
			wrong++
			t.Errorf("webhook %d was sent %s long after it was removed", h.id, a.id)
		}
	}
}

const (
	// webhookTimeout is how long an attempt takes at most.
	webhookTimeout = 15 * time.Second
	// readBefore is how long before it arrives an entry may have been read with the webhook's secrets, at most.
	readBefore = 10 * time.Second
)

// signed returns what is wrong with the signatures of an arrival, "" if nothing is.
func (h *hook) signed(s *site, a arrival, e entry) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var expected []string
	read := a.at.Add(-readBefore) // with the secrets, or later
	if made := s.made(e.Timestamp); made.After(read) {
		read = made
	}
	body, earliest, latest := e.text, s.clock(read), s.clock(a.at)
	for i, is := range h.secrets {
		if is.from.After(a.at) || i+1 < len(h.secrets) && h.secrets[i+1].by.Before(read) {
			continue // it was not asked for by then, or there was another one
		}
		if i > 0 && earliest.Before(is.until) {
			if a.signedBy(body, is.text, h.secrets[i-1].text) {
				return ""
			}
			expected = append(expected, fmt.Sprintf("secrets %d and %d", i, i-1))
		}
		if i == 0 || !latest.Before(is.until) {
			if a.signedBy(body, is.text) {
				return ""
			}
			expected = append(expected, fmt.Sprintf("secret %d", i))
		}
	}
	return fmt.Sprintf("%s has the signatures %q, want %s", a.id, a.signatures, strings.Join(expected, ", or "))
}

// signedBy reports whether it has the signatures of these secrets, in their order, and no others, by the library of
// Standard Webhooks.
func (a *arrival) signedBy(body []byte, secrets ...string) bool {
	if len(a.signatures) != len(secrets) {
		return false
	}
	for i, text := range secrets {
		by, err := standardwebhooks.NewWebhook(text)
		header := http.Header{"Webhook-Id": {a.id}, "Webhook-Timestamp": {a.timestamp},
			"Webhook-Signature": {a.signatures[i]}}
		if err != nil || by.VerifyIgnoringTimestamp(body, header) != nil {
			return false
		}
	}
	return true
}
