package access

import (
	"context"
	"maps"
	"slices"
	"time"

	"resellerd/application/internal/auditing"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
)

// auditor has the facts about principals from other records and the journal. They are collected before these are
// audited.
type auditor struct {
	auditing.Audit

	staff map[int64]*member
	spent map[int64]spent
}

// member is a member of the staff, or a principal whose record is damaged.
type member struct {
	account int64
	name    string // as names are compared
	removed bool
	damaged bool // its name and owner are not known
	claimed bool
}

// spent is the spending of a principal on a day by its record, minus the spending by entries of that day and of the day
// before: the clock of another process may have begun the day.
type spent struct {
	day   time.Time
	units int64
}

// Audit audits API keys and staff, the claims of names, second factors, and sessions.
func Audit(in auditing.Audit) auditing.Checks {
	a := &auditor{Audit: in, staff: map[int64]*member{}, spent: map[int64]spent{}}
	return auditing.Checks{
		Before: a.gather,
		Entry:  a.spends,
		Kinds: map[*record.Kind]auditing.Check{
			ports.Principals.Kind: auditing.Of(func(p *principal.Principal) int64 { return p.Account }, a.principal, nil),

			ports.NameClaims.Kind:    auditing.Of(claimant, a.claim, nil),
			ports.SecondFactors.Kind: auditing.Of(holder, a.factor, nil),
			ports.Sessions.Kind:      auditing.Of(nil, a.session, nil),
		},
		After: a.unclaimed,
	}
}

// gather finds all principals, and the spending of each.
func (a *auditor) gather(ctx context.Context) error {
	of := ports.Principals.Kind
	for after := ""; ; {
		page, err := a.Page(ctx, of, after)
		if err != nil || len(page) == 0 || page[0].Key <= after { // reported where the kind is audited
			return err
		}
		after = page[len(page)-1].Key
		for _, f := range page {
			v, err := any(nil), f.Damage
			if err == nil {
				v, err = of.Read(f.Payload)
			}
			if err != nil {
				a.staff[of.ID(f.Key)] = &member{damaged: true}
				continue
			}
			p := v.(*principal.Principal) //nolint:forcetypeassert // the kind has no others
			if p.Kind == principal.Staff {
				a.staff[p.ID] = &member{account: p.Account, name: p.Folded, removed: !p.Revoked.IsZero()}
			}
			if p.Spent > 0 {
				a.spent[p.ID] = spent{p.Day, int64(p.Spent)}
			}
		}
	}
}

// spends subtracts the spending by an entry.
func (a *auditor) spends(n journal.Numbered) {
	of, is := a.spent[n.Actor.Principal]
	day := journal.DayOf(n.At)
	counts := day.Equal(of.day) || day.AddDate(0, 0, 1).Equal(of.day)
	if is && n.Movement != nil && n.Movement.Operation != credit.Reclaim && counts {
		of.units -= n.Movement.Amount.Units()
		a.spent[n.Actor.Principal] = of
	}
}

// principal checks an API key, or a member of the staff. Its scopes and its limit may have changed since it has spent.
// So spending over the limit is no finding, but spending that the journal does not have is one.
func (a *auditor) principal(name string, p *principal.Principal) {
	if p.Kind != principal.Key && p.Kind != principal.Staff {
		a.Find("%s: its kind is unknown", name)
	}
	if _, err := principal.ParseRole(string(p.Role)); err != nil && p.Role != "" {
		a.Find("%s: its role is unknown", name)
	}
	if p.Role != "" && len(p.GivenScopes) > 0 {
		a.Find("%s: it has a role and scopes", name)
	}
	if len(p.GivenScopes) != len(principal.SortScopes(p.GivenScopes)) {
		a.Find("%s: its scopes are not each one of the set, once", name)
	}
	if p.Limit < 0 || p.Spent < 0 || !p.Day.Equal(journal.DayOf(p.Day)) {
		a.Find("%s: its limit, or its spending and day, are impossible", name)
	}
	if _, sound := a.Journal(); sound && a.spent[p.ID].units > 0 {
		a.Find("%s: it has spent more on its day than the journal records", name)
	}
}

// claimant returns the account that has claimed a name.
func claimant(c *profile.NameClaim) int64 {
	if c.Staff {
		return 0
	}
	return c.ID
}

// claim checks that the owner of a claim has the claimed name.
func (a *auditor) claim(name string, c *profile.NameClaim) {
	if !c.Staff {
		if r, is := a.Account(c.ID); is == auditing.There && r.State().Username.Key() != c.Folded {
			a.Find("%s: its owner, account %d, has another name", name, c.ID)
		}
		return
	}
	m := a.staff[c.ID]
	if m == nil || !m.damaged && (m.removed || m.name != c.Folded) {
		a.Find("%s: its owner, member %d of the staff, is missing, or has another name", name, c.ID)
	}
	if m != nil {
		m.claimed = true
	}
}

// unclaimed finds members of the staff whose names are not claimed.
func (a *auditor) unclaimed() {
	for _, id := range slices.Sorted(maps.Keys(a.staff)) {
		if m := a.staff[id]; !m.removed && !m.damaged && !m.claimed {
			a.Find("principal %d: no claim has its name", id)
		}
	}
}

// holder returns the account to which a second factor belongs.
func holder(f *secondfactor.Factor) int64 {
	if id, staff, known := f.Owner(); known && !staff {
		return id
	}
	return 0
}

// factor checks a second factor. Only with the service key it is known whether its secret can be opened: rekey reports
// a secret that can't.
func (a *auditor) factor(name string, f *secondfactor.Factor) {
	if id, staff, known := f.Owner(); !known || staff && a.staff[id] == nil {
		a.Find("%s: its owner is missing", name)
	}
	if len(f.Secret) == 0 && len(f.Pending) == 0 {
		a.Find("%s: it has no secret", name)
	}
	if len(f.Recovery) > secondfactor.RecoveryCodes {
		a.Find("%s: it has too many recovery codes", name)
	}
}

// session checks that the member of the staff who began a session exists.
func (a *auditor) session(name string, s *session.Session) {
	if s.Staff == 0 {
		return
	}
	if m := a.staff[s.Staff]; m == nil || !m.damaged && m.account != s.Reseller {
		a.Find("%s: member %d of the staff of account %d, who began it, is missing", name, s.Staff, s.Reseller)
	}
}
