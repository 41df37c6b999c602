package storekit_test

import (
	"testing"
	"time"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

var entryAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestAnEntryHasOneEncoding checks the stored bytes, which never change: each later version must read them.
func TestAnEntryHasOneEncoding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entry journal.Entry
		want  string
	}{
		{journal.Entry{}, `{}`},
		{journal.Entry{Actor: journal.Actor{Kind: journal.BySystem},
			Data: []journal.Datum{{Name: journal.Days, Value: journal.Number(-7)}}},
			`{"actor":{"kind":"system"},"data":[["days",-7]]}`},
		{
			journal.Entry{
				Account: reseller.Position{ID: 7, Ancestors: []int64{1, 5}}, Line: 9, Request: "a \"b\" \\ \x01 \u2028 é",
				Actor: journal.Actor{Account: 5, Kind: journal.ByToken, Name: "five", Address: "::1"},
				Movement: &journal.Movement{
					ID: 12, Operation: credit.Activation, Amount: fixture.Units(150), Source: credit.Reseller(7),
					Target:   credit.Consumption,
					Balances: []journal.Balance{{Reseller: 7, Credits: fixture.Units(10_000)}},
				},
				Changes: []journal.Change{
					{Field: "blocked", Shown: true, Before: journal.Bool(false), After: journal.Bool(true)},
					{Field: "expDate", Shown: true, After: journal.Instant(entryAt)},
					{Field: "notes"},
				},
				Reason: "why", Version: 3, Data: []journal.Datum{{Name: journal.Username, Value: journal.Text("seven")}},
			},
			`{"path":[1,5,7],"line":9,"actor":{"id":5,"kind":"token","name":"five","address":"::1"},"request":"a \"b\" \\ \u0001 ` + "\u2028" + ` é",` +
				`"movement":{"id":12,"operation":"activation","amount":150,"from":7,"to":"consumption","balances":[[7,10000]]},` +
				`"changes":[["blocked",false,true],["expDate",null,[1772366400000]],["notes"]],"reason":"why","version":3,"data":[["username","seven"]]}`,
		},
	} {
		got, err := storekit.EncodeEntry(&c.entry)
		expect.Error(t, err, nil, "%s", c.want)
		expect.Equal(t, got, c.want, "an entry is written as")
		c.entry.Type, c.entry.At = journal.LineActivated, entryAt
		read := journal.Entry{Type: journal.LineActivated, At: entryAt}
		expect.Error(t, storekit.DecodeEntry(&read, c.want), nil, "%s", c.want)
		expect.DeepEqual(t, read, c.entry, "read again")
	}
	_, err := storekit.EncodeEntry(&journal.Entry{Request: "\xff"})
	expect.Equal(t, err != nil, true, "text that is not UTF-8 is refused")
}

// FuzzDecodeEntry decodes any text. Either the entry encodes to the same text, or the error is ErrDamaged.
func FuzzDecodeEntry(f *testing.F) {
	for _, stored := range []string{
		`{}`, `{"path":[1,5,7],"line":9,"actor":{"id":5,"kind":"token","name":"f\u0000\"","address":"::1"},"request":"é","movement":{"id":12,"operation":"activation",` +
			`"amount":150,"from":7,"to":"consumption","balances":[[7,10000]]},"changes":[["blocked",false,true],["expDate",null,[1772366400000]],["notes"]],"reason":"y","version":3,"data":[["a","b"],["c",-1]]}`,
		"", "{", "[]", "null", `{} `, `{"unknown":1}`, `{"line":0}`, `{"line":01}`, `{"line":1,}`,
		`{"line":9223372036854775808}`, `{"path":[]}`, `{"path":[0]}`, `{"path":[1`, `{"version":1,"line":1}`,
		`{"line":1,"line":1}`, `{"request":""}`, `{"request":"a}`, `{"request":"\u0041"}`, `{"request":"\x"}`,
		"{\"request\":\"\x01\"}", "{\"request\":\"\xff\"}", `{"request":"\`, `{"actor":{}}`,
		`{"actor":{"kind":"ghost"}}`, `{"movement":{}}`, `{"changes":[]}`, `{"data":[["a"]]}`, `{"data":[["a",1.5]]}`,
		`{"movement":{"id":1,"operation":"x","amount":1,"from":1,"to":2}}`, `{"data":[["a",[]]]}`,
	} {
		f.Add(stored)
	}
	f.Fuzz(func(t *testing.T, stored string) {
		e := journal.Entry{Type: journal.Began}
		if err := storekit.DecodeEntry(&e, stored); err != nil {
			expect.Error(t, err, storekit.ErrDamaged, "%q", stored)
			expect.DeepEqual(t, e, journal.Entry{Type: journal.Began}, "%q", stored)
			return
		}
		if again, err := storekit.EncodeEntry(&e); err != nil || again != stored {
			t.Fatalf("%q is written as %q, error %v", stored, again, err)
		}
	})
}
