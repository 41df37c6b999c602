package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/mongostore/gather"
	"resellerd/adapters/storekit"
	"resellerd/ports/record"
)

// Records of kinds are documents of one collection, and their index entries documents of another one. An index would
// order an array by its least element, and each unique value is an _id, as with names.
type (
	recordID struct {
		Kind string `bson:"kind"`
		Key  string `bson:"key"`
	}
	recordDocument struct {
		ID      recordID `bson:"_id"`
		Payload string   `bson:"payload"`
		Version int64    `bson:"version"` // grows with each save, so that a save always writes
	}
	// entry refers from an entry of an index to a key.
	entry struct {
		Entry string `bson:"_id"`
		Key   string `bson:"key"`
	}
)

// recordOf returns the document of a record.
func recordOf(of *record.Kind, s record.Stored) recordDocument {
	return recordDocument{ID: recordID{of.Name(), s.Key}, Payload: s.Payload}
}

var recordCodec = codecOf(
	func(d recordDocument, version int64) recordDocument {
		d.Version = version
		return d
	},
	func(d recordDocument) (recordDocument, int64, error) {
		var err error
		if d.Version < 1 {
			err = fmt.Errorf("no save has the version %d", d.Version)
		}
		return d, d.Version, err
	},
)

var entryCodec = asWritten[entry]()

// recordWriter implements record.Writer.
type recordWriter struct{ transaction }

// Get implements record.Reader.
func (w recordWriter) Get(_ context.Context, of *record.Kind, key string) (string, error) {
	found, err := w.ofKinds.Get(w.run, recordID{of.Name(), key})
	return found.Payload, err
}

// Insert implements record.Writer.
func (w recordWriter) Insert(_ context.Context, of *record.Kind, r record.Stored) error {
	d := recordOf(of, r)
	if err := w.ofKinds.Insert(w.run, d.ID, d, record.ErrExists); err != nil {
		return err
	}
	return w.enter(r.Key, r.Entries, nil)
}

// Save implements record.Writer.
func (w recordWriter) Save(ctx context.Context, of *record.Kind, r record.Stored) error {
	payload, err := w.Get(ctx, of, r.Key)
	if err != nil {
		return err
	}
	before, err := examine(of, r.Key, payload)
	if err != nil {
		return err
	}
	d := recordOf(of, r)
	if err := w.ofKinds.Put(w.run, d.ID, d); err != nil {
		return err
	}
	return w.enter(r.Key, r.Entries, before.Entries)
}

// Delete implements record.Writer.
func (w recordWriter) Delete(ctx context.Context, of *record.Kind, key string) error {
	payload, err := w.Get(ctx, of, key)
	if err != nil && !errors.Is(err, storekit.ErrDamaged) {
		return err
	}
	var kept record.Stored
	if err == nil {
		kept, err = examine(of, key, payload)
	}
	if err != nil { // its entries are unknown
		kept.Entries, err = w.leading(ctx, of, key)
	}
	if err != nil {
		return err
	}
	if err := w.ofKinds.Remove(w.run, recordID{of.Name(), key}); err != nil {
		return err
	}
	return w.enter(key, nil, kept.Entries)
}

// leading searches all index entries of a kind for those of a damaged record. It reads them outside of the transaction.
// Only a removal of the record can change them; then the transaction runs again.
func (w recordWriter) leading(ctx context.Context, of *record.Kind, key string) (entries []string, err error) {
	from, to := of.Bounds()
	err = inStep(ctx, func(ctx context.Context) error {
		cursor, err := w.recordIndex.Find(ctx, append(byID(bson.D{{Key: "$gte", Value: from}, {Key: "$lt", Value: to}}),
			bson.E{Key: "key", Value: key}))
		if err != nil {
			return err
		}
		return visit(ctx, cursor, func(raw bson.Raw) error {
			e, _ := raw.Lookup("_id").StringValueOK()
			entries = append(entries, e)
			return nil
		})
	})
	if err != nil {
		return nil, storekit.Unavailable("look for the index entries of a damaged record", err)
	}
	return entries, nil
}

// enter replaces the index entries of a record. Earlier entries may be missing, because somebody may have removed them
// directly: Write does not require them.
func (w recordWriter) enter(key string, entries, before []string) error {
	for _, e := range before {
		if !slices.Contains(entries, e) {
			if err := w.entries.Remove(w.run, e); err != nil && !errors.Is(err, gather.ErrGone) {
				return err
			}
		}
	}
	for _, e := range entries {
		if !slices.Contains(before, e) {
			if err := w.entries.Insert(w.run, e, entry{e, key}, record.Taken(e)); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordReader implements record.Lister.
type recordReader struct{ *view }

// Get implements record.Reader.
func (r recordReader) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	found, err := one(ctx, r.view, recordsName, recordCodec, recordID{of.Name(), key})
	return found.Payload, err
}

// List implements record.Lister.
func (r recordReader) List(ctx context.Context, q record.Range) (page []record.Found, err error) {
	if q.Limit <= 0 || q.From >= q.To { // the server takes 0 for no limit
		return nil, nil
	}
	order := 1
	if q.Descending {
		order = -1
	}
	raw, err := r.find(ctx, recordIndexName, byID(bson.D{{Key: "$gte", Value: q.From}, {Key: "$lt", Value: q.To}}),
		options.Find().SetSort(byID(order)).SetLimit(int64(q.Limit)))
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	ids := make([]recordID, len(raw))
	for i, document := range raw {
		e, _, err := entryCodec.read(document)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", recordIndexName, err)
		}
		ids[i] = recordID{q.Of.Name(), e.Key}
		page = append(page,
			record.Found{Key: e.Key, Entry: e.Entry, Damage: fmt.Errorf("%w: there is no record", storekit.ErrDamaged)})
	}
	records, err := r.find(ctx, recordsName, byIDs(ids), options.Find())
	if err != nil {
		return nil, err
	}
	found := map[string]record.Found{}
	for _, document := range records {
		f := foundRecord(q.Of, document)
		found[f.Key] = f
	}
	for i := range page {
		if f, there := found[page[i].Key]; there {
			f.Entry = page[i].Entry
			page[i] = f
		}
	}
	return page, nil
}

// foundRecord decodes a record, damaged or not.
func foundRecord(of *record.Kind, document bson.Raw) record.Found {
	key, _ := document.Lookup("_id", "key").StringValueOK()
	r, _, err := recordCodec.read(document)
	if err == nil {
		_, err = examine(of, key, r.Payload)
	}
	return record.Found{Key: key, Payload: r.Payload, Damage: err}
}

// examine returns the record in a payload under a key.
func examine(of *record.Kind, key, payload string) (record.Stored, error) {
	kept, err := of.Examine(payload)
	if err == nil && kept.Key != key {
		err = fmt.Errorf("%w: it belongs to another key", storekit.ErrDamaged)
	}
	return kept, err
}

// ofKind filters the records of a kind with keys after this one.
func ofKind(of *record.Kind, after string) bson.D {
	return bson.D{{Key: "$gt", Value: recordID{of.Name(), after}},
		{Key: "$lt", Value: bson.D{{Key: "kind", Value: of.Name()}, {Key: "key", Value: bson.MaxKey{}}}}}
}

// OfKind implements ports.Records.
func (e exporter) OfKind(ctx context.Context, of *record.Kind, after string,
	limit int) (page []record.Found, err error) {
	if limit <= 0 { // the server takes 0 for no limit
		return nil, nil
	}
	raw, err := e.find(ctx, recordsName, byID(ofKind(of, after)), options.Find().SetSort(onlyID).SetLimit(int64(limit)))
	for _, document := range raw {
		page = append(page, foundRecord(of, document))
	}
	return page, err
}

// KeysOf implements storekit.Indexes.
func (e exporter) KeysOf(ctx context.Context, entries []string) (map[string]string, error) {
	keys := map[string]string{}
	for asked := range slices.Chunk(entries, askedAtOnce) {
		found, err := e.find(ctx, recordIndexName, byIDs(asked), options.Find())
		if err != nil {
			return nil, err
		}
		for _, raw := range found {
			if led, _, err := entryCodec.read(raw); err == nil {
				keys[led.Entry] = led.Key
			}
		}
	}
	return keys, nil
}

// IndexEntries implements storekit.Indexes.
func (e exporter) IndexEntries(ctx context.Context) (int64, error) {
	return e.count(ctx, recordIndexName)
}

// refusedEntry returns the entry that a write could not add, "" if the refused write added no entry.
func refusedEntry(refused mongo.BulkWriteException, models []mongo.WriteModel) string {
	at := refused.WriteErrors[0].Index
	if at < 0 || at >= len(models) {
		return ""
	}
	if added, is := models[at].(*mongo.InsertOneModel); is {
		if e, is := added.Document.(entry); is {
			return e.Entry
		}
	}
	return ""
}

// EntriesWithin implements storekit.Indexes. The key of a damaged entry is "".
func (e exporter) EntriesWithin(ctx context.Context, from, before string, each func(entry, key string)) error {
	within := byID(bson.D{{Key: "$gte", Value: from}, {Key: "$lt", Value: before}})
	return e.visit(ctx, recordIndexName, []bson.D{stage("$match", within)}, func(raw bson.Raw) {
		led, _, err := entryCodec.read(raw)
		if err != nil {
			led = entry{raw.Lookup("_id").StringValue(), ""}
		}
		each(led.Entry, led.Key)
	})
}
