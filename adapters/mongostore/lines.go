package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// lines implements ports.Lines.
type lines struct{ transaction }

// Get implements ports.Lines.
func (l lines) Get(_ context.Context, id int64) (*line.Line, error) {
	s, err := l.lines.Get(l.run, id)
	if err != nil {
		return nil, err
	}
	return line.Restore(s)
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(_ context.Context, name profile.Username) (int64, error) {
	found, err := l.lineNames.Get(l.run, name.Key())
	return found.ID, err
}

// Insert implements ports.Lines.
func (l lines) Insert(_ context.Context, ln *line.Line) error {
	s := ln.State()
	if err := l.lineNames.Insert(l.run, s.Username.Key(), holder{s.Username.Key(), s.ID},
		profile.ErrUsernameTaken); err != nil {
		return err
	}
	return l.lines.Insert(l.run, s.ID, s, fmt.Errorf("insert line %d: it exists already", s.ID))
}

// Save implements ports.Lines.
func (l lines) Save(_ context.Context, ln *line.Line) error {
	s := ln.State()
	before, err := l.lines.Get(l.run, s.ID)
	if err != nil {
		return err
	}
	if err := l.rename(l.lineNames, s.ID, before.Username, s.Username); err != nil {
		return err
	}
	return l.lines.Put(l.run, s.ID, s)
}

// Delete implements ports.Lines.
func (l lines) Delete(_ context.Context, t line.Tombstone) error {
	before, err := l.lines.Get(l.run, t.Line)
	if err != nil {
		return err
	}
	return errors.Join(
		l.lineNames.Remove(l.run, before.Username.Key()),
		l.lines.Remove(l.run, t.Line),
		l.tombstones.Insert(l.run, t.Line, t, fmt.Errorf("delete line %d: it has a tombstone already", t.Line)),
	)
}

// lineDirectory implements ports.LineDirectory.
type lineDirectory struct{ *view }

// Get implements ports.LineDirectory.
func (l lineDirectory) Get(ctx context.Context, id int64) (*line.Line, error) {
	s, err := one(ctx, l.view, linesName, lineCodec, id)
	if err != nil {
		return nil, err
	}
	return line.Restore(s)
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
		expiry, _ := last.Lookup("expires_at").TimeOK()
		name, _ := last.Lookup("username_key").StringValueOK()
		page.Next = new(storekit.Position(q.Order,
			ports.LineCursor{ExpiresAt: expiry.UTC(), Name: name, ID: number(last, "_id")}))
	}
	page.Lines, page.Damaged, err = many(found, lineCodec, line.Restore)
	return page, err
}

// FindByUsername implements ports.LineDirectory.
func (l lineDirectory) FindByUsername(ctx context.Context, name profile.Username) (int64, error) {
	found, err := one(ctx, l.view, lineNamesName, nameCodec, name.Key())
	return found.ID, err
}

// FindByExternalID implements ports.LineDirectory.
func (l lineDirectory) FindByExternalID(ctx context.Context, owner int64, id profile.Text) (int64, error) {
	found, err := l.find(ctx, linesName, bson.D{{Key: "owner", Value: owner}, {Key: externalID, Value: id.String()}},
		options.Find().SetHint(ownedByExternalID).SetProjection(onlyID).SetLimit(1))
	switch {
	case err != nil:
		return 0, err
	case len(found) == 0:
		return 0, fault.ErrNotFound
	}
	return number(found[0], "_id"), nil
}

// Usernames implements ports.LineDirectory.
func (l lineDirectory) Usernames(ctx context.Context, ids []int64) (map[int64]profile.Username, error) {
	names := map[int64]profile.Username{}
	if len(ids) == 0 {
		return names, nil
	}
	found, err := l.find(ctx, linesName, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}, options.Find())
	if err != nil {
		return nil, err
	}
	all, _, err := many(found, lineCodec, plain)
	for _, s := range all {
		names[s.ID] = s.Username
	}
	return names, err
}

// Count implements ports.LineDirectory. If more lines would have to be examined, one more query finds the next one.
func (l lineDirectory) Count(ctx context.Context, q ports.LineQuery, examined int) (count int, all bool, err error) {
	q.Order, q.After = ports.LinesByExpiry, ports.LineCursor{}
	s := lineSearch(q)
	if len(s.ranges) == 0 {
		return 0, true, nil
	}
	within := []bson.D{stage("$match", s.inRange())}
	if examined > 0 { // the server takes no limit of 0
		found, err := l.aggregate(ctx, s.collection, s.index,
			append(slices.Clip(within), stage("$limit", examined), stage("$match", s.filters), stage("$count", "all"))...)
		if err != nil {
			return 0, false, err
		}
		if len(found) > 0 {
			count = int(number(found[0], "all"))
		}
	}
	more, err := l.aggregate(ctx, s.collection, s.index, append(within, stage("$skip", examined), stage("$limit", 1),
		stage("$project", s.index))...)
	return count, len(more) == 0, err
}

func lineSearch(q ports.LineQuery) search {
	s := search{collection: linesName, index: onlyID, order: onlyID, rare: byNames(q.Username), limit: q.Limit,
		examined: storekit.ExaminedLines(q)}
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
	switch q.Order {
	case ports.LinesByID:
	case ports.LinesByExpiry, ports.LatestExpiry:
		s.order = allByExpiry
		if q.Order.Backwards() {
			s.order = bson.D{{Key: "expires_at", Value: int32(-1)}, {Key: "_id", Value: int32(-1)}}
		}
		s.index = map[bool]bson.D{true: lineTreeByExpiry, false: ownedByExpiry}[q.Scope.Tree]
		if q.Scope.Reseller == 0 {
			s.index = allByExpiry
		}
	case ports.LinesByName: // names are unique: the id adds nothing
		s.rare = rare{list, s.index}
		list, s.index, s.order = nil, byName, byName
	case ports.NewestLines:
		s.order = bson.D{{Key: "_id", Value: int32(-1)}}
	}
	s.ranges = lineRanges(list, q)
	if !q.Order.ByExpiry() && len(window) > 0 {
		s.filters = with(s.filters, "expires_at", window)
	}
	if q.Trial != nil {
		s.filters = with(s.filters, "trial", *q.Trial)
	}
	s.filters = append(s.filters, s.rare.filter...)
	switch {
	case q.Suspended == nil:
	case *q.Suspended:
		s.rare = rare{bson.D{{Key: suspendedName, Value: true}}, bySuspended}
		s.filters = append(s.filters, s.rare.filter...)
	default: // absent
		s.filters = with(s.filters, suspendedName, nil)
	}
	if q.ExternalID != "" {
		s.rare = rare{bson.D{{Key: externalID, Value: q.ExternalID}}, byExternalID}
		s.filters = append(s.filters, s.rare.filter...)
	}
	return s
}

// lineRanges returns the ranges of a list between the bounds of a query, none if there is nothing between them. In an
// order by a field there are two ranges: the lines with the value of a cursor, and those after it. They share only the
// conditions of the list: the server would factor out any other and scan everything between the bounds.
func lineRanges(list bson.D, q ports.LineQuery) []bson.D {
	start, end := storekit.Range(q)
	if start != nil && end != nil && storekit.ComparePositions(q.Order, *start, *end) >= 0 {
		return nil
	}
	further, from, until := "$gt", "$gte", "$lt"
	if q.Order.Backwards() {
		further, from, until = "$lt", "$lt", "$gte"
	}
	var field string
	var value func(ports.LineCursor) any
	switch {
	case q.Order.ByExpiry():
		field, value = "expires_at", func(c ports.LineCursor) any { return c.ExpiresAt }
	case q.Order == ports.LinesByName:
		field, value = "username_key", func(c ports.LineCursor) any { return c.Name }
	case start != nil:
		return []bson.D{with(list, "_id", bson.D{{Key: further, Value: start.ID}})}
	default:
		return []bson.D{list}
	}
	bounds := bson.D{}
	if end != nil {
		bounds = with(bounds, until, value(*end))
	}
	switch {
	case start != nil && start.ID != 0:
		return []bson.D{
			with(with(list, field, value(*start)), "_id", bson.D{{Key: further, Value: start.ID}}),
			with(list, field, with(bounds, further, value(*start))),
		}
	case start != nil:
		bounds = with(bounds, from, value(*start))
	case end == nil:
		return []bson.D{list}
	}
	return []bson.D{with(list, field, bounds)}
}
