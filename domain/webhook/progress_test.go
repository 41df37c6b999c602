package webhook_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"resellerd/domain/webhook"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

var noon = fixture.Noon

// refused is an attempt at noon, which took a second, that a receiver answered with 500.
func refused(seq int64, number int) webhook.Outcome {
	return webhook.Outcome{
		Seq: seq, Event: fmt.Sprint("evt_", seq), Number: number, At: noon, Took: time.Second, Status: 500,
		Failure: webhook.NotAccepted, Spread: 0.5,
	}
}

// arrived is an attempt that the receiver accepted.
func arrived(seq int64, at time.Time) webhook.Outcome {
	return webhook.Outcome{Seq: seq, Event: fmt.Sprint("evt_", seq), Number: 1, At: at, Took: time.Millisecond,
		Status: 204}
}

// afterwards returns the progress of one entry after this many failed attempts.
func afterwards(t *testing.T, attempts int) webhook.Progress {
	t.Helper()
	var p webhook.Progress
	for number := 1; number <= attempts; number++ {
		expect.Equal(t, p.RecordOutcome(refused(7, number)), "", "attempt %d", number)
	}
	return p
}

func TestTheScheduleOfAttempts(t *testing.T) {
	planned := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour,
		20 * time.Hour, 24 * time.Hour,
	}
	expect.Equal(t, webhook.MaxAttempts, len(planned)+1, "attempts to send an entry")
	for i, after := range planned {
		for spread, want := range map[float64]time.Duration{0: after - after/10, 0.5: after, 0.75: after + after/20,
			0.50001: (after + after/500_000).Truncate(time.Millisecond)} {
			p := afterwards(t, i)
			o := refused(7, i+1)
			o.Spread = spread
			why := p.RecordOutcome(o)
			due := noon.Add(time.Second + want)
			if why != "" || len(p.Waiting) != 1 ||
				p.Waiting[0] != (webhook.Waiting{Seq: 7, Attempts: i + 1, Began: noon, Due: due}) {
				t.Errorf("attempt %d, spread %v: got %q, %+v, want the next one at %s", i+1, spread, why, p.Waiting, due)
			}
			if got := p.Attempts[len(p.Attempts)-1].Next; !got.Equal(due) {
				t.Errorf("attempt %d, spread %v: the next one is due at %s, want %s", i+1, spread, got, due)
			}
		}
	}
}

func TestAReceiverMayPutOffTheNextAttemptForADay(t *testing.T) {
	for _, c := range []struct {
		number      int
		asked, want time.Duration
	}{
		{1, 0, 5 * time.Second},
		{1, 4 * time.Second, 5 * time.Second}, // never sooner
		{1, time.Minute, time.Minute},
		{1, 24 * time.Hour, 24 * time.Hour},
		{1, 24*time.Hour + 1, 24 * time.Hour},
		{1, 1000 * time.Hour, 24 * time.Hour},
		{9, time.Hour, 24 * time.Hour},
	} {
		p := afterwards(t, c.number-1)
		o := refused(7, c.number)
		o.RetryAfter = c.asked
		p.RecordOutcome(o)
		expect.Equal(t, p.Waiting[0].Due.Sub(noon.Add(time.Second)), c.want,
			"attempt %d, put off for %v: the next one comes after", c.number, c.asked)
	}
}

func TestHowAnEntryThatFailsEnds(t *testing.T) {
	gone := func(number int) webhook.Outcome {
		o := refused(7, number)
		o.Status = 410
		return o
	}
	for situation, c := range map[string]struct {
		attempts  int // before
		succeeded time.Time
		last      webhook.Outcome
		why       webhook.Reason
		waits     bool
	}{
		"gone at once":                              {0, noon.Add(time.Hour), gone(1), webhook.Gone, true},
		"gone later":                                {5, noon.Add(time.Hour), gone(6), webhook.Gone, true},
		"gone at last":                              {9, noon.Add(time.Hour), gone(10), webhook.Gone, true},
		"one more is left":                          {8, time.Time{}, refused(7, 9), "", true},
		"ran out, none ever arrived":                {9, time.Time{}, refused(7, 10), webhook.Failing, true},
		"ran out, none arrived since it began":      {9, noon.Add(-time.Millisecond), refused(7, 10), webhook.Failing, true},
		"ran out, another arrived when it began":    {9, noon, refused(7, 10), "", false},
		"ran out, another arrived since it began":   {9, noon.Add(time.Hour), refused(7, 10), "", false},
		"more often than is planned, after a crash": {9, time.Time{}, refused(7, 11), webhook.Failing, true},
	} {
		p := afterwards(t, c.attempts)
		if !c.succeeded.IsZero() {
			p.RecordOutcome(arrived(8, c.succeeded))
		}
		expect.Equal(t, p.RecordOutcome(c.last), c.why, "%s: it disables the webhook for", situation)
		expect.Equal(t, len(p.Waiting) == 1, c.waits, "%s: there wait %+v, want it to", situation, p.Waiting)
		if next := p.Attempts[len(p.Attempts)-1].Next; next.IsZero() != (c.why != "" || !c.waits) {
			t.Errorf("%s: the next attempt is due at %s", situation, next)
		}
	}
}

func TestAnEntryThatArrivesWaitsNoLonger(t *testing.T) {
	p := afterwards(t, 3)
	p.RecordOutcome(refused(8, 1))
	later := noon.Add(time.Hour)
	o := arrived(7, later)
	o.Number = 4
	if why := p.RecordOutcome(o); why != "" || len(p.Waiting) != 1 || p.Waiting[0].Seq != 8 || !p.Succeeded.Equal(later) {
		t.Errorf("got %q, %+v, the last success at %s", why, p.Waiting, p.Succeeded)
	}
	want := webhook.Attempt{Event: "evt_7", Number: 4, Status: 204, Took: 1, At: later}
	expect.Equal(t, p.Attempts[len(p.Attempts)-1], want, "the recorded attempt")
	p.RecordOutcome(arrived(9, noon)) // which began before it, and ended after it
	if !p.Succeeded.Equal(later) {
		t.Errorf("the last success is of %s, want %s", p.Succeeded, later)
	}
}

func TestATestIsSentOnceAndNeverWaits(t *testing.T) {
	var p webhook.Progress
	p.RequestTest(noon)
	p.RequestTest(noon.Add(time.Hour)) // a test is pending already
	if p.Tests != 1 || !p.TestRequested.Equal(noon) || p.Requests != 1 {
		t.Errorf("after two requests: %+v", p)
	}
	for _, status := range []int{500, 410} { // the owner wants to see the answer
		o := refused(0, 1)
		o.Status = status
		if why := p.RecordOutcome(o); why != "" || len(p.Waiting) != 0 || !p.TestRequested.IsZero() {
			t.Errorf("after an answer of %d: %q, %+v", status, why, p)
		}
	}
	if got := p.Attempts[0]; !got.Next.IsZero() || got.Status != 500 {
		t.Errorf("it is recorded as %+v", got)
	}
	p.RequestTest(noon.Add(2 * time.Hour))
	if p.Tests != 2 || p.Requests != 2 || !p.TestRequested.Equal(noon.Add(2*time.Hour)) {
		t.Errorf("after another request: %+v", p)
	}
}

// Details are stored as long as their attempt.
func TestDetailsAreThoseOfTheirAttempt(t *testing.T) {
	var p webhook.Progress
	failed := func(seq int64, change func(*webhook.Outcome)) {
		o := arrived(seq, noon)
		o.Failure = webhook.NotAccepted
		change(&o)
		p.RecordOutcome(o)
	}
	failed(1, func(o *webhook.Outcome) { o.Status, o.Failure, o.Cause = 0, webhook.TLSFailed, webhook.WrongName })
	p.RecordOutcome(arrived(2, noon))
	failed(3, func(o *webhook.Outcome) { o.Excerpt = "no" })
	failed(3, func(o *webhook.Outcome) { o.At = noon.Add(time.Hour) })
	expect.Equal(t, len(p.Details), 2, "the number of details: %+v", p.Details)
	var got []string
	for _, d := range p.Deliveries() {
		got = append(got, d.Event+" "+string(d.Cause)+d.Excerpt)
	}
	expect.Elements(t, got, []string{"evt_3 ", "evt_3 no", "evt_2 ", "evt_1 wrong-name"})
	for seq := int64(4); seq <= 3*webhook.MaxStoredAttempts; seq++ {
		failed(seq, func(o *webhook.Outcome) { o.Excerpt = fmt.Sprint(seq) })
	}
	all := p.Deliveries()
	if n := len(p.Details); n != webhook.MaxStoredAttempts || all[0].Excerpt != "300" || all[n-1].Excerpt != "201" {
		t.Errorf("%d details are stored, from %q to %q", n, all[n-1].Excerpt, all[0].Excerpt)
	}
}

func TestExcerptsArePrintableAndShort(t *testing.T) {
	long := strings.Repeat("é", webhook.MaxExcerpt)
	for body, want := range map[string]string{
		"":                                "",
		"{\"error\": \"bad signature\"}":  "{\"error\": \"bad signature\"}",
		"a\tb\r\n\x00\x1b[31m\x7f":        `a\tb\r\n\x00\x1b[31m\x7f`,
		"\xff\xe2\x82 \u202e\u2028\ufeff": `\xff\xe2\x82 \u202e\u2028\ufeff`,
		"\ufffd olá 你好":                   "\ufffd olá 你好",
		long:                              long[:webhook.MaxExcerpt],
		"x" + long:                        "x" + long[:webhook.MaxExcerpt-2], // no half of a character
		strings.Repeat("\x00", 1<<16):     strings.Repeat(`\x00`, webhook.MaxExcerpt/4),
	} {
		expect.Equal(t, webhook.Excerpt([]byte(body)), want, "%.40q", body)
	}
}

func TestAttemptWithAnUnknownEnd(t *testing.T) {
	for situation, c := range map[string]struct {
		do       func(p *webhook.Progress, seq int64, number int)
		attempts func(number int) int
		due      func(number int) time.Duration // after it began
	}{
		"it is under way": {
			func(p *webhook.Progress, seq int64, number int) { p.MarkInFlight(seq, number, noon.Add(time.Hour)) },
			func(number int) int { return number },
			func(number int) time.Duration { // as if it had timed out
				return 15*time.Second + map[int]time.Duration{1: 5 * time.Second, 2: 5 * time.Minute, 10: 24 * time.Hour}[number]
			},
		},
		"it was cut short": {
			func(p *webhook.Progress, seq int64, number int) { p.MarkInterrupted(seq, number, noon.Add(time.Hour)) },
			func(number int) int { return number - 1 },
			func(int) time.Duration { return 0 },
		},
	} {
		for _, number := range []int{1, 2, 10} {
			p := afterwards(t, number-1)
			began := noon
			if number == 1 {
				began = noon.Add(time.Hour)
			}
			c.do(&p, 7, number)
			want := webhook.Waiting{Seq: 7, Attempts: c.attempts(number), Began: began, Due: noon.Add(time.Hour + c.due(number))}
			if len(p.Waiting) != 1 || p.Waiting[0] != want {
				t.Errorf("%s, attempt %d: there wait %+v, want %+v", situation, number, p.Waiting, want)
			}
			p.RecordOutcome(arrived(7, noon.Add(time.Hour)))
			expect.Elements(t, p.Waiting, nil, "%s, attempt %d: once it has arrived there wait", situation, number)
		}
	}
}

func TestRetryAllNowRestartsTheSchedule(t *testing.T) {
	p := afterwards(t, 9)
	p.RecordOutcome(refused(8, 1))
	expect.Equal(t, p.RecordOutcome(refused(7, 10)), webhook.Failing)
	enabled := noon.Add(100 * time.Hour)
	p.RetryAllNow(enabled)
	want := []webhook.Waiting{{Seq: 7, Began: enabled, Due: enabled}, {Seq: 8, Began: enabled, Due: enabled}}
	expect.Elements(t, p.Waiting, want, "there wait")
	// The attempt in flight then counts as the first one. As the tenth it would disable the webhook at once.
	expect.Equal(t, p.RecordOutcome(refused(7, 10)), "", "the tenth attempt, which began before")
	expect.Equal(t, p.Waiting[0].Attempts, 1, "attempts")
}

func TestAReplayGoesBackAndNeverAhead(t *testing.T) {
	for after, want := range map[int64]int64{0: 0, 1: 1, 49: 49, 50: 50, 51: 50, 1 << 60: 50} {
		p := webhook.Progress{Cursor: 50, Requests: 3}
		if p.Replay(after); p.Cursor != want || p.Requests != 4 {
			t.Errorf("after %d: the cursor is %d, requested %d times, want %d, 4", after, p.Cursor, p.Requests, want)
		}
	}
}

func TestWhatIsDue(t *testing.T) {
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	p := webhook.Progress{
		Waiting: []webhook.Waiting{{Seq: 1, Due: at(5)}, {Seq: 2, Due: at(2)}, {Seq: 3, Due: at(9)}, {Seq: 4, Due: at(3)}}}
	for _, c := range []struct {
		now   time.Time
		limit int
		want  []int64
	}{
		{at(1), 10, nil},
		{at(2).Add(-time.Millisecond), 10, nil},
		{at(2), 10, []int64{2}},
		{at(5), 10, []int64{2, 4, 1}},
		{at(5), 2, []int64{2, 4}},
		{at(99), 10, []int64{2, 4, 1, 3}},
		{at(99), 0, nil},
	} {
		var got []int64
		for _, w := range p.DueBy(c.now, c.limit) {
			got = append(got, w.Seq)
		}
		expect.Elements(t, got, c.want, "at %s, %d at most", c.now, c.limit)
	}
	if next := p.NextDue(); !next.Equal(at(2)) {
		t.Errorf("the next one is due at %s, want %s", next, at(2))
	}
	if next := new(webhook.Progress).NextDue(); !next.IsZero() {
		t.Errorf("without any the next one is due at %s", next)
	}
	if p.DropUnreadable([]int64{2, 9}); len(p.Waiting) != 3 || !p.NextDue().Equal(at(3)) {
		t.Errorf("after one was dropped there wait %+v", p.Waiting)
	}
}

// A fast clock delayed the entry for longer than any schedule. The entry is sent once the clock is right.
func TestNoDueTimeIsLaterThanTheSchedule(t *testing.T) {
	for ahead, want := range map[time.Duration]bool{0: true, time.Minute: false, 24 * time.Hour: false,
		27 * time.Hour: false, 28 * time.Hour: true, 10000 * time.Hour: true} {
		due := noon.Add(ahead)
		p := webhook.Progress{Waiting: []webhook.Waiting{{Seq: 1, Due: due}}}
		if got := len(p.DueBy(noon, 10)) == 1; got != want || webhook.NextAttempt(due, noon).After(noon) == want {
			t.Errorf("due in %v: it comes at %s, now: %t, want %t", ahead, webhook.NextAttempt(due, noon), got, want)
		}
	}
	// No schedule has such a delay.
	for number := 1; number < webhook.MaxAttempts; number++ {
		var failed, underWay webhook.Progress
		o := refused(7, number)
		o.Spread, o.RetryAfter = 0.9999999, 1000*time.Hour
		failed.RecordOutcome(o)
		underWay.MarkInFlight(7, number, noon)
		for _, p := range []webhook.Progress{failed, underWay} {
			if due := p.Waiting[0].Due; !webhook.NextAttempt(due, noon).Equal(due) {
				t.Errorf("attempt %d: the next one, due at %s, comes at once", number, due)
			}
		}
	}
}

func TestLimitOfWaitingEntries(t *testing.T) {
	var p webhook.Progress
	for n := range webhook.MaxWaiting + 5 {
		expect.Equal(t, p.Capacity(), max(0, 1000-n), "room where %d wait", n)
		p.RecordOutcome(refused(int64(n)+1, 1))
	}
}
