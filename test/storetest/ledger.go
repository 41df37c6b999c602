package storetest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"resellerd/domain/credit"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var ledgerChecks = []Check{
	{"statements-are-newest-first", proves{"M4", "M5"}, func(w *harness) {
		b := w.book()
		for _, reseller := range append(b.resellers, w.admin("nobody").ID(), unknownID) {
			w.same(w.statement(reseller, 0, 500), b.of(reseller), fmt.Sprintf("statement of account %d", reseller))
		}
		for _, reseller := range b.resellers {
			n := int64(len(b.of(reseller)))
			for _, before := range []int64{0, 1, 2, n / 2, n, n + 1, unknownID} {
				for _, limit := range []int{1, 2, int(n), int(n) + 1} {
					want := slices.DeleteFunc(b.of(reseller), func(m credit.Movement) bool {
						e, _ := m.Posting(reseller)
						return before > 0 && e.Seq >= before
					})
					w.sameIDs(movementIDs(w.statement(reseller, before, limit)), movementIDs(want[:min(limit, len(want))]),
						fmt.Sprintf("statement of account %d before %d, limit %d", reseller, before, limit))
				}
			}
		}
	}},
	{"totals-are-sums", proves{"M6", "M7"}, func(w *harness) {
		w.totals(credit.Totals{})
		b := w.book()
		want := totalsOf(b.movements, nil)
		w.totals(want)
		for i := range 3 {
			w.update("insert a line", insertsLine(newTrial(w.reseller(b.resellers[0]), w.id(ports.LineIDs), strconv.Itoa(i))))
			l := fixture.Imported(w.reseller(b.resellers[i]), w.id(ports.LineIDs))
			w.update("insert an imported line", insertsLine(l))
			if want.Imported++; i == 2 {
				w.totals(want)
				w.deleteLine(l.ID())
				want.Imported--
			}
		}
		w.totals(want)
		// Balances are summed as they are stored, whatever the movements say.
		for i, r := range b.resellers[1:] {
			s := w.reseller(r).State()
			s.Credits, s.Blocked = fixture.Units(int64(i)*10_000+1), i%2 == 0
			w.saves(s)
			want.Balances = want.Balances.Add(s.Credits.Decimal())
		}
		w.totals(want)
	}},
	{"totals-are-exact", proves{"M6"}, func(w *harness) {
		const movements, holders = 1_001, 9_300 // each has the highest balance: more than 64 bits, in ten-thousandths
		root := w.admin("root")
		a := w.master(root, "a", 0)
		b := book{harness: w, actor: root.ID()}
		for i := range int64(movements) {
			// Sums that no float64 can represent: larger than 2^53, and odd.
			amount := fixture.Units(credit.MaxMovement().Units() - 2*i - 1)
			b.chain(credit.Recharge, credit.Issuance, credit.Reseller(a.ID()), amount, 0, a.ID())
			b.chain(credit.Activation, credit.Reseller(a.ID()), credit.Consumption, amount, 1, a.ID())
		}
		b.append()
		var all []*reseller.Reseller
		for i := range int64(holders) {
			all = append(all, fixture.Changed(w.below(root, "holder"+strconv.FormatInt(i, 10)), func(s *reseller.State) {
				s.Credits = fixture.Units(credit.MaxBalance().Units() - i)
			}))
		}
		storeAll(w, all, inserts)
		w.totals(totalsOf(b.movements, mapped(all, (*reseller.Reseller).State)))
	}},
}

// book is a ledger that a check writes without the resellers, so that it can have entries that no reseller would make.
type book struct {
	*harness
	resellers []int64
	actor     int64   // of all movements
	ids       []int64 // of the movements to come, new ones if there are none
	tips      map[int64]credit.Tip
	movements []credit.Movement
}

// book stores movements of every kind between a few resellers. Their ids come in
// another order than the movements, as those of several processes do.
func (w *harness) book() *book {
	root := w.admin("book.root")
	a := w.master(root, "book.a", 0)
	c := w.master(a, "book.c", 0)
	b := &book{harness: w, resellers: []int64{root.ID(), a.ID(), c.ID()}, actor: root.ID()}
	first, second := credit.Reseller(a.ID()), credit.Reseller(c.ID())
	for range 3 * 7 {
		b.ids = append([]int64{w.id(ports.MovementIDs)}, b.ids...)
	}
	for i := range int64(3) {
		b.chain(credit.Opening, credit.Issuance, first, fixture.Units(70_001+i), 0, a.ID())
		b.chain(credit.Recharge, first, second, fixture.Units(20_003+i), 0, a.ID(), c.ID())
		b.chain(credit.Activation, second, credit.Consumption, fixture.Units(5_000), 1, c.ID())
		b.chain(credit.Activation, credit.Issuance, credit.Consumption, fixture.Units(10_000), 2, root.ID())
		b.chain(credit.Extension, first, credit.Consumption, fixture.Units(20_000), 3, a.ID())
		b.chain(credit.Reclaim, second, first, fixture.Units(7+i), 0, c.ID(), a.ID())
		b.chain(credit.Reclaim, first, credit.Issuance, fixture.Units(11+i), 0, a.ID())
	}
	b.append()
	return b
}

// chain adds a movement that concerns these resellers.
func (b *book) chain(op credit.Operation, source, target credit.Party, amount credit.Amount, line int64,
	resellers ...int64) {
	if b.tips == nil {
		b.tips = map[int64]credit.Tip{}
	}
	n := int64(len(b.movements))
	var postings []credit.Posting
	for _, id := range resellers {
		balance := n - 1
		if n%2 == 0 {
			balance = credit.MaxBalance().Units() - n
		}
		postings = append(postings, credit.Posting{Reseller: id, Balance: fixture.Units(balance), Tip: b.tips[id]})
	}
	if len(b.ids) == 0 {
		b.ids = []int64{b.id(ports.MovementIDs)}
	}
	m, err := credit.Movement{
		Provenance: credit.Provenance{ID: b.ids[0], Actor: b.actor, ActorName: "actor",
			Request: "0192-request \"é\"" + op.String(), Notes: either(n < 6, awkwardNotes[n%2]),
			At: fixture.Time("2026-02-28T23:59:59.999Z").Add(time.Duration(n) * time.Millisecond)},
		Operation: op, Source: source, Target: target, Amount: amount, Line: line,
	}.Chain(postings...)
	b.must(err, "chain a movement")
	b.ids = b.ids[1:]
	for _, e := range m.Postings {
		b.tips[e.Reseller] = e.Tip
	}
	b.movements = append(b.movements, m)
}

// append stores the movements, in the order in which they were added.
func (b *book) append() {
	storeAll(b.harness, b.movements, appends)
}

// of returns the movements that concern a reseller, the newest first.
func (b *book) of(reseller int64) (own []credit.Movement) {
	for _, m := range slices.Backward(b.movements) {
		if _, concerned := m.Posting(reseller); concerned {
			own = append(own, m)
		}
	}
	return own
}

// totalsOf returns the sums of these movements and balances.
func totalsOf(movements []credit.Movement, resellers []reseller.State) credit.Totals {
	sums := credit.Totals{Movements: int64(len(movements))}
	for _, m := range movements {
		sums.Last = max(sums.Last, m.ID)
		amount := m.Amount.Decimal()
		if m.Source == credit.Issuance {
			sums.Issued = sums.Issued.Add(amount)
		}
		switch m.Target {
		case credit.Issuance:
			sums.Issued = sums.Issued.Sub(amount)
		case credit.Consumption:
			sums.Consumed = sums.Consumed.Add(amount)
		}
	}
	for _, s := range resellers {
		sums.Balances = sums.Balances.Add(s.Credits.Decimal())
	}
	return sums
}

// totals fails unless the totals are these.
func (w *harness) totals(want credit.Totals) {
	sums := func(got credit.Totals, err error) error {
		for name, sums := range map[string][2]decimal.Decimal{"issued": {got.Issued, want.Issued},
			"consumed": {got.Consumed, want.Consumed}, "held": {got.Balances, want.Balances}} {
			if !sums[0].Equal(sums[1]) {
				w.Errorf("credits %s: got %s, want %s", name, sums[0], sums[1])
			}
		}
		w.same([]int64{got.Movements, got.Last, got.Imported}, []int64{want.Movements, want.Last, want.Imported},
			"number of movements, the last of them, and number of imported lines")
		return err
	}
	w.view(func(ctx context.Context, s ports.Snapshot) error { return sums(s.Ledger.Totals(ctx)) })
	if w.audited {
		w.records(func(ctx context.Context, r ports.Records) error { return sums(r.Totals(ctx)) })
	}
}

func movementIDs(all []credit.Movement) []int64 {
	return mapped(all, func(m credit.Movement) int64 { return m.ID })
}
