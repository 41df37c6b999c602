package ports

import (
	"context"

	"resellerd/domain/credit"
)

// Ledger stores movements.
//
//   - M1 Movements are only ever added, and outlive lines and resellers.
type Ledger interface {
	// Append adds a movement.
	//
	//   - M2 Later reads find it unchanged, whatever the caller does with it.
	Append(ctx context.Context, m credit.Movement) error
	// Get returns a movement.
	//
	//   - M3 A movement that does not exist is fault.ErrNotFound.
	Get(ctx context.Context, id int64) (credit.Movement, error)
}

// Statements reads the ledger outside Update.
type Statements interface {
	// Statement returns movements of a reseller, at a cost that does not grow with what is stored.
	//
	//   - M4 It returns up to limit movements, the newest first, with numbers less than before, or from the newest on
	//     if before is 0.
	//   - M5 It returns only movements that concern the reseller, and none is missing.
	//
	// Damaged movements are left out, and an *IncompletePage comes with the others. No check proves this, since no port
	// damages records.
	Statement(ctx context.Context, reseller, before int64, limit int) ([]credit.Movement, error)
	// Totals sums the stored movements and balances, in constant memory. It reads all of them.
	//
	//   - M6 The sums are exact, whatever their size, balances count as they are stored, and Last is the largest id.
	//   - M7 Imported is the number of imported lines. An index counts them.
	Totals(ctx context.Context) (credit.Totals, error)
}

// IncompletePage is an error of Statement, returned together with a page that lacks movements.
type IncompletePage struct {
	Damaged []int64 // ids of movements that can't be read, the newest first
	Next    int64   // before of the next page, 0 if there is none
}

// Error implements error.
func (*IncompletePage) Error() string { return "movements of the page are damaged" }
