package sqlitestore_test

import (
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"resellerd/ports"
	"resellerd/test/expect"
)

// TestAnArchiveIsReadWhileItsIndexChanges opens and reads a store while another process writes the index of its WAL.
// That process is played by a lock of its own and by a byte of the index that changes for some milliseconds.
func TestAnArchiveIsReadWhileItsIndexChanges(t *testing.T) {
	t.Parallel()
	const (
		inUse = 128 // the byte that SQLite's processes lock while they have the index open
		count = 8   // of changes, in the first of two copies of the header
	)
	path := killedStore(t)
	index, err := os.OpenFile(path+"-shm", os.O_RDWR, 0)
	must(t, err)
	t.Cleanup(func() { _ = index.Close() })
	must(t, unix.FcntlFlock(index.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{
		Type: unix.F_RDLCK, Whence: io.SeekStart, Start: inUse, Len: 1}))
	sound := make([]byte, 1)
	_, err = index.ReadAt(sound, count)
	must(t, err)
	whileItChanges := func(read func()) {
		_, err := index.WriteAt([]byte{sound[0] + 1}, count)
		must(t, err)
		written := make(chan error)
		time.AfterFunc(5*time.Millisecond, func() {
			_, err := index.WriteAt(sound, count)
			written <- err
		})
		read()
		must(t, <-written)
	}
	var a ports.Archive
	whileItChanges(func() { a = openArchive(t, path) })
	whileItChanges(func() { expect.DeepEqual(t, resellersIn(t, a), 2, "accounts") })
}
