package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/fixture"
)

// archiveChecks are of how an archive shows what a store's updates have written. Those
// of them that are a store's checks as well look with an auditor's eyes, too.
var archiveChecks = slices.Concat([]Check{
	{"deleted-lines-leave-tombstones", proves{"A8"}, func(w *harness) {
		root := w.admin("root")
		owner := w.master(root, "owner", 0)
		trial, official, stays := w.trial(owner, "trial"), w.trial(owner, "official"), w.trial(root, "stays")
		full := fullLine(official, 0)
		w.savesLine(full)
		buried := []line.Tombstone{
			{Line: trial.ID(), Actor: root.ID(), At: fixture.Time("1999-12-31T23:59:59.999Z")},
			{Line: official.ID(), Charge: full.Charge, Actor: owner.ID(), At: fixture.Time("2026-03-01T00:00:00.001Z")},
		}
		sees := func(want []line.Tombstone, when string) {
			w.records(func(ctx context.Context, r ports.Records) error {
				found, err := auditedAll(ctx, r.Tombstones)
				w.same(found, want, "tombstones "+when)
				return err
			})
		}
		sees(nil, "of no deletion")
		for i, t := range buried {
			w.must(w.bury(t), "delete a line")
			sees(buried[:i+1], "of deletions")
		}
		w.want(w.bury(line.Tombstone{Line: unknownID, Actor: root.ID(), At: noon}), fault.ErrNotFound,
			"delete a line that is not there")
		again := buried[0]
		again.Actor, again.At = owner.ID(), noon
		w.want(w.bury(again), fault.ErrNotFound, "delete a line again")
		w.want(w.try(inTurn(deletes(stays.ID()), refuses)), errRefused, "delete a line in vain")
		sees(buried, "of deletions, some refused")
	}},
	{"archives-show-no-open-update", proves{"A1", "A2"}, func(w *harness) {
		c := w.prepare()
		before := w.contents()
		h := w.hold(c.write)
		type seen struct {
			contents
			err error
		}
		looking := async(func() (s seen) {
			s.err = w.archive().ViewRecords(w.ctx, func(ctx context.Context, r ports.Records) (err error) {
				s.contents, err = contentsIn(ctx, r)
				return err
			})
			return s
		})
		s := outcome(w, looking, "a look at records beside an open update")
		w.must(s.err, "view records")
		w.sameContents(s.contents, before, "store with an open update")
		h.release()
		w.must(outcome(w, h.ended, "the update"), "the update")
		if gocmp.Equal(w.contents(), before, same, gocmp.AllowUnexported(contents{})) {
			w.Errorf("the records show nothing of an update")
		}
	}},
	{"archives-show-no-refused-update", proves{"A1"}, func(w *harness) {
		c := w.prepare()
		before := w.contents()
		w.want(w.try(func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(c.write(ctx, tx), errRefused)
		}), errRefused, "an update whose work refused")
		w.sameContents(w.contents(), before, "store after a refused update")
	}},
	{"archives-are-of-one-snapshot", proves{"A1"}, func(w *harness) {
		c := w.prepare()
		payer := c.savedWas.ID()
		look := func(ctx context.Context, r ports.Records) (a everyRecord, err error) {
			return readEvery(ctx, r, []int64{c.added.ID(), payer},
				[]int64{c.addedLine.ID(), c.savedLine.ID(), c.deletedLine.ID()}, c.movement)
		}
		var before, beside everyRecord
		var wrote <-chan error
		w.records(func(ctx context.Context, r ports.Records) (err error) {
			if before, err = look(ctx, r); err != nil {
				return err
			}
			// A store whose updates wait for views is right as well.
			wrote = async(func() error { return w.try(c.write) })
			time.Sleep(grace)
			beside, err = look(ctx, r)
			return err
		})
		w.must(outcome(w, wrote, "an update beside a view"), "an update beside a view")
		w.same(beside, before, "the same records once more in one view")
		if gocmp.Equal(recorded(w, look), before, same) {
			w.Errorf("later records show nothing of an update")
		}
	}},
	{"archives-return-the-error-of-look", proves{"A3"}, func(w *harness) {
		w.want(w.archive().ViewRecords(w.ctx, func(context.Context, ports.Records) error { return errRefused }), errRefused,
			"view records")
	}},
	{"closed-archives-are-unavailable", proves{"A4"}, func(w *harness) {
		w.admin("root")
		w.close()
		w.want(w.archive().ViewRecords(w.ctx, func(context.Context, ports.Records) error { return nil }),
			ports.ErrUnavailable, "view records after close")
	}},
}, auditedToo(map[string]Check{
	"accounts-survive-unchanged":  {Name: "archives-show-accounts-unchanged", Promises: proves{"A5"}},
	"lines-survive-unchanged":     {Name: "archives-show-lines-unchanged", Promises: proves{"A5"}},
	"movements-survive-unchanged": {Name: "archives-show-movements-unchanged", Promises: proves{"A5"}},
	"movements-are-never-changed": {Name: "archives-show-movements-never-changed", Promises: proves{"A6"}},
	"totals-are-sums":             {Name: "archives-show-sums", Promises: proves{"A12"}},
}))

// auditedToo returns checks of a store under other names, of which each proves with an
// auditor's eyes what an archive promises.
func auditedToo(as map[string]Check) (checks []Check) {
	for _, c := range slices.Concat(recordChecks, ledgerChecks) {
		if other, is := as[c.Name]; is {
			other.prove = c.prove
			checks = append(checks, other)
		}
	}
	return checks
}

// everyRecord is what an archive shows of a few records in every way that it has.
type everyRecord struct {
	Pages      [4][]int64
	Resellers  map[int64]ports.Audited[reseller.State]
	Lines      map[int64]ports.Audited[line.State]
	Tombstones map[int64]ports.Audited[line.Tombstone]
	Movements  map[int64]ports.Audited[credit.Movement]
	Postings   map[ports.PostingID]ports.Audited[credit.Movement]
	Keys       []ports.KeyRecord
	Totals     credit.Totals
	Entries    []journal.Numbered
	ByMovement map[int64]ports.Audited[journal.Numbered]
	Figures    []ports.DayFigures
}

func readEvery(ctx context.Context, r ports.Records, resellers, lines []int64,
	m credit.Movement) (e everyRecord, err error) {
	var errs [11]error
	e.Pages, errs[0] = auditIDs(ctx, r)
	e.Resellers, errs[1] = states(ctx, r.ResellersByID, stateOfReseller, resellers...)
	e.Lines, errs[2] = states(ctx, r.LinesByID, stateOfLine, lines...)
	e.Tombstones, errs[3] = states(ctx, r.TombstonesByLine, itself[line.Tombstone], lines...)
	e.Movements, errs[4] = states(ctx, r.MovementsByID, itself[credit.Movement], m.ID)
	e.Postings, errs[5] = states(ctx, r.MovementsByPosting, itself[credit.Movement],
		ports.PostingID{Reseller: m.Postings[0].Reseller, Seq: m.Postings[0].Seq})
	e.Keys, errs[6] = exportAll(ctx, r, ports.KeyRecord{}, 500)
	e.Totals, errs[7] = r.Totals(ctx)
	e.Entries, errs[8] = auditedAll(ctx, r.Entries)
	e.ByMovement, errs[9] = r.EntriesByMovement(ctx, []int64{m.ID})
	e.Figures, errs[10] = figuresAfter(ctx, r, ports.DayFigures{}, 500)
	return e, errors.Join(errs[:]...)
}
