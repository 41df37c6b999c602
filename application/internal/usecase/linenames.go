package usecase

import (
	"context"

	"resellerd/domain/journal"
	"resellerd/ports"
)

// LineNames returns the present names of lines, and the last names of deleted ones, at one read for all of them and one
// for each deleted line. A name is missing if it is not known: the journal may be younger.
func LineNames(ctx context.Context, in View, ids []int64) (map[int64]string, error) {
	names := map[int64]string{}
	if len(ids) == 0 {
		return names, nil
	}
	present, err := in.Lines.Usernames(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if name, there := present[id]; there {
			names[id] = name.String()
			continue
		}
		if _, known := names[id]; known {
			continue
		}
		if names[id], err = LastLineName(ctx, in, id); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// LastLineName returns the name in the last entry about a line, "" without one that the actor sees.
func LastLineName(ctx context.Context, in View, id int64) (name string, err error) {
	page, err := in.Journal.List(ctx, ports.EventQuery{Of: ports.EventScope{Line: id}, Descending: true, Limit: 1})
	for _, n := range page.Entries {
		if _, hidden := n.SeenBy(in.Actor); hidden == nil {
			name, _ = n.Datum(journal.Username).(string)
		}
	}
	return name, err
}
