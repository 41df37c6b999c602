package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/adapters/sqlitestore"
	"resellerd/ports"
)

// What short histories are asked by: how many on the store in memory, on SQLite and
// on MongoDB, as in 10000,1000,200. Without it a few are made, and none on MongoDB.
const (
	historiesVariable     = "RESELLERD_TEST_HISTORIES"
	historiesSeedVariable = "RESELLERD_TEST_HISTORIES_SEED"
)

// asked returns how many histories are to be made on a store, and the first seed.
func asked(t *testing.T, store int) (count int, seed uint64) {
	t.Helper()
	counts := [3]int{48, 12, 0}
	if given := os.Getenv(historiesVariable); given != "" {
		if _, err := fmt.Sscanf(given, "%d,%d,%d", &counts[0], &counts[1], &counts[2]); err != nil {
			t.Fatalf("%s: %q: %v", historiesVariable, given, err)
		}
	}
	seed = rand.Uint64() >> 1
	if given := os.Getenv(historiesSeedVariable); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("%s: %v", historiesSeedVariable, err)
		}
	}
	return counts[store], seed
}

// opened is a store as its processes have it.
type opened struct{ processes []ports.Store }

func inMemory(t testing.TB) opened {
	t.Helper()
	store := memstore.New()
	t.Cleanup(func() { _ = store.Close() })
	return opened{[]ports.Store{store, store, store}}
}

// onSQLite has two processes on one file.
func onSQLite(t testing.TB) opened {
	t.Helper()
	path := filepath.Join(t.TempDir(), "resellerd.db")
	var o opened
	for range 2 {
		store, err := sqlitestore.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		o.processes = append(o.processes, store)
	}
	return o
}

// tally counts what short histories were made of.
type tally struct{ histories, operations, faults, unknown, lost, done atomic.Int64 }

// String returns the counts in one line.
func (n *tally) String() string {
	return fmt.Sprintf(
		"%d histories of %d operations, %d of them unknown at first, %d never answered of which %d were done; %d faults",
		n.histories.Load(), n.operations.Load(), n.unknown.Load(), n.lost.Load(), n.done.Load(), n.faults.Load())
}

func (n *tally) add(c *campaign, faults int64) {
	for _, g := range c.groups {
		n.histories.Add(1)
		n.operations.Add(int64(len(g.records)))
		for _, r := range g.records {
			if r.unknown > 0 {
				n.unknown.Add(1)
			}
		}
	}
	n.lost.Add(int64(c.open))
	n.done.Add(int64(c.done))
	n.faults.Add(faults)
}

// insideHistories makes short histories on a store that is new, in virtual time.
func insideHistories(t testing.TB, seed uint64, groups int, o opened, n *tally) {
	t.Helper()
	var calls, failed atomic.Int64
	var calm atomic.Bool
	calm.Store(true)
	kept := o.processes[0]
	processes := make([]ports.Store, len(o.processes))
	for i, p := range o.processes {
		processes[i] = &unsteady{Store: p, seed: seed, calls: &calls, calm: &calm, failed: &failed}
	}
	c := inside(t, seed, processes...)
	c.batch(t.Context(), seed, groups, func(on bool) {
		if on {
			rest(t.Context(), lingering) // what is late happens, or never does
		}
		calm.Store(on)
	})
	c.examine(t.Context(), kept)
	n.add(c, failed.Load())
}

const groupsTogether = 4

func TestShortHistories(t *testing.T) {
	t.Parallel()
	for i, store := range []struct {
		name string
		open func(t testing.TB) opened
	}{{"memory", inMemory}, {"sqlite", onSQLite}} {
		t.Run(store.name, func(t *testing.T) {
			t.Parallel()
			count, seed := asked(t, i)
			var n tally
			began := time.Now()
			var together sync.WaitGroup
			var next atomic.Int64
			for range runtime.GOMAXPROCS(0) {
				together.Go(func() {
					for {
						at := (next.Add(1) - 1) * groupsTogether
						if at >= int64(count) || t.Failed() {
							return
						}
						own := seed + uint64(at)
						ok := t.Run(strconv.FormatUint(own, 10), func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) {
								insideHistories(t, own, int(min(groupsTogether, int64(count)-at)), store.open(t), &n)
							})
						})
						if !ok {
							t.Logf("%s=%d repeats what was asked and what failed, though not how the goroutines took turns",
								historiesSeedVariable, own)
						}
					}
				})
			}
			together.Wait()
			t.Logf("seed %d: %s, in %.1f s", seed, &n, time.Since(began).Seconds())
		})
	}
}

// TestShortHistoriesOnMongoDB makes histories on a replica set while one fault after the other strikes it.
func TestShortHistoriesOnMongoDB(t *testing.T) {
	count, seed := asked(t, 2)
	if count == 0 {
		t.Skip("takes minutes and a cluster of its own: run make histories, or make test-all for the short form")
	}
	runtime.LockOSThread() // see TestFailover
	ctx := interruptible(t)
	c := onCluster(ctx, t, seed)
	c.untimed = true
	c.progress("seed %d (%s)", seed, historiesSeedVariable)
	enough := make(chan struct{})
	var made atomic.Int64
	var making sync.WaitGroup
	making.Go(func() { // Fatal ends this goroutine, and marks the test
		for !over(ctx, enough) && !t.Failed() {
			c.batch(ctx, seed, 2*groupsTogether, nil)
			made.Add(2 * groupsTogether)
		}
	})
	// Not those that look for attempts of every kind, or at one group.
	faults := c.possible(stepDown, killPrimary, killAlone, pausePrimary, killProcess, stopEach, killEach, cutEach,
		cutPrimary, cutOneWay, cutSide, cutClients, slowDisks, fullDisk, skewClocks, loseRecords)
	for at := 0; made.Load() < int64(count) && !t.Failed(); at++ {
		if at%len(faults) == 0 {
			c.random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
		}
		c.strike(ctx, faults[at%len(faults)])
	}
	close(enough)
	making.Wait()
	if t.Failed() {
		return
	}
	c.prove(ctx)
	c.report()
	var n tally
	n.add(c, int64(len(c.outages)))
	t.Logf("seed %d: %s, in %.1f s", seed, &n, c.now().Seconds())
}

// listener is a test that goes on.
type listener struct {
	testing.TB
	mu   sync.Mutex
	said []string
}

func (l *listener) Errorf(format string, values ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, fmt.Sprintf(format, values...))
}

func (l *listener) Error(values ...any) { l.Errorf("%s", fmt.Sprint(values...)) }
func (l *listener) Fatalf(format string, values ...any) {
	l.Errorf(format, values...)
	runtime.Goexit()
}
func (l *listener) Fatal(values ...any) { l.Error(values...); runtime.Goexit() }

// TestBrokenStoresAreFoundOut sees that the histories of a broken store are refused, and soon.
func TestBrokenStoresAreFoundOut(t *testing.T) {
	t.Parallel()
	for how, broken := range brokenStores {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			foundOut(t, broken, "is not shown to be linearizable: Illegal")
		})
	}
	for how, broken := range brokenJournals {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			foundOut(t, broken.of, broken.says)
		})
	}
}

// foundOut makes histories of a broken store until one is refused with these words.
func foundOut(t *testing.T, broken func(ports.Store) ports.Store, says string) {
	t.Helper()
	const enough = 40
	for seed := range uint64(enough) {
		var said []string
		synctest.Test(t, func(t *testing.T) {
			l := &listener{TB: t}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				o := inMemory(t)
				for i, p := range o.processes {
					o.processes[i] = broken(p)
				}
				insideHistories(l, seed, groupsTogether, o, new(tally))
			}()
			<-ended
			said = l.said
		})
		for _, s := range said {
			if strings.Contains(s, says) {
				t.Logf("refused after %d histories", (seed+1)*groupsTogether)
				return
			}
		}
	}
	t.Error("its histories are accepted")
}
