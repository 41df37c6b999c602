package webhook

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

const (
	// Timeout is how long one attempt takes at most.
	Timeout = 15 * time.Second
	// MaxWaiting is how many entries may wait for a retry. While that many wait, no new entry is sent.
	MaxWaiting = 1000
	// MaxStoredAttempts is how many attempts are stored.
	MaxStoredAttempts = 100
	// MaxExcerpt is the length of an excerpt of an answer, in bytes.
	MaxExcerpt = 200
	// MaxRetryAfter is the longest time for which a receiver may delay the next attempt.
	MaxRetryAfter = 24 * time.Hour
	// longestWait is longer than any wait of an entry for its next attempt.
	longestWait = 27 * time.Hour
)

// delays are the times between a failed attempt and the next one.
var delays = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
	20 * time.Hour, 24 * time.Hour,
}

// MaxAttempts is how many times an entry is sent.
const MaxAttempts = len(delays) + 1

// Failure is the reason why an attempt failed, "" if it did not.
type Failure string

// The failures.
const (
	NotAccepted Failure = "not-accepted" // the status is not 2xx
	Redirected  Failure = "redirected"   // a redirect, which is not followed
	TimedOut    Failure = "timed-out"    // no answer in time
	NoSuchHost  Failure = "no-such-host" // the name has no address
	// the webhook's URL has an address or a port that the service refuses to connect to
	AddressRefused   Failure = "address-refused"
	ConnectionFailed Failure = "connection-failed" // no server listens there, or the connection broke
	TLSFailed        Failure = "tls-failed"        // such as a certificate that is not valid
	AnswerInvalid    Failure = "answer-invalid"    // the answer is not HTTP, or too large
)

// Failures returns every failure.
func Failures() []Failure {
	return []Failure{NotAccepted, Redirected, TimedOut, NoSuchHost, AddressRefused, ConnectionFailed, TLSFailed,
		AnswerInvalid}
}

// Cause is the reason of a failed TLS connection, "" if it is not known.
type Cause string

// The causes.
const (
	UnknownAuthority   Cause = "unknown-authority"   // of the certificate
	CertificateExpired Cause = "certificate-expired" // or not valid yet
	WrongName          Cause = "wrong-name"          // the certificate has other names
	CertificateInvalid Cause = "certificate-invalid" // in another way
	NotTLS             Cause = "not-tls"             // such as plain HTTP at the port
	TLSVersion         Cause = "tls-version"         // older than TLS 1.2
	HandshakeRefused   Cause = "handshake-refused"   // by the receiver
	HandshakeCut       Cause = "handshake-cut"       // the connection ended in it
)

// Causes returns every cause.
func Causes() []Cause {
	return []Cause{UnknownAuthority, CertificateExpired, WrongName, CertificateInvalid, NotTLS, TLSVersion,
		HandshakeRefused, HandshakeCut}
}

// Excerpt returns the beginning of an answer's body as at most MaxExcerpt bytes of printable text. A receiver may send
// any bytes. Bytes that are not UTF-8, and characters that are not printable, are written as in a Go string, such as
// \x00.
func Excerpt(body []byte) string {
	var text []byte
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		next := string(body[:size])
		switch {
		case r == utf8.RuneError && size == 1:
			next = `\x` + strconv.FormatUint(uint64(body[0]), 16)
		case !strconv.IsPrint(r):
			quoted := strconv.QuoteRune(r)
			next = quoted[1 : len(quoted)-1]
		}
		if len(text)+len(next) > MaxExcerpt {
			break
		}
		text, body = append(text, next...), body[size:]
	}
	return string(text)
}

// Progress is the state of a webhook's deliveries.
type Progress struct {
	Webhook         int64
	Cursor          int64     // number of the entry up to which each of its entries has arrived, waits, or was abandoned
	Waiting         []Waiting // in no order
	Attempts        []Attempt // the latest, oldest first
	Succeeded       time.Time // the time of the last success
	Tests           int64     // the number of requested tests
	TestRequested   time.Time // the time of a test request that has no attempt yet
	Requests        int64     // the number of requests for a test or a replay; no entry of the journal reports them
	RequestsHandled int64     // the last of these that the dispatcher handled
	// of attempts with details, oldest first; at most MaxStoredAttempts, perhaps also of attempts that are gone
	Details []Detail
}

// Waiting is an entry that waits for a retry.
type Waiting struct {
	Seq      int64
	Attempts int       // so far, including one in flight
	Began    time.Time // the first of them
	Due      time.Time // the next one
}

// Attempt is an attempt to deliver.
type Attempt struct {
	Event   string // id of the entry
	Number  int    // from 1 on
	Status  int    // of the answer, 0 if there was none
	Took    int64  // milliseconds
	Failure Failure
	At      time.Time
	Next    time.Time // when the next attempt is due, the zero value without a next one
}

// Detail has more facts about a failed attempt.
type Detail struct {
	Event   string // of the attempt, with Number and At
	Number  int
	At      time.Time
	Cause   Cause  // of TLSFailed
	Excerpt string // of an answer that did not accept the entry
}

// Delivery is an attempt with its details.
type Delivery struct {
	Attempt
	Cause   Cause
	Excerpt string
}

// Deliveries returns the latest attempts, the newest first.
func (p *Progress) Deliveries() []Delivery {
	all, left := make([]Delivery, 0, len(p.Attempts)), p.Details
	for _, a := range slices.Backward(p.Attempts) {
		d := Delivery{Attempt: a}
		if last := len(left) - 1; last >= 0 && left[last].of(a) {
			d.Cause, d.Excerpt = left[last].Cause, left[last].Excerpt
			left = left[:last]
		}
		all = append(all, d)
	}
	return all
}

// of reports whether the detail belongs to an attempt.
func (d Detail) of(a Attempt) bool {
	return d.Event == a.Event && d.Number == a.Number && d.At.Equal(a.At) && (d.Excerpt != "") == (a.Status != 0)
}

// Outcome is the result of an attempt.
type Outcome struct {
	Seq        int64  // 0: of a test
	Event      string // id of the entry
	Number     int    // of the attempt, from 1 on
	At         time.Time
	Took       time.Duration
	Status     int
	Failure    Failure
	Cause      Cause         // of TLSFailed
	Excerpt    string        // of an answer that did not accept the entry
	RetryAfter time.Duration // requested by the receiver, 0: none
	Spread     float64       // random, from [0, 1), so that entries that failed together are not sent again together
}

// statusGone is the status of a receiver that wants no more entries.
const statusGone = 410

// RecordOutcome records the outcome of an attempt. It returns the reason for which the webhook must be disabled, "" if
// it stays enabled. The entry of a disabled webhook waits, so that no entry is lost.
func (p *Progress) RecordOutcome(o Outcome) (disable Reason) {
	attempt := Attempt{Event: o.Event, Number: o.Number, Status: o.Status, Took: o.Took.Milliseconds(),
		Failure: o.Failure, At: o.At}
	at := slices.IndexFunc(p.Waiting, func(w Waiting) bool { return w.Seq == o.Seq })
	switch {
	case o.Seq == 0:
		p.TestRequested = time.Time{}
	case o.Failure == "":
		p.forget(at)
	default:
		if at < 0 {
			at = len(p.Waiting)
			p.Waiting = append(p.Waiting, Waiting{Seq: o.Seq, Attempts: o.Number - 1, Began: o.At})
		}
		disable = p.failed(at, o)
		if at < len(p.Waiting) && p.Waiting[at].Seq == o.Seq && disable == "" {
			attempt.Next = p.Waiting[at].Due
		}
	}
	if o.Failure == "" && o.At.After(p.Succeeded) {
		p.Succeeded = o.At
	}
	p.Attempts = latest(append(p.Attempts, attempt))
	if o.Cause != "" || o.Excerpt != "" {
		p.Details = latest(append(p.Details, Detail{o.Event, o.Number, o.At, o.Cause, o.Excerpt}))
	}
	return disable
}

// latest returns the last MaxStoredAttempts of these.
func latest[T any](all []T) []T { return slices.Delete(all, 0, max(0, len(all)-MaxStoredAttempts)) }

// failed decides what happens to a waiting entry after another failed attempt. An attempt that began before RetryAllNow
// restarted the schedule counts as the first one.
func (p *Progress) failed(at int, o Outcome) (disable Reason) {
	w := &p.Waiting[at]
	o.Number = min(o.Number, w.Attempts+1)
	w.Attempts, w.Due = o.Number, o.At.Add(o.Took).Truncate(time.Millisecond)
	switch {
	case o.Status == statusGone:
		return Gone
	case o.Number < MaxAttempts:
		w.Due = o.At.Add(o.Took + delay(o)).Truncate(time.Millisecond)
	case p.Succeeded.Before(w.Began):
		return Failing
	default:
		p.forget(at)
	}
	return ""
}

// delay returns the time between an attempt and the next one.
func delay(o Outcome) time.Duration {
	const share = 0.1 // to either side
	planned := delays[min(o.Number, len(delays))-1]
	spread := time.Duration(float64(planned) * (1 - share + 2*share*o.Spread))
	return max(spread, min(o.RetryAfter, MaxRetryAfter))
}

func (p *Progress) forget(at int) {
	if at >= 0 {
		p.Waiting = slices.Delete(p.Waiting, at, at+1)
	}
}

// MarkInFlight records an attempt that has not ended yet. If its end is never recorded, the next attempt is due as
// after a time-out.
func (p *Progress) MarkInFlight(seq int64, number int, began time.Time) {
	w := p.waiting(seq, began)
	w.Attempts, w.Due = number, began.Add(Timeout+delays[min(number, len(delays))-1])
}

// MarkInterrupted records an attempt that was interrupted. The entry is due at once, and the attempt does not count.
func (p *Progress) MarkInterrupted(seq int64, number int, began time.Time) {
	w := p.waiting(seq, began)
	w.Attempts, w.Due = number-1, began
}

func (p *Progress) waiting(seq int64, began time.Time) *Waiting {
	at := slices.IndexFunc(p.Waiting, func(w Waiting) bool { return w.Seq == seq })
	if at < 0 {
		at = len(p.Waiting)
		p.Waiting = append(p.Waiting, Waiting{Seq: seq, Began: began})
	}
	return &p.Waiting[at]
}

// DropUnreadable abandons entries that can't be read any more.
func (p *Progress) DropUnreadable(seqs []int64) {
	p.Waiting = slices.DeleteFunc(p.Waiting, func(w Waiting) bool { return slices.Contains(seqs, w.Seq) })
}

// Capacity returns how many further entries may be sent.
func (p *Progress) Capacity() int { return max(0, MaxWaiting-len(p.Waiting)) }

// NextAttempt returns the due time of a delivery, or now if the due time is later than any schedule allows: a clock
// that was ahead produced it.
func NextAttempt(due, now time.Time) time.Time {
	if due.Sub(now) > longestWait {
		return now
	}
	return due
}

// DueBy returns at most limit entries that are due, the earliest first.
func (p *Progress) DueBy(now time.Time, limit int) (due []Waiting) {
	for _, w := range p.Waiting {
		if !NextAttempt(w.Due, now).After(now) {
			due = append(due, w)
		}
	}
	slices.SortFunc(due, func(a, b Waiting) int { return a.Due.Compare(b.Due) })
	return due[:min(limit, len(due))]
}

// NextDue returns when the next entry is due, the zero value if none waits.
func (p *Progress) NextDue() (next time.Time) {
	for _, w := range p.Waiting {
		if next.IsZero() || w.Due.Before(next) {
			next = w.Due
		}
	}
	return next
}

// RetryAllNow restarts the schedule of all waiting entries, for a webhook that is enabled again.
func (p *Progress) RetryAllNow(now time.Time) {
	for i := range p.Waiting {
		p.Waiting[i] = Waiting{Seq: p.Waiting[i].Seq, Began: now, Due: now}
	}
}

// RequestTest requests a test, unless a test is pending already.
func (p *Progress) RequestTest(now time.Time) {
	if p.TestRequested.IsZero() {
		p.Tests++
		p.TestRequested = now
		p.Requests++
	}
}

// Replay moves the cursor back to right after an entry. It never moves the cursor ahead, so no entry is left out.
func (p *Progress) Replay(after int64) {
	p.Cursor = min(p.Cursor, after)
	p.Requests++
}
