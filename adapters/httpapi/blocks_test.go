package httpapi_test

import (
	"testing"

	"resellerd/test/api"
)

// TestBlockFreezesATree blocks a master with a level below it, and checks the effects for all accounts around. Tests of
// domain/reseller have the rules.
func TestBlockFreezesATree(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	above := srv.Admin(t).Master(t, "100")
	master := above.Master(t, "50")
	leaf := master.Reseller(t, "10")
	kept := map[int64]line{}
	for _, a := range []api.Reseller{master, leaf} {
		kept[a.ID] = a.Trial(t)
		a.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "recorded").Is(201)
	}
	was := above.Get(t, api.Path("/users", master.ID))
	path := api.Path("/users", master.ID, "/block")
	blocked := above.Send(t, "PUT", path, nil).Is(200)
	terms := map[string]any{"lines": "run", "reason": nil, "at": blocked.Text("updatedAt")}
	blocked.Exactly(
		api.With(was.Fields, fields{"active_tree": 0, "block_reseller": 1, "block": terms, "updatedAt": api.ISO}))
	above.Send(t, "PUT", path, nil).Is(200).Exactly(blocked.Fields) // repeated, it changes nothing
	for _, by := range []api.Reseller{master, leaf} {
		for _, row := range api.Table() {
			if row.For != api.Anybody && row.For != api.Browser {
				row.Example(by, by, kept[by.ID]).By(t, by.Caller).Refused(403, "account-blocked")
			}
		}
		by.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "recorded").Refused(403, "account-blocked")
		srv.Nobody().Send(t, "POST", "/auth/static-token", credentialsOf(by)).Refused(403, "account-blocked")
	}
	for _, record := range []answer{above.Get(t, api.Path("/users", leaf.ID)),
		above.Get(t, "/users?username="+leaf.Username).List()[0]} {
		record.Has(fields{"active_tree": 0, "block_reseller": 0})
	}

	// Accounts above can still act on blocked ones.
	above.Fund(t, leaf.ID, 1).Is(200).Has(fields{"credits": 11})
	above.Send(t, "PATCH", api.Path("/users", master.ID), master.Update()).Is(200)
	above.Get(t, api.Path("/users", master.ID)).Has(fields{"block_reseller": 1}) // an edit lifts no block
	terms["lines"], terms["reason"] = "suspend", "unpaid"
	above.Send(t, "PUT", path, fields{"lines": "suspend", "reason": " unpaid "}).Is(200).Has(fields{"block": terms})
	above.Send(t, "DELETE", path, nil).Is(200).Has(fields{"active_tree": 1, "block_reseller": 0, "block": nil})
	leaf.Trial(t)
	leaf.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "recorded").Is(201).Replayed(true)
	srv.audit(t)
}
