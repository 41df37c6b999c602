package lease_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"resellerd/domain/lease"
	"resellerd/test/expect"
	_ "resellerd/test/rapidflags"
)

func TestWhatBecomesOfALease(t *testing.T) {
	held := lease.Lease{Name: "l", Holder: "a", Asked: 4, Answered: 4}
	open := lease.Lease{Name: "l", Holder: "a", Asked: 5, Answered: 4}
	free := lease.Lease{Name: "l", Asked: 5, Answered: 5}
	release := func(by string) func(lease.Lease) (lease.Lease, bool) {
		return func(l lease.Lease) (lease.Lease, bool) { return l.Release(by) }
	}
	take := func(l lease.Lease) (lease.Lease, bool) { return l.Take("b"), true }
	for situation, c := range map[string]struct {
		of      lease.Lease
		do      func(lease.Lease) (lease.Lease, bool)
		want    lease.Lease
		changed bool
	}{
		"asked":       {held, lease.Lease.Ask, open, true},
		"asked twice": {open, lease.Lease.Ask, open, false},
		"answered": {open, lease.Lease.Answer,
			lease.Lease{Name: "l", Holder: "a", Asked: 5, Answered: 5}, true},
		"answered twice":                {held, lease.Lease.Answer, held, false},
		"taken":                         {open, take, lease.Lease{Name: "l", Holder: "b", Asked: 5, Answered: 5}, true},
		"taken as it is free":           {free, take, lease.Lease{Name: "l", Holder: "b", Asked: 5, Answered: 5}, true},
		"given back":                    {open, release("a"), free, true},
		"given back by another":         {held, release("b"), held, false},
		"given back, which it was long": {free, release("a"), free, false},
	} {
		if got, changed := c.do(c.of); got != c.want || changed != c.changed {
			t.Errorf("%s: got %+v, %t, want %+v, %t", situation, got, changed, c.want, c.changed)
		}
	}
}

func TestWhenALeaseMayBeTaken(t *testing.T) {
	was := lease.Lease{Name: "l", Holder: "a", Asked: 5, Answered: 4}
	for situation, c := range map[string]struct {
		is, was lease.Lease
		want    bool
	}{
		"the question is still open":            {was, was, true},
		"it was answered":                       {lease.Lease{Name: "l", Holder: "a", Asked: 5, Answered: 5}, was, false},
		"it was answered, and there is another": {lease.Lease{Name: "l", Holder: "a", Asked: 6, Answered: 5}, was, false},
		"another process took it":               {lease.Lease{Name: "l", Holder: "c", Asked: 5, Answered: 5}, was, false},
		"another process took it, and is asked": {lease.Lease{Name: "l", Holder: "c", Asked: 6, Answered: 5}, was, false},
		"it was given back":                     {lease.Lease{Name: "l", Asked: 5, Answered: 5}, was, true},
		"nobody ever held it":                   {lease.Lease{Name: "l"}, lease.Lease{Name: "l"}, true},
		"nobody asked": {lease.Lease{Name: "l", Holder: "a", Asked: 4, Answered: 4},
			lease.Lease{Name: "l", Holder: "a", Asked: 4, Answered: 4}, false},
		"it was given back, and another has it now": {lease.Lease{Name: "l", Holder: "c"}, lease.Lease{Name: "l"}, false},
	} {
		expect.Equal(t, c.is.MayTake(c.was), c.want, "%s: it may be taken", situation)
	}
}

// process does what every process does: it asks, waits and takes, or holds and answers.
type process struct {
	name   string
	acts   time.Duration // when it does so next
	asked  *lease.Lease  // as it was when this asked, nil if it did not
	looked time.Duration // when it looked at the lease last, as its holder
}

// act returns the lease after a step, and how long after it the process wants to make the next one.
func (p *process) act(l lease.Lease, now time.Duration) (lease.Lease, time.Duration) {
	switch {
	case l.Holder == p.name:
		p.asked, p.looked = nil, now
		l, _ = l.Answer()
		return l, lease.Look
	case p.asked == nil && l.Holder != "":
		l, _ = l.Ask()
		p.asked = &l
		return l, lease.Patience
	case p.asked == nil:
		p.asked = &l
	}
	if l.MayTake(*p.asked) {
		l, p.looked = l.Take(p.name), now
	}
	p.asked = nil
	return l, lease.Look
}

// Whatever three processes do by the rules, however slow they are and however long one of them stands still: who
// answers never loses the lease, and who does not loses it to one that is well.
func TestWhoAnswersKeepsTheLeaseAndWhoDoesNotLosesIt(t *testing.T) {
	const slow, end = 1500 * time.Millisecond, 2 * time.Minute
	rapid.Check(t, func(t *rapid.T) {
		delay := func(most time.Duration) time.Duration {
			return time.Duration(rapid.Int64Range(0, most.Milliseconds()).Draw(t, "delay")) * time.Millisecond
		}
		all := []*process{{name: "well"}, {name: "b"}, {name: "c"}}
		l := lease.Lease{Name: "l"}
		var freed time.Duration
		for {
			p := all[0]
			for _, other := range all[1:] {
				if other.acts < p.acts {
					p = other
				}
			}
			now := p.acts
			if now > end {
				return
			}
			was := l
			var wants time.Duration
			if l, wants = p.act(l, now); l.Holder != was.Holder {
				for _, before := range all {
					if before.name == was.Holder && now-before.looked < lease.Patience {
						t.Fatalf("at %v %q takes the lease from %q, which has looked at it at %v", now, p.name, before.name,
							before.looked)
					}
				}
			}
			p.acts = now + wants + delay(slow)
			if p.name != "well" && rapid.IntRange(0, 9).Draw(t, "stands still") == 0 {
				p.acts += delay(30 * time.Second)
			}
			if p.name != "well" && l.Holder == p.name && rapid.IntRange(0, 9).Draw(t, "gives back") == 0 {
				l, _ = l.Release(p.name)
				p.acts, freed = now+delay(30*time.Second), now
			}
			// One that is well has asked in vain at most once, then asks and takes.
			looked := freed
			for _, holder := range all {
				if holder.name == l.Holder {
					looked = holder.looked
				}
			}
			if most := 2*lease.Patience + lease.Look + 4*slow; now-looked > most {
				t.Fatalf("at %v the lease of %q has not been looked at since %v", now, l.Holder, looked)
			}
		}
	})
}

// One process that is alone changes the lease as it takes it, and never again.
func TestAHolderThatNobodyAsksWritesNothing(t *testing.T) {
	p := process{name: "a"}
	l, _ := p.act(lease.Lease{Name: "l"}, 0)
	expect.Equal(t, l, lease.Lease{Name: "l", Holder: "a"})
	for now := time.Duration(0); now < time.Minute; now += lease.Look {
		is, _ := p.act(l, now)
		expect.Equal(t, is, l, "at %v", now)
	}
}
