package mongotest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// inserting writes a record with a client of its own, that knows this member alone
// where there is one.
func inserting(ctx context.Context, t *testing.T, c *Cluster, m *Member) error {
	t.Helper()
	set := options.Client().ApplyURI(c.URI("")).SetWriteConcern(writeconcern.Majority())
	if m != nil {
		set = options.Client().SetHosts([]string{m.Address()}).SetDirect(true).SetWriteConcern(writeconcern.Majority())
	}
	client, err := mongo.Connect(set.SetServerSelectionTimeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = disconnect(client) }()
	_, err = client.Database("test").Collection("records").InsertOne(ctx, bson.D{})
	return err
}

func TestAWayThatIsCutCarriesNothing(t *testing.T) {
	t.Parallel()
	c := NewCluster(t, 3, WithNetwork())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	primary := func() *Member {
		t.Helper()
		m, err := c.WaitPrimary(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if err := inserting(ctx, t, c, nil); err != nil {
		t.Fatal(err)
	}
	first := primary()
	for _, m := range c.Members {
		if m != first {
			awaitSecondary(ctx, t, m)
			c.Network().Cut(first, m)
		}
	}
	// Clients still reach it, and others elect another one.
	if err := inserting(ctx, t, c, nil); err != nil {
		t.Error(err)
	}
	second := primary()
	if second == first {
		t.Error("a member without a majority is the primary")
	}
	c.Network().Mend()
	awaitSecondary(ctx, t, first)

	second = primary()
	c.Network().Cut(second, nil)
	short, end := context.WithTimeout(ctx, 2*time.Second)
	defer end()
	if err := inserting(short, t, c, second); err == nil {
		t.Error("a client reaches a member from which it is cut off")
	}
	if now := primary(); now != second {
		t.Error("members that reach each other elect another primary because clients don't reach theirs")
	}
	c.Network().Mend()
	if err := inserting(ctx, t, c, second); err != nil {
		t.Error(err)
	}
}

func TestAMemberThatLosesItsRecordsCopiesThem(t *testing.T) {
	t.Parallel()
	c := NewCluster(t, 3)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := inserting(ctx, t, c, nil); err != nil {
		t.Fatal(err)
	}
	m, err := c.WaitPrimary(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range c.Members {
		if other != m {
			awaitSecondary(ctx, t, other) // has all records: with m alone none would be left
		}
	}
	if err := m.LoseRecords(); err == nil {
		t.Error("the records of a server that runs were removed")
	}
	if err := m.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := inserting(ctx, t, c, nil); err != nil {
		t.Fatal(err)
	}
	if err := m.LoseRecords(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(m.dir, "*"))
	if err != nil || len(left) != 1 || left[0] != m.logPath() {
		t.Errorf("what is left: %v, %v", left, err)
	}
	if err := m.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	awaitSecondary(ctx, t, m)
	err = m.command(ctx, func(ctx context.Context, client *mongo.Client) error {
		n, err := client.Database("test").Collection("records").CountDocuments(ctx, bson.D{})
		if n != 2 {
			t.Errorf("it has %d records, want 2", n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestClocksAndDisksOfMembers(t *testing.T) {
	t.Parallel()
	if !CanHurtHosts() {
		t.Skip("no C compiler, or no Linux")
	}
	c := NewCluster(t, 1, WithHosts())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m := c.Members[0]
	ahead := func() time.Duration {
		var status struct {
			LocalTime time.Time `bson:"localTime"`
		}
		if err := m.run(ctx, bson.D{{Key: "hello", Value: 1}}, &status); err != nil {
			t.Fatal(err)
		}
		return time.Until(status.LocalTime).Round(time.Hour)
	}
	// Set back while it does not run: a server that waits until an instant of its clock waits until that comes again,
	// and so may whoever wants a write confirmed.
	if err := errors.Join(m.Terminate(ctx), m.SetClock(-24*time.Hour), m.Restart(ctx)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitPrimary(ctx); err != nil {
		t.Fatal(err)
	}
	for _, want := range []time.Duration{-24 * time.Hour, 0, 48 * time.Hour} {
		if err := m.SetClock(want); err != nil {
			t.Fatal(err)
		}
		if got := ahead(); got != want {
			t.Errorf("the clock is %s ahead, want %s", got, want)
		}
	}
	insert := func() error { return inserting(ctx, t, c, m) }
	if err := insert(); err != nil {
		t.Fatal(err)
	}
	const slow = 500 * time.Millisecond
	if err := m.SlowDisk(slow); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := insert(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < slow {
		t.Errorf("a write was durable after %s, and each flush takes %s", took, slow)
	}
	if err := m.SlowDisk(0); err != nil {
		t.Fatal(err)
	}
	if err := m.FillDisk(true); err != nil {
		t.Fatal(err)
	}
	short, end := context.WithTimeout(ctx, 5*time.Second)
	defer end()
	if err := inserting(short, t, c, m); err == nil {
		t.Error("a write was confirmed without room for it")
	}
	for m.PID() != 0 && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	if err := m.FillDisk(false); err != nil {
		t.Fatal(err)
	}
	if err := m.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitPrimary(ctx); err != nil {
		t.Fatal(err)
	}
	if err := insert(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(c.preload); err != nil {
		t.Error(err)
	}
}
