package deliveries

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/program"
)

const (
	// endless is how many receivers hang beside the good one: as many as an account may have webhooks.
	endless = 10
	// blocks are how often each of both is measured in turn, so that neither has the quieter machine.
	blocks = 5
	// pace is how often something happens meanwhile.
	pace = 40 * time.Millisecond
)

// TestHangingReceivers measures how long it takes from a command until the receiver has its entry: alone, and beside
// ten receivers that never answer, which are sent the same and more. The figures are reported; how fast a machine is no
// test says.
func TestHangingReceivers(t *testing.T) {
	forEachStore(t, func(t *testing.T, store string) {
		_, long := kills(t)
		each := 10
		if long {
			each = 200
		}
		seed := seedOf(t)
		s := newSite(t, store, 1, map[string]string{"RESELLERD_TRIAL_DURATION": "4h"})
		to := receive(t, seed)
		c := &client{site: s, name: "shop", random: rand.New(rand.NewPCG(seed, 300))}
		master := s.processes[0].at.Load().Admin(t).Master(t, "100")
		shop := master.Reseller(t, "0")
		good := c.hook(to, kind, shop, "own", "line.trial_created")
		var others []*hook
		for range endless {
			others = append(others, c.hook(to, hanging, master, "tree", "*"))
		}
		enable := func(enabled bool) {
			for _, h := range others {
				c.settle(h.owner, "PATCH", h.path(), api.Fields{"enabled": enabled})
			}
		}
		sell := func() (took []time.Duration) {
			before := len(good.arrivals())
			for range each {
				c.settle(shop.Caller, "POST", "/lines/test", nil)
				time.Sleep(pace)
			}
			for late := time.Now().Add(program.Patience); len(good.arrivals()) < before+each; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(late) {
					t.Fatalf("%d of %d entries have come", len(good.arrivals())-before, each)
				}
			}
			for _, a := range good.arrivals()[before:] {
				took = append(took, a.at.Sub(parseEntry(t, good.body(a.id)).Timestamp))
			}
			return took
		}
		enable(false)
		sell()
		var alone, beside []time.Duration
		for range blocks {
			alone = append(alone, sell()...)
			enable(true)
			for began := time.Now(); hung(others) < endless && time.Since(began) < program.Patience; {
				time.Sleep(10 * time.Millisecond)
			}
			beside = append(beside, sell()...)
			enable(false)
			if !long {
				break
			}
		}
		if hung(others) < endless {
			t.Errorf("only %d of %d receivers hang", hung(others), endless)
		}
		slices.Sort(alone)
		slices.Sort(beside)
		report := func(name string, at float64) {
			a, b := quantile(alone, at), quantile(beside, at)
			t.Logf("%s from a command to its arrival: alone %s, beside %d receivers that hang %s: ratio %.2f", name, a, endless,
				b, float64(b)/float64(a))
		}
		t.Logf("%d entries each", len(alone))
		report("p50", 0.5)
		report("p99", 0.99)
		for _, h := range append(others, good) {
			h.judge(t, s, h.feed(), new(tally))
		}
		to.unharmed(t)
	})
}

// hung returns how many hooks something has come for.
func hung(all []*hook) (n int) {
	for _, h := range all {
		if len(h.arrivals()) > 0 {
			n++
		}
	}
	return n
}

func quantile(sorted []time.Duration, at float64) time.Duration {
	return sorted[int(at*float64(len(sorted)-1))]
}
