package sqlitestore_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"resellerd/test/expect"
)

// upgradeRounds is 1,000 in the long form.
var upgradeRounds = flag.Int("upgrade.rounds", 0, "how often eight processes bring a file up to date at once; 0: once")

// TestProcessesUpgradeAFileTogether has eight processes at once upgrade a file, or make a new one. Each step runs once,
// and no record is lost.
func TestProcessesUpgradeAFileTogether(t *testing.T) {
	t.Parallel()
	const processes = 8
	laid, content := t.TempDir(), map[int64]map[string]string{}
	for version := range int64(2) {
		file := filepath.Join(laid, fmt.Sprint(version))
		must(t, os.WriteFile(file, nil, 0o600))
		layFilled(t, file, version)
		content[version] = contentIn(t, copied(t, file, ""))
	}
	for round := range max(1, *upgradeRounds) {
		for version, want := range content {
			path := copied(t, filepath.Join(laid, fmt.Sprint(version)), "")
			openTogether(t, processes, path)
			expect.DeepEqual(t, contentIn(t, path), want, "round %d, from version %d", round, version)
			must(t, os.RemoveAll(filepath.Dir(path)))
		}
	}
}

// openTogether makes so many processes open the file at the same moment.
func openTogether(t *testing.T, processes int, path string) {
	t.Helper()
	gate, open, err := os.Pipe()
	must(t, err)
	defer func() { must(t, gate.Close()) }()
	var waiting []*exec.Cmd
	for range processes {
		p := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProgram$")
		p.Env = append(os.Environ(), interruptedFile+"="+path, interruptedGate+"=yes")
		p.Stdin, p.Stderr = gate, new(bytes.Buffer)
		must(t, p.Start())
		waiting = append(waiting, p)
	}
	must(t, open.Close()) // the processes that read the other end continue
	for _, p := range waiting {
		expect.Error(t, p.Wait(), nil, "%v", p.Stderr)
	}
}
