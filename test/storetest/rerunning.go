package storetest

import (
	"context"
	"errors"
	"sync"

	"resellerd/ports"
)

// Rerunning returns the subject with a store that meets a conflict in every update: it undoes the first run of each
// work and runs the work again, as any store may do at any time. It does the same in each view. A suite that passes on
// it proves that the store undoes a run whole, and runs another from the beginning.
func Rerunning(s Subject) Subject {
	s.reruns = true
	open := s.Open
	s.Open = func(t T) ports.Store { return Rerun(open(t)) }
	if reopen := s.Reopen; reopen != nil {
		s.Reopen = func(t T, old ports.Store) ports.Store { return Rerun(reopen(t, old.(*rerunning).Store)) }
	}
	if beside := s.Beside; beside != nil {
		s.Beside = func(t T, store ports.Store) (ports.Store, error) {
			other, err := beside(t, store.(*rerunning).Store)
			return Rerun(other), err
		}
	}
	return s
}

// Rerun returns a store that runs every work and look of store twice and stores the effect of the second run only. It
// has the parts of store.
func Rerun(store ports.Store) ports.Store { return &rerunning{Store: store} }

type rerunning struct {
	ports.Store
	underWay sync.WaitGroup
}

// errConflict undoes a first run.
var errConflict = errors.New("a conflict, on purpose")

// undone does work and then meets a conflict.
func undone[T any](work func(ctx context.Context, stored T) error) func(ctx context.Context, stored T) error {
	return func(ctx context.Context, stored T) error {
		if err := work(ctx, stored); err != nil {
			return err
		}
		return errConflict
	}
}

// again runs undone, and then kept.
func (r *rerunning) again(undone, kept func() error) error {
	r.underWay.Add(1)
	defer r.underWay.Done()
	if err := undone(); !errors.Is(err, errConflict) {
		return err
	}
	return kept()
}

// View implements ports.Store.
func (r *rerunning) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return r.again(func() error { return r.Store.View(ctx, undone(look)) }, func() error {
		return r.Store.View(ctx, look)
	})
}

// Update implements ports.Store.
func (r *rerunning) Update(ctx context.Context, do func(ctx context.Context, tx ports.Tx) error,
	hints ...ports.Reads) error {
	return r.again(func() error { return r.Store.Update(ctx, undone(do), hints...) }, func() error {
		return r.Store.Update(ctx, do, hints...)
	})
}

// Close implements ports.Store. It waits for those that are between two runs.
func (r *rerunning) Close() error {
	r.underWay.Wait()
	return r.Store.Close()
}
