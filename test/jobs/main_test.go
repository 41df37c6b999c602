package jobs

import (
	"fmt"
	"os"
	"testing"

	_ "resellerd/bootstrap" // what the binary is made of: a change in it runs the tests again
	"resellerd/test/mongotest"
	"resellerd/test/program"
)

// sizeVariable is how many lines the job is for, and how often a process is killed: 100000,5.
const sizeVariable = "RESELLERD_TEST_JOBS"

// TestMain implements testing's entry point.
func TestMain(m *testing.M) { os.Exit(mongotest.Main(suite{m})) }

// suite is the tests with the program.
type suite struct{ *testing.M }

// Run implements mongotest.Suite.
func (s suite) Run() int { return program.Main(s.M) }

func size(t *testing.T) (lines, kills int, long bool) {
	t.Helper()
	given := os.Getenv(sizeVariable)
	if given == "" {
		const few, once = 120, 1
		return few, once, false
	}
	if n, err := fmt.Sscanf(given, "%d,%d", &lines, &kills); n != 2 || err != nil || lines < 1 || kills < 0 {
		t.Fatalf("%s: %q", sizeVariable, given)
	}
	return lines, kills, true
}
