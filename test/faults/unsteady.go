package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"resellerd/ports"
)

// unsteady is a store, as one process has it, that fails in the ways that its port
// allows: an update is not done, or done and not known to be; it is run again, or
// takes its time, until long after its client has gone and asked again elsewhere.
type unsteady struct {
	ports.Store
	seed   uint64
	calls  *atomic.Int64 // of all processes
	calm   *atomic.Bool
	failed *atomic.Int64
}

// mostLate is less than lingering: what a client gave up has happened by then, or
// never does.
const mostLate = 12 * time.Second

var (
	errUnsteady   = fmt.Errorf("%w: a fault that was planned", ports.ErrUnavailable)
	errThrownAway = errors.New("this run counts for nothing")
)

// random returns the randomness of one call, which follows from its number.
func (u *unsteady) random() *rand.Rand {
	return rand.New(rand.NewPCG(u.seed, uint64(u.calls.Add(1))))
}

func (u *unsteady) refuse() error {
	u.failed.Add(1)
	return errUnsteady
}

// Update implements ports.Store.
func (u *unsteady) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error,
	hints ...ports.Reads) error {
	random := u.random()
	if u.calm.Load() {
		return u.Store.Update(ctx, work, hints...)
	}
	rest(ctx, time.Duration(random.IntN(30))*time.Millisecond)
	switch random.IntN(16) {
	case 0, 1:
		return u.refuse()
	case 2, 3:
		if err := u.Store.Update(ctx, work, hints...); err != nil {
			return err
		}
		return u.refuse()
	case 4, 5: // whoever asked may be gone, and has been told nothing
		u.failed.Add(1)
		time.Sleep(time.Duration(random.Int64N(int64(mostLate))))
		return u.Store.Update(context.WithoutCancel(ctx), work, hints...)
	case 6, 7:
		err := u.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			_ = work(ctx, tx) // whatever it says
			return errThrownAway
		}, hints...)
		if !errors.Is(err, errThrownAway) {
			return err
		}
	}
	return u.Store.Update(ctx, work, hints...)
}

// View implements ports.Store.
func (u *unsteady) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	if random := u.random(); !u.calm.Load() && random.IntN(16) == 0 {
		return u.refuse()
	}
	return u.Store.View(ctx, look)
}

// NextID implements ports.Store.
func (u *unsteady) NextID(ctx context.Context, of ports.Sequence) (int64, error) {
	if random := u.random(); !u.calm.Load() && random.IntN(24) == 0 {
		return 0, u.refuse()
	}
	return u.Store.NextID(ctx, of)
}
