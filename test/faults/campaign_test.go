package faults

import (
	"context"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	_ "resellerd/bootstrap" // what the binary is made of: a change in it runs the campaign again
	"resellerd/test/mongotest"
	"resellerd/test/program"
)

// What the campaign is asked by. Without the first it does not run.
const (
	lengthVariable = "RESELLERD_TEST_FAULTS"      // short, or a duration
	seedVariable   = "RESELLERD_TEST_FAULTS_SEED" // of an earlier run
)

// TestMain implements testing's entry point.
func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

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
	c := onCluster(ctx, t, seed)
	c.progress("seed %d (%s)", seed, seedVariable)
	if short {
		c.round(ctx, seed, []fault{stepDown, killPrimary, killAlone, pausePrimary, killAll, killProcess})
		c.round(ctx, seed, c.possible(cutPrimary, cutAll, fullDisk, skewClocks, loseRecords))
		c.round(ctx, seed, []fault{stopEach, cutEach})
	}
	for !short && c.now() < duration {
		order := [][]fault{{stepDown, stepDown, stepDown}, {killPrimary}, {killAlone}, {pausePrimary}, {killAll},
			{killProcess}, {holdRecord}, {stopEach}, {killEach}, {cutEach}}
		for _, f := range c.possible(cutPrimary, cutOneWay, cutSide, cutClients, cutAll, slowDisks, fullDisk, skewClocks,
			loseRecords) {
			order = append(order, []fault{f})
		}
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
	// A write to who is gone must not kill, nor end the campaign: a relay writes to members that are killed.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
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
		signal.Stop(gone)
	})
	return ctx
}

// aheadOfOthers is by how much the clock of process B is ahead, all the time.
const aheadOfOthers = 37 * time.Second

// build makes a binary whose clock is ahead.
func build(t *testing.T, ahead time.Duration) string {
	t.Helper()
	binary, err := program.Binary(program.CheapPasswords, program.Ahead+ahead.String())
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// onCluster starts a cluster and the processes, which end with the test.
func onCluster(ctx context.Context, t *testing.T, seed uint64) *campaign {
	t.Helper()
	options := []mongotest.Option{mongotest.WithNetwork()}
	if mongotest.CanHurtHosts() {
		options = append(options, mongotest.WithHosts())
	}
	c := newCampaign(t, t.Output(), ofCluster, seed)
	c.cluster = mongotest.NewCluster(t, 3, options...)
	if err := c.awaitMembers(ctx); err != nil {
		t.Fatal(err)
	}
	for i, ahead := range []time.Duration{0, aheadOfOthers} {
		name := string(rune('A' + i))
		s := newService(name, build(t, ahead), c.cluster.URI(databaseName)+"&appName="+name)
		c.services = append(c.services, s)
		t.Cleanup(s.kill)
		if err := s.run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	c.admin = c.login(ctx, "admin", adminPassword)
	return c
}
