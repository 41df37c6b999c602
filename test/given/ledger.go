package given

import (
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// Ledger makes movements by the domain's own verbs, so that balances, numbers and chains are right. The first has the
// id 1 and is of Noon, and each is a millisecond later than the one before. The zero value is an empty ledger.
type Ledger struct {
	Movements []credit.Movement // in the order in which they were made
}

// Provenance returns what the next movement, made by a test itself, records of who asked for it. Add takes the movement.
func (l *Ledger) Provenance(actor int64) credit.Provenance {
	id := int64(len(l.Movements)) + 1
	return credit.Provenance{ID: id, Actor: actor, Request: "request", Notes: "notes", At: Noon.Add(time.Duration(id-1) * time.Millisecond)}
}

// Add appends a movement and returns it.
func (l *Ledger) Add(m credit.Movement) credit.Movement {
	l.Movements = append(l.Movements, m)
	return m
}

// Fund moves credits to a reseller: issued by an admin, from the balance of a master.
func (l *Ledger) Fund(by, to *reseller.Reseller, credits string) credit.Movement {
	return l.Add(must(by.Fund(to, Credits(credits), l.Provenance(by.ID()))))
}

// Reclaim moves credits back from a reseller.
func (l *Ledger) Reclaim(by, from *reseller.Reseller, credits string) credit.Movement {
	return l.Add(must(by.Reclaim(from, Credits(credits), l.Provenance(by.ID()))))
}

// Activate makes a trial official, under the name that it has and with its own id as that on the platform, for a price
// that its owner pays.
func (l *Ledger) Activate(trial *line.Line, owner *reseller.Reseller, price string) credit.Movement {
	s := trial.State()
	details := line.Details{Username: s.Username, Password: s.Password, Country: Text("BR")}
	return l.Add(must(trial.Activate(owner, Price(price), details, s.ID, l.Provenance(owner.ID()))))
}

// Extend makes an official line run longer for a price that its owner pays.
func (l *Ledger) Extend(official *line.Line, owner *reseller.Reseller, price string) credit.Movement {
	_, m, err := official.Extend(owner, Price(price), l.Provenance(owner.ID()))
	return l.Add(must(m, err))
}
