package memstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"resellerd/adapters/storekit"
	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// ViewRecords implements ports.Archive.
func (s *Store) ViewRecords(ctx context.Context, look func(ctx context.Context, r ports.Records) error) error {
	if err := s.users.Enter(ctx); err != nil {
		return err
	}
	defer s.users.Leave()
	r := s.committed.Load()
	return look(ctx, archived{audit{r}, exporter{r, &s.ids}})
}

// archived implements ports.Records.
type archived struct {
	audit
	exporter
}

// exporter implements part of ports.Records.
type exporter struct {
	*records
	ids *ids
}

// Origin implements ports.Records.
func (e exporter) Origin(context.Context) (ports.Origin, error) {
	origin := ports.Origin{Next: e.ids.next(), EarlierKeys: e.earlierKeys}
	if e.fingerprint != nil {
		origin.Fingerprint = *e.fingerprint
	}
	return origin, nil
}

// Totals implements ports.Records.
func (e exporter) Totals(ctx context.Context) (credit.Totals, error) { return e.totals(), ctx.Err() }

// Unfinished implements ports.Records.
func (e exporter) Unfinished(context.Context) (bool, error) { return e.copying != nil, nil }

// KeyRecords implements ports.Records.
func (e exporter) KeyRecords(_ context.Context, reseller int64, key string,
	limit int) (page []ports.KeyRecord, err error) {
	for _, k := range e.keys.from(next(keyName(reseller, key))) {
		if len(page) >= limit {
			break
		}
		page = append(page, storekit.CloneKey(k))
	}
	return page, nil
}

// audit implements part of ports.Records. In memory only this program can damage a record.
type audit struct{ *records }

// Resellers implements ports.Records.
func (a audit) Resellers(_ context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return audited(a.resellers, after, limit, reseller.Restore), nil
}

// Lines implements ports.Records.
func (a audit) Lines(_ context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return audited(a.lines, after, limit, line.Restore), nil
}

// Tombstones implements ports.Records.
func (a audit) Tombstones(_ context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return audited(a.tombstones, after, limit, itself), nil
}

// Movements implements ports.Records.
func (a audit) Movements(_ context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return audited(a.movements, after, limit, whole), nil
}

func audited[S, R any](in tree[int64, S], after int64, limit int, restore func(S) (R, error)) []ports.Audited[R] {
	var page []ports.Audited[R]
	for id, state := range in.from(after + 1) {
		if len(page) >= limit {
			break
		}
		record, err := restore(state)
		page = append(page, ports.Audited[R]{ID: id, Record: record, Damage: err})
	}
	return page
}

// ResellersByID implements ports.Records.
func (a audit) ResellersByID(_ context.Context, ids []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	return lookUp(a.resellers, ids, reseller.Restore), nil
}

// LinesByID implements ports.Records.
func (a audit) LinesByID(_ context.Context, ids []int64) (map[int64]ports.Audited[*line.Line], error) {
	return lookUp(a.lines, ids, line.Restore), nil
}

// TombstonesByLine implements ports.Records.
func (a audit) TombstonesByLine(_ context.Context, lines []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return lookUp(a.tombstones, lines, itself), nil
}

// MovementsByID implements ports.Records.
func (a audit) MovementsByID(_ context.Context, ids []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return lookUp(a.movements, ids, whole), nil
}

// MovementsByPosting implements ports.Records.
func (a audit) MovementsByPosting(_ context.Context,
	numbers []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	found := map[ports.PostingID]ports.Audited[credit.Movement]{}
	for _, n := range numbers {
		if h, taken := a.index.get(number(n.Reseller, n.Seq)); taken {
			m, _ := a.movements.get(h.id) // entered with its numbers
			found[n] = ports.Audited[credit.Movement]{ID: h.id, Record: storekit.CloneMovement(m)}
		}
	}
	return found, nil
}

func lookUp[S, R any](in tree[int64, S], ids []int64, restore func(S) (R, error)) map[int64]ports.Audited[R] {
	found := map[int64]ports.Audited[R]{}
	for _, id := range ids {
		if state, there := in.get(id); there {
			record, err := restore(state)
			found[id] = ports.Audited[R]{ID: id, Record: record, Damage: err}
		}
	}
	return found
}

func whole(m credit.Movement) (credit.Movement, error) { return storekit.CloneMovement(m), nil }

func itself(t line.Tombstone) (line.Tombstone, error) { return t, nil }

// Derived implements ports.Records. It checks that the index refers to each record with all of its entries, and has no
// other entries.
func (a audit) Derived(_ context.Context, report func(finding string)) error {
	due := 0
	lead := func(entries []entry, format string, names ...any) {
		due += len(entries)
		for _, e := range entries {
			if found, there := a.index.get(e.key); !there || found != e.holder {
				report(fmt.Sprintf(format, names...) + ": an index entry is missing or refers to another record")
			}
		}
	}
	for id, s := range a.resellers.all() {
		lead(resellerEntries(s), "account %d", id)
	}
	for id, s := range a.lines.all() {
		lead(lineEntries(s), "line %d", id)
	}
	for id, m := range a.movements.all() {
		lead(movementEntries(m), "movement %d", id)
	}
	for _, k := range a.keys.all() {
		lead(keyEntries(k), "idempotency key %q of account %d", k.Key, k.Reseller)
	}
	for seq, n := range a.journal.all() {
		lead(eventEntries(&n), "entry %d of the journal", seq)
	}
	for _, of := range ports.Kinds() {
		for name, payload := range a.ofKinds.from(kindName(of, "")) {
			key, is := strings.CutPrefix(name, kindName(of, ""))
			if !is {
				break
			}
			if stored, err := of.Examine(payload); err == nil { // else the record itself is reported
				lead(kindEntries(stored), "%s", of.Show(key))
			}
		}
	}
	found := 0
	for range a.index.all() {
		found++
	}
	if found != due {
		report(fmt.Sprintf("memory: the index has %d entries, but the records require %d", found, due))
	}
	return nil
}

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

// importer implements ports.Importer. Only the importer in records.copying may add batches.
type importer struct{ store *Store }

// Copy implements ports.Importer. It adds a batch completely or not at all.
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
