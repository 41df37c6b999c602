package lines

import (
	"context"
	"time"

	"resellerd/application/dryrun"
	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
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
			if err := settle(ctx, tx, l, charge, payer); err != nil {
				return Line{}, err
			}
			return shows(ctx, tx, Line{Line: l, Password: c.Password})
		},
	})
}

// settle stores a line and the movement of its owner's payment.
func settle(ctx context.Context, tx *usecase.Tx, l *line.Line, charge credit.Movement, payer *reseller.Reseller) error {
	if err := tx.Spend(ctx, charge); err != nil {
		return err
	}
	if err := tx.SaveLine(ctx, l); err != nil {
		return err
	}
	return tx.Post(ctx, charge, payer)
}

var activationIDs = []ports.Sequence{ports.PlatformIDs, ports.MovementIDs}

// Extend is the command to make an official line run longer.
type Extend struct {
	ID    int64
	Price credit.Price
}

// Extend makes an official line run longer and charges its owner, not the caller. Refusals: fault.ErrNotFound,
// line.ErrIsTrial, line.ErrTooLong, *reseller.InsufficientCredits.
func (s Service) Extend(ctx context.Context, call usecase.Call, c Extend,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, func(x Extended) usecase.Receipt { return render(x.Line) }, ExtendCommand(s.k, c))
}

// Extended is a line after an extension.
type Extended struct {
	Line
	From time.Time // the start of the period
}

// ExtendCommand is the command of Extend.
func ExtendCommand(s *usecase.Kernel, c Extend) usecase.Command[Extended] {
	return usecase.Command[Extended]{
		Name:  "extend line",
		Event: journal.LineExtended,
		Reads: ports.Reads{Line: c.ID},
		IDs:   usecase.MovementID,
		Paid:  true,
		Rules: func(ctx context.Context, tx *usecase.Tx) (x Extended, err error) {
			l, err := tx.Line(ctx, c.ID)
			if err != nil {
				return x, err
			}
			payer, err := ownerOf(ctx, tx.Resellers, l, tx.Actor)
			if err != nil {
				return x, err
			}
			from, charge, err := l.Extend(payer, c.Price, tx.Provenance(profile.Text{}))
			if err != nil {
				return x, err
			}
			shown, err := reveal(s, l, tx.Now)
			if err != nil {
				return x, err
			}
			if err := settle(ctx, tx, l, charge, payer); err != nil {
				return x, err
			}
			shown, err = shows(ctx, tx, shown)
			return Extended{shown, from}, err
		},
	}
}

// Preview is the period that an extension would add.
type Preview struct{ From, Until time.Time }

// PreviewExtension returns the result that Extend would have, with the same refusals but that of a spend limit: the
// command runs over a snapshot.
func (s Service) PreviewExtension(ctx context.Context, call usecase.Call, c Extend) (Preview, error) {
	return usecase.Query(ctx, s.k, call, "preview extension", func(ctx context.Context, in usecase.View) (Preview, error) {
		x, err := dryrun.Try(ctx, dryrun.New(in, call.Unlimited()), ExtendCommand(s.k, c), nil)
		if err != nil {
			return Preview{}, err
		}
		return Preview{x.From, x.ExpiresAt()}, nil
	})
}
