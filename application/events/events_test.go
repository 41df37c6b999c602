package events_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/application"
	"resellerd/application/events"
	"resellerd/application/resellers"
	"resellerd/domain/journal"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

func TestCursorsOfEvents(t *testing.T) {
	for seq, want := range map[int64]error{0: nil, -1: application.ErrBadCursor} {
		cursor := application.EventCursor{Epoch: "0a1b2c3d", Seq: seq}.String()
		expect.Error(t, kit.ErrorOf(events.List{}.Cursor(cursor)), want, "the cursor %d", seq)
	}
}

// watching is a request that waits, and the page that it has read.
type watching struct {
	*events.Watch
	by      application.Caller
	command events.List
	page    events.Page
}

func listEvents(h *kit.Harness, by application.Caller, c events.List) events.Page {
	h.T.Helper()
	page, err := h.Events.List(h.T.Context(), kit.Call(by), c)
	require.NoError(h.T, err)
	return page
}

// watch begins to wait after the last entry.
func watch(h *kit.Harness, by application.Caller, c events.List) *watching {
	h.T.Helper()
	c.Limit = 100
	for c.After = nil; ; {
		page := listEvents(h, by, c)
		if !page.More && len(page.Items) == 0 {
			w := &watching{h.Events.Watch(kit.Call(by), c, page), by, c, page}
			h.T.Cleanup(w.Close)
			return w
		}
		c.After = page.Next
	}
}

// wakes reports whether the watch is woken within a second.
func (w *watching) wakes(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return w.Wait(ctx, w.page.Head) == nil
}

// The woken requests are those whose next page shows the entry.
func TestAnEntryWakesTheRequestsThatItConcerns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := kit.New(t, application.Policy{})
		master, asMaster := h.Create(h.Admin, "master", "50", true)
		sub, asSub := h.Create(asMaster, "sub", "5", false)
		other, asOther := h.Create(h.Admin, "other", "5", true)
		require.NoError(t, h.Admins.Create(t.Context(), fixture.Name("second"), profile.NewSecret("second-password")))
		second := h.Login("second", "second-password")
		own, _ := h.Trial(asSub), h.Trial(asOther)
		accounts := []int64{h.Admin.Reseller(), master.ID(), sub.ID(), other.ID(), 1 << 40}
		commands := []events.List{{}, {Types: []journal.Type{journal.TrialCreated}}, {Line: new(own.ID())}}
		for _, id := range accounts {
			commands = append(commands, events.List{Account: &id}, events.List{Tree: &id})
		}
		for id := range int64(10) { // of movements, some of which come
			commands = append(commands, events.List{Movement: new(id + 1)})
		}
		for name, act := range map[string]func() error{
			"a trial": func() error { h.Trial(asSub); return nil },
			"a movement": func() error {
				return kit.ErrorOf(h.Credits.Add(t.Context(), kit.Call(asMaster),
					resellers.Move{ID: sub.ID(), Credits: fixture.Credits("1")}, kit.Shown))
			},
			"a change of a line": func() error {
				return kit.ErrorOf(h.Lines.Delete(t.Context(), kit.Call(asMaster), own.ID(), kit.Shown))
			},
			"an issue": func() error {
				return kit.ErrorOf(h.Credits.Add(t.Context(), kit.Call(h.Admin),
					resellers.Move{ID: other.ID(), Credits: fixture.Credits("1")}, kit.Shown))
			},
		} {
			t.Log(name)
			var all []*watching
			for _, by := range []application.Caller{h.Admin, second, asMaster, asSub, asOther} {
				for _, c := range commands {
					all = append(all, watch(h, by, c))
				}
			}
			require.NoError(t, act())
			woken := 0
			for _, w := range all {
				c := w.command
				c.After = w.page.Next
				shows := len(listEvents(h, w.by, c).Items) > 0
				expect.Equal(t, w.wakes(t.Context()), shows,
					"%s: account %d with %+v is woken", name, w.by.Reseller(), w.command)
				if shows {
					woken++
				}
				w.Close()
			}
			if woken == 0 || woken == len(all) {
				t.Errorf("%s: %d of %d pages show an entry", name, woken, len(all))
			}
		}
	})
}

// A request is woken whatever it waits for, since the entry may have ended its credential.
func TestAnEntryAboutAnAccountWakesItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := kit.New(t, application.Policy{})
		_, asMaster := h.Create(h.Admin, "master", "5", true)
		_, asOther := h.Create(h.Admin, "other", "5", true)
		c := events.List{Types: []journal.Type{journal.LineDeleted}}
		w, other := watch(h, asMaster, c), watch(h, asOther, c)
		require.NoError(t, kit.ErrorOf(h.Access.RevokeToken(t.Context(), kit.Call(asMaster), kit.Shown)))
		expect.Equal(t, w.wakes(t.Context()), true, "a request of whose account a token is revoked is woken")
		expect.Equal(t, other.wakes(t.Context()), false, "a request of another account is woken")
	})
}

// readStore is a store that changes the events that the reader of the journal reads.
type readStore struct {
	ports.Store
	changes atomic.Pointer[func(ports.Events) ports.Events]
}

// View implements ports.Store.
func (o *readStore) View(ctx context.Context, look func(ctx context.Context, s ports.Snapshot) error) error {
	return o.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		if change := o.changes.Load(); change != nil {
			s.Journal = (*change)(s.Journal)
		}
		return look(ctx, s)
	})
}

func newHarnessRead(t *testing.T) (*kit.Harness, *readStore) {
	t.Helper()
	h := kit.New(t, application.Policy{})
	o := &readStore{Store: h.Dependencies.Store}
	h.Service = h.On(o, application.Policy{TrialDuration: time.Hour})
	return h, o
}

// changed are events with another head or another list.
type changed struct {
	ports.Events
	head func(journal.Head) journal.Head
	page func(ports.EventPage) ports.EventPage
}

// Head implements ports.Events.
func (c changed) Head(ctx context.Context) (journal.Head, error) {
	head, err := c.Events.Head(ctx)
	return c.head(head), err
}

// List implements ports.Events.
func (c changed) List(ctx context.Context, q ports.EventQuery) (ports.EventPage, error) {
	page, err := c.Events.List(ctx, q)
	return c.page(page), err
}

func TestARequestIsWokenWhereAnyMayBeConcerned(t *testing.T) {
	same := func(head journal.Head) journal.Head { return head }
	all := func(page ports.EventPage) ports.EventPage { return page }
	for name, c := range map[string]struct {
		change  changed
		restore bool
	}{
		"an entry is damaged": {changed{head: same, page: func(page ports.EventPage) ports.EventPage {
			for _, n := range page.Entries {
				page.Damaged = append(page.Damaged, n.Seq)
			}
			page.Entries = nil
			return page
		}}, false},
		"the journal is shorter": {changed{head: func(head journal.Head) journal.Head {
			head.Seq -= 2
			return head
		}, page: all}, false},
		"another epoch begins": {changed{head: same, page: all}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, o := newHarnessRead(t)
				_, asMaster := h.Create(h.Admin, "master", "5", true)
				w := watch(h, asMaster, events.List{})
				h.Trial(h.Admin)
				expect.Equal(t, w.wakes(t.Context()), false, "an entry of another account wakes the request")
				o.changes.Store(new(func(e ports.Events) ports.Events {
					c.change.Events = e
					return c.change
				}))
				if c.restore {
					require.NoError(t, h.Epochs.BeginRestored(t.Context()))
				} else {
					h.Trial(h.Admin)
				}
				expect.Equal(t, w.wakes(t.Context()), true, "the request is woken")
			})
		})
	}
}

// The reader has passed the entry before the request waits.
func TestAnEntryBetweenAPageAndItsWaitIsNotMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := kit.New(t, application.Policy{})
		_, asMaster := h.Create(h.Admin, "master", "5", true)
		first := watch(h, asMaster, events.List{Types: []journal.Type{journal.TrialCreated}})
		h.Trial(asMaster)
		if !first.wakes(t.Context()) {
			t.Fatal("the first request is not woken")
		}
		late := watching{Watch: h.Events.Watch(kit.Call(asMaster), first.command, first.page), page: first.page}
		defer late.Close()
		expect.Equal(t, late.wakes(t.Context()), true, "a request that begins to wait later is woken")
	})
}

// The failure lasts for a while.
func TestAReaderOutlivesAFailureOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, o := newHarnessRead(t)
		w := watch(h, h.Admin, events.List{})
		failing := func(e ports.Events) ports.Events {
			return failingEvents{e}
		}
		o.changes.Store(&failing)
		h.Trial(h.Admin)
		expect.Equal(t, w.wakes(t.Context()), false, "a request is woken by what could not be read")
		o.changes.Store(nil)
		time.Sleep(time.Second)
		expect.Equal(t, w.wakes(t.Context()), true, "the request is woken once the store can be read")
	})
}

type failingEvents struct{ ports.Events }

// Head implements ports.Events.
func (failingEvents) Head(context.Context) (journal.Head, error) {
	return journal.Head{}, fmt.Errorf("%w: for a test", ports.ErrUnavailable)
}
