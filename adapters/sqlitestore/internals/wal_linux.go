//go:build !plain

package internals

import (
	"errors"
	"net/url"
	"sync"
	"syscall"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite writes each page to the WAL by two system calls, and flushes the times of the file with the data. The writing
// connection has a VFS that differs from SQLite's own only in this: a commit is written at once, when it is flushed,
// and without the times. It is published to other connections after its flush, so that none looks for what is not
// written yet. Nothing but a commit may write to the WAL of such a connection (see engine.Durably): pages that a full
// cache had written before could be rolled back while they are pending, and would then overwrite what another process
// has committed in their place.

const (
	walVFS = "resellerd-wal"
	// mostPending is how much is written at once. SQLite's own VFS takes no more.
	mostPending = 128<<10 - 1
)

// wal holds the VFS, whose addresses SQLite keeps.
var wal struct {
	sync.Mutex
	vfs     sqlite3.Tsqlite3_vfs
	name    [len(walVFS) + 1]byte
	methods map[uintptr]*sqlite3.Tsqlite3_io_methods // by those of SQLite's own
	files   map[uintptr]*walFile
}

// walFile is a WAL that is open.
type walFile struct {
	inner   *sqlite3.Tsqlite3_io_methods
	pending []byte // is not written yet
	start   int64  // where it belongs
	flushed bool   // at least once, so that the folder's entry is on the disk
}

// walRegistered registers the VFS.
var walRegistered = sync.OnceValue(func() error {
	wal.methods, wal.files = map[uintptr]*sqlite3.Tsqlite3_io_methods{}, map[uintptr]*walFile{}
	copy(wal.name[:], walVFS)
	return register(&wal.vfs, addressOf(&wal.name), callback(openFile))
})

// innerVFS returns SQLite's own VFS.
var innerVFS = sync.OnceValue(func() uintptr {
	tls := libc.NewTLS()
	defer tls.Close()
	if sqlite3.Xsqlite3_initialize(tls) != sqlite3.SQLITE_OK {
		return 0
	}
	return sqlite3.Xsqlite3_vfs_find(tls, 0)
})

// register registers a VFS that is SQLite's own in all but its name and how it opens a file.
func register(vfs *sqlite3.Tsqlite3_vfs, name, open uintptr) error {
	inner := innerVFS()
	if inner == 0 {
		return errors.New("the database engine does not start")
	}
	*vfs = *at[sqlite3.Tsqlite3_vfs](inner)
	vfs.FzName, vfs.FxOpen = name, open
	tls := libc.NewTLS()
	defer tls.Close()
	if sqlite3.Xsqlite3_vfs_register(tls, addressOf(vfs), 0) != sqlite3.SQLITE_OK {
		return errors.New("the database engine does not take a VFS")
	}
	return nil
}

// openInner opens a file as SQLite does.
func openInner(tls *libc.TLS, name, file uintptr, flags int32, outFlags uintptr) int32 {
	inner := innerVFS()
	return function[openFunc](at[sqlite3.Tsqlite3_vfs](inner).FxOpen)(tls, inner, name, file, flags, outFlags)
}

// Gathering returns the parameters of a connection that writes to the WAL at once.
func Gathering() (url.Values, error) { return url.Values{"vfs": {walVFS}}, walRegistered() }

type (
	openFunc  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	closeFunc = func(tls *libc.TLS, file uintptr) int32
	rangeFunc = func(tls *libc.TLS, file, buffer uintptr, length int32, offset int64) int32
	sizeFunc  = func(tls *libc.TLS, file uintptr, size int64) int32
	syncFunc  = func(tls *libc.TLS, file uintptr, flags int32) int32
)

// openFile opens any file as SQLite does, and takes over a WAL.
func openFile(tls *libc.TLS, _, name, file uintptr, flags int32, outFlags uintptr) int32 {
	code := openInner(tls, name, file, flags, outFlags)
	if code != sqlite3.SQLITE_OK || flags&sqlite3.SQLITE_OPEN_WAL == 0 {
		return code
	}
	wal.Lock()
	defer wal.Unlock()
	opened := at[sqlite3.Tsqlite3_file](file)
	inner := at[sqlite3.Tsqlite3_io_methods](opened.FpMethods)
	ours := wal.methods[opened.FpMethods]
	if ours == nil {
		ours = new(*inner)
		ours.FxClose, ours.FxRead, ours.FxWrite = callback(closeWAL), callback(readWAL), callback(writeWAL)
		ours.FxTruncate, ours.FxSync = callback(truncateWAL), callback(syncWAL)
		wal.methods[opened.FpMethods] = ours
	}
	wal.files[file] = &walFile{inner: inner}
	opened.FpMethods = addressOf(ours)
	return sqlite3.SQLITE_OK
}

func walAt(file uintptr) *walFile {
	wal.Lock()
	defer wal.Unlock()
	return wal.files[file]
}

// write writes what is pending. If that fails, the commit fails: it is not retried.
func (w *walFile) write(tls *libc.TLS, file uintptr) int32 {
	if len(w.pending) == 0 {
		return sqlite3.SQLITE_OK
	}
	code := function[rangeFunc](w.inner.FxWrite)(tls, file, addressOf(&w.pending[0]), int32(len(w.pending)), w.start) //nolint:gosec // at most mostPending
	w.pending = w.pending[:0]
	return code
}

func writeWAL(tls *libc.TLS, file, buffer uintptr, length int32, offset int64) int32 {
	w := walAt(file)
	if offset != w.start+int64(len(w.pending)) || len(w.pending)+int(length) > mostPending {
		if code := w.write(tls, file); code != sqlite3.SQLITE_OK {
			return code
		}
	}
	if len(w.pending) == 0 {
		w.start = offset
	}
	w.pending = append(w.pending, bytesAt(buffer, length)...)
	return sqlite3.SQLITE_OK
}

func syncWAL(tls *libc.TLS, file uintptr, flags int32) int32 {
	w := walAt(file)
	if code := w.write(tls, file); code != sqlite3.SQLITE_OK {
		return code
	}
	if !w.flushed {
		code := function[syncFunc](w.inner.FxSync)(tls, file, flags)
		w.flushed = code == sqlite3.SQLITE_OK
		return code
	}
	for {
		err := Fdatasync(int(at[sqlite3.TunixFile](file).Fh))
		if err == nil {
			return sqlite3.SQLITE_OK
		}
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		// Another flush would prove nothing: Linux reports a failed write of a page once, and then takes it for
		// written.
		w.flushed = false
		return sqlite3.SQLITE_IOERR_FSYNC
	}
}

// Fdatasync flushes what was written to a file, and its size, to the disk. Tests make it fail.
var Fdatasync = syscall.Fdatasync

func readWAL(tls *libc.TLS, file, buffer uintptr, length int32, offset int64) int32 {
	w := walAt(file)
	if code := w.write(tls, file); code != sqlite3.SQLITE_OK {
		return code
	}
	return function[rangeFunc](w.inner.FxRead)(tls, file, buffer, length, offset)
}

func truncateWAL(tls *libc.TLS, file uintptr, size int64) int32 {
	w := walAt(file)
	if code := w.write(tls, file); code != sqlite3.SQLITE_OK { // of a commit that has failed
		return code
	}
	return function[sizeFunc](w.inner.FxTruncate)(tls, file, size)
}

func closeWAL(tls *libc.TLS, file uintptr) int32 {
	w := walAt(file) // what is pending belongs to no commit: that would have been flushed
	wal.Lock()
	delete(wal.files, file)
	wal.Unlock()
	return function[closeFunc](w.inner.FxClose)(tls, file)
}
