package application

import (
	"context"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// ExtendLine is the command to make an official line run longer.
type ExtendLine struct {
	ID    int64
	Price credit.Price
}

// ExtendLine makes an official line run longer and charges its owner, not the caller. Refusals: fault.ErrNotFound,
// line.ErrIsTrial, line.ErrTooLong, *reseller.InsufficientCredits.
func (s Lines) ExtendLine(ctx context.Context, call Call, c ExtendLine, render Render[Line]) (Receipt, error) {
	return run(ctx, s.kernel, call, render, s.extending(c))
}

func (s *kernel) extending(c ExtendLine) command[Line] {
	return command[Line]{
		name:  "extend line",
		event: journal.LineExtended,
		reads: ports.Reads{Line: c.ID},
		ids:   movementID,
		paid:  true,
		rules: func(ctx context.Context, do *work) (Line, error) {
			x, err := extend(ctx, do.line, do.tx.Resellers, do.actor, c, do.provenance(profile.Text{}))
			if err != nil {
				return Line{}, err
			}
			shown, err := s.reveal(x.line, do.now)
			if err != nil {
				return Line{}, err
			}
			if err := do.spend(ctx, x.charge); err != nil {
				return Line{}, err
			}
			if err := do.saveLine(ctx, x.line); err != nil {
				return Line{}, err
			}
			if err := do.post(ctx, x.charge, x.payer); err != nil {
				return Line{}, err
			}
			return do.shows(ctx, shown)
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

// PreviewExtension returns what ExtendLine would do, with the same refusals, and charges no account: it runs the same
// extension on records that are then discarded.
func (s Lines) PreviewExtension(ctx context.Context, call Call, c ExtendLine) (Preview, error) {
	return query(ctx, s.kernel, call, "preview extension", func(ctx context.Context, in reading) (Preview, error) {
		seen := func(ctx context.Context, id int64) (*line.Line, error) { return seenLine(ctx, in.Lines, in.actor, id) }
		x, err := extend(ctx, seen, in.Resellers, in.actor, c, credit.Provenance{Actor: in.actor.ID(), At: in.now})
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
	actor *reseller.Reseller, c ExtendLine, p credit.Provenance,
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
