package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/webhooks"
	"resellerd/domain/fault"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// webhookAt returns the command to create a webhook for all types of events.
func webhookAt(url string) webhooks.Create {
	return webhooks.Create{URL: url, Types: []string{webhook.Any}, Scope: webhook.OwnAccount}
}

func newWebhook(h *kit.Harness, by application.Caller, c webhooks.Create) (made webhooks.Webhook) {
	h.T.Helper()
	require.NoError(h.T, kit.ErrorOf(h.Webhooks.Create(h.T.Context(), kit.Call(by), c, kit.Into(&made))))
	return made
}

func progressOf(h *kit.Harness, id int64) (p webhook.Progress) {
	h.T.Helper()
	require.NoError(h.T, h.Dependencies.Store.View(h.T.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		p, err = ports.WebhookProgress.From(s.Records).Get(ctx, id)
		return err
	}))
	return p
}

// setProgress changes the progress of a webhook to the state that a test needs.
func setProgress(h *kit.Harness, id int64, change func(p *webhook.Progress)) {
	h.T.Helper()
	require.NoError(h.T, h.Dependencies.Store.Update(h.T.Context(), func(ctx context.Context, tx ports.Tx) error {
		all := ports.WebhookProgress.In(tx.Records)
		p, err := all.Get(ctx, id)
		require.NoError(h.T, err)
		change(&p)
		return all.Save(ctx, p)
	}))
}

// revealed renders the new secret of a webhook.
func revealed(w webhooks.Webhook) application.Receipt {
	return application.Receipt{Code: 200, Content: []byte(w.NewSecret.Reveal())}
}

// ofWebhooks are all operations on one webhook.
var ofWebhooks = map[string]func(ctx context.Context, h *kit.Harness, c application.Call, id int64) error{
	"read": func(ctx context.Context, h *kit.Harness, c application.Call, id int64) error {
		return kit.ErrorOf(h.Webhooks.Get(ctx, c, id))
	},
	"read deliveries": func(ctx context.Context, h *kit.Harness, c application.Call, id int64) error {
		return kit.ErrorOf(h.Webhooks.Deliveries(ctx, c, id))
	},
	"change": func(ctx context.Context, h *kit.Harness, c application.Call, id int64) error {
		return kit.ErrorOf(h.Webhooks.Update(ctx, c,
			webhooks.Update{ID: id, Change: webhook.Change{URL: new("https://b.example/")}}, kit.Shown))
	},
	"rotate": func(ctx context.Context, h *kit.Harness, c application.Call, id int64) error {
		return kit.ErrorOf(h.Webhooks.Rotate(ctx, c, webhooks.Rotate{ID: id}, kit.Shown))
	},
	"test": func(ctx context.Context, h *kit.Harness, c application.Call, id int64) error {
		return kit.ErrorOf(h.Webhooks.Test(ctx, c, id, kit.Shown))
	},
	"replay": func(ctx context.Context, h *kit.Harness, c application.Call, id int64) error {
		return kit.ErrorOf(h.Webhooks.Replay(ctx, c, webhooks.Replay{ID: id}, kit.Shown))
	},
	"remove": func(ctx context.Context, h *kit.Harness, c application.Call, id int64) error {
		return kit.ErrorOf(h.Webhooks.Delete(ctx, c, id, kit.Shown))
	},
}

func TestAWebhookIsItsOwnersAlone(t *testing.T) {
	h, ctx := kit.New(t, application.Policy{}), t.Context()
	_, above := h.Create(h.Admin, "above", "0", true)
	_, owner := h.Create(above, "owner", "0", true)
	_, below := h.Create(owner, "below", "0", false)
	id := newWebhook(h, owner, webhookAt("https://a.example/")).ID
	before := stateOf(h, id)
	for who, by := range map[string]application.Caller{"an admin": h.Admin, "one above": above, "one below": below} {
		for what, do := range ofWebhooks {
			expect.Error(t, do(ctx, h, kit.Call(by), id), fault.ErrNotFound, "%s may %s it", who, what)
		}
		expect.Equal(t, len(kit.Must(h.Webhooks.List(ctx, kit.Call(by)))), 0, "webhooks are shown to %s", who)
	}
	expect.Equal(t, stateOf(h, id), before, "it was %s, and is", before)
	for what, do := range ofWebhooks {
		expect.Error(t, do(ctx, h, kit.Call(owner), id+1000), fault.ErrNotFound)
		if what != "remove" {
			require.NoError(t, do(ctx, h, kit.Call(owner), id))
		}
	}
	require.NoError(t, ofWebhooks["remove"](ctx, h, kit.Call(owner), id))
	for _, do := range ofWebhooks {
		expect.Error(t, do(ctx, h, kit.Call(owner), id), fault.ErrNotFound)
	}
	require.NoError(t, h.Dependencies.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		expect.Error(t, kit.ErrorOf(ports.WebhookProgress.From(s.Records).Get(ctx, id)), fault.ErrNotFound, "afterwards")
		return nil
	}))
}

// stateOf returns the stored state of a webhook as text.
func stateOf(h *kit.Harness, id int64) (text string) {
	h.T.Helper()
	require.NoError(h.T, h.Dependencies.Store.View(h.T.Context(), func(ctx context.Context, s ports.Snapshot) error {
		w, err := ports.Webhooks.From(s.Records).Get(ctx, id)
		p, progressErr := ports.WebhookProgress.From(s.Records).Get(ctx, id)
		text = fmt.Sprintf("%+v %+v", w, p)
		return errors.Join(err, progressErr)
	}))
	return text
}

func TestAnAccountHasTenWebhooks(t *testing.T) {
	h, ctx := kit.New(t, application.Policy{}), t.Context()
	_, by := h.Create(h.Admin, "maria", "0", false)
	newWebhook(h, h.Admin, webhookAt("https://a.example/")) // it counts for its own account
	for slot := range webhook.MaxWebhooks {
		expect.Equal(t, newWebhook(h, by, webhookAt("https://a.example/")).Slot, slot+1, "the slot")
	}
	create := func() error {
		return kit.ErrorOf(h.Webhooks.Create(ctx, kit.Call(by), webhookAt("https://a.example/"), kit.Shown))
	}
	expect.Error(t, create(), webhook.ErrTooMany)
	all, err := h.Webhooks.List(ctx, kit.Call(by))
	require.NoError(t, err)
	for i, w := range all {
		expect.Equal(t, i > 0 && w.ID <= all[i-1].ID, false, "%d comes after one with a higher number", w.ID)
	}
	require.NoError(t, kit.ErrorOf(h.Webhooks.Delete(ctx, kit.Call(by), all[3].ID, kit.Shown)))
	expect.Equal(t, newWebhook(h, by, webhookAt("https://a.example/")).Slot, all[3].Slot, "the slot of its successor")
	expect.Error(t, create(), webhook.ErrTooMany)
}

// The secret is in the answer that creates it, and in a repetition under the same key, and nowhere else.
func TestASecretIsShownOnce(t *testing.T) {
	h, ctx := kit.New(t, application.Policy{}), t.Context()
	opened := func(id int64, field string, sealed []byte) string {
		t.Helper()
		plain, err := h.Keyring.Open(sealed, fmt.Sprintf("webhook.%s/[%d]", field, id))
		require.NoError(t, err)
		return string(plain)
	}
	created, err := h.Webhooks.Create(ctx, kit.Keyed(h.Admin, "create"), webhookAt("https://a.example/"), revealed)
	require.NoError(t, err)
	again, err := h.Webhooks.Create(ctx, kit.Keyed(h.Admin, "create"), webhookAt("https://a.example/"), revealed)
	require.NoError(t, err)
	first := string(created.Content)
	if !again.Replayed || string(again.Content) != first || len(first) != len("whsec_")+44 {
		t.Errorf("got %q, and again %q, replayed %t", first, again.Content, again.Replayed)
	}
	all, err := h.Webhooks.List(ctx, kit.Call(h.Admin))
	require.NoError(t, err)
	if len(all) != 1 || opened(all[0].ID, "secret", all[0].Secret) != first || all[0].Previous != nil {
		t.Fatalf("the webhooks are %+v", all)
	}
	id := all[0].ID
	rotate := func(key string, overlap time.Duration) string {
		t.Helper()
		rotated, err := h.Webhooks.Rotate(ctx, kit.Keyed(h.Admin, key), webhooks.Rotate{ID: id, Overlap: overlap}, revealed)
		require.NoError(t, err)
		again, err := h.Webhooks.Rotate(ctx, kit.Keyed(h.Admin, key), webhooks.Rotate{ID: id, Overlap: overlap}, revealed)
		require.NoError(t, err)
		expect.Equal(t, again.Replayed, true, "it is replayed")
		expect.Equal(t, string(again.Content), string(rotated.Content), "again")
		return string(rotated.Content)
	}
	second := rotate("rotate", time.Hour)
	w, err := h.Webhooks.Get(ctx, kit.Call(h.Admin), id)
	require.NoError(t, err)
	if second == first || opened(id, "secret", w.Secret) != second || opened(id, "previous", w.Previous) != first ||
		!w.PreviousUntil.Equal(h.Now.Add(time.Hour)) {
		t.Errorf("after a rotation from %s to %s it is %+v", first, second, w)
	}
	require.NoError(t, kit.ErrorOf(h.Webhooks.Update(ctx, kit.Call(h.Admin),
		webhooks.Update{ID: id, Change: webhook.Change{Description: new("another")}},
		func(w webhooks.Webhook) application.Receipt {
			expect.Equal(t, w.NewSecret.Reveal(), "", "a change shows the secret")
			return kit.Shown(w)
		})))
}

func TestAddressesInTheClearAreTheOperatorsDecision(t *testing.T) {
	for _, plain := range []bool{false, true} {
		h, ctx := kit.New(t, application.Policy{PlainWebhooks: plain}), t.Context()
		id := newWebhook(h, h.Admin, webhookAt("https://a.example/")).ID
		allowed := func(what string, err error) {
			t.Helper()
			if plain {
				require.NoError(t, err)
			} else {
				expect.Error(t, err, webhook.ErrPlain)
			}
			if all, err := h.Webhooks.List(ctx, kit.Call(h.Admin)); err != nil || !plain && (len(all) != 1 || all[0].Plain()) {
				t.Errorf("%s: %+v, %v", what, all, err)
			}
		}
		_, err := h.Webhooks.Create(ctx, kit.Call(h.Admin), webhookAt("http://10.0.0.1/"), kit.Shown)
		allowed("made", err)
		_, err = h.Webhooks.Update(ctx, kit.Call(h.Admin),
			webhooks.Update{ID: id, Change: webhook.Change{URL: new("http://10.0.0.1/")}}, kit.Shown)
		allowed("changed", err)
	}
}
