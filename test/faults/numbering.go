package faults

import (
	"context"
	"net/http"
	"strings"
	"syscall"
	"time"
)

const (
	// takenOver is how soon another process must have given numbers: within the 5 s of the lease, and where the one that
	// is away left a transaction open on the journal's end, once the servers have ended that, after testLifetime. It is
	// the campaign's own bound, for a machine that is busy.
	takenOver = (5 + testLifetime + 2) * time.Second
	// awayTime is how long a process is away.
	awayTime = takenOver + 2*time.Second
)

// The faults of the processes, of which one gives the journal's numbers: each is away for a while, and then the other
// one. The second of the two has numbered before, as has the first, or else the second from the beginning.
var (
	stopEach = fault{"each process is stopped for 14 s, and goes on as if nothing had been", stopEachProcess}
	killEach = fault{"each process is killed, and is back after 14 s", killEachProcess}
	cutEach  = fault{"each process reaches no member for 14 s", cutEachProcess}
)

func stopEachProcess(ctx context.Context, c *campaign, i *outage) error {
	return c.eachAway(ctx, i,
		func(s *service) error { return s.signal(syscall.SIGSTOP) },
		func(s *service) error { return s.signal(syscall.SIGCONT) },
	)
}

func killEachProcess(ctx context.Context, c *campaign, i *outage) error {
	return c.eachAway(ctx, i,
		func(s *service) error { s.kill(); return nil },
		func(s *service) error { return s.run(ctx) },
	)
}

func cutEachProcess(ctx context.Context, c *campaign, i *outage) error {
	return c.eachAway(ctx, i,
		func(s *service) error { c.cluster.Network().CutClient(s.name); return nil },
		func(*service) error { c.cluster.Network().Mend(); return nil },
	)
}

// eachAway has one process be away after the other. Meanwhile the other one serves, and what it acknowledges gets a
// number.
func (c *campaign) eachAway(ctx context.Context, i *outage, leave, comeBack func(s *service) error) error {
	for at, s := range c.services {
		i.hit = c.now()
		if err := leave(s); err != nil {
			return err
		}
		c.numbers(ctx, i, 1-at)
		rest(ctx, i.hit+awayTime-c.now())
		c.checkServed(i, c.now(), 1-at)
		if err := comeBack(s); err != nil {
			return err
		}
		i.elected = c.now()
		i.writable = i.elected
		clear(i.back)
		if err := c.awaitEffects(ctx, i, c.everyone()...); err != nil {
			return err
		}
	}
	return nil
}

// numbers signs the administrator in at a process, while the clients may all wait for the other one, and fails unless
// the entry of that is shown in time.
func (c *campaign) numbers(ctx context.Context, i *outage, service int) {
	id := c.id("sign-in")
	signIn := call{method: http.MethodPost, path: "/auth/session", id: id,
		body: map[string]any{"username": "admin", "password": adminPassword}}
	for {
		a, _, err := c.attempt(ctx, service, effect, patience, signIn)
		if c.feed.aside = append(c.feed.aside, id); err == nil && a.status == http.StatusCreated {
			break
		}
		if err == nil && a.status != http.StatusServiceUnavailable {
			c.fail("process %s answered %d to a sign-in: %s", c.services[service].name, a.status, a.body)
			return
		}
		if ctx.Err() != nil || c.now()-i.hit > gone {
			return
		}
		id = c.id("sign-in")
		signIn.id = id
	}
	for {
		a, _, err := c.attempt(ctx, service, feeding, patience,
			call{method: http.MethodGet, path: "/events?order=desc&type=session.started&limit=20", token: c.admin})
		if err == nil && strings.Contains(string(a.body), `"`+id+`"`) {
			break
		}
		if ctx.Err() != nil || c.now()-i.hit > awayTime {
			break
		}
		rest(ctx, 20*time.Millisecond)
	}
	took := (c.now() - i.hit).Round(10 * time.Millisecond)
	c.progress("  an entry of process %s has its number %s after that", c.services[service].name, took)
	if took > takenOver && !c.untimed {
		c.fail("%s: an entry that process %s appended meanwhile was not shown within %s (monotonic clock; the campaign's own bound)", i.name, c.services[service].name, takenOver)
	}
}
