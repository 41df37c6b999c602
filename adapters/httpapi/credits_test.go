package httpapi_test

import (
	"encoding/json"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestCreditsAreExact as they are written: a number in answers to recharges, a text elsewhere. What may be moved where
// is proved in domain/reseller.
func TestCreditsAreExact(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	master := admin.Master(t, "10.5")
	child := master.Master(t, "3.25")
	master.Fund(t, child.ID, json.RawMessage("2.0001")).Is(200).Has(fields{"credits": json.Number("5.2501")})
	master.Fund(t, child.ID, 6).Refused(402, "insufficient-credits").
		Has(fields{"balance": "5.2499", "required": "6", "shortfall": "0.7501"})
	master.Send(t, "POST", "/users", api.NewReseller(fields{"credits": "5.25"})).Refused(402, "insufficient-credits").
		Has(fields{"balance": "5.2499", "required": "5.25", "shortfall": "0.0001"})

	leaf := child.Reseller(t, "0")
	funded := child.Fund(t, leaf.ID, 5.25).Is(200)
	at := api.Path("/users", leaf.ID, "/credits/reclaim")
	answered := func(a answer, left string) {
		t.Helper()
		a.Is(200).Exactly(fields{"id": leaf.ID, "username": leaf.Username, "credits": json.Number(left),
			"recharge": funded.Text("recharge"), "message": api.Anything})
	}
	answered(child.Send(t, "POST", at, fields{"credits": "2.50", "notes": "a note"}), "2.75")
	// to the master's own balance, past the child's
	answered(master.Reclaim(t, leaf.ID, json.RawMessage("1e0")), "1.75")
	answered(admin.Send(t, "POST", at, fields{"credits": 1, "notes": nil, "unknown": 1}), "0.75") // to issuance
	for _, c := range []struct {
		api.Reseller
		credits string
	}{{master, "6.2499"}, {child, "2.5001"}, {leaf, "0.75"}} {
		expect.Equal(t, c.Credits(t), c.credits, "%s holds", c.Username)
	}
	for _, by := range []caller{child.Caller, master.Caller, admin} {
		by.Reclaim(t, leaf.ID, "0.7501").Refused(402, "insufficient-credits").
			Has(fields{"balance": "0.75", "required": "0.7501", "shortfall": "0.0001"})
	}
	srv.audit(t)
}
