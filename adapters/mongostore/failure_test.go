package mongostore_test

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/mongotest"
)

// failing makes the server fail commands of the store, until the test ends.
func failing(t *testing.T, s *mongostore.Store, mode any, data bson.D) {
	t.Helper()
	t.Cleanup(fail(t, s.Database().Client(), mode, data))
}

// fail makes the server fail commands of the tested stores, until noMore is called.
func fail(t *testing.T, client *mongo.Client, mode any, data bson.D) (noMore func()) {
	t.Helper()
	set := func(ctx context.Context, mode any, data bson.D) error {
		return client.Database("admin").RunCommand(ctx,
			bson.D{{Key: "configureFailPoint", Value: "failCommand"}, {Key: "mode", Value: mode}, {Key: "data", Value: data}}).
			Err()
	}
	if err := set(t.Context(), mode, append(data, bson.E{Key: "appName", Value: testedAs})); err != nil {
		const why = "the server makes nothing fail on demand: start it with --setParameter enableTestCommands=1"
		if os.Getenv(mongotest.RequiredVariable) != "" {
			t.Fatalf("%s (%v)", why, err)
		}
		t.Skipf("%s (%v)", why, err)
	}
	return func() {
		expect.Error(t, set(context.Background(), "off", bson.D{}), nil)
	}
}

func times(n int) bson.D { return bson.D{{Key: "times", Value: n}} }

// No test here is parallel, because a failure affects all stores of these tests.

// TestARetriedTransactionTakesEffectOnce makes one command of a transaction fail like servers and networks do.
func TestARetriedTransactionTakesEffectOnce(t *testing.T) {
	commands := func(names ...string) bson.E { return bson.E{Key: "failCommands", Value: names} }
	labels := func(names ...string) bson.E { return bson.E{Key: "errorLabels", Value: names} }
	code := func(n int) bson.E { return bson.E{Key: "errorCode", Value: n} }
	for _, c := range []struct {
		name string
		data bson.D
	}{
		{"a write conflicts with another transaction", bson.D{commands("update"), code(112), labels("TransientTransactionError")}},
		{"the primary steps down before the write", bson.D{commands("update"), code(10107)}},
		{"the connection ends in a write", bson.D{commands("insert"), {Key: "closeConnection", Value: true}}},
		{"the connection ends in the commit", bson.D{commands("commitTransaction"), {Key: "closeConnection", Value: true}}},
		{"the transaction is gone at the commit",
			bson.D{commands("commitTransaction"), code(251), labels("TransientTransactionError")}},
		{"the commit is made and not confirmed",
			bson.D{commands("commitTransaction"),
				{Key: "writeConcernError", Value: bson.D{{Key: "code", Value: 91}, {Key: "errmsg", Value: "shutdown"}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			insert(t, s, payer())
			failing(t, s, times(1), c.data)
			must(t, payment(t, s, 1))
			expect.Equal(t, balance(t, s), 999, "units that are left after one payment of one unit")
		})
	}
}

// TestAnUnknownOutcomeIsUnavailable never gets an answer to a commit, made or not.
func TestAnUnknownOutcomeIsUnavailable(t *testing.T) {
	for kept, data := range map[int64]bson.D{
		999: {{Key: "writeConcernError",
			Value: bson.D{{Key: "code", Value: 64}, {Key: "errmsg", Value: "waiting for replication timed out"}}}},
		1_000: {{Key: "closeConnection", Value: true}},
	} {
		uri := emptied(t)
		var w wire
		s := openStore(t, uri, w.monitored())
		insert(t, s, payer())
		noMore := fail(t, s.Database().Client(), "alwaysOn",
			append(data, bson.E{Key: "failCommands", Value: []string{"commitTransaction"}}))
		// As short as possible, but long enough to reach the commit.
		for retryTime := 200 * time.Millisecond; ; retryTime *= 2 {
			s.SetRetryTime(retryTime)
			before := w.count()
			expect.Error(t, payment(t, s, 1), ports.ErrUnavailable, "an update whose commit is not answered")
			if slices.ContainsFunc(w.since(before), func(s sent) bool { return s.name == "commitTransaction" }) {
				break
			}
		}
		err := s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			if _, err := tx.Resellers.Get(ctx, 2); err != nil {
				return err
			}
			return errRefused
		})
		expect.Error(t, err, ports.ErrUnavailable, "a refusal whose commit is not answered")
		expect.Equal(t, errors.Is(err, errRefused), false, "it rests on what may not be durable: %v", err)
		noMore()
		expect.Equal(t, balance(t, openStore(t, uri, options.Client())), kept, "units that are left")
	}
}

// TestARepeatedCommitIsNoNewTransaction loses the answer to a commit that was made, and then the
// network. The driver claims for the second attempt that the transaction had no effect.
func TestARepeatedCommitIsNoNewTransaction(t *testing.T) {
	const waiting, committing, lost = 1, 2, 3
	var stage atomic.Int32
	var client atomic.Pointer[mongo.Client]
	var network breakable
	s := openStore(t, emptied(t), options.Client().SetDialer(&network).
		SetMonitor(&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
			if e.CommandName == "commitTransaction" {
				stage.CompareAndSwap(waiting, committing)
			}
		}}).
		SetPoolMonitor(&event.PoolMonitor{Event: func(e *event.PoolEvent) {
			if e.Type == event.ConnectionCheckOutStarted && stage.CompareAndSwap(committing, lost) {
				network.cut() // and another operation notices first
				ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
				defer cancel()
				_ = client.Load().Ping(ctx, nil)
				network.mend()
			}
		}}))
	client.Store(s.Database().Client())
	insert(t, s, payer())
	failing(t, newStore(t), times(1), bson.D{
		{Key: "failCommands", Value: []string{"commitTransaction"}},
		{Key: "writeConcernError",
			Value: bson.D{{Key: "code", Value: 64}, {Key: "errmsg", Value: "waiting for replication timed out"}}},
	})
	stage.Store(waiting)
	err := payment(t, s, 1)
	if err != nil && !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("got error %v, want none or that the outcome is unknown", err)
	}
	expect.Equal(t, stage.Load(), lost, "the stage at which the network was lost")
	expect.Equal(t, balance(t, s), 999, "units of 1,000 that are left after one payment")
}

// TestReadyFailsWhileWritesDo makes the writes of a request fail.
func TestReadyFailsWhileWritesDo(t *testing.T) {
	s := newStore(t)
	insert(t, s, payer())
	must(t, s.Ready(t.Context()))
	const full = 14031
	noMore := fail(t, s.Database().Client(), "alwaysOn",
		bson.D{{Key: "failCommands", Value: []string{"insert"}}, {Key: "errorCode", Value: full}})
	expect.Error(t, payment(t, s, 1), ports.ErrUnavailable)
	for range 2 {
		err := s.Ready(t.Context())
		if expect.Error(t, err, ports.ErrUnavailable); !contains(err, "OutOfDiskSpace") {
			t.Errorf("got %v, want that there is no room", err)
		}
	}
	noMore()
	must(t, s.Ready(t.Context()), "what failed is possible again")
	expect.Equal(t, balance(t, s), 1_000, "units of 1,000 that are left after what was tried only")
}

// breakable is a network that can be cut.
type breakable struct {
	mu     sync.Mutex
	broken bool
	open   []net.Conn
}

// DialContext implements options.ContextDialer.
func (b *breakable) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		return nil, errors.New("the network is cut")
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		b.open = append(b.open, conn)
	}
	return conn, err
}

func (b *breakable) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = true
	for _, conn := range b.open {
		_ = conn.Close()
	}
	b.open = nil
}

func (b *breakable) mend() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = false
}

var errRefused = errors.New("refused on purpose")
