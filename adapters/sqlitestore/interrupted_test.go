package sqlitestore_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/interrupt"
)

// everyNth is 1 for the long form, which covers every step.
var everyNth = flag.Int("interrupt.every", 0, "interrupt a migration at every nth of its steps; 0: at a few")

const (
	interruptedFile = "RESELLERD_TEST_INTERRUPTED_FILE"
	interruptedGate = "RESELLERD_TEST_INTERRUPTED_GATE" // set: not before the standard input ends
)

// TestProgram opens a store of a later version and closes it if another test runs this binary for it. Otherwise it does
// nothing.
func TestProgram(t *testing.T) {
	path := os.Getenv(interruptedFile)
	if path == "" {
		return
	}
	if os.Getenv(interruptedGate) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	s, err := later().Open(t.Context(), path, quiet)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// layFilled makes a file of a version with records of each kind; version 0 makes no file.
func layFilled(t *testing.T, path string, version int64) {
	t.Helper()
	if version == 0 {
		return
	}
	s := open(t, path)
	insert(t, s, admin(), master(2))
	for n := range int64(3) {
		put(t, s, fixture.Trial(master(2), 10+n))
	}
	putKey(t, s, 2)
	must(t, s.Close())
}

// upgrade upgrades a file to the later version.
func upgrade(t *testing.T, path string) {
	t.Helper()
	must(t, openLater(t, path).Close())
}

// openLater opens a file as a store of the later version.
func openLater(t *testing.T, path string) *sqlitestore.Store {
	t.Helper()
	s, err := later().Open(t.Context(), path, quiet)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// contentIn returns the whole content of a file in the later version, including the schema.
func contentIn(t *testing.T, path string) map[string]string {
	t.Helper()
	s := openLater(t, path)
	expect.DeepEqual(t, derived(t, s), nil)
	content := contents(t, s)
	must(t, s.Close())
	return content
}

// TestAMigrationIsInterrupted interrupts each step of an upgrade to a later version, or of the making of a new file:
// the process is killed, the step fails, or the disk is full from there on. The file then has the complete schema of
// one version and all of its records, and the next Open continues.
func TestAMigrationIsInterrupted(t *testing.T) {
	t.Parallel()
	inFull(t)
	for version := range int64(2) {
		t.Run(fmt.Sprint("from ", version), func(t *testing.T) {
			t.Parallel()
			laid := t.TempDir()
			layFilled(t, filepath.Join(laid, "store.db"), version)
			start := func(t *testing.T, folder string, at int, f interrupt.Fault) interrupt.Run {
				t.Helper()
				return interrupt.Start(t, folder, at, f, []string{interruptedFile + "=" + filepath.Join(folder, "store.db")},
					os.Args[0], "-test.run=^TestProgram$")
			}
			copied := func(t *testing.T, from string) string {
				t.Helper()
				to := t.TempDir()
				must(t, os.CopyFS(to, os.DirFS(from)))
				return to
			}
			folder := copied(t, laid)
			sound := start(t, folder, 1, interrupt.None)
			expect.DeepEqual(t, sound.Status, 0, "%v", sound.Output)
			want := contentIn(t, filepath.Join(folder, "store.db"))
			stride := *everyNth
			if stride == 0 {
				stride = max(1, len(sound.Steps)/2)
			}
			tried := 0
			for _, fault := range interrupt.Faults {
				for at := 1; at <= len(sound.Steps); at += stride {
					tried++
					t.Run(fmt.Sprintf("%s/%d", fault, at), func(t *testing.T) {
						t.Parallel()
						folder := copied(t, laid)
						got := start(t, folder, at, fault)
						about := fmt.Sprintf("%s at step %d: status %d, %s", fault, at, got.Status, got.Output)
						// Only the next Open can read the files that a killed process has left beside the file.
						a, err := later().OpenReadOnly(filepath.Join(copied(t, folder), "store.db"))
						switch {
						case err == nil:
							must(t, a.Close())
						case version == 0, got.Status != 0 && errors.Is(err, schema.ErrOlder):
						default:
							expect.Error(t, err, archive.ErrLeftOver, "%v", about)
						}
						expect.DeepEqual(t, contentIn(t, filepath.Join(folder, "store.db")), want, "%v", about)
					})
				}
			}
			t.Logf("%d steps, interrupted %d times", len(sound.Steps), tried)
		})
	}
}
