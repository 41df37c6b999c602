package memstore

import (
	"context"
	"slices"
	"strings"

	"resellerd/adapters/storekit"
	"resellerd/ports"
	"resellerd/ports/record"
)

// BeginCopy implements ports.CopyTarget.
func (s *Store) BeginCopy(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
	started := &importer{s}
	err := s.alone(ctx, func(r *records) error {
		unfinished := r.copying != nil
		switch {
		case unfinished && !restart:
			return ports.ErrUnfinishedCopy
		case !unfinished && !r.empty(), !s.ids.begin(origin.Next, unfinished):
			return ports.ErrNotEmpty
		}
		*r = records{}
		r.copying = started
		if origin.Fingerprint != "" {
			r.fingerprint = &origin.Fingerprint
			r.earlierKeys = origin.EarlierKeys
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return started, nil
}

func (r *records) empty() bool {
	return r.resellers.empty() && r.lines.empty() && r.tombstones.empty() && r.movements.empty() && r.keys.empty() &&
		r.journal.empty() && r.fingerprint == nil &&
		!slices.ContainsFunc(ports.Kinds(), func(of *record.Kind) bool { return of.Copied() && r.any(of) })
}

// any reports whether there is a record of a kind.
func (r *records) any(of *record.Kind) bool {
	for name := range r.ofKinds.from(kindName(of, "")) {
		return strings.HasPrefix(name, kindName(of, ""))
	}
	return false
}

// importer implements ports.Importer. Records have the one that fills them.
type importer struct{ store *Store }

// Copy implements ports.Importer. It keeps a batch whole or not at all.
func (i *importer) Copy(ctx context.Context, batch ports.Batch) error {
	return i.change(ctx, func(r *records) error {
		filling := &transaction{records: r}
		defer filling.ended.Store(true)
		return storekit.Fill(ctx, filling.ports(), filling.insertTombstone, filling.insertEntry, batch)
	})
}

// Finish implements ports.Importer.
func (i *importer) Finish(ctx context.Context) error {
	return i.change(ctx, func(r *records) error {
		r.copying = nil
		return nil
	})
}

func (i *importer) change(ctx context.Context, do func(*records) error) error {
	return i.store.alone(ctx, func(r *records) error {
		if r.copying != i {
			return ports.ErrCopyEnded
		}
		return do(r)
	})
}
