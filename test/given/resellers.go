package given

import (
	"fmt"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/reseller"
)

// A Change makes a part of a state another than the usual.
type Change[State any] = func(*State)

// Admin returns the root of a tree. Its name is reseller-1 where its id is 1, as with all others.
func Admin(id int64, changes ...Change[reseller.State]) *reseller.Reseller {
	return Changed(reseller.NewAdmin(newReseller(id, true), Noon), changes...)
}

// Master returns one below above who may have others below itself. It has no credits.
func Master(above *reseller.Reseller, id int64, changes ...Change[reseller.State]) *reseller.Reseller {
	return below(above, newReseller(id, true), changes)
}

// Reseller returns one below above who has lines only, and no credits.
func Reseller(above *reseller.Reseller, id int64, changes ...Change[reseller.State]) *reseller.Reseller {
	return below(above, newReseller(id, false), changes)
}

func below(above *reseller.Reseller, n reseller.NewReseller, changes []Change[reseller.State]) *reseller.Reseller {
	made, _, err := above.Create(n, credit.Provenance{At: Noon})
	return Changed(must(made, err), changes...)
}

func newReseller(id int64, master bool) reseller.NewReseller {
	name := fmt.Sprintf("reseller-%d", id)
	return reseller.NewReseller{
		ID:           id,
		Master:       master,
		Username:     Name(name),
		PasswordHash: "hash of the password of " + name,
		Contact:      reseller.Contact{Country: Text("BR")},
		Language:     Text("pt"),
	}
}

// Changed returns another reseller with the same state but for the changes.
func Changed(of *reseller.Reseller, changes ...Change[reseller.State]) *reseller.Reseller {
	state := of.State()
	for _, change := range changes {
		change(&state)
	}
	return must(reseller.Restore(state))
}

// Holding gives a reseller a balance that no movement tells of.
func Holding(credits string) Change[reseller.State] {
	return func(s *reseller.State) { s.Credits = Credits(credits) }
}

// Trial returns a trial that runs for four hours. Its name is line-1 where its id is 1.
func Trial(owner *reseller.Reseller, id int64, changes ...Change[line.State]) *line.Line {
	name := fmt.Sprintf("line-%d", id)
	trial := line.Trial{ID: id, Username: Name(name), Password: line.Sealed("sealed password of " + name), Runs: 4 * time.Hour}
	return ChangedLine(must(line.NewTrial(owner, trial, 0, Noon)), changes...)
}

// ChangedLine returns another line with the same state but for the changes.
func ChangedLine(of *line.Line, changes ...Change[line.State]) *line.Line {
	state := of.State()
	for _, change := range changes {
		change(&state)
	}
	return must(line.Restore(state))
}
