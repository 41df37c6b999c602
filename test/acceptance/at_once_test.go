package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/fixture"
)

// TestAtOnce does on one server, at the same time, what must not come in the way of one another: each case has a tree
// of its own and does many things to it at once. At the end all of the records are audited.
func TestAtOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		t.Run("at once", func(t *testing.T) { // returns when all have ended
			for name, test := range map[string]func(*testing.T, *server){
				"one trial is activated twice":    oneTrialActivatedTwiceAtOnce,
				"the proof under load":            proofUnderLoad,
				"a tree that spends on all sides": treeSpendsOnAllSides,
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, srv)
				})
			}
		})
		srv.stopAndAudit(t)
	})
}

func oneTrialActivatedTwiceAtOnce(t *testing.T, srv *server) {
	master := srv.Admin(t).Master(t, "50")
	child := master.Reseller(t, "0")
	for range 10 {
		l := master.Trial(t)
		answers := make([]answer, 2)
		api.AtOnce(2, func(i int) {
			answers[i] = master.Activate(t, l, 1)
		})
		if got := api.Count(answers); got[201] != 1 || got[409] != 1 {
			t.Errorf("two activations of one trial ended in %v, want one 201 and one 409", got)
		}
	}
	if got := master.Balance(t, child.ID); got != "40" {
		t.Errorf("10 activations of 1 credit left %s of 50", got)
	}
}

// proofUnderLoad proves the ledger while credits move: each proof is of one instant.
func proofUnderLoad(t *testing.T, srv *server) {
	master := srv.Admin(t).Master(t, "100")
	leaf := master.Reseller(t, "0")
	var trials []line
	for range 12 {
		trials = append(trials, leaf.Trial(t))
	}
	api.AtOnce(72, func(i int) {
		switch i % 6 {
		case 0:
			master.Fund(t, leaf.ID, 2).Is(200)
		case 1:
			master.Reclaim(t, leaf.ID, 1)
		case 2:
			srv.Admin(t).Reclaim(t, master.ID, 1).Is(200)
		case 3:
			l := trials[i/6]
			leaf.Activate(t, l, 0.5)
		default:
			srv.Admin(t).Get(t, "/ledger/proof").Has(fields{"balanced": true})
		}
	})
}

// treeSpendsOnAllSides moves and spends the same credits of a tree from everywhere, under keys and without.
func treeSpendsOnAllSides(t *testing.T, srv *server) {
	master := srv.Admin(t).Master(t, "100")
	child := master.Master(t, "20")
	leaf := child.Reseller(t, "5")
	trials := make([]line, 12)
	for i := range trials {
		trials[i] = leaf.Trial(t)
	}
	for round := range 3 {
		api.AtOnce(72, func(i int) {
			var a answer
			switch i % 6 {
			case 0: // down
				a = master.Fund(t, child.ID, 40)
			case 1: // and back
				a = master.Reclaim(t, child.ID, 40)
			case 2: // further down
				a = child.Fund(t, leaf.ID, 40)
			case 3: // and back at once, past the child
				a = master.Reclaim(t, leaf.ID, 40)
			case 4: // while it is spent
				l := trials[i/6]
				if round == 0 {
					a = leaf.Activate(t, l, 10)
				} else {
					a = leaf.Extend(t, l.ID, 1)
				}
			case 5: // under one key
				a = master.Fund(t, leaf.ID, 3, "Idempotency-Key", fmt.Sprintf("race-%d", round))
			}
			if a.Status >= 300 && a.Status != 402 && a.Status != 409 {
				t.Errorf("%s: status %d: %s", a.Request, a.Status, a.Body)
			}
		})
		var left int64
		for _, r := range master.Get(t, "/users").List() {
			left += fixture.Credits(r.Text("credits")).Units()
		}
		for _, e := range master.Get(t, api.Path("/users", leaf.ID, "/ledger?limit=500")).List() {
			if e.Text("counterparty") == "consumption" {
				left += fixture.Credits(strings.TrimPrefix(e.Text("amount"), "-")).Units()
			}
		}
		if left != 100_0000 {
			t.Errorf("round %d: the tree holds and has paid %s of 100 credits", round, fixture.Units(left))
		}
	}
}
