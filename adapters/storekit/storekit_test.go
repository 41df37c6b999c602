package storekit_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

func TestShutWaitsUntilAllCallsHaveLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g storekit.Gate
		must(t, g.Enter(t.Context()))
		shut := make(chan bool, 2)
		go func() { shut <- g.Shut() }()
		synctest.Wait()
		expect.Equal(t, len(shut), 0, "shut during a call")
		expect.Error(t, g.Enter(t.Context()), ports.ErrUnavailable, "a call while it is being shut")
		g.Leave()
		if !<-shut || g.Shut() {
			t.Error("not only the first call has shut it")
		}
	})
}

// run is a run of work with a given result of Failed.
type run struct {
	failed error
	ended  chan bool // whether its changes were accepted
}

func newRun(failed error) *run { return &run{failed, make(chan bool, 1)} }

func (r *run) Failed() error { return r.failed }

func (r *run) End(commit bool) { r.ended <- commit }

type (
	queue   = storekit.Queue[*run]
	command = storekit.Command[*run]
)

// keep runs and ends commands one after the other.
func keep(batch []*command) {
	for _, c := range batch {
		c.Run(newRun(nil))
		c.End(nil)
	}
}

// serving returns a queue that is served until the test ends.
func serving(t *testing.T, most int, transact func(batch []*command)) *queue {
	t.Helper()
	q := storekit.NewQueue[*run](most, 0)
	go q.Serve(transact)
	t.Cleanup(q.Close)
	return q
}

func TestARunOfWork(t *testing.T) {
	refused, lost := errors.New("refused"), errors.New("the transaction is lost")
	for _, c := range []struct {
		name        string
		failed      error                  // what the run says
		work        func(end func()) error // end ends the context
		transaction error                  // how that ended
		outcome     storekit.Outcome       // of the run
		want        []error                // in the answer, none: success
	}{
		{"it succeeds", nil, func(func()) error { return nil }, nil, storekit.Succeeded, nil},
		{"it is refused", nil, func(func()) error { return refused }, nil, storekit.Dropped, []error{refused}},
		{"it overlooks a failure", lost, func(func()) error { return nil }, nil, storekit.Dropped, []error{lost}},
		{"it has to run again", storekit.ErrAgain, func(func()) error {
			return nil
		}, nil, storekit.Again, []error{storekit.ErrAgain}},
		{"its context ends", nil, func(end func()) error {
			end()
			return nil
		}, nil, storekit.Dropped, []error{ports.ErrUnavailable, context.Canceled}},
		{"its transaction is lost", nil, func(func()) error { return nil }, lost, storekit.Succeeded, []error{lost}},
		{"it is refused in a transaction that is lost", nil, func(func()) error { return refused }, lost, storekit.Dropped,
			[]error{lost}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRun(c.failed)
			q := serving(t, 1, func(batch []*command) {
				expect.Equal(t, batch[0].Run(r), c.outcome, "got outcome")
				expect.Equal(t, <-r.ended, (c.outcome == storekit.Succeeded), "End was called with commit")
				batch[0].End(c.transaction)
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := q.Do(ctx, func(*run) error { return c.work(cancel) })
			if c.want == nil && err != nil {
				t.Errorf("got error %v", err)
			}
			for _, want := range c.want {
				expect.Error(t, err, want)
			}
		})
	}
}

// TestAPanicOfWorkAffectsOnlyItsCaller also covers a Goexit.
func TestAPanicOfWorkAffectsOnlyItsCaller(t *testing.T) {
	q := serving(t, 1, func(batch []*command) {
		r := newRun(nil)
		defer func() {
			expect.Equal(t, len(r.ended), 1, "runs that ended")
		}()
		if got := batch[0].Run(r); got == storekit.Succeeded {
			batch[0].End(nil)
		} else if got != storekit.Dropped || batch[0].Run(newRun(nil)) != storekit.Dropped {
			t.Errorf("got outcome %d", got)
		}
	})
	for name, end := range map[string]func(){"panic": func() { panic("on purpose") }, "Goexit": runtime.Goexit} {
		gone := make(chan any)
		go func() {
			defer func() { gone <- recover() }()
			_ = q.Do(context.Background(), func(*run) error { end(); return nil })
			t.Errorf("%s: Do returned", name)
		}()
		switch cause := (<-gone).(type) {
		case *storekit.Panic:
			if name != "panic" || cause.Value != "on purpose" ||
				!strings.Contains(string(cause.Stack), "TestAPanicOfWorkAffectsOnlyItsCaller") {
				t.Errorf("%s: recovered %v", name, cause)
			}
		default:
			if name == "panic" || cause != nil {
				t.Errorf("%s: recovered %v", name, cause)
			}
		}
		must(t, q.Do(t.Context(), func(*run) error { return nil }), "the next command, after a ", name)
	}
}

// TestALeavingCallerDelaysNoOther also checks that the caller waits for the end of its running work, because the work
// may still assign variables.
func TestALeavingCallerDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := make(chan struct{})
		q := serving(t, 1, func(batch []*command) {
			<-turn
			keep(batch)
		})
		ctx, cancel := context.WithCancel(t.Context())
		left, ended := make(chan error, 1), make(chan error, 1)
		assigned := false
		go func() {
			ended <- q.Do(ctx, func(*run) error {
				cancel()
				time.Sleep(time.Second)
				assigned = true
				return nil
			})
		}()
		synctest.Wait()
		gone, leave := context.WithCancel(t.Context())
		go func() {
			left <- q.Do(gone, func(*run) error {
				t.Error("work of a caller that has left is run")
				return nil
			})
		}()
		synctest.Wait()
		leave()
		expect.Error(t, <-left, context.Canceled)
		close(turn)
		err := <-ended
		expect.Error(t, err, ports.ErrUnavailable)
		expect.Error(t, err, context.Canceled)
		expect.Equal(t, assigned, true, "the work is done")
		must(t, q.Do(t.Context(), func(*run) error { return nil }))
	})
}

// TestWaitingCommandsShareABatch blocks the writer until five commands wait.
func TestWaitingCommandsShareABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := make(chan struct{})
		var sizes []int
		q := serving(t, 3, func(batch []*command) {
			<-turn
			sizes = append(sizes, len(batch))
			keep(batch)
		})
		var callers sync.WaitGroup
		var ran []int
		for i := range 6 {
			callers.Go(func() { must(t, q.Do(t.Context(), func(*run) error { ran = append(ran, i); return nil })) })
			synctest.Wait() // the order stays
		}
		expect.Equal(t, q.Len(), 5, "commands that wait, 2 of them for a place in the queue")
		left, leave := context.WithCancel(t.Context())
		leave()
		expect.Error(t, q.Do(left, func(*run) error { return nil }), context.Canceled, "the command that left")
		expect.Equal(t, q.Len(), 5, "commands that wait after one has left")
		close(turn)
		callers.Wait()
		expect.Equal(t, q.Len(), 0, "commands that wait in the end")
		expect.Elements(t, ran, []int{0, 1, 2, 3, 4, 5}, "they ran in the order")
		expect.Elements(t, sizes, []int{1, 3, 2}, "sizes of batches")
	})
}

// counter assigns blocks of ids and records their sizes.
type counter struct {
	next  int64
	sizes []int64
	err   error
}

func (c *counter) take(_ context.Context, _ ports.Sequence, n int64) (int64, error) {
	if c.err != nil {
		return 0, c.err
	}
	c.sizes = append(c.sizes, n)
	c.next += n
	return c.next - n, nil
}

func TestIDs(t *testing.T) {
	c := &counter{next: 1, err: errors.New("refused")}
	ids := storekit.NewIDs(5, 5, c.take)
	if _, err := ids.Next(t.Context(), ports.Sequence{}); err == nil {
		t.Error("an unknown sequence assigns ids")
	}
	_, err := ids.Next(t.Context(), ports.LineIDs)
	expect.Error(t, err, c.err)
	c.err = nil
	got := make(chan int64, 100)
	var group sync.WaitGroup
	for range cap(got) {
		group.Go(func() {
			id, err := ids.Next(t.Context(), ports.LineIDs)
			expect.Error(t, err, nil)
			got <- id
		})
	}
	group.Wait()
	close(got)
	seen := map[int64]bool{}
	for id := range got {
		seen[id] = true
	}
	expect.Equal(t, len(seen), cap(got), "ids")
	expect.Equal(t, len(c.sizes), cap(got)/5, "blocks of 5")
	if id, err := ids.Next(t.Context(), ports.LineIDs); err != nil || id != 101 {
		t.Errorf("got id %d and error %v", id, err)
	}
	expect.Elements(t, ids.Left(), []storekit.Rest{{Of: ports.LineIDs, Next: 102, End: 106}}, "left")
	ids.Forget()
	expect.Elements(t, ids.Left(), nil, "left of what is forgotten")
	if id, err := ids.Next(t.Context(), ports.LineIDs); err != nil || id != 106 {
		t.Errorf("got id %d and error %v from a block that was to be forgotten", id, err)
	}
}

// TestSides checks movements that no store may write or read. The suite of stores covers the valid movements.
func TestSides(t *testing.T) {
	posting := func(reseller int64) credit.Posting {
		tip := credit.Tip{Seq: reseller, Hash: credit.Hash{1}}
		return credit.Posting{Reseller: reseller, Tip: tip, Balance: fixture.Units(reseller)}
	}
	for name, m := range map[string]credit.Movement{
		"no posting for a reseller": {Source: credit.Reseller(2), Target: credit.Consumption},
		"a posting of another reseller": {Source: credit.Reseller(2), Target: credit.Reseller(3),
			Postings: []credit.Posting{posting(2), posting(4)}},
		"a posting without a hash": {Source: credit.Reseller(2), Target: credit.Consumption,
			Postings: []credit.Posting{{Reseller: 2, Tip: credit.Tip{Seq: 1}}}},
		"no party on a side": {Target: credit.Consumption},
	} {
		if _, _, err := storekit.Sides(m); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
	var m credit.Movement
	for name, side := range map[string]storekit.Side{
		"half a posting":          {Posting: credit.Posting{Reseller: 2}},
		"a number of no reseller": {System: "issuance", Posting: credit.Posting{Tip: credit.Tip{Seq: 1}}},
		"less than no reseller":   {Posting: credit.Posting{Reseller: -2, Tip: credit.Tip{Seq: 1, Hash: credit.Hash{1}}}},
	} {
		if err := storekit.JoinSides(&m, side, storekit.Side{System: "consumption"}); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

func must(t *testing.T, err error, about ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("got error %v; %s", err, fmt.Sprint(about...))
	}
}
