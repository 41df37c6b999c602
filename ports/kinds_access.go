package ports

import (
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/ports/record"
)

// Sessions is the kind of browser sessions. Neither a copy nor a restored backup has them.
var Sessions = record.Declare(record.Declaration[session.ID, session.Session]{
	Name:    "session",
	Audited: true,
	Key:     func(s *session.Session) session.ID { return s.ID },
	Fields: func(f *record.Fields, s *session.Session) {
		record.Text(f, "id", &s.ID)
		record.Int(f, "account", &s.Reseller)
		record.Array(f, "password", s.Password[:]) // mark of the password of the sign-in
		record.Text(f, "device", &s.Device)
		record.Text(f, "address", &s.Address)
		record.Time(f, "created_at", &s.Created)
		record.Time(f, "used_at", &s.Used)
		record.Int(f, "staff", &s.Staff)
	},
})

// The indexes of sessions.
var (
	SessionsByHolder = Sessions.Index("account", func(s *session.Session) record.Tuple {
		return record.Tuple{int64(s.Holder()), s.Created}
	})
	SessionsByEnd = Sessions.Index("end", func(s *session.Session) record.Tuple { return record.Tuple{s.ExpiresAt()} })
)

// Principals is the kind of API keys and staff.
var Principals = record.Declare(record.Declaration[int64, principal.Principal]{
	Name:     "principal",
	Sequence: "principals",
	Copied:   true,
	Audited:  true,
	Key:      func(p *principal.Principal) int64 { return p.ID },
	Fields: func(f *record.Fields, p *principal.Principal) {
		record.Int(f, "id", &p.ID)
		record.Text(f, "kind", &p.Kind)
		record.Int(f, "account", &p.Account)
		record.Int(f, "slot", &p.Slot)
		record.Text(f, "name", &p.Name)
		record.Text(f, "folded", &p.Folded)
		record.Array(f, "secret", p.Secret[:])
		record.Text(f, "password_hash", &p.PasswordHash)
		record.Text(f, "role", &p.Role)
		record.Texts(f, "scopes", &p.GivenScopes)
		record.Objects(f, "networks", &p.Networks, func(f *record.Fields, n *principal.Network) {
			record.Array(f, "address", n.Address[:])
			record.Int(f, "bits", &n.Bits)
		})
		record.Time(f, "expires_at", &p.Expires)
		record.Int(f, "limit", &p.Limit)
		record.Int(f, "spent", &p.Spent)
		record.Time(f, "day", &p.Day)
		record.Time(f, "used_at", &p.Used)
		record.Text(f, "used_from", &p.UsedFrom)
		record.Time(f, "created_at", &p.Created)
		record.Time(f, "revoked_at", &p.Revoked)
	},
})

// The indexes of principals. A revoked one is in neither.
var (
	PrincipalsByAccount = Principals.Unique("account", principal.ErrSlotTaken, func(p *principal.Principal) record.Tuple {
		if !p.Revoked.IsZero() {
			return nil
		}
		return record.Tuple{p.Account, string(p.Kind), int64(p.Slot)}
	})
	StaffByName = Principals.Unique("name", profile.ErrUsernameTaken, func(p *principal.Principal) record.Tuple {
		if p.Kind != principal.Staff || !p.Revoked.IsZero() {
			return nil
		}
		return record.Tuple{p.Folded}
	})
)

// NameClaims is the kind of claims of names.
var NameClaims = record.Declare(record.Declaration[string, profile.NameClaim]{
	Name:    "name_claim",
	Copied:  true,
	Audited: true,
	Key:     func(c *profile.NameClaim) string { return c.Folded },
	Fields: func(f *record.Fields, c *profile.NameClaim) {
		record.Text(f, "name", &c.Folded)
		record.Bool(f, "staff", &c.Staff)
		record.Int(f, "id", &c.ID)
	},
})

// SecondFactors is the kind of second factors.
var SecondFactors = record.Declare(record.Declaration[string, secondfactor.Factor]{
	Name:    "second_factor",
	Copied:  true,
	Audited: true,
	Key:     func(s *secondfactor.Factor) string { return s.Of },
	Fields: func(f *record.Fields, s *secondfactor.Factor) {
		record.Text(f, "of", &s.Of)
		record.Bytes(f, "secret", &s.Secret, record.Secret)
		record.Bytes(f, "pending", &s.Pending, record.Secret)
		record.Int(f, "step", &s.Step)
		record.Texts(f, "recovery", &s.Recovery)
		record.Time(f, "since", &s.Since)
		record.Int(f, "wrong", &s.Wrong)
		record.Time(f, "wrong_by", &s.WrongBy)
		record.Text(f, "under", &s.Under) // mark of a password
		record.Int(f, "before", &s.Before)
		record.Texts(f, "clients", &s.Clients)
	},
})
