package acceptance

import (
	"encoding/json"
	"testing"
)

func TestActivationsNeverOverdraw(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		master := srv.admin(t).master(t, "20")
		lines := make([]line, 40)
		for i := range lines {
			lines[i] = master.trial(t)
		}
		answers := make([]answer, len(lines))
		atOnce(len(lines), func(i int) {
			answers[i] = master.send(t, "PATCH", path("/lines/active", lines[i].id), lines[i].activation(1))
		})
		if got := count(answers); got[201] != 20 || got[402] != 20 {
			t.Errorf("40 activations at once against 20 credits ended in %v, want 20 of 201 and 20 of 402", got)
		}
		for i, a := range answers {
			again := master.send(t, "PATCH", path("/lines/active", lines[i].id), lines[i].activation(1))
			if a.status == 201 {
				again.refused(409, "line-not-trial")
			} else {
				again.refused(402, "insufficient-credits").has(fields{"balance": "0", "required": "1", "shortfall": "1"})
			}
		}
		srv.audit(t)
	})
}

func TestOneTrialActivatedTwiceAtOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		master := srv.admin(t).master(t, "50")
		child := master.reseller(t, "0")
		for range 10 {
			l := master.trial(t)
			answers := make([]answer, 2)
			atOnce(2, func(i int) {
				answers[i] = master.send(t, "PATCH", path("/lines/active", l.id), l.activation(1))
			})
			if got := count(answers); got[201] != 1 || got[409] != 1 {
				t.Errorf("two activations of one trial ended in %v, want one 201 and one 409", got)
			}
		}
		if got := master.balance(t, child.id); got != "40" {
			t.Errorf("10 activations of 1 credit left %s of 50", got)
		}
		srv.audit(t)
	})
}

func TestTopUpsNeverOverdraw(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		master := srv.admin(t).master(t, "10")
		children := []account{master.reseller(t, "0"), master.reseller(t, "0"), master.reseller(t, "0")}
		answers := make([]answer, 30)
		atOnce(len(answers), func(i int) {
			answers[i] = master.send(t, "PATCH", path("/users/credits", children[i%3].id), fields{"credits": 1})
		})
		if got := count(answers); got[200] != 10 || got[402] != 20 {
			t.Errorf("30 top-ups at once from 10 credits ended in %v, want 10 of 200 and 20 of 402", got)
		}
		received := map[int64]int{}
		for i, a := range answers {
			if a.status == 200 {
				received[children[i%3].id]++
			}
		}
		for _, child := range children {
			srv.admin(t).send(t, "PATCH", path("/users/credits", child.id), fields{"credits": 100}).is(200).
				has(fields{"credits": received[child.id] + 100})
		}
		if got := master.balance(t, children[0].id); got != "0" {
			t.Errorf("the master is left with %s credits, want 0", got)
		}
		srv.audit(t)
	})
}

// TestCrossedTransfers moves credits along, into and out of the same accounts at
// once; what was issued is what is held.
func TestCrossedTransfers(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		top := srv.admin(t).master(t, "1000")
		mid := top.master(t, "100")
		low := mid.reseller(t, "0")
		atOnce(60, func(i int) {
			switch i % 3 {
			case 0:
				top.send(t, "PATCH", path("/users/credits", mid.id), fields{"credits": "0.5"}).is(200)
			case 1:
				mid.send(t, "PATCH", path("/users/credits", low.id), fields{"credits": "0.25"}).is(200)
			case 2:
				srv.admin(t).send(t, "PATCH", path("/users/credits", top.id), fields{"credits": "0.125"}).is(200)
			}
		})
		if got := top.balance(t, mid.id); got != "892.5" { // 1000 - 100 - 20 × 0.5 + 20 × 0.125
			t.Errorf("the top holds %s, want 892.5", got)
		}
		if got := mid.balance(t, low.id); got != "105" { // 100 + 20 × 0.5 - 20 × 0.25
			t.Errorf("the middle holds %s, want 105", got)
		}
		srv.audit(t)
	})
}

func TestFundingIsExact(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		master := srv.admin(t).master(t, "10.5")
		child := master.reseller(t, "3.25")
		master.send(t, "PATCH", path("/users/credits", child.id), fields{"credits": json.RawMessage("2.0001")}).is(200).
			has(fields{"credits": json.Number("5.2501")})
		master.send(t, "PATCH", path("/users/credits", child.id), fields{"credits": 6}).refused(402, "insufficient-credits").
			has(fields{"balance": "5.2499", "required": "6", "shortfall": "0.7501"})
		master.send(t, "POST", "/users", newReseller(fields{"credits": "5.25"})).refused(402, "insufficient-credits").
			has(fields{"balance": "5.2499", "required": "5.25", "shortfall": "0.0001"})
		master.send(t, "POST", "/users", newReseller(fields{"credits": "5.2499"})).is(201).has(fields{"credits": "5.2499"})
		if got := master.balance(t, child.id); got != "0" {
			t.Errorf("the master is left with %s credits, want 0", got)
		}
	})
}

func TestSmallSumsAreExact(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).reseller(t, "0.1")
		at := path("/users/credits", r.id)
		srv.admin(t).send(t, "PATCH", at, fields{"credits": 0.2}).is(200).has(fields{"credits": json.Number("0.3")})
		atOnce(30, func(int) {
			srv.admin(t).send(t, "PATCH", at, fields{"credits": json.RawMessage("0.0001")}).is(200)
		})
		srv.admin(t).send(t, "PATCH", at, fields{"credits": "0.0001"}).is(200).has(fields{"credits": json.Number("0.3031")})
	})
}

func TestBalanceLimit(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).reseller(t, "999999999.9999")
		at := path("/users/credits", r.id)
		atOnce(99, func(int) {
			srv.admin(t).send(t, "PATCH", at, fields{"credits": 1_000_000_000}).is(200)
		})
		srv.admin(t).send(t, "PATCH", at, fields{"credits": 1}).refused(409, "balance-limit")
		srv.admin(t).send(t, "PATCH", at, fields{"credits": "0.0002"}).refused(409, "balance-limit")
		srv.admin(t).send(t, "PATCH", at, fields{"credits": "0.0001"}).is(200).has(fields{"credits": json.Number("100000000000")})
		srv.admin(t).send(t, "PATCH", at, fields{"credits": "0.0001"}).refused(409, "balance-limit")
	})
}

// TestOwnerPays shows who is charged when another account activates a line.
func TestOwnerPays(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		master := srv.admin(t).master(t, "7")
		owner := master.reseller(t, "2")
		first, second, third := owner.trial(t), owner.trial(t), owner.trial(t)
		master.send(t, "PATCH", path("/lines/active", first.id), first.activation(1)).is(201).has(fields{"owner": owner.id})
		srv.admin(t).send(t, "PATCH", path("/lines/active", second.id), second.activation("0.5")).is(201).has(fields{"owner": owner.id})
		for _, by := range []caller{owner.caller, master.caller, srv.admin(t)} {
			by.send(t, "PATCH", path("/lines/active", third.id), third.activation(1)).refused(402, "insufficient-credits").
				has(fields{"balance": "0.5", "required": "1", "shortfall": "0.5"})
		}
		if got := master.balance(t, owner.id); got != "5" {
			t.Errorf("the master above holds %s, want 5: it is not the owner", got)
		}
		owner.send(t, "DELETE", path("/lines", first.id), nil).is(200) // no refund
		owner.send(t, "PATCH", path("/lines/active", third.id), third.activation(1)).refused(402, "insufficient-credits").
			has(fields{"balance": "0.5"})

		own := srv.admin(t).trial(t) // an admin holds no credits and pays by issuing
		srv.admin(t).send(t, "PATCH", path("/lines/active", own.id), own.activation(10)).is(201)
	})
}
