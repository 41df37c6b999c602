package heap

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"resellerd/test/expect"
)

func TestTheSoftLimitLeavesRoom(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, c := range []struct{ live, other, hashes, want int64 }{
		{5 * mib, 8 * mib, 19 * mib, 59 * mib},
		{5*mib + 2*19*mib, 8 * mib, 2 * 19 * mib, 78 * mib},      // while two are made
		{Goal, 8 * mib, 19 * mib, 27*mib + (93+32)*mib},          // caches and buffers are full
		{300 * mib, 200 * mib, 19 * mib, 219*mib + (281+32)*mib}, // 20,000 connections
	} {
		expect.Equal(t, softLimit(c.live, c.other, c.hashes), c.want, "%+v: the limit", c)
	}
}

// TestTheSoftLimitFollowsTheHeap has more live than the limit was at first.
func TestTheSoftLimitFollowsTheHeap(t *testing.T) { //nolint:paralleltest // it looks at the limit of the process
	if os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("the limit is another's")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	followHeap(0)
	held := make([][]byte, 200)
	for i := range held {
		held[i] = make([]byte, 1<<20)
	}
	for range 1_000 { // what follows a collection is done some time after it
		if runtime.GC(); debug.SetMemoryLimit(-1) >= int64(len(held))<<20+mostRoom {
			return
		}
	}
	runtime.KeepAlive(held)
	t.Errorf("the limit is %d bytes while %d MiB live", debug.SetMemoryLimit(-1), len(held))
}
