package lines

import (
	"context"
	"slices"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Suspend is the command to stop service of a line until Resume.
type Suspend struct {
	ID     int64
	Reason profile.Text // may be empty
}

// Suspend suspends any line. A repetition may change the reason. The refusal is fault.ErrNotFound.
func (s Service) Suspend(ctx context.Context, call usecase.Call, c Suspend,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, SuspendCommand(s.k, c))
}

// SuspendCommand is the command of Suspend.
func SuspendCommand(s *usecase.Kernel, c Suspend) usecase.Command[Line] {
	suspending := changingLine(s, "suspend line", journal.LineSuspended, c.ID, func(l *line.Line, now time.Time) {
		l.Suspend(c.Reason, now)
	})
	suspending.Emergency = true
	return suspending
}

// Resume ends a line's suspension. A repetition changes nothing. The refusal is fault.ErrNotFound.
func (s Service) Resume(ctx context.Context, call usecase.Call, id int64,
	render usecase.Render[Line]) (usecase.Receipt, error) {
	return usecase.Run(ctx, s.k, call, render, ResumeCommand(s.k, id))
}

// ResumeCommand is the command of Resume.
func ResumeCommand(s *usecase.Kernel, id int64) usecase.Command[Line] {
	return changingLine(s, "resume line", journal.LineResumed, id, (*line.Line).Resume)
}

// changingLine changes a line by a verb that needs no other records.
func changingLine(s *usecase.Kernel, name string, event journal.Type, id int64,
	verb func(l *line.Line, now time.Time)) usecase.Command[Line] {
	return usecase.Command[Line]{
		Name:  name,
		Event: event,
		Reads: ports.Reads{Line: id},
		Rules: func(ctx context.Context, tx *usecase.Tx) (Line, error) {
			l, err := tx.Line(ctx, id)
			if err != nil {
				return Line{}, err
			}
			shown, err := reveal(s, l, tx.Now)
			if err != nil {
				return Line{}, err
			}
			verb(l, tx.Now)
			if err := tx.SaveChangedLine(ctx, l); err != nil {
				return Line{}, err
			}
			return shows(ctx, tx, shown)
		},
	}
}

// shows returns a line as the caller may see it, with its service status at the time of the command.
func shows(ctx context.Context, tx *usecase.Tx, l Line) (_ Line, err error) {
	l.At = tx.Now
	l.OwnerBlocked, err = OwnerBlocked(ctx, tx.Resellers, tx.Actor, l.Owner())
	return l.shownTo(tx.Call.Caller), err
}

// OwnerBlocked reports whether the owner of a line, or a parent of the owner, has a block that suspends lines. Neither
// the actor nor its parents have one: the actor could not act.
func OwnerBlocked(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller,
	owner reseller.Position) (bool, error) {
	free := actor.Position().Path()
	below := slices.DeleteFunc(owner.Path(), func(id int64) bool { return slices.Contains(free, id) })
	if blocked, err := resellers.AnyBlocked(ctx, below); err != nil || !blocked {
		return false, err
	}
	for _, id := range below {
		r, err := resellers.Get(ctx, id)
		if err != nil && !usecase.IsNotFound(err) || err == nil && r.Suspends() {
			return err == nil, err
		}
	}
	return false, nil
}

// OwnersBlocked returns a function that reports the result of OwnerBlocked for the owners of these lines, without reads
// if no block suspends lines.
func OwnersBlocked(ctx context.Context, resellers ports.ResellerDirectory, blocks bool,
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
