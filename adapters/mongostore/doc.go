// Package mongostore implements ports.Store in a MongoDB database on a replica set, for several machines of which one
// may fail.
//
// # Transactions
//
// Every update runs in a transaction with snapshot reads. Its commit is complete when a majority of the members has it
// on the disk; an address can't weaken the write concern. Each aggregate has a version that every save increases. Two
// updates that save the same aggregate therefore always conflict, and the database refuses the second one.
//
// # Gathering
//
// One writer per process runs all waiting updates in one transaction: see package gather. Between processes the
// database detects conflicts. A transaction that conflicts with another one runs again after a random pause, which
// grows, for at most 10 seconds. It then begins with an increase of the versions of the resellers that it was going to
// write, so that processes whose commands share resellers take turns.
//
// # Deletions
//
// A deletion replaces a line with a tombstone, in the same transaction.
//
// # Schema
//
// Each transaction that writes reads the version of the schema in its snapshot. This costs no round trip: one
// aggregation starts at the version and looks up all records that the commands want to read. Once a later version of
// the program has upgraded the schema, older programs commit no transaction. An upgrade first sets the version. It then
// modifies each collection, so that the server ends transactions that have read the older version. Only after that it
// runs its steps, each in a transaction that also records the progress of the upgrade. So processes may upgrade
// together, and the next start continues an interrupted upgrade. OpenReadOnly upgrades nothing.
//
// Each start compares collections, validators and indexes with those of this program: see alterations. Until the first
// release is tagged, a change edits this schema in place, without a step.
//
// # Kinds
//
// Records of kinds, such as sessions, are documents of one collection. Their index entries are documents of another
// one, written in the same transaction.
//
// # Journal
//
// An update adds its entries without numbers, in one document per transaction. A counter in each transaction would make
// all transactions of all processes wait for each other. A sequencer, in one process at a time, assigns the numbers in
// a transaction of its own. It chains the entries, moves them to the collection of numbered entries, adds to the
// figures, and writes the head. The head is a document that also has the lease and the number of the lease term. The
// lease lasts 3 s by the server's clock and is renewed each second by a majority. The transaction takes effect only in
// the lease term in which it began. If two processes both act as the sequencer, one of them fails, however late its
// commit arrives. Other processes check each second whether the lease has ended. A process that only reads an archive
// never assigns numbers. A process that closes its store numbers the pending entries, so that commands of operators
// need no server.
//
// Pending entries are sorted by an instant of the cluster's clock between the reads of their transaction and its
// commit. An update that has read the result of another one has a later instant. An entry that is not visible yet was
// committed after all visible ones. The numbers therefore follow the order of commits for all updates that depend on
// each other. This needs no change stream, which can fall out of the oplog, and it reads every entry. Versions are not
// enough: an activation concerns a line, and writes its payer as well.
//
// Entries of its own process wake the sequencer, and it looks each 40 ms for entries of other processes. Under load it
// pauses between transactions, so that many entries share one. Numbers of its own process wake a goroutine that waits
// for an entry; while one waits, the process also reads the head each 50 ms, once for all of them. Only an Archive
// reads pending entries. A unique index on the movement of an entry prevents sharding of the journal.
//
// # Failover
//
// While there is no primary, updates are retried for up to 10 seconds. A step is abandoned after 3 seconds, because a
// stopped server does not answer. A commit without an answer is sent again: the server makes the same commit once. If
// its outcome remains unknown, all its updates fail with ports.ErrUnavailable.
//
// # Reads
//
// Each View is one snapshot of data that a majority has, read on the primary. Just after an election it may be a moment
// behind. The server retains the past for 5 minutes (minSnapshotHistoryWindowInSeconds): a longer View fails. An
// Archive only reads, and the role read is enough for it.
//
// # Observations
//
// The server drops a save that changes nothing and then detects no conflict: this is the reason for the version. The
// driver decides by labels on errors, found through Unwrap, whether a transaction runs again. Inside of a transaction
// its errors are therefore wrapped with %w, and translated outside. A session of the driver is not safe for concurrent
// use. Inserts and removals in a transaction are cheap. For an update the server (6.0) parses the whole catalogue entry
// of the collection, once per index: this took a fifth of its time while entries got their numbers by updates. The
// driver wrote a decimal.Decimal in a struct of BSON as {} without an error, and read it as 0: amounts are therefore
// Decimal128.
package mongostore
