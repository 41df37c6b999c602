// Package dryrun runs commands over a snapshot. No write is stored. Later commands see the accounts after earlier ones.
package dryrun

import (
	"context"

	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Run runs commands over a snapshot, for a caller. The types below implement their transaction. Other counts of
// commands, such as the spending of an API key, are made on copies.
type Run struct {
	in        usecase.View
	call      usecase.Call
	tx        ports.Tx
	resellers map[int64]*reseller.Reseller // as they were read, or after the commands so far

	// Of the running command.
	about  *line.Line
	writes []func()
	Posted []credit.Movement
}

// New returns a dry run over a snapshot.
func New(in usecase.View, call usecase.Call) *Run {
	r := &Run{in: in, call: call.Copy(), resellers: map[int64]*reseller.Reseller{in.Actor.ID(): in.Actor}}
	r.tx = ports.Tx{
		Resellers: resellers{in.Resellers, r}, Lines: lines{in.Lines, r}, Ledger: ledger{Run: r},
		Journal: entries{}, Records: records{in.Records},
	}
	return r
}

// Try runs a command. A refused command changes nothing. about is a line that only this command changes, if it was read
// already, otherwise nil.
func Try[R any](ctx context.Context, r *Run, c usecase.Command[R], about *line.Line) (result R, err error) {
	r.about, r.writes, r.Posted = about, r.writes[:0], r.Posted[:0]
	actor, err := r.tx.Resellers.Get(ctx, r.in.Actor.ID())
	if err != nil {
		return result, err
	}
	if result, err = c.DecideOver(ctx, r.tx, r.call, actor, r.in.Now); err != nil {
		return result, err
	}
	for _, write := range r.writes {
		write()
	}
	return result, nil
}

type resellers struct {
	ports.ResellerDirectory
	*Run
}

// Get implements the port.
func (r resellers) Get(ctx context.Context, id int64) (*reseller.Reseller, error) {
	known := r.resellers[id]
	if known == nil {
		found, err := r.ResellerDirectory.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		known, r.resellers[id] = found, found // every line needs it
	}
	return reseller.Restore(known.State())
}

// Insert implements the port.
func (r resellers) Insert(ctx context.Context, added *reseller.Reseller) error {
	return r.Save(ctx, added)
}

// Save implements the port.
func (r resellers) Save(_ context.Context, saved *reseller.Reseller) error {
	r.writes = append(r.writes, func() { r.resellers[saved.ID()] = saved })
	return nil
}

// lines drops the writes: each command changes a line of its own, and reads no other one.
type lines struct {
	ports.LineDirectory
	*Run
}

// Get implements the port.
func (r lines) Get(ctx context.Context, id int64) (*line.Line, error) {
	if r.about != nil && r.about.ID() == id {
		return r.about, nil
	}
	return r.LineDirectory.Get(ctx, id)
}

// Insert implements the port.
func (lines) Insert(context.Context, *line.Line) error { return nil }

// Save implements the port.
func (lines) Save(context.Context, *line.Line) error { return nil }

// Delete implements the port.
func (lines) Delete(context.Context, line.Tombstone) error { return nil }

type ledger struct {
	ports.Ledger // commands read none of it
	*Run
}

// Append implements the port.
func (r ledger) Append(_ context.Context, m credit.Movement) error {
	r.Posted = append(r.Posted, m)
	return nil
}

type entries struct{ ports.Journal } // commands read none of it

// Append implements the port.
func (entries) Append(context.Context, journal.Entry) error { return nil }

type records struct{ record.Reader }

// Insert implements the port.
func (records) Insert(context.Context, *record.Kind, record.Stored) error { return nil }

// Save implements the port.
func (records) Save(context.Context, *record.Kind, record.Stored) error { return nil }

// Delete implements the port.
func (records) Delete(context.Context, *record.Kind, string) error { return nil }

// Lines are the lines of a snapshot after a dry run.
type Lines struct {
	ports.LineDirectory
	left map[any]*line.Line // by id, name and external id; nil: deleted
}

// Overlay returns the lines of a snapshot.
func Overlay(stored ports.LineDirectory) *Lines { return &Lines{stored, map[any]*line.Line{}} }

// ExternalID is an external id, which is unique among the lines of an owner.
type ExternalID struct {
	Owner int64
	Text  profile.Text
}

// Set replaces the line with this id for later reads; nil deletes it.
func (o *Lines) Set(id int64, l *line.Line) {
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

// find returns the id of the line that has a key. A line that was replaced has its present keys only.
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
