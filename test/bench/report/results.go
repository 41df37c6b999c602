// Package report stores the measurements of a run, compares them with the targets, and writes the report.
package report

import (
	"cmp"
	"slices"
	"time"
)

// Key names one measurement, which every round repeats.
type Key struct {
	Who     string // what was measured: resellerd, or something beside it
	What    string // an operation
	Clients int
}

// Sample is a measurement of one round.
type Sample struct {
	Rate      float64       // a second
	CPU       time.Duration // of a request, of the process that served it; 0 where it is not known
	Generator time.Duration // of a request, of the load generator
	P50, P99  time.Duration
	Refused   float64 // the part of the requests that were refused, which count in no other figure but the CPU
}

// Results are the samples of every measurement, by round.
type Results struct {
	// Of the program, in bytes: its memory right after the start, its highest memory under load, and the size of its
	// binary, stripped. 0 is unknown.
	Idle, Most, Binary int64
	Started            time.Duration // how long a start on the store took after the load

	keys    []Key
	samples map[Key][]Sample
}

// NewResults returns results without a sample. Tables show these measurements in this order.
func NewResults(keys ...Key) *Results { return &Results{keys: keys, samples: map[Key][]Sample{}} }

// Add adds the sample of the present round.
func (r *Results) Add(k Key, s Sample) { r.samples[k] = append(r.samples[k], s) }

// Median returns the medians over the rounds, each figure's own, and false where it was not measured.
func (r *Results) Median(k Key) (Sample, bool) {
	all := r.samples[k]
	if len(all) == 0 {
		return Sample{}, false
	}
	return Sample{
		Rate:      median(all, func(s Sample) float64 { return s.Rate }),
		CPU:       median(all, func(s Sample) time.Duration { return s.CPU }),
		Generator: median(all, func(s Sample) time.Duration { return s.Generator }),
		P50:       median(all, func(s Sample) time.Duration { return s.P50 }),
		Refused:   median(all, func(s Sample) float64 { return s.Refused }),
		P99:       median(all, func(s Sample) time.Duration { return s.P99 }),
	}, true
}

// Ratio returns the median of the rounds' ratios of two rates, so that a round on a busy machine counts no more than
// another, and false where one of the two was not measured.
func (r *Results) Ratio(of, to Key) (float64, bool) {
	return r.beside(of, to, func(s Sample) float64 { return s.Rate })
}

// beside is Ratio for any figure of a sample.
func (r *Results) beside(of, to Key, figure func(Sample) float64) (float64, bool) {
	a, b := r.samples[of], r.samples[to]
	rounds := make([]int, min(len(a), len(b)))
	for i := range rounds {
		rounds[i] = i
	}
	if len(rounds) == 0 {
		return 0, false
	}
	return median(rounds, func(i int) float64 { return figure(a[i]) / figure(b[i]) }), true
}

// median returns the middle of the values of all, the lower one of two.
func median[T any, V cmp.Ordered](all []T, of func(T) V) V {
	values := make([]V, len(all))
	for i, v := range all {
		values[i] = of(v)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}
