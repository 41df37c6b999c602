package usecase

import (
	"sync"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
)

// ErrTooManyFreeChanges refuses a change that costs no credits to a caller that has reached its daily limit.
var ErrTooManyFreeChanges = fault.New(fault.Exhausted, "too-many-free-changes",
	"The daily limit of changes that cost no credits is reached.")

func tooManyFreeChanges(wait time.Duration) error {
	return fault.After(wait, ErrTooManyFreeChanges.WithDetail("%s The next change is possible in %s, at midnight UTC.",
		ErrTooManyFreeChanges, (wait+time.Second-1).Truncate(time.Second)))
}

const (
	day = 24 * time.Hour
	// mostCounted bounds the callers that are counted at a time, of 50 bytes each at most.
	mostCounted = 1 << 16
	// MostCounted is how many bytes of memory that takes.
	MostCounted = mostCounted * 50
)

// freeChanges counts the changes that cost no credits by their callers, in this process and since midnight UTC. An
// account's owner, each of its API keys and each member of its staff is a caller. So an API key can't use up the
// changes that its owner needs to revoke it.
type freeChanges struct {
	most int // a day, 0: no limit

	mu    sync.Mutex
	today time.Time // its midnight
	made  map[session.Holder]int
}

// take counts so many changes of a caller, 0 or 1. It returns ErrTooManyFreeChanges at the limit, unless the command is
// an emergency.
func (f *freeChanges) take(by session.Holder, changes int, emergency bool, now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if today := now.Truncate(day); f.made == nil || !today.Equal(f.today) {
		f.today, f.made = today, map[session.Holder]int{}
	}
	made, counted := f.made[by]
	if made >= f.most && !emergency {
		return tooManyFreeChanges(f.today.Add(day).Sub(now))
	}
	if changes == 0 {
		return nil
	}
	if !counted && len(f.made) >= mostCounted {
		for other := range f.made {
			delete(f.made, other)
			break
		}
	}
	f.made[by] = made + changes
	return nil
}

// uncount takes back the count of a change of this instant that was not committed.
func (f *freeChanges) uncount(by session.Holder, taken time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if taken.Truncate(day).Equal(f.today) {
		f.made[by]--
	}
}

// take counts the command as so many free changes of its caller, 0 or 1, or returns ErrTooManyFreeChanges. A command
// that costs credits, a command of an admin, and an item of a bulk job do not count.
func (c *Command[R]) take(s *Kernel, by Caller, actor *reseller.Reseller, changes int,
	now time.Time) (counted bool, err error) {
	if c.Paid || s.FreeChanges.most == 0 || by.job != nil || actor.MayAudit() == nil {
		return false, nil
	}
	err = s.FreeChanges.take(by.Holder(), changes, c.Emergency, now)
	return err == nil && changes > 0, err
}
