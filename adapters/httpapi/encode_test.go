package httpapi

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"
)

// FuzzRecords compares records that write themselves with what encoding/json makes of their tags, byte for byte.
func FuzzRecords(f *testing.F) {
	f.Add("joao.tv", "São Paulo", int64(1), 1, int64(1_700_000_000_123))
	f.Add("", "", int64(0), 0, int64(0))
	f.Add("\"quoted\" \\ \t\n\r\b\f\x00\x1f", "<a&b>\u2028\u2029\x7f", int64(math.MinInt64), -1, int64(-62_135_596_800_000))
	f.Add("\xef", "\uFFFD \xc3\x28 \xed\xa0\x80 😀", int64(math.MaxInt64), math.MaxInt, int64(253_402_300_799_999))
	f.Add("\u2028", "\xff", int64(7), 7, int64(253_402_300_800_000))
	f.Fuzz(func(t *testing.T, a, b string, n int64, bit int, milliseconds int64) {
		at := instant(time.UnixMilli(milliseconds))
		if y := time.Time(at).UTC().Year(); y < -9999 || y > 99999 {
			return // encoding/json takes what MarshalJSON returns, which layouts write in their own way
		}
		for _, record := range []appender{
			lineRecord{n, a, b, n, at, nullable(a), bit, bit, nullable(b), nullable(a), b, nullable(a), nullableID(n), bit, bit, bit, nullable(b), nullable(a), at, at, b},
			lineRecord{ID: n, Username: b},
			entryRecord{n, n, a, b, a, b, nullableID(n), n, a, nullable(b), at},
			resellerRecord{n, a, b, bit, a, b, nullable(a), nullable(b), n, a, bit, bit, b, at, at, nullable(a), nullable(b), bit, bit, bit, nullable(a)},
			resellerRecord{},
		} {
			var want bytes.Buffer
			e := json.NewEncoder(&want)
			e.SetEscapeHTML(false)
			if err := e.Encode(record); err != nil {
				t.Fatal(err)
			}
			if got := encode(record); !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%T:\ngot  %swant %s", record, got, want.Bytes())
			}
		}
		want := new(bytes.Buffer)
		e := json.NewEncoder(want)
		e.SetEscapeHTML(false)
		if err := e.Encode([]string{a, b}); err != nil {
			t.Fatal(err)
		}
		got := append(appendText(append(appendText([]byte{'['}, a), ','), b), ']', '\n')
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("got %swant %s", got, want)
		}
	})
}

func TestInstantsAreWrittenAsTheirLayoutWouldBe(t *testing.T) {
	west := time.FixedZone("west", -3*60*60)
	for _, at := range []time.Time{
		{}, time.Unix(0, 0), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(-1, 2, 3, 4, 5, 6, 7e6, time.UTC), time.Date(2026, 11, 22, 23, 8, 9, 10e6, west), time.Date(2024, 2, 29, 1, 2, 3, 45_678_901, time.UTC),
	} {
		if got, want := iso(at), at.UTC().Format("2006-01-02T15:04:05.000Z"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
