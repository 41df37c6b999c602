package application

import (
	"context"
	"time"

	"resellerd/domain/credit"
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

// ExtendLine makes an official line run longer and charges its owner, whoever calls. Refusals: fault.ErrNotFound,
// line.ErrIsTrial, line.ErrTooLong, *reseller.InsufficientCredits.
func (s *Service) ExtendLine(ctx context.Context, call Call, c ExtendLine, render Render[Line]) (Receipt, error) {
	ctx, ended := s.follow(ctx, "extend line")
	defer ended()
	now := s.dependencies.Clock()
	provenance, err := s.provenance(ctx, call, profile.Text{}, now)
	if err != nil {
		return Receipt{}, err
	}
	return performPaid(ctx, s, call, now, ports.Reads{Line: c.ID}, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Line, error) {
		x, err := extend(ctx, tx.Lines, tx.Resellers, actor, c, provenance)
		if err != nil {
			return Line{}, err
		}
		shown, err := s.reveal(x.line, now)
		if err != nil {
			return Line{}, err
		}
		if err := tx.Lines.Save(ctx, x.line); err != nil {
			return Line{}, err
		}
		return shown, post(ctx, tx, x.charge, x.payer)
	})
}

// Preview is what an extension would do.
type Preview struct {
	Line  int64
	Price credit.Price
	From  time.Time
	Until time.Time
}

// PreviewExtension answers what ExtendLine would do, with the same refusals, and
// charges nobody: it runs the same extension on records that are then forgotten.
func (s *Service) PreviewExtension(ctx context.Context, call Call, c ExtendLine) (p Preview, err error) {
	ctx, ended := s.follow(ctx, "preview extension")
	defer ended()
	now := s.dependencies.Clock()
	err = s.read(ctx, call, now, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error {
		x, err := extend(ctx, snapshot.Lines, snapshot.Resellers, actor, c, credit.Provenance{Actor: actor.ID(), At: now})
		if err != nil {
			return err
		}
		p = Preview{Line: c.ID, Price: c.Price, From: x.from, Until: x.line.ExpiresAt()}
		return nil
	})
	return p, err
}

// extension is a line that was extended, and who pays for it; nothing is kept yet.
type extension struct {
	line   *line.Line
	payer  *reseller.Reseller
	from   time.Time
	charge credit.Movement
}

func extend(ctx context.Context, lines ports.LineReader, resellers ports.ResellerReader, actor *reseller.Reseller, c ExtendLine, p credit.Provenance) (x extension, err error) {
	if x.line, err = seenLine(ctx, lines, actor, c.ID); err != nil {
		return x, err
	}
	if x.payer, err = ownerOf(ctx, resellers, x.line, actor); err != nil {
		return x, err
	}
	x.from, x.charge, err = x.line.Extend(x.payer, c.Price, p)
	return x, err
}
