package webhooks

import (
	"context"
	"errors"
	"slices"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/ports/record"
)

// Dispatch finds the due deliveries of webhooks, and saves their results. No API operation reaches it.
type Dispatch struct{ k *usecase.Kernel }

// Subscription is the dispatcher's cached view of a webhook: enough to decide whether it may receive an entry.
type Subscription struct {
	ID      int64
	Account reseller.Position
	All     bool // the webhook of an admin, for its tree: that is everything
	Tree    bool
	Types   []journal.Type // nil: every type
	Enabled bool           // and a type matches
	Why     webhook.Reason // why it is disabled
	Waiting int            // entries that wait for a retry
}

// Matches reports whether the webhook may receive an entry.
func (l *Subscription) Matches(e *journal.Entry) bool {
	if l.Types != nil && !slices.Contains(l.Types, e.Type) {
		return false
	}
	return l.All || e.Concerns(l.Account.ID) || l.Tree && e.Account.Under(l.Account.ID)
}

// Subscriptions returns webhooks in the order of their ids, after one of them.
func (s Dispatch) Subscriptions(ctx context.Context, after string,
	limit int) (all []Subscription, next string, err error) {
	err = s.k.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		page, err := ports.WebhooksByID.List(ctx, snapshot.Records, record.Query{After: after, Limit: limit})
		if err != nil {
			return err
		}
		all, next = all[:0], page.Next
		for _, w := range page.Items {
			l, err := subscription(ctx, snapshot, w)
			if isDamaged(err) || usecase.IsNotFound(err) { // an audit reports it
				continue
			}
			if err != nil {
				return err
			}
			all = append(all, l)
		}
		return nil
	})
	return all, next, err
}

// Subscription returns a webhook, or fault.ErrNotFound, also for a damaged one, which an audit reports.
func (s Dispatch) Subscription(ctx context.Context, id int64) (Subscription, error) {
	is, err := usecase.ReadSnapshot(ctx, s.k, func(ctx context.Context, in ports.Snapshot) (is Subscription, err error) {
		w, err := ports.Webhooks.From(in.Records).Get(ctx, id)
		if err == nil {
			is, err = subscription(ctx, in, w)
		}
		return is, err
	})
	if isDamaged(err) {
		err = fault.ErrNotFound
	}
	return is, err
}

func isDamaged(err error) bool { return errors.Is(err, record.ErrDamaged) }

func subscription(ctx context.Context, snapshot ports.Snapshot, w webhook.Webhook) (Subscription, error) {
	owner, err := snapshot.Resellers.Get(ctx, w.Account)
	if err != nil {
		return Subscription{}, err
	}
	p, err := ports.WebhookProgress.From(snapshot.Records).Get(ctx, w.ID)
	if err != nil {
		return Subscription{}, err
	}
	return subscriptionOf(w, &p, owner), nil
}

func subscriptionOf(w webhook.Webhook, p *webhook.Progress, owner *reseller.Reseller) Subscription {
	return Subscription{
		ID: w.ID, Account: owner.Position(), Tree: w.Scope == webhook.Tree,
		All:   w.Scope == webhook.Tree && owner.VisibleRoot() == 0,
		Types: w.Selects(), Enabled: w.Enabled && !w.SelectsNothing(), Why: w.Disabled, Waiting: len(p.Waiting),
	}
}

// Requested returns at most limit ids of webhooks with a request that has no entry in the journal.
func (s Dispatch) Requested(ctx context.Context, limit int) ([]int64, error) {
	return usecase.ReadSnapshot(ctx, s.k, func(ctx context.Context, snapshot ports.Snapshot) (ids []int64, err error) {
		page, err := ports.WebhooksWithRequests.List(ctx, snapshot.Records, record.Query{Limit: limit})
		for _, p := range page.Items {
			ids = append(ids, p.Webhook)
		}
		return ids, err
	})
}

// LastEntry returns the number of the last entry of the journal.
func (s Dispatch) LastEntry(ctx context.Context) (int64, error) {
	head, err := usecase.ReadSnapshot(ctx, s.k, func(ctx context.Context, snapshot ports.Snapshot) (journal.Head, error) {
		return snapshot.Journal.Head(ctx)
	})
	return head.Seq, err
}

// Entries returns the entries after a number, up to limit, and the number up to which it has read.
func (s Dispatch) Entries(ctx context.Context, after int64,
	limit int) (entries []journal.Numbered, upTo int64, err error) {
	err = s.k.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		entries, upTo, _, err = examine(ctx, snapshot, ports.EventQuery{After: after, Limit: limit})
		return err
	})
	return entries, upTo, err
}

// examine returns a page of the journal, the number up to which it was examined, and whether more entries follow.
func examine(ctx context.Context, snapshot ports.Snapshot, q ports.EventQuery) (entries []journal.Numbered, upTo int64,
	more bool, err error) {
	head, err := snapshot.Journal.Head(ctx)
	if err != nil {
		return nil, 0, false, err
	}
	page, err := snapshot.Journal.List(ctx, q)
	if page.Next != 0 {
		return page.Entries, page.Next, true, err
	}
	return page.Entries, max(head.Seq, q.After), false, err
}

// Await returns nil once there is an entry after a number, or the error of ctx.
func (s Dispatch) Await(ctx context.Context, after int64) error {
	return s.k.Dependencies.Store.AwaitEntry(ctx, after)
}

// Delivery is an entry to send.
type Delivery struct {
	ID     string // of the entry
	Seq    int64  // 0: a test
	Number int    // of the attempt, from 1 on
	New    bool   // it was not sent before, as far as the cursor shows
	Entry  journal.Numbered
}

// Due is the work for a webhook at this time.
type Due struct {
	URL          string
	Secrets      []profile.Secret
	Cursor       int64 // as it is stored
	UpTo         int64 // number of the entry up to which the journal was examined
	Deliveries   []Delivery
	Unreadable   []int64      // numbers of waiting entries that can't be read any more
	More         bool         // there may be more entries
	Waiting      int          // entries that wait for a retry
	Next         time.Time    // when the first of them is due, the zero value if nothing is sent
	Held         bool         // its account is blocked, or it is disabled: nothing is sent
	Requests     int64        // webhook.Progress.Asked
	Unhandled    bool         // Record must be called in any case, because of a request for a test or a replay
	Full         bool         // MaxWaiting entries wait: no new ones are sent
	Subscription Subscription // the webhook as it is now
}

// First returns the first new delivery among these, which are in the order of their numbers: it follows the cursor. It
// returns nil without one.
func (d *Due) First(of []Delivery) *Delivery {
	for i := range of {
		if of[i].New {
			return &of[i]
		}
	}
	return nil
}

// Due returns the work for a webhook: at most limit entries. These are the waiting entries that are due, and the
// entries after the number examined, which is not less than the cursor unless the cursor moved back. Entries in flight
// are left out. The refusal is fault.ErrNotFound.
func (s Dispatch) Due(ctx context.Context, id, examined int64, underWay func(seq int64) bool,
	limit int) (due Due, err error) {
	now := s.k.Dependencies.Clock()
	var w webhook.Webhook
	err = s.k.Dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		due = Due{}
		if w, err = ports.Webhooks.From(snapshot.Records).Get(ctx, id); err != nil {
			return err
		}
		p, err := ports.WebhookProgress.From(snapshot.Records).Get(ctx, id)
		if err != nil {
			return err
		}
		owner, err := snapshot.Resellers.Get(ctx, w.Account)
		if err != nil {
			return err
		}
		blocked, err := snapshot.Resellers.AnyBlocked(ctx, owner.Position().Path())
		if err != nil {
			return err
		}
		due = Due{URL: w.URL, Cursor: p.Cursor, UpTo: max(p.Cursor, examined), Waiting: len(p.Waiting), Next: p.NextDue(),
			Requests: p.Requests, Unhandled: p.Requests != p.RequestsHandled}
		due.Subscription = subscriptionOf(w, &p, owner)
		if due.Unhandled { // the cursor may have moved back
			due.UpTo = p.Cursor
		}
		if due.Held = blocked || !w.Enabled || w.SelectsNothing(); due.Held {
			due.Next = time.Time{}
			return nil
		}
		return due.fill(ctx, snapshot, owner, w, &p, now, underWay, limit)
	})
	if err != nil || len(due.Deliveries) == 0 {
		return due, err
	}
	secret, err := openWebhook(s.k, id, "secret", w.Secret)
	due.Secrets = []profile.Secret{secret}
	if err == nil && w.Overlaps(now) {
		secret, err = openWebhook(s.k, id, "previous", w.Previous)
		due.Secrets = append(due.Secrets, secret)
	}
	return due, err
}

// fill adds a requested test, then the waiting entries that are due, then new entries.
func (d *Due) fill(
	ctx context.Context, snapshot ports.Snapshot, owner *reseller.Reseller, w webhook.Webhook, p *webhook.Progress,
	now time.Time, underWay func(seq int64) bool, limit int,
) (err error) {
	if !p.TestRequested.IsZero() && !underWay(0) {
		test := journal.Numbered{Entry: journal.Entry{
			Type: journal.WebhookTest, At: p.TestRequested, Account: owner.Position(),
			Actor: journal.Actor{Kind: journal.BySystem},
			Data: []journal.Datum{{Name: journal.Test, Value: journal.Number(p.Tests)},
				{Name: journal.Webhook, Value: journal.Number(w.ID)}},
		}}
		d.Deliveries = append(d.Deliveries, Delivery{ID: test.ID(), Number: 1, Entry: test})
	}
	var entries []journal.Numbered
	room := min(limit-dueAmongNew, p.Capacity()) // the limit of waiting entries
	if d.Full = room == 0; !d.Full {
		q := ports.EventQuery{Types: w.Selects(), After: d.UpTo, Limit: room}
		switch {
		case w.Scope == webhook.OwnAccount:
			q.Of.Account = owner.ID()
		case owner.VisibleRoot() != 0:
			q.Of.Tree = owner.VisibleRoot()
		}
		if entries, d.UpTo, d.More, err = examine(ctx, snapshot, q); err != nil {
			return err
		}
	}
	most := limit - len(d.Deliveries)
	if len(entries) > 0 {
		most = dueAmongNew
	}
	again := p.DueBy(now, most)
	d.More = d.More || len(again) == most
	for _, waiting := range again {
		if underWay(waiting.Seq) {
			continue
		}
		page, err := snapshot.Journal.List(ctx, ports.EventQuery{After: waiting.Seq - 1, Before: waiting.Seq + 1, Limit: 1})
		if err != nil {
			return err
		}
		if len(page.Entries) == 0 {
			d.Unreadable = append(d.Unreadable, waiting.Seq)
			continue
		}
		d.add(page.Entries[0], owner, waiting.Attempts+1, false)
	}
	waits := func(seq int64) bool {
		return slices.ContainsFunc(p.Waiting, func(w webhook.Waiting) bool { return w.Seq == seq })
	}
	for _, n := range entries {
		if !underWay(n.Seq) && !waits(n.Seq) { // a replay meets such entries
			d.add(n, owner, 1, true)
		}
	}
	return nil
}

// dueAmongNew is how many waiting entries are sent while there are new ones.
const dueAmongNew = 4

func (d *Due) add(n journal.Numbered, owner *reseller.Reseller, number int, isNew bool) {
	shown, hidden := n.SeenBy(owner)
	if hidden != nil {
		d.Unreadable = append(d.Unreadable, n.Seq)
		return
	}
	seen := journal.Numbered{Entry: shown, Head: n.Head}
	d.Deliveries = append(d.Deliveries, Delivery{ID: seen.ID(), Seq: n.Seq, Number: number, New: isNew, Entry: seen})
}

// Delivered is the result of deliveries to a webhook.
type Delivered struct {
	Webhook     int64
	Cursor      int64 // as Due returned it
	UpTo        int64 // likewise
	Outcomes    []webhook.Outcome
	UnderWay    []Delivery // attempts that have not ended
	Interrupted []Delivery // interrupted attempts
	Began       time.Time  // the beginning of the interrupted ones
	Dropped     []int64    // entries that can't be read any more
	Requests    int64      // as Due returned it
}

// Recorded is the state of a webhook after Record.
type Recorded struct {
	Disabled webhook.Reason // by this call, "" if it was not
	Waiting  int            // entries that wait for a retry
	Next     time.Time      // when the first of them is due
}

// Record stores the result of deliveries. It disables a webhook whose receiver answered 410, or has failed for too
// long. Refusals: ErrNotHeld, fault.ErrNotFound.
func (s Dispatch) Record(ctx context.Context, by string, d Delivered) (is Recorded, err error) {
	now := s.k.Dependencies.Clock()
	err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		is = Recorded{}
		if err := usecase.CheckLease(ctx, tx, by); err != nil {
			return err
		}
		all := ports.WebhookProgress.In(tx.Records)
		p, err := all.Get(ctx, d.Webhook)
		if err != nil {
			return err
		}
		// No replay was requested since Due, even one from ahead of the cursor.
		if p.Cursor == d.Cursor && p.Requests == d.Requests {
			p.Cursor = max(p.Cursor, d.UpTo)
		}
		p.RequestsHandled = max(p.RequestsHandled, d.Requests)
		p.DropUnreadable(d.Dropped)
		for _, u := range d.UnderWay {
			p.MarkInFlight(u.Seq, u.Number, d.Began)
		}
		for _, i := range d.Interrupted {
			p.MarkInterrupted(i.Seq, i.Number, d.Began)
		}
		for _, o := range d.Outcomes {
			if why := p.RecordOutcome(o); why != "" {
				is.Disabled = why
			}
		}
		is.Waiting, is.Next = len(p.Waiting), p.NextDue()
		if err := all.Save(ctx, p); err != nil {
			return err
		}
		if is.Disabled == "" {
			return nil
		}
		return disable(ctx, tx, d.Webhook, is.Disabled, now)
	}, ports.Reads{
		Records: []record.Name{ports.Leases.Named(usecase.BackgroundLease), ports.WebhookProgress.Named(d.Webhook)}})
	return is, err
}

// disable disables an enabled webhook, and appends the entry.
func disable(ctx context.Context, tx ports.Tx, id int64, why webhook.Reason, now time.Time) error {
	all := ports.Webhooks.In(tx.Records)
	w, err := all.Get(ctx, id)
	if err != nil || !w.Enabled {
		return err
	}
	owner, err := tx.Resellers.Get(ctx, w.Account)
	if err != nil {
		return err
	}
	if err := all.Save(ctx, w.Disable(why)); err != nil {
		return err
	}
	return tx.Journal.Append(ctx, journal.Entry{
		Type: journal.WebhookDisabled, At: now, Account: owner.Position(), Actor: journal.Actor{Kind: journal.BySystem},
		Changes: journal.HiddenChanges("enabled"), Reason: string(why),
		Data: []journal.Datum{{Name: journal.Webhook, Value: journal.Number(id)}},
	})
}

// disabledAtOnce is how many webhooks are disabled in one transaction.
const disabledAtOnce = 500

// DisableAll disables every enabled webhook, and returns their number.
func (s Service) DisableAll(ctx context.Context, why webhook.Reason) (disabled int, err error) {
	for after := ""; ; {
		page, err := usecase.ReadSnapshot(ctx, s.k,
			func(ctx context.Context, in ports.Snapshot) (record.Page[int64, webhook.Webhook], error) {
				return ports.WebhooksByID.List(ctx, in.Records, record.Query{After: after, Limit: disabledAtOnce})
			})
		if err != nil {
			return disabled, err
		}
		now := s.k.Dependencies.Clock()
		err = s.k.Dependencies.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
			for _, w := range page.Items {
				if err := disable(ctx, tx, w.ID, why, now); err != nil && !usecase.IsNotFound(err) {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return disabled, err
		}
		for _, w := range page.Items {
			if w.Enabled {
				disabled++
			}
		}
		if after = page.Next; after == "" {
			return disabled, nil
		}
	}
}
