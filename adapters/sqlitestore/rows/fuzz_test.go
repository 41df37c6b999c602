package rows

import (
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/storekit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// rowKind is a kind of row: its columns in the order in which they are read, the values of a valid row, and functions
// that read and write it.
type rowKind struct {
	columns string
	sound   engine.Args
	again   func(*engine.Row) (engine.Args, error)
	st      *sqlite.Stmt
}

func rowKinds(t testing.TB) []*rowKind {
	t.Helper()
	connection, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenMemory)
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	var ledger fixture.Ledger
	admin := fixture.Admin(1)
	north := fixture.Master(admin, 2)
	south := fixture.Changed(fixture.Reseller(north, 3), func(s *reseller.State) {
		s.Trials = []reseller.TrialSlot{{Start: fixture.Noon, Count: 2}, {Start: fixture.Noon.Add(time.Hour), Count: 1}}
		s.Alert = reseller.Alert{Below: fixture.Credits("100"), Sent: true}
	})
	trial := fixture.Trial(south, 7, func(s *line.State) {
		s.ExternalID, s.Email = fixture.Text("crm-7"), fixture.Text("anna@example.pt")
		s.Metadata = fixture.Metadata("plan", "gold")
	})
	movement := ledger.Fund(admin, south, "99.5")
	movementRow, err := OfMovement(&movement, new(Room))
	require.NoError(t, err)
	key := ports.KeyRecord{Reseller: 3, Key: "a key", Request: []byte("digest"), Status: 201, Body: []byte("body"),
		Expires: fixture.Noon}
	keyRow := OfKey(&key)
	kinds := []*rowKind{
		{"id, " + Resellers.All, Resellers.Of(new(south.State()), new(Room)), func(r *engine.Row) (engine.Args, error) {
			found, err := Reseller(r)
			if err != nil {
				return nil, err
			}
			return Resellers.Of(new(found.State()), new(Room)), nil
		}, nil},
		{"id, " + Lines.All, Lines.Of(new(trial.State()), new(Room)), func(r *engine.Row) (engine.Args, error) {
			found, err := Line(r)
			if err != nil {
				return nil, err
			}
			return Lines.Of(new(found.State()), new(Room)), nil
		}, nil},
		{"line, " + Tombstones.All, OfTombstone(&line.Tombstone{Line: 7, Charge: 9, Actor: 3, At: fixture.Noon}, new(Room)),
			func(r *engine.Row) (engine.Args, error) {
				found, err := Tombstone(r)
				return OfTombstone(&found, new(Room)), err
			}, nil},
		{"id, " + Movements.All, movementRow, func(r *engine.Row) (engine.Args, error) {
			found, err := Movement(r)
			if err != nil {
				return nil, err
			}
			return OfMovement(&found, new(Room))
		}, nil},
		{KeyColumns, keyRow[:], func(r *engine.Row) (engine.Args, error) {
			found, err := Key(r)
			row := OfKey(&found)
			return row[:], err
		}, nil},
	}
	for _, k := range kinds {
		named := strings.Split(k.columns, ", ")
		for i, column := range named {
			named[i] = "? AS " + column
		}
		k.st, err = connection.Prepare("SELECT " + strings.Join(named, ", "))
		require.NoError(t, err)
	}
	return kinds
}

// of returns the value of a column.
func of(record engine.Args, column string) engine.Arg {
	for _, one := range record {
		if one.Name == column {
			return one
		}
	}
	panic("no column " + column)
}

// read reads a row and writes it again.
func (k *rowKind) read(t testing.TB, stored engine.Args) (again engine.Args, err error) {
	t.Helper()
	for i, column := range strings.Split(k.columns, ", ") {
		v := of(stored, column)
		v.Bind(k.st, i+1)
	}
	if found, err := k.st.Step(); err != nil || !found {
		t.Fatalf("%t, %v", found, err)
	}
	again, err = k.again(engine.RowOf(k.st))
	require.NoError(t, k.st.Reset())
	return again, err
}

// The types of a stored value.
const (
	asNull = iota
	asInteger
	asText
	asBlob
)

// FuzzRows changes a column of a valid row. A row without a checksum is either read to the same values, or it is
// damaged. A row with a checksum is always damaged.
func FuzzRows(f *testing.F) {
	kinds := rowKinds(f)
	for n, k := range kinds {
		again, err := k.read(f, k.sound)
		if err != nil {
			f.Fatalf("%s: %v", k.columns, err)
		}
		for i, column := range strings.Split(k.columns, ", ") {
			v := of(k.sound, column)
			if !v.Equal(of(again, column)) {
				f.Fatalf("%s: %+v is written again as %+v", column, v, of(again, column))
			}
			for as := range byte(4) {
				f.Add(byte(n), byte(i), as, int64(0), "")
			}
			v.Bind(k.st, i+1) // and with a value of the same type and length
			_, err := k.st.Step()
			require.NoError(f, err)
			if stored := k.st.ColumnText(i); len(stored) > 0 {
				f.Add(byte(n), byte(i), byte(asText), int64(0), "~"+stored[1:])
				f.Add(byte(n), byte(i), byte(asBlob), int64(0), "~"+stored[1:])
			}
			f.Add(byte(n), byte(i), byte(asInteger), k.st.ColumnInt64(i)+1, "")
			require.NoError(f, k.st.Reset())
		}
	}
	for _, text := range []string{"//", "/1/02/3/", "/+1/2/3/", "/1/2/3", "/-1/2/3/", "/3/", "/1/2/3/3/"} {
		f.Add(byte(0), byte(1), byte(asText), int64(0), text)
		f.Add(byte(1), byte(2), byte(asText), int64(0), text)
	}
	f.Fuzz(func(t *testing.T, n, column, as byte, number int64, content string) {
		k := kinds[int(n)%len(kinds)]
		columns := strings.Split(k.columns, ", ")
		name := columns[int(column)%len(columns)]
		stored := append(engine.Args(nil), k.sound...)
		switch as % 4 {
		case asNull:
			stored.Set(engine.Null(name))
		case asInteger:
			stored.Set(engine.Integer(name, number))
		case asText:
			stored.Set(engine.Text(name, content))
		case asBlob:
			stored.Set(engine.Blob(name, []byte(content)))
		}
		if again, err := k.read(t, stored); err == nil && strings.HasSuffix(k.columns, ", checksum") && name != "checksum" &&
			!of(again, name).Equal(of(k.sound, name)) {
			t.Fatalf("%s = %+v: the checksum does not detect it", name, of(stored, name))
		}
		stored.Set(engine.Null("checksum"))
		again, err := k.read(t, stored)
		if err != nil {
			expect.Error(t, err, storekit.ErrDamaged, "%s = %+v", name, of(stored, name))
			return
		}
		for _, c := range columns {
			if c != "checksum" && !of(stored, c).Equal(of(again, c)) {
				t.Fatalf("%s = %+v: %s was %+v and is written again as %+v", name, of(stored, name), c, of(stored, c), of(again, c))
			}
		}
	})
}
