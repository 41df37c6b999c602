package background

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/application"
	"resellerd/application/internal/usecase"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/require"
)

func TestExpiredRecordsStayForADayAfterAClockJump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		now := func() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
		require.NoError(t, store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			return tx.Keys.Put(ctx, ports.KeyRecord{Reseller: 1, Key: "k", Request: []byte("x"), Status: 200, Body: []byte("x"),
				Expires: now()})
		}))
		over := session.Session{ID: "id", Reseller: 1, Created: now().Add(-session.MaxLifetime), Used: now()}
		require.NoError(t, store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			return ports.Sessions.In(tx.Records).Insert(ctx, over)
		}))
		kept := func() (all []string) {
			if store.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
				_, err := s.Keys.Get(ctx, 1, "k")
				return err
			}) == nil {
				all = append(all, "an expired key")
			}
			if store.View(t.Context(), func(ctx context.Context, s ports.Snapshot) error {
				_, err := ports.Sessions.From(s.Records).Get(ctx, over.ID)
				return err
			}) == nil {
				all = append(all, "a session that is over")
			}
			return all
		}
		start := time.Now()
		var ahead atomic.Int64
		service := application.New(usecase.Dependencies{Store: store, Clock: now}, usecase.Policy{})
		clock := func() (shown, passed time.Duration) {
			passed = time.Since(start)
			return passed + time.Duration(ahead.Load()), passed
		}
		ctx, end := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { Forget(ctx, service, time.Tick(time.Minute), clock, slog.New(slog.DiscardHandler)) })
		synctest.Wait()
		ahead.Store(int64(2 * time.Hour))
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		expect.Equal(t, len(kept()), 2, "records right after the clock jumped")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		expect.Elements(t, kept(), nil, "records a day after the clock jumped")
		end()
		running.Wait()
		require.NoError(t, store.Close())
	})
}

func TestClockIsUnreliableForADayAfterAJump(t *testing.T) {
	const hour, minute = time.Hour, time.Minute
	const start = 500_000 * hour // what the clock says at first
	w := clockWatch{ahead: start}
	for _, c := range []struct {
		passed, ahead time.Duration
		jumped        time.Duration
		reliable      bool
	}{
		{1 * minute, 0, 0, true},
		{2 * minute, hour - 1, 0, true},               // corrected by less than an hour
		{3 * minute, 2 * (hour - 1), 0, true},         // and again
		{4 * minute, 0, -2 * (hour - 1), false},       // set back
		{5 * minute, 8760 * hour, 8760 * hour, false}, // a year ahead
		{6 * minute, 8760 * hour, 0, false},
		{24*hour + 5*minute - 1, 8760 * hour, 0, false},
		{24*hour + 5*minute, 8760 * hour, 0, true}, // it was not set back: it counts as right
		{24*hour + 6*minute, 0, -8760 * hour, false},
		{48*hour + 6*minute, 0, 0, true},
	} {
		jumped, reliable := w.seen(start+c.passed+c.ahead, c.passed)
		expect.Equal(t, jumped, c.jumped, "after %v, %v ahead: jumped by", c.passed, c.ahead)
		expect.Equal(t, reliable, c.reliable, "after %v, %v ahead: reliable", c.passed, c.ahead)
	}
}
