package transfer

import (
	"reflect"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestEveryFieldCounts changes, one after another, every field that a record is
// made of, those that somebody adds later too.
func TestEveryFieldCounts(t *testing.T) {
	now := fixture.Noon
	name, text := profile.RestoreUsername("Name", "name"), profile.RestoreText("text")
	for _, record := range []any{
		reseller.State{
			Position: reseller.Position{ID: 3, Ancestors: []int64{1, 2}}, Role: reseller.Master, Username: name,
			PasswordHash: "hash", Token: reseller.Generation{1},
			Contact: reseller.Contact{Country: text}, Credits: fixture.Credits("5"),
			Tip: credit.Tip{Seq: 1, Hash: credit.Hash{1}}, RechargedAt: now,
			Trials: []reseller.TrialSlot{{Start: now, Count: 1}}, CreatedAt: now, UpdatedAt: now,
		},
		credit.Movement{
			Provenance: credit.Provenance{ID: 1, Actor: 2, At: now}, Operation: credit.Recharge, Source: credit.Issuance,
			Target: credit.Reseller(2), Amount: fixture.Credits("5"),
			Postings: []credit.Posting{{Reseller: 2, Balance: fixture.Credits("5"),
				Tip: credit.Tip{Seq: 1, Hash: credit.Hash{1}}}},
		},
		journal.Numbered{
			Entry: journal.Entry{
				Type: journal.LineExtended, At: now, Account: reseller.Position{ID: 2, Ancestors: []int64{1}}, Line: 3,
				Actor:   journal.Actor{Account: 1, Kind: journal.ByToken},
				Changes: []journal.Change{{Field: "notes"}},
				Data:    []journal.Datum{{Name: journal.Username, Value: journal.Text("name")}},
			},
			Head: journal.Head{Epoch: "0a1b2c3d", Seq: 1, Hash: journal.Hash{1}},
		},
	} {
		fields := 0
		alter(t, record, reflect.TypeOf(record).String(), nil, func(where string, changed any) {
			fields++
			in := differences("", reflect.ValueOf(record), reflect.ValueOf(changed))
			expect.Equal(t, len(in), 1, "%s: %v differ", where, in)
		})
		same := differences("", reflect.ValueOf(record), reflect.ValueOf(record))
		expect.Elements(t, same, nil, "%T differs from itself", record)
		if fields < reflect.TypeOf(record).NumField() {
			t.Errorf("%T: only %d fields were changed", record, fields)
		}
	}
}

// alter gives found a copy of the record for each value in it, with that one changed. The path leads to a value.
func alter(t *testing.T, record any, where string, path []int, found func(where string, changed any)) {
	t.Helper()
	changed := reflect.New(reflect.TypeOf(record)).Elem()
	changed.Set(reflect.ValueOf(record))
	at := changed
	if len(path) > 0 {
		at = changed.FieldByIndex(path)
	}
	other := func(v any) {
		at.Set(reflect.ValueOf(v).Convert(at.Type()))
		found(where, changed.Interface())
	}
	switch v := at.Interface().(type) {
	case time.Time:
		other(v.Add(time.Millisecond))
		other(v.In(time.FixedZone("", 0)))
		return
	case credit.Amount:
		six, _ := v.Plus(v)
		if v.IsZero() {
			six = credit.MaxBalance()
		}
		other(six)
		return
	case profile.Text:
		other(profile.RestoreText(v.String() + "."))
		return
	case profile.Username:
		other(profile.RestoreUsername(v.String()+".", v.Key()))
		other(profile.RestoreUsername(v.String(), v.Key()+"."))
		return
	case reseller.Role:
		other(reseller.Standard)
		return
	case credit.Operation:
		other(credit.Reclaim)
		return
	case journal.Type:
		other(journal.LineDeleted)
		return
	case journal.ActorKind:
		other(journal.BySession)
		return
	case *journal.Movement:
		other(&journal.Movement{})
		return
	case credit.Party:
		other(credit.Reseller(9))
		return
	}
	switch at.Kind() { //nolint:exhaustive // the others fail the test
	case reflect.Struct:
		for i := range at.NumField() {
			alter(t, record, where+"."+at.Type().Field(i).Name, append(path[:len(path):len(path)], i), found)
		}
	case reflect.Slice:
		longer := reflect.MakeSlice(at.Type(), at.Len()+1, at.Len()+1)
		reflect.Copy(longer, at)
		other(longer.Interface())
		if at.Type().Elem().Kind() == reflect.Uint8 {
			other(append([]byte("x"), at.Bytes()[1:]...))
		}
	case reflect.Array:
		first := at.Index(0)
		first.SetUint(first.Uint() ^ 1)
		found(where, changed.Interface())
	case reflect.String:
		other(at.String() + ".")
	case reflect.Bool:
		other(!at.Bool())
	case reflect.Int, reflect.Int64:
		other(at.Int() + 1)
	default:
		t.Fatalf("%s: this test can't change a %s", where, at.Kind())
	}
}

func TestFormsOfOneValueAreTheSame(t *testing.T) {
	half, again, at := fixture.Credits("0.5"), fixture.Units(5_000), fixture.Noon
	for _, c := range []struct{ a, b any }{
		{reseller.State{Credits: half}, reseller.State{Credits: again}},
		{reseller.State{CreatedAt: at}, reseller.State{CreatedAt: time.UnixMilli(at.UnixMilli()).UTC()}},
		{reseller.State{}, reseller.State{Trials: []reseller.TrialSlot{}, Position: reseller.Position{Ancestors: []int64{}}}},
		{ports.KeyRecord{}, ports.KeyRecord{Request: []byte{}, Body: []byte{}}},
		{credit.Movement{}, credit.Movement{Postings: []credit.Posting{}}},
		{journal.Entry{Movement: &journal.Movement{ID: 7, Amount: half}},
			journal.Entry{Movement: &journal.Movement{ID: 7, Amount: again}}},
	} {
		expect.Equal(t, same(reflect.ValueOf(c.a), reflect.ValueOf(c.b)), true, "%+v is the same as %+v", c.a, c.b)
	}
	entries := func(seq int64) credit.Movement {
		return credit.Movement{Postings: []credit.Posting{{Tip: credit.Tip{Seq: seq}}}}
	}
	expect.Equal(t, same(reflect.ValueOf(entries(1)), reflect.ValueOf(entries(2))), false, "other entries in a slice")
	named := func(id int64) journal.Entry { return journal.Entry{Movement: &journal.Movement{ID: id}} }
	if same(reflect.ValueOf(named(1)), reflect.ValueOf(named(2))) ||
		same(reflect.ValueOf(named(1)), reflect.ValueOf(journal.Entry{})) {
		t.Error("what a pointer leads to counts for nothing")
	}
}
