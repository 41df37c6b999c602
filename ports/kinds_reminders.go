package ports

import (
	"resellerd/domain/line"
	"resellerd/ports/record"
)

// Reminders is the kind of how far the owners of lines were told of their expiry.
var Reminders = record.Declare(record.Declaration[int64, line.ReminderCursor]{
	Name:    "reminder",
	Copied:  true,
	Audited: true,
	Key:     func(r *line.ReminderCursor) int64 { return r.Days },
	Fields: func(f *record.Fields, r *line.ReminderCursor) {
		record.Int(f, "days", &r.Days)
		record.Time(f, "expiry", &r.Expiry)
		record.Int(f, "line", &r.Line)
		record.Time(f, "told", &r.Told)
		record.Int(f, "late", &r.Late)
	},
})
