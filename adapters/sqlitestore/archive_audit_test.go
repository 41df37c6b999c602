package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// ledgerOf returns a store with an administrator, a reseller with credits, and two lines: the reseller paid for one,
// the administrator for the other. These are movements 1 to 4.
func ledgerOf(t *testing.T) *sqlitestore.Store {
	t.Helper()
	root, owner := admin(), master(2)
	lines := []*line.Line{fixture.Trial(owner, 1), fixture.Trial(root, 2)}
	most, price := credit.MaxMovement().String(), fixture.Prices()[0].Credits.String()
	var made fixture.Ledger
	made.Fund(root, owner, most)
	made.Fund(root, owner, most)
	made.Activate(lines[0], owner, price)
	made.Activate(lines[1], root, price)
	s := holding(t, root, owner)
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		errs := []error{tx.Lines.Insert(ctx, lines[0]), tx.Lines.Insert(ctx, lines[1])}
		for _, m := range made.Movements {
			errs = append(errs, tx.Ledger.Append(ctx, m))
		}
		return errors.Join(errs...)
	}))
	return s
}

// edit runs statements like a user of the sqlite3 command line. It drops the triggers that protect movements first, and
// makes them again.
func edit(t *testing.T, s *sqlitestore.Store, statements ...string) {
	t.Helper()
	triggers := map[string]string{}
	must(t, s.OnWriter(func(c sqlitestore.Raw) error {
		for _, name := range []string{"movements_are_never_changed", "movements_are_never_removed",
			"entries_are_never_changed", "entries_are_never_removed"} {
			var sql string
			if err := c.Ask("SELECT sql FROM sqlite_schema WHERE name = '"+name+"'", &sql); err != nil {
				return err
			}
			triggers["DROP TRIGGER "+name] = sql
		}
		return nil
	}))
	free := append(slices.Collect(maps.Keys(triggers)), "PRAGMA ignore_check_constraints = ON",
		"PRAGMA foreign_keys = OFF")
	for _, statement := range slices.Concat(free, statements, slices.Collect(maps.Values(triggers))) {
		if strings.Contains(statement, "writable_schema") {
			must(t, s.FromOutside(statement), statement)
			continue
		}
		execute(t, s, statement)
	}
}

// audited reads the whole store and returns the damage of each record by its name.
func audited(t *testing.T, s *sqlitestore.Store) map[string]error {
	t.Helper()
	found := map[string]error{}
	must(t, s.ViewRecords(t.Context(), func(ctx context.Context, s ports.Records) error {
		clear(found)
		return errors.Join(
			pages(ctx, t, "account", s.Resellers, s.ResellersByID, found),
			pages(ctx, t, "line", s.Lines, s.LinesByID, found),
			pages(ctx, t, "movement", s.Movements, s.MovementsByID, found),
		)
	}))
	return found
}

func pages[R any](
	ctx context.Context, t *testing.T, kind string, page func(context.Context, int64, int) ([]ports.Audited[R], error),
	named func(context.Context, []int64) (map[int64]ports.Audited[R], error), found map[string]error,
) error {
	t.Helper()
	for after := int64(0); ; {
		records, err := page(ctx, after, 1)
		if err != nil || len(records) == 0 {
			return err
		}
		for _, r := range records {
			after = r.ID
			found[fmt.Sprint(kind, " ", r.ID)] = r.Damage
			byID, err := named(ctx, []int64{r.ID})
			if err != nil {
				return err
			}
			expect.DeepEqual(t, byID[r.ID].ID, r.ID, "%v by its id", kind)
			expect.DeepEqual(t, fmt.Sprint(byID[r.ID].Damage), fmt.Sprint(r.Damage), "damage of %v by its id", kind)
		}
	}
}

// TestADamagedRecordIsNamedAndTheRestIsRead damages records of each kind. rows.FuzzRows does so with each column.
func TestADamagedRecordIsNamedAndTheRestIsRead(t *testing.T) {
	t.Parallel()
	const twice = "UPDATE movements SET source_account = 2, source_balance = 0, source_link = randomblob(32), source_seq = "
	for edited, about := range map[string]struct {
		damaged, mention string
		seq              int64 // by which account 2 has the movement
	}{
		"UPDATE accounts SET path = '/x/' WHERE id = 2":                                  {"account 2", "path", 0},
		`UPDATE accounts SET extra = '{"alert_below":1,"alert_told":true}' WHERE id = 2`: {"account 2", "alert", 0},
		"UPDATE lines SET charge = NULL WHERE id = 1":                                    {"line 1", "paid", 0},
		"UPDATE movements SET amount = 0 WHERE id = 3":                                   {"movement 3", "more than 0", 3},
		"UPDATE movements SET source_system = NULL WHERE id = 2":                         {"movement 2", "party", 2},
		twice + "2 WHERE id = 4":                                                         {"movement 2, movement 4", "same number", 2},
		"DROP INDEX movements_target; UPDATE movements SET target_seq = 1 WHERE id = 2": {
			"movement 1, movement 2", "same number", 1},
		"DROP INDEX movements_source; " + twice + "3 WHERE id = 4": {"movement 3, movement 4", "same number", 3},
		"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'credits       INTEGER', 'credits ANY') " +
			"WHERE name = 'accounts'; PRAGMA writable_schema = RESET; UPDATE accounts SET credits = 'plenty' WHERE id = 2": {
			"account 2", "credits", 0},
	} {
		s := ledgerOf(t)
		edit(t, s, edited)
		found := audited(t, s)
		expect.DeepEqual(t, len(found), 8, "records after %v", edited)
		for name, damage := range found {
			if !strings.Contains(about.damaged, name) {
				expect.Error(t, damage, nil, "%v after %v", name, edited)
			}
		}
		for name := range strings.SplitSeq(about.damaged, ", ") {
			wantMention(t, found[name], about.mention, name, " after ", edited)
		}
		if about.seq == 0 {
			continue
		}
		n := ports.PostingID{Reseller: 2, Seq: about.seq}
		must(t, s.ViewRecords(t.Context(), func(ctx context.Context, s ports.Records) error {
			found, err := s.MovementsByPosting(ctx, []ports.PostingID{n})
			wantMention(t, found[n].Damage, about.mention, edited)
			return err
		}))
	}
}

// rootOf returns the number of the first page of a table or index, from 1, and the size of pages.
func rootOf(t *testing.T, s *sqlitestore.Store, name string) (root, size int) {
	t.Helper()
	must(t, s.OnWriter(func(c sqlitestore.Raw) error {
		return c.Ask("SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = '"+name+"'", &root, &size)
	}))
	return root, size
}
