package engine

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"resellerd/adapters/sqlitestore/internals"
	"resellerd/adapters/storekit"
)

// DB is a file that is open for reading and writing.
type DB struct {
	Path   string
	Writer *Writer

	cache   *Cache
	check   func(path string) error
	users   storekit.Gate
	viewing sync.RWMutex // held by each view, so that the connections stay
	readers chan *Reader
	unread  atomic.Pointer[unproven] // the last read that the engine failed, nil if it has succeeded since
}

// Open opens the file at an absolute path, whose schema is as the statements want it and has this version. check
// reports whether the WAL beside it can be read; it is called again before each reconnection.
func Open(path string, version int64, c *Cache, check func(path string) error, b ...Batch) (*DB, error) {
	d := &DB{Path: path, cache: c, check: check}
	var err error
	if d.Writer, err = newWriter(path, version, c, b); err != nil {
		return nil, err
	}
	if err := d.Writer.connect(); err != nil {
		return nil, err
	}
	go d.Writer.queue.Serve(d.Writer.run)
	if err := d.openReaders(); err != nil {
		return nil, errors.Join(err, d.Writer.close())
	}
	d.Writer.connected = d.reconnect
	return d, nil
}

// Enter counts a call under way: Close waits until it leaves.
func (d *DB) Enter(ctx context.Context) error { return d.users.Enter(ctx) }

// Leave ends a call that has entered.
func (d *DB) Leave() { d.users.Leave() }

// Update runs work in a transaction that it shares with others, possibly several times, and returns once it is
// committed.
func (d *DB) Update(ctx context.Context, work func(*Tx) error) error {
	if err := d.Enter(ctx); err != nil {
		return err
	}
	defer d.Leave()
	return d.Do(ctx, work)
}

// Do is Update for a call that has entered.
func (d *DB) Do(ctx context.Context, work func(*Tx) error) error {
	return d.Writer.queue.Do(ctx, work)
}

// reconnect drops all connections if the index of the WAL that they share was removed or replaced, and connects again
// once no view is left. The writer's goroutine calls it. Another process may have created a new index since and
// committed by it: nothing is written by the old one any more, not even a checkpoint.
func (d *DB) reconnect() error {
	err := d.inPlace()
	if err == nil || !d.viewing.TryLock() {
		return err
	}
	defer d.viewing.Unlock()
	if d.Writer.Conn != nil {
		d.Writer.disconnect() // the first: what is in the WAL is for the last to write to the file, and that may not write
	}
	d.cache.forget()
	if err := d.closeReaders(); err != nil {
		return storekit.Unavailable("close connections that read", err)
	}
	if err := d.check(d.Path); err != nil {
		return storekit.Unavailable("look at the log beside the file", err)
	}
	if err := d.Writer.connect(); err != nil {
		return storekit.Unavailable("connect the writer", err)
	}
	if err := d.openReaders(); err != nil {
		return storekit.Unavailable("open a connection that reads", err)
	}
	return d.inPlace()
}

// inPlace returns an error if the index of the WAL is not the one that the connections share.
func (d *DB) inPlace() error { return indexInPlace(&d.cache.Index) }

func indexInPlace(x *internals.Index) error {
	if err := x.InPlace(); err != nil {
		return storekit.Unavailable("look for the index of the log beside the file (-shm)", err)
	}
	return nil
}

var errUndone = errors.New("this was tried only")

// Ready returns an error unless the file is still the one that was opened, look succeeds and a command gets its turn.
// A read that the engine has failed, as of a malformed file, has to succeed first. It writes only if a write may fail:
// at first, and after a command was lost. Then the failed statement is tried once more and undone, and the write of
// probe has to be kept.
func (d *DB) Ready(ctx context.Context, look, probe func(*Tx) error) error {
	if err := d.Writer.inPlace(); err != nil {
		return err
	}
	if failed := d.unread.Load(); failed != nil {
		if err := d.Snapshot(ctx, func(q *Tx) error { return failed.repeat(ctx, q) }); err != nil {
			return err
		}
		d.unread.CompareAndSwap(failed, nil)
	}
	failed := d.Writer.unproven.Load()
	if failed == nil {
		return errors.Join(d.Snapshot(ctx, look), d.Update(ctx, look))
	}
	if err := errors.Join(d.Snapshot(ctx, look), d.probe(ctx, failed, probe)); err != nil {
		return err
	}
	d.Writer.unproven.CompareAndSwap(failed, nil) // unless a command was lost meanwhile
	return nil
}

func (d *DB) probe(ctx context.Context, failed *unproven, probe func(*Tx) error) error {
	if failed.repeat != nil {
		err := d.Update(ctx, func(q *Tx) error {
			_ = failed.repeat(ctx, q) // it may be refused by now, but the engine has to run it
			return errUndone
		})
		if !errors.Is(err, errUndone) {
			return err
		}
	}
	return d.Update(ctx, probe)
}

// Load is how many commands wait, and how many bytes the WAL has. SQLite reuses the WAL from its start and keeps its
// size: it grows while a reader, of any process, prevents that.
func (d *DB) Load() (waiting int, wal int64) {
	if log, err := os.Stat(d.Path + "-wal"); err == nil { // gone if another process closed the file last
		wal = log.Size()
	}
	return d.Writer.queue.Len(), wal
}

// Close waits for all calls, calls last, which may still use Do, and brings the file up to date, so that it can be
// copied on its own if no other process has it open.
func (d *DB) Close(last func()) error {
	if !d.users.Shut() {
		return nil
	}
	last()
	// Readers first: the last connection to close empties the WAL and can't do
	// so if it may not write.
	return errors.Join(d.closeReaders(), d.Writer.close())
}
