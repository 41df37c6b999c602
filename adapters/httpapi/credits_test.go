package httpapi_test

import (
	"encoding/json"
	"testing"

	"resellerd/test/api"
)

func TestFundingIsExact(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "10.5")
	child := master.Reseller(t, "3.25")
	master.Fund(t, child.ID, json.RawMessage("2.0001")).Is(200).Has(fields{"credits": json.Number("5.2501")})
	master.Fund(t, child.ID, 6).Refused(402, "insufficient-credits").
		Has(fields{"balance": "5.2499", "required": "6", "shortfall": "0.7501"})
	master.Send(t, "POST", "/users", api.NewReseller(fields{"credits": "5.25"})).Refused(402, "insufficient-credits").
		Has(fields{"balance": "5.2499", "required": "5.25", "shortfall": "0.0001"})
	master.Send(t, "POST", "/users", api.NewReseller(fields{"credits": "5.2499"})).Is(201).Has(fields{"credits": "5.2499"})
	if got := master.Balance(t, child.ID); got != "0" {
		t.Errorf("the master is left with %s credits, want 0", got)
	}
}

func TestSmallSumsAreExact(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	r := admin.Reseller(t, "0.1")
	admin.Fund(t, r.ID, 0.2).Is(200).Has(fields{"credits": json.Number("0.3")})
	api.AtOnce(30, func(int) {
		admin.Fund(t, r.ID, json.RawMessage("0.0001")).Is(200)
	})
	admin.Fund(t, r.ID, "0.0001").Is(200).Has(fields{"credits": json.Number("0.3031")})
}

func TestBalanceLimit(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	r := admin.Reseller(t, "999999999.9999")
	api.AtOnce(99, func(int) {
		admin.Fund(t, r.ID, 1_000_000_000).Is(200)
	})
	admin.Fund(t, r.ID, 1).Refused(409, "balance-limit")
	admin.Fund(t, r.ID, "0.0002").Refused(409, "balance-limit")
	admin.Fund(t, r.ID, "0.0001").Is(200).Has(fields{"credits": json.Number("100000000000")})
	admin.Fund(t, r.ID, "0.0001").Refused(409, "balance-limit")
}

// TestOwnerPays shows who is charged when another account activates a line.
func TestOwnerPays(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "7")
	owner := master.Reseller(t, "2")
	first, second, third := owner.Trial(t), owner.Trial(t), owner.Trial(t)
	master.Activate(t, first, 1).Is(201).Has(fields{"owner": owner.ID})
	srv.Admin(t).Activate(t, second, "0.5").Is(201).Has(fields{"owner": owner.ID})
	for _, by := range []caller{owner.Caller, master.Caller, srv.Admin(t)} {
		by.Activate(t, third, 1).Refused(402, "insufficient-credits").Has(fields{"balance": "0.5", "required": "1", "shortfall": "0.5"})
	}
	if got := master.Balance(t, owner.ID); got != "5" {
		t.Errorf("the master above holds %s, want 5: it is not the owner", got)
	}
	owner.DeleteLine(t, first.ID).Is(200) // no refund
	owner.Activate(t, third, 1).Refused(402, "insufficient-credits").Has(fields{"balance": "0.5"})

	own := srv.Admin(t).Trial(t) // an admin holds no credits and pays by issuing
	srv.Admin(t).Activate(t, own, 10).Is(201)
}

func TestReclaim(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	master := admin.Master(t, "100")
	child := master.Master(t, "30")
	leaf := child.Reseller(t, "0")
	funded := child.Fund(t, leaf.ID, 12.5).Is(200)
	at := api.Path("/users", leaf.ID, "/credits/reclaim")
	answered := func(a answer, left string) {
		t.Helper()
		a.Is(200).Exactly(fields{"id": leaf.ID, "username": leaf.Username, "credits": json.Number(left), "recharge": funded.Text("recharge"), "message": api.Anything})
	}
	answered(child.Send(t, "POST", at, fields{"credits": "2.50", "notes": "a note"}), "10")
	answered(master.Reclaim(t, leaf.ID, json.RawMessage("1e0")), "9")                          // to the master's own balance, past the child's
	answered(admin.Send(t, "POST", at, fields{"credits": 3, "notes": nil, "unknown": 1}), "6") // to issuance
	master.Reclaim(t, child.ID, 20).Is(200).Has(fields{"credits": 0})
	for _, c := range []struct {
		api.Reseller
		credits string
	}{{master, "91"}, {child, "0"}, {leaf, "6"}} {
		if got := c.Credits(t); got != c.credits {
			t.Errorf("%s holds %s, want %s", c.Username, got, c.credits)
		}
	}
	leaf.Get(t, "/users/logged").Has(fields{"recharge": funded.Text("recharge"), "updatedAt": api.ISO})
	for _, by := range []caller{child.Caller, master.Caller, admin} {
		by.Reclaim(t, leaf.ID, "6.0001").Refused(402, "insufficient-credits").
			Has(fields{"balance": "6", "required": "6.0001", "shortfall": "0.0001"})
	}

	// The one that takes back may hold as much as anybody.
	filled := admin.Master(t, "1")
	source := filled.Reseller(t, "0.0002")
	filled.Fund(t, source.ID, "0.0001").Is(200)
	api.AtOnce(99, func(int) {
		admin.Fund(t, filled.ID, 1_000_000_000).Is(200)
	})
	admin.Fund(t, filled.ID, "999999999.0002").Is(200).Has(fields{"credits": json.Number("99999999999.9999")})
	filled.Reclaim(t, source.ID, "0.0002").Refused(409, "balance-limit")
	filled.Reclaim(t, source.ID, "0.0001").Is(200)
	filled.Reclaim(t, source.ID, "0.0001").Refused(409, "balance-limit")
	admin.Reclaim(t, source.ID, "0.0002").Is(200).Has(fields{"credits": 0})
	srv.audit(t)
}
