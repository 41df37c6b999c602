package disk

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// kind is the kind of a call. The set is closed.
type kind int

const (
	created kind = iota
	written
	truncated
	flushed
	deleted
	reading
	mapping // of the index of the WAL, which takes room on the disk
)

// String names the kind in a report.
func (k kind) String() string {
	return [...]string{"creation", "write", "truncation", "flush", "deletion", "read", "mapping"}[k]
}

// call is a call on a file of a folder that is watched.
type call struct {
	kind   kind
	name   string // of the file, without the folder
	offset int64
	data   []byte // that is written; a watcher that stores it has to copy it
	size   int64  // to which it is truncated
	folder bool   // a flush or a deletion has the folder flushed as well
	lost   bool   // a flush that failed: writes before it never reach the disk, even if a later flush succeeds
}

// watcher observes the calls in a folder, one at a time.
type watcher interface {
	// before runs before a call. Where it returns a code other than SQLITE_OK, the call fails with that code. A write
	// that fails still writes the first written bytes.
	before(c call) (code int32, written int)
	// after runs after a call that has changed something.
	after(c call)
}

// watched is a folder and its watcher.
type watched struct {
	sync.Mutex
	watcher
}

// openFile is a file of a folder that is watched.
type openFile struct {
	*watched
	name  string
	inner *sqlite3.Tsqlite3_io_methods
}

// vfs has the parts of the VFS. SQLite stores their addresses.
var vfs struct {
	sync.RWMutex
	inner   uintptr // SQLite's own VFS
	own     sqlite3.Tsqlite3_vfs
	name    [len(vfsName) + 1]byte
	methods map[uintptr]*sqlite3.Tsqlite3_io_methods // by those of SQLite's own
	files   map[uintptr]*openFile
	folders map[string]*watched
}

const vfsName = "watched"

// register makes the VFS the default one, before the store looks for that.
var register = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	if sqlite3.Xsqlite3_initialize(tls) != sqlite3.SQLITE_OK {
		return errors.New("the database engine does not start")
	}
	vfs.inner = sqlite3.Xsqlite3_vfs_find(tls, 0)
	vfs.methods, vfs.files, vfs.folders = map[uintptr]*sqlite3.Tsqlite3_io_methods{}, map[uintptr]*openFile{},
		map[string]*watched{}
	copy(vfs.name[:], vfsName)
	vfs.own = *at[sqlite3.Tsqlite3_vfs](vfs.inner)
	vfs.own.FzName, vfs.own.FxOpen, vfs.own.FxDelete = addressOf(&vfs.name), callback(onOpen), callback(onDelete)
	if sqlite3.Xsqlite3_vfs_register(tls, addressOf(&vfs.own), 1) != sqlite3.SQLITE_OK {
		return errors.New("the database engine does not take a VFS")
	}
	return nil
})

// watch has the files of a folder watched, until stop is called.
func watch(folder string, w watcher) (stop func(), err error) {
	if err := register(); err != nil {
		return nil, err
	}
	folder, err = filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	vfs.Lock()
	defer vfs.Unlock()
	vfs.folders[folder] = &watched{watcher: w}
	return func() {
		vfs.Lock()
		defer vfs.Unlock()
		delete(vfs.folders, folder)
	}, nil
}

// C code knows functions and records by address only. The addresses here are those in SQLite's own memory, or of values
// that live as long as the process.

func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

func addressOf[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) }

// function returns the function behind a C pointer, and callback such a pointer to a function that is no closure.
func function[F any](pointer uintptr) F { return *(*F)(unsafe.Pointer(&pointer)) }

func callback[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

type (
	openFunc   = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	deleteFunc = func(tls *libc.TLS, vfs, name uintptr, folder int32) int32
	closeFunc  = func(tls *libc.TLS, file uintptr) int32
	rangeFunc  = func(tls *libc.TLS, file, buffer uintptr, length int32, offset int64) int32
	sizeFunc   = func(tls *libc.TLS, file uintptr, size int64) int32
	syncFunc   = func(tls *libc.TLS, file uintptr, flags int32) int32
	mapFunc    = func(tls *libc.TLS, file uintptr, region, size, extend int32, address uintptr) int32
)

// folderOf returns the watched folder of a file, nil where its folder is not watched.
func folderOf(name uintptr) (w *watched, path string) {
	if name == 0 {
		return nil, "" // a temporary file
	}
	path = libc.GoString(name)
	vfs.RLock()
	defer vfs.RUnlock()
	return vfs.folders[filepath.Dir(path)], path
}

// do makes a call unless it is to fail.
func (w *watched) do(c call, made func() int32) int32 {
	w.Lock()
	defer w.Unlock()
	if code, _ := w.before(c); code != sqlite3.SQLITE_OK {
		return code
	}
	code := made()
	if code == sqlite3.SQLITE_OK {
		w.after(c)
	}
	return code
}

// refused returns the code of a call that is to fail and changes nothing.
func (w *watched) refused(c call) int32 {
	w.Lock()
	defer w.Unlock()
	code, _ := w.before(c)
	return code
}

func onOpen(tls *libc.TLS, _, name, file uintptr, flags int32, outFlags uintptr) int32 {
	open := func() int32 {
		return function[openFunc](at[sqlite3.Tsqlite3_vfs](vfs.inner).FxOpen)(tls, vfs.inner, name, file, flags, outFlags)
	}
	w, path := folderOf(name)
	if w == nil {
		return open()
	}
	var code int32
	if _, err := os.Lstat(path); err != nil && flags&sqlite3.SQLITE_OPEN_CREATE != 0 {
		code = w.do(call{kind: created, name: filepath.Base(path)}, open)
	} else {
		code = open()
	}
	if code != sqlite3.SQLITE_OK {
		return code
	}
	opened := at[sqlite3.Tsqlite3_file](file)
	vfs.Lock()
	defer vfs.Unlock()
	inner := at[sqlite3.Tsqlite3_io_methods](opened.FpMethods)
	own := vfs.methods[opened.FpMethods]
	if own == nil {
		own = new(*inner)
		own.FxClose, own.FxRead, own.FxWrite = callback(onClose), callback(onRead), callback(onWrite)
		own.FxTruncate, own.FxSync, own.FxShmMap = callback(onTruncate), callback(onSync), callback(onMap)
		vfs.methods[opened.FpMethods] = own
	}
	vfs.files[file] = &openFile{w, filepath.Base(path), inner}
	opened.FpMethods = addressOf(own)
	return sqlite3.SQLITE_OK
}

func onDelete(tls *libc.TLS, _, name uintptr, folder int32) int32 {
	remove := func() int32 {
		return function[deleteFunc](at[sqlite3.Tsqlite3_vfs](vfs.inner).FxDelete)(tls, vfs.inner, name, folder)
	}
	w, path := folderOf(name)
	if w == nil {
		return remove()
	}
	return w.do(call{kind: deleted, name: filepath.Base(path), folder: folder != 0}, remove)
}

func fileAt(file uintptr) *openFile {
	vfs.RLock()
	defer vfs.RUnlock()
	return vfs.files[file]
}

func onClose(tls *libc.TLS, file uintptr) int32 {
	f := fileAt(file)
	vfs.Lock()
	delete(vfs.files, file)
	vfs.Unlock()
	return function[closeFunc](f.inner.FxClose)(tls, file)
}

func onRead(tls *libc.TLS, file, buffer uintptr, length int32, offset int64) int32 {
	f := fileAt(file)
	if refused := f.refused(call{kind: reading, name: f.name, offset: offset}); refused != sqlite3.SQLITE_OK {
		return refused
	}
	return function[rangeFunc](f.inner.FxRead)(tls, file, buffer, length, offset)
}

func onWrite(tls *libc.TLS, file, buffer uintptr, length int32, offset int64) int32 {
	f := fileAt(file)
	write := function[rangeFunc](f.inner.FxWrite)
	c := call{kind: written, name: f.name, offset: offset, data: unsafe.Slice(at[byte](buffer), length)}
	f.Lock()
	defer f.Unlock()
	refused, part := f.before(c)
	if refused != sqlite3.SQLITE_OK && part == 0 {
		return refused
	}
	if refused != sqlite3.SQLITE_OK {
		length, c.data = int32(part), c.data[:part]
	}
	code := write(tls, file, buffer, length, offset)
	if code == sqlite3.SQLITE_OK {
		f.after(c)
		code = refused
	}
	return code
}

func onTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	f := fileAt(file)
	return f.do(call{kind: truncated, name: f.name, size: size}, func() int32 {
		return function[sizeFunc](f.inner.FxTruncate)(tls, file, size)
	})
}

// onSync reads from SQLite's own record of the file whether to flush the folder as well. SQLite flushes it at the first
// flush of a file that it has created.
func onSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	f := fileAt(file)
	folder := at[sqlite3.TunixFile](file).FctrlFlags&sqlite3.UNIXFILE_DIRSYNC != 0
	return f.do(call{kind: flushed, name: f.name, folder: folder}, func() int32 {
		return function[syncFunc](f.inner.FxSync)(tls, file, flags)
	})
}

func onMap(tls *libc.TLS, file uintptr, region, size, extend int32, address uintptr) int32 {
	f := fileAt(file)
	refused := f.refused(call{kind: mapping, name: f.name, offset: int64(region) * int64(size)})
	if refused != sqlite3.SQLITE_OK && extend != 0 {
		*at[uintptr](address) = 0
		return refused
	}
	return function[mapFunc](f.inner.FxShmMap)(tls, file, region, size, extend, address)
}
