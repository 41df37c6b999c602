package mongostore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// records are what a transaction has read and will write: the same for all of the
// commands that share it.
type records struct {
	db            *mongo.Database
	resellers     *identityMap[int64, reseller.State]
	resellerNames *identityMap[string, holder]
	lines         *identityMap[int64, line.State]
	lineNames     *identityMap[string, holder]
	tombstones    *identityMap[int64, line.Tombstone]
	movements     *identityMap[int64, credit.Movement]
	keys          *identityMap[keyID, ports.KeyRecord]
}

// newRecords returns the records of a transaction that wants to read at once what an
// earlier attempt has read, if there was one.
func newRecords(db *mongo.Database, earlier *records) *records {
	r := &records{
		db:            db,
		resellers:     newIdentityMap[int64](resellersName, resellerShape),
		resellerNames: newIdentityMap[string](resellerNamesName, nameShape),
		lines:         newIdentityMap[int64](linesName, lineShape),
		lineNames:     newIdentityMap[string](lineNamesName, nameShape),
		tombstones:    newIdentityMap[int64](tombstonesName, tombstoneShape),
		movements:     newIdentityMap[int64](movementsName, movementShape),
		keys:          newIdentityMap[keyID](keysName, keyShape),
	}
	// Lines may be sharded by their owner, which never changes: so a write goes to one
	// shard.
	r.lines.shard = func(s line.State) bson.D { return bson.D{{Key: "owner", Value: s.Owner.ID}} }
	if earlier != nil {
		for i, table := range r.all() {
			table.again(earlier.all()[i])
		}
	}
	return r
}

// each does the same to every table, as one step.
func (r *records) each(ctx context.Context, do func(recordTable, context.Context, *mongo.Database) error) error {
	return inStep(ctx, func(ctx context.Context) error {
		for _, table := range r.all() {
			if err := do(table, ctx, r.db); err != nil {
				return err
			}
		}
		return nil
	})
}

// all returns the tables in the order in which they are written: the records that
// other processes are most likely to write as well come first.
func (r *records) all() []recordTable {
	return []recordTable{r.resellers, r.keys, r.lines, r.lineNames, r.resellerNames, r.tombstones, r.movements}
}

// recordTable is a table whatever it holds.
type recordTable interface {
	fetch(ctx context.Context, db *mongo.Database) error
	flush(ctx context.Context, db *mongo.Database) error
	// again wants everything that the same table of an earlier attempt knew.
	again(earlier recordTable)
}

// table is what is known of a collection, by _id, and what will be written to it.
type identityMap[K comparable, V any] struct {
	collection string
	shape      codec[V]
	shard      func(V) bson.D // what a filter names besides the _id, nil: nothing
	cells      map[K]cachedRecord[V]
	wanted     map[K]struct{} // asked for and not fetched yet
}

// cell is a record as it stands for the next command.
type cachedRecord[V any] struct {
	present bool
	value   V
	damage  error // why the stored record can't be read

	stored  bool // the snapshot has it, with this version
	version int64
	raw     bson.Raw // as it is stored
	dirty   bool
}

func newIdentityMap[K comparable, V any](collection string, s codec[V]) *identityMap[K, V] {
	return &identityMap[K, V]{collection: collection, shape: s, cells: map[K]cachedRecord[V]{}, wanted: map[K]struct{}{}}
}

// errMissed ends a run of work that asks for what was not read yet: it runs again
// once that is there.
var errMissed = errors.New("not read yet")

// look returns what is known of a record, or asks for it.
func (t *identityMap[K, V]) look(q *transaction, k K) (cachedRecord[V], error) {
	if q.err != nil {
		return cachedRecord[V]{}, q.err
	}
	c, known := t.cells[k]
	if !known {
		t.wanted[k] = struct{}{}
		q.missed = true
		return cachedRecord[V]{}, errMissed
	}
	return c, c.damage
}

// put makes a record stand so. One that was never looked up is new.
func (t *identityMap[K, V]) put(q *transaction, k K, v V) error {
	c := t.cells[k]
	c.present, c.value = true, v
	return t.set(q, k, c)
}

var errGone = errors.New("a record to remove is not there")

// remove takes a record away that is there, looked up or not. Where it was not looked
// up, the write is refused if it is not.
func (t *identityMap[K, V]) remove(q *transaction, k K) error {
	c, known := t.cells[k]
	if known && !c.present && q.err == nil {
		return &refusedWrite{collection: t.collection, err: errGone}
	}
	c.present, c.stored = false, c.stored || !known
	return t.set(q, k, c)
}

func (t *identityMap[K, V]) set(q *transaction, k K, after cachedRecord[V]) error {
	if q.err != nil {
		return q.err
	}
	before, known := t.cells[k]
	q.undo = append(q.undo, func() {
		if known {
			t.cells[k] = before
		} else {
			delete(t.cells, k)
		}
	})
	after.dirty = true
	t.cells[k] = after
	return nil
}

func (t *identityMap[K, V]) again(earlier recordTable) {
	for k := range earlier.(*identityMap[K, V]).cells {
		t.wanted[k] = struct{}{}
	}
}

// fetch reads what is wanted, in one round trip. What a command has written blind
// since another one asked for it is known by now.
func (t *identityMap[K, V]) fetch(ctx context.Context, db *mongo.Database) error {
	ids := make([]K, 0, len(t.wanted))
	for k := range t.wanted {
		if _, known := t.cells[k]; !known {
			ids = append(ids, k)
			t.cells[k] = cachedRecord[V]{}
		}
	}
	clear(t.wanted)
	if len(ids) == 0 {
		return nil
	}
	cursor, err := db.Collection(t.collection).Find(ctx, byIDs(ids), options.Find().SetBatchSize(int32(len(ids)+1))) //nolint:gosec // few
	if err != nil {
		return fmt.Errorf("read %s: %w", t.collection, err)
	}
	err = visit(ctx, cursor, func(raw bson.Raw) error {
		var k K
		if err := raw.Lookup("_id").Unmarshal(&k); err != nil {
			return err
		}
		v, version, damage := t.shape.read(raw)
		if damage != nil {
			damage = fmt.Errorf("%s %v: %w", t.collection, k, damage)
		}
		t.cells[k] = cachedRecord[V]{present: true, value: v, damage: damage, stored: true, version: version, raw: slices.Clone(raw)}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", t.collection, err)
	}
	return nil
}

// flush writes what has changed, each record once and each kind of write in one
// round trip.
func (t *identityMap[K, V]) flush(ctx context.Context, db *mongo.Database) error {
	var inserted, replaced, removed []mongo.WriteModel
	for k, c := range t.cells {
		if !c.dirty || !c.present && !c.stored {
			continue
		}
		byID := bson.D{{Key: "_id", Value: k}}
		if t.shard != nil {
			byID = append(byID, t.shard(c.value)...)
		}
		switch {
		case !c.present:
			removed = append(removed, mongo.NewDeleteOneModel().SetFilter(byID))
		case c.stored:
			model, err := changing(byID, c.raw, t.shape.write(c.value, c.version+1))
			if err != nil {
				return err
			}
			replaced = append(replaced, model)
		default:
			inserted = append(inserted, mongo.NewInsertOneModel().SetDocument(t.shape.write(c.value, 1)))
		}
	}
	models := slices.Concat(inserted, replaced, removed)
	if len(models) == 0 {
		return nil
	}
	result, err := db.Collection(t.collection).BulkWrite(ctx, models)
	if refused, ok := errors.AsType[mongo.BulkWriteException](err); ok && len(refused.WriteErrors) > 0 && !hasLabel(err, transient) {
		return &refusedWrite{collection: t.collection, code: refused.WriteErrors[0].Code, err: err}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", t.collection, err)
	}
	if result.MatchedCount != int64(len(replaced)) || result.DeletedCount != int64(len(removed)) {
		return &refusedWrite{collection: t.collection, err: fmt.Errorf("%d of %d records were replaced and %d of %d removed",
			result.MatchedCount, len(replaced), result.DeletedCount, len(removed))}
	}
	return nil
}

// changing returns the write that makes one document of another: of what has changed
// alone, where the two have the same fields in the same order. The server then spares
// the indexes and the log all else.
func changing(filter bson.D, from bson.Raw, to any) (mongo.WriteModel, error) {
	raw, err := bson.Marshal(to)
	if err != nil {
		return nil, err
	}
	before, _ := from.Elements() // none of a record that was not read
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

func byIDs[K any](ids []K) bson.D {
	if len(ids) == 1 {
		return bson.D{{Key: "_id", Value: ids[0]}}
	}
	return bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}
}

// visit calls do with every document of a cursor, which it closes in bounded time.
// The document is good until do returns.
func visit(ctx context.Context, cursor *mongo.Cursor, do func(bson.Raw) error) (err error) {
	defer func() {
		err = errors.Join(err, inStep(context.WithoutCancel(ctx), cursor.Close))
	}()
	for cursor.Next(ctx) {
		if err := do(cursor.Current); err != nil {
			return err
		}
	}
	return cursor.Err()
}

// all returns every document of a cursor.
func all(ctx context.Context, cursor *mongo.Cursor) (found []bson.Raw, err error) {
	err = visit(ctx, cursor, func(raw bson.Raw) error {
		found = append(found, slices.Clone(raw))
		return nil
	})
	return found, err
}
