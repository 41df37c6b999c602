// Package lease implements a lease: one process at a time does background work. No clocks are compared, because the
// clocks of two processes may differ. A process that wants the lease asks its holder whether it still works. It takes
// the lease if no answer comes within a time that it measures itself. A single process writes nothing.
package lease

import "time"

const (
	// Patience is how long a process that asked waits for an answer. The holder looks for questions more often.
	Patience = 3 * time.Second
	// Look is how often the holder, and who waits, look at the lease.
	Look = time.Second
)

// Lease is who holds it. It is a value: a change is made to a copy.
type Lease struct {
	Name     string
	Holder   string // a name that a process made for itself, "" for none
	Asked    int64  // how often a holder was asked
	Answered int64  // the last of these questions that a holder answered
}

// Open reports whether a question is not answered yet.
func (l Lease) Open() bool { return l.Asked > l.Answered }

// Ask asks the holder, unless a question is open already.
func (l Lease) Ask() (asked Lease, changed bool) {
	if l.Open() {
		return l, false
	}
	l.Asked++
	return l, true
}

// Answer answers an open question.
func (l Lease) Answer() (answered Lease, changed bool) {
	changed = l.Open()
	l.Answered = l.Asked
	return l, changed
}

// MayTake reports whether another process may take the lease that it saw like was, Patience ago: nobody holds it, or
// its holder has left the same question open.
func (l Lease) MayTake(was Lease) bool { return l.Holder == "" || l == was && l.Open() }

// Take gives the lease to a process.
func (l Lease) Take(by string) Lease {
	l.Holder, l.Answered = by, l.Asked
	return l
}

// Release gives up what a process holds.
func (l Lease) Release(by string) (released Lease, changed bool) {
	if l.Holder != by {
		return l, false
	}
	return l.Take(""), true
}
