package application

import (
	"context"
	"errors"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Line is a line as it stands at an instant, with its password in the clear for
// who may manage it.
type Line struct {
	*line.Line
	Password profile.Secret
	At       time.Time
}

// CreateTrial issues a trial that the caller owns, with a generated name and
// password. The refusal is *reseller.AllowanceSpent.
func (s *Service) CreateTrial(ctx context.Context, call Call, notes profile.Text, render Render[Line]) (Answer, error) {
	id, err := s.out.Store.NextID(ctx, ports.LineIDs)
	if err != nil {
		return Answer{}, err
	}
	for {
		answer, err := s.createTrial(ctx, call, id, notes, render)
		if !errors.Is(err, profile.ErrUsernameTaken) {
			return answer, err
		}
		// One name in 31^12 is generated twice: take another.
	}
}

func (s *Service) createTrial(ctx context.Context, call Call, id int64, notes profile.Text, render Render[Line]) (Answer, error) {
	now := s.out.Clock()
	password := s.out.Generator.LinePassword()
	trial := line.Trial{
		ID:       id,
		Username: s.out.Generator.LineUsername(),
		Password: s.seal(password, id),
		Notes:    notes,
		Runs:     s.policy.TrialDuration,
	}
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Account) (Line, error) {
		l, err := line.NewTrial(actor, trial, s.policy.TrialsPerDay, now)
		if err != nil {
			return Line{}, err
		}
		if err := tx.Lines.Insert(ctx, l); err != nil {
			return Line{}, err
		}
		if s.policy.TrialsPerDay > 0 {
			err = tx.Accounts.Save(ctx, actor)
		}
		return Line{l, password, now}, err
	})
}

// EditLine is the command to change a line's record. A nil text is left alone, a
// pointer to an empty one clears it.
type EditLine struct {
	ID       int64
	Username profile.Username
	Password profile.Secret
	Country  profile.Text
	Whatsapp *profile.Text
	Notes    *profile.Text
}

func (s *Service) details(c EditLine) line.Details {
	return line.Details{
		Username: c.Username,
		Password: s.seal(c.Password, c.ID),
		Country:  c.Country,
		Whatsapp: c.Whatsapp,
		Notes:    c.Notes,
	}
}

// ActivateLine is the command to make a trial official.
type ActivateLine struct {
	EditLine
	Price credit.Price
}

// ActivateLine makes a trial official and charges its owner, whoever calls.
// Refusals: fault.ErrNotFound, line.ErrNotTrial, profile.ErrUsernameTaken,
// *reseller.InsufficientCredits.
func (s *Service) ActivateLine(ctx context.Context, call Call, c ActivateLine, render Render[Line]) (Answer, error) {
	now := s.out.Clock()
	platformID, err := s.out.Store.NextID(ctx, ports.PlatformIDs)
	if err != nil {
		return Answer{}, err
	}
	voucher, err := s.voucher(ctx, call, profile.Text{}, now)
	if err != nil {
		return Answer{}, err
	}
	details := s.details(c.EditLine)
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Account) (Line, error) {
		l, err := seenLine(ctx, tx, actor, c.ID)
		if err != nil {
			return Line{}, err
		}
		if err := l.Activatable(); err != nil {
			return Line{}, err
		}
		if err := freeLineName(ctx, tx.Lines, c.Username, c.ID); err != nil {
			return Line{}, err
		}
		payer := actor
		if owner := l.Owner().ID; owner != actor.ID() {
			if payer, err = tx.Accounts.Get(ctx, owner); err != nil {
				return Line{}, err
			}
		}
		charge, err := l.Activate(payer, c.Price, details, platformID, voucher)
		if err != nil {
			return Line{}, err
		}
		if err := tx.Lines.Save(ctx, l); err != nil {
			return Line{}, err
		}
		return Line{l, c.Password, now}, settle(ctx, tx, charge, payer)
	})
}

// EditLine changes the record of an official line. Refusals: fault.ErrNotFound,
// line.ErrIsTrial, profile.ErrUsernameTaken.
func (s *Service) EditLine(ctx context.Context, call Call, c EditLine, render Render[Line]) (Answer, error) {
	now := s.out.Clock()
	details := s.details(c)
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Account) (Line, error) {
		l, err := seenLine(ctx, tx, actor, c.ID)
		if err != nil {
			return Line{}, err
		}
		if err := l.Edit(details, now); err != nil {
			return Line{}, err
		}
		if err := freeLineName(ctx, tx.Lines, c.Username, c.ID); err != nil {
			return Line{}, err
		}
		return Line{l, c.Password, now}, tx.Lines.Save(ctx, l)
	})
}

// DeleteLine removes a line for good; what was paid for it stays in the ledger.
// The refusal is fault.ErrNotFound.
func (s *Service) DeleteLine(ctx context.Context, call Call, id int64, render Render[int64]) (Answer, error) {
	return perform(ctx, s, call, s.out.Clock(), render, func(ctx context.Context, tx ports.Tx, actor *reseller.Account) (int64, error) {
		l, err := seenLine(ctx, tx, actor, id)
		if err != nil {
			return 0, err
		}
		return id, tx.Lines.Delete(ctx, l)
	})
}

// seenLine returns a line that actor may manage, which is any that it may see.
func seenLine(ctx context.Context, tx ports.Tx, actor *reseller.Account, id int64) (*line.Line, error) {
	l, err := tx.Lines.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return l, actor.Sees(l.Owner())
}
