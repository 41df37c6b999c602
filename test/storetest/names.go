package storetest

import (
	"context"
	"strconv"

	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

var errTaken = profile.ErrUsernameTaken

// kind is a kind of records among which names are unique.
type kind struct {
	what   string // it is called
	ids    ports.Sequence
	insert func(root *reseller.Reseller, id int64, username string) work
	rename func(id int64, username string) work
	holds  func(w *harness, username string, id int64) // fails unless this one, 0 for none, has the name
}

var (
	accountNames = kind{
		"account", ports.ResellerIDs,
		func(root *reseller.Reseller, id int64, username string) work {
			return inserts(below(root, id, username))
		},
		renames, (*harness).holdsName,
	}
	lineNames = kind{
		"line", ports.LineIDs,
		func(root *reseller.Reseller, id int64, username string) work {
			return insertsLine(newTrial(root, id, username))
		},
		renamesLine, (*harness).holdsLineName,
	}
)

// add inserts one of the kind below root and returns its id.
func (k kind) add(w *harness, root *reseller.Reseller, username string) int64 {
	id := w.id(k.ids)
	w.update("insert "+username, k.insert(root, id, username))
	return id
}

func (k kind) areTaken(w *harness) {
	root := w.admin("root")
	holder, other := k.add(w, root, "Straße.ÉLAN"), k.add(w, root, "other")
	for _, spelling := range []string{"Straße.ÉLAN", "straße.élan", "STRAßE.ÉLAN", "ＳＴＲＡße.E\u0301lan"} {
		w.want(w.try(k.insert(root, w.id(k.ids), spelling)), errTaken, "insert another "+k.what+" as "+spelling)
		w.want(w.try(k.rename(other, spelling)), errTaken, "rename another "+k.what+" to "+spelling)
		k.holds(w, spelling, holder)
	}
	k.holds(w, "OTHER", other)
	// Names that only look alike are others.
	k.add(w, root, "Strasse.ÉLAN")
	k.add(w, root, "Straße.ELAN")
}

func (k kind) areFreed(w *harness) {
	root := w.admin("root")
	a, b, c := k.add(w, root, "first"), k.add(w, root, "second"), w.id(k.ids)
	w.update("the own name in another case", k.rename(a, "FIRST"))
	k.holds(w, "first", a)
	w.update("another name", k.rename(a, "third"))
	k.holds(w, "first", 0)
	w.update("a name released before", k.rename(b, "First"))
	w.update("a name released in the same update", inTurn(k.rename(b, "fourth"), k.rename(a, "first")))
	w.update("an insert under a name released in the same update",
		inTurn(k.rename(b, "fifth"), k.insert(root, c, "Fourth")))
	for username, holder := range map[string]int64{"first": a, "second": 0, "third": 0, "fourth": c, "fifth": b} {
		k.holds(w, username, holder)
	}
}

var nameChecks = []Check{
	{"taken-account-names", proves{"R13", "R16"}, accountNames.areTaken},
	{"account-names-are-freed", proves{"R17"}, accountNames.areFreed},
	{"taken-line-names", proves{"L12", "L15"}, lineNames.areTaken},
	{"line-names-are-freed", proves{"L16"}, lineNames.areFreed},
	{"deleted-lines-free-their-names", proves{"L10", "L18"}, func(w *harness) {
		root := w.admin("root")
		a, first, second := w.master(root, "first", 0), w.trial(root, "First"), w.trial(root, "second")
		w.deleteLine(first.ID())
		w.holdsLineName("first", 0)
		w.holdsName("first", a.ID())
		again := w.trial(root, "FIRST")
		w.update("rename an account", renames(a.ID(), "other"))
		w.holdsLineName("first", again.ID())
		replaced := newTrial(root, w.id(ports.LineIDs), "second")
		w.update("delete a line and insert one of its name", inTurn(deletes(second.ID()), insertsLine(replaced)))
		w.holdsLineName("second", replaced.ID())
	}},
	{"external-ids-are-unique-to-an-owner", proves{"L20", "L21", "L22", "L23", "L29"}, func(w *harness) {
		root := w.admin("root")
		owner, other := w.master(root, "owner", 0), w.master(root, "other", 0)
		named := 0
		having := func(owner *reseller.Reseller, id string) *line.Line {
			named++
			return fixture.ChangedLine(newTrial(owner, w.id(ports.LineIDs), "line"+strconv.Itoa(named)), func(s *line.State) {
				s.ExternalID = fixture.Text(id)
			})
		}
		gets := func(l *line.Line, id string) work {
			return changesLine(l.ID(), func(s *line.State) { s.ExternalID = fixture.Text(id) })
		}
		first, second, others := having(owner, "crm-1"), having(owner, ""), having(other, "crm-1")
		w.update("an id, and none", inTurn(insertsLine(first), insertsLine(second), insertsLine(having(owner, ""))))
		w.update("the same of another owner, and another one of the same",
			inTurn(insertsLine(others), insertsLine(having(owner, "crm-"))))
		w.holdsExternalID(owner, "crm-1", first.ID())
		w.holdsExternalID(other, "crm-1", others.ID())
		w.holdsExternalID(root, "crm-1", 0)
		w.holdsExternalID(owner, "CRM-1", 0)
		w.want(w.try(insertsLine(having(owner, "crm-1"))), line.ErrExternalIDTaken, "insert another line with an id")
		w.want(w.try(gets(second, "crm-1")), line.ErrExternalIDTaken, "set the id of another line")
		w.update("its own", gets(first, "crm-1"))
		w.update("another one", gets(first, "crm-2"))
		w.update("one that was released", gets(second, "crm-1"))
		w.holdsExternalID(owner, "crm-1", second.ID())
		w.holdsExternalID(owner, "crm-2", first.ID())
		w.deleteLine(second.ID())
		w.holdsExternalID(owner, "crm-1", 0)
		w.update("one of a line that was deleted", gets(first, "crm-1"))
		w.update("none", gets(first, ""))
		w.oneSucceeds(AtOnce(workers, func(i int) error {
			return w.try(insertsLine(fixture.ChangedLine(newTrial(owner, 1_000_000+int64(i), "at-once"+strconv.Itoa(i)),
				func(s *line.State) { s.ExternalID = fixture.Text("at-once") })))
		}), line.ErrExternalIDTaken, "insert lines with an id")
	}},
}

// leadsTo fails unless find finds this id, 0 for none.
func (w *harness) leadsTo(id int64, what string, find func(ctx context.Context, s ports.Snapshot) (int64, error)) {
	got := seen(w, func(ctx context.Context, s ports.Snapshot) (int64, error) {
		found, err := find(ctx, s)
		return either(err == nil, found), absent(err)
	})
	if got != id {
		w.Errorf("%s belongs to %d in a view, want %d", what, got, id)
	}
}

// holdsName fails unless the reseller with this id, 0 for none, has the name.
func (w *harness) holdsName(username string, id int64) {
	w.leadsTo(id, "the name "+username, func(ctx context.Context, s ports.Snapshot) (int64, error) {
		a, err := s.Resellers.FindByUsername(ctx, fixture.Name(username))
		if err != nil {
			return 0, err
		}
		return a.ID(), nil
	})
}

func (w *harness) holdsLineName(username string, id int64) {
	w.leadsTo(id, "the name "+username, func(ctx context.Context, s ports.Snapshot) (int64, error) {
		return s.Lines.FindByUsername(ctx, fixture.Name(username))
	})
	inUpdate, _ := seenInUpdate(w, func(ctx context.Context, tx ports.Tx) (int64, error) {
		return tx.Lines.FindByUsername(ctx, fixture.Name(username))
	})
	w.same(inUpdate, id, "the line that has the name "+username+" in an update")
}

// holdsExternalID expects that a line of an owner has an external id, 0: none.
func (w *harness) holdsExternalID(owner *reseller.Reseller, externalID string, id int64) {
	w.leadsTo(id, "the external id "+externalID, func(ctx context.Context, s ports.Snapshot) (int64, error) {
		return s.Lines.FindByExternalID(ctx, owner.ID(), fixture.Text(externalID))
	})
}
