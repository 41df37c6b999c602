package sqlitestore_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/storekit"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// columnsOf returns the columns of a table, and the type of each. How often a record was changed is read by nobody.
func columnsOf(t *testing.T, s *sqlitestore.Store, table string) map[string]string {
	t.Helper()
	var all string
	must(t, s.OnWriter(func(c sqlitestore.Raw) error {
		return c.Ask("SELECT group_concat(name || ' ' || type, ',') FROM pragma_table_info('"+table+"') WHERE name <> 'saves'", &all)
	}))
	types := map[string]string{}
	for column := range strings.SplitSeq(all, ",") {
		name, kind, _ := strings.Cut(column, " ")
		types[name] = kind
	}
	return types
}

// otherwise makes another value of what is in a column, of the same type.
func otherwise(column, kind string) string {
	switch {
	case column == "role":
		return "'master'" // of a reseller
	case column == "trial":
		return "1 - trial, platform_id = NULL, charge = NULL" // no rule of lines is broken
	case kind == "TEXT":
		return "'~' || substr(coalesce(" + column + ", ''), 2)" // as long as it was, unless it was empty
	case kind == "BLOB":
		return "randomblob(length(" + column + "))"
	}
	return "coalesce(" + column + ", 0) + 1"
}

// TestWhatTheDiskChangesInARecordIsTold changes each column of each record that no chain protects.
func TestWhatTheDiskChangesInARecordIsTold(t *testing.T) {
	t.Parallel()
	s := ledgerOf(t)
	account := fixture.Reseller(master(2), 3, full)
	gone := fixture.Trial(account, 9)
	key := ports.KeyRecord{Reseller: 3, Key: "k", Request: []byte("digest"), Status: 201, Body: []byte("body"), Expires: fixture.Noon}
	begun := session.Session{ID: session.IDOf("s"), Reseller: 3, Device: "d", Address: "192.0.2.7", Created: fixture.Noon, Used: fixture.Noon}
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Resellers.Insert(ctx, account), tx.Lines.Insert(ctx, gone), tx.Keys.Put(ctx, key))
	}))
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Lines.Delete(ctx, gone.Tombstone(3, fixture.Noon))
	}))
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error { return ports.Sessions.In(tx.Records).Insert(ctx, begun) }))
	edit(t, s, "DROP TRIGGER tombstones_are_never_changed")

	records := func(of func(context.Context, ports.Records) error) func() error {
		return func() error { return s.ViewRecords(t.Context(), of) }
	}
	for table, about := range map[string]struct {
		where string
		read  func() error
	}{
		"accounts": {"id = 3", records(func(ctx context.Context, r ports.Records) error {
			found, err := r.ResellersByID(ctx, []int64{3})
			return errors.Join(err, found[3].Damage)
		})},
		"lines": {"id = 1", records(func(ctx context.Context, r ports.Records) error {
			found, err := r.LinesByID(ctx, []int64{1})
			return errors.Join(err, found[1].Damage)
		})},
		"tombstones": {"line = 9", records(func(ctx context.Context, r ports.Records) error {
			found, err := r.TombstonesByLine(ctx, []int64{9})
			return errors.Join(err, found[9].Damage)
		})},
		"idempotency": {"key = 'k'", records(func(ctx context.Context, r ports.Records) error {
			page, err := r.KeyRecords(ctx, 0, "", 9)
			if err == nil && !slices.ContainsFunc(page, func(k ports.KeyRecord) bool { return k.Reseller == 3 && k.Key == "k" }) {
				err = errors.New("the key is another one") // nobody asks for it
			}
			return err
		})},
		"records": {"kind = 'session'", records(func(ctx context.Context, r ports.Records) error {
			page, err := r.OfKind(ctx, ports.Sessions.Kind, "", 9)
			if err == nil && len(page) == 1 {
				err = page[0].Damage
			}
			return err
		})},
	} {
		must(t, about.read(), table)
		columns := columnsOf(t, s, table)
		names := strings.Join(slices.Sorted(maps.Keys(columns)), ", ")
		for column, kind := range columns {
			if strings.HasPrefix(about.where, column+" ") || table == "idempotency" && column == "id" {
				continue // by which it is found, or which nobody reads
			}
			edit(t, s, "CREATE TEMP TABLE kept AS SELECT * FROM "+table+" WHERE "+about.where,
				"UPDATE "+table+" SET "+column+" = "+otherwise(column, kind)+" WHERE "+about.where)
			if err := about.read(); !errors.Is(err, storekit.ErrDamaged) {
				t.Errorf("%s of %s: got error %v, want that it is damaged", column, table, err)
			}
			edit(t, s, "UPDATE "+table+" SET ("+names+") = (SELECT "+names+" FROM temp.kept) WHERE "+about.where, "DROP TABLE temp.kept")
			must(t, about.read(), table, " as it was")
		}
	}
}

// TestAnAuditGoesThroughTheAnswers that are kept under keys, which nothing else reads until somebody asks again.
func TestAnAuditGoesThroughTheAnswers(t *testing.T) {
	t.Parallel()
	s := ledgerOf(t)
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		return tx.Keys.Put(ctx, ports.KeyRecord{Reseller: 2, Key: "k", Request: []byte("r"), Status: 201, Body: []byte("b"), Expires: fixture.Noon})
	}))
	wantEqual(t, derived(t, s), nil, "as it is")
	edit(t, s, "UPDATE idempotency SET status = 500")
	wantEqual(t, derived(t, s), []string{"account 2: an answer kept under a key: a stored record is damaged: its checksum is that of other content"})
}

// TestANameIsFoundWhereverItIsDamaged, in its record and in the index by which it is looked up.
func TestANameIsFoundWhereverItIsDamaged(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	insert(t, s, admin(), fixture.Master(fixture.Admin(1), 2, func(s *reseller.State) { s.Username = fixture.Name("looked-up") }))
	must(t, s.Close())
	whole, err := os.ReadFile(path)
	must(t, err)
	places := 0
	for at := 0; ; at++ {
		next := bytes.Index(whole[at:], []byte("looked-up"))
		if next < 0 {
			break
		}
		at += next
		places++
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		file := newPath(t)
		must(t, os.WriteFile(file, damaged, 0o600))
		a := openArchive(t, file)
		findings := derived(t, a)
		must(t, a.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
			found, err := r.ResellersByID(ctx, []int64{2})
			if found[2].Damage != nil {
				findings = append(findings, found[2].Damage.Error())
			}
			return err
		}))
		if len(findings) == 0 {
			t.Errorf("nobody finds the name damaged at %d", at)
		}
		must(t, a.Close())
	}
	wantEqual(t, places, 3, "the name, its key, and the index")
}

// TestAnAnswerIsNotDroppedForDamage: whose retry finds it gone pays again. When it expires stands in its row and in an index.
func TestAnAnswerIsNotDroppedForDamage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	key := ports.KeyRecord{Reseller: 1, Key: "k", Request: []byte("r"), Status: 201, Body: []byte("b"), Expires: fixture.Time("2100-01-02T03:04:05.678Z")}
	s := open(t, path)
	must(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Put(ctx, key) }))
	must(t, s.Close())
	whole, err := os.ReadFile(path)
	must(t, err)
	expires := binary.BigEndian.AppendUint64(nil, uint64(key.Expires.UnixMilli()))[2:] // of 6 bytes, as SQLite writes it
	places := 0
	for at := range whole {
		if !bytes.HasPrefix(whole[at:], expires) {
			continue
		}
		places++
		damaged := bytes.Clone(whole)
		damaged[at] ^= 2 // half of the time since 1970
		file := newPath(t)
		must(t, os.WriteFile(file, damaged, 0o600))
		s := open(t, file)
		dropped, err := s.DropExpired(t.Context(), fixture.Noon.AddDate(40, 0, 0), key.Expires, 10)
		must(t, err)
		wantEqual(t, dropped, 0, "damaged at ", fmt.Sprint(at))
		must(t, s.Close())
	}
	wantEqual(t, places, 2, "the row and the index")
}

// TestRecordsOfAnOlderSchemaGetTheirChecksums migrates files of each earlier version.
func TestRecordsOfAnOlderSchemaGetTheirChecksums(t *testing.T) {
	t.Parallel()
	for version := range int64(5) {
		path := newPath(t)
		layFilled(t, path, version+1)
		s := open(t, path)
		for _, table := range []string{"accounts", "lines", "idempotency"} {
			if n := number(t, s, "SELECT count(*) FROM "+table); n < 2 {
				t.Fatalf("%d records in %s", n, table)
			}
			wantEqual(t, number(t, s, "SELECT count(*) FROM "+table+" WHERE checksum IS NULL"), 0, table, fmt.Sprint(" of schema ", version+1))
		}
		for name, damage := range audited(t, s) {
			wantNone(t, damage, name)
		}
		wantEqual(t, derived(t, s), nil, "answers and lists")
		for _, table := range []string{"accounts", "lines"} {
			wantMention(t, tryExecute(t, s, "UPDATE "+table+" SET version = version + 1, updated_at = 7"), "no such column", "a process of an earlier version")
		}
		edit(t, s, "UPDATE lines SET notes = 'another' WHERE id = 10")
		wantMention(t, audited(t, s)["line 10"], "checksum")
	}
}

// TestChecksumsAreWhatTheyWere sums those of a released file. Of others each record that is stored by now would be damaged:
// who changes them needs a migration, and numbers that another program has made of its columns.
func TestChecksumsAreWhatTheyWere(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	packed, err := os.Open("../../test/acceptance/testdata/released/4/sqlite.db.gz")
	must(t, err)
	defer func() { _ = packed.Close() }()
	unpacked, err := gzip.NewReader(packed)
	must(t, err)
	content, err := io.ReadAll(unpacked)
	must(t, err)
	must(t, os.WriteFile(path, content, 0o600))
	s := open(t, path)
	for table, want := range map[string]int{"accounts": -3_972_354_247, "lines": 2_023_285_563, "idempotency": 6_101_504_266, "tombstones": -4_066_919_325} {
		wantEqual(t, number(t, s, "SELECT sum(checksum) FROM "+table), want, table)
	}
}
