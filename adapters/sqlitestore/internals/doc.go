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
// over HTTP, one client, a store in memory, on 28 November 2026:
//
//   - Without Gathering a trial writes 21 times in place of 2.2 and takes 1 to 11 % more CPU (the least and the median of
//     five turns), a recharge up to 8 % more, an activation and an extension no more than the turns differ by.
//   - Without Index a list of 30 lines takes twice the CPU, with 1 and with 16 clients.
//
// It breaks if an upgrade of zombiezen.com/go/sqlite, modernc.org/sqlite or modernc.org/libc changes the layout of
// Tsqlite3_vfs, Tsqlite3_io_methods, TunixFile, TunixShm or TunixShmNode, how a pointer to a function is represented
// (the calling convention of ccgo), or the head of the index (format 3007000, https://sqlite.org/walformat.html).
// TestTheDriverIsAsItWas then fails first.
package internals
