package application

import (
	"context"
	"slices"
	"time"

	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// SuspendLine is the command to have a line served no more until it is resumed.
type SuspendLine struct {
	ID     int64
	Reason profile.Text // may be empty
}

// SuspendLine suspends any line. It may be repeated, with another reason. The refusal is fault.ErrNotFound.
func (s Lines) SuspendLine(ctx context.Context, call Call, c SuspendLine, render Render[Line]) (Receipt, error) {
	return run(ctx, s.kernel, call, render, s.suspending(c))
}

func (s *kernel) suspending(c SuspendLine) command[Line] {
	suspending := s.changingLine("suspend line", journal.LineSuspended, c.ID, func(l *line.Line, now time.Time) {
		l.Suspend(c.Reason, now)
	})
	suspending.emergency = true
	return suspending
}

// ResumeLine ends a line's suspension. It may be repeated. The refusal is fault.ErrNotFound.
func (s Lines) ResumeLine(ctx context.Context, call Call, id int64, render Render[Line]) (Receipt, error) {
	return run(ctx, s.kernel, call, render, s.resuming(id))
}

func (s *kernel) resuming(id int64) command[Line] {
	return s.changingLine("resume line", journal.LineResumed, id, (*line.Line).Resume)
}

// changingLine changes a line by a verb that needs to know nothing else.
func (s *kernel) changingLine(name string, event journal.Type, id int64,
	verb func(l *line.Line, now time.Time)) command[Line] {
	return command[Line]{
		name:  name,
		event: event,
		reads: ports.Reads{Line: id},
		rules: func(ctx context.Context, do *work) (Line, error) {
			l, err := do.line(ctx, id)
			if err != nil {
				return Line{}, err
			}
			shown, err := s.reveal(l, do.now)
			if err != nil {
				return Line{}, err
			}
			verb(l, do.now)
			if err := do.saveChangedLine(ctx, l); err != nil {
				return Line{}, err
			}
			return do.shows(ctx, shown)
		},
	}
}

// shows returns a line as the caller may see it, with what it amounts to.
func (do *work) shows(ctx context.Context, l Line) (_ Line, err error) {
	l.OwnerBlocked, err = ownerBlocked(ctx, do.tx.Resellers, do.actor, l.Owner())
	return l.shownTo(do.call.Caller), err
}

// ownerBlocked reports whether a block that suspends lines stands at the owner of a line or above. None does at the
// actor or above: it would not be served itself.
func ownerBlocked(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller,
	owner reseller.Position) (bool, error) {
	free := actor.Position().Path()
	below := slices.DeleteFunc(owner.Path(), func(id int64) bool { return slices.Contains(free, id) })
	if blocked, err := resellers.AnyBlocked(ctx, below); err != nil || !blocked {
		return false, err
	}
	for _, id := range below {
		r, err := resellers.Get(ctx, id)
		if err != nil && !isNotFound(err) || err == nil && r.Suspends() {
			return err == nil, err
		}
	}
	return false, nil
}

// ownersBlocked returns a function that reports of the owners of these lines what ownerBlocked does, unless there are
// no blocks that suspend lines at all.
func ownersBlocked(ctx context.Context, resellers ports.ResellerDirectory, blocks bool,
	lines []*line.Line) (func(owner reseller.Position) bool, error) {
	if !blocks || len(lines) == 0 {
		return func(reseller.Position) bool { return false }, nil
	}
	var all []int64
	for _, l := range lines {
		all = append(all, l.Owner().Path()...)
	}
	slices.Sort(all)
	suspending, err := resellers.Suspending(ctx, slices.Compact(all))
	return func(owner reseller.Position) bool {
		return slices.ContainsFunc(suspending, func(id int64) bool { return id == owner.ID || owner.Under(id) })
	}, err
}
