package httpapi_test

import (
	"slices"
	"testing"

	"resellerd/test/api"
)

// family is a tree of accounts four levels deep, each with its own lines:
//
//	admin
//	└── above
//	    ├── master
//	    │   └── child, a master
//	    │       ├── leaf, a reseller
//	    │       └── neighbour, a reseller
//	    └── sibling, a master
type family struct {
	admin, second                                  caller // two admins, the second in a browser
	above, master, sibling, child, leaf, neighbour api.Reseller
}

func newFamily(t *testing.T, srv *harness) *family {
	t.Helper()
	f := &family{admin: srv.Admin(t)}
	srv.admin(t, "operator", "an operator's password")
	f.second = srv.SignIn(t, "operator", "an operator's password")
	f.above = f.admin.Master(t, "10000")
	f.master = f.above.Master(t, "1000")
	f.sibling = f.above.Master(t, "1000")
	f.child = f.master.Master(t, "500")
	f.leaf = f.child.Reseller(t, "100")
	f.neighbour = f.child.Reseller(t, "100")
	return f
}

// TestWhoMayDoWhat asks for every operation, on the records of a master, of a reseller two levels below it and of an
// admin, as everybody around them. What is out of sight is answered as what never existed.
func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	f := newFamily(t, srv)
	revoked := f.above.Master(t, "100")
	revoked.Send(t, "DELETE", "/auth/static-token", nil).Is(200)
	left := f.above.SignIn(t)
	left.Send(t, "DELETE", "/auth/session", nil).Is(200)
	first := api.Reseller{Caller: f.admin, ID: 1, Username: api.AdminName, Password: api.AdminPassword}
	// In this order sight and owned have a letter for each.
	everybody := []api.Reseller{
		first, {Caller: f.second, Password: "an operator's password"}, f.above, f.master.SignIn(t),
		f.sibling, f.child.SignIn(t), f.leaf, f.neighbour.SignIn(t),
	}
	const owned = "---o----"
	targets := []struct {
		api.Reseller
		line  line
		sight string // o it sees the account and governs it, s it sees it, - neither
	}{
		{f.master, f.master.Official(t), "ooos----"},
		{f.leaf, f.leaf.Official(t), "oooo-os-"},
		{first, f.admin.Official(t), "ss------"},
	}
	strangers := []struct {
		caller
		code string
	}{
		{srv.Nobody(), "missing-token"},
		{srv.As("not.a.token"), "invalid-token"},
		{srv.As(api.Altered(f.master.Token)), "invalid-token"},
		{revoked.Caller, "invalid-token"},
		{left.Caller, "session-ended"},
	}
	for _, row := range api.Table() {
		if row.For == api.Anybody || row.For == api.Browser {
			continue
		}
		t.Run(row.ID, func(t *testing.T) {
			of := targets[:1]
			if slices.Contains([]api.Of{api.AnAccount, api.ATrial, api.AnOfficialLine, api.ALineByName}, row.Of) {
				of = targets
			}
			f.master.Webhook, f.master.Key = f.master.MakeWebhook(t, nil).ID(), f.master.MakeKey(t, nil).ID()
			f.master.Member = f.master.MakeMember(t, nil).ID()
			defer f.master.Send(t, "DELETE", api.Path("/webhooks", f.master.Webhook), nil)
			for _, target := range of {
				example := func(by api.Reseller) operation {
					l := target.line
					if row.Of == api.ATrial || row.ID == "deleteLine" {
						l = target.Trial(t)
					}
					by.Webhook, by.Key, by.Member, by.Job = f.master.Webhook, f.master.Key, f.master.Member, f.master.Job
					op := row.Example(by, target.Reseller, l)
					if row.ID == "describeLine" {
						op.Body = fields{"notes": "known"}
					}
					return op
				}
				for _, w := range strangers {
					example(f.master).By(t, w.caller).Refused(401, w.code)
				}
				if row.ID == "revokeToken" { // which ends the token of who asks: TestRevokeToken
					continue
				}
				for i, by := range everybody {
					op := example(by)
					a := op.By(t, by.Caller)
					switch sight := target.sight[i]; {
					case row.Of == api.Nothing && (row.For == api.Operator && i > 1 || row.For == api.Master && i > 5):
						a.Refused(403, "not-allowed")
					case row.ID == "startBulk" && sight == '-': // whose order expects a line that is out of sight
						a.Is(409)
					case row.Of != api.Nothing && (sight == '-' || row.Of >= api.AWebhook && owned[i] == '-'):
						a.Refused(404, "not-found").AsAbsent(op, by.Caller)
					case row.Of == api.AnAccount && row.For == api.Master && sight == 's':
						a.Refused(403, "not-allowed")
					case row.ID == "setAlerts" && target.ID == 1: // which has no balance
						a.Refused(409, "no-balance")
					case row.ID == "resetTOTP" || row.ID == "resetStaffTOTP": // of those who have none
						a.Refused(409, "totp-inactive")
					case a.Status >= 300:
						t.Fatalf("%s as %d of everybody: %d %s", a.Request, i, a.Status, a.Body)
					case row.ID == "blockReseller":
						f.admin.Unblock(t, target.ID).Is(200)
					case row.ID == "startBulk" && owned[i] == 'o': // the rows that follow ask for its job
						f.master.Job = a.ID()
					}
				}
			}
		})
	}
}
