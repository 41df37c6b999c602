package internals

import "errors"

// Defensive is the parameter of a connection on which no statement may write to the schema by itself. SQLite asks for it
// when it opens the connection: zombiezen.com/go/sqlite has a call for it that gives SQLite no address to answer to, so
// that the answer is written anywhere.
const Defensive = "defensive"

// ErrIndexGone says so of a file that another process has open.
var ErrIndexGone = errors.New("another process has the file open, and the index beside it (-shm) was removed: " +
	"have that process answer a request, such as GET /readyz, by which it makes the index anew, or end it; then repeat the command")

// Version names a state of the file: the head of the index of the WAL, which every commit of any process changes. It is
// zero where it is not known.
type Version [12]uint32

// Follows reports whether exactly one commit lies between two versions: the third word counts them.
func (v Version) Follows(before Version) bool { return v[2] == before[2]+1 }

// Forget says that nothing is mapped any more.
func (x *Index) Forget() { *x = Index{} }

// Tell has the version told that stands there, nil for none: everything is read then.
func (x *Index) Tell(head *Version) { x.head = head }
