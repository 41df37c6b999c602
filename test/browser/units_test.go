package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestUnits has node test the console's modules that need no browser. RESELLERD_TEST_NODE_REQUIRED makes the test fail
// without node.
func TestUnits(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("RESELLERD_TEST_NODE_REQUIRED") != "" {
			t.Fatal(err)
		}
		t.Skip("only node runs modules without a browser, and building and using the program need none:", err)
	}
	// Each by its name: what a folder means differs between versions of node.
	units, err := filepath.Glob("../../adapters/console/units/*.test.js")
	if err != nil || len(units) == 0 {
		t.Fatalf("there are no units: %v", err)
	}
	if said, err := exec.CommandContext(t.Context(), node, append([]string{"--test"}, units...)...).
		CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
