package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"resellerd/test/mongotest"
)

const (
	// promised is how soon both processes must acknowledge effects again once a
	// majority of the cluster takes writes, or a process listens. It is the
	// campaign's own bound, and generous: what is measured depends on the machine.
	promised = 15 * time.Second
	// gone is when a process counts as not coming back, and a cluster as broken.
	gone = 2 * time.Minute
	// pausedTime is how long a primary is stopped, and downTime a member or a process.
	pausedTime = 15 * time.Second
	downTime   = 3 * time.Second
	// aloneTime is how long a primary has nobody who follows it before it is killed.
	aloneTime = 600 * time.Millisecond
	// silence is how long nobody answers after that: longer than a process waits for
	// the answer to a commit, so that it has to ask the new primary what became of it.
	silence = 4 * time.Second
	// darkness is how long all members are down: longer than the 10 s within which
	// every request must be answered.
	darkness = 14 * time.Second
	// holdTime is how long a transaction that nobody ends keeps a reseller, and
	// lifetime after how many seconds the servers would end it: the default of
	// MongoDB. The cluster of the tests ends others after testLifetime.
	holdTime     = 30 * time.Second
	lifetime     = 60
	testLifetime = 5
	// stepDownEvery is how often a primary steps down, where several do in a row.
	stepDownEvery = 10 * time.Second
)

// fault is something that happens to the cluster or to a process.
type fault struct {
	name   string
	strike func(ctx context.Context, c *campaign, i *outage) error
}

// The faults.
var (
	stepDown     = fault{"the primary steps down", stepDownPrimary}
	killPrimary  = fault{"the primary is killed", killThePrimary}
	pausePrimary = fault{"the primary is stopped for 15 s", pauseThePrimary}
	killAlone    = fault{"the primary is left alone and killed", killThePrimaryAlone}
	killAll      = fault{"all members are killed", killAllMembers}
	killProcess  = fault{"a process is killed", killAProcess}
	holdRecord   = fault{"a dead client holds an account for 30 s", holdAReseller}
)

// outage is one strike of a fault, in the campaign's time.
//
// A member that was elected takes writes, and a majority may still confirm none:
// after its primary was stopped, the other member of MongoDB 6.0 waits for it for
// ten seconds and more before it follows the new one.
type outage struct {
	name     string
	hit      time.Duration
	elected  time.Duration // there is a new primary; or the process listens again
	writable time.Duration // a majority has confirmed a write of a plain client's
	healed   time.Duration // everything runs again
	back     map[int]time.Duration
}

// strike lets a fault happen, and returns when all is well again.
func (c *campaign) strike(ctx context.Context, f fault) {
	c.t.Helper()
	if !c.load.terse {
		c.progress("%s", f.name)
	}
	i := outage{name: f.name, back: map[int]time.Duration{}}
	err := f.strike(ctx, c, &i)
	if err == nil && c.cluster != nil {
		err = c.awaitMembers(ctx)
	}
	if ctx.Err() != nil {
		c.t.Fatal("interrupted")
	}
	if err != nil {
		c.t.Fatalf("%s: %v", f.name, err)
	}
	i.healed = c.now()
	for s, at := range i.back {
		if took := at - i.writable; took > promised && !c.untimed {
			c.fail("%s: process %s acknowledged its first effect %s after a majority took writes (monotonic clock; the campaign's own bound is %s)",
				f.name, c.services[s].name, took.Round(time.Millisecond), promised)
		}
	}
	c.outages = append(c.outages, i)
	if !c.load.terse {
		c.progress("  healed: %s", c.measured(i))
	}
}

// awaitPrimary returns the member that takes writes.
func (c *campaign) awaitPrimary(ctx context.Context) (*mongotest.Member, error) {
	ctx, cancel := context.WithTimeout(ctx, gone)
	defer cancel()
	return c.cluster.WaitPrimary(ctx)
}

// awaitWrites notes when the cluster has a primary, and when a majority confirms a
// write that has nothing to do with the service.
func (c *campaign) awaitWrites(ctx context.Context, i *outage) error {
	ctx, cancel := context.WithTimeout(ctx, gone)
	defer cancel()
	for {
		m, err := c.cluster.WaitPrimary(ctx)
		if err != nil {
			return err
		}
		i.elected = c.now()
		err = write(ctx, m)
		if i.writable = c.now(); err == nil {
			return nil
		}
		if rest(ctx, 20*time.Millisecond); ctx.Err() != nil {
			return fmt.Errorf("no majority confirms a write: %w", err)
		}
	}
}

// write makes a write on the member alone.
func write(ctx context.Context, m *mongotest.Member) (err error) {
	client, err := mongo.Connect(options.Client().SetHosts([]string{m.Address()}).SetDirect(true).
		SetWriteConcern(writeconcern.Majority()).SetRetryWrites(false).SetServerSelectionTimeout(time.Second))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Disconnect(context.WithoutCancel(ctx))) }()
	_, err = client.Database("faults_reference").Collection("writes").InsertOne(ctx, bson.D{})
	return err
}

// awaitEffects waits until these processes have acknowledged effects since the
// cluster takes writes.
func (c *campaign) awaitEffects(ctx context.Context, i *outage, services ...int) error {
	for ctx.Err() == nil {
		all := c.seen.since(i.writable)
		for _, s := range services {
			if at, found := first(all, func(a attempt) bool { return a.service == s && a.good(effect) }); found {
				i.back[s] = at
			} else if c.now()-i.writable > gone {
				return fmt.Errorf("process %s acknowledged nothing for %s after the cluster could take writes:\n%s",
					c.services[s].name, gone, c.services[s].said(""))
			}
		}
		if len(i.back) == len(services) {
			return nil
		}
		rest(ctx, 20*time.Millisecond)
	}
	return ctx.Err()
}

// awaitRecovery waits until the cluster takes writes and every process has acknowledged
// an effect since.
func (c *campaign) awaitRecovery(ctx context.Context, i *outage) error {
	if err := c.awaitWrites(ctx, i); err != nil {
		return err
	}
	return c.awaitEffects(ctx, i, c.everyone()...)
}

func (c *campaign) everyone() (services []int) {
	for s := range c.services {
		services = append(services, s)
	}
	return services
}

// awaitMembers waits until each member is the primary or follows it.
func (c *campaign) awaitMembers(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, gone)
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI(c.cluster.URI("")).SetServerSelectionTimeout(gone))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Disconnect(context.WithoutCancel(ctx))) }()
	for {
		var status struct {
			Members []struct {
				StateStr string `bson:"stateStr"`
			}
		}
		step, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := client.Database("admin").RunCommand(step, bson.D{{Key: "replSetGetStatus", Value: 1}}).Decode(&status)
		cancel()
		states := map[string]int{}
		for _, m := range status.Members {
			states[m.StateStr]++
		}
		if err == nil && states["PRIMARY"] == 1 && states["SECONDARY"] == len(c.cluster.Members)-1 {
			return nil
		}
		if rest(ctx, 50*time.Millisecond); ctx.Err() != nil {
			return fmt.Errorf("the members are not all there: %v: %w", states, errors.Join(err, ctx.Err()))
		}
	}
}

func stepDownPrimary(ctx context.Context, c *campaign, i *outage) error {
	if n := len(c.outages); n > 0 && c.outages[n-1].name == i.name {
		rest(ctx, c.outages[n-1].hit+stepDownEvery-c.now())
	}
	began := c.now()
	for {
		i.hit = c.now()
		step, cancel := context.WithTimeout(ctx, gone)
		_, err := c.cluster.StepDown(step)
		cancel()
		if err == nil {
			break
		}
		if c.now()-began > gone {
			return err
		}
		rest(ctx, time.Second) // no other member could take over yet
	}
	return c.awaitRecovery(ctx, i)
}

// hurtPrimary hurts the member that takes writes, and notes when.
func (c *campaign) hurtPrimary(ctx context.Context, i *outage,
	hurt func(*mongotest.Member) error) (*mongotest.Member, error) {
	m, err := c.awaitPrimary(ctx)
	if err != nil {
		return nil, err
	}
	i.hit = c.now()
	return m, hurt(m)
}

// bringBack waits until all is well without a member that was killed, and restarts it.
func (c *campaign) bringBack(ctx context.Context, i *outage, m *mongotest.Member) error {
	if err := c.awaitRecovery(ctx, i); err != nil {
		return err
	}
	rest(ctx, downTime)
	return m.Restart(ctx)
}

func killThePrimary(ctx context.Context, c *campaign, i *outage) error {
	m, err := c.hurtPrimary(ctx, i, (*mongotest.Member).Kill)
	if err != nil {
		return err
	}
	return c.bringBack(ctx, i, m)
}

func pauseThePrimary(ctx context.Context, c *campaign, i *outage) error {
	m, err := c.hurtPrimary(ctx, i, (*mongotest.Member).Stop)
	if err != nil {
		return err
	}
	writes := make(chan error, 1)
	go func() { writes <- c.awaitWrites(ctx, i) }()
	rest(ctx, pausedTime)
	err = m.Continue()
	if err = errors.Join(err, <-writes); err != nil {
		return err
	}
	return c.awaitEffects(ctx, i, c.everyone()...)
}

// killThePrimaryAlone makes the cluster forget what nobody but the primary has: the
// others are killed first, and start without it. What it took meanwhile can't have
// been acknowledged, and is undone when it comes back.
func killThePrimaryAlone(ctx context.Context, c *campaign, i *outage) error {
	m, err := c.awaitPrimary(ctx)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(c.cluster.Members), func(other *mongotest.Member) bool { return other == m })
	i.hit = c.now()
	if err := each(others, (*mongotest.Member).Kill); err != nil {
		return err
	}
	rest(ctx, aloneTime)
	if err := m.Kill(); err != nil {
		return err
	}
	rest(ctx, silence)
	if err := each(others, func(m *mongotest.Member) error { return m.Restart(ctx) }); err != nil {
		return err
	}
	return c.bringBack(ctx, i, m)
}

// each does the same to members at the same time.
func each(members []*mongotest.Member, do func(m *mongotest.Member) error) error {
	errs := make([]error, len(members))
	var all sync.WaitGroup
	for n, m := range members {
		all.Go(func() { errs[n] = do(m) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// killAllMembers sees as well that nothing is acknowledged, and no process says
// that it is ready, while there is no server at all.
func killAllMembers(ctx context.Context, c *campaign, i *outage) error {
	i.hit = c.now()
	if err := each(c.cluster.Members, (*mongotest.Member).Kill); err != nil {
		return err
	}
	dark := c.now()
	rest(ctx, darkness)
	light := c.now()
	if err := each(c.cluster.Members, func(m *mongotest.Member) error { return m.Restart(ctx) }); err != nil {
		return err
	}
	err := c.awaitRecovery(ctx, i)
	for _, wrong := range inDarkness(c.seen.since(dark), dark, light, len(c.services)) {
		c.fail("%s: %s", i.name, wrong)
	}
	return err
}

// inDarkness returns what must not have been seen while there was no server, and
// what must have been. All of these ended in darkness or after it.
func inDarkness(all []attempt, dark, light time.Duration, services int) (wrong []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(a attempt) bool { return a.ended > light })
	for s := range services {
		for _, p := range []purpose{effect, readiness, reading} {
			refused := false
			for _, a := range all {
				switch {
				case a.service != s || a.purpose != p:
				case a.unavailable(p):
					refused = true
				case a.began >= dark && a.status != 0:
					wrong = append(wrong,
						fmt.Sprintf("process %d answered %d to an attempt at %s at %.3f s, while there was no server", s, a.status, p,
							a.ended.Seconds()))
				}
			}
			if !refused {
				wrong = append(wrong, fmt.Sprintf("process %d answered 503 to no attempt at %s while there was no server", s, p))
			}
		}
	}
	return wrong
}

// killAProcess sees as well that the other one goes on.
func killAProcess(ctx context.Context, c *campaign, i *outage) error {
	s := c.random.IntN(len(c.services))
	i.name += " (" + c.services[s].name + ")"
	i.hit = c.now()
	c.services[s].kill()
	rest(ctx, downTime)
	if err := c.services[s].run(ctx); err != nil {
		return err
	}
	i.elected = c.now()
	i.writable = i.elected
	err := c.awaitEffects(ctx, i, s)
	c.checkServed(i, c.now(), slices.DeleteFunc(c.everyone(), func(other int) bool { return other == s })...)
	return err
}

// holdAReseller leaves a transaction as a process leaves one that is killed in the
// middle of it: it holds a reseller, and nobody ends it. That must hold up nobody
// but those who need this reseller.
func holdAReseller(ctx context.Context, c *campaign, i *outage) (err error) {
	if err := c.setLifetime(ctx, lifetime); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.setLifetime(ctx, testLifetime)) }()
	client, err := mongo.Connect(options.Client().ApplyURI(c.cluster.URI(databaseName)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Disconnect(context.WithoutCancel(ctx))) }()
	reseller := bson.D{{Key: "_id", Value: c.using[0].resellers[master].id}}
	change := bson.D{{Key: "$inc", Value: bson.D{{Key: "version", Value: int64(1)}}}}
	began := c.now()
	for {
		session, err := client.StartSession()
		if err != nil {
			return err
		}
		defer session.EndSession(context.WithoutCancel(ctx)) // which aborts it
		if err := session.StartTransaction(); err != nil {
			return err
		}
		_, err = client.Database(databaseName).Collection("accounts").UpdateOne(mongo.NewSessionContext(ctx, session),
			reseller, change)
		if err == nil {
			i.hit = c.now()
			rest(ctx, holdTime)
			c.checkServed(i, c.now(), c.everyone()...)
			err = session.AbortTransaction(ctx)
			i.elected = c.now()
			i.writable = i.elected
			return errors.Join(err, c.awaitEffects(ctx, i, c.everyone()...))
		}
		if c.now()-began > gone || ctx.Err() != nil {
			return err // others had it first, always
		}
	}
}

// setLifetime sets after how many seconds a server ends a transaction.
func (c *campaign) setLifetime(ctx context.Context, seconds int) error {
	return each(c.cluster.Members, func(m *mongotest.Member) (err error) {
		client, err := mongo.Connect(options.Client().SetHosts([]string{m.Address()}).SetDirect(true))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, client.Disconnect(context.WithoutCancel(ctx))) }()
		return client.Database("admin").RunCommand(ctx, bson.D{
			{Key: "setParameter", Value: 1}, {Key: "transactionLifetimeLimitSeconds", Value: seconds},
		}).Err()
	})
}

// checkServed fails where one of these processes acknowledged nothing for long
// since the fault.
func (c *campaign) checkServed(i *outage, to time.Duration, services ...int) {
	if c.untimed {
		return
	}
	for _, s := range services {
		own := slices.DeleteFunc(c.seen.since(i.hit), func(a attempt) bool { return a.service != s })
		if gap, began := longestGap(own, i.hit, to); gap > promised {
			c.fail("%s: process %s, which nothing had happened to, acknowledged no effect for %s from %s after the fault on (monotonic clock; the campaign's own bound is %s)",
				i.name, c.services[s].name, gap.Round(time.Millisecond), (began - i.hit).Round(time.Millisecond), promised)
		}
	}
}
