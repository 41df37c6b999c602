package simulate

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/httpapi"
	"resellerd/adapters/memstore"
	"resellerd/adapters/mongostore"
	"resellerd/adapters/sqlitestore"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/mongotest"
)

// The flags of a campaign.
var (
	seeds = flag.Int("simulate.seeds", 2, "how many years are simulated")
	first = flag.Uint64("simulate.seed", 0,
		"the seed of the first one, to repeat an earlier run; 0: 1 in a short run, any in a campaign")
	kind = flag.String("simulate.store", "",
		"the store of years in real time: memory, sqlite or mongodb; in virtual time none")
)

const (
	campaign = 20  // so many years are one
	complete = 200 // and so many have to meet everything
	// patience bounds how long a difference is shrunk.
	patience = 30 * time.Second
)

// TestMain ends the MongoDB that a year may have started.
func TestMain(m *testing.M) { os.Exit(mongotest.Main(m)) }

// runs returns a function that runs a year: in a bubble of its own, or on the store of the flag.
func runs(t *testing.T) func(setting) *run {
	t.Helper()
	if *kind != "" {
		return runsOn(t, *kind)
	}
	return func(s setting) (r *run) {
		synctest.Test(t, func(*testing.T) { r = simulate(s) })
		return r
	}
}

// runsOn returns a function that runs a year in real time on an empty store of a kind.
func runsOn(t *testing.T, kind string) func(setting) *run {
	t.Helper()
	open, there := map[string]func() (kept, error){
		"memory": func() (kept, error) { return memstore.New(), nil },
		"sqlite": func() (kept, error) { return sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "year.db")) },
		"mongodb": func() (kept, error) {
			mongotest.Available(t)
			return mongostore.Open(t.Context(), mongotest.URI(t))
		},
	}[kind]
	if !there {
		t.Fatalf("no store is called %q", kind)
	}
	return func(s setting) *run {
		store, err := open()
		if err != nil {
			t.Fatal(err)
		}
		s.real = store
		return simulate(s)
	}
}

// TestEachStore runs the beginning of a year in real time on each kind of store.
func TestEachStore(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"memory", "sqlite", "mongodb"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if r := runsOn(t, kind)(setting{seed: 1, mask: mask{rounds: 100}, narrated: true}); r.difference != nil {
				t.Error(tale(r))
			}
		})
	}
}

// TestYears runs the years of seeds, and reports each difference with the model and how to repeat it.
func TestYears(t *testing.T) {
	t.Parallel()
	many, seed := *seeds, *first
	switch {
	case seed != 0:
	case many < campaign:
		seed = 1
	default:
		seed = 1 + rand.Uint64()>>16
	}
	var sum tally
	var next atomic.Int64
	began := time.Now()
	t.Run("seeds", func(t *testing.T) {
		for worker := range min(many, runtime.GOMAXPROCS(0)) {
			t.Run(strconv.Itoa(worker), func(t *testing.T) {
				t.Parallel()
				year := runs(t)
				for n := next.Add(1); n <= int64(many); n = next.Add(1) {
					if story := sum.simulate(seed+uint64(n)-1, year); story != "" {
						t.Error(story)
					}
				}
			})
		}
	})
	t.Logf("seeds %d to %d in %s: %s", seed, seed+uint64(many)-1, time.Since(began).Round(time.Millisecond), &sum)
	if many >= campaign {
		t.Log(sum.outcomes())
	}
	if many >= complete && *kind == "" {
		sum.complete(t)
	}
	for _, seed := range slices.Sorted(slices.Values(sum.failed)) {
		t.Errorf("this year failed: make simulate SEED=%d SEEDS=1", seed)
	}
}

// mostStories is how many differences of a campaign are shrunk and printed as a story; each takes up to patience.
const mostStories = 5

// simulate runs the year of a seed, and returns how it failed, "" if it did not.
func (s *tally) simulate(seed uint64, year func(setting) *run) string {
	r := year(setting{seed: seed})
	switch failed := s.add(r); {
	case r.difference == nil:
		return ""
	case failed > mostStories:
		return fmt.Sprintf("seed %d: %s", seed, r.difference)
	}
	return tale(shrink(r, year, patience))
}

// tally counts the outcomes of years.
type tally struct {
	mu                                sync.Mutex
	years, requests, faults, restarts int
	moved                             int
	seen                              map[string]int
	failed                            []uint64 // seeds
}

// add counts a year, and returns how many have failed so far.
func (s *tally) add(r *run) (failed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.difference != nil {
		s.failed = append(s.failed, r.seed)
	}
	s.years++
	s.requests += r.requests
	s.faults += r.faults
	s.moved += len(r.world.Movements)
	for _, p := range r.processes {
		s.restarts += p.begun - 1
	}
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	for name, n := range r.seen {
		s.seen[name] += n
	}
	return len(s.failed)
}

// String returns the figures.
func (s *tally) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d years, %d requests, %d faults, %d deaths of a process, %d movements", s.years, s.requests,
		s.faults, s.restarts, s.moved)
}

// outcomes lists how often each operation had each outcome.
func (s *tally) outcomes() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.seen)) {
		fmt.Fprintf(&b, "\n%8d %s", s.seen[name], name)
	}
	return b.String()
}

// notMet are the refusals that no year has, and why.
var notMet = map[string]string{
	"internal-error":         "it says that the service is wrong",
	"unknown-parameter":      "no record decides it, and adapters/httpapi/parameters_test.go sends one to each operation",
	"too-many-free-changes":  "the limit of free changes is off: it counts per process, and tests of application check it",
	"too-many-requests":      "the limit of requests is off: it counts per process, and tests of adapters/httpapi check it",
	"too-many-answers":       "the budget of answers counts per process, and tests of adapters/httpapi check it",
	"totp-required":          "a year has no second factors: domain/secondfactor and test/acceptance test them",
	"totp-active":            "likewise",
	"totp-inactive":          "likewise",
	"totp-not-pending":       "likewise",
	"wrong-code":             "likewise",
	"too-many-attempts":      "likewise",
	"trial-allowance-spent":  "trials cost no credits, and domain/reseller tests their number",
	"logins-busy":            "the queue of hashes is per process, and tests of adapters/credentials check it",
	"too-many-exports":       "a year has no exports: tests of adapters/httpapi check the limit",
	"too-many-waiting":       "likewise: more requests of an account have to wait at a process than a year has side by side",
	"count-running":          "likewise, with orders for many lines",
	"job-running":            "a year has no jobs: they go on by themselves, and test/campaign kills the program while they do",
	"selection-changed":      "likewise",
	"too-many-lines":         "likewise",
	"ambiguous-price":        "a year has the plans of a new store: domain/plan and application/prices test others",
	"plan-off-sale":          "likewise",
	"plan-differs":           "likewise",
	"plan-immutable":         "likewise",
	"plan-changing":          "likewise",
	"too-many-plans":         "likewise",
	"unknown-plan":           "likewise",
	"version-in-force":       "likewise",
	"period-differs":         "likewise",
	"downgrade-at-extension": "likewise",
	"line-expired":           "likewise",
	"line-suspended":         "likewise",
	"line-without-plan":      "likewise",
	"too-many-rows":          "a year has no imports: one is several transactions, and application/lines/import_test.go ends it after each",
}

// TestEveryRefusalIsSimulated checks that campaigns have to meet each refusal of the API, or have a reason why not.
func TestEveryRefusalIsSimulated(t *testing.T) {
	t.Parallel()
	var document struct {
		Components struct {
			Schemas struct{ ProblemCode struct{ Description string } }
		}
	}
	if err := json.Unmarshal(httpapi.Document(""), &document); err != nil {
		t.Fatal(err)
	}
	documented := api.KnownValues(document.Components.Schemas.ProblemCode.Description)
	for _, code := range documented {
		if known := statuses[code] != 0; known == (notMet[code] != "") {
			t.Errorf("%s: the model knows it: %t, and no year has it: %q", code, known, notMet[code])
		}
	}
	if len(documented) != len(statuses)+len(notMet) {
		t.Errorf("%d refusals are documented, and %d known to the model", len(documented), len(statuses)+len(notMet))
	}
}

// complete has a campaign meet each operation's success, each refusal, and each type of entry.
func (s *tally) complete(t *testing.T) {
	t.Helper()
	seen := slices.Collect(maps.Keys(s.seen))
	for _, op := range table {
		if op != repetition && !slices.ContainsFunc(seen, func(name string) bool {
			return strings.HasPrefix(name, op.Name()+" 20")
		}) {
			t.Errorf("%s never succeeded", op.ID)
		}
	}
	for code := range statuses {
		if !slices.ContainsFunc(seen, func(name string) bool { return strings.HasSuffix(name, " "+code) }) {
			t.Errorf("no request was refused for %s", code)
		}
	}
	for _, what := range met {
		if s.seen[what] == 0 {
			t.Errorf("never met: %s", what)
		}
	}
}

// TestTheSameSeedIsTheSameYear checks that a seed repeats all events of a year, whatever else the machine does.
func TestTheSameSeedIsTheSameYear(t *testing.T) {
	t.Parallel()
	year := runs(t)
	first := year(setting{seed: 7, mask: mask{rounds: 60}, narrated: true}).digest()
	if again := year(setting{seed: 7, mask: mask{rounds: 60}}).digest(); again != first {
		t.Errorf("two runs of a seed differ: %s and %s", first, again)
	}
}

// forgetful is a store that stores no idempotency keys.
type forgetful struct{ ports.Store }

type noKeys struct{ ports.Keys }

func (noKeys) Put(context.Context, ports.KeyRecord) error { return nil }

func (s forgetful) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error,
	hints ...ports.Reads) error {
	return s.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		tx.Keys = noKeys{tx.Keys}
		return work(ctx, tx)
	}, hints...)
}

// TestAWrongAnswerIsReported checks that a store without idempotency keys leads to a story of a few steps.
func TestAWrongAnswerIsReported(t *testing.T) {
	t.Parallel()
	year := runs(t)
	found := year(setting{seed: 3, broken: func(s ports.Store) ports.Store { return forgetful{s} }})
	if found.difference == nil {
		t.Fatal("no difference is that keys are forgotten")
	}
	small := shrink(found, year, patience)
	story := tale(small)
	if small.difference == nil || len(small.steps) > 6 {
		t.Errorf("%d steps are left of %d:\n%s", len(small.steps), len(found.steps), story)
	}
	for _, part := range []string{"seed 3", " under key-", "(replayed)"} {
		if !strings.Contains(story, part) {
			t.Errorf("the story says nothing of %q:\n%s", part, story)
		}
	}
}
