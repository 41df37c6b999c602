package background_test

import (
	"testing"

	"resellerd/adapters/memstore"
	"resellerd/application"
	"resellerd/domain/lease"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/test/api"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
	"resellerd/test/require"
)

// TestAClockThatWasAheadSilencesNoReminderAndRepeatsNone: what it told of early is not told again once it is set right,
// and lines that expire before what it showed are told of in time.
func TestAClockThatWasAheadSilencesNoReminderAndRepeatsNone(t *testing.T) {
	t.Parallel()
	const runs = inprocess.TrialRuns
	clock := fixture.NewClock(fixture.Noon)
	s, err := inprocess.New(memstore.New(), inprocess.At(clock.Now))
	check := func(err error) {
		t.Helper()
		require.NoError(t, err)
	}
	check(err)
	check(s.Admin(t.Context()))
	token, err := s.Login(t.Context(), application.Login{Username: fixture.Name(api.AdminName), Password: profile.NewSecret(api.AdminPassword)})
	check(err)
	caller, err := s.Authenticate(token.Reveal())
	check(err)
	_, err = s.ChangeLease(t.Context(), func(l lease.Lease) (lease.Lease, bool) { return l.Take("this"), true })
	check(err)
	trial := func() {
		_, err := s.CreateTrial(t.Context(), application.Call{Caller: caller}, line.Description{}, func(application.Line) application.Receipt { return application.Receipt{} })
		check(err)
	}
	told := 0
	wants := func(when string, want int) {
		t.Helper()
		for range 3 {
			got, err := s.Remind(t.Context(), "this", 0, 64)
			check(err)
			told += got.Entries
		}
		if told != want {
			t.Errorf("%s %d lines were told of, want %d", when, told, want)
		}
	}
	wants("at first", 0)
	trial()
	clock.Advance(3 * runs)
	wants("by a clock that is ahead", 1)
	clock.Advance(-3*runs + runs/2)
	wants("by the right one", 1)
	trial()
	wants("before anything expires", 1)
	clock.Advance(runs / 2)
	wants("once the first expires indeed", 1)
	clock.Advance(runs / 2)
	wants("once the second one does", 2)
	clock.Advance(3 * runs)
	wants("later", 2)
	trial()
	clock.Advance(runs)
	wants("when all is well again", 3)
}
