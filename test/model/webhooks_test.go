package model

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"resellerd/application"
	"resellerd/application/resellers"
	"resellerd/application/webhooks"
	"resellerd/domain/webhook"
	"resellerd/test/fixture"
)

// mostAtOnce is the largest amount that the API takes.
var mostAtOnce = decimal.New(1, 9)

// setAlert has somebody be told once a balance is below about what it is, or far from that.
func (m *machine) setAlert(t *rapid.T) {
	by, target := m.anyReseller(t, "actor"), m.anyReseller(t, "target")
	below := target.Low.Below
	switch rapid.IntRange(0, 4).Draw(t, "threshold") {
	case 0:
		below = anyCredits(t, 0)
	case 1:
		below = target.Balance
	case 2:
		below = target.Balance.Add(anyCredits(t, 1))
	case 3:
		below = target.Balance.Div(recovers).RoundUp(4)
	}
	below = decimal.Min(below, mostAtOnce)
	a := m.ask(t, by)
	refusal, set := m.SetAlert(by, target, below, a.at)
	command := resellers.SetAlert{ID: target.ID, Below: fixture.Credits(below.String())}
	var got resellers.Reseller
	if m.effect(t, "set alert", a, refusal, func(ctx context.Context, call application.Call) (application.Receipt, error) {
		return m.service.Resellers.SetAlert(ctx, call, command, shown(&got))
	}) {
		set()
		m.alerts(t, got, target)
	}
}

// alerts compares when a reseller is told of its balance.
func (m *machine) alerts(t *rapid.T, got resellers.Reseller, want *Reseller) {
	if is := got.Alert(); !is.Below.Decimal().Equal(want.Low.Below) || is.Told != want.Low.Told {
		t.Fatalf("account %d is told below %s (told: %t), and the model says %+v", want.ID, is.Below, is.Told, want.Low)
	}
}

// anyWebhook returns a webhook, which may be gone, and mostly who has it.
func (m *machine) anyWebhook(t *rapid.T) (by *Reseller, h *Webhook) {
	if len(m.Webhooks) == 0 {
		t.Skip("no webhook yet")
	}
	h = rapid.SampledFrom(m.Webhooks).Draw(t, "webhook")
	if by = h.Of; rapid.IntRange(0, 3).Draw(t, "by another") == 0 {
		by = m.anyReseller(t, "actor")
	}
	return by, h
}

func anyURL(t *rapid.T) string {
	return rapid.SampledFrom([]string{"https://hooks.example/a", "https://hooks.example/b?key=1", "http://10.0.0.1/c"}).
		Draw(t, "url")
}

func anyTypes(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{
		{"*"}, {"*"}, {"line.*"}, {"reseller.credited", "balance.*"}, {"webhook.*", "line.expired"},
		{"reseller.*", "session.started", "operator.*"},
	}).Draw(t, "types")
}

func scopeOf(tree bool) webhook.Scope {
	if tree {
		return webhook.Tree
	}
	return webhook.OwnAccount
}

// createWebhook makes one, or as many as there may be and one more.
func (m *machine) createWebhook(t *rapid.T) {
	by, times := m.anyReseller(t, "actor"), 1
	if rapid.IntRange(0, 15).Draw(t, "many") == 15 {
		times = MostWebhooks + 1
	}
	for range times {
		s := Settings{URL: anyURL(t), Types: anyTypes(t), Tree: rapid.Bool().Draw(t, "tree"),
			Description: rapid.SampledFrom([]string{"", "ours"}).Draw(t, "description")}
		a := m.ask(t, by)
		m.numbered(t)
		refusal, create := m.CreateWebhook(by, s, a.at)
		var got webhooks.Webhook
		if m.effect(t, "create webhook", a, refusal,
			func(ctx context.Context, call application.Call) (application.Receipt, error) {
				return m.service.Webhooks.Create(ctx, call,
					webhooks.Create{URL: s.URL, Types: s.Types, Scope: scopeOf(s.Tree), Description: s.Description},
					shown(&got))
			}) {
			m.isWebhook(t, got.Webhook, create(NewWebhook{got.ID, got.NewSecret.Reveal(), int64(len(m.Journal))}))
		}
	}
}

func describedWebhook(id int64, url string, types []string, tree bool, description, disabled string,
	created time.Time) string {
	return fmt.Sprintf("%d %s %q %t %q %q %s", id, url, types, tree, description, disabled, iso(created))
}

func (h *Webhook) described() string {
	return describedWebhook(h.ID, h.URL, h.Types, h.Tree, h.Description, h.Disabled, h.CreatedAt)
}

func (m *machine) isWebhook(t *rapid.T, got webhook.Webhook, want *Webhook) {
	is := describedWebhook(got.ID, got.URL, got.Types, got.Scope == webhook.Tree, got.Description, string(got.Disabled),
		got.Created)
	if is != want.described() || got.Enabled != (want.Disabled == "") || got.Account != want.Of.ID {
		t.Fatalf("there is webhook %+v, and the model says %s", got, want.described())
	}
}

func (m *machine) updateWebhook(t *rapid.T) {
	by, h := m.anyWebhook(t)
	var c WebhookChange
	if rapid.Bool().Draw(t, "another url") {
		c.URL = new(anyURL(t))
	}
	if rapid.Bool().Draw(t, "other types") {
		c.Types = anyTypes(t)
	}
	c.Description = maybe(t, "description", 3, []string{"", "theirs"})
	c.Tree = maybe(t, "tree", 3, []bool{true, false})
	c.Enabled = maybe(t, "enabled", 2, []bool{true, true, false})
	change := webhook.Change{URL: c.URL, Types: c.Types, Description: c.Description, Enabled: c.Enabled}
	if c.Tree != nil {
		change.Scope = new(scopeOf(*c.Tree))
	}
	a := m.ask(t, by)
	refusal, update := m.UpdateWebhook(by, h, c, a.at)
	var got webhooks.Webhook
	if m.effect(t, "update webhook", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Webhooks.Update(ctx, call, webhooks.Update{ID: h.ID, Change: change}, shown(&got))
		}) {
		update()
		m.isWebhook(t, got.Webhook, h)
	}
}

func (m *machine) rotateWebhook(t *rapid.T) {
	by, h := m.anyWebhook(t)
	overlap := rapid.SampledFrom([]time.Duration{0, time.Hour, 24 * time.Hour}).Draw(t, "overlap")
	a := m.ask(t, by)
	refusal, rotate := m.RotateWebhook(by, h, overlap, a.at)
	var got webhooks.Webhook
	if m.effect(t, "rotate webhook", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Webhooks.Rotate(ctx, call, webhooks.Rotate{ID: h.ID, Overlap: overlap}, shown(&got))
		}) {
		if rotate(got.NewSecret.Reveal()); h.Secret == h.Previous || !strings.HasPrefix(h.Secret, "whsec_") ||
			!got.PreviousUntil.Equal(h.PreviousUntil) {
			t.Fatalf("rotate: %+v, and the model says until %s", got, h.PreviousUntil)
		}
	}
}

func (m *machine) deleteWebhook(t *rapid.T) {
	by, h := m.anyWebhook(t)
	a := m.ask(t, by)
	refusal, remove := m.DeleteWebhook(by, h, a.at)
	var id int64
	if m.effect(t, "delete webhook", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Webhooks.Delete(ctx, call, h.ID, shown(&id))
		}) {
		remove()
	}
}

func (m *machine) testWebhook(t *rapid.T) {
	by, h := m.anyWebhook(t)
	a := m.ask(t, by)
	refusal, test := m.TestWebhook(by, h, a.at)
	var id int64
	if m.effect(t, "test webhook", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Webhooks.Test(ctx, call, h.ID, shown(&id))
		}) {
		test()
	}
}

func (m *machine) replayWebhook(t *rapid.T) {
	by, h := m.anyWebhook(t)
	after := rapid.Int64Range(0, int64(len(m.Journal))+2).Draw(t, "after")
	a := m.ask(t, by)
	refusal, replay := m.ReplayWebhook(by, h, after)
	var id int64
	if m.effect(t, "replay webhook", a, refusal,
		func(ctx context.Context, call application.Call) (application.Receipt, error) {
			return m.service.Webhooks.Replay(ctx, call, webhooks.Replay{ID: h.ID, After: after}, shown(&id))
		}) {
		replay()
	}
}

// readWebhooks compares what a reseller is shown of webhooks and of what became of deliveries with the model.
func (m *machine) readWebhooks(t *rapid.T) {
	by, h := m.anyWebhook(t)
	caller, _, refused := m.asks(t, by)
	refused = firstOf(refused != "", refused, by.Frozen(), "account-blocked")
	all, err := m.service.Webhooks.List(t.Context(), application.Call{Caller: caller})
	if outcome(t, "list webhooks", err, refused) {
		want := m.WebhooksOf(by)
		if len(all) != len(want) {
			t.Fatalf("account %d has %d webhooks, and the model says %d", by.ID, len(all), len(want))
		}
		for i := range want {
			m.isWebhook(t, all[i], want[i])
		}
	}
	refused = firstOf(refused != "", refused, !by.owns(h), "not-found")
	one, err := m.service.Webhooks.Get(t.Context(), application.Call{Caller: caller}, h.ID)
	if outcome(t, "read webhook", err, refused) {
		m.isWebhook(t, one, h)
	}
	attempts, err := m.service.Webhooks.Deliveries(t.Context(), application.Call{Caller: caller}, h.ID)
	if !outcome(t, "list deliveries", err, refused) {
		return
	}
	if len(attempts) != len(h.Attempts) {
		t.Fatalf("webhook %d has %d attempts, and the model says %d", h.ID, len(attempts), len(h.Attempts))
	}
	for i, want := range slices.Backward(h.Attempts) {
		got := attempts[len(attempts)-1-i]
		is := Attempt{got.Event, got.Number, got.Status, time.Duration(got.Took) * time.Millisecond, string(got.Failure),
			got.At, want.Next, got.Excerpt}
		if is != *want || got.Next.Before(want.Next.From) || got.Next.After(want.Next.Until) {
			t.Fatalf("attempt %s of webhook %d is %+v, and the model says %+v", strconv.Itoa(i), h.ID, got, *want)
		}
	}
}
