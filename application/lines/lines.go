// Package lines implements lines: it creates, sells, changes, lists, imports and deletes them, and authorizes their
// customers.
package lines

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Service creates, sells, changes and deletes lines.
type Service struct{ k *usecase.Kernel }

// New returns the use cases of lines.
func New(k *usecase.Kernel) Service { return Service{k} }

// Line is the state of a line at an instant, with its password in the clear for callers who may manage it.
type Line struct {
	*line.Line
	Password     profile.Secret
	At           time.Time
	Concealed    bool // the caller may not see its password
	OwnerBlocked bool // the owner, or a parent of the owner, has a block that suspends lines
}

// Effect returns the service status of the line.
func (l Line) Effect() line.Effect { return l.Line.Effect(l.OwnerBlocked, l.At) }

// shownTo returns a line as a caller may see it.
func (l Line) shownTo(c usecase.Caller) Line {
	if !c.SeesPasswords() {
		l.Password, l.Concealed = profile.Secret{}, true
	}
	return l
}

// Get returns a line that the caller may manage, with its password, or fault.ErrNotFound.
func (s Service) Get(ctx context.Context, call usecase.Call, id int64) (Line, error) {
	return usecase.Query(ctx, s.k, call, "read line", func(ctx context.Context, in usecase.View) (Line, error) {
		found, err := usecase.VisibleLine(ctx, in.Lines, in.Actor, id)
		if err != nil {
			return Line{}, err
		}
		shown, err := reveal(s.k, found, in.Now)
		if err != nil {
			return Line{}, err
		}
		shown.OwnerBlocked, err = OwnerBlocked(ctx, in.Resellers, in.Actor, found.Owner())
		return shown.shownTo(call.Caller), err
	})
}

// Edit is the command to change a line's record. Without a name or a password the line keeps its present one.
type Edit struct {
	ID       int64
	Username profile.Username
	Password profile.Secret
	line.Description
}

func details(s *usecase.Kernel, c Edit) (line.Details, error) {
	password, err := seal(s, c.Password, c.ID)
	return line.Details{
		Username:    c.Username,
		Password:    password,
		Description: c.Description,
	}, err
}

// Edit changes the record of an official line. Refusals: fault.ErrNotFound,
// line.ErrIsTrial, profile.ErrUsernameTaken, line.ErrExternalIDTaken.
func (s Service) Edit(ctx context.Context, call usecase.Call, c Edit,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, usecase.Command[Line]{
		Name:  "edit line",
		Event: journal.LineUpdated,
		Reads: ports.Reads{Line: c.ID, LineName: c.Username},
		Rules: func(ctx context.Context, tx *usecase.Tx) (Line, error) {
			l, err := tx.Line(ctx, c.ID)
			if err != nil {
				return Line{}, err
			}
			edit := c
			edit.Username = cmp.Or(c.Username, tx.LineBefore.Username)
			opened, err := reveal(s.k, l, tx.Now)
			switch {
			case c.Password != profile.Secret{}: // also in place of a password that can't be opened
			case err != nil:
				return Line{}, err
			default:
				edit.Password = opened.Password
			}
			details, sealing := details(s.k, edit)
			if sealing != nil {
				return Line{}, sealing
			}
			if err == nil && opened.Password.Reveal() == edit.Password.Reveal() {
				details.Password = tx.LineBefore.Password // it is sealed already
			}
			if err := l.Edit(details, tx.Now); err != nil {
				return Line{}, err
			}
			if err := freeLineName(ctx, tx.Lines, *tx.LineBefore, edit.Username); err != nil {
				return Line{}, err
			}
			if err := tx.SaveChangedLine(ctx, l); err != nil {
				return Line{}, err
			}
			return shows(ctx, tx, Line{Line: l, Password: edit.Password})
		},
	})
}

// Describe changes the texts and metadata of any line. With a name or a password it is Edit, with the refusals of Edit.
// Otherwise the refusals are fault.ErrNotFound, line.ErrExternalIDTaken.
func (s Service) Describe(ctx context.Context, call usecase.Call, c Edit,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	if c.Username != (profile.Username{}) || c.Password != (profile.Secret{}) {
		return s.Edit(ctx, call, c, render)
	}
	return usecase.Run(ctx, s.k, call, render, DescribeCommand(s.k, c.ID, c.Description))
}

// DescribeCommand is the command of Describe.
func DescribeCommand(s *usecase.Kernel, id int64, d line.Description) usecase.Command[Line] {
	return changingLine(s, "describe line", journal.LineUpdated, id, func(l *line.Line, now time.Time) {
		l.Describe(d, now)
	})
}

// Delete removes a line permanently. Its movements stay in the ledger, and a tombstone replaces the line. The refusal
// is fault.ErrNotFound.
func (s Service) Delete(ctx context.Context, call usecase.Call, id int64,
	render usecase.Render[int64]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, DeleteCommand(id))
}

// DeleteCommand is the command of Delete.
func DeleteCommand(id int64) usecase.Command[int64] {
	return usecase.Command[int64]{
		Name:      "delete line",
		Event:     journal.LineDeleted,
		Emergency: true,
		Reads:     ports.Reads{Line: id},
		Rules: func(ctx context.Context, tx *usecase.Tx) (int64, error) {
			l, err := tx.Line(ctx, id)
			if err != nil {
				return 0, err
			}
			return id, tx.DeleteLine(ctx, l)
		},
	}
}

// ownerOf returns the reseller that pays for a line.
func ownerOf(ctx context.Context, resellers ports.ResellerReader, l *line.Line,
	actor *reseller.Reseller) (*reseller.Reseller, error) {
	if owner := l.Owner().ID; owner != actor.ID() {
		return resellers.Get(ctx, owner)
	}
	return actor, nil
}

// reveal opens a line's password.
func reveal(s *usecase.Kernel, l *line.Line, now time.Time) (Line, error) {
	password, err := s.Dependencies.Vault.Open(l.State().Password, usecase.Label("line", l.ID()))
	if err != nil {
		return Line{}, fmt.Errorf("password of line %d: %w", l.ID(), err)
	}
	return Line{Line: l, Password: profile.NewSecret(string(password)), At: now}, nil
}

// seal encrypts a line's password for its record.
func seal(s *usecase.Kernel, password profile.Secret, lineID int64) (line.Sealed, error) {
	sealed, err := s.Dependencies.Vault.Seal([]byte(password.Reveal()), usecase.Label("line", lineID))
	if err != nil {
		return nil, fmt.Errorf("seal the password of line %d: %w", lineID, err)
	}
	return sealed, nil
}

// freeLineName refuses a name that another line has. The line's own name needs no query.
func freeLineName(ctx context.Context, lines ports.Lines, l line.State, name profile.Username) error {
	if name.Key() == l.Username.Key() {
		return nil
	}
	return usecase.CheckNameFree(l.ID, func() (int64, error) { return lines.FindByUsername(ctx, name) })
}
