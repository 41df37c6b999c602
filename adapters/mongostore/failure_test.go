package mongostore_test

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/mongotest"
)

// failing makes the server fail commands of the store, until the test ends.
func failing(t *testing.T, s *mongostore.Store, mode any, data bson.D) {
	t.Helper()
	t.Cleanup(fail(t, s.Database().Client(), mode, data))
}

// fail makes the server fail commands of the stores that are tested, until what it returns is called.
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

// No test here is parallel: what fails does so in all stores of these tests.

// TestWhatFailsOnceHappensOnce makes one command of a transaction fail in each way in which servers and networks do.
func TestWhatFailsOnceHappensOnce(t *testing.T) {
	commands := func(names ...string) bson.E { return bson.E{Key: "failCommands", Value: names} }
	labels := func(names ...string) bson.E { return bson.E{Key: "errorLabels", Value: names} }
	code := func(n int) bson.E { return bson.E{Key: "errorCode", Value: n} }
	for _, c := range []struct {
		name string
		data bson.D
	}{
		{"a write meets another transaction", bson.D{commands("update"), code(112), labels("TransientTransactionError")}},
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
			var left int64
			update(t, s, func(ctx context.Context, tx ports.Tx) (err error) {
				left, err = pay(ctx, tx, 2, 1)
				return err
			})
			expect.Equal(t, left, 999, "the work has seen")
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
		// As short as it may be, with time to come as far as the commit.
		for patience := 200 * time.Millisecond; ; patience *= 2 {
			s.SetPatience(patience)
			before := w.count()
			expect.Error(t, payment(t, s, 2, 1), ports.ErrUnavailable, "an update whose commit is not answered")
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

// TestARepeatedCommitThatCouldNotBeSentIsNoNewTransaction loses the answer to a commit that was made, and the network
// with it: the driver then says of the second attempt that the transaction had no effect.
func TestARepeatedCommitThatCouldNotBeSentIsNoNewTransaction(t *testing.T) {
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
	runs := 0
	err := s.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		runs++
		a, err := tx.Resellers.Get(ctx, 2)
		if err != nil {
			return err
		}
		left := fixture.Units(a.State().Credits.Units() - 1)
		return tx.Resellers.Save(ctx, fixture.Changed(a, func(s *reseller.State) { s.Credits = left }))
	})
	if err != nil && !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("got error %v, want none or that the outcome is unknown", err)
	}
	expect.Equal(t, stage.Load(), lost, "the stage at which the network was lost")
	expect.Equal(t, balance(t, s), 999, "units of 1,000 that are left after one payment, whose work ran %d times", runs)
}

// TestReadyFailsWhileWritesDo refuses commands as the server does for a user who may not write, and fails what a
// request has to write.
func TestReadyFailsWhileWritesDo(t *testing.T) {
	s := newStore(t)
	insert(t, s, payer())
	must(t, s.Ready(t.Context()))
	fails := func(mentions string, code int, commands ...string) (noMore func()) {
		t.Helper()
		noMore = fail(t, s.Database().Client(), "alwaysOn",
			bson.D{{Key: "failCommands", Value: commands}, {Key: "errorCode", Value: code}})
		if slices.Contains(commands, "insert") {
			expect.Error(t, payment(t, s, 2, 1), ports.ErrUnavailable)
		}
		for range 2 {
			err := s.Ready(t.Context())
			if expect.Error(t, err, ports.ErrUnavailable); err != nil && !strings.Contains(err.Error(), mentions) {
				t.Errorf("got %v, want that it mentions %q", err, mentions)
			}
		}
		return noMore
	}
	const unauthorized, full = 13, 14031
	fails("the server refuses a command without a user", unauthorized, "update")()
	must(t, s.Ready(t.Context()))

	fails("OutOfDiskSpace", full, "insert")()
	must(t, s.Ready(t.Context()), "what failed is possible again")
	expect.Equal(t, balance(t, s), 1_000, "units of 1,000 that are left after what was tried only")

	noMore := fails("OutOfDiskSpace", full, "insert")
	noMore()
	must(t, payment(t, s, 2, 2))
	t.Cleanup(fail(t, s.Database().Client(), "alwaysOn",
		bson.D{{Key: "failCommands", Value: []string{"insert"}}, {Key: "errorCode", Value: full}}))
	must(t, s.Ready(t.Context()), "a write has succeeded since")
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

// TestAReadIsTriedAgain makes a read fail as it does where the primary ends, where the server has dropped a cursor, and
// where it can't read in a snapshot yet: the driver tries the first again by itself, once.
func TestAReadIsTriedAgain(t *testing.T) {
	s := newStore(t)
	insert(t, s, payer())
	for _, code := range []int{91, 43, 246} {
		for _, read := range []func() error{
			func() error { _, err := balanceOf(t, s); return err },
			func() error { _, err := s.NextID(t.Context(), ports.LineIDs); return err },
		} {
			noMore := fail(t, s.Database().Client(), times(2), bson.D{{Key: "errorCode", Value: code},
				{Key: "failCommands", Value: []string{"find", "findAndModify"}}})
			must(t, read(), "error ", code)
			noMore()
		}
	}
}

// TestWhatIsRenewedMeanwhileIsLeft has another process put a key again, or use a session, after it was found to be
// over and before it is removed.
func TestWhatIsRenewedMeanwhileIsLeft(t *testing.T) {
	uri := emptied(t)
	other := openStore(t, uri, options.Client())
	var renew func() // once, before the command is sent that changes what was found
	s := openStore(t, uri,
		options.Client().SetMonitor(&event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
			if now := renew; now != nil && (e.CommandName == "delete" || e.CommandName == "update") {
				renew = nil
				now()
			}
		}}))
	none := func(doing string, removed int, err error) {
		t.Helper()
		must(t, err, doing)
		if removed != 0 || renew != nil {
			t.Errorf("%s: %d were removed, want none; renewed meanwhile: %t", doing, removed, renew == nil)
		}
	}
	expiring := func(hours int) ports.KeyRecord {
		return ports.KeyRecord{Reseller: 2, Key: "key", Request: []byte("request"), Status: 200, Body: []byte("body"),
			Expires: noon.Add(time.Duration(hours) * time.Hour)}
	}
	puts := func(r ports.KeyRecord) {
		update(t, other, func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Put(ctx, r) })
	}
	for doing, c := range map[string]struct{ was, becomes, latest int }{
		"removing what has expired":           {-1, 1, 9},
		"bringing back what expires too late": {9, 1, 5},
	} {
		puts(expiring(c.was))
		renew = func() { puts(expiring(c.becomes)) }
		dropped, err := s.DropExpired(t.Context(), noon, noon.Add(time.Duration(c.latest)*time.Hour), 10)
		none(doing, dropped, err)
		var kept ports.KeyRecord
		must(t, other.View(t.Context(), func(ctx context.Context, v ports.Snapshot) (err error) {
			kept, err = v.Keys.Get(ctx, 2, "key")
			return err
		}), doing)
		expect.DeepEqual(t, kept, expiring(c.becomes), "%s", doing)
	}

}

var errRefused = errors.New("refused on purpose")
