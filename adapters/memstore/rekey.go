package memstore

import (
	"context"

	"resellerd/ports"
)

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
