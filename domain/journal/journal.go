// Package journal implements the journal: one entry for each command that changed something, appended in the
// transaction of its effect, then numbered 1, 2, 3 ... without a gap, each chained to the one before it.
//
// Free text may have to be deleted one day, and an entry is never changed. So for most fields an entry states only that
// the field changed. It never has a secret or its hash.
package journal

import (
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
)

// Entry is an event of the journal. It is never changed.
type Entry struct {
	Type Type
	At   time.Time // UTC, to the millisecond
	// Account is the owner of a line, or the reseller that was changed or credited. The zero value is no account.
	Account  reseller.Position
	Line     int64 // 0: no line
	Actor    Actor
	Request  string    // request id, "" without a request
	Movement *Movement // of credits, if any moved
	Changes  []Change  // in the order of the fields' names
	Reason   string    // may be ""
	Version  int64     // of the line or else of the reseller, right after the event; 0: neither has one
	Data     []Datum   // particular to the type, in the order of their names
}

// Actor is the account, principal or operator that caused an event.
type Actor struct {
	Account int64 // the account for which it acted, 0: none
	Kind    ActorKind
	// Principal is the id of the API key or the member of the staff that acted, 0 for other kinds.
	Principal int64
	Name      string // of the sign-in, or of the key; may be ""
	Address   string // of the client, "" if it is not known
}

// Movement is the part of a movement of credits that an entry has. The ledger has all of it.
type Movement struct {
	ID             int64
	Operation      credit.Operation
	Amount         credit.Amount
	Source, Target credit.Party
	Balances       []Balance // right after the movement, of each of its resellers: one or two
}

// Balance is the balance of a reseller.
type Balance struct {
	Reseller int64
	Credits  credit.Amount
}

// MovementOf returns a movement as an entry has it.
func MovementOf(m credit.Movement) *Movement {
	named := &Movement{ID: m.ID, Operation: m.Operation, Amount: m.Amount, Source: m.Source, Target: m.Target}
	for _, p := range m.Postings {
		named.Balances = append(named.Balances, Balance{p.Reseller, p.Balance})
	}
	return named
}

// Matches reports whether it describes this movement, in all its fields.
func (m *Movement) Matches(of credit.Movement) bool {
	same := m.ID == of.ID && m.Operation == of.Operation && m.Amount.Cmp(of.Amount) == 0 &&
		m.Source == of.Source && m.Target == of.Target && len(m.Balances) == len(of.Postings)
	for i := 0; same && i < len(m.Balances); i++ {
		b, p := m.Balances[i], of.Postings[i]
		same = b.Reseller == p.Reseller && b.Credits.Cmp(p.Balance) == 0
	}
	return same
}

// Change is the change of a field. A change of a shown field has the value before and the value after. Other changes
// have no values.
type Change struct {
	Field         string // as the interface names it
	Shown         bool
	Before, After Value
}

// Datum is a member of the data that is particular to a type.
type Datum struct {
	Name  string
	Value Value
}

// Datum returns the value that an entry has under a name, as Value.Any does, nil if the entry has no such datum.
func (e *Entry) Datum(name string) any {
	for _, d := range e.Data {
		if d.Name == name {
			return d.Value.Any()
		}
	}
	return nil
}

// Changed reports whether an entry has a change of a field.
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

// SeenBy returns the entry as a reseller may see it, or fault.ErrNotFound. A reseller sees an entry if it sees the
// entry's account, or is a side of the movement. An admin sees every entry, also those without an account. A reseller
// does not see its parents' balances, names, addresses, requests or price books.
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
	if id, is := e.Datum(Book).(int64); is && id != 0 && !slices.Contains(inSight, id) {
		e.Data = slices.DeleteFunc(slices.Clone(e.Data), func(d Datum) bool { return d.Name == Book })
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
