package audit

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"resellerd/application/internal/auditing"
	"resellerd/domain/credit"
	"resellerd/domain/reseller"
)

func (a *auditor) namedByMovement(m credit.Movement) {
	a.resellers.name(m.Actor)
	if m.Line != 0 {
		a.lines.name(m.Line)
	}
	for _, e := range m.Postings {
		a.resellers.name(e.Reseller)
		if e.Seq > 1 {
			a.postings.name(number(e.Reseller, e.Seq-1))
		}
	}
}

// movement checks that a movement follows the one before it in the chain of each of its resellers. Together with
// reseller, which checks the end of the chain, this proves that the chain is complete.
func (a *auditor) movement(m credit.Movement) {
	soFar := a.verdict.Findings
	for _, party := range []credit.Party{m.Source, m.Target} {
		if id := party.ResellerID(); id != 0 {
			if _, concerned := m.Posting(id); !concerned {
				a.Find("movement %d: it is not entered in the chain of account %d", m.ID, id)
			}
		}
	}
	if len(m.Postings) == 0 {
		a.Find("movement %d: it is entered in no account's chain", m.ID)
	}
	if !wellFormed(m) {
		a.Find("movement %d: no %s goes from %s to %s, for line %d", m.ID, m.Operation, m.Source, m.Target, m.Line)
	}
	a.lineOf(m)
	a.posted += int64(len(m.Postings))
	for _, e := range m.Postings {
		var before credit.Posting
		r, is := a.resellers.get(e.Reseller)
		if is == auditing.Missing && e.Seq == 1 {
			a.Find("account %d: it has movements and is missing", e.Reseller)
		}
		self := credit.Reseller(e.Reseller)
		standsForIssuance := m.Source != self && m.Target != self
		if standsForIssuance && is == auditing.There && r.State().Role != reseller.Admin {
			a.Find("movement %d: account %d is no admin and does not pay by issuance", m.ID, e.Reseller)
		}
		if e.Seq > 1 {
			previous, is := a.postings.get(number(e.Reseller, e.Seq-1))
			if is == auditing.Missing {
				a.Find("movement %d: it is number %d of account %d, and number %d is missing", m.ID, e.Seq, e.Reseller, e.Seq-1)
			}
			if is == auditing.Damaged {
				a.Find("movement %d: it can't be verified, for number %d of account %d is damaged", m.ID, e.Seq-1, e.Reseller)
			}
			if is != auditing.There {
				continue
			}
			before, _ = previous.Posting(e.Reseller)
		}
		if !m.Follows(e.Reseller, before.Hash) {
			a.Find("movement %d: it is not what was recorded as number %d of account %d, or number %d before it is not", m.ID,
				e.Seq, e.Reseller, e.Seq-1)
			continue
		}
		if !e.Balance.Decimal().Equal(before.Balance.Decimal().Add(m.Change(e.Reseller))) {
			a.Find("movement %d: the balance %s of account %d does not follow from %s before it", m.ID, e.Balance, e.Reseller,
				before.Balance)
		}
	}
	if a.verdict.Findings == soFar { // only then it proves anything about resellers
		a.roles(m)
	}
}

// wellFormed reports whether the program creates movements with such parties and line.
func wellFormed(m credit.Movement) bool {
	switch m.Operation {
	case credit.Opening, credit.Recharge:
		return m.Target.ResellerID() != 0 && m.Line == 0
	case credit.Reclaim:
		return m.Source.ResellerID() != 0 && m.Target != credit.Consumption && m.Line == 0
	default:
		return m.Target == credit.Consumption && m.Line != 0
	}
}

func (a *auditor) namedByReseller(r *reseller.Reseller) {
	s := r.State()
	if len(s.Ancestors) > 0 {
		a.resellers.name(s.Parent())
	}
	a.postings.name(number(s.ID, s.Tip.Seq))
	a.postings.name(number(s.ID, s.Tip.Seq+1))
}

// reseller checks that the reseller's record agrees with the last movement of its chain, and that the chain ends there.
func (a *auditor) reseller(s reseller.State, checkpoint io.Writer) {
	a.numbered += s.Tip.Seq
	a.nameOf(resellerKind, s.ID, s.Username)
	if s.PasswordHash != "" {
		a.hashes = append(a.hashes, maphash.String(a.seed, s.PasswordHash))
	}
	if len(s.Ancestors) > 0 {
		parent, is := a.resellers.get(s.Parent())
		if is == auditing.Missing || is == auditing.There &&
			(parent.State().Role == reseller.Standard || !slices.Equal(parent.Position().Path(), s.Ancestors)) {
			a.Find("account %d: its position below account %d does not fit the tree", s.ID, s.Parent())
		}
	}
	_, _ = fmt.Fprintf(checkpoint, "%d %d %s %x\n", s.ID, s.Tip.Seq, s.Credits, s.Tip.Hash)
	var last credit.Posting
	if s.Tip.Seq > 0 {
		m, is := a.postings.get(number(s.ID, s.Tip.Seq))
		if is == auditing.Missing {
			a.Find("account %d: its movement number %d, the last, is missing", s.ID, s.Tip.Seq)
		}
		if is == auditing.Damaged {
			a.Find("account %d: it can't be verified, for its movement number %d, the last, is damaged", s.ID, s.Tip.Seq)
		}
		if is != auditing.There {
			return
		}
		last, _ = m.Posting(s.ID)
	}
	if last.Hash != s.Tip.Hash {
		a.Find("account %d: its movement number %d is not the one that the account ends with", s.ID, s.Tip.Seq)
	}
	if !last.Balance.Equal(s.Credits) {
		a.Find("account %d: its balance is %s, and its movements make %s", s.ID, s.Credits, last.Balance)
	}
	next, is := a.postings.get(number(s.ID, s.Tip.Seq+1))
	if is == auditing.There {
		a.Find("account %d: movement %d was appended after its last, number %d", s.ID, next.ID, s.Tip.Seq)
	}
}

func (a *auditor) totals(ctx context.Context) error {
	if a.verdict.Findings > 0 {
		return nil // sums over damaged records would add nothing
	}
	totals, err := a.stored.Totals(ctx)
	if err != nil {
		return err
	}
	if totals.Movements != a.verdict.Movements {
		a.Find("ledger: %d movements were examined, and %d are counted", a.verdict.Movements, totals.Movements)
	}
	if totals.Imported != a.imported {
		a.Find("ledger: %d imported lines were examined, and %d are counted", a.imported, totals.Imported)
	}
	if a.posted != a.numbered {
		a.Find("ledger: accounts count %d movements and %d are entered: a number occurs twice", a.numbered, a.posted)
	}
	a.verdict.Totals = totals
	if !totals.Balanced() {
		a.Find("ledger: %s credits were issued, and %s consumed and %s held do not make them", totals.Issued, totals.Consumed,
			totals.Balances)
	}
	return nil
}

// roles checks that the actor of a movement could make it. Roles and positions never change, so the past actions of a
// reseller prove its role.
func (a *auditor) roles(m credit.Movement) {
	actor, is := a.resellers.get(m.Actor)
	switch is {
	case auditing.Missing:
		a.Find("movement %d: account %d, which made it, is missing", m.ID, m.Actor)
		return
	case auditing.Damaged: // reported where the resellers are audited
		return
	case auditing.There:
	}
	id := otherThanActor(m)
	if other, is := a.resellers.get(id); is == auditing.There && !actor.CouldMake(m, other) {
		a.Find("movement %d: by their roles and positions account %d could not make it with account %d", m.ID, m.Actor, id)
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
		return m.Postings[0].Reseller // an admin's too, although issuance pays
	}
}
