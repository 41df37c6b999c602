package reseller

import (
	"fmt"
	"slices"
	"time"

	"resellerd/domain/fault"
)

// ErrAllowance refuses a trial over the daily allowance.
var ErrAllowance = fault.New(fault.Exhausted, "trial-allowance-spent", "The allowance of trials for 24 hours is spent.")

const (
	allowanceWindow = 24 * time.Hour
	// slotLength bounds what an account remembers of its trials to 97 slots,
	// however many it issues.
	slotLength = 15 * time.Minute
)

// TrialSlot counts the trials issued in one quarter of an hour.
type TrialSlot struct {
	Start time.Time
	Count int
}

// AllowanceSpent is ErrAllowance with the time to wait.
type AllowanceSpent struct{ Wait time.Duration }

// Error returns the sentence for people, with the figures.
func (e *AllowanceSpent) Error() string {
	return fmt.Sprintf("The allowance of trials for 24 hours is spent; the next one is free in %s.", (e.Wait + time.Second - 1).Truncate(time.Second))
}

// Unwrap makes the error match ErrAllowance.
func (e *AllowanceSpent) Unwrap() error { return ErrAllowance }

// CountTrial counts a trial that the account issues now against an allowance for
// any 24 hours, 0 being no limit. A trial counts until 24 hours after the quarter
// of an hour in which it was issued, deleted or not. Over the allowance it
// returns *AllowanceSpent and counts nothing.
func (a *Account) CountTrial(allowance int, now time.Time) error {
	if allowance <= 0 {
		return nil
	}
	counting := slices.DeleteFunc(slices.Clone(a.s.Trials), func(s TrialSlot) bool {
		return !now.Before(s.freed())
	})
	issued := 0
	for _, s := range counting {
		issued += s.Count
	}
	if issued >= allowance {
		// Slots are in the order of issue: the wait ends with the slot whose end
		// brings the count under the allowance.
		for _, s := range counting {
			if issued -= s.Count; issued < allowance {
				return &AllowanceSpent{Wait: s.freed().Sub(now)}
			}
		}
	}
	slot := now.Truncate(slotLength)
	if last := len(counting) - 1; last >= 0 && !slot.After(counting[last].Start) {
		counting[last].Count++ // a clock that was set back joins the latest slot
	} else {
		counting = append(counting, TrialSlot{Start: slot, Count: 1})
	}
	a.s.Trials = counting
	return nil
}

func (s TrialSlot) freed() time.Time { return s.Start.Add(slotLength + allowanceWindow) }
