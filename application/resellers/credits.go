package resellers

import (
	"context"

	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Credits moves credits between accounts.
type Credits struct{ k *usecase.Kernel }

// Move is the command to add credits to a reseller or to take them back.
type Move struct {
	ID      int64
	Credits credit.Amount // more than 0
	Notes   profile.Text
}

// Moved is a reseller after a movement of credits, with the amount.
type Moved struct {
	*reseller.Reseller
	Credits credit.Amount
}

// Add moves credits to a reseller: an admin issues them, a master pays from its own balance. Refusals:
// fault.ErrNotFound, reseller.ErrNotAllowed, reseller.ErrBalanceLimit, *reseller.InsufficientCredits.
func (s Credits) Add(ctx context.Context, call usecase.Call, c Move,
	render usecase.Render[Moved]) (usecase.Receipt, error) {
	return s.move(ctx, call, "add credits", journal.ResellerCredited, c, render, (*reseller.Reseller).Fund)
}

// Reclaim takes credits back from a reseller: to issuance by an admin, to the own balance of a master. Refusals:
// fault.ErrNotFound, reseller.ErrNotAllowed, reseller.ErrBalanceLimit, *reseller.InsufficientCredits with the
// reseller's balance.
func (s Credits) Reclaim(ctx context.Context, call usecase.Call, c Move,
	render usecase.Render[Moved]) (usecase.Receipt, error) {
	return s.move(ctx, call, "reclaim credits", journal.ResellerReclaimed, c, render, (*reseller.Reseller).Reclaim)
}

func (s Credits) move(
	ctx context.Context, call usecase.Call, name string, event journal.Type, c Move, render usecase.Render[Moved],
	verb func(actor, target *reseller.Reseller, amount credit.Amount, v credit.Provenance) (credit.Movement, error),
) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Moved]{
		Name:  name,
		Event: event,
		Reads: ports.Reads{Reseller: c.ID},
		IDs:   usecase.MovementID,
		Rules: func(ctx context.Context, tx *usecase.Tx) (Moved, error) {
			target, err := tx.Reseller(ctx, c.ID)
			if err != nil {
				return Moved{}, err
			}
			moved, err := verb(tx.Actor, target, c.Credits, tx.Provenance(c.Notes))
			if err != nil {
				return Moved{}, err
			}
			if err := tx.Spend(ctx, moved); err != nil {
				return Moved{}, err
			}
			return Moved{target, c.Credits}, tx.Post(ctx, moved, tx.Actor, target)
		},
	})
}
