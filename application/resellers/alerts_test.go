package resellers_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/journal"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

func setAlert(h *kit.Harness, by application.Caller, id int64, below string) error {
	return kit.ErrorOf(h.Resellers.SetAlert(h.T.Context(), kit.Call(by), resellers.SetAlert{ID: id,
		Below: fixture.Credits(below)},
		kit.Shown))
}

// told is an entry that tells of the balance of a reseller as it is now.
func balanceEntry(h *kit.Harness, of journal.Type, id int64, has, below string) journal.Entry {
	h.T.Helper()
	is := h.Recorded().Resellers[id]
	return journal.Entry{
		Type: of, At: h.Now, Account: is.Position, Actor: journal.Actor{Kind: journal.BySystem}, Request: "request-1",
		Version: is.Version,
		Data: []journal.Datum{
			{Name: "balance", Value: journal.Text(has)}, {Name: "balance_low", Value: journal.Text(below)},
			{Name: "username", Value: journal.Text(is.Username.String())},
		},
	}
}

// Whatever moves the balance of a reseller: if that is low then, or has recovered, a second entry follows the first.
func TestEachMovementTellsOfABalance(t *testing.T) {
	low, recovered := journal.BalanceLow, journal.BalanceRecovered
	for situation, c := range map[string]struct {
		below string // of which master is told; it has 87
		do    func(ctx context.Context, s *kit.Master) error
		of    journal.Type
		has   string
	}{
		"credits given": {"87", func(ctx context.Context, s *kit.Master) error {
			return kit.ErrorOf(s.Credits.Add(ctx, kit.Call(s.Caller), resellers.Move{ID: s.Below,
				Credits: fixture.Credits("0.0001")},
				kit.Shown))
		}, low, "86.9999"},
		"an extension by one above": {"87", func(ctx context.Context, s *kit.Master) error {
			return kit.ErrorOf(s.Lines.Extend(ctx, kit.Call(s.Admin), lines.Extend{ID: s.Line,
				Price: fixture.Price("10")}, kit.Shown))
		}, low, "77"},
		"credits taken back": {"87.5", func(ctx context.Context, s *kit.Master) error {
			require.NoError(s.T, kit.ErrorOf(s.Credits.Add(ctx, kit.Call(s.Admin),
				resellers.Move{ID: s.Below, Credits: fixture.Credits("50")}, kit.Shown)))
			return kit.ErrorOf(s.Credits.Reclaim(ctx, kit.Call(s.Caller), resellers.Move{ID: s.Below,
				Credits: fixture.Credits("18")},
				kit.Shown))
		}, recovered, "105"},
	} {
		s := kit.NewMaster(t, application.Policy{})
		require.NoError(t, kit.ErrorOf(s.Credits.Reclaim(t.Context(), kit.Call(s.Admin),
			resellers.Move{ID: s.Reseller(), Credits: fixture.Credits("11")}, kit.Shown)))
		require.NoError(t, setAlert(s.Harness, s.Caller, s.Reseller(), c.below))
		s.Now = s.Now.Add(time.Hour)
		added := s.Appended(func() { require.NoError(t, c.do(t.Context(), s)) })
		last := len(added) - 1
		want := balanceEntry(s.Harness, c.of, s.Reseller(), c.has, c.below)
		if added[last-1].Actor.Account != s.Reseller() { // whose request is not for it to see
			want.Request = ""
		}
		if !reflect.DeepEqual(added[last].Entry, want) || added[last-1].Movement == nil {
			t.Errorf("%s: after %+v comes\n%+v, want\n%+v", situation, added[last-1].Entry, added[last].Entry, want)
		}
		for _, n := range added[:last] {
			told := n.Type == low || n.Type == recovered
			expect.Equal(t, told, false, "%s: it is told of before, too, by %+v", situation, n.Entry)
		}
		again := s.Appended(func() { require.NoError(t, setAlert(s.Harness, s.Caller, s.Reseller(), c.below)) })
		expect.Equal(t, len(again), 0, "%s: the same alert once more has %+v", situation, again)
	}
}

// One movement may tell of both sides.
func TestAMovementTellsOfBothItsSides(t *testing.T) {
	s := kit.NewMaster(t, application.Policy{}) // who has 98, and 1 below it
	require.NoError(t, setAlert(s.Harness, s.Caller, s.Reseller(), "98"))
	require.NoError(t, setAlert(s.Harness, s.Caller, s.Below, "5"))
	added := s.Appended(func() {
		require.NoError(t, kit.ErrorOf(s.Credits.Add(t.Context(), kit.Call(s.Caller),
			resellers.Move{ID: s.Below, Credits: fixture.Credits("5")}, kit.Shown)))
	})
	if len(added) != 3 || added[0].Type != journal.ResellerCredited {
		t.Fatalf("got %+v", added)
	}
	got := []journal.Entry{added[1].Entry, added[2].Entry}
	if got[0].Account.ID != s.Reseller() {
		got[0], got[1] = got[1], got[0]
	}
	want := []journal.Entry{balanceEntry(s.Harness, journal.BalanceLow, s.Reseller(), "93", "98"),
		balanceEntry(s.Harness, journal.BalanceRecovered, s.Below, "6", "5")}
	want[1].Request = "" // that of the account above
	expect.DeepEqual(t, got, want)
}

// What is not kept, is refused, or is repeated under its key tells nothing.
func TestABalanceIsToldOfWithItsMovementOnly(t *testing.T) {
	s := kit.NewMaster(t, application.Policy{})
	require.NoError(t, setAlert(s.Harness, s.Caller, s.Reseller(), "98"))
	give := func(service *application.Service, c application.Call, credits string) error {
		return kit.ErrorOf(service.Credits.Add(t.Context(), c, resellers.Move{ID: s.Below, Credits: fixture.Credits(credits)},
			kit.Shown))
	}
	store := &kit.Uncommitted{Store: s.Dependencies.Store, Fails: true}
	if added := s.Appended(func() {
		expect.Error(t, give(s.On(store, application.Policy{}), kit.Call(s.Caller), "1"), application.ErrUnavailable)
		expect.Error(t, give(s.Service, kit.Call(s.Caller), "1000"), reseller.ErrCredits)
	}); len(added) != 0 {
		t.Errorf("what was not done has %+v", added)
	}
	c := kit.Keyed(s.Caller, "key")
	c.Request = "request-1"
	added := s.Appended(func() {
		for range 3 {
			require.NoError(t, give(s.Service, c, "1"))
		}
	})
	if want := balanceEntry(s.Harness, journal.BalanceLow, s.Reseller(), "97", "98"); len(added) != 2 ||
		!reflect.DeepEqual(added[1].Entry, want) {
		t.Errorf("three requests under one key have %+v, want at last %+v", added, want)
	}
}

// Set above the balance it is told of at once, after the entry of the change.
func TestAnAlertAboveTheBalanceIsToldOfAtOnce(t *testing.T) {
	h := kit.New(t, application.Policy{})
	maria, by := h.Create(h.Admin, "maria", "5", false)
	require.NoError(t, setAlert(h, by, maria.ID(), "5"))
	added := h.Appended(func() { require.NoError(t, setAlert(h, by, maria.ID(), "5.0001")) })
	low := balanceEntry(h, journal.BalanceLow, maria.ID(), "5", "5.0001")
	if len(added) != 2 || added[0].Type != journal.ResellerUpdated || !reflect.DeepEqual(added[1].Entry, low) {
		t.Errorf("got\n%+v, want %+v at last", added, low)
	}
	added = h.Appended(func() { require.NoError(t, setAlert(h, by, maria.ID(), "5.0001")) })
	expect.Equal(t, len(added), 0, "set once more")
}

func TestTheDaysOfRemindersAreTheOperators(t *testing.T) {
	h := kit.New(t, application.Policy{ExpiringDays: []int{7, 3, 1}})
	expect.Equal(t, fmt.Sprint(h.Resellers.ReminderDays()), "[7 3 1]")
}
