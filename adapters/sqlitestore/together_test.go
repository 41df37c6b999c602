package sqlitestore_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// upgradeRounds is 1,000 in the long form.
var upgradeRounds = flag.Int("upgrade.rounds", 0, "how often eight processes bring a file of each schema up to date at once; 0: of some, once")

// TestProcessesUpgradeAFileTogether has eight processes at once bring a file of each earlier schema up to date, or make a
// new one: each migration runs once, and nothing is lost by it.
func TestProcessesUpgradeAFileTogether(t *testing.T) {
	t.Parallel()
	inFull(t)
	const processes = 8
	laid := t.TempDir()
	known := versionsKnown(t)
	newest := known[len(known)-1]
	var schema string
	records := map[int64]string{}
	versions := append([]int64{0}, known...)
	if *upgradeRounds == 0 {
		versions = []int64{0, 1, 3, newest} // the most migrations at once, and those that are the most likely to meet
	}
	for _, version := range versions {
		file := filepath.Join(laid, fmt.Sprint(version))
		must(t, os.WriteFile(file, nil, 0o600))
		layFilled(t, file, version)
		alone := laidAgain(t, file)
		must(t, open(t, alone).Close())
		records[version] = recordsIn(t, alone)
		if schema = schemaIn(t, alone); version == newest {
			wantEqual(t, schema, schemaIn(t, file), "the newest schema, opened again")
		}
	}
	for round := range max(1, *upgradeRounds) {
		for version, want := range records {
			path := laidAgain(t, filepath.Join(laid, fmt.Sprint(version)))
			together(t, processes, path)
			about := fmt.Sprintf("round %d, from schema %d", round, version)
			wantEqual(t, versionsIn(t, path), known, about)
			wantEqual(t, schemaIn(t, path), schema, about)
			wantEqual(t, recordsIn(t, path), want, about)
			must(t, os.RemoveAll(filepath.Dir(path)))
		}
	}
}

// together has so many processes open the file at the same moment.
func together(t *testing.T, processes int, path string) {
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
	must(t, open.Close()) // whoever reads the other end goes on
	for _, p := range waiting {
		wantNone(t, p.Wait(), p.Stderr)
	}
}

// laidAgain returns a copy of a file in a folder of its own.
func laidAgain(t *testing.T, file string) (path string) {
	t.Helper()
	content, err := os.ReadFile(file)
	must(t, err)
	path = newPath(t)
	must(t, os.WriteFile(path, content, 0o600))
	return path
}

// versionsIn are the migrations that a file says were run, in their order.
func versionsIn(t *testing.T, path string) (run []int64) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	must(t, err)
	defer func() { must(t, c.Close()) }()
	must(t, sqlitex.ExecuteTransient(c, "SELECT version_id FROM goose_db_version WHERE version_id > 0 ORDER BY id", &sqlitex.ExecOptions{
		ResultFunc: func(st *sqlite.Stmt) error {
			run = append(run, st.ColumnInt64(0))
			return nil
		},
	}))
	return run
}

// TestAMigrationThatRanAgainIsRepaired opens files as earlier builds have left them where several brought one up to date
// at once: of all migrations the fourth alone does not fail when it runs again, and after the sixth it takes with it what
// that one has added.
func TestAMigrationThatRanAgainIsRepaired(t *testing.T) {
	t.Parallel()
	whole := newPath(t)
	layFilled(t, whole, 1)
	must(t, open(t, whole).Close())
	schema := schemaIn(t, whole)
	for _, version := range versionsKnown(t)[3:] {
		path := newPath(t)
		layFilled(t, path, version)
		want := recordsIn(t, laidAgain(t, path))
		again(t, path, 4)
		wantEqual(t, recordsIn(t, path), want, "read as it is, from schema", version)
		must(t, open(t, path).Close())
		wantEqual(t, recordsIn(t, path), want, "repaired, from schema", version)
		wantEqual(t, schemaIn(t, path), schema, "from schema", version)
		s := open(t, path)
		missing := number(t, s, "SELECT count(*) FROM idempotency WHERE checksum IS NULL")
		wantEqual(t, missing, 0, "answers without a checksum, from schema", version)
	}
}

// again runs a migration once more, as a process did that had read the version before others went on.
func again(t *testing.T, path string, version int64) {
	t.Helper()
	for name, file := range upTo(t, version, nil) {
		if strings.HasPrefix(name, fmt.Sprintf("%05d_", version)) {
			change(t, path, "BEGIN;\n"+string(file.Data)+fmt.Sprintf(";\nINSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, 1);\nCOMMIT", version))
		}
	}
}
