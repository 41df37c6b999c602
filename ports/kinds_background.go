package ports

import (
	"resellerd/domain/lease"
	"resellerd/ports/record"
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
