package mongostore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"resellerd/adapters/mongostore/gather"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Update implements ports.Store.
func (s *Store) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error,
	hints ...ports.Reads) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	var wrote journaled
	err := s.engine.Do(ctx, func(r *gather.Run) error {
		q := transaction{s.records, r}
		for _, reads := range hints {
			q.readAhead(reads, &s.above)
		}
		if r.Missed() {
			return nil // it runs again
		}
		return work(ctx, ports.Tx{Resellers: resellers{q}, Lines: lines{q}, Ledger: ledger{q}, Keys: keys{q},
			Journal: entries{q, &wrote}, Records: recordWriter{q}})
	})
	if err == nil && wrote.begun.Load() {
		s.records.journal.begun.Store(true)
	}
	if err == nil && wrote.appended.Load() {
		s.sequencer.wake()
	}
	return err
}

// transaction is one run of an update's work.
type transaction struct {
	*records
	run *gather.Run
}

// readAhead requests the records that work is going to read, so that work runs once: first the named records, then the
// records that these refer to.
func (q transaction) readAhead(reads ports.Reads, above *ancestors) {
	along := func(ids ...int64) {
		for _, id := range ids {
			if reads.Along != nil {
				name := reads.Along(id)
				q.ofKinds.Want(q.run, recordID{name.Of.Name(), name.Key})
			}
		}
	}
	if reads.Actor != 0 {
		remembered, known := above.of(reads.Actor)
		q.resellers.Want(q.run, remembered...)
		along(append(remembered[:len(remembered):len(remembered)], reads.Actor)...)
		for _, actor := range q.resellers.Want(q.run, reads.Actor) {
			along(actor.Ancestors...)
			if q.resellers.Want(q.run, actor.Ancestors...); !known {
				above.remember(reads.Actor, actor.Ancestors)
			}
		}
	}
	if reads.Key != "" {
		q.keys.Want(q.run, keyID{reads.Actor, reads.Key})
	}
	for _, name := range reads.Records {
		q.ofKinds.Want(q.run, recordID{name.Of.Name(), name.Key})
	}
	if reads.Reseller != 0 {
		q.resellers.Want(q.run, reads.Reseller)
	}
	if name := reads.ResellerName.Key(); name != "" {
		q.resellerNames.Want(q.run, name)
	}
	name := reads.LineName.Key()
	if reads.Line != 0 {
		held := name // taken by the line, as far as is known: its holder is not read
		for _, l := range q.lines.Want(q.run, reads.Line) {
			q.resellers.Want(q.run, l.Owner.ID)
			along(l.Owner.Path()...)
			held = l.Username.Key()
		}
		if name == held {
			return
		}
	}
	if name != "" {
		q.lineNames.Want(q.run, name)
	}
}

// mostAncestors bounds the remembered resellers.
const mostAncestors = 10_000

// ancestors remembers the ancestors of resellers, which never change, so that all are read together. It only guides the
// read-ahead.
type ancestors struct {
	mu    sync.Mutex
	paths map[int64][]int64
}

// of returns the ancestors of a reseller, if they are known. An administrator has no ancestors.
func (a *ancestors) of(id int64) (path []int64, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	path, known = a.paths[id]
	return path, known
}

// remember adds the ancestors of a reseller. It replaces those of any other reseller if there are too many.
func (a *ancestors) remember(id int64, path []int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.paths == nil {
		a.paths = map[int64][]int64{}
	}
	if len(a.paths) >= mostAncestors {
		for other := range a.paths {
			delete(a.paths, other)
			break
		}
	}
	a.paths[id] = path
}

// records are the kinds of records that updates read and write.
type records struct {
	resellers     *gather.Kind[int64, reseller.State]
	resellerNames *gather.Kind[string, holder]
	lines         *gather.Kind[int64, line.State]
	lineNames     *gather.Kind[string, holder]
	tombstones    *gather.Kind[int64, line.Tombstone]
	movements     *gather.Kind[int64, credit.Movement]
	keys          *gather.Kind[keyID, ports.KeyRecord]
	ofKinds       *gather.Kind[recordID, recordDocument]
	entries       *gather.Kind[string, entry]
	recordIndex   *mongo.Collection // of the index entries
	journal       *journaling
}

func newRecords(db *mongo.Database) *records {
	resellers := collectionOf[int64, reseller.State]{db.Collection(resellersName), resellerCodec, nil}
	return &records{
		resellers:     gather.NewSharedKind(resellers, resellers.claim),
		resellerNames: kind[string](db, resellerNamesName, nameCodec, nil),
		// Lines may be sharded by their owner, which never changes, so that a write goes to one shard.
		lines: kind[int64](db, linesName, lineCodec, func(s line.State) bson.D {
			return bson.D{{Key: "owner", Value: s.Owner.ID}}
		}),
		lineNames:  kind[string](db, lineNamesName, nameCodec, nil),
		tombstones: kind[int64](db, tombstonesName, tombstoneCodec, nil),
		movements:  kind[int64](db, movementsName, movementCodec, nil),
		keys:       kind[keyID](db, keysName, keyCodec, nil),
		ofKinds:    kind[recordID](db, recordsName, recordCodec, nil),
		entries:    kind[string](db, recordIndexName, entryCodec, nil),

		recordIndex: db.Collection(recordIndexName),
		journal:     newJournaling(db),
	}
}

// all returns the kinds in the order in which they are written. Records that other processes are most likely to write
// come first.
func (r *records) all() []gather.AnyKind {
	return []gather.AnyKind{r.resellers, r.keys, r.lines, r.lineNames, r.resellerNames, r.tombstones, r.movements,
		r.ofKinds, r.entries, r.journal.epochs, r.journal.named, r.journal.entries}
}

// rename enters a record's new name and frees its old one.
func (q transaction) rename(names *gather.Kind[string, holder], id int64, from, to profile.Username) error {
	if from.Key() == to.Key() {
		return nil
	}
	switch found, err := names.Get(q.run, to.Key()); {
	case err == nil && found.ID != id:
		return profile.ErrUsernameTaken
	case err != nil && !errors.Is(err, fault.ErrNotFound):
		return err
	}
	return errors.Join(names.Remove(q.run, from.Key()), names.Put(q.run, to.Key(), holder{to.Key(), id}))
}

// collectionOf stores records of one kind in a collection, by _id.
type collectionOf[K comparable, V any] struct {
	*mongo.Collection
	codec codec[V]
	shard func(V) bson.D // further conditions of a filter besides the _id, or nil
}

func kind[K comparable, V any](db *mongo.Database, name string, c codec[V], shard func(V) bson.D) *gather.Kind[K, V] {
	return gather.NewKind[K](collectionOf[K, V]{db.Collection(name), c, shard})
}

// Query implements gather.Collection.
func (c collectionOf[K, V]) Query(ids []K, found func(K, gather.Stored[V])) gather.Query {
	return query{c.Name(), bson.A{stage("$match", byIDs(ids))}, func(raw bson.Raw) error {
		var id K
		if err := raw.Lookup("_id").Unmarshal(&id); err != nil {
			return err
		}
		v, version, damage := c.codec.read(raw)
		if damage != nil {
			damage = fmt.Errorf("%s %v: %w", c.Name(), id, damage)
		}
		found(id, gather.Stored[V]{Value: v, Damage: damage, Version: version, Raw: raw})
		return nil
	}}
}

// Write implements gather.Collection: one round trip for each kind of change.
func (c collectionOf[K, V]) Write(ctx context.Context, changes []gather.Change[K, V]) error {
	var models [3][]mongo.WriteModel // by action
	for _, change := range changes {
		filter := byID(change.Key)
		if c.shard != nil {
			filter = append(filter, c.shard(change.Value)...)
		}
		var model mongo.WriteModel
		switch change.Action {
		case gather.Add:
			model = mongo.NewInsertOneModel().SetDocument(c.codec.write(change.Value, 1))
		case gather.Remove:
			model = mongo.NewDeleteOneModel().SetFilter(filter)
		case gather.Replace:
			var err error
			if model, err = changing(filter, change.Raw, c.codec.write(change.Value, change.Version+1)); err != nil {
				return err
			}
		}
		models[change.Action] = append(models[change.Action], model)
	}
	replaced, removed := int64(len(models[gather.Replace])), int64(len(models[gather.Remove]))
	// Removals come first, so that the entries that they free can be added.
	ordered := slices.Concat(models[gather.Remove], models[gather.Replace], models[gather.Add])
	result, err := c.BulkWrite(ctx, ordered)
	if refused, ok := errors.AsType[mongo.BulkWriteException](err); ok && len(refused.WriteErrors) > 0 &&
		!isTransient(err) {
		return c.refusal(refused.WriteErrors[0].Code == duplicateKey, refused.WriteErrors[0].Message,
			refusedEntry(refused, ordered), err)
	}
	if err == nil && (result.MatchedCount != replaced || result.DeletedCount != removed && c.Name() != recordIndexName) {
		return c.refusal(false, "", "", fmt.Errorf("%d of %d records were replaced and %d of %d removed", result.MatchedCount,
			replaced, result.DeletedCount, removed))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", c.Name(), err)
	}
	return nil
}

// claim increases the versions of records, in the order of their ids. If one of them can't be written, the batch is
// divided, so that the right command is refused.
func (c collectionOf[K, V]) claim(ctx context.Context, ids []K) error {
	_, err := c.UpdateMany(ctx, byIDs(ids), bson.D{{Key: "$inc", Value: bson.D{{Key: versionName, Value: int64(1)}}}})
	if refused, ok := errors.AsType[mongo.WriteException](err); ok && len(refused.WriteErrors) > 0 && !isTransient(err) {
		return c.refusal(false, "", "", err)
	}
	if err != nil {
		return fmt.Errorf("claim %s: %w", c.Name(), err)
	}
	return nil
}

// refusal interprets a refused write. Another process may have put the same idempotency key since it was read, or have
// begun the journal; or a name or an external id may be taken. Any other refusal is a defect of the caller.
func (c collectionOf[K, V]) refusal(duplicate bool, said, entry string, err error) error {
	err = fmt.Errorf("write %s: %w", c.Name(), err)
	switch name := c.Name(); {
	case duplicate && (name == keysName || name == settingsName):
		return errors.Join(errOvertaken, err)
	case duplicate && (name == resellerNamesName || name == lineNamesName):
		err = profile.ErrUsernameTaken
	case duplicate && name == linesName && strings.Contains(said, externalID):
		err = line.ErrExternalIDTaken
	case duplicate && (name == recordsName || name == recordIndexName):
		err = record.Taken(entry)
	}
	return &gather.RefusedWrite{Err: err}
}

// changing returns the write that turns one document into another. If both have the same fields in the same order, it
// writes only the changed ones, which reduces the server's indexes and log.
func changing(filter bson.D, from bson.Raw, to any) (mongo.WriteModel, error) {
	raw, err := bson.Marshal(to)
	if err != nil {
		return nil, err
	}
	before, _ := from.Elements() // empty if the record was not read
	after, err := bson.Raw(raw).Elements()
	if err != nil {
		return nil, err
	}
	var changed bson.D
	if same := func(a, b bson.RawElement) bool { return a.Key() == b.Key() }; slices.EqualFunc(before, after, same) {
		for i, e := range after {
			if !bytes.Equal(before[i], e) {
				changed = append(changed, bson.E{Key: e.Key(), Value: e.Value()})
			}
		}
	}
	if len(changed) == 0 {
		return mongo.NewReplaceOneModel().SetFilter(filter).SetReplacement(bson.Raw(raw)), nil
	}
	return mongo.NewUpdateOneModel().SetFilter(filter).SetUpdate(bson.D{{Key: "$set", Value: changed}}), nil
}
