package browser

import (
	"os"
	"os/exec"
	"testing"
)

// TestUnits has node test the console's modules that need no browser.
func TestUnits(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("RESELLERD_TEST_NODE_REQUIRED") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	run := exec.CommandContext(t.Context(), node, "--test", "units/")
	run.Dir = "../../adapters/console"
	if said, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
