// Package sqlitestore implements ports.Store in one SQLite file. It needs no server.
//
// # Layers
//
// The packages in order, from the lowest to the highest; none imports a later one:
//
//   - internals uses the driver beyond its API, and is the only package that imports unsafe.
//   - engine runs statements, with one writer and its queue, snapshots and a cache. It does not depend on the content
//     of records.
//   - walcheck looks for damage in the WAL.
//   - schema migrates a file and compares its tables.
//   - rows converts records to and from rows.
//   - archive reads a file without writing to it.
//
// The store is on top of them: records, lists, the ledger, the journal, keys and sessions.
//
// # Durability
//
// The file is in WAL mode with synchronous=FULL: an answered update survives a kill and a power cut. Open refuses a
// file system without these two. It also refuses a WAL with damage before its end (walcheck.ErrDamaged), because SQLite
// would treat the damage as the end. The store acknowledges nothing in a file that was removed or replaced, or whose
// WAL was. The index of the WAL (-shm) coordinates processes. If it was removed or replaced, the store on Linux neither
// acknowledges nor shows anything until no reader is left. It then drops all connections without a write and reopens
// them. Open waits for another process that has to do this, and finally refuses the file (internals.ErrIndexGone).
//
// Accounts, lines, tombstones, answers under idempotency keys and sessions have a checksum each, which every read
// compares. Movements and entries of the journal have their chain. A mismatch is storekit.ErrDamaged; restore a backup
// to repair it. A record whose checksum is NULL is not checked: set it to NULL after a repair by hand.
//
// # Updates
//
// All updates use one connection, with group commit. Up to 128 commands that wait when it gets free share one
// transaction and one flush, and get their answers after the commit. Work runs on the writer's goroutine, one at a
// time. A command sees the changes of earlier ones of the same commit. If one fails after it has written, the
// transaction is rolled back and all run again, each with a savepoint: a savepoint for every command would cost more
// than its statements. If the transaction is lost (disk full, I/O error, failed commit), all its commands fail with
// ports.ErrUnavailable and the cause, and none of their changes remains.
//
// The data to undo a command is in memory, because there may be no folder for temporary files. A command therefore
// changes a bounded number of records. An update whose context ends before its turn does not run. An update whose
// context ends while it runs is rolled back. Its statements are not interrupted, because SQLite may roll back the whole
// shared transaction with them.
//
// # Reads
//
// Views have connections of their own that can't write. They neither wait for the writer nor delay it. A cache has
// resellers, and lines that a view has read. All belong to one version of the file, which SQLite publishes to all
// processes in the index of the WAL. If the version is unchanged, the cache answers a view. Otherwise the view reads a
// snapshot, and runs a second time if the snapshot is later than the records that the cache has returned. Damage on the
// disk therefore shows once a record has left the cache, and in an audit, which does not use the cache. On systems
// other than Linux every read uses SQLite.
//
// A list is a range of an index. There is one index in the order of ids and one in the order of expiry. A line has an
// entry in both of them for its owner's own list, and one for each ancestor. A whole tree is two lists, and the list of
// everything consists of the trees of the administrators. A page therefore costs the same at any size of the store.
// Entries are made at the end of the transaction that commands share, in the order of the index. A trigger makes the
// entries of resellers, which are rare. A charge moves a line only in the order of expiry.
//
// In the order of names, entries for each list would be at random places: they cost an activation half as many bytes
// again. The lines of a scope with up to 5,000 lines are sorted when they are read. For a larger scope, a page examines
// up to 5,000 names of all lines in their unique index.
//
// With 1,000,000 lines a list by id or owner takes 0.03 to 0.06 ms. A status takes 0.08 ms in the order of expiry, and
// 25 to 530 ms in the order of ids. LIKE '%x%' takes 118 ms, and a common word with FTS5 for one rare owner 500 to
// 1,000 ms. Therefore there is no search within names.
//
// # Bytes
//
// The pages that a command writes to the WAL, on average of 640 commands of one client for a reseller below a master
// below the administrator, in a small store (2026-11-29, TestCommandsWriteNoMoreThanTheirBudget of test/disk; -v shows
// them):
//
//	table or index       trial  activation  extension  recharge  purpose
//	lines                 1.0      1.0         1.0        -      the line
//	name of a line        1.0       -           -         -      unique in the store
//	line_ids              2.2       -           -         -      a list for the owner and for each account above it
//	line_expiries         2.8      3.6         3.5        -      the same, in the order of expiry
//	accounts               -       1.0         1.0       1.0     balance, number and chain of movements
//	movements              -       1.0         1.0       1.0     the movement
//	movements_source       -       1.0         1.1       1.3     the statement of the account that pays
//	movements_target       -        -           -        1.0     the statement of the account that receives
//	journal               1.1      1.5         1.4       1.1     the entry
//	lists and figures      -       0.1         0.1       0.1     made after 256 entries
//	idempotency           1.2      1.3         1.5       1.1     the answer, at the end of the table
//	idempotency_keys      1.0      1.2         1.2       1.3     the key, at a random place
//
// # Journal
//
// An entry gets its number and its hash when it is appended, because commands run one at a time, and is inserted at
// once. The end of the journal is read again if another process may have written since. storekit.EncodeEntry makes
// its text. The chain is its checksum: an invalid entry shows when it is read, and another valid entry in
// its place shows in an audit.
//
// Its lists, the index of its movement and the figures of a day are on different pages. Writing them with every entry
// would cost a command six pages. The latest entries, up to 255, are therefore in none of them yet. After 256 entries
// the transaction that appends the last one adds all of them together, sorted, and writes the figures of each account
// and day once. A reader of a list, of the entry of a movement or of figures also goes through the entries after the
// last listed one. The process has them in memory: views decode each entry once, and compare hashes. The store records
// the last listed entry with its number and hash, so that the journal ends there at least: if earlier entries were
// removed, an audit finds the gap.
//
// Each commit of its own process wakes AwaitEntry. It also checks four times a second whether the version of the file
// has changed. One of the waiting goroutines reads the end of the journal for all of them.
//
// # Processes, backups and upgrades
//
// One process per file is the normal case. Several on one machine are safe (a transaction waits up to five seconds for
// that of another) but gain nothing. CopyTo of an archive backs up a store in use; a plain copy of the file lacks the
// data in the WAL. A copy of CopyTo is not in WAL mode until it is opened. A WAL beside it is therefore known to belong
// to another file (walcheck.ErrOfAnother). Copies contain no sessions.
//
// Open runs the missing migrations in one transaction, while no other process has the file open. Each transaction that
// writes compares the version of the file with that of this program. A process of an earlier version therefore stops
// writing, and is not ready. An archive refuses a file of another version, and writes neither to it nor beside it.
// Tables, indexes, triggers and views protect the records. Open compares their digest with the recorded one. If it
// differs, Open names each difference from the result of the migrations in an empty file, and refuses the file; an
// audit reports each difference as a finding. Only indexes that are not unique, and the statistics of ANALYZE, are
// ignored. No connection trusts functions that the schema calls.
package sqlitestore
