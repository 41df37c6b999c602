package mongostore

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"resellerd/adapters/storekit"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// repairedAtOnce bounds the writes of one transaction of a repair.
const repairedAtOnce = 1_000

var errServed = errors.New("a service changes the store: stop it and repeat the command")

// repairs are the writes that make a collection match the records.
type repairs struct {
	collection string
	writes     []mongo.WriteModel
}

func (r *repairs) remove(id any) {
	r.writes = append(r.writes, mongo.NewDeleteOneModel().SetFilter(byID(id)))
}

func (r *repairs) add(id any, member string, value any) {
	r.writes = append(r.writes, mongo.NewUpdateOneModel().SetUpsert(true).SetFilter(byID(id)).
		SetUpdate(bson.D{{Key: "$setOnInsert", Value: bson.D{{Key: member, Value: value}}}}))
}

// RepairLists implements ports.ListRepair. It first assigns numbers to pending entries. Then it looks for differences
// in one snapshot. Once another process has moved the head of the journal, it writes nothing further.
func (s *Store) RepairLists(ctx context.Context) (repaired []ports.RepairedList, err error) {
	s.sequencer.close() //nolint:contextcheck // in bounded time
	var head journal.Head
	var all []repairs
	err = s.look(ctx, func(v *view) error {
		if head, err = v.head(ctx); err != nil {
			return err
		}
		a := audit{v}
		for _, of := range nameKinds {
			found, err := a.nameRepairs(ctx, of)
			if err != nil {
				return err
			}
			all = append(all, found)
		}
		index, err1 := a.indexRepairs(ctx)
		figures, err2 := a.figuresRepairs(ctx, head)
		all = append(all, index, figures)
		return errors.Join(err1, err2)
	})
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		done := ports.RepairedList{List: r.collection}
		for writes := range slices.Chunk(r.writes, repairedAtOnce) {
			written, err := s.repair(ctx, head, r.collection, writes)
			if err != nil {
				return repaired, err
			}
			done.Added, done.Removed = done.Added+written.UpsertedCount, done.Removed+written.DeletedCount
		}
		if done.Added+done.Removed > 0 {
			repaired = append(repaired, done)
		}
	}
	return repaired, nil
}

// repair writes to a collection in a transaction, unless the head of the journal has moved. The transaction increases
// the term of the head, so that it conflicts with every other one that writes the head.
func (s *Store) repair(ctx context.Context, head journal.Head, collection string,
	writes []mongo.WriteModel) (written *mongo.BulkWriteResult, err error) {
	err = s.inTransaction(ctx, "repair "+collection, func(ctx context.Context) error {
		at, err := s.sequencer.heads.UpdateOne(ctx, with(byID(headName), seqName, head.Seq),
			bson.D{{Key: "$inc", Value: bson.D{{Key: "term", Value: int64(1)}}}})
		if err == nil && at.MatchedCount == 0 {
			err = errServed
		}
		if err == nil {
			written, err = s.db.Collection(collection).BulkWrite(ctx, writes)
		}
		return err
	})
	return written, err
}

// nameRepairs returns the repairs of names. If two records have the same name, its present holder retains it.
func (a audit) nameRepairs(ctx context.Context, of nameKind) (repairs, error) {
	r := repairs{collection: of.names}
	err := a.unlike(ctx, of.names, "holder", of.collection, "username_key", func(raw bson.Raw) {
		r.remove(slices.Clone(raw).Lookup("_id"))
	})
	if err != nil {
		return r, err
	}
	return r, a.unlike(ctx, of.collection, "username_key", of.names, "holder", func(raw bson.Raw) {
		key, text := raw.Lookup("username_key").StringValueOK()
		if id := number(raw, "_id"); text && id > 0 { // else the record is damaged
			r.add(key, "holder", id)
		}
	})
}

func (a audit) indexRepairs(ctx context.Context) (repairs, error) {
	r := repairs{collection: recordIndexName}
	strays, missing, err := storekit.IndexRepairs(ctx, exporter(a))
	for _, e := range strays {
		r.remove(e)
	}
	for e, key := range missing {
		r.add(e, "key", key)
	}
	return r, err
}

// figuresRepairs returns no repairs if the journal is damaged, because the right figures are then unknown.
func (a audit) figuresRepairs(ctx context.Context, head journal.Head) (repairs, error) {
	r, due := repairs{collection: figuresName}, tally{}
	err := storekit.EachEntry(ctx, exporter(a).Entries, head, due.count)
	if errors.Is(err, storekit.ErrDamaged) {
		return r, nil
	}
	if err == nil {
		err = a.visit(ctx, figuresName, nil, func(raw bson.Raw) {
			f, _, damage := figuresCodec.read(raw)
			id := figuresID{f.Account, f.Day}
			if sum, is := due[id]; damage == nil && is && sum.Equal(f.Figures) {
				delete(due, id)
			} else {
				r.remove(slices.Clone(raw).Lookup("_id"))
			}
		})
	}
	r.writes = append(r.writes, due.models()...)
	return r, err
}
