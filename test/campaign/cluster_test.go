package campaign

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"resellerd/test/mongotest"
	"resellerd/test/require"
)

const (
	// hurting is how long a failure of the cluster lasts: longer than the 10 s within which every request is answered.
	hurting = 15 * time.Second
	// downTime is how long a member stays away after the others have recovered.
	downTime = 3 * time.Second
	// aloneTime is how long a primary has no follower before it is killed. silence is how long no member answers after
	// that: longer than a process waits for the answer to a commit, so that it has to get the result from the new
	// primary.
	aloneTime = 600 * time.Millisecond
	silence   = 4 * time.Second
	// slowBy is the extra time of each flush of a slow disk. Clocks differ by skewBy each way: once, after one was set
	// back by 90 s, MongoDB 6.0 confirmed no write for 81 s after the next election.
	slowBy = 700 * time.Millisecond
	skewBy = 30 * time.Second
)

// outage is a cluster that is hurt.
type outage struct {
	*commands
	primary *mongotest.Member
	others  []*mongotest.Member // in random order
	hit     time.Duration
}

// hurts returns an outage as a failure, after which everything runs again.
func hurts(name string, do func(o *outage) error) failure {
	return failure{name, func(s *site, w workload) {
		o := &outage{commands: w.(*commands)}
		ctx, cancel := context.WithTimeout(s.t.Context(), gone)
		defer cancel()
		primary, err := s.cluster.WaitPrimary(ctx)
		require.NoError(s.t, err)
		o.primary = primary
		o.others = slices.DeleteFunc(slices.Clone(s.cluster.Members),
			func(m *mongotest.Member) bool { return m == primary })
		s.random.Shuffle(len(o.others), func(i, j int) { o.others[i], o.others[j] = o.others[j], o.others[i] })
		o.hit = s.now()
		if err := errors.Join(do(o), o.recovers(), s.awaitMembers()); err != nil {
			s.t.Fatalf("%s: %v", name, err)
		}
		s.progress("  everything runs again after %s", s.now()-o.hit)
	}}
}

// lasting applies a failure for some time, and then undoes it.
func lasting(hurt, undo func(o *outage) error) func(o *outage) error {
	return func(o *outage) error {
		if err := hurt(o); err != nil {
			return err
		}
		time.Sleep(hurting)
		return undo(o)
	}
}

// cut has relays deliver nothing for some time. They deliver the held messages afterwards.
func cut(cut func(o *outage, n *mongotest.Network)) func(o *outage) error {
	return lasting(func(o *outage) error { cut(o, o.cluster.Network()); return nil },
		func(o *outage) error { o.cluster.Network().Restore(); return nil })
}

// outages are the failures of a cluster that any machine can make, and ofHosts those that need what is between a member
// and its machine: see mongotest.WithHosts.
var (
	outages = []failure{
		hurts("the primary steps down", stepDown),
		hurts("the primary is killed", func(o *outage) error {
			return errors.Join(o.primary.Kill(), o.recovers(), o.restart(o.primary))
		}),
		hurts("the primary is left alone and killed", leaveAlone),
		hurts("the primary is paused", lasting(func(o *outage) error { return o.primary.Stop() },
			func(o *outage) error { return o.primary.Continue() })),
		hurts("all members are killed", killAll),
		hurts("a member loses its records", func(o *outage) error {
			// Only once the two others have confirmed a write without it: what it had confirmed is then on both.
			m := o.others[0]
			return errors.Join(m.Kill(), o.recovers(), m.LoseRecords(), o.restart(m))
		}),
		hurts("the primary is cut off from the members", cut(func(o *outage, n *mongotest.Network) {
			n.Cut(o.primary, o.others[0])
			n.Cut(o.primary, o.others[1])
		})),
		hurts("the members do not hear the primary", cut(func(o *outage, n *mongotest.Network) {
			n.CutOneWay(o.primary, o.others[0])
			n.CutOneWay(o.primary, o.others[1])
		})),
		hurts("the primary and one member do not reach each other", cut(func(o *outage, n *mongotest.Network) {
			n.Cut(o.primary, o.others[0])
		})),
		hurts("the processes do not reach the primary", cut(func(o *outage, n *mongotest.Network) {
			n.Cut(o.primary, nil)
		})),
		hurts("no member reaches another", cutAll),
		kill,
		hurts("each process is paused, and goes on", away(
			func(o *outage, p *process) { p.signal(o.site, syscall.SIGSTOP) },
			func(o *outage, p *process) { p.signal(o.site, syscall.SIGCONT) })),
		hurts("each process is killed, and is away for a while", away(
			func(o *outage, p *process) { o.kill(p) }, func(o *outage, p *process) { o.launch(p) })),
		hurts("each process reaches no member", away(
			func(o *outage, p *process) { o.cluster.Network().CutClient(p.name) },
			func(o *outage, _ *process) { o.cluster.Network().Restore() })),
	}
	ofHosts = []failure{
		hurts("the disks of the primary and of one member are slow", lasting(
			func(o *outage) error { return errors.Join(o.primary.SlowDisk(slowBy), o.others[0].SlowDisk(slowBy)) },
			func(o *outage) error { return errors.Join(o.primary.SlowDisk(0), o.others[0].SlowDisk(0)) })),
		hurts("the clocks of two members are 30 s ahead and behind", lasting(
			func(o *outage) error { return errors.Join(o.primary.SetClock(skewBy), o.others[0].SetClock(-skewBy)) },
			func(o *outage) error { return errors.Join(o.primary.SetClock(0), o.others[0].SetClock(0)) })),
		hurts("the disk of the primary is full", func(o *outage) error {
			err := o.primary.FillDisk(true)
			// It ends itself.
			for began := o.now(); err == nil && o.primary.PID() != 0; time.Sleep(20 * time.Millisecond) {
				if o.now()-began > gone {
					err = errors.New("the primary goes on without a disk")
				}
			}
			return errors.Join(err, o.recovers(), o.primary.FillDisk(false), o.restart(o.primary))
		}),
	}
)

// newCluster starts the replica set of a row.
func (s *site) newCluster() {
	s.t.Helper()
	with := []mongotest.Option{mongotest.WithNetwork()}
	if mongotest.CanHurtHosts() {
		with = append(with, mongotest.WithHosts())
		r := *s.row
		r.failures = slices.Concat(r.failures, ofHosts)
		s.row = &r
	} else {
		s.progress("no C compiler, or no Linux: no clock and no disk of a member is hurt")
	}
	s.cluster = mongotest.NewCluster(s.t, 3, with...)
	require.NoError(s.t, s.awaitMembers())
}

// restart starts a member again a while later.
func (o *outage) restart(m *mongotest.Member) error {
	time.Sleep(downTime)
	return m.Restart(o.t.Context())
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

// withClient does something with a plain client of members, or of the whole cluster.
func (s *site) withClient(to *options.ClientOptions, do func(ctx context.Context, c *mongo.Client) error) (err error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Second)
	defer cancel()
	c, err := mongo.Connect(to.SetServerSelectionTimeout(time.Second))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Disconnect(context.WithoutCancel(ctx))) }()
	return do(ctx, c)
}

func direct(m *mongotest.Member) *options.ClientOptions {
	return options.Client().SetHosts([]string{m.Address()}).SetDirect(true)
}

// recovers waits until a majority confirms a write that has nothing to do with the service, and then until each process
// has acknowledged an effect. A member that was elected takes writes, and a majority may still confirm none: after its
// primary was paused, the other member of MongoDB 6.0 waits for it for ten seconds and more before it follows the new
// one.
func (o *outage) recovers() error {
	ctx, cancel := context.WithTimeout(o.t.Context(), gone)
	defer cancel()
	for err := error(nil); ; time.Sleep(20 * time.Millisecond) {
		if ctx.Err() != nil {
			return fmt.Errorf("no majority confirms a write: %w", err)
		}
		var m *mongotest.Member
		if m, err = o.cluster.WaitPrimary(ctx); err != nil {
			continue
		}
		if err = o.withClient(direct(m).SetWriteConcern(writeconcern.Majority()).SetRetryWrites(false),
			func(ctx context.Context, c *mongo.Client) error {
				_, err := c.Database("reference").Collection("writes").InsertOne(ctx, bson.D{})
				return err
			}); err == nil {
			break
		}
	}
	confirmed := o.now()
	o.acknowledges(confirmed, o.everyone()...)
	o.progress("  a majority confirms writes after %s, and each process acknowledges effects %s later", confirmed-o.hit,
		o.now()-confirmed)
	return nil
}

// awaitMembers waits until one member is the primary and the others follow it.
func (s *site) awaitMembers() error {
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		states := map[string]int{}
		cluster := options.Client().ApplyURI(s.cluster.URI(""))
		err := s.withClient(cluster, func(ctx context.Context, c *mongo.Client) error {
			var status struct {
				Members []struct {
					StateStr string `bson:"stateStr"`
				}
			}
			err := c.Database("admin").RunCommand(ctx, bson.D{{Key: "replSetGetStatus", Value: 1}}).Decode(&status)
			for _, m := range status.Members {
				states[m.StateStr]++
			}
			return err
		})
		if err == nil && states["PRIMARY"] == 1 && states["SECONDARY"] == len(s.cluster.Members)-1 {
			return nil
		}
		if time.Since(began) > gone {
			return fmt.Errorf("the members are %v: %w", states, err)
		}
	}
}

func stepDown(o *outage) error {
	for {
		ctx, cancel := context.WithTimeout(o.t.Context(), gone)
		_, err := o.cluster.StepDown(ctx)
		cancel()
		if err == nil || o.now()-o.hit > gone {
			return err
		}
		time.Sleep(time.Second) // no other member could take over yet
	}
}

// leaveAlone makes the cluster lose the writes that only the primary has: it kills the others first, and they start
// without the primary. Such a write can't have been acknowledged, and is undone when the primary comes back.
func leaveAlone(o *outage) error {
	err := each(o.others, (*mongotest.Member).Kill)
	time.Sleep(aloneTime)
	err = errors.Join(err, o.primary.Kill())
	time.Sleep(silence)
	back := func(m *mongotest.Member) error { return m.Restart(o.t.Context()) }
	return errors.Join(err, each(o.others, back), o.recovers(), o.restart(o.primary))
}

// killAll checks as well that nothing is acknowledged, and no process says that it is ready, while there is no server.
func killAll(o *outage) error {
	err := each(o.cluster.Members, (*mongotest.Member).Kill)
	dark := o.now()
	time.Sleep(hurting)
	light := o.now()
	err = errors.Join(err, each(o.cluster.Members, func(m *mongotest.Member) error { return m.Restart(o.t.Context()) }))
	for i, p := range o.processes {
		for _, purpose := range []purpose{effect, readiness, reading} {
			refused := false
			for _, a := range o.seen.since(dark) {
				if a.service != i || a.purpose != purpose || a.ended > light {
					continue
				}
				refused = refused || a.status == http.StatusServiceUnavailable
				if a.began >= dark && a.status != 0 && a.status != http.StatusServiceUnavailable {
					o.fail("process %s answered %d to an attempt at %s without a server", p.name, a.status, purpose)
				}
			}
			if !refused {
				o.fail("process %s answered 503 to no attempt at %s without a server", p.name, purpose)
			}
		}
	}
	return err
}

// cutAll checks as well that nothing is acknowledged that only one member has. A write that a majority had confirmed
// before the cut may be answered, or replayed, after it.
func cutAll(o *outage) error {
	var began time.Duration
	err := cut(func(o *outage, n *mongotest.Network) {
		n.Cut(o.primary, o.others[0])
		n.Cut(o.primary, o.others[1])
		n.Cut(o.others[0], o.others[1])
		began = o.now()
	})(o)
	for _, a := range o.seen.since(began) {
		if a.good(effect) && !a.replayed && a.began > began && a.ended < began+hurting {
			o.fail("process %d acknowledged an effect at %s, which only one member can have", a.service, a.ended)
		}
	}
	return err
}

// away stops the processes one after the other, each for some time. The other one serves in that time.
func away(leave, comeBack func(o *outage, p *process)) func(o *outage) error {
	return func(o *outage) error {
		for at, p := range o.processes {
			left := o.now()
			leave(o, p)
			time.Sleep(left + hurting - o.now())
			o.acknowledges(left, 1-at)
			comeBack(o, p)
			o.acknowledges(o.now(), o.everyone()...)
		}
		return nil
	}
}
