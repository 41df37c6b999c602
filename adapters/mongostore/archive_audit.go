package mongostore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// audit implements part of ports.Records.
type audit struct{ *view }

// askedAtOnce bounds the records in one query.
const askedAtOnce = 500

// Resellers implements ports.Records. The damage of a reseller may be in the record of its name.
func (a audit) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	page, err := auditPage(ctx, a, resellersName, resellerCodec, reseller.Restore, after, limit)
	if err != nil {
		return nil, err
	}
	return auditNames(ctx, a, resellerNamesName, page,
		func(r *reseller.Reseller) string { return r.State().Username.Key() })
}

// Lines implements ports.Records. The damage of a line may be in the record of its name.
func (a audit) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	page, err := auditPage(ctx, a, linesName, lineCodec, line.Restore, after, limit)
	if err != nil {
		return nil, err
	}
	return auditNames(ctx, a, lineNamesName, page,
		func(l *line.Line) string { return l.State().Username.Key() })
}

// Tombstones implements ports.Records.
func (a audit) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return auditPage(ctx, a, tombstonesName, tombstoneCodec, plain, after, limit)
}

// Movements implements ports.Records.
func (a audit) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return auditPage(ctx, a, movementsName, movementCodec, plain, after, limit)
}

// ResellersByID implements ports.Records.
func (a audit) ResellersByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	return auditIDs(ctx, a, resellersName, resellerCodec, reseller.Restore, ids)
}

// LinesByID implements ports.Records.
func (a audit) LinesByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	return auditIDs(ctx, a, linesName, lineCodec, line.Restore, ids)
}

// TombstonesByLine implements ports.Records.
func (a audit) TombstonesByLine(ctx context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return auditIDs(ctx, a, tombstonesName, tombstoneCodec, plain, lines)
}

// MovementsByID implements ports.Records.
func (a audit) MovementsByID(ctx context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return auditIDs(ctx, a, movementsName, movementCodec, plain, ids)
}

// MovementsByPosting implements ports.Records. No index makes the numbers of a reseller unique, so a duplicate is
// damage.
func (a audit) MovementsByPosting(ctx context.Context,
	numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	found := map[ports.PostingID]ports.Audited[credit.Movement]{}
	byReseller := map[int64][]int64{}
	for _, n := range numbers {
		byReseller[n.Reseller] = append(byReseller[n.Reseller], n.Seq)
	}
	var asked []bson.D
	for reseller, seqs := range byReseller {
		for seqs := range slices.Chunk(seqs, askedAtOnce) {
			for _, side := range []bson.D{bySource, byTarget} {
				asked = append(asked,
					bson.D{{Key: side[0].Key, Value: reseller}, {Key: side[1].Key, Value: bson.D{{Key: "$in", Value: seqs}}}})
			}
		}
	}
	wanted := map[ports.PostingID]bool{}
	for _, n := range numbers {
		wanted[n] = true
	}
	for asked := range slices.Chunk(asked, askedAtOnce) {
		movements, err := a.find(ctx, movementsName, bson.D{{Key: "$or", Value: asked}}, options.Find())
		if err != nil {
			return nil, err
		}
		for _, raw := range movements {
			m := audited(raw, movementCodec, plain)
			for _, side := range []bson.D{bySource, byTarget} {
				n := ports.PostingID{Reseller: number(raw, side[0].Key), Seq: number(raw, side[1].Key)}
				if other, taken := found[n]; taken && other.ID != m.ID {
					found[n] = ports.Audited[credit.Movement]{ID: min(m.ID, other.ID),
						Damage: fmt.Errorf("%w: another movement has the same number of the same account", storekit.ErrDamaged)}
				} else if wanted[n] {
					found[n] = m
				}
			}
		}
	}
	return found, nil
}

// auditPage reads the records in the order of their ids. Records whose _id is no id come first: they have no order, so
// all get the id 0.
func auditPage[V, R any](ctx context.Context, a audit, collection string, s codec[V], restore func(V) (R, error),
	after int64, limit int) (page []ports.Audited[R], err error) {
	if limit <= 0 { // the server takes 0 for no limit
		return nil, nil
	}
	if after < 0 {
		strays, err := a.everywhere(ctx, collection, limit, stage("$match", bson.D{{Key: "$or", Value: bson.A{
			byID(bson.D{{Key: "$lte", Value: int64(0)}}),
			byID(bson.D{{Key: "$not", Value: bson.D{{Key: "$type", Value: "long"}}}}),
		}}}))
		if err != nil {
			return nil, err
		}
		for _, raw := range strays {
			page = append(page, stray[R](fmt.Sprintf("its id is %s", raw.Lookup("_id"))))
		}
		if limit -= len(strays); limit == 0 {
			return page, nil
		}
	}
	ids := bson.D{{Key: "$gt", Value: max(after, 0)}, {Key: "$type", Value: "long"}}
	found, err := a.find(ctx, collection, byID(ids), options.Find().SetSort(onlyID).SetLimit(int64(limit)))
	if err != nil {
		return nil, err
	}
	for _, raw := range found {
		page = append(page, audited(raw, s, restore))
	}
	return page, nil
}

// auditNames finds the damage in the names of records.
func auditNames[R any](ctx context.Context, a audit, names string, page []ports.Audited[R],
	keyOf func(R) string) ([]ports.Audited[R], error) {
	var keys []string
	for _, r := range page {
		if r.Damage == nil {
			keys = append(keys, keyOf(r.Record))
		}
	}
	holders := map[string]int64{}
	for asked := range slices.Chunk(keys, askedAtOnce) {
		found, err := a.find(ctx, names, byIDs(asked), options.Find())
		if err != nil {
			return nil, err
		}
		for _, raw := range found {
			if h, _, err := nameCodec.read(raw); err == nil {
				holders[h.Key] = h.ID
			}
		}
	}
	for i, r := range page {
		if r.Damage == nil && holders[keyOf(r.Record)] != r.ID {
			page[i].Damage = fmt.Errorf("%w: the record of its name %q is missing or refers to another one", storekit.ErrDamaged, keyOf(r.Record))
		}
	}
	return page, nil
}

// Derived implements ports.Records. The server maintains the lists, which are indexes, and the path in a record must
// agree with the record. Derived therefore looks for names without a record, and for altered validators and indexes. If
// there are at most as many names as records, no name is stray, unless a record lacks its own name; that is damage of
// the record.
func (a audit) Derived(ctx context.Context, report func(finding string)) error {
	for _, of := range nameKinds {
		records, err := a.count(ctx, of.collection)
		if err != nil {
			return err
		}
		taken, err := a.count(ctx, of.names)
		if err != nil {
			return err
		}
		if taken <= records {
			continue
		}
		err = a.unlike(ctx, of.names, "holder", of.collection, "username_key", func(raw bson.Raw) {
			report(fmt.Sprintf("%s 0: %v: the name %s refers to %s, which has another name or does not exist", of.kind,
				storekit.ErrDamaged, raw.Lookup("_id"), raw.Lookup("holder")))
		})
		if err != nil {
			return err
		}
	}
	if err := storekit.ExamineIndexes(ctx, exporter(a), report); err != nil {
		return err
	}
	if err := a.journalDerived(ctx, report); err != nil {
		return err
	}
	differences, err := a.altered(ctx)
	if err != nil {
		a.failed = a.seen.unavailable("compare the schema", err)
		return a.failed
	}
	for _, finding := range storekit.SchemaFindings(differences) {
		report(finding)
	}
	return nil
}

// nameKind is a kind of records with unique names.
type nameKind struct{ kind, collection, names string }

var nameKinds = []nameKind{{"account", resellersName, resellerNamesName}, {"line", linesName, lineNamesName}}

// unlike passes each document of a collection whose member refers to no document of the other collection that refers
// back.
func (a audit) unlike(ctx context.Context, collection, member, other, back string, each func(raw bson.Raw)) error {
	return a.visit(ctx, collection, []bson.D{
		stage("$lookup", bson.D{{Key: "from", Value: other}, {Key: "localField", Value: member},
			{Key: "foreignField", Value: "_id"}, {Key: "as", Value: "held"}}),
		stage("$match", bson.D{{Key: "$expr", Value: bson.D{{Key: "$ne", Value: bson.A{"$held." + back, bson.A{"$_id"}}}}}}),
		stage("$project", bson.D{{Key: member, Value: 1}}),
	}, each)
}

func stray[R any](why string) ports.Audited[R] {
	return ports.Audited[R]{Damage: fmt.Errorf("%w: %s", storekit.ErrDamaged, why)}
}

// everywhere returns up to limit results of stages over a whole collection.
func (v *view) everywhere(ctx context.Context, collection string, limit int,
	stages ...bson.D) (found []bson.Raw, err error) {
	err = v.visit(ctx, collection, append(stages, stage("$limit", limit)), func(raw bson.Raw) {
		found = append(found, slices.Clone(raw))
	})
	return found, err
}

// visit calls do with all results of stages over a whole collection. It reads everything, so it has no time limit of
// its own.
func (v *view) visit(ctx context.Context, collection string, stages []bson.D, do func(bson.Raw)) error {
	return v.within(ctx, collection, func(ctx context.Context, c *mongo.Collection) error {
		cursor, err := c.Aggregate(ctx, stages, options.Aggregate().SetHint(onlyID))
		if err != nil {
			return err
		}
		return visit(ctx, cursor, func(raw bson.Raw) error {
			do(raw)
			return nil
		})
	})
}

func (v *view) count(ctx context.Context, collection string) (int64, error) {
	counted, err := v.everywhere(ctx, collection, 1, stage("$count", "all"))
	if err != nil || len(counted) == 0 {
		return 0, err
	}
	return number(counted[0], "all"), nil
}

func auditIDs[V, R any](ctx context.Context, a audit, collection string, s codec[V], restore func(V) (R, error),
	ids []int64) (map[int64]ports.Audited[R], error) {
	records := map[int64]ports.Audited[R]{}
	for asked := range slices.Chunk(ids, askedAtOnce) {
		found, err := a.find(ctx, collection, byIDs(asked), options.Find())
		if err != nil {
			return nil, err
		}
		for _, raw := range found {
			r := audited(raw, s, restore)
			records[r.ID] = r
		}
	}
	return records, nil
}

func audited[V, R any](raw bson.Raw, s codec[V], restore func(V) (R, error)) ports.Audited[R] {
	a := ports.Audited[R]{ID: number(raw, "_id")}
	v, _, err := s.read(raw)
	if err == nil {
		a.Record, err = restore(v)
	}
	a.Damage = err
	return a
}

// number reads a field of a document that may be damaged. It returns 0 if the field is no number.
func number(raw bson.Raw, dotted string) int64 {
	n, _ := raw.Lookup(strings.Split(dotted, ".")...).AsInt64OK()
	return n
}
