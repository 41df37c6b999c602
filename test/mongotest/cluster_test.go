package mongotest

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

func TestAClusterOutlivesItsMembers(t *testing.T) {
	t.Parallel()
	c := NewCluster(t, 3)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	records := func() *mongo.Collection {
		return connect(t, c.URI("")).Database("test").Collection("records", options.Collection().SetWriteConcern(writeconcern.Majority()))
	}
	acknowledged := int64(0)
	// Each write has a client of its own: one that has connections to a paused
	// primary waits for its answer for more than a minute.
	write := func() {
		t.Helper()
		if _, err := records().InsertOne(ctx, bson.D{{Key: "n", Value: acknowledged}}); err != nil {
			t.Fatal(err)
		}
		acknowledged++
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	primary := func() *Member {
		t.Helper()
		m, err := c.WaitPrimary(ctx)
		must(err)
		return m
	}
	write()

	// A member that still copies what there is from one that is killed goes on asking
	// it, and holds up every write that needs the other two.
	first := primary()
	for _, m := range c.Members {
		if m != first {
			awaitSecondary(ctx, t, m)
		}
	}
	must(first.Kill())
	if first.PID() != 0 {
		t.Errorf("the killed member has the process %d", first.PID())
	}
	write()
	second := primary()
	if second == first {
		t.Fatal("the killed member is the primary")
	}

	must(first.Restart(ctx))
	if first.PID() == 0 || first.PID() == second.PID() {
		t.Errorf("the restarted member has the process %d", first.PID())
	}
	awaitSecondary(ctx, t, first)
	must(second.Stop())
	third := primary()
	if third == second {
		t.Fatal("the paused member is the primary")
	}
	write()
	must(second.Continue())
	awaitSecondary(ctx, t, second)

	deposed, err := c.StepDown(ctx)
	must(err)
	write()
	if primary() == deposed {
		t.Error("the member that stepped down is the primary")
	}

	must(third.Stop())
	must(third.Terminate(ctx))
	if err := third.Kill(); err == nil || !strings.Contains(err.Error(), third.Address()+": the server does not run") {
		t.Errorf("Kill of a member that has ended: %v", err)
	}
	write()
	if log := third.Log(5); strings.Count(log, "\n") != 4 || !strings.Contains(log, `"ctx":`) {
		t.Errorf("the end of the log is %q", log)
	}
	if found, err := records().CountDocuments(ctx, bson.D{}); err != nil || found != acknowledged {
		t.Errorf("%d records of %d are there, %v", found, acknowledged, err)
	}
}

// awaitSecondary waits until the member has joined the others.
func awaitSecondary(ctx context.Context, t *testing.T, m *Member) {
	t.Helper()
	for {
		var hello struct{ Secondary bool }
		err := m.run(ctx, bson.D{{Key: "hello", Value: 1}}, &hello)
		if err == nil && hello.Secondary {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s is no secondary: %v", m.Address(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestAClusterLeavesTheCallersFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	needBinary(t)
	c, err := StartCluster(t.Context(), dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	before, err := c.WaitPrimary(t.Context())
	must(err)
	const lockTimeout = 24 // as on a busy machine
	must(before.run(t.Context(), bson.D{
		{Key: "configureFailPoint", Value: "failCommand"}, {Key: "mode", Value: bson.D{{Key: "times", Value: 1}}},
		{Key: "data", Value: bson.D{{Key: "failCommands", Value: bson.A{"replSetStepDown"}}, {Key: "errorCode", Value: lockTimeout}}},
	}, nil))
	deposed, err := c.StepDown(t.Context())
	must(err)
	after, err := c.WaitPrimary(t.Context())
	must(err)
	if before != c.Members[0] || deposed != before || after != before {
		t.Errorf("the lone member is %p, the primary was %p, %p stepped down and the primary is %p", c.Members[0], before, deposed, after)
	}
	records := fill(t, c.URI("test")).Collection("records")
	must(before.Restart(t.Context()))
	_, err = c.WaitPrimary(t.Context())
	must(err)
	if found, err := records.CountDocuments(t.Context(), bson.D{}); err != nil || found != 1 {
		t.Errorf("after a restart %d records are there, want 1: %v", found, err)
	}
	must(c.Close())
	must(c.Close())
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("the folder holds %q", left)
	}
	if _, err := c.Primary(t.Context()); err == nil {
		t.Error("a closed cluster has a primary")
	}
}
