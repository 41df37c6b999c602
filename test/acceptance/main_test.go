// Package acceptance tests the whole program as its users run it: the built binary, a free port, HTTP. It checks every
// exchange against the OpenAPI document, on every storage.
package acceptance

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"resellerd/test/mongotest"
	"resellerd/test/program"
	"resellerd/test/ramdisk"
)

var (
	binary string // the program
	root   string // folder that tests share
)

// TestMain runs eight tests at a time at least, however few the cores, as they wait for the program more than they
// compute. A -parallel on the command line is read later and counts.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	ramdisk.Use(1 << 30)
	os.Exit(mongotest.Main(suite{m}))
}

// suite is the tests with the program. The last of the databases are dropped after it.
type suite struct{ *testing.M }

// Run implements mongotest.Suite.
func (s suite) Run() int {
	var err error
	if root, err = os.MkdirTemp("", "resellerd-acceptance-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(root)
	if binary, err = program.Binary(program.CheapPasswords, program.QuickSettling); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer program.Clean()
	return s.M.Run()
}

// store is a storage that the program supports. Another storage is one more row.
type store struct {
	name    string
	address func(dir string) string // value of RESELLERD_STORE

	// settings returns the additional settings of a server in the folder; nil for none.
	settings func(dir string) map[string]string
	// available skips a test where the storage is not available, and discard removes the records that a server has
	// outside of its folder. They are nil where a folder is enough.
	available func(t testing.TB)
	discard   func(dir string) error

	// left is all that a stopped server left; nil where it can't be reached.
	left func(dir string) records
}

var (
	memory = store{name: "memory", address: func(string) string { return "memory:" }}
	sqlite = store{
		name:    "sqlite",
		address: func(dir string) string { return "sqlite:" + database(dir) },
		left:    func(dir string) records { return sqliteRecords{dir} },
	}
	mongodb = store{
		name:    "mongodb",
		address: func(dir string) string { return mongoDatabaseOf(dir).uri },
		settings: func(dir string) map[string]string {
			return map[string]string{"RESELLERD_SECRET": mongoDatabaseOf(dir).secret}
		},
		available: mongotest.Available,
		discard:   discardMongoDB,
		left:      func(dir string) records { return mongoRecords{dir} },
	}
)

func database(dir string) string { return filepath.Join(dir, "resellerd.db") }

// forEachDurableStore runs a test on every storage that outlives the process.
func forEachDurableStore(t *testing.T, test func(t *testing.T, s store)) {
	t.Parallel()
	for _, s := range []store{sqlite, mongodb} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if s.available != nil {
				s.available(t)
			}
			test(t, s)
		})
	}
}
