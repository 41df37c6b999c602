package faults

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	_ "resellerd/bootstrap" // what the binary is made of: a change in it runs the campaign again
	"resellerd/test/mongotest"
)

// What the campaign is asked by. Without the first it does not run.
const (
	lengthVariable = "RESELLERD_FAULTS"      // short, or a duration
	seedVariable   = "RESELLERD_FAULTS_SEED" // of an earlier run
)

// TestFailover runs the campaign. The short form lets each fault strike once; the
// long one goes on in random order for the time that was given.
func TestFailover(t *testing.T) {
	length := os.Getenv(lengthVariable)
	if length == "" {
		t.Skip("takes a minute or more and a cluster of its own: run make faults, or make test-all for the short form")
	}
	short := length == "short"
	var duration time.Duration
	if !short {
		var err error
		if duration, err = time.ParseDuration(length); err != nil {
			t.Fatalf("%s: %v", lengthVariable, err)
		}
	}
	seed := seedOf(t)
	// The processes end with the thread that started them, and this goroutine starts
	// them all.
	runtime.LockOSThread()
	ctx := interruptible(t)
	c := newCampaign(ctx, t, seed)
	c.progress("seed %d (%s)", seed, seedVariable)
	if short {
		c.round(ctx, seed, []fault{stepDown, killPrimary, killAlone, pausePrimary, killAll, killProcess})
	}
	for !short && c.now() < duration {
		order := [][]fault{{stepDown, stepDown, stepDown}, {killPrimary}, {killAlone}, {pausePrimary}, {killAll}, {killProcess}, {holdRecord}}
		c.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		c.round(ctx, seed, slices.Concat(order...))
	}
	c.prove(ctx)
	c.report()
}

// seedOf returns the seed that was given, or any.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	given := os.Getenv(seedVariable)
	if given == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	return seed
}

// interruptible returns a context that ends with a signal, or with the process
// that started this one, so that the test ends in order and leaves nothing behind.
// Signals that come later change nothing: that order takes a few seconds.
func interruptible(t *testing.T) context.Context {
	// A write to who is gone must not kill.
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	parent := os.Getppid()
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		defer cancel()
		for ctx.Err() == nil && os.Getppid() == parent {
			rest(ctx, 200*time.Millisecond)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-watching
		stop()
	})
	return ctx
}

// build makes the program.
func build(ctx context.Context, t *testing.T) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "resellerd")
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "nomsgpack", "-ldflags", "-X resellerd/bootstrap.leastPasswordCost=yes", "-o", binary, "./bootstrap/resellerd")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// newCampaign starts a cluster and the processes, which end with the test.
func newCampaign(ctx context.Context, t *testing.T, seed uint64) *campaign {
	t.Helper()
	binary := build(ctx, t)
	c := &campaign{
		t:       t,
		out:     t.Output(),
		cluster: mongotest.NewCluster(t, 3),
		load:    ofCluster,
		random:  rand.New(rand.NewPCG(seed, seed)),
		start:   time.Now(),
	}
	if err := c.awaitMembers(ctx); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "B"} {
		s := newService(name, binary, c.cluster.URI(databaseName))
		c.services = append(c.services, s)
		t.Cleanup(s.kill)
		if err := s.start(ctx); err != nil {
			t.Fatal(err)
		}
	}
	c.admin = c.login(ctx, "admin", adminPassword)
	return c
}
