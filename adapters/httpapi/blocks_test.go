package httpapi_test

import (
	"encoding/json"
	"testing"

	"resellerd/test/api"
)

// TestBlockFreezesATree blocks a master with two levels below it and goes through what everybody around notices.
func TestBlockFreezesATree(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	above := srv.Admin(t).Master(t, "100")
	master := above.Master(t, "50")
	child := master.Master(t, "20")
	leaf := child.Reseller(t, "10")
	sibling := above.Master(t, "5")
	tree := []api.Reseller{master, child, leaf}
	kept := map[int64]line{}
	for _, a := range tree {
		kept[a.ID] = a.Trial(t)
		a.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "recorded").Is(201)
	}
	official := leaf.Official(t)
	status := func(by caller, a api.Reseller, active, blocked int) {
		t.Helper()
		want := fields{"active_tree": active, "block_reseller": blocked, "status": 1}
		by.Get(t, api.Path("/users", a.ID)).Has(want)
		for _, r := range by.Get(t, "/users?username="+a.Username).List() {
			if r.ID() == a.ID {
				r.Has(want)
			}
		}
	}
	was := above.Get(t, api.Path("/users", master.ID))
	blockPath := api.Path("/users", master.ID, "/block")

	blocked := above.Send(t, "PUT", blockPath, nil).Is(200)
	terms := map[string]any{"lines": "run", "reason": nil, "at": blocked.Text("updatedAt")}
	blocked.Exactly(api.With(was.Fields, fields{"active_tree": 0, "block_reseller": 1, "block": terms, "updatedAt": api.ISO}))
	for _, a := range tree {
		a.Frozen(t, kept[a.ID], "recorded")
	}
	status(above.Caller, master, 0, 1)
	status(above.Caller, child, 0, 0)
	status(above.Caller, leaf, 0, 0)
	status(above.Caller, sibling, 1, 0)
	for _, a := range []api.Reseller{above, sibling} {
		a.Free(t)
	}
	again := above.Send(t, "PUT", blockPath, nil).Is(200)
	again.Exactly(blocked.Fields) // repeated, it changes nothing, the time of change included

	// Those above still act on the blocked, and lines keep running.
	above.Fund(t, leaf.ID, 1).Is(200).Has(fields{"credits": json.Number("10.5")})
	above.Reclaim(t, leaf.ID, 0.5).Is(200).Has(fields{"credits": 10})
	above.Send(t, "PATCH", api.Path("/users", master.ID), master.Update()).Is(200)
	status(above.Caller, master, 0, 1) // an edit lifts no block
	above.Send(t, "PATCH", api.Path("/lines/active", kept[leaf.ID].ID), kept[leaf.ID].Activation(1)).Is(201).Has(fields{"owner": leaf.ID, "status": 1})
	above.Extend(t, official.ID, 1).Is(200).Has(fields{"owner": leaf.ID, "status": 1})
	above.Send(t, "PATCH", api.Path("/lines", official.ID), official.Edit()).Is(200)
	above.Get(t, api.Path("/lines", official.ID)).Has(fields{"status": 1})
	above.Get(t, api.Path("/users", leaf.ID, "/ledger")).Is(200)
	srv.Admin(t).Fund(t, master.ID, 1).Is(200)

	// A block of an account's own below survives the end of one above it.
	above.Block(t, child.ID).Is(200).Has(fields{"active_tree": 0, "block_reseller": 1})
	above.Send(t, "DELETE", blockPath, nil).Is(200).Has(fields{"active_tree": 1, "block_reseller": 0})
	above.Send(t, "DELETE", blockPath, nil).Is(200).Has(fields{"active_tree": 1, "block_reseller": 0})
	master.Free(t)
	child.Frozen(t, kept[child.ID], "recorded")
	leaf.Send(t, "GET", "/users/logged", nil).Refused(403, "account-blocked")
	status(master.Caller, child, 0, 1)
	status(master.Caller, leaf, 0, 0)

	// The end of one below a block is not the end of it.
	above.Send(t, "PUT", blockPath, nil).Is(200)
	above.Unblock(t, child.ID).Is(200).Has(fields{"active_tree": 0, "block_reseller": 0})
	child.Frozen(t, kept[child.ID], "recorded")
	above.Send(t, "DELETE", blockPath, nil).Is(200)
	for _, a := range tree {
		a.Free(t)
		a.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "recorded").Is(201).Replayed(true)
	}
	srv.audit(t)
}
