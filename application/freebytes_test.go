package application

import (
	"errors"
	"testing"
	"time"

	"resellerd/domain/session"
)

func TestFreeBytesOfADay(t *testing.T) {
	noon := time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)
	f := freeBytes{most: 100}
	for _, c := range []struct {
		situation string
		after     time.Duration // noon
		by        session.Holder
		bytes     int64
		wait      time.Duration // 0: it is let in
	}{
		{"the first", 0, 1, 99, 0},
		{"less than the limit is stored", 0, 1, 99, 0},
		{"the limit is passed", time.Hour, 1, 1, 11 * time.Hour},
		{"who only asks", time.Hour, 1, 0, 11 * time.Hour},
		{"another account", time.Hour, 2, 100, 0},
		{"the end of the day", 12*time.Hour - time.Millisecond, 1, 1, time.Millisecond},
		{"midnight", 12 * time.Hour, 1, 100, 0},
		{"a command of yesterday that is late", 12*time.Hour - time.Second, 2, 100, 0},
		{"and did not begin yesterday again", 12*time.Hour + time.Second, 1, 1, 24*time.Hour - time.Second},
		{"the next day, by a clock that is ahead", 40 * time.Hour, 1, 100, 0},
		{"a clock that is set right", 13 * time.Hour, 1, 100, 0},
		{"and goes on", 14 * time.Hour, 1, 1, 22 * time.Hour},
	} {
		err := f.take(c.by, c.bytes, false, noon.Add(c.after))
		var spent *TooManyBytesKept
		if errors.As(err, &spent); (spent == nil) != (c.wait == 0) || spent != nil && spent.Wait != c.wait {
			t.Errorf("%s: got %v, want a wait of %s", c.situation, err, c.wait)
		}
	}
	f.giveBack(1, 50, noon) // which was taken on a day before
	if err := f.take(1, 0, false, noon.Add(14*time.Hour)); err == nil {
		t.Error("what was taken yesterday is given back today")
	}
	f.giveBack(1, 50, noon.Add(14*time.Hour))
	if err := f.take(1, 0, false, noon.Add(14*time.Hour)); err != nil {
		t.Error(err)
	}
}

func TestFreeBytesAreCountedInBoundedMemory(t *testing.T) {
	f := freeBytes{most: 1000}
	for account := range session.Holder(4 * mostCounted) {
		bytes := int64(1)
		if account%1000 == 7 {
			bytes = 1000
		}
		if err := f.take(account, bytes, false, time.Unix(0, 0)); err != nil {
			t.Fatal(err)
		}
		if len(f.kept) > mostCounted {
			t.Fatalf("%d accounts are counted, want %d at most", len(f.kept), mostCounted)
		}
	}
	if err := f.take(7, 1, false, time.Unix(0, 0)); err == nil {
		t.Error("who has stored the most is forgotten")
	}
}
