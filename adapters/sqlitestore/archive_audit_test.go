package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// ledgerOf returns a store with an admin, a master with credits, a line that the
// master paid for and one that the admin did: movements 1 to 4.
func ledgerOf(t *testing.T) *sqlitestore.Store {
	t.Helper()
	root, owner := admin(), master(2)
	lines := []*line.Line{fixture.Trial(owner, 1), fixture.Trial(root, 2)}
	most, price := credit.MaxMovement().String(), credit.Prices()[0].Credits().String()
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

// edit does what somebody with the sqlite3 command line can, who makes again what keeps movements from that.
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

// TestADamagedRecordIsNamedAndTheRestIsRead damages a record of each kind. rows.FuzzRows does so with each column.
func TestADamagedRecordIsNamedAndTheRestIsRead(t *testing.T) {
	t.Parallel()
	for edited, about := range map[string]struct{ damaged, mention string }{
		"UPDATE accounts SET path = '/x/' WHERE id = 2": {
			"account 2", "path"},
		"UPDATE accounts SET credits = 1 WHERE id = 1": {
			"account 1", "admin"},
		// of a balance that is not low
		`UPDATE accounts SET extra = '{"alert_below":1,"alert_told":true}' WHERE id = 2`: {"account 2", "alert"},
		`UPDATE accounts SET extra = '{"alert_told":true}' WHERE id = 2`: {
			"account 2", "alert"},
		`UPDATE accounts SET extra = '{"alert_below":1}' WHERE id = 1`: {
			"account 1", "alert"},
		`UPDATE accounts SET extra = '{"alert_below":0}' WHERE id = 2`: {
			"account 2", "not how it is written"},
		"UPDATE lines SET charge = NULL WHERE id = 1": {
			"line 1", "paid"},
		"UPDATE lines SET trial = 7 WHERE id = 2": {
			"line 2", "trial"},
		"UPDATE movements SET amount = 0 WHERE id = 2": {
			"movement 2", "more than 0"},
		"UPDATE movements SET source_system = NULL WHERE id = 2": {
			"movement 2", "party"},
		"UPDATE movements SET target_link = x'00' WHERE id = 2": {
			"movement 2", "target_link"},
		"UPDATE movements SET source_account = 2, source_seq = 2, source_link = randomblob(32) WHERE id = 4": {
			"movement 2, movement 4", "same number"},
		"DROP INDEX movements_target; UPDATE movements SET target_seq = 1 WHERE id = 2": {
			"movement 1, movement 2", "same number"},
		retyped("accounts", "credits       INTEGER", "credits ANY") +
			"UPDATE accounts SET credits = 'plenty' WHERE id = 2": {"account 2", "credits"},
	} {
		s := ledgerOf(t)
		edit(t, s, edited)
		want := strings.Split(about.damaged, ", ")
		found := audited(t, s)
		expect.DeepEqual(t, len(found), 8, "records after %v", edited)
		for name, damage := range found {
			if !strings.Contains(about.damaged, name) {
				expect.Error(t, damage, nil, "%v after %v", name, edited)
			}
		}
		for _, name := range want {
			wantMention(t, found[name], about.mention, name, " after ", edited)
		}
	}
}

// rootOf returns the number of the first page of a table or index, from 1, and how large pages are.
func rootOf(t *testing.T, s *sqlitestore.Store, name string) (root, size int) {
	t.Helper()
	must(t, s.OnWriter(func(c sqlitestore.Raw) error {
		return c.Ask("SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = '"+name+"'", &root, &size)
	}))
	return root, size
}

// swapped returns the bytes of a database in which the first page of a table or index, which is a leaf, has two of its
// cells in each other's place.
func swapped(t *testing.T, s *sqlitestore.Store, path, name string, one, other int) []byte {
	t.Helper()
	root, size := rootOf(t, s, name)
	must(t, s.Close())
	file, err := os.ReadFile(path)
	must(t, err)
	page := file[(root-1)*size:][:size]
	if leaf := page[0] == 0x0d || page[0] == 0x0a; !leaf {
		t.Fatalf("page %d of %s is no leaf: its first byte is %x", root, name, page[0])
	}
	cells := page[8:] // two bytes for where each begins
	for i := range 2 {
		cells[2*one+i], cells[2*other+i] = cells[2*other+i], cells[2*one+i]
	}
	return file
}

// TestAPageThatBeginsAnewIsRefused, for who reads page by page would read it for ever.
func TestAPageThatBeginsAnewIsRefused(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(context.Context, ports.Records) error{
		"accounts": func(ctx context.Context, r ports.Records) error {
			_, err := r.Resellers(ctx, 3, 9)
			return err
		},
		"idempotency_keys": func(ctx context.Context, r ports.Records) error {
			_, err := r.KeyRecords(ctx, 0, "", 9)
			return err
		},
	} {
		path := newPath(t)
		s := open(t, path)
		insert(t, s, admin(), master(2), master(3), master(4))
		for id := range int64(4) {
			putKey(t, s, id+1)
		}
		must(t, s.ViewRecords(t.Context(), read), name)
		damaged := swapped(t, s, path, name, 1, 2)
		must(t, os.WriteFile(path, damaged, 0o600))
		err := openArchive(t, path).ViewRecords(t.Context(), read)
		expect.Error(t, err, storekit.ErrDamaged, "%s", name)
	}
}

func TestAnArchiveFindsWhatAListShowsAndLacks(t *testing.T) {
	t.Parallel()
	for edited, want := range map[string]string{
		"SELECT 1":                                     "",
		"INSERT INTO line_ids VALUES (-2, 7)":          "line 7: list -2, which it does not belong to, shows it",
		"DELETE FROM account_lists WHERE account = 2":  "account 2: a list that it belongs to does not show it",
		"UPDATE line_expiries SET expiry = expiry + 1": "line 1: a list that it belongs to does not show it, or not where it belongs",
		"UPDATE line_names SET name = name || 'x'":     "line 1: a list that it belongs to does not show it, or not where it belongs",
		"DELETE FROM line_names WHERE scope = 1":       "line 1: a list that it belongs to does not show it, or not where it belongs",
		"INSERT INTO line_names VALUES (-2, 'x', 1)":   "line 1: list -2 shows it where it does not belong",
		"INSERT INTO line_names VALUES (-2, 'x', 7)":   "line 7: list -2 shows it where it does not belong",
		"DELETE FROM line_expiries WHERE scope = -2":   "line 1: a list that it belongs to does not show it, or not where it belongs",
	} {
		path := newPath(t)
		s := open(t, path)
		insert(t, s, admin(), master(2))
		put(t, s, fixture.Trial(master(2), 1))
		edit(t, s, edited)
		got := strings.Join(derived(t, openArchive(t, path)), "\n")
		if !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: found %q, want %q", edited, got, want)
		}
	}
}

// retyped returns statements that change a column of a table as those who edit the
// schema itself can.
func retyped(table, from, to string) string {
	return "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '" + from + "', '" + to +
		"') WHERE name = '" + table + "'; PRAGMA writable_schema = RESET; "
}

func TestADamagedMovementIsFoundByNumberToo(t *testing.T) {
	t.Parallel()
	const twice = "source_account = 2, source_balance = 0, source_link = randomblob(32)"
	for edited, about := range map[string]struct {
		seq     int64
		mention string
	}{
		"UPDATE movements SET amount = 0 WHERE id = 3":                                                 {3, "more than 0"},
		"UPDATE movements SET " + twice + ", source_seq = 2 WHERE id = 4":                              {2, "same number"},
		"DROP INDEX movements_source; UPDATE movements SET " + twice + ", source_seq = 3 WHERE id = 4": {3, "same number"},
	} {
		s := ledgerOf(t)
		edit(t, s, edited)
		n := ports.PostingID{Reseller: 2, Seq: about.seq}
		must(t, s.ViewRecords(t.Context(), func(ctx context.Context, s ports.Records) error {
			found, err := s.MovementsByPosting(ctx, []ports.PostingID{n})
			wantMention(t, found[n].Damage, about.mention, edited)
			return err
		}))
	}
}

// TestMovementsAreFoundByNumberBehindTheirPage asks for numbers of account 2, which has
// movements 1 to 3, with the page that has them and after it.
func TestMovementsAreFoundByNumberBehindTheirPage(t *testing.T) {
	t.Parallel()
	s := ledgerOf(t)
	must(t, s.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		for _, after := range []int64{0, 3, 4, 4} {
			_, err := r.Movements(ctx, after, 3)
			must(t, err)
			for seq, want := range map[int64]int64{1: 1, 2: 2, 3: 3, 4: 0} {
				number := ports.PostingID{Reseller: 2, Seq: seq}
				found, err := r.MovementsByPosting(ctx, []ports.PostingID{number})
				must(t, err)
				expect.DeepEqual(t, found[number].ID, want, "number %v after %v", seq, after)
			}
		}
		return nil
	}))
}
