//go:build linux && !plain

package internals

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestTheDriverIsAsItWas does what this package does with the internals of the driver, and sees that it has the effect. It
// is what an upgrade of the driver has to pass first; then the versions below are written again.
func TestTheDriverIsAsItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.db")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	open := func(how url.Values) *sqlite.Conn {
		t.Helper()
		c, err := sqlite.OpenConn("file:"+path+"?"+how.Encode(), sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
		must(err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	run := func(c *sqlite.Conn, statements ...string) {
		t.Helper()
		for _, statement := range statements {
			must(sqlitex.ExecuteTransient(c, statement, nil))
		}
	}

	t.Run("the WAL is written at once", func(t *testing.T) {
		how, err := Gathering()
		must(err)
		writer := open(how)
		run(writer, "PRAGMA journal_mode = wal", "PRAGMA synchronous = full", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
		flushes, size := 0, int64(0)
		Fdatasync = func(fd int) error {
			flushes++
			var now syscall.Stat_t
			must(syscall.Fstat(fd, &now))
			size = now.Size
			return syscall.Fdatasync(fd)
		}
		defer func() { Fdatasync = syscall.Fdatasync }()
		run(writer, "INSERT INTO t VALUES (2)")
		log, err := os.Stat(path + "-wal")
		must(err)
		if flushes != 1 || size != log.Size() {
			t.Errorf("a commit is flushed %d times, and the WAL has %d bytes of %d by then", flushes, size, log.Size())
		}
	})

	t.Run("the version of the file is told", func(t *testing.T) {
		var reader *sqlite.Conn
		var x Index
		must(x.Follow(path, func(how url.Values) error {
			reader = open(how)
			return sqlitex.ExecuteTransient(reader, "SELECT count(*) FROM t", nil)
		}))
		before := x.Version()
		if before == (Version{}) {
			t.Fatal("it is not known")
		}
		run(open(nil), "INSERT INTO t VALUES (3)")
		if now := x.Version(); !now.Follows(before) || now == before {
			t.Errorf("after a commit it is %v, and was %v", now, before)
		}
		must(x.InPlace())
		must(Alone(path, func(how url.Values) error { open(how); return nil }))
		must(os.Rename(path+"-shm", path+"-gone"))
		if x.InPlace() == nil {
			t.Error("nobody notices that the index is gone")
		}
		must(os.Rename(path+"-gone", path+"-shm"))
	})

	t.Run("its versions", func(t *testing.T) {
		// Those with which all that proves the store has passed: test/disk, the WAL's damage, make kills.
		proven := map[string]string{"zombiezen.com/go/sqlite": "v1.4.2", "modernc.org/sqlite": "v1.60.1", "modernc.org/libc": "v1.77.1"}
		required, err := os.ReadFile("../../../go.mod")
		must(err)
		for module, version := range proven {
			if !strings.Contains(string(required), "\t"+module+" "+version+"\n") {
				t.Errorf("go.mod does not require %s %s any more: run what proves the store, and write here what it requires", module, version)
			}
		}
	})
}
