package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

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

// appendAll appends entries in one update, and begins the journal if necessary.
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

// TestADamagedEntryIsNamedAndTheRestIsRead damages an entry that is in lists, and one that is in no list yet.
func TestADamagedEntryIsNamedAndTheRestIsRead(t *testing.T) {
	t.Parallel()
	for edited, mention := range map[string]string{
		"entry = entry || ' '":                    "encodes otherwise",
		"entry = json_remove(entry, '$.path[0]')": "",
		"type = 'line.sold'":                      "line.sold",
	} {
		s := holding(t)
		appendAll(t, s)
		appendAll(t, s, slices.Repeat([]journal.Entry{started(2)}, sqlitestore.ListedAtOnce)...)
		appendAll(t, s, started(2))
		last := int64(sqlitestore.ListedAtOnce + 2) // with the one that begins the journal
		edit(t, s, fmt.Sprintf("UPDATE journal SET %s WHERE seq IN (5, %d)", edited, last))
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
		page := events(t, s, ports.EventQuery{Of: ports.EventScope{Account: 2}, Limit: 500})
		expect.DeepEqual(t, page.Damaged, []int64{5}, "%v", edited)
		expect.DeepEqual(t, len(page.Entries), int(last)-2, "%v", edited)
		page = events(t, s, ports.EventQuery{Limit: 500})
		expect.DeepEqual(t, page.Damaged, []int64{5, last}, "%v", edited)
		expect.DeepEqual(t, len(page.Entries), int(last)-1, "%v", edited)
	}
}
