package internals

import (
	"errors"
	"sync/atomic"
)

// ErrIndexGone refuses a file that another process has open without its index.
var ErrIndexGone = errors.New("another process has the file open, and the index beside it (-shm) was removed: " +
	"send that process a request, such as GET /readyz, which creates the index again, or stop it; then repeat the command")

// Version identifies a state of the file. It is the head of the index of the WAL, which every commit of any process
// changes. It is zero if unknown.
type Version [12]uint32

// Follows reports whether exactly one commit lies between two versions: the third word counts them.
func (v Version) Follows(before Version) bool { return v[2] == before[2]+1 }

// Forget drops the mapping of the index.
func (x *Index) Forget() { *x = Index{} }

// Watch sets the address of the version, nil for none: then every read uses SQLite.
func (x *Index) Watch(head *Version) { x.head = head }

// Version returns the present version. It is zero if the file is not followed.
func (x *Index) Version() (v Version) {
	if x.head == nil {
		return v
	}
	for i := range v {
		v[i] = atomic.LoadUint32(&x.head[i])
	}
	return v
}
