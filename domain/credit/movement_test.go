package credit_test

import (
	"errors"
	"testing"

	"resellerd/domain/credit"
)

func TestStoredNamesComeBack(t *testing.T) {
	for _, op := range []credit.Operation{credit.Opening, credit.Recharge, credit.Activation} {
		if got, err := credit.ParseOperation(op.String()); err != nil || got != op {
			t.Errorf("%s: got %s, error %v", op, got, err)
		}
	}
	for _, p := range []credit.Party{credit.Issuance, credit.Consumption} {
		if got, err := credit.ParseSystemParty(p.System()); err != nil || got != p || p.AccountID() != 0 {
			t.Errorf("%s: got %s of account %d, error %v", p.System(), got.System(), p.AccountID(), err)
		}
	}
	for _, name := range []string{"", "Opening", "refund"} {
		if got, err := credit.ParseOperation(name); err == nil {
			t.Errorf("operation %q: got %s", name, got)
		}
		if got, err := credit.ParseSystemParty(name); err == nil {
			t.Errorf("system account %q: got %s", name, got.System())
		}
	}
	if p := credit.Account(7); p.System() != "" || p.AccountID() != 7 || p != credit.Account(7) || p == credit.Account(8) {
		t.Errorf("account 7 is %+v", p)
	}
}

func TestImpossibleMovementsAreRefused(t *testing.T) {
	to := func(source, target credit.Party, amount int64) credit.Movement {
		return credit.Movement{Source: credit.Leg{Party: source}, Target: credit.Leg{Party: target}, Amount: units(t, amount)}
	}
	most := credit.MaxMovement().Units()
	for _, m := range []credit.Movement{to(credit.Issuance, credit.Account(1), 1), to(credit.Account(1), credit.Account(2), most), to(credit.Issuance, credit.Consumption, 5000)} {
		if err := m.Check(); err != nil {
			t.Errorf("%s from %+v to %+v: %v", m.Amount, m.Source, m.Target, err)
		}
	}
	if err := to(credit.Issuance, credit.Account(1), 0).Check(); !errors.Is(err, credit.ErrNotPositive) {
		t.Errorf("nothing moved: got error %v", err)
	}
	if err := to(credit.Issuance, credit.Account(1), most+1).Check(); !errors.Is(err, credit.ErrTooLarge) {
		t.Errorf("too much moved: got error %v", err)
	}
	for _, p := range []credit.Party{credit.Account(1), credit.Issuance, credit.Consumption} {
		if err := to(p, p, 1).Check(); err == nil {
			t.Errorf("%+v pays itself", p)
		}
	}
}
