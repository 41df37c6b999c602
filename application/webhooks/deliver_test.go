package webhooks_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/application/resellers"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/domain/webhook"
	"resellerd/test/expect"
	"resellerd/test/inprocess"
	"resellerd/test/kit"
)

// seeds returns the seed of the tests with random events.
func seeds() uint64 {
	if testing.Short() {
		return 1
	}
	return 12
}

// chance is a source of random events, for one goroutine.
type chance struct{ *rand.Rand }

func (c chance) below(high time.Duration) time.Duration {
	return time.Duration(c.Int64N(int64(high)))
}

// Every entry of a webhook arrives, whatever happens to the delivering processes and the receivers, and no other entry
// arrives. An undisturbed entry arrives once.
func TestEachEntryArrivesThroughRestartsAtAnyMoment(t *testing.T) {
	for seed := range seeds() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inPlace(t, func(_ *testing.T, p *place) {
				random, receivers := chance{rand.New(rand.NewPCG(seed, 1))}, chance{rand.New(rand.NewPCG(seed, 2))}
				_, master := p.reseller("master")
				failed := map[int64]int{}
				unsteady := func(_ int, m message) (time.Duration, int) { // fails for an entry twice at most
					if failed[m.seq] < 2 && receivers.IntN(4) == 0 {
						failed[m.seq]++
						return receivers.below(20 * time.Second), 500
					}
					return receivers.below(2 * time.Second), 200
				}
				p.hook(p.admin, "unsteady", unsteady)
				p.hook(master, "master", func(int, message) (time.Duration, int) {
					return receivers.below(300 * time.Millisecond), 204
				})
				var admins, masters []int64
				names := 0
				for range 60 {
					switch n := random.IntN(10); {
					case n < 4:
						admins = append(admins, p.trials(p.admin, 1+random.IntN(20))...)
					case n < 7:
						masters = append(masters, p.trials(master, 1+random.IntN(20))...)
					case n == 7 || len(p.running) == 0:
						p.start(fmt.Sprint("process ", names))
						names++
					default:
						for name, r := range p.running {
							switch random.IntN(3) {
							case 0:
								p.stop(name)
							case 1:
								p.kill(name)
							default:
								r.stall(random.below(10 * time.Second))
							}
							break
						}
					}
					p.passes(random.below(3 * time.Second))
				}
				p.start("last")
				p.passes(20 * time.Minute)
				p.wantsAtLeast("at last", "unsteady", admins)
				p.wantsAtLeast("at last", "master", masters)
			})
		})
	}
}

// A process that ends in order stores the outcomes, and gives attempts in flight a moment. So no entry arrives twice.
func TestAnOrderlyRestartRepeatsNothing(t *testing.T) {
	for seed := range seeds() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inPlace(t, func(t *testing.T, p *place) {
				random, receivers := chance{rand.New(rand.NewPCG(seed, 3))}, chance{rand.New(rand.NewPCG(seed, 4))}
				p.start("0")
				failed := map[int64]int{}
				p.hook(p.admin, "failing", func(_ int, m message) (time.Duration, int) { // for an entry twice at most
					if failed[m.seq] < 2 && receivers.IntN(3) == 0 {
						failed[m.seq]++
						return receivers.below(900 * time.Millisecond), 500
					}
					return receivers.below(900 * time.Millisecond), 200
				})
				var want []int64
				for restart := range 10 {
					want = append(want, p.trials(p.admin, random.IntN(30))...)
					p.passes(random.below(3 * time.Second))
					want = append(want, p.trials(p.admin, random.IntN(5))...)
					time.Sleep(random.below(200 * time.Millisecond))
					began := time.Now()
					p.stop(fmt.Sprint(restart))
					expect.Equal(t, time.Since(began) > 1200*time.Millisecond, false, "it takes long to end")
					expect.Equal(t, p.holder(), "", "the lease is left to")
					p.start(fmt.Sprint(restart + 1))
				}
				p.passes(20 * time.Minute)
				p.wants("at last", "failing", want)
			})
		})
	}
}

// An attempt that hangs when a process ends in order is interrupted, does not count, and is repeated at once.
func TestInterruptedAttemptsAreRepeated(t *testing.T) {
	inPlace(t, func(t *testing.T, p *place) {
		p.start("a")
		id := p.hook(p.admin, "own", func(n int, _ message) (time.Duration, int) {
			if n == 2 {
				return time.Hour, hangs
			}
			return 0, 200
		})
		p.passes(2 * time.Second)
		seqs := p.trials(p.admin, 6)
		p.passes(500 * time.Millisecond)
		began := time.Now()
		p.stop("a")
		expect.Equal(t, time.Since(began) > 1200*time.Millisecond, false, "it takes long to end")
		progress := p.progress(id)
		expect.Equal(t, len(progress.Attempts), 5, "attempts are stored, each once")
		if len(progress.Waiting) != 1 || progress.Waiting[0].Attempts != 0 || progress.Cursor != seqs[5] {
			t.Errorf("the stored deliveries that wait are %+v, the cursor %d", progress.Waiting, progress.Cursor)
		}
		p.start("b")
		p.passes(2 * time.Second)
		p.wants("after a restart", "own", seqs)
	})
}

func TestStoppedProcessIsReplacedAtOnceAndStalledOneInSeconds(t *testing.T) {
	inPlace(t, func(t *testing.T, p *place) {
		p.hook(p.admin, "own", well)
		a := p.start("a")
		p.passes(time.Second)
		p.start("b")
		p.passes(10 * time.Minute)
		expect.Equal(t, p.holder(), "a", "the holder of the lease, which a has answered for")
		var want []int64
		succeeded := func(by string, least, most time.Duration) {
			t.Helper()
			began := time.Now()
			want = append(want, p.trials(p.admin, 2)...)
			for p.holder() != by {
				if p.passes(50 * time.Millisecond); time.Since(began) > time.Minute {
					t.Fatalf("after a minute the lease is %q's", p.holder())
				}
			}
			if took := time.Since(began); took < least || took > most {
				t.Errorf("%s has the lease after %v, want it after %v to %v", by, took, least, most)
			}
			p.passes(time.Second)
			p.wants("by "+by, "own", want)
		}
		const slack = 100 * time.Millisecond
		a.stall(30 * time.Second)
		succeeded("b", lease.AnswerTimeout-lease.PollInterval, 2*lease.AnswerTimeout+lease.PollInterval+slack)
		p.passes(time.Minute) // a continues, and finds out
		expect.Equal(t, a.figures.Now().Webhooks, nil, "deliveries by the process without the lease")
		p.stop("b")
		succeeded("a", 0, lease.PollInterval+slack)
		p.start("b")
		p.passes(10 * time.Second)
		p.kill("a")
		succeeded("b", lease.AnswerTimeout-lease.PollInterval, 2*lease.AnswerTimeout+lease.PollInterval+slack)
	})
}

// Nothing is delivered for a blocked account until the end of the block, by any account. Its parents get its entries
// all the time.
func TestBlockedAccountGetsNoDeliveries(t *testing.T) {
	inPlace(t, func(t *testing.T, p *place) {
		a := p.start("a")
		above, call := p.reseller("above")
		p.hook(call, "own", func(n int, _ message) (time.Duration, int) {
			return 0, []int{200, 500}[min(n, 1)]
		}, "reseller.credited")
		p.hookFor(webhook.Tree, p.admin, "all", well, "reseller.credited")
		p.passes(2 * time.Second)
		want := p.funds(above, 2) // the second one waits
		p.passes(time.Second)
		p.answer("own", well)
		sent := len(p.messages("own"))
		p.check(kit.ErrorOf(p.service.Resellers.Block(t.Context(), p.admin, resellers.Block{ID: above}, nothing)))
		p.passes(time.Second)
		want = append(want, p.funds(above, 3)...)
		p.passes(time.Second)
		p.wants("while it is blocked", "all", want)
		before := a.views.Load()
		p.passes(10 * time.Minute)
		expect.Equal(t, len(p.messages("own"))-sent, 0, "messages while it is blocked")
		looks := max(12*600, a.views.Load()-before)
		expect.Equal(t, looks, 12*600, "the most looks at the store in ten minutes")
		p.check(kit.ErrorOf(p.service.Resellers.Unblock(t.Context(), p.admin, above, nothing)))
		p.passes(time.Second)
		p.wants("once it is unblocked", "own", want)
	})
}

// Types apply from the next entries on, also to the work that is in memory.
func TestChangesOfAWebhookCountAtOnce(t *testing.T) {
	inPlace(t, func(_ *testing.T, p *place) {
		p.start("a")
		id := p.hook(p.admin, "own", well)
		p.answer("elsewhere", well)
		p.passes(2 * time.Second)
		first := p.trials(p.admin, 1)
		p.passes(time.Second)
		p.change(p.admin, id, webhook.Change{Types: []string{"webhook.updated"}})
		own := append(slices.Clone(first), p.head())
		p.trials(p.admin, 2)
		p.passes(2 * time.Second)
		p.wants("with other types", "own", own)
		// The webhook gets this entry, so all entries before it were examined. New types can match only entries that
		// were not examined yet.
		p.change(p.admin, id, webhook.Change{Description: new("the office")})
		own = append(own, p.head())
		p.passes(2 * time.Second)
		p.change(p.admin, id, webhook.Change{Types: []string{"line.*"}, URL: new("https://elsewhere")})
		second := p.trials(p.admin, 2)
		p.passes(2 * time.Second)
		p.wants("with other types and another address", "elsewhere", second)
		p.wants("with another address", "own", own)
	})
}

// A webhook uses as many lanes as its receiver has shown to accept: one if the receiver does not answer, or seldom.
func TestWebhookUsesAsManyLanesAsItAccepts(t *testing.T) {
	for name, c := range map[string]struct {
		receives func(n int, m message) (time.Duration, int)
		together int
	}{
		"steady": {func(int, message) (time.Duration, int) { return time.Second, 200 }, 8},
		"never":  {never, 1},
		"one in eight": {func(n int, _ message) (time.Duration, int) {
			return 15 * time.Second, map[bool]int{true: 200, false: 500}[n%8 == 0]
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			inPlace(t, func(t *testing.T, p *place) {
				p.start("a")
				p.hook(p.admin, "it", c.receives)
				p.passes(2 * time.Second)
				p.trials(p.admin, 200)
				p.passes(10 * time.Minute)
				if got := p.together["https://it"]; got > c.together || got < min(c.together, 2) {
					t.Errorf("%d were sent at a time, want %d", got, c.together)
				}
			})
		})
	}
}

func TestARemovedWebhookIsForgotten(t *testing.T) {
	inPlace(t, func(t *testing.T, p *place) {
		a := p.start("a")
		id := p.hook(p.admin, "hanging", never)
		idle := p.hook(p.admin, "idle", well, "balance.low")
		p.passes(2 * time.Second)
		p.trials(p.admin, 20)
		p.passes(3 * time.Second)
		for _, id := range []int64{id, idle} {
			p.check(kit.ErrorOf(p.service.Webhooks.Delete(t.Context(), p.admin, id, nothing)))
		}
		p.trials(p.admin, 20)
		p.passes(time.Second)
		sent := len(p.messages("hanging"))
		expect.Equal(t, a.figures.Now().Webhooks.Enabled, 0, "enabled webhooks in the figures of removed ones")
		p.passes(10 * time.Minute)
		expect.Equal(t, sent, 1, "messages")
		expect.Equal(t, len(p.messages("hanging")), sent, "messages")
	})
}

// An expired line has one reminder, within two seconds; during a takeover, at its end.
func TestRemindersComeInTimeAndThroughTakeovers(t *testing.T) {
	inPlace(t, func(t *testing.T, p *place) {
		a := p.start("a")
		p.passes(time.Second)
		p.start("b")
		for range 20 {
			p.trials(p.admin, 1)
			p.passes(2 * time.Second)
		}
		p.ahead.Add(int64(inprocess.TrialRuns - 40*time.Second))
		p.passes(20 * time.Second)
		undisturbed := p.entries(journal.LineExpired)
		for _, n := range undisturbed {
			if late := n.At.Sub(n.Datum(journal.ExpDate).(time.Time)); late < 0 || late > 2*time.Second {
				t.Errorf("the expiry of line %d is reported after %v", n.Line, late)
			}
		}
		if n := len(undisturbed); n < 5 || n > 15 || a.figures.Now().Reminders != int64(n) {
			t.Errorf("%d have a reminder after 20 seconds, and %d were counted", n, a.figures.Now().Reminders)
		}
		p.kill("a")
		p.passes(time.Minute)
		lines := map[int64]bool{}
		for _, n := range p.entries(journal.LineExpired) {
			expect.Equal(t, lines[n.Line], false, "the expiry of line %d was reported before", n.Line)
			lines[n.Line] = true
		}
		expect.Equal(t, len(lines), 20, "lines with a reminder")
	})
}

// A process that loses its store continues once the store is back, and no entry is lost.
func TestDeliveriesContinueAfterAnOutageOfTheStore(t *testing.T) {
	inPlace(t, func(t *testing.T, p *place) {
		a, b := p.start("a"), p.start("b")
		p.hook(p.admin, "own", func(int, message) (time.Duration, int) { return 200 * time.Millisecond, 200 })
		p.passes(2 * time.Second)
		want := p.trials(p.admin, 20)
		p.passes(300 * time.Millisecond)
		a.dead.Store(true)
		b.dead.Store(true)
		p.passes(20 * time.Second)
		want = append(want, p.trials(p.admin, 20)...)
		a.dead.Store(false)
		b.dead.Store(false)
		p.passes(30 * time.Second)
		p.wantsAtLeast("once it is back", "own", want)
		logs := a.log.String() + b.log.String()
		expect.Equal(t, strings.Count(logs, "the lease of background work could not be read or taken"), 1, logs)
	})
}
