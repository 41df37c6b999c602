// Package sqlitestore keeps everything in one SQLite file: the store that needs
// no server.
//
// # Durability
//
// The file is in WAL mode with synchronous=FULL: an update that was answered is
// on the disk and survives a kill and a power cut. NORMAL would be faster and may
// lose answered updates when the power goes, which a ledger can't have. Open
// refuses a file system on which these two can't be had.
//
// # Group commit
//
// All updates go through one connection. What waits when it gets free, up to 128
// commands, shares one transaction and so one flush to the disk: the more
// callers, the less each pays for it, and a lone one waits for nobody. Each
// command has a savepoint of its own, so that a refused one leaves its neighbours
// alone, and all of them are answered after the commit. Work runs on the
// goroutine that called Update, one at a time, while the writer waits for it.
//
// Where the transaction itself is lost (disk full, I/O error, failed commit), all
// who shared it get ports.ErrUnavailable with the cause, nothing of it is kept, and
// the next transaction starts anew.
//
// What it takes to undo a command is kept in memory, and no file is made but those
// beside the database: there may be no folder for temporary files. So a command
// changes a bounded number of records.
//
// # Contexts
//
// An update whose context ends before its turn is not run. Statements are never
// interrupted, because SQLite may give up a whole transaction, and with it the
// neighbours, when one is. Work whose context ended while it ran is rolled back;
// after that the commit goes on and only the wait for it ends.
//
// # Reads
//
// Views have connections of their own that can't write. Each view is one read
// transaction, which neither waits for the writer nor holds it up.
//
// # Lists
//
// A list (all lines, those of one owner, those of a whole tree) is one range of an
// index in the order of ids, and one in that of expiry, however many resellers the
// tree has: a page costs the same at any size. Triggers keep the entries in step
// with the records. A line has two in either order, and one more for each reseller
// from its owner up to the root. A line that is deleted leaves them, and a tombstone
// in its own place.
//
// # Processes and backups
//
// One process per file is the normal case. Several on one machine are safe (a
// transaction waits up to five seconds for that of another process) but share
// one disk and gain nothing. Network file systems are not for SQLite.
//
// Back up a running store with VACUUM INTO, from the sqlite3 command line or
// another process; a plain copy of the file lacks what is still in the WAL.
//
// # Upgrades
//
// Open runs the migrations that are missing, each in a transaction. They only add
// to the schema. An Archive reads a file of any earlier schema as it is, and writes
// neither to it nor beside it.
package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"resellerd/ports"
)

var (
	_ ports.Store      = (*Store)(nil)
	_ ports.CopyTarget = (*Store)(nil)
)

var errClosed = errors.New("the store is closed")

// Store is a ports.Store on one SQLite file.
type Store struct {
	path    string
	file    os.FileInfo // what was opened
	users   gate
	writer  *writer
	readers *sql.DB
	looks   [statementCount]*sql.Stmt // what a View runs, nil for the others
	ids     map[ports.Sequence]*idBlock
}

// Update implements ports.Store.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error) error {
	return s.update(ctx, func(q *transaction) error {
		return work(ctx, ports.Tx{
			Resellers: resellers{q},
			Lines:     lines{q},
			Ledger:    ledger{q},
			Keys:      keys{q},
		})
	})
}

func (s *Store) update(ctx context.Context, work func(*transaction) error) error {
	if err := s.users.enter(); err != nil {
		return err
	}
	defer s.users.leave()
	return s.writer.do(ctx, work)
}

// View implements ports.Store. The snapshot is taken at the first read.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return s.view(ctx, func(q *transaction) error {
		return look(ctx, q.snapshot())
	})
}

func (q *transaction) snapshot() ports.Snapshot {
	return ports.Snapshot{
		Resellers: resellers{q},
		Lines:     lines{q},
		Ledger:    ledger{q},
		Keys:      keys{q},
	}
}

// ViewRecords implements ports.Archive. The snapshot is taken at the first read.
func (s *Store) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	return s.view(ctx, func(q *transaction) error {
		return look(ctx, q.archived())
	})
}

// archived implements ports.Records.
type archived struct {
	audit
	exporter
	ledger
}

func (q *transaction) archived() ports.Records { return archived{audit{q}, exporter{q}, ledger{q}} }

func (s *Store) view(ctx context.Context, look func(*transaction) error) error {
	if err := s.users.enter(); err != nil {
		return err
	}
	defer s.users.leave()
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return unavailable("begin a view", err)
	}
	var bound [statementCount]*sql.Stmt // once for the view: the transaction keeps each until it ends
	q := &transaction{prepared: func(ctx context.Context, n statement) *sql.Stmt {
		if bound[n] == nil {
			bound[n] = tx.StmtContext(ctx, s.looks[n])
		}
		return bound[n]
	}}
	defer func() {
		q.end()
		_ = tx.Rollback() // nothing was written: there is nothing to lose
	}()
	err = look(q)
	if q.lost != nil {
		return q.lost
	}
	return err
}

// The settings: the fingerprint of the service key, and the instant, in Unix
// milliseconds, from which deletions have left tombstones, if they have not always.
const (
	keyFingerprint  = "key-fingerprint"
	tombstonesSince = "tombstones-since"
)

// ClaimKey implements ports.Store.
func (s *Store) ClaimKey(ctx context.Context, fingerprint string) (recorded string, err error) {
	var found string
	err = s.update(ctx, func(q *transaction) error {
		if run, err := q.copying(ctx); err != nil || run != "" {
			return cmp.Or[error](err, ports.ErrUnfinishedCopy)
		}
		if _, err := q.exec(ctx, claimSetting, keyFingerprint, fingerprint); err != nil {
			return err
		}
		return q.row(ctx, getSetting, []any{keyFingerprint}, plain(&found))
	})
	if err != nil {
		return "", fmt.Errorf("claim the service key: %w", err)
	}
	return found, nil
}

// DropExpired implements ports.Store.
func (s *Store) DropExpired(ctx context.Context, now, latest time.Time, limit int) (int, error) {
	limit = max(limit, 0) // SQLite takes a negative one for none
	var dropped int64
	err := s.update(ctx, func(q *transaction) (err error) {
		if _, err = q.exec(ctx, expireBy, latest.UnixMilli(), limit); err == nil {
			dropped, err = q.exec(ctx, dropExpired, now.UnixMilli(), limit)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("drop expired keys: %w", err)
	}
	return int(dropped), nil
}

// probeLength is over what a command writes: where the probe is kept, so is a
// command.
const probeLength = 256 << 10

var errUndone = errors.New("this was tried only")

// Ready implements ports.Store: the file is still the one that was opened, a read
// is answered and a command gets its turn. It writes only where a write may fail:
// at first, and after a command was lost. Then the statement that failed is tried
// once more and undone, and a write has to be kept.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.sameFile(); err != nil {
		return err
	}
	look := func(q *transaction) error {
		_, err := resellers{q}.Empty(ctx)
		return err
	}
	doubt := s.writer.doubt.Load()
	if doubt == nil {
		return errors.Join(s.view(ctx, look), s.update(ctx, look))
	}
	if err := errors.Join(s.view(ctx, look), s.probe(ctx, doubt)); err != nil {
		return err
	}
	s.writer.doubt.CompareAndSwap(doubt, nil) // unless a command was lost meanwhile
	return nil
}

func (s *Store) probe(ctx context.Context, d *doubt) error {
	if d.repeat != nil {
		err := s.update(ctx, func(q *transaction) error {
			_ = d.repeat(ctx, q) // it may be refused by now: what counts is that the engine runs it
			return errUndone
		})
		if !errors.Is(err, errUndone) {
			return err
		}
	}
	return s.update(ctx, func(q *transaction) error {
		if _, err := q.exec(ctx, putSetting, "probe", strings.Repeat("probe...", probeLength/8)); err != nil {
			return err
		}
		_, err := q.exec(ctx, dropSetting, "probe")
		return err
	})
}

// sameFile refuses to go on in a file that was removed or replaced: nothing that is
// written to it would be found again.
func (s *Store) sameFile() error {
	now, err := os.Stat(s.path)
	if err == nil && !os.SameFile(s.file, now) {
		err = errors.New("it was replaced")
	}
	if err != nil {
		return unavailable("look for the file", err)
	}
	return nil
}

// Close implements ports.Store. It waits for views too, and brings the file up to
// date, so that it can be copied by itself where no other process has it open.
func (s *Store) Close() error {
	if !s.users.shut() {
		return nil
	}
	// Readers first: the last connection to close empties the WAL and can't do
	// so if it may not write.
	return errors.Join(s.readers.Close(), s.writer.close())
}

// gate counts those inside and lets nobody in once it is shut.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return unavailable("use the store", errClosed)
	}
	g.inside.Add(1)
	return nil
}

func (g *gate) leave() { g.inside.Done() }

// shut waits until everybody has left, and reports whether this call shut it.
func (g *gate) shut() bool {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return false
	}
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
	return true
}
