// Package internals is all that reaches past the API of the SQLite driver: into the structs of modernc.org/sqlite/lib,
// by address, and into its C library. Nothing else in this module may import unsafe.
//
// It holds Index: the version of the file as it stands in the index of the WAL, by which caches are validated, and
// whether that index is still the one of other processes. On systems other than Linux there is none, and everything is
// read. It stays only while the service takes more than 10 % more CPU for a command or a read without it: on
// 28 November 2026, by turns over HTTP, a store in memory, a list of 30 lines took twice the CPU without it, with 1 and
// with 16 clients. A VFS that wrote each commit to the WAL by one call of the system did not stay: on the same day, by
// eleven turns, no command was certainly cheaper with it (a trial took 0.300 ms with it and 0.345 ms without by the
// median, 0.245 and 0.230 by the least; an activation 0.465 and 0.425, and 0.365 and 0.360).
//
// It breaks if an upgrade of zombiezen.com/go/sqlite, modernc.org/sqlite or modernc.org/libc changes the layout of
// Tsqlite3_vfs, Tsqlite3_io_methods, TunixFile, TunixShm or TunixShmNode, how a pointer to a function is represented
// (the calling convention of ccgo), or the head of the index (format 3007000, https://sqlite.org/walformat.html).
// TestTheDriverIsAsItWas then fails first.
package internals
