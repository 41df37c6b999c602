package deliveries

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	_ "resellerd/bootstrap" // what the binary is made of: a change in it runs the tests again
	"resellerd/test/mongotest"
	"resellerd/test/program"
)

// What the campaign is asked by.
const (
	killsVariable = "RESELLERD_TEST_DELIVERIES"      // how often processes are killed; without it all is short
	seedVariable  = "RESELLERD_TEST_DELIVERIES_SEED" // of an earlier run
)

// TestMain implements testing's entry point.
func TestMain(m *testing.M) { os.Exit(mongotest.Main(suite{m})) }

// suite is the tests with the program.
type suite struct{ *testing.M }

// Run implements mongotest.Suite.
func (s suite) Run() int { return program.Main(s.M) }

// kills returns how often processes are to be killed, and whether the campaign is the long one.
func kills(t *testing.T) (many int, long bool) {
	t.Helper()
	given := os.Getenv(killsVariable)
	if given == "" {
		const short = 1
		return short, false
	}
	many, err := strconv.Atoi(given)
	if err != nil || many < 1 {
		t.Fatalf("%s: %q", killsVariable, given)
	}
	return many, true
}

// seedOf returns the seed of the run: a new one, or that of an earlier run.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if given := os.Getenv(seedVariable); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("seed %d (%s)", seed, seedVariable)
	return seed
}

// forEachStore runs a test on each store that several processes may use at once.
func forEachStore(t *testing.T, test func(t *testing.T, store string)) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, "sqlite:"+t.TempDir()+"/resellerd.db")
	})
	t.Run("MongoDB", func(t *testing.T) {
		t.Parallel()
		test(t, mongotest.URI(t))
	})
}
