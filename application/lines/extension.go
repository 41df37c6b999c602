package lines

import (
	"context"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Extend is the command to make an official line run longer.
type Extend struct {
	ID    int64
	Price credit.Price
}

// Extend makes an official line run longer and charges its owner, not the caller. Refusals: fault.ErrNotFound,
// line.ErrIsTrial, line.ErrTooLong, *reseller.InsufficientCredits.
func (s Service) Extend(ctx context.Context, call usecase.Call, c Extend,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, ExtendCommand(s.k, c))
}

// ExtendCommand is the command of Extend.
func ExtendCommand(s *usecase.Kernel, c Extend) usecase.Command[Line] {
	return usecase.Command[Line]{
		Name:  "extend line",
		Event: journal.LineExtended,
		Reads: ports.Reads{Line: c.ID},
		IDs:   usecase.MovementID,
		Paid:  true,
		Rules: func(ctx context.Context, tx *usecase.Tx) (Line, error) {
			x, err := extend(ctx, tx.Line, tx.Resellers, tx.Actor, c, tx.Provenance(profile.Text{}))
			if err != nil {
				return Line{}, err
			}
			shown, err := reveal(s, x.line, tx.Now)
			if err != nil {
				return Line{}, err
			}
			if err := tx.Spend(ctx, x.charge); err != nil {
				return Line{}, err
			}
			if err := tx.SaveLine(ctx, x.line); err != nil {
				return Line{}, err
			}
			if err := tx.Post(ctx, x.charge, x.payer); err != nil {
				return Line{}, err
			}
			return shows(ctx, tx, shown)
		},
	}
}

// Preview is what an extension would do.
type Preview struct {
	Line  int64
	Price credit.Price
	From  time.Time
	Until time.Time
}

// PreviewExtension returns what Extend would do, with the same refusals, and charges no account: it runs the same
// extension on records that are then discarded.
func (s Service) PreviewExtension(ctx context.Context, call usecase.Call, c Extend) (Preview, error) {
	return usecase.Query(ctx, s.k, call, "preview extension", func(ctx context.Context, in usecase.View) (Preview, error) {
		seen := func(ctx context.Context, id int64) (*line.Line, error) {
			return usecase.VisibleLine(ctx, in.Lines, in.Actor, id)
		}
		x, err := extend(ctx, seen, in.Resellers, in.Actor, c, credit.Provenance{Actor: in.Actor.ID(), At: in.Now})
		if err != nil {
			return Preview{}, err
		}
		return Preview{Line: c.ID, Price: c.Price, From: x.from, Until: x.line.ExpiresAt()}, nil
	})
}

// extension is an extended line and its payer, before they are saved.
type extension struct {
	line   *line.Line
	payer  *reseller.Reseller
	from   time.Time
	charge credit.Movement
}

func extend(
	ctx context.Context, seen func(context.Context, int64) (*line.Line, error), resellers ports.ResellerReader,
	actor *reseller.Reseller, c Extend, p credit.Provenance,
) (x extension, err error) {
	if x.line, err = seen(ctx, c.ID); err != nil {
		return x, err
	}
	if x.payer, err = ownerOf(ctx, resellers, x.line, actor); err != nil {
		return x, err
	}
	x.from, x.charge, err = x.line.Extend(x.payer, c.Price, p)
	return x, err
}
