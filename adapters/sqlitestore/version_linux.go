package sqlitestore

import (
	"errors"
	"net/url"
	"sync"
	"sync/atomic"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
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

// file tells the version of a file.
type file struct{ head *version }

// follow opens a connection that reads, and has the version of its file told as long as it
// is open.
func (f *file) follow(path string) (*reader, error) {
	if err := indexRegistered(); err != nil {
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
