package audit

import (
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"resellerd/domain/bulk"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/message"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/ports"
)

// people is what other records and the journal say of principals: it is gathered before these are audited.
type people struct {
	staff   map[int64]member
	spent   map[int64]spent
	claimed numbers // members of the staff whose names are claimed
}

// member is a member of the staff, or a principal whose record is damaged.
type member struct {
	account int64
	name    uint64 // digest of the name, as names are compared
	removed bool
	damaged bool // which is reported where the kind is audited: it may be anybody
}

// spent is what a principal has spent on a day, less what the journal tells of it, and of the day before: the clock of
// another process may have begun the day.
type spent struct {
	day   time.Time
	units int64
}

// principals gathers who there is, and what each has spent.
func (a *auditor) principals(ctx context.Context) error {
	a.people = people{staff: map[int64]member{}, spent: map[int64]spent{}, claimed: numbers{}}
	of := ports.Principals.Kind
	for after := ""; ; {
		page, err := a.stored.OfKind(ctx, of, after, pageSize)
		a.saw(len(page))
		if err != nil || len(page) == 0 || page[0].Key <= after { // which is found where the kind is audited
			return err
		}
		after = page[len(page)-1].Key
		for _, f := range page {
			v, err := any(nil), f.Damage
			if err == nil {
				v, err = of.Read(f.Payload)
			}
			if err != nil {
				a.people.staff[of.ID(f.Key)] = member{damaged: true}
				continue
			}
			p := v.(*principal.Principal) //nolint:forcetypeassert // the kind has no others
			if p.Kind == principal.Staff {
				a.people.staff[p.ID] = member{account: p.Account, name: maphash.String(a.seed, p.Folded),
					removed: !p.Revoked.IsZero()}
			}
			if p.Spent > 0 {
				a.people.spent[p.ID] = spent{p.Day, int64(p.Spent)}
			}
		}
	}
}

// spends takes what an entry tells of what a principal has spent.
func (a *auditor) spends(n journal.Numbered) {
	of, is := a.people.spent[n.Actor.Principal]
	day := journal.DayOf(n.At)
	counts := day.Equal(of.day) || day.AddDate(0, 0, 1).Equal(of.day)
	if is && n.Movement != nil && n.Movement.Operation != credit.Reclaim && counts {
		of.units -= n.Movement.Amount.Units()
		a.people.spent[n.Actor.Principal] = of
	}
}

// accountOf returns the account that a record of a kind is to have, 0 if it is to have none.
func accountOf(v any) int64 {
	switch v := v.(type) {
	case *principal.Principal:
		return v.Account
	case *bulk.Job:
		return v.By.Account
	case *message.Own:
		return v.Account
	case *profile.NameClaim:
		if !v.Staff {
			return v.ID
		}
	case *secondfactor.Factor:
		if id, staff, known := v.Owner(); known && !staff {
			return id
		}
	}
	return 0
}

// principal checks a key, or a member of the staff. The set of what it may, and its limit, may have been changed since
// it has spent: more than the limit is no finding, but more than the journal tells.
func (a *auditor) principal(name string, p *principal.Principal) {
	if _, is := a.resellers.get(p.Account); is == missing {
		a.find("%s: account %d, whose it is, is missing", name, p.Account)
	}
	if p.Kind != principal.Key && p.Kind != principal.Staff {
		a.find("%s: its kind is none", name)
	}
	if _, err := principal.ParseRole(string(p.Role)); err != nil && p.Role != "" {
		a.find("%s: its role is none", name)
	}
	if p.Role != "" && len(p.Given) > 0 {
		a.find("%s: it has a role, and scopes besides", name)
	}
	if len(p.Given) != len(principal.InOrder(p.Given)) {
		a.find("%s: its scopes are not each one of the set, once", name)
	}
	if p.Limit < 0 || p.Spent < 0 || !p.Day.Equal(journal.DayOf(p.Day)) {
		a.find("%s: its limit, or what it has spent on which day, can't be", name)
	}
	if a.people.spent[p.ID].units > 0 && !a.history.findings { // what a damaged journal tells says nothing
		a.find("%s: it has spent more on its day than the journal tells", name)
	}
}

// claim checks that who has claimed a name has it.
func (a *auditor) claim(name string, c *profile.NameClaim) {
	if !c.Staff {
		r, is := a.resellers.get(c.ID)
		if is == missing || is == there && r.State().Username.Key() != c.Folded {
			a.find("%s: account %d, whose it is, is missing, or has another name", name, c.ID)
		}
		return
	}
	m, is := a.people.staff[c.ID]
	if !m.damaged && (!is || m.removed || m.name != maphash.String(a.seed, c.Folded)) {
		a.find("%s: member %d of the staff, whose it is, is missing, or has another name", name, c.ID)
	}
	a.people.claimed.add(c.ID)
}

// unclaimed checks that the name of each member of the staff is claimed.
func (a *auditor) unclaimed(context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(a.people.staff)) {
		if m := a.people.staff[id]; !m.removed && !m.damaged && !a.people.claimed.has(id) {
			a.find("principal %d: its name is claimed by nobody", id)
		}
	}
	return nil
}

// factor checks that a second factor is somebody's. Whether its secret opens shows with the service key alone: rekey
// reports one that does not.
func (a *auditor) factor(name string, f *secondfactor.Factor) {
	id, staff, known := f.Owner()
	is := missing
	if known && staff {
		if _, found := a.people.staff[id]; found {
			is = there
		}
	} else if known {
		_, is = a.resellers.get(id)
	}
	if is == missing {
		a.find("%s: its owner is missing", name)
	}
	if len(f.Secret) == 0 && len(f.Pending) == 0 {
		a.find("%s: it has no secret", name)
	}
	if len(f.Recovery) > secondfactor.RecoveryCodes {
		a.find("%s: it has too many recovery codes", name)
	}
}

// session checks that the member of the staff who began a session is there.
func (a *auditor) session(name string, s *session.Session) {
	if s.Staff == 0 {
		return
	}
	m, is := a.people.staff[s.Staff]
	if !m.damaged && (!is || m.account != s.Reseller) {
		a.find("%s: member %d of the staff of account %d, who began it, is missing", name, s.Staff, s.Reseller)
	}
}
