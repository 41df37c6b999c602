package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// call is a call of a method of a Tx, a Snapshot, Records or an Importer, on its way through a broken store.
type call struct {
	ctx    context.Context
	method string
	store  full         // the sound one
	tx     ports.Tx     // of an update
	sound  func() error // calls the sound method with the arguments as they are by then
	newest func() error // likewise, in a view of what is committed now
	values []any        // pointers to the arguments and the results
}

// valueOf returns the first argument or result of a type.
func valueOf[V any](c *call) *V { return nthValue[V](c, 0) }

// nthValue returns one that has so many others of its type before it.
func nthValue[V any](c *call, n int) *V {
	for _, value := range c.values {
		if v, is := value.(*V); is {
			if n == 0 {
				return v
			}
			n--
		}
	}
	panic(fmt.Sprintf("%s has no such %T", c.method, *new(V)))
}

// meddling is a store whose calls are answered by with.
func meddling(with func(c *call) error) func(full) full {
	return func(sound full) full {
		return &wrapped{
			full: sound,
			update: func(ctx context.Context, do work) error {
				return sound.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
					return do(ctx, via(func(method string, on func(ports.Tx) error, values ...any) error {
						return with(&call{ctx: ctx, method: method, store: sound, tx: tx, values: values, sound: func() error {
							return on(tx)
						}})
					}).tx())
				})
			},
			view: func(ctx context.Context, look look) error {
				return sound.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
					return look(ctx, viewing(func(method string, on func(ports.Snapshot) error, values ...any) error {
						return with(&call{
							ctx: ctx, method: method, store: sound, values: values,
							sound: func() error { return on(s) }, newest: func() error { return on(current(ctx, sound)) },
						})
					}).over(s))
				})
			},
			viewRecords: func(ctx context.Context, look lookAtRecords) error {
				return sound.ViewRecords(ctx, func(ctx context.Context, r ports.Records) error {
					return look(ctx, reading(func(method string, on func(ports.Records) error, values ...any) error {
						return with(&call{
							ctx: ctx, method: method, store: sound, values: values,
							sound: func() error { return on(r) }, newest: func() error { return on(currentRecords(ctx, sound)) },
						})
					}))
				})
			},
			beginCopy: func(ctx context.Context, origin ports.Origin, restart bool) (ports.Importer, error) {
				importer, err := sound.BeginCopy(ctx, origin, restart)
				if err != nil {
					return nil, err
				}
				return copying{importer, sound, with}, nil
			},
		}
	}
}

// breaking is a store that answers the calls of one method in a way of its own.
func breaking(method string, with func(c *call) error) func(full) full {
	return meddling(func(c *call) error {
		if c.method == method {
			return with(c)
		}
		return c.sound()
	})
}

// asks has another argument in the place of one.
func asks[V any](change func(v *V)) func(c *call) error {
	return func(c *call) error {
		change(valueOf[V](c))
		return c.sound()
	}
}

// answers has another result in the place of one.
func answers[V any](change func(v *V)) func(c *call) error {
	return func(c *call) error {
		err := c.sound()
		if err == nil {
			change(valueOf[V](c))
		}
		return err
	}
}

// answering is a store that answers an operation with what change makes of its error.
func answering(operation string, change func(error) error) func(full) full {
	return breaking(operation, func(c *call) error { return change(c.sound()) })
}

// forgetting is a store that leaves an operation out and says nothing.
func forgetting(operation string) func(full) full {
	return breaking(operation, func(*call) error { return nil })
}

// altering is a store that shows each record of a type with a change, by the methods that where selects.
func altering[V any](where func(method string) bool, change func(v *V)) func(full) full {
	changed := func(record any) any {
		if v, is := record.(V); is {
			change(&v)
			return v
		}
		return record
	}
	return meddling(func(c *call) error {
		err := c.sound()
		if !where(c.method) || slices.Contains(writes, c.method) {
			return err
		}
		for _, value := range c.values {
			v := reflect.ValueOf(value).Elem()
			if !holdsRecords(v.Type()) {
				continue
			}
			other, damage := altered(v, changed)
			if damage != nil {
				return damage
			}
			v.Set(other)
		}
		return err
	})
}

func anywhere(string) bool { return true }

// only selects methods.
func only(methods ...string) func(method string) bool {
	return func(method string) bool { return slices.Contains(methods, method) }
}

// holdsRecords reports whether a value of this type may have records in it.
func holdsRecords(t reflect.Type) bool {
	switch t.Kind() { //nolint:exhaustive // the other kinds hold nothing
	case reflect.Slice, reflect.Map, reflect.Pointer:
		return holdsRecords(t.Elem())
	case reflect.Struct:
		switch t {
		case reflect.TypeFor[reseller.Reseller](), reflect.TypeFor[line.Line](), reflect.TypeFor[credit.Movement](),
			reflect.TypeFor[line.Tombstone](),
			reflect.TypeFor[journal.Numbered](), reflect.TypeFor[journal.Head]():
			return true
		}
		return t.PkgPath() == reflect.TypeFor[ports.KeyRecord]().PkgPath() && t != reflect.TypeFor[ports.PostingID]()
	}
	return false
}

// altered returns a value with each record in it changed, or an error where that is not one that can be.
func altered(v reflect.Value, change func(record any) any) (reflect.Value, error) {
	switch record := v.Interface().(type) {
	case *reseller.Reseller:
		if record == nil {
			return v, nil
		}
		other, err := reseller.Restore(change(record.State()).(reseller.State))
		return reflect.ValueOf(other), err
	case *line.Line:
		if record == nil {
			return v, nil
		}
		other, err := line.Restore(change(record.State()).(line.State))
		return reflect.ValueOf(other), err
	case credit.Movement, ports.KeyRecord, line.Tombstone, ports.Origin, journal.Numbered, journal.Head, ports.DayFigures:
		return reflect.ValueOf(change(record)), nil
	}
	other := reflect.New(v.Type()).Elem()
	other.Set(v)
	switch v.Kind() { //nolint:exhaustive // the other kinds hold nothing
	case reflect.Slice:
		if !v.IsNil() {
			other.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			element, err := altered(v.Index(i), change)
			if err != nil {
				return v, err
			}
			other.Index(i).Set(element)
		}
	case reflect.Map:
		other.Set(reflect.MakeMap(v.Type()))
		for _, key := range v.MapKeys() {
			element, err := altered(v.MapIndex(key), change)
			if err != nil {
				return v, err
			}
			other.SetMapIndex(key, element)
		}
	case reflect.Struct: // a page, or a record as an audit finds it
		for i, f := range reflect.VisibleFields(v.Type()) {
			if !f.IsExported() || f.Type.Kind() == reflect.Interface || f.Type.Kind() == reflect.Func {
				continue
			}
			field, err := altered(v.Field(i), change)
			if damage := other.FieldByName("Damage"); err != nil && damage.IsValid() {
				damage.Set(reflect.ValueOf(err))
				field, err = reflect.Zero(f.Type), nil
			}
			if err != nil {
				return v, err
			}
			other.Field(i).Set(field)
		}
	}
	return other, nil
}

// The methods of a Snapshot.
const (
	viewReseller      = "view an account"
	viewNamed         = "view an account by its name"
	viewAnyBlocked    = "view whether any is blocked"
	viewBlocked       = "view who is blocked"
	viewEmpty         = "view whether there are accounts"
	resellerList      = "list accounts"
	viewLine          = "view a line"
	lineList          = "list lines"
	lineCount         = "count lines"
	viewSuspending    = "view blocks that suspend lines"
	viewAnySuspending = "view any block that suspends lines"
	viewLineByName    = "view a line by its name"
	viewExternalID    = "view a line by its external id"
	lineUsernames     = "names of lines by their ids"
	viewStatement     = "view a statement"
	viewTotals        = "view totals"
	viewKey           = "view a key"
	viewHead          = "view the head of the journal"
	eventList         = "list entries"
	viewNaming        = "view entries by their movements"
	viewFigures       = "view figures"
)

// viewing calls a method of a Snapshot, whichever it likes.
type viewing func(method string, on func(s ports.Snapshot) error, values ...any) error

func (v viewing) over(s ports.Snapshot) ports.Snapshot {
	s.Resellers, s.Lines, s.Ledger, s.Keys, s.Journal = viewedResellers{v}, viewedLines{v}, viewedLedger{v}, viewedKeys{v},
		viewedEvents{v}
	return s
}

type (
	viewedResellers struct{ viewing }
	viewedLines     struct{ viewing }
	viewedLedger    struct{ viewing }
	viewedKeys      struct{ viewing }
	viewedEvents    struct{ viewing }
)

func (v viewedResellers) Get(ctx context.Context, id int64) (r *reseller.Reseller, err error) {
	err = v.viewing(viewReseller, func(s ports.Snapshot) (err error) {
		r, err = s.Resellers.Get(ctx, id)
		return err
	}, &id, &r)
	return r, err
}

func (v viewedResellers) FindByUsername(ctx context.Context, name profile.Username) (r *reseller.Reseller, err error) {
	err = v.viewing(viewNamed, func(s ports.Snapshot) (err error) {
		r, err = s.Resellers.FindByUsername(ctx, name)
		return err
	}, &name, &r)
	return r, err
}

func (v viewedResellers) AnyBlocked(ctx context.Context, ids []int64) (is bool, err error) {
	err = v.viewing(viewAnyBlocked, func(s ports.Snapshot) (err error) {
		is, err = s.Resellers.AnyBlocked(ctx, ids)
		return err
	}, &ids, &is)
	return is, err
}

func (v viewedResellers) Blocked(ctx context.Context, ids []int64) (blocked []int64, err error) {
	err = v.viewing(viewBlocked, func(s ports.Snapshot) (err error) {
		blocked, err = s.Resellers.Blocked(ctx, ids)
		return err
	}, &ids, &blocked)
	return blocked, err
}

func (v viewedResellers) Suspending(ctx context.Context, ids []int64) (those []int64, err error) {
	err = v.viewing(viewSuspending, func(s ports.Snapshot) (err error) {
		those, err = s.Resellers.Suspending(ctx, ids)
		return err
	}, &ids, &those)
	return those, err
}

func (v viewedResellers) AnySuspending(ctx context.Context) (is bool, err error) {
	err = v.viewing(viewAnySuspending, func(s ports.Snapshot) (err error) {
		is, err = s.Resellers.AnySuspending(ctx)
		return err
	}, &is)
	return is, err
}

func (v viewedResellers) Empty(ctx context.Context) (empty bool, err error) {
	err = v.viewing(viewEmpty, func(s ports.Snapshot) (err error) {
		empty, err = s.Resellers.Empty(ctx)
		return err
	}, &empty)
	return empty, err
}

func (v viewedResellers) List(ctx context.Context, q ports.ResellerQuery) (page ports.ResellerPage, err error) {
	err = v.viewing(resellerList, func(s ports.Snapshot) (err error) {
		page, err = s.Resellers.List(ctx, q)
		return err
	}, &q, &page)
	return page, err
}

func (v viewedLines) Get(ctx context.Context, id int64) (l *line.Line, err error) {
	err = v.viewing(viewLine, func(s ports.Snapshot) (err error) { l, err = s.Lines.Get(ctx, id); return err }, &id, &l)
	return l, err
}

func (v viewedLines) List(ctx context.Context, q ports.LineQuery) (page ports.LinePage, err error) {
	err = v.viewing(lineList, func(s ports.Snapshot) (err error) {
		page, err = s.Lines.List(ctx, q)
		return err
	}, &q, &page)
	return page, err
}

func (v viewedLines) Count(ctx context.Context, q ports.LineQuery, examined int) (count int, all bool, err error) {
	err = v.viewing(lineCount, func(s ports.Snapshot) (err error) {
		count, all, err = s.Lines.Count(ctx, q, examined)
		return err
	}, &q, &examined, &count, &all)
	return count, all, err
}

func (v viewedLines) FindByUsername(ctx context.Context, name profile.Username) (id int64, err error) {
	err = v.viewing(viewLineByName, func(s ports.Snapshot) (err error) {
		id, err = s.Lines.FindByUsername(ctx, name)
		return err
	}, &name, &id)
	return id, err
}

func (v viewedLines) FindByExternalID(ctx context.Context, owner int64, externalID profile.Text) (id int64, err error) {
	err = v.viewing(viewExternalID, func(s ports.Snapshot) (err error) {
		id, err = s.Lines.FindByExternalID(ctx, owner, externalID)
		return err
	}, &owner, &externalID, &id)
	return id, err
}

func (v viewedLines) Usernames(ctx context.Context, ids []int64) (found map[int64]profile.Username, err error) {
	err = v.viewing(lineUsernames, func(s ports.Snapshot) (err error) {
		found, err = s.Lines.Usernames(ctx, ids)
		return err
	}, &ids, &found)
	return found, err
}

func (v viewedLedger) Statement(ctx context.Context, reseller, before int64,
	limit int) (all []credit.Movement, err error) {
	err = v.viewing(viewStatement, func(s ports.Snapshot) (err error) {
		all, err = s.Ledger.Statement(ctx, reseller, before, limit)
		return err
	}, &reseller, &before, &limit, &all)
	return all, err
}

func (v viewedLedger) Totals(ctx context.Context) (t credit.Totals, err error) {
	err = v.viewing(viewTotals, func(s ports.Snapshot) (err error) { t, err = s.Ledger.Totals(ctx); return err }, &t)
	return t, err
}

func (v viewedKeys) Get(ctx context.Context, reseller int64, key string) (r ports.KeyRecord, err error) {
	err = v.viewing(viewKey, func(s ports.Snapshot) (err error) { r, err = s.Keys.Get(ctx, reseller, key); return err },
		&reseller, &key, &r)
	return r, err
}

func (v viewedEvents) Head(ctx context.Context) (h journal.Head, err error) {
	err = v.viewing(viewHead, func(s ports.Snapshot) (err error) { h, err = s.Journal.Head(ctx); return err }, &h)
	return h, err
}

func (v viewedEvents) List(ctx context.Context, q ports.EventQuery) (page ports.EventPage, err error) {
	err = v.viewing(eventList, func(s ports.Snapshot) (err error) {
		page, err = s.Journal.List(ctx, q)
		return err
	}, &q, &page)
	return page, err
}

func (v viewedEvents) OfMovements(ctx context.Context, ids []int64) (found map[int64]journal.Numbered, err error) {
	err = v.viewing(viewNaming, func(s ports.Snapshot) (err error) {
		found, err = s.Journal.OfMovements(ctx, ids)
		return err
	}, &ids, &found)
	return found, err
}

func (v viewedEvents) Figures(ctx context.Context, accounts []int64,
	from, to time.Time) (found []ports.DayFigures, err error) {
	err = v.viewing(viewFigures, func(s ports.Snapshot) (err error) {
		found, err = s.Journal.Figures(ctx, accounts, from, to)
		return err
	}, &accounts, &from, &to, &found)
	return found, err
}

// The methods of Records.
const (
	auditedResellers  = "pages of accounts"
	auditedLines      = "pages of lines"
	auditedTombstones = "pages of tombstones"
	auditedMovements  = "pages of movements"
	resellersByID     = "accounts by their ids"
	linesByID         = "lines by their ids"
	tombstonesByLine  = "tombstones by their lines"
	movementsByID     = "movements by their ids"
	movementsByNumber = "movements by their numbers"
	auditedKeys       = "pages of keys"
	auditedOfKind     = "pages of records of a kind"
	auditedEntries    = "pages of entries"
	entriesByMovement = "entries by their movements"
	auditedHead       = "the head of the journal"
	auditedFigures    = "pages of figures"
	auditedTotals     = "totals"
	derived           = "what is derived"
	recordedOrigin    = "the origin"
	copyUnfinished    = "whether a copy is unfinished"
)

// forAuditors selects the methods of Records.
var forAuditors = only(
	auditedResellers, auditedLines, auditedTombstones, auditedMovements, resellersByID, linesByID, tombstonesByLine,
	movementsByID, movementsByNumber, auditedKeys,
	auditedEntries, entriesByMovement, auditedHead, auditedFigures,
)

// reading calls a method of Records, whichever it likes.
type reading func(method string, on func(r ports.Records) error, values ...any) error

// paged is a call for a page of records.
func paged[R any](
	ctx context.Context, r reading, method string, page func(r ports.Records, ctx context.Context, after int64,
		limit int) ([]ports.Audited[R], error), after int64, limit int,
) (found []ports.Audited[R], err error) {
	err = r(method, func(r ports.Records) (err error) { found, err = page(r, ctx, after, limit); return err }, &after,
		&limit, &found)
	return found, err
}

// named is a call for the records that are named.
func named[K comparable, R any](
	ctx context.Context, r reading, method string,
	read func(r ports.Records, ctx context.Context, keys []K) (map[K]ports.Audited[R], error), keys []K,
) (found map[K]ports.Audited[R], err error) {
	err = r(method, func(r ports.Records) (err error) { found, err = read(r, ctx, keys); return err }, &keys, &found)
	return found, err
}

func (r reading) Resellers(ctx context.Context, after int64, limit int) ([]ports.Audited[*reseller.Reseller], error) {
	return paged(ctx, r, auditedResellers, ports.Records.Resellers, after, limit)
}

func (r reading) Lines(ctx context.Context, after int64, limit int) ([]ports.Audited[*line.Line], error) {
	return paged(ctx, r, auditedLines, ports.Records.Lines, after, limit)
}

func (r reading) Tombstones(ctx context.Context, after int64, limit int) ([]ports.Audited[line.Tombstone], error) {
	return paged(ctx, r, auditedTombstones, ports.Records.Tombstones, after, limit)
}

func (r reading) Movements(ctx context.Context, after int64, limit int) ([]ports.Audited[credit.Movement], error) {
	return paged(ctx, r, auditedMovements, ports.Records.Movements, after, limit)
}

func (r reading) ResellersByID(ctx context.Context, keys []int64) (map[int64]ports.Audited[*reseller.Reseller], error) {
	return named(ctx, r, resellersByID, ports.Records.ResellersByID, keys)
}

func (r reading) LinesByID(ctx context.Context, keys []int64) (map[int64]ports.Audited[*line.Line], error) {
	return named(ctx, r, linesByID, ports.Records.LinesByID, keys)
}

func (r reading) TombstonesByLine(ctx context.Context, keys []int64) (map[int64]ports.Audited[line.Tombstone], error) {
	return named(ctx, r, tombstonesByLine, ports.Records.TombstonesByLine, keys)
}

func (r reading) MovementsByID(ctx context.Context, keys []int64) (map[int64]ports.Audited[credit.Movement], error) {
	return named(ctx, r, movementsByID, ports.Records.MovementsByID, keys)
}

func (r reading) MovementsByPosting(ctx context.Context,
	keys []ports.PostingID) (map[ports.PostingID]ports.Audited[credit.Movement], error) {
	return named(ctx, r, movementsByNumber, ports.Records.MovementsByPosting, keys)
}

func (r reading) Derived(ctx context.Context, report func(finding string)) error {
	return r(derived, func(r ports.Records) error { return r.Derived(ctx, report) }, &report)
}

func (r reading) Totals(ctx context.Context) (t credit.Totals, err error) {
	err = r(auditedTotals, func(r ports.Records) (err error) { t, err = r.Totals(ctx); return err }, &t)
	return t, err
}

func (r reading) Origin(ctx context.Context) (o ports.Origin, err error) {
	err = r(recordedOrigin, func(r ports.Records) (err error) { o, err = r.Origin(ctx); return err }, &o)
	return o, err
}

func (r reading) Unfinished(ctx context.Context) (is bool, err error) {
	err = r(copyUnfinished, func(r ports.Records) (err error) { is, err = r.Unfinished(ctx); return err }, &is)
	return is, err
}

func (r reading) KeyRecords(ctx context.Context, reseller int64, key string,
	limit int) (page []ports.KeyRecord, err error) {
	err = r(auditedKeys, func(r ports.Records) (err error) {
		page, err = r.KeyRecords(ctx, reseller, key, limit)
		return err
	}, &reseller, &key, &limit, &page)
	return page, err
}

func (r reading) Entries(ctx context.Context, after int64, limit int) ([]ports.Audited[journal.Numbered], error) {
	return paged(ctx, r, auditedEntries, ports.Records.Entries, after, limit)
}

func (r reading) EntriesByMovement(ctx context.Context,
	keys []int64) (map[int64]ports.Audited[journal.Numbered], error) {
	return named(ctx, r, entriesByMovement, ports.Records.EntriesByMovement, keys)
}

func (r reading) Head(ctx context.Context) (h journal.Head, err error) {
	err = r(auditedHead, func(r ports.Records) (err error) { h, err = r.Head(ctx); return err }, &h)
	return h, err
}

func (r reading) Figures(ctx context.Context, account int64, day time.Time,
	limit int) (page []ports.DayFigures, err error) {
	err = r(auditedFigures, func(r ports.Records) (err error) {
		page, err = r.Figures(ctx, account, day, limit)
		return err
	}, &account, &day, &limit, &page)
	return page, err
}

func (r reading) OfKind(ctx context.Context, of *record.Kind, after string,
	limit int) (page []record.Found, err error) {
	err = r(auditedOfKind, func(r ports.Records) (err error) { page, err = r.OfKind(ctx, of, after, limit); return err },
		&after, &limit, &page)
	return page, err
}

// The methods of an Importer.
const (
	copyBatch  = "copy a batch"
	finishCopy = "finish a copy"
)

// copying calls the methods of an Importer.
type copying struct {
	ports.Importer
	store full
	with  func(c *call) error
}

func (i copying) Copy(ctx context.Context, batch ports.Batch) error {
	return i.with(&call{ctx: ctx, method: copyBatch, store: i.store, values: []any{&batch}, sound: func() error {
		return i.Importer.Copy(ctx, batch)
	}})
}

func (i copying) Finish(ctx context.Context) error {
	return i.with(&call{ctx: ctx, method: finishCopy, store: i.store, sound: func() error {
		return i.Importer.Finish(ctx)
	}})
}
