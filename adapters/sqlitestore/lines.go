package sqlitestore

import (
	"context"

	"resellerd/domain/line"
	"resellerd/domain/profile"
)

// lines implements ports.Lines.
type lines struct{ *session }

// Get implements ports.Lines.
func (l lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	return lineOfRow(l.scanner(ctx, getLine, id))
}

// FindByUsername implements ports.Lines.
func (l lines) FindByUsername(ctx context.Context, name profile.Username) (id int64, err error) {
	err = l.row(ctx, findLine, []any{name.Key()}, &id)
	return id, err
}

// Insert implements ports.Lines.
func (l lines) Insert(ctx context.Context, ln *line.Line) error {
	_, err := l.exec(ctx, insertLine, rowOfLine(ln.State())...)
	return err
}

// Save implements ports.Lines.
func (l lines) Save(ctx context.Context, ln *line.Line) error {
	return l.change(ctx, saveLine, rowOfLine(ln.State())...)
}

// Delete implements ports.Lines.
func (l lines) Delete(ctx context.Context, ln *line.Line) error {
	return l.change(ctx, deleteLine, ln.ID())
}
