package sqlitestore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/ports"
	"resellerd/test/expect"
)

// later is the schema of a later version, which exists in tests only: the present one, and two steps of which the
// second depends on the first.
func later(more ...string) sqlitestore.Schema {
	present := sqlitestore.Present()
	files := fstest.MapFS{}
	entries, _ := fs.ReadDir(present.Files, present.Folder)
	for _, entry := range entries {
		content, _ := fs.ReadFile(present.Files, present.Folder+"/"+entry.Name())
		files[entry.Name()] = &fstest.MapFile{Data: content}
	}
	for i, statements := range append([]string{
		"-- What they wear.\nALTER TABLE accounts ADD COLUMN hat TEXT;\nCREATE TABLE hats (account INTEGER PRIMARY KEY, hat TEXT NOT NULL) STRICT;\nINSERT INTO hats SELECT id, 'hat of ' || username FROM accounts;",
		"UPDATE accounts SET hat = (SELECT hat FROM hats WHERE account = id);\nDROP TABLE hats;\n-- Nothing follows.",
	}, more...) {
		files[fmt.Sprintf("%05d_later.sql", i+2)] = &fstest.MapFile{Data: []byte(statements)}
	}
	return sqlitestore.Made(files)
}

func quiet(int64, int64, func() int64) func(error) { return func(error) {} }

// told collects the reports of migrations.
type told struct{ lines []string }

func (l *told) migrating(from, to int64, _ func() int64) func(error) {
	l.lines = append(l.lines, fmt.Sprint("from ", from, " to ", to))
	return func(err error) { l.lines = append(l.lines, fmt.Sprint("ended: ", err == nil)) }
}

// derived returns the findings of an examination of the lists.
func derived(t *testing.T, a ports.Archive) (findings []string) {
	t.Helper()
	must(t, a.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		return r.Derived(ctx, func(finding string) { findings = append(findings, finding) })
	}))
	return findings
}

// versionIn returns the version of a file's schema.
func versionIn(t *testing.T, s *sqlitestore.Store) int { return number(t, s, "PRAGMA user_version") }

// TestAnUpgradeRunsItsStepsInTheirOrder checks that records, lists and the mode of the file do not change, and that
// only the upgrade is reported.
func TestAnUpgradeRunsItsStepsInTheirOrder(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	for _, step := range []struct {
		schema sqlitestore.Schema
		want   []string
	}{
		{sqlitestore.Present(), nil}, // a new file
		{sqlitestore.Present(), nil},
		{later(), []string{"from 1 to 3", "ended: true"}},
		{later(), nil},
	} {
		var l told
		s, err := step.schema.Open(t.Context(), path, l.migrating)
		must(t, err)
		if versionIn(t, s) == 1 {
			must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
				if _, err := tx.Resellers.Get(ctx, 1); err == nil {
					return nil
				}
				return errors.Join(tx.Resellers.Insert(ctx, admin()), tx.Resellers.Insert(ctx, master(2)))
			}))
		}
		must(t, s.Close())
		expect.DeepEqual(t, l.lines, step.want)
	}
	s := openLater(t, path)
	var mode, hats string
	must(t, s.OnWriter(func(c sqlitestore.Raw) error {
		return c.Ask("SELECT journal_mode, (SELECT group_concat(hat ORDER BY id) FROM accounts) FROM pragma_journal_mode",
			&mode, &hats)
	}))
	expect.DeepEqual(t, []string{mode, hats}, []string{"wal", "hat of reseller-1,hat of reseller-2"})
	expect.DeepEqual(t, versionIn(t, s), 3)
	expect.DeepEqual(t, derived(t, s), nil, "lists")
}

// TestAFileOfAnotherVersionIsRefused covers code that does not upgrade the file, and this version after an upgrade.
func TestAFileOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	path := closedStore(t)
	refused := func(want error, mention string, open func() error) {
		t.Helper()
		before, err := os.ReadFile(path)
		must(t, err)
		err = open()
		expect.Error(t, err, want)
		wantMention(t, err, mention)
		after, err := os.ReadFile(path)
		must(t, err)
		expect.DeepEqual(t, bytes.Equal(after, before), true, "the file is as it was")
		wantOneFile(t, path)
	}
	refused(schema.ErrOlder, "from schema 1 to 3", func() error { _, err := later().OpenReadOnly(path); return err })
	refused(schema.ErrOlder, "from schema 1 to 3", func() error {
		_, err := later().Open(t.Context(), path, nil)
		return err
	})
	upgrade(t, path)
	refused(schema.ErrNewer, "schema 3, this version knows 1", func() error { _, err := archive.Open(path); return err })
	refused(schema.ErrNewer, "schema 3, this version knows 1", func() error {
		_, err := sqlitestore.Open(t.Context(), path)
		return err
	})
}

// TestAnUpgradeIsRefusedWhileAnotherHasTheFileOpen covers a store and an archive, open and then closed.
func TestAnUpgradeIsRefusedWhileAnotherHasTheFileOpen(t *testing.T) {
	defer func(whole time.Duration) { schema.InUseTimeout = whole }(schema.InUseTimeout)
	schema.InUseTimeout = 0
	path := closedStore(t)
	refused := func() {
		t.Helper()
		var l told
		_, err := later().Open(t.Context(), path, l.migrating)
		expect.Error(t, err, schema.ErrInUse)
		expect.DeepEqual(t, l.lines, nil, "upgrades")
	}
	s := open(t, path)
	refused()
	insert(t, s, master(3))
	must(t, s.Ready(t.Context()))
	a := openArchive(t, path)
	must(t, s.Close())
	refused()
	must(t, a.Close())
	expect.DeepEqual(t, get(t, openLater(t, path), 3).ID(), 3)
}

// TestAProcessOfAnEarlierVersionStopsWriting raises the version of a file that is open.
func TestAProcessOfAnEarlierVersionStopsWriting(t *testing.T) {
	t.Parallel()
	path := closedStore(t)
	s := open(t, path)
	nothing := func(context.Context, ports.Tx) error { return nil }
	must(t, s.Update(t.Context(), nothing))
	must(t, s.Ready(t.Context()))
	must(t, s.FromOutside("PRAGMA user_version = 2"))
	for range 3 {
		expect.Error(t, s.Update(t.Context(), nothing), ports.ErrUnavailable, "an update")
		_, err := s.NextID(t.Context(), ports.PlatformIDs)
		expect.Error(t, err, ports.ErrUnavailable, "an id")
		wantNotReady(t, s, "a newer version of this program has upgraded the file")
	}
	must(t, s.Close())
	_, err := sqlitestore.Open(t.Context(), path)
	expect.Error(t, err, schema.ErrNewer)
}

// TestAnUpgradeThatFailsLeavesNothing fails in the last step, or ends the context before it.
func TestAnUpgradeThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, failing := range map[string]sqlitestore.Schema{
		"a step fails": later("INSERT INTO nowhere VALUES (1)"), "its context ends": later(),
	} {
		path := closedStore(t)
		ctx, cancel := context.WithCancel(t.Context())
		var ended error
		_, err := failing.Open(ctx, path, func(int64, int64, func() int64) func(error) {
			if name == "its context ends" {
				cancel()
			}
			return func(err error) { ended = err }
		})
		cancel()
		if err == nil || ended == nil {
			t.Fatalf("%s: got %v, and the reports %v", name, err, ended)
		}
		s := open(t, path) // the version before it still reads and writes it
		expect.DeepEqual(t, versionIn(t, s), 1, "%v", name)
		insert(t, s, master(3))
		must(t, s.Close())
		expect.DeepEqual(t, get(t, openLater(t, path), 3).ID(), 3, "%v", name)
	}
}
