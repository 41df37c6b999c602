package acceptance

import (
	"fmt"
	"slices"
	"testing"

	"resellerd/test/api"
)

// TestBlockAtOnce blocks a master while it acts from many sides: once the block was answered, nothing is done any more.
func TestBlockAtOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		master := srv.Admin(t).Master(t, "100")
		leaf := master.Reseller(t, "0")
		const requests = 40
		answers := make([]answer, requests)
		api.AtOnce(requests+1, func(i int) {
			if i == requests {
				srv.Admin(t).Block(t, master.ID).Is(200)
				return
			}
			answers[i] = master.Fund(t, leaf.ID, 1)
		})
		got := api.Count(answers)
		if got[200]+got[403] != requests {
			t.Errorf("%d top-ups while the master is blocked ended in %v", requests, got)
		}
		master.Send(t, "GET", "/users/logged", nil).Refused(403, "account-blocked")
		admin := srv.Admin(t)
		admin.Get(t, api.Path("/users", leaf.ID)).Has(fields{"credits": fmt.Sprint(got[200])})
		admin.Get(t, api.Path("/users", master.ID)).Has(fields{"credits": fmt.Sprint(100 - got[200])})
		if ids := admin.Get(t, api.Path("/users", leaf.ID, "/ledger")).IDs(); len(slices.Compact(ids)) != got[200] {
			t.Errorf("%d top-ups were answered with 200, and the statement has %v", got[200], ids)
		}
	})
}
