package sqlitestore_test

import (
	"context"
	"runtime"
	"testing"

	"resellerd/ports"
)

// heap returns how many bytes are reachable.
func heap() int64 {
	runtime.GC()
	runtime.GC() // pools keep what they have over one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestAViewKeepsNothingOfItsReads makes many reads in one view, as an audit and a
// copy do: what they read, and how, is gone after each.
func TestAViewKeepsNothingOfItsReads(t *testing.T) {
	s := holding(t, admin())
	must(t, s.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		before := int64(0)
		const reads = 10_000
		for i := range reads {
			if i == reads/10 {
				before = heap()
			}
			if _, err := v.Resellers.Get(ctx, 1); err != nil {
				return err
			}
		}
		if grown := heap() - before; grown > 32*reads {
			t.Errorf("%d reads in one view keep %d bytes", reads, grown)
		}
		return nil
	}))
}
