package sqlitestore_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/ports"
	"resellerd/test/expect"
)

// TestAChangedSchemaIsNamed changes the schema of a file in each way that somebody with the sqlite3 command line can.
func TestAChangedSchemaIsNamed(t *testing.T) {
	t.Parallel()
	for changed, says := range map[string]string{
		"DROP TRIGGER movements_are_never_changed": "the trigger movements_are_never_changed is missing: it was made by CREATE TRIGGER movements_are_never_changed BEFORE UPDATE ON movements",
		"DROP INDEX movements_source":              "the index movements_source is missing: it was made by CREATE UNIQUE INDEX movements_source ON movements (source_account, source_seq)",
		"DROP INDEX idempotency_keys; CREATE INDEX idempotency_keys ON idempotency (account, key)":                                                  "the index idempotency_keys is another",
		"DROP INDEX movements_source; CREATE UNIQUE INDEX movements_source ON movements (source_account, source_seq) WHERE source_account > 1":      "the index movements_source is another",
		"DROP TRIGGER tombstones_are_never_removed; CREATE TRIGGER tombstones_are_never_removed BEFORE DELETE ON tombstones BEGIN SELECT 1; END":    "the trigger tombstones_are_never_removed is another",
		"CREATE TRIGGER undo AFTER UPDATE OF blocked ON accounts WHEN NEW.blocked = 1 BEGIN UPDATE accounts SET blocked = 0 WHERE id = NEW.id; END": "the trigger undo, on accounts, is none of this program's",
		"CREATE UNIQUE INDEX notes ON lines (notes)":                             "the index notes, on lines, is none of this program's",
		"CREATE VIEW rich AS SELECT id FROM accounts WHERE credits > 0":          "the view rich, on rich, is none of this program's",
		"CREATE TABLE theirs (x)":                                                "the table theirs, on theirs, is none of this program's",
		"ALTER TABLE lines ADD COLUMN hat TEXT":                                  "the table lines is another: it was made by CREATE TABLE lines ( id INTEGER",
		"ALTER TABLE accounts DROP COLUMN notes":                                 "the table accounts is another",
		"ALTER TABLE settings RENAME TO preferences":                             "the table settings is missing",
		rewritten("accounts", " CHECK (credits BETWEEN 0 AND 1000000000000000)"): "the table accounts is another",
		rewritten("movements", "CHECK (source_account <> target_account)"):       "the table movements is another",
		rewritten("lines", " STRICT"):                                            "the table lines is another",
	} {
		path, s := storeOfTwo(t)
		must(t, s.Close())
		change(t, path, changed)
		before, err := os.ReadFile(path)
		must(t, err)

		_, err = sqlitestore.Open(t.Context(), path)
		wantAltered(t, err, says, changed)
		wantMention(t, err, "restore a backup", changed)

		var found []string
		a, err := archive.Open(path)
		if altered, is := errors.AsType[*ports.Altered](err); is { // what can't be read is told at once
			found = altered.Findings
		} else {
			must(t, err, changed)
			found = derived(t, a)
			must(t, a.Close())
		}
		expect.Contains(t, strings.Join(found, "\n"), says, "%s: an audit", changed)
		after, err := os.ReadFile(path)
		must(t, err)
		expect.DeepEqual(t, string(after) == string(before), true, "it is as it was after %v", changed)
	}
}

func wantAltered(t *testing.T, err error, says string, about ...any) {
	t.Helper()
	if _, is := errors.AsType[*ports.Altered](err); !is {
		t.Errorf("got error %v, want one that tells of the schema; %v", err, about)
	}
	wantMention(t, err, says, about...)
}

// rewritten takes a piece out of what made a table.
func rewritten(table, piece string) string {
	return "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(replace(sql, ',\n    " + piece +
		"', ''), '" + piece + "', '') WHERE name = '" + table + "'"
}

// TestWhatChangesNoRecordIsTaken opens and audits files to which an operator has added what only serves searches, or of
// which another tool has written the schema again.
func TestWhatChangesNoRecordIsTaken(t *testing.T) {
	t.Parallel()
	for _, changed := range []string{
		"ANALYZE",
		"CREATE INDEX by_country ON accounts (country)",
		"VACUUM",
		"DROP INDEX idempotency_expires; CREATE INDEX idempotency_expires -- by hand\n ON idempotency\n(expires)",
	} {
		path, s := storeOfTwo(t)
		must(t, s.Close())
		change(t, path, changed)
		s = open(t, path)
		expect.DeepEqual(t, derived(t, s), nil, "%v", changed)
		must(t, s.Close())
		expect.DeepEqual(t, derived(t, openArchive(t, path)), nil, "%v", changed)
	}
}

// TestAnOlderSchemaIsComparedWithItself, not with that of the version that it is to have.
func TestAnOlderSchemaIsComparedWithItself(t *testing.T) {
	t.Parallel()
	path := closedStore(t)
	change(t, path, "DROP TRIGGER movements_are_never_changed")
	_, err := later().Open(t.Context(), path, quiet)
	wantAltered(t, err, "the trigger movements_are_never_changed is missing")
	expect.Lacks(t, fmt.Sprint(err), "hats")
	s, err := sqlitestore.Open(t.Context(), path)
	wantAltered(t, err, "the trigger movements_are_never_changed is missing",
		"no step has run on what it was not made for", s)
}
