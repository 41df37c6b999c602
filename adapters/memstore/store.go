package memstore

import (
	"context"
	"sync/atomic"

	"resellerd/adapters/storekit"
	"resellerd/ports"
)

var _ ports.Store = (*Store)(nil)

// Store is a ports.Store in memory. Make it with New.
type Store struct {
	users     storekit.Gate
	writer    chan struct{} // holds a value while an update runs
	committed atomic.Pointer[records]
	ids       ids
	appended  storekit.Signal // the journal may have grown, or the store is closed
}

// New returns an empty store.
func New() *Store {
	s := &Store{writer: make(chan struct{}, 1)}
	s.committed.Store(new(records))
	return s
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

// Parts implements ports.Store.
func (s *Store) Parts() ports.Parts {
	return ports.Parts{Archive: s, CopyTarget: s, Rekeyable: s}
}

// Ready implements ports.Store.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	s.users.Leave()
	return nil
}

// Close implements ports.Store. It waits for views too.
func (s *Store) Close() error {
	if s.users.Shut() {
		s.appended.Raise()
	}
	return nil
}

// ServiceKey implements ports.Rekeyable.
func (s *Store) ServiceKey(ctx context.Context) (ports.ServiceKey, error) {
	if err := s.users.Enter(ctx); err != nil {
		return ports.ServiceKey{}, err
	}
	defer s.users.Leave()
	return s.committed.Load().serviceKey(), nil
}

func (r *records) serviceKey() ports.ServiceKey {
	if r.fingerprint == nil {
		return ports.ServiceKey{}
	}
	return ports.ServiceKey{Fingerprint: *r.fingerprint, Earlier: r.earlierKeys}
}

// MoveKey implements ports.Rekeyable.
func (s *Store) MoveKey(ctx context.Context, from, to ports.ServiceKey) error {
	return s.alone(ctx, func(r *records) error {
		switch {
		case r.copying != nil:
			return ports.ErrUnfinishedCopy
		case r.serviceKey() != from:
			return ports.ErrKeyMoved
		}
		r.fingerprint, r.earlierKeys = &to.Fingerprint, to.Earlier
		return nil
	})
}
