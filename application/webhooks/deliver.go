package webhooks

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/domain/webhook"
	"resellerd/ports"
)

const (
	// atOnce is how many entries are sent to one webhook at a time: one at first, twice as many after each success,
	// half as many after each failure.
	atOnce = 8
	// mostSends bounds the attempts in flight, mostSlow those that have taken slowAfter, and mostFailing those to
	// webhooks that have not accepted any of the last failingAfter. Each of the three has lanes of its own, so slow and
	// failing webhooks do not delay others. An attempt that becomes slow moves to the slow lanes even if none is free,
	// up to twice their number.
	failingAfter = 3
	slowAfter    = 2 * time.Second
	mostSends    = 256
	mostSlow     = 256
	mostFailing  = 64
	// slowFor is how many attempts of a webhook begin in the slow lanes after one was slow.
	slowFor = 16
	// page is how many entries of one webhook a round sends before it records their outcomes.
	page = 64
	// patience is how long a round waits for answers. After that it records that the other attempts are in flight.
	patience = time.Second
	// readAtOnce is how many entries are read at a time to find their subscribers. gather is how long the dispatcher
	// waits for further entries after some have come.
	readAtOnce = 500
	gather     = 25 * time.Millisecond
	// recordEvery is the number of entries for other webhooks after which the cursor of a webhook is stored. A webhook
	// whose subscription changes to match these entries gets them, too. It is recordShare for each webhook if that is
	// more: the cost of a command must stay a fraction of another command.
	recordEvery, recordShare = 1_000, 10
	// dueEvery is how often the dispatcher looks for entries that are due again.
	dueEvery = 250 * time.Millisecond
	// retryAfter is the wait before a retry after a failure of the store.
	retryAfter = time.Second
	// drainTime is how long attempts in flight may take at the end of the process, and lastTime how long the record of
	// their outcomes may take.
	drainTime = time.Second
	lastTime  = 2 * time.Second
	// mostQueries bounds the queries at a time for the deliveries that are due.
	mostQueries = 16
)

// Figures are the figures of the dispatcher, for operators. The zero value is ready, and safe for concurrent use.
type Figures struct {
	dispatcher atomic.Pointer[dispatcher] // nil: another process delivers
	mu         sync.Mutex
	attempts   map[string]int64 // by outcome
}

// delivered is the outcome of an attempt that did not fail.
const delivered = "delivered"

// Attempts returns how many attempts had each outcome.
func (f *Figures) Attempts() map[string]int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := map[string]int64{delivered: f.attempts[delivered]}
	for _, failure := range webhook.Failures() {
		all[string(failure)] = f.attempts[string(failure)]
	}
	return all
}

// Load returns the load of this moment, or nil if another process delivers.
func (f *Figures) Load() *ports.WebhookLoad {
	if d := f.dispatcher.Load(); d != nil {
		return d.load()
	}
	return nil
}

func (f *Figures) count(outcome string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.attempts == nil {
		f.attempts = map[string]int64{}
	}
	f.attempts[outcome]++
}

// Sending configures how the dispatcher sends.
type Sending struct {
	Sender ports.WebhookSender
	Encode func(n journal.Numbered) []byte // returns the form of an entry for receivers
	Spread func() float64                  // at random from [0, 1)
}

// dispatcher sends entries to their subscribers. It has all webhooks in memory, each with the number of the entry up to
// which the dispatcher has examined the journal for it. The store has the cursor, which may be behind.
type dispatcher struct {
	Dispatch
	usecase.Loop
	Sending

	figures *Figures
	open    context.Context // of attempts: it ends later than other contexts
	workers sync.WaitGroup
	sends   *lanes
	slow    *lanes
	failing *lanes
	queries chan struct{}

	head        atomic.Int64 // number of the entry up to which the journal was read
	mu          sync.Mutex
	subscribers map[int64]*subscriber
	ofAccount   map[int64]map[int64]*subscriber
	ofAll       map[int64]*subscriber // to the entries of all accounts
}

// subscriber is a webhook in memory.
type subscriber struct {
	Subscription

	examined int64         // number of the entry up to which every entry was sent once
	looked   int64         // dispatcher.head when the last round began
	working  bool          // a goroutine works for it
	woken    bool          // further work may have come since the last round began
	news     chan struct{} // has a value then
	due      time.Time     // when the next retry is due, the zero value without one
	since    time.Time     // the time of the first entry that may be sent and was not, likewise
	failures int           // failed attempts in a row, up to now
	slow     int           // how many of its next attempts begin in the slow lanes
	pace     int           // how many entries may be sent at a time
}

// Run sends entries to webhooks, until ctx ends.
func (s Dispatch) Run(ctx context.Context, l usecase.Loop, sending Sending, figures *Figures) {
	d := &dispatcher{
		Dispatch: s, Loop: l, Sending: sending, figures: figures, queries: make(chan struct{}, mostQueries),
		sends: newLanes(mostSends), slow: newLanes(mostSlow), failing: newLanes(mostFailing),
		subscribers: map[int64]*subscriber{}, ofAccount: map[int64]map[int64]*subscriber{}, ofAll: map[int64]*subscriber{},
	}
	var cut context.CancelFunc
	d.open, cut = context.WithCancel(context.WithoutCancel(ctx))
	defer figures.dispatcher.Store(nil)
	defer d.drain(ctx, cut)
	d.persist(ctx, "the webhooks could not be read", func() error {
		last, err := s.LastEntry(ctx)
		if err == nil {
			d.head.Store(last)
			err = d.subscribeAll(ctx)
		}
		return err
	})
	if ctx.Err() == nil { // not before: webhooks would seem to be disabled one by one
		figures.dispatcher.Store(d)
	}
	d.workers.Go(func() { d.tick(ctx) })
	for ctx.Err() == nil {
		d.persist(ctx, "the journal could not be read", func() error { return d.readJournal(ctx) })
	}
}

// drain waits until all goroutines of the dispatcher have ended. It gives attempts in flight a short time, so that they
// are not repeated, unless another process has the lease.
func (d *dispatcher) drain(ctx context.Context, cut context.CancelFunc) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.workers.Wait()
	}()
	if !isLost(ctx) {
		select {
		case <-ended:
		case <-d.After(drainTime):
		}
	}
	cut()
	<-ended
}

// isLost reports whether ctx ended because another process has the lease.
func isLost(ctx context.Context) bool { return errors.Is(context.Cause(ctx), usecase.ErrNotHeld) }

// subscribed reports whether there are webhooks.
func (d *dispatcher) subscribed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.subscribers) > 0
}

// persist repeats a step until it succeeds, or ctx ends.
func (d *dispatcher) persist(ctx context.Context, message string, step func() error) {
	for ctx.Err() == nil {
		err := step()
		if err == nil || ctx.Err() != nil {
			return
		}
		if errors.Is(err, usecase.ErrNotHeld) {
			d.EndAll(err)
			return
		}
		d.Log.Warn(message, slog.Any("error", err))
		d.Sleep(ctx, retryAfter)
	}
}

// subscribeAll reads all webhooks, and starts a round of each one that is enabled.
func (d *dispatcher) subscribeAll(ctx context.Context) error {
	for after := ""; ; {
		all, next, err := d.Subscriptions(ctx, after, readAtOnce)
		if err != nil {
			return err
		}
		for _, s := range all {
			if d.subscribe(s); s.Enabled {
				d.wake(ctx, s.ID, time.Time{})
			}
		}
		if after = next; after == "" {
			return nil
		}
	}
}

// subscribe adds or replaces a webhook.
func (d *dispatcher) subscribe(to Subscription) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.subscribers[to.ID]
	if s == nil {
		s = &subscriber{news: make(chan struct{}, 1), pace: 1}
		d.subscribers[to.ID] = s
	}
	s.Subscription = to
	if d.ofAccount[to.Account.ID] == nil {
		d.ofAccount[to.Account.ID] = map[int64]*subscriber{}
	}
	d.ofAccount[to.Account.ID][to.ID] = s
	if delete(d.ofAll, to.ID); to.All {
		d.ofAll[to.ID] = s
	}
}

// unsubscribe removes a webhook.
func (d *dispatcher) unsubscribe(id int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.subscribers[id]
	if s == nil {
		return
	}
	delete(d.subscribers, id)
	delete(d.ofAll, id)
	if delete(d.ofAccount[s.Account.ID], id); len(d.ofAccount[s.Account.ID]) == 0 {
		delete(d.ofAccount, s.Account.ID)
	}
}

// readJournal waits for entries, and wakes their subscribers.
func (d *dispatcher) readJournal(ctx context.Context) error {
	if !d.subscribed() {
		d.Sleep(ctx, lease.PollInterval)
		last, err := d.LastEntry(ctx)
		if err == nil && !d.subscribed() { // the first webhook reads the existing entries by itself
			d.head.Store(last)
		}
		return err
	}
	after := d.head.Load()
	if err := d.Await(ctx, after); err != nil {
		return err
	}
	entries, upTo, err := d.Entries(ctx, after, readAtOnce)
	if err != nil {
		return err
	}
	for i := range entries {
		for _, id := range d.subscribersOf(&entries[i]) {
			d.wake(ctx, id, entries[i].At)
		}
	}
	d.head.Store(upTo)
	if len(entries) < readAtOnce {
		d.Sleep(ctx, gather)
	}
	return nil
}

// subscribersOf returns the webhooks to check for an entry: matching ones, those that the end of a block resumes, and a
// removed one.
func (d *dispatcher) subscribersOf(n *journal.Numbered) (ids []int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch n.Type {
	case journal.ResellerUnblocked, journal.AdminUnblocked:
		for id, s := range d.subscribers {
			if s.Account.ID == n.Account.ID || s.Account.Under(n.Account.ID) {
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
		for id, s := range d.ofAccount[account] {
			if s.Enabled && !s.All && s.Matches(&n.Entry) {
				ids = append(ids, id)
			}
		}
	}
	for id, s := range d.ofAll {
		if s.Enabled && s.Matches(&n.Entry) {
			ids = append(ids, id)
		}
	}
	return ids
}

// wake starts a round of a webhook, or another one after the running round. at is when its entry was appended, the zero
// value if that is not known.
func (d *dispatcher) wake(ctx context.Context, id int64, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.subscribers[id]
	if s == nil {
		return
	}
	s.woken = true
	select {
	case s.news <- struct{}{}:
	default:
	}
	if s.since.IsZero() && s.Enabled {
		if s.since = at; at.IsZero() {
			s.since = d.k.Dependencies.Clock()
		}
	}
	if !s.working {
		s.working = true
		d.workers.Go(func() { (&worker{dispatcher: d, subscriber: s, id: id}).run(ctx) })
	}
}

// tick wakes webhooks with a retry that is due, a request of the owner, or a cursor to store.
func (d *dispatcher) tick(ctx context.Context) {
	for looked := d.Passed(); d.Sleep(ctx, dueEvery); {
		now := d.k.Dependencies.Clock()
		d.wakeIdle(ctx, func(s *subscriber) bool { return !s.due.IsZero() && !webhook.NextAttempt(s.due, now).After(now) })
		if d.Passed()-looked < lease.PollInterval {
			continue
		}
		looked = d.Passed()
		d.wakeIdle(ctx, func(s *subscriber) bool { return d.head.Load()-s.looked >= d.recordAfter() })
		d.persist(ctx, "requests for webhooks could not be read", func() error { return d.handleRequests(ctx) })
	}
}

// wakeIdle wakes the enabled webhooks without a round for which a condition is true.
func (d *dispatcher) wakeIdle(ctx context.Context, condition func(s *subscriber) bool) {
	d.mu.Lock()
	var ids []int64
	for id, s := range d.subscribers {
		if s.Enabled && !s.working && condition(s) {
			ids = append(ids, id)
		}
	}
	d.mu.Unlock()
	for _, id := range ids {
		d.wake(ctx, id, time.Time{})
	}
}

// recordAfter returns the number of entries for other webhooks after which the cursor of a webhook is stored.
func (d *dispatcher) recordAfter() int64 {
	return max(recordEvery, recordShare*int64(len(d.subscribers)))
}

// handleRequests reads the created and changed webhooks again, and those with a request for a test or a replay.
func (d *dispatcher) handleRequests(ctx context.Context) error {
	ids, err := d.Requested(ctx, readAtOnce)
	if err != nil {
		return err
	}
	for _, id := range ids {
		s, err := d.Subscription(ctx, id)
		switch {
		case errors.Is(err, fault.ErrNotFound):
			d.unsubscribe(id)
			continue
		case err != nil:
			return err
		}
		d.subscribe(s)
		d.wake(ctx, id, time.Time{})
	}
	return nil
}

// load returns the load of this moment.
func (d *dispatcher) load() *ports.WebhookLoad {
	now := d.k.Dependencies.Clock()
	load := &ports.WebhookLoad{Disabled: map[string]int{}}
	for _, why := range webhook.Reasons() {
		load.Disabled[string(why)] = 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.subscribers {
		if !s.Enabled {
			load.Disabled[cmp.Or(string(s.Why), string(webhook.Requested))]++
			continue
		}
		load.Enabled++
		load.Waiting += s.Waiting
		if !s.since.IsZero() && s.failures < failingAfter && s.Waiting < webhook.MaxWaiting {
			load.Behind = max(load.Behind, now.Sub(s.since))
		}
	}
	return load
}

// worker delivers to one webhook while a delivery is due. One goroutine uses it. Each attempt has another goroutine,
// which answers by results.
type worker struct {
	*dispatcher

	subscriber *subscriber
	id         int64
	results    chan webhook.Outcome
	underWay   map[int64]Delivery // by the numbers of entries
	failure    usecase.Failure
}

func (w *worker) run(ctx context.Context) {
	w.results, w.underWay = make(chan webhook.Outcome, atOnce), map[int64]Delivery{}
	for w.round(ctx) && ctx.Err() == nil {
	}
	if len(w.underWay) > 0 {
		done := Delivered{Webhook: w.id, Began: w.k.Dependencies.Clock()}
		w.interrupt(&done)
		w.record(ctx, done)
	}
}

// begin begins a round, and returns the number of the entry up to which the journal was examined.
func (w *worker) begin() (examined int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subscriber.woken, w.subscriber.looked = false, w.head.Load()
	select {
	case <-w.subscriber.news:
	default:
	}
	return w.subscriber.examined
}

// end takes the result of a round, and reports whether another one follows. since is when the first entry that was not
// sent was appended, or shortly before, the zero value if that is not known.
func (w *worker) end(is Recorded, examined int64, since time.Time, more, full bool) (goesOn bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.subscriber
	s.examined, s.due, s.Waiting = examined, is.Next, is.Waiting
	if is.Disabled != "" {
		s.Enabled, s.Why = false, is.Disabled
	}
	switch {
	case !more && !full, !s.Enabled:
		s.since = time.Time{}
	case since.After(s.since): // an earlier entry waits since the webhook was enabled, or its cursor moved back
		s.since = since
	}
	s.working = s.woken || more && s.Enabled || len(w.underWay) > 0
	return s.working
}

// round sends the due deliveries, and records the outcomes. It reports whether another round follows.
func (w *worker) round(ctx context.Context) (goesOn bool) {
	examined := w.begin()
	w.queries <- struct{}{}
	underWay := func(seq int64) bool {
		_, is := w.underWay[seq]
		return is
	}
	due, err := w.Due(ctx, w.id, examined, underWay, page)
	<-w.queries
	if errors.Is(err, fault.ErrNotFound) {
		w.unsubscribe(w.id)
		clear(w.underWay) // their outcomes have no record
		return w.end(Recorded{}, 0, time.Time{}, false, false)
	}
	w.failure.Report(ctx, &w.Loop, "the due deliveries of a webhook could not be read", err, slog.Int64("webhook", w.id))
	if err != nil {
		return w.Sleep(ctx, retryAfter)
	}
	w.subscribe(due.Subscription) // handleRequests may have read an older one, and does not read it again after this round
	done := Delivered{Webhook: w.id, Cursor: due.Cursor, UpTo: due.UpTo, Requests: due.Requests,
		Dropped: due.Unreadable, Began: w.k.Dependencies.Clock()}
	more, since := due.More, time.Time{}
	if n := len(due.Deliveries); more && n > 0 && due.Deliveries[n-1].New {
		since = due.Deliveries[n-1].Entry.At
	}
	if left := w.send(ctx, due, &done); left != nil {
		done.UpTo, more, since = left.Seq-1, true, left.Entry.At
	}
	is := Recorded{Waiting: due.Waiting, Next: due.Next}
	w.mu.Lock()
	far := done.UpTo-done.Cursor >= w.recordAfter()
	w.mu.Unlock()
	if len(done.Outcomes)+len(done.UnderWay)+len(done.Interrupted)+len(done.Dropped) > 0 || due.Unhandled || far {
		is = w.record(ctx, done)
	}
	more = more || due.Full && is.Waiting < webhook.MaxWaiting
	return w.end(is, done.UpTo, since, more, due.Full)
}

// record stores the outcomes of deliveries, also for a moment after ctx has ended, so that successful deliveries are
// not repeated.
func (w *worker) record(ctx context.Context, done Delivered) (is Recorded) {
	recorded := false
	try := func(ctx context.Context) {
		w.persist(ctx, "the outcomes of deliveries could not be stored", func() (err error) {
			is, err = w.Record(ctx, w.Process, done)
			if errors.Is(err, fault.ErrNotFound) {
				err = nil // the next round finds it
			}
			recorded = err == nil
			return err
		})
	}
	if try(ctx); !recorded && !isLost(ctx) {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
		defer cancel()
		try(last)
	}
	if is.Disabled != "" {
		w.Log.Warn("a webhook was disabled", slog.Int64("webhook", w.id), slog.String("reason", string(is.Disabled)))
	}
	return is
}

// send sends the due deliveries. It returns when each attempt has ended, patience has passed, or there is news. It
// records the other attempts as in flight. It returns the first entry that was not sent and follows the cursor, nil
// without one.
func (w *worker) send(ctx context.Context, due Due, done *Delivered) (left *Delivery) {
	queue := due.Deliveries
	over := w.After(patience)
	begun := map[int64]bool{}
	for late := false; !late && ctx.Err() == nil && (len(queue) > 0 || len(w.underWay) > 0); {
		for len(queue) > 0 && len(w.underWay) < w.pace() {
			next := queue[0]
			queue = queue[1:]
			w.underWay[next.Seq], begun[next.Seq] = next, true
			w.workers.Go(func() { w.results <- w.attempt(ctx, due, next) })
		}
		select {
		case o := <-w.results:
			w.settle(o, done)
		case <-w.subscriber.news:
			late = len(queue) == 0
		case <-over:
			late = true
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		w.interrupt(done)
	}
	for seq, d := range w.underWay {
		if begun[seq] && seq != 0 {
			done.UnderWay = append(done.UnderWay, d)
		}
	}
	slices.SortFunc(done.UnderWay, func(a, b Delivery) int { return cmp.Compare(a.Seq, b.Seq) })
	return due.First(queue)
}

// interrupt waits for the attempts in flight at the end. Interrupted attempts are due again at once, for the process
// that delivers next.
func (w *worker) interrupt(done *Delivered) {
	for len(w.underWay) > 0 {
		o := <-w.results
		if o.Failure == "" || o.Status != 0 {
			w.settle(o, done)
			continue
		}
		if d := w.underWay[o.Seq]; d.Seq != 0 {
			done.Interrupted = append(done.Interrupted, d)
		}
		delete(w.underWay, o.Seq)
	}
}

// settle handles the outcome of an attempt.
func (w *worker) settle(o webhook.Outcome, done *Delivered) {
	delete(w.underWay, o.Seq)
	done.Outcomes = append(done.Outcomes, o)
	w.figures.count(cmp.Or(string(o.Failure), delivered))
	w.mu.Lock()
	defer w.mu.Unlock()
	if o.Failure == "" {
		w.subscriber.failures, w.subscriber.pace = 0, min(2*w.subscriber.pace, atOnce)
	} else {
		w.subscriber.failures, w.subscriber.pace = w.subscriber.failures+1, max(w.subscriber.pace/2, 1)
	}
}

// pace returns how many entries are sent at a time.
func (w *worker) pace() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.subscriber.pace
}

// lanes returns the lanes for the next attempt.
func (w *worker) lanes() *lanes {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.subscriber.failures >= failingAfter:
		return w.failing
	case w.subscriber.slow > 0:
		w.subscriber.slow--
		return w.slow
	}
	return w.sends
}

// attempt sends one entry.
func (w *worker) attempt(ctx context.Context, due Due, d Delivery) webhook.Outcome {
	lanes, account := w.lanes(), due.Subscription.Account.ID
	if lanes.enter(ctx, account) != nil {
		return webhook.Outcome{Seq: d.Seq, Failure: webhook.ConnectionFailed}
	}
	at := w.k.Dependencies.Clock()
	answers := make(chan ports.WebhookAnswer, 1)
	go func() {
		answers <- w.Sender.Send(w.open, ports.WebhookMessage{URL: due.URL, ID: d.ID, Body: w.Encode(d.Entry),
			Secrets: due.Secrets})
	}()
	var answer ports.WebhookAnswer
	select {
	case answer = <-answers:
	case <-w.After(slowAfter):
		lanes = w.changeLanes(lanes, account)
		answer = <-answers
	}
	lanes.leave(account)
	return webhook.Outcome{
		Seq: d.Seq, Event: d.ID, Number: d.Number, At: at, Took: answer.Took, Status: answer.Status,
		Failure: answer.Failure, Cause: answer.Cause, Excerpt: answer.Excerpt, RetryAfter: answer.RetryAfter,
		Spread: w.Spread(),
	}
}

// changeLanes marks an attempt as slow, and returns its new lanes.
func (w *worker) changeLanes(lanes *lanes, account int64) *lanes {
	w.mu.Lock()
	w.subscriber.slow = slowFor
	w.mu.Unlock()
	if lanes != w.sends || !w.slow.add(account) {
		return lanes
	}
	lanes.leave(account)
	return w.slow
}
