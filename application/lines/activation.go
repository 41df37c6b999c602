package lines

import (
	"context"

	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// Activate is the command to make a trial official.
type Activate struct {
	Edit
	Price credit.Price
}

// Activate makes a trial official and charges its owner, not the caller. Refusals: fault.ErrNotFound,
// line.ErrNotTrial, profile.ErrUsernameTaken, *reseller.InsufficientCredits.
func (s Service) Activate(ctx context.Context, call usecase.Call, c Activate,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Line]{
		Name:  "activate line",
		Event: journal.LineActivated,
		Reads: ports.Reads{Line: c.ID, LineName: c.Username},
		IDs:   activationIDs,
		Paid:  true,
		Rules: func(ctx context.Context, tx *usecase.Tx) (Line, error) {
			l, err := tx.Line(ctx, c.ID)
			if err != nil {
				return Line{}, err
			}
			if err := l.Activatable(); err != nil {
				return Line{}, err
			}
			if err := freeLineName(ctx, tx.Lines, l.State(), c.Username); err != nil {
				return Line{}, err
			}
			payer, err := ownerOf(ctx, tx.Resellers, l, tx.Actor)
			if err != nil {
				return Line{}, err
			}
			details, err := details(s.k, c.Edit)
			if err != nil {
				return Line{}, err
			}
			charge, err := l.Activate(payer, c.Price, details, tx.ID(ports.PlatformIDs), tx.Provenance(profile.Text{}))
			if err != nil {
				return Line{}, err
			}
			if err := tx.Spend(ctx, charge); err != nil {
				return Line{}, err
			}
			if err := tx.SaveLine(ctx, l); err != nil {
				return Line{}, err
			}
			if err := tx.Post(ctx, charge, payer); err != nil {
				return Line{}, err
			}
			return shows(ctx, tx, changed(tx, l, c.Password))
		},
	})
}

var activationIDs = []ports.Sequence{ports.PlatformIDs, ports.MovementIDs}
