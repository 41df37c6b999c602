package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestEveryChangeLeavesItsEvent in the journal, if its example changes anything. Tests of application have the content
// of each event.
func TestEveryChangeLeavesItsEvent(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	ofFactors := []string{"confirmTOTP", "removeTOTP", "resetTOTP", "resetStaffTOTP"} // no account has one here
	for _, row := range api.Table() {
		if row.Method == http.MethodGet || row.ID == "endSession" || row.ID == "importLines" ||
			strings.HasPrefix(row.Scope, "prices:") { // which the examples of the document show
			continue
		}
		v := api.NewFixture(t, srv.Service)
		v.Admin.Fund(t, v.Seller.ID, 1).Is(200)
		by := v.Master.Caller
		if row.By == "" {
			by = srv.Nobody()
		} else if row.For == api.Browser {
			by = v.Master.SignIn(t).Caller
		}
		newest := func() []api.Answer {
			return v.Admin.Get(t, api.Query("/events", "tree", v.Master.ID, "order", "desc", "limit", 5)).List()
		}
		before, got := newest()[0].Text("id"), ""
		a := v.Operation(row.ID).By(t, by)
		expect.Equal(t, a.Status < 300, !slices.Contains(ofFactors, row.ID), "%s is done: %s", a.Request, a.Body)
		for _, e := range newest() {
			if e.Text("id") == before {
				break
			}
			got = e.Text("type")
		}
		expect.Equal(t, got, row.Event, "%s leaves the entry", row.ID)
	}
}
