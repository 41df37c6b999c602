// Package heap keeps the memory of the process within bounds, by settings of Go's garbage collector.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// What lives is small as long as nobody asks for much: some MiB. Whatever may grow by what clients do has a bound in
// bytes, also where each of its records is as long as it may be, and together these are below Goal, which a test
// holds:
//
//	sqlitestore.MostCached    accounts and lines that were read
//	httpapi.MostUnderWay      pages from before they are read until they are written
//	httpapi.MostCounted       quotas of accounts and addresses
//	application.MostCounted   bytes that accounts had stored
//	loginlimit.MostRemembered failed logins
//	servicekey.MostVerified   tokens that were found good
//	telemetry.MostWaiting     spans that wait to be exported
//	logging.MostWaiting       lines of the log
//
// Beside it: what passwords are hashed in, bounded by the cores; what connections take, whose number is a setting, with
// the request that each sends, of 16 KiB and its body of 64 KiB; and SQLite's pages, outside of the heap, which are 2 MiB
// for each connection that reads, of which there is one for each core and four at least, and 4 MiB for that which writes.
const (
	// Goal is more than what caches and buffers hold together.
	Goal = 96 << 20
	// leastHeap is up to where the heap may grow in any case before garbage is collected, beside what passwords are
	// hashed in: a hash takes more memory than all else, and is garbage when it is made.
	leastHeap = 32 << 20
	// mostRoom is how much garbage there may be beside what lives, however much that is: what ten thousand slow
	// connections take is not to be there twice.
	mostRoom = 32 << 20
)

// Tune sets a GC percent above Go's own, as long as there is little garbage: to collect it more often would cost a tenth
// of every request. A soft limit then keeps the memory of passwords' hashes, which may take so many bytes at once, from
// adding up. The limit leaves as much room as the live heap takes, up to mostRoom: a fixed limit that the live heap
// exceeds would have the collector run all the time. GOGC and GOMEMLIMIT come first, and so does the first call.
func Tune(hashes int64) {
	tuned.Do(func() {
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(200)
		}
		if os.Getenv("GOMEMLIMIT") == "" {
			followHeap(hashes)
		}
	})
}

var tuned sync.Once

// followHeap sets the soft limit now, and after each collection. Hashes may take so many bytes at once.
func followHeap(hashes int64) {
	live, other := memory()
	debug.SetMemoryLimit(softLimit(live, other, hashes))
	collected := new(*int) // a pointer, since what has none may share its place with others
	runtime.AddCleanup(collected, followHeap, hashes)
}

// softLimit returns the limit for a heap of which so many bytes live, hashes among them, and what else the process has of
// the system.
func softLimit(live, other, hashes int64) int64 {
	return other + hashes + max(leastHeap, min(2*(live-hashes), live-hashes+mostRoom))
}

// memory returns what the last collection has found alive, and what Go has beside the heap, mostly stacks.
func memory() (live, other int64) {
	read := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(read)
	bytes := func(i int) int64 { return int64(read[i].Value.Uint64()) } //nolint:gosec // no machine has 8 EiB
	return bytes(0), bytes(1) - bytes(2) - bytes(3) - bytes(4) - bytes(5)
}
