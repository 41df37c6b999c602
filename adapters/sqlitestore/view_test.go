package sqlitestore_test

import (
	"context"
	"runtime"
	"testing"

	"resellerd/ports"
)

// TestAViewKeepsNothingOfItsReads makes many reads in one view, as an audit and a
// copy do: what they read, and how, is gone after each.
func TestAViewKeepsNothingOfItsReads(t *testing.T) {
	s := holding(t, admin())
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		before := int64(0)
		const reads = 10_000
		for i := range reads {
			if i == reads/10 {
				before = held()
			}
			if _, err := v.Resellers.Get(ctx, 1); err != nil {
				return err
			}
		}
		if grown := held() - before; grown > 32*reads {
			t.Errorf("%d reads in one view keep %d bytes", reads, grown)
		}
		return nil
	}))
}
