package storetest

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// sharing is a store that keeps the very aggregates that a caller gives or gets by one method, and gives them again.
func sharing(method string) func(full) full {
	return func(sound full) full {
		resellers, lines := map[int64]*reseller.Reseller{}, map[int64]*line.Line{}
		return meddling(func(c *call) error {
			err := c.sound()
			keep := c.method == method
			for _, value := range c.values {
				switch v := value.(type) {
				case **reseller.Reseller:
					if *v != nil {
						share(resellers, v, (*v).ID(), keep)
					}
				case **line.Line:
					if *v != nil {
						share(lines, v, (*v).ID(), keep)
					}
				case *ports.ResellerPage:
					for i, r := range v.Resellers {
						share(resellers, &v.Resellers[i], r.ID(), keep)
					}
				case *ports.LinePage:
					for i, l := range v.Lines {
						share(lines, &v.Lines[i], l.ID(), keep)
					}
				}
			}
			return err
		})(sound)
	}
}

func share[A any](kept map[int64]A, a *A, id int64, keep bool) {
	if known, is := kept[id]; is {
		*a = known
	} else if keep {
		kept[id] = *a
	}
}

// sharingMovements does so for movements, whose postings are a slice.
func sharingMovements(methods ...string) func(full) full {
	return func(sound full) full {
		kept := map[int64]credit.Movement{}
		keep := func(m *credit.Movement) { share(kept, m, m.ID, true) }
		return altering(only(methods...), keep)(breaking(movementAppend, func(c *call) error {
			err := c.sound()
			if err == nil && slices.Contains(methods, movementAppend) {
				keep(valueOf[credit.Movement](c))
			}
			return err
		})(sound))
	}
}

func brokenRecords() (all []broken) {
	add := func(how string, sabotage func(full) full, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: sabotage})
	}
	for _, method := range []string{
		resellerGet, resellerFind, resellerInsert, resellerSave, lineGet, lineInsert, lineSave, viewReseller, viewLine,
		resellerList, lineList,
	} {
		add("shares the record with who asked to "+method, sharing(method), "changes-stay-with-the-caller")
	}
	add("keeps the movement that was appended", sharingMovements(movementAppend, movementGet),
		"movements-are-never-changed")
	add("keeps the movement that was got", sharingMovements(movementGet), "movements-are-never-changed")
	add("keeps the movement that was stated", sharingMovements(viewStatement), "movements-are-never-changed")
	add("keeps the movement that was audited", sharingMovements(auditedMovements), "archives-show-movements-never-changed")
	add("keeps the movement that was named", sharingMovements(movementsByID, movementsByNumber),
		"archives-show-movements-never-changed")
	add("changes a movement", func(sound full) full {
		newer := map[int64]credit.Movement{}
		return meddling(func(c *call) error {
			switch c.method {
			case movementAppend:
				if m := *valueOf[credit.Movement](c); newer[m.ID].ID != 0 || absent(c.sound()) != nil {
					newer[m.ID] = m
				}
				return nil
			case movementGet:
				if m, is := newer[*valueOf[int64](c)]; is {
					*valueOf[credit.Movement](c) = m
					return nil
				}
			}
			return c.sound()
		})(sound)
	}, "movements-are-never-changed")
	add("deletes movements with the line", func(sound full) full {
		deleted := map[int64]bool{}
		return meddling(func(c *call) error {
			err := c.sound()
			switch c.method {
			case lineDelete:
				deleted[valueOf[line.Tombstone](c).Line] = true
			case movementGet:
				if deleted[valueOf[credit.Movement](c).Line] {
					return fault.ErrNotFound
				}
			}
			return err
		})(sound)
	}, "movements-outlive-lines")

	const tombs = "deleted-lines-leave-tombstones"
	nothing := func(*call) error { return nil }
	all = append(all, ways{"shows nothing": nothing}.of(auditedTombstones, tombs)...)
	all = append(all, ways{"shows nothing": nothing}.of(tombstonesByLine, "audits-find-tombstones-by-their-line")...)
	add("leaves the tombstone of a deletion that was refused", func(sound full) full {
		kept := map[int64]ports.Audited[line.Tombstone]{}
		return meddling(func(c *call) error {
			switch c.method {
			case lineDelete:
				t := *valueOf[line.Tombstone](c)
				kept[t.Line] = ports.Audited[line.Tombstone]{ID: t.Line, Record: t}
			case auditedTombstones:
				for _, id := range slices.Sorted(maps.Keys(kept)) {
					if id > *valueOf[int64](c) {
						page := valueOf[[]ports.Audited[line.Tombstone]](c)
						*page = append(*page, kept[id])
					}
				}
				return nil
			}
			return c.sound()
		})(sound)
	}, tombs)
	add("only pretends to delete a line", forgetting(lineDelete), "movements-outlive-lines",
		"deleted-lines-free-their-names")

	for _, method := range []string{
		resellerGet, resellerFind, resellerSave, lineGet, lineFind, lineSave, lineDelete, movementGet, keyGet, viewLine,
		viewLineByName, viewExternalID,
	} {
		add("has an error of its own to "+method,
			answering(method, instead(fault.ErrNotFound, errors.New("no such document"))), "absent-is-not-found")
	}
	all = append(all, ways{
		"looks for accounts": func(c *call) error {
			err := c.sound()
			if r, failed := current(c.ctx, c.store).Resellers.FindByUsername(c.ctx,
				*valueOf[profile.Username](c)); failed == nil {
				*valueOf[int64](c), err = r.ID(), nil
			}
			return err
		},
	}.of(viewLineByName, "absent-is-not-found")...)
	all = append(all, ways{
		"finds nothing": func(*call) error { return fault.ErrNotFound },
		"compares shown names": func(c *call) error {
			name := *valueOf[profile.Username](c)
			err := c.sound()
			if l, got := current(c.ctx, c.store).Lines.Get(c.ctx, *valueOf[int64](c)); err == nil && got == nil &&
				l.State().Username != name {
				err = fault.ErrNotFound
			}
			return err
		},
	}.of(viewLineByName, "taken-line-names", "line-names-are-freed")...)
	all = append(all, ways{
		"finds nothing":    func(*call) error { return fault.ErrNotFound },
		"asks of no owner": func(c *call) error { *valueOf[int64](c) = 1; return c.sound() },
		"compares them folded": func(c *call) error {
			text := valueOf[profile.Text](c)
			*text = profile.RestoreText(strings.ToLower(text.String()))
			return c.sound()
		},
	}.of(viewExternalID, "external-ids-find-lines")...)
	all = append(all, ways{
		"counts no imported lines": func(c *call) error {
			err := c.sound()
			valueOf[credit.Totals](c).Imported = 0
			return err
		},
		"counts one more": func(c *call) error {
			err := c.sound()
			valueOf[credit.Totals](c).Imported++
			return err
		},
	}.of(viewTotals, "imported-lines-survive-unchanged")...)
	add("deletes lines that are not there", answering(lineDelete, absent), "absent-is-not-found")

	all = append(all, ways{
		"takes an empty list for all": func(c *call) error {
			err := c.sound()
			*valueOf[bool](c) = *valueOf[bool](c) || len(*valueOf[[]int64](c)) == 0
			return err
		},
		"looks at the first alone": asks(func(ids *[]int64) { *ids = (*ids)[:min(len(*ids), 1)] }),
		"looks at those above": func(c *call) error {
			ids := valueOf[[]int64](c)
			for _, id := range *ids {
				if r, err := c.tx.Resellers.Get(c.ctx, id); err == nil {
					*ids = slices.Concat(*ids, r.Position().Path())
				}
			}
			return c.sound()
		},
		"finds none": nothing,
	}.of(resellerBlocked, "own-blocks-only")...)
	all = append(all, ways{"finds none": nothing}.of(viewAnyBlocked, "own-blocks-only")...)
	all = append(all, ways{
		"lists none": nothing,
		"lists all":  func(c *call) error { *nthValue[[]int64](c, 1) = *valueOf[[]int64](c); return nil },
		"lists the first alone": func(c *call) error {
			err := c.sound()
			b := nthValue[[]int64](c, 1)
			*b = (*b)[:min(len(*b), 1)]
			return err
		},
		"looks at a thousand": asks(func(ids *[]int64) { *ids = (*ids)[:min(len(*ids), 1_000)] }),
	}.of(viewBlocked, "own-blocks-are-listed")...)
	const suspend = "blocks-that-suspend-are-listed"
	all = append(all, ways{
		"lists none": nothing,
		"lists all":  func(c *call) error { *nthValue[[]int64](c, 1) = *valueOf[[]int64](c); return nil },
		"lists every blocked one": func(c *call) error {
			ids, err := valueOf[[]int64](c), error(nil)
			*nthValue[[]int64](c, 1) = slices.DeleteFunc(slices.Clone(*ids), func(id int64) bool {
				is, failed := current(c.ctx, c.store).Resellers.AnyBlocked(c.ctx, []int64{id})
				err = errors.Join(err, failed)
				return !is
			})
			return err
		},
		"lists the first alone": func(c *call) error {
			err := c.sound()
			b := nthValue[[]int64](c, 1)
			*b = (*b)[:min(len(*b), 1)]
			return err
		},
		"looks at a thousand": asks(func(ids *[]int64) { *ids = (*ids)[:min(len(*ids), 1_000)] }),
	}.of(viewSuspending, suspend)...)
	for _, is := range []bool{true, false} {
		all = append(all,
			ways{map[bool]string{true: "says yes", false: "says no"}[is]: func(c *call) error {
				*valueOf[bool](c) = is
				return nil
			}}.of(viewAnySuspending, suspend)...)
		all = append(all,
			ways{map[bool]string{true: "says yes", false: "says no"}[is]: func(c *call) error {
				*valueOf[bool](c) = is
				return nil
			}}.of(viewEmpty, "empty-without-accounts")...)
	}
	return all
}
