package webhooks

import (
	"maps"
	"slices"

	"resellerd/application/internal/auditing"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Audit audits webhooks, and the progress of their deliveries, one record for each webhook.
func Audit(a auditing.Audit) auditing.Checks {
	made, told := map[int64]bool{}, map[int64]bool{}
	there := func(ids map[int64]bool) func(int64) { return func(id int64) { ids[id] = true } }
	webhooks := func(_ string, w *webhook.Webhook) { made[w.ID] = true }
	// A webhook whose cursor is ahead of the journal would miss the next entries.
	progress := func(name string, p *webhook.Progress) {
		told[p.Webhook] = true
		if last, _ := a.Journal(); p.Cursor > last {
			a.Find("%s: it is at entry %d, and the journal ends with entry %d", name, p.Cursor, last)
		}
	}
	compare := func() {
		if made[0] || told[0] {
			return // some record can't be read
		}
		for _, id := range slices.Sorted(maps.Keys(told)) {
			if !made[id] {
				a.Find("webhook_progress %d: its webhook is missing", id)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(made)) {
			if !told[id] {
				a.Find("webhook %d: the progress of its deliveries is missing", id)
			}
		}
	}
	return auditing.Checks{
		Kinds: map[*record.Kind]auditing.Check{
			ports.Webhooks.Kind: auditing.Of(func(w *webhook.Webhook) int64 { return w.Account }, webhooks, there(made)),

			ports.WebhookProgress.Kind: auditing.Of(nil, progress, there(told)),
		},
		After: compare,
	}
}
