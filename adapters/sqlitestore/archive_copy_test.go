package sqlitestore_test

import (
	"context"
	"testing"

	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestACopyIsStartedOverInParts: what it takes to undo a command is kept in memory, so one that starts a copy over
// removes a part of it at a time. The store that filled it remembers nothing of that.
func TestACopyIsStartedOverInParts(t *testing.T) {
	t.Parallel()
	s := holding(t)
	begun, err := s.BeginCopy(t.Context(), ports.Origin{}, false)
	must(t, err)
	owner := master(2)
	must(t, begun.Copy(t.Context(), ports.Batch{Resellers: []*reseller.Reseller{admin(), owner}}))
	var batch []*line.Line
	for id := range int64(2_050) {
		batch = append(batch, fixture.Trial(owner, 1+id))
	}
	must(t, begun.Copy(t.Context(), ports.Batch{Lines: batch}))

	before := s.Transactions()
	again, err := s.BeginCopy(t.Context(), ports.Origin{}, true)
	must(t, err)
	const (
		others = 13 // tables
		ends   = 2
	)
	expect.DeepEqual(t, s.Transactions()-before, int64(others+ends+3), "three for 2,050 lines")
	expect.Error(t, begun.Copy(t.Context(), ports.Batch{}), ports.ErrCopyEnded)
	must(t, again.Copy(t.Context(), ports.Batch{Resellers: []*reseller.Reseller{admin()}}))
	must(t, again.Finish(t.Context()))
	expect.Error(t, s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Resellers.Get(ctx, 2)
		return err
	}), fault.ErrNotFound)
}
