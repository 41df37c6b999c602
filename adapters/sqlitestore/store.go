package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

var _ ports.Store = (*Store)(nil)

// Store is a ports.Store on one SQLite file.
type Store struct {
	path    string
	schema  schema
	users   storekit.Gate
	writer  *writer
	viewing sync.RWMutex // held by each view, so that the connections stay
	readers chan *reader
	cache   *cache
	ids     *storekit.IDs
}

// The settings: the fingerprint of the service key, what is needed of those before it,
// and the instant, in Unix milliseconds, from which deletions have left tombstones, if
// they have not always.
const (
	keyFingerprint  = "key-fingerprint"
	earlierKeys     = "earlier-keys"
	tombstonesSince = "tombstones-since"
)

// ClaimKey implements ports.Store.
func (s *Store) ClaimKey(ctx context.Context, fingerprint string) (recorded string, err error) {
	var found string
	err = s.update(ctx, func(q *transaction) error {
		if run, err := q.copying(ctx); err != nil || run != "" {
			return cmp.Or[error](err, ports.ErrUnfinishedCopy)
		}
		if _, err := q.exec(ctx, claimSetting, args{{"name", text(keyFingerprint)}, {"value", text(fingerprint)}}); err != nil {
			return err
		}
		return q.row(ctx, getSetting, args{{"name", text(keyFingerprint)}}, func(r *row) { found = r.text() })
	})
	if err != nil {
		return "", fmt.Errorf("claim the service key: %w", err)
	}
	return found, nil
}

// reconnect gives up all connections where the index of the WAL that they share was removed or replaced, and connects
// anew, once nobody reads. It is called by the goroutine that writes. Another process may have made an index of its own
// since, and committed by it: nothing is written by the old one any more, not even what is in the WAL into the file.
func (s *Store) reconnect() error {
	err := s.cache.file.inPlace()
	if err == nil || !s.viewing.TryLock() {
		return err
	}
	defer s.viewing.Unlock()
	w := s.writer
	if w.conn != nil {
		w.disconnect() // the first: what is in the WAL is for the last to write to the file, and that may not write
	}
	s.cache.forget()
	if err := closeReaders(s.readers); err != nil {
		return storekit.Unavailable("close connections that read", err)
	}
	if err := checkWAL(s.path); err != nil {
		return storekit.Unavailable("look at the log beside the file", err)
	}
	if err := w.connect(); err != nil {
		return storekit.Unavailable("connect the writer", err)
	}
	readers, err := newReaders(s.path, s.cache.file)
	if err != nil {
		return storekit.Unavailable("open a connection that reads", err)
	}
	s.readers = readers
	return s.cache.file.inPlace()
}

// beginView begins a view: until it ends the connections stay as they are.
func (s *Store) beginView(ctx context.Context) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	s.viewing.RLock()
	err := s.cache.file.inPlace()
	if err == nil {
		return nil
	}
	s.viewing.RUnlock()
	defer func() {
		if err != nil {
			s.users.Leave()
		}
	}()
	if err = s.writer.queue.Do(ctx, func(*transaction) error { return nil }); err != nil { // it connects anew
		return err
	}
	s.viewing.RLock()
	if err = s.cache.file.inPlace(); err != nil {
		s.viewing.RUnlock()
	}
	return err
}

func (s *Store) endView() {
	s.viewing.RUnlock()
	s.users.Leave()
}

// probeLength is over what a command writes: where the probe is kept, so is a
// command.
const probeLength = 256 << 10

var errUndone = errors.New("this was tried only")

// Parts implements ports.Store.
func (s *Store) Parts() ports.Parts {
	return ports.Parts{Archive: s, CopyTarget: s, Rekeyable: s, Sessions: s, Observable: s}
}

// Ready implements ports.Store: the file is still the one that was opened, a read
// is answered and a command gets its turn. It writes only where a write may fail:
// at first, and after a command was lost. Then the statement that failed is tried
// once more and undone, and a write has to be kept.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.writer.inPlace(); err != nil {
		return err
	}
	look := func(q *transaction) error {
		_, err := resellers{q}.Empty(ctx)
		return err
	}
	failed := s.writer.unproven.Load()
	if failed == nil {
		return errors.Join(s.view(ctx, look), s.update(ctx, look))
	}
	if err := errors.Join(s.view(ctx, look), s.probe(ctx, failed)); err != nil {
		return err
	}
	s.writer.unproven.CompareAndSwap(failed, nil) // unless a command was lost meanwhile
	return nil
}

func (s *Store) probe(ctx context.Context, failed *unproven) error {
	if failed.repeat != nil {
		err := s.update(ctx, func(q *transaction) error {
			_ = failed.repeat(ctx, q) // it may be refused by now: what counts is that the engine runs it
			return errUndone
		})
		if !errors.Is(err, errUndone) {
			return err
		}
	}
	return s.update(ctx, func(q *transaction) error {
		if _, err := q.exec(ctx, putSetting, args{{"name", text("probe")}, {"value", text(strings.Repeat("probe...", probeLength/8))}}); err != nil {
			return err
		}
		_, err := q.exec(ctx, dropSetting, args{{"name", text("probe")}})
		return err
	})
}

// Observe implements ports.Observable.
func (s *Store) Observe(seen func(ports.Commit)) { s.writer.watch.Observe(seen) }

// Load implements ports.Observable. SQLite uses the WAL again from its start and leaves its size as it was: it grows as
// long as a reader, of another process too, keeps it from that.
func (s *Store) Load() ports.Load {
	now := ports.Load{Waiting: s.writer.queue.Len()}
	if wal, err := os.Stat(s.path + "-wal"); err == nil { // gone where another process closed the file last
		now.WAL = wal.Size()
	}
	return now
}

// Close implements ports.Store. It waits for views too, and brings the file up to
// date, so that it can be copied by itself where no other process has it open.
func (s *Store) Close() error {
	if !s.users.Shut() {
		return nil
	}
	// Readers first: the last connection to close empties the WAL and can't do
	// so if it may not write.
	return errors.Join(closeReaders(s.readers), s.writer.close())
}
