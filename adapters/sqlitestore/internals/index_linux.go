package internals

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Processes that use one file share the index of its WAL. It is memory in which SQLite writes a new version of the file
// after each commit, at its head. It remains mapped while a connection of this process is open. The version is read
// there without SQLite: a lock and a call of the engine would cost more than the read.

const (
	indexVFS    = "resellerd-index"
	indexFormat = 3007000 // of an index with this head
)

// index finds the index of a WAL with a VFS that wraps SQLite's own and records the files that it opens.
var index struct {
	sync.Mutex         // held while a connection is opened
	inner      uintptr // SQLite's own VFS
	vfs        sqlite3.Tsqlite3_vfs
	name       [len(indexVFS) + 1]byte
	database   uintptr // the file that was opened last, an address of SQLite's
	head       uintptr
}

var indexRegistered = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	if sqlite3.Xsqlite3_initialize(tls) != sqlite3.SQLITE_OK {
		return errors.New("the database engine does not start")
	}
	index.inner = sqlite3.Xsqlite3_vfs_find(tls, 0)
	index.vfs = *at[sqlite3.Tsqlite3_vfs](index.inner)
	copy(index.name[:], indexVFS)
	index.vfs.FzName, index.vfs.FxOpen = addressOf(&index.name), callback(openDatabase)
	if sqlite3.Xsqlite3_vfs_register(tls, addressOf(&index.vfs), 0) != sqlite3.SQLITE_OK {
		return errors.New("the database engine does not take a VFS")
	}
	return nil
})

// C code has only the addresses of functions and records. Addresses here refer to SQLite's own memory, or to objects
// that live as long as the process.

func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) } //nolint:gosec // see above

func addressOf[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) } //nolint:gosec // see above

// function converts a C pointer to a function, and callback converts a function that is no closure to a C pointer.
func function[F any](pointer uintptr) F { return *(*F)(unsafe.Pointer(&pointer)) } //nolint:gosec // see above

func callback[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) } //nolint:gosec // see above

type (
	openFunc = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	mapFunc  = func(tls *libc.TLS, database uintptr, region, size, extend int32, head uintptr) int32
)

func openDatabase(tls *libc.TLS, _, name, opened uintptr, flags int32, outFlags uintptr) int32 {
	open := function[openFunc](at[sqlite3.Tsqlite3_vfs](index.inner).FxOpen)
	code := open(tls, index.inner, name, opened, flags, outFlags)
	if code == sqlite3.SQLITE_OK && flags&sqlite3.SQLITE_OPEN_MAIN_DB != 0 {
		index.database = opened
	}
	return code
}

// Index is the index of the WAL of one file. It has the version of the file, and can be compared with the index on
// disk. If that one was removed, a new process creates another index, and the two processes do not coordinate.
type Index struct {
	head        *Version
	path        string
	device, ino uint64 // of the mapped index, 0 if none is mapped
}

// Follow calls open to open a connection with these parameters and read from it. It provides the versions of its file
// while the connection is open.
func (x *Index) Follow(path string, open func(how url.Values) error) error {
	if err := indexRegistered(); err != nil {
		return err
	}
	itself, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	index.Lock()
	defer index.Unlock()
	index.database, index.head = 0, 0
	if err := open(url.Values{"vfs": {indexVFS}}); err != nil {
		return err
	}
	// Use SQLite's own descriptor: closing another one would drop its locks.
	var mapped syscall.Stat_t
	shm := at[sqlite3.TunixShm](at[sqlite3.TunixFile](index.database).FpShm)
	if err := syscall.Fstat(int(at[sqlite3.TunixShmNode](shm.FpShmNode).FhShm), &mapped); err != nil {
		return err
	}
	x.path, x.device, x.ino = itself+"-shm", mapped.Dev, mapped.Ino
	tls := libc.NewTLS()
	defer tls.Close()
	const first, size, extend = 0, 32 << 10, 0 // of the regions of the index
	methods := at[sqlite3.Tsqlite3_io_methods](at[sqlite3.Tsqlite3_file](index.database).FpMethods)
	code := function[mapFunc](methods.FxShmMap)(tls, index.database, first, size, extend, addressOf(&index.head))
	if code != sqlite3.SQLITE_OK || index.head == 0 {
		return nil
	}
	if head := at[Version](index.head); head[0] == indexFormat {
		x.head = head
	}
	return nil
}

// Alone calls open to open a connection that writes, the first connection of this process to the file at path. Another
// process may have the file open without an index of the WAL and without the journal of an upgrade. Then the index was
// removed, and commits with a new one would be lost. That process recreates the index with its next command. Alone
// waits for it, and finally returns ErrIndexGone.
func Alone(path string, open func(how url.Values) error) error {
	if err := indexRegistered(); err != nil {
		return err
	}
	itself, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	index.Lock()
	err = open(url.Values{"vfs": {indexVFS}})
	database := index.database
	index.Unlock()
	if err != nil {
		return err
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		for _, suffix := range []string{"-shm", "-journal"} {
			if _, err := os.Stat(itself + suffix); !errors.Is(err, fs.ErrNotExist) {
				return nil
			}
		}
		// The system does not report locks of this process, whose connections share its index.
		lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: firstShared, Len: allShared}
		//nolint:gosec // a descriptor is not negative
		if err := syscall.FcntlFlock(uintptr(at[sqlite3.TunixFile](database).Fh), syscall.F_GETLK, &lock); err != nil {
			return err
		}
		if lock.Type == syscall.F_UNLCK {
			return nil
		}
		if time.Since(began) > IndexTimeout {
			return ErrIndexGone
		}
	}
}

// The bytes that every user of a file locks, https://sqlite.org/lockingv3.html.
const (
	firstShared = 0x40000002
	allShared   = 510
)

// IndexTimeout is how long a process waits for another one to create an index. Tests shorten it.
var IndexTimeout = 5 * time.Second

// InPlace returns an error if the index was removed or replaced, or none is mapped.
func (x *Index) InPlace() error {
	if x.ino == 0 {
		return errNoIndex
	}
	var now syscall.Stat_t
	err := syscall.Stat(x.path, &now)
	if err == nil && (now.Dev != x.device || now.Ino != x.ino) {
		err = errReplaced
	}
	return err
}

var errNoIndex, errReplaced = errors.New("there is none"), errors.New("it was replaced")
