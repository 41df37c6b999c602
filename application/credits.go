package application

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

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
func (s *Service) AddCredits(ctx context.Context, call Call, c MoveCredits, render Render[Moved]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "add credits")
	defer ended()
	return s.moveCredits(ctx, call, c, render, (*reseller.Reseller).Fund)
}

// ReclaimCredits takes credits back from a reseller: to issuance by an admin, to a master's own balance. Refusals:
// fault.ErrNotFound, reseller.ErrNotAllowed, reseller.ErrBalanceLimit, *reseller.InsufficientCredits with the
// reseller's balance.
func (s *Service) ReclaimCredits(ctx context.Context, call Call, c MoveCredits, render Render[Moved]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "reclaim credits")
	defer ended()
	return s.moveCredits(ctx, call, c, render, (*reseller.Reseller).Reclaim)
}

func (s *Service) moveCredits(
	ctx context.Context, call Call, c MoveCredits, render Render[Moved],
	move func(actor, target *reseller.Reseller, amount credit.Amount, v credit.Provenance) (credit.Movement, error),
) (Receipt, error) {
	now := s.dependencies.Clock()
	provenance, err := s.provenance(ctx, call, c.Notes, now)
	if err != nil {
		return Receipt{}, err
	}
	return perform(ctx, s, call, now, ports.Reads{Reseller: c.ID}, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Moved, error) {
		target, err := tx.Resellers.Get(ctx, c.ID)
		if err != nil {
			return Moved{}, err
		}
		moved, err := move(actor, target, c.Credits, provenance)
		if err != nil {
			return Moved{}, err
		}
		return Moved{target, c.Credits}, post(ctx, tx, moved, actor, target)
	})
}

// post keeps a movement and those of the resellers that it concerns. An admin's
// record is not written for what it issues, and so never becomes a hot one.
func post(ctx context.Context, tx ports.Tx, m credit.Movement, resellers ...*reseller.Reseller) error {
	for _, r := range resellers {
		if _, concerned := m.Posting(r.ID()); !concerned {
			continue
		}
		if err := tx.Resellers.Save(ctx, r); err != nil {
			return err
		}
	}
	return tx.Ledger.Append(ctx, m)
}

// provenance takes the id of a movement and signs for it.
func (s *Service) provenance(ctx context.Context, call Call, notes profile.Text, now time.Time) (credit.Provenance, error) {
	id, err := s.dependencies.Store.NextID(ctx, ports.MovementIDs)
	if err != nil {
		return credit.Provenance{}, err
	}
	return credit.Provenance{
		ID:      id,
		Actor:   call.Caller.Reseller(),
		Request: call.Request,
		Notes:   notes.String(),
		At:      now,
	}, nil
}
