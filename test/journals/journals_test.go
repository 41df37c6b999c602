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
	"resellerd/domain/credit"
	"resellerd/domain/journal"
	"resellerd/domain/lease"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/fixture"
	"resellerd/test/inprocess"
)

// shows is a store whose journal shows itself otherwise than it is.
type shows struct {
	ports.Store
	events func(ports.Events) ports.Events
}

func (s shows) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return s.Store.View(ctx, func(ctx context.Context, seen ports.Snapshot) error {
		seen.Journal = s.events(seen.Journal)
		return look(ctx, seen)
	})
}

type otherPage struct {
	ports.Events
	page func([]journal.Numbered) []journal.Numbered
}

func (e otherPage) List(ctx context.Context, q ports.EventQuery) (ports.EventPage, error) {
	page, err := e.Events.List(ctx, q)
	page.Entries = e.page(page.Entries)
	return page, err
}

type otherFigures struct{ ports.Events }

func (e otherFigures) Figures(ctx context.Context, accounts []int64, from, to time.Time) ([]ports.DayFigures, error) {
	found, err := e.Events.Figures(ctx, accounts, from, to)
	found[0].Trials++
	return found, err
}

type noMovements struct{ ports.Events }

func (noMovements) OfMovements(context.Context, []int64) (map[int64]journal.Numbered, error) {
	return nil, nil
}

// appends is a store that appends others in the place of the entries of a type.
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

func asItIs(s ports.Store) ports.Store { return s }

// TestWhatIsWrongIsFound has a sound journal be called sound, and others not.
func TestWhatIsWrongIsFound(t *testing.T) {
	t.Parallel()
	sound := used(t, asItIs)
	if all, err := Sound(t.Context(), sound); err != nil || len(all) != 11 {
		t.Errorf("a sound journal of 11 entries has %d: %v", len(all), err)
	}
	pages := func(page func([]journal.Numbered) []journal.Numbered) ports.Store {
		return shows{sound, func(e ports.Events) ports.Events { return otherPage{e, page} }}
	}
	for says, store := range map[string]ports.Store{
		"does not follow entry 2": pages(func(all []journal.Numbered) []journal.Numbered { return slices.Delete(all, 2, 3) }),
		"does not follow entry 3": pages(func(all []journal.Numbered) []journal.Numbered {
			all[3].Request += "x"
			return all
		}),
		"the journal ends with entry 11": pages(func(all []journal.Numbered) []journal.Numbered { return all[:5] }),
		"name movement": pages(func(all []journal.Numbered) []journal.Numbered {
			return append(all, all[3])
		}),
		"figures of account":       shows{sound, func(e ports.Events) ports.Events { return otherFigures{e} }},
		"it is said to be entry 0": shows{sound, func(e ports.Events) ports.Events { return noMovements{e} }},
		"is named by no entry": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.ResellerCredited, nothing}
		}),
		"which is a activation": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.LineActivated, retyped}
		}),
		"names movement 2 as": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.ResellerCredited, doubled}
		}),
		"has version 1 of what had version 1": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.LineActivated, unchanged}
		}),
		"tells of version 3 of line 1": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.LineExpired, changed}
		}),
		"tells once more what entry 11 tells": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.LineExpired, twice}
		}),
		"tells that line 1 expires": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.LineExpired, otherwise}
		}),
		"tells at": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.LineExpired, early}
		}),
		"does not only tell": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.BalanceLow, done}
		}),
		"tells of version 1 of account 2": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.BalanceLow, first}
		}),
		"does not follow what changed": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.BalanceLow, alone}
		}),
		"is not of a webhook alone": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.WebhookCreated, changed}
		}),
		"is not of a principal alone": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.KeyCreated, changed}
		}),
		"is done by principal 0, and by a key": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.LineActivated, byNobody}
		}),
		"entries name 1 movements more": used(t, func(s ports.Store) ports.Store {
			return appends{s, journal.TrialCreated, invented}
		}),
	} {
		if _, err := Sound(t.Context(), store); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("nobody says %q: %v", says, err)
		}
	}
}

func nothing(journal.Entry) []journal.Entry { return nil }

func unchanged(e journal.Entry) []journal.Entry {
	e.Version--
	return []journal.Entry{e}
}

func changed(e journal.Entry) []journal.Entry {
	e.Version++
	return []journal.Entry{e}
}

func first(e journal.Entry) []journal.Entry {
	e.Version = 1
	return []journal.Entry{e}
}

func byNobody(e journal.Entry) []journal.Entry {
	e.Actor.Kind = journal.ByKey
	return []journal.Entry{e}
}

func twice(e journal.Entry) []journal.Entry { return []journal.Entry{e, e} }

func otherwise(e journal.Entry) []journal.Entry {
	e.Data = append([]journal.Datum{{Name: journal.ExpDate, Value: journal.Instant(e.At)}}, e.Data[1:]...)
	return []journal.Entry{e}
}

func early(e journal.Entry) []journal.Entry {
	e.At = fixture.Noon
	return []journal.Entry{e}
}

func done(e journal.Entry) []journal.Entry {
	e.Actor.Kind = journal.ByToken
	return []journal.Entry{e}
}

func alone(e journal.Entry) []journal.Entry {
	e.Request += "x"
	return []journal.Entry{e}
}

func retyped(e journal.Entry) []journal.Entry {
	e.Type = journal.LineExtended
	return []journal.Entry{e}
}

func doubled(e journal.Entry) []journal.Entry {
	e.Movement.Balances = slices.Repeat(e.Movement.Balances, 2)
	return []journal.Entry{e}
}

func invented(e journal.Entry) []journal.Entry {
	e.Movement = &journal.Movement{ID: 99, Operation: credit.Extension, Source: credit.Issuance,
		Target: credit.Consumption}
	return []journal.Entry{e}
}
