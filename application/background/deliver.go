package background

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/application/webhooks"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/domain/webhook"
	"resellerd/ports"
)

const (
	// atOnce is how many entries are sent to one webhook at a time: one at first, twice as many with each that it takes,
	// half as many with each that it does not.
	atOnce = 8
	// mostSends bounds the attempts that are under way, mostSlow those that have taken slowAfter, and mostFailing those to
	// webhooks that have not accepted any of the last failingAfter. Each of the three has lanes of its own, so slow and
	// failing webhooks do not delay others. An attempt that becomes slow moves to the slow lanes even if none is free, up
	// to twice their number.
	failingAfter = 3
	slowAfter    = 2 * time.Second
	mostSends    = 256
	mostSlow     = 256
	mostFailing  = 64
	// slowFor is how many attempts of a webhook begin in the slow lanes after one was slow.
	slowFor = 16
	// page is how many entries are begun with for one webhook before how that went is kept.
	page = 64
	// patience is how long that waits for answers: it is then kept that the others are under way.
	patience = time.Second
	// followed is how many entries are read at a time to find whom they are for, and gather how long they are gathered
	// when some have come.
	followed = 500
	gather   = 25 * time.Millisecond
	// keepEvery is after how many entries of others, at least, it is kept that a webhook has passed them; a webhook that
	// is for others from now on gets these, too. It is keepShare for each webhook if that is more: a command is not to
	// cause more than a fraction of another one.
	keepEvery, keepShare = 1_000, 10
	// dueEvery is how often is looked what is due again.
	dueEvery = 250 * time.Millisecond
	// again is how long after a failure of the store the same is tried once more.
	again = time.Second
	// parting is for how long attempts that are under way may come to their end once the process is to end, and lastTime
	// how long it may take to keep what became of them.
	parting  = time.Second
	lastTime = 2 * time.Second
	// mostLooks bounds the queries at a time for what is to be sent.
	mostLooks = 16
)

// deliveries sends what happened to webhooks. It keeps them all in memory, each with how far the journal was examined
// for it; how far that is for good, the store has.
type deliveries struct {
	*runner

	lose    context.CancelCauseFunc
	open    context.Context // of attempts: ends later than that of all else
	workers sync.WaitGroup
	sends   *lanes
	slow    *lanes
	failing *lanes
	looks   chan struct{}

	mu    sync.Mutex
	head  int64 // number of the entry up to which the journal was followed
	hooks map[int64]*hook
	of    map[int64]map[int64]*hook // by account
	all   map[int64]*hook           // for everything
}

// hook is a webhook.
type hook struct {
	webhooks.Subscription

	examined int64         // number of the entry up to which nothing is left to be begun with
	looked   int64         // up to where the journal was followed when somebody looked last
	working  bool          // a goroutine works for it
	woken    bool          // there may be more for it since that has looked
	news     chan struct{} // holds a value then
	due      time.Time     // when an entry is to be sent again, the zero value if none is
	since    time.Time     // since when the first entry waits that may be begun with, likewise
	failures int           // attempts in a row, up to now
	slow     int           // how many of its next attempts begin in the slow lanes
	pace     int           // how many entries may be sent at a time
}

// deliver sends what happened to webhooks, until ctx ends.
func deliver(ctx context.Context, r *runner, lose context.CancelCauseFunc) {
	d := &deliveries{
		runner: r, lose: lose, sends: newLanes(mostSends), slow: newLanes(mostSlow), failing: newLanes(mostFailing),
		looks: make(chan struct{}, mostLooks),
		hooks: map[int64]*hook{}, of: map[int64]map[int64]*hook{}, all: map[int64]*hook{},
	}
	var cut context.CancelFunc
	d.open, cut = context.WithCancel(context.WithoutCancel(ctx))
	defer d.part(ctx, cut)
	d.persist(ctx, "the webhooks could not be read", func() error {
		last, err := r.Service.Deliveries.LastEntry(ctx)
		if err == nil {
			d.reach(last)
			err = d.load(ctx)
		}
		return err
	})
	if ctx.Err() == nil { // not before: it would seem that webhooks are disabled one by one
		r.Figures.show(d.figures)
	}
	d.workers.Go(func() { d.tick(ctx) })
	for ctx.Err() == nil {
		if !d.any() {
			r.sleep(ctx, lease.Look)
			d.persist(ctx, "the journal could not be read", func() error {
				last, err := r.Service.Deliveries.LastEntry(ctx)
				if err == nil && !d.any() { // the first one reads by itself what there is by then
					d.reach(last)
				}
				return err
			})
			continue
		}
		d.persist(ctx, "the journal could not be read", func() error { return d.follow(ctx) })
	}
}

// part waits until all that delivers has ended. What is under way may come to its end for a moment, or it would come
// again; but not if another process delivers by now.
func (d *deliveries) part(ctx context.Context, cut context.CancelFunc) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.workers.Wait()
	}()
	if !d.lost(ctx) {
		select {
		case <-ended:
		case <-d.After(parting):
		}
	}
	cut()
	<-ended
}

// lost reports whether ctx ended because another process holds the lease.
func (d *deliveries) lost(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), usecase.ErrNotHeld)
}

// reach takes note of how far the journal was followed.
func (d *deliveries) reach(head int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.head = head
}

// persist does something until it works, or ctx ends.
func (d *deliveries) persist(ctx context.Context, failed string, do func() error) {
	for ctx.Err() == nil {
		err := do()
		if err == nil || ctx.Err() != nil {
			return
		}
		if errors.Is(err, usecase.ErrNotHeld) {
			d.lose(err)
			return
		}
		d.Log.Warn(failed, slog.Any("error", err))
		d.sleep(ctx, again)
	}
}

// load takes all webhooks, and looks for each what is to be sent.
func (d *deliveries) load(ctx context.Context) error {
	for after := ""; ; {
		all, next, err := d.Service.Deliveries.Subscriptions(ctx, after, followed)
		if err != nil {
			return err
		}
		for _, l := range all {
			if d.put(l); l.Enabled {
				d.wake(ctx, l.ID, time.Time{})
			}
		}
		if after = next; after == "" {
			return nil
		}
	}
}

// put takes a webhook as it is by now.
func (d *deliveries) put(l webhooks.Subscription) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hooks[l.ID]
	if h == nil {
		h = &hook{news: make(chan struct{}, 1), pace: 1}
		d.hooks[l.ID] = h
	}
	h.Subscription = l
	of := d.of[l.Account.ID]
	if of == nil {
		of = map[int64]*hook{}
		d.of[l.Account.ID] = of
	}
	of[l.ID] = h
	delete(d.all, l.ID)
	if l.All {
		d.all[l.ID] = h
	}
}

// drop forgets a webhook that is gone.
func (d *deliveries) drop(id int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hooks[id]
	if h == nil {
		return
	}
	delete(d.hooks, id)
	delete(d.all, id)
	delete(d.of[h.Account.ID], id)
	if len(d.of[h.Account.ID]) == 0 {
		delete(d.of, h.Account.ID)
	}
}

// any reports whether there is any webhook.
func (d *deliveries) any() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.hooks) > 0
}

// follow waits for entries, and wakes whom they are for.
func (d *deliveries) follow(ctx context.Context) error {
	d.mu.Lock()
	after := d.head
	d.mu.Unlock()
	if err := d.Service.Deliveries.Await(ctx, after); err != nil {
		return err
	}
	entries, upTo, err := d.Service.Deliveries.Entries(ctx, after, followed)
	if err != nil {
		return err
	}
	for i := range entries {
		for _, id := range d.hearers(&entries[i]) {
			d.wake(ctx, id, entries[i].At)
		}
	}
	d.reach(upTo)
	if len(entries) < followed {
		d.sleep(ctx, gather)
	}
	return nil
}

// hearers returns the webhooks that an entry may be for, those that an end of a block lets go on, and one that is gone.
func (d *deliveries) hearers(n *journal.Numbered) (ids []int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch n.Type {
	case journal.ResellerUnblocked, journal.AdminUnblocked:
		for id, h := range d.hooks {
			if h.Account.ID == n.Account.ID || h.Account.Under(n.Account.ID) {
				ids = append(ids, id)
			}
		}
	case journal.WebhookRemoved:
		if id, is := n.Datum(journal.Webhook).(int64); is {
			ids = append(ids, id)
		}
	}
	accounts := n.Account.Path()
	if m := n.Movement; m != nil {
		for _, b := range m.Balances {
			accounts = append(accounts, b.Reseller)
		}
	}
	slices.Sort(accounts)
	for _, account := range slices.Compact(accounts) {
		for id, h := range d.of[account] {
			if h.Enabled && !h.All && h.Matches(&n.Entry) {
				ids = append(ids, id)
			}
		}
	}
	for id, h := range d.all {
		if h.Enabled && h.Matches(&n.Entry) {
			ids = append(ids, id)
		}
	}
	return ids
}

// wake has somebody look what is to be sent to a webhook. at is when something happened for it, the zero value if that
// is not known.
func (d *deliveries) wake(ctx context.Context, id int64, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hooks[id]
	if h == nil {
		return
	}
	h.woken = true
	select {
	case h.news <- struct{}{}:
	default:
	}
	if h.since.IsZero() && h.Enabled {
		if h.since = at; at.IsZero() {
			h.since = d.Clock()
		}
	}
	if !h.working {
		h.working = true
		d.workers.Go(func() { (&worker{deliveries: d, hook: h, id: id}).run(ctx) })
	}
}

// tick wakes webhooks for which something is due again, was asked for, or of which it is to be kept how far they are.
func (d *deliveries) tick(ctx context.Context) {
	for looked := d.Passed(); d.sleep(ctx, dueEvery); {
		now := d.Clock()
		for _, id := range d.dueBy(now) {
			d.wake(ctx, id, time.Time{})
		}
		if d.Passed()-looked < lease.Look {
			continue
		}
		looked = d.Passed()
		for _, id := range d.behind() {
			d.wake(ctx, id, time.Time{})
		}
		d.persist(ctx, "what is asked of webhooks could not be read", func() error { return d.asked(ctx) })
	}
}

func (d *deliveries) dueBy(now time.Time) (ids []int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, h := range d.hooks {
		if h.Enabled && !h.working && !h.due.IsZero() && !webhook.Comes(h.due, now).After(now) {
			ids = append(ids, id)
		}
	}
	return ids
}

// far is after how many entries of others it is kept that a webhook has passed them.
func (d *deliveries) far() int64 { return max(keepEvery, keepShare*int64(len(d.hooks))) }

// behind returns the webhooks that many entries have passed since somebody looked.
func (d *deliveries) behind() (ids []int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, h := range d.hooks {
		if h.Enabled && !h.working && d.head-h.looked >= d.far() {
			ids = append(ids, id)
		}
	}
	return ids
}

// asked takes the webhooks anew that were made or changed, or of which something is asked.
func (d *deliveries) asked(ctx context.Context) error {
	ids, err := d.Service.Deliveries.Asked(ctx, followed)
	if err != nil {
		return err
	}
	for _, id := range ids {
		l, err := d.Service.Deliveries.Subscription(ctx, id)
		switch {
		case errors.Is(err, fault.ErrNotFound):
			d.drop(id)
			continue
		case err != nil:
			return err
		}
		d.put(l)
		d.wake(ctx, id, time.Time{})
	}
	return nil
}

// figures returns those of this moment.
func (d *deliveries) figures() ports.WebhookLoad {
	now := d.Clock()
	load := ports.WebhookLoad{Disabled: map[string]int{}}
	for _, why := range webhook.Reasons() {
		load.Disabled[string(why)] = 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range d.hooks {
		if !h.Enabled {
			load.Disabled[cmp.Or(string(h.Why), string(webhook.Requested))]++
			continue
		}
		load.Enabled++
		load.Waiting += h.Waiting
		if !h.since.IsZero() && h.failures < failingAfter && h.Waiting < webhook.MostWaiting {
			load.Behind = max(load.Behind, now.Sub(h.since))
		}
	}
	return load
}

// worker delivers to one webhook as long as there is something to deliver. One goroutine uses it; each attempt has
// another, which answers by results.
type worker struct {
	*deliveries

	hook    *hook
	id      int64
	results chan webhook.Outcome
	flying  map[int64]webhooks.Delivery // that are under way, by the numbers of entries
	unread  complaint
}

func (w *worker) run(ctx context.Context) {
	w.results, w.flying = make(chan webhook.Outcome, atOnce), map[int64]webhooks.Delivery{}
	for w.round(ctx) && ctx.Err() == nil {
	}
	if len(w.flying) > 0 {
		done := webhooks.Delivered{Webhook: w.id, Began: w.Clock()}
		w.part(&done)
		w.keep(ctx, done)
	}
}

// begin returns how far the journal was examined, and takes note that somebody looks.
func (w *worker) begin() (examined int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hook.woken, w.hook.looked = false, w.head
	select {
	case <-w.hook.news:
	default:
	}
	return w.hook.examined
}

// end takes how a round has ended, and reports whether there is another one. Since is from when an entry is that was
// not begun with, or one shortly before it, the zero value if none is known.
func (w *worker) end(is webhooks.Recorded, examined int64, since time.Time, more, full bool) (goesOn bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.hook
	h.examined, h.due, h.Waiting = examined, is.Next, is.Waiting
	if is.Disabled != "" {
		h.Enabled, h.Why = false, is.Disabled
	}
	switch {
	case !more && !full, !h.Enabled:
		h.since = time.Time{}
	case since.After(h.since): // an earlier one waits since the webhook was enabled, or set back
		h.since = since
	}
	h.working = h.woken || more && h.Enabled || len(w.flying) > 0
	return h.working
}

// round sends what is due, and keeps how that went. It reports whether there is another round.
func (w *worker) round(ctx context.Context) (goesOn bool) {
	examined := w.begin()
	w.looks <- struct{}{}
	underWay := func(seq int64) bool {
		_, is := w.flying[seq]
		return is
	}
	due, err := w.Service.Deliveries.Due(ctx, w.id, examined, underWay, page)
	<-w.looks
	gone := errors.Is(err, fault.ErrNotFound)
	if !gone {
		w.unread.about(ctx, w.Log.With(slog.Int64("webhook", w.id)), "what is to be sent to a webhook could not be read", err)
	}
	switch {
	case gone:
		w.drop(w.id)
		clear(w.flying) // nobody wants to know
		return w.end(webhooks.Recorded{}, 0, time.Time{}, false, false)
	case err != nil:
		return w.sleep(ctx, again)
	}
	w.put(due.Listener) // what asked has put may be older, and is not asked for again once this round has heeded it
	done := webhooks.Delivered{Webhook: w.id, Cursor: due.Cursor, UpTo: due.UpTo, Asked: due.Asked,
		Dropped: due.Unreadable, Began: w.Clock()}
	more, since := due.More, time.Time{}
	if n := len(due.Deliveries); more && n > 0 && due.Deliveries[n-1].New {
		since = due.Deliveries[n-1].Entry.At
	}
	if left := w.send(ctx, due, &done); left != nil {
		done.UpTo, more, since = left.Seq-1, true, left.Entry.At
	}
	is := webhooks.Recorded{Waiting: due.Waiting, Next: due.Next}
	w.mu.Lock()
	far := done.UpTo-done.Cursor >= w.far()
	w.mu.Unlock()
	if len(done.Outcomes)+len(done.UnderWay)+len(done.Interrupted)+len(done.Dropped) > 0 || due.Unheeded || far {
		is = w.keep(ctx, done)
	}
	more = more || due.Full && is.Waiting < webhook.MostWaiting
	return w.end(is, done.UpTo, since, more, due.Full)
}

// keep keeps what became of deliveries, for a moment also once ctx has ended: what has arrived is not to come again.
func (w *worker) keep(ctx context.Context, done webhooks.Delivered) (is webhooks.Recorded) {
	kept := false
	record := func(ctx context.Context) {
		w.persist(ctx, "what became of deliveries could not be kept", func() (err error) {
			is, err = w.Service.Deliveries.Record(ctx, w.Process, done)
			if errors.Is(err, fault.ErrNotFound) {
				err = nil // it is found out in the next round
			}
			kept = err == nil
			return err
		})
	}
	if record(ctx); !kept && !w.lost(ctx) {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
		defer cancel()
		record(last)
	}
	if is.Disabled != "" {
		w.Log.Warn("a webhook was disabled", slog.Int64("webhook", w.id), slog.String("reason", string(is.Disabled)))
	}
	return is
}

// send sends what is due, and returns when each attempt has ended, or patience has, or there is news. Those that are
// left are noted as under way. It returns the first entry that was not begun with and follows the cursor, nil if there
// is none.
func (w *worker) send(ctx context.Context, due webhooks.Due,
	done *webhooks.Delivered) (left *webhooks.Delivery) {
	queue := due.Deliveries
	over := w.After(patience)
	begun := map[int64]bool{}
	for late := false; !late && ctx.Err() == nil && (len(queue) > 0 || len(w.flying) > 0); {
		for len(queue) > 0 && len(w.flying) < w.pace() {
			next := queue[0]
			queue = queue[1:]
			w.flying[next.Seq], begun[next.Seq] = next, true
			w.workers.Go(func() { w.results <- w.attempt(ctx, due, next) })
		}
		select {
		case o := <-w.results:
			w.ended(o, done)
		case <-w.hook.news:
			late = len(queue) == 0
		case <-over:
			late = true
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		w.part(done)
	}
	for seq, d := range w.flying {
		if begun[seq] && seq != 0 {
			done.UnderWay = append(done.UnderWay, d)
		}
	}
	slices.SortFunc(done.UnderWay, func(a, b webhooks.Delivery) int { return cmp.Compare(a.Seq, b.Seq) })
	return due.First(queue)
}

// part takes what becomes of what is under way at the end. What is cut short comes again at once, to whoever delivers
// next.
func (w *worker) part(done *webhooks.Delivered) {
	for len(w.flying) > 0 {
		o := <-w.results
		if o.Failure == "" || o.Status != 0 {
			w.ended(o, done)
			continue
		}
		if d := w.flying[o.Seq]; d.Seq != 0 {
			done.Interrupted = append(done.Interrupted, d)
		}
		delete(w.flying, o.Seq)
	}
}

// ended takes what became of an attempt.
func (w *worker) ended(o webhook.Outcome, done *webhooks.Delivered) {
	delete(w.flying, o.Seq)
	done.Outcomes = append(done.Outcomes, o)
	w.Figures.count(cmp.Or(string(o.Failure), delivered))
	w.mu.Lock()
	defer w.mu.Unlock()
	if o.Failure == "" {
		w.hook.failures, w.hook.pace = 0, min(2*w.hook.pace, atOnce)
	} else {
		w.hook.failures, w.hook.pace = w.hook.failures+1, max(w.hook.pace/2, 1)
	}
}

// pace is how many entries are sent at a time.
func (w *worker) pace() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hook.pace
}

// lanes returns where the next attempt of the webhook begins.
func (w *worker) lanes() *lanes {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.hook.failures >= failingAfter:
		return w.failing
	case w.hook.slow > 0:
		w.hook.slow--
		return w.slow
	}
	return w.sends
}

// attempt sends one entry.
func (w *worker) attempt(ctx context.Context, due webhooks.Due, d webhooks.Delivery) webhook.Outcome {
	lanes, account := w.lanes(), due.Listener.Account.ID
	if lanes.enter(ctx, account) != nil {
		return webhook.Outcome{Seq: d.Seq, Failure: webhook.ConnectionFailed}
	}
	at := w.Clock()
	answers := make(chan ports.WebhookAnswer, 1)
	go func() {
		answers <- w.Sender.Send(w.open, ports.WebhookMessage{URL: due.URL, ID: d.ID, Body: w.Encode(d.Entry),
			Secrets: due.Secrets})
	}()
	var answer ports.WebhookAnswer
	select {
	case answer = <-answers:
	case <-w.After(slowAfter):
		lanes = w.slows(lanes, account)
		answer = <-answers
	}
	lanes.leave(account)
	return webhook.Outcome{
		Seq: d.Seq, Event: d.ID, Number: d.Number, At: at, Took: answer.Took, Status: answer.Status,
		Failure: answer.Failure, Cause: answer.Cause, Excerpt: answer.Excerpt, RetryAfter: answer.RetryAfter,
		Spread: w.Spread(),
	}
}

// slows notes that an attempt of the webhook is slow, and returns the lanes that it is in from now on.
func (w *worker) slows(lanes *lanes, account int64) *lanes {
	w.mu.Lock()
	w.hook.slow = slowFor
	w.mu.Unlock()
	if lanes != w.sends || !w.slow.add(account) {
		return lanes
	}
	lanes.leave(account)
	return w.slow
}
