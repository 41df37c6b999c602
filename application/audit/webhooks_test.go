package audit_test

import (
	"context"
	"testing"

	"resellerd/domain/webhook"
	"resellerd/ports"
)

func TestAnAuditHoldsWebhooksAgainstTheirOwnersAndDeliveries(t *testing.T) {
	l := newLedger(t)
	l.store(t)
	check(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		hooks, progress := ports.Webhooks.In(tx.Records), ports.WebhookProgress.In(tx.Records)
		for id := int64(2); id <= 6; id++ {
			if id != 4 {
				check(t, hooks.Insert(ctx, webhook.Webhook{ID: id, Account: 1, Slot: int(id)}))
			}
			if id != 5 {
				check(t, progress.Insert(ctx, webhook.Progress{Webhook: id}))
			}
		}
		check(t, progress.Insert(ctx, webhook.Progress{Webhook: 9}))
		return hooks.Save(ctx, webhook.Webhook{ID: 3, Account: 99, Slot: 3})
	}))
	for range 10 {
		_, err := l.NextID(t.Context(), ports.Webhooks.Sequence())
		check(t, err)
	}
	finds(t, l, "",
		"webhook 3: account 99, whose it is, is missing",
		"webhook_progress 4: there is no such webhook",
		"webhook 5: how far its deliveries are is missing",
		"webhook_progress 9: there is no such webhook",
	)
}
