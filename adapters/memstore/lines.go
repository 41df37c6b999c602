package memstore

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"resellerd/adapters/storekit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// lines implements ports.Lines and, in a view, ports.LineDirectory.
type lines struct{ *transaction }

// Get implements ports.LineReader.
func (l lines) Get(_ context.Context, id int64) (*line.Line, error) {
	return one(l.lines, id, line.Restore)
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(_ context.Context, name profile.Username) (int64, error) {
	found, there := l.index.get(lineNames + name.Key())
	if !there {
		return 0, fault.ErrNotFound
	}
	return found.id, nil
}

// FindByExternalID implements ports.LineDirectory.
func (l lines) FindByExternalID(_ context.Context, owner int64, externalID profile.Text) (int64, error) {
	found, there := l.index.get(withExternalID(externalID.String()) + ordered(owner))
	if !there {
		return 0, fault.ErrNotFound
	}
	return found.id, nil
}

// List implements ports.LineDirectory.
func (l lines) List(_ context.Context, q ports.LineQuery) (ports.LinePage, error) {
	found, next, err := page(l.candidates(q), l.lines, q.Limit, func(s line.State) bool {
		return selectsLine(q, s)
	}, line.Restore)
	listed := ports.LinePage{Lines: found}
	if next != nil {
		listed.Next = new(cursor(q.Order, *next))
	}
	return listed, err
}

// Count implements ports.LineDirectory.
func (l lines) Count(_ context.Context, q ports.LineQuery, examined int) (count int, all bool, err error) {
	window := q
	window.Order, window.Suspended = ports.LinesByExpiry, nil // whose candidates are those in the window
	seen := 0
	for id := range l.candidates(window) {
		if seen == examined {
			return count, false, nil
		}
		seen++
		if s, _ := l.lines.get(id); selectsLine(q, s) {
			count++
		}
	}
	return count, true, nil
}

// Usernames implements ports.LineDirectory.
func (l lines) Usernames(_ context.Context, ids []int64) (map[int64]profile.Username, error) {
	names := map[int64]profile.Username{}
	for _, id := range ids {
		if s, there := l.lines.get(id); there {
			names[id] = s.Username
		}
	}
	return names, nil
}

// cursor returns the position of a line in an order.
func cursor(order ports.LineOrder, s line.State) ports.LineCursor {
	return storekit.Position(order, ports.LineCursor{ExpiresAt: s.ExpiresAt, Name: s.Username.Key(), ID: s.ID})
}

// candidates yields, in the order of q, a superset of the lines that q selects.
func (l lines) candidates(q ports.LineQuery) iter.Seq[int64] {
	start, last := storekit.Range(q)
	after, end := "", ""
	if start != nil {
		after = place(*start)
	} else if q.Order.Backwards() {
		after = beyond
	}
	if last != nil {
		end = place(*last)
	}
	var ids []int64
	few := false
	switch most := storekit.Examined(q.Limit); {
	case q.ExternalID != "":
		ids, few = l.few(withExternalID(q.ExternalID), most)
	case q.Suspended != nil && *q.Suspended:
		ids, few = l.few(suspendedLines, most)
	case q.Username != "" && q.Order != ports.LinesByName:
		ids, few = l.few(lineNames+q.Username, most)
	}
	if few {
		at := func(id int64) ports.LineCursor {
			state, _ := l.lines.get(id)
			return cursor(q.Order, state)
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool {
			return start != nil && storekit.ComparePositions(q.Order, at(id), *start) <= 0
		})
		slices.SortFunc(ids, func(a, b int64) int { return storekit.ComparePositions(q.Order, at(a), at(b)) })
		return slices.Values(ids)
	}
	scope := q.Scope
	if scope.Reseller == 0 {
		scope = ports.Scope{}
	}
	if q.Order.Backwards() {
		return l.listedBackwards(lineList(scope, q.Order), after, end)
	}
	return l.listed(lineList(scope, q.Order), after, end)
}

func selectsLine(q ports.LineQuery, s line.State) bool {
	return within(q.Scope, s.Owner) &&
		(q.Trial == nil || s.Trial == *q.Trial) &&
		(q.Suspended == nil || s.Suspended == *q.Suspended) &&
		(q.ExternalID == "" || s.ExternalID.String() == q.ExternalID) &&
		(q.ExpiresAfter == nil || !s.ExpiresAt.Before(*q.ExpiresAfter)) &&
		(q.ExpiresBefore == nil || s.ExpiresAt.Before(*q.ExpiresBefore)) &&
		strings.HasPrefix(s.Username.Key(), q.Username)
}

// Insert implements ports.Lines.
func (l lines) Insert(_ context.Context, added *line.Line) error {
	state := added.State()
	return insert(l.transaction, &l.lines, state.ID, state, lineEntries)
}

// Save implements ports.Lines.
func (l lines) Save(_ context.Context, changed *line.Line) error {
	state := changed.State()
	return save(l.transaction, &l.lines, state.ID, state, lineEntries)
}

// Delete implements ports.Lines.
func (l lines) Delete(ctx context.Context, t line.Tombstone) error {
	if err := l.open(); err != nil {
		return err
	}
	old, found := l.lines.get(t.Line)
	if !found {
		return fault.ErrNotFound
	}
	if err := l.insertTombstone(ctx, t); err != nil {
		return err
	}
	l.lines = l.lines.without(old.ID)
	return l.enter(lineEntries(old), nil)
}

func (r *records) insertTombstone(_ context.Context, t line.Tombstone) error {
	if _, found := r.tombstones.get(t.Line); found {
		return fmt.Errorf("delete line %d: it has a tombstone already", t.Line)
	}
	r.tombstones = r.tombstones.with(t.Line, t)
	return nil
}
