package mongostore

import (
	"context"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/domain/journal"
	"resellerd/ports"
)

// events implements ports.Events. It reads only entries that have numbers.
type events struct{ *view }

// Head implements ports.Events.
func (e events) Head(ctx context.Context) (journal.Head, error) { return e.head(ctx) }

func (v *view) head(ctx context.Context) (journal.Head, error) {
	found, err := v.find(ctx, journalHeadName, byID(headName), options.Find())
	if err != nil {
		return journal.Head{}, err
	}
	return headIn(found)
}

// List implements ports.Events.
func (e events) List(ctx context.Context, q ports.EventQuery) (page ports.EventPage, err error) {
	found, last, err := e.list(ctx, eventSearch(q))
	if err != nil {
		return page, err
	}
	if last != nil {
		page.Next = number(last, "_id")
	}
	page.Entries, page.Damaged, err = many(found, journalCodec, numberedOf)
	return page, err
}

func eventSearch(q ports.EventQuery) search {
	s := search{collection: journalName, index: onlyID, order: onlyID, limit: q.Limit}
	if q.Descending {
		s.order = bson.D{{Key: "_id", Value: int32(-1)}}
	}
	numbers := beyond(q.After)
	if q.Before != 0 {
		numbers = with(numbers, "$lt", q.Before)
	}
	for _, list := range storekit.ListsOf(q.Of) {
		s.index = eventLists
		s.ranges = append(s.ranges, bson.D{{Key: "lists", Value: listName(list)}, {Key: "_id", Value: numbers}})
	}
	if len(s.ranges) == 0 {
		s.ranges = []bson.D{byID(numbers)}
	}
	if len(q.Types) > 0 {
		names := make([]string, len(q.Types))
		for i, t := range q.Types {
			names[i] = t.String()
		}
		s.filters = bson.D{{Key: "type", Value: bson.D{{Key: "$in", Value: names}}}}
	}
	return s
}

// OfMovements implements ports.Events.
func (e events) OfMovements(ctx context.Context, ids []int64) (map[int64]journal.Numbered, error) {
	named := map[int64]journal.Numbered{}
	for asked := range slices.Chunk(ids, askedAtOnce) {
		found, err := e.find(ctx, journalName, naming(asked), options.Find())
		if err != nil {
			return nil, err
		}
		for _, raw := range found {
			n, _, err := journalCodec.read(raw)
			if err != nil {
				return nil, err
			}
			named[n.Movement.ID] = n.Numbered
		}
	}
	return named, nil
}

// naming filters the entries that name these movements.
func naming(movements []int64) bson.D {
	return bson.D{{Key: "movement", Value: bson.D{{Key: "$in", Value: movements}}}}
}

// Figures implements ports.Events.
func (e events) Figures(ctx context.Context, accounts []int64, from, to time.Time) (all []ports.DayFigures, err error) {
	accounts = slices.Compact(slices.Sorted(slices.Values(accounts)))
	for asked := range slices.Chunk(accounts, askedAtOnce) {
		ranges := make(bson.A, len(asked))
		for i, account := range asked {
			ranges[i] = byID(bson.D{{Key: "$gte", Value: figuresID{account, journal.DayOf(from)}},
				{Key: "$lt", Value: figuresID{account, journal.DayOf(to)}}})
		}
		found, err := e.find(ctx, figuresName, bson.D{{Key: "$or", Value: ranges}}, options.Find())
		if err != nil {
			return nil, err
		}
		if all, err = appendFigures(all, found); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func appendFigures(all []ports.DayFigures, found []bson.Raw) ([]ports.DayFigures, error) {
	for _, raw := range found {
		f, _, err := figuresCodec.read(raw)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}
