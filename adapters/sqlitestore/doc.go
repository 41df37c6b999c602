// Package sqlitestore keeps everything in one SQLite file: the store that needs
// no server.
//
// # Floors
//
// From the ground up, and none imports one above it: internals reaches past the API of the driver, and is the only
// package that imports unsafe; engine runs statements, with one writer and its queue, snapshots and a cache, and knows
// nothing of what is in records; walcheck looks for damage in the WAL; schema migrates a file and compares its tables;
// rows turns records into rows and back; archive reads a file without writing to it. The store is on top of them:
// records, lists, the ledger, the journal, keys and sessions.
//
// # Durability
//
// The file is in WAL mode with synchronous=FULL: an answered update survives a kill and a power cut. Open refuses a
// file system without these two, and a WAL that is damaged before its end (walcheck.ErrDamaged), which SQLite takes for
// the end. Nothing is acknowledged in a file that was removed or replaced, nor in one whose WAL was. If the index of
// the WAL (-shm), by which processes coordinate, was removed or replaced, nothing is acknowledged or shown, on Linux,
// until no reader is left: then all connections are dropped without a write and reopened. Open waits for another
// process that has to do so, and finally refuses (internals.ErrIndexGone).
//
// Accounts, lines, tombstones, answers kept under keys and sessions have a checksum each, which is compared whenever
// one is read; movements and entries of the journal have their chain. A mismatch is storekit.ErrDamaged, and is mended
// from a backup. A record whose checksum is NULL has none: set it so after a repair by hand.
//
// # Updates
//
// All go through one connection, with group commit: up to 128 commands that wait when it gets free share one
// transaction and one flush, and all are answered after the commit. Work runs on the writer's goroutine, one at a time.
// A command sees what earlier ones of the same commit have changed. If one fails after it has written, the transaction
// is rolled back and all run again, each with a savepoint: a savepoint for every command would cost more than its
// statements. If the transaction is lost (disk full, I/O error, failed commit), all commands in it fail with
// ports.ErrUnavailable and the cause, and nothing of it is kept.
//
// What it takes to undo a command is kept in memory, so that a command changes a bounded number
// of records: there may be no folder for temporary files. An update whose context ends before
// its turn is not run, and one whose context ended while it ran is rolled back; its statements
// are not interrupted, since SQLite may give up the transaction of its neighbours with them.
//
// # Reads
//
// Views have connections of their own that can't write, and neither wait for the writer nor delay it. Resellers, and
// lines that a view has read, stay in a cache of one version of the file: the one that SQLite publishes to all
// processes in the index of the WAL. A view that finds the version unchanged is answered by the cache; else it reads a
// snapshot, and is run once more if that is later than what the cache has answered. So damage on the disk shows once a
// record has left the cache, and in an audit, which uses none. On systems other than Linux everything is read.
//
// A list is a range of an index in the order of ids, one in that of expiry and one in that of names. A line has an
// entry in each for what its owner has itself, and one for each reseller above. A whole tree is two lists, and
// everything is the trees of the admins, so that a page costs the same at any size of the store. Entries are made at
// the end of the transaction that commands share, in the order of the index; those of resellers, which are rare, by a
// trigger. A charge moves a line in the order of expiry alone.
//
// With 1,000,000 lines a list by id or owner takes 0.03 to 0.06 ms; a status takes 0.08 ms in
// the order of expiry, and 25 to 530 ms in that of ids. LIKE '%x%' takes 118 ms, and a common
// word by FTS5 for one rare owner 500 to 1,000 ms: hence no search within names.
//
// # Journal
//
// An entry gets its number and its hash when it is appended, for commands run one at a time, and is inserted at once;
// where the journal ends is read again if another process may have written since. Its text is that of
// storekit.EncodeEntry. The chain is its checksum: what can't be an entry shows when it is read, and another entry in
// its place in an audit.
//
// Its lists, the index of its movement and the figures of a day are each in another page: written with every entry they
// cost a command six pages. So the latest entries, up to 63, are in none of them yet: every 64 of them are entered
// together, sorted, in the transaction that appends the last, and the figures of each account and day written once. Who
// reads a list, looks for a movement or asks for figures goes through the entries after the last that is listed. It is
// recorded with its number and hash, so that the journal ends there at least: if what comes before it was removed, an
// audit finds the gap. In one process, without a network, an activation takes about 20 % more CPU than without a
// journal.
//
// AwaitEntry is woken by each commit of its own process, and looks four times a second whether the version of the file
// is another one. One of those who wait reads where the journal ends, and the others take it from there.
//
// # Processes, backups and upgrades
//
// One process per file is the normal case. Several on one machine are safe (a transaction waits
// up to five seconds for that of another) but gain nothing. A store in use is backed up by CopyTo
// of an archive; a plain copy of the file lacks what is in the WAL. A copy by CopyTo is not in WAL mode until it is
// opened, so that a WAL beside it is known to be another file's (walcheck.ErrOfAnother). Sessions are in no copy.
//
// Open runs the missing migrations in one transaction, while no other process has the file open. Each transaction that
// writes compares the version of the file with that of this program, so that a process of an earlier version writes no
// more, and is not ready. An archive refuses a file of another version, and writes neither to it nor beside it. Tables,
// indexes, triggers and views protect the records: Open compares their digest with the recorded one, names what differs
// from what the migrations make in an empty file, and refuses the file; to an audit each change is a finding. Only
// indexes that are not unique, and the statistics of ANALYZE, are ignored. No connection trusts functions that the
// schema calls.
package sqlitestore
