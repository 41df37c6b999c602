package storetest

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode/utf16"

	"resellerd/domain/credit"
	"resellerd/ports"
)

// pageOf returns the page of records that a call for one returns.
func pageOf(c *call) reflect.Value { return reflect.ValueOf(c.values[2]).Elem() }

// misreading answers a call for what is named, by keys that are ids or numbers of movements, in another way than the
// sound one.
type misreading func(keys reflect.Value, sound func(keys reflect.Value) reflect.Value) (found reflect.Value, err error)

func (m misreading) call(c *call) error {
	keys, found := reflect.ValueOf(c.values[0]).Elem(), reflect.ValueOf(c.values[1]).Elem()
	var failed error
	other, err := m(keys, func(asked reflect.Value) reflect.Value {
		keys.Set(asked)
		failed = errors.Join(failed, c.sound())
		return found
	})
	if other.IsValid() {
		found.Set(other)
	}
	return errors.Join(err, failed)
}

// next is the id or number after another.
func next(key any) any {
	if n, numbered := key.(ports.PostingID); numbered {
		return ports.PostingID{Reseller: n.Reseller, Seq: n.Seq + 1}
	}
	return key.(int64) + 1
}

// renamed finds under each key what is stored under another, and with orElse only where there is nothing.
func renamed(other func(key any) any, orElse bool) misreading {
	return func(keys reflect.Value, sound func(reflect.Value) reflect.Value) (reflect.Value, error) {
		others := reflect.MakeSlice(keys.Type(), keys.Len(), keys.Len())
		for i := range keys.Len() {
			others.Index(i).Set(reflect.ValueOf(other(keys.Index(i).Interface())))
		}
		asked := reflect.AppendSlice(reflect.MakeSlice(keys.Type(), 0, 0), keys)
		stored := sound(others)
		found := reflect.MakeMap(stored.Type())
		for i := range asked.Len() {
			if f := stored.MapIndex(others.Index(i)); f.IsValid() {
				found.SetMapIndex(asked.Index(i), f)
			}
		}
		if orElse {
			for there := sound(asked).MapRange(); there.Next(); {
				found.SetMapIndex(there.Key(), there.Value())
			}
		}
		return found, nil
	}
}

// kept asks for some of the keys alone.
func kept(keep func(i int, keys []any) bool) misreading {
	return func(keys reflect.Value, sound func(reflect.Value) reflect.Value) (reflect.Value, error) {
		all := make([]any, keys.Len())
		for i := range all {
			all[i] = keys.Index(i).Interface()
		}
		asked := reflect.MakeSlice(keys.Type(), 0, 0)
		for i := range all {
			if keep(i, all) {
				asked = reflect.Append(asked, keys.Index(i))
			}
		}
		return sound(asked), nil
	}
}

// refusing has an error in place of some answers.
func refusing(refuses func(keys []any, found int) bool) misreading {
	return func(keys reflect.Value, sound func(reflect.Value) reflect.Value) (reflect.Value, error) {
		all := make([]any, keys.Len())
		for i := range all {
			all[i] = keys.Index(i).Interface()
		}
		found := sound(keys)
		if refuses(all, found.Len()) {
			return reflect.Value{}, errors.New("not so")
		}
		return found, nil
	}
}

// misshown shows each record in another way.
func misshown(change func(found reflect.Value)) misreading {
	return func(keys reflect.Value, sound func(reflect.Value) reflect.Value) (reflect.Value, error) {
		found := sound(keys)
		for _, key := range found.MapKeys() {
			f := reflect.New(found.Type().Elem()).Elem()
			f.Set(found.MapIndex(key))
			change(f)
			found.SetMapIndex(key, f)
		}
		return found, nil
	}
}

func distinct(keys []any) int {
	there := map[any]bool{}
	for _, key := range keys {
		there[key] = true
	}
	return len(there)
}

// misreadings are wrong in whatever way records are named.
func misreadings() map[string]misreading {
	return map[string]misreading{
		"has an error for what is not there": refusing(func(keys []any, found int) bool {
			return found < distinct(keys)
		}),
		"has an error where none is asked": refusing(func(keys []any, _ int) bool { return len(keys) == 0 }),
		"has an error for a name told twice": refusing(func(keys []any, _ int) bool {
			return distinct(keys) < len(keys)
		}),
		"has an error for many names": refusing(func(keys []any, _ int) bool { return len(keys) > 32_766 }),
		"takes a thousand names":      kept(func(i int, _ []any) bool { return i < 1_000 }),
		"leaves out the last":         kept(func(i int, keys []any) bool { return i < len(keys)-1 }),
		"takes names to come in order": kept(func(i int, keys []any) bool {
			return i == 0 || compareNames(keys[i-1], keys[i]) <= 0
		}),
		"takes names to come backwards": kept(func(i int, keys []any) bool {
			return i == 0 || compareNames(keys[i-1], keys[i]) >= 0
		}),
		"forgets the record": misshown(func(f reflect.Value) { f.FieldByName("Record").SetZero() }),
		"forgets the id":     misshown(func(f reflect.Value) { f.FieldByName("ID").SetZero() }),
		"finds damage": misshown(func(f reflect.Value) {
			f.FieldByName("Damage").Set(reflect.ValueOf(errors.New("damaged")))
		}),
		"finds the next one":                       renamed(next, false),
		"finds the next one for what is not there": renamed(next, true),
		"shows what is not there": func(keys reflect.Value, sound func(reflect.Value) reflect.Value) (reflect.Value, error) {
			found := sound(keys)
			for i := range keys.Len() {
				if !found.MapIndex(keys.Index(i)).IsValid() {
					found.SetMapIndex(keys.Index(i), reflect.Zero(found.Type().Elem()))
				}
			}
			return found, nil
		},
	}
}

func compareNames(a, b any) int {
	if a, numbered := a.(ports.PostingID); numbered {
		b := b.(ports.PostingID)
		return cmp.Or(cmp.Compare(a.Reseller, b.Reseller), cmp.Compare(a.Seq, b.Seq))
	}
	return cmp.Compare(a.(int64), b.(int64))
}

func brokenArchives() (all []broken) {
	for _, method := range []string{
		auditedResellers, auditedLines, auditedTombstones, auditedMovements, resellersByID, linesByID, tombstonesByLine,
		movementsByID, movementsByNumber, auditedKeys, auditedTotals,
		auditedEntries, entriesByMovement,
	} {
		all = append(all, ways{"reads what is newest": func(c *call) error { return c.newest() }}.of(method,
			"archives-are-of-one-snapshot")...)
	}
	for _, l := range leaves(reflect.TypeFor[credit.Totals]()) {
		all = append(all, ways{"loses " + l.path: answers(func(t *credit.Totals) { *t = without(*t, l) })}.of(auditedTotals,
			"archives-show-sums")...)
	}
	viewing := func(how string, view func(ctx context.Context, look lookAtRecords, sound full) error, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: func(sound full) full {
			return &wrapped{full: sound, viewRecords: func(ctx context.Context, look lookAtRecords) error {
				return view(ctx, look, sound)
			}}
		}})
	}
	viewing("shows auditors nothing before updates have ended",
		func(ctx context.Context, look lookAtRecords, sound full) error {
			if err := sound.Update(ctx, func(context.Context, ports.Tx) error { return nil }); err != nil {
				return err
			}
			return sound.ViewRecords(ctx, look)
		}, "archives-show-no-open-update")
	viewing("has an error of its own for auditors", func(ctx context.Context, look lookAtRecords, sound full) error {
		if err := sound.ViewRecords(ctx, look); err != nil {
			return errors.New("not so")
		}
		return nil
	}, "archives-return-the-error-of-look", "closed-archives-are-unavailable")
	all = append(all, broken{how: "shows auditors what is not committed", sabotage: autocommit,
		caught: caughtBy("archives-show-no-open-update", "archives-show-no-refused-update")})

	for method, check := range map[string]string{
		auditedResellers: "audits-show-every-record", auditedLines: "audits-show-every-record",
		auditedTombstones: "audits-show-every-record",
		auditedMovements:  "audits-show-every-record", auditedEntries: "audits-show-every-entry",
	} {
		all = append(all, ways{
			"begins each page with the first":    asks(func(after *int64) { *after = 0 }),
			"begins each page with the last one": asks(func(after *int64) { *after-- }),
			"skips one between pages":            asks(func(after *int64) { *after++ }),
			"shows one too many":                 asks(func(limit *int) { *limit++ }),
			"shows each page backwards": func(c *call) error {
				err := c.sound()
				page := pageOf(c)
				swap := reflect.Swapper(page.Interface())
				for i := range page.Len() / 2 {
					swap(i, page.Len()-1-i)
				}
				return err
			},
			"shows full pages only": func(c *call) error {
				err := c.sound()
				if page := pageOf(c); page.Len() < *valueOf[int](c) {
					page.SetZero()
				}
				return err
			},
		}.of(method, check)...)
		all = append(all, ways{"finds a record where there is none": func(c *call) error {
			err := c.sound()
			if page := pageOf(c); page.Len() == 0 {
				page.Set(reflect.MakeSlice(page.Type(), 1, 1))
				page.Index(0).FieldByName("ID").SetInt(1)
			}
			return err
		}}.of(method, map[bool]string{true: check, false: "audits-end-in-an-empty-page"}[method == auditedEntries])...)
	}

	reported := func(report func(c *call, report func(finding string)) error) func(c *call) error {
		return func(c *call) error { return errors.Join(report(c, *valueOf[func(finding string)](c)), c.sound()) }
	}
	all = append(all, ways{
		"can't": func(*call) error { return errors.New("not so") },
		"finds lists that lines have left": reported(func(c *call, report func(string)) error {
			page, err := currentRecords(c.ctx, c.store).Tombstones(c.ctx, 0, 1)
			for range page {
				report("a list shows it")
			}
			return err
		}),
		"finds names that accounts gave up": reported(func(c *call, report func(string)) error {
			page, err := currentRecords(c.ctx, c.store).Resellers(c.ctx, 0, 100_000)
			for _, f := range page {
				if s := f.Record.State(); s.UpdatedAt.After(s.CreatedAt) {
					report("it had another name")
				}
			}
			return err
		}),
	}.of(derived, "audits-derive-what-was-written")...)
	checks := map[string]string{
		resellersByID: "audits-find-accounts-by-their-id", linesByID: "audits-find-lines-by-their-id",
		tombstonesByLine: "audits-find-tombstones-by-their-line",
		movementsByID:    "audits-find-movements-by-their-id", movementsByNumber: "audits-find-movements-by-their-number",
		entriesByMovement: "audits-find-entries-by-their-movements",
	}
	for method, check := range checks {
		for how, m := range misreadings() {
			all = append(all, ways{how: m.call}.of(method, check)...)
		}
	}
	number := func(other func(n ports.PostingID) ports.PostingID) func(c *call) error {
		return renamed(func(key any) any { return other(key.(ports.PostingID)) }, false).call
	}
	return append(all, ways{
		"counts all accounts in one series": number(func(n ports.PostingID) ports.PostingID {
			return ports.PostingID{Reseller: 1, Seq: n.Seq}
		}),
		"counts from 0": number(func(n ports.PostingID) ports.PostingID {
			return ports.PostingID{Reseller: n.Reseller, Seq: n.Seq + 1}
		}),
		"takes the number for the account": number(func(n ports.PostingID) ports.PostingID {
			return ports.PostingID{Reseller: n.Seq, Seq: n.Reseller}
		}),
	}.of(movementsByNumber, "audits-find-movements-by-their-number")...)
}

// exported pages through all keys in a way of its own: those after a place, in some order.
func exported(order func(a, b ports.KeyRecord) int, shows func(k, after ports.KeyRecord) bool) func(c *call) error {
	return func(c *call) error {
		after, limit := ports.KeyRecord{Reseller: *valueOf[int64](c), Key: *valueOf[string](c)}, *valueOf[int](c)
		*valueOf[int64](c), *valueOf[string](c), *valueOf[int](c) = 0, "", 100_000
		err := c.sound()
		page := valueOf[[]ports.KeyRecord](c)
		slices.SortFunc(*page, order)
		*page = slices.DeleteFunc(*page, func(k ports.KeyRecord) bool { return !shows(k, after) })
		*page = (*page)[:min(limit, len(*page))]
		return err
	}
}

func brokenExports() (all []broken) {
	ordered := func(order func(a, b ports.KeyRecord) int) func(c *call) error {
		return exported(order, func(k, after ports.KeyRecord) bool { return order(k, after) > 0 })
	}
	all = append(all, ways{
		"begins each page with the first": func(c *call) error {
			*valueOf[int64](c), *valueOf[string](c) = 0, ""
			return c.sound()
		},
		"shows one too many": asks(func(limit *int) { *limit++ }),
		"shows full pages only": func(c *call) error {
			err := c.sound()
			if page := valueOf[[]ports.KeyRecord](c); len(*page) < *valueOf[int](c) {
				*page = nil
			}
			return err
		},
		"shows the next account's keys only": asks(func(key *string) { *key = "\U0010ffff" }),
		"shows keys after this one of every account": exported(compareKeys, func(k, after ports.KeyRecord) bool {
			return k.Reseller >= after.Reseller && k.Key > after.Key
		}),
		"shows no expired keys": exported(compareKeys, func(k, after ports.KeyRecord) bool {
			return compareKeys(k, after) > 0 && k.Expires.After(noon)
		}),
		"goes in the order of keys": ordered(func(a, b ports.KeyRecord) int {
			return cmp.Or(strings.Compare(a.Key, b.Key), cmp.Compare(a.Reseller, b.Reseller))
		}),
		"compares keys without their case": ordered(func(a, b ports.KeyRecord) int {
			return cmp.Or(cmp.Compare(a.Reseller, b.Reseller), strings.Compare(strings.ToLower(a.Key), strings.ToLower(b.Key)))
		}),
		"goes in the order of UTF-16": ordered(func(a, b ports.KeyRecord) int {
			return cmp.Or(cmp.Compare(a.Reseller, b.Reseller),
				slices.Compare(utf16.Encode([]rune(a.Key)), utf16.Encode([]rune(b.Key))))
		}),
		"shows the newest account first": ordered(func(a, b ports.KeyRecord) int {
			return cmp.Or(cmp.Compare(b.Reseller, a.Reseller), strings.Compare(a.Key, b.Key))
		}),
	}.of(auditedKeys, "exports-show-every-key")...)
	return append(all, ways{
		"tells the last id for the next": answers(func(o *ports.Origin) {
			for of := range o.Next {
				o.Next[of]--
			}
		}),
		"tells the next ids of an empty store": answers(func(o *ports.Origin) { o.Next = firstIDs() }),
		"tells no service key":                 answers(func(o *ports.Origin) { o.Fingerprint = "" }),
		"tells a service key that nobody has claimed": answers(func(o *ports.Origin) {
			o.Fingerprint = cmp.Or(o.Fingerprint, "none")
		}),
		"claims a service key to tell it": func(c *call) error {
			err := c.sound()
			_, failed := c.store.ClaimKey(c.ctx, "told")
			return errors.Join(err, failed)
		},
	}.of(recordedOrigin, "exports-tell-the-origin")...)
}
