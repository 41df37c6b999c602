package storetest

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resellerd/adapters/memstore"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
)

// aging is a store that remembers how each of its records was at first.
type aging struct {
	full
	first *sync.Map
}

// brokenReopenings are stores that forget one thing each with the process, of every field that there is: its value, or
// that the value was changed since the record was inserted.
func brokenReopenings() (all []broken) {
	const served, audited, unfinished, finished = "every-field-survives-reopening", "archives-show-every-field-after-reopening",
		"unfinished-copies-survive-reopening", "finished-copies-survive-reopening"
	reopening := func(how string, again func(full) full, checks ...string) {
		all = append(all, broken{how: how + " with the process", caught: checks, sabotage: process, reopen: func(old full) full { return again(reopened(old)) }})
	}
	forgets := func(how string, f filter, checks ...string) { reopening("forgets "+how, f.over, checks...) }
	// since is told what is remembered, and makes of it what an older and a newer process show.
	since := func(what string, check string, shows func(first *sync.Map) (older, newer filter)) {
		all = append(all, broken{
			how: "forgets a change of " + what + " with the process", caught: caughtBy(check),
			sabotage: func(sound full) full {
				first := new(sync.Map)
				older, _ := shows(first)
				return aging{older.over(process(sound)), first}
			},
			reopen: func(old full) full {
				records := old.(aging)
				_, newer := shows(records.first)
				return aging{newer.over(records.full), records.first}
			},
		})
	}

	for _, l := range leaves(reflect.TypeFor[reseller.State]()) {
		lost := func(s reseller.State) reseller.State { return without(s, l) }
		forgets("account field "+l.path, filter{reseller: lost}, served, unfinished, finished)
		forgets("for auditors account field "+l.path, filter{auditedReseller: lost, namedReseller: lost}, audited)
		if slices.Contains(unchanging, l.path) {
			continue
		}
		since("account field "+l.path, served, func(first *sync.Map) (older, newer filter) {
			older.saved = func(old, s reseller.State) reseller.State { first.LoadOrStore(s.ID, old); return s }
			newer = older
			newer.reseller = func(s reseller.State) reseller.State { return asAtFirst(first, s.ID, s, l) }
			return older, newer
		})
	}
	for _, l := range leaves(reflect.TypeFor[line.State]()) {
		lost := func(s line.State) line.State { return without(s, l) }
		forgets("line field "+l.path, filter{line: lost}, served, unfinished, finished)
		forgets("for auditors line field "+l.path, filter{auditedLine: lost, namedLine: lost}, audited)
		if slices.Contains(unchanging, l.path) {
			continue
		}
		since("line field "+l.path, served, func(first *sync.Map) (older, newer filter) {
			older.lineSaved = func(old, s line.State) line.State { first.LoadOrStore(s.ID, old); return s }
			newer = older
			newer.line = func(s line.State) line.State { return asAtFirst(first, s.ID, s, l) }
			return older, newer
		})
	}
	movement := func(what string, lost func(credit.Movement) credit.Movement) {
		forgets(what, filter{movement: lost}, served, unfinished, finished)
		forgets("for auditors "+what, filter{audited: lost, named: lost}, audited)
	}
	for _, l := range leaves(reflect.TypeFor[credit.Movement]()) {
		movement("movement field "+l.path, func(m credit.Movement) credit.Movement { return without(m, l) })
	}
	for _, l := range leaves(reflect.TypeFor[credit.Posting]()) {
		movement("entry field "+l.path, func(m credit.Movement) credit.Movement {
			m.Postings = eachWithout(m.Postings, l)
			return m
		})
	}
	for _, l := range leaves(reflect.TypeFor[reseller.TrialSlot]()) {
		forgets("field "+l.path+" of trials", filter{reseller: func(s reseller.State) reseller.State {
			s.Trials = eachWithout(s.Trials, l)
			return s
		}}, served, unfinished, finished)
	}
	for _, l := range leaves(reflect.TypeFor[line.Tombstone]()) {
		forgets("tombstone field "+l.path, filter{tombstone: func(t line.Tombstone) line.Tombstone { return without(t, l) }}, audited, unfinished, finished)
	}
	for _, l := range leaves(reflect.TypeFor[ports.KeyRecord]()) {
		lost := func(r ports.KeyRecord) ports.KeyRecord { return without(r, l) }
		forgets("key field "+l.path, filter{key: lost}, served, finished)
		forgets("for exports key field "+l.path, filter{exported: lost}, audited, unfinished, finished)
		if l.path == "Reseller" || l.path == "Key" {
			continue
		}
		since("key field "+l.path, served, func(first *sync.Map) (older, newer filter) {
			type name struct {
				reseller int64
				key      string
			}
			older.put = func(old, r ports.KeyRecord) { first.LoadOrStore(name{r.Reseller, r.Key}, old) }
			newer = older
			newer.key = func(r ports.KeyRecord) ports.KeyRecord { return asAtFirst(first, name{r.Reseller, r.Key}, r, l) }
			return older, newer
		})
	}

	nobody := func(error) error { return fault.ErrNotFound }
	reopening("forgets who has a name", answering(resellerFind, nobody), served)
	reopening("forgets which line has a name", answering(lineFind, nobody), served)
	reopening("forgets that a name is taken", answering(resellerSave, instead(errTaken, nil)), served)
	reopening("forgets that a line's name is taken", answering(lineSave, instead(errTaken, nil)), served)
	all = append(all, broken{
		how: "forgets deletions with the process", caught: caughtBy(served, audited),
		sabotage: func(sound full) full {
			deleted := new(sync.Map)
			w := patchedTx(process(sound), func(tx *ports.Tx) {
				lines := tx.Lines
				tx.Lines = onDelete{lines, func(t line.Tombstone) {
					if l, err := lines.Get(context.Background(), t.Line); err == nil {
						deleted.Store(t.Line, l)
					}
				}}
			})
			return aging{w, deleted}
		},
		reopen: func(old full) full {
			records := old.(aging)
			records.first.Range(func(_, l any) bool {
				_ = records.Update(context.Background(), insertsLine(l.(*line.Line))) // again, where it is there already
				return true
			})
			return records
		},
	})

	for _, l := range leaves(reflect.TypeFor[session.Session]()) {
		reopening("forgets session field "+l.path, func(again full) full {
			return &wrapped{
				full: again,
				session: func(ctx context.Context, id session.ID) (session.Session, error) {
					s, err := again.Session(ctx, id)
					return without(s, l), err
				},
				sessionsOf: func(ctx context.Context, reseller int64) ([]session.Session, error) {
					there, err := again.SessionsOf(ctx, reseller)
					return eachWithout(there, l), err
				},
			}
		}, "sessions-survive-reopening")
	}
	for _, l := range leaves(reflect.TypeFor[ports.ServiceKey]()) {
		reopening("forgets service key field "+l.path, func(again full) full {
			return &wrapped{full: again, serviceKey: func(ctx context.Context) (ports.ServiceKey, error) {
				key, err := again.ServiceKey(ctx)
				return without(key, l), err
			}}
		}, "moved-service-keys-survive-reopening")
	}
	for _, l := range leaves(reflect.TypeFor[ports.Origin]()) {
		reopening("forgets origin field "+l.path, patchedExport(exporting{origin: func(ctx context.Context, sound ports.Records) (ports.Origin, error) {
			origin, err := sound.Origin(ctx)
			return without(origin, l), err
		}}), unfinished, finished)
	}
	for _, forgotten := range ports.Sequences() {
		reopening("forgets the sequence of "+forgotten.String(), func(again full) full {
			empty := memstore.New()
			return &wrapped{full: again, nextID: func(ctx context.Context, of ports.Sequence) (int64, error) {
				if of == forgotten {
					return empty.NextID(ctx, of)
				}
				return again.NextID(ctx, of)
			}}
		}, "ids-are-not-given-again-after-reopening", finished)
	}
	return all
}

// asAtFirst returns v with the field as it was at first, where that is remembered.
func asAtFirst[V any](first *sync.Map, name any, v V, l leaf) V {
	if was, is := first.Load(name); is {
		return mixed(was.(V), v, l)
	}
	return v
}

// eachWithout returns copies of all, with the field at its zero value.
func eachWithout[V any](all []V, l leaf) []V {
	return mapped(all, func(v V) V { return without(v, l) })
}

func TestEveryFieldHasAValueOfItsOwn(t *testing.T) {
	w := open(t, Subject{Open: func(T) ports.Store { return memstore.New() }})
	chain := w.chain()
	a, l := chain[len(chain)-1], w.trial(chain[2], "line")
	k, s := keyRecord(7, "key"), sessionOf(7, "used", noon)
	s.Used = at(1)
	filled(t, fullReseller(a, 0), fullReseller(a, 1))
	filled(t, fullReseller(a, 0).Trials...)
	filled(t, fullLine(l, 0), fullLine(l, 1))
	filled(t, fullTombstone(l))
	movements := w.movements(chain[0], chain[1], chain[2], l.ID())
	filled(t, movements...)
	filled(t, slices.Concat(mapped(movements, func(m credit.Movement) []credit.Posting { return m.Postings })...)...)
	filled(t, k)
	filled(t, s)
	filled(t, secondKey)
	changed(t, fullReseller(a, 0), fullReseller(a, 1), unchanging...)
	changed(t, fullLine(l, 0), fullLine(l, 1), unchanging...)
	changed(t, k, newerKey(k), "Reseller", "Key")
}

// filled fails unless each field has a value in one of these, and another one than each other field of its type.
func filled[V any](t *testing.T, all ...V) {
	t.Helper()
	fields := leaves(reflect.TypeFor[V]())
	anywhere := func(is func(v reflect.Value) bool) bool {
		return slices.ContainsFunc(all, func(v V) bool { return is(reflect.ValueOf(v)) })
	}
	for i, l := range fields {
		if !anywhere(func(v reflect.Value) bool { return !v.FieldByIndex(l.index).IsZero() }) {
			t.Errorf("no %T has a %s", all[0], l.path)
		}
		for _, other := range fields[:i] {
			if !anywhere(func(v reflect.Value) bool {
				a, b := v.FieldByIndex(l.index), v.FieldByIndex(other.index)
				return a.Type() != b.Type() || !cmp.Equal(a.Interface(), b.Interface(), same)
			}) {
				t.Errorf("%s and %s are the same in every %T", l.path, other.path, all[0])
			}
		}
	}
}

// changed fails unless two versions of a record differ in each field but these.
func changed[V any](t *testing.T, old, v V, but ...string) {
	t.Helper()
	for _, l := range leaves(reflect.TypeFor[V]()) {
		a, b := reflect.ValueOf(old).FieldByIndex(l.index), reflect.ValueOf(v).FieldByIndex(l.index)
		if !slices.Contains(but, l.path) && cmp.Equal(a.Interface(), b.Interface(), same) {
			t.Errorf("%s is the same in both versions of a %T", l.path, v)
		}
	}
}
