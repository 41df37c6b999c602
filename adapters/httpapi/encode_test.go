package httpapi

import (
	"testing"
	"time"
)

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
