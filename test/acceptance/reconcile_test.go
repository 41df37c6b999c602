package acceptance

import (
	"testing"

	"resellerd/domain/credit"
)

// stopAndAudit proves the ledger, stops the server, and reads what it left in two ways,
// where the storage can be read: by the program itself and past it.
func (s *server) stopAndAudit(t *testing.T) {
	t.Helper()
	s.Admin(t).Get(t, "/ledger/proof").Has(fields{"balanced": true})
	s.stop(t)
	if s.store.left != nil {
		s.audit(t).well()
		s.store.left(s.dir).read(t).reconcile(t)
	}
}

// reconcile compares the balances of what is stored with its ledger.
func (left stored) reconcile(t *testing.T) {
	t.Helper()
	if len(left.movements) == 0 {
		t.Error("nothing has moved: there is nothing to audit")
	}
	var issued, consumed, held int64
	sums, reached := map[int64]int64{}, map[int64]map[int64]bool{}
	activations, charged := map[int64][]credit.Movement{}, map[int64]bool{}
	count := map[string]int{}
	for _, m := range left.movements {
		units := m.Amount.Units()
		switch {
		case m.Source == credit.Issuance:
			issued += units
		case m.Target == credit.Issuance:
			issued -= units
		}
		if m.Target == credit.Consumption {
			consumed += units
		}
		sums[m.Source.ResellerID()] -= units
		sums[m.Target.ResellerID()] += units
		for _, e := range m.Postings {
			if reached[e.Reseller] == nil {
				reached[e.Reseller] = map[int64]bool{}
			}
			reached[e.Reseller][e.Balance.Units()] = true
		}
		if m.Operation == credit.Activation {
			activations[m.Line] = append(activations[m.Line], m)
		}
		charged[m.Line] = true
		if (m.Operation == credit.Activation || m.Operation == credit.Extension) != (m.Line != 0) {
			count["charges that are not of one line"]++
		}
	}
	for id, a := range left.accounts {
		held += a.credits.Units()
		if !a.admin && a.credits.Units() != sums[id] {
			count["accounts whose balance is not the sum of their movements"]++
		}
		if a.credits.Units() > 0 && !reached[id][a.credits.Units()] {
			count["accounts whose balance was never reached by a movement"]++
		}
		chain := left.chain(id)
		inOrder := int64(len(chain)) == a.head.Seq
		for i, m := range chain {
			inOrder = inOrder && entry(m, id).Seq == int64(i)+1
		}
		if !inOrder {
			count["accounts whose movements are not numbered 1, 2, 3 ..."]++
		}
	}
	platform := map[int64]bool{}
	for id, l := range left.lines {
		paid := activations[id]
		switch {
		case l.trial && charged[id]:
			count["trials that were paid for"]++
		case !l.trial && len(paid) != 1:
			count["official lines without exactly one activation"]++
		case !l.trial && (paid[0].ID != l.charge || !concerns(paid[0], l.owner)):
			count["official lines that were charged otherwise"]++
		}
		if l.platformID != 0 && platform[l.platformID] {
			count["platform ids given twice"]++
		}
		platform[l.platformID] = true
	}
	for what, n := range count {
		t.Errorf("%d %s", n, what)
	}
	if issued != held+consumed {
		t.Errorf("issued %d, held %d and consumed %d ten-thousandths: the sum is not 0", issued, held, consumed)
	}
}

// concerns reports whether a movement left the account.
func concerns(m credit.Movement, payer int64) bool {
	_, entered := m.Posting(payer)
	return entered && sideOf(m, payer) == "source"
}
