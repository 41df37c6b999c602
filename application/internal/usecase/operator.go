package usecase

import (
	"context"
	"time"

	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Operator names the caller of what is done at the machine.
const Operator = "operator"

// AppendOperatorEntry appends what an operator has done to a reseller; was is nil if it is new.
func AppendOperatorEntry(ctx context.Context, tx ports.Tx, event journal.Type, now time.Time, was *reseller.State,
	is *reseller.Reseller) error {
	after := is.State()
	e := journal.Entry{Type: event, At: now, Actor: journal.Actor{Kind: journal.ByOperator, Name: Operator}}
	return tx.Journal.Append(ctx, e.OfReseller(was, &after))
}
