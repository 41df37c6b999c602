package ports

import (
	"time"

	"resellerd/domain/lease"
	"resellerd/domain/session"
	"resellerd/domain/webhook"
	"resellerd/ports/record"
)

// Kinds returns every kind of records, declared below: what is small or seldom written. A store keeps them all alike,
// and archives, copies, audits and rekey follow what is declared.
func Kinds() []*record.Kind { return record.Kinds() }

// Sessions is the kind of browser sessions. Neither a copy nor a restored backup has any.
var Sessions = record.Declare(record.Declaration[session.ID, session.Session]{
	Name:    "session",
	Audited: true,
	Key:     func(s *session.Session) session.ID { return s.ID },
	Fields: func(f *record.Fields, s *session.Session) {
		record.Text(f, "id", &s.ID)
		record.Int(f, "account", &s.Reseller)
		record.Array(f, "password", s.Password[:]) // mark of the password that it began with
		record.Text(f, "device", &s.Device)
		record.Text(f, "address", &s.Address)
		record.Time(f, "created_at", &s.Created)
		record.Time(f, "used_at", &s.Used)
	},
})

// The indexes of sessions.
var (
	SessionsByReseller = Sessions.Index("account", func(s *session.Session) record.Tuple { return record.Tuple{s.Reseller, s.Created} })
	SessionsByEnd      = Sessions.Index("end", func(s *session.Session) record.Tuple { return record.Tuple{s.ExpiresAt()} })
)

// Leases is the kind of leases: which process does what only one may do at a time. A copy begins without any.
var Leases = record.Declare(record.Declaration[string, lease.Lease]{
	Name: "lease",
	Key:  func(l *lease.Lease) string { return l.Name },
	Fields: func(f *record.Fields, l *lease.Lease) {
		record.Text(f, "name", &l.Name)
		record.Text(f, "holder", &l.Holder)
		record.Int(f, "asked", &l.Asked)
		record.Int(f, "answered", &l.Answered)
	},
})

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
	WebhooksByAccount = Webhooks.Unique("account", webhook.ErrSlotTaken, func(w *webhook.Webhook) record.Tuple { return record.Tuple{w.Account, int64(w.Slot)} })
	WebhooksByID      = Webhooks.Index("id", func(w *webhook.Webhook) record.Tuple { return record.Tuple{w.ID} })
)

// WebhookProgress is the kind of how far deliveries are. It is apart from Webhooks, which people change.
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
		record.Time(f, "test_asked", &p.TestAsked)
		record.Int(f, "asked", &p.Asked)
		record.Int(f, "heeded", &p.Heeded)
	},
})

// WebhooksAsked has the progress of webhooks that what delivers has to look at, though no entry of the journal says so.
var WebhooksAsked = WebhookProgress.Index("asked", func(p *webhook.Progress) record.Tuple {
	if p.Asked == p.Heeded {
		return nil
	}
	return record.Tuple{p.Webhook}
})

// Reminder is how far the owners of lines were told, so many days before their expiry: up to a line in the order of
// expiry.
type Reminder struct {
	Days   int64 // 0: that they have expired
	Expiry time.Time
	Line   int64
	Told   time.Time // lines that expire until then may have been told of by a clock that was ahead, the zero value: none
}

// Reminders is the kind of how far the owners of lines were told of their expiry.
var Reminders = record.Declare(record.Declaration[int64, Reminder]{
	Name:    "reminder",
	Copied:  true,
	Audited: true,
	Key:     func(r *Reminder) int64 { return r.Days },
	Fields: func(f *record.Fields, r *Reminder) {
		record.Int(f, "days", &r.Days)
		record.Time(f, "expiry", &r.Expiry)
		record.Int(f, "line", &r.Line)
		record.Time(f, "told", &r.Told)
	},
})
