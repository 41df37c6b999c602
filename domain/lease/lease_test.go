package lease_test

import (
	"testing"

	"resellerd/domain/lease"
	"resellerd/test/expect"
)

func TestTransitionsOfALease(t *testing.T) {
	held := lease.Lease{Name: "l", Holder: "a", Requests: 4, Answered: 4}
	open := lease.Lease{Name: "l", Holder: "a", Requests: 5, Answered: 4}
	free := lease.Lease{Name: "l", Requests: 5, Answered: 5}
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
		"requested":       {held, lease.Lease.Request, open, true},
		"requested twice": {open, lease.Lease.Request, open, false},
		"answered": {open, lease.Lease.Answer,
			lease.Lease{Name: "l", Holder: "a", Requests: 5, Answered: 5}, true},
		"answered twice":                {held, lease.Lease.Answer, held, false},
		"taken":                         {open, take, lease.Lease{Name: "l", Holder: "b", Requests: 5, Answered: 5}, true},
		"taken as it is free":           {free, take, lease.Lease{Name: "l", Holder: "b", Requests: 5, Answered: 5}, true},
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
	was := lease.Lease{Name: "l", Holder: "a", Requests: 5, Answered: 4}
	for situation, c := range map[string]struct {
		is, was lease.Lease
		want    bool
	}{
		"the question is still open":                 {was, was, true},
		"it was answered":                            {lease.Lease{Name: "l", Holder: "a", Requests: 5, Answered: 5}, was, false},
		"it was answered, and there is another":      {lease.Lease{Name: "l", Holder: "a", Requests: 6, Answered: 5}, was, false},
		"another process took it":                    {lease.Lease{Name: "l", Holder: "c", Requests: 5, Answered: 5}, was, false},
		"another process took it, and has a request": {lease.Lease{Name: "l", Holder: "c", Requests: 6, Answered: 5}, was, false},
		"it was given back":                          {lease.Lease{Name: "l", Requests: 5, Answered: 5}, was, true},
		"no process has held it":                     {lease.Lease{Name: "l"}, lease.Lease{Name: "l"}, true},
		"no request": {lease.Lease{Name: "l", Holder: "a", Requests: 4, Answered: 4},
			lease.Lease{Name: "l", Holder: "a", Requests: 4, Answered: 4}, false},
		"it was given back, and another has it now": {lease.Lease{Name: "l", Holder: "c"}, lease.Lease{Name: "l"}, false},
	} {
		expect.Equal(t, c.is.MayTake(c.was), c.want, "%s: it may be taken", situation)
	}
}
