package storetest

import (
	"context"
	"errors"
	"slices"

	"github.com/shopspring/decimal"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// stating makes statements and totals in another way, where it has one.
type stating struct {
	ports.Statements
	statement func(ctx context.Context, account, before int64, limit int, sound ports.Statements) ([]credit.Movement, error)
	totals    func(ctx context.Context, sound ports.Statements) (credit.Totals, error)
}

func (s stating) Statement(ctx context.Context, account, before int64, limit int) ([]credit.Movement, error) {
	if s.statement == nil {
		return s.Statements.Statement(ctx, account, before, limit)
	}
	return s.statement(ctx, account, before, limit, s.Statements)
}

func (s stating) Totals(ctx context.Context) (credit.Totals, error) {
	if s.totals == nil {
		return s.Statements.Totals(ctx)
	}
	return s.totals(ctx, s.Statements)
}

// rereadingAudit reads what is committed now, each time.
type rereadingAudit struct {
	ports.Audit
	store ports.Store
}

func (r rereadingAudit) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	now, err := snapshotOf(ctx, r.store)
	if err != nil {
		return nil, err
	}
	return now.Audit.Lines(ctx, after, limit)
}

func (r rereadingAudit) Entry(ctx context.Context, account, seq int64) (ports.Audited[credit.Movement], error) {
	now, err := snapshotOf(ctx, r.store)
	if err != nil {
		return ports.Audited[credit.Movement]{}, err
	}
	return now.Audit.Entry(ctx, account, seq)
}

// auditing finds records in another way, where it has one.
type auditing struct {
	ports.Audit
	page     func(after int64, limit int) (int64, int) // asked instead
	answer   func(ids []int64, limit int) []int64      // of a page, those that are shown
	entry    func(ctx context.Context, account, seq int64, sound ports.Audit) (ports.Audited[credit.Movement], error)
	movement func(ctx context.Context, id int64, sound ports.Audit) (ports.Audited[credit.Movement], error)
}

func asked[R any](ctx context.Context, a auditing, after int64, limit int, sound func(ctx context.Context, after int64, limit int) ([]ports.Audited[R], error)) ([]ports.Audited[R], error) {
	if a.page != nil {
		after, limit = a.page(after, limit)
	}
	page, err := sound(ctx, after, limit)
	if err != nil || a.answer == nil {
		return page, err
	}
	records := map[int64]ports.Audited[R]{}
	var ids []int64
	for _, found := range page {
		records[found.ID] = found
		ids = append(ids, found.ID)
	}
	var shown []ports.Audited[R]
	for _, id := range a.answer(ids, limit) {
		found := records[id]
		found.ID = id
		shown = append(shown, found)
	}
	return shown, nil
}

func (a auditing) Accounts(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Account], error) {
	return asked(ctx, a, after, limit, a.Audit.Accounts)
}

func (a auditing) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return asked(ctx, a, after, limit, a.Audit.Lines)
}

func (a auditing) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return asked(ctx, a, after, limit, a.Audit.Movements)
}

func (a auditing) Entry(ctx context.Context, account, seq int64) (ports.Audited[credit.Movement], error) {
	if a.entry == nil {
		return a.Audit.Entry(ctx, account, seq)
	}
	return a.entry(ctx, account, seq, a.Audit)
}

func (a auditing) Movement(ctx context.Context, id int64) (ports.Audited[credit.Movement], error) {
	if a.movement == nil {
		return a.Audit.Movement(ctx, id)
	}
	return a.movement(ctx, id, a.Audit)
}

// allMovements reads the whole ledger.
func allMovements(ctx context.Context, a ports.Audit) (all []credit.Movement, err error) {
	page, err := a.Movements(ctx, 0, 100_000)
	for _, found := range page {
		all = append(all, found.Record)
	}
	return all, err
}

func brokenLedgers() (all []broken) {
	const order, own = "statements-are-newest-first", "statements-show-own-movements"
	states := func(how string, statement func(ctx context.Context, account, before int64, limit int, sound ports.Statements) ([]credit.Movement, error), checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound ports.Store) ports.Store {
			return patchedView(sound, func(s *ports.Snapshot) { s.Ledger = stating{s.Ledger, statement, nil} })
		}})
	}
	states("ignores before", func(ctx context.Context, account, _ int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		return sound.Statement(ctx, account, 0, limit)
	}, order)
	states("begins a statement with before itself", func(ctx context.Context, account, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		if before > 0 {
			before++
		}
		return sound.Statement(ctx, account, before, limit)
	}, order)
	states("states nothing from the newest on", func(ctx context.Context, account, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		if before == 0 {
			return nil, nil
		}
		return sound.Statement(ctx, account, before, limit)
	}, order, own)
	states("states one movement too many", func(ctx context.Context, account, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		return sound.Statement(ctx, account, before, limit+1)
	}, order)
	states("states the oldest first", func(ctx context.Context, account, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		movements, err := sound.Statement(ctx, account, before, 100_000)
		slices.Reverse(movements)
		return movements[:min(limit, len(movements))], err
	}, order, own)
	states("states in the order of ids", func(ctx context.Context, account, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		movements, err := sound.Statement(ctx, account, before, limit)
		slices.SortFunc(movements, func(a, b credit.Movement) int { return int(b.ID - a.ID) })
		return movements, err
	}, order, own)
	states("takes before for an id", func(ctx context.Context, account, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		movements, err := sound.Statement(ctx, account, 0, 100_000)
		movements = slices.DeleteFunc(movements, func(m credit.Movement) bool { return before != 0 && m.ID >= before })
		return movements[:min(limit, len(movements))], err
	}, order)
	states("states the movements of account 1 to everybody else", func(ctx context.Context, account, before int64, limit int, sound ports.Statements) ([]credit.Movement, error) {
		movements, err := sound.Statement(ctx, account, before, limit)
		if err == nil && len(movements) == 0 {
			return sound.Statement(ctx, 1, before, limit)
		}
		return movements, err
	}, own)
	for how, concerns := range map[string]func(m credit.Movement, account int64) bool{
		"states what everybody moved":            func(credit.Movement, int64) bool { return true },
		"states what left an account only":       func(m credit.Movement, account int64) bool { return m.Source.AccountID() == account },
		"states what reached an account only":    func(m credit.Movement, account int64) bool { return m.Target.AccountID() == account },
		"states no admin's lines":                func(m credit.Movement, account int64) bool { return !m.Change(account).IsZero() },
		"states the first account of a movement": func(m credit.Movement, account int64) bool { return m.Entries[0].Account == account },
		"states what is issued to its actor": func(m credit.Movement, account int64) bool {
			_, concerned := m.Entry(account)
			return concerned || m.Actor == account
		},
	} {
		all = append(all, broken{how: how, caught: caughtBy(own), sabotage: func(sound ports.Store) ports.Store {
			return patchedView(sound, func(s *ports.Snapshot) {
				audit := s.Audit
				s.Ledger = stating{s.Ledger, func(ctx context.Context, account, _ int64, limit int, _ ports.Statements) ([]credit.Movement, error) {
					movements, err := allMovements(ctx, audit)
					movements = slices.DeleteFunc(movements, func(m credit.Movement) bool { return !concerns(m, account) })
					// The ids of a book run against its numbers.
					return movements[:min(limit, len(movements))], err
				}, nil}
			})
		}})
	}

	sums := func(how string, change func(ctx context.Context, t *credit.Totals, s ports.Snapshot) error, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound ports.Store) ports.Store {
			return patchedView(sound, func(s *ports.Snapshot) {
				snapshot := *s
				s.Ledger = stating{s.Ledger, nil, func(ctx context.Context, sound ports.Statements) (credit.Totals, error) {
					t, err := sound.Totals(ctx)
					return t, errors.Join(err, change(ctx, &t, snapshot))
				}}
			})
		}})
	}
	// A sum over movements in place of the sound one.
	moved := func(how string, into func(t *credit.Totals) *decimal.Decimal, part func(m credit.Movement) decimal.Decimal, checks ...string) {
		sums(how, func(ctx context.Context, t *credit.Totals, s ports.Snapshot) error {
			movements, err := allMovements(ctx, s.Audit)
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
		return when(m, m.Target.AccountID() != 0).Sub(when(m, m.Source.AccountID() != 0))
	}, sound, wide)
	for name, into := range map[string]func(t *credit.Totals) *decimal.Decimal{"issued": issued, "consumed": consumed} {
		moved("forgets credits "+name, into, func(credit.Movement) decimal.Decimal { return decimal.Decimal{} }, sound, exact)
		sums("sums credits "+name+" as floats", func(_ context.Context, t *credit.Totals, _ ports.Snapshot) error {
			units, _ := into(t).Shift(credit.Scale).Float64()
			*into(t) = decimal.NewFromFloat(units).Shift(-credit.Scale)
			return nil
		}, exact)
		sums("sums whole credits "+name, func(_ context.Context, t *credit.Totals, _ ports.Snapshot) error {
			*into(t) = into(t).Truncate(0)
			return nil
		}, sound, exact)
	}
	sums("sums balances in 64 bits", func(_ context.Context, t *credit.Totals, _ ports.Snapshot) error {
		t.Balances = decimal.New(t.Balances.Shift(credit.Scale).BigInt().Int64(), -credit.Scale)
		return nil
	}, wide)
	sums("sums balances as floats", func(_ context.Context, t *credit.Totals, _ ports.Snapshot) error {
		units, _ := t.Balances.Shift(credit.Scale).Float64()
		t.Balances = decimal.NewFromFloat(units).Shift(-credit.Scale)
		return nil
	}, wide)
	sums("counts entries as movements", func(ctx context.Context, t *credit.Totals, s ports.Snapshot) error {
		movements, err := allMovements(ctx, s.Audit)
		t.Movements = 0
		for _, m := range movements {
			t.Movements += int64(len(m.Entries))
		}
		return err
	}, sound)
	sums("leaves the blocked out of the balances", func(ctx context.Context, t *credit.Totals, s ports.Snapshot) error {
		page, err := s.Audit.Accounts(ctx, 0, 100_000)
		for _, found := range page {
			if a := found.Record.State(); a.Blocked {
				t.Balances = t.Balances.Sub(a.Credits.Decimal())
			}
		}
		return err
	}, sound)
	sums("can't sum nothing", func(_ context.Context, t *credit.Totals, _ ports.Snapshot) error {
		if t.Movements == 0 {
			return errors.New("the sum of no rows is null")
		}
		return nil
	}, sound, wide)

	const pages, end = "audits-show-every-record", "audits-end-in-an-empty-page"
	audits := func(how string, with auditing, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound ports.Store) ports.Store {
			return patchedView(sound, func(s *ports.Snapshot) {
				a := with
				a.Audit = s.Audit
				s.Audit = a
			})
		}})
	}
	audits("audits from the beginning on every page", auditing{page: func(_ int64, limit int) (int64, int) { return 0, limit }}, pages)
	audits("audits from after itself", auditing{page: func(after int64, limit int) (int64, int) { return after - 1, limit }}, pages)
	audits("skips a record between pages of an audit", auditing{page: func(after int64, limit int) (int64, int) { return after + 1, limit }}, pages)
	audits("audits one record too many", auditing{page: func(after int64, limit int) (int64, int) { return after, limit + 1 }}, pages)
	audits("audits backwards", auditing{answer: func(ids []int64, _ int) []int64 { slices.Reverse(ids); return ids }}, pages)
	audits("audits full pages only", auditing{answer: func(ids []int64, limit int) []int64 {
		if len(ids) < limit {
			return nil
		}
		return ids
	}}, pages)
	audits("finds a record where there is none", auditing{answer: func(ids []int64, _ int) []int64 {
		if len(ids) == 0 {
			return []int64{1}
		}
		return ids
	}}, end)
	absentAs := func(err error) error {
		if errors.Is(err, fault.ErrNotFound) {
			return errors.New("no such row")
		}
		return err
	}
	const byNumber, byID = "audits-find-movements-by-their-number", "audits-find-movements-by-their-id"
	audits("has an error of its own for a number", auditing{entry: func(ctx context.Context, account, seq int64, sound ports.Audit) (ports.Audited[credit.Movement], error) {
		found, err := sound.Entry(ctx, account, seq)
		return found, absentAs(err)
	}}, byNumber)
	audits("finds nothing under a number and says nothing", auditing{entry: func(ctx context.Context, account, seq int64, sound ports.Audit) (ports.Audited[credit.Movement], error) {
		found, err := sound.Entry(ctx, account, seq)
		return found, absent(err)
	}}, byNumber)
	audits("numbers movements of all accounts in one series", auditing{entry: func(ctx context.Context, _, seq int64, sound ports.Audit) (ports.Audited[credit.Movement], error) {
		return sound.Movement(ctx, seq)
	}}, byNumber)
	audits("counts from 0", auditing{entry: func(ctx context.Context, account, seq int64, sound ports.Audit) (ports.Audited[credit.Movement], error) {
		return sound.Entry(ctx, account, seq+1)
	}}, byNumber)
	audits("finds the last movement under any number", auditing{entry: func(ctx context.Context, account, seq int64, sound ports.Audit) (ports.Audited[credit.Movement], error) {
		for ; seq > 0; seq = min(seq-1, 1_000) {
			if found, err := sound.Entry(ctx, account, seq); err == nil {
				return found, nil
			}
		}
		return ports.Audited[credit.Movement]{}, fault.ErrNotFound
	}}, byNumber)
	audits("forgets the id of what it finds under a number", auditing{entry: func(ctx context.Context, account, seq int64, sound ports.Audit) (ports.Audited[credit.Movement], error) {
		found, err := sound.Entry(ctx, account, seq)
		found.ID = 0
		return found, err
	}}, byNumber)
	audits("has an error of its own for an id", auditing{movement: func(ctx context.Context, id int64, sound ports.Audit) (ports.Audited[credit.Movement], error) {
		found, err := sound.Movement(ctx, id)
		return found, absentAs(err)
	}}, byID)
	audits("finds nothing under an id and says nothing", auditing{movement: func(ctx context.Context, id int64, sound ports.Audit) (ports.Audited[credit.Movement], error) {
		found, err := sound.Movement(ctx, id)
		return found, absent(err)
	}}, byID)
	audits("finds the movement after an id", auditing{movement: func(ctx context.Context, id int64, sound ports.Audit) (ports.Audited[credit.Movement], error) {
		page, err := sound.Movements(ctx, id, 1)
		if err != nil || len(page) == 0 {
			return ports.Audited[credit.Movement]{}, fault.ErrNotFound
		}
		return page[0], nil
	}}, byID)
	audits("finds every movement damaged", auditing{movement: func(ctx context.Context, id int64, sound ports.Audit) (ports.Audited[credit.Movement], error) {
		found, err := sound.Movement(ctx, id)
		found.Damage = errors.New("damaged")
		return found, err
	}}, byID)
	return all
}
