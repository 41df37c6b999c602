// Package sqlitestore keeps everything in one SQLite file: the store that needs
// no server.
//
// # Floors
//
// From the ground up, none of which imports one above it: internals reaches past the API of
// the driver, and is the only package that imports unsafe; engine runs statements, with one
// writer and its queue, snapshots and a cache, and knows nothing of what is in records;
// walcheck looks for damage in the WAL; schema migrates a file and compares its tables; rows
// turns records into rows and back; archive reads a file without writing to it. The store is on
// top of them: records, lists, the ledger, keys and sessions.
//
// # Durability
//
// The file is in WAL mode with synchronous=FULL: an answered update survives a kill and a power
// cut. Open refuses a file system without these two, and a WAL that is damaged before its end
// (walcheck.ErrDamaged), which SQLite takes for the end. Nothing is acknowledged in a file that
// was removed or replaced, nor in one whose WAL was. Where the index of the WAL (-shm) was, by
// which processes know of each other, nothing is acknowledged or shown, on Linux, until nobody
// reads: then all connections are given up, without a write, and opened again. Open waits for
// another process that has to do so, and at last refuses (internals.ErrIndexGone).
//
// Accounts, lines, tombstones, answers kept under keys and sessions have a checksum each, which
// is compared whenever one is read; movements have their chain. What does not fit is
// storekit.ErrDamaged, and for a backup to mend. A record whose checksum is NULL has none: who
// repairs one by hand sets it so.
//
// # Updates
//
// All go through one connection. What waits when it gets free, up to 128 commands, shares one
// transaction and so one flush; all are answered after the commit. Work runs on the writer's
// goroutine, one at a time. A command sees what earlier ones of the same commit have changed.
// Where one fails after it has written, the transaction is rolled back and all run again, each
// with a savepoint: savepoints for every command would cost more than its statements. Where the
// transaction is lost (disk full, I/O error, failed commit), all who shared it get
// ports.ErrUnavailable with the cause, and nothing of it is kept.
//
// What it takes to undo a command is kept in memory, so that a command changes a bounded number
// of records: there may be no folder for temporary files. An update whose context ends before
// its turn is not run, and one whose context ended while it ran is rolled back; its statements
// are not interrupted, since SQLite may give up the transaction of its neighbours with them.
//
// # Reads
//
// Views have connections of their own that can't write, and neither wait for the writer nor hold
// it up. Resellers, and lines that a view has read, stay in a cache of one version of the file:
// that of which SQLite tells all processes in the index of the WAL. A view that finds the version
// unchanged is answered by the cache; else it reads a snapshot, and is run once more where that
// is later than what the cache has answered. So what the disk does to a record shows when that
// has left the cache, and to an auditor, who has none. Anywhere but on Linux everything is read.
//
// A list is a range of an index in the order of ids, and one in that of expiry. A line has an
// entry in either for what its owner has itself, and one for each reseller above. A whole tree is
// two lists, and everything is the trees of the admins, so that a page costs the same at any size
// of the store. Entries are made at the end of the transaction that commands share, in the order
// of the index; those of resellers, which come seldom, by a trigger.
//
// With 1,000,000 lines a list by id or owner takes 0.03 to 0.06 ms; a status takes 0.08 ms in
// the order of expiry, and 25 to 530 ms in that of ids. LIKE '%x%' takes 118 ms, and a common
// word by FTS5 for one rare owner 500 to 1,000 ms: hence no search within names.
//
// # Processes, backups and upgrades
//
// One process per file is the normal case. Several on one machine are safe (a transaction waits
// up to five seconds for that of another) but gain nothing. A store in use is backed up by CopyTo
// of an archive; a plain copy of the file lacks what is in the WAL. Sessions are in no copy: an
// archive runs no statement on their table, which may be damaged or missing.
//
// Open runs the migrations that are missing, each in a transaction that locks the file before it
// looks which is next. An archive reads a file of any earlier schema as it is, and writes neither
// to it nor beside it. Tables, indexes, triggers and views protect the records: Open compares them
// with what the migrations make in an empty file, and refuses one in which anybody has changed
// one; to an audit each is a finding. Only an index that makes nothing unique, and the statistics
// of ANALYZE, are nobody's business. No connection trusts functions that the schema calls, and no
// statement can write to the schema by itself.
package sqlitestore
