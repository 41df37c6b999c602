// Package internals is all that reaches past the API of the SQLite driver: into the structs of modernc.org/sqlite/lib,
// by address, and into its C library. Nothing else in this module may import unsafe.
//
// It holds two things, without which the store does on other systems than Linux, and with the build tag plain:
//
//   - Gathering (wal_linux.go): a VFS that writes a commit to the WAL by one call of the system, and not by two a page.
//   - Index (index_linux.go): the version of the file as it stands in the index of the WAL, by which caches are
//     validated, and whether that index is still the one of other processes. Without it everything is read.
//
// Each of them stays only while the service takes more than 10 % more CPU for a command or a read without it. By turns
// over HTTP, the least of three turns, on 28 November 2026, on a busy machine:
//
//   - Without Gathering a trial writes 20 times in place of 2.4 with one client, and 11 in place of 1.8 with 16. Its
//     CPU is not settled: a command took between 3 % less and 18 % more, and reads, which do not use it, differed by
//     more.
//   - Without Index a list of 30 lines takes 109 % more with one client and 107 % more with 16.
//
// It breaks if an upgrade of zombiezen.com/go/sqlite, modernc.org/sqlite or modernc.org/libc changes the layout of
// Tsqlite3_vfs, Tsqlite3_io_methods, TunixFile, TunixShm or TunixShmNode, how a pointer to a function is represented
// (the calling convention of ccgo), or the head of the index (format 3007000, https://sqlite.org/walformat.html).
// TestTheDriverIsAsItWas then fails first.
package internals
