package application

import (
	"context"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Credits move between accounts.
type Credits struct{ *kernel }

// MoveCredits is the command to add credits to a reseller or to take them back.
type MoveCredits struct {
	ID      int64
	Credits credit.Amount // more than 0
	Notes   profile.Text
}

// Moved is a reseller after credits were added or taken back, and how many.
type Moved struct {
	*reseller.Reseller
	Credits credit.Amount
}

// AddCredits moves credits to a reseller: issued by an admin, from a master's own balance. Refusals: fault.ErrNotFound,
// reseller.ErrNotAllowed, reseller.ErrBalanceLimit, *reseller.InsufficientCredits.
func (s Credits) AddCredits(ctx context.Context, call Call, c MoveCredits, render Render[Moved]) (Receipt, error) {
	return s.move(ctx, call, "add credits", journal.ResellerCredited, c, render, (*reseller.Reseller).Fund)
}

// ReclaimCredits takes credits back from a reseller: to issuance by an admin, to a master's own balance. Refusals:
// fault.ErrNotFound, reseller.ErrNotAllowed, reseller.ErrBalanceLimit, *reseller.InsufficientCredits with the
// reseller's balance.
func (s Credits) ReclaimCredits(ctx context.Context, call Call, c MoveCredits, render Render[Moved]) (Receipt, error) {
	return s.move(ctx, call, "reclaim credits", journal.ResellerReclaimed, c, render, (*reseller.Reseller).Reclaim)
}

var movementID = []ports.Sequence{ports.MovementIDs}

func (s Credits) move(
	ctx context.Context, call Call, name string, event journal.Type, c MoveCredits, render Render[Moved],
	verb func(actor, target *reseller.Reseller, amount credit.Amount, v credit.Provenance) (credit.Movement, error),
) (Receipt, error) {
	return run(ctx, s.kernel, call, render, command[Moved]{
		name:  name,
		event: event,
		reads: ports.Reads{Reseller: c.ID},
		ids:   movementID,
		rules: func(ctx context.Context, do *work) (Moved, error) {
			target, err := do.reseller(ctx, c.ID)
			if err != nil {
				return Moved{}, err
			}
			moved, err := verb(do.actor, target, c.Credits, do.provenance(c.Notes))
			if err != nil {
				return Moved{}, err
			}
			if err := do.spend(ctx, moved); err != nil {
				return Moved{}, err
			}
			return Moved{target, c.Credits}, do.post(ctx, moved, do.actor, target)
		},
	})
}
