package httpapi_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"resellerd/test/api"
	"resellerd/test/given"
)

func TestFundingIsExact(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "10.5")
	child := master.Reseller(t, "3.25")
	master.Send(t, "PATCH", api.Path("/users/credits", child.ID), fields{"credits": json.RawMessage("2.0001")}).Is(200).
		Has(fields{"credits": json.Number("5.2501")})
	master.Send(t, "PATCH", api.Path("/users/credits", child.ID), fields{"credits": 6}).Refused(402, "insufficient-credits").
		Has(fields{"balance": "5.2499", "required": "6", "shortfall": "0.7501"})
	master.Send(t, "POST", "/users", api.NewReseller(fields{"credits": "5.25"})).Refused(402, "insufficient-credits").
		Has(fields{"balance": "5.2499", "required": "5.25", "shortfall": "0.0001"})
	master.Send(t, "POST", "/users", api.NewReseller(fields{"credits": "5.2499"})).Is(201).Has(fields{"credits": "5.2499"})
	if got := master.Balance(t, child.ID); got != "0" {
		t.Errorf("the master is left with %s credits, want 0", got)
	}
}

func TestSmallSumsAreExact(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0.1")
	at := api.Path("/users/credits", r.ID)
	srv.Admin(t).Send(t, "PATCH", at, fields{"credits": 0.2}).Is(200).Has(fields{"credits": json.Number("0.3")})
	api.AtOnce(30, func(int) {
		srv.Admin(t).Send(t, "PATCH", at, fields{"credits": json.RawMessage("0.0001")}).Is(200)
	})
	srv.Admin(t).Send(t, "PATCH", at, fields{"credits": "0.0001"}).Is(200).Has(fields{"credits": json.Number("0.3031")})
}

func TestBalanceLimit(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "999999999.9999")
	at := api.Path("/users/credits", r.ID)
	api.AtOnce(99, func(int) {
		srv.Admin(t).Send(t, "PATCH", at, fields{"credits": 1_000_000_000}).Is(200)
	})
	srv.Admin(t).Send(t, "PATCH", at, fields{"credits": 1}).Refused(409, "balance-limit")
	srv.Admin(t).Send(t, "PATCH", at, fields{"credits": "0.0002"}).Refused(409, "balance-limit")
	srv.Admin(t).Send(t, "PATCH", at, fields{"credits": "0.0001"}).Is(200).Has(fields{"credits": json.Number("100000000000")})
	srv.Admin(t).Send(t, "PATCH", at, fields{"credits": "0.0001"}).Refused(409, "balance-limit")
}

// TestOwnerPays shows who is charged when another account activates a line.
func TestOwnerPays(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "7")
	owner := master.Reseller(t, "2")
	first, second, third := owner.Trial(t), owner.Trial(t), owner.Trial(t)
	master.Send(t, "PATCH", api.Path("/lines/active", first.ID), first.Activation(1)).Is(201).Has(fields{"owner": owner.ID})
	srv.Admin(t).Send(t, "PATCH", api.Path("/lines/active", second.ID), second.Activation("0.5")).Is(201).Has(fields{"owner": owner.ID})
	for _, by := range []caller{owner.Caller, master.Caller, srv.Admin(t)} {
		by.Send(t, "PATCH", api.Path("/lines/active", third.ID), third.Activation(1)).Refused(402, "insufficient-credits").
			Has(fields{"balance": "0.5", "required": "1", "shortfall": "0.5"})
	}
	if got := master.Balance(t, owner.ID); got != "5" {
		t.Errorf("the master above holds %s, want 5: it is not the owner", got)
	}
	owner.Send(t, "DELETE", api.Path("/lines", first.ID), nil).Is(200) // no refund
	owner.Send(t, "PATCH", api.Path("/lines/active", third.ID), third.Activation(1)).Refused(402, "insufficient-credits").
		Has(fields{"balance": "0.5"})

	own := srv.Admin(t).Trial(t) // an admin holds no credits and pays by issuing
	srv.Admin(t).Send(t, "PATCH", api.Path("/lines/active", own.ID), own.Activation(10)).Is(201)
}

// TestProofIsWhatWasDone drives random operations on a tree and compares the proof
// after each of them, and the records at the end, with its own sums.
func TestProofIsWhatWasDone(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	srv := serve(t)
	admin := srv.Admin(t)
	var issued, consumed int64
	movements := 0
	var held []int64
	var accounts []api.Reseller
	above := []int{} // index of the master, -1 for the admin
	sum := func() (all int64) {
		for _, u := range held {
			all += u
		}
		return all
	}
	check := func() {
		t.Helper()
		admin.Get(t, "/ledger/proof").Exactly(fields{
			"issued": given.Units(issued).String(), "balances": given.Units(sum()).String(), "consumed": given.Units(consumed).String(), "balanced": true, "movements": movements, "at": api.ISO,
		})
	}
	check()
	add := func(master int, credits int64) {
		t.Helper()
		by := admin
		if master >= 0 {
			by = accounts[master].Caller
		}
		accounts = append(accounts, by.Create(t, fields{"is_master": 1, "credits": given.Units(credits).String()}))
		above, held = append(above, master), append(held, credits)
		if credits > 0 {
			movements++
		}
		if master >= 0 {
			held[master] -= credits
		} else {
			issued += credits
		}
	}
	add(-1, 1_000_0000)
	add(0, 100_5000)
	add(1, 20_0001)
	add(-1, 0)
	type official struct {
		line
		owner int
	}
	var lines []official
	// giver returns who gives to i, or takes back from it: -1 for the admin.
	giver := func(i int) (caller, int) {
		if above[i] < 0 || random.IntN(2) == 0 {
			return admin, -1
		}
		return accounts[above[i]].Caller, above[i]
	}
	for range 60 {
		i := random.IntN(len(accounts))
		amount := 1 + random.Int64N(40_0000)
		switch random.IntN(6) {
		case 0:
			by, from := giver(i)
			a := by.Send(t, "PATCH", api.Path("/users/credits", accounts[i].ID), fields{"credits": given.Units(amount).String()})
			if from >= 0 && held[from] < amount {
				a.Refused(402, "insufficient-credits").Has(fields{"balance": given.Units(held[from]).String(), "required": given.Units(amount).String()})
				break
			}
			a.Is(200)
			movements++
			held[i] += amount
			if from >= 0 {
				held[from] -= amount
			} else {
				issued += amount
			}
		case 1:
			by, to := giver(i)
			a := by.Send(t, "POST", api.Path("/users", accounts[i].ID, "/credits/reclaim"), fields{"credits": given.Units(amount).String()})
			if held[i] < amount {
				a.Refused(402, "insufficient-credits").Has(fields{"balance": given.Units(held[i]).String(), "required": given.Units(amount).String()})
				break
			}
			a.Is(200)
			movements++
			held[i] -= amount
			if to >= 0 {
				held[to] += amount
			} else {
				issued -= amount
			}
		case 2:
			l := accounts[i].Trial(t)
			a := admin.Send(t, "PATCH", api.Path("/lines/active", l.ID), l.Activation("0.5"))
			if held[i] < 5000 {
				a.Refused(402, "insufficient-credits").Has(fields{"balance": given.Units(held[i]).String()})
				break
			}
			a.Is(201)
			movements++
			held[i] -= 5000
			consumed += 5000
			lines = append(lines, official{l, i})
		case 3:
			if len(lines) == 0 {
				break
			}
			l := lines[random.IntN(len(lines))]
			a := accounts[l.owner].Send(t, "PATCH", api.Path("/lines/extend", l.ID), fields{"credits": 1})
			if held[l.owner] < 1_0000 {
				a.Refused(402, "insufficient-credits").Has(fields{"balance": given.Units(held[l.owner]).String()})
				break
			}
			if a.Fields["code"] == "period-too-long" {
				break
			}
			a.Is(200)
			movements++
			held[l.owner] -= 1_0000
			consumed += 1_0000
		case 4: // the admin pays by issuing
			l := admin.Official(t)
			movements++
			issued += 5000
			consumed += 5000
			admin.Send(t, "DELETE", api.Path("/lines", l.ID), nil).Is(200)
		case 5:
			if len(lines) > 0 {
				at := random.IntN(len(lines))
				admin.Send(t, "DELETE", api.Path("/lines", lines[at].ID), nil).Is(200)
				lines = slices.Delete(lines, at, at+1)
			}
		}
		check()
	}
	for i, a := range accounts {
		a.Get(t, "/users/logged").Has(fields{"credits": given.Units(held[i]).String()})
		for _, newest := range a.Get(t, api.Path("/users", a.ID, "/ledger?limit=1")).List() {
			newest.Has(fields{"balance": given.Units(held[i]).String()})
		}
	}
	srv.audit(t)
}

func TestReclaim(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	admin := srv.Admin(t)
	master := admin.Master(t, "100")
	child := master.Master(t, "30")
	leaf := child.Reseller(t, "0")
	funded := child.Send(t, "PATCH", api.Path("/users/credits", leaf.ID), fields{"credits": 12.5}).Is(200)
	at := api.Path("/users", leaf.ID, "/credits/reclaim")
	answered := func(a answer, left string) {
		t.Helper()
		a.Is(200).Exactly(fields{"id": leaf.ID, "username": leaf.Username, "credits": json.Number(left), "recharge": funded.Text("recharge"), "message": api.Anything})
	}
	answered(child.Send(t, "POST", at, fields{"credits": "2.50", "notes": "a note"}), "10")
	answered(master.Send(t, "POST", at, fields{"credits": json.RawMessage("1e0")}), "9")       // to the master's own balance, past the child's
	answered(admin.Send(t, "POST", at, fields{"credits": 3, "notes": nil, "unknown": 1}), "6") // to issuance
	master.Send(t, "POST", api.Path("/users", child.ID, "/credits/reclaim"), fields{"credits": 20}).Is(200).Has(fields{"credits": 0})
	for _, c := range []struct {
		api.Reseller
		credits string
	}{{master, "91"}, {child, "0"}, {leaf, "6"}} {
		if got := c.Credits(t); got != c.credits {
			t.Errorf("%s holds %s, want %s", c.Username, got, c.credits)
		}
	}
	leaf.Get(t, "/users/logged").Has(fields{"recharge": funded.Text("recharge"), "updatedAt": api.ISO})
	for _, by := range []caller{child.Caller, master.Caller, admin} {
		by.Send(t, "POST", at, fields{"credits": "6.0001"}).Refused(402, "insufficient-credits").
			Has(fields{"balance": "6", "required": "6.0001", "shortfall": "0.0001"})
	}
	answers := make([]answer, 24) // 6 credits, asked for 4 times over
	api.AtOnce(len(answers), func(i int) {
		answers[i] = []caller{child.Caller, master.Caller, admin}[i%3].Send(t, "POST", at, fields{"credits": 1})
	})
	if got := api.Count(answers); got[200] != 6 || got[402] != 18 {
		t.Errorf("24 reclaims of 1 credit at once from 6 ended in %v, want 6 of 200 and 18 of 402", got)
	}
	if got := leaf.Credits(t); got != "0" {
		t.Errorf("after all was taken back %s is left", got)
	}

	// The one that takes back may hold as much as anybody.
	filled := admin.Master(t, "1")
	source := filled.Reseller(t, "0.0002")
	filled.Send(t, "PATCH", api.Path("/users/credits", source.ID), fields{"credits": "0.0001"}).Is(200)
	api.AtOnce(99, func(int) {
		admin.Send(t, "PATCH", api.Path("/users/credits", filled.ID), fields{"credits": 1_000_000_000}).Is(200)
	})
	admin.Send(t, "PATCH", api.Path("/users/credits", filled.ID), fields{"credits": "999999999.0002"}).Is(200).Has(fields{"credits": json.Number("99999999999.9999")})
	at = api.Path("/users", source.ID, "/credits/reclaim")
	filled.Send(t, "POST", at, fields{"credits": "0.0002"}).Refused(409, "balance-limit")
	filled.Send(t, "POST", at, fields{"credits": "0.0001"}).Is(200)
	filled.Send(t, "POST", at, fields{"credits": "0.0001"}).Refused(409, "balance-limit")
	admin.Send(t, "POST", at, fields{"credits": "0.0002"}).Is(200).Has(fields{"credits": 0})
	srv.audit(t)
}
