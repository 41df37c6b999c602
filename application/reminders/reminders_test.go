package reminders_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/application/reminders"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

const aDay = 24 * time.Hour

// reminded is a service whose process "this" sends reminders.
type reminded struct {
	*kit.Harness
	days line.Reminders
}

func newReminded(t *testing.T, days ...int) *reminded {
	t.Helper()
	r := &reminded{kit.New(t, application.Policy{ExpiringDays: days}), days}
	r.all()
	r.Now = r.Now.Add(time.Hour) // later than the reminders that were due before the first run
	return r
}

// expiring creates an official line with this expiry, a month ago.
func (r *reminded) expiring(after time.Duration) int64 {
	r.T.Helper()
	return r.line(func(s *line.State) { s.ExpiresAt, s.CreatedAt = r.Now.Add(after), r.Now.AddDate(0, -1, 0) })
}

func (r *reminded) line(change func(s *line.State)) int64 {
	r.T.Helper()
	id := r.Trial(r.Admin).ID()
	l, err := r.Activate(r.Admin, r.Activation(id, fmt.Sprint("line", id), "0.5"))
	require.NoError(r.T, err)
	r.ChangeLine(l.ID(), change)
	return l.ID()
}

func (r *reminded) extend(id int64) {
	r.T.Helper()
	_, err := r.Lines.Extend(r.T.Context(), kit.Call(r.Admin), lines.Extend{ID: id, Price: fixture.Request("1")},
		kit.Shown)
	require.NoError(r.T, err)
}

// step sends the reminders of one page of lines, for each number of days.
func (r *reminded) step(limit int) (more bool) {
	r.T.Helper()
	for _, days := range append([]int{0}, r.days...) {
		told, err := r.Reminders.Send(r.T.Context(), "this", days, limit)
		require.NoError(r.T, err)
		more = more || told.More
	}
	return more
}

// all sends all reminders that are due, and returns them as "line:days".
func (r *reminded) all() (told []string) {
	r.T.Helper()
	for _, n := range r.Appended(func() {
		for r.step(2) {
		}
	}) {
		told = append(told, fmt.Sprintf("%d:%v", n.Line, cmp.Or(n.Datum(journal.Days), any(int64(0)))))
	}
	slices.Sort(told)
	return told
}

// tells fails the test unless exactly these reminders are sent.
func (r *reminded) tells(when string, want ...string) {
	r.T.Helper()
	slices.Sort(want)
	expect.Elements(r.T, r.all(), want, "reminders sent %s", when)
}

func of(id int64, days int) string { return fmt.Sprintf("%d:%d", id, days) }

// A store may have lines whose reminders were due before the first run.
func TestFirstRunSendsNoOldReminders(t *testing.T) {
	r := &reminded{kit.New(t, application.Policy{ExpiringDays: []int{7}}), []int{7}}
	expired, inside, outside := r.expiring(-aDay), r.expiring(2*aDay), r.expiring(8*aDay)
	r.tells("at first")
	r.Now = r.Now.Add(aDay)
	r.tells("later", of(outside, 7))
	r.Now = r.Now.Add(aDay)
	r.tells("as the one inside expires", of(inside, 0))
	_ = expired
}

// A number of days that the operator adds starts with its own first run. A number that was left out sends nothing.
func TestAChangedListOfDays(t *testing.T) {
	r := newReminded(t, 7, 3)
	restart := func(days ...int) {
		r.days = days
		r.Service = application.New(r.Dependencies, application.Policy{ExpiringDays: days})
	}
	a, b := r.expiring(10*aDay), r.expiring(8*aDay)
	r.Now = r.Now.Add(2 * aDay)
	r.tells("with 7 and 3", of(b, 7))
	restart(7, 5)
	r.tells("with 5 in place of 3")
	r.Now = r.Now.Add(3 * aDay)
	r.tells("3 days before the one, 5 before the other", of(b, 5), of(a, 5))
	restart()
	r.Now = r.Now.Add(3 * aDay)
	r.tells("without any", of(b, 0))
	restart(7, 3, 1)
	r.tells("with 3 again", of(a, 3))
}

// The transaction of a line took so long that others see the line after its reminder was due. The reminder is sent
// once, although later ones were sent before.
func TestReminderCursorIncludesLateLines(t *testing.T) {
	const runs = 30 * time.Second
	r := &reminded{kit.New(t, application.Policy{TrialDuration: runs}), nil}
	r.all()
	meanwhile := sync.OnceFunc(func() {
		earlier, later := r.expiring(runs), r.expiring(runs+time.Second)
		r.Now = r.Now.Add(runs + 10*time.Second)
		r.tells("while a trial is made", of(earlier, 0), of(later, 0))
	})
	slow := r.On(&kit.Store{Store: r.Dependencies.Store, AroundUpdate: func(call func() error) error {
		meanwhile()
		return call()
	}}, application.Policy{TrialDuration: runs})
	var late lines.Line
	require.NoError(t, kit.ErrorOf(slow.Lines.CreateTrial(t.Context(), kit.Call(r.Admin), line.Description{},
		kit.Into(&late))))
	r.tells("once the trial is made", of(late.ID(), 0))
	r.tells("later")
}

// after runs a function after the first call.
func after(do func()) func(call func() error) error {
	once := sync.OnceFunc(do)
	return func(call func() error) error {
		err := call()
		once()
		return err
	}
}

// A step that ran before the line was visible does not pass it either.
func TestLateLineRestartsAConcurrentStep(t *testing.T) {
	const runs = 30 * time.Second
	h := kit.New(t, application.Policy{TrialDuration: runs})
	r := &reminded{h, nil}
	r.all()
	began := r.Now
	later := r.expiring(runs + time.Second)
	var late int64
	other := r.On(&kit.Store{Store: r.Dependencies.Store, AroundView: after(func() {
		r.Now = began
		late = r.Trial(r.Admin).ID()
		r.Now = began.Add(runs + time.Minute)
	})}, application.Policy{})
	r.Now = began.Add(runs + time.Minute)
	var told []int64
	for _, n := range r.Appended(func() {
		require.NoError(t, kit.ErrorOf(other.Reminders.Send(t.Context(), "this", 0, 10)))
		for r.step(10) {
		}
	}) {
		if n.Type == journal.LineExpired {
			told = append(told, n.Line)
		}
	}
	expect.Elements(t, told, []int64{late, later}, "the reminders")
}

// A line may be extended, deleted or changed after it was read: its reminder shows the present state, or is not sent.
func TestReminderShowsThePresentStateOfTheLine(t *testing.T) {
	for what, c := range map[string]struct {
		do   func(r *reminded, id int64)
		told bool
	}{
		"extended": {func(r *reminded, id int64) { r.extend(id) }, false},
		"described": {func(r *reminded, id int64) {
			require.NoError(r.T, kit.ErrorOf(r.Lines.Describe(r.T.Context(), kit.Call(r.Admin),
				lines.Edit{ID: id, Description: line.Description{Notes: new(fixture.Text("other"))}}, kit.Shown)))
		}, true},
	} {
		r := newReminded(t, 1)
		id := r.expiring(aDay)
		store := &kit.Store{Store: r.Dependencies.Store, AroundView: after(func() { c.do(r, id) })}
		other := r.On(store, application.Policy{ExpiringDays: r.days})
		before := len(r.Recorded().Entries)
		told, err := other.Reminders.Send(t.Context(), "this", 1, 10)
		require.NoError(t, err)
		var entries []journal.Numbered
		for _, n := range r.Recorded().Entries[before:] {
			if n.Type == journal.LineExpiring {
				entries = append(entries, n)
			}
		}
		if want := map[bool]int{true: 1}[c.told]; told.Entries != want || len(entries) != want {
			t.Errorf("%s in between: %d reminders, %+v, want %d", what, told.Entries, entries, want)
		}
		if c.told {
			expect.Equal(t, entries[0].Version, r.Recorded().Lines[id].Version, "%s in between: the version", what)
		}
		r.tells(what + " in between, and then")
	}
}

func TestOnlyTheHolderOfTheLeaseSendsReminders(t *testing.T) {
	r := newReminded(t, 7)
	id := r.expiring(7 * aDay)
	for _, by := range []string{"another", ""} {
		expect.Error(t, kit.ErrorOf(r.Reminders.Send(t.Context(), by, 7, 10)), application.ErrNotHeld, "%q tells", by)
	}
	r.tells("who holds it", of(id, 7))
}

// A reminder whose transaction is not committed is not sent and not counted.
func TestRemindersAndCursorAreStoredTogether(t *testing.T) {
	r := newReminded(t, 7)
	id := r.expiring(7 * aDay)
	store := &kit.Store{Store: r.Dependencies.Store, Fails: true}
	broken := r.On(store, application.Policy{ExpiringDays: r.days})
	for range 3 {
		added := r.Appended(func() {
			told, err := broken.Reminders.Send(t.Context(), "this", 7, 10)
			expect.Error(t, err, application.ErrUnavailable)
			expect.Equal(t, told, reminders.Sent{}, "it counts")
		})
		expect.Equal(t, len(added), 0, "got %+v", added)
	}
	r.tells("once it is well again", of(id, 7))
}
