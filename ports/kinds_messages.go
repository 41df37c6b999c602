package ports

import (
	"resellerd/domain/message"
	"resellerd/ports/record"
)

// Messages is the kind of what accounts tell their customers. An account that has nothing of its own has no record.
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
