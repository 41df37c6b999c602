package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"resellerd/adapters/sqlitestore/internals"
	"resellerd/adapters/storekit"
)

// maxBatch bounds how many commands share a transaction, and so how long the first of them waits for the last.
const maxBatch = 128

// Batch collects changes that the commands of one transaction make together, at its end.
type Batch interface {
	// Begin begins a transaction, Reset a command, and Accept accepts the changes of the command.
	Begin()
	Reset()
	Accept()
	// End makes the changes of the accepted commands.
	End(ctx context.Context, q *Tx) error
	// Committed ends a committed transaction. made is the version of the file that it has made, zero if that is
	// unknown.
	Committed(made internals.Version)
}

// Writer owns the only connection that writes.
type Writer struct {
	Conn         *Conn        // nil until the next transaction needs it
	Transactions atomic.Int64 // committed ones
	Watch        storekit.Watch
	Changed      storekit.Signal // raised after each commit that has changed something
	// Incomplete means that an accepted command of the present transaction has changed records without reporting them
	// to the cache.
	Incomplete bool

	path    string
	version int64                       // of the file's schema, by its user_version
	file    os.FileInfo                 // the file that was opened
	wal     string                      // the path of its WAL
	log     atomic.Pointer[os.FileInfo] // that WAL
	queue   *storekit.Queue[*Tx]
	// connected returns an error if the connections do not belong to the present files.
	connected func() error
	cache     *Cache
	batches   []Batch

	// Of the present transaction:
	dirty   bool              // an accepted command has written
	written bool              // it has certainly written a page of the file
	before  internals.Version // of the file: no other process changes it while this transaction is open

	unproven atomic.Pointer[unproven] // nil if writes are known to succeed
}

// unproven: the outcome of the last write is unknown. Either no write was tried yet, or a command was lost, because its
// own statement failed or because the shared transaction was lost. For a view it has the read that failed.
type unproven struct {
	repeat func(context.Context, *Tx) error // the statement that failed, nil if none did
}

func newWriter(path string, version int64, c *Cache, b []Batch) (*Writer, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	itself, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{path: path, version: version, file: file, wal: itself + "-wal",
		queue: storekit.NewQueue[*Tx](maxBatch, 0), cache: c, batches: b}
	w.unproven.Store(new(unproven))
	return w, nil
}

// run runs commands and reports to each the outcome of its transaction.
func (w *Writer) run(batch []*storekit.Command[*Tx]) {
	began := time.Now()
	attempts, err := 0, w.connected()
	if err == nil {
		attempts, err = w.transact(batch)
	}
	if err == nil && w.dirty {
		err = cmp.Or(w.inPlace(), indexInPlace(&w.cache.Index))
	}
	if err == nil && w.dirty {
		w.Watch.Committed(len(batch), attempts, time.Since(began))
		w.Changed.Raise()
	}
	for _, c := range batch {
		c.End(err)
	}
}

// inPlace returns an error if the file, or its WAL, was removed or replaced: data written there would be lost.
func (w *Writer) inPlace() error {
	if err := sameFile(w.path, w.file); err != nil {
		return storekit.Unavailable("find the file", err)
	}
	known := w.log.Load()
	if known == nil {
		return nil
	}
	if err := sameFile(w.wal, *known); err != nil {
		return storekit.Unavailable("find the log beside the file", err)
	}
	return nil
}

func sameFile(path string, known os.FileInfo) error {
	now, err := os.Stat(path)
	if err == nil && !os.SameFile(known, now) {
		err = errReplaced
	}
	return err
}

var errReplaced = errors.New("it was replaced")

// transact runs the commands in one transaction, and returns how often it began. After an error no change was made,
// unless the commit itself failed: then the outcome is unknown.
func (w *Writer) transact(batch []*storekit.Command[*Tx]) (attempts int, err error) {
	err = w.attempt(batch, false)
	if errors.Is(err, errUndo) {
		return 2, w.attempt(batch, true)
	}
	return 1, err
}

// errUndo ends the first attempt at a batch, because one command has to be undone on its own.
var errUndo = errors.New("a command is to be undone")

// attempt runs the commands in one transaction. If undoable is set, each begins with a savepoint.
func (w *Writer) attempt(batch []*storekit.Command[*Tx], undoable bool) (err error) {
	w.dirty, w.written, w.Incomplete = false, false, false
	w.cache.each(anyTable.begin)
	for _, b := range w.batches {
		b.Begin()
	}
	ctx := context.Background() // no statement is interrupted
	var lost *Tx                // the last one with a failure of the engine
	defer func() {
		switch {
		case errors.Is(err, errUndo):
		case lost != nil:
			w.unproven.Store(&unproven{lost.repeat})
		case err != nil:
			w.unproven.Store(new(unproven))
		}
	}()
	if w.Conn == nil {
		if err := w.connect(); err != nil {
			return storekit.Unavailable("connect the writer", err)
		}
	}
	if err := w.exec(begin); err != nil {
		w.disconnect()
		return err
	}
	w.before = w.cache.Version()
	committed := false // remains false if work ends the goroutine
	defer func() {
		if !committed && w.exec(rollback) != nil {
			w.disconnect() // the state of the connection is unknown
		}
	}()
	if err := w.known(); err != nil {
		return err
	}
	for _, c := range batch {
		q, err := w.runOne(c, undoable)
		if q.lost != nil {
			lost = q
		}
		if err != nil {
			return err
		}
	}
	end := w.transaction()
	for _, b := range w.batches {
		if err := b.End(ctx, end); err != nil {
			lost = end
			return err
		}
	}
	w.cache.commits()
	err = w.exec(commit)
	made := w.cache.committed(w.before, err == nil && w.written, !w.Incomplete)
	if err != nil {
		return err
	}
	committed = true
	for _, b := range w.batches {
		b.Committed(made)
	}
	w.Transactions.Add(1)
	return nil
}

func (w *Writer) transaction() *Tx {
	q := &Tx{Conn: w.Conn, update: true, Version: w.before, stale: w.Incomplete}
	if w.Incomplete {
		q.Version = internals.Version{}
	}
	return q
}

// runOne runs a command, and returns its transaction. It undoes the changes of a command that is not accepted, or
// returns errUndo. If SQLite has rolled back the shared transaction, it returns the cause.
func (w *Writer) runOne(c *storekit.Command[*Tx], undoable bool) (*Tx, error) {
	q := w.transaction()
	q.undoable = undoable
	w.cache.each(anyTable.reset)
	for _, b := range w.batches {
		b.Reset()
	}
	accepted := c.Run(q) == storekit.Succeeded
	switch {
	case w.Conn.AutocommitEnabled():
		return q, cmp.Or(q.lost, storekit.Unavailable("end a command", errGivenUp))
	case !q.writes:
		return q, nil
	case accepted:
		w.dirty = true
		w.written = w.written || q.written
		w.Incomplete = w.Incomplete || q.Incomplete
		w.cache.each(anyTable.accept)
		for _, b := range w.batches {
			b.Accept()
		}
	case !undoable:
		return q, errUndo
	default:
		if err := w.exec(rollbackTo); err != nil {
			return q, cmp.Or(q.lost, err)
		}
	}
	if !undoable {
		return q, nil
	}
	return q, w.exec(release)
}

// errNewer reports that a process of a later version has upgraded the file. Writes of this version might lack the
// fields that the later one has added.
var errNewer = errors.New(
	"a newer version of this program has upgraded the file while this one had it open: run that version")

// known returns errNewer if the schema of the file does not have the version that this process knows.
func (w *Writer) known() error {
	var version int64
	err := w.transaction().Row(context.Background(), getVersion, nil, func(r *Row) { version = r.Integer() })
	if err == nil && version != w.version {
		err = storekit.Unavailable("write to the file", errNewer)
	}
	return err
}

var errGivenUp = errors.New("the database engine rolled back the transaction")

func (w *Writer) exec(n *Statement) error {
	if err := w.Conn.Do(n); err != nil {
		return unavailable(n, err)
	}
	return nil
}

// Rollback rolls back the present transaction, as SQLite does when the disk fails.
func (w *Writer) Rollback() error { return w.exec(rollback) }

// Durably are the settings of the connection that writes. A changed page is written to the WAL and, at a checkpoint, to
// the file. With a longer WAL more pages change again before the checkpoint, which saves writes. The WAL is reused from
// its start once no reader needs it. If a long read, such as a proof, made it grow, it is truncated to twice the usual
// size, 32 MiB. Only macOS has a full fsync: its ordinary one stops at the drive's cache. A transaction remains in
// memory until its commit, however large, so that the WAL has no frame of a transaction that was rolled back: see
// walcheck.
var Durably = []string{
	"journal_mode = wal", "synchronous = full", "fullfsync = on", "checkpoint_fullfsync = on", "foreign_keys = on",
	"cache_size = -4000", "cache_spill = off", "wal_autocheckpoint = 4000", "journal_size_limit = 33554432",
}

// connect opens a connection, and checks that it is as durable as promised.
func (w *Writer) connect() error {
	conn, err := Connect(w.path, Mode("rw"), Durably...)
	if err != nil {
		return err
	}
	if err := durable(conn); err != nil {
		return errors.Join(err, conn.Close())
	}
	w.Conn = conn
	if err := w.known(); err != nil {
		w.disconnect()
		return err
	}
	w.log.Store(nil)
	if log, err := os.Stat(w.wal); err == nil {
		w.log.Store(&log)
	}
	return nil
}

func durable(conn *Conn) error {
	var mode string
	var synchronous, foreign, full int64
	err := conn.Ask("SELECT * FROM pragma_journal_mode, pragma_synchronous, pragma_foreign_keys, pragma_fullfsync",
		func(r *Row) {
			mode, synchronous, foreign, full = r.Text(), r.Integer(), r.Integer(), r.Integer()
		})
	if err != nil {
		return err
	}
	if mode != "wal" || synchronous != 2 || foreign != 1 || full != 1 {
		return fmt.Errorf(
			"journal_mode is %s and not wal, synchronous is %d and not 2, foreign_keys %d and not 1, or fullfsync %d and not 1: "+
				"keep the file on a local disk", mode, synchronous, foreign, full)
	}
	return nil
}

// disconnect drops the connection, and with it any open transaction.
func (w *Writer) disconnect() {
	_ = w.Conn.Close()
	w.Conn = nil
}

// close waits until the queue is empty. No command may join it any more.
func (w *Writer) close() error {
	w.queue.Close()
	if w.Conn == nil {
		return nil
	}
	// This is needed if another process retains the WAL. It waits for no reader.
	return errors.Join(w.Conn.Run("PRAGMA wal_checkpoint(PASSIVE)"), w.Conn.Close())
}

// OpenAlone opens a connection that writes, the first connection of this process to the file at path.
func OpenAlone(path string) (c *Conn, err error) {
	err = internals.Alone(path, func(how url.Values) (err error) {
		c, err = Connect(path, Mode("rw", how))
		return err
	})
	if err != nil && c != nil {
		err = errors.Join(err, c.Close())
	}
	return c, err
}
