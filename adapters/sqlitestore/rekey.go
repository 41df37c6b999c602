package sqlitestore

import (
	"context"
	"errors"
	"fmt"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// ServiceKey implements ports.Rekeyable.
func (s *Store) ServiceKey(ctx context.Context) (key ports.ServiceKey, err error) {
	err = s.view(ctx, func(q *transaction) error {
		key, err = rows.ServiceKey(ctx, q.Tx)
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
		recorded, err := rows.ServiceKey(ctx, q.Tx)
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

// recordKey records a service key in place of any other.
func (q *transaction) recordKey(ctx context.Context, key ports.ServiceKey) error {
	if _, err := q.Exec(ctx, putSetting,
		engine.Args{engine.Text("name", rows.KeyFingerprint), engine.Text("value", key.Fingerprint)}); err != nil {
		return err
	}
	if key.Earlier == "" {
		_, err := q.Exec(ctx, dropSetting, engine.Args{engine.Text("name", rows.EarlierKeys)})
		return err
	}
	_, err := q.Exec(ctx, putSetting,
		engine.Args{engine.Text("name", rows.EarlierKeys), engine.Text("value", key.Earlier)})
	return err
}
