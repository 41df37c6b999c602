package drive_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/test/bench/drive"
)

const second = time.Second

// slow is a client whose answers take so long.
func slow(each time.Duration) drive.Client {
	return func() error { time.Sleep(each); return nil }
}

func TestAClosedLoopAsksWhenItIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := drive.Closed([]drive.Client{slow(100 * time.Millisecond), slow(50 * time.Millisecond)}, second)
		if r.Count != 30 || r.Took != second || r.Rate() != 30 || r.Failed != 0 {
			t.Errorf("%d answers in %v, %d failures", r.Count, r.Took, r.Failed)
		}
		if p50, p100 := r.Latency.Quantile(0.5), r.Latency.Quantile(1); p50.Round(time.Millisecond) != 50*time.Millisecond || p100.Round(time.Millisecond) != 100*time.Millisecond {
			t.Errorf("the latencies are %v and %v", p50, p100)
		}
	})
}

func TestAnOpenLoopCountsFromWhenARequestWasDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int
		stalls := func() error { // for half a second, once
			if asked++; asked == 1 {
				time.Sleep(second / 2)
			}
			return nil
		}
		r := drive.Open([]drive.Client{stalls}, 100, second)
		if r.Count != 100 {
			t.Fatalf("%d requests at 100 a second", r.Count)
		}
		// Half of them were due during the stall, and waited 500 ms down to 10.
		if p75 := r.Latency.Quantile(0.75); p75 < 240*time.Millisecond || p75 > 260*time.Millisecond {
			t.Errorf("three quarters are within %v, want 250 ms", p75)
		}
	})
}

func TestAFailureIsCountedApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wrong := errors.New("wrong")
		var n int
		r := drive.Closed([]drive.Client{func() error {
			time.Sleep(second / 10)
			switch n++; n % 5 {
			case 0:
				return wrong
			case 1:
				return drive.ErrRefused
			}
			return nil
		}}, second)
		if r.Count != 6 || r.Refused != 2 || r.Failed != 2 || !errors.Is(r.First, wrong) || r.Latency.Count() != 6 {
			t.Errorf("%d answers, %d refusals, %d failures, %v", r.Count, r.Refused, r.Failed, r.First)
		}
	})
}

func TestAllEndWhereNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var left atomic.Int64
		left.Store(10)
		client := func() error {
			if time.Sleep(second / 100); left.Add(-1) < 0 {
				return drive.ErrNothingLeft
			}
			return nil
		}
		r := drive.Closed([]drive.Client{client, client}, time.Hour)
		if r.Count != 10 || r.Failed != 0 || r.Took > second {
			t.Errorf("%d answers in %v, %d failures", r.Count, r.Took, r.Failed)
		}
	})
}
