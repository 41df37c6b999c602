package line_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	_ "resellerd/test/rapidflags"
)

// harness is the whole domain in memory, and the ledger of all that it moved.
type harness struct {
	now       time.Time
	lastID    int64
	resellers []*reseller.Reseller
	lines     []*line.Line
	movements []credit.Movement
}

func (h *harness) id() int64 { h.lastID++; return h.lastID }

func (h *harness) provenance(actor *reseller.Reseller) credit.Provenance {
	return credit.Provenance{ID: h.id(), Actor: actor.ID(), At: h.now}
}

func (h *harness) anyReseller(t *rapid.T, label string) *reseller.Reseller {
	return rapid.SampledFrom(h.resellers).Draw(t, label)
}

func (h *harness) anyLine(t *rapid.T) *line.Line {
	if len(h.lines) == 0 {
		t.Skip("there is no line yet")
	}
	return rapid.SampledFrom(h.lines).Draw(t, "line")
}

func (h *harness) owner(l *line.Line) *reseller.Reseller {
	for _, a := range h.resellers {
		if a.ID() == l.Owner().ID {
			return a
		}
	}
	panic("a line without an owner")
}

// amounts come small, so that histories meet both 0 and more than there is, and at the limits.
func anyAmount(t *rapid.T) credit.Amount {
	most := rapid.SampledFrom([]int64{3, 100_000, 10_000_000, credit.MaxMovement().Units() + 1}).Draw(t, "magnitude")
	a, err := credit.FromUnits(rapid.Int64Range(0, most).Draw(t, "units"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// states is all that a refusal must leave alone.
func (h *harness) states() (s struct {
	Resellers []reseller.State
	Lines     []line.State
}) {
	for _, a := range h.resellers {
		s.Resellers = append(s.Resellers, a.State())
	}
	for _, l := range h.lines {
		s.Lines = append(s.Lines, l.State())
	}
	return s
}

// refused checks that the refusal is a known one and changed nothing.
func (h *harness) refused(t *rapid.T, before any, err error, known ...error) {
	for _, k := range known {
		if errors.Is(err, k) {
			if !reflect.DeepEqual(before, any(h.states())) {
				t.Fatalf("refused with %v, and something changed", err)
			}
			return
		}
	}
	t.Fatalf("got error %v, want one of %v", err, known)
}

func (h *harness) create(t *rapid.T) {
	actor, before := h.anyReseller(t, "actor"), h.states()
	n := reseller.NewReseller{ID: h.id(), Master: rapid.IntRange(0, 3).Draw(t, "kind") > 0, Credits: anyAmount(t)}
	created, m, err := actor.Create(n, h.provenance(actor))
	if err != nil {
		h.refused(t, before, err, reseller.ErrNotAllowed, reseller.ErrTreeTooDeep, reseller.ErrCredits, credit.ErrTooLarge)
		return
	}
	h.resellers = append(h.resellers, created)
	if (m == nil) != n.Credits.IsZero() {
		t.Fatalf("%s initial credits: got movement %v", n.Credits, m)
	}
	if m != nil {
		h.movements = append(h.movements, *m)
	}
}

func (h *harness) fund(t *rapid.T) {
	actor, target, before := h.anyReseller(t, "actor"), h.anyReseller(t, "target"), h.states()
	m, err := actor.Fund(target, anyAmount(t), h.provenance(actor))
	if err != nil {
		h.refused(t, before, err, fault.ErrNotFound, reseller.ErrNotAllowed, reseller.ErrBalanceLimit, reseller.ErrCredits, credit.ErrNotPositive, credit.ErrTooLarge)
		return
	}
	if !target.State().RechargedAt.Equal(h.now) {
		t.Fatalf("account %d was funded at %s, and recharged at %s", target.ID(), h.now, target.State().RechargedAt)
	}
	h.movements = append(h.movements, m)
}

func (h *harness) reclaim(t *rapid.T) {
	actor, target, before := h.anyReseller(t, "actor"), h.anyReseller(t, "target"), h.states()
	was, amount := target.State(), anyAmount(t)
	if rapid.Bool().Draw(t, "all") {
		amount = was.Credits
	}
	m, err := actor.Reclaim(target, amount, h.provenance(actor))
	if err != nil {
		h.refused(t, before, err, fault.ErrNotFound, reseller.ErrNotAllowed, reseller.ErrBalanceLimit, reseller.ErrCredits, credit.ErrNotPositive, credit.ErrTooLarge)
		return
	}
	if !target.State().RechargedAt.Equal(was.RechargedAt) {
		t.Fatalf("a reclaim moved the time of the recharge of account %d", target.ID())
	}
	h.movements = append(h.movements, m)
}

func (h *harness) revokeToken(t *rapid.T) {
	a := h.anyReseller(t, "account")
	h.lastID++
	next := reseller.Generation{15: byte(h.lastID), 14: byte(h.lastID >> 8)}
	old, want := a.Token(), a.State()
	a.RevokeToken(next, h.now)
	want.Token, want.UpdatedAt = next, h.now
	if !reflect.DeepEqual(a.State(), want) || !errors.Is(a.Admit(old, false), reseller.ErrTokenRevoked) {
		t.Fatalf("revoking a token made account %d %+v", a.ID(), a.State())
	}
}

func (h *harness) block(t *rapid.T) {
	actor, target, before := h.anyReseller(t, "actor"), h.anyReseller(t, "target"), h.states()
	verb := actor.Block
	if rapid.Bool().Draw(t, "unblock") {
		verb = actor.Unblock
	}
	if err := verb(target, h.now); err != nil {
		h.refused(t, before, err, fault.ErrNotFound, reseller.ErrNotAllowed)
	}
}

func (h *harness) trial(t *rapid.T) {
	owner, before := h.anyReseller(t, "owner"), h.states()
	l, err := line.NewTrial(owner, line.Trial{ID: h.id(), Runs: runs}, rapid.IntRange(0, 2).Draw(t, "allowance"), h.now)
	if err != nil {
		h.refused(t, before, err, reseller.ErrAllowance)
		return
	}
	h.lines = append(h.lines, l)
}

func (h *harness) activate(t *rapid.T) {
	l, before := h.anyLine(t), h.states()
	payer, price := h.owner(l), rapid.SampledFrom(credit.Prices()).Draw(t, "price")
	m, err := l.Activate(payer, price, details(), h.id(), h.provenance(payer))
	if err != nil {
		h.refused(t, before, err, line.ErrNotTrial, reseller.ErrCredits)
		return
	}
	h.movements = append(h.movements, m)
	if !l.Running(h.now) || !m.Amount.Equal(price.Credits()) {
		t.Fatalf("line %d: paid %s for %s, expires at %s", l.ID(), m.Amount, price.Period(), l.State().ExpiresAt)
	}
}

func (h *harness) extend(t *rapid.T) {
	l, before := h.anyLine(t), h.states()
	was := l.State()
	payer, price := h.owner(l), rapid.SampledFrom(credit.Prices()).Draw(t, "price")
	from, m, err := l.Extend(payer, price, h.provenance(payer))
	if err != nil {
		h.refused(t, before, err, line.ErrIsTrial, line.ErrTooLong, reseller.ErrCredits)
		return
	}
	h.movements = append(h.movements, m)
	if from.Before(h.now) || from.Before(was.ExpiresAt) || !l.ExpiresAt().Equal(price.Period().After(from)) || !m.Amount.Equal(price.Credits()) {
		t.Fatalf("line %d: paid %s for %s from %s, expired %s, expires at %s", l.ID(), m.Amount, price.Period(), from, was.ExpiresAt, l.ExpiresAt())
	}
}

func (h *harness) edit(t *rapid.T) {
	l, before := h.anyLine(t), h.states()
	if err := l.Edit(details(), h.now); err != nil {
		h.refused(t, before, err, line.ErrIsTrial)
	}
}

func (h *harness) pass(t *rapid.T) {
	h.now = h.now.Add(time.Duration(rapid.Int64Range(1, 3*24*3600*1000).Draw(t, "ms")) * time.Millisecond)
}

// concerned returns the resellers in whose chains a movement belongs: those whose
// balance it changes, and the owner of the line that it pays for.
func (h *harness) concerned(m credit.Movement) (ids []int64) {
	for _, party := range []credit.Party{m.Source, m.Target} {
		if id := party.ResellerID(); id != 0 {
			ids = append(ids, id)
		}
	}
	for _, l := range h.lines {
		if owner := l.Owner().ID; l.ID() == m.Line && !slices.Contains(ids, owner) {
			ids = append(ids, owner)
		}
	}
	return ids
}

// check replays the ledger from nothing and compares it with what the aggregates hold.
func (h *harness) check(t *rapid.T) {
	totals := credit.Totals{Movements: int64(len(h.movements))}
	balances := map[int64]decimal.Decimal{}
	heads := map[int64]credit.Tip{}
	activations := map[int64][]int64{} // the movements that paid for a line's
	for _, m := range h.movements {
		ids := h.concerned(m)
		if len(m.Postings) != len(ids) {
			t.Fatalf("movement %d concerns accounts %v, and has entries %+v", m.ID, ids, m.Postings)
		}
		for _, id := range ids {
			e, entered := m.Posting(id)
			if previous := heads[id]; !entered || e.Seq != previous.Seq+1 || !m.Fits(id, previous.Hash) {
				t.Fatalf("movement %d does not follow number %d of account %d: %+v", m.ID, previous.Seq, id, m.Postings)
			}
			heads[id] = e.Tip
			balances[id] = balances[id].Add(m.Change(id))
			if !e.Balance.Decimal().Equal(balances[id]) {
				t.Fatalf("movement %d leaves account %d with %s, its movements add up to %s", m.ID, id, e.Balance, balances[id])
			}
		}
		amount := m.Amount.Decimal()
		if m.Source == credit.Issuance {
			totals.Issued = totals.Issued.Add(amount)
		}
		switch m.Target {
		case credit.Issuance:
			totals.Issued = totals.Issued.Sub(amount)
		case credit.Consumption:
			totals.Consumed = totals.Consumed.Add(amount)
		}
		paid := m.Operation == credit.Activation || m.Operation == credit.Extension
		if paid != (m.Line != 0) || paid != (m.Target == credit.Consumption) {
			t.Fatalf("movement %d: %s of line %d, to %s", m.ID, m.Operation, m.Line, m.Target)
		}
		if m.Operation == credit.Activation {
			activations[m.Line] = append(activations[m.Line], m.ID)
		}
	}
	for _, a := range h.resellers {
		s := a.State()
		held := s.Credits.Decimal()
		totals.Balances = totals.Balances.Add(held)
		if !held.Equal(balances[s.ID]) || held.IsNegative() || s.Credits.Cmp(credit.MaxBalance()) > 0 || s.Role == reseller.Admin && !held.IsZero() {
			t.Fatalf("account %d, %s: it holds %s, its movements add up to %s", s.ID, s.Role, held, balances[s.ID])
		}
		if s.Tip != heads[s.ID] {
			t.Fatalf("account %d: its chain ends at %+v, its movements at %+v", s.ID, s.Tip, heads[s.ID])
		}
		if again, err := reseller.Restore(s); err != nil || !reflect.DeepEqual(again.State(), s) {
			t.Fatalf("account %d is not restored: %v", s.ID, err)
		}
	}
	if !totals.Balanced() || totals.Issued.IsNegative() {
		t.Fatalf("%s issued, %s consumed, %s held", totals.Issued, totals.Consumed, totals.Balances)
	}
	for _, l := range h.lines {
		s := l.State()
		var want []int64
		if !s.Trial {
			want = []int64{s.Charge}
		}
		if !slices.Equal(activations[s.ID], want) {
			t.Fatalf("line %d, trial %v: movements %v paid for its activation, it names %d", s.ID, s.Trial, activations[s.ID], s.Charge)
		}
		if again, err := line.Restore(s); err != nil || !reflect.DeepEqual(again.State(), s) {
			t.Fatalf("line %d is not restored: %v", s.ID, err)
		}
	}
}

// Over any history of resellers and lines the ledger explains every balance and every chain, what was issued is
// consumed or held, and what is refused leaves no trace.
func TestTheLedgerExplainsEveryHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &harness{now: noon}
		for range 2 {
			h.resellers = append(h.resellers, reseller.NewAdmin(reseller.NewReseller{ID: h.id()}, noon))
		}
		t.Repeat(map[string]func(*rapid.T){
			"create":   h.create,
			"fund":     h.fund,
			"reclaim":  h.reclaim,
			"block":    h.block,
			"revoke":   h.revokeToken,
			"trial":    h.trial,
			"activate": h.activate,
			"extend":   h.extend,
			"edit":     h.edit,
			"pass":     h.pass,
			"":         h.check,
		})
	})
}
