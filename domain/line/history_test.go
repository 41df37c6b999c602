package line_test

import (
	"errors"
	"math/big"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// world is the whole domain in memory, and the ledger of all that it moved.
type world struct {
	now       time.Time
	lastID    int64
	accounts  []*reseller.Account
	lines     []*line.Line
	movements []credit.Movement
}

func (w *world) id() int64 { w.lastID++; return w.lastID }

func (w *world) voucher(actor *reseller.Account) credit.Voucher {
	return credit.Voucher{ID: w.id(), Actor: actor.ID(), At: w.now}
}

func (w *world) anyAccount(t *rapid.T, label string) *reseller.Account {
	return rapid.SampledFrom(w.accounts).Draw(t, label)
}

func (w *world) anyLine(t *rapid.T) *line.Line {
	if len(w.lines) == 0 {
		t.Skip("there is no line yet")
	}
	return rapid.SampledFrom(w.lines).Draw(t, "line")
}

func (w *world) owner(l *line.Line) *reseller.Account {
	for _, a := range w.accounts {
		if a.ID() == l.Owner().ID {
			return a
		}
	}
	panic("a line without an owner")
}

// amounts come small, so that histories meet both 0 and more than there is, and
// at the limits.
func anyAmount(t *rapid.T) credit.Amount {
	most := rapid.SampledFrom([]int64{3, 100_000, 10_000_000, credit.MaxMovement().Units() + 1}).Draw(t, "magnitude")
	a, err := credit.FromUnits(rapid.Int64Range(0, most).Draw(t, "units"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// states is all that a refusal must leave alone.
func (w *world) states() (s struct {
	Accounts []reseller.State
	Lines    []line.State
}) {
	for _, a := range w.accounts {
		s.Accounts = append(s.Accounts, a.State())
	}
	for _, l := range w.lines {
		s.Lines = append(s.Lines, l.State())
	}
	return s
}

// refused checks that the refusal is a known one and changed nothing.
func (w *world) refused(t *rapid.T, before any, err error, known ...error) {
	for _, k := range known {
		if errors.Is(err, k) {
			if !reflect.DeepEqual(before, any(w.states())) {
				t.Fatalf("refused with %v, and something changed", err)
			}
			return
		}
	}
	t.Fatalf("got error %v, want one of %v", err, known)
}

func (w *world) create(t *rapid.T) {
	actor, before := w.anyAccount(t, "actor"), w.states()
	n := reseller.NewAccount{ID: w.id(), Master: rapid.IntRange(0, 3).Draw(t, "kind") > 0, Credits: anyAmount(t)}
	created, m, err := actor.Create(n, w.voucher(actor))
	if err != nil {
		w.refused(t, before, err, reseller.ErrNotAllowed, reseller.ErrTreeTooDeep, reseller.ErrCredits, credit.ErrTooLarge)
		return
	}
	w.accounts = append(w.accounts, created)
	if (m == nil) != n.Credits.IsZero() {
		t.Fatalf("%s initial credits: got movement %v", n.Credits, m)
	}
	if m != nil {
		w.movements = append(w.movements, *m)
	}
}

func (w *world) fund(t *rapid.T) {
	actor, target, before := w.anyAccount(t, "actor"), w.anyAccount(t, "target"), w.states()
	m, err := actor.Fund(target, anyAmount(t), w.voucher(actor))
	if err != nil {
		w.refused(t, before, err, fault.ErrNotFound, reseller.ErrNotAllowed, reseller.ErrBalanceLimit, reseller.ErrCredits, credit.ErrNotPositive, credit.ErrTooLarge)
		return
	}
	w.movements = append(w.movements, m)
}

func (w *world) block(t *rapid.T) {
	actor, target, before := w.anyAccount(t, "actor"), w.anyAccount(t, "target"), w.states()
	verb := actor.Block
	if rapid.Bool().Draw(t, "unblock") {
		verb = actor.Unblock
	}
	if err := verb(target, w.now); err != nil {
		w.refused(t, before, err, fault.ErrNotFound, reseller.ErrNotAllowed)
	}
}

func (w *world) trial(t *rapid.T) {
	owner, before := w.anyAccount(t, "owner"), w.states()
	l, err := line.NewTrial(owner, line.Trial{ID: w.id(), Runs: runs}, rapid.IntRange(0, 2).Draw(t, "allowance"), w.now)
	if err != nil {
		w.refused(t, before, err, reseller.ErrAllowance)
		return
	}
	w.lines = append(w.lines, l)
}

func (w *world) activate(t *rapid.T) {
	l, before := w.anyLine(t), w.states()
	payer, price := w.owner(l), rapid.SampledFrom(credit.Prices()).Draw(t, "price")
	m, err := l.Activate(payer, price, details(), w.id(), w.voucher(payer))
	if err != nil {
		w.refused(t, before, err, line.ErrNotTrial, reseller.ErrCredits)
		return
	}
	w.movements = append(w.movements, m)
	if !l.Running(w.now) || !m.Amount.Equal(price.Credits()) {
		t.Fatalf("line %d: paid %s for %s, expires at %s", l.ID(), m.Amount, price.Period(), l.State().ExpiresAt)
	}
}

func (w *world) edit(t *rapid.T) {
	l, before := w.anyLine(t), w.states()
	if err := l.Edit(details(), w.now); err != nil {
		w.refused(t, before, err, line.ErrIsTrial)
	}
}

func (w *world) pass(t *rapid.T) {
	w.now = w.now.Add(time.Duration(rapid.Int64Range(1, 3*24*3600*1000).Draw(t, "ms")) * time.Millisecond)
}

// check replays the ledger from nothing and compares it with what the aggregates
// hold.
func (w *world) check(t *rapid.T) {
	balances := map[credit.Party]*big.Int{}
	add := func(leg credit.Leg, units *big.Int) {
		if balances[leg.Party] == nil {
			balances[leg.Party] = new(big.Int)
		}
		balance := balances[leg.Party].Add(balances[leg.Party], units)
		stated := new(big.Int)
		if leg.Party.AccountID() != 0 {
			stated.Set(balance)
		}
		if stated.Cmp(big.NewInt(leg.Balance.Units())) != 0 {
			t.Fatalf("party %+v: its leg says %s, its movements say %s units", leg.Party, leg.Balance, stated)
		}
	}
	activations := map[int64]int{}
	for _, m := range w.movements {
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		units := big.NewInt(m.Amount.Units())
		add(m.Source, new(big.Int).Neg(units))
		add(m.Target, units)
		if m.Operation == credit.Activation {
			activations[m.Line]++
		} else if m.Line != 0 {
			t.Fatalf("a %s for line %d", m.Operation, m.Line)
		}
	}
	total := new(big.Int)
	for party, balance := range balances {
		total.Add(total, balance)
		if party == credit.Issuance && balance.Sign() > 0 || party == credit.Consumption && balance.Sign() < 0 {
			t.Fatalf("%s stands at %s units", party.System(), balance)
		}
	}
	if total.Sign() != 0 {
		t.Fatalf("all balances add up to %s units", total)
	}
	for _, a := range w.accounts {
		s, moved := a.State(), balances[credit.Account(a.ID())]
		held := s.Credits.Units()
		if moved == nil {
			moved = new(big.Int)
		}
		if moved.Cmp(big.NewInt(held)) != 0 || held < 0 || held > credit.MaxBalance().Units() || s.Role == reseller.Admin && held != 0 {
			t.Fatalf("account %d, %s: it holds %d units, its movements add up to %s", a.ID(), s.Role, held, moved)
		}
		if again, err := reseller.Restore(s); err != nil || !reflect.DeepEqual(again.State(), s) {
			t.Fatalf("account %d is not restored: %v", a.ID(), err)
		}
	}
	for _, l := range w.lines {
		s := l.State()
		want := 1
		if s.Trial {
			want = 0
		}
		if activations[l.ID()] != want {
			t.Fatalf("line %d, trial %v: %d activations were paid", l.ID(), s.Trial, activations[l.ID()])
		}
		if again, err := line.Restore(s); err != nil || !reflect.DeepEqual(again.State(), s) {
			t.Fatalf("line %d is not restored: %v", l.ID(), err)
		}
	}
}

// Over any history of accounts and lines the ledger explains every balance, the
// whole sums to zero, and what is refused leaves no trace.
func TestTheLedgerExplainsEveryHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{now: noon}
		for range 2 {
			w.accounts = append(w.accounts, reseller.NewAdmin(reseller.NewAccount{ID: w.id()}, noon))
		}
		t.Repeat(map[string]func(*rapid.T){
			"create":   w.create,
			"fund":     w.fund,
			"block":    w.block,
			"trial":    w.trial,
			"activate": w.activate,
			"edit":     w.edit,
			"pass":     w.pass,
			"":         w.check,
		})
	})
}
