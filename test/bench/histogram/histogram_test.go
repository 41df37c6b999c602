package histogram_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/test/bench/histogram"
	_ "resellerd/test/rapidflags"
)

func TestQuantilesOfKnownLatencies(t *testing.T) {
	var h histogram.Histogram
	if got := h.Quantile(0.5); got != 0 {
		t.Errorf("nothing was recorded, and its median is %v", got)
	}
	for i := 1; i <= 1000; i++ {
		h.Record(time.Duration(i) * time.Microsecond)
	}
	for q, want := range map[float64]time.Duration{0: time.Microsecond, 0.5: 500 * time.Microsecond, 0.99: 990 * time.Microsecond, 1: time.Millisecond} {
		if got := h.Quantile(q); got < want || float64(got) > 1.008*float64(want) {
			t.Errorf("the quantile %v is %v, want %v", q, got, want)
		}
	}
	if h.Count() != 1000 {
		t.Errorf("%d latencies were counted, want 1000", h.Count())
	}
}

func TestEveryLatencyKeepsItsPrecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		latency := time.Duration(rapid.Int64Range(0, 1<<40-1).Draw(t, "nanoseconds"))
		var h histogram.Histogram
		h.Record(latency)
		got := h.Quantile(1)
		if got < latency || float64(got-latency) > math.Max(0, float64(latency)/128) {
			t.Fatalf("%d nanoseconds come back as %d", latency, got)
		}
	})
}

func TestWhatIsOutOfRangeCountsAsItsEnd(t *testing.T) {
	var h histogram.Histogram
	h.Record(-time.Second)
	h.Record(math.MaxInt64)
	if low, high := h.Quantile(0), h.Quantile(1); low != 0 || high != 1<<40-1 {
		t.Errorf("the ends are %d and %d", low, high)
	}
}

func TestAddCountsBoth(t *testing.T) {
	var one, other histogram.Histogram
	one.Record(time.Millisecond)
	other.Record(time.Second)
	one.Add(&other)
	if got := one.Quantile(1); one.Count() != 2 || got < time.Second {
		t.Errorf("%d latencies, the longest %v", one.Count(), got)
	}
}
