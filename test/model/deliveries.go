package model

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// What the contract says of deliveries.
const (
	sendTimeout       = 15 * time.Second
	longestRetryAfter = day
	mostAttemptsKept  = 100
)

// MostWaiting is how many entries wait to be sent again. While there are as many no others are begun with.
const MostWaiting = 1000

var retries = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour, 24 * time.Hour,
}

// Waiting is an entry that is to be sent again.
type Waiting struct {
	Event    *Event
	Attempts int
	Began    time.Time
	Window   // in which the next attempt is due
}

// Window is from when an attempt may be due, and by when it is.
type Window struct{ From, Until time.Time }

// longestWait is for how long nothing is put off: what is due later is so by a clock that was ahead, and comes at once.
const longestWait = 27 * time.Hour

// Due reports whether an attempt may be due by now, and whether it is.
func (w Window) Due(now time.Time) (may, is bool) {
	return !w.From.After(now) || w.Until.Sub(now) > longestWait, !w.Until.After(now) || w.From.Sub(now) > longestWait
}

// Attempt is an attempt to deliver.
type Attempt struct {
	Event   string // its id
	Number  int
	Status  int // of the answer, 0: none came
	Took    time.Duration
	Failure string
	At      time.Time
	Next    Window // the zero value where there is no other attempt
	Excerpt string // of an answer that was not accepted
}

// Delivery is an attempt that is to be made.
type Delivery struct {
	Event  *Event // nil: a test
	Number int
}

// Outcome is what became of a delivery.
type Outcome struct {
	Delivery

	Test       int // which one, where it was a test
	At         time.Time
	Took       time.Duration
	Status     int
	Failure    string
	RetryAfter time.Duration
	Excerpt    string
}

// Hears reports whether an entry is for the webhook, as that is set.
func (h *Webhook) Hears(e *Event) bool { return h.hears(h.Of, e) }

// Held reports whether nothing is sent to a webhook for the time being.
func (h *Webhook) Held() bool { return h.Disabled != "" || h.Of.Frozen() }

// Unsent are the entries beyond one, up to another one, that a webhook is for and that do not wait for another attempt.
func (w *World) Unsent(h *Webhook, after, upTo int64) (all []*Event) {
	for _, e := range w.Journal[min(after, int64(len(w.Journal))):min(upTo, int64(len(w.Journal)))] {
		if h.Hears(e) && h.waiting(e) == nil {
			all = append(all, e)
		}
	}
	return all
}

func (h *Webhook) waiting(e *Event) *Waiting {
	i := slices.IndexFunc(h.Waiting, func(w *Waiting) bool { return w.Event == e })
	if i < 0 {
		return nil
	}
	return h.Waiting[i]
}

func (h *Webhook) waits(e *Event, began time.Time) *Waiting {
	waits := h.waiting(e)
	if waits == nil {
		waits = &Waiting{Event: e, Began: began}
		h.Waiting = append(h.Waiting, waits)
	}
	return waits
}

func (h *Webhook) forget(e *Event) {
	h.Waiting = slices.DeleteFunc(h.Waiting, func(w *Waiting) bool { return w.Event == e })
}

// resume begins with all that waits anew.
func (h *Webhook) resume(now time.Time) {
	for _, w := range h.Waiting {
		w.Attempts, w.Began, w.Window = 0, now, Window{now, now}
	}
}

// Delivered is what became of what a webhook was to be sent.
type Delivered struct {
	Cursor, UpTo int64 // as it was told: Cursor was its cursor, and entries up to UpTo were examined
	Asked        int64
	UnderWay     []Delivery
	Interrupted  []Delivery // they come again at once, and do not count
	Began        time.Time  // when these did
	Outcomes     []Outcome
}

// Record keeps what became of deliveries, and returns why the webhook is disabled for that, "" where it is not.
func (w *World) Record(h *Webhook, d Delivered, now time.Time) (disabled string) {
	if h.Cursor == d.Cursor && h.Asked == d.Asked {
		h.Cursor = max(h.Cursor, d.UpTo)
	}
	h.Heeded = max(h.Heeded, d.Asked)
	for _, u := range d.UnderWay {
		waits := h.waits(u.Event, d.Began)
		due := d.Began.Add(sendTimeout + retries[min(u.Number, len(retries))-1])
		waits.Attempts, waits.Window = u.Number, Window{due, due}
	}
	for _, i := range d.Interrupted {
		waits := h.waits(i.Event, d.Began)
		waits.Attempts, waits.Window = i.Number-1, Window{d.Began, d.Began}
	}
	for _, o := range d.Outcomes {
		if why := h.settle(o); why != "" {
			disabled = why
		}
	}
	if disabled != "" {
		w.DisableWebhook(h, disabled, now)
	}
	return disabled
}

// settle takes what became of a delivery, and returns why the webhook is to be disabled.
func (h *Webhook) settle(o Outcome) (disable string) {
	kept := &Attempt{Number: o.Number, Status: o.Status, Took: o.Took, Failure: o.Failure, At: o.At, Excerpt: o.Excerpt}
	switch {
	case o.Event == nil:
		kept.Event = h.TestID(o.Test)
		h.TestAsked = time.Time{}
	case o.Failure == "":
		kept.Event = o.Event.ID()
		h.forget(o.Event)
	default:
		kept.Event = o.Event.ID()
		kept.Next, disable = h.failed(o)
	}
	if o.Failure == "" && o.At.After(h.Succeeded) {
		h.Succeeded = o.At
	}
	h.Attempts = append(h.Attempts, kept)
	h.Attempts = h.Attempts[max(0, len(h.Attempts)-mostAttemptsKept):]
	return disable
}

// failed decides about an entry after an attempt that failed: it is sent again, or it is given up since others arrived,
// or the webhook is disabled, for which it waits.
func (h *Webhook) failed(o Outcome) (next Window, disable string) {
	waits := h.waiting(o.Event)
	if waits == nil {
		waits = h.waits(o.Event, o.At)
		waits.Attempts = o.Number - 1
	}
	waits.Attempts = min(o.Number, waits.Attempts+1) // it may have begun before all began anew
	waits.Window = after(o.At.Add(o.Took), 0, 0)
	switch {
	case o.Status == 410:
		return Window{}, "gone"
	case waits.Attempts <= len(retries):
		waits.Window = after(o.At.Add(o.Took), retries[waits.Attempts-1], min(o.RetryAfter, longestRetryAfter))
		return waits.Window, ""
	case h.Succeeded.Before(waits.Began):
		return Window{}, "failing"
	}
	h.forget(o.Event)
	h.GivenUp++
	h.arrived = append(h.arrived, -o.Event.Seq)
	return Window{}, ""
}

// after is so long after an attempt, more or less, but not sooner than its receiver asked for.
func after(ended time.Time, planned, asked time.Duration) Window {
	const tenth = 10
	return Window{
		ended.Add(max(planned-planned/tenth, asked)).Truncate(time.Millisecond),
		ended.Add(max(planned+planned/tenth, asked)).Truncate(time.Millisecond),
	}
}

// ID is the name of the entry.
func (e *Event) ID() string { return "evt_" + e.Epoch + "_" + strconv.FormatInt(e.Seq, 10) }

// TestID is the name of what a test sends.
func (h *Webhook) TestID(n int) string { return fmt.Sprintf("test_%d_%d", h.ID, n) }

// Test is what a test sends, as its receiver sees it.
func (h *Webhook) Test() map[string]any {
	e := byItself("webhook.test", Moment{Now: h.TestAsked}).ofWebhook(h)
	e.Data["test"] = h.Tests
	shown := e.Shown(h.Of)
	shown["id"] = h.TestID(h.Tests)
	return shown
}

// claim is what a webhook was promised at some time: all that it is for after an entry.
type claim struct {
	after    int64
	entries  int // of the journal, by then
	arrivals int // likewise
}

func (h *Webhook) claim(w *World, after int64) {
	h.claims = append(h.claims, claim{after, len(w.Journal), len(h.arrived)})
}

// Arrived notes that an entry has arrived.
func (h *Webhook) Arrived(e *Event) { h.arrived = append(h.arrived, e.Seq) }

// MayHave reports whether an entry may be sent to the webhook: it is for that as it is set, or was since the entry is
// there.
func (h *Webhook) MayHave(e *Event) bool {
	return h.Hears(e) || slices.ContainsFunc(h.past, func(s Settings) bool { return s.until > e.Seq && s.hears(h.Of, e) })
}

// Missing are entries that a webhook was promised and that never arrived since, though nothing waits for another
// attempt: whatever was set of it, they are for it.
func (w *World) Missing(h *Webhook) (missing []*Event) {
	for _, c := range h.claims {
		came := h.arrived[c.arrivals:]
		for _, e := range w.Journal[min(c.after, int64(len(w.Journal))):] {
			since := max(e.Seq, int64(c.entries))
			always := h.Hears(e) && !slices.ContainsFunc(h.past, func(s Settings) bool {
				return s.until > since && !s.hears(h.Of, e)
			})
			if always && h.waiting(e) == nil && !slices.Contains(came, e.Seq) && !slices.Contains(came, -e.Seq) {
				missing = append(missing, e)
			}
		}
	}
	return missing
}
