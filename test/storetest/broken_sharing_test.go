package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"resellerd/adapters/memstore"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

func brokenSharing() []broken {
	return []broken{
		{how: "reads its file once in each process", sabotage: process, beside: loaded, caught: caughtBy(
			"a-second-process-shares-the-records-or-is-refused", "transfers-in-two-processes-lose-nothing",
			"one-of-many-in-two-processes-takes-a-name",
			"one-key-in-two-processes-has-one-effect", "two-processes-record-one-service-key",
		)},
		{how: "counts ids in each process", sabotage: process, caught: caughtBy("ids-are-unique-among-two-processes"),
			beside: func(open full) full {
				return &wrapped{full: process(open), nextID: memstore.New().NextID}
			}},
	}
}

// loaded is another process of a store that reads a file into maps when it starts, and writes all of it with each
// update: the file is as the first process has written it last. Both processes assign the ids that follow those of the
// file.
func loaded(open full) full {
	maps := memstore.New()
	var last atomic.Int64
	err := open.ViewRecords(context.Background(), func(ctx context.Context, r ports.Records) error {
		found, err := contentsIn(ctx, r)
		if err != nil {
			return err
		}
		last.Store(int64(len(found.resellers)))
		return maps.Update(ctx, inTurn(
			inTurn(mapped(found.resellers, func(s reseller.State) work { return inserts(restored(s)) })...),
			inTurn(mapped(found.lines, func(s line.State) work { return insertsLine(restoredLine(s)) })...),
		))
	})
	if err != nil {
		panic(err)
	}
	return &wrapped{full: maps, nextID: func(context.Context, ports.Sequence) (int64, error) { return last.Add(1), nil }}
}

func TestAStoreThatLacksSharingRefusesASecondProcess(t *testing.T) {
	t.Parallel()
	c := secondProcessChecks[0]
	refusing := subject(c, process, reopened, process)
	refusing.Lacks = map[Capability]string{Sharing: "a lock"}
	if found := failures(t, c, refusing); len(found) == 0 {
		t.Error("a store passes that lacks sharing and is opened twice")
	}
	refusing.Beside = func(T, ports.Store) (ports.Store, error) { return nil, errors.New("another process has it open") }
	if found := failures(t, c, refusing); len(found) != 0 {
		t.Errorf("a store fails that refuses a second process: %q", found)
	}
	refusing.Lacks = nil
	if found := failures(t, c, refusing); len(found) == 0 {
		t.Error("a store passes that refuses a second process and does not lack sharing")
	}
	refusing.Beside = nil
	if found := failures(t, c, refusing); len(found) == 0 {
		t.Error("a store passes in which no second process was tried")
	}
}
