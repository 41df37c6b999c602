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
// The file is in WAL mode with synchronous=FULL: an update that was answered is
// on the disk and survives a kill and a power cut. NORMAL would be faster and may
// lose answered updates when the power goes, which a ledger can't have. Open
// refuses a file system on which these two can't be had.
//
// Nothing is acknowledged in a file that was removed or replaced, nor in one whose WAL
// was. Open also refuses a WAL that is damaged before its end (walcheck.ErrDamaged): SQLite
// takes the damage for the end.
//
// By the index of the WAL (-shm) processes know of each other. Where it is removed or
// replaced nothing is acknowledged and nothing shown, on Linux, until nobody reads: then all
// connections are given up, without a write, and taken anew. Open waits for that where
// another process has the file open, and at last refuses (internals.ErrIndexGone).
//
// # Damage
//
// SQLite keeps no checksum of what is in its file. Accounts, lines, tombstones, answers
// kept under keys and sessions have one each, which is compared whenever one is read;
// movements have their chain. What does not fit is an error (storekit.ErrDamaged) and no
// answer. An audit reads all of them but sessions, and has SQLite compare tables and
// indexes. It is for a backup to mend. A record whose checksum is NULL has none: who repairs
// one by hand sets it so.
//
// # Group commit
//
// All updates go through one connection. What waits when it gets free, up to 128
// commands, shares one transaction and so one flush to the disk: the more
// callers, the less each pays for it, and a lone one waits for nobody. All of them
// are answered after the commit. Work runs on the writer's goroutine, one at a time, so
// that none is woken for it; how it ends, in a panic too, is its caller's.
//
// A command that fails leaves its neighbours alone. Most fail before they write, and nothing
// is to be undone. Where one fails after that, the transaction is rolled back and all
// commands run again, each with a savepoint of its own: savepoints for every command
// would cost each of them more than its statements.
//
// Where the transaction itself is lost (disk full, I/O error, failed commit), all
// who shared it get ports.ErrUnavailable with the cause, nothing of it is kept, and
// the next transaction starts anew.
//
// What it takes to undo a command is kept in memory, and no file is made but those
// beside the database: there may be no folder for temporary files. So a command
// changes a bounded number of records.
//
// # Contexts
//
// An update whose context ends before its turn is not run. Statements are never
// interrupted, because SQLite may give up a whole transaction, and with it the
// neighbours, when one is. Work whose context ended while it ran is rolled back;
// after that the commit goes on and only the wait for it ends.
//
// # Reads
//
// Views have connections of their own that can't write. Each view is at most one read
// transaction, which neither waits for the writer nor holds it up.
//
// # Cache
//
// Resellers, and lines that a view has read, stay in a cache of some thousands of each,
// which is of one version of the file: that of which SQLite tells all processes in the
// index of the WAL, after each commit. A view that finds the version unchanged is told by
// the cache, without a question to SQLite; what the cache can't tell is read from a
// snapshot, and where that is a later version the view is run once more. A commit takes
// the cache to the next version, with what it changed; once another process has committed,
// or somebody by hand, it begins anew. So what the disk does to a record shows when that
// is not in the cache any more, and to an auditor, who has none. Where the version can't
// be told, which is anywhere but on Linux, everything is read.
//
// A command sees what earlier ones of the same commit have changed. A save writes the
// columns that changed, or some more, so that no index is written for nothing.
//
// # Lists
//
// A list is a range of an index in the order of ids, and one in that of expiry. A line
// has an entry in either order in what its owner has itself, and one more for each
// reseller above the owner. A whole tree is two lists, and everything is the trees of the
// admins, so that a page costs the same at any size of the store, however many resellers
// the tree has. The entries are made with the records, at the end of the transaction that
// commands share and in the order of the index. A line that is deleted leaves them, and a
// tombstone in its own place. Resellers, which come seldom and stay, have lists that a
// trigger makes.
//
// With 1,000,000 lines a list by id or owner takes 0.03 to 0.06 ms; a status takes 0.08 ms in
// the order of expiry, and 25 to 530 ms in that of ids. LIKE '%x%' takes 118 ms, and a common
// word by FTS5 for one rare owner 500 to 1,000 ms: hence no search within names.
//
// # Sessions
//
// Who is signed in stands in a table of its own, to which nothing else refers. Sign-ins
// and the uses that are kept share commits with updates, and a request reads its session
// as any other view reads. An archive runs no statement on that table, so that it can be
// damaged or missing, and CopyTo empties it in what it wrote: what stood there is
// overwritten.
//
// # Processes and backups
//
// One process per file is the normal case. Several on one machine are safe (a
// transaction waits up to five seconds for that of another process) but share
// one disk and gain nothing. Network file systems are not for SQLite.
//
// A running store is backed up by CopyTo of an archive, from another process; a plain
// copy of the file lacks what is still in the WAL.
//
// # Upgrades
//
// Open runs the migrations that are missing, each in a transaction that locks the file
// before it looks which is the next: of several processes one runs it. They add to the
// records; what is made of records may be made anew. A process of an earlier version
// that still has the file open fails where it would not do what the new schema needs. An
// archive reads a file of any earlier schema as it is, and writes neither to it nor
// beside it. Earlier builds looked before they locked, and could run the fourth migration
// after the sixth: Open repairs what that took away.
//
// # Schema
//
// Tables, indexes, triggers and views protect the records: they keep movements as they are,
// and a number from being given twice. Open compares them with what the migrations make in
// an empty file, before anything is changed, and refuses a file in which anybody has changed
// one, or added one of his own; to an audit each is a finding. Only an index that makes nothing
// unique, and the statistics of ANALYZE, are nobody's business. An archive does not look at the
// table of sessions. No connection trusts functions that the schema calls, and no statement can
// write to the schema by itself.
package sqlitestore
