package journals

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/adapters/memstore"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
)

// appends is a store that appends other entries instead of those of a type.
type appends struct {
	ports.Store
	of      journal.Type
	instead func(journal.Entry) []journal.Entry
}

func (s appends) Update(ctx context.Context, work func(ctx context.Context, tx ports.Tx) error,
	hints ...ports.Reads) error {
	return s.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		tx.Journal = otherJournal{tx.Journal, s}
		return work(ctx, tx)
	}, hints...)
}

type otherJournal struct {
	ports.Journal
	by appends
}

func (j otherJournal) Append(ctx context.Context, e journal.Entry) (err error) {
	if e.Type != j.by.of {
		return j.Journal.Append(ctx, e)
	}
	for _, other := range j.by.instead(e) {
		err = errors.Join(err, j.Journal.Append(ctx, other))
	}
	return err
}

// used returns a store in which a few things happened, as a service over another one made them.
func used(t *testing.T, over func(ports.Store) ports.Store) ports.Store {
	t.Helper()
	store := memstore.New()
	t.Cleanup(func() { _ = store.Close() })
	clock := fixture.NewClock(fixture.Noon)
	service, err := inprocess.New(over(store), inprocess.At(clock.Now))
	if err = errors.Join(err, service.Admin(t.Context())); err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(service.Handler)
	t.Cleanup(served.Close)
	asked := api.Service{Address: strings.TrimPrefix(served.URL, "http://")}
	master := asked.Admin(t).Master(t, "5")
	asked.Admin(t).Fund(t, master.ID, "2").Is(200)
	master.Official(t)
	asked.Admin(t).Send(t, "PUT", api.Path("/users", master.ID, "/alerts"), api.Fields{"balance_low": "10"}).Is(200)
	master.MakeWebhook(t, nil)
	master.MakeKey(t, nil)
	_, err = service.Leases.Change(t.Context(), func(l lease.Lease) (lease.Lease, bool) { return l.Take("this"), true })
	for range 2 { // first it only begins
		_, failed := service.Reminders.Send(t.Context(), "this", 0, 10)
		err = errors.Join(err, failed)
		clock.Advance(40 * 24 * time.Hour)
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// TestSoundFindsBrokenJournals shows that Sound can fail.
func TestSoundFindsBrokenJournals(t *testing.T) {
	t.Parallel()
	sound := used(t, func(s ports.Store) ports.Store { return s })
	if all, err := Sound(t.Context(), sound); err != nil || len(all) != 11 {
		t.Errorf("a sound journal of 11 entries has %d: %v", len(all), err)
	}
	appended := func(of journal.Type, instead func(journal.Entry) []journal.Entry) ports.Store {
		return used(t, func(s ports.Store) ports.Store { return appends{s, of, instead} })
	}
	for says, store := range map[string]ports.Store{
		"is named by no entry": appended(journal.ResellerCredited, func(journal.Entry) []journal.Entry {
			return nil
		}),
		"names movement 2 as": appended(journal.ResellerCredited, func(e journal.Entry) []journal.Entry {
			e.Movement.Balances = slices.Repeat(e.Movement.Balances, 2)
			return []journal.Entry{e}
		}),
		"has version 1 after version 1": appended(journal.LineActivated, func(e journal.Entry) []journal.Entry {
			e.Version--
			return []journal.Entry{e}
		}),
		"repeats entry 11": appended(journal.LineExpired, func(e journal.Entry) []journal.Entry {
			return []journal.Entry{e, e}
		}),
	} {
		if _, err := Sound(t.Context(), store); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Sound does not say %q: %v", says, err)
		}
	}
}
