package sqlitestore_test

import (
	"strings"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/journal"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// contents returns every row of every table, by table, and the statements that made the schema.
func contents(t *testing.T, s *sqlitestore.Store) map[string]string {
	t.Helper()
	var made string
	must(t, s.OnWriter(func(c sqlitestore.Raw) error {
		return c.Ask("SELECT group_concat(sql, char(10)) FROM (SELECT sql FROM sqlite_schema ORDER BY name)", &made)
	}))
	tables := map[string]string{"": made}
	must(t, s.OnWriter(func(c sqlitestore.Raw) error {
		for {
			var table, row, rows string
			known := "''"
			for name := range tables {
				known += ", '" + name + "'"
			}
			err := c.Ask("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ("+known+")", &table)
			if err != nil || table == "" {
				return err
			}
			must(t, c.Ask("SELECT group_concat('quote(' || name || ')', '||'' ''||') FROM pragma_table_info('"+table+"')", &row))
			must(t, c.Ask("SELECT group_concat(r, char(10)) FROM (SELECT "+row+" AS r FROM "+table+" ORDER BY r)", &rows))
			tables[table] = rows
		}
	}))
	return tables
}

func repair(t *testing.T, s *sqlitestore.Store) []ports.RepairedList {
	t.Helper()
	repaired, err := s.RepairLists(t.Context())
	must(t, err)
	return repaired
}

func TestARepairRebuildsListsFromRecords(t *testing.T) {
	t.Parallel()
	s := repairable(t)
	sound := contents(t, s)
	expect.DeepEqual(t, derived(t, s), nil, "as it is")
	const lacks, misplaced = ": a list that it belongs to does not show it", ", or not where it belongs"
	for edited, want := range map[string]struct {
		found string // by an audit; "": what compares it with records finds it
		list  ports.RepairedList
	}{
		"DELETE FROM account_lists WHERE account = 2": {"account 2" + lacks, ports.RepairedList{List: "account_lists", Added: 4}},
		"INSERT INTO account_lists VALUES (2, 1)":     {"", ports.RepairedList{List: "account_lists", Removed: 1}},
		"DELETE FROM line_ids":                        {"", ports.RepairedList{List: "line_ids", Added: 2}},
		"INSERT INTO line_ids VALUES (-2, 7)": {"line 7: list -2, which it does not belong to, shows it",
			ports.RepairedList{List: "line_ids", Removed: 1}},
		"UPDATE line_expiries SET expiry = expiry + 1": {"line 1" + lacks + misplaced,
			ports.RepairedList{List: "line_expiries", Added: 2, Removed: 2}},
		"DELETE FROM line_expiries WHERE scope = 1": {"line 1" + lacks + misplaced,
			ports.RepairedList{List: "line_expiries", Added: 1}},
		"INSERT INTO line_expiries VALUES (-2, 0, 1)": {"line 1: list -2 shows it where it does not belong",
			ports.RepairedList{List: "line_expiries", Removed: 1}},
		"INSERT INTO line_expiries VALUES (-2, 0, 7)": {"line 7: list -2 shows it where it does not belong",
			ports.RepairedList{List: "line_expiries", Removed: 1}},
		"DELETE FROM journal_lists WHERE list = 1 AND seq = 5": {"entry 5 of the journal" + lacks,
			ports.RepairedList{List: "journal_lists", Added: 1}},
		"INSERT INTO journal_lists VALUES (3, 9, 5), (1, 2, 500)": {
			"entry 5 of the journal: list 3 of 9, which it does not belong to, shows it",
			ports.RepairedList{List: "journal_lists", Removed: 2}},
		"DELETE FROM record_index WHERE entry LIKE 'session/%'": {"", ports.RepairedList{List: "record_index", Added: 2}},
		"INSERT INTO record_index VALUES ('session/x', 'none')": {"", ports.RepairedList{List: "record_index", Removed: 1}},
		"UPDATE record_index SET key = 'x' WHERE entry LIKE 'session/%'": {"",
			ports.RepairedList{List: "record_index", Added: 2, Removed: 2}},
		"DELETE FROM journal_figures": {"", ports.RepairedList{List: "journal_figures", Added: 1}},
		"UPDATE journal_figures SET received_high = received_high + 1": {"",
			ports.RepairedList{List: "journal_figures", Added: 1, Removed: 1}},
		"INSERT INTO journal_figures SELECT 3, day, 1, 0, 0, 0, 0, 0, 0 FROM journal_figures": {"",
			ports.RepairedList{List: "journal_figures", Removed: 1}},
	} {
		edit(t, s, edited)
		expect.Contains(t, strings.Join(derived(t, s), "\n"), want.found, "%s", edited)
		expect.DeepEqual(t, repair(t, s), []ports.RepairedList{want.list}, "%s", edited)
		expect.DeepEqual(t, contents(t, s), sound, "%s", edited)
		expect.DeepEqual(t, repair(t, s), nil, "again after %s", edited)
	}
}

// repairable returns a store with an entry in every list, and with entries of the journal that are in no list yet.
func repairable(t *testing.T) *sqlitestore.Store {
	t.Helper()
	s := holding(t, admin(), master(2))
	put(t, s, fixture.Trial(master(2), 1))
	signIn(t, s, "a")
	var all []journal.Entry
	for movement := range int64(sqlitestore.ListedAtOnce) {
		all = append(all, crediting(2, movement+1))
	}
	appendAll(t, s, all...)
	appendAll(t, s, crediting(2, 1000))
	return s
}

func TestARepairChangesNoRecords(t *testing.T) {
	t.Parallel()
	for _, edited := range []string{
		// The entry is of a kind that this program does not know.
		"UPDATE accounts SET credits = 7 WHERE id = 2; UPDATE records SET payload = '{}';" +
			"INSERT INTO record_index VALUES ('later/x', 'x'); UPDATE sequences SET next = 900",
		"DELETE FROM journal WHERE seq = 5; UPDATE journal_figures SET extensions = 4",
		"UPDATE journal SET entry = replace(entry, '100000000', '7') WHERE seq = 5; UPDATE journal_figures SET extensions = 4",
	} {
		s := repairable(t)
		edit(t, s, edited)
		before := contents(t, s)
		for _, l := range repair(t, s) {
			if l.List != "journal_lists" { // an entry that is gone is in no list
				t.Errorf("%s: repaired %v", edited, l)
			}
		}
		after := contents(t, s)
		delete(before, "journal_lists")
		delete(after, "journal_lists")
		expect.DeepEqual(t, after, before, "%s", edited)
	}
}
