package ports

import (
	"resellerd/domain/webhook"
	"resellerd/ports/record"
)

// Webhooks is the kind of webhooks.
var Webhooks = record.Declare(record.Declaration[int64, webhook.Webhook]{
	Name:     "webhook",
	Sequence: "webhooks",
	Copied:   true,
	Audited:  true,
	Key:      func(w *webhook.Webhook) int64 { return w.ID },
	Fields: func(f *record.Fields, w *webhook.Webhook) {
		record.Int(f, "id", &w.ID)
		record.Int(f, "account", &w.Account)
		record.Int(f, "slot", &w.Slot)
		record.Text(f, "url", &w.URL)
		record.Texts(f, "types", &w.Types)
		record.Text(f, "scope", &w.Scope)
		record.Text(f, "description", &w.Description)
		record.Bool(f, "enabled", &w.Enabled)
		record.Text(f, "disabled_reason", &w.Disabled)
		record.Time(f, "created_at", &w.Created)
		record.Bytes(f, "secret", &w.Secret, record.Secret)
		record.Bytes(f, "previous", &w.Previous, record.Secret)
		record.Time(f, "previous_until", &w.PreviousUntil)
	},
})

// The indexes of webhooks.
var (
	WebhooksByAccount = Webhooks.Unique("account", webhook.ErrSlotTaken, func(w *webhook.Webhook) record.Tuple {
		return record.Tuple{w.Account, int64(w.Slot)}
	})
	WebhooksByID = Webhooks.Index("id", func(w *webhook.Webhook) record.Tuple { return record.Tuple{w.ID} })
)

// WebhookProgress is the kind of the progress of deliveries. It is apart from Webhooks, which people change.
var WebhookProgress = record.Declare(record.Declaration[int64, webhook.Progress]{
	Name:    "webhook_progress",
	Copied:  true,
	Audited: true,
	Key:     func(p *webhook.Progress) int64 { return p.Webhook },
	Fields: func(f *record.Fields, p *webhook.Progress) {
		record.Int(f, "webhook", &p.Webhook)
		record.Int(f, "cursor", &p.Cursor)
		record.Objects(f, "waiting", &p.Waiting, func(f *record.Fields, w *webhook.Waiting) {
			record.Int(f, "seq", &w.Seq)
			record.Int(f, "attempts", &w.Attempts)
			record.Time(f, "began", &w.Began)
			record.Time(f, "due", &w.Due)
		})
		record.Objects(f, "attempts", &p.Attempts, func(f *record.Fields, a *webhook.Attempt) {
			record.Text(f, "event", &a.Event)
			record.Int(f, "number", &a.Number)
			record.Int(f, "status", &a.Status)
			record.Int(f, "took", &a.Took)
			record.Text(f, "failure", &a.Failure)
			record.Time(f, "at", &a.At)
			record.Time(f, "next", &a.Next)
		})
		record.Time(f, "succeeded", &p.Succeeded)
		record.Int(f, "tests", &p.Tests)
		record.Time(f, "test_asked", &p.TestRequested)
		record.Int(f, "asked", &p.Requests)
		record.Int(f, "heeded", &p.RequestsHandled)
		record.Objects(f, "details", &p.Details, func(f *record.Fields, d *webhook.Detail) {
			record.Text(f, "event", &d.Event)
			record.Int(f, "number", &d.Number)
			record.Time(f, "at", &d.At)
			record.Text(f, "cause", &d.Cause)
			record.Text(f, "excerpt", &d.Excerpt)
		})
	},
})

// WebhooksWithRequests indexes the progress of webhooks with a pending request, such as a test or a replay.
var WebhooksWithRequests = WebhookProgress.Index("asked", func(p *webhook.Progress) record.Tuple {
	if p.Requests == p.RequestsHandled {
		return nil
	}
	return record.Tuple{p.Webhook}
})
