package fields

import (
	"cmp"
	"slices"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// Reseller lists the fields of a reseller.
var Reseller = listed("account", []Field[reseller.State]{
	{Name: "id", At: func(s *reseller.State) any { return &s.ID }, Least: 1, Changes: Never},
	{Name: "path", At: func(s *reseller.State) any { return &s.Position }, Changes: Never},
	{Name: "parent", At: func(s *reseller.State) any { return new(s.Parent()) }, OfDocument: true},
	{Name: "role", At: func(s *reseller.State) any { return &s.Role }, Changes: Seldom},
	{Name: "username", At: func(s *reseller.State) any { return &s.Username }, Changes: Seldom},
	{Name: "password_hash", At: func(s *reseller.State) any { return &s.PasswordHash }, Changes: Seldom},
	{Name: "token", At: func(s *reseller.State) any { return &s.Token }, Changes: Seldom},
	{Name: "contact.country", Column: "country", At: func(s *reseller.State) any { return &s.Contact.Country },
		Changes: Seldom},
	{Name: "contact.whatsapp", Column: "whatsapp", At: func(s *reseller.State) any { return &s.Contact.Whatsapp },
		Changes: Seldom},
	{Name: "contact.telegram", Column: "telegram", At: func(s *reseller.State) any { return &s.Contact.Telegram },
		Changes: Seldom},
	{Name: "contact.email", Column: "email", At: func(s *reseller.State) any { return &s.Contact.Email }, Changes: Seldom},
	{Name: "contact.notes", Column: "notes", At: func(s *reseller.State) any { return &s.Contact.Notes }, Changes: Seldom},
	{Name: "language", At: func(s *reseller.State) any { return &s.Language }, Changes: Seldom},
	{Name: "credits", At: func(s *reseller.State) any { return &s.Credits }, Most: credit.MaxBalance()},
	{Name: "ledger.seq", At: func(s *reseller.State) any { return &s.Tip.Seq }},
	{Name: "ledger.link", At: func(s *reseller.State) any { return &s.Tip.Hash }},
	{Name: "recharged_at", At: func(s *reseller.State) any { return &s.RechargedAt }},
	{Name: "blocked", At: func(s *reseller.State) any { return &s.Blocked }, Changes: Seldom},
	{Name: "trials", At: func(s *reseller.State) any { return &s.Trials }},
	{Name: "created_at", At: func(s *reseller.State) any { return &s.CreatedAt }, Changes: Seldom},
	{Name: "updated_at", At: func(s *reseller.State) any { return &s.UpdatedAt }},
	{Name: "revision", At: func(s *reseller.State) any { return &s.Version }, Optional: true, OwnColumn: true},
	{Name: "alert_below", At: func(s *reseller.State) any { return &s.Alert.Below }, Least: 1, Most: credit.MaxBalance(),
		Optional: true},
	{Name: "alert_told", At: func(s *reseller.State) any { return &s.Alert.Sent }, Optional: true},
	{Name: "block_suspends", At: func(s *reseller.State) any { return &s.Block.Suspends }, Optional: true, OwnColumn: true,
		Changes: Seldom},
	{Name: "block_reason", At: func(s *reseller.State) any { return &s.Block.Reason }, Optional: true},
	{Name: "blocked_at", At: func(s *reseller.State) any { return &s.Block.At }, Optional: true},
})

// Line lists the fields of a line.
var Line = listed("line", slices.Concat([]Field[line.State]{
	{Name: "id", At: func(s *line.State) any { return &s.ID }, Least: 1, Changes: Never},
	{Name: "owner", At: func(s *line.State) any { return &s.Owner.ID }, Least: 1, Changes: Never},
	{Name: "path", At: func(s *line.State) any { return &s.Owner }, Changes: Never},
	{Name: "username", At: func(s *line.State) any { return &s.Username }, Changes: Seldom},
	{Name: "password", At: func(s *line.State) any { return &s.Password }},
	{Name: "trial", At: func(s *line.State) any { return &s.Trial }},
	{Name: "expires_at", At: func(s *line.State) any { return &s.ExpiresAt }},
	{Name: "country", At: func(s *line.State) any { return &s.Country }},
	{Name: "whatsapp", At: func(s *line.State) any { return &s.Whatsapp }},
	{Name: "notes", At: func(s *line.State) any { return &s.Notes }},
	{Name: "platform_id", At: func(s *line.State) any { return &s.PlatformID }, Least: 1, Nullable: true},
	{Name: "charge", At: func(s *line.State) any { return &s.Charge }, Least: 1, Nullable: true},
	{Name: "edited", At: func(s *line.State) any { return &s.Edited }},
	{Name: "created_at", At: func(s *line.State) any { return &s.CreatedAt }, Changes: Never},
	{Name: "updated_at", At: func(s *line.State) any { return &s.UpdatedAt }},
}, optionalTexts("country", "whatsapp", "notes", "external_id"), []Field[line.State]{
	{Name: "external_id", At: func(s *line.State) any { return &s.ExternalID }, Optional: true, OwnColumn: true,
		Changes: Seldom},
	{Name: "metadata", At: func(s *line.State) any { return &s.Metadata }, Optional: true},
	{Name: "revision", At: func(s *line.State) any { return &s.Version }, Optional: true, OwnColumn: true},
	{Name: "suspended", At: func(s *line.State) any { return &s.Suspended }, Optional: true, OwnColumn: true,
		Changes: Seldom},
	{Name: "suspension_reason", At: func(s *line.State) any { return &s.Reason }, Optional: true},
	{Name: "origin", At: func(s *line.State) any { return &s.Origin }, Optional: true, OwnColumn: true, Changes: Never},
	{Name: "reimport", At: func(s *line.State) any { return &s.Reimport }, Least: 2, Optional: true},
	{Name: "plan", At: func(s *line.State) any { return &s.Plan }, Least: 1, Optional: true, OwnColumn: true},
	{Name: "connections", At: func(s *line.State) any { return &s.Connections }, Least: 1, Optional: true,
		OwnColumn: true},
	{Name: "packages", At: func(s *line.State) any { return &s.Packages }, Optional: true},
	{Name: "month_day", At: func(s *line.State) any { return &s.MonthDay }, Least: 29, Optional: true},
}))

// optionalTexts lists the texts of a line, except those that have a row of their own.
func optionalTexts(besides ...string) (all []Field[line.State]) {
	for i, m := range new(line.State).Texts() {
		if !slices.Contains(besides, m.Name) {
			all = append(all, Field[line.State]{Name: m.Name, Optional: true,
				At: func(s *line.State) any { return s.Texts()[i].At }})
		}
	}
	return all
}

// Tombstone lists the fields of a tombstone, which replaces a deleted line.
var Tombstone = listed("tombstone", []Field[line.Tombstone]{
	{Name: "line", At: func(t *line.Tombstone) any { return &t.Line }, Least: 1, Changes: Never},
	{Name: "charge", At: func(t *line.Tombstone) any { return &t.Charge }, Least: 1, Nullable: true},
	{Name: "actor", At: func(t *line.Tombstone) any { return &t.Actor }, Least: 1},
	{Name: "at", At: func(t *line.Tombstone) any { return &t.At }},
})

// Moved is a movement as a store records it: each posting is beside its party.
type Moved struct {
	credit.Movement
	Source, Target storekit.Side
}

// Movement lists the fields of a movement. None is optional: the hash of its chain, which the domain makes, protects
// it.
var Movement = listed("movement", []Field[Moved]{
	{Name: "id", At: func(m *Moved) any { return &m.ID }, Least: 1, Changes: Never},
	// From the first posting: an index over account then clusters the documents of one account.
	{Name: "account", At: func(m *Moved) any {
		return new(cmp.Or(m.Source.Posting.Reseller, m.Target.Posting.Reseller))
	}, Least: 1, OfDocument: true},
	{Name: "operation", At: func(m *Moved) any { return &m.Operation }},
	{Name: "source", At: func(m *Moved) any { return &m.Source }},
	{Name: "target", At: func(m *Moved) any { return &m.Target }},
	{Name: "amount", At: func(m *Moved) any { return &m.Amount }, Least: 1, Most: credit.MaxMovement()},
	{Name: "line", At: func(m *Moved) any { return &m.Line }, Least: 1, Nullable: true},
	{Name: "actor", At: func(m *Moved) any { return &m.Actor }, Least: 1},
	{Name: "actor_name", At: func(m *Moved) any { return &m.ActorName }},
	{Name: "request", At: func(m *Moved) any { return &m.Request }},
	{Name: "notes", At: func(m *Moved) any { return &m.Notes }},
	{Name: "at", At: func(m *Moved) any { return &m.At }},
})

// Part splits a movement into its sides. It refuses a movement that Join would not restore.
func Part(m credit.Movement) (moved Moved, err error) {
	moved.Movement = m
	moved.Source, moved.Target, err = storekit.Sides(m)
	return moved, err
}

// Join returns the movement with these sides. It refuses a movement that no chain accepts.
func (m *Moved) Join() (credit.Movement, error) {
	joined := m.Movement
	err := storekit.JoinSides(&joined, m.Source, m.Target)
	if err == nil {
		_, err = joined.Chain() // adds nothing
	}
	if err != nil {
		return credit.Movement{}, err
	}
	return joined, nil
}
