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
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// aging is a store that remembers how each of its records was at first.
type aging struct {
	full
	first *sync.Map
}

// brokenReopenings are stores that forget one thing each with the process, of every field that there is: its value, or
// that the value was changed since the record was inserted.
func brokenReopenings() (all []broken) {
	const served, audited, unfinished, finished = "every-field-survives-reopening",
		"archives-show-every-field-after-reopening",
		"unfinished-copies-survive-reopening", "finished-copies-survive-reopening"
	reopening := func(how string, again func(full) full, checks ...string) {
		all = append(all, broken{how: how + " with the process", caught: checks, sabotage: process,
			reopen: func(old full) full { return again(reopened(old)) }})
	}
	all = append(all, changesForgotten(resellerSave, func(s reseller.State) any { return s.ID }, resellerBefore)...)
	all = append(all, changesForgotten(lineSave, func(s line.State) any { return s.ID }, lineBefore)...)
	all = append(all, changesForgotten(keyPut, func(r ports.KeyRecord) any {
		return [2]any{r.Reseller, r.Key}
	}, keyBefore)...)
	for name, kind := range map[string][]lost{
		"account": resellerLosses(), "line": losses[line.State](), "movement": movementLosses(),
		"key": losses[ports.KeyRecord](), "tombstone": losses[line.Tombstone](),
		"entry": entryLosses(),
	} {
		for _, l := range kind {
			reopening("forgets for auditors "+name+" field "+l.path, l.over(forAuditors), audited, unfinished, finished)
			if name != "tombstone" {
				reopening("forgets "+name+" field "+l.path, l.over(func(method string) bool { return !forAuditors(method) }),
					served, finished)
			}
		}
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
			return aging{breaking(lineDelete, func(c *call) error {
				if l, err := c.tx.Lines.Get(c.ctx, valueOf[line.Tombstone](c).Line); err == nil {
					deleted.Store(l.ID(), l)
				}
				return c.sound()
			})(process(sound)), deleted}
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

	for _, l := range leaves(reflect.TypeFor[ports.ServiceKey]()) {
		reopening("forgets service key field "+l.path, func(again full) full {
			return &wrapped{full: again, serviceKey: func(ctx context.Context) (ports.ServiceKey, error) {
				key, err := again.ServiceKey(ctx)
				return without(key, l), err
			}}
		}, "moved-service-keys-survive-reopening")
	}
	for _, l := range leaves(reflect.TypeFor[ports.Origin]()) {
		reopening("forgets origin field "+l.path, altering(anywhere, func(o *ports.Origin) { *o = without(*o, l) }),
			unfinished, finished)
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

// changesForgotten are stores that forget with the process that a field of a record was changed, of every field that
// is.
func changesForgotten[V any](save string, name func(V) any, before func(c *call) (V, bool)) (all []broken) {
	for _, l := range leaves(reflect.TypeFor[V]()) {
		if slices.Contains(unchanging, l.path) {
			continue
		}
		all = append(all, broken{
			how:    "forgets with the process a change of " + l.path + " when told to " + save,
			caught: caughtBy("every-field-survives-reopening"),
			sabotage: func(sound full) full {
				first := new(sync.Map)
				return aging{breaking(save, func(c *call) error {
					if old, is := before(c); is {
						first.LoadOrStore(name(old), old)
					}
					return c.sound()
				})(process(sound)), first}
			},
			reopen: func(old full) full {
				records := old.(aging)
				return aging{altering(anywhere, func(v *V) {
					if was, is := records.first.Load(name(*v)); is {
						*v = mixed(was.(V), *v, l)
					}
				})(records.full), records.first}
			},
		})
	}
	return all
}

func TestEveryFieldHasAValueOfItsOwn(t *testing.T) {
	w := open(t, Subject{Open: func(T) ports.Store { return memstore.New() }})
	chain := w.chain()
	a, l := chain[len(chain)-1], w.trial(chain[2], "line")
	k := keyRecord(7, "key")
	filled(t, append(mapped(partialBlocks(), func(b reseller.Block) reseller.State { return blockedBy(a, b) }),
		fullReseller(a, 0), fullReseller(a, 1))...)
	filled(t, fullReseller(a, 0).Trials...)
	filled(t, append(partialSuspensions(l), fullLine(l, 0), fullLine(l, 1), fixture.Imported(a, 1).State())...)
	filled(t, fullTombstone(l))
	movements := w.movements(chain[0], chain[1], chain[2], l.ID())
	filled(t, movements...)
	filled(t, slices.Concat(mapped(movements, func(m credit.Movement) []credit.Posting { return m.Postings })...)...)
	filled(t, k)
	entries := fullEntries(movements)
	filled(t, entries...)
	filled(t, slices.Concat(mapped(entries, func(e journal.Entry) []journal.Change { return e.Changes })...)...)
	filled(t, slices.Concat(mapped(entries, func(e journal.Entry) []journal.Datum { return e.Data })...)...)
	named := mapped(entries[:len(movements)], func(e journal.Entry) journal.Movement { return *e.Movement })
	filled(t, named...)
	filled(t, slices.Concat(mapped(named, func(m journal.Movement) []journal.Balance { return m.Balances })...)...)
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
