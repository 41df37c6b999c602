package httpapi_test

import (
	"testing"

	"resellerd/test/api"
)

// TestStatementsNameLinesAndPeople as far as who asks may see them: a line by its present name, or by its last.
func TestStatementsNameLinesAndPeople(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	master := admin.Master(t, "100")
	child := master.Master(t, "50")
	kept, gone := child.Trial(t), child.Trial(t)
	for _, l := range []line{kept, gone} {
		child.Send(t, "PATCH", api.Path("/lines/active", l.ID),
			api.With(l.Activation(1), fields{"username": api.Unique("first")})).Is(201)
		master.Extend(t, l.ID, 1).Is(200)
	}
	for _, l := range []*line{&kept, &gone} {
		l.Username = api.Unique("second")
		child.Send(t, "PATCH", api.Path("/lines", l.ID), l.Edit()).Is(200)
	}
	child.Send(t, "DELETE", api.Path("/lines", gone.ID), nil).Is(200)
	child.Reclaim(t, child.Reseller(t, "2").ID, 1).Is(200)

	type named struct{ lineName, actorName any }
	for _, c := range []struct {
		by    caller
		above any // the name of the master
	}{{child.Caller, nil}, {master.Caller, master.Username}, {admin, master.Username}} {
		want := []named{
			{nil, child.Username}, {nil, child.Username}, // to and from its own reseller
			{gone.Username, c.above}, {gone.Username, child.Username}, {kept.Username, c.above}, {kept.Username, child.Username},
			{nil, c.above}, // its first credits
		}
		list := c.by.Get(t, api.Path("/users", child.ID, "/ledger")).List()
		if len(list) != len(want) {
			t.Fatalf("%d entries, want %d", len(list), len(want))
		}
		for i, e := range list {
			e.Has(fields{"line_username": want[i].lineName, "actor_name": want[i].actorName})
		}
	}
}
