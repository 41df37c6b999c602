package audit

import (
	"resellerd/application/internal/auditing"
	"resellerd/domain/credit"
)

// roles checks that the actor of a movement could make it. Roles and places never change, so what a reseller has done
// shows its own.
func (a *auditor) roles(m credit.Movement) {
	actor, is := a.resellers.get(m.Actor)
	switch is {
	case auditing.Missing:
		a.Find("movement %d: account %d, which made it, is missing", m.ID, m.Actor)
		return
	case auditing.Damaged: // it is reported where the resellers are audited
		return
	case auditing.There:
	}
	id := otherThanActor(m)
	if other, is := a.resellers.get(id); is == auditing.There && !actor.CouldMake(m, other) {
		a.Find("movement %d: by their roles and places account %d could not make it with account %d", m.ID, m.Actor, id)
	}
}

// otherThanActor returns the reseller that was funded, that credits were reclaimed from, or that paid for a line.
func otherThanActor(m credit.Movement) int64 {
	switch m.Operation {
	case credit.Opening, credit.Recharge:
		return m.Target.ResellerID()
	case credit.Reclaim:
		return m.Source.ResellerID()
	default:
		return m.Postings[0].Reseller // an admin's too, which issuance stands for
	}
}
