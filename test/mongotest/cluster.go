package mongotest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const setName = "rs"

// Cluster is a replica set on loopback of the caller's own, for those who hurt it: a failed primary is replaced within
// seconds. Every member has a vote and can become the primary.
type Cluster struct {
	Members []*Member

	binary  string
	dir     string
	starter starter
	lock    *os.File // of a folder of the cluster's own, otherwise nil
	network *Network // nil: members are known by their own addresses
	hosts   bool
	preload string // what the servers load first, "" for nothing
}

// Option makes a cluster fail in more ways than being killed and paused.
type Option func(c *Cluster)

// WithNetwork has members be known by addresses whose ways can be cut: see Network.
func WithNetwork() Option { return func(c *Cluster) { c.network = newNetwork() } }

// WithHosts has the clocks and the disks of members be such that they can be hurt: see SetClock, SlowDisk and FillDisk.
// It fails the start where CanHurtHosts is false.
func WithHosts() Option { return func(c *Cluster) { c.hosts = true } }

// NewCluster starts a cluster for a test, which ends with it. The test is skipped if no mongod is available, and logs
// the last words of the members where it failed. RESELLERD_TEST_MONGODB has no say in it: faults need processes.
func NewCluster(t testing.TB, members int, options ...Option) *Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience+fetchTimeout)
	defer cancel()
	cluster, err := StartCluster(ctx, "", members, options...)
	Need(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			for _, m := range cluster.Members {
				t.Logf("mongod on %s, the end of its log:\n%s", m.Address(), m.Log(80))
			}
		}
		if err := cluster.Close(); err != nil {
			t.Error(err)
		}
	})
	return cluster
}

// StartCluster starts a replica set with its records in the folder, in which Close leaves them; without a folder it is
// one of the cluster's own, which Close removes. It returns when there is a primary, and fails with a *MissingError
// if there is no mongod.
func StartCluster(ctx context.Context, dir string, members int, options ...Option) (*Cluster, error) {
	binary, err := Binary(ctx)
	if err != nil {
		return nil, err
	}
	for range 5 {
		var cluster *Cluster
		if cluster, err = startCluster(ctx, binary, dir, members, options...); err == nil {
			return cluster, nil
		}
		if !errors.Is(err, errPortTaken) {
			break
		}
	}
	return nil, fmt.Errorf("mongotest: start a replica set: %w", err)
}

// startCluster makes one attempt with ports that were free.
func startCluster(ctx context.Context, binary, dir string, members int, options ...Option) (_ *Cluster, err error) {
	c := &Cluster{binary: binary, dir: dir, starter: newStarter()}
	for _, o := range options {
		o(c)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	ports, err := freePorts(2 * members)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		if dir, c.lock, err = newFolder(); err != nil {
			return nil, err
		}
		c.dir = dir
	}
	if c.hosts {
		if c.preload, err = buildHost(ctx, dir); err != nil {
			return nil, err
		}
	}
	starts := make([]error, members)
	var started sync.WaitGroup
	for i, port := range ports[:members] {
		m := &Member{cluster: c, dir: filepath.Join(dir, fmt.Sprintf("member-%d", i)), port: port, known: port}
		c.Members = append(c.Members, m)
		if err := os.MkdirAll(m.dir, 0o700); err != nil {
			return nil, err
		}
		if c.hosts {
			m.host = &host{path: m.dir + ".host"}
			if err := m.host.write(); err != nil {
				return nil, err
			}
		}
		if c.network != nil {
			m.known = ports[members+i]
			if err := c.network.front(m); err != nil {
				return nil, err
			}
		}
	}
	for i, m := range c.Members {
		started.Go(func() { starts[i] = m.Restart(ctx) })
	}
	started.Wait()
	if err := errors.Join(starts...); err != nil {
		return nil, err
	}
	if err := c.initiate(ctx); err != nil {
		return nil, err
	}
	_, err = c.WaitPrimary(ctx)
	return c, err
}

// initiate makes the members one replica set that notices failures in a second.
func (c *Cluster) initiate(ctx context.Context) error {
	var members bson.A
	for i, m := range c.Members {
		members = append(members, bson.D{{Key: "_id", Value: i}, {Key: "host", Value: m.Address()}})
	}
	settings := bson.D{{Key: "electionTimeoutMillis", Value: 1000}, {Key: "heartbeatIntervalMillis", Value: 200}}
	return c.Members[0].run(ctx, bson.D{{Key: "replSetInitiate", Value: bson.D{
		{Key: "_id", Value: setName}, {Key: "members", Value: members}, {Key: "settings", Value: settings},
	}}}, nil)
}

// URI returns the address of all members, with the database in its path, which may be empty.
func (c *Cluster) URI(database string) string {
	addresses := make([]string, len(c.Members))
	for i, m := range c.Members {
		addresses[i] = m.Address()
	}
	return "mongodb://" + strings.Join(addresses, ",") + "/" + database + "?replicaSet=" + setName
}

// Network returns the relays between the members, nil without WithNetwork.
func (c *Cluster) Network() *Network { return c.network }

// Primary returns the member that takes writes. Where a deposed one has not yet noticed, it returns the one elected
// last. It queries all members that run and are not paused, and fails where none reports that it is the primary.
func (c *Cluster) Primary(ctx context.Context) (*Member, error) {
	type answer struct {
		Primary  bool          `bson:"isWritablePrimary"`
		Election bson.ObjectID `bson:"electionId"`
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	answers := make([]answer, len(c.Members))
	var asked sync.WaitGroup
	for i, m := range c.Members {
		if m.answers() {
			asked.Go(func() {
				if err := m.run(ctx, bson.D{{Key: "hello", Value: 1}}, &answers[i]); err != nil {
					answers[i] = answer{} // a member that can't answer is no primary
				}
			})
		}
	}
	asked.Wait()
	var primary *Member
	var elected bson.ObjectID
	for i, a := range answers {
		if a.Primary && (primary == nil || bytes.Compare(a.Election[:], elected[:]) > 0) {
			primary, elected = c.Members[i], a.Election
		}
	}
	if primary == nil {
		return nil, errors.New("mongotest: no member says that it is the primary")
	}
	return primary, nil
}

// WaitPrimary returns the primary as soon as there is one, or an error when the context ends.
func (c *Cluster) WaitPrimary(ctx context.Context) (*Member, error) {
	for {
		primary, err := c.Primary(ctx)
		if err == nil {
			return primary, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// StepDown waits for a primary, makes it a secondary and returns it. The primary requests a takeover from another
// member, and is no candidate for 10 seconds. StepDown fails where no other member has caught up in time.
func (c *Cluster) StepDown(ctx context.Context) (*Member, error) {
	command := bson.D{{Key: "replSetStepDown", Value: 10}, {Key: "secondaryCatchUpPeriodSecs", Value: 8}}
	for {
		primary, err := c.WaitPrimary(ctx)
		if err != nil {
			return nil, err
		}
		// On a busy machine it may be none any more, or not get the lock that it needs in
		// the time that it would stay down.
		const lockTimeout, notPrimary = 24, 10107
		err = primary.run(ctx, command, nil)
		server, answered := errors.AsType[mongo.ServerError](err)
		if !answered || !server.HasErrorCode(lockTimeout) && !server.HasErrorCode(notPrimary) {
			return primary, err
		}
	}
}

// Close kills the members and removes the folder if it is the cluster's own.
func (c *Cluster) Close() error {
	var errs []error
	for _, m := range c.Members {
		if err := m.Kill(); err != nil && !errors.Is(err, errEnded) {
			errs = append(errs, err)
		}
	}
	if c.starter != nil {
		close(c.starter)
		c.starter = nil
	}
	if c.network != nil {
		errs = append(errs, c.network.close())
	}
	if c.lock != nil {
		errs = append(errs, os.RemoveAll(c.dir), c.lock.Close())
		c.lock = nil
	}
	return errors.Join(errs...)
}

func (m *Member) answers() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.process.running() && !m.paused
}

// run runs an administrative command on this member.
func (m *Member) run(ctx context.Context, what bson.D, result any) error {
	alone := options.Client().SetHosts([]string{m.own()}).SetDirect(true) // whatever its role
	return m.failed(command(ctx, alone, func(ctx context.Context, client *mongo.Client) error {
		reply := client.Database("admin").RunCommand(ctx, what)
		if result == nil {
			return reply.Err()
		}
		return reply.Decode(result)
	}))
}

// starter starts processes from one thread that lives until it is closed: Linux kills
// such a process when the thread that started it ends, not when the program does.
type starter chan func()

func newStarter() starter {
	s := make(starter)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for start := range s {
			start()
		}
	}()
	return s
}

func (s starter) start(cmd *exec.Cmd) error {
	result := make(chan error)
	s <- func() { result <- cmd.Start() }
	return <-result
}
