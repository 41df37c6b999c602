package application

import (
	"context"
	"errors"
	"math"
	"time"

	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Leases say which process runs the background work. They are not reachable over the API.
type Leases struct{ *kernel }

// leases returns this family.
func (s *kernel) leases() Leases { return Leases{s} }

// Reminders append entries for lines that expire. They are not reachable over the API.
type Reminders struct{ *kernel }

// newReminders returns the use cases of reminders.
func newReminders(k *kernel) Reminders { return Reminders{k} }

// theLease is the name of the lease of all that one process does beside requests.
const theLease = "background"

// ErrNotHeld says that another process holds the lease. Nothing was changed.
var ErrNotHeld = errors.New("another process does what is done beside requests")

func leaseOf(ctx context.Context, records record.Reader) (lease.Lease, error) {
	l, err := ports.Leases.From(records).Get(ctx, theLease)
	if isNotFound(err) {
		return lease.Lease{Name: theLease}, nil
	}
	return l, err
}

// Lease returns who does what is done beside requests.
func (s Leases) Lease(ctx context.Context) (l lease.Lease, err error) {
	err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		l, err = leaseOf(ctx, snapshot.Records)
		return err
	})
	return l, err
}

// ChangeLease saves what change makes of the lease, if anything, and returns it.
func (s Leases) ChangeLease(ctx context.Context, change func(lease.Lease) (lease.Lease, bool)) (l lease.Lease,
	err error) {
	err = s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		leases := ports.Leases.In(tx.Records)
		was, err := leases.Get(ctx, theLease)
		absent := isNotFound(err)
		if absent {
			was, err = lease.Lease{Name: theLease}, nil
		}
		if err != nil {
			return err
		}
		is, changed := change(was)
		switch l = is; {
		case !changed:
			return nil
		case absent:
			return leases.Insert(ctx, is)
		}
		return leases.Save(ctx, is)
	}, ports.Reads{Records: []record.Name{ports.Leases.Named(theLease)}})
	return l, err
}

// held returns ErrNotHeld unless a process holds the lease. A process that lost it a moment ago may pass: what it then
// saves is a record that its successor has saved as well, or will.
func held(ctx context.Context, tx ports.Tx, by string) error {
	l, err := leaseOf(ctx, tx.Records)
	if err == nil && l.Holder != by {
		err = ErrNotHeld
	}
	return err
}

// Told is what Remind did.
type Told struct {
	Entries int
	More    bool          // further lines may be due
	Behind  time.Duration // for how long the first of these lines has been due
}

// Remind appends an entry for each line that expires in so many days, or has expired for 0, up to limit of those that
// were not looked at before. How far it has come is saved with the entries, so each line is told of once, whoever calls
// it, and however often. A line is read again in that transaction, and saved: it is told of only as it is.
func (s Reminders) Remind(ctx context.Context, by string, days, limit int) (told Told, err error) {
	now := s.dependencies.Clock()
	var found reminding
	err = s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) (err error) {
		found, err = s.dueReminders(ctx, snapshot, days, limit, now)
		return err
	})
	if err != nil || found.idle {
		return told, err
	}
	key := found.next.Days
	reads := []ports.Reads{{Records: []record.Name{ports.Leases.Named(theLease), ports.Reminders.Named(key)}}}
	for _, l := range found.due {
		reads = append(reads, ports.Reads{Line: l.ID()})
	}
	err = s.dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		told = Told{More: found.more, Behind: found.behind}
		reminders := ports.Reminders.In(tx.Records)
		if err := held(ctx, tx, by); err != nil {
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
		return Told{}, err
	}
	return told, nil
}

// reminding is a step of Remind, as a snapshot shows it.
type reminding struct {
	idle   bool            // there is nothing to do
	at     *ports.Reminder // how far it has come, nil if it has not begun
	next   ports.Reminder  // how far it comes by this step
	due    []*line.Line    // which are to be told of
	more   bool
	behind time.Duration
}

// farAhead is how far a clock must have been ahead that it counts as wrong: those of two processes differ by less.
const farAhead = time.Hour

// dueReminders looks for the lines that are to be told of next. At the very first, what is due already is not told of.
// After a clock that was far ahead it begins anew, so that nothing is passed over until that time has come, and leaves
// out what was told of by that clock.
func (s Reminders) dueReminders(ctx context.Context, snapshot ports.Snapshot, days, limit int,
	now time.Time) (found reminding, err error) {
	until := s.policy.ExpiringDays.Until(days, now)
	found.next = ports.Reminder{Days: int64(days), Expiry: until.Add(-time.Millisecond), Line: math.MaxInt64}
	at, err := ports.Reminders.From(snapshot.Records).Get(ctx, found.next.Days)
	if isNotFound(err) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.at, found.next.Told, found.next.Late = &at, at.Told, at.Late
	if at.Expiry.After(until.Add(farAhead)) {
		found.next.Told = later(at.Told, at.Expiry)
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
		due := s.policy.ExpiringDays.Due(l, days, now)
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

// setBack has a new line told of that others may see only when it is due. Remind may have passed it by then, and comes
// back to it; or it is about to, by what it saw before, and then looks again.
func setBack(ctx context.Context, tx ports.Tx, l *line.Line, days []int) error {
	reminders := ports.Reminders.In(tx.Records)
	for _, n := range days {
		at, err := reminders.Get(ctx, int64(n))
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		if !at.Expiry.Before(l.ExpiresAt()) {
			at.Told = later(at.Told, at.Expiry)
			at.Expiry, at.Line = l.ExpiresAt().Add(-time.Millisecond), math.MaxInt64
		}
		at.Late++
		if err := reminders.Save(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
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
	if isNotFound(err) {
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
