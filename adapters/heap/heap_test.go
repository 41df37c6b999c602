package heap

import (
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
