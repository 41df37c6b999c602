// Package internals is all that reaches past the API of the SQLite driver: into the structs of modernc.org/sqlite/lib,
// by address, and into its C library. Nothing else in this module may import unsafe.
//
// It holds three things. With the build tag plain the store does without them, and on other systems than Linux without
// the first two:
//
//   - Gathering (wal_linux.go): a VFS that writes a commit to the WAL by one call of the system, and not by two a page.
//   - Index (index_linux.go): the version of the file as it stands in the index of the WAL, by which caches are
//     validated, and whether that index is still the one of other processes. Without it everything is read.
//   - Defending (defensive.go): connections on which no statement writes to the schema directly.
//
// It breaks if an upgrade of zombiezen.com/go/sqlite, modernc.org/sqlite or modernc.org/libc changes the layout of
// Tsqlite3_vfs, Tsqlite3_io_methods, TunixFile, TunixShm or TunixShmNode, how a pointer to a function is represented
// (the calling convention of ccgo), or the head of the index (format 3007000, https://sqlite.org/walformat.html).
// TestTheDriverIsAsItWas then fails first.
package internals
