package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"pgregory.net/rapid"

	"resellerd/adapters/httpapi"
	"resellerd/application"
	"resellerd/application/reminders"
	"resellerd/application/webhooks"
	"resellerd/domain/fault"
	"resellerd/domain/lease"
	"resellerd/domain/line"
	"resellerd/domain/webhook"
	"resellerd/ports"
)

// processes are who may do what one process does beside requests.
var processes = []string{"one process", "another process"}

// takeLease has a process take the lease, answer who asked, or give the lease back.
func (m *machine) takeLease(t *rapid.T) {
	by := rapid.SampledFrom(processes).Draw(t, "process")
	change := map[string]func(lease.Lease) (lease.Lease, bool){
		"take":    func(l lease.Lease) (lease.Lease, bool) { return l.Take(by), true },
		"ask":     lease.Lease.Ask,
		"answer":  lease.Lease.Answer,
		"release": func(l lease.Lease) (lease.Lease, bool) { return l.Release(by) },
	}
	does := rapid.SampledFrom([]string{"take", "take", "ask", "answer", "release"}).Draw(t, "does")
	was, err := m.service.Leases.Get(t.Context())
	check(t, err)
	is, err := m.service.Leases.Change(t.Context(), change[does])
	check(t, err)
	switch {
	case was.Holder != m.holder:
		t.Fatalf("the lease is of %q, and should be of %q", was.Holder, m.holder)
	case does == "take":
		m.holder = by
	case does == "release" && m.holder == by:
		m.holder = ""
	}
	if is.Holder != m.holder || does == "ask" && !is.Open() || does != "ask" && does != "release" && is.Open() {
		t.Fatalf("after %s by %q the lease is %+v, and should be of %q", does, by, is, m.holder)
	}
}

// works returns who does what is done beside requests, mostly the holder of the lease.
func (m *machine) works(t *rapid.T) (by string, held error) {
	if by = rapid.SampledFrom(append(slices.Clone(processes), m.holder, m.holder)).Draw(t, "process"); by != m.holder {
		held = application.ErrNotHeld
	}
	return by, held
}

// remind has owners of lines told, once or as often as there is somebody to be told.
func (m *machine) remind(t *rapid.T) {
	by, held := m.works(t)
	days := rapid.Permutation(append([]int{0}, m.ExpiringDays...)).Draw(t, "days")
	for _, days := range days[:rapid.IntRange(1, len(days)).Draw(t, "thresholds")] {
		m.remindOf(t, by, held, days, rapid.IntRange(1, 4).Draw(t, "limit"))
	}
}

func (m *machine) remindOf(t *rapid.T, by string, held error, days, limit int) {
	for more := true; more; {
		before, something := len(m.Journal), m.Remindable(days, m.now)
		told, err := m.service.Reminders.Send(t.Context(), by, days, limit)
		switch {
		case something && held != nil && errors.Is(err, held):
			return
		case !something && err == nil && told == reminders.Sent{}:
			return
		case held != nil || !something:
			t.Fatalf("a process without the lease, or with nobody to be told, tells %+v (%v)", told, err)
		}
		check(t, err)
		var is line.ReminderCursor
		check(t, m.kept.View(t.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
			is, err = ports.Reminders.From(s.Records).Get(ctx, int64(days))
			return err
		}))
		if wrong := m.Remind(days, m.Expiries(), Mark{is.Expiry, is.Line}, m.now); wrong != "" {
			t.Fatalf("remind of %d days: the model says %s, and there is %+v", days, wrong, is)
		}
		if told.Entries != len(m.Journal)-before {
			t.Fatalf("remind of %d days told of %d lines, and the model says %d", days, told.Entries, len(m.Journal)-before)
		}
		more = told.More
	}
}

// deliver sends to a webhook what it is to be sent, once or until it is given up.
func (m *machine) deliver(t *rapid.T) {
	_, h := m.anyWebhook(t)
	by, held := m.works(t)
	fails := rapid.IntRange(0, 3).Draw(t, "fails")
	rounds := rapid.SampledFrom([]int{1, 1, 1, len(retries) + 2}).Draw(t, "rounds")
	for round := range rounds {
		if round > 0 {
			m.now = m.now.Add(30 * time.Hour)
		}
		m.deliverTo(t, h, by, held, func() (webhook.Failure, int) {
			if rapid.IntRange(0, 3).Draw(t, "fate") >= fails {
				return "", 204
			}
			return webhook.NotAccepted, rapid.SampledFrom([]int{500, 500, 500, 500, 500, 500, 500, 410}).Draw(t, "status")
		})
	}
}

// deliverTo sends to a webhook what it is to be sent now, and compares what that is with the model.
func (m *machine) deliverTo(t *rapid.T, h *Webhook, by string, held error,
	fate func() (webhook.Failure, int)) (left bool) {
	m.numbered(t)
	m.number(t)
	limit, examined := rapid.SampledFrom([]int{5, 9, 64}).Draw(t, "limit"), int64(0)
	if rapid.Bool().Draw(t, "remembers") {
		examined = m.looked[h]
	}
	due, err := m.service.Deliveries.Due(t.Context(), h.ID, examined, func(int64) bool { return false }, limit)
	if h.Removed {
		if !errors.Is(err, fault.ErrNotFound) {
			t.Fatalf("a webhook that is gone is to be sent %+v (%v)", due, err)
		}
		return false
	}
	check(t, err)
	done := m.sent(t, h, due, max(h.Cursor, examined), limit, fate)
	if held == nil {
		m.looked[h] = due.UpTo
	}
	if !due.Unhandled && len(done.model.Outcomes)+len(done.model.UnderWay)+len(done.model.Interrupted) == 0 {
		return due.More // there is nothing to be kept
	}
	return m.record(t, h, by, held, done) && (due.More || len(h.Waiting) > 0)
}

// pending is what becomes of deliveries, as the service and as the model put it.
type pending struct {
	service webhooks.Delivered
	model   Delivered
}

// sent compares what is to be sent with the model, and has it be sent.
func (m *machine) sent(t *rapid.T, h *Webhook, due webhooks.Due, from int64, limit int,
	fate func() (webhook.Failure, int)) (p pending) {
	asked := h.Asked != h.Heeded
	if due.Cursor != h.Cursor || due.Held != h.Held() || due.URL != h.URL || due.Unhandled != asked ||
		due.Requests != h.Asked || len(due.Unreadable) > 0 {
		t.Fatalf("webhook %d is to be sent %+v, and the model says %+v", h.ID, due, h)
	}
	p.service = webhooks.Delivered{Webhook: h.ID, Cursor: due.Cursor, UpTo: due.UpTo, Requests: due.Requests, Began: m.now}
	p.model = Delivered{Cursor: due.Cursor, UpTo: due.UpTo, Asked: due.Requests, Began: m.now}
	if due.Held {
		if len(due.Deliveries) > 0 {
			t.Fatalf("webhook %d is held, and is to be sent %+v", h.ID, due.Deliveries)
		}
		return p
	}
	if secrets := m.secrets(h); len(due.Deliveries) > 0 &&
		(len(due.Secrets) != len(secrets) || due.Secrets[0].Reveal() != secrets[0] ||
			due.Secrets[len(secrets)-1].Reveal() != secrets[len(secrets)-1]) {
		t.Fatalf("webhook %d is signed for by %d secrets, and the model says %q", h.ID, len(due.Secrets), secrets)
	}
	if !due.Full && !due.More && due.UpTo != int64(len(m.Journal)) {
		t.Fatalf("the journal is examined up to entry %d, and has %d", due.UpTo, len(m.Journal))
	}
	if asked {
		from = h.Cursor
	}
	news := m.Unsent(h, from, due.UpTo)
	tested, again := h.TestAsked.IsZero(), 0
	listener, err := m.service.Deliveries.Subscription(t.Context(), h.ID)
	check(t, err)
	for _, d := range due.Deliveries {
		body := body(t, d)
		of := Delivery{Number: d.Number}
		switch {
		case d.Seq == 0:
			if tested || body != text(t, h.Test()) || d.ID != h.TestID(h.Tests) || d.Number != 1 {
				t.Fatalf("webhook %d is sent the test %s, and the model says %s", h.ID, body, text(t, h.Test()))
			}
			tested = true
		case d.New:
			if len(news) == 0 || d.Seq != news[0].Seq || d.Number != 1 {
				t.Fatalf("webhook %d is sent %s, and the model says %s", h.ID, body, listed(t, news))
			}
			if of.Event, news = news[0], news[1:]; !listener.Matches(&d.Entry.Entry) {
				t.Fatalf("webhook %d is sent %s, and nobody would have looked", h.ID, body)
			}
		default:
			waits := h.waiting(m.Journal[d.Seq-1])
			if again++; waits == nil || !mayBeDue(waits.Window, m.now) || d.Number != waits.Attempts+1 {
				t.Fatalf("webhook %d is sent %s again, attempt %d, and the model says %+v", h.ID, body, d.Number, waits)
			}
			of.Event = waits.Event
		}
		if of.Event != nil && (body != text(t, of.Event.Shown(h.Of)) || d.ID != of.Event.ID()) {
			t.Fatalf("webhook %d is sent %s, and the model says %s", h.ID, body, text(t, of.Event.Shown(h.Of)))
		}
		m.becomes(t, h, d, of, fate, &p)
	}
	overdue := 0
	for _, w := range h.Waiting {
		if _, is := w.Due(m.now); is {
			overdue++
		}
	}
	if !tested || len(news) > 0 || again < min(overdue, limit-len(due.Deliveries)+again, 4) {
		t.Fatalf("webhook %d is sent no test (%t), not %s, and %d of %d that are due again", h.ID, !tested, listed(t, news),
			again, overdue)
	}
	return p
}

// listed are entries for people.
func listed(t *rapid.T, all []*Event) (shown []string) {
	for _, e := range all {
		shown = append(shown, text(t, e.Shown(&Reseller{Admin: true})))
	}
	return shown
}

// body is what the receiver of a delivery gets, with its members in the order in which text has them.
func body(t *rapid.T, d webhooks.Delivery) string {
	decoder := json.NewDecoder(bytes.NewReader(httpapi.EncodeEvent(d.Entry)))
	decoder.UseNumber()
	var decoded map[string]any
	check(t, decoder.Decode(&decoded))
	return text(t, decoded)
}

func (m *machine) secrets(h *Webhook) []string {
	if h.Previous != "" && m.now.Before(h.PreviousUntil) {
		return []string{h.Secret, h.Previous}
	}
	return []string{h.Secret}
}

func mayBeDue(w Window, now time.Time) bool {
	may, _ := w.Due(now)
	return may
}

// becomes decides what becomes of a delivery.
func (m *machine) becomes(t *rapid.T, h *Webhook, d webhooks.Delivery, of Delivery,
	fate func() (webhook.Failure, int), p *pending) {
	failure, status := fate()
	if d.Seq != 0 && failure != "" {
		switch rapid.IntRange(0, 8).Draw(t, "under way") {
		case 0:
			p.service.UnderWay, p.model.UnderWay = append(p.service.UnderWay, d), append(p.model.UnderWay, of)
			return
		case 1:
			p.service.Interrupted, p.model.Interrupted = append(p.service.Interrupted, d), append(p.model.Interrupted, of)
			return
		}
	}
	took := time.Duration(rapid.IntRange(0, 15_000).Draw(t, "took")) * time.Millisecond
	o := webhook.Outcome{Seq: d.Seq, Event: d.ID, Number: d.Number, At: m.now, Took: took, Status: status,
		Failure: failure, Spread: rapid.Float64Range(0, 0.999).Draw(t, "spread")}
	if failure != "" {
		o.RetryAfter = rapid.SampledFrom([]time.Duration{0, 0, time.Minute, 48 * time.Hour}).Draw(t, "retry after")
	}
	if failure != "" && status != 0 {
		o.Excerpt = "no " + strconv.Itoa(len(p.service.Outcomes))
	}
	if p.service.Outcomes = append(p.service.Outcomes, o); failure == "" && of.Event != nil {
		h.Arrived(of.Event)
	}
	p.model.Outcomes = append(p.model.Outcomes,
		Outcome{of, h.Tests, m.now, took, status, string(failure), o.RetryAfter, o.Excerpt})
}

// record has it be kept what became of deliveries, and reports whether it was.
func (m *machine) record(t *rapid.T, h *Webhook, by string, held error, done pending) bool {
	is, err := m.service.Deliveries.Record(t.Context(), by, done.service)
	if held != nil {
		if !errors.Is(err, held) {
			t.Fatalf("a process without the lease keeps %+v (%v)", is, err)
		}
		return false
	}
	check(t, err)
	disabled := m.Record(h, done.model, m.now)
	if string(is.Disabled) != disabled || is.Waiting != len(h.Waiting) {
		t.Fatalf("webhook %d: %+v, and the model says disabled %q, with %d entries waiting", h.ID, is, disabled,
			len(h.Waiting))
	}
	var asked []int64
	for _, h := range m.Webhooks {
		if !h.Removed && h.Asked != h.Heeded {
			asked = append(asked, h.ID)
		}
	}
	if ids, err := m.service.Deliveries.Requested(t.Context(), 1000); err != nil || !slices.Equal(ids, asked) {
		t.Fatalf("something is asked of the webhooks %d (%v), and the model says %d", ids, err, asked)
	}
	return true
}

// settle has everybody be told of everything, and compares who was.
func (m *machine) settle(t *rapid.T) {
	_, err := m.service.Leases.Change(t.Context(), func(l lease.Lease) (lease.Lease, bool) {
		return l.Take(processes[0]), true
	})
	check(t, err)
	m.holder = processes[0]
	for _, days := range append([]int{0}, m.ExpiringDays...) {
		m.remindOf(t, m.holder, nil, days, 64)
	}
	if untold := m.Untold(m.now); len(untold) > 0 {
		t.Fatalf("nobody was told of %q", untold)
	}
	for _, h := range m.Webhooks {
		for left := !h.Removed && !h.Held(); left; {
			left = m.deliverTo(t, h, m.holder, nil, func() (webhook.Failure, int) { return "", 200 })
			m.now = m.now.Add(30 * time.Hour)
		}
		if missing := m.Missing(h); !h.Removed && !h.Held() && len(missing) > 0 {
			t.Fatalf("webhook %d was never sent %s", h.ID, listed(t, missing))
		}
	}
}
