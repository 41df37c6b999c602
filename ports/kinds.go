package ports

import (
	"resellerd/domain/session"
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
