package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"resellerd/adapters/sqlitestore/engine"
	"resellerd/adapters/sqlitestore/rows"
	"resellerd/adapters/storekit"
	"resellerd/adapters/storekit/fields"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// lines implements ports.Lines and, in a view, ports.LineDirectory.
type lines struct{ *transaction }

// Get implements ports.Lines.
func (l lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	return l.line(ctx, id)
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(ctx context.Context, name profile.Username) (id int64, err error) {
	err = l.Row(ctx, findLine, engine.Args{engine.Text("username_key", name.Key())}, func(r *engine.Row) {
		id = r.Integer()
	})
	return id, err
}

// FindByExternalID implements ports.LineDirectory.
func (l lines) FindByExternalID(ctx context.Context, owner int64, externalID profile.Text) (id int64, err error) {
	args := engine.Args{engine.Text("external_id", externalID.String()), engine.Integer("owner", owner)}
	err = l.Row(ctx, findExternalID, args, func(r *engine.Row) { id = r.Integer() })
	return id, err
}

// position is the position of a line in a list: by expiry and id, by name and id, or by id alone, depending on the
// order.
type position struct {
	at   int64
	name string
	id   int64
}

func positionOf(r *engine.Row) position { return position{r.Integer(), r.Text(), r.Integer()} }

// lineSearch is a query as parameters of the statements.
type lineSearch struct {
	ports.LineQuery
	after    position // the page starts after it
	args     engine.Args
	filtered bool // it has filters that the index does not cover
}

func searchOf(q ports.LineQuery) lineSearch {
	s := lineSearch{
		LineQuery: q,
		filtered: q.Trial != nil || q.ExternalID != "" || q.Suspended != nil ||
			q.Order == ports.LinesByName && q.Scope.Reseller != 0 || q.Order != ports.LinesByName && q.Username != "" ||
			!q.Order.ByExpiry() && (q.ExpiresAfter != nil || q.ExpiresBefore != nil),
	}
	trial := engine.Null("trial")
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if q.Trial != nil {
		trial = engine.Truth("trial", *q.Trial)
	}
	suspended := engine.Null("suspended")
	if q.Suspended != nil {
		suspended = engine.Truth("suspended", *q.Suspended)
	}
	if q.ExpiresAfter != nil {
		from = q.ExpiresAfter.UnixMilli()
	}
	if q.ExpiresBefore != nil {
		to = q.ExpiresBefore.UnixMilli()
	}
	namesFrom, namesTo := namesWith(q.Username)
	s.after = position{at: math.MinInt64, id: math.MinInt64}
	last, lastName := position{at: math.MaxInt64, id: math.MaxInt64}, engine.Blob("last_name", nil)
	if q.Order.Backwards() {
		s.after, last = last, s.after
	}
	start, end := storekit.Range(q)
	if start != nil {
		s.after = s.positionAt(*start)
	}
	if end != nil {
		last, lastName = s.positionAt(*end), engine.Text("last_name", end.Name)
	}
	owner, tree, above := engine.Null("owner"), engine.Null("tree"), ""
	switch {
	case q.Scope.Reseller == 0:
	case q.Scope.Tree:
		tree, above = engine.Integer("tree", q.Scope.Reseller), fmt.Sprintf("/%d/", q.Scope.Reseller)
	default:
		owner = engine.Integer("owner", q.Scope.Reseller)
	}
	s.args = engine.Args{
		engine.Null("scope"), engine.Integer("after_expiry", s.after.at), engine.Text("after_name", s.after.name),
		engine.Integer("after_line", s.after.id),
		engine.Integer("last_expiry", last.at), lastName, engine.Integer("last_line", last.id),
		trial, suspended, engine.TextOrNull("external_id", q.ExternalID), namesFrom, namesTo,
		engine.Integer("expires_from", from), engine.Integer("expires_to", to),
		engine.Integer("reseller", q.Scope.Reseller), owner, tree, engine.Text("above", above),
		engine.Integer("limit", q.Limit+1), engine.Integer("examined", storekit.ExaminedLines(q)),
	}
	return s
}

func (s lineSearch) positionAt(c ports.LineCursor) position {
	p := position{name: c.Name, id: c.ID}
	if s.Order.ByExpiry() {
		p.at = c.ExpiresAt.UnixMilli()
	}
	return p
}

// endAt ends the page at this position or earlier.
func (s lineSearch) endAt(p position) {
	s.args.Set(engine.Integer("last_expiry", p.at))
	s.args.Set(engine.Text("last_name", p.name))
	s.args.Set(engine.Integer("last_line", p.id))
}

func (s lineSearch) cursor(p position) *ports.LineCursor {
	at := &ports.LineCursor{Name: p.name, ID: p.id}
	if s.Order.ByExpiry() {
		at.ExpiresAt = time.UnixMilli(p.at).UTC()
	}
	return at
}

// compare orders positions as the page does.
func (s lineSearch) compare(a, b position) int {
	if s.Order.Backwards() {
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
}

// List implements ports.LineDirectory.
func (l lines) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	s := searchOf(q)
	for _, of := range []struct {
		asked         bool
		beyond, found *engine.Statement
	}{
		{q.ExternalID != "", externalIDsBeyond, linesOfExternalID},
		{q.Username != "" && q.ExternalID == "" && q.Order != ports.LinesByName, lineNamesBeyond, linesNamed},
		{q.Suspended != nil && *q.Suspended, suspendedBeyond, linesSuspended},
		{q.Order == ports.LinesByName && q.Scope.Reseller != 0, linesBeyond, linesOfScope},
	} {
		if !of.asked {
			continue
		}
		if few, err := l.few(ctx, of.beyond, s.args); err != nil {
			return ports.LinePage{}, err
		} else if few {
			return l.listFew(ctx, of.found, s)
		}
	}
	scopes := []int64{0} // the index of all names
	if q.Order != ports.LinesByName {
		var err error
		if scopes, err = l.scopes(ctx, q.Scope); err != nil {
			return ports.LinePage{}, err
		}
	}
	order := lineOrders[q.Order]
	list := order.first
	var next *ports.LineCursor
	if s.filtered { // the page examines everything up to the first edge
		list = order.filter
		edges, err := l.positions(ctx, order.edge, s, scopes)
		if err != nil {
			return ports.LinePage{}, err
		}
		if len(edges) > 0 {
			s.endAt(edges[0])
			next = s.cursor(edges[0])
		}
	}
	found, err := l.positions(ctx, list, s, scopes)
	return l.page(ctx, s, found, next, err)
}

// Count implements ports.LineDirectory. It reads no line unless there are filters.
func (l lines) Count(ctx context.Context, q ports.LineQuery, examined int) (count int, all bool, err error) {
	if q.Order != ports.LinesByExpiry {
		q.Order, q.After = ports.LinesByExpiry, ports.LineCursor{}
	}
	scopes, err := l.scopes(ctx, q.Scope)
	if err != nil {
		return 0, false, err
	}
	s, statement := searchOf(q), countLines
	if s.filtered {
		statement = countSomeLines
	}
	for _, scope := range scopes {
		s.args.Set(engine.Integer("scope", scope))
		s.args.Set(engine.Integer("examined", examined))
		seen := 0
		err := l.Row(ctx, statement, s.args, func(r *engine.Row) {
			seen = int(r.Integer())
			count += int(r.Integer())
		})
		if err != nil {
			return 0, false, err
		}
		if seen == examined {
			if few, err := l.few(ctx, linesBeyondByExpiry, s.args); err != nil || !few {
				return count, false, err
			}
		}
		examined -= seen
	}
	return count, true, nil
}

// scopes returns the lists of a scope. An account's own lines and those of the accounts below it are separate lists.
// The scope of everything has the lists of all administrators.
func (l lines) scopes(ctx context.Context, of ports.Scope) (scopes []int64, err error) {
	switch {
	case of.Reseller == 0:
		err = l.Rows(ctx, listRoots, nil, func(r *engine.Row) error {
			root := r.Integer()
			scopes = append(scopes, root, -root)
			return r.Err()
		})
		return scopes, err
	case of.Tree:
		return []int64{of.Reseller, -of.Reseller}, nil
	}
	return []int64{-of.Reseller}, nil
}

// page returns the lines at positions, in order: each from the cache, or with its own query.
func (l lines) page(ctx context.Context, s lineSearch, found []position, next *ports.LineCursor,
	err error) (ports.LinePage, error) {
	if err != nil {
		return ports.LinePage{}, err
	}
	if len(found) > s.Limit {
		found = found[:s.Limit]
		next = s.cursor(found[s.Limit-1])
	}
	page := ports.LinePage{Lines: make([]*line.Line, 0, len(found)), Next: next}
	for _, p := range found {
		one, err := l.line(ctx, p.id)
		switch {
		case err == nil:
			page.Lines = append(page.Lines, one)
		case errors.Is(err, storekit.ErrDamaged):
			page.Damaged = append(page.Damaged, p.id)
		case !errors.Is(err, fault.ErrNotFound): // the position is a stray entry of a list
			return ports.LinePage{}, err
		}
	}
	return page, nil
}

// Usernames implements ports.LineDirectory.
func (l lines) Usernames(ctx context.Context, ids []int64) (map[int64]profile.Username, error) {
	names := map[int64]profile.Username{}
	for _, id := range ids {
		one, err := l.line(ctx, id)
		switch {
		case err == nil:
			names[id] = one.State().Username
		case !errors.Is(err, fault.ErrNotFound) && !errors.Is(err, storekit.ErrDamaged):
			return nil, err
		}
	}
	return names, nil
}

// positions reads positions in each of several lists, and returns them in order.
func (l lines) positions(ctx context.Context, n *engine.Statement, s lineSearch,
	scopes []int64) (found []position, err error) {
	for _, scope := range scopes {
		s.args.Set(engine.Integer("scope", scope))
		err := l.Rows(ctx, n, s.args, func(r *engine.Row) error {
			found = append(found, positionOf(r))
			return r.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, s.compare)
	return found, nil
}

// listFew lists lines if few are possible: it examines them all.
func (l lines) listFew(ctx context.Context, n *engine.Statement, s lineSearch) (ports.LinePage, error) {
	var found []position
	err := l.Rows(ctx, n, s.args, func(r *engine.Row) error {
		p := positionOf(r)
		if !s.Order.ByExpiry() {
			p.at = 0
		}
		if s.Order != ports.LinesByName {
			p.name = ""
		}
		if s.compare(p, s.after) > 0 {
			found = append(found, p)
		}
		return r.Err()
	})
	slices.SortFunc(found, s.compare)
	return l.page(ctx, s, found, nil, err)
}

// Insert implements ports.Lines.
func (l lines) Insert(ctx context.Context, ln *line.Line) error {
	s := ln.State()
	if _, err := l.Exec(ctx, insertLine, rows.Lines.Of(&s, new(rows.Room))); err != nil {
		return err
	}
	l.moves(rows.Place{}, &s)
	return nil
}

// Save implements ports.Lines.
func (l lines) Save(ctx context.Context, ln *line.Line) error {
	s := ln.State()
	before, err := l.recorded(ctx, s.ID)
	if err != nil {
		return err
	}
	if err := l.save(ctx, before, &s); err != nil {
		return err
	}
	l.moves(rows.PlaceOf(before), &s)
	return nil
}

// save writes the changed columns, and possibly more. It does not touch the indexes of other columns.
func (l lines) save(ctx context.Context, before, s *line.State) error {
	save := [...]*engine.Statement{fields.Often: saveLineKeepingName, fields.Seldom: saveLineKeepingOwner,
		fields.Never: saveLine}[fields.Line.Change(before, s)]
	return l.Change(ctx, save, rows.Lines.Of(s, new(rows.Room)))
}

// moves records the new place of a line in lists.
func (l lines) moves(from rows.Place, s *line.State) {
	l.store.lines.Put(s.ID, s)
	l.store.lists.move(move{s.ID, from, rows.PlaceOf(s)})
}

// Delete implements ports.Lines.
func (l lines) Delete(ctx context.Context, t line.Tombstone) error {
	before, err := l.recorded(ctx, t.Line)
	if err != nil {
		return err
	}
	if err := l.Change(ctx, deleteLine, engine.Args{engine.Integer("id", t.Line)}); err != nil {
		return err
	}
	l.store.lines.Put(t.Line, nil)
	l.store.lists.move(move{t.Line, rows.PlaceOf(before), rows.Place{}})
	return l.insertTombstone(ctx, t)
}

func (q *transaction) insertTombstone(ctx context.Context, t line.Tombstone) error {
	_, err := q.Exec(ctx, addTombstone, rows.OfTombstone(&t, new(rows.Room)))
	return err
}
