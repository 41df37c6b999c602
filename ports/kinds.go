package ports

import (
	"resellerd/domain/lease"
	"resellerd/domain/line"
	"resellerd/domain/message"
	"resellerd/ports/record"
)

// Kinds returns every kind of small or seldom written records, declared here or in the file of its feature. A store
// treats them all alike. Archives, copies, audits and rekey follow the declarations.
func Kinds() []*record.Kind { return record.Kinds() }

// Leases is the kind of leases, for work that one process at a time does. A copy begins without leases.
var Leases = record.Declare(record.Declaration[string, lease.Lease]{
	Name: "lease",
	Key:  func(l *lease.Lease) string { return l.Name },
	Fields: func(f *record.Fields, l *lease.Lease) {
		record.Text(f, "name", &l.Name)
		record.Text(f, "holder", &l.Holder)
		record.Int(f, "asked", &l.Requests)
		record.Int(f, "answered", &l.Answered)
	},
})

// Messages is the kind of the messages of accounts to their customers. An account without texts has no record.
var Messages = record.Declare(record.Declaration[int64, message.AccountTexts]{
	Name:    "messages",
	Copied:  true,
	Audited: true,
	Key:     func(m *message.AccountTexts) int64 { return m.Account },
	Fields: func(f *record.Fields, m *message.AccountTexts) {
		record.Int(f, "account", &m.Account)
		record.Text(f, "server", &m.Server)
		record.Text(f, "apps", &m.Apps)
		record.Text(f, "access", &m.Access)
		record.Text(f, "reminder", &m.Reminder)
		record.Text(f, "expired", &m.Expired)
		record.Text(f, "welcome", &m.Welcome)
		record.Text(f, "whatsapp", &m.Whatsapp)
		record.Text(f, "telegram", &m.Telegram)
	},
})

// Reminders is the kind of cursors of expiry reminders, one for each number of days.
var Reminders = record.Declare(record.Declaration[int64, line.ReminderCursor]{
	Name:    "reminder",
	Copied:  true,
	Audited: true,
	Key:     func(r *line.ReminderCursor) int64 { return r.Days },
	Fields: func(f *record.Fields, r *line.ReminderCursor) {
		record.Int(f, "days", &r.Days)
		record.Time(f, "expiry", &r.Expiry)
		record.Int(f, "line", &r.Line)
		record.Time(f, "told", &r.SentUntil)
		record.Int(f, "late", &r.LateLine)
	},
})
