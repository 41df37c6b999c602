package faults

import (
	"context"
	"errors"
	"slices"
	"time"

	"resellerd/test/mongotest"
)

const (
	// slowTime is how long disks are slow, and slowBy what each flush takes then.
	slowTime = 15 * time.Second
	slowBy   = 700 * time.Millisecond
	// skewTime is how long clocks differ, and skewBy by how much each way. Once it was set
	// back by 90 s, MongoDB 6.0 was seen to confirm no write for 81 s after the next election.
	skewTime = 15 * time.Second
	skewBy   = 30 * time.Second
	// dying is how long a member may take to notice that it can't write.
	dying = 30 * time.Second
)

// The faults of the machines of members. All but the last need what stands between
// a member and its machine: see mongotest.WithHosts.
var (
	slowDisks   = fault{"the disks of the primary and of one member are slow for 15 s", slowTheDisks}
	fullDisk    = fault{"the disk of the primary is full", fillTheDisk}
	skewClocks  = fault{"the clocks of two members are 30 s ahead and behind for 15 s", skewTheClocks}
	loseRecords = fault{"a member loses its records", loseAMembersRecords}
)

// slowTheDisks leaves no majority whose disks are fast.
func slowTheDisks(ctx context.Context, c *campaign, i *outage) error {
	m, err := c.hurtPrimary(ctx, i, func(m *mongotest.Member) error { return m.SlowDisk(slowBy) })
	if err != nil {
		return err
	}
	other := c.others(m)[0]
	if err := other.SlowDisk(slowBy); err != nil {
		return err
	}
	rest(ctx, slowTime)
	if err := errors.Join(m.SlowDisk(0), other.SlowDisk(0)); err != nil {
		return err
	}
	return c.awaitRecovery(ctx, i)
}

// fillTheDisk makes each write of the primary to its records fail. MongoDB ends
// itself then, in the middle of whatever it wrote, and starts on what it left once
// there is room.
func fillTheDisk(ctx context.Context, c *campaign, i *outage) error {
	m, err := c.hurtPrimary(ctx, i, func(m *mongotest.Member) error { return m.FillDisk(true) })
	if err != nil {
		return err
	}
	for began := c.now(); m.PID() != 0; rest(ctx, 20*time.Millisecond) {
		if c.now()-began > dying || ctx.Err() != nil {
			return errors.New("the primary goes on without a disk")
		}
	}
	if err := c.awaitRecovery(ctx, i); err != nil {
		return err
	}
	rest(ctx, downTime)
	if err := m.FillDisk(false); err != nil {
		return err
	}
	return m.Restart(ctx)
}

// skewTheClocks has them jump, and jump back.
func skewTheClocks(ctx context.Context, c *campaign, i *outage) error {
	i.hit = c.now()
	first := c.random.IntN(len(c.cluster.Members))
	ahead := c.cluster.Members[first]
	behind := c.others(ahead)[0]
	if err := errors.Join(ahead.SetClock(skewBy), behind.SetClock(-skewBy)); err != nil {
		return err
	}
	rest(ctx, skewTime)
	if err := errors.Join(ahead.SetClock(0), behind.SetClock(0)); err != nil {
		return err
	}
	return c.awaitRecovery(ctx, i)
}

// loseAMembersRecords takes a member's disk away only once the two others have
// confirmed a write without it, and with that all before: what the member had
// confirmed is then on both. It copies everything before the next fault.
func loseAMembersRecords(ctx context.Context, c *campaign, i *outage) error {
	m := c.cluster.Members[c.random.IntN(len(c.cluster.Members))]
	i.hit = c.now()
	if err := m.Kill(); err != nil {
		return err
	}
	if err := c.awaitRecovery(ctx, i); err != nil {
		return err
	}
	if err := m.LoseRecords(); err != nil {
		return err
	}
	return m.Restart(ctx)
}

// possible leaves out the faults for which there is no C compiler.
func (c *campaign) possible(faults ...fault) []fault {
	if mongotest.CanHurtHosts() {
		return faults
	}
	c.progress("no C compiler, or no Linux: no clock and no disk of a member is hurt")
	return slices.DeleteFunc(faults, func(f fault) bool {
		return slices.ContainsFunc([]fault{slowDisks, fullDisk, skewClocks}, func(h fault) bool { return h.name == f.name })
	})
}
