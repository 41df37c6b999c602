package background_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/application/access"
	"resellerd/application/background"
	"resellerd/application/internal/usecase"
	"resellerd/application/lines"
	"resellerd/application/webhooks"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/webhook"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
	"resellerd/test/require"
)

// sending is a sender whose receiver takes its time, and then answers alike.
type sending struct {
	takes  time.Duration
	answer ports.WebhookAnswer
}

func (s *sending) Send(ctx context.Context, _ ports.WebhookMessage) ports.WebhookAnswer {
	select {
	case <-time.After(s.takes):
		return s.answer
	case <-ctx.Done():
		return ports.WebhookAnswer{Failure: webhook.ConnectionFailed}
	}
}

// watched is a service with a webhook, and with what is done in the background.
type watched struct {
	t       *testing.T
	service *inprocess.Service
	call    usecase.Call
	hook    int64
	figures background.Figures
}

// watch begins with a webhook for what concerns an admin. It runs in the bubble of a test, and returns what ends it.
func watch(t *testing.T, to ports.WebhookSender) (*watched, func()) {
	t.Helper()
	w := &watched{t: t}
	clock := func() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
	store := memstore.New()
	var err error
	w.service, err = inprocess.New(store, inprocess.At(clock))
	require.NoError(t, err)
	w.check(w.service.Epochs.Begin(t.Context()))
	w.check(w.service.Admin(t.Context()))
	token, err := w.service.Access.Login(t.Context(),
		access.Login{Username: fixture.Name(api.AdminName), Password: profile.NewSecret(api.AdminPassword)})
	w.check(err)
	w.call.Caller, err = w.service.Authentication.Authenticate(token.Reveal())
	w.check(err)
	w.check(errorOf(w.service.Webhooks.Create(t.Context(), w.call,
		webhooks.Create{URL: "https://a.example/", Types: []string{"line.trial_created"}, Scope: webhook.Own},
		func(made webhooks.Webhook) usecase.Receipt {
			w.hook = made.ID
			return usecase.Receipt{}
		})))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	start := time.Now()
	go func() {
		defer close(ended)
		background.Run(ctx, background.Options{
			Service: w.service.Service, Process: "this", Sender: to, Clock: clock, Figures: &w.figures,
			Log:    slog.New(slog.DiscardHandler),
			Encode: func(journal.Numbered) []byte { return nil },
			After:  time.After, Passed: func() time.Duration { return time.Since(start) }, Spread: func() float64 { return 0 },
		})
	}()
	return w, func() {
		cancel()
		<-ended
		w.check(store.Close())
	}
}

func (w *watched) check(err error) {
	w.t.Helper()
	require.NoError(w.t, err)
}

// happens has so many entries appended for the webhook.
func (w *watched) happens(times int) {
	w.t.Helper()
	for range times {
		w.check(errorOf(w.service.Lines.CreateTrial(w.t.Context(), w.call, line.Description{},
			func(lines.Line) usecase.Receipt { return usecase.Receipt{} })))
	}
}

// load returns the figures after a while.
func (w *watched) load(after time.Duration) ports.WebhookLoad {
	w.t.Helper()
	time.Sleep(after)
	synctest.Wait()
	now := w.figures.Now()
	if now.Webhooks == nil {
		w.t.Fatal("this process does not deliver")
	}
	return *now.Webhooks
}

// behind fails the test unless the oldest entry that was not begun with is so old, to the time that entries are
// gathered.
func (w *watched) behind(after, want time.Duration) {
	w.t.Helper()
	const gathered = 300 * time.Millisecond
	if got := w.load(after).Behind; got < want-gathered || got > want+gathered {
		w.t.Errorf("after %v more it is %v behind, want %v", after, got, want)
	}
}

func TestFiguresOfNothing(t *testing.T) {
	t.Parallel()
	now := new(background.Figures).Now()
	expect.Equal(t, now.Webhooks, nil, "deliveries")
	expect.Equal(t, len(now.Attempts), 1+len(webhook.Failures()), "outcomes")
	expect.Equal(t, now.Attempts["delivered"], 0, "delivered")
}

// TestHowFarDeliveriesAreBehind has a receiver that takes 10 seconds for each entry, and 8 at a time once it has taken
// some.
func TestHowFarDeliveriesAreBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, end := watch(t, &sending{takes: 10 * time.Second})
		w.behind(3*time.Second, 0)
		w.happens(3)
		w.behind(30*time.Second, 0)
		w.happens(24)
		w.behind(5*time.Second, 5*time.Second)
		w.behind(10*time.Second, 15*time.Second)
		w.behind(10*time.Second, 0) // the last are under way
		w.behind(10*time.Second, 0)
		if now := w.figures.Now(); now.Attempts["delivered"] != 27 || now.Webhooks.Enabled != 1 || now.Webhooks.Waiting != 0 {
			t.Errorf("%+v of %+v", now, now.Webhooks)
		}
		// What is sent once more waits since it was asked for, not since it happened.
		time.Sleep(time.Hour)
		w.check(errorOf(w.service.Webhooks.Replay(t.Context(), w.call, webhooks.Replay{ID: w.hook},
			func(int64) usecase.Receipt { return usecase.Receipt{} })))
		if got := w.load(8 * time.Second).Behind; got < 6*time.Second || got > 8*time.Second {
			t.Errorf("8 seconds after a replay it is %v behind", got)
		}
		w.behind(30*time.Second, 0)
		end()
		expect.Equal(t, w.figures.Now().Webhooks, nil, "deliveries of a process that has ended")
	})
}

// TestAReceiverThatFailsIsNotBehind: it delays no other, and what waits for it is counted apart.
func TestAReceiverThatFailsIsNotBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, end := watch(t, &sending{takes: webhook.Timeout, answer: ports.WebhookAnswer{Failure: webhook.TimedOut}})
		w.happens(200)
		w.behind(10*time.Second, 10*time.Second) // nobody knows yet
		w.behind(40*time.Second, 0)
		now := w.load(time.Minute)
		if now.Behind != 0 || now.Waiting < 4 || now.Waiting > 10 {
			t.Errorf("%+v", now)
		}
		if got := w.figures.Now().Attempts; got["timed-out"] < 4 || got["delivered"] != 0 {
			t.Errorf("attempts %v", got)
		}
		end()
	})
}

func TestFiguresCountWebhooksByReason(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, end := watch(t, &sending{answer: ports.WebhookAnswer{Status: 410, Failure: webhook.NotAccepted}})
		w.happens(3)
		now := w.load(10 * time.Second)
		want := map[string]int{"requested": 0, "gone": 1, "failing": 0, "restored": 0}
		expect.DeepEqual(t, now, ports.WebhookLoad{Disabled: want})
		end()
	})
}
