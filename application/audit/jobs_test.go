package audit_test

import (
	"context"
	"errors"
	"testing"

	"resellerd/domain/bulk"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// heap has three jobs of account 2: a finished one, a running one, and a dry run.
type heap struct {
	done, running, dry bulk.Job
	parts              []bulk.Batch
}

func newHeap() heap {
	job := func(id int64, matched, succeeded, refused int) bulk.Job {
		return bulk.Job{
			ID: id, By: bulk.Starter{Account: 2}, Change: bulk.Change{Action: bulk.Resume}, Status: bulk.Running,
			Matched: matched, Succeeded: succeeded, Refused: refused, Created: fixture.Noon,
		}
	}
	of := func(job, number int64, decided int, lines ...int64) bulk.Batch {
		return bulk.Batch{Job: job, Number: number, Lines: bulk.PackIDs(lines), Decided: decided}
	}
	return heap{
		done: job(1, 3, 2, 1).Ended(bulk.Done, fixture.Noon), running: job(2, 3, 1, 0),
		dry: func() bulk.Job {
			j := job(3, 0, 0, 0).WithOutcome(bulk.Outcome{Matched: 9, Succeeded: 9}, fixture.Noon)
			j.DryRun = true
			return j
		}(),
		parts: []bulk.Batch{of(1, 1, 1, 7, 9).Refuse(bulk.Refusal{Line: 9, Code: "not-found"}), of(1, 2, 1, 11),
			of(2, 1, 1, 7, 9), of(2, 2, 0, 11)},
	}
}

func (h heap) stored(t *testing.T) *ledger {
	t.Helper()
	l := newLedger(t)
	l.master()
	l.store(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		for _, j := range []bulk.Job{h.done, h.running, h.dry} {
			require.NoError(t, ports.BulkJobs.In(tx.Records).Insert(ctx, j))
		}
		for _, p := range h.parts {
			require.NoError(t, ports.BulkBatches.In(tx.Records).Insert(ctx, p))
		}
		return nil
	}))
	for range 3 {
		require.NoError(t, errorOf(l.NextID(t.Context(), ports.BulkJobs.Sequence())))
	}
	return l
}

func TestAuditComparesJobsWithTheirBatches(t *testing.T) {
	const differs = ", and its batches have "
	for how, c := range map[string]struct {
		damage func(h *heap)
		want   []string
	}{
		"nothing":        {func(*heap) {}, nil},
		"another action": {func(h *heap) { h.done.Action = "sell" }, []string{"bulk_job 1: its action is unknown"}},
		"done before the last one": {func(h *heap) {
			h.running = h.running.Ended(bulk.Done, fixture.Noon)
		}, []string{"bulk_job 2: 1 of its 3 lines succeeded, and 0 were refused, which is impossible"}},
		"a success more": {func(h *heap) { h.running.Succeeded++ }, []string{
			"bulk_job 2: it is for 3 lines, of which 2 are decided and 0 refused" + differs + "3, 1 and 0",
		}},
		"a refusal as a success": {func(h *heap) { h.done.Succeeded, h.done.Refused = 3, 0 }, []string{
			"bulk_job 1: it is for 3 lines, of which 3 are decided and 0 refused" + differs + "3, 3 and 1",
		}},
		"a part less": {func(h *heap) { h.parts = h.parts[:3] }, []string{
			"bulk_job 2: it is for 3 lines, of which 1 are decided and 0 refused" + differs + "2, 1 and 0",
		}},
		"a part of no job": {func(h *heap) {
			h.parts = append(h.parts, bulk.Batch{Job: 9, Number: 1, Lines: bulk.PackIDs([]int64{1})})
		}, []string{"bulk_part 9.1: its job is missing"}},
		"more decided than lines": {func(h *heap) {
			h.parts[3].Decided = 2
		}, []string{"bulk_part 2.2: its lines or their results are impossible"}},
	} {
		t.Run(how, func(t *testing.T) {
			h := newHeap()
			c.damage(&h)
			finds(t, h.stored(t), "", c.want...)
		})
	}
	l := newHeap().stored(t)
	require.NoError(t, l.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		damaged, err := newer(ports.BulkJobs.Stored(newHeap().done))
		require.NoError(t, errors.Join(err, ports.BulkJobs.In(tx.Records).Delete(ctx, 1)))
		return tx.Records.Insert(ctx, ports.BulkJobs.Kind, damaged)
	}))
	finds(t, l, "", "bulk_job 1: "+record.ErrNewer.Error()) // and nothing about its batches
}
