package faults

import (
	"context"
	"fmt"
	"slices"
	"time"

	"resellerd/test/mongotest"
)

// partitionTime is how long members don't hear each other: longer than the 10 s
// within which every request must be answered.
const partitionTime = 15 * time.Second

// The faults of the network between the members, and between them and the processes.
var (
	cutPrimary = fault{"the primary is cut off from the members for 15 s", cutOffThePrimary}
	cutOneWay  = fault{"the members do not hear the primary for 15 s", silenceThePrimary}
	cutSide    = fault{"the primary and one member do not reach each other for 15 s", cutOneSide}
	cutClients = fault{"the processes do not reach the primary for 15 s", cutTheClients}
	cutAll     = fault{"no member reaches another for 15 s", cutEveryMember}
)

// others are the members without this one, in random order.
func (c *campaign) others(m *mongotest.Member) []*mongotest.Member {
	others := slices.DeleteFunc(slices.Clone(c.cluster.Members), func(other *mongotest.Member) bool { return other == m })
	c.random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	return others
}

// cutOffThePrimary leaves it the processes, which go on asking it: what it takes
// alone can't be acknowledged. The others must be able to go on without it.
func cutOffThePrimary(ctx context.Context, c *campaign, i *outage) error {
	_, err := c.hurtPrimary(ctx, i, func(m *mongotest.Member) error {
		for _, other := range c.others(m) {
			c.cluster.Network().Cut(m, other)
		}
		return nil
	})
	if err != nil {
		return err
	}
	writes := make(chan error, 1)
	go func() { writes <- c.awaitWrites(ctx, i) }()
	rest(ctx, partitionTime)
	c.cluster.Network().Mend()
	if err := <-writes; err != nil {
		return err
	}
	return c.awaitEffects(ctx, i, c.everyone()...)
}

// whileCut keeps what was cut from the primary for a while. Whether there can be
// writes meanwhile is not asked: only that there are some afterwards.
func (c *campaign) whileCut(ctx context.Context, i *outage,
	cut func(n *mongotest.Network, primary *mongotest.Member)) error {
	_, err := c.hurtPrimary(ctx, i, func(m *mongotest.Member) error {
		cut(c.cluster.Network(), m)
		return nil
	})
	if err != nil {
		return err
	}
	rest(ctx, partitionTime)
	c.cluster.Network().Mend()
	return c.awaitRecovery(ctx, i)
}

func silenceThePrimary(ctx context.Context, c *campaign, i *outage) error {
	return c.whileCut(ctx, i, func(n *mongotest.Network, primary *mongotest.Member) {
		for _, other := range c.others(primary) {
			n.CutOneWay(primary, other)
		}
	})
}

// cutOneSide leaves a third member that reaches both, and so sees no reason for
// another primary.
func cutOneSide(ctx context.Context, c *campaign, i *outage) error {
	return c.whileCut(ctx, i, func(n *mongotest.Network, primary *mongotest.Member) {
		n.Cut(primary, c.others(primary)[0])
	})
}

func cutTheClients(ctx context.Context, c *campaign, i *outage) error {
	return c.whileCut(ctx, i, func(n *mongotest.Network, primary *mongotest.Member) { n.Cut(primary, nil) })
}

// cutEveryMember sees as well that nothing is acknowledged that only one member has.
func cutEveryMember(ctx context.Context, c *campaign, i *outage) error {
	var cut time.Duration
	err := c.whileCut(ctx, i, func(n *mongotest.Network, _ *mongotest.Member) {
		for at, m := range c.cluster.Members {
			for _, other := range c.cluster.Members[at+1:] {
				n.Cut(m, other)
			}
		}
		cut = c.now()
	})
	if err != nil {
		return err
	}
	for _, wrong := range alone(c.seen.since(cut), cut, min(cut+partitionTime, i.writable)) {
		c.fail("%s: %s", i.name, wrong)
	}
	return nil
}

// alone returns what was acknowledged and can be on one member only. What a majority
// had confirmed before the cut may be answered, or replayed, after it; what was asked
// after the cut can't have been confirmed before it was mended.
func alone(all []attempt, cut, mended time.Duration) (wrong []string) {
	for _, a := range all {
		if a.good(effect) && !a.replayed && a.began > cut && a.ended < mended {
			wrong = append(wrong, fmt.Sprintf("process %d acknowledged an effect at %.3f s, which only one member can have",
				a.service, a.ended.Seconds()))
		}
	}
	return wrong
}
