// Package memstore keeps everything in memory: a real store for tests and
// demonstrations, held to the promises of every other one but for the obvious
// one, that records outlive the process.
//
// All records are one immutable value. Updates run one at a time, each on a copy
// of its own that replaces the value when it succeeds; a View reads the value
// that it found and waits for nobody.
package memstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/ports"
)

var (
	_ ports.Store      = (*Store)(nil)
	_ ports.CopyTarget = (*Store)(nil)
)

var errClosed = errors.New("the store is closed")

// Store is a ports.Store in memory. Make it with New.
type Store struct {
	committed atomic.Pointer[records]
	ids       ids

	writer    chan struct{} // holds a token while an update runs, and for ever after Close
	closing   chan struct{} // closed by Close
	closeOnce sync.Once
}

// New returns an empty store.
func New() *Store {
	s := &Store{
		writer:  make(chan struct{}, 1),
		closing: make(chan struct{}),
	}
	s.committed.Store(noRecords())
	return s
}

// Update implements ports.Store. It runs work once; while it waits for its turn
// it ends with ctx, and a work that returned nil takes effect in any case.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error, _ ...ports.Reads) error {
	return s.alone(ctx, func(r *records) error {
		session := &transaction{records: r}
		defer session.ended.Store(true)
		return work(ctx, session.tx())
	})
}

// View implements ports.Store.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, snapshot ports.Snapshot) error) error {
	if err := s.Ready(ctx); err != nil {
		return err
	}
	r := s.committed.Load()
	return look(ctx, ports.Snapshot{
		Resellers: resellerReader{r},
		Lines:     lineReader{r},
		Ledger:    statements{r},
		Keys:      keyReader{r},
	})
}

// ViewRecords implements ports.Archive.
func (s *Store) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	if err := s.Ready(ctx); err != nil {
		return err
	}
	r := s.committed.Load()
	return look(ctx, archived{audit{r}, exporter{r, &s.ids}, statements{r}})
}

// archived implements ports.Records.
type archived struct {
	audit
	exporter
	statements
}

// NextID implements ports.Store.
func (s *Store) NextID(ctx context.Context, of ports.Sequence) (int64, error) {
	if err := s.Ready(ctx); err != nil {
		return 0, err
	}
	return s.ids.give(of)
}

// ClaimKey implements ports.Store.
func (s *Store) ClaimKey(ctx context.Context, fingerprint string) (string, error) {
	var recorded string
	err := s.alone(ctx, func(r *records) error {
		if r.copying != nil {
			return ports.ErrUnfinishedCopy
		}
		if r.fingerprint == nil {
			r.fingerprint = &fingerprint
		}
		recorded = *r.fingerprint
		return nil
	})
	return recorded, err
}

// DropExpired implements ports.Store.
func (s *Store) DropExpired(ctx context.Context, now, latest time.Time, limit int) (dropped int, err error) {
	err = s.alone(ctx, func(r *records) error {
		r.expireBy(latest, limit)
		for e := range r.expiries.all() {
			if dropped >= limit || e.at.After(now) {
				break
			}
			r.dropKey(e)
			dropped++
		}
		return nil
	})
	return dropped, err
}

// Ready implements ports.Store.
func (s *Store) Ready(ctx context.Context) error {
	select {
	case <-s.closing:
		return unavailable(errClosed)
	default:
	}
	if err := ctx.Err(); err != nil {
		return unavailable(err)
	}
	return nil
}

// Close implements ports.Store. It may be repeated.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		close(s.closing)
		s.writer <- struct{}{}
	})
	return nil
}

// alone runs change on a copy of the records while nobody else changes them, and
// keeps the copy if change succeeds.
func (s *Store) alone(ctx context.Context, change func(*records) error) error {
	select {
	case s.writer <- struct{}{}:
	case <-ctx.Done():
		return unavailable(ctx.Err())
	case <-s.closing:
		return unavailable(errClosed)
	}
	defer func() { <-s.writer }()
	if err := s.Ready(ctx); err != nil { // select takes any of the ready cases
		return err
	}
	changed := *s.committed.Load()
	if err := change(&changed); err != nil {
		return err
	}
	kept := changed // a Tx that outlives its Update still points to changed
	s.committed.Store(&kept)
	return nil
}

func unavailable(cause error) error { return fmt.Errorf("%w: %w", ports.ErrUnavailable, cause) }
