package application

import (
	"context"

	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// ActivateLine is the command to make a trial official.
type ActivateLine struct {
	EditLine
	Price credit.Price
}

// ActivateLine makes a trial official and charges its owner, whoever calls. Refusals: fault.ErrNotFound,
// line.ErrNotTrial, profile.ErrUsernameTaken, *reseller.InsufficientCredits.
func (s *Service) ActivateLine(ctx context.Context, call Call, c ActivateLine, render Render[Line]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "activate line")
	defer ended()
	now := s.dependencies.Clock()
	platformID, err := s.dependencies.Store.NextID(ctx, ports.PlatformIDs)
	if err != nil {
		return Receipt{}, err
	}
	provenance, err := s.provenance(ctx, call, profile.Text{}, now)
	if err != nil {
		return Receipt{}, err
	}
	return performPaid(ctx, s, call, now, ports.Reads{Line: c.ID, LineName: c.Username}, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Line, error) {
		l, err := seenLine(ctx, tx.Lines, actor, c.ID)
		if err != nil {
			return Line{}, err
		}
		if err := l.Activatable(); err != nil {
			return Line{}, err
		}
		if err := freeLineName(ctx, tx.Lines, l.State(), c.Username); err != nil {
			return Line{}, err
		}
		payer, err := ownerOf(ctx, tx.Resellers, l, actor)
		if err != nil {
			return Line{}, err
		}
		details, err := s.details(c.EditLine)
		if err != nil {
			return Line{}, err
		}
		charge, err := l.Activate(payer, c.Price, details, platformID, provenance)
		if err != nil {
			return Line{}, err
		}
		if err := tx.Lines.Save(ctx, l); err != nil {
			return Line{}, err
		}
		return Line{l, c.Password, now}, post(ctx, tx, charge, payer)
	})
}
