package sqlitestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/storekit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// rowKind is a kind of row: its columns in the order in which they are read, those of one that is sound, and how it is
// read and written again.
type rowKind struct {
	columns string
	sound   args
	again   func(*row) (args, error)
	st      *sqlite.Stmt
}

func rowKinds(t testing.TB) []*rowKind {
	t.Helper()
	connection, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenMemory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	var ledger fixture.Ledger
	admin := fixture.Admin(1)
	north := fixture.Master(admin, 2)
	south := fixture.Changed(fixture.Reseller(north, 3), func(s *reseller.State) {
		s.Trials = []reseller.TrialSlot{{Start: fixture.Noon, Count: 2}, {Start: fixture.Noon.Add(time.Hour), Count: 1}}
	})
	trial := fixture.Trial(south, 7)
	movement := ledger.Fund(admin, south, "99.5")
	resellerRow, lineRow := rowOfReseller(ptr(south.State())), rowOfLine(ptr(trial.State()))
	tombstoneRow := rowOfTombstone(line.Tombstone{Line: 7, Charge: 9, Actor: 3, At: fixture.Noon})
	movementArgs := args{}
	if row, err := rowOfMovement(&movement); err == nil {
		movementArgs = row[:]
	} else {
		t.Fatal(err)
	}
	key := ports.KeyRecord{Reseller: 3, Key: "a key", Request: []byte("digest"), Status: 201, Body: []byte("body"), Expires: fixture.Noon}
	keyRow := rowOfKey(&key)
	kinds := []*rowKind{
		{"id, " + resellerColumns, resellerRow[:], func(r *row) (args, error) {
			found, err := resellerOfRow(r)
			if err != nil {
				return nil, err
			}
			row := rowOfReseller(ptr(found.State()))
			return row[:], nil
		}, nil},
		{"id, " + lineColumns, lineRow[:], func(r *row) (args, error) {
			found, err := lineOfRow(r)
			if err != nil {
				return nil, err
			}
			row := rowOfLine(ptr(found.State()))
			return row[:], nil
		}, nil},
		{"line, " + tombstoneColumns, tombstoneRow[:], func(r *row) (args, error) {
			found, err := tombstoneOfRow(r)
			row := rowOfTombstone(found)
			return row[:], err
		}, nil},
		{"id, " + movementColumns, movementArgs, func(r *row) (args, error) {
			found, err := movementOfRow(r)
			if err != nil {
				return nil, err
			}
			row, err := rowOfMovement(&found)
			return row[:], err
		}, nil},
		{keyColumns, keyRow[:], func(r *row) (args, error) {
			found, err := keyOfRow(r)
			row := rowOfKey(&found)
			return row[:], err
		}, nil},
	}
	for _, k := range kinds {
		named := strings.Split(k.columns, ", ")
		for i, column := range named {
			named[i] = "? AS " + column
		}
		if k.st, err = connection.Prepare("SELECT " + strings.Join(named, ", ")); err != nil {
			t.Fatal(err)
		}
	}
	return kinds
}

func ptr[T any](v T) *T { return &v }

// of returns the value of a column.
func (a args) of(column string) value {
	for _, one := range a {
		if one.name == column {
			return one.value
		}
	}
	panic("no column " + column)
}

func (v value) equal(other value) bool {
	return v.kind == other.kind && v.number == other.number && v.text == other.text && bytes.Equal(v.blob, other.blob)
}

// read reads a row and writes it again.
func (k *rowKind) read(t testing.TB, stored args) (again args, err error) {
	t.Helper()
	for i, column := range strings.Split(k.columns, ", ") {
		v := stored.of(column)
		v.bind(k.st, i+1)
	}
	if found, err := k.st.Step(); err != nil || !found {
		t.Fatalf("%t, %v", found, err)
	}
	again, err = k.again(&row{st: k.st})
	if err := k.st.Reset(); err != nil {
		t.Fatal(err)
	}
	return again, err
}

// FuzzRows changes a column of a row that is sound: where the row has no checksum it is read as what would be written so,
// or it is damaged; where it has one it is always damaged.
func FuzzRows(f *testing.F) {
	kinds := rowKinds(f)
	for n, k := range kinds {
		again, err := k.read(f, k.sound)
		if err != nil {
			f.Fatalf("%s: %v", k.columns, err)
		}
		for i, column := range strings.Split(k.columns, ", ") {
			v := k.sound.of(column)
			if !v.equal(again.of(column)) {
				f.Fatalf("%s: %+v is written again as %+v", column, v, again.of(column))
			}
			f.Add(byte(n), byte(i), byte(v.kind), v.number, v.text+string(v.blob))
			f.Add(byte(n), byte(i), byte(isInteger), int64(0), "")
			f.Add(byte(n), byte(i), byte(isText), int64(0), "")
		}
	}
	for _, text := range []string{"//", "/1/02/3/", "/+1/2/3/", "/1/2/3", "/-1/2/3/", "/3/", "/1/2/3/3/"} {
		f.Add(byte(0), byte(1), byte(isText), int64(0), text)
		f.Add(byte(1), byte(2), byte(isText), int64(0), text)
	}
	for _, text := range []string{"[] ", "[[1,2,3]]", "[[1]]", "null", "[[1.0,2]]", "[[1,-2]]", `{}`, "[[2,1],[1,1]]"} {
		f.Add(byte(0), byte(19), byte(isText), int64(0), text)
	}
	f.Fuzz(func(t *testing.T, n, column, as byte, number int64, content string) {
		k := kinds[int(n)%len(kinds)]
		columns := strings.Split(k.columns, ", ")
		name := columns[int(column)%len(columns)]
		stored := append(args(nil), k.sound...)
		switch kind(as % 4) {
		case isNull:
			stored.set(name, value{})
		case isInteger:
			stored.set(name, integer(number))
		case isText:
			stored.set(name, text(content))
		case isBlob:
			stored.set(name, blob([]byte(content)))
		}
		if again, err := k.read(t, stored); err == nil && strings.HasSuffix(k.columns, ", checksum") && name != "checksum" && !again.of(name).equal(k.sound.of(name)) {
			t.Fatalf("%s = %+v: no checksum tells", name, stored.of(name))
		}
		stored.set("checksum", value{})
		again, err := k.read(t, stored)
		if err != nil {
			if !errors.Is(err, storekit.ErrDamaged) {
				t.Fatalf("%s = %+v: error %v", name, stored.of(name), err)
			}
			return
		}
		for _, c := range columns {
			if c != "checksum" && !stored.of(c).equal(again.of(c)) {
				t.Fatalf("%s = %+v: %s was %+v and is written again as %+v", name, stored.of(name), c, stored.of(c), again.of(c))
			}
		}
	})
}

// FuzzFile changes some bytes of a store's file, the header and the schema among them, as a disk does that fails: it is
// opened and read, or refused. A backup is such a file.
func FuzzFile(f *testing.F) {
	folder := f.TempDir()
	path := filepath.Join(folder, "store.db")
	store, err := Open(f.Context(), path)
	if err != nil {
		f.Fatal(err)
	}
	if err := store.Close(); err != nil {
		f.Fatal(err)
	}
	sound, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), []byte("SQLite format 4"), uint32(len(sound)))
	f.Add(uint32(16), []byte{0, 0}, uint32(len(sound)))
	f.Add(uint32(18), []byte{9, 9}, uint32(len(sound)))
	f.Add(uint32(28), []byte{255, 255, 255, 255}, uint32(len(sound)))
	f.Add(uint32(68), []byte{1}, uint32(len(sound)))
	f.Add(uint32(100), []byte{13, 255, 255}, uint32(len(sound)))
	f.Add(uint32(0), []byte{}, uint32(100))
	f.Add(uint32(0), []byte{}, uint32(0))
	f.Fuzz(func(t *testing.T, at uint32, change []byte, length uint32) {
		content := append([]byte(nil), sound[:int(length)%(len(sound)+1)]...)
		if len(content) > 0 {
			copy(content[int(at)%len(content):], change)
		}
		file := filepath.Join(folder, fmt.Sprintf("changed-%d.db", os.Getpid()))
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		archive, err := OpenReadOnly(t.Context(), file)
		if err != nil {
			return
		}
		readAll(t, archive)
		if err := archive.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, content) {
			t.Errorf("a file that was only read was changed, %v", err)
		}
	})
}

// readAll reads what there is, whatever comes of it.
func readAll(t *testing.T, archive *Archive) {
	t.Helper()
	_ = archive.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		_, err1 := r.Resellers(ctx, 0, 10)
		_, err2 := r.Lines(ctx, 0, 10)
		_, err3 := r.Movements(ctx, 0, 10)
		_, err4 := r.KeyRecords(ctx, 0, "", 10)
		_, err5 := r.Origin(ctx)
		return errors.Join(err1, err2, err3, err4, err5, r.Derived(ctx, func(string) {}))
	})
}
