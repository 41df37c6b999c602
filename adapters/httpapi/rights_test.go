package httpapi_test

import (
	"slices"
	"testing"

	"resellerd/test/api"
)

// TestRightsOfEachOperation sends every operation, on the records of a master, of a reseller two levels below it and of
// an administrator, as all accounts around them. Invisible records have the same answer as unknown ones.
func TestRightsOfEachOperation(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	srv.admin(t, "operator", "an operator's password")
	second := srv.SignIn(t, "operator", "an operator's password")
	above := admin.Master(t, "10000")
	master, sibling := above.Master(t, "1000"), above.Master(t, "1000")
	child := master.Master(t, "500")
	leaf, neighbour := child.Reseller(t, "100"), child.Reseller(t, "100")
	revoked := above.Master(t, "100")
	revoked.Send(t, "DELETE", "/auth/static-token", nil).Is(200)
	left := above.SignIn(t)
	left.Send(t, "DELETE", "/auth/session", nil).Is(200)
	first := api.Reseller{Caller: admin, ID: 1, Username: api.AdminName, Password: api.AdminPassword}
	// The letters of sight and owned have this order.
	everybody := []api.Reseller{
		first, {Caller: second, Password: "an operator's password"}, above, master.SignIn(t),
		sibling, child.SignIn(t), leaf, neighbour.SignIn(t),
	}
	const owned = "---o----"
	targets := []struct {
		api.Reseller
		line  line
		sight string // o it sees the account and governs it, s it sees it, - neither
	}{
		{master, master.Official(t), "ooos----"},
		{leaf, leaf.Official(t), "oooo-os-"},
		{first, admin.Official(t), "ss------"},
	}
	strangers := []struct {
		caller
		code string
	}{
		{srv.Nobody(), "missing-token"},
		{srv.As("not.a.token"), "invalid-token"},
		{srv.As(master.Token[:len(master.Token)-3] + "AAA"), "invalid-token"},
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
			master.Webhook, master.Key = master.MakeWebhook(t, nil).ID(), master.MakeKey(t, nil).ID()
			master.Member = master.MakeMember(t, nil).ID()
			defer master.Send(t, "DELETE", api.Path("/webhooks", master.Webhook), nil)
			for _, target := range of {
				example := func(by api.Reseller) operation {
					l := target.line
					if row.Of == api.ATrial || row.ID == "deleteLine" {
						l = target.Trial(t)
					}
					by.Webhook, by.Key, by.Member, by.Job = master.Webhook, master.Key, master.Member, master.Job
					op := row.Example(by, target.Reseller, l)
					if row.ID == "describeLine" {
						op.Body = fields{"notes": "known"}
					}
					return op
				}
				for _, w := range strangers {
					example(master).By(t, w.caller).Refused(401, w.code)
				}
				if row.ID == "revokeToken" { // it ends the token of the caller: TestRevokeToken
					continue
				}
				for i, by := range everybody {
					op := example(by)
					a := op.By(t, by.Caller)
					switch sight := target.sight[i]; {
					case row.Of == api.Nothing && (row.For == api.Operator && i > 1 || row.For == api.Master && i > 5):
						a.Refused(403, "not-allowed")
					case row.ID == "cancelPlatformPrices": // whose version is in force
						a.Refused(409, "version-in-force")
					case row.Of == api.APlan && i > 1: // a plan belongs to no account
						a.Refused(403, "not-allowed")
					case row.Of == api.APlan:
						a.Is(200)
					case row.For == api.Operator && row.Of == api.AnAccount && sight != '-' && (i > 1 || target.ID == 1):
						a.Refused(403, "not-allowed")
					case row.ID == "cancelPrices" && i == 1: // the first administrator has removed it
						a.Refused(404, "not-found")
					case row.ID == "startBulk" && sight == '-': // whose order expects a line that is out of sight
						a.Is(409)
					case row.Of != api.Nothing && (sight == '-' || row.Of >= api.AWebhook && owned[i] == '-'):
						a.Refused(404, "not-found").AsAbsent(op, by.Caller)
					case row.Of == api.AnAccount && row.For == api.Master && sight == 's':
						a.Refused(403, "not-allowed")
					case row.ID == "setAlerts" && target.ID == 1: // which has no balance
						a.Refused(409, "no-balance")
					case row.ID == "resetTOTP" || row.ID == "resetStaffTOTP": // without a second factor
						a.Refused(409, "totp-inactive")
					case a.Status >= 300:
						t.Fatalf("%s as %d of everybody: %d %s", a.Request, i, a.Status, a.Body)
					case row.ID == "blockReseller":
						admin.Unblock(t, target.ID).Is(200)
					case row.ID == "startBulk" && owned[i] == 'o': // the rows that follow ask for its job
						master.Job = a.ID()
					}
				}
			}
		})
	}
}
