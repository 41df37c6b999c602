package resellers_test

import (
	"testing"

	"resellerd/application"
	"resellerd/application/resellers"
	"resellerd/domain/journal"
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

// balanceEntry is the entry about the present balance of a reseller.
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

// One movement may cause an alert on both sides.
func TestMovementCanAlertBothSides(t *testing.T) {
	s := kit.NewMaster(t, application.Policy{}) // with 98 credits, and 1 below it
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
	want[1].Request = "" // of its parent
	expect.DeepEqual(t, got, want)
}
