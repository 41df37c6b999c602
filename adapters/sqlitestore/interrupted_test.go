package sqlitestore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"resellerd/adapters/sqlitestore"
	"resellerd/adapters/sqlitestore/archive"
	"resellerd/adapters/sqlitestore/schema"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/interrupt"
)

// everyNth is 1 for the long form, which leaves none out.
var everyNth = flag.Int("interrupt.every", 0, "interrupt a migration at every nth of its steps; 0: at a few")

const (
	interruptedFile = "RESELLERD_TEST_INTERRUPTED_FILE"
	interruptedGate = "RESELLERD_TEST_INTERRUPTED_GATE" // set: not before the standard input ends
)

// TestProgram opens a store of a later version and closes it, where a test runs this binary for it, and does nothing
// otherwise.
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

// layFilled makes a file of a version with records of each kind, 0 for none.
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
	if version > 1 {
		upgrade(t, path)
	}
}

// upgrade brings a file to the later version.
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

// schemaIn is the schema of a file: its version, and the text of each part.
func schemaIn(t *testing.T, path string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	must(t, err)
	defer func() { must(t, c.Close()) }()
	var b strings.Builder
	line := func(st *sqlite.Stmt) error {
		fmt.Fprintln(&b, st.ColumnText(0))
		return nil
	}
	must(t, sqlitex.ExecuteTransient(c,
		"SELECT coalesce(sql, name) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
		&sqlitex.ExecOptions{ResultFunc: line}))
	if b.Len() > 0 {
		must(t, sqlitex.ExecuteTransient(c, "PRAGMA user_version", &sqlitex.ExecOptions{ResultFunc: line}))
	}
	return b.String()
}

// recordsIn is all that a file of the later version has recorded.
func recordsIn(t *testing.T, path string) string {
	t.Helper()
	a, err := later().OpenReadOnly(path)
	must(t, err)
	defer func() { must(t, a.Close()) }()
	var b strings.Builder
	must(t, a.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		resellers, err1 := r.Resellers(ctx, 0, 100)
		lines, err2 := r.Lines(ctx, 0, 100)
		keys, err3 := r.KeyRecords(ctx, 0, "", 100)
		for _, found := range resellers {
			fmt.Fprintf(&b, "%d %+v %v\n", found.ID, found.Record.State(), found.Damage)
		}
		for _, found := range lines {
			fmt.Fprintf(&b, "%d %+v %v\n", found.ID, found.Record.State(), found.Damage)
		}
		for _, k := range keys {
			fmt.Fprintf(&b, "%+v\n", k)
		}
		return errors.Join(err1, err2, err3, r.Derived(ctx, func(finding string) { t.Error(finding) }))
	}))
	return b.String()
}

// TestAMigrationIsInterrupted at each step at which a file is brought to a later version, or a new one is made:
// it is killed there, the step fails, or the disk is full from there on. The file has the schema of one version, whole,
// and all of its records, and the next Open goes on.
func TestAMigrationIsInterrupted(t *testing.T) {
	t.Parallel()
	inFull(t)
	schemas := map[string]bool{"": true}
	for version := int64(1); version <= 2; version++ {
		path := newPath(t)
		layFilled(t, path, version)
		schemas[schemaIn(t, path)] = true
	}
	for version := range int64(2) {
		t.Run(fmt.Sprint("from ", version), func(t *testing.T) {
			t.Parallel()
			laid := t.TempDir()
			layFilled(t, filepath.Join(laid, "store.db"), version)
			run := func(t *testing.T, folder string, at int, f interrupt.Fault) interrupt.Run {
				t.Helper()
				environment := []string{interruptedFile + "=" + filepath.Join(folder, "store.db")}
				if at == 0 {
					return interrupt.Whole(t, environment, os.Args[0], "-test.run=^TestProgram$")
				}
				return interrupt.Start(t, folder, at, f, environment, os.Args[0], "-test.run=^TestProgram$")
			}
			copied := func(t *testing.T, from string) string {
				t.Helper()
				to := t.TempDir()
				must(t, os.CopyFS(to, os.DirFS(from)))
				return to
			}
			folder := copied(t, laid)
			sound := run(t, folder, 1, interrupt.None)
			expect.DeepEqual(t, sound.Status, 0, "%v", sound.Output)
			want, upgraded := recordsIn(t, filepath.Join(folder, "store.db")), schemaIn(t, filepath.Join(folder, "store.db"))
			if version > 0 && strings.Count(want, "\n") != 2+3+1 {
				t.Fatalf("the records are\n%s", want)
			}
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
						got := run(t, folder, at, fault)
						about := fmt.Sprintf("%s at step %d: status %d, %s", fault, at, got.Status, got.Output)
						looked := filepath.Join(copied(t, folder), "store.db")
						if found := schemaIn(t, looked); !schemas[found] || got.Status == 0 && found != upgraded {
							t.Errorf("%s\nthe schema is\n%s", about, found)
						}
						if version > 0 {
							// What a killed process has left beside the file only the next Open can read.
							a, err := later().OpenReadOnly(filepath.Join(copied(t, folder), "store.db"))
							switch {
							case err == nil:
								must(t, a.Close())
							case errors.Is(err, schema.ErrOlder):
							default:
								expect.Error(t, err, archive.ErrLeftOver, "%v", about)
							}
							upgrade(t, looked)
							expect.DeepEqual(t, recordsIn(t, looked), want, "%v", about)
						}
						again := run(t, folder, 0, interrupt.None)
						expect.DeepEqual(t, again.Status, 0, "%v %v", about, again.Output)
						expect.DeepEqual(t, recordsIn(t, filepath.Join(folder, "store.db")), want, "%v", about)
						expect.DeepEqual(t, schemaIn(t, filepath.Join(folder, "store.db")), upgraded, "%v", about)
					})
				}
			}
			t.Logf("%d steps, interrupted %d times", len(sound.Steps), tried)
		})
	}
}
