package sqlitestore_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/ports"
	"resellerd/test/expect"
)

// TestAChangedSchemaIsNamed changes the schema of a file like a user of the sqlite3 command line. An audit names the
// change, too.
func TestAChangedSchemaIsNamed(t *testing.T) {
	t.Parallel()
	const made = ": it was made by CREATE TRIGGER movements_are_never_changed BEFORE UPDATE ON movements"
	for changed, says := range map[string]string{
		"DROP TRIGGER movements_are_never_changed":                                                 "the trigger movements_are_never_changed is missing" + made,
		"DROP INDEX idempotency_keys; CREATE INDEX idempotency_keys ON idempotency (account, key)": "the index idempotency_keys differs",
		"CREATE TRIGGER undo AFTER UPDATE ON accounts BEGIN SELECT 1; END":                         "the trigger undo, on accounts, does not belong to this program",
		"CREATE UNIQUE INDEX notes ON lines (notes)":                                               "the index notes, on lines, does not belong to this program",
		"CREATE TABLE theirs (x)":                                                                  "the table theirs, on theirs, does not belong to this program",
		"ALTER TABLE lines ADD COLUMN hat TEXT":                                                    "the table lines differs: it was made by CREATE TABLE lines ( id INTEGER",
		rewritten("accounts", " CHECK (credits BETWEEN 0 AND 1000000000000000)"):                   "the table accounts differs",
	} {
		path := closedStore(t)
		change(t, path, changed)
		before := folderOf(t, filepath.Dir(path))[filepath.Base(path)]
		_, err := sqlitestore.Open(t.Context(), path)
		wantAltered(t, err, says, changed)
		wantMention(t, err, "restore a backup", changed)
		var found []string
		a, err := archive.Open(path)
		if altered, is := errors.AsType[*ports.Altered](err); is { // damage that prevents reading is reported at once
			found = altered.Findings
		} else {
			must(t, err, changed)
			found = derived(t, a)
			must(t, a.Close())
		}
		expect.Contains(t, strings.Join(found, "\n"), says, "%s: an audit", changed)
		expect.DeepEqual(t, folderOf(t, filepath.Dir(path))[filepath.Base(path)], before, "it is as it was after %v", changed)
	}
}

func wantAltered(t *testing.T, err error, says string, about ...any) {
	t.Helper()
	if _, is := errors.AsType[*ports.Altered](err); !is {
		t.Errorf("got error %v, want one about the schema; %v", err, about)
	}
	wantMention(t, err, says, about...)
}

// rewritten removes a piece of the statement that made a table.
func rewritten(table, piece string) string {
	return "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(replace(sql, ',\n    " + piece +
		"', ''), '" + piece + "', '') WHERE name = '" + table + "'"
}

// TestHarmlessSchemaChangesAreAccepted opens a file to which an operator has added parts that only serve searches.
// Another tool has rewritten its schema.
func TestHarmlessSchemaChangesAreAccepted(t *testing.T) {
	t.Parallel()
	path := closedStore(t)
	for _, changed := range []string{
		"ANALYZE", "CREATE INDEX by_country ON accounts (country)",
		"DROP INDEX lines_imported; CREATE INDEX lines_imported -- by hand\n ON lines\n(origin) WHERE origin IS NOT NULL", "VACUUM",
	} {
		change(t, path, changed)
	}
	s := open(t, path)
	expect.DeepEqual(t, derived(t, s), nil)
	must(t, s.Close())
	expect.DeepEqual(t, derived(t, openArchive(t, path)), nil)
}

// TestAnOlderSchemaIsComparedWithItself, and not with the schema after the upgrade.
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
