// Package reminders appends an entry to the journal for each line that expires soon, or has expired. Its cursor is a
// watermark for each number of days, saved with the entries of each step.
package reminders

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Service sends reminders. No API operation reaches it.
type Service struct{ k *usecase.Kernel }

// New returns the use cases of reminders.
func New(k *usecase.Kernel) Service { return Service{k} }

// Sent is the result of Send.
type Sent struct {
	Entries int
	More    bool          // further lines may be due
	Behind  time.Duration // how long the first of these lines has been due
}

// Send appends an entry for each line that expires in so many days, or has expired for 0, up to limit lines after the
// cursor. The cursor is saved with the entries. So each reminder is sent once, whichever process calls Send, and
// however often. A line is read again in that transaction, and saved: the entry shows its present state.
func (s Service) Send(ctx context.Context, by string, days, limit int) (sent Sent, err error) {
	now := s.k.Dependencies.Clock()
	found, err := usecase.ReadSnapshot(ctx, s.k, func(ctx context.Context, snapshot ports.Snapshot) (reminding, error) {
		return s.dueReminders(ctx, snapshot, days, limit, now)
	})
	if err != nil || found.idle {
		return sent, err
	}
	key := found.next.Days
	reads := []ports.Reads{
		{Records: []record.Name{ports.Leases.Named(usecase.BackgroundLease), ports.Reminders.Named(key)}}}
	for _, l := range found.due {
		reads = append(reads, ports.Reads{Line: l.ID()})
	}
	err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		sent = Sent{More: found.more, Behind: found.behind}
		reminders := ports.Reminders.In(tx.Records)
		if err := usecase.CheckLease(ctx, tx, by); err != nil {
			return err
		}
		if found.at == nil {
			return reminders.Insert(ctx, found.next)
		}
		if is, err := reminders.Get(ctx, key); err != nil || is != *found.at {
			return err // another process moved the cursor, or a late line did
		}
		for _, listed := range found.due {
			appended, err := remind(ctx, tx, listed, days, now)
			if err != nil {
				return err
			}
			sent.Entries += appended
		}
		return reminders.Save(ctx, found.next)
	}, reads...)
	if err != nil && !errors.Is(err, record.ErrExists) { // another process may have inserted it
		return Sent{}, err
	}
	return sent, nil
}

// reminding is a step of Send, as a snapshot shows it.
type reminding struct {
	idle   bool                 // no line is left
	at     *line.ReminderCursor // the cursor, nil before the first run
	next   line.ReminderCursor  // the cursor after this step
	due    []*line.Line         // whose reminders this step sends
	more   bool
	behind time.Duration
}

// farAhead is how far ahead a cursor must be to prove a wrong clock: the clocks of two processes differ by less.
const farAhead = time.Hour

// dueReminders finds the lines whose reminders are due next. The first run sends no reminders that were due before it.
// If the cursor is far in the future, because of a wrong clock, it is reset, so that no line is passed over until that
// time. The reminders that were sent by that clock are not sent again.
func (s Service) dueReminders(ctx context.Context, snapshot ports.Snapshot, days, limit int,
	now time.Time) (found reminding, err error) {
	until := s.k.Policy.ExpiringDays.WindowEnd(days, now)
	found.next = line.ReminderCursor{Days: int64(days), Expiry: until.Add(-time.Millisecond), Line: math.MaxInt64}
	at, err := ports.Reminders.From(snapshot.Records).Get(ctx, found.next.Days)
	if usecase.IsNotFound(err) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.at, found.next.SentUntil, found.next.LateLine = &at, at.SentUntil, at.LateLine
	if at.Expiry.After(until.Add(farAhead)) {
		found.next.SentUntil = usecase.Later(at.SentUntil, at.Expiry)
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
	for i, l := range page.Lines {
		if i == 0 {
			found.behind = until.Sub(l.ExpiresAt())
		}
		due := s.k.Policy.ExpiringDays.Due(l, days, now)
		if due && !l.ExpiresAt().After(at.SentUntil) {
			if due, err = lacksEntry(ctx, snapshot, l, days); err != nil {
				return found, err
			}
		}
		if due {
			found.due = append(found.due, l)
		}
	}
	return found, nil
}

// lacksEntry reports whether no entry has the reminder of a line yet.
func lacksEntry(ctx context.Context, snapshot ports.Snapshot, l *line.Line, days int) (lacks bool, err error) {
	is := l.State()
	want := journal.Entry{}.WithExpiry(&is, days)
	q := ports.EventQuery{Of: ports.EventScope{Line: l.ID()}, Types: []journal.Type{want.Type}, Limit: 100}
	lacks = true
	for more := true; more && lacks; more = q.After != 0 {
		page, err := snapshot.Journal.List(ctx, q)
		if err != nil {
			return false, err
		}
		for _, n := range page.Entries {
			lacks = lacks && (n.Datum(journal.ExpDate) != want.Datum(journal.ExpDate) ||
				n.Datum(journal.Days) != want.Datum(journal.Days))
		}
		q.After = page.Next
	}
	return lacks, nil
}

// remind appends the entry of a line unless the line was deleted, or its expiry has changed. It returns the number of
// appended entries.
func remind(ctx context.Context, tx ports.Tx, listed *line.Line, days int, now time.Time) (appended int, err error) {
	l, err := tx.Lines.Get(ctx, listed.ID())
	if usecase.IsNotFound(err) {
		return 0, nil
	}
	if err != nil || !l.ExpiresAt().Equal(listed.ExpiresAt()) {
		return 0, err
	}
	if err := tx.Lines.Save(ctx, l); err != nil { // so that a concurrent extension comes before, or after
		return 0, err
	}
	is := l.State()
	e := journal.Entry{At: now, Actor: journal.Actor{Kind: journal.BySystem}}.WithExpiry(&is, days)
	return 1, tx.Journal.Append(ctx, e)
}

const (
	// pollInterval is how often the loop looks for lines that are due. An idle service costs little more, and a
	// reminder is sent within two seconds.
	pollInterval = time.Second
	// sentAtOnce is how many reminders are sent in one transaction, because commands wait for it.
	sentAtOnce = 32
	// pause is the wait before the next such transaction, as a multiple of its duration: commands of clients come
	// first. A million reminders take some minutes.
	pause = 3
)

// Figures are the figures of the loop, for operators. The zero value is ready, and safe for concurrent use.
type Figures struct {
	Behind atomic.Int64 // nanoseconds
	Sent   atomic.Int64
}

// Run sends reminders until ctx ends.
func (s Service) Run(ctx context.Context, l usecase.Loop, figures *Figures) {
	defer figures.Behind.Store(0)
	all := append([]int{0}, s.k.Policy.ExpiringDays...)
	sent := l.Passed() // the last time when no line was left
	var failure usecase.Failure
	for goesOn := true; goesOn; goesOn = l.Sleep(ctx, pollInterval) {
		var behind time.Duration
		var err error
		for i := 0; i < len(all) && err == nil; i++ {
			err = s.sendAll(ctx, &l, figures, all[i], &behind)
		}
		if err == nil {
			sent = l.Passed()
		} else {
			behind = max(behind, l.Passed()-sent)
		}
		failure.Report(ctx, &l, "reminders could not be sent", err)
		figures.Behind.Store(int64(behind))
	}
}

// sendAll sends the reminders of all lines that are due so many days before their expiry. behind becomes the age of the
// first line that is left.
func (s Service) sendAll(ctx context.Context, l *usecase.Loop, f *Figures, days int, behind *time.Duration) error {
	for {
		began := l.Passed()
		sent, err := s.Send(ctx, l.Process, days, sentAtOnce)
		f.Sent.Add(int64(sent.Entries))
		if err != nil || !sent.More {
			return err
		}
		*behind = max(*behind, sent.Behind)
		f.Behind.Store(int64(sent.Behind))
		if !l.Sleep(ctx, pause*(l.Passed()-began)) {
			return ctx.Err()
		}
	}
}
