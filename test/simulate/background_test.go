package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"resellerd/adapters/httpapi"
	"resellerd/application"
	"resellerd/application/webhooks"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/model"
)

// worker is a process that does the background work.
type worker struct {
	*run
	a       *actor
	service *application.Service
	name    string // by which it takes the lease, or which it believes to be its own still
}

// beside adds the background work of a round: processes send reminders and deliver webhooks. The holder of a lease does
// it. Now and then a process that has just lost the lease goes on, too. Then no process holds it for long, and each
// forgets its state.
func (r *run) beside(add func(slot int, do func(a *actor), effect func(w written))) {
	if r.hasty = r.random.IntN(4) == 0; r.hasty {
		for _, p := range r.processes {
			p.forget()
		}
	}
	for _, s := range []struct {
		slot int
		do   func(w *worker)
	}{{remindSlot, (*worker).remind}, {deliverSlot, (*worker).deliver}} {
		if r.random.IntN(2) == 0 && r.contended.webhook == nil {
			continue
		}
		many, all := 1, r.random.Perm(processes)
		if r.random.IntN(4) == 0 {
			many = 2
		}
		for _, by := range all[:many] {
			add(s.slot+by, func(a *actor) { s.do(r.works(a, by)) }, nil)
		}
	}
}

// works has a process work: it takes the lease, or does not get so far, or believes that it has.
func (r *run) works(a *actor, by int) *worker {
	p := r.processes[by]
	a.process, a.begun = p, p.begun
	w := &worker{r, a, r.services[by], fmt.Sprintf("process-%d-%d", p.number, p.begun)}
	w.acquire()
	if r.holder != w.name {
		p.forget()
	}
	if r.hasty && r.holder != "" {
		w.name = r.holder
	}
	return w
}

// forget has the process not remember how far it looked for webhooks.
func (p *process) forget() { p.looked = map[int64]int64{} }

// leased notes the process that has taken the lease.
func (r *run) leased(w written) {
	if l := wroteA[*lease.Lease](w); l != nil {
		r.holder = l.Holder
	}
}

// acquire takes the lease if it is free, or if its holder does not answer.
func (w *worker) acquire() {
	ctx := context.Background()
	w.a.effect = w.leased
	defer func() { w.a.effect = nil }()
	change := func(change func(lease.Lease) (lease.Lease, bool)) (is lease.Lease) {
		is, err := w.service.Leases.Change(ctx, change)
		w.may(w.a, "that the lease can be changed", err)
		return is
	}
	seen, err := w.service.Leases.Get(ctx)
	if w.may(w.a, "that the lease can be read", err); err != nil {
		return
	}
	if seen.Holder == w.name {
		if change(lease.Lease.Answer); w.a.random.IntN(20) == 0 {
			change(func(l lease.Lease) (lease.Lease, bool) { return l.Release(w.name) })
		}
		return
	}
	w.a.process.forget() // it begins its work again, also where it had the lease before another process
	if seen.Holder != "" {
		if seen = change(lease.Lease.Request); w.a.random.IntN(3) == 0 {
			return // another process will see whether there is an answer
		}
		w.a.rest(lease.AnswerTimeout)
	}
	change(func(l lease.Lease) (lease.Lease, bool) {
		if !l.MayTake(seen) {
			return l, false
		}
		return l.Take(w.name), true
	})
}

// Outcomes of background work that few years lack: a campaign has to meet each.
const (
	metGone      = "a webhook is disabled: gone"
	metFailing   = "a webhook is disabled: failing"
	metAbandoned = "an entry is abandoned, since others arrived"
	metLost      = "a process has lost the lease"
)

// met are the outcomes that a campaign has to meet, besides the success of operations and refusals.
var met = append(metEntries(), metGone, metFailing, metAbandoned, metLost, metUsed, metUpToDate, metBegun)

// held says whether the present update should find that the process has the lease.
type held struct{ asked, refused bool }

// expectHeld compares the outcome of an update that needs the lease with the lease's holder.
func (w *worker) expectHeld(h held, err error) {
	refused := errors.Is(err, application.ErrNotHeld)
	if refused {
		w.seen[metLost]++
	}
	if refused && !h.refused || err == nil && h.asked && h.refused {
		w.differ(w.a.step.String(), fmt.Sprintf("that %s may go on: %t", w.name, !h.refused), fmt.Sprint(err))
	}
}

// remind sends the reminders of expiring lines, for one number of days after the other.
func (w *worker) remind() {
	all := append([]int{0}, expiringDays...)
	w.a.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, days := range all {
		w.tell(w.a.step, "%s reminds of lines, %d days before", w.name, days)
		for left := true; left && w.difference == nil; {
			left = w.remindOf(days, pick(w.a.random, []int{1, 4, 30}))
		}
	}
}

// remindOf sends reminders of some lines, and reports whether there are more.
func (w *worker) remindOf(days, limit int) (more bool) {
	var lease held
	w.a.looks = func(view bool) { lease = held{!view, w.holder != w.name} }
	w.a.effect = func(wrote written) {
		w.world.BeginReminders(days, w.a.clockRead)
		for _, record := range wrote {
			if e, is := record.(journal.Entry); is {
				if wrong := w.world.Remind(e.Line, days, w.a.clockRead); wrong != "" {
					w.differ(w.a.step.String(), wrong, fmt.Sprintf("%+v", e))
				}
			}
		}
	}
	defer func() { w.a.looks, w.a.effect = nil, nil }()
	got, err := w.service.Reminders.Send(context.Background(), w.name, days, limit)
	if w.expectHeld(lease, err); !errors.Is(err, application.ErrNotHeld) {
		w.may(w.a, "that reminders can be sent", err)
	}
	return err == nil && got.More
}

// receiver is the server at a webhook's address.
type receiver struct {
	fails  int               // of ten attempts
	bodies map[string]string // received, by the id of the entry
}

// moods are the failures of a receiver in ten attempts.
var moods = []int{0, 0, 0, 3, 9, 10}

func (r *run) receiver(id int64, a *actor) *receiver {
	to := r.receivers[id]
	if to == nil {
		to = &receiver{bodies: map[string]string{}, fails: pick(a.random, moods)}
		r.receivers[id] = to
	}
	if a.random.IntN(40) == 0 {
		to.fails = pick(a.random, moods)
	}
	return to
}

// sending implements ports.WebhookSender: a receiver that may take its time, and that may fail.
type sending struct {
	*worker
	hook  *model.Webhook
	event *model.Event // nil: a test
}

func (s sending) Send(_ context.Context, m ports.WebhookMessage) (got ports.WebhookAnswer) {
	a, to := s.a, s.receiver(s.hook.ID, s.a)
	if before, came := to.bodies[m.ID]; came && before != string(m.Body) {
		s.differ(a.step.String(), "that "+m.ID+" is sent as it was before: "+before, string(m.Body))
	}
	to.bodies[m.ID] = string(m.Body)
	begun := s.now()
	if a.pause(); !a.calm && a.random.IntN(6) == 0 {
		a.rest(time.Duration(a.random.IntN(15_000)) * time.Millisecond)
	}
	got.Took = s.now().Sub(begun)
	switch n := a.random.IntN(100); {
	case a.calm || a.random.IntN(10) >= to.fails:
		if got.Status = 200; s.event != nil {
			s.hook.Arrived(s.event)
		}
	case n < 2:
		got.Status, got.Failure = 410, webhook.NotAccepted
	case n < 20:
		got.Failure = webhook.TimedOut
	case n < 30:
		got.Status, got.Failure, got.RetryAfter = 503, webhook.NotAccepted, time.Duration(a.random.IntN(30*3600))*time.Second
	default:
		got.Status, got.Failure, got.Excerpt = 500, webhook.NotAccepted, fmt.Sprint("no ", n)
	}
	s.tell(a.step, "webhook %d is sent %s: %d %s", s.hook.ID, m.ID, got.Status, got.Failure)
	return got
}

// deliver sends the due entries to some webhooks.
func (w *worker) deliver() {
	var there []int64
	w.a.looks = func(bool) {
		there = nil
		for _, h := range w.world.Webhooks {
			if !h.Removed {
				there = append(there, h.ID)
			}
		}
	}
	all, _, err := w.service.Deliveries.Subscriptions(context.Background(), "", 1000)
	w.a.looks = nil
	if w.may(w.a, "that webhooks can be listed", err); err != nil {
		return
	}
	var ids []int64
	for _, l := range all {
		ids = append(ids, l.ID)
	}
	if !slices.Equal(ids, there) {
		w.differ(w.a.step.String(), fmt.Sprintf("the webhooks %d", there), fmt.Sprint(ids))
	}
	w.a.random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	if h := w.contended.webhook; h != nil && !h.Removed {
		ids = append([]int64{h.ID, h.ID}, ids...)
	}
	for _, id := range ids[:min(len(ids), 1+w.a.random.IntN(4))] {
		times := 1 + w.a.random.IntN(4)
		insists := w.a.random.IntN(30) == 0 // for days, until what waits has arrived, or was abandoned
		if insists {
			times = 2 * mostAttempts
		}
		for ; times > 0 && w.difference == nil; times-- {
			next := w.deliverTo(id)
			if insists && !next.IsZero() {
				w.a.rest(next.Sub(w.a.process.now()))
			}
		}
	}
}

// mostAttempts is how often an entry is sent.
const mostAttempts = 10

// due are the deliveries of a webhook that the model allows in the moment of a look.
type due struct {
	hook    *model.Webhook // nil: it is gone
	held    bool
	url     string
	secrets []string
	test    string // "" for none
	tests   int
	entries []*model.Event // of the journal
}

// expects returns the deliveries that the model allows for a webhook now.
func (w *worker) expects(id int64, now time.Time) (d due) {
	h := w.world.Webhook(id)
	if h == nil {
		return d
	}
	d = due{hook: h, held: h.Held(), url: h.URL, secrets: []string{h.Secret}, tests: h.Tests, entries: w.world.Journal}
	if h.Previous != "" && now.Before(h.PreviousUntil) {
		d.secrets = append(d.secrets, h.Previous)
	}
	if !h.TestAsked.IsZero() {
		d.test = spelled(h.Test())
	}
	return d
}

// deliverTo sends the due entries to a webhook, and records the outcomes. It returns when more is due, the zero value
// for never.
func (w *worker) deliverTo(id int64) (next time.Time) {
	var want due
	looked, limit := w.a.process.looked[id], pick(w.a.random, []int{5, 9, 64})
	w.a.looks = func(bool) { want = w.expects(id, w.a.clockRead) }
	got, err := w.service.Deliveries.Due(context.Background(), id, looked, func(int64) bool { return false }, limit)
	w.a.looks = nil
	switch {
	case err == nil && want.hook != nil:
	case errors.Is(err, fault.ErrNotFound) && want.hook == nil:
		return time.Time{}
	case errors.Is(err, ports.ErrUnavailable):
		return w.a.process.now()
	default:
		w.differ(w.a.step.String(), fmt.Sprintf("that webhook %d is there: %t", id, want.hook != nil), fmt.Sprint(err))
		return time.Time{}
	}
	var secrets []string
	for _, s := range got.Secrets {
		secrets = append(secrets, s.Reveal())
	}
	if got.Held != want.held || got.URL != want.url || len(got.Unreadable) > 0 || want.held && len(got.Deliveries) > 0 ||
		len(got.Deliveries) > 0 && !slices.Equal(secrets, want.secrets) {
		w.differ(w.a.step.String(), fmt.Sprintf("that webhook %d is held %t, at %s, with %q", id, want.held, want.url,
			want.secrets), fmt.Sprintf("%+v", got))
	}
	done := w.sent(want, got)
	if len(done.Outcomes)+len(done.Interrupted) > 0 || got.Unhandled {
		var kept bool
		if next, kept = w.record(want.hook, done); !kept {
			return next
		}
	}
	if w.a.process.looked[id] = done.UpTo; w.hasty {
		w.a.process.forget()
	}
	if got.More || done.UpTo < got.UpTo {
		next = w.a.process.now()
	}
	return cmp.Or(next, got.Next)
}

// sent sends the due entries. It interrupts some, and leaves some for the next time.
func (w *worker) sent(want due, got webhooks.Due) (done webhooks.Delivered) {
	done = webhooks.Delivered{Webhook: want.hook.ID, Cursor: got.Cursor, UpTo: got.UpTo, Requests: got.Requests,
		Began: w.a.process.now()}
	for i, d := range got.Deliveries {
		switch {
		case !w.a.calm && d.Seq != 0 && w.a.random.IntN(30) == 0:
			done.Interrupted = append(done.Interrupted, d)
		case !w.a.calm && i > 0 && w.a.random.IntN(20) == 0:
			if left := got.First(got.Deliveries[i:]); left != nil {
				done.UpTo = left.Seq - 1
			}
			return done
		default:
			done.Outcomes = append(done.Outcomes, w.attemptTo(want, got, d))
		}
	}
	return done
}

// attemptTo sends one entry, which has to be that of the model as the owner of the webhook sees it, or the test that
// was requested.
func (w *worker) attemptTo(want due, got webhooks.Due, d webhooks.Delivery) webhook.Outcome {
	body, shown, id := httpapi.EncodeEvent(d.Entry), want.test, want.hook.TestID(want.tests)
	var event *model.Event
	if d.Seq > 0 && d.Seq <= int64(len(want.entries)) {
		event = want.entries[d.Seq-1]
		if shown, id = spelled(event.Shown(want.hook.Of)), event.ID(); !want.hook.MayHave(event) {
			w.differ(w.a.step.String(), fmt.Sprintf("that webhook %d is not sent what it is not for", want.hook.ID),
				string(body))
		}
	}
	if decoded, err := decode(body); err != nil || spelled(decoded) != shown || d.ID != id {
		w.differ(w.a.step.String(), id+" "+shown, fmt.Sprintf("%s %s (%v)", d.ID, body, err))
	}
	at := w.a.process.now()
	answer := sending{w, want.hook, event}.Send(context.Background(),
		ports.WebhookMessage{URL: got.URL, ID: d.ID, Body: body, Secrets: got.Secrets})
	return webhook.Outcome{
		Seq: d.Seq, Event: d.ID, Number: d.Number, At: at, Took: answer.Took, Status: answer.Status,
		Failure: answer.Failure, Excerpt: answer.Excerpt, RetryAfter: answer.RetryAfter, Spread: w.a.random.Float64(),
	}
}

// record stores outcomes, again until they are stored, and returns when more is due. It reports whether they were
// stored.
func (w *worker) record(h *model.Webhook, done webhooks.Delivered) (next time.Time, kept bool) {
	var lease held
	gone := false
	w.a.looks = func(bool) { lease, gone = held{true, w.holder != w.name}, h.Removed }
	w.a.effect = func(wrote written) { w.recorded(h, done, wroteA[*webhook.Webhook](wrote)) }
	defer func() { w.a.looks, w.a.effect = nil, nil }()
	for w.difference == nil {
		is, err := w.service.Deliveries.Record(context.Background(), w.name, done)
		w.expectHeld(lease, err)
		switch {
		case err == nil && !gone:
			return is.Next, true
		case errors.Is(err, application.ErrNotHeld):
			w.a.process.forget()
			return time.Time{}, false
		case errors.Is(err, fault.ErrNotFound) && gone:
			return time.Time{}, false
		case !errors.Is(err, ports.ErrUnavailable):
			w.differ(w.a.step.String(), fmt.Sprintf("that outcomes are stored, unless the webhook is gone: %t", gone),
				fmt.Sprint(err))
		}
		w.a.rest(time.Second)
	}
	return time.Time{}, false
}

// recorded takes over stored outcomes. An entry was abandoned where its last attempt failed, unless that disabled the
// webhook because its receiver is gone.
func (w *worker) recorded(h *model.Webhook, done webhooks.Delivered, saved *webhook.Webhook) {
	var isGone, failed bool
	var last []*model.Event
	for _, o := range done.Outcomes {
		if o.Seq == 0 {
			h.TestAsked = time.Time{}
			continue
		}
		isGone = isGone || o.Status == http.StatusGone
		if o.Failure != "" && o.Number >= mostAttempts {
			failed, last = true, append(last, w.world.Journal[o.Seq-1])
		}
	}
	why := ""
	if saved != nil {
		why = string(saved.Disabled)
	}
	if isGone && why == "" && h.Disabled == "" || why == "gone" && !isGone || why == "failing" && !failed {
		w.differ(w.a.step.String(), fmt.Sprintf("that webhook %d is disabled where its receiver is gone (%t) or fails (%t)",
			h.ID, isGone, failed), fmt.Sprintf("%q", why))
	}
	if why != "" {
		w.seen["a webhook is disabled: "+why]++
		w.world.DisableWebhook(h, why, w.a.clockRead)
		return
	}
	for _, e := range last {
		w.seen[metAbandoned]++
		h.Abandoned(e)
	}
}

// settle sends all reminders and webhooks that are left, with right clocks, and compares them with the model.
func (r *run) settle() {
	for _, p := range r.processes {
		p.skew = 0
		p.forget()
	}
	r.hasty = false
	r.operator(stepID{r.round, settleSlot}, true, func(a *actor) {
		a.effect = r.leased
		for r.holder != "process-0-settles" && r.difference == nil {
			_, err := r.services[0].Leases.Change(context.Background(), func(l lease.Lease) (lease.Lease, bool) {
				return l.Take("process-0-settles"), true
			})
			r.may(a, "that the lease is taken", err)
		}
		a.effect = nil
		w := &worker{r, a, r.services[0], r.holder}
		a.process, a.begun = r.processes[0], r.processes[0].begun
		for range 2 { // after a clock that was far ahead it only starts again
			w.remind()
		}
		if untold := r.world.MissedReminders(a.clockRead); len(untold) > 0 {
			r.differ("the reminders", "that a reminder is sent once a line expires", fmt.Sprint(untold))
		}
		w.settleWebhooks()
	}, nil)
	r.play(-1)
}

// settleWebhooks sends each webhook all that is due, until nothing can wait any more.
func (w *worker) settleWebhooks() {
	for range 4 {
		for _, h := range w.world.Webhooks {
			for !h.Removed && w.difference == nil {
				if next := w.deliverTo(h.ID); next.IsZero() || next.After(w.a.process.now()) {
					break
				}
			}
		}
		w.a.rest(day)
	}
	for _, h := range w.world.Webhooks {
		if missing := w.world.Missing(h); w.difference == nil && len(missing) > 0 && !h.Removed && !h.Held() {
			w.differ("the deliveries", fmt.Sprintf("that webhook %d is sent all that it is for", h.ID),
				spelled(missing[0].Shown(h.Of)))
		}
	}
}
