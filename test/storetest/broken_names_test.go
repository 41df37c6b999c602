package storetest

import (
	"context"
	"errors"
	"strings"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// reserving treats names that were given up as taken.
type reserving struct {
	ports.Resellers
	gone map[string]bool
}

func (r reserving) Insert(ctx context.Context, a *reseller.Reseller) error {
	if r.gone[a.State().Username.Key()] {
		return errTaken
	}
	return r.Resellers.Insert(ctx, a)
}

func (r reserving) Save(ctx context.Context, a *reseller.Reseller) error {
	old, err := r.Get(ctx, a.ID())
	if err != nil {
		return err
	}
	had, has := old.State().Username.Key(), a.State().Username.Key()
	if r.gone[has] {
		return errTaken
	}
	if had != has {
		r.gone[had] = true
	}
	return r.Resellers.Save(ctx, a)
}

// reservingLines does for lines what reserving does for resellers.
type reservingLines struct {
	ports.Lines
	gone              map[string]bool
	renamed, onDelete bool
}

func (r reservingLines) Insert(ctx context.Context, l *line.Line) error {
	if r.gone[l.State().Username.Key()] {
		return errTaken
	}
	return r.Lines.Insert(ctx, l)
}

func (r reservingLines) Save(ctx context.Context, l *line.Line) error {
	old, err := r.Get(ctx, l.ID())
	if err != nil {
		return err
	}
	had, has := old.State().Username.Key(), l.State().Username.Key()
	if r.gone[has] {
		return errTaken
	}
	if had != has && r.renamed {
		r.gone[had] = true
	}
	return r.Lines.Save(ctx, l)
}

func (r reservingLines) Delete(ctx context.Context, t line.Tombstone) error {
	if l, err := r.Get(ctx, t.Line); err == nil && r.onDelete {
		r.gone[l.State().Username.Key()] = true
	}
	return r.Lines.Delete(ctx, t)
}

// jealous refuses a record its own name.
type jealous struct{ ports.Resellers }

func (j jealous) Save(ctx context.Context, a *reseller.Reseller) error {
	if _, err := j.FindByUsername(ctx, a.State().Username); err == nil {
		return errTaken
	}
	return j.Resellers.Save(ctx, a)
}

type jealousLines struct{ ports.Lines }

func (j jealousLines) Save(ctx context.Context, l *line.Line) error {
	if _, err := j.FindByUsername(ctx, l.State().Username); err == nil {
		return errTaken
	}
	return j.Lines.Save(ctx, l)
}

// oneNamespace refuses lines the names of resellers.
type oneNamespace struct {
	ports.Lines
	resellers ports.Resellers
}

func (o oneNamespace) Insert(ctx context.Context, l *line.Line) error {
	if _, err := o.resellers.FindByUsername(ctx, l.State().Username); err == nil {
		return errTaken
	}
	return o.Lines.Insert(ctx, l)
}

func brokenNames() (all []broken) {
	add := func(how string, sabotage func(full) full, checks ...string) {
		all = append(all, broken{how: how, caught: checks, sabotage: sabotage})
	}
	add("compares names as shown", filter{name: func(n profile.Username) profile.Username {
		return profile.RestoreUsername(n.String(), n.String())
	}}.over, "taken-account-names", "taken-line-names", "account-names-are-freed", "line-names-are-freed")
	add("compares names without accents", filter{name: func(n profile.Username) profile.Username {
		return profile.RestoreUsername(n.String(), strings.NewReplacer("é", "e", "ß", "ss").Replace(n.Key()))
	}}.over, "taken-account-names", "taken-line-names")
	for operation, check := range map[string]string{
		resellerInsert: "taken-account-names", resellerSave: "taken-account-names",
		lineInsert: "taken-line-names", lineSave: "taken-line-names",
	} {
		add("lets a name be taken twice to "+operation, answering(operation, instead(errTaken, nil)), check)
		add("has an error of its own for a name, to "+operation, answering(operation, instead(errTaken, errors.New("duplicate key"))), check)
	}
	add("never frees an account's name", func(sound full) full {
		gone := map[string]bool{}
		return patchedTx(sound, func(tx *ports.Tx) { tx.Resellers = reserving{tx.Resellers, gone} })
	}, "account-names-are-freed")
	add("frees an account's name with the commit", by(patchedTx, func(tx *ports.Tx) { tx.Resellers = reserving{tx.Resellers, map[string]bool{}} }), "account-names-are-freed")
	add("refuses an account its own name", by(patchedTx, func(tx *ports.Tx) { tx.Resellers = jealous{tx.Resellers} }), "account-names-are-freed")
	add("never frees a line's name", func(sound full) full {
		gone := map[string]bool{}
		return patchedTx(sound, func(tx *ports.Tx) { tx.Lines = reservingLines{tx.Lines, gone, true, true} })
	}, "line-names-are-freed", "deleted-lines-free-their-names")
	add("frees a line's name with the commit", by(patchedTx, func(tx *ports.Tx) { tx.Lines = reservingLines{tx.Lines, map[string]bool{}, true, false} }), "line-names-are-freed")
	add("frees a deleted line's name with the commit", by(patchedTx, func(tx *ports.Tx) { tx.Lines = reservingLines{tx.Lines, map[string]bool{}, false, true} }), "deleted-lines-free-their-names")
	add("refuses a line its own name", by(patchedTx, func(tx *ports.Tx) { tx.Lines = jealousLines{tx.Lines} }), "line-names-are-freed")
	add("keeps one list of names", by(patchedTx, func(tx *ports.Tx) { tx.Lines = oneNamespace{tx.Lines, tx.Resellers} }), "accounts-and-lines-share-no-names")
	return all
}
