// Package journal implements the journal: one entry for each command that changed something, appended in the
// transaction of its effect, then numbered 1, 2, 3 ... without a gap, each chained to the one before it.
//
// Free text may have to be deleted one day, and an entry is never changed. So for most fields an entry says only that
// the field changed. It never has a secret or its hash.
package journal

import (
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
)

// Entry is what happened. It is never changed.
type Entry struct {
	Type Type
	At   time.Time // UTC, to the millisecond
	// Account is whom it concerns: the owner of a line, or the reseller that was changed or credited. The zero value is
	// no account.
	Account  reseller.Position
	Line     int64 // 0: none
	Actor    Actor
	Request  string    // request id, "" if there was none
	Movement *Movement // of credits, if any moved
	Changes  []Change  // in the order of the fields' names
	Reason   string    // "" if none was given
	Version  int64     // of the line or else of the reseller, once this had happened; 0: of neither
	Data     []Datum   // particular to the type, in the order of their names
}

// Actor is who did it.
type Actor struct {
	Account int64 // for which it acted, 0: none
	Kind    ActorKind
	// Principal is the id of the key, or of the member of the staff, that acted, 0 unless Kind says so.
	Principal int64
	Name      string // by which it signs in, or what a key is called; "" if it has none
	Address   string // of the client, "" if it is not known
}

// Movement is a movement of credits as an entry names it. The ledger has it whole.
type Movement struct {
	ID             int64
	Operation      credit.Operation
	Amount         credit.Amount
	Source, Target credit.Party
	Balances       []Balance // right after, of each reseller that it concerns: one or two
}

// Balance is the balance of a reseller.
type Balance struct {
	Reseller int64
	Credits  credit.Amount
}

// MovementOf names a movement.
func MovementOf(m credit.Movement) *Movement {
	named := &Movement{ID: m.ID, Operation: m.Operation, Amount: m.Amount, Source: m.Source, Target: m.Target}
	for _, p := range m.Postings {
		named.Balances = append(named.Balances, Balance{p.Reseller, p.Balance})
	}
	return named
}

// Matches reports whether it names this movement, with all that it says of it.
func (m *Movement) Matches(of credit.Movement) bool {
	same := m.ID == of.ID && m.Operation == of.Operation && m.Amount.Cmp(of.Amount) == 0 &&
		m.Source == of.Source && m.Target == of.Target && len(m.Balances) == len(of.Postings)
	for i := 0; same && i < len(m.Balances); i++ {
		b, p := m.Balances[i], of.Postings[i]
		same = b.Reseller == p.Reseller && b.Credits.Cmp(p.Balance) == 0
	}
	return same
}

// Change is that a field changed. Shown ones have the value before and the one after; of all others an entry only says
// that they changed.
type Change struct {
	Field         string // as the interface names it
	Shown         bool
	Before, After Value
}

// Datum is a member of what is particular to a type.
type Datum struct {
	Name  string
	Value Value
}

// Datum returns what an entry has under a name, as Value.Any does, nil for nothing.
func (e *Entry) Datum(name string) any {
	for _, d := range e.Data {
		if d.Name == name {
			return d.Value.Any()
		}
	}
	return nil
}

// Changed reports whether an entry says that a field changed.
func (e *Entry) Changed(field string) bool {
	return slices.ContainsFunc(e.Changes, func(c Change) bool { return c.Field == field })
}

// Concerns reports whether an entry concerns a reseller: as its account, or as a side of its movement.
func (e *Entry) Concerns(id int64) bool {
	if e.Account.ID == id {
		return true
	}
	return e.Movement != nil && (e.Movement.Source == credit.Reseller(id) || e.Movement.Target == credit.Reseller(id))
}

// SeenBy returns the entry as a reseller may see it, or fault.ErrNotFound if it may not: it sees the entry's account,
// or is a side of its movement; an admin sees everything, also what concerns no account. Of those above it a reseller
// sees neither balances nor by whom, by which name, from where and in which request they acted.
func (e Entry) SeenBy(by *reseller.Reseller) (Entry, error) {
	if by.VisibleRoot() == 0 {
		return e, nil
	}
	if e.Account.ID == 0 || !e.Concerns(by.ID()) && by.Sees(e.Account) != nil {
		return Entry{}, fault.ErrNotFound
	}
	inSight := by.VisiblePath(e.Account)
	if e.Actor.Account != 0 && !slices.Contains(inSight, e.Actor.Account) {
		e.Actor.Principal, e.Actor.Name, e.Actor.Address, e.Request = 0, "", "", ""
	}
	if e.Movement != nil {
		shown := *e.Movement
		shown.Balances = slices.DeleteFunc(slices.Clone(shown.Balances), func(b Balance) bool {
			return !slices.Contains(inSight, b.Reseller)
		})
		e.Movement = &shown
	}
	return e, nil
}
