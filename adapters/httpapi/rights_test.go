package httpapi_test

import (
	"slices"
	"strings"
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
	everybody := []struct {
		name string
		caller
	}{
		{"the admin", f.admin},
		{"another admin, in a browser", f.second},
		{"the master above", f.above.Caller},
		{"the master, in a browser", f.master.SignIn(t).Caller},
		{"its sibling", f.sibling.Caller},
		{"its child, in a browser", f.child.SignIn(t).Caller},
		{"the leaf below that", f.leaf.Caller},
		{"the leaf's neighbour, in a browser", f.neighbour.SignIn(t).Caller},
	}
	strangers := []struct {
		name string
		caller
		code string
	}{
		{"nobody", srv.Nobody(), "missing-token"},
		{"a bad token", srv.As("not.a.token"), "invalid-token"},
		{"an altered token", srv.As(api.Altered(f.master.Token)), "invalid-token"},
		{"a revoked token", revoked.Caller, "invalid-token"},
		{"a session that has ended", left.Caller, "session-ended"},
	}
	type rights [8]int // statuses of everybody
	const no, na = 404, 403
	all := func(status int) (r rights) {
		for i := range r {
			r[i] = status
		}
		return r
	}
	type order = func() operation
	always := func(op operation) order { return func() operation { return op } }
	update := func(a api.Reseller) order { return always(api.Op("PATCH", api.Path("/users", a.ID), a.Update())) }
	contact := func(id int64) order {
		return always(api.Op("PATCH", api.Path("/users", id, "/contact"), fields{"notes": "known"}))
	}
	fund := func(id int64) order {
		return always(api.Op("PATCH", api.Path("/users/credits", id), fields{"credits": "0.0001"}))
	}
	reclaim := func(id int64) order {
		return always(api.Op("POST", api.Path("/users", id, "/credits/reclaim"), fields{"credits": "0.0001"}))
	}
	block := func(id int64) order { return always(api.Op("PUT", api.Path("/users", id, "/block"), nil)) }
	unblock := func(id int64) order { return always(api.Op("DELETE", api.Path("/users", id, "/block"), nil)) }
	read := func(prefix string, id int64, suffix ...string) order {
		return always(api.Op("GET", api.Path(prefix, id, suffix...), nil))
	}
	activate := func(owner caller) order {
		return func() operation {
			l := owner.Trial(t)
			return api.Op("PATCH", api.Path("/lines/active", l.ID), l.Activation(0.5))
		}
	}
	remove := func(owner caller) order {
		return func() operation { return api.Op("DELETE", api.Path("/lines", owner.Trial(t).ID), nil) }
	}
	extend := func(l line) order {
		return always(api.Op("PATCH", api.Path("/lines/extend", l.ID), fields{"credits": 0.5}))
	}
	preview := func(l line) order { return read("/lines/extend-preview", l.ID, "?credits=0.5") }
	describe := func(l line) order {
		return always(api.Op("PATCH", api.Path("/lines", l.ID, "/details"), fields{"notes": "known"}))
	}
	suspend := func(l line) order {
		return always(api.Op("PUT", api.Path("/lines", l.ID, "/suspension"), fields{"reason": "asked for a pause"}))
	}
	resume := func(l line) order {
		return always(api.Op("DELETE", api.Path("/lines", l.ID, "/suspension"), nil))
	}
	letIn := func(l line) order { return always(api.Op("GET", "/radius/users/"+l.Username, nil)) }
	alert := func(id int64) order {
		return always(api.Op("PUT", api.Path("/users", id, "/alerts"), fields{"balance_low": "5"}))
	}
	messages := func(id int64) order {
		return always(api.Op("PUT", api.Path("/users", id, "/messages"), fields{"access": "User: {username}"}))
	}
	edit := func(l line) order { return always(api.Op("PATCH", api.Path("/lines", l.ID), l.Edit())) }

	webhook := f.master.MakeWebhook(t, nil).ID()
	hook := func(method, suffix string, body fields) order {
		return always(api.Op(method, api.Path("/webhooks", webhook, suffix), body))
	}
	key, member := f.master.MakeKey(t, nil).ID(), f.master.MakeMember(t, nil).ID()
	own := func(method, path string, id int64, body fields) order {
		return always(api.Op(method, api.Path(path, id), body))
	}
	job := f.master.StartJob(t, f.master.Official(t).ID, nil).ID()
	seen := rights{202, 202, 202, 202, 409, 409, 409, 409} // the line that is expected is out of the others' sight
	reset := func(id int64) order { return always(api.Op("DELETE", api.Path("/users", id, "/totp"), nil)) }
	ofMaster, ofLeaf, ofAdmin := f.master.Official(t), f.leaf.Official(t), f.admin.Official(t)
	first := api.Reseller{Caller: f.admin, ID: 1, Username: api.AdminName, Password: api.AdminPassword}
	governMaster := rights{200, 200, 200, na, no, no, no, no}
	governLeaf := rights{200, 200, 200, 200, no, 200, na, no}
	seeMaster := rights{200, 200, 200, 200, no, no, no, no}
	seeLeaf := rights{200, 200, 200, 200, no, 200, 200, no}
	seeAdmin := rights{200, 200, no, no, no, no, no, no}
	governAdmin := rights{na, na, no, no, no, no, no, no}
	alertAdmin := rights{409, 409, no, no, no, no, no, no} // which has no balance
	without := func(r rights) rights {
		for i := range r {
			if r[i] == 200 {
				r[i] = 409
			}
		}
		return r
	}
	ownMaster := func(status int) rights { return rights{no, no, no, status, no, no, no, no} }
	activated := func(r rights) rights {
		for i := range r {
			if r[i] == 200 {
				r[i] = 201
			}
		}
		return r
	}
	type row struct {
		name string
		order
		rights
	}
	of := func(name string, a api.Reseller, l line, see, govern, alerts rights) []row {
		return []row{
			{"read " + name, read("/users", a.ID), see},
			{"read the statement of " + name, read("/users", a.ID, "/ledger"), see},
			{"read the balance of " + name, read("/users", a.ID, "/balance"), see},
			{"read the alerts of " + name, read("/users", a.ID, "/alerts"), see},
			{"set the alerts of " + name, alert(a.ID), alerts},
			{"read the messages of " + name, read("/users", a.ID, "/messages"), see},
			{"set the messages of " + name, messages(a.ID), see},
			{"update " + name, update(a), see},
			{"change the contact of " + name, contact(a.ID), see},
			{"fund " + name, fund(a.ID), govern},
			{"reclaim from " + name, reclaim(a.ID), govern},
			{"block " + name, block(a.ID), govern},
			{"unblock " + name, unblock(a.ID), govern},
			{"reset the second factor of " + name, reset(a.ID), without(govern)}, // which has none
			{"read a line of " + name, read("/lines", l.ID), see},
			{"activate a line of " + name, activate(a.Caller), activated(see)},
			{"preview an extension of a line of " + name, preview(l), see},
			{"extend a line of " + name, extend(l), see},
			{"edit a line of " + name, edit(l), see},
			{"describe a line of " + name, describe(l), see},
			{"suspend a line of " + name, suspend(l), see},
			{"resume a line of " + name, resume(l), see},
			{"let the customer of a line in of " + name, letIn(l), see},
			{"delete a line of " + name, remove(a.Caller), see},
		}
	}
	rows := slices.Concat(
		[]row{ // the admin, another, above, master, sibling, child, leaf, neighbour
			{"create a reseller", func() operation { return api.Op("POST", "/users", api.NewReseller(nil)) }, rights{201, 201, 201, 201, 201, 201, na, na}},
			{"issue a trial", always(api.Op("POST", "/lines/test", nil)), all(201)},
			{"read the own account", always(api.Op("GET", "/users/logged", nil)), all(200)},
			{"list accounts", always(api.Op("GET", "/users", nil)), all(200)},
			{"list lines", always(api.Op("GET", "/lines", nil)), all(200)},
			{"export accounts", always(api.Op("GET", "/exports/users", nil)), all(200)},
			{"export lines", always(api.Op("GET", "/exports/lines", nil)), all(200)},
			{"export the own statement", always(api.Op("GET", "/exports/ledger", nil)), all(200)},
			{"list entitlements", always(api.Op("GET", "/entitlements", nil)), all(200)},
			{"list events", always(api.Op("GET", "/events", nil)), all(200)},
			{"sum up the own account", always(api.Op("GET", "/reports/summary", nil)), all(200)},
			{"list prices", always(api.Op("GET", "/prices", nil)), all(200)},
			{"change the own password", always(api.Op("PATCH", "/auth/password", fields{"password": "wrong", "new_password": "an0ther-word"})), all(401)}, // by nobody who does not know it
			{"import lines", func() operation { return api.Op("POST", "/imports/lines", api.NewImport()) }, rights{200, 200, na, na, na, na, na, na}},
			{"read what is known of the service", always(api.Op("GET", "/service", nil)), rights{200, 200, na, na, na, na, na, na}},
			{"prove the ledger", always(api.Op("GET", "/ledger/proof", nil)), rights{200, 200, na, na, na, na, na, na}},
		},
		of("the master", f.master, ofMaster, seeMaster, governMaster, seeMaster),
		of("the leaf", f.leaf, ofLeaf, seeLeaf, governLeaf, seeLeaf),
		of("the admin", first, ofAdmin, seeAdmin, governAdmin, alertAdmin),
		[]row{
			{"create a webhook", always(api.Op("POST", "/webhooks", api.NewWebhook(nil))), all(201)},
			{"list the own webhooks", always(api.Op("GET", "/webhooks", nil)), all(200)},
			{"read a webhook of the master", hook("GET", "", nil), ownMaster(200)},
			{"change a webhook of the master", hook("PATCH", "", fields{"description": "known"}), ownMaster(200)},
			{"rotate a webhook of the master", hook("POST", "/rotate", fields{"overlap_hours": 1}), ownMaster(200)},
			{"test a webhook of the master", hook("POST", "/test", nil), ownMaster(202)},
			{"replay a webhook of the master", hook("POST", "/replay", fields{"after_seq": 0}), ownMaster(202)},
			{"list the deliveries of a webhook of the master", hook("GET", "/deliveries", nil), ownMaster(200)},
			{"delete a webhook of the master", hook("DELETE", "", nil), ownMaster(200)},
			{"list the own jobs", always(api.Op("GET", "/bulk", nil)), all(200)},
			{"read a job of the master", own("GET", "/bulk", job, nil), ownMaster(200)},
			{"read the results of a job of the master", always(api.Op("GET", api.Path("/bulk", job, "/results"), nil)), ownMaster(200)},
			{"stop a job of the master", own("DELETE", "/bulk", job, nil), ownMaster(200)},
			{"start a job for a line of the master", always(api.Op("POST", "/bulk", api.NewJob(ofMaster.ID, nil))), seen},
			{"make a key", always(api.Op("POST", "/keys", api.NewKey(nil))), all(201)},
			{"list the own keys", always(api.Op("GET", "/keys", nil)), all(200)},
			{"read a key of the master", own("GET", "/keys", key, nil), ownMaster(200)},
			{"change a key of the master", own("PATCH", "/keys", key, fields{"name": "known"}), ownMaster(200)},
			{"revoke a key of the master", own("DELETE", "/keys", key, nil), ownMaster(200)},
			{"add to the own staff", func() operation { return api.Op("POST", "/staff", api.NewMember(nil)) }, all(201)},
			{"list the own staff", always(api.Op("GET", "/staff", nil)), all(200)},
			{"read a member of the master's staff", own("GET", "/staff", member, nil), ownMaster(200)},
			{"change a member of the master's staff", own("PATCH", "/staff", member, fields{"role": "support"}), ownMaster(200)},
			{"reset the second factor of a member of the master's staff", always(api.Op("DELETE", api.Path("/staff", member, "/totp"), nil)), ownMaster(409)},
			{"remove a member of the master's staff", own("DELETE", "/staff", member, nil), ownMaster(200)},
		},
		[]row{{"revoke the own token", always(api.Op("DELETE", "/auth/static-token", nil)), all(200)}}, // at the end: it leaves nobody
	)
	var asked []string // operations
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			op := c.order()
			path, _, _ := strings.Cut(op.Path, "?")
			asked = append(asked, api.Contract().Route(op.Method, path).Operation.OperationID)
			for _, w := range strangers {
				op.By(t, w.caller).Refused(401, w.code)
			}
			for i, w := range everybody {
				a := op.By(t, w.caller)
				switch c.rights[i] {
				case no:
					a.Refused(no, "not-found").AsAbsent(op, w.caller)
				case na:
					a.Refused(na, "not-allowed")
				default:
					if a.Is(c.rights[i]); t.Failed() {
						t.Fatalf("as %s", w.name)
					}
					if strings.HasPrefix(c.name, "block ") {
						api.Op("DELETE", op.Path, nil).By(t, f.admin).Is(200)
					}
					op = c.order()
				}
			}
		})
	}
	if len(asked) == len(rows) { // and not some of them, as -run may say
		api.Covers(t, asked, map[string][]string{
			"it is for anybody":  {"issueToken", "signIn", "getHealth", "getReadiness", "getDescription"},
			"it is of a browser": {"getSession", "signOut", "listSessions", "endSession", "beginTOTP", "confirmTOTP", "removeTOTP"},
		})
	}
}
