package reseller_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/require"
)

const (
	day  = 24 * time.Hour
	slot = 15 * time.Minute
)

func ownerWith(t rapid.TB, trials ...reseller.TrialSlot) *reseller.Reseller {
	r, err := reseller.Restore(reseller.State{Position: reseller.Position{ID: 7, Ancestors: []int64{1}},
		Role: reseller.Standard, Trials: trials})
	require.NoError(t, err)
	return r
}

func TestALoweredAllowanceWaitsForEnoughToLeave(t *testing.T) {
	r := ownerWith(t, reseller.TrialSlot{Start: noon, Count: 3}, reseller.TrialSlot{Start: noon.Add(slot), Count: 2},
		reseller.TrialSlot{Start: noon.Add(2 * slot), Count: 1})
	for allowance, freed := range map[int]time.Duration{6: 0, 4: 0, 3: slot, 2: slot, 1: 2 * slot} {
		var spent *fault.Later
		err := r.CountTrial(allowance, noon.Add(time.Hour))
		if want := freed + slot + day - time.Hour; !errors.As(err, &spent) || spent.Wait != want {
			t.Errorf("allowance %d: got %v, want a wait of %v", allowance, err, want)
		}
	}
}

func TestTrialsThatLieAheadOfTheClockCountFromNow(t *testing.T) {
	ahead := []reseller.TrialSlot{{Start: noon.Add(-2 * slot), Count: 1}, {Start: noon.AddDate(1, 0, 0), Count: 2},
		{Start: noon.AddDate(1, 0, 0).Add(slot), Count: 3}}
	want := []reseller.TrialSlot{{Start: noon.Add(-2 * slot), Count: 1}, {Start: noon, Count: 5}}

	r := ownerWith(t, ahead...)
	var spent *fault.Later
	if err := r.CountTrial(5, noon.Add(time.Minute)); !errors.As(err, &spent) || spent.Wait != day+slot-time.Minute {
		t.Errorf("got %v, want a wait of %v", err, day+slot-time.Minute)
	}
	if !r.ClampTrials(noon.Add(time.Minute)) || !slices.Equal(r.State().Trials, want) {
		t.Errorf("brought back: got %+v, want %+v", r.State().Trials, want)
	}
	expect.Equal(t, r.ClampTrials(noon.Add(time.Minute)), false, "with nothing left to bring back")
	expect.Error(t, r.CountTrial(5, noon.Add(day+slot)), nil, "once the wait is over")

	r = ownerWith(t, ahead...)
	require.NoError(t, r.CountTrial(7, noon))
	want[1].Count++
	expect.Elements(t, r.State().Trials, want, "counted")
}

// Whenever trials are requested: no 24 hours have more trials than the allowance. A refusal names the first instant at
// which a trial is possible, at most 24 hours and a quarter away. At most 97 slots are stored.
func TestAllowanceRolls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		allowance := rapid.IntRange(1, 8).Draw(t, "allowance")
		if rapid.Bool().Draw(t, "generous") {
			allowance = 1000
		}
		gap := rapid.Custom(func(t *rapid.T) time.Duration {
			most := rapid.SampledFrom([]time.Duration{0, time.Minute, slot, 2 * slot, 3 * time.Hour, 2 * day}).Draw(t, "scale")
			return time.Duration(rapid.Int64Range(0, most.Milliseconds()).Draw(t, "gap")) * time.Millisecond
		})
		r, now := ownerWith(t), noon
		var issued []time.Time
		for range rapid.IntRange(1, 150).Draw(t, "requests") {
			now = now.Add(gap.Draw(t, "gap"))
			before := r.State()
			err := r.CountTrial(allowance, now)
			if err == nil {
				issued = append(issued, now)
				if i := len(issued) - 1 - allowance; i >= 0 && now.Sub(issued[i]) < day {
					t.Fatalf("%d trials within %v", allowance+1, now.Sub(issued[i]))
				}
				if n := len(r.State().Trials); n > 97 {
					t.Fatalf("the allowance has %d slots", n)
				}
				continue
			}
			var spent *fault.Later
			if !errors.As(err, &spent) || spent.Wait <= 0 || spent.Wait > day+slot {
				t.Fatalf("got %v", err)
			}
			expect.DeepEqual(t, r.State(), before, "a refused trial")
			for _, c := range []struct {
				at   time.Time
				free bool
			}{{now.Add(spent.Wait - time.Millisecond), false}, {now.Add(spent.Wait), true}} {
				if err := ownerWith(t, before.Trials...).CountTrial(allowance, c.at); (err == nil) != c.free {
					t.Fatalf("the wait is %v, but at %s: got %v, want free %v", spent.Wait, c.at, err, c.free)
				}
			}
		}
	})
}
