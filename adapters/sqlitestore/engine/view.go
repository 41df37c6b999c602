package engine

import (
	"context"
	"errors"
	"net/url"
	"runtime"

	"zombiezen.com/go/sqlite"

	"resellerd/adapters/sqlitestore/internals"
	"resellerd/adapters/storekit"
)

const leastReaders = 4

// View runs look on a snapshot. The first read that the cache can't answer takes it. If the cache has answered from an
// earlier version before, look runs a second time, on a snapshot that is taken at once.
func (d *DB) View(ctx context.Context, look func(*Tx) error) error {
	return d.view(ctx, func() error {
		q := &Tx{db: d, Version: d.cache.Version()}
		err := q.Look(func() error { return look(q) })
		if errors.Is(err, errMoved) {
			err = d.snapshot(ctx, look)
		}
		return err
	})
}

// errMoved ends a view whose cached records belong to an earlier version than its snapshot.
var errMoved = errors.New("the file was changed before the snapshot was taken")

// Snapshot runs look on one snapshot, which it takes first.
func (d *DB) Snapshot(ctx context.Context, look func(*Tx) error) error {
	return d.view(ctx, func() error { return d.snapshot(ctx, look) })
}

func (d *DB) snapshot(ctx context.Context, look func(*Tx) error) error {
	q := &Tx{db: d}
	if err := q.begin(ctx); err != nil {
		return err
	}
	return q.Look(func() error { return look(q) })
}

// view runs a view. Until it ends, the connections do not change.
func (d *DB) view(ctx context.Context, run func() error) error {
	if err := d.Enter(ctx); err != nil {
		return err
	}
	defer d.Leave()
	d.viewing.RLock()
	if d.inPlace() != nil {
		d.viewing.RUnlock()
		if err := d.Do(ctx, func(*Tx) error { return nil }); err != nil { // it connects again
			return err
		}
		d.viewing.RLock()
		if err := d.inPlace(); err != nil {
			d.viewing.RUnlock()
			return err
		}
	}
	defer d.viewing.RUnlock()
	return run()
}

// Look runs look and ends the view.
func (q *Tx) Look(look func() error) error {
	defer q.endView()
	err := look()
	if q.lost != nil {
		return q.lost
	}
	if err == nil && q.db != nil && q.reader != nil {
		err = q.db.inPlace() // else other processes would not respect the snapshot
	}
	return err
}

func (q *Tx) endView() {
	q.End(false)
	if q.reader == nil {
		return
	}
	q.reader.End()
	if q.db != nil {
		q.db.readers <- q.reader
	}
}

// begin takes the snapshot of a view.
func (q *Tx) begin(ctx context.Context) error {
	r, err := q.db.reader(ctx)
	if err != nil {
		return err
	}
	if r == nil {
		if r, err = OpenReader(q.db.Path, nil); err != nil {
			q.db.readers <- nil
			return storekit.Unavailable("open a connection that reads", err)
		}
	}
	before := q.db.cache.Version()
	if err := r.Begin(); err != nil {
		q.db.readers <- r
		return err
	}
	q.reader, q.Conn = r, r.Conn
	at := q.db.cache.Version()
	switch {
	case q.cached && (at != before || at != q.Version):
		return errMoved
	case at != before:
		at = internals.Version{} // a commit came between: its version is unknown
	}
	q.Version = at
	return nil
}

// reader returns an idle connection, or nil if the caller should open one.
func (d *DB) reader(ctx context.Context) (*Reader, error) {
	select {
	case r := <-d.readers: // usually there is one, and waiting for ctx as well has a cost
		return r, nil
	default:
	}
	select {
	case r := <-d.readers:
		return r, nil
	case <-ctx.Done():
		return nil, storekit.Unavailable("wait for a connection that reads", ctx.Err())
	}
}

// Reader is a connection that reads.
type Reader struct {
	*Conn
	// snapshot is the statement that holds a snapshot, nil until the first view.
	snapshot *sqlite.Stmt
}

// openReaders opens a reading connection, and sets the limit of reading connections, which are opened when needed. The
// first one is used to follow the versions of the file.
func (d *DB) openReaders() error {
	var first *Reader
	err := d.cache.Index.Follow(d.Path, func(how url.Values) (err error) {
		if first, err = OpenReader(d.Path, how); err != nil {
			return err
		}
		return first.Ask("SELECT count(*) FROM sqlite_schema", func(*Row) {})
	})
	if err != nil {
		if first != nil {
			err = errors.Join(err, first.Close())
		}
		return err
	}
	d.readers = make(chan *Reader, max(leastReaders, runtime.GOMAXPROCS(0)))
	d.readers <- first
	for len(d.readers) < cap(d.readers) {
		d.readers <- nil
	}
	return nil
}

// OpenReader opens a connection that reads.
func OpenReader(path string, how url.Values) (*Reader, error) {
	c, err := Connect(path, Mode("ro", how))
	if err != nil {
		return nil, err
	}
	return &Reader{Conn: c}, nil
}

// Close closes the connection.
func (r *Reader) Close() error {
	if r.snapshot != nil {
		_ = r.snapshot.Finalize() // repeats the error of its last step
	}
	return r.Conn.Close()
}

// closeReaders closes idle connections.
func (d *DB) closeReaders() (err error) {
	for len(d.readers) > 0 {
		if r := <-d.readers; r != nil {
			err = errors.Join(err, r.Close())
		}
	}
	return err
}

// Begin takes a snapshot. SQLite retains it while a statement is unfinished: the one that reads the data version, until
// End. A transaction would need two more statements, BEGIN and ROLLBACK.
func (r *Reader) Begin() (err error) {
	if r.snapshot == nil {
		// This is not one of the connection's own statements: those are reset when a long one begins or ends.
		r.snapshot, _, err = r.PrepareTransient(takeSnapshot.SQL)
	}
	if err == nil {
		err = Settled(func() error {
			_, err := r.snapshot.Step()
			if err != nil {
				r.End()
			}
			return err
		})
	}
	if err != nil {
		return unavailable(takeSnapshot, err)
	}
	return nil
}

// End ends the snapshot.
func (r *Reader) End() {
	if r.snapshot != nil {
		_ = r.snapshot.Reset() // it has read its row
	}
}

// Transaction returns a Tx that reads from the snapshot of a connection.
func (r *Reader) Transaction() *Tx { return &Tx{Conn: r.Conn, reader: r} }
