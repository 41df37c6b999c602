package memstore

import (
	"cmp"
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

// lineList names a list of lines: a scope, in the order of ids or of expiry.
type lineList struct {
	scope    ports.Scope
	byExpiry bool
}

func (l lineList) compare(other lineList) int {
	return cmp.Or(
		cmp.Compare(l.scope.Reseller, other.scope.Reseller),
		compareBool(l.scope.Tree, other.scope.Tree),
		compareBool(l.byExpiry, other.byExpiry),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

type lineEntry struct {
	list lineList
	at   ports.LineCursor
}

func (a lineEntry) compare(b lineEntry) int {
	return cmp.Or(a.list.compare(b.list), compareCursors(a.at, b.at))
}

func compareCursors(a, b ports.LineCursor) int {
	return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), cmp.Compare(a.ID, b.ID))
}

// cursor returns the place of a line in an order.
func cursor(byExpiry bool, s line.State) ports.LineCursor {
	if byExpiry {
		return ports.LineCursor{ExpiresAt: s.ExpiresAt, ID: s.ID}
	}
	return ports.LineCursor{ID: s.ID}
}

// lineEntriesOf returns the places of a line in every list of that order.
func lineEntriesOf(byExpiry bool, s line.State) []lineEntry {
	scopes := []ports.Scope{{}, {Reseller: s.Owner.ID}}
	for _, id := range s.Owner.Path() {
		scopes = append(scopes, ports.Scope{Reseller: id, Tree: true})
	}
	entries := make([]lineEntry, len(scopes))
	for i, scope := range scopes {
		entries[i] = lineEntry{lineList{scope, byExpiry}, cursor(byExpiry, s)}
	}
	return entries
}

// externalID is that of a line, among those of its owner.
type externalID struct {
	id    string
	owner int64
}

func externalIDOf(s line.State) externalID { return externalID{s.ExternalID.String(), s.Owner.ID} }

func (a externalID) compare(b externalID) int {
	return cmp.Or(strings.Compare(a.id, b.id), cmp.Compare(a.owner, b.owner))
}

type lineReader struct{ *records }

// Get implements ports.LineReader.
func (r lineReader) Get(_ context.Context, id int64) (*line.Line, error) {
	return one(r.lines, id, line.Restore)
}

// List implements ports.LineDirectory.
func (r lineReader) List(_ context.Context, q ports.LineQuery) (ports.LinePage, error) {
	after := start(q)
	found, next, err := page(r.candidates(q, after), q.Limit, func(at ports.LineCursor) (line.State, bool) {
		state, found := r.lines.get(at.ID)
		return state, found && compareCursors(at, after) > 0 && selectsLine(q, state)
	}, line.Restore)
	return ports.LinePage{Lines: found, Next: next}, err
}

// start returns the place that every line of the page comes after.
func start(q ports.LineQuery) ports.LineCursor {
	if !q.ByExpiry {
		return ports.LineCursor{ID: q.After.ID}
	}
	if q.ExpiresAfter != nil && q.After.ExpiresAt.Before(*q.ExpiresAfter) {
		return ports.LineCursor{ExpiresAt: *q.ExpiresAfter}
	}
	return q.After
}

// candidates yields, in the order of q, the places after that one among which all that
// q selects are.
func (r lineReader) candidates(q ports.LineQuery, after ports.LineCursor) iter.Seq[ports.LineCursor] {
	var ids []int64
	few := false
	switch most := storekit.Examined(q.Limit); {
	case q.ExternalID != "":
		for at, id := range r.externalIDs.after(externalID{id: q.ExternalID}) {
			if at.id != q.ExternalID || len(ids) > most {
				break
			}
			ids = append(ids, id)
		}
		few = len(ids) <= most
	case q.Username != "":
		ids, few = named(r.lineNames, q.Username, most)
	}
	if few {
		var places []ports.LineCursor
		for _, id := range ids {
			state, _ := r.lines.get(id)
			places = append(places, cursor(q.ByExpiry, state))
		}
		slices.SortFunc(places, compareCursors)
		return slices.Values(places)
	}
	scope := q.Scope
	if scope.Reseller == 0 {
		scope = ports.Scope{}
	}
	list := lineList{scope, q.ByExpiry}
	return func(yield func(ports.LineCursor) bool) {
		for e := range r.lineLists.after(lineEntry{list, after}) {
			ended := q.ByExpiry && q.ExpiresBefore != nil && !e.at.ExpiresAt.Before(*q.ExpiresBefore)
			if e.list != list || ended || !yield(e.at) {
				return
			}
		}
	}
}

func selectsLine(q ports.LineQuery, s line.State) bool {
	return within(q.Scope, s.Owner) &&
		(q.Trial == nil || s.Trial == *q.Trial) &&
		(q.ExternalID == "" || s.ExternalID.String() == q.ExternalID) &&
		(q.ExpiresAfter == nil || !s.ExpiresAt.Before(*q.ExpiresAfter)) &&
		(q.ExpiresBefore == nil || s.ExpiresAt.Before(*q.ExpiresBefore)) &&
		strings.HasPrefix(s.Username.Key(), q.Username)
}

type lines struct {
	lineReader
	transaction *transaction
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(_ context.Context, name profile.Username) (int64, error) {
	id, found := l.lineNames.get(name.Key())
	if !found {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

// Insert implements ports.Lines.
func (l lines) Insert(_ context.Context, added *line.Line) error {
	state := added.State()
	if _, found := l.lines.get(state.ID); found {
		return fmt.Errorf("insert line %d: it is there already", state.ID)
	}
	if err := l.put(state, line.State{Username: state.Username}); err != nil {
		return err
	}
	l.list(lineEntriesOf(false, state))
	l.list(lineEntriesOf(true, state))
	return nil
}

// Save implements ports.Lines.
func (l lines) Save(_ context.Context, changed *line.Line) error {
	state := changed.State()
	old, found := l.lines.get(state.ID)
	if !found {
		return fault.ErrNotFound
	}
	if err := l.put(state, old); err != nil {
		return err
	}
	if !state.ExpiresAt.Equal(old.ExpiresAt) {
		l.unlist(lineEntriesOf(true, old))
		l.list(lineEntriesOf(true, state))
	}
	return nil
}

// put keeps a line in the place of an old state of it.
func (l lines) put(state, old line.State) error {
	if err := l.transaction.open(); err != nil {
		return err
	}
	names, err := reassign(l.lineNames, state.ID, old.Username.Key(), state.Username.Key())
	if err != nil {
		return err
	}
	ids := l.externalIDs.without(externalIDOf(old))
	if of := externalIDOf(state); of.id != "" {
		if _, taken := ids.get(of); taken {
			return line.ErrExternalIDTaken
		}
		ids = ids.with(of, state.ID)
	}
	l.lineNames, l.externalIDs, l.lines = names, ids, l.lines.with(state.ID, state)
	return nil
}

// Delete implements ports.Lines.
func (l lines) Delete(_ context.Context, t line.Tombstone) error {
	if err := l.transaction.open(); err != nil {
		return err
	}
	old, found := l.lines.get(t.Line)
	if !found {
		return fault.ErrNotFound
	}
	if err := l.insertTombstone(t); err != nil {
		return err
	}
	l.lines, l.lineNames, l.externalIDs = l.lines.without(old.ID), l.lineNames.without(old.Username.Key()), l.externalIDs.without(externalIDOf(old))
	l.unlist(lineEntriesOf(false, old))
	l.unlist(lineEntriesOf(true, old))
	return nil
}

func (r *records) insertTombstone(t line.Tombstone) error {
	if _, found := r.tombstones.get(t.Line); found {
		return fmt.Errorf("delete line %d: it has a tombstone already", t.Line)
	}
	r.tombstones = r.tombstones.with(t.Line, t)
	return nil
}

func (l lines) list(entries []lineEntry) {
	for _, e := range entries {
		l.lineLists = l.lineLists.with(e, struct{}{})
	}
}

func (l lines) unlist(entries []lineEntry) {
	for _, e := range entries {
		l.lineLists = l.lineLists.without(e)
	}
}
