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
	keysByTheirNames  = "pages of keys"
	auditedTotals     = "totals"
)

func waysToRead() []string {
	return []string{
		auditedResellers, auditedLines, auditedTombstones, auditedMovements, resellersByID, linesByID,
		tombstonesByLine, movementsByID, movementsByNumber, keysByTheirNames, auditedTotals,
	}
}

// rereadingAudit reads in one way what is committed now, each time.
type rereadingAudit struct {
	ports.Records
	store full
	what  string
}

func (r rereadingAudit) of(ctx context.Context, what string) ports.Records {
	if what != r.what {
		return r.Records
	}
	return currentRecords(ctx, r.store)
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

func (r rereadingAudit) KeyRecords(ctx context.Context, reseller int64, key string, limit int) ([]ports.KeyRecord, error) {
	return r.of(ctx, keysByTheirNames).KeyRecords(ctx, reseller, key, limit)
}

func (r rereadingAudit) Totals(ctx context.Context) (credit.Totals, error) {
	return r.of(ctx, auditedTotals).Totals(ctx)
}

// auditing finds records in another way, where it has one.
type auditing struct {
	ports.Records
	page   func(after int64, limit int) (int64, int) // asked instead
	answer func(ids []int64, limit int) []int64      // of a page, those that are shown
	named  map[string]misreading                     // by what is read
	// derived examines what leads to records instead.
	derived func(ctx context.Context, report func(finding string), sound ports.Records) error
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
	return asked(ctx, a, after, limit, a.Records.Resellers)
}

func (a auditing) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return asked(ctx, a, after, limit, a.Records.Lines)
}

func (a auditing) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return asked(ctx, a, after, limit, a.Records.Tombstones)
}

func (a auditing) Derived(ctx context.Context, report func(finding string)) error {
	if a.derived != nil {
		return a.derived(ctx, report, a.Records)
	}
	return a.Records.Derived(ctx, report)
}

func (a auditing) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return asked(ctx, a, after, limit, a.Records.Movements)
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
	return misread(ctx, a.named[resellersByID], a.Records.ResellersByID, ids)
}

func (a auditing) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	return misread(ctx, a.named[linesByID], a.Records.LinesByID, ids)
}

func (a auditing) TombstonesByLine(ctx context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return misread(ctx, a.named[tombstonesByLine], a.Records.TombstonesByLine, lines)
}

func (a auditing) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return misread(ctx, a.named[movementsByID], a.Records.MovementsByID, ids)
}

func (a auditing) MovementsByPosting(ctx context.Context, numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	return misread(ctx, a.named[movementsByNumber], a.Records.MovementsByPosting, numbers)
}

// summing sums in another way.
type summing struct {
	ports.Records
	change func(*credit.Totals)
}

func (s summing) Totals(ctx context.Context) (credit.Totals, error) {
	t, err := s.Records.Totals(ctx)
	s.change(&t)
	return t, err
}

func brokenArchives() (all []broken) {
	records := func(how string, patch func(r ports.Records, sound full) ports.Records, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound full) full {
			return patchedRecords(sound, func(r ports.Records) ports.Records { return patch(r, sound) })
		}})
	}
	for _, what := range waysToRead() {
		records("shows auditors what is newest: "+what, func(r ports.Records, sound full) ports.Records { return rereadingAudit{r, sound, what} }, "archives-are-of-one-snapshot")
	}
	for how, change := range map[string]func(t *credit.Totals){
		"sums no balances for auditors":          func(t *credit.Totals) { t.Balances = decimal.Decimal{} },
		"counts no movement for auditors":        func(t *credit.Totals) { t.Movements = 0 },
		"forgets for auditors what was issued":   func(t *credit.Totals) { t.Issued = decimal.Decimal{} },
		"forgets for auditors what was consumed": func(t *credit.Totals) { t.Consumed = decimal.Decimal{} },
	} {
		records(how, func(r ports.Records, _ full) ports.Records { return summing{r, change} }, "archives-show-sums")
	}
	viewing := func(how string, view func(ctx context.Context, look lookAtRecords, sound full) error, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound full) full {
			return &wrapped{full: sound, viewRecords: func(ctx context.Context, look lookAtRecords) error { return view(ctx, look, sound) }}
		}})
	}
	viewing("shows auditors nothing before updates have ended", func(ctx context.Context, look lookAtRecords, sound full) error {
		if err := sound.Update(ctx, func(context.Context, ports.Tx) error { return nil }); err != nil {
			return err
		}
		return sound.ViewRecords(ctx, look)
	}, "archives-show-no-open-update")
	viewing("tells auditors nothing of their own errors", func(ctx context.Context, look lookAtRecords, sound full) error {
		_ = sound.ViewRecords(ctx, look)
		return nil
	}, "archives-return-the-error-of-look")
	viewing("has an error of its own for auditors", func(ctx context.Context, look lookAtRecords, sound full) error {
		if err := sound.ViewRecords(ctx, look); err != nil {
			return errors.New("not so")
		}
		return nil
	}, "archives-return-the-error-of-look", "closed-archives-are-unavailable")
	viewing("shows its records after its end", func(ctx context.Context, look lookAtRecords, sound full) error {
		return instead(ports.ErrUnavailable, nil)(sound.ViewRecords(ctx, look))
	}, "closed-archives-are-unavailable")
	all = append(all, broken{how: "shows auditors what is not committed", sabotage: autocommit, caught: caughtBy("archives-show-no-open-update", "archives-show-no-refused-update")})

	const pages, end = "audits-show-every-record", "audits-end-in-an-empty-page"
	audits := func(how string, with auditing, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: by(patchedRecords, func(r ports.Records) ports.Records {
			a := with
			a.Records = r
			return a
		})})
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
	derives := func(how string, derived func(ctx context.Context, report func(finding string), sound ports.Records) error) {
		audits(how, auditing{derived: derived}, "audits-derive-what-was-written")
	}
	derives("can't derive anything", func(context.Context, func(string), ports.Records) error { return errors.New("not so") })
	derives("finds lists that lines have left", func(ctx context.Context, report func(finding string), sound ports.Records) error {
		page, err := sound.Tombstones(ctx, 0, 1)
		for _, f := range page {
			report("line " + strconv.FormatInt(f.ID, 10) + ": a list shows it")
		}
		return err
	})
	derives("finds names that accounts gave up", func(ctx context.Context, report func(finding string), sound ports.Records) error {
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
