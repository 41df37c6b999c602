package acceptance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
)

// frozen expects that the account gets nothing done, whatever it asks, and that
// all of it is refused alike. Kept is a trial of its own that it can't touch
// either, and recorded a key under which it was answered before.
func (a account) frozen(t *testing.T, kept line, recorded string) {
	t.Helper()
	for _, op := range []operation{
		{"GET", "/users/logged", nil},
		{"GET", "/users", nil},
		{"GET", path("/users", a.id), nil},
		{"GET", path("/users", a.id, "/ledger"), nil},
		{"GET", path("/users", 999_999_999), nil},
		{"GET", "/lines", nil},
		{"GET", path("/lines", kept.id), nil},
		{"GET", path("/lines/extend-preview", kept.id, "?credits=1"), nil},
		{"GET", "/prices", nil},
		{"GET", "/ledger/proof", nil},
		{"POST", "/users", newReseller(nil)},
		{"PATCH", path("/users", a.id), a.update()},
		{"PATCH", path("/users", 999_999_999), a.update()},
		{"PATCH", path("/users/credits", a.id), fields{"credits": 1}},
		{"POST", path("/users", a.id, "/credits/reclaim"), fields{"credits": 1}},
		{"PUT", path("/users", a.id, "/block"), nil},
		{"DELETE", path("/users", a.id, "/block"), nil},
		{"POST", "/lines/test", nil},
		{"PATCH", path("/lines/active", kept.id), kept.activation(1)},
		{"PATCH", path("/lines/extend", kept.id), fields{"credits": 1}},
		{"PATCH", path("/lines", kept.id), kept.edit()},
		{"DELETE", path("/lines", kept.id), nil},
		{"DELETE", "/auth/static-token", nil},
	} {
		op.by(t, a.caller).refused(403, "account-blocked")
	}
	a.send(t, "HEAD", "/users/logged", nil).is(403)
	a.send(t, "POST", "/lines/test", nil, "Idempotency-Key", recorded).refused(403, "account-blocked").replayed(false)
	nobody := a.server.nobody()
	nobody.send(t, "POST", "/auth/static-token", fields{"username": a.username, "password": a.password}).refused(403, "account-blocked")

	// What comes before the block in the order of checks still answers.
	a.send(t, "POST", "/users", "{}").refused(422, "validation-failed")
	a.send(t, "GET", "/lines?limit=0", nil).refused(422, "validation-failed")
	nobody.send(t, "POST", "/auth/static-token", fields{"username": a.username, "password": "a wrong password"}).refused(401, "invalid-credentials")
}

// free expects that the account gets things done.
func (a account) free(t *testing.T) {
	t.Helper()
	a.get(t, "/users/logged").has(fields{"active_tree": 1, "block_reseller": 0})
	a.trial(t)
	if token := a.server.login(t, a.username, a.password); token != a.token {
		t.Errorf("account %d has another token", a.id)
	}
}

// TestBlockFreezesATree blocks a master with two levels below it and goes through
// what everybody around notices.
func TestBlockFreezesATree(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		above := srv.admin(t).master(t, "100")
		master := above.master(t, "50")
		child := master.master(t, "20")
		leaf := child.reseller(t, "10")
		sibling := above.master(t, "5")
		tree := []account{master, child, leaf}
		kept := map[int64]line{}
		for _, a := range tree {
			kept[a.id] = a.trial(t)
			a.send(t, "POST", "/lines/test", nil, "Idempotency-Key", "recorded").is(201)
		}
		official := leaf.official(t)
		status := func(by caller, a account, active, blocked int) {
			t.Helper()
			want := fields{"active_tree": active, "block_reseller": blocked, "status": 1}
			by.get(t, path("/users", a.id)).has(want)
			for _, r := range by.get(t, "/users?username="+a.username).list() {
				if r.id() == a.id {
					r.has(want)
				}
			}
		}
		was := above.get(t, path("/users", master.id))
		blockPath := path("/users", master.id, "/block")

		blocked := above.send(t, "PUT", blockPath, nil).is(200)
		blocked.exactly(with(was.fields, fields{"active_tree": 0, "block_reseller": 1, "updatedAt": iso}))
		for _, a := range tree {
			a.frozen(t, kept[a.id], "recorded")
		}
		status(above.caller, master, 0, 1)
		status(above.caller, child, 0, 0)
		status(above.caller, leaf, 0, 0)
		status(above.caller, sibling, 1, 0)
		for _, a := range []account{above, sibling} {
			a.free(t)
		}
		again := above.send(t, "PUT", blockPath, nil).is(200)
		again.exactly(blocked.fields) // repeated, it changes nothing, the time of change included

		// Those above still act on the blocked, and lines keep running.
		above.send(t, "PATCH", path("/users/credits", leaf.id), fields{"credits": 1}).is(200).has(fields{"credits": json.Number("10.5")})
		above.send(t, "POST", path("/users", leaf.id, "/credits/reclaim"), fields{"credits": 0.5}).is(200).has(fields{"credits": 10})
		above.send(t, "PATCH", path("/users", master.id), master.update()).is(200)
		above.send(t, "PATCH", path("/lines/active", kept[leaf.id].id), kept[leaf.id].activation(1)).is(201).has(fields{"owner": leaf.id, "status": 1})
		above.send(t, "PATCH", path("/lines/extend", official.id), fields{"credits": 1}).is(200).has(fields{"owner": leaf.id, "status": 1})
		above.send(t, "PATCH", path("/lines", official.id), official.edit()).is(200)
		above.get(t, path("/lines", official.id)).has(fields{"status": 1})
		above.get(t, path("/users", leaf.id, "/ledger")).is(200)
		srv.admin(t).send(t, "PATCH", path("/users/credits", master.id), fields{"credits": 1}).is(200)

		// A block of an account's own below survives the end of one above it.
		above.send(t, "PUT", path("/users", child.id, "/block"), nil).is(200).has(fields{"active_tree": 0, "block_reseller": 1})
		above.send(t, "DELETE", blockPath, nil).is(200).has(fields{"active_tree": 1, "block_reseller": 0})
		above.send(t, "DELETE", blockPath, nil).is(200).has(fields{"active_tree": 1, "block_reseller": 0})
		master.free(t)
		child.frozen(t, kept[child.id], "recorded")
		leaf.send(t, "GET", "/users/logged", nil).refused(403, "account-blocked")
		status(master.caller, child, 0, 1)
		status(master.caller, leaf, 0, 0)

		// The end of one below a block is not the end of it.
		above.send(t, "PUT", blockPath, nil).is(200)
		above.send(t, "DELETE", path("/users", child.id, "/block"), nil).is(200).has(fields{"active_tree": 0, "block_reseller": 0})
		child.frozen(t, kept[child.id], "recorded")
		above.send(t, "DELETE", blockPath, nil).is(200)
		for _, a := range tree {
			a.free(t)
			a.send(t, "POST", "/lines/test", nil, "Idempotency-Key", "recorded").is(201).replayed(true)
		}
		srv.audit(t)
	})
}

// TestBlocksAreTheFlagsThatWereSet blocks and unblocks accounts of a tree at random,
// by random accounts above them: after each step everybody is active or frozen as
// the flags on its path say, whoever set them in whatever order, and with the last
// one lifted all is as it was.
func TestBlocksAreTheFlagsThatWereSet(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		defer func() {
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		}()
		srv := sharedServer(t, s)
		tree := []account{srv.admin(t).master(t, "10")}
		parent := []int{-1}
		for range 7 {
			above := random.IntN(len(tree))
			if depth(parent, above) > 5 {
				above = 0
			}
			tree = append(tree, tree[above].master(t, "0"))
			parent = append(parent, above)
		}
		initial := make([]answer, len(tree))
		for i, a := range tree {
			initial[i] = srv.admin(t).get(t, path("/users", a.id))
		}
		flags := make([]bool, len(tree))
		blockedAt := func(i int) bool { // i, or one above it
			for ; i >= 0; i = parent[i] {
				if flags[i] {
					return true
				}
			}
			return false
		}
		check := func() {
			t.Helper()
			for i, a := range tree {
				want := fields{"active_tree": bit(!blockedAt(i)), "block_reseller": bit(flags[i])}
				srv.admin(t).get(t, path("/users", a.id)).has(want)
				if blockedAt(i) {
					a.send(t, "GET", "/users/logged", nil).refused(403, "account-blocked")
				} else {
					a.get(t, "/users/logged").has(want)
				}
			}
			for i, r := range srv.admin(t).get(t, fmt.Sprintf("/users?tree=%d", tree[0].id)).list() {
				r.has(fields{"id": tree[i].id, "active_tree": bit(!blockedAt(i)), "block_reseller": bit(flags[i])})
			}
		}
		set := func(by caller, i int, blocked bool) answer {
			t.Helper()
			method := http.MethodDelete
			if blocked {
				method = http.MethodPut
			}
			return by.send(t, method, path("/users", tree[i].id, "/block"), nil)
		}
		for range 25 {
			i, blocked := random.IntN(len(tree)), random.IntN(2) == 0
			by, actor := srv.admin(t), -1
			if above := pathTo(parent, i); len(above) > 0 && random.IntN(2) == 0 {
				actor = above[random.IntN(len(above))]
				by = tree[actor].caller
			}
			if actor >= 0 && blockedAt(actor) {
				set(by, i, blocked).refused(403, "account-blocked")
				continue
			}
			flags[i] = blocked
			set(by, i, blocked).is(200).has(fields{"id": tree[i].id, "active_tree": bit(!blockedAt(i)), "block_reseller": bit(blocked)})
			check()
		}
		for _, i := range random.Perm(len(tree)) { // in any order
			flags[i] = false
			set(srv.admin(t), i, false).is(200)
		}
		check()
		for i, a := range tree {
			a.free(t)
			srv.admin(t).get(t, path("/users", a.id)).exactly(with(initial[i].fields, fields{"updatedAt": iso}))
		}
	})
}

// pathTo returns the indexes above i, and depth how many they are with i itself.
func pathTo(parent []int, i int) []int {
	var above []int
	for i = parent[i]; i >= 0; i = parent[i] {
		above = append(above, i)
	}
	return above
}

func depth(parent []int, i int) int { return 1 + len(pathTo(parent, i)) }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestBlockAtOnce blocks a master while it acts from many sides: once the block
// was answered, nothing is done any more.
func TestBlockAtOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		master := srv.admin(t).master(t, "100")
		leaf := master.reseller(t, "0")
		const requests = 40
		answers := make([]answer, requests)
		atOnce(requests+1, func(i int) {
			if i == requests {
				srv.admin(t).send(t, "PUT", path("/users", master.id, "/block"), nil).is(200)
				return
			}
			answers[i] = master.send(t, "PATCH", path("/users/credits", leaf.id), fields{"credits": 1})
		})
		got := count(answers)
		if got[200]+got[403] != requests {
			t.Errorf("%d top-ups while the master is blocked ended in %v", requests, got)
		}
		master.send(t, "GET", "/users/logged", nil).refused(403, "account-blocked")
		admin := srv.admin(t)
		admin.get(t, path("/users", leaf.id)).has(fields{"credits": fmt.Sprint(got[200])})
		admin.get(t, path("/users", master.id)).has(fields{"credits": fmt.Sprint(100 - got[200])})
		if ids := admin.get(t, path("/users", leaf.id, "/ledger")).ids(); len(slices.Compact(ids)) != got[200] {
			t.Errorf("%d top-ups were answered with 200, and the statement has %v", got[200], ids)
		}
	})
}
