package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

// maxBatch bounds how many commands share a transaction, and so how long the first
// of them waits for the last.
const maxBatch = 128

// Update implements ports.Store. A read costs so little that hints are of no use.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error, _ ...ports.Reads) error {
	return s.update(ctx, func(q *transaction) error {
		return work(ctx, ports.Tx{
			Resellers: resellers{q},
			Lines:     lines{q},
			Ledger:    ledger{q},
			Keys:      keys{q},
			Sessions:  sessions{q},
		})
	})
}

func (s *Store) update(ctx context.Context, work func(*transaction) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	return s.writer.queue.Do(ctx, work)
}

// writer owns the only connection that writes.
type writer struct {
	path  string
	file  os.FileInfo                 // what was opened
	wal   string                      // where its WAL is
	log   atomic.Pointer[os.FileInfo] // that WAL
	queue *storekit.Queue[*transaction]
	// connected returns an error where the connections of the store are not of the files that are there.
	connected func() error
	conn      *connection // nil until the next transaction needs it
	lists     *lists
	cache     *cache
	reused    writeSet // by each command for its own
	dirty     bool     // a command of the present transaction has written and is kept

	changed *changes // by the present transaction
	before  version  // of the file: nobody else changes it while this transaction is open

	watch        storekit.Watch
	transactions atomic.Int64             // committed ones
	unproven     atomic.Pointer[unproven] // nil where writes are known to be kept
}

// unproven says that it is not known whether a write is kept: none was tried yet, or
// a command was lost, whether a statement of its own failed or the transaction that
// it shared.
type unproven struct {
	repeat func(context.Context, *transaction) error // the statement that failed, nil where none did
}

func newWriter(path string, c *cache) (*writer, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	itself, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	w := &writer{path: path, file: file, wal: itself + "-wal", queue: storekit.NewQueue[*transaction](maxBatch, 0), lists: newLists(), cache: c, changed: newChanges()}
	w.unproven.Store(new(unproven))
	return w, nil
}

// run runs commands and tells each how its transaction ended.
func (w *writer) run(batch []*storekit.Command[*transaction]) {
	began := time.Now()
	attempts, err := 0, w.connected()
	if err == nil {
		attempts, err = w.transact(batch)
	}
	if err == nil && w.dirty {
		err = cmp.Or(w.inPlace(), w.cache.file.inPlace())
	}
	if err == nil && w.dirty {
		w.watch.Committed(len(batch), attempts, time.Since(began))
	}
	for _, c := range batch {
		c.End(err)
	}
}

// inPlace refuses to go on in a file that was removed or replaced, or whose WAL was: nothing that is written there would
// be found again.
func (w *writer) inPlace() error {
	if err := sameFile(w.path, w.file); err != nil {
		return storekit.Unavailable("look for the file", err)
	}
	known := w.log.Load()
	if known == nil {
		return nil
	}
	if err := sameFile(w.wal, *known); err != nil {
		return storekit.Unavailable("look for the log beside the file", err)
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

// transact runs the commands in one transaction, and returns how often that was begun.
// An error means that nothing of it was kept, or, where the commit itself failed, that
// nobody can tell.
func (w *writer) transact(batch []*storekit.Command[*transaction]) (attempts int, err error) {
	err = w.attempt(batch, false)
	if errors.Is(err, errUndo) {
		return 2, w.attempt(batch, true)
	}
	return 1, err
}

// errUndo ends the first attempt at a batch: a command has to be undone by itself.
var errUndo = errors.New("a command is to be undone")

// attempt runs the commands in one transaction. It begins each with a savepoint where
// these can be undone one by one.
func (w *writer) attempt(batch []*storekit.Command[*transaction], undoable bool) (err error) {
	w.dirty = false
	w.changed.forget()
	ctx := context.Background() // a statement is never interrupted
	var lost *transaction       // the last that met a failure of the engine
	defer func() {
		switch {
		case errors.Is(err, errUndo):
		case lost != nil:
			w.unproven.Store(&unproven{lost.repeat})
		case err != nil:
			w.unproven.Store(new(unproven))
		}
	}()
	if w.conn == nil {
		if err := w.connect(); err != nil {
			return storekit.Unavailable("connect the writer", err)
		}
	}
	if err := w.exec(begin); err != nil {
		w.disconnect()
		return err
	}
	w.before = w.cache.file.version()
	committed := false // nor is it where work ends the goroutine
	defer func() {
		if committed {
			return
		}
		clear(w.lists.moves)
		if w.exec(rollback) != nil {
			w.disconnect() // it is not known what the connection is in
		}
	}()
	for _, c := range batch {
		q, err := w.give(c, undoable)
		if q.lost != nil {
			lost = q
		}
		if err != nil {
			return err
		}
	}
	end := w.transaction()
	if err := w.lists.write(ctx, end); err != nil {
		lost = end
		return storekit.Unavailable("enter lines in lists", err)
	}
	w.cache.commits()
	if err := w.exec(commit); err != nil {
		w.cache.committed(w.before, nil)
		return err
	}
	w.cache.committed(w.before, w.changed)
	committed = true
	w.transactions.Add(1)
	return nil
}

func (w *writer) transaction() *transaction {
	q := &transaction{connection: w.conn, update: true, cache: w.cache, version: w.before, changed: w.changed, writeSet: w.reused.emptied()}
	if w.changed.incomplete {
		q.cache, q.changed = nil, nil
	}
	return q
}

// give gives a command its turn, and returns the transaction as it had it. What is not
// kept of it is undone, or the error is errUndo. SQLite may have given up the transaction
// of all meanwhile: the error is then the failure for which it did.
func (w *writer) give(c *storekit.Command[*transaction], undoable bool) (*transaction, error) {
	q := w.transaction()
	defer func() { w.reused = q.writeSet }()
	q.undoable = undoable
	kept := c.Run(q) == storekit.Kept
	switch {
	case w.conn.AutocommitEnabled():
		return q, cmp.Or(q.lost, storekit.Unavailable("end a command", errGivenUp))
	case !q.writes:
		return q, nil
	case kept:
		w.dirty = true
		w.lists.add(q.writeSet.moves)
		w.changed.add(q)
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

var errGivenUp = errors.New("the database engine gave up the transaction")

func (w *writer) exec(n *statement) error {
	if err := w.conn.do(n); err != nil {
		return unavailable(n, err)
	}
	return nil
}

// durably are the settings of the connection that writes. A page that a command
// changes is written to the WAL and, at a checkpoint, to the file: the longer the WAL,
// the more of its pages were changed again by then. It is used again from its start
// once nobody reads what is in it. Where somebody has read for long, such as a proof, it
// has grown meanwhile: then it is cut to twice the usual, 32 MiB.
// Only macOS knows the full fsync: its ordinary one stops at the drive's own memory.
// A transaction stays in memory until its commit, however large: see wal_linux.go.
var durably = []string{
	"journal_mode = wal", "synchronous = full", "fullfsync = on", "checkpoint_fullfsync = on", "foreign_keys = on",
	"cache_size = -4000", "cache_spill = off", "wal_autocheckpoint = 4000", "journal_size_limit = 33554432",
}

// connect takes a connection, checks that it is as durable as promised, and
// prepares the statements.
func (w *writer) connect() error {
	gathered, err := gathering()
	if err != nil {
		return err
	}
	conn, err := connect(w.path, mode("rw", gathered), durably...)
	if err != nil {
		return err
	}
	if err := w.prepare(conn); err != nil {
		return errors.Join(err, conn.Close())
	}
	w.conn = conn
	w.log.Store(nil)
	if log, err := os.Stat(w.wal); err == nil {
		w.log.Store(&log)
	}
	return nil
}

func (w *writer) prepare(conn *connection) error {
	var mode string
	var synchronous, foreign, full int64
	err := conn.ask("SELECT * FROM pragma_journal_mode, pragma_synchronous, pragma_foreign_keys, pragma_fullfsync", func(r *row) {
		mode, synchronous, foreign, full = r.text(), r.integer(), r.integer(), r.integer()
	})
	if err != nil {
		return err
	}
	if mode != "wal" || synchronous != 2 || foreign != 1 || full != 1 {
		return fmt.Errorf("journal_mode is %s and not wal, synchronous is %d and not 2, foreign_keys %d and not 1, or fullfsync %d and not 1: "+
			"keep the file on a local disk", mode, synchronous, foreign, full)
	}
	return conn.prepareAll(func(*statement) bool { return true })
}

// disconnect gives up the connection, and with it whatever transaction is open.
func (w *writer) disconnect() {
	_ = w.conn.Close()
	w.conn = nil
}

// close waits until the queue is empty. Nobody may be about to join it.
func (w *writer) close() error {
	w.queue.Close()
	if w.conn == nil {
		return nil
	}
	// Also where another process keeps the WAL alive. It waits for no reader.
	return errors.Join(w.conn.run("PRAGMA wal_checkpoint(PASSIVE)"), w.conn.Close())
}
