package storetest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
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

// The ways to read in an audit.
const (
	auditedResellers  = "pages of accounts"
	auditedLines      = "pages of lines"
	auditedTombstones = "pages of tombstones"
	auditedMovements  = "pages of movements"
	resellersByID     = "accounts by their ids"
	linesByID         = "lines by their ids"
	tombstonesByLine  = "tombstones by their lines"
	movementsByID     = "movements by their ids"
	movementsByNumber = "movements by their numbers"
)

// rereadingAudit reads in one way what is committed now, each time.
type rereadingAudit struct {
	ports.Audit
	store ports.Store
	what  string
}

func (r rereadingAudit) of(ctx context.Context, what string) ports.Audit {
	if what != r.what {
		return r.Audit
	}
	now, err := snapshotOf(ctx, r.store)
	if err != nil {
		panic(err) // a store in memory that is open
	}
	return now.Audit
}

func (r rereadingAudit) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return r.of(ctx, auditedResellers).Resellers(ctx, after, limit)
}

func (r rereadingAudit) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return r.of(ctx, auditedLines).Lines(ctx, after, limit)
}

func (r rereadingAudit) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return r.of(ctx, auditedTombstones).Tombstones(ctx, after, limit)
}

func (r rereadingAudit) TombstonesByLine(ctx context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return r.of(ctx, tombstonesByLine).TombstonesByLine(ctx, lines)
}

func (r rereadingAudit) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return r.of(ctx, auditedMovements).Movements(ctx, after, limit)
}

func (r rereadingAudit) ResellersByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	return r.of(ctx, resellersByID).ResellersByID(ctx, ids)
}

func (r rereadingAudit) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	return r.of(ctx, linesByID).LinesByID(ctx, ids)
}

func (r rereadingAudit) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return r.of(ctx, movementsByID).MovementsByID(ctx, ids)
}

func (r rereadingAudit) MovementsByPosting(ctx context.Context, numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	return r.of(ctx, movementsByNumber).MovementsByPosting(ctx, numbers)
}

// auditing finds records in another way, where it has one.
type auditing struct {
	ports.Audit
	page   func(after int64, limit int) (int64, int) // asked instead
	answer func(ids []int64, limit int) []int64      // of a page, those that are shown
	named  map[string]misreading                     // by what is read
	// derived examines what leads to records instead.
	derived func(ctx context.Context, report func(finding string), sound ports.Audit) error
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

func (a auditing) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return asked(ctx, a, after, limit, a.Audit.Resellers)
}

func (a auditing) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return asked(ctx, a, after, limit, a.Audit.Lines)
}

func (a auditing) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return asked(ctx, a, after, limit, a.Audit.Tombstones)
}

func (a auditing) Derived(ctx context.Context, report func(finding string)) error {
	if a.derived != nil {
		return a.derived(ctx, report, a.Audit)
	}
	return a.Audit.Derived(ctx, report)
}

func (a auditing) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return asked(ctx, a, after, limit, a.Audit.Movements)
}

// misreading reads what is named in another way than the sound one, whatever kind
// of record and of name it is.
type misreading func(keys []any, sound func(keys []any) answer) (answer, error)

// answer is what is found, by what names it.
type answer map[any]ports.Audited[any]

func misread[K comparable, R any](ctx context.Context, how misreading, sound lookup[K, R], keys []K) (map[K]ports.Audited[R], error) {
	if how == nil {
		return sound(ctx, keys)
	}
	var failed error
	var asked []any
	for _, key := range keys {
		asked = append(asked, key)
	}
	found, err := how(asked, func(keys []any) answer {
		var typed []K
		for _, key := range keys {
			typed = append(typed, key.(K))
		}
		found := answer{}
		records, err := sound(ctx, typed)
		for key, r := range records {
			found[key] = ports.Audited[any]{ID: r.ID, Record: r.Record, Damage: r.Damage}
		}
		failed = errors.Join(failed, err)
		return found
	})
	records := map[K]ports.Audited[R]{}
	for key, f := range found {
		record, _ := f.Record.(R)
		records[key.(K)] = ports.Audited[R]{ID: f.ID, Record: record, Damage: f.Damage}
	}
	return records, errors.Join(failed, err)
}

func (a auditing) ResellersByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	return misread(ctx, a.named[resellersByID], a.Audit.ResellersByID, ids)
}

func (a auditing) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	return misread(ctx, a.named[linesByID], a.Audit.LinesByID, ids)
}

func (a auditing) TombstonesByLine(ctx context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return misread(ctx, a.named[tombstonesByLine], a.Audit.TombstonesByLine, lines)
}

func (a auditing) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return misread(ctx, a.named[movementsByID], a.Audit.MovementsByID, ids)
}

func (a auditing) MovementsByPosting(ctx context.Context, numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	return misread(ctx, a.named[movementsByNumber], a.Audit.MovementsByPosting, numbers)
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
	states := func(how string, statement func(ctx context.Context, reseller, before int64, limit int, sound ports.Statements) ([]credit.Movement, error), checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound ports.Store) ports.Store {
			return patchedView(sound, func(s *ports.Snapshot) { s.Ledger = stating{s.Ledger, statement, nil} })
		}})
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
		all = append(all, broken{how: how, caught: caughtBy(own), sabotage: func(sound ports.Store) ports.Store {
			return patchedView(sound, func(s *ports.Snapshot) {
				audit := s.Audit
				s.Ledger = stating{s.Ledger, func(ctx context.Context, reseller, _ int64, limit int, _ ports.Statements) ([]credit.Movement, error) {
					movements, err := allMovements(ctx, audit)
					movements = slices.DeleteFunc(movements, func(m credit.Movement) bool { return !concerns(m, reseller) })
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
		return when(m, m.Target.ResellerID() != 0).Sub(when(m, m.Source.ResellerID() != 0))
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
			t.Movements += int64(len(m.Postings))
		}
		return err
	}, sound)
	sums("leaves the blocked out of the balances", func(ctx context.Context, t *credit.Totals, s ports.Snapshot) error {
		page, err := s.Audit.Resellers(ctx, 0, 100_000)
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
	checkOf := map[string]string{
		resellersByID: "audits-find-accounts-by-their-id", linesByID: "audits-find-lines-by-their-id",
		tombstonesByLine: "audits-find-tombstones-by-their-line",
		movementsByID:    "audits-find-movements-by-their-id", movementsByNumber: "audits-find-movements-by-their-number",
	}
	derives := func(how string, derived func(ctx context.Context, report func(finding string), sound ports.Audit) error) {
		audits(how, auditing{derived: derived}, "audits-derive-what-was-written")
	}
	derives("can't derive anything", func(context.Context, func(string), ports.Audit) error { return errors.New("not so") })
	derives("finds lists that lines have left", func(ctx context.Context, report func(finding string), sound ports.Audit) error {
		page, err := sound.Tombstones(ctx, 0, 1)
		for _, f := range page {
			report("line " + strconv.FormatInt(f.ID, 10) + ": a list shows it")
		}
		return err
	})
	derives("finds names that accounts gave up", func(ctx context.Context, report func(finding string), sound ports.Audit) error {
		page, err := sound.Resellers(ctx, 0, 100_000)
		for _, f := range page {
			if f.Record.State().UpdatedAt.After(f.Record.State().CreatedAt) {
				report("account " + strconv.FormatInt(f.ID, 10) + ": it had another name")
			}
		}
		return err
	})
	reads := func(what, how string, with misreading) {
		audits(what+": "+how, auditing{named: map[string]misreading{what: with}}, checkOf[what])
	}
	for what := range checkOf {
		for how, with := range misreadings() {
			reads(what, how, with)
		}
	}
	number := func(how string, other func(n ports.PostingID) ports.PostingID) {
		reads(movementsByNumber, how, renamed(func(key any) any { return other(key.(ports.PostingID)) }))
	}
	number("numbers the movements of all accounts in one series", func(n ports.PostingID) ports.PostingID { return ports.PostingID{Reseller: 1, Seq: n.Seq} })
	number("counts from 0", func(n ports.PostingID) ports.PostingID {
		return ports.PostingID{Reseller: n.Reseller, Seq: n.Seq + 1}
	})
	reads(movementsByNumber, "finds the last movement under any number", orElse(func(key any) any {
		n := key.(ports.PostingID)
		return ports.PostingID{Reseller: n.Reseller, Seq: n.Seq - 1}
	}))
	number("mistakes the number for the account", func(n ports.PostingID) ports.PostingID { return ports.PostingID{Reseller: n.Seq, Seq: n.Reseller} })
	return all
}

// renamed finds under each key what is stored under another.
func renamed(other func(key any) any) misreading {
	return func(keys []any, sound func(keys []any) answer) (answer, error) {
		others := make([]any, len(keys))
		for i, key := range keys {
			others[i] = other(key)
		}
		stored, found := sound(others), answer{}
		for i, key := range keys {
			if f, there := stored[others[i]]; there {
				found[key] = f
			}
		}
		return found, nil
	}
}

// orElse finds what is stored under another key where there is nothing.
func orElse(other func(key any) any) misreading {
	return func(keys []any, sound func(keys []any) answer) (answer, error) {
		found, err := renamed(other)(keys, sound)
		maps.Copy(found, sound(keys))
		return found, err
	}
}

// misreadings are wrong in whatever way records are named.
func misreadings() map[string]misreading {
	next := func(key any) any {
		if n, numbered := key.(ports.PostingID); numbered {
			return ports.PostingID{Reseller: n.Reseller, Seq: n.Seq + 1}
		}
		return key.(int64) + 1
	}
	times := func(keys []any) map[any]int {
		times := map[any]int{}
		for _, key := range keys {
			times[key]++
		}
		return times
	}
	changed := func(change func(f *ports.Audited[any])) misreading {
		return func(keys []any, sound func(keys []any) answer) (answer, error) {
			found := sound(keys)
			for key, f := range found {
				change(&f)
				found[key] = f
			}
			return found, nil
		}
	}
	refusing := func(refuses func(keys []any, found answer) bool) misreading {
		return func(keys []any, sound func(keys []any) answer) (answer, error) {
			found := sound(keys)
			if refuses(keys, found) {
				return nil, errors.New("not so")
			}
			return found, nil
		}
	}
	asking := func(keep func(keys []any) []any) misreading {
		return func(keys []any, sound func(keys []any) answer) (answer, error) { return sound(keep(keys)), nil }
	}
	return map[string]misreading{
		"has an error for what is not there": refusing(func(keys []any, found answer) bool { return len(found) < len(times(keys)) }),
		"has an error where none is asked":   refusing(func(keys []any, _ answer) bool { return len(keys) == 0 }),
		"has an error for a name told twice": refusing(func(keys []any, _ answer) bool { return len(times(keys)) < len(keys) }),
		"has an error for many names":        refusing(func(keys []any, _ answer) bool { return len(keys) > 32_766 }),
		"leaves out a name told twice": asking(func(keys []any) []any {
			told := times(keys)
			return slices.DeleteFunc(keys, func(key any) bool { return told[key] > 1 })
		}),
		"takes a thousand names":        asking(func(keys []any) []any { return keys[:min(len(keys), 1_000)] }),
		"leaves out the last":           asking(func(keys []any) []any { return keys[:max(len(keys), 1)-1] }),
		"answers no more than ten":      asking(func(keys []any) []any { return keys[:min(len(keys), 10)] }),
		"takes names to come in order":  asking(func(keys []any) []any { return ordered(keys, 1) }),
		"takes names to come backwards": asking(func(keys []any) []any { return ordered(keys, -1) }),
		"shows the next one as well": asking(func(keys []any) []any {
			for _, key := range slices.Clone(keys) {
				keys = append(keys, next(key))
			}
			return keys
		}),
		"finds nothing":                            asking(func([]any) []any { return nil }),
		"forgets what it found":                    changed(func(f *ports.Audited[any]) { f.ID = 0 }),
		"forgets the record":                       changed(func(f *ports.Audited[any]) { f.Record = nil }),
		"finds damage":                             changed(func(f *ports.Audited[any]) { f.Damage = errors.New("damaged") }),
		"finds the next one":                       renamed(next),
		"finds the next one for what is not there": orElse(next),
		"shows what is not there": func(keys []any, sound func(keys []any) answer) (answer, error) {
			found := sound(keys)
			for _, key := range keys {
				if _, there := found[key]; !there {
					found[key] = ports.Audited[any]{}
				}
			}
			return found, nil
		},
	}
}

// ordered leaves out the keys that come after a later one, or before where
// direction is -1.
func ordered(keys []any, direction int) (kept []any) {
	for _, key := range keys {
		if len(kept) == 0 || direction*compareNames(kept[len(kept)-1], key) <= 0 {
			kept = append(kept, key)
		}
	}
	return kept
}

func compareNames(a, b any) int {
	if a, numbered := a.(ports.PostingID); numbered {
		b := b.(ports.PostingID)
		return cmp.Or(cmp.Compare(a.Reseller, b.Reseller), cmp.Compare(a.Seq, b.Seq))
	}
	return cmp.Compare(a.(int64), b.(int64))
}
