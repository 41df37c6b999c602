package sqlitestore_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// started is an entry about an account, with a movement of its id.
func started(account int64) journal.Entry {
	return journal.Entry{
		Type: journal.ResellerCredited, At: fixture.Noon, Account: fixture.Master(fixture.Admin(1), account).Position(),
		Actor: journal.Actor{Account: 1, Kind: journal.ByToken, Name: "admin"},
	}
}

func crediting(account, movement int64) journal.Entry {
	e := started(account)
	e.Movement = &journal.Movement{
		ID: movement, Operation: credit.Recharge, Amount: credit.MaxMovement(), Source: credit.Issuance,
		Target:   credit.Reseller(account),
		Balances: []journal.Balance{{Reseller: account, Credits: credit.MaxMovement()}},
	}
	return e
}

// appendAll appends entries in one update, and begins the journal where it has not begun.
func appendAll(t *testing.T, s *sqlitestore.Store, all ...journal.Entry) {
	t.Helper()
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		epoch, err := tx.Journal.Epoch(ctx)
		if err == nil && epoch == "" {
			err = tx.Journal.Begin(ctx, "", "0123abcd", journal.Entry{Type: journal.Began, At: fixture.Noon})
		}
		for _, e := range all {
			err = errors.Join(err, tx.Journal.Append(ctx, e))
		}
		return err
	}))
}

func events(t *testing.T, s *sqlitestore.Store, q ports.EventQuery) ports.EventPage {
	t.Helper()
	return seen(t, s, func(ctx context.Context, v ports.Snapshot) (ports.EventPage, error) {
		return v.Journal.List(ctx, q)
	})
}

func numbersOf(page ports.EventPage) (numbers []int64) {
	for _, n := range page.Entries {
		numbers = append(numbers, n.Seq)
	}
	return numbers
}

// TestProcessesAppendInTurn has two stores append to one journal, some of them commands that fail, past the numbers at
// which the latest entries are entered in lists.
func TestProcessesAppendInTurn(t *testing.T) {
	t.Parallel()
	path := emptyStore(t)
	stores := []*sqlitestore.Store{open(t, path), open(t, path)}
	appendAll(t, stores[0])
	movement, refused := int64(0), errors.New("refused")
	for round := range 60 {
		for _, s := range stores {
			for range round % 4 {
				movement++
				appendAll(t, s, crediting(2+movement%3, movement))
			}
			expect.Error(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
				return errors.Join(refused, tx.Journal.Append(ctx, crediting(2, movement+1)))
			}), refused)
		}
	}
	for _, s := range stores {
		must(t, s.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			var last journal.Head
			all, err := r.Entries(ctx, 0, 500)
			for _, found := range all {
				if found.Damage != nil || !found.Record.Follows(last) {
					t.Errorf("entry %d does not follow entry %d, %v", found.Record.Seq, last.Seq, found.Damage)
				}
				last = found.Record.Head
			}
			expect.DeepEqual(t, last.Seq, 1+movement, "entries")
			return errors.Join(err, r.Derived(ctx, func(finding string) { t.Errorf("it finds: %s", finding) }))
		}))
	}
}

// TestEntriesAreFoundBeforeTheyAreInLists pages through a list in either direction at each number of entries that are
// in none yet.
func TestEntriesAreFoundBeforeTheyAreInLists(t *testing.T) {
	t.Parallel()
	s := holding(t)
	appendAll(t, s)
	var of2 []int64
	for n := int64(2); n <= 140; n++ {
		appendAll(t, s, started(2+n%2))
		if n%2 == 0 {
			of2 = append(of2, n)
		}
		if n%7 != 0 && n < 125 {
			continue
		}
		for _, descending := range []bool{false, true} {
			var got []int64
			q := ports.EventQuery{Of: ports.EventScope{Tree: 2}, Descending: descending, Limit: 9}
			if n%3 == 0 {
				q.Types = []journal.Type{journal.ResellerCredited}
			}
			for more := true; more; {
				page := events(t, s, q)
				got = append(got, numbersOf(page)...)
				if more = page.Next != 0; descending {
					q.Before = page.Next
				} else {
					q.After = page.Next
				}
			}
			want := slices.Clone(of2)
			if descending {
				slices.Reverse(want)
			}
			expect.DeepEqual(t, got, want, "%+v", q)
		}
	}
}

// TestSumsOfCreditsAreExact credits more than an integer holds of the smallest unit, in parts and at once.
func TestSumsOfCreditsAreExact(t *testing.T) {
	t.Parallel()
	s := holding(t)
	sum := decimal.Zero
	var all []journal.Entry
	for movement := range int64(2_000) {
		all = append(all, crediting(2, 1+movement))
		sum = sum.Add(credit.MaxMovement().Decimal())
	}
	appendAll(t, s, all...)
	execute(t, s, "UPDATE journal_figures SET received_high = 9000000000000000")
	must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		found, err := v.Journal.Figures(ctx, []int64{2, 2}, fixture.Noon, fixture.Noon.AddDate(0, 0, 1))
		expect.DeepEqual(t, len(found), 1)
		whole := sum.Mod(decimal.New(1, 15-credit.Scale)).Add(decimal.New(9, 15+15-credit.Scale))
		expect.DeepEqual(t, found[0].Received.String(), whole.String())
		return err
	}))
}

// TestADamagedEntryIsNamedAndTheRestIsRead damages an entry that is in lists, and one that is in none yet.
func TestADamagedEntryIsNamedAndTheRestIsRead(t *testing.T) {
	t.Parallel()
	for edited, mention := range map[string]string{
		"entry = entry || ' '":                       "encodes otherwise",
		"entry = json_insert(entry, '$.later', 'x')": "encodes otherwise",
		"entry = json_remove(entry, '$.path[0]')":    "",
		"type = 'line.sold'":                         "line.sold",
		"epoch = 'ABCDEF01'":                         "epoch",
		"hash = x'00'":                               "hash",
	} {
		s := holding(t)
		appendAll(t, s)
		for range 70 {
			appendAll(t, s, started(2))
		}
		edit(t, s, "UPDATE journal SET "+edited+" WHERE seq IN (5, 70)")
		appendAll(t, s, started(2))
		must(t, s.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			found, err := r.Entries(ctx, 4, 2)
			must(t, err)
			if mention == "" { // it is another entry
				expect.Error(t, found[0].Damage, nil)
				expect.DeepEqual(t, found[0].Record.Follows(journal.Head{Seq: 4}), false)
				return nil
			}
			wantMention(t, found[0].Damage, mention)
			expect.Error(t, found[1].Damage, nil)
			return r.Derived(ctx, func(finding string) { t.Errorf("%s: it finds: %s", edited, finding) })
		}))
		if mention == "" {
			continue
		}
		page := events(t, s, ports.EventQuery{Of: ports.EventScope{Account: 2}, Limit: 100})
		expect.DeepEqual(t, page.Damaged, []int64{5}, "%v", edited)
		expect.DeepEqual(t, len(page.Entries), 71-2, "%v", edited)
		page = events(t, s, ports.EventQuery{Limit: 100})
		expect.DeepEqual(t, page.Damaged, []int64{5, 70}, "%v", edited)
		expect.DeepEqual(t, len(page.Entries), 72-2, "%v", edited)
	}
}

// TestAJournalWhoseEndIsGoneEndsWhereItDid removes entries that lists have.
func TestAJournalWhoseEndIsGoneEndsWhereItDid(t *testing.T) {
	t.Parallel()
	s := holding(t)
	for range 63 {
		appendAll(t, s, started(2))
	}
	edit(t, s, "DELETE FROM journal WHERE seq > 60")
	appendAll(t, s, started(2))
	must(t, s.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		head, err := r.Head(ctx)
		expect.DeepEqual(t, head.Seq, 65)
		found, err2 := r.Entries(ctx, 60, 10)
		expect.DeepEqual(t, len(found), 1)
		expect.DeepEqual(t, found[0].ID, 65, "no number is given again")
		return errors.Join(err, err2)
	}))
}
