package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/fixture"
)

// comparing is a store that compares names in a way of its own.
func comparing(change func(profile.Username) profile.Username) func(full) full {
	return meddling(func(c *call) error {
		for _, value := range c.values {
			switch v := value.(type) {
			case *profile.Username:
				*v = change(*v)
			case **reseller.Reseller:
				if slices.Contains(writes, c.method) {
					*v = fixture.Changed(*v, func(s *reseller.State) { s.Username = change(s.Username) })
				}
			case **line.Line:
				if slices.Contains(writes, c.method) {
					*v = fixture.ChangedLine(*v, func(s *line.State) { s.Username = change(s.Username) })
				}
			}
		}
		return c.sound()
	})
}

// nameIn returns the name that a call inserts or saves.
func nameIn(c *call) profile.Username {
	if strings.HasSuffix(c.method, "line") {
		return (*valueOf[*line.Line](c)).State().Username
	}
	return (*valueOf[*reseller.Reseller](c)).State().Username
}

// nameBefore returns the name that the record which a call saves or deletes has so far.
func nameBefore(c *call) profile.Username {
	switch c.method {
	case resellerSave:
		if r, err := c.tx.Resellers.Get(c.ctx, (*valueOf[*reseller.Reseller](c)).ID()); err == nil {
			return r.State().Username
		}
	case lineSave:
		if l, err := c.tx.Lines.Get(c.ctx, (*valueOf[*line.Line](c)).ID()); err == nil {
			return l.State().Username
		}
	case lineDelete:
		if l, err := c.tx.Lines.Get(c.ctx, valueOf[line.Tombstone](c).Line); err == nil {
			return l.State().Username
		}
	}
	return profile.Username{}
}

// reserving is a store that takes names for taken which records have given up by one operation: for ever, or until the
// commit.
func reserving(insert, save, by string, forEver bool) func(full) full {
	return func(sound full) full {
		gone := map[string]bool{}
		w := meddling(func(c *call) error {
			if (c.method == insert || c.method == save) && gone[nameIn(c).Key()] {
				return errTaken
			}
			if c.method == by {
				if had := nameBefore(c).Key(); c.method == lineDelete || had != nameIn(c).Key() {
					gone[had] = true
				}
			}
			return c.sound()
		})(sound).(*wrapped)
		return &wrapped{full: w, update: func(ctx context.Context, do work) error {
			if !forEver {
				clear(gone)
			}
			return w.Update(ctx, do)
		}}
	}
}

// sharingIDs is a store that lets no two lines have an external id that any has been inserted with, or that one which
// was deleted has had.
func sharingIDs(inserted bool) func(full) full {
	return func(sound full) full {
		taken := map[string]bool{}
		return meddling(func(c *call) error {
			switch c.method {
			case lineInsert, lineSave:
				id := (*valueOf[*line.Line](c)).State().ExternalID.String()
				if id != "" && taken[id] && (c.method == lineInsert || !inserted) {
					return line.ErrExternalIDTaken
				}
				taken[id] = taken[id] || inserted && c.method == lineInsert
			case lineDelete:
				if l, err := c.tx.Lines.Get(c.ctx, valueOf[line.Tombstone](c).Line); err == nil && !inserted {
					taken[l.State().ExternalID.String()] = true
				}
			}
			return c.sound()
		})(sound)
	}
}

func brokenNames() (all []broken) {
	add := func(how string, sabotage func(full) full, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: sabotage})
	}
	add("compares names as shown", comparing(func(n profile.Username) profile.Username {
		return profile.RestoreUsername(n.String(), n.String())
	}), "taken-account-names", "taken-line-names", "account-names-are-freed", "line-names-are-freed")
	add("compares names without accents", comparing(func(n profile.Username) profile.Username {
		return profile.RestoreUsername(n.String(), strings.NewReplacer("é", "e", "ß", "ss").Replace(n.Key()))
	}), "taken-account-names", "taken-line-names")
	for operation, check := range map[string]string{
		resellerInsert: "taken-account-names", resellerSave: "taken-account-names",
		lineInsert: "taken-line-names", lineSave: "taken-line-names",
	} {
		add("lets a name be taken twice to "+operation, answering(operation, instead(errTaken, nil)), check)
		add("has an error of its own for a name, to "+operation,
			answering(operation, instead(errTaken, errors.New("duplicate key"))), check)
	}
	for _, operation := range []string{lineInsert, lineSave} {
		add("lets an external id be taken twice to "+operation, answering(operation, instead(line.ErrExternalIDTaken, nil)),
			"external-ids-are-unique-to-an-owner")
	}
	add("keeps one list of external ids", sharingIDs(true), "external-ids-are-unique-to-an-owner")
	add("never frees the external id of a line that is deleted", sharingIDs(false), "external-ids-are-unique-to-an-owner")
	for how, forEver := range map[string]bool{"never frees a name": true, "frees a name with the commit": false} {
		add(how+" of an account", reserving(resellerInsert, resellerSave, resellerSave, forEver), "account-names-are-freed")
		add(how+" of a line", reserving(lineInsert, lineSave, lineSave, forEver), "line-names-are-freed")
		add(how+" of a line that is deleted", reserving(lineInsert, lineSave, lineDelete, forEver),
			"deleted-lines-free-their-names")
	}
	taken := func(found error) error {
		if found == nil {
			return errTaken
		}
		return nil
	}
	all = append(all, ways{"refuses its own name": func(c *call) error {
		_, err := c.tx.Resellers.FindByUsername(c.ctx, nameIn(c))
		return errors.Join(taken(err), c.sound())
	}}.of(resellerSave, "account-names-are-freed")...)
	all = append(all, ways{"refuses its own name": func(c *call) error {
		_, err := c.tx.Lines.FindByUsername(c.ctx, nameIn(c))
		return errors.Join(taken(err), c.sound())
	}}.of(lineSave, "line-names-are-freed")...)
	return append(all, ways{"refuses the names of accounts": func(c *call) error {
		_, err := c.tx.Resellers.FindByUsername(c.ctx, nameIn(c))
		return errors.Join(taken(err), c.sound())
	}}.of(lineInsert, "accounts-and-lines-share-no-names")...)
}
