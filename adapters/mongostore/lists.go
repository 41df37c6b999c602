package mongostore

import (
	"context"
	"regexp"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// A list is one range of an index: see the schema. Other filters are applied to each of its entries, so that a page is
// bounded by how many it examines. If one filter leaves few records of the whole collection, the page examines these
// instead. In the order of names, the scope of the list is such a filter.

// search is a page of a list as queries of the database.
type search struct {
	collection string
	ranges     []bson.D // of the index, in order: the page goes through them
	index      bson.D
	order      bson.D // the end of the index
	filters    bson.D // applied to the examined entries
	rare       rare
	limit      int
	examined   int // the most records that a page examines
}

// rare is a filter that may select few records of the whole collection, with its index; nil: no such filter.
type rare struct{ filter, index bson.D }

// list returns up to limit records, and the last examined one if others may follow.
func (v *view) list(ctx context.Context, s search) (page []bson.Raw, next bson.Raw, err error) {
	index, stages := s.index, []bson.D{stage("$match", s.inRange()), stage("$sort", s.order)}
	bounded := len(s.filters) > 0
	if s.rare.filter != nil {
		few, err := v.few(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		if few {
			index, bounded = s.rare.index, false
			stages = []bson.D{stage("$match", s.rare.filter), stage("$match", s.inRange()), stage("$sort", s.order)}
		}
	}
	whole := stages
	if bounded {
		stages = append(slices.Clip(stages), stage("$limit", s.examined))
	}
	page, err = v.aggregate(ctx, s.collection, index,
		append(slices.Clip(stages), stage("$match", s.filters), stage("$limit", s.limit+1))...)
	switch {
	case err != nil:
		return nil, nil, err
	case len(page) > s.limit:
		return page[:s.limit], page[s.limit-1], nil
	case !bounded:
		return page, nil, nil
	}
	edge, err := v.aggregate(ctx, s.collection, index, append(slices.Clip(whole),
		stage("$skip", s.examined-1), stage("$limit", 1), stage("$project", s.order))...)
	if err != nil || len(edge) == 0 {
		return page, nil, err
	}
	return page, edge[0], nil
}

// few reports whether the rare filter selects so few records that a page may examine them all.
func (v *view) few(ctx context.Context, s search) (bool, error) {
	beyond, err := v.aggregate(ctx, s.collection, s.rare.index,
		stage("$match", s.rare.filter), stage("$skip", s.examined), stage("$limit", 1),
		stage("$project", bson.D{{Key: "_id", Value: 0}, s.rare.index[0]})) // the index has it
	return len(beyond) == 0, err
}

func (s search) inRange() bson.D {
	if len(s.ranges) == 1 {
		return s.ranges[0]
	}
	return bson.D{{Key: "$or", Value: s.ranges}} // the server merges ranges that are in order
}

func stage(name string, value any) bson.D {
	if d, ok := value.(bson.D); ok && d == nil {
		value = bson.D{}
	}
	return bson.D{{Key: name, Value: value}}
}

// byNames finds records by the start of their names, which the server turns into a range of the index.
func byNames(prefix string) rare {
	if prefix == "" {
		return rare{}
	}
	return rare{bson.D{{Key: "username_key", Value: bson.Regex{Pattern: "^" + regexp.QuoteMeta(prefix)}}}, byName}
}

// with returns the conditions and one more.
func with(d bson.D, key string, value any) bson.D {
	return append(slices.Clip(d), bson.E{Key: key, Value: value})
}

func beyond(value any) bson.D { return bson.D{{Key: "$gt", Value: value}} }
