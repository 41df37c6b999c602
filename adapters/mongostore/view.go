package mongostore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// View implements ports.Store. The snapshot is taken at the first read.
func (s *Store) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return viewOf(ctx, s.db, &s.users, func(v *view) error {
		return look(ctx, ports.Snapshot{
			Resellers: resellerDirectory{v},
			Lines:     lineDirectory{v},
			Ledger:    statements{v},
			Keys:      keyReader{v},
		})
	})
}

// ViewRecords implements ports.Archive. The snapshot is taken at the first read.
func (s *Store) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	return viewOf(ctx, s.db, &s.users, func(v *view) error { return look(ctx, v.archived()) })
}

// archived implements ports.Records.
type archived struct {
	audit
	exporter
	statements
}

func (v *view) archived() ports.Records { return archived{audit{v}, exporter{v}, statements{v}} }

func viewOf(ctx context.Context, db *mongo.Database, users *gate, look func(*view) error) error {
	if err := users.enter(); err != nil {
		return err
	}
	defer users.leave()
	if err := ctx.Err(); err != nil {
		return unavailable("begin a view", err)
	}
	session, err := db.Client().StartSession(options.Session().SetSnapshot(true))
	if err != nil {
		return unavailable("begin a view", err)
	}
	defer session.EndSession(context.WithoutCancel(ctx))
	v := &view{db: db, session: session}
	defer func() { v.ended = true }()
	err = look(v)
	if v.lost != nil {
		return v.lost
	}
	return err
}

// view reads one snapshot.
type view struct {
	db      *mongo.Database
	session *mongo.Session
	lost    error // the first read that was not answered
	ended   bool
}

// read runs a query and returns all that it finds, so it is bounded by the query.
// It is tried again while it may succeed: the snapshot stays the same.
func (v *view) read(ctx context.Context, collection string, query func(ctx context.Context, c *mongo.Collection) (*mongo.Cursor, error)) (found []bson.Raw, err error) {
	return v.answer(ctx, collection, func(ctx context.Context) (found []bson.Raw, err error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		err = retry(ctx, func() error {
			return inStep(ctx, func(ctx context.Context) error {
				cursor, err := query(ctx, v.db.Collection(collection))
				if err == nil {
					found, err = all(ctx, cursor)
				}
				return err
			})
		})
		return found, err
	})
}

// answer asks within the snapshot. What fails once fails for good.
func (v *view) answer(ctx context.Context, collection string, ask func(ctx context.Context) ([]bson.Raw, error)) (found []bson.Raw, err error) {
	switch {
	case v.lost != nil:
		return nil, v.lost
	case v.ended:
		return nil, unavailable("read", errEnded)
	}
	if found, err = ask(mongo.NewSessionContext(ctx, v.session)); err != nil {
		v.lost = unavailable("read "+collection, errors.Join(ctx.Err(), err))
		return nil, v.lost
	}
	return found, nil
}

// batchSize has a page come in one round trip, so that no cursor stays open.
const batchSize = 10_000

func (v *view) find(ctx context.Context, collection string, filter bson.D, o *options.FindOptionsBuilder) ([]bson.Raw, error) {
	return v.read(ctx, collection, func(ctx context.Context, c *mongo.Collection) (*mongo.Cursor, error) {
		return c.Find(ctx, filter, o.SetBatchSize(batchSize))
	})
}

func (v *view) aggregate(ctx context.Context, collection string, index bson.D, stages ...bson.D) ([]bson.Raw, error) {
	return v.read(ctx, collection, func(ctx context.Context, c *mongo.Collection) (*mongo.Cursor, error) {
		return c.Aggregate(ctx, stages, options.Aggregate().SetHint(index).SetBatchSize(batchSize))
	})
}

var onlyID = bson.D{{Key: "_id", Value: 1}}

// one reads the record with an _id, or returns fault.ErrNotFound.
func one[V any](ctx context.Context, v *view, collection string, s codec[V], id any) (record V, err error) {
	found, err := v.find(ctx, collection, bson.D{{Key: "_id", Value: id}}, options.Find())
	switch {
	case err != nil:
		return record, err
	case len(found) == 0:
		return record, fault.ErrNotFound
	}
	record, _, err = s.read(found[0])
	if err != nil {
		err = fmt.Errorf("%s %v: %w", collection, id, err)
	}
	return record, err
}

// many reads records, none of which may be damaged.
func many[V, R any](found []bson.Raw, s codec[V], restore func(V) (R, error)) ([]R, error) {
	records := make([]R, len(found))
	for i, raw := range found {
		v, _, err := s.read(raw)
		if err == nil {
			records[i], err = restore(v)
		}
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", raw.Lookup("_id"), err)
		}
	}
	return records, nil
}

// resellerDirectory implements ports.ResellerDirectory.
type resellerDirectory struct{ *view }

// Get implements ports.ResellerDirectory.
func (a resellerDirectory) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	s, err := one(ctx, a.view, resellersName, resellerShape, id)
	if err != nil {
		return nil, err
	}
	return reseller.Restore(s)
}

// FindByUsername implements ports.ResellerDirectory.
func (a resellerDirectory) FindByUsername(ctx context.Context, name profile.Username) (*reseller.Reseller, error) {
	found, err := one(ctx, a.view, resellerNamesName, nameShape, name.Key())
	if err != nil {
		return nil, err
	}
	return a.Get(ctx, found.id)
}

// AnyBlocked implements ports.ResellerDirectory.
func (a resellerDirectory) AnyBlocked(ctx context.Context, ids []int64) (bool, error) {
	blocked, err := a.Blocked(ctx, ids)
	return len(blocked) > 0, err
}

// Blocked implements ports.ResellerDirectory.
func (a resellerDirectory) Blocked(ctx context.Context, ids []int64) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := a.find(ctx, resellersName, append(byIDs(ids), bson.E{Key: "blocked", Value: true}), options.Find().SetProjection(onlyID))
	if err != nil {
		return nil, err
	}
	blocked := make([]int64, len(found))
	for i, raw := range found {
		blocked[i] = number(raw, "_id")
	}
	return blocked, nil
}

// Empty implements ports.ResellerDirectory.
func (a resellerDirectory) Empty(ctx context.Context) (bool, error) {
	found, err := a.find(ctx, resellersName, bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: int64(0)}}}}, options.Find().SetProjection(onlyID).SetLimit(1))
	return len(found) == 0, err
}

// lineDirectory implements ports.LineDirectory.
type lineDirectory struct{ *view }

// Get implements ports.LineDirectory.
func (l lineDirectory) Get(ctx context.Context, id int64) (*line.Line, error) {
	s, err := one(ctx, l.view, linesName, lineShape, id)
	if err != nil {
		return nil, err
	}
	return line.Restore(s)
}

// keyReader implements ports.KeyReader.
type keyReader struct{ *view }

// Get implements ports.KeyReader.
func (k keyReader) Get(ctx context.Context, reseller int64, key string) (ports.KeyRecord, error) {
	return one(ctx, k.view, keysName, keyShape, keyID{reseller, key})
}

// statements implements ports.Statements.
type statements struct{ *view }

// Statement implements ports.Statements.
func (s statements) Statement(ctx context.Context, reseller, before int64, limit int) (page []credit.Movement, err error) {
	if limit <= 0 { // the server takes 0 for no limit
		return nil, nil
	}
	if before == 0 {
		before = math.MaxInt64
	}
	for _, side := range []bson.D{bySource, byTarget} {
		number := side[1].Key
		found, err := s.find(ctx, movementsName,
			bson.D{{Key: side[0].Key, Value: reseller}, {Key: number, Value: bson.D{{Key: "$lt", Value: before}}}},
			options.Find().SetSort(bson.D{{Key: number, Value: -1}}).SetLimit(int64(limit)))
		if err != nil {
			return nil, err
		}
		movements, err := many(found, movementShape, plain)
		if err != nil {
			return nil, err
		}
		page = append(page, movements...)
	}
	number := func(m credit.Movement) int64 { e, _ := m.Posting(reseller); return e.Seq }
	slices.SortFunc(page, func(a, b credit.Movement) int { return cmp.Compare(number(b), number(a)) })
	return page[:min(limit, len(page))], nil
}

// plain is for records that are what is stored.
func plain[V any](v V) (V, error) { return v, nil }

// Totals implements ports.Statements. The server adds decimals of 34 digits, which
// are exact beyond any ledger.
func (s statements) Totals(ctx context.Context) (credit.Totals, error) {
	var moved struct {
		Count                      int64
		Issued, Returned, Consumed bson.Decimal128
	}
	passed := func(field string, through credit.Party) bson.D {
		is := bson.D{{Key: "$eq", Value: bson.A{"$" + field, through.System()}}}
		return sum(bson.D{{Key: "$cond", Value: bson.A{is, "$amount", creditsOf(credit.Amount{})}}})
	}
	err := s.sums(ctx, movementsName, &moved,
		bson.E{Key: "count", Value: sum(int64(1))},
		bson.E{Key: "issued", Value: passed("source.system", credit.Issuance)},
		bson.E{Key: "returned", Value: passed("target.system", credit.Issuance)},
		bson.E{Key: "consumed", Value: passed("target.system", credit.Consumption)})
	if err != nil {
		return credit.Totals{}, err
	}
	var held struct{ Balances bson.Decimal128 }
	if err := s.sums(ctx, resellersName, &held, bson.E{Key: "balances", Value: sum("$credits")}); err != nil {
		return credit.Totals{}, err
	}
	issued, err1 := sumOf(moved.Issued)
	returned, err2 := sumOf(moved.Returned)
	consumed, err3 := sumOf(moved.Consumed)
	balances, err4 := sumOf(held.Balances)
	return credit.Totals{Issued: issued.Sub(returned), Consumed: consumed, Balances: balances, Movements: moved.Count},
		errors.Join(err1, err2, err3, err4)
}

func sum(of any) bson.D { return bson.D{{Key: "$sum", Value: of}} }

// sums reads what a group over a whole collection makes, into the zero value where
// there is none. It reads everything, so it has no time of its own.
func (v *view) sums(ctx context.Context, collection string, into any, fields ...bson.E) error {
	group := append(bson.D{{Key: "_id", Value: nil}}, fields...)
	found, err := v.answer(ctx, collection, func(ctx context.Context) ([]bson.Raw, error) {
		cursor, err := v.db.Collection(collection).Aggregate(ctx, []bson.D{stage("$group", group)})
		if err != nil {
			return nil, err
		}
		return all(ctx, cursor)
	})
	if err != nil || len(found) == 0 {
		return err
	}
	return bson.Unmarshal(found[0], into)
}
