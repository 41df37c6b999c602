package engine

import (
	"context"
	"errors"
	"os"
	"sync"

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
}

// Open opens the file at an absolute path, whose schema is as the statements want it. check says whether what is in the
// WAL beside it can be read; it is asked before the connections are taken again.
func Open(path string, c *Cache, b Batch, check func(path string) error) (*DB, error) {
	d := &DB{Path: path, cache: c, check: check}
	var err error
	if d.Writer, err = newWriter(path, c, b); err != nil {
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

// Enter counts a call that is under way: Close waits until it leaves.
func (d *DB) Enter(ctx context.Context) error { return d.users.Enter(ctx) }

// Leave ends a call that has entered.
func (d *DB) Leave() { d.users.Leave() }

// Update runs work in a transaction that it shares with others, possibly several times, and returns once it is committed.
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

// reconnect gives up all connections where the index of the WAL that they share was removed or replaced, and connects
// again, once nobody reads. It is called by the goroutine that writes. Another process may have made an index of its own
// since, and committed by it: nothing is written by the old one any more, not even what is in the WAL into the file.
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

// inPlace returns an error where the index of the WAL is not the one that connections share.
func (d *DB) inPlace() error { return indexInPlace(&d.cache.Index) }

func indexInPlace(x *internals.Index) error {
	if err := x.InPlace(); err != nil {
		return storekit.Unavailable("look for the index of the log beside the file (-shm)", err)
	}
	return nil
}

var errUndone = errors.New("this was tried only")

// Ready returns why the store can't answer: the file is still the one that was opened, look is
// answered and a command gets its turn. It writes only where a write may fail:
// at first, and after a command was lost. Then the statement that failed is tried
// once more and undone, and what probe writes has to be kept.
func (d *DB) Ready(ctx context.Context, look, probe func(*Tx) error) error {
	if err := d.Writer.inPlace(); err != nil {
		return err
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
			_ = failed.repeat(ctx, q) // it may be refused by now: what counts is that the engine runs it
			return errUndone
		})
		if !errors.Is(err, errUndone) {
			return err
		}
	}
	return d.Update(ctx, probe)
}

// Load is how many commands wait, and how many bytes the WAL has. SQLite uses the WAL again from its start and leaves its size as it was: it grows as
// long as a reader, of another process too, keeps it from that.
func (d *DB) Load() (waiting int, wal int64) {
	if log, err := os.Stat(d.Path + "-wal"); err == nil { // gone where another process closed the file last
		wal = log.Size()
	}
	return d.Writer.queue.Len(), wal
}

// Close waits for all calls, and brings the file up to
// date, so that it can be copied by itself where no other process has it open.
func (d *DB) Close() error {
	if !d.users.Shut() {
		return nil
	}
	// Readers first: the last connection to close empties the WAL and can't do
	// so if it may not write.
	return errors.Join(d.closeReaders(), d.Writer.close())
}
