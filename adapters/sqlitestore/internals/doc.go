// Package internals is all that reaches past the API of the SQLite driver: into the
// records of modernc.org/sqlite/lib, by addresses, and into its C library. Nothing
// else in this module imports unsafe, and nothing else may.
//
// It holds three things. Built with the tag plain, or, but for the last, not on Linux, the store does without:
//
//   - Gathering (wal_linux.go): a VFS that writes a commit to the WAL by one call of the system, and not by two a page.
//   - Index (index_linux.go): the version of the file as it stands in the index of the WAL, by which caches know whether
//     they hold, and whether that index is still the one that other processes have. Plainly, everything is read.
//   - Defending (defensive.go): connections on which no statement writes to the schema by itself.
//
// An upgrade of zombiezen.com/go/sqlite, modernc.org/sqlite or modernc.org/libc breaks it that changes the layout of
// Tsqlite3_vfs, Tsqlite3_io_methods, TunixFile, TunixShm or TunixShmNode, how a pointer to a function is represented
// (the calling convention of ccgo), or the head of the index (format 3007000, https://sqlite.org/walformat.html).
// TestTheDriverIsAsItWas says so before anything else does.
package internals
