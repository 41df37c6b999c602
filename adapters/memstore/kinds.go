package memstore

import (
	"context"
	"strings"

	"resellerd/domain/fault"
	"resellerd/ports/record"
)

// recordID is the place of a record of a kind.
type recordID struct{ kind, key string }

func (a recordID) compare(b recordID) int {
	if order := strings.Compare(a.kind, b.kind); order != 0 {
		return order
	}
	return strings.Compare(a.key, b.key)
}

// recordReader implements record.Lister.
type recordReader struct{ *records }

// Get implements record.Reader.
func (r recordReader) Get(_ context.Context, of *record.Kind, key string) (string, error) {
	payload, there := r.ofKinds.get(recordID{of.Name(), key})
	if !there {
		return "", fault.ErrNotFound
	}
	return payload, nil
}

// List implements record.Lister.
func (r recordReader) List(ctx context.Context, q record.Range) (found []record.Found, err error) {
	entries := r.entries.from(q.From)
	if q.Descending {
		entries = r.entries.before(q.To)
	}
	for entry, key := range entries {
		if len(found) >= q.Limit || entry < q.From || entry >= q.To {
			break
		}
		payload, err := r.Get(ctx, q.Of, key)
		found = append(found, record.Found{Key: key, Payload: payload, Entry: entry, Damage: err})
	}
	return found, nil
}

// recordWriter implements record.Writer.
type recordWriter struct {
	recordReader
	transaction *transaction
}

// Insert implements record.Writer.
func (w recordWriter) Insert(_ context.Context, of *record.Kind, r record.Stored) error {
	if err := w.transaction.open(); err != nil {
		return err
	}
	return w.insertRecord(of, r)
}

// Save implements record.Writer.
func (w recordWriter) Save(ctx context.Context, of *record.Kind, r record.Stored) error {
	before := *w.records
	if err := w.Delete(ctx, of, r.Key); err != nil {
		return err
	}
	err := w.insertRecord(of, r)
	if err != nil {
		*w.records = before
	}
	return err
}

// Delete implements record.Writer.
func (w recordWriter) Delete(ctx context.Context, of *record.Kind, key string) error {
	if err := w.transaction.open(); err != nil {
		return err
	}
	payload, err := w.Get(ctx, of, key)
	if err != nil {
		return err
	}
	kept, err := of.Examine(payload)
	for _, entry := range kept.Entries {
		w.entries = w.entries.without(entry)
	}
	w.ofKinds = w.ofKinds.without(recordID{of.Name(), key})
	return err // in memory nothing is damaged but by this program
}

func (r *records) insertRecord(of *record.Kind, s record.Stored) error {
	id := recordID{of.Name(), s.Key}
	if _, taken := r.ofKinds.get(id); taken {
		return record.ErrExists
	}
	entries := r.entries
	for _, entry := range s.Entries {
		if _, taken := entries.get(entry); taken {
			return record.Taken(entry)
		}
		entries = entries.with(entry, s.Key)
	}
	r.entries, r.ofKinds = entries, r.ofKinds.with(id, s.Payload)
	return nil
}

// OfKind implements ports.Records.
func (e exporter) OfKind(_ context.Context, of *record.Kind, after string, limit int) (page []record.Found, err error) {
	for id, payload := range e.ofKinds.after(recordID{of.Name(), after}) {
		if id.kind != of.Name() || len(page) >= limit {
			break
		}
		_, damage := of.Examine(payload)
		page = append(page, record.Found{Key: id.key, Payload: payload, Damage: damage})
	}
	return page, nil
}

// LeadTo implements storekit.Indexes.
func (e exporter) LeadTo(_ context.Context, entries []string) (keys map[string]string, err error) {
	keys = map[string]string{}
	for _, entry := range entries {
		if key, there := e.entries.get(entry); there {
			keys[entry] = key
		}
	}
	return keys, nil
}

// Entries implements storekit.Indexes.
func (e exporter) Entries(context.Context) (count int64, err error) {
	for range e.entries.all() {
		count++
	}
	return count, nil
}
