// Package internals is all that reaches past the API of the SQLite driver: into the
// records of modernc.org/sqlite/lib, by addresses, and into its C library. Nothing
// else in this module imports unsafe, and nothing else may.
//
// It holds three things, each with a plain path without it:
//
//   - Gathering (wal_linux.go): a VFS that writes a commit to the WAL by one call of
//     the system. Without it SQLite's own VFS does, by two calls a page.
//   - Index (index_linux.go): the version of the file as it stands in the index of
//     the WAL, by which caches know whether they hold, and whether that index is still
//     the one that other processes have. Without it no version is known, and
//     everything is read.
//   - Defending (defensive.go): connections on which no statement writes to the schema
//     by itself. Without it they are as SQLite makes them.
//
// # What breaks it
//
// An upgrade of zombiezen.com/go/sqlite, modernc.org/sqlite or modernc.org/libc, where
// it changes the layout of Tsqlite3_vfs, Tsqlite3_io_methods, TunixFile, TunixShm or
// TunixShmNode, how a pointer to a function is represented (libc's ccgo calling
// convention), or the head of the WAL index (format 3007000,
// https://sqlite.org/walformat.html). TestTheDriverIsAsItWas says so before anything
// else does.
package internals
