package rows

import (
	"context"
	"errors"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/domain/fault"
	"resellerd/ports"
)

// The settings: the fingerprint of the service key, and the required parts of earlier ones.
const (
	KeyFingerprint = "key-fingerprint"
	EarlierKeys    = "earlier-keys"
	// CopyRun marks an unfinished copy. Its value names the run that fills it, so that an earlier run notices that
	// another one has restarted the copy.
	CopyRun = "copy"
)

// Setting returns a setting, "" if it is not recorded.
func Setting(ctx context.Context, q *engine.Tx, name string) (recorded string, err error) {
	err = q.Row(ctx, GetSetting, engine.Args{engine.Text("name", name)}, func(r *engine.Row) { recorded = r.Text() })
	if errors.Is(err, fault.ErrNotFound) {
		return "", nil
	}
	return recorded, err
}

// ServiceKey returns the recorded service key.
func ServiceKey(ctx context.Context, q *engine.Tx) (key ports.ServiceKey, err error) {
	if key.Fingerprint, err = Setting(ctx, q, KeyFingerprint); err != nil {
		return ports.ServiceKey{}, err
	}
	key.Earlier, err = Setting(ctx, q, EarlierKeys)
	return key, err
}
