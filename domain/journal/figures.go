package journal

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"
)

// Figures count the activity of an account itself, without the accounts below it.
type Figures struct {
	Trials, Activations int64           // of the account's lines
	Extensions          int64           // likewise, changes of plan included
	Spent               decimal.Decimal // credits paid for its lines; issuance pays for those of an admin
	Received            decimal.Decimal // credits that reached its balance
}

// Plus returns the sum of two figures.
func (f Figures) Plus(other Figures) Figures {
	return Figures{
		f.Trials + other.Trials, f.Activations + other.Activations, f.Extensions + other.Extensions,
		f.Spent.Add(other.Spent), f.Received.Add(other.Received),
	}
}

// Equal reports whether two figures are the same.
func (f Figures) Equal(other Figures) bool {
	return f.Trials == other.Trials && f.Activations == other.Activations && f.Extensions == other.Extensions &&
		f.Spent.Equal(other.Spent) && f.Received.Equal(other.Received)
}

// IsZero reports whether all figures are 0.
func (f Figures) IsZero() bool { return f.Equal(Figures{}) }

// String names every figure.
func (f Figures) String() string {
	return fmt.Sprintf("%d trials, %d activations, %d extensions, %s spent, %s received", f.Trials, f.Activations,
		f.Extensions, f.Spent, f.Received)
}

// DayOf returns the beginning of a day of UTC.
func DayOf(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

// Figures calls count for the account whose figures the entry changes, with the addition. It belongs to the day of the
// entry.
func (e *Entry) Figures(count func(account int64, f Figures)) {
	var f Figures
	switch e.Type {
	case TrialCreated:
		f.Trials = 1
	case LineActivated:
		f.Activations = 1
	case LineExtended, PlanChanged:
		f.Extensions = 1
	default:
		if m := e.Movement; m != nil && m.Target.ResellerID() != 0 {
			count(m.Target.ResellerID(), Figures{Received: m.Amount.Decimal()})
		}
		return
	}
	if e.Movement != nil {
		f.Spent = e.Movement.Amount.Decimal()
	}
	count(e.Account.ID, f)
}
