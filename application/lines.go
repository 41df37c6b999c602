package application

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Lines are issued, sold, changed and removed.
type Lines struct{ *kernel }

// newLines returns the use cases of lines.
func newLines(k *kernel) Lines { return Lines{k} }

// Line is a line as it stands at an instant, with its password in the clear for callers who may manage it.
type Line struct {
	*line.Line
	Password     profile.Secret
	At           time.Time
	Concealed    bool // its password is not for the caller
	OwnerBlocked bool // a block that suspends lines stands at its owner or above
}

// Effect returns what the line amounts to.
func (l Line) Effect() line.Effect { return l.Line.Effect(l.OwnerBlocked, l.At) }

// shownTo returns a line as a caller may see it.
func (l Line) shownTo(c Caller) Line {
	if !c.seesPasswords() {
		l.Password, l.Concealed = profile.Secret{}, true
	}
	return l
}

// Line returns a line that the caller may manage, with its password, or fault.ErrNotFound.
func (s Lines) Line(ctx context.Context, call Call, id int64) (Line, error) {
	return query(ctx, s.kernel, call, "read line", func(ctx context.Context, in reading) (Line, error) {
		found, err := seenLine(ctx, in.Lines, in.actor, id)
		if err != nil {
			return Line{}, err
		}
		shown, err := s.reveal(found, in.now)
		if err != nil {
			return Line{}, err
		}
		shown.OwnerBlocked, err = ownerBlocked(ctx, in.Resellers, in.actor, found.Owner())
		return shown.shownTo(call.Caller), err
	})
}

// EditLine is the command to change a line's record. Without a name, or a password, the line keeps its own.
type EditLine struct {
	ID       int64
	Username profile.Username
	Password profile.Secret
	line.Description
}

func (s *kernel) details(c EditLine) (line.Details, error) {
	password, err := s.seal(c.Password, c.ID)
	return line.Details{
		Username:    c.Username,
		Password:    password,
		Description: c.Description,
	}, err
}

// EditLine changes the record of an official line. Refusals: fault.ErrNotFound,
// line.ErrIsTrial, profile.ErrUsernameTaken, line.ErrExternalIDTaken.
func (s Lines) EditLine(ctx context.Context, call Call, c EditLine, render Render[Line]) (Receipt, error) {
	return run(ctx, s.kernel, call, render, command[Line]{
		name:  "edit line",
		event: journal.LineUpdated,
		reads: ports.Reads{Line: c.ID, LineName: c.Username},
		rules: func(ctx context.Context, do *work) (Line, error) {
			l, err := do.line(ctx, c.ID)
			if err != nil {
				return Line{}, err
			}
			edit := c
			edit.Username = cmp.Or(c.Username, do.lineWas.Username)
			opened, err := s.reveal(l, do.now)
			switch {
			case c.Password != profile.Secret{}: // it replaces one that cannot be opened, too
			case err != nil:
				return Line{}, err
			default:
				edit.Password = opened.Password
			}
			details, sealing := s.details(edit)
			if sealing != nil {
				return Line{}, sealing
			}
			if err == nil && opened.Password.Reveal() == edit.Password.Reveal() {
				details.Password = do.lineWas.Password // sealed already
			}
			if err := l.Edit(details, do.now); err != nil {
				return Line{}, err
			}
			if err := freeLineName(ctx, do.tx.Lines, *do.lineWas, edit.Username); err != nil {
				return Line{}, err
			}
			if err := do.saveChangedLine(ctx, l); err != nil {
				return Line{}, err
			}
			return do.shows(ctx, do.changed(l, edit.Password))
		},
	})
}

// DescribeLine changes what is known about any line. With a name or a password it is EditLine, whose refusals it then
// has; otherwise they are fault.ErrNotFound, line.ErrExternalIDTaken.
func (s Lines) DescribeLine(ctx context.Context, call Call, c EditLine, render Render[Line]) (Receipt, error) {
	if c.Username != (profile.Username{}) || c.Password != (profile.Secret{}) {
		return s.EditLine(ctx, call, c, render)
	}
	return run(ctx, s.kernel, call, render, s.describing(c.ID, c.Description))
}

func (s *kernel) describing(id int64, d line.Description) command[Line] {
	return s.changingLine("describe line", journal.LineUpdated, id, func(l *line.Line, now time.Time) {
		l.Describe(d, now)
	})
}

// DeleteLine removes a line permanently; what was paid for it stays in the ledger, and a tombstone in its place. The
// refusal is fault.ErrNotFound.
func (s Lines) DeleteLine(ctx context.Context, call Call, id int64, render Render[int64]) (Receipt, error) {
	return run(ctx, s.kernel, call, render, deleting(id))
}

func deleting(id int64) command[int64] {
	return command[int64]{
		name:      "delete line",
		event:     journal.LineDeleted,
		emergency: true,
		reads:     ports.Reads{Line: id},
		rules: func(ctx context.Context, do *work) (int64, error) {
			l, err := do.line(ctx, id)
			if err != nil {
				return 0, err
			}
			return id, do.deleteLine(ctx, l)
		},
	}
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
func ownerOf(ctx context.Context, resellers ports.ResellerReader, l *line.Line,
	actor *reseller.Reseller) (*reseller.Reseller, error) {
	if owner := l.Owner().ID; owner != actor.ID() {
		return resellers.Get(ctx, owner)
	}
	return actor, nil
}

// changed is a line with a password that the command has just given it.
func (do *work) changed(l *line.Line, password profile.Secret) Line {
	return Line{Line: l, Password: password, At: do.now}
}

// reveal opens a line's password.
func (s *kernel) reveal(l *line.Line, now time.Time) (Line, error) {
	password, err := s.dependencies.Vault.Open(l.State().Password, label("line", l.ID()))
	if err != nil {
		return Line{}, fmt.Errorf("password of line %d: %w", l.ID(), err)
	}
	return Line{Line: l, Password: profile.NewSecret(string(password)), At: now}, nil
}

// seal encrypts a line's password for its record.
func (s *kernel) seal(password profile.Secret, lineID int64) (line.Sealed, error) {
	sealed, err := s.dependencies.Vault.Seal([]byte(password.Reveal()), label("line", lineID))
	if err != nil {
		return nil, fmt.Errorf("seal the password of line %d: %w", lineID, err)
	}
	return sealed, nil
}

// freeLineName refuses a name that another line has. A line's own is free to it, without a query.
func freeLineName(ctx context.Context, lines ports.Lines, l line.State, name profile.Username) error {
	if name.Key() == l.Username.Key() {
		return nil
	}
	return freeName(l.ID, func() (int64, error) { return lines.FindByUsername(ctx, name) })
}
