package acceptance

import (
	"strings"
	"testing"
)

// by sends the operation.
func (op operation) by(t testing.TB, c caller, headers ...string) answer {
	t.Helper()
	if op.body == nil {
		return c.send(t, op.method, op.path, nil, headers...)
	}
	return c.send(t, op.method, op.path, op.body, headers...)
}

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
	admin, second                                  caller // two admins
	above, master, sibling, child, leaf, neighbour account
}

func newFamily(t *testing.T, srv *server) *family {
	t.Helper()
	f := &family{admin: srv.admin(t)}
	f.second = srv.secondAdmin(t)
	f.above = f.admin.master(t, "10000")
	f.master = f.above.master(t, "1000")
	f.sibling = f.above.master(t, "1000")
	f.child = f.master.master(t, "500")
	f.leaf = f.child.reseller(t, "100")
	f.neighbour = f.child.reseller(t, "100")
	return f
}

// secondAdmin makes another admin with the command line, and is the first one
// where the records are in the server's memory, which no command reaches.
func (s *server) secondAdmin(t *testing.T) caller {
	t.Helper()
	if !s.store.durable {
		return s.admin(t)
	}
	name := unique("operator")
	status, stdout, stderr := s.command(t, "admin", "create", name)
	password := madePassword.FindStringSubmatch(stdout)
	if status != 0 || password == nil {
		t.Fatalf("admin create: status %d, printed %q, %q", status, stdout, stderr)
	}
	return caller{s, s.login(t, name, password[1])}
}

// TestWhoMayDoWhat asks for every operation, on the records of a master, of a
// reseller two levels below it and of an admin, as everybody around them. What is
// out of sight is answered as what never existed.
func TestWhoMayDoWhat(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		f := newFamily(t, srv)
		revoked := f.above.master(t, "100")
		revoked.send(t, "DELETE", "/auth/static-token", nil).is(200)
		everybody := []struct {
			name string
			caller
		}{
			{"the admin", f.admin},
			{"another admin", f.second},
			{"the master above", f.above.caller},
			{"the master", f.master.caller},
			{"its sibling", f.sibling.caller},
			{"its child", f.child.caller},
			{"the leaf below that", f.leaf.caller},
			{"the leaf's neighbour", f.neighbour.caller},
		}
		strangers := []struct {
			name string
			caller
			code string
		}{
			{"nobody", srv.nobody(), "missing-token"},
			{"a bad token", caller{srv, "not.a.token"}, "invalid-token"},
			{"an altered token", caller{srv, altered(f.master.token)}, "invalid-token"},
			{"a revoked token", revoked.caller, "invalid-token"},
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
		update := func(a account) order { return always(operation{"PATCH", path("/users", a.id), a.update()}) }
		fund := func(id int64) order {
			return always(operation{"PATCH", path("/users/credits", id), fields{"credits": "0.0001"}})
		}
		reclaim := func(id int64) order {
			return always(operation{"POST", path("/users", id, "/credits/reclaim"), fields{"credits": "0.0001"}})
		}
		block := func(id int64) order { return always(operation{"PUT", path("/users", id, "/block"), nil}) }
		unblock := func(id int64) order { return always(operation{"DELETE", path("/users", id, "/block"), nil}) }
		read := func(prefix string, id int64, suffix ...string) order {
			return always(operation{"GET", path(prefix, id, suffix...), nil})
		}
		activate := func(owner caller) order {
			return func() operation {
				l := owner.trial(t)
				return operation{"PATCH", path("/lines/active", l.id), l.activation(0.5)}
			}
		}
		remove := func(owner caller) order {
			return func() operation { return operation{"DELETE", path("/lines", owner.trial(t).id), nil} }
		}
		extend := func(l line) order {
			return always(operation{"PATCH", path("/lines/extend", l.id), fields{"credits": 0.5}})
		}
		preview := func(l line) order { return read("/lines/extend-preview", l.id, "?credits=0.5") }
		edit := func(l line) order { return always(operation{"PATCH", path("/lines", l.id), l.edit()}) }

		ofMaster, ofLeaf, ofAdmin := f.master.official(t), f.leaf.official(t), f.admin.official(t)
		first := account{caller: f.admin, id: 1, username: adminName, password: adminPassword}
		governMaster := rights{200, 200, 200, na, no, no, no, no}
		governLeaf := rights{200, 200, 200, 200, no, 200, na, no}
		seeMaster := rights{200, 200, 200, 200, no, no, no, no}
		seeLeaf := rights{200, 200, 200, 200, no, 200, 200, no}
		seeAdmin := rights{200, 200, no, no, no, no, no, no}
		governAdmin := rights{na, na, no, no, no, no, no, no}
		activated := func(r rights) rights {
			for i := range r {
				if r[i] == 200 {
					r[i] = 201
				}
			}
			return r
		}
		for _, c := range []struct {
			name string
			order
			rights
		}{
			// the admin, another, above, master, sibling, child, leaf, neighbour
			{"create a reseller", func() operation { return operation{"POST", "/users", newReseller(nil)} }, rights{201, 201, 201, 201, 201, 201, na, na}},
			{"issue a trial", always(operation{"POST", "/lines/test", nil}), all(201)},
			{"read the own account", always(operation{"GET", "/users/logged", nil}), all(200)},
			{"list accounts", always(operation{"GET", "/users", nil}), all(200)},
			{"list lines", always(operation{"GET", "/lines", nil}), all(200)},
			{"list prices", always(operation{"GET", "/prices", nil}), all(200)},
			{"prove the ledger", always(operation{"GET", "/ledger/proof", nil}), rights{200, 200, na, na, na, na, na, na}},

			{"read the master", read("/users", f.master.id), seeMaster},
			{"read the master's statement", read("/users", f.master.id, "/ledger"), seeMaster},
			{"update the master", update(f.master), seeMaster},
			{"fund the master", fund(f.master.id), governMaster},
			{"reclaim from the master", reclaim(f.master.id), governMaster},
			{"block the master", block(f.master.id), governMaster},
			{"unblock the master", unblock(f.master.id), governMaster},
			{"read the master's line", read("/lines", ofMaster.id), seeMaster},
			{"activate the master's line", activate(f.master.caller), activated(seeMaster)},
			{"preview an extension of the master's line", preview(ofMaster), seeMaster},
			{"extend the master's line", extend(ofMaster), seeMaster},
			{"edit the master's line", edit(ofMaster), seeMaster},
			{"delete the master's line", remove(f.master.caller), seeMaster},

			{"read the leaf", read("/users", f.leaf.id), seeLeaf},
			{"read the leaf's statement", read("/users", f.leaf.id, "/ledger"), seeLeaf},
			{"update the leaf", update(f.leaf), seeLeaf},
			{"fund the leaf", fund(f.leaf.id), governLeaf},
			{"reclaim from the leaf", reclaim(f.leaf.id), governLeaf},
			{"block the leaf", block(f.leaf.id), governLeaf},
			{"unblock the leaf", unblock(f.leaf.id), governLeaf},
			{"read the leaf's line", read("/lines", ofLeaf.id), seeLeaf},
			{"activate the leaf's line", activate(f.leaf.caller), activated(seeLeaf)},
			{"preview an extension of the leaf's line", preview(ofLeaf), seeLeaf},
			{"extend the leaf's line", extend(ofLeaf), seeLeaf},
			{"edit the leaf's line", edit(ofLeaf), seeLeaf},
			{"delete the leaf's line", remove(f.leaf.caller), seeLeaf},

			{"read the admin", read("/users", first.id), seeAdmin},
			{"read the admin's statement", read("/users", first.id, "/ledger"), seeAdmin},
			{"update the admin", update(first), seeAdmin},
			{"fund the admin", fund(first.id), governAdmin},
			{"reclaim from the admin", reclaim(first.id), governAdmin},
			{"block the admin", block(first.id), governAdmin},
			{"unblock the admin", unblock(first.id), governAdmin},
			{"read the admin's line", read("/lines", ofAdmin.id), seeAdmin},
			{"activate the admin's line", activate(f.admin), activated(seeAdmin)},
			{"preview an extension of the admin's line", preview(ofAdmin), seeAdmin},
			{"extend the admin's line", extend(ofAdmin), seeAdmin},
			{"edit the admin's line", edit(ofAdmin), seeAdmin},
			{"delete the admin's line", remove(f.admin), seeAdmin},

			{"revoke the own token", always(operation{"DELETE", "/auth/static-token", nil}), all(200)}, // at the end: it leaves nobody
		} {
			t.Run(c.name, func(t *testing.T) {
				op := c.order()
				for _, w := range strangers {
					op.by(t, w.caller).refused(401, w.code)
				}
				for i, w := range everybody {
					if i == 1 && !s.durable {
						continue // there is one admin
					}
					a := op.by(t, w.caller)
					switch c.rights[i] {
					case no:
						a.refused(no, "not-found").asAbsent(op, w.caller)
					case na:
						a.refused(na, "not-allowed")
					default:
						if a.is(c.rights[i]); t.Failed() {
							t.Fatalf("as %s", w.name)
						}
						if strings.HasPrefix(c.name, "block ") {
							operation{"DELETE", op.path, nil}.by(t, f.admin).is(200)
						}
						op = c.order()
					}
				}
			})
		}
	})
}

// asAbsent expects that this refusal of an operation is what the same operation
// gives for an id that never existed.
func (a answer) asAbsent(op operation, by caller) {
	a.t.Helper()
	prefix, _, suffix, found := cutID(op.path)
	if !found {
		a.t.Errorf("%s: the path has no id", op.path)
	}
	op.path = prefix + "999999999" + suffix
	none := op.by(a.t, by).refused(404, "not-found")
	if anonymous(a) != anonymous(none) {
		a.t.Errorf("%s: out of sight answers %s, absent %s", a.request, a.body, none.body)
	}
	for name := range none.header {
		if _, found := a.header[name]; !found {
			a.t.Errorf("%s: out of sight answers without %s, absent with it", a.request, name)
		}
	}
}

// TestTreeOfEveryDepth makes accounts as deep as they go and moves credits
// between any two levels: who is above funds and takes back at any distance.
func TestTreeOfEveryDepth(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		const deepest = 8
		srv := startServer(t, s, nil)
		chain := []account{srv.admin(t).master(t, "100")}
		for depth := 2; depth <= deepest; depth++ {
			chain = append(chain, chain[len(chain)-1].master(t, "0"))
		}
		last := chain[deepest-1]
		last.send(t, "POST", "/users", newReseller(nil)).refused(409, "tree-too-deep")
		for i, a := range chain {
			record := srv.admin(t).get(t, path("/users", a.id))
			if i > 0 {
				record.has(fields{"master": chain[i-1].id})
			} else {
				record.has(fields{"master": 1})
			}
			for j, below := range chain {
				switch op := (operation{"PATCH", path("/users/credits", below.id), fields{"credits": 1}}); {
				case j < i:
					op.by(t, a.caller).refused(404, "not-found").asAbsent(op, a.caller)
				case j == i:
					op.by(t, a.caller).refused(403, "not-allowed")
				case i == 0:
					op.by(t, a.caller).is(200).has(fields{"credits": 1})
				}
			}
			if got := a.get(t, "/users").ids(); len(got) != deepest-i || got[0] != a.id {
				t.Errorf("the account at depth %d sees the accounts %v", i+1, got)
			}
		}
		for _, giver := range chain[:deepest-1] {
			before := giver.credits(t)
			giver.send(t, "PATCH", path("/users/credits", last.id), fields{"credits": 1}).is(200).has(fields{"credits": 2})
			giver.send(t, "POST", path("/users", last.id, "/credits/reclaim"), fields{"credits": 1}).is(200).has(fields{"credits": 1})
			if after := giver.credits(t); after != before {
				t.Errorf("what a master gave and took back left it with %s of %s", after, before)
			}
		}
		srv.audit(t)
	})
}
