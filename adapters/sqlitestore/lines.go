package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// lines implements ports.Lines and, in a view, ports.LineDirectory.
type lines struct{ *transaction }

// Get implements ports.Lines.
func (l lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	return lineOfRow(l.scanner(ctx, getLine, args{{"id", id}}))
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(ctx context.Context, name profile.Username) (id int64, err error) {
	err = l.row(ctx, findLine, args{{"username_key", name.Key()}}, plain(&id))
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
	ports.LineQuery
	after    position // the page comes after it
	args     args
	filtered bool // it asks for more than the index knows
}

func searchOf(q ports.LineQuery) lineSearch {
	s := lineSearch{
		LineQuery: q,
		after:     position{id: q.After.ID},
		filtered:  q.Trial != nil || q.Username != "" || !q.ByExpiry && (q.ExpiresAfter != nil || q.ExpiresBefore != nil),
	}
	list, last, trial := q.Scope.Reseller, position{math.MaxInt64, math.MaxInt64}, any(nil)
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if !q.Scope.Tree {
		list = -list
	}
	if q.Trial != nil {
		trial = *q.Trial
	}
	if q.ExpiresAfter != nil {
		from = q.ExpiresAfter.UnixMilli()
	}
	if q.ExpiresBefore != nil {
		to = q.ExpiresBefore.UnixMilli()
	}
	if q.ByExpiry {
		if s.after.at = q.After.ExpiresAt.UnixMilli(); s.after.at < from {
			s.after = position{at: from}
		}
		last.at = to - 1
	}
	names := namesWith(q.Username)
	s.args = args{
		{"list", list}, {"after_expiry", s.after.at}, {"after_line", s.after.id}, {"last_expiry", last.at}, {"last_line", last.id},
		{"trial", trial}, {"names_from", names[0]}, {"names_to", names[1]}, {"expires_from", from}, {"expires_to", to},
		{"limit", q.Limit + 1}, {"examined", storekit.Examined(q.Limit)},
	}
	return s
}

func (s lineSearch) cursor(p position) *ports.LineCursor {
	if !s.ByExpiry {
		return &ports.LineCursor{ID: p.id}
	}
	return &ports.LineCursor{ExpiresAt: time.UnixMilli(p.at).UTC(), ID: p.id}
}

// List implements ports.LineDirectory.
func (l lines) List(ctx context.Context, q ports.LineQuery) (ports.LinePage, error) {
	s := searchOf(q)
	if q.Username != "" {
		if few, err := l.few(ctx, lineNamesBeyond, s.args); err != nil {
			return ports.LinePage{}, err
		} else if few {
			return l.listNamed(ctx, s)
		}
	}
	list, edge := listLines, linesEdge
	if q.ByExpiry {
		list, edge = listLinesByExpiry, linesEdgeByExpiry
	}
	var page ports.LinePage
	if s.filtered {
		var last position
		err := l.row(ctx, edge, s.args, plain(&last.at), plain(&last.id))
		switch {
		case err == nil:
			s.args.set("last_expiry", last.at)
			s.args.set("last_line", last.id)
			page.Next = s.cursor(last)
		case !errors.Is(err, fault.ErrNotFound):
			return ports.LinePage{}, err
		}
	}
	err := l.rows(ctx, list, s.args, func(scan scan) error {
		found, err := lineOfRow(scan)
		page.Lines = append(page.Lines, found)
		return err
	})
	if err != nil {
		return ports.LinePage{}, err
	}
	if len(page.Lines) > s.Limit {
		page.Lines = page.Lines[:s.Limit]
		last := page.Lines[s.Limit-1]
		page.Next = s.cursor(position{last.ExpiresAt().UnixMilli(), last.ID()})
	}
	return page, nil
}

// listNamed lists lines by the few names that they may have.
func (l lines) listNamed(ctx context.Context, s lineSearch) (page ports.LinePage, err error) {
	var found []position
	err = l.rows(ctx, linesNamed, s.args, func(scan scan) error {
		var p position
		err := scan(plain(&p.at), plain(&p.id))
		if !s.ByExpiry {
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
	if len(found) > s.Limit {
		found = found[:s.Limit]
		page.Next = s.cursor(found[s.Limit-1])
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
	_, err := l.exec(ctx, insertLine, rowOfLine(ln.State()))
	return err
}

// Save implements ports.Lines.
func (l lines) Save(ctx context.Context, ln *line.Line) error {
	return l.change(ctx, saveLine, rowOfLine(ln.State()))
}

// Delete implements ports.Lines.
func (l lines) Delete(ctx context.Context, t line.Tombstone) error {
	if err := l.change(ctx, deleteLine, args{{"id", t.Line}}); err != nil {
		return err
	}
	return l.insertTombstone(ctx, t)
}

func (q *transaction) insertTombstone(ctx context.Context, t line.Tombstone) error {
	_, err := q.exec(ctx, addTombstone, rowOfTombstone(t))
	return err
}
