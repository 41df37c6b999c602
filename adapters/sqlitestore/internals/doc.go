// Package internals implements access to the internals of the SQLite driver: the structs of modernc.org/sqlite/lib, by
// address, and its C library. No other package in this module may import unsafe.
//
// Index returns the version of the file from the index of the WAL, by which caches are validated. It also checks
// whether that index is still the one of other processes. On systems other than Linux there is no version, and every
// read uses SQLite. Index is worth its risk only while the service takes more than 10 % more CPU for a command or a
// read without it. Measured on 28 November 2026 in turns over HTTP, with a store in memory: a list of 30 lines took
// twice the CPU without it, with 1 and with 16 clients.
//
// A VFS that wrote each commit to the WAL with one system call was removed. On the same day, in eleven turns, no
// command was certainly cheaper with it. A trial took 0.300 ms with it and 0.345 ms without in the median, 0.245 and
// 0.230 at the least. An activation took 0.465 and 0.425 ms, and 0.365 and 0.360 ms.
//
// This package breaks if an upgrade of zombiezen.com/go/sqlite, modernc.org/sqlite or modernc.org/libc changes one of
// these: the layout of Tsqlite3_vfs, Tsqlite3_io_methods, TunixFile, TunixShm or TunixShmNode; the representation of a
// pointer to a function (the calling convention of ccgo); the head of the index (format 3007000,
// https://sqlite.org/walformat.html). TestDriverInternalsAreUnchanged then fails first.
package internals
