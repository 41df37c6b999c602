// Package lease implements a lease: one process at a time does background work. No clocks are compared, because the
// clocks of two processes may differ. A process that wants the lease requests a confirmation from its holder. It takes
// the lease if no answer comes within a time that it measures itself. A single process writes nothing.
package lease

import "time"

const (
	// AnswerTimeout is how long a process waits for the answer to its request. The holder looks for requests more
	// often.
	AnswerTimeout = 3 * time.Second
	// PollInterval is how often the holder, and a process that waits for the lease, read it.
	PollInterval = time.Second
)

// Lease is a lease and its holder. It is a value: a change is made to a copy.
type Lease struct {
	Name     string
	Holder   string // a name that a process made for itself, "" without a holder
	Requests int64  // how many requests were made to holders
	Answered int64  // the last of these requests that a holder answered
}

// RequestPending reports whether the last request is not answered yet.
func (l Lease) RequestPending() bool { return l.Requests > l.Answered }

// Request requests a confirmation from the holder, unless a request is pending already.
func (l Lease) Request() (asked Lease, changed bool) {
	if l.RequestPending() {
		return l, false
	}
	l.Requests++
	return l, true
}

// Answer answers a pending request.
func (l Lease) Answer() (answered Lease, changed bool) {
	changed = l.RequestPending()
	l.Answered = l.Requests
	return l, changed
}

// MayTake reports whether another process may take the lease that it read as was, AnswerTimeout ago: no process holds
// it, or the holder has not answered the same request.
func (l Lease) MayTake(was Lease) bool { return l.Holder == "" || l == was && l.RequestPending() }

// Take gives the lease to a process.
func (l Lease) Take(by string) Lease {
	l.Holder, l.Answered = by, l.Requests
	return l
}

// Release ends the lease of a process.
func (l Lease) Release(by string) (released Lease, changed bool) {
	if l.Holder != by {
		return l, false
	}
	return l.Take(""), true
}
