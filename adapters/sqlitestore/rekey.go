package sqlitestore

import (
	"context"
	"errors"
	"fmt"

	"resellerd/domain/fault"
	"resellerd/ports"
)

// ServiceKey implements ports.Rekeyable.
func (s *Store) ServiceKey(ctx context.Context) (key ports.ServiceKey, err error) {
	err = s.view(ctx, func(q *transaction) error {
		key, err = q.serviceKey(ctx)
		return err
	})
	return key, err
}

// MoveKey implements ports.Rekeyable.
func (s *Store) MoveKey(ctx context.Context, from, to ports.ServiceKey) error {
	err := s.update(ctx, func(q *transaction) error {
		run, err := q.copying(ctx)
		if err != nil {
			return err
		}
		if run != "" {
			return ports.ErrUnfinishedCopy
		}
		recorded, err := q.serviceKey(ctx)
		if err != nil {
			return err
		}
		if recorded != from {
			return ports.ErrKeyMoved
		}
		return q.recordKey(ctx, to)
	})
	if _, refused := errors.AsType[*fault.Fault](err); err != nil && !refused {
		err = fmt.Errorf("replace the service key: %w", err)
	}
	return err
}

func (q *transaction) serviceKey(ctx context.Context) (key ports.ServiceKey, err error) {
	if key.Fingerprint, err = q.setting(ctx, keyFingerprint); err != nil {
		return ports.ServiceKey{}, err
	}
	key.Earlier, err = q.setting(ctx, earlierKeys)
	return key, err
}

// recordKey records a service key in the place of any other.
func (q *transaction) recordKey(ctx context.Context, key ports.ServiceKey) error {
	if _, err := q.exec(ctx, putSetting, args{{"name", text(keyFingerprint)}, {"value", text(key.Fingerprint)}}); err != nil {
		return err
	}
	if key.Earlier == "" {
		_, err := q.exec(ctx, dropSetting, args{{"name", text(earlierKeys)}})
		return err
	}
	_, err := q.exec(ctx, putSetting, args{{"name", text(earlierKeys)}, {"value", text(key.Earlier)}})
	return err
}
