// Package soak runs the whole program for hours under all operations at once, with restarts, and stops it again and
// again under load. The README says what it counts.
package soak

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	_ "resellerd/bootstrap" // what the binary is made of: a change in it runs the tests again
	"resellerd/test/program"
)

// TestMain implements testing's entry point.
func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// seedOf returns the seed of the run: a new one, or that of an earlier run.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	given := os.Getenv("RESELLERD_TEST_SOAK_SEED")
	if given == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}
