// Package reminders appends an entry to the journal for each line that expires soon, or has expired. Its cursor is a
// watermark for each number of days, saved with the entries that it leads to.
package reminders

import (
	"context"
	"errors"
	"math"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Service sends reminders. It is not reachable over the API.
type Service struct{ k *usecase.Kernel }

// New returns the use cases of reminders.
func New(k *usecase.Kernel) Service { return Service{k} }

// Sent is the result of Send.
type Sent struct {
	Entries int
	More    bool          // further lines may be due
	Behind  time.Duration // for how long the first of these lines has been due
}

// Send appends an entry for each line that expires in so many days, or has expired for 0, up to limit of those that
// were not looked at before. How far it has come is saved with the entries, so each line is told of once, whoever calls
// it, and however often. A line is read again in that transaction, and saved: it is told of only as it is.
func (s Service) Send(ctx context.Context, by string, days, limit int) (told Sent, err error) {
	now := s.k.Dependencies.Clock()
	var found reminding
	err = s.k.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) (err error) {
		found, err = s.dueReminders(ctx, snapshot, days, limit, now)
		return err
	})
	if err != nil || found.idle {
		return told, err
	}
	key := found.next.Days
	reads := []ports.Reads{
		{Records: []record.Name{ports.Leases.Named(usecase.BackgroundLease), ports.Reminders.Named(key)}}}
	for _, l := range found.due {
		reads = append(reads, ports.Reads{Line: l.ID()})
	}
	err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		told = Sent{More: found.more, Behind: found.behind}
		reminders := ports.Reminders.In(tx.Records)
		if err := usecase.CheckLease(ctx, tx, by); err != nil {
			return err
		}
		if found.at == nil {
			return reminders.Insert(ctx, found.next)
		}
		if is, err := reminders.Get(ctx, key); err != nil || is != *found.at {
			return err // another process was here, or a line that comes late
		}
		for _, listed := range found.due {
			did, err := remind(ctx, tx, listed, days, now)
			if err != nil {
				return err
			}
			if did {
				told.Entries++
			}
		}
		return reminders.Save(ctx, found.next)
	}, reads...)
	if errors.Is(err, record.ErrExists) { // another process began
		err = nil
	}
	if err != nil {
		return Sent{}, err
	}
	return told, nil
}

// reminding is a step of Send, as a snapshot shows it.
type reminding struct {
	idle   bool                 // there is nothing to do
	at     *line.ReminderCursor // how far it has come, nil if it has not begun
	next   line.ReminderCursor  // how far it comes by this step
	due    []*line.Line         // which are to be told of
	more   bool
	behind time.Duration
}

// farAhead is how far a clock must have been ahead that it counts as wrong: those of two processes differ by less.
const farAhead = time.Hour

// dueReminders looks for the lines that are to be told of next. At the very first, what is due already is not told of.
// After a clock that was far ahead it begins anew, so that nothing is passed over until that time has come, and leaves
// out what was told of by that clock.
func (s Service) dueReminders(ctx context.Context, snapshot ports.Snapshot, days, limit int,
	now time.Time) (found reminding, err error) {
	until := s.k.Policy.ExpiringDays.Until(days, now)
	found.next = line.ReminderCursor{Days: int64(days), Expiry: until.Add(-time.Millisecond), Line: math.MaxInt64}
	at, err := ports.Reminders.From(snapshot.Records).Get(ctx, found.next.Days)
	if usecase.IsNotFound(err) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.at, found.next.Told, found.next.Late = &at, at.Told, at.Late
	if at.Expiry.After(until.Add(farAhead)) {
		found.next.Told = usecase.Later(at.Told, at.Expiry)
		return found, nil
	}
	q := ports.LineQuery{
		ExpiresAfter: &at.Expiry, ExpiresBefore: &until, Order: ports.LinesByExpiry,
		After: ports.LineCursor{ExpiresAt: at.Expiry, ID: at.Line}, Limit: limit,
	}
	if days > 0 {
		q.Trial = new(false)
	}
	page, err := snapshot.Lines.List(ctx, q)
	if err != nil {
		return found, err
	}
	if found.more = page.Next != nil; found.more {
		found.next.Expiry, found.next.Line = page.Next.ExpiresAt, page.Next.ID
	} else if n := len(page.Lines); n > 0 {
		found.next.Expiry, found.next.Line = page.Lines[n-1].ExpiresAt(), page.Lines[n-1].ID()
	} else {
		found.idle = true
		return found, nil
	}
	if len(page.Lines) > 0 {
		found.behind = until.Sub(page.Lines[0].ExpiresAt())
	}
	for _, l := range page.Lines {
		due := s.k.Policy.ExpiringDays.Due(l, days, now)
		if due && !l.ExpiresAt().After(at.Told) {
			var already bool
			already, err = toldOf(ctx, snapshot, l, days)
			due = !already
		}
		if err != nil {
			return found, err
		}
		if due {
			found.due = append(found.due, l)
		}
	}
	return found, nil
}

// toldOf reports whether an entry tells already that a line expires, or has expired, as it is.
func toldOf(ctx context.Context, snapshot ports.Snapshot, l *line.Line, days int) (told bool, err error) {
	is := l.State()
	want := journal.Entry{}.OfExpiry(&is, days)
	q := ports.EventQuery{Of: ports.EventScope{Line: l.ID()}, Types: []journal.Type{want.Type}, Limit: 100}
	for more := true; more && !told; more = q.After != 0 {
		page, err := snapshot.Journal.List(ctx, q)
		if err != nil {
			return false, err
		}
		for _, n := range page.Entries {
			told = told || n.Datum(journal.ExpDate) == want.Datum(journal.ExpDate) &&
				n.Datum(journal.Days) == want.Datum(journal.Days)
		}
		q.After = page.Next
	}
	return told, nil
}

// remind tells of a line unless it is gone, or expires at another time by now.
func remind(ctx context.Context, tx ports.Tx, listed *line.Line, days int, now time.Time) (did bool, err error) {
	l, err := tx.Lines.Get(ctx, listed.ID())
	if usecase.IsNotFound(err) {
		return false, nil
	}
	if err != nil || !l.ExpiresAt().Equal(listed.ExpiresAt()) {
		return false, err
	}
	if err := tx.Lines.Save(ctx, l); err != nil { // so that an extension at the same moment comes before, or after
		return false, err
	}
	is := l.State()
	e := journal.Entry{At: now, Actor: journal.Actor{Kind: journal.BySystem}}.OfExpiry(&is, days)
	return true, tx.Journal.Append(ctx, e)
}
