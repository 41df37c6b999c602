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
	viewing sync.RWMutex // held by each view, so that the connections do not change
	readers chan *Reader
	unread  atomic.Pointer[unproven] // the last read that the engine failed, nil after a later success
}

// Open opens the file at an absolute path. Its schema must have this version and match the statements. check reports
// whether the WAL beside it can be read; it is called again before each reconnection.
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

// Enter counts a call in progress: Close waits until it leaves.
func (d *DB) Enter(ctx context.Context) error { return d.users.Enter(ctx) }

// Leave ends a call that Enter has counted.
func (d *DB) Leave() { d.users.Leave() }

// Update runs work in a transaction that it shares with others, possibly several times. It returns once the transaction
// is committed.
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

// reconnect is called by the writer's goroutine. If the index of the WAL that all connections share was removed or
// replaced, it drops all connections, and connects again once no view is left. Another process may have created a new
// index since and committed with it. Nothing is written through the old one any more, not even a checkpoint.
func (d *DB) reconnect() error {
	err := d.inPlace()
	if err == nil || !d.viewing.TryLock() {
		return err
	}
	defer d.viewing.Unlock()
	if d.Writer.Conn != nil {
		d.Writer.disconnect() // first: the last connection would write the WAL to the file, and must not
	}
	d.cache.forget()
	if err := d.closeReaders(); err != nil {
		return storekit.Unavailable("close connections that read", err)
	}
	if err := d.check(d.Path); err != nil {
		return storekit.Unavailable("read the log beside the file", err)
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
		return storekit.Unavailable("find the index of the log beside the file (-shm)", err)
	}
	return nil
}

var errUndone = errors.New("the write was only a trial")

// Ready returns an error unless three conditions are true: the file is still the one that was opened, look succeeds,
// and a command can run. After a read that the engine failed, for example in a malformed file, that read has to succeed
// first. Ready writes only if a write may fail: at first, and after a command was lost. It then repeats the failed
// statement and undoes it, and the write of probe has to be stored.
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
	d.Writer.unproven.CompareAndSwap(failed, nil) // unless another command was lost
	return nil
}

func (d *DB) probe(ctx context.Context, failed *unproven, probe func(*Tx) error) error {
	if failed.repeat != nil {
		err := d.Update(ctx, func(q *Tx) error {
			_ = failed.repeat(ctx, q) // it may be refused now, but the engine has to run it
			return errUndone
		})
		if !errors.Is(err, errUndone) {
			return err
		}
	}
	return d.Update(ctx, probe)
}

// Load returns how many commands wait, and the size of the WAL in bytes. SQLite reuses the WAL from its start without
// shrinking it. The WAL grows while a reader, of any process, prevents the reuse.
func (d *DB) Load() (waiting int, wal int64) {
	if log, err := os.Stat(d.Path + "-wal"); err == nil { // gone if another process closed the file last
		wal = log.Size()
	}
	return d.Writer.queue.Len(), wal
}

// Close waits for all calls. It then calls last, which may still use Do, and moves the WAL into the file, so that the
// file can be copied alone if no other process has it open.
func (d *DB) Close(last func()) error {
	if !d.users.Shut() {
		return nil
	}
	last()
	// Readers first: the last connection to close empties the WAL, which it can't do if it may not write.
	return errors.Join(d.closeReaders(), d.Writer.close())
}
