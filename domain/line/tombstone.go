package line

import (
	"time"
)

// Tombstone is what is left of a line that was deleted, so that its deletion can be
// distinguished from a disappearance: what was paid for the line stays in the ledger.
type Tombstone struct {
	Line   int64
	Charge int64 // movement that paid for the activation, 0 of a trial and of an imported line
	Actor  int64 // reseller that deleted it
	At     time.Time
}

// Tombstone returns what is left of the line once actor has deleted it.
func (l *Line) Tombstone(actor int64, now time.Time) Tombstone {
	return Tombstone{Line: l.s.ID, Charge: l.s.Charge, Actor: actor, At: now}
}
