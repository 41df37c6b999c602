// Package histogram counts latencies in buckets whose width grows with the value, so that a quantile is exact to one
// part in 128 whatever its size, and recording costs an increment.
package histogram

import (
	"math/bits"
	"time"
)

const (
	precision = 7                                  // bits of a value that are kept
	longest   = 40                                 // bits of the longest latency, 18 minutes: longer ones count as it
	buckets   = (longest - precision) << precision // those of one doubling after the other
	size      = buckets + 1<<precision             // and those below the first, one for each nanosecond
	maximum   = uint64(1)<<longest - 1             // nanoseconds
)

// Histogram counts latencies. Its zero value is empty. It is not safe for concurrent use: each worker has its own, and
// Add makes one of them.
type Histogram struct {
	counts [size]uint32
	count  uint64
}

// Record counts a latency. One below zero counts as zero.
func (h *Histogram) Record(latency time.Duration) {
	h.counts[index(uint64(max(latency, 0)))]++
	h.count++
}

// Add counts what the other has counted.
func (h *Histogram) Add(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.count += other.count
}

// Count returns how many latencies were recorded.
func (h *Histogram) Count() uint64 { return h.count }

// Quantile returns the latency that the part q of all does not exceed, from 0 to 1; 0 where there is none.
func (h *Histogram) Quantile(q float64) time.Duration {
	if h.count == 0 {
		return 0
	}
	rank, seen := uint64(q*float64(h.count-1)), uint64(0)
	for i, n := range h.counts {
		if seen += uint64(n); seen > rank {
			return upper(i)
		}
	}
	return upper(size - 1)
}

func index(nanoseconds uint64) int {
	v := min(nanoseconds, maximum)
	if v < 1<<precision {
		return int(v)
	}
	shift := bits.Len64(v) - precision - 1
	return shift<<precision + int(v>>shift)
}

// upper returns the greatest value of a bucket.
func upper(i int) time.Duration {
	if i < 2<<precision {
		return time.Duration(i)
	}
	shift := i>>precision - 1
	lowest := (i - shift<<precision) << shift
	return time.Duration(lowest + 1<<shift - 1)
}
