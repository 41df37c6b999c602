package storetest

import (
	"context"
	"errors"
	"slices"

	"github.com/shopspring/decimal"

	"resellerd/domain/credit"
	"resellerd/ports"
)

// stating makes statements and totals in another way, where it has one.
type stating struct {
	ports.Statements
	statement func(ctx context.Context, reseller, before int64, limit int, sound ports.Statements) ([]credit.Movement, error)
	totals    func(ctx context.Context, sound ports.Statements) (credit.Totals, error)
}

func (s stating) Statement(ctx context.Context, reseller, before int64, limit int) ([]credit.Movement, error) {
	if s.statement == nil {
		return s.Statements.Statement(ctx, reseller, before, limit)
	}
	return s.statement(ctx, reseller, before, limit, s.Statements)
}

func (s stating) Totals(ctx context.Context) (credit.Totals, error) {
	if s.totals == nil {
		return s.Statements.Totals(ctx)
	}
	return s.totals(ctx, s.Statements)
}

// allMovements reads the whole ledger.
func allMovements(ctx context.Context, of full) ([]credit.Movement, error) {
	page, err := currentRecords(ctx, of).Movements(ctx, 0, 100_000)
	return mapped(page, func(f ports.Audited[credit.Movement]) credit.Movement { return f.Record }), err
}

func brokenLedgers() (all []broken) {
	const order, own = "statements-are-newest-first", "statements-show-own-movements"
	states := func(how string, statement func(ctx context.Context, reseller, before int64, limit int, sound ports.Statements) ([]credit.Movement, error), checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: by(patchedView, func(s *ports.Snapshot) { s.Ledger = stating{s.Ledger, statement, nil} })})
	}
	states("ignores before", func(ctx context.Context, reseller, _ int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		return sound.Statement(ctx, reseller, 0, limit)
	}, order)
	states("begins a statement with before itself", func(ctx context.Context, reseller, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		if before > 0 {
			before++
		}
		return sound.Statement(ctx, reseller, before, limit)
	}, order)
	states("states nothing from the newest on", func(ctx context.Context, reseller, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		if before == 0 {
			return nil, nil
		}
		return sound.Statement(ctx, reseller, before, limit)
	}, order, own)
	states("states one movement too many", func(ctx context.Context, reseller, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		return sound.Statement(ctx, reseller, before, limit+1)
	}, order)
	states("states the oldest first", func(ctx context.Context, reseller, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		movements, err := sound.Statement(ctx, reseller, before, 100_000)
		slices.Reverse(movements)
		return movements[:min(limit, len(movements))], err
	}, order, own)
	states("states in the order of ids", func(ctx context.Context, reseller, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		movements, err := sound.Statement(ctx, reseller, before, limit)
		slices.SortFunc(movements, func(a, b credit.Movement) int { return int(b.ID - a.ID) })
		return movements, err
	}, order, own)
	states("takes before for an id", func(ctx context.Context, reseller, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		movements, err := sound.Statement(ctx, reseller, 0, 100_000)
		movements = slices.DeleteFunc(movements, func(m credit.Movement) bool { return before != 0 && m.ID >= before })
		return movements[:min(limit, len(movements))], err
	}, order)
	states("states the movements of account 1 to everybody else", func(ctx context.Context, reseller, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		movements, err := sound.Statement(ctx, reseller, before, limit)
		if err == nil && len(movements) == 0 {
			return sound.Statement(ctx, 1, before, limit)
		}
		return movements, err
	}, own)
	for how, concerns := range map[string]func(m credit.Movement, reseller int64) bool{
		"states what everybody moved":            func(credit.Movement, int64) bool { return true },
		"states what left an account only":       func(m credit.Movement, reseller int64) bool { return m.Source.ResellerID() == reseller },
		"states what reached an account only":    func(m credit.Movement, reseller int64) bool { return m.Target.ResellerID() == reseller },
		"states no admin's lines":                func(m credit.Movement, reseller int64) bool { return !m.Change(reseller).IsZero() },
		"states the first account of a movement": func(m credit.Movement, reseller int64) bool { return m.Postings[0].Reseller == reseller },
		"states what is issued to its actor": func(m credit.Movement, reseller int64) bool {
			_, concerned := m.Posting(reseller)
			return concerned || m.Actor == reseller
		},
	} {
		all = append(all, broken{how: how, caught: caughtBy(own), sabotage: func(sound full) full {
			return patchedView(sound, func(s *ports.Snapshot) {
				s.Ledger = stating{s.Ledger, func(ctx context.Context, reseller, _ int64, limit int, _ ports.Statements) ([]credit.Movement, error) {
					movements, err := allMovements(ctx, sound)
					movements = slices.DeleteFunc(movements, func(m credit.Movement) bool { return !concerns(m, reseller) })
					// The ids of a book run against its numbers.
					return movements[:min(limit, len(movements))], err
				}, nil}
			})
		}})
	}

	sums := func(how string, change func(ctx context.Context, t *credit.Totals, of full) error, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound full) full {
			return patchedView(sound, func(s *ports.Snapshot) {
				s.Ledger = stating{s.Ledger, nil, func(ctx context.Context, statements ports.Statements) (credit.Totals, error) {
					t, err := statements.Totals(ctx)
					return t, errors.Join(err, change(ctx, &t, sound))
				}}
			})
		}})
	}
	// A sum over movements in place of the sound one.
	moved := func(how string, into func(t *credit.Totals) *decimal.Decimal, part func(m credit.Movement) decimal.Decimal, checks ...string) {
		sums(how, func(ctx context.Context, t *credit.Totals, of full) error {
			movements, err := allMovements(ctx, of)
			*into(t) = decimal.Decimal{}
			for _, m := range movements {
				*into(t) = into(t).Add(part(m))
			}
			return err
		}, checks...)
	}
	issued := func(t *credit.Totals) *decimal.Decimal { return &t.Issued }
	consumed := func(t *credit.Totals) *decimal.Decimal { return &t.Consumed }
	held := func(t *credit.Totals) *decimal.Decimal { return &t.Balances }
	when := func(m credit.Movement, counts bool) decimal.Decimal {
		if !counts {
			return decimal.Decimal{}
		}
		return m.Amount.Decimal()
	}
	const sound, exact, wide = "totals-are-sums", "totals-are-exact", "totals-exceed-64-bits"
	moved("counts all that was moved as issued", issued, func(m credit.Movement) decimal.Decimal { return when(m, true) }, sound, exact)
	moved("forgets what went back to issuance", issued, func(m credit.Movement) decimal.Decimal { return when(m, m.Source == credit.Issuance) }, sound)
	moved("counts openings only as issued", issued, func(m credit.Movement) decimal.Decimal { return when(m, m.Operation == credit.Opening) }, sound, exact)
	moved("forgets what admins consumed", consumed, func(m credit.Movement) decimal.Decimal {
		return when(m, m.Target == credit.Consumption && m.Source != credit.Issuance)
	}, sound)
	moved("forgets what extensions consumed", consumed, func(m credit.Movement) decimal.Decimal { return when(m, m.Operation == credit.Activation) }, sound)
	moved("takes balances from the movements", held, func(m credit.Movement) decimal.Decimal {
		return when(m, m.Target.ResellerID() != 0).Sub(when(m, m.Source.ResellerID() != 0))
	}, sound, wide)
	for name, into := range map[string]func(t *credit.Totals) *decimal.Decimal{"issued": issued, "consumed": consumed} {
		moved("forgets credits "+name, into, func(credit.Movement) decimal.Decimal { return decimal.Decimal{} }, sound, exact)
		sums("sums credits "+name+" as floats", func(_ context.Context, t *credit.Totals, _ full) error {
			units, _ := into(t).Shift(credit.Scale).Float64()
			*into(t) = decimal.NewFromFloat(units).Shift(-credit.Scale)
			return nil
		}, exact)
		sums("sums whole credits "+name, func(_ context.Context, t *credit.Totals, _ full) error {
			*into(t) = into(t).Truncate(0)
			return nil
		}, sound, exact)
	}
	sums("sums balances in 64 bits", func(_ context.Context, t *credit.Totals, _ full) error {
		t.Balances = decimal.New(t.Balances.Shift(credit.Scale).BigInt().Int64(), -credit.Scale)
		return nil
	}, wide)
	sums("sums balances as floats", func(_ context.Context, t *credit.Totals, _ full) error {
		units, _ := t.Balances.Shift(credit.Scale).Float64()
		t.Balances = decimal.NewFromFloat(units).Shift(-credit.Scale)
		return nil
	}, wide)
	sums("counts entries as movements", func(ctx context.Context, t *credit.Totals, of full) error {
		movements, err := allMovements(ctx, of)
		t.Movements = 0
		for _, m := range movements {
			t.Movements += int64(len(m.Postings))
		}
		return err
	}, sound)
	sums("leaves the blocked out of the balances", func(ctx context.Context, t *credit.Totals, of full) error {
		page, err := currentRecords(ctx, of).Resellers(ctx, 0, 100_000)
		for _, found := range page {
			if a := found.Record.State(); a.Blocked {
				t.Balances = t.Balances.Sub(a.Credits.Decimal())
			}
		}
		return err
	}, sound)
	sums("can't sum nothing", func(_ context.Context, t *credit.Totals, _ full) error {
		if t.Movements == 0 {
			return errors.New("the sum of no rows is null")
		}
		return nil
	}, sound, wide)

	return all
}
