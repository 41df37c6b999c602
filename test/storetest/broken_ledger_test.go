package storetest

import (
	"context"
	"errors"
	"slices"

	"github.com/shopspring/decimal"

	"resellerd/domain/credit"
	"resellerd/ports"
)

// allMovements reads the whole ledger.
func allMovements(ctx context.Context, of full) ([]credit.Movement, error) {
	page, err := currentRecords(ctx, of).Movements(ctx, 0, 100_000)
	return mapped(page, func(f ports.Audited[credit.Movement]) credit.Movement { return f.Record }), err
}

// stating makes a statement of all that the ledger has.
func stating(concerns func(m credit.Movement, reseller int64) bool) func(c *call) error {
	return func(c *call) error {
		all, err := allMovements(c.ctx, c.store)
		all = slices.DeleteFunc(all, func(m credit.Movement) bool { return !concerns(m, *valueOf[int64](c)) })
		*valueOf[[]credit.Movement](c) = all[:min(*valueOf[int](c), len(all))] // the ids of a book run against its numbers
		return err
	}
}

// summing changes totals.
func summing(change func(t *credit.Totals, ledger []credit.Movement)) func(c *call) error {
	return func(c *call) error {
		ledger, err := allMovements(c.ctx, c.store)
		err = errors.Join(c.sound(), err)
		change(valueOf[credit.Totals](c), ledger)
		return err
	}
}

func brokenLedgers() []broken {
	const order, own = "statements-are-newest-first", "statements-show-own-movements"
	before := func(c *call) *int64 { return nthValue[int64](c, 1) }
	const sound, exact, wide = "totals-are-sums", "totals-are-exact", "totals-exceed-64-bits"
	// A sum over movements in place of the sound one.
	sum := func(into func(t *credit.Totals) *decimal.Decimal, counts func(m credit.Movement) int64) func(c *call) error {
		return summing(func(t *credit.Totals, ledger []credit.Movement) {
			*into(t) = decimal.Decimal{}
			for _, m := range ledger {
				*into(t) = into(t).Add(m.Amount.Decimal().Mul(decimal.NewFromInt(counts(m))))
			}
		})
	}
	issued := func(t *credit.Totals) *decimal.Decimal { return &t.Issued }
	consumed := func(t *credit.Totals) *decimal.Decimal { return &t.Consumed }
	balances := func(t *credit.Totals) *decimal.Decimal { return &t.Balances }
	one := func(is bool) int64 {
		if is {
			return 1
		}
		return 0
	}
	rounded := func(into func(t *credit.Totals) *decimal.Decimal,
		round func(d decimal.Decimal) decimal.Decimal) func(c *call) error {
		return summing(func(t *credit.Totals, _ []credit.Movement) { *into(t) = round(*into(t)) })
	}
	float := func(d decimal.Decimal) decimal.Decimal {
		units, _ := d.Shift(credit.Scale).Float64()
		return decimal.NewFromFloat(units).Shift(-credit.Scale)
	}
	whole := func(d decimal.Decimal) decimal.Decimal { return d.Truncate(0) }
	return slices.Concat(
		ways{
			"ignores before":              func(c *call) error { *before(c) = 0; return c.sound() },
			"begins with before itself":   func(c *call) error { *before(c) += one(*before(c) > 0); return c.sound() },
			"shows one movement too many": asks(func(limit *int) { *limit++ }),
		}.of(viewStatement, order),
		ways{
			"shows nothing from the newest on": func(c *call) error {
				if *before(c) == 0 {
					return nil
				}
				return c.sound()
			},
			"shows the oldest first": func(c *call) error {
				limit := *valueOf[int](c)
				*valueOf[int](c) = 100_000
				err := c.sound()
				all := valueOf[[]credit.Movement](c)
				slices.Reverse(*all)
				*all = (*all)[:min(limit, len(*all))]
				return err
			},
			"shows the order of ids": answers(func(all *[]credit.Movement) {
				slices.SortFunc(*all, func(a, b credit.Movement) int { return int(b.ID - a.ID) })
			}),
		}.of(viewStatement, order, own),
		ways{
			"shows what everybody moved": stating(func(credit.Movement, int64) bool { return true }),
			"shows what left an account only": stating(func(m credit.Movement, reseller int64) bool {
				return m.Source.ResellerID() == reseller
			}),
			"shows what reached an account only": stating(func(m credit.Movement, reseller int64) bool {
				return m.Target.ResellerID() == reseller
			}),
			"shows no admin's lines": stating(func(m credit.Movement, reseller int64) bool {
				return !m.Change(reseller).IsZero()
			}),
			"shows the first account of a movement": stating(func(m credit.Movement, reseller int64) bool {
				return m.Postings[0].Reseller == reseller
			}),
			"shows what is issued to its actor": stating(func(m credit.Movement, reseller int64) bool {
				_, concerned := m.Posting(reseller)
				return concerned || m.Actor == reseller
			}),
		}.of(viewStatement, own),
		ways{
			"forgets what went back to issuance": sum(issued, func(m credit.Movement) int64 {
				return one(m.Source == credit.Issuance)
			}),
			"forgets what admins consumed": sum(consumed, func(m credit.Movement) int64 {
				return one(m.Target == credit.Consumption && m.Source != credit.Issuance)
			}),
			"takes the newest movement for the last": summing(func(t *credit.Totals, _ []credit.Movement) {
				t.Last = min(t.Last, t.Last-t.Movements+1)
			}),
			"counts entries as movements": summing(func(t *credit.Totals, ledger []credit.Movement) {
				for _, m := range ledger {
					t.Movements += int64(len(m.Postings)) - 1
				}
			}),
			"leaves the blocked out of the balances": func(c *call) error {
				err := c.sound()
				page, failed := currentRecords(c.ctx, c.store).Resellers(c.ctx, 0, 100_000)
				for _, found := range page {
					if r := found.Record.State(); r.Blocked {
						valueOf[credit.Totals](c).Balances = valueOf[credit.Totals](c).Balances.Sub(r.Credits.Decimal())
					}
				}
				return errors.Join(err, failed)
			},
		}.of(viewTotals, sound),
		ways{
			"counts all that was moved as issued": sum(issued, func(credit.Movement) int64 { return 1 }),
			"sums whole credits issued":           rounded(issued, whole),
			"sums whole credits consumed":         rounded(consumed, whole),
		}.of(viewTotals, sound, exact),
		ways{"sums credits issued as floats": rounded(issued, float),
			"sums credits consumed as floats": rounded(consumed, float)}.of(viewTotals, exact),
		ways{
			"takes balances from the movements": sum(balances, func(m credit.Movement) int64 {
				return one(m.Target.ResellerID() != 0) - one(m.Source.ResellerID() != 0)
			}),
			"can't sum nothing": func(c *call) error {
				if err := c.sound(); err != nil || valueOf[credit.Totals](c).Movements > 0 {
					return err
				}
				return errors.New("the sum of no rows is null")
			},
		}.of(viewTotals, sound, wide),
		ways{
			"sums balances in 64 bits": rounded(balances, func(d decimal.Decimal) decimal.Decimal {
				return decimal.New(d.Shift(credit.Scale).BigInt().Int64(), -credit.Scale)
			}),
			"sums balances as floats": rounded(balances, float),
		}.of(viewTotals, wide),
	)
}
