package deliveries

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"resellerd/test/program"
)

const (
	// night is by how much the clock goes ahead with every third kill: less than the 24 hours for which a command under
	// its key is kept, and than the time between two reminders.
	night = 20 * time.Hour
	// nights are as many as a month has room for.
	nights = 36
	// mostLife is how long a process goes on to deliver, at most, before it is killed.
	mostLife = 1500 * time.Millisecond
)

// TestKills kills the program again and again while webhooks are delivered to receivers that fail: on SQLite the only
// process, on MongoDB one of two. Then each entry that a webhook is for has arrived.
func TestKills(t *testing.T) {
	many, long := kills(t)
	forEachStore(t, func(t *testing.T, store string) {
		seed := seedOf(t)
		random := rand.New(rand.NewPCG(seed, 100))
		processes := 1
		if t.Name() == "TestKills/MongoDB" {
			processes = 2
		}
		s := newSite(t, store, processes, nil)
		to := receive(t, seed)
		b := open(s, to, seed)
		b.run()
		k := &killer{business: b, random: random, hasty: long}
		for done := range many {
			k.strike(long && done%3 == 2 && len(s.ahead) <= nights)
			if t.Failed() {
				break
			}
			if done%10 == 9 {
				t.Logf("%d kills", done+1)
			}
		}
		k.arrives(time.Now())
		b.close()
		sum := b.conclude()
		if sum.entries == 0 || sum.again == 0 && long || sum.signedTwice == 0 && long {
			t.Errorf("the campaign has not met what it is for: %+v", sum)
		}
		slices.Sort(k.silent)
		t.Logf("%d kills, %d of them of the process that delivered; the clock went %s ahead", many, k.holders,
			s.ahead[len(s.ahead)-1].by)
		if n := len(k.silent); n > 0 {
			t.Logf("until something came again: at least %s, half of the times %s, at most %s", short(k.silent[0]),
				short(k.silent[n/2]), short(k.silent[n-1]))
		}
		s.said(t)
		t.Log(s.verified())
	})
}

func short(d time.Duration) string { return fmt.Sprint(d.Round(10 * time.Millisecond)) }

// killer kills processes.
type killer struct {
	*business
	random  *rand.Rand
	hasty   bool // some kills come before anything has arrived
	holders int
	silent  []time.Duration // from a kill of the process that delivers until something comes
}

// strike lets something arrive, kills a process, and starts it again. At night all are killed.
func (k *killer) strike(byNight bool) {
	k.t.Helper()
	patient := byNight || !k.hasty || k.random.IntN(4) > 0
	if patient {
		k.arrives(time.Now())
	}
	time.Sleep(time.Duration(k.random.Int64N(int64(mostLife))))
	killed := k.processes
	if !byNight {
		killed = []*process{k.processes[k.random.IntN(len(k.processes))]}
		if k.random.IntN(2) == 0 {
			killed = []*process{k.holder()}
		}
	}
	held := slices.ContainsFunc(killed, (*process).holds)
	for _, p := range killed {
		k.kill(p)
	}
	at := time.Now()
	if held {
		k.holders++
	}
	if byNight {
		k.forward(night)
	}
	if held && len(killed) < len(k.processes) && k.random.IntN(2) == 0 { // the other one takes over
		k.silent = append(k.silent, k.arrives(at))
		held = false
	}
	for _, p := range killed {
		k.launch(p)
	}
	if held && patient {
		k.silent = append(k.silent, k.arrives(at))
	}
}

// arrives waits until something arrives that is sent after an instant, and returns how long after it that is.
func (k *killer) arrives(after time.Time) time.Duration {
	k.t.Helper()
	const underWay = 20 * time.Millisecond // what was sent before has arrived by then
	for late := time.Now().Add(program.Patience); !k.to.since(after.Add(underWay)); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(late) {
			k.t.Errorf("nothing arrives for %s", program.Patience)
			k.said(k.t)
			break
		}
	}
	return time.Since(after)
}
