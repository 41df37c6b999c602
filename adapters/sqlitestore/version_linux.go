package sqlitestore

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"resellerd/adapters/storekit"
)

// Processes that use one file share the index of its WAL: memory, at whose head SQLite
// writes a new version of the file after each commit. SQLite maps it at its first read, and
// keeps it there as long as a connection of this process is open. The version is read there
// by itself, without SQLite: a lock, and a question to the engine, would cost more than what
// is read.

const (
	indexVFS = "resellerd-index"
	// indexFormat is that of an index whose head is a version.
	indexFormat = 3007000
)

// index is what it takes to find the index of a WAL: a VFS that is SQLite's own, and tells
// what it opens.
var index struct {
	sync.Mutex // who opens a connection
	vfs        sqlite3.Tsqlite3_vfs
	name       [len(indexVFS) + 1]byte
	database   uintptr // the file that was opened last, an address of SQLite's
	head       uintptr
}

var indexRegistered = sync.OnceValue(func() error {
	copy(index.name[:], indexVFS)
	return register(&index.vfs, addressOf(&index.name), callback(openDatabase))
})

func openDatabase(tls *libc.TLS, _, name, opened uintptr, flags int32, outFlags uintptr) int32 {
	code := openInner(tls, name, opened, flags, outFlags)
	if code == sqlite3.SQLITE_OK && flags&sqlite3.SQLITE_OPEN_MAIN_DB != 0 {
		index.database = opened
	}
	return code
}

// file tells the version of a file, and whether the index of its WAL is still the one that is mapped: a process that comes
// when that was removed makes another, and the two know nothing of each other.
type file struct {
	head        *version
	path        string // of the index
	device, ino uint64 // of the one that is mapped, 0 where none is
}

// follow opens a connection that reads, and has the version of its file told as long as it
// is open.
func (f *file) follow(path string) (*reader, error) {
	if err := indexRegistered(); err != nil {
		return nil, err
	}
	itself, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	index.Lock()
	defer index.Unlock()
	index.database, index.head = 0, 0
	r, err := openReader(path, url.Values{"vfs": {indexVFS}})
	if err != nil {
		return nil, err
	}
	if err := r.ask("SELECT count(*) FROM sqlite_schema", func(*row) {}); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	// By the descriptor that SQLite has of it, and no other: to close one would drop its locks.
	var mapped syscall.Stat_t
	shm := at[sqlite3.TunixShm](at[sqlite3.TunixFile](index.database).FpShm)
	if err := syscall.Fstat(int(at[sqlite3.TunixShmNode](shm.FpShmNode).FhShm), &mapped); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	f.path, f.device, f.ino = itself+"-shm", mapped.Dev, mapped.Ino
	tls := libc.NewTLS()
	defer tls.Close()
	const first, size, extend = 0, 32 << 10, 0 // of the parts that the index consists of
	methods := at[sqlite3.Tsqlite3_io_methods](at[sqlite3.Tsqlite3_file](index.database).FpMethods)
	code := function[mapFunc](methods.FxShmMap)(tls, index.database, first, size, extend, addressOf(&index.head))
	if code != sqlite3.SQLITE_OK || index.head == 0 {
		return r, nil
	}
	if head := at[version](index.head); head[0] == indexFormat {
		f.head = head
	}
	return r, nil
}

type mapFunc = func(tls *libc.TLS, database uintptr, region, size, extend int32, head uintptr) int32

// openAlone opens a connection that writes, the first that this process has to the file at path. Where another process
// has the file open, and there is no index of the WAL, its index was removed: what this one did by another would be lost.
// Such a process finds that with its next command, and makes it anew.
func openAlone(path string) (*connection, error) {
	if err := indexRegistered(); err != nil {
		return nil, err
	}
	itself, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	index.Lock()
	c, err := connect(path, mode("rw", url.Values{"vfs": {indexVFS}}))
	database := index.database
	index.Unlock()
	if err != nil {
		return nil, err
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(itself + "-shm"); !errors.Is(err, fs.ErrNotExist) {
			return c, nil
		}
		// Of connections of this process, which share its index, the system does not tell.
		lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: firstShared, Len: allShared}
		if err := syscall.FcntlFlock(uintptr(at[sqlite3.TunixFile](database).Fh), syscall.F_GETLK, &lock); err != nil { //nolint:gosec // a descriptor is not negative
			return nil, errors.Join(err, c.Close())
		}
		if lock.Type == syscall.F_UNLCK {
			return c, nil
		}
		if time.Since(began) > indexTimeout {
			return nil, errors.Join(ErrIndexGone, c.Close())
		}
	}
}

// The bytes that whoever has a file open has locked, https://sqlite.org/lockingv3.html.
const (
	firstShared = 0x40000002
	allShared   = 510
)

// indexTimeout is how long a process waits for another one that makes an index. Tests shorten it.
var indexTimeout = busyTimeout

// forget says that nothing is mapped any more.
func (f *file) forget() { *f = file{} }

// inPlace returns an error where the index was removed or replaced, or none is mapped.
func (f *file) inPlace() error {
	var now syscall.Stat_t
	err := errNoIndex
	if f.ino != 0 {
		if err = syscall.Stat(f.path, &now); err == nil && (now.Dev != f.device || now.Ino != f.ino) {
			err = errReplaced
		}
	}
	if err != nil {
		return storekit.Unavailable("look for the index of the log beside the file (-shm)", err)
	}
	return nil
}

var errNoIndex = errors.New("there is none")

// version returns the present version. It is zero where the file is not followed.
func (f *file) version() (v version) {
	if f.head == nil {
		return v
	}
	for i := range v {
		v[i] = atomic.LoadUint32(&f.head[i])
	}
	return v
}

// free says how much room a folder has.
func free(folder string) string {
	var found syscall.Statfs_t
	if syscall.Statfs(folder, &found) != nil {
		return ""
	}
	return fmt.Sprintf(" (%d KiB are free)", int64(found.Bavail)*found.Bsize>>10) //nolint:gosec // no disk is so large
}
