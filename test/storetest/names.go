package storetest

import (
	"context"

	"resellerd/domain/profile"
	"resellerd/ports"
)

var errTaken = profile.ErrUsernameTaken

var nameChecks = []Check{
	{
		"taken-account-names", proves{"R13", "R16"},
		func(w *harness) {
			root := w.admin("root")
			holder, other := w.master(root, "Straße.ÉLAN", 0), w.master(root, "other", 0)
			for _, spelling := range []string{"Straße.ÉLAN", "straße.élan", "STRAßE.ÉLAN", "ＳＴＲＡße.E\u0301lan"} {
				a, err := below(root, w.id(ports.ResellerIDs), spelling)
				w.must(err, "create an account")
				w.want(w.try(func(ctx context.Context, tx ports.Tx) error { return tx.Resellers.Insert(ctx, a) }),
					errTaken, "insert an account as "+spelling)
				w.want(w.try(func(ctx context.Context, tx ports.Tx) error { return rename(ctx, tx, other.ID(), spelling) }),
					errTaken, "rename an account to "+spelling)
				w.holdsName(spelling, holder.ID())
			}
			w.holdsName("OTHER", other.ID())
			// Names that only look alike are others.
			w.master(root, "Strasse.ÉLAN", 0)
			w.master(root, "Straße.ELAN", 0)
		},
	},
	{
		"account-names-are-freed", proves{"R17"},
		func(w *harness) {
			root := w.admin("root")
			a, b := w.master(root, "first", 0), w.master(root, "second", 0)
			w.update("the own name in another case", func(ctx context.Context, tx ports.Tx) error { return rename(ctx, tx, a.ID(), "FIRST") })
			if shown := w.reseller(a.ID()).State().Username.String(); shown != "FIRST" {
				w.Errorf("the name is shown as %q, want FIRST", shown)
			}
			w.holdsName("first", a.ID())
			w.update("another name", func(ctx context.Context, tx ports.Tx) error { return rename(ctx, tx, a.ID(), "third") })
			w.holdsName("first", 0)
			w.update("a name given up before", func(ctx context.Context, tx ports.Tx) error { return rename(ctx, tx, b.ID(), "First") })
			w.update("a name given up in the same update", func(ctx context.Context, tx ports.Tx) error {
				if err := rename(ctx, tx, b.ID(), "fourth"); err != nil {
					return err
				}
				return rename(ctx, tx, a.ID(), "first")
			})
			c, err := below(root, w.id(ports.ResellerIDs), "Fourth")
			w.must(err, "create an account")
			w.update("an insert under a name given up in the same update", func(ctx context.Context, tx ports.Tx) error {
				if err := rename(ctx, tx, b.ID(), "fifth"); err != nil {
					return err
				}
				return tx.Resellers.Insert(ctx, c)
			})
			for username, holder := range map[string]int64{"first": a.ID(), "second": 0, "third": 0, "fourth": c.ID(), "fifth": b.ID()} {
				w.holdsName(username, holder)
			}
		},
	},
	{
		"taken-line-names", proves{"L12", "L15"},
		func(w *harness) {
			root := w.admin("root")
			holder, other := w.trial(root, "Straße.ÉLAN"), w.trial(root, "other")
			for _, spelling := range []string{"Straße.ÉLAN", "straße.élan", "STRAßE.ÉLAN", "ＳＴＲＡße.E\u0301lan"} {
				l := newTrial(root, w.id(ports.LineIDs), spelling)
				w.want(w.try(func(ctx context.Context, tx ports.Tx) error { return tx.Lines.Insert(ctx, l) }),
					errTaken, "insert a line as "+spelling)
				w.want(w.try(func(ctx context.Context, tx ports.Tx) error { return renameLine(ctx, tx, other.ID(), spelling) }),
					errTaken, "rename a line to "+spelling)
				w.holdsLineName(spelling, holder.ID())
			}
			w.holdsLineName("OTHER", other.ID())
			w.trial(root, "Strasse.ÉLAN")
			w.trial(root, "Straße.ELAN")
		},
	},
	{
		"line-names-are-freed", proves{"L16"},
		func(w *harness) {
			root := w.admin("root")
			a, b := w.trial(root, "first"), w.trial(root, "second")
			w.update("the own name in another case", func(ctx context.Context, tx ports.Tx) error { return renameLine(ctx, tx, a.ID(), "FIRST") })
			if shown := w.line(a.ID()).State().Username.String(); shown != "FIRST" {
				w.Errorf("the name is shown as %q, want FIRST", shown)
			}
			w.holdsLineName("first", a.ID())
			w.update("another name", func(ctx context.Context, tx ports.Tx) error { return renameLine(ctx, tx, a.ID(), "third") })
			w.holdsLineName("first", 0)
			w.update("a name given up before", func(ctx context.Context, tx ports.Tx) error { return renameLine(ctx, tx, b.ID(), "First") })
			w.update("a name given up in the same update", func(ctx context.Context, tx ports.Tx) error {
				if err := renameLine(ctx, tx, b.ID(), "fourth"); err != nil {
					return err
				}
				return renameLine(ctx, tx, a.ID(), "first")
			})
			for username, holder := range map[string]int64{"first": a.ID(), "second": 0, "third": 0, "fourth": b.ID()} {
				w.holdsLineName(username, holder)
			}
		},
	},
	{
		"deleted-lines-free-their-names", proves{"L18"},
		func(w *harness) {
			root := w.admin("root")
			first, second := w.trial(root, "first"), w.trial(root, "Second")
			w.update("delete a line", func(ctx context.Context, tx ports.Tx) error { return deleteLine(ctx, tx, first.ID()) })
			if w.line(first.ID()) != nil {
				w.Errorf("line %d is still there", first.ID())
			}
			w.holdsLineName("first", 0)
			again := w.trial(root, "FIRST")
			w.holdsLineName("first", again.ID())
			replaced := newTrial(root, w.id(ports.LineIDs), "second")
			w.update("delete a line and insert one of its name", func(ctx context.Context, tx ports.Tx) error {
				if err := deleteLine(ctx, tx, second.ID()); err != nil {
					return err
				}
				return tx.Lines.Insert(ctx, replaced)
			})
			w.holdsLineName("second", replaced.ID())
		},
	},
	{
		"accounts-and-lines-share-no-names", proves{"L10"},
		func(w *harness) {
			root := w.admin("root")
			a, l := w.master(root, "shared", 0), w.trial(root, "Shared")
			w.update("delete a line", func(ctx context.Context, tx ports.Tx) error { return deleteLine(ctx, tx, l.ID()) })
			w.holdsName("shared", a.ID())
			again := w.trial(root, "shared")
			w.update("rename an account", func(ctx context.Context, tx ports.Tx) error { return rename(ctx, tx, a.ID(), "other") })
			w.holdsLineName("shared", again.ID())
		},
	},
}

// holdsName fails unless the reseller with this id, 0 for none, has the name.
func (w *harness) holdsName(username string, id int64) {
	w.Helper()
	var got int64
	w.view(func(ctx context.Context, s ports.Snapshot) error {
		a, err := s.Resellers.FindByUsername(ctx, name(username))
		if err == nil {
			got = a.ID()
		}
		return absent(err)
	})
	if got != id {
		w.Errorf("the name %s is held by account %d, want %d", username, got, id)
	}
}

func (w *harness) holdsLineName(username string, id int64) {
	w.Helper()
	var got int64
	w.update("find a line", func(ctx context.Context, tx ports.Tx) (err error) {
		got, err = tx.Lines.FindByUsername(ctx, name(username))
		return absent(err)
	})
	if got != id {
		w.Errorf("the name %s is held by line %d, want %d", username, got, id)
	}
}
