package reseller

import (
	"time"

	"resellerd/domain/fault"
)

// ErrAllowance refuses a trial over the daily allowance.
var ErrAllowance = fault.New(fault.Exhausted, "trial-allowance-spent", "The allowance of trials for 24 hours is spent.")

const (
	allowanceWindow = 24 * time.Hour
	// slotLength limits the memory of a reseller's trials to 97 slots, however many trials it creates.
	slotLength = 15 * time.Minute
)

// TrialSlot counts the trials created in one quarter of an hour.
type TrialSlot struct {
	Start time.Time
	Count int
}

// CountTrial counts a trial that the reseller creates now against an allowance for any 24 hours; 0 is no limit. A trial
// counts until 24 hours after the quarter of an hour in which it was created, deleted or not. Over the allowance it
// returns ErrAllowance, as a *fault.Later, and counts nothing.
func (r *Reseller) CountTrial(allowance int, now time.Time) error {
	if allowance <= 0 {
		return nil
	}
	counting := r.counting(now)
	issued := 0
	for _, s := range counting {
		issued += s.Count
	}
	if issued >= allowance {
		// Slots are in the order of creation: the wait ends with the slot whose end brings the count under the
		// allowance.
		for _, s := range counting {
			if issued -= s.Count; issued < allowance {
				wait := s.freed().Sub(now)
				return fault.After(wait,
					ErrAllowance.WithDetail("The allowance of trials for 24 hours is spent; the next one is free in %s.",
						(wait+time.Second-1).Truncate(time.Second)))
			}
		}
	}
	r.s.Trials = join(counting, TrialSlot{Start: now.Truncate(slotLength), Count: 1})
	return nil
}

// ClampTrials makes trials that a fast clock dated after now count as created now, and reports whether there were any.
// CountTrial counts them so in any case. But if CountTrial refuses, only ClampTrials makes the next count start from
// the same instant, so that the wait ends.
func (r *Reseller) ClampTrials(now time.Time) bool {
	if last := len(r.s.Trials) - 1; last < 0 || !r.s.Trials[last].Start.After(now) {
		return false
	}
	r.s.Trials = r.counting(now)
	return true
}

// counting returns the slots that count at now. A slot that starts later starts at now.
func (r *Reseller) counting(now time.Time) []TrialSlot {
	var counting []TrialSlot
	present := now.Truncate(slotLength)
	for _, s := range r.s.Trials {
		if s.Start.After(present) {
			s.Start = present
		}
		if now.Before(s.freed()) {
			counting = join(counting, s)
		}
	}
	return counting
}

// join adds a slot that starts with the last one or after it.
func join(slots []TrialSlot, s TrialSlot) []TrialSlot {
	if last := len(slots) - 1; last >= 0 && slots[last].Start.Equal(s.Start) {
		slots[last].Count += s.Count
		return slots
	}
	return append(slots, s)
}

func (s TrialSlot) freed() time.Time { return s.Start.Add(slotLength + allowanceWindow) }
