// Package sqlitestore keeps everything in one SQLite file: the store that needs
// no server.
//
// # Durability
//
// The file is in WAL mode with synchronous=FULL: an update that was answered is
// on the disk and survives a kill and a power cut. NORMAL would be faster and may
// lose answered updates when the power goes, which a ledger can't have. Open
// refuses a file system on which these two can't be had.
//
// # Group commit
//
// All updates go through one connection. What waits when it gets free, up to 128
// commands, shares one transaction and so one flush to the disk: the more
// callers, the less each pays for it, and a lone one waits for nobody. Each
// command has a savepoint of its own, so that a refused one leaves its neighbours
// alone, and all of them are answered after the commit. Work runs on the
// goroutine that called Update, one at a time, while the writer waits for it.
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
// Views have connections of their own that can't write. Each view is one read
// transaction, which neither waits for the writer nor holds it up.
//
// # Lists
//
// A list (all lines, those of one owner, those of a whole tree) is one range of an
// index in the order of ids, and one in that of expiry, however many resellers the
// tree has: a page costs the same at any size. Triggers keep the entries in step
// with the records. A line has two in either order, and one more for each reseller
// from its owner up to the root. A line that is deleted leaves them, and a tombstone
// in its own place.
//
// # Processes and backups
//
// One process per file is the normal case. Several on one machine are safe (a
// transaction waits up to five seconds for that of another process) but share
// one disk and gain nothing. Network file systems are not for SQLite.
//
// Back up a running store with VACUUM INTO, from the sqlite3 command line or
// another process; a plain copy of the file lacks what is still in the WAL.
//
// # Upgrades
//
// Open runs the migrations that are missing, each in a transaction. They only add
// to the schema. An Archive reads a file of any earlier schema as it is, and writes
// neither to it nor beside it.
package sqlitestore
