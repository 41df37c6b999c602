package application_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/resellers"
	"resellerd/application/webhooks"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// hooked is the command to make a webhook for everything that concerns the caller.
func hooked(url string) webhooks.Create {
	return webhooks.Create{URL: url, Types: []string{webhook.Any}, Scope: webhook.Own, Description: "canary"}
}

// webhook makes one.
func (h *harness) webhook(by application.Caller) (made webhooks.Webhook) {
	h.t.Helper()
	require.NoError(h.t, errorOf(h.Webhooks.Create(h.t.Context(), call(by), hooked("https://a.example/"), into(&made))))
	return made
}

func (h *harness) progress(id int64) (p webhook.Progress) {
	h.t.Helper()
	require.NoError(h.t, h.dependencies.Store.View(h.t.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		p, err = ports.WebhookProgress.From(s.Records).Get(ctx, id)
		return err
	}))
	return p
}

// setProgress has the deliveries of a webhook be as a test needs them.
func (h *harness) setProgress(id int64, change func(p *webhook.Progress)) {
	h.t.Helper()
	require.NoError(h.t, h.dependencies.Store.Update(h.t.Context(), func(ctx context.Context, tx ports.Tx) error {
		all := ports.WebhookProgress.In(tx.Records)
		p, err := all.Get(ctx, id)
		require.NoError(h.t, err)
		change(&p)
		return all.Save(ctx, p)
	}))
}

// revealed renders the secret that a webhook was given.
func revealed(w webhooks.Webhook) application.Receipt {
	return application.Receipt{Code: 200, Content: []byte(w.NewSecret.Reveal())}
}

// ofWebhooks are all that is done with one webhook.
var ofWebhooks = map[string]func(ctx context.Context, h *harness, c application.Call, id int64) error{
	"read": func(ctx context.Context, h *harness, c application.Call, id int64) error {
		return errorOf(h.Webhooks.Get(ctx, c, id))
	},
	"read deliveries": func(ctx context.Context, h *harness, c application.Call, id int64) error {
		return errorOf(h.Webhooks.Deliveries(ctx, c, id))
	},
	"change": func(ctx context.Context, h *harness, c application.Call, id int64) error {
		return errorOf(h.Webhooks.Update(ctx, c,
			webhooks.Update{ID: id, Change: webhook.Change{URL: new("https://b.example/")}}, shown))
	},
	"rotate": func(ctx context.Context, h *harness, c application.Call, id int64) error {
		return errorOf(h.Webhooks.Rotate(ctx, c, webhooks.Rotate{ID: id}, shown))
	},
	"test": func(ctx context.Context, h *harness, c application.Call, id int64) error {
		return errorOf(h.Webhooks.Test(ctx, c, id, shown))
	},
	"replay": func(ctx context.Context, h *harness, c application.Call, id int64) error {
		return errorOf(h.Webhooks.Replay(ctx, c, webhooks.Replay{ID: id}, shown))
	},
	"remove": func(ctx context.Context, h *harness, c application.Call, id int64) error {
		return errorOf(h.Webhooks.Delete(ctx, c, id, shown))
	},
}

func TestAWebhookIsItsOwnersAlone(t *testing.T) {
	h, ctx := newHarness(t, application.Policy{}), t.Context()
	_, above := h.create(h.admin, "above", "0", true)
	_, owner := h.create(above, "owner", "0", true)
	_, below := h.create(owner, "below", "0", false)
	id := h.webhook(owner).ID
	before := h.state(id)
	for who, by := range map[string]application.Caller{"an admin": h.admin, "one above": above, "one below": below} {
		for what, do := range ofWebhooks {
			expect.Error(t, do(ctx, h, call(by), id), fault.ErrNotFound, "%s may %s it", who, what)
		}
		expect.Equal(t, len(must(h.Webhooks.List(ctx, call(by)))), 0, "webhooks are shown to %s", who)
	}
	expect.Equal(t, h.state(id), before, "it was %s, and is", before)
	for what, do := range ofWebhooks {
		expect.Error(t, do(ctx, h, call(owner), id+1000), fault.ErrNotFound)
		if what != "remove" {
			require.NoError(t, do(ctx, h, call(owner), id))
		}
	}
	require.NoError(t, ofWebhooks["remove"](ctx, h, call(owner), id))
	for _, do := range ofWebhooks {
		expect.Error(t, do(ctx, h, call(owner), id), fault.ErrNotFound)
	}
	require.NoError(t, h.dependencies.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		expect.Error(t, errorOf(ports.WebhookProgress.From(s.Records).Get(ctx, id)), fault.ErrNotFound, "what is left")
		return nil
	}))
}

// state is all that is stored of a webhook, as text.
func (h *harness) state(id int64) (text string) {
	h.t.Helper()
	require.NoError(h.t, h.dependencies.Store.View(h.t.Context(), func(ctx context.Context, s ports.Snapshot) error {
		w, err := ports.Webhooks.From(s.Records).Get(ctx, id)
		p, progressErr := ports.WebhookProgress.From(s.Records).Get(ctx, id)
		text = fmt.Sprintf("%+v %+v", w, p)
		return errors.Join(err, progressErr)
	}))
	return text
}

// Of many requests at once, too, ten are made.
func TestAnAccountHasTenWebhooks(t *testing.T) {
	h, ctx := newHarness(t, application.Policy{}), t.Context()
	_, by := h.create(h.admin, "maria", "0", false)
	h.webhook(h.admin) // which counts for its own account
	made := 0
	for _, err := range storetest.AtOnce(25, func(int) error {
		return errorOf(h.Webhooks.Create(ctx, call(by), hooked("https://a.example/"), shown))
	}) {
		if err == nil {
			made++
		} else {
			expect.Error(t, err, webhook.ErrTooMany)
		}
	}
	all, err := h.Webhooks.List(ctx, call(by))
	require.NoError(t, err)
	var slots []int
	for i, w := range all {
		slots = append(slots, w.Slot)
		expect.Equal(t, i > 0 && w.ID <= all[i-1].ID, false, "%d comes after one with a higher number", w.ID)
	}
	slices.Sort(slots)
	expect.Equal(t, made, 10, "were made")
	expect.Elements(t, slots, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "slots")
	require.NoError(t, errorOf(h.Webhooks.Delete(ctx, call(by), all[3].ID, shown)))
	expect.Equal(t, h.webhook(by).Slot, all[3].Slot, "the slot of the one in its place")
	expect.Error(t, errorOf(h.Webhooks.Create(ctx, call(by), hooked("https://a.example/"), shown)), webhook.ErrTooMany)
}

func TestANewWebhookBeginsNow(t *testing.T) {
	h := newHarness(t, application.Policy{})
	h.trial(h.admin)
	entries := h.recorded().entries
	made := h.webhook(h.admin)
	want := webhook.Webhook{
		ID: made.ID, Account: h.admin.Reseller(), Slot: 1, URL: "https://a.example/", Types: []string{"*"},
		Scope: webhook.Own, Description: "canary",
		Enabled: true, Created: h.now, Secret: made.Secret,
	}
	got, err := h.Webhooks.Get(t.Context(), call(h.admin), made.ID)
	require.NoError(t, err)
	expect.Equal(t, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want), "got %+v, want %+v", got, want)
	progress := fmt.Sprintf("%+v", webhook.Progress{Webhook: made.ID, Cursor: entries[len(entries)-1].Seq, Asked: 1})
	expect.Equal(t, fmt.Sprintf("%+v", h.progress(made.ID)), progress, "its deliveries begin as")
}

// The secret is in the answer that makes it, the same if that is repeated under its key, and nowhere else.
func TestASecretIsShownOnce(t *testing.T) {
	h, ctx := newHarness(t, application.Policy{}), t.Context()
	opened := func(id int64, field string, sealed []byte) string {
		t.Helper()
		plain, err := h.keyring.Open(sealed, fmt.Sprintf("webhook.%s/[%d]", field, id))
		require.NoError(t, err)
		return string(plain)
	}
	created, err := h.Webhooks.Create(ctx, keyed(h.admin, "create"), hooked("https://a.example/"), revealed)
	require.NoError(t, err)
	again, err := h.Webhooks.Create(ctx, keyed(h.admin, "create"), hooked("https://a.example/"), revealed)
	require.NoError(t, err)
	first := string(created.Content)
	if !again.Replayed || string(again.Content) != first || len(first) != len("whsec_")+44 {
		t.Errorf("got %q, and again %q, replayed %t", first, again.Content, again.Replayed)
	}
	all, err := h.Webhooks.List(ctx, call(h.admin))
	require.NoError(t, err)
	if len(all) != 1 || opened(all[0].ID, "secret", all[0].Secret) != first || all[0].Previous != nil {
		t.Fatalf("the webhooks are %+v", all)
	}
	id := all[0].ID
	rotate := func(key string, overlap time.Duration) string {
		t.Helper()
		rotated, err := h.Webhooks.Rotate(ctx, keyed(h.admin, key), webhooks.Rotate{ID: id, Overlap: overlap}, revealed)
		require.NoError(t, err)
		again, err := h.Webhooks.Rotate(ctx, keyed(h.admin, key), webhooks.Rotate{ID: id, Overlap: overlap}, revealed)
		require.NoError(t, err)
		expect.Equal(t, again.Replayed, true, "it is replayed")
		expect.Equal(t, string(again.Content), string(rotated.Content), "again")
		return string(rotated.Content)
	}
	second := rotate("rotate", time.Hour)
	w, err := h.Webhooks.Get(ctx, call(h.admin), id)
	require.NoError(t, err)
	if second == first || opened(id, "secret", w.Secret) != second || opened(id, "previous", w.Previous) != first ||
		!w.PreviousUntil.Equal(h.now.Add(time.Hour)) {
		t.Errorf("after a rotation from %s to %s it is %+v", first, second, w)
	}
	third := rotate("rotate at once", 0)
	w, err = h.Webhooks.Get(ctx, call(h.admin), id)
	if require.NoError(t, err); opened(id, "secret", w.Secret) != third || w.Previous != nil || !w.PreviousUntil.IsZero() {
		t.Errorf("after a rotation without an overlap it is %+v", w)
	}
	require.NoError(t, errorOf(h.Webhooks.Update(ctx, call(h.admin),
		webhooks.Update{ID: id, Change: webhook.Change{Description: new("another")}},
		func(w webhooks.Webhook) application.Receipt {
			expect.Equal(t, w.NewSecret.Reveal(), "", "a change shows the secret")
			return shown(w)
		})))
}

// writes counts what an Update writes.
type writes struct {
	ports.Store
	written int
}

type writtenRecords struct {
	record.Writer
	of *writes
}

func (s *writes) Update(ctx context.Context, work func(context.Context, ports.Tx) error, hints ...ports.Reads) error {
	return s.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		s.written = 0
		tx.Records, tx.Journal = writtenRecords{tx.Records, s}, writtenJournal{tx.Journal, s}
		return work(ctx, tx)
	}, hints...)
}

func (c writtenRecords) Insert(ctx context.Context, of *record.Kind, r record.Stored) error {
	c.of.written++
	return c.Writer.Insert(ctx, of, r)
}

func (c writtenRecords) Save(ctx context.Context, of *record.Kind, r record.Stored) error {
	c.of.written++
	return c.Writer.Save(ctx, of, r)
}

type writtenJournal struct {
	ports.Journal
	of *writes
}

func (c writtenJournal) Append(ctx context.Context, e journal.Entry) error {
	c.of.written++
	return c.Journal.Append(ctx, e)
}

// A change is made twice: the second time there is nothing to write.
func TestAWebhookThatIsNotChangedIsNotWritten(t *testing.T) {
	h, ctx := newHarness(t, application.Policy{}), t.Context()
	store := &writes{Store: h.dependencies.Store}
	h.dependencies.Store = store
	h.Service = application.New(h.dependencies, application.Policy{})
	id := h.webhook(h.admin).ID
	for what, c := range map[string]webhook.Change{
		"nothing":     {},
		"address":     {URL: new("https://b.example/")},
		"types":       {Types: []string{"line.*", "balance.low"}},
		"scope":       {Scope: new(webhook.Tree)},
		"description": {Description: new("")},
		"enabled":     {Enabled: new(false)},
	} {
		for i, want := range []int{3, 0} { // the webhook, its deliveries and an entry
			if what == "nothing" {
				want = 0
			}
			require.NoError(t, errorOf(h.Webhooks.Update(ctx, call(h.admin), webhooks.Update{ID: id, Change: c}, shown)))
			expect.Equal(t, store.written, want, "%s, %d. time", what, i+1)
		}
	}
	require.NoError(t, ofWebhooks["change"](ctx, h, call(h.admin), id))
	require.NoError(t, errorOf(h.Webhooks.Update(ctx, call(h.admin),
		webhooks.Update{ID: id, Change: webhook.Change{Enabled: new(true)}}, shown)))
	for i, want := range []int{1, 0} { // a test is waiting already
		require.NoError(t, errorOf(h.Webhooks.Test(ctx, call(h.admin), id, shown)))
		expect.Equal(t, store.written, want, "a test, %d. time", i+1)
	}
}

func TestATestNeedsAnEnabledWebhook(t *testing.T) {
	h, ctx := newHarness(t, application.Policy{}), t.Context()
	id := h.webhook(h.admin).ID
	enable := func(enabled bool) {
		t.Helper()
		require.NoError(t, errorOf(h.Webhooks.Update(ctx, call(h.admin),
			webhooks.Update{ID: id, Change: webhook.Change{Enabled: &enabled}}, shown)))
	}
	enable(false)
	before := h.state(id)
	expect.Error(t, errorOf(h.Webhooks.Test(ctx, call(h.admin), id, shown)), webhook.ErrDisabled)
	expect.Equal(t, h.state(id), before, "a refusal left")
	require.NoError(t, ofWebhooks["replay"](ctx, h, call(h.admin), id)) // of what is sent once it is enabled
	enable(true)
	require.NoError(t, ofWebhooks["test"](ctx, h, call(h.admin), id))
	if p := h.progress(id); p.Tests != 1 || !p.TestAsked.Equal(h.now) || p.Cursor != 0 {
		t.Errorf("it is kept %+v", p)
	}
}

// One that is enabled again begins with what waits anew.
func TestAnEnabledWebhookBeginsAnew(t *testing.T) {
	h, ctx := newHarness(t, application.Policy{}), t.Context()
	id := h.webhook(h.admin).ID
	h.setProgress(id, func(p *webhook.Progress) {
		p.Cursor, p.Waiting = 2,
			[]webhook.Waiting{{Seq: 1, Attempts: 9, Began: h.now.Add(-time.Hour), Due: h.now.Add(time.Hour)}}
	})
	h.now = h.now.Add(time.Minute)
	for _, c := range []struct {
		change  webhook.Change
		resumed bool
	}{
		{webhook.Change{URL: new("https://b.example/")}, false},
		{webhook.Change{Enabled: new(true)}, false}, // which it is
		{webhook.Change{Enabled: new(false)}, false},
		{webhook.Change{Enabled: new(true)}, true},
	} {
		before := h.progress(id)
		require.NoError(t, errorOf(h.Webhooks.Update(ctx, call(h.admin), webhooks.Update{ID: id, Change: c.change}, shown)))
		p := h.progress(id)
		if resumed := p.Waiting[0] == (webhook.Waiting{Seq: 1, Began: h.now, Due: h.now}); resumed != c.resumed ||
			p.Cursor != before.Cursor {
			t.Errorf("after %+v there waits %+v, the cursor is at %d", c.change, p.Waiting, p.Cursor)
		}
	}
}

func TestAddressesInTheClearAreTheOperatorsDecision(t *testing.T) {
	for _, plain := range []bool{false, true} {
		h, ctx := newHarness(t, application.Policy{PlainWebhooks: plain}), t.Context()
		id := h.webhook(h.admin).ID
		allowed := func(what string, err error) {
			t.Helper()
			if plain {
				require.NoError(t, err)
			} else {
				expect.Error(t, err, webhook.ErrPlain)
			}
			if all, err := h.Webhooks.List(ctx, call(h.admin)); err != nil || !plain && (len(all) != 1 || all[0].Plain()) {
				t.Errorf("%s: %+v, %v", what, all, err)
			}
		}
		_, err := h.Webhooks.Create(ctx, call(h.admin), hooked("http://10.0.0.1/"), shown)
		allowed("made", err)
		_, err = h.Webhooks.Update(ctx, call(h.admin),
			webhooks.Update{ID: id, Change: webhook.Change{URL: new("http://10.0.0.1/")}}, shown)
		allowed("changed", err)
	}
}

func TestWebhooksOfWhoIsBlocked(t *testing.T) {
	h, ctx := newHarness(t, application.Policy{}), t.Context()
	maria, by := h.create(h.admin, "maria", "0", false)
	id := h.webhook(by).ID
	require.NoError(t, errorOf(h.Resellers.Block(ctx, call(h.admin), resellers.Block{ID: maria.ID()}, shown)))
	for what, do := range ofWebhooks {
		expect.Error(t, do(ctx, h, call(by), id), reseller.ErrBlocked, "who is blocked may %s it", what)
	}
}
