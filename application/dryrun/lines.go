package dryrun

import (
	"context"

	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/ports"
)

// Lines are the lines of a snapshot, as a dry run has left them.
type Lines struct {
	ports.LineDirectory
	left map[any]*line.Line // by id, name and external id; nil: deleted
}

// Over returns the lines of a snapshot.
func Over(stored ports.LineDirectory) *Lines { return &Lines{stored, map[any]*line.Line{}} }

// ExternalID is an external id, which is unique among the lines of an owner.
type ExternalID struct {
	Owner int64
	Text  profile.Text
}

// Leave leaves a line, or none with this id, to those who read after it.
func (o *Lines) Leave(id int64, l *line.Line) {
	if was := o.left[id]; was != nil {
		s := was.Shown()
		delete(o.left, s.Username.Key())
		delete(o.left, ExternalID{s.Owner.ID, s.ExternalID})
	}
	if o.left[id] = l; l != nil {
		s := l.Shown()
		o.left[s.Username.Key()], o.left[ExternalID{s.Owner.ID, s.ExternalID}] = l, l
	}
}

// Get implements the port.
func (o *Lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	switch l, left := o.left[id]; {
	case !left:
		return o.LineDirectory.Get(ctx, id)
	case l == nil:
		return nil, fault.ErrNotFound
	default:
		return line.Restore(l.State())
	}
}

// FindByUsername implements the port.
func (o *Lines) FindByUsername(ctx context.Context, name profile.Username) (int64, error) {
	return o.find(name.Key(), func() (int64, error) { return o.LineDirectory.FindByUsername(ctx, name) })
}

// FindByExternalID implements the port.
func (o *Lines) FindByExternalID(ctx context.Context, owner int64, id profile.Text) (int64, error) {
	return o.find(ExternalID{owner, id}, func() (int64, error) { return o.LineDirectory.FindByExternalID(ctx, owner, id) })
}

// find returns the id of the line that has a key. A line that was left has its present ones only.
func (o *Lines) find(key any, stored func() (int64, error)) (int64, error) {
	if l := o.left[key]; l != nil {
		return l.ID(), nil
	}
	id, err := stored()
	if _, left := o.left[id]; err == nil && left {
		return 0, fault.ErrNotFound
	}
	return id, err
}
