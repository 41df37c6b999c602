package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"resellerd/test/api"
)

// TestBlocksAreTheFlagsThatWereSet blocks and unblocks accounts of a tree at random, by random accounts above them:
// after each step everybody is active or frozen as the flags on its path say, whoever set them in whatever order, and
// with the last one lifted all is as it was.
func TestBlocksAreTheFlagsThatWereSet(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	srv := serve(t)
	tree := []api.Reseller{srv.Admin(t).Master(t, "10")}
	parent := []int{-1}
	for range 7 {
		above := random.IntN(len(tree))
		if depth(parent, above) > 5 {
			above = 0
		}
		tree = append(tree, tree[above].Master(t, "0"))
		parent = append(parent, above)
	}
	initial := make([]answer, len(tree))
	for i, a := range tree {
		initial[i] = srv.Admin(t).Get(t, api.Path("/users", a.ID))
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
			srv.Admin(t).Get(t, api.Path("/users", a.ID)).Has(want)
			if blockedAt(i) {
				a.Send(t, "GET", "/users/logged", nil).Refused(403, "account-blocked")
			} else {
				a.Get(t, "/users/logged").Has(want)
			}
		}
		for i, r := range srv.Admin(t).Get(t, fmt.Sprintf("/users?tree=%d", tree[0].ID)).List() {
			r.Has(fields{"id": tree[i].ID, "active_tree": bit(!blockedAt(i)), "block_reseller": bit(flags[i])})
		}
	}
	set := func(by caller, i int, blocked bool) answer {
		t.Helper()
		method := http.MethodDelete
		if blocked {
			method = http.MethodPut
		}
		return by.Send(t, method, api.Path("/users", tree[i].ID, "/block"), nil)
	}
	for range 25 {
		i, blocked := random.IntN(len(tree)), random.IntN(2) == 0
		by, actor := srv.Admin(t), -1
		if above := pathTo(parent, i); len(above) > 0 && random.IntN(2) == 0 {
			actor = above[random.IntN(len(above))]
			by = tree[actor].Caller
		}
		if actor >= 0 && blockedAt(actor) {
			set(by, i, blocked).Refused(403, "account-blocked")
			continue
		}
		flags[i] = blocked
		set(by, i, blocked).Is(200).Has(fields{"id": tree[i].ID, "active_tree": bit(!blockedAt(i)), "block_reseller": bit(blocked)})
		check()
	}
	for _, i := range random.Perm(len(tree)) { // in any order
		flags[i] = false
		set(srv.Admin(t), i, false).Is(200)
	}
	check()
	for i, a := range tree {
		a.Free(t)
		srv.Admin(t).Get(t, api.Path("/users", a.ID)).Exactly(api.With(initial[i].Fields, fields{"updatedAt": api.ISO}))
	}
}

// TestAListShowsTheBlocksOfEachBranch lists two branches of a tree, of which first one is blocked and then the other.
func TestAListShowsTheBlocksOfEachBranch(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	top := srv.Admin(t).Master(t, "10")
	branches := []api.Reseller{top.Master(t, "0"), top.Master(t, "0")}
	leaves := []api.Reseller{branches[0].Reseller(t, "0"), branches[1].Reseller(t, "0")}
	tree := []api.Reseller{top, branches[0], branches[1], leaves[0], leaves[1]}
	for blocked := range branches {
		top.Block(t, branches[blocked].ID).Is(200)
		for i, r := range top.Get(t, "/users").List() {
			active := tree[i].ID != branches[blocked].ID && tree[i].ID != leaves[blocked].ID
			r.Has(fields{"id": tree[i].ID, "active_tree": bit(active)})
		}
		top.Unblock(t, branches[blocked].ID).Is(200)
	}
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
	blocked.Exactly(api.With(was.Fields, fields{"active_tree": 0, "block_reseller": 1, "updatedAt": api.ISO}))
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
