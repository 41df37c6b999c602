package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// lines implements ports.Lines and, in a view, ports.LineDirectory.
type lines struct{ *transaction }

// Get implements ports.Lines.
func (l lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	return lineOfRow(l.scanner(ctx, getLine, id))
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(ctx context.Context, name profile.Username) (id int64, err error) {
	err = l.row(ctx, findLine, []any{name.Key()}, plain(&id))
	return id, err
}

// position is where a line stands in a list: by its expiry and its id, or where the
// order is that of ids by its id alone.
type position struct{ at, id int64 }

func (p position) compare(other position) int {
	return cmp.Or(cmp.Compare(p.at, other.at), cmp.Compare(p.id, other.id))
}

// lineSearch is a query in the words of the statements.
type lineSearch struct {
	list          int64
	after, edge   position // of the page: beyond the one, up to the other
	trial         any
	names         names
	since, before int64 // of the expiry
	limit         int
	byExpiry      bool
	filtered      bool // it asks for more than the index knows
}

func searchOf(q ports.LineQuery) lineSearch {
	s := lineSearch{
		list:     q.Scope.Reseller,
		after:    position{id: q.After.ID},
		edge:     position{math.MaxInt64, math.MaxInt64},
		names:    namesWith(q.Username),
		since:    math.MinInt64,
		before:   math.MaxInt64,
		limit:    q.Limit,
		byExpiry: q.ByExpiry,
		filtered: q.Trial != nil || q.Username != "" || !q.ByExpiry && (q.ExpiresAfter != nil || q.ExpiresBefore != nil),
	}
	if !q.Scope.Tree {
		s.list = -s.list
	}
	if q.Trial != nil {
		s.trial = *q.Trial
	}
	if q.ExpiresAfter != nil {
		s.since = q.ExpiresAfter.UnixMilli()
	}
	if q.ExpiresBefore != nil {
		s.before = q.ExpiresBefore.UnixMilli()
	}
	if q.ByExpiry {
		s.after.at = q.After.ExpiresAt.UnixMilli()
		if s.after.at < s.since {
			s.after = position{at: s.since}
		}
		s.edge.at = s.before - 1
	}
	return s
}

func (s lineSearch) cursor(p position) *ports.LineCursor {
	if !s.byExpiry {
		return &ports.LineCursor{ID: p.id}
	}
	return &ports.LineCursor{ExpiresAt: time.UnixMilli(p.at).UTC(), ID: p.id}
}

// List implements ports.LineDirectory.
func (l lines) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	s, most := searchOf(q), examined(q.Limit)
	if q.Username != "" {
		if few, err := l.few(ctx, lineNamesBeyond, s.names, most); err != nil {
			return ports.LinePage{}, err
		} else if few {
			return l.listNamed(ctx, s)
		}
	}
	list, edge := listLines, linesEdge
	if s.byExpiry {
		list, edge = listLinesByExpiry, linesEdgeByExpiry
	}
	var page ports.LinePage
	if s.filtered {
		var last position
		err := l.row(ctx, edge, []any{s.list, s.after.at, s.after.id, s.edge.at, s.edge.id, most - 1}, plain(&last.at), plain(&last.id))
		switch {
		case err == nil:
			s.edge, page.Next = last, s.cursor(last)
		case !errors.Is(err, fault.ErrNotFound):
			return ports.LinePage{}, err
		}
	}
	args := []any{s.list, s.after.at, s.after.id, s.edge.at, s.edge.id, s.trial, s.names[0], s.names[1], s.since, s.before, s.limit + 1}
	err := l.rows(ctx, list, args, func(scan scan) error {
		found, err := lineOfRow(scan)
		page.Lines = append(page.Lines, found)
		return err
	})
	if err != nil {
		return ports.LinePage{}, err
	}
	if len(page.Lines) > s.limit {
		page.Lines = page.Lines[:s.limit]
		last := page.Lines[s.limit-1]
		page.Next = s.cursor(position{last.ExpiresAt().UnixMilli(), last.ID()})
	}
	return page, nil
}

// listNamed lists lines by the few names that they may have.
func (l lines) listNamed(ctx context.Context, s lineSearch) (page ports.LinePage, err error) {
	var found []position
	err = l.rows(ctx, linesNamed, []any{s.list, s.names[0], s.names[1], s.trial, s.since, s.before}, func(scan scan) error {
		var p position
		err := scan(plain(&p.at), plain(&p.id))
		if !s.byExpiry {
			p.at = 0
		}
		if p.compare(s.after) > 0 {
			found = append(found, p)
		}
		return err
	})
	if err != nil {
		return ports.LinePage{}, err
	}
	slices.SortFunc(found, position.compare)
	if len(found) > s.limit {
		found = found[:s.limit]
		page.Next = s.cursor(found[s.limit-1])
	}
	for _, p := range found {
		one, err := l.Get(ctx, p.id)
		if err != nil {
			return ports.LinePage{}, err
		}
		page.Lines = append(page.Lines, one)
	}
	return page, nil
}

// Insert implements ports.Lines.
func (l lines) Insert(ctx context.Context, ln *line.Line) error {
	_, err := l.exec(ctx, insertLine, rowOfLine(ln.State())...)
	return err
}

// Save implements ports.Lines.
func (l lines) Save(ctx context.Context, ln *line.Line) error {
	return l.change(ctx, saveLine, rowOfLine(ln.State())...)
}

// Delete implements ports.Lines.
func (l lines) Delete(ctx context.Context, t line.Tombstone) error {
	if err := l.change(ctx, deleteLine, t.Line); err != nil {
		return err
	}
	return l.bury(ctx, t)
}

func (q *transaction) bury(ctx context.Context, t line.Tombstone) error {
	_, err := q.exec(ctx, bury, rowOfTombstone(t)...)
	return err
}
