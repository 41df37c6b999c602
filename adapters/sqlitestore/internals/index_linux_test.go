package internals

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"resellerd/test/require"

	"resellerd/test/expect"
)

// TestDriverInternalsAreUnchanged uses the internals of the driver like this package does, and checks the effect. An
// upgrade of the driver has to pass it first; then update the versions below.
func TestDriverInternalsAreUnchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.db")
	open := func(how url.Values, statement string) error {
		c, err := sqlite.OpenConn("file:"+path+"?"+how.Encode(), sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return sqlitex.ExecuteTransient(c, statement, nil)
	}
	run := func(statement string) { require.NoError(t, open(nil, statement)) }

	run("PRAGMA journal_mode = wal")
	run("CREATE TABLE t (x)")
	var x Index
	require.NoError(t, x.Follow(path, func(how url.Values) error { return open(how, "SELECT count(*) FROM t") }))
	before := x.Version()
	if before == (Version{}) {
		t.Fatal("the version of the file is not known")
	}
	run("INSERT INTO t VALUES (1)")
	if now := x.Version(); !now.Follows(before) || now == before {
		t.Errorf("after a commit the version is %v, and was %v", now, before)
	}
	require.NoError(t, x.InPlace())
	require.NoError(t, Alone(path, func(how url.Values) error { return open(how, "SELECT 1") }))
	require.NoError(t, os.Rename(path+"-shm", path+"-gone"))
	if x.InPlace() == nil {
		t.Error("InPlace does not notice that the index is gone")
	}
	require.NoError(t, os.Rename(path+"-gone", path+"-shm"))

	// The versions with which all tests of durability have passed: test/disk, the WAL's damage, make kills.
	required, err := os.ReadFile("../../../go.mod")
	require.NoError(t, err)
	for _, proven := range []string{
		"zombiezen.com/go/sqlite v1.4.2", "modernc.org/sqlite v1.60.1", "modernc.org/libc v1.77.1",
	} {
		expect.Contains(t, string(required), "\t"+proven+"\n",
			"go.mod requires another version: run what proves the store, and write here what it requires")
	}
}
