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

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/ports"
)

// ledger implements ports.Ledger.
type ledger struct{ transaction }

// Append implements ports.Ledger.
func (l ledger) Append(_ context.Context, m credit.Movement) error {
	if _, _, err := storekit.Sides(m); err != nil {
		return err
	}
	return l.movements.Insert(l.run, m.ID, storekit.CloneMovement(m),
		fmt.Errorf("append movement %d: it exists already", m.ID))
}

// Get implements ports.Ledger.
func (l ledger) Get(_ context.Context, id int64) (credit.Movement, error) {
	m, err := l.movements.Get(l.run, id)
	return storekit.CloneMovement(m), err
}

// statements implements ports.Statements.
type statements struct{ *view }

// Statement implements ports.Statements.
func (s statements) Statement(ctx context.Context, reseller, before int64,
	limit int) (page []credit.Movement, err error) {
	if limit <= 0 { // the server takes 0 for no limit
		return nil, nil
	}
	if before == 0 {
		before = math.MaxInt64
	}
	type entry struct {
		number   int64
		movement credit.Movement
		damaged  int64 // its id, if it can't be read
	}
	var all []entry
	for _, side := range []bson.D{bySource, byTarget} {
		seq := side[1].Key
		found, err := s.find(ctx, movementsName,
			bson.D{{Key: side[0].Key, Value: reseller}, {Key: seq, Value: bson.D{{Key: "$lt", Value: before}}}},
			options.Find().SetSort(bson.D{{Key: seq, Value: -1}}).SetLimit(int64(limit)))
		if err != nil {
			return nil, err
		}
		for _, raw := range found {
			e := entry{number: number(raw, seq)}
			e.movement, _, err = movementCodec.read(raw)
			switch {
			case errors.Is(err, storekit.ErrDamaged):
				e.damaged = number(raw, "_id")
			case err != nil:
				return nil, err
			}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(b.number, a.number) })
	all = all[:min(limit, len(all))]
	var left ports.IncompletePage
	for _, e := range all {
		if e.damaged != 0 {
			left.Damaged = append(left.Damaged, e.damaged)
		} else {
			page = append(page, e.movement)
		}
	}
	if len(left.Damaged) == 0 {
		return page, nil
	}
	if last := all[len(all)-1].number; len(all) == limit && last > 1 {
		left.Next = last
	}
	return page, &left
}

// plain restores records that are stored unchanged.
func plain[V any](v V) (V, error) { return v, nil }

// Totals implements ports.Statements. The server adds decimals of 34 digits, which are exact for every possible ledger.
func (s statements) Totals(ctx context.Context) (credit.Totals, error) {
	var moved struct {
		Count, Last                int64
		Issued, Returned, Consumed bson.Decimal128
	}
	passed := func(field string, through credit.Party) bson.D {
		is := bson.D{{Key: "$eq", Value: bson.A{"$" + field, through.System()}}}
		return sum(bson.D{{Key: "$cond", Value: bson.A{is, "$amount", creditsOf(credit.Amount{})}}})
	}
	err := s.sums(ctx, movementsName, bson.D{}, &moved,
		bson.E{Key: "count", Value: sum(int64(1))},
		bson.E{Key: "last", Value: bson.D{{Key: "$max", Value: "$_id"}}},
		bson.E{Key: "issued", Value: passed("source.system", credit.Issuance)},
		bson.E{Key: "returned", Value: passed("target.system", credit.Issuance)},
		bson.E{Key: "consumed", Value: passed("target.system", credit.Consumption)})
	if err != nil {
		return credit.Totals{}, err
	}
	var held struct{ Balances bson.Decimal128 }
	if err := s.sums(ctx, resellersName, bson.D{}, &held, bson.E{Key: "balances", Value: sum("$credits")}); err != nil {
		return credit.Totals{}, err
	}
	var counted struct{ Imported int64 }
	imported := bson.D{{Key: originName, Value: string(line.Imported)}}
	if err := s.sums(ctx, linesName, imported, &counted, bson.E{Key: "imported", Value: sum(int64(1))}); err != nil {
		return credit.Totals{}, err
	}
	issued, err1 := sumOf(moved.Issued)
	returned, err2 := sumOf(moved.Returned)
	consumed, err3 := sumOf(moved.Consumed)
	balances, err4 := sumOf(held.Balances)
	return credit.Totals{Issued: issued.Sub(returned), Consumed: consumed, Balances: balances, Movements: moved.Count,
			Last: moved.Last, Imported: counted.Imported},
		errors.Join(err1, err2, err3, err4)
}

func sum(of any) bson.D { return bson.D{{Key: "$sum", Value: of}} }

// sums reads the result of a group over the documents of a filter, or over a whole collection. Without a result, into
// remains zero. It reads all the documents, so it has no time limit of its own.
func (v *view) sums(ctx context.Context, collection string, filter bson.D, into any, fields ...bson.E) error {
	group := append(bson.D{{Key: "_id", Value: nil}}, fields...)
	var found []bson.Raw
	err := v.within(ctx, collection, func(ctx context.Context, c *mongo.Collection) error {
		cursor, err := c.Aggregate(ctx, []bson.D{stage("$match", filter), stage("$group", group)})
		if err == nil {
			found, err = all(ctx, cursor)
		}
		return err
	})
	if err != nil || len(found) == 0 {
		return err
	}
	return bson.Unmarshal(found[0], into)
}
