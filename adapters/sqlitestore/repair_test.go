package sqlitestore_test

import (
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/domain/journal"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// contents returns every row of every table, by table.
func contents(t *testing.T, s *sqlitestore.Store) map[string]string {
	t.Helper()
	tables := map[string]string{}
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

func TestARepairMakesListsWhatTheRecordsMake(t *testing.T) {
	t.Parallel()
	for edited, want := range map[string]ports.RepairedList{
		"DELETE FROM account_lists WHERE account = 2":                                         {List: "account_lists", Added: 4},
		"INSERT INTO account_lists VALUES (2, 1)":                                             {List: "account_lists", Removed: 1},
		"DELETE FROM line_ids":                                                                {List: "line_ids", Added: 2},
		"INSERT INTO line_ids VALUES (-2, 7)":                                                 {List: "line_ids", Removed: 1},
		"UPDATE line_expiries SET expiry = expiry + 1":                                        {List: "line_expiries", Added: 2, Removed: 2},
		"DELETE FROM line_expiries WHERE scope = 1":                                           {List: "line_expiries", Added: 1},
		"UPDATE line_names SET name = name || 'x' WHERE scope = 1":                            {List: "line_names", Added: 1, Removed: 1},
		"INSERT INTO line_names VALUES (-2, 'x', 1)":                                          {List: "line_names", Removed: 1},
		"DELETE FROM journal_lists WHERE list = 1 AND seq = 5":                                {List: "journal_lists", Added: 1},
		"INSERT INTO journal_lists VALUES (3, 9, 5), (1, 2, 500)":                             {List: "journal_lists", Removed: 2},
		"DELETE FROM record_index WHERE entry LIKE 'session/%'":                               {List: "record_index", Added: 2},
		"INSERT INTO record_index VALUES ('session/x', 'none')":                               {List: "record_index", Removed: 1},
		"UPDATE record_index SET key = 'x' WHERE entry LIKE 'session/%'":                      {List: "record_index", Added: 2, Removed: 2},
		"DELETE FROM journal_figures":                                                         {List: "journal_figures", Added: 1},
		"UPDATE journal_figures SET received_high = received_high + 1":                        {List: "journal_figures", Added: 1, Removed: 1},
		"INSERT INTO journal_figures SELECT 3, day, 1, 0, 0, 0, 0, 0, 0 FROM journal_figures": {List: "journal_figures", Removed: 1},
	} {
		s := repairable(t)
		before := contents(t, s)
		edit(t, s, edited)
		expect.DeepEqual(t, repair(t, s), []ports.RepairedList{want}, "%s", edited)
		expect.DeepEqual(t, contents(t, s), before, "%s", edited)
		expect.DeepEqual(t, repair(t, s), nil, "again after %s", edited)
	}
}

// repairable returns a store with an entry in every list, and with entries of the journal that are in none yet.
func repairable(t *testing.T) *sqlitestore.Store {
	t.Helper()
	s := holding(t, admin(), master(2))
	put(t, s, fixture.Trial(master(2), 1))
	signIn(t, s, "a")
	var all []journal.Entry
	for movement := range int64(70) {
		all = append(all, crediting(2, movement+1))
	}
	appendAll(t, s, all...)
	appendAll(t, s, crediting(2, 100))
	return s
}

func TestARepairLeavesRecordsAndWhatNoRecordDecides(t *testing.T) {
	t.Parallel()
	for _, edited := range []string{
		"UPDATE accounts SET credits = 7 WHERE id = 2",
		"UPDATE records SET payload = '{}'",
		"INSERT INTO record_index VALUES ('later/x', 'x')", // of a kind that this program does not know
		"UPDATE sequences SET next = 900",
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
