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
// seconds. It then begins by advancing the versions of the resellers that it was going to write, so that processes
// whose commands share resellers take turns.
//
// # Deletions
//
// A deletion leaves a tombstone in the line's place, in the same transaction.
//
// # Schema
//
// Each transaction that writes reads the version of the schema in its snapshot. The version costs no round trip: one
// aggregation starts at it and looks up whatever the commands want to read. Once a later version of the program has
// taken the schema, no transaction is committed. An upgrade first takes the schema, and then modifies each collection,
// so that the server ends transactions that have seen the older version; only then it runs its steps, each in a
// transaction that also notes how far the upgrade is. So processes may upgrade together, and the next start goes on
// where one was interrupted. OpenReadOnly upgrades nothing.
//
// Collections, validators and indexes are compared with what this program makes: see alterations. Until the first
// release is tagged, a change edits this schema in place, without a step.
//
// # Kinds
//
// Records of kinds, such as sessions, are documents of one collection, and the entries of their indexes documents of
// another one, written in the same transaction.
//
// # Journal
//
// An update adds its entries without numbers, those of a transaction in one document: a counter in each transaction
// would make all of them, in all processes, wait for each other. A sequencer, in one process at a time, gives the
// numbers in a transaction of its own: it chains the entries, moves them to those that have numbers, adds to the
// figures, and writes the head, a document that also has the lease (3 s, renewed each second by a majority, by the
// server's clock) and its term. The transaction takes effect only in the term in which it was begun, so of two that
// take themselves for the sequencer one fails, however late it comes. Another process looks each second whether the
// lease has ended. One that only reads an archive never numbers; one that closes its store numbers what is left, so
// that commands of operators need no server.
//
// Pending entries are in the order of an instant of the cluster's clock that lies between the reads of their
// transaction and its commit. An update that has read what another one wrote has a later one; and one that is not seen
// yet was committed after all that are. So numbers keep to the order of commits for all that depends on it, without a
// change stream, which can leave the oplog, and reads all that is written. Versions would not do: an activation is
// about a line, and writes its payer as well.
//
// The sequencer is woken by entries of its own process, and looks each 40 ms for those of others. Under load it rests
// between transactions, so that many entries share one. Who waits for an entry is woken by numbers of its own process;
// while somebody waits, the head is read each 50 ms, once for all waiters of a process. Only an Archive reads pending
// entries. The movement of an entry is unique by an index, so the journal can't be sharded.
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
// %w, and translated outside. A session of the driver is not safe for concurrent use. Inserts and removals in a
// transaction are cheap; an update has the server (6.0) parse the whole catalogue entry of the collection, once per
// index: a fifth of its time, when entries got their numbers by updates. A decimal.Decimal in a struct of BSON was
// written as {} without an error, and read as 0: amounts are Decimal128 by name.
package mongostore
