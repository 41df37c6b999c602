package storetest

import (
	"resellerd/test/fixture"
)

// fieldDurabilityChecks check every field of every record that updates write, after the store is opened again.
var fieldDurabilityChecks = []Check{{"every-field-survives-reopening",
	proves{"S1", "U1", "J7", "J10", "J12", "J18"}, (*harness).keepsEveryField}}

// archiveDurabilityChecks check an archive after the store is opened again.
var archiveDurabilityChecks = []Check{{"archives-show-every-field-after-reopening", proves{"A5", "A8"},
	(*harness).keepsEveryField}}

// keepsEveryField fails unless a store that is opened again shows records of every kind as they were written, in every
// way that there is to read them: those that were inserted, and those that were changed since, before the store was
// opened again and after.
func (w *harness) keepsEveryField() {
	s := w.sample() // of another store
	for _, epoch := range epochs[1:] {
		s.reopen()
		s.sees(s)
		began := plainEntry(fixture.Admin(7))
		s.update("begin an epoch", beginsEpoch(s.journal.head().Epoch, epoch, began))
		s.journal.expectBegin(epoch, began)
		s.want(s.try(renames(s.resellers[0].ID, s.resellers[1].Username.String())), errTaken, "take a name that is taken")
		s.want(s.try(renamesLine(s.lines[0].ID, s.lines[1].Username.String())), errTaken, "take a line's name that is taken")
		if epoch == epochs[1] {
			s.liveOn(s)
		}
	}
	s.reopen()
	s.sees(s)
}
