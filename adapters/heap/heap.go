// Package heap bounds the memory of the process with settings of Go's garbage collector.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// The live heap of an idle service is small: some MiB. Each part that clients can make grow has a bound in bytes, even
// with the longest records. A test checks that the sum of these bounds is below Goal:
//
//	sqlitestore.MostCached    accounts and lines that were read
//	httpapi.MostUnderWay      pages, from before the read until they are sent
//	httpapi.MostExported      exports, from the read until they are sent
//	httpapi.MostCounted       quotas of callers and addresses
//	application.MostCounted   free changes of callers
//	application.MostSelected  lines that bulk jobs select, a batch at a time
//	loginlimit.MostRemembered failed logins
//	servicekey.MostVerified   tokens that were found valid
//	telemetry.MostWaiting     spans that wait to be exported
//	logging.MostWaiting       lines of the log
//
// The memory of these is not in the sum:
//   - password hashes, bounded by the cores
//   - connections, whose number is a setting, with a request of 16 KiB and a body of 64 KiB each
//   - requests that wait for entries, at most 512 of 40 KB
//   - connections to receivers of webhooks, at most 832 in use with a header of 64 KiB each, and 64 idle
//   - SQLite's pages, outside of the heap: 2 MiB for each reading connection, one per core and at least four, and 4 MiB
//     for the writing one
const (
	// Goal is more than what caches and buffers hold together.
	Goal = 112 << 20
	// leastHeap is the size up to which the heap may always grow before garbage is collected, without password hashes.
	// A hash takes more memory than everything else, and is garbage once it is made.
	leastHeap = 32 << 20
	// mostRoom bounds the garbage beside the live heap: the memory of ten thousand slow connections must not double.
	mostRoom = 32 << 20
)

// Tune sets a GC percent above Go's own while there is little garbage: more frequent collection would cost a tenth of
// every request. A soft limit then prevents that the memory of password hashes, at most hashes bytes at once,
// accumulates. The limit leaves as much room as the live heap takes, up to mostRoom; with a fixed limit below the live
// heap the collector would run all the time. GOGC and GOMEMLIMIT have precedence. Only the first call has an effect.
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

// followHeap sets the soft limit now, and after each collection. Password hashes take at most hashes bytes at once.
func followHeap(hashes int64) {
	live, other := memory()
	debug.SetMemoryLimit(softLimit(live, other, hashes))
	collected := new(*int) // with a pointer, since a value without one may share its memory with others
	runtime.AddCleanup(collected, followHeap, hashes)
}

// softLimit returns the limit for a heap with this many live bytes, including hashes, and the process's other memory.
func softLimit(live, other, hashes int64) int64 {
	return other + hashes + max(leastHeap, min(2*(live-hashes), live-hashes+mostRoom))
}

// memory returns the live bytes of the last collection, and Go's memory outside of the heap, mostly stacks.
func memory() (live, other int64) {
	read := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(read)
	bytes := func(i int) int64 { return int64(read[i].Value.Uint64()) } //nolint:gosec // no machine has 8 EiB
	return bytes(0), bytes(1) - bytes(2) - bytes(3) - bytes(4) - bytes(5)
}
