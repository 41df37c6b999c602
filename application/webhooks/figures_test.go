package webhooks_test

import (
	"testing"
	"time"

	"resellerd/application/webhooks"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/kit"
)

// load returns the figures after this time.
func (r *process) load(after time.Duration) ports.WebhookLoad {
	r.place.t.Helper()
	r.place.passes(after)
	now := r.figures.Now()
	if now.Webhooks == nil {
		r.place.t.Fatal("this process does not deliver")
	}
	return *now.Webhooks
}

// behind fails the test unless the oldest entry without an attempt has this age, apart from the time for which entries
// are gathered.
func (r *process) behind(after, want time.Duration) {
	r.place.t.Helper()
	const gathered = 300 * time.Millisecond
	if got := r.load(after).Behind; got < want-gathered || got > want+gathered {
		r.place.t.Errorf("after %v more it is %v behind, want %v", after, got, want)
	}
}

// The receiver takes 10 seconds for each entry, and 8 at a time once it has accepted some.
func TestHowFarDeliveriesAreBehind(t *testing.T) {
	inPlace(t, func(t *testing.T, p *place) {
		id := p.hook(p.admin, "own", func(int, message) (time.Duration, int) { return 10 * time.Second, 200 })
		a := p.start("a")
		a.behind(3*time.Second, 0)
		p.trials(p.admin, 3)
		a.behind(30*time.Second, 0)
		p.trials(p.admin, 24)
		a.behind(5*time.Second, 5*time.Second)
		a.behind(10*time.Second, 15*time.Second)
		a.behind(10*time.Second, 0) // the last ones are in flight
		a.behind(10*time.Second, 0)
		if now := a.figures.Now(); now.Attempts["delivered"] != 27 || now.Webhooks.Enabled != 1 || now.Webhooks.Waiting != 0 {
			t.Errorf("%+v of %+v", now, now.Webhooks)
		}
		// A replayed entry waits since the replay, not since it was appended.
		time.Sleep(time.Hour)
		p.check(kit.ErrorOf(p.service.Webhooks.Replay(t.Context(), p.admin, webhooks.Replay{ID: id}, nothing)))
		if got := a.load(8 * time.Second).Behind; got < 6*time.Second || got > 8*time.Second {
			t.Errorf("8 seconds after a replay it is %v behind", got)
		}
		a.behind(30*time.Second, 0)
		p.stop("a")
		expect.Equal(t, a.figures.Now().Webhooks, nil, "deliveries of a process that has ended")
	})
}

func TestFiguresCountWebhooksByReason(t *testing.T) {
	inPlace(t, func(t *testing.T, p *place) {
		p.hook(p.admin, "own", func(int, message) (time.Duration, int) { return 0, 410 })
		a := p.start("a")
		p.trials(p.admin, 3)
		now := a.load(10 * time.Second)
		want := map[string]int{"requested": 0, "gone": 1, "failing": 0, "restored": 0}
		expect.DeepEqual(t, now, ports.WebhookLoad{Disabled: want})
	})
}
