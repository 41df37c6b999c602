package sqlitestore_test

import (
	"testing"

	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// What it takes to undo a command is kept in memory, so one that starts a copy over
// removes a part of it at a time.
func TestACopyIsStartedOverInParts(t *testing.T) {
	t.Parallel()
	s := holding(t)
	begun, err := s.BeginCopy(t.Context(), ports.Origin{}, false)
	must(t, err)
	owner := master(2)
	must(t, begun.Copy(t.Context(), ports.Batch{Resellers: []*reseller.Reseller{admin(), owner}}))
	const lines = 2_050
	var batch []*line.Line
	for id := int64(1); id <= lines; id++ {
		batch = append(batch, fixture.Trial(owner, id))
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
	must(t, again.Copy(t.Context(), ports.Batch{Resellers: []*reseller.Reseller{admin(), owner}, Lines: batch}))
	must(t, again.Finish(t.Context()))
}
