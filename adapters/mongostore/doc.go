// Package mongostore keeps everything in a MongoDB database on a replica set: the
// store for several machines, of which one may fail.
//
// # Transactions
//
// Every update runs in a transaction with snapshot reads and a commit that a
// majority of the members has on its disk; an address can't weaken the
// write concern. Each aggregate carries a version that every save advances, so that two
// updates that save the same one always meet, and the database refuses the second.
//
// # Gathering
//
// One writer per process runs all updates that wait in one transaction: see package
// gather. Between processes the transaction decides: who meets the other one's write
// runs again, after a random pause that grows, for at most 10 seconds.
//
// # Deletions
//
// A deletion leaves a tombstone in the line's place, in the same transaction. A
// database of schema 1, which had none, is brought up to date when it is opened: no
// process of a version that knows no other may be running by then.
//
// # Sessions
//
// Who is signed in is apart from the records and their transactions: a document for each
// session. A sign-in writes a document of the reseller's as well, so that of two at once
// the database refuses one, which then counts the other. A use is an update that adds
// nothing where the session is gone. No archive reads them, and a copy removes them from
// its target.
//
// # Failover
//
// While there is no primary, updates are tried again for up to 10 seconds; a step
// that takes longer than 3 is given up, for a server that was stopped answers
// nothing. A commit without an answer is asked for again: the server makes the same
// commit once. Where its outcome stays unknown, all who shared it get
// ports.ErrUnavailable.
//
// # Reads
//
// Each View is one snapshot of what a majority holds, read on the primary. Just
// after an election it may be a moment behind. The server keeps the past for 5
// minutes (minSnapshotHistoryWindowInSeconds): a longer View fails. An Archive only
// reads, and asks for no more than the role read.
//
// # What was found by running it
//
// A save that changes nothing is dropped by the server, which then sees no conflict: hence the
// version. The driver decides by labels on errors, found through Unwrap, whether a transaction
// runs again: inside of one its errors are wrapped with %w, and translated outside. A session
// of the driver is not safe for concurrent use. A decimal.Decimal in a struct of BSON was
// written as {} without an error, and read as 0: amounts are Decimal128 by name.
package mongostore
