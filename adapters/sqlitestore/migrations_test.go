package sqlitestore_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// released are the migrations that files out there were made by.
var released = map[string]string{
	"00001_store.sql":      "23e25feb31612cfa94ff0c86f7e7a193731b02b65d2b1ca12505eb95f5e5764d",
	"00002_tombstones.sql": "4f6deb297178222d506f0ad4e7ae07ca5f568c394f5e2598787e6d229c7b1f47",
	"00003_lists.sql":      "09aaa9ee59301e973b52d8b1dc9f536dc3a5367d5b0fae39f99c23b0036f8416",
	"00004_keys.sql":       "5fc374ae5575f6e6895595a6568dedd868903d5837212155cbdbba2749903464", // 0.1.0
	"00005_sessions.sql":   "ce26262ff58f1cc74555c09e5ec158828707e52d80705fe0e010125258ee4a64",
	"00006_checksums.sql":  "8a38887c9bb1a42d43572c3a953c4141f85357878efcec4227a9b9d414d32cbe",
}

// TestReleasedMigrationsAreNeverRewritten holds them to what they were: a file that
// was made by one stays as that one made it, so that a change belongs in a new one.
func TestReleasedMigrationsAreNeverRewritten(t *testing.T) {
	t.Parallel()
	files, err := sqlitestore.Present().Migrations()
	must(t, err)
	for name, want := range released {
		content, err := fs.ReadFile(files, name)
		must(t, err)
		wantEqual(t, fmt.Sprintf("%x", sha256.Sum256(content)), want, name)
	}
}

func versionsKnown(t *testing.T) []int64 {
	t.Helper()
	known, err := sqlitestore.Present().Versions()
	must(t, err)
	return known
}

// upTo returns the migrations up to a version, and those that are made besides.
func upTo(t *testing.T, last int64, more map[string]string) fstest.MapFS {
	t.Helper()
	files, err := sqlitestore.Present().Migrations()
	must(t, err)
	entries, err := fs.ReadDir(files, ".")
	must(t, err)
	known, err := sqlitestore.Present().Versions()
	must(t, err)
	made := fstest.MapFS{}
	for i, entry := range entries {
		if known[i] > last {
			continue
		}
		content, err := fs.ReadFile(files, entry.Name())
		must(t, err)
		made[entry.Name()] = &fstest.MapFile{Data: content}
	}
	for name, content := range more {
		made[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return made
}

func quiet(int64, int64, func() int64) func(error) { return func(error) {} }

// layOlder makes a file of an earlier version. The statements of today may not fit it:
// only its migrations are run.
func layOlder(t *testing.T, path string, version int64) {
	t.Helper()
	old, err := sqlitestore.Made(upTo(t, version, nil), version, "").Open(t.Context(), path, quiet)
	if err == nil {
		must(t, old.Close())
	}
}

// TestListsOfAnOlderSchemaAreCarriedOver migrates lines of three owners, one above the
// other, from the schema whose triggers kept lists.
func TestListsOfAnOlderSchemaAreCarriedOver(t *testing.T) {
	path := newPath(t)
	layOlder(t, path, 2)
	for id, above := range map[int]string{1: "/", 2: "/1/", 3: "/1/2/"} {
		role := "master"
		if id == 1 {
			role = "admin"
		}
		change(t, path, fmt.Sprintf("INSERT INTO accounts VALUES (%d, '%s%d/', '%s', 'a%d', 'a%d', 'h', zeroblob(16), '', '', '', '', '', 'pt', 0, 0, zeroblob(32), 0, 0, '[]', 0, 0, 1)",
			id, above, id, role, id, id))
		change(t, path, fmt.Sprintf("INSERT INTO lines VALUES (%d, %d, '%s%d/', 'l%d', 'l%d', x'00', 1, %d, '', '', '', NULL, NULL, 0, 0, 0, 1)", 10*id, id, above, id, 9-id, 9-id, 5000-id))
	}
	readOnly := openArchive(t, path)
	wantEqual(t, derived(t, readOnly), nil, "as it is")
	must(t, readOnly.Close())

	s := open(t, path)
	wantEqual(t, derived(t, s), nil, "migrated")
	for scope, want := range map[ports.Scope][]int64{
		{}:                           {10, 20, 30},
		{Reseller: 1, Tree: true}:    {10, 20, 30},
		{Reseller: 2, Tree: true}:    {20, 30},
		{Reseller: 2}:                {20},
		{Reseller: 3, Tree: true}:    {30},
		{Reseller: 1, Tree: false}:   {10},
		{Reseller: 999, Tree: true}:  nil,
		{Reseller: 999, Tree: false}: nil,
	} {
		for _, order := range ports.LineOrders() {
			slices.Sort(want)
			if order != ports.LinesByID && order != ports.LatestExpiry { // the later ones expire before, and have a lesser name
				slices.Reverse(want)
			}
			var got []int64
			must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
				page, err := v.Lines.List(ctx, ports.LineQuery{Scope: scope, Order: order, Limit: 10})
				for _, l := range page.Lines {
					got = append(got, l.ID())
				}
				return err
			}))
			wantEqual(t, got, want, scope, order)
		}
	}
}

// TestKeysOfAnOlderSchemaAreCarriedOver migrates the answers that were given under keys from the
// schema that kept them in the order of the keys.
func TestKeysOfAnOlderSchemaAreCarriedOver(t *testing.T) {
	path := newPath(t)
	layOlder(t, path, 3)
	at := fixture.Time("2026-11-21T10:05:00.123Z")
	var want []ports.KeyRecord
	for i, name := range []string{"b", "a", "c"} {
		k := ports.KeyRecord{Reseller: int64(9 - i), Key: name, Request: []byte{1, byte(i)}, Status: 200 + i, Body: []byte{2, byte(i)}, Expires: at.Add(time.Duration(-i) * time.Hour)}
		want = append(want, k)
		change(t, path, fmt.Sprintf("INSERT INTO idempotency (account, key, request, status, body, expires) VALUES (%d, '%s', x'%x', %d, x'%x', %d)",
			k.Reseller, k.Key, k.Request, k.Status, k.Body, k.Expires.UnixMilli()))
	}
	readOnly := openArchive(t, path)
	var exported []string
	must(t, readOnly.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		page, err := r.KeyRecords(ctx, 0, "", 10)
		for _, k := range page {
			exported = append(exported, fmt.Sprint(k.Reseller, k.Key))
		}
		return err
	}))
	wantEqual(t, exported, []string{"7c", "8a", "9b"}, "as it is")
	must(t, readOnly.Close())

	s := open(t, path)
	find := func(k ports.KeyRecord) (found ports.KeyRecord, err error) {
		err = s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
			found, err = v.Keys.Get(ctx, k.Reseller, k.Key)
			return err
		})
		return found, err
	}
	for _, k := range want {
		got, err := find(k)
		must(t, err)
		wantEqual(t, got, k, "migrated")
	}
	again := want[0]
	again.Status = 299
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Put(ctx, again) }))
	got, err := find(again)
	must(t, err)
	wantEqual(t, got, again, "put in place of the older one")
	dropped, err := s.DropExpired(t.Context(), want[1].Expires, at.AddDate(1, 0, 0), 10)
	must(t, err)
	wantEqual(t, dropped, 2, "expired")
	_, err = find(want[1])
	wantError(t, err, fault.ErrNotFound)
	wantEqual(t, number(t, s, "SELECT count(*) FROM idempotency"), 1, "left")
}

// derived returns what an examination of the lists finds.
func derived(t *testing.T, a ports.Archive) (findings []string) {
	t.Helper()
	must(t, a.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		return r.Derived(ctx, func(finding string) { findings = append(findings, finding) })
	}))
	return findings
}

// TestEveryOlderSchemaIsRead opens a file of each version as it is.
func TestEveryOlderSchemaIsRead(t *testing.T) {
	t.Parallel()
	known, err := sqlitestore.Present().Versions()
	must(t, err)
	for _, version := range known {
		path := newPath(t)
		layOlder(t, path, version)
		before := folderOf(t, filepath.Dir(path))
		a := openArchive(t, path)
		wantEqual(t, resellersIn(t, a), 0, "accounts")
		must(t, a.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			head, err := r.Head(ctx)
			wantEqual(t, head, journal.Head{}, "schema", version)
			entries, err2 := r.Entries(ctx, 0, 10)
			named, err3 := r.EntriesByMovement(ctx, []int64{1})
			figures, err4 := r.Figures(ctx, 0, time.Time{}, 10)
			wantEqual(t, len(entries)+len(named)+len(figures), 0, "schema", version)
			return errors.Join(err, err2, err3, err4, r.Derived(ctx, func(finding string) { t.Errorf("schema %d: it finds: %s", version, finding) }))
		}))
		must(t, a.Close())
		wantEqual(t, folderOf(t, filepath.Dir(path)), before, "schema", version)
	}
}

// TestWhatAnOlderSchemaLacksIsEmpty reads a file from before a migration that adds a
// table and a column.
func TestWhatAnOlderSchemaLacksIsEmpty(t *testing.T) {
	t.Parallel()
	path := closedStore(t)
	const later = "-- +goose Up\nCREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\nALTER TABLE accounts ADD COLUMN hat TEXT NOT NULL DEFAULT 'none';"
	tomorrow := sqlitestore.Made(upTo(t, 1000, map[string]string{"01001_later.sql": later}), 1001,
		"CREATE TEMP TABLE later (id INTEGER PRIMARY KEY); CREATE TEMP VIEW accounts AS SELECT *, 'none' AS hat FROM main.accounts")
	before := folderOf(t, filepath.Dir(path))
	a, err := tomorrow.OpenReadOnly(path)
	must(t, err)
	wantEqual(t, resellersIn(t, a), 2, "accounts")
	must(t, sqlitestore.OnArchive(a, func(c sqlitestore.Raw) error {
		var hats string
		var count int
		err := c.Ask("SELECT (SELECT count(*) FROM later), (SELECT group_concat(hat) FROM accounts)", &count, &hats)
		wantEqual(t, count, 0, "what is lacking")
		wantEqual(t, hats, "none,none")
		return err
	}))
	must(t, a.Close())
	wantEqual(t, folderOf(t, filepath.Dir(path)), before, "the folder")

	migrated, err := tomorrow.Open(t.Context(), path, quiet)
	must(t, err)
	must(t, migrated.Close())
	_, err = archive.Open(path)
	wantError(t, err, schema.ErrNewer, "today's program")
}

// slow blocks in the middle of a migration until it is told to go on.
var slow atomic.Pointer[func()]

func init() { //nolint:gochecknoinits // before any test opens a file
	sqlitestore.AddFunction("test_slow", func() { (*slow.Load())() })
}

const slowly = "-- +goose Up\nCREATE TABLE later (id INTEGER PRIMARY KEY);\nINSERT INTO later SELECT test_slow();\nINSERT INTO later SELECT 7;"

// told collects what is told of migrations.
type told struct{ lines []string }

func (l *told) migrating(from, to int64, _ func() int64) func(error) {
	l.lines = append(l.lines, fmt.Sprint("from ", from, " to ", to))
	return func(err error) { l.lines = append(l.lines, fmt.Sprint("ended: ", err == nil)) }
}

func TestMigrationsAreToldAndOnlyThose(t *testing.T) {
	slow.Store(new(func() {}))
	path := newPath(t)
	newest, err := sqlitestore.Present().Versions()
	must(t, err)
	last := newest[len(newest)-1]
	tomorrow := sqlitestore.Made(upTo(t, last, map[string]string{"01001_slow.sql": slowly, "01002_more.sql": "-- +goose Up\nCREATE TABLE more (id INTEGER);"}), 1002, "")
	for _, step := range []struct {
		schema sqlitestore.Schema
		want   []string
	}{
		{sqlitestore.Present(), nil}, // a new file
		{sqlitestore.Present(), nil},
		{tomorrow, []string{fmt.Sprint("from ", last, " to 1001"), "ended: true", "from 1001 to 1002", "ended: true"}},
		{tomorrow, nil},
	} {
		var l told
		s, err := step.schema.Open(t.Context(), path, l.migrating)
		must(t, err)
		must(t, s.Close())
		wantEqual(t, l.lines, step.want)
	}
}

// TestAMigrationTellsHowFarItIs asks in the middle of one, when it has written 8 MB.
func TestAMigrationTellsHowFarItIs(t *testing.T) {
	const much = "-- +goose Up\nCREATE TABLE later (content BLOB);\nINSERT INTO later WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8) SELECT randomblob(1000000) FROM n;\nINSERT INTO later SELECT test_slow();"
	tomorrow := sqlitestore.Made(upTo(t, 1000, map[string]string{"01001_much.sql": much}), 1001, "")
	var ask func() int64
	var asked int64
	look := func() { asked = ask() }
	slow.Store(&look)
	s, err := tomorrow.Open(t.Context(), closedStore(t), func(_, _ int64, written func() int64) func(error) {
		ask = written
		return func(error) {}
	})
	must(t, err)
	must(t, s.Close())
	if asked < 4_000_000 {
		t.Errorf("%d bytes were written, and the migration has made 8 MB", asked)
	}
}

// TestAMigrationThatIsInterruptedStartsAgain ends the context of an Open in the
// middle of one.
func TestAMigrationThatIsInterruptedStartsAgain(t *testing.T) {
	path := closedStore(t)
	tomorrow := sqlitestore.Made(upTo(t, 1000, map[string]string{"01001_slow.sql": slowly}), 1001, "")
	ctx, cancel := context.WithCancel(t.Context())
	interrupt := func() { cancel() }
	slow.Store(&interrupt)
	var l told
	if s, err := tomorrow.Open(ctx, path, l.migrating); err == nil {
		_ = s.Close()
		t.Fatal("an Open whose context ended goes on")
	} else {
		wantError(t, err, context.Canceled)
	}
	known, err := sqlitestore.Present().Versions()
	must(t, err)
	wantEqual(t, l.lines, []string{fmt.Sprint("from ", known[len(known)-1], " to 1001"), "ended: false"})
	s := open(t, path) // the version before it still reads and writes it
	insert(t, s, master(3))
	must(t, s.Close())

	slow.Store(new(func() {}))
	s, err = tomorrow.Open(t.Context(), path, quiet)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	wantEqual(t, get(t, s, 3).ID(), 3)
	wantEqual(t, number(t, s, "SELECT count(*) FROM later"), 2, "rows of the migration")
}

// TestNoMigrationWritesRecordsAgain: a checksum that a migration makes again would hide what the disk has changed
// before. Those that were released do, of records that had none.
func TestNoMigrationWritesRecordsAgain(t *testing.T) {
	t.Parallel()
	files, err := sqlitestore.Present().Migrations()
	must(t, err)
	names, err := fs.Glob(files, "*.sql")
	must(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		must(t, err)
		if name == "00008_kinds.sql" {
			continue // it moves sessions, and those alone that fit their checksums
		}
		if name > "00006_checksums.sql" && regexp.MustCompile(`(?i)resellerd_checksum|\bUPDATE (accounts|lines|tombstones|movements|idempotency)\b`).Match(text) {
			t.Errorf("%s writes records again: an optional field needs none of it, see adapters/storekit/fields", name)
		}
	}
}

// TestAnUpgradeHidesNoDamage changes a byte of a record before the file is upgraded.
func TestAnUpgradeHidesNoDamage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	layOlder(t, path, 6)
	change(t, path, `INSERT INTO accounts (id, path, role, username, username_key, password_hash, token, country, whatsapp, telegram, email, notes, language,
		credits, ledger_seq, ledger_link, recharged_at, blocked, trials, created_at, updated_at, checksum)
		VALUES (1, '/1/', 'admin', 'root', 'root', '', zeroblob(16), '', '', '', '', 'flipped', '', 0, 0, zeroblob(32), 0, 0, '[]', 0, 0, 7)`)
	s, err := sqlitestore.Open(t.Context(), path)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	wantError(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		_, err := v.Resellers.Get(ctx, 1)
		return err
	}), storekit.ErrDamaged, "a record that was damaged before the upgrade")
}

// TestAProcessOfAnEarlierFormatWritesNoMore has a later version take over a file that is open, without a migration: an
// optional field needs none.
func TestAProcessOfAnEarlierFormatWritesNoMore(t *testing.T) {
	t.Parallel()
	path := closedStore(t)
	s, err := sqlitestore.Open(t.Context(), path)
	must(t, err)
	nothing := func(context.Context, ports.Tx) error { return nil }
	must(t, s.Update(t.Context(), nothing))
	must(t, s.FromOutside(fmt.Sprintf("PRAGMA user_version = %d", schema.Format+1)))
	wantError(t, s.Update(t.Context(), nothing), ports.ErrUnavailable, "an update of the earlier version")
	must(t, s.Close())
	for name, open := range map[string]func() error{
		"the service": func() error { _, err := sqlitestore.Open(t.Context(), path); return err },
		"an archive":  func() error { _, err := archive.Open(path); return err },
	} {
		wantError(t, open(), schema.ErrNewer, name)
	}
}

// TestAnOlderFileTakesImportedLines, and still no official line that nobody paid for: the constraint is another one, and
// no row is written again for it.
func TestAnOlderFileTakesImportedLines(t *testing.T) {
	path := newPath(t)
	layOlder(t, path, 10)
	change(t, path, "INSERT INTO accounts (id, path, role, username, username_key, password_hash, token, country, whatsapp, telegram, email, notes, language, credits, ledger_seq, ledger_link, recharged_at, blocked, trials, created_at, updated_at) "+
		"VALUES (1, '/1/', 'admin', 'reseller-1', 'reseller-1', 'h', zeroblob(16), '', '', '', '', '', 'pt', 0, 0, zeroblob(32), 0, 0, '[]', 0, 0)")
	s := open(t, path)
	imported := fixture.Imported(fixture.Admin(1), 1)
	put(t, s, imported)
	must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		l, err := v.Lines.Get(ctx, 1)
		must(t, err)
		wantEqual(t, l.State(), imported.State(), "the imported line")
		totals, err := v.Ledger.Totals(ctx)
		wantEqual(t, totals.Imported, int64(1), "imported lines")
		return err
	}))
	wantMention(t, tryExecute(t, s, "UPDATE lines SET origin = NULL"), "constraint", "an official line for free")
	wantMention(t, tryExecute(t, s, "UPDATE lines SET trial = 1, platform_id = NULL"), "constraint", "an imported trial")
	wantEqual(t, derived(t, s), nil, "derived")
}
