package audit_test

import (
	"context"
	"testing"

	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/require"
)

func TestAnAuditHoldsWebhooksAgainstTheirOwnersAndDeliveries(t *testing.T) {
	l := newLedger(t)
	l.store(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		hooks, progress := ports.Webhooks.In(tx.Records), ports.WebhookProgress.In(tx.Records)
		for id := int64(2); id <= 6; id++ {
			if id != 4 {
				require.NoError(t, hooks.Insert(ctx, webhook.Webhook{ID: id, Account: 1, Slot: int(id)}))
			}
			if id != 5 {
				require.NoError(t, progress.Insert(ctx, webhook.Progress{Webhook: id}))
			}
		}
		require.NoError(t, progress.Insert(ctx, webhook.Progress{Webhook: 9}))
		return hooks.Save(ctx, webhook.Webhook{ID: 3, Account: 99, Slot: 3})
	}))
	for range 10 {
		require.NoError(t, errorOf(l.NextID(t.Context(), ports.Webhooks.Sequence())))
	}
	finds(t, l, "",
		"webhook 3: account 99, whose it is, is missing",
		"webhook_progress 4: there is no such webhook",
		"webhook_progress 9: there is no such webhook",
		"webhook 5: how far its deliveries are is missing",
	)
}
