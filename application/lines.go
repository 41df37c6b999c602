package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// nameAttempts bounds how many generated names a trial tries. One in 31^12 is
// generated twice, so that a few taken ones in a row are a fault of the generator.
const nameAttempts = 8

var errNoName = fmt.Errorf("%d generated names in a row are taken", nameAttempts)

// CreateTrial issues a trial that the caller owns, with a generated name and
// password. The refusal is *reseller.AllowanceSpent.
func (s *Service) CreateTrial(ctx context.Context, call Call, notes profile.Text, render Render[Line]) (Answer, error) {
	id, err := s.dependencies.Store.NextID(ctx, ports.LineIDs)
	if err != nil {
		return Answer{}, err
	}
	for range nameAttempts {
		answer, err := s.createTrial(ctx, call, id, notes, render)
		if !errors.Is(err, profile.ErrUsernameTaken) {
			return answer, err
		}
	}
	return Answer{}, errNoName
}

func (s *Service) createTrial(ctx context.Context, call Call, id int64, notes profile.Text, render Render[Line]) (Answer, error) {
	now := s.dependencies.Clock()
	password := s.dependencies.Generator.LinePassword()
	trial := line.Trial{
		ID:       id,
		Username: s.dependencies.Generator.LineUsername(),
		Password: s.seal(password, id),
		Notes:    notes,
		Runs:     s.policy.TrialDuration,
	}
	var ahead bool
	answer, err := perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Line, error) {
		ahead = actor.BringTrialsBack(now)
		l, err := line.NewTrial(actor, trial, s.policy.TrialsPerDay, now)
		if err != nil {
			return Line{}, err
		}
		if err := tx.Lines.Insert(ctx, l); err != nil {
			return Line{}, err
		}
		if s.policy.TrialsPerDay > 0 {
			err = tx.Resellers.Save(ctx, actor)
		}
		return Line{l, password, now}, err
	})
	if ahead && errors.Is(err, reseller.ErrAllowance) {
		// The refusal keeps nothing, and without this the wait would begin anew with
		// each request.
		err = cmp.Or(s.bringTrialsBack(ctx, call.Token.Reseller, now), err)
	}
	return answer, err
}

func (s *Service) bringTrialsBack(ctx context.Context, reseller int64, now time.Time) error {
	return s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		a, err := tx.Resellers.Get(ctx, reseller)
		if err != nil || !a.BringTrialsBack(now) {
			return err
		}
		return tx.Resellers.Save(ctx, a)
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
	now := s.dependencies.Clock()
	platformID, err := s.dependencies.Store.NextID(ctx, ports.PlatformIDs)
	if err != nil {
		return Answer{}, err
	}
	voucher, err := s.provenance(ctx, call, profile.Text{}, now)
	if err != nil {
		return Answer{}, err
	}
	details := s.details(c.EditLine)
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Line, error) {
		l, err := seenLine(ctx, tx.Lines, actor, c.ID)
		if err != nil {
			return Line{}, err
		}
		if err := l.Activatable(); err != nil {
			return Line{}, err
		}
		if err := freeLineName(ctx, tx.Lines, c.Username, c.ID); err != nil {
			return Line{}, err
		}
		payer, err := ownerOf(ctx, tx.Resellers, l, actor)
		if err != nil {
			return Line{}, err
		}
		charge, err := l.Activate(payer, c.Price, details, platformID, voucher)
		if err != nil {
			return Line{}, err
		}
		if err := tx.Lines.Save(ctx, l); err != nil {
			return Line{}, err
		}
		return Line{l, c.Password, now}, post(ctx, tx, charge, payer)
	})
}

// EditLine changes the record of an official line. Refusals: fault.ErrNotFound,
// line.ErrIsTrial, profile.ErrUsernameTaken.
func (s *Service) EditLine(ctx context.Context, call Call, c EditLine, render Render[Line]) (Answer, error) {
	now := s.dependencies.Clock()
	details := s.details(c)
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Line, error) {
		l, err := seenLine(ctx, tx.Lines, actor, c.ID)
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

// DeleteLine removes a line for good; what was paid for it stays in the ledger, and
// a tombstone in its place. The refusal is fault.ErrNotFound.
func (s *Service) DeleteLine(ctx context.Context, call Call, id int64, render Render[int64]) (Answer, error) {
	now := s.dependencies.Clock()
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (int64, error) {
		l, err := seenLine(ctx, tx.Lines, actor, id)
		if err != nil {
			return 0, err
		}
		return id, tx.Lines.Delete(ctx, l.Tombstone(actor.ID(), now))
	})
}

// ExtendLine is the command to make an official line run longer.
type ExtendLine struct {
	ID    int64
	Price credit.Price
}

// ExtendLine makes an official line run longer and charges its owner, whoever
// calls. Refusals: fault.ErrNotFound, line.ErrIsTrial, line.ErrTooLong,
// *reseller.InsufficientCredits.
func (s *Service) ExtendLine(ctx context.Context, call Call, c ExtendLine, render Render[Line]) (Answer, error) {
	now := s.dependencies.Clock()
	voucher, err := s.provenance(ctx, call, profile.Text{}, now)
	if err != nil {
		return Answer{}, err
	}
	return perform(ctx, s, call, now, render, func(ctx context.Context, tx ports.Tx, actor *reseller.Reseller) (Line, error) {
		x, err := extend(ctx, tx.Lines, tx.Resellers, actor, c, voucher)
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
	now := s.dependencies.Clock()
	err = s.read(ctx, call, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error {
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

func extend(ctx context.Context, lines ports.LineReader, resellers ports.ResellerReader, actor *reseller.Reseller, c ExtendLine, v credit.Provenance) (x extension, err error) {
	if x.line, err = seenLine(ctx, lines, actor, c.ID); err != nil {
		return x, err
	}
	if x.payer, err = ownerOf(ctx, resellers, x.line, actor); err != nil {
		return x, err
	}
	x.from, x.charge, err = x.line.Extend(x.payer, c.Price, v)
	return x, err
}

// seenLine returns a line that actor may manage, which is any that it may see.
func seenLine(ctx context.Context, lines ports.LineReader, actor *reseller.Reseller, id int64) (*line.Line, error) {
	l, err := lines.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return l, actor.Sees(l.Owner())
}

// ownerOf returns the reseller that pays for a line.
func ownerOf(ctx context.Context, resellers ports.ResellerReader, l *line.Line, actor *reseller.Reseller) (*reseller.Reseller, error) {
	if owner := l.Owner().ID; owner != actor.ID() {
		return resellers.Get(ctx, owner)
	}
	return actor, nil
}

// reveal opens a line's password.
func (s *Service) reveal(l *line.Line, now time.Time) (Line, error) {
	password, err := s.dependencies.Vault.Open(l.State().Password, label("line", l.ID()))
	if err != nil {
		return Line{}, fmt.Errorf("password of line %d: %w", l.ID(), err)
	}
	return Line{l, profile.NewSecret(string(password)), now}, nil
}
