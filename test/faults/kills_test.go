package faults

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// killsVariable says how often TestKills kills the process.
const killsVariable = "RESELLERD_TEST_KILLS"

const (
	// killsPerRound share groups of resellers, whose history is judged when the round is over.
	killsPerRound = 5
	// mostLife is how long a process serves, at most, before it is killed, and mostStart how
	// far it gets where it is killed while it starts.
	mostLife  = 700 * time.Millisecond
	mostStart = 150 * time.Millisecond
)

// ofFile is the load of the embedded store.
var ofFile = load{pause: 30 * time.Millisecond, calm: 50 * time.Millisecond, terse: true}

// TestKills kills the one process on the embedded store again and again while clients ask it, and starts it again each
// time: now and then more than once, before it is there. Clients ask again, under their keys, what was not answered.
func TestKills(t *testing.T) {
	many, err := strconv.Atoi(cmp.Or(os.Getenv(killsVariable), strconv.Itoa(killsPerRound)))
	if err != nil {
		t.Fatalf("%s: %v", killsVariable, err)
	}
	seed := seedOf(t)
	runtime.LockOSThread() // see TestFailover
	ctx := interruptible(t)
	c := newCampaign(t, t.Output(), ofFile, seed)
	s := newService("A", build(t, 0), "sqlite:"+filepath.Join(t.TempDir(), "resellerd.db"))
	c.services = []*service{s}
	t.Cleanup(s.kill)
	if err := s.start(ctx); err != nil {
		t.Fatal(err)
	}
	c.admin = c.login(ctx, "admin", adminPassword)
	c.progress("seed %d (%s)", seed, seedVariable)
	k := &killer{}
	for done := 0; done < many && !t.Failed(); done += killsPerRound {
		faults := make([]fault, min(killsPerRound, many-done))
		for i := range faults {
			faults[i] = fault{"the process is killed", k.strike}
		}
		c.round(ctx, seed, faults)
		if done%100 == 0 {
			c.progress("%d kills", k.kills)
		}
	}
	c.prove(ctx)
	c.outages = nil // all alike
	c.report()
	c.progress("%d kills under load, %d more while the process started; %d statements were compared right after", k.kills,
		k.starting, k.compared)
}

// killer counts what it does.
type killer struct {
	kills, starting, compared int
	reads                     follower
}

// strike kills the process and starts it again. What was acknowledged before has to be there once.
func (k *killer) strike(ctx context.Context, c *campaign, i *outage) error {
	s := c.services[0]
	rest(ctx, time.Duration(c.random.Int64N(int64(mostLife))))
	i.hit = c.now()
	s.kill()
	k.kills++
	for c.random.IntN(4) == 0 {
		if err := s.startAndKill(ctx, time.Duration(c.random.Int64N(int64(mostStart)))); err != nil {
			return err
		}
		k.starting++
	}
	acknowledged := make([][groupSize][]wanted, len(c.using))
	entries := map[string]expectation{}
	for n, g := range c.using {
		g.mu.Lock()
		acknowledged[n], _ = g.acknowledged()
		g.expect(entries)
		g.mu.Unlock()
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	i.elected = c.now()
	i.writable = i.elected
	for n, g := range c.using {
		for r, a := range g.resellers {
			k.compared++
			for _, problem := range lost(c.statement(ctx, a.id), acknowledged[n][r]) {
				c.fail("after kill %d the statement of reseller %d: %s", k.kills, a.id, problem)
			}
		}
	}
	c.seenAlready(ctx, &k.reads, entries)
	return c.awaitEffects(ctx, i, 0)
}

// startAndKill starts the process and kills it after this time, however far it is.
func (s *service) startAndKill(ctx context.Context, after time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, after)
	defer cancel()
	err := s.start(ctx)
	s.kill()
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
