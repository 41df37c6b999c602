package storetest

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// leaf is a field of a state, reached through embedded and plain structs.
type leaf struct {
	path  string
	index []int
}

// leaves lists the fields that a store keeps each for itself: values of the
// domain, which have no exported fields, count as one.
func leaves(of reflect.Type) (all []leaf) {
	for _, f := range reflect.VisibleFields(of) {
		if len(f.Index) > 1 || !f.IsExported() {
			continue
		}
		below := []leaf(nil)
		if f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[time.Time]() {
			below = leaves(f.Type)
		}
		if below == nil {
			all = append(all, leaf{f.Name, f.Index})
		}
		for _, l := range below {
			all = append(all, leaf{f.Name + "." + l.path, append(slices.Clone(f.Index), l.index...)})
		}
	}
	return all
}

// without returns v with the field at its zero value.
func without[V any](v V, l leaf) V {
	reflect.ValueOf(&v).Elem().FieldByIndex(l.index).SetZero()
	return v
}

// eachWithout returns copies of all, with the field at its zero value.
func eachWithout[V any](all []V, l leaf) []V {
	return mapped(all, func(v V) V { return without(v, l) })
}

// mixed returns v with the field as it is in old.
func mixed[V any](old, v V, l leaf) V {
	reflect.ValueOf(&v).Elem().FieldByIndex(l.index).Set(reflect.ValueOf(old).FieldByIndex(l.index))
	return v
}

// Fields that no verb of the domain changes: a save may leave them out.
var unchanging = []string{"Position.ID", "Position.Ancestors", "Role", "Language", "CreatedAt", "ID", "Owner.ID",
	"Owner.Ancestors", "Origin", "Reseller", "Key"}

// lost is a field that a store loses of each record of a type.
type lost struct {
	path string
	over func(where func(method string) bool) func(full) full
}

// losses are the fields of a type of records, and those of what its records have many of.
func losses[V any]() (all []lost) {
	for _, l := range leaves(reflect.TypeFor[V]()) {
		all = append(all, lost{l.path, func(where func(string) bool) func(full) full {
			return altering(where, func(v *V) { *v = without(*v, l) })
		}})
	}
	return all
}

func lossesWithin[V, E any](list func(v *V) *[]E) (all []lost) {
	for _, l := range leaves(reflect.TypeFor[E]()) {
		all = append(all, lost{reflect.TypeFor[E]().Name() + "." + l.path, func(where func(string) bool) func(full) full {
			return altering(where, func(v *V) { *list(v) = eachWithout(*list(v), l) })
		}})
	}
	return all
}

// resellerLosses and the others are all that a store can lose of each kind of records.
func resellerLosses() []lost {
	return append(losses[reseller.State](), lossesWithin(func(s *reseller.State) *[]reseller.TrialSlot {
		return &s.Trials
	})...)
}

func movementLosses() []lost {
	return append(losses[credit.Movement](), lossesWithin(func(m *credit.Movement) *[]credit.Posting {
		return &m.Postings
	})...)
}

func entryLosses() []lost {
	all := slices.Concat(
		losses[journal.Numbered](),
		lossesWithin(func(n *journal.Numbered) *[]journal.Change { return &n.Changes }),
		lossesWithin(func(n *journal.Numbered) *[]journal.Datum { return &n.Data }),
	)
	inMovement := func(path string, change func(m *journal.Movement)) {
		all = append(all, lost{"Movement." + path, func(where func(string) bool) func(full) full {
			return altering(where, func(n *journal.Numbered) {
				if n.Movement != nil {
					m := *n.Movement
					change(&m)
					n.Movement = &m
				}
			})
		}})
	}
	for _, l := range leaves(reflect.TypeFor[journal.Movement]()) {
		inMovement(l.path, func(m *journal.Movement) { *m = without(*m, l) })
	}
	for _, l := range leaves(reflect.TypeFor[journal.Balance]()) {
		inMovement("Balances."+l.path, func(m *journal.Movement) { m.Balances = eachWithout(m.Balances, l) })
	}
	return all
}

// either returns a value, or its zero value.
func either[V any](is bool, v V) (none V) {
	if is {
		return v
	}
	return none
}

// Where a save finds what it takes the place of.

func resellerBefore(c *call) (old reseller.State, found bool) {
	r, err := c.tx.Resellers.Get(c.ctx, (*valueOf[*reseller.Reseller](c)).ID())
	if err != nil {
		return old, false
	}
	return r.State(), true
}

func lineBefore(c *call) (old line.State, found bool) {
	l, err := c.tx.Lines.Get(c.ctx, (*valueOf[*line.Line](c)).ID())
	if err != nil {
		return old, false
	}
	return l.State(), true
}

func keyBefore(c *call) (ports.KeyRecord, bool) {
	r := valueOf[ports.KeyRecord](c)
	old, err := c.tx.Keys.Get(c.ctx, r.Reseller, r.Key)
	return old, err == nil
}

// brokenFields lose one field each, of every field that there is, or keep it as another value.
func brokenFields() (all []broken) {
	add := func(how, check string, sabotage func(full) full) {
		all = append(all, broken{how: how, caught: caughtBy(check), sabotage: sabotage})
	}
	const (
		resellers, lines, movements, keys = "accounts-survive-unchanged", "lines-survive-unchanged",
			"movements-survive-unchanged", "key-records-survive-unchanged"
		auditResellers, auditLines, auditMovements = "archives-show-accounts-unchanged", "archives-show-lines-unchanged",
			"archives-show-movements-unchanged"
	)
	for _, kind := range []struct {
		name, check string
		losses      []lost
		by          map[string]string // further methods that read it, to the checks that they fail
	}{
		{"account", resellers, resellerLosses(), map[string]string{
			viewReseller: resellers, viewNamed: resellers, resellerList: resellers, resellerGet: resellers,
			resellerFind:     resellers,
			auditedResellers: auditResellers, resellersByID: auditResellers,
		}},
		{"line", lines, losses[line.State](), map[string]string{
			viewLine: lines, lineList: lines, lineGet: lines, auditedLines: auditLines, linesByID: auditLines,
		}},
		{"movement", movements, movementLosses(), map[string]string{
			movementGet: movements, viewStatement: movements,
			auditedMovements: auditMovements, movementsByID: auditMovements, movementsByNumber: auditMovements,
		}},
		{"key", keys, losses[ports.KeyRecord](), map[string]string{keyGet: keys, viewKey: keys}},
		{"tombstone", "deleted-lines-leave-tombstones", losses[line.Tombstone](),
			map[string]string{tombstonesByLine: "audits-find-tombstones-by-their-line"}},
		{"entry", "entries-survive-unchanged", entryLosses(), map[string]string{
			eventList: "entries-survive-unchanged", viewNaming: "entries-survive-unchanged",
			auditedEntries: "archives-show-entries-unchanged", entriesByMovement: "archives-show-entries-unchanged",
		}},
		{"head", "entries-survive-unchanged", losses[journal.Head](), map[string]string{
			viewHead: "entries-survive-unchanged", auditedHead: "archives-show-entries-unchanged",
		}},
		{"figure", "figures-are-sums", losses[ports.DayFigures](),
			map[string]string{viewFigures: "figures-are-sums", auditedFigures: "audits-show-all-figures"}},
	} {
		for _, l := range kind.losses {
			add("loses "+kind.name+" field "+l.path, kind.check, l.over(anywhere))
		}
		for method, check := range kind.by {
			first, last := kind.losses[0], kind.losses[len(kind.losses)-1] // with the id a record is another one, or damaged
			add("loses the id of "+method, check, first.over(only(method)))
			add("loses a field of "+method, check, last.over(only(method)))
		}
	}
	for _, l := range leaves(reflect.TypeFor[reseller.State]()) {
		if !slices.Contains(unchanging, l.path) {
			add("leaves account field "+l.path+" out of a save", "saved-accounts-survive-unchanged",
				breaking(resellerSave, func(c *call) (err error) {
					old, _ := resellerBefore(c)
					saved := valueOf[*reseller.Reseller](c)
					if *saved, err = reseller.Restore(mixed(old, (*saved).State(), l)); err != nil {
						return err
					}
					return c.sound()
				}))
		}
	}
	for _, l := range leaves(reflect.TypeFor[line.State]()) {
		if !slices.Contains(unchanging, l.path) {
			add("leaves line field "+l.path+" out of a save", "saved-lines-survive-unchanged",
				breaking(lineSave, func(c *call) (err error) {
					old, _ := lineBefore(c)
					saved := valueOf[*line.Line](c)
					if *saved, err = line.Restore(mixed(old, (*saved).State(), l)); err != nil {
						return err
					}
					return c.sound()
				}))
		}
	}

	text := func(b []byte) []byte { return bytes.ToValidUTF8(b, []byte("?")) }
	for how, change := range map[string]func(*reseller.State){
		"keeps whole seconds":      func(s *reseller.State) { s.CreatedAt = s.CreatedAt.Truncate(time.Second) },
		"returns another zone":     func(s *reseller.State) { s.UpdatedAt = s.UpdatedAt.In(time.FixedZone("WET", 3600)) },
		"keeps balances as floats": func(s *reseller.State) { s.Credits = fixture.Units(int64(float32(s.Credits.Units()))) },
		"keeps whole credits": func(s *reseller.State) {
			s.Credits = fixture.Units(s.Credits.Units() / 10_000 * 10_000)
		},
		"shows the compared name": func(s *reseller.State) {
			s.Username = profile.RestoreUsername(s.Username.Key(), s.Username.Key())
		},
		"cuts long notes": func(s *reseller.State) {
			s.Contact.Notes = fixture.Text(s.Contact.Notes.String()[:min(len(s.Contact.Notes.String()), 4096)])
		},
		"joins lines of notes": func(s *reseller.State) {
			s.Contact.Notes = fixture.Text(strings.ReplaceAll(s.Contact.Notes.String(), "\n", " "))
		},
		"cuts deep paths": func(s *reseller.State) {
			s.Ancestors = s.Ancestors[:min(len(s.Ancestors), reseller.MaxDepth-1)]
		},
		"keeps one slot of trials": func(s *reseller.State) { s.Trials = s.Trials[:min(len(s.Trials), 1)] },
		"swaps two texts": func(s *reseller.State) {
			s.Contact.Whatsapp, s.Contact.Telegram = s.Contact.Telegram, s.Contact.Whatsapp
		},
	} {
		add(how, resellers, altering(anywhere, change))
	}
	const partial = "partial-suspensions-survive-unchanged"
	for how, change := range map[string]func(*reseller.State){
		"takes blocks without a date for very old ones": func(s *reseller.State) {
			if s.Blocked && s.Block.At.IsZero() {
				s.Block.At = time.UnixMilli(0).UTC()
			}
		},
		"knows no reasons without a date": func(s *reseller.State) {
			s.Block.Reason = either(!s.Block.At.IsZero(), s.Block.Reason)
		},
		"has blocks suspend lines only for a reason": func(s *reseller.State) {
			s.Block.Suspends = either(s.Block.Reason.String() != "", s.Block.Suspends)
		},
		"keeps terms of a block that suspends lines": func(s *reseller.State) { s.Block = either(s.Block.Suspends, s.Block) },
		"takes a date for a block that suspends": func(s *reseller.State) {
			s.Block.Suspends = s.Block.Suspends || !s.Block.At.IsZero()
		},
		"takes blocks for such that suspend": func(s *reseller.State) { s.Block.Suspends = s.Blocked },
	} {
		add(how, partial, altering(anywhere, change))
	}
	add("suspends lines only for a reason", partial, altering(anywhere, func(s *line.State) {
		s.Suspension = either(s.Reason.String() != "", s.Suspension)
	}))
	for how, change := range map[string]func(*line.State){
		"keeps passwords as text":        func(s *line.State) { s.Password = text(s.Password) },
		"keeps 32 bits of a platform id": func(s *line.State) { s.PlatformID = int64(uint32(s.PlatformID)) },
	} {
		add(how, lines, altering(anywhere, change))
	}
	for how, change := range map[string]func(*credit.Movement){
		"keeps one entry of a movement": func(m *credit.Movement) {
			m.Postings = m.Postings[:min(len(m.Postings), 1)]
		},
		"turns the entries of a movement round": func(m *credit.Movement) {
			m.Postings = slices.Clone(m.Postings)
			slices.Reverse(m.Postings)
		},
		"keeps links as text": func(m *credit.Movement) {
			m.Postings = slices.Clone(m.Postings)
			for i, e := range m.Postings {
				copy(m.Postings[i].Hash[:], text(e.Hash[:]))
			}
		},
		"keeps 32 bits of a number": func(m *credit.Movement) {
			m.Postings = mapped(m.Postings, func(e credit.Posting) credit.Posting { e.Seq = int64(int32(e.Seq)); return e })
		},
		"keeps 32 bits of a line's id": func(m *credit.Movement) { m.Line = int64(uint32(m.Line)) },
	} {
		add(how, movements, altering(anywhere, change))
	}
	add("keeps bodies as text", keys, altering(anywhere, func(r *ports.KeyRecord) { r.Body = text(r.Body) }))
	add("keeps the second in which a line was deleted", "deleted-lines-leave-tombstones",
		altering(anywhere, func(t *line.Tombstone) { t.At = t.At.Truncate(time.Second) }))
	return all
}
