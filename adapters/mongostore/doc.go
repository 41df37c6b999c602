// Package mongostore keeps everything in a MongoDB database on a replica set: the
// store for several machines, of which one may fail.
//
// # Transactions
//
// Every update runs in a transaction with snapshot reads and a commit that a majority of the members has on its disk;
// an address can't weaken the write concern. Each aggregate carries a version that every save advances, so that two
// updates that save the same one always conflict, and the database refuses the second.
//
// # Gathering
//
// One writer per process runs all waiting updates in one transaction: see package gather. Between processes the
// transaction decides: the one that meets another's write runs again, after a growing random pause, for at most 10
// seconds. It then begins by advancing the versions of the resellers that it was going to write, so that processes whose
// commands share resellers take turns.
//
// # Deletions
//
// A deletion leaves a tombstone in the line's place, in the same transaction. A database of schema 1, which had none,
// is upgraded when it is opened: no process that knows only schema 1 may be running by then.
//
// # Kinds
//
// Records of kinds, such as sessions, are documents of one collection, and the entries of their indexes documents of
// another one, written in the same transaction.
//
// # Failover
//
// While there is no primary, updates are retried for up to 10 seconds; a step that takes longer than 3 is given up,
// since a stopped server does not answer. A commit without an answer is sent again: the server makes the same commit
// once. If its outcome stays unknown, all its updates fail with ports.ErrUnavailable.
//
// # Reads
//
// Each View is one snapshot of what a majority holds, read on the primary. Just after an election it may be a moment
// behind. The server keeps the past for 5 minutes (minSnapshotHistoryWindowInSeconds): a longer View fails. An Archive
// only reads, and needs no more than the role read.
//
// # What was found by running it
//
// The server drops a save that changes nothing and then sees no conflict: hence the version. The driver decides by
// labels on errors, found through Unwrap, whether a transaction runs again: inside of one its errors are wrapped with
// %w, and translated outside. A session of the driver is not safe for concurrent use. A decimal.Decimal in a struct of
// BSON was written as {} without an error, and read as 0: amounts are Decimal128 by name.
package mongostore
