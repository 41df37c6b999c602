package sqlitestore

import (
	"context"
	"errors"
	"slices"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/domain/fault"
	"resellerd/ports"
	"resellerd/ports/record"
)

var (
	getRecord = engine.Query("get a record", `SELECT `+rows.RecordColumns+
		` FROM records WHERE kind = :kind AND key = :key`)
	insertRecord = engine.Write("insert a record", engine.InsertInto("records", rows.RecordColumns))
	saveRecord   = engine.Write("save a record",
		`UPDATE records SET payload = :payload, checksum = :checksum WHERE kind = :kind AND key = :key`)
	deleteRecord = engine.Write("delete a record", `DELETE FROM records WHERE kind = :kind AND key = :key`)
	leadsTo      = engine.Query("find an entry of an index", `SELECT key FROM record_index WHERE entry = :entry`)
	enterIndex   = engine.Write("enter a record in an index", engine.InsertInto("record_index", "entry, key"))
	leaveIndex   = engine.Write("take a record from an index", `DELETE FROM record_index WHERE entry = :entry`)
	leaveIndexes = engine.Write("take a damaged record from its indexes",
		`DELETE FROM record_index WHERE entry >= :from AND entry < :to AND key = :key`)
	listRecords = engine.Query("list records",
		`SELECT r.kind, r.key, r.payload, r.checksum, e.entry FROM record_index AS e CROSS JOIN records AS r ON r.kind = :kind AND r.key = e.key
		WHERE e.entry >= :from AND e.entry < :to ORDER BY e.entry LIMIT (:limit + 0)`)
	listRecordsBack = engine.Query("list records in the reverse order",
		`SELECT r.kind, r.key, r.payload, r.checksum, e.entry FROM record_index AS e CROSS JOIN records AS r ON r.kind = :kind AND r.key = e.key
		WHERE e.entry >= :from AND e.entry < :to ORDER BY e.entry DESC LIMIT (:limit + 0)`)
	anyOfKind = engine.Write("find any record of a kind", `SELECT EXISTS (SELECT 1 FROM records WHERE kind = :kind)`)
)

// records implements record.Writer and, in a view, record.Lister.
type records struct{ *transaction }

// Get implements record.Reader.
func (s records) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	found, err := s.got(ctx, of, key)
	if err == nil {
		err = found.Damage
	}
	return found.Payload, err
}

func (s records) got(ctx context.Context, of *record.Kind, key string) (record.Found, error) {
	t := s.store.shared[of]
	if t == nil {
		return s.read(ctx, of, key)
	}
	found, known := t.Get(s.Tx, of.ID(key))
	if !known || found.Key != key { // a key that is no id, either
		read, err := s.read(ctx, of, key)
		if err != nil && !errors.Is(err, fault.ErrNotFound) || read.Damage != nil {
			return read, err
		}
		found = &record.Found{Key: key, Payload: read.Payload}
		t.Keep(s.Tx, of.ID(key), found)
	}
	if found.Payload == "" {
		return record.Found{}, fault.ErrNotFound
	}
	return *found, nil
}

// cache adds a record that the command has written to the cache of its kind. Without a payload the record was removed.
func (s records) cache(of *record.Kind, key, payload string) {
	if t := s.store.shared[of]; t != nil {
		t.Put(of.ID(key), &record.Found{Key: key, Payload: payload})
	}
}

func (s records) read(ctx context.Context, of *record.Kind, key string) (found record.Found, err error) {
	there := false
	err = s.Rows(ctx, getRecord, engine.Args{engine.Text("kind", of.Name()), engine.Text("key", key)},
		func(r *engine.Row) error {
			found, there = rows.Record(of, r), true
			return nil
		})
	if err == nil && !there {
		err = fault.ErrNotFound
	}
	return found, err
}

// List implements record.Lister.
func (s records) List(ctx context.Context, q record.Range) (found []record.Found, err error) {
	n := listRecords
	if q.Descending {
		n = listRecordsBack
	}
	within := engine.Args{engine.Text("kind", q.Of.Name()), engine.Text("from", q.From), engine.Text("to", q.To),
		engine.Integer("limit", max(q.Limit, 0))}
	err = s.Rows(ctx, n, within, func(r *engine.Row) error {
		f := rows.Record(q.Of, r)
		f.Entry = r.TextAt(4)
		found = append(found, f)
		return nil
	})
	return found, err
}

// Insert implements record.Writer. It looks for taken entries first: after a command that fails after a write, all
// commands of the transaction run again.
func (s records) Insert(ctx context.Context, of *record.Kind, r record.Stored) error {
	if _, err := s.got(ctx, of, r.Key); !errors.Is(err, fault.ErrNotFound) {
		if err == nil {
			err = record.ErrExists
		}
		return err
	}
	if err := s.taken(ctx, r); err != nil {
		return err
	}
	row := rows.OfRecord(of, r)
	if _, err := s.Exec(ctx, insertRecord, row[:]); err != nil {
		return err
	}
	s.cache(of, r.Key, r.Payload)
	return s.enter(ctx, r.Key, r.Entries, nil)
}

// Save implements record.Writer.
func (s records) Save(ctx context.Context, of *record.Kind, r record.Stored) error {
	payload, err := s.Get(ctx, of, r.Key)
	if err != nil {
		return err
	}
	before, err := of.Examine(payload)
	if err != nil {
		return err
	}
	if err := s.taken(ctx, r); err != nil {
		return err
	}
	row := rows.OfRecord(of, r)
	if err := s.Change(ctx, saveRecord, row[:]); err != nil {
		return err
	}
	s.cache(of, r.Key, r.Payload)
	return s.enter(ctx, r.Key, r.Entries, before.Entries)
}

// Delete implements record.Writer.
func (s records) Delete(ctx context.Context, of *record.Kind, key string) error {
	found, err := s.got(ctx, of, key)
	if err != nil {
		return err
	}
	if _, err := s.Exec(ctx, deleteRecord,
		engine.Args{engine.Text("kind", of.Name()), engine.Text("key", key)}); err != nil {
		return err
	}
	s.cache(of, key, "")
	if found.Damage != nil {
		from, to := of.Bounds()
		_, err := s.Exec(ctx, leaveIndexes, engine.Args{engine.Text("from", from), engine.Text("to", to),
			engine.Text("key", key)})
		return err
	}
	kept, err := of.Examine(found.Payload)
	if err != nil {
		return err
	}
	return s.enter(ctx, key, nil, kept.Entries)
}

// taken returns an error for a record if another record has one of its entries.
func (s records) taken(ctx context.Context, r record.Stored) error {
	for _, entry := range r.Entries {
		holder := r.Key
		err := s.Row(ctx, leadsTo, engine.Args{engine.Text("entry", entry)}, func(row *engine.Row) { holder = row.Text() })
		switch {
		case err != nil && !errors.Is(err, fault.ErrNotFound):
			return err
		case holder != r.Key:
			return record.Taken(entry)
		}
	}
	return nil
}

// enter replaces the entries of a record.
func (s records) enter(ctx context.Context, key string, entries, before []string) error {
	for _, entry := range before {
		if slices.Contains(entries, entry) {
			continue
		}
		if _, err := s.Exec(ctx, leaveIndex, engine.Args{engine.Text("entry", entry)}); err != nil {
			return err
		}
	}
	for _, entry := range entries {
		if slices.Contains(before, entry) {
			continue
		}
		if _, err := s.Exec(ctx, enterIndex, engine.Args{engine.Text("entry", entry), engine.Text("key", key)}); err != nil {
			return err
		}
	}
	return nil
}

// anyCopied reports whether there is a record of a kind that copies have.
func (q *transaction) anyCopied(ctx context.Context) (there bool, err error) {
	for _, of := range ports.Kinds() {
		if !of.Copied() {
			continue
		}
		if there, err = q.truth(ctx, anyOfKind, engine.Args{engine.Text("kind", of.Name())}); there || err != nil {
			break
		}
	}
	return there, err
}
