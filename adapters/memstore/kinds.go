package memstore

import (
	"context"
	"strings"

	"resellerd/domain/fault"
	"resellerd/ports/record"
)

// kinds implements record.Writer and, in a view, record.Lister.
type kinds struct{ *transaction }

// Get implements record.Reader.
func (k kinds) Get(_ context.Context, of *record.Kind, key string) (string, error) {
	payload, there := k.ofKinds.get(kindName(of, key))
	if !there {
		return "", fault.ErrNotFound
	}
	return payload, nil
}

// List implements record.Lister.
func (k kinds) List(ctx context.Context, q record.Range) (found []record.Found, err error) {
	entries := k.index.from(q.From)
	if q.Descending {
		entries = k.index.before(q.To)
	}
	for entry, h := range entries {
		if len(found) >= q.Limit || entry < q.From || entry >= q.To {
			break
		}
		payload, err := k.Get(ctx, q.Of, h.key)
		found = append(found, record.Found{Key: h.key, Payload: payload, Entry: entry, Damage: err})
	}
	return found, nil
}

// Insert implements record.Writer.
func (k kinds) Insert(_ context.Context, of *record.Kind, r record.Stored) error {
	if _, taken := k.ofKinds.get(kindName(of, r.Key)); taken {
		return record.ErrExists
	}
	return put(k.transaction, &k.ofKinds, kindName(of, r.Key), r.Payload, nil, kindEntries(r))
}

// Save implements record.Writer.
func (k kinds) Save(ctx context.Context, of *record.Kind, r record.Stored) error {
	had, err := k.entriesOf(ctx, of, r.Key)
	if err != nil {
		return err
	}
	return put(k.transaction, &k.ofKinds, kindName(of, r.Key), r.Payload, had, kindEntries(r))
}

// Delete implements record.Writer.
func (k kinds) Delete(ctx context.Context, of *record.Kind, key string) error {
	if err := k.open(); err != nil {
		return err
	}
	had, err := k.entriesOf(ctx, of, key)
	if err != nil {
		return err
	}
	k.ofKinds = k.ofKinds.without(kindName(of, key))
	return k.enter(had, nil)
}

// entriesOf returns the index entries of an existing record. In memory only this program can damage a record.
func (k kinds) entriesOf(ctx context.Context, of *record.Kind, key string) ([]entry, error) {
	payload, err := k.Get(ctx, of, key)
	if err != nil {
		return nil, err
	}
	stored, err := of.Examine(payload)
	return kindEntries(stored), err
}

// OfKind implements ports.Records.
func (e exporter) OfKind(_ context.Context, of *record.Kind, after string, limit int) (page []record.Found, err error) {
	for name, payload := range e.ofKinds.from(next(kindName(of, after))) {
		key, is := strings.CutPrefix(name, kindName(of, ""))
		if !is || len(page) >= limit {
			break
		}
		_, damage := of.Examine(payload)
		page = append(page, record.Found{Key: key, Payload: payload, Damage: damage})
	}
	return page, nil
}
