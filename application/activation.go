package application

import (
	"context"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// ActivateLine is the command to make a trial official.
type ActivateLine struct {
	EditLine
	Price credit.Price
}

// ActivateLine makes a trial official and charges its owner, not the caller. Refusals: fault.ErrNotFound,
// line.ErrNotTrial, profile.ErrUsernameTaken, *reseller.InsufficientCredits.
func (s Lines) ActivateLine(ctx context.Context, call Call, c ActivateLine, render Render[Line]) (Receipt, error) {
	return run(ctx, s.kernel, call, render, command[Line]{
		name:  "activate line",
		event: journal.LineActivated,
		reads: ports.Reads{Line: c.ID, LineName: c.Username},
		ids:   activationIDs,
		paid:  true,
		rules: func(ctx context.Context, do *work) (Line, error) {
			l, err := do.line(ctx, c.ID)
			if err != nil {
				return Line{}, err
			}
			if err := l.Activatable(); err != nil {
				return Line{}, err
			}
			if err := freeLineName(ctx, do.tx.Lines, l.State(), c.Username); err != nil {
				return Line{}, err
			}
			payer, err := ownerOf(ctx, do.tx.Resellers, l, do.actor)
			if err != nil {
				return Line{}, err
			}
			details, err := s.details(c.EditLine)
			if err != nil {
				return Line{}, err
			}
			charge, err := l.Activate(payer, c.Price, details, do.id(ports.PlatformIDs), do.provenance(profile.Text{}))
			if err != nil {
				return Line{}, err
			}
			if err := do.spend(ctx, charge); err != nil {
				return Line{}, err
			}
			if err := do.saveLine(ctx, l); err != nil {
				return Line{}, err
			}
			if err := do.post(ctx, charge, payer); err != nil {
				return Line{}, err
			}
			return do.shows(ctx, do.changed(l, c.Password))
		},
	})
}

var activationIDs = []ports.Sequence{ports.PlatformIDs, ports.MovementIDs}
