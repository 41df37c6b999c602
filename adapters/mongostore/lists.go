package mongostore

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// What a list holds is one range of an index, whatever the list: see the schema.
// Other filters are tried on each of its entries, so that a page is bounded by how
// many it examines. Only where a filter by name leaves few names in the whole
// collection, these are examined in place of the list.

// examined returns how many entries a page examines, at most.
func examined(limit int) int { return max(1_000, 4*limit) }

// search is a page of a list in the words of the database.
type search struct {
	collection string
	ranges     []bson.D // of the index, in order: the page goes through them
	index      bson.D
	order      bson.D // the end of the index
	filters    bson.D // tried on what is examined
	name       any    // filter by name, nil: none
	limit      int
}

// list returns up to limit records, and the last one that was examined where others
// may follow.
func (v *view) list(ctx context.Context, s search) (page []bson.Raw, next bson.Raw, err error) {
	index, stages := s.index, []bson.D{stage("$match", s.inRange()), stage("$sort", s.order)}
	bounded := len(s.filters) > 0
	if s.name != nil {
		few, err := v.few(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		if few {
			index, bounded = byName, false
			stages = []bson.D{stage("$match", named(s.name)), stage("$match", s.inRange()), stage("$sort", s.order)}
		}
	}
	whole := stages
	if bounded {
		stages = append(slices.Clip(stages), stage("$limit", examined(s.limit)))
	}
	page, err = v.aggregate(ctx, s.collection, index, append(slices.Clip(stages), stage("$match", s.filters), stage("$limit", s.limit+1))...)
	switch {
	case err != nil:
		return nil, nil, err
	case len(page) > s.limit:
		return page[:s.limit], page[s.limit-1], nil
	case !bounded:
		return page, nil, nil
	}
	edge, err := v.aggregate(ctx, s.collection, index, append(slices.Clip(whole),
		stage("$skip", examined(s.limit)-1), stage("$limit", 1), stage("$project", s.order))...)
	if err != nil || len(edge) == 0 {
		return page, nil, err
	}
	return page, edge[0], nil
}

// few reports whether so few records have such a name that a page may examine them
// all.
func (v *view) few(ctx context.Context, s search) (bool, error) {
	beyond, err := v.aggregate(ctx, s.collection, byName,
		stage("$match", named(s.name)), stage("$skip", examined(s.limit)), stage("$limit", 1),
		stage("$project", bson.D{{Key: "_id", Value: 0}, byName[0]})) // which the index holds
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

func named(prefix any) bson.D { return bson.D{{Key: "username_key", Value: prefix}} }

// startingWith matches keys of names by how they start, nil where any does. The
// server makes a range of the index of it.
func startingWith(prefix string) any {
	if prefix == "" {
		return nil
	}
	return bson.Regex{Pattern: "^" + regexp.QuoteMeta(prefix)}
}

// with returns the conditions with one more.
func with(d bson.D, key string, value any) bson.D {
	return append(slices.Clip(d), bson.E{Key: key, Value: value})
}

func beyond(value any) bson.D { return bson.D{{Key: "$gt", Value: value}} }

// List implements ports.ResellerDirectory.
func (a resellerDirectory) List(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	if q.Scope.Reseller != 0 && !q.Scope.Tree {
		return a.listOne(ctx, q)
	}
	s := search{collection: resellersName, index: onlyID, order: onlyID, name: startingWith(q.Username), limit: q.Limit}
	var list bson.D
	switch {
	case q.Master != 0:
		if q.Scope.Reseller != 0 {
			within, err := a.find(ctx, resellersName, bson.D{{Key: "_id", Value: q.Master}, {Key: "path", Value: q.Scope.Reseller}}, options.Find().SetProjection(onlyID))
			if err != nil {
				return ports.ResellerPage{}, err
			}
			if len(within) == 0 {
				return a.listOne(ctx, q) // nothing of the tree but perhaps its root is right below
			}
		}
		list, s.index = bson.D{{Key: "parent", Value: q.Master}}, childrenByID
	case q.Scope.Reseller != 0:
		list, s.index = bson.D{{Key: "path", Value: q.Scope.Reseller}}, resellerTreeByID
	}
	s.ranges = []bson.D{with(list, "_id", beyond(q.After))}
	if s.name != nil {
		s.filters = named(s.name)
	}
	found, last, err := a.list(ctx, s)
	if err != nil {
		return ports.ResellerPage{}, err
	}
	var page ports.ResellerPage
	if last != nil {
		page.Next = number(last, "_id")
	}
	page.Resellers, err = many(found, resellerShape, reseller.Restore)
	return page, err
}

// listOne lists the scope's own reseller, where the query selects it.
func (a resellerDirectory) listOne(ctx context.Context, q ports.ResellerQuery) (ports.ResellerPage, error) {
	r, err := a.Get(ctx, q.Scope.Reseller)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return ports.ResellerPage{}, nil
	case err != nil:
		return ports.ResellerPage{}, err
	}
	s := r.State()
	if s.ID <= q.After || q.Master != 0 && s.Parent() != q.Master || !strings.HasPrefix(s.Username.Key(), q.Username) {
		return ports.ResellerPage{}, nil
	}
	return ports.ResellerPage{Resellers: []*reseller.Reseller{r}}, nil
}

// List implements ports.LineDirectory.
func (l lineDirectory) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	s := lineSearch(q)
	if len(s.ranges) == 0 {
		return ports.LinePage{}, nil
	}
	found, last, err := l.list(ctx, s)
	if err != nil {
		return ports.LinePage{}, err
	}
	var page ports.LinePage
	if last != nil {
		page.Next = &ports.LineCursor{ID: number(last, "_id")}
		if q.ByExpiry {
			expiry, _ := last.Lookup("expires_at").TimeOK()
			page.Next.ExpiresAt = expiry.UTC()
		}
	}
	page.Lines, err = many(found, lineShape, line.Restore)
	return page, err
}

func lineSearch(q ports.LineQuery) search {
	s := search{collection: linesName, index: onlyID, order: onlyID, name: startingWith(q.Username), limit: q.Limit}
	var list bson.D
	switch {
	case q.Scope.Reseller != 0 && q.Scope.Tree:
		list, s.index = bson.D{{Key: "path", Value: q.Scope.Reseller}}, lineTreeByID
	case q.Scope.Reseller != 0:
		list, s.index = bson.D{{Key: "owner", Value: q.Scope.Reseller}}, ownedByID
	}
	window := bson.D{}
	if q.ExpiresAfter != nil {
		window = with(window, "$gte", *q.ExpiresAfter)
	}
	if q.ExpiresBefore != nil {
		window = with(window, "$lt", *q.ExpiresBefore)
	}
	if q.ByExpiry {
		s.order = allByExpiry
		s.index = map[bool]bson.D{true: lineTreeByExpiry, false: ownedByExpiry}[q.Scope.Tree]
		if q.Scope.Reseller == 0 {
			s.index = allByExpiry
		}
		s.ranges = expiryRanges(list, window, q)
	} else {
		s.ranges = []bson.D{with(list, "_id", beyond(q.After.ID))}
		if len(window) > 0 {
			s.filters = with(s.filters, "expires_at", window)
		}
	}
	if q.Trial != nil {
		s.filters = with(s.filters, "trial", *q.Trial)
	}
	if s.name != nil {
		s.filters = append(s.filters, named(s.name)...)
	}
	return s
}

// expiryRanges returns what comes after the cursor in the order of expiry, within
// the window: none where nothing can.
func expiryRanges(list, window bson.D, q ports.LineQuery) []bson.D {
	after := q.After.ExpiresAt
	switch {
	case q.After == (ports.LineCursor{}) || q.ExpiresAfter != nil && after.Before(*q.ExpiresAfter):
		if len(window) > 0 {
			list = with(list, "expires_at", window)
		}
		return []bson.D{list}
	case q.ExpiresBefore == nil:
		return expiryFrom(list, q.After, beyond(after))
	case after.Before(*q.ExpiresBefore):
		return expiryFrom(list, q.After, with(beyond(after), "$lt", *q.ExpiresBefore))
	default:
		return nil
	}
}

// expiryFrom returns what expires with the cursor's line and comes after it, and what
// expires later. The two have nothing in common but the list: the server would take
// it out and go through the whole window.
func expiryFrom(list bson.D, after ports.LineCursor, later bson.D) []bson.D {
	return []bson.D{
		with(with(list, "expires_at", after.ExpiresAt), "_id", beyond(after.ID)),
		with(list, "expires_at", later),
	}
}
