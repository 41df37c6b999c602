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
				"activations never overdraw":      activationsNeverOverdraw,
				"one trial is activated twice":    oneTrialActivatedTwiceAtOnce,
				"top-ups never overdraw":          topUpsNeverOverdraw,
				"reclaims never overdraw":         reclaimsNeverOverdraw,
				"crossed transfers":               crossedTransfers,
				"extensions":                      extensionsAtOnce,
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

func activationsNeverOverdraw(t *testing.T, srv *server) {
	master := srv.Admin(t).Master(t, "20")
	lines := make([]line, 40)
	for i := range lines {
		lines[i] = master.Trial(t)
	}
	answers := make([]answer, len(lines))
	api.AtOnce(len(lines), func(i int) {
		answers[i] = master.Send(t, "PATCH", api.Path("/lines/active", lines[i].ID), lines[i].Activation(1))
	})
	if got := api.Count(answers); got[201] != 20 || got[402] != 20 {
		t.Errorf("40 activations at once against 20 credits ended in %v, want 20 of 201 and 20 of 402", got)
	}
	for i, a := range answers {
		again := master.Send(t, "PATCH", api.Path("/lines/active", lines[i].ID), lines[i].Activation(1))
		if a.Status == 201 {
			again.Refused(409, "line-not-trial")
		} else {
			again.Refused(402, "insufficient-credits").Has(fields{"balance": "0", "required": "1", "shortfall": "1"})
		}
	}
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

func topUpsNeverOverdraw(t *testing.T, srv *server) {
	master := srv.Admin(t).Master(t, "10")
	children := []api.Reseller{master.Reseller(t, "0"), master.Reseller(t, "0"), master.Reseller(t, "0")}
	answers := make([]answer, 30)
	api.AtOnce(len(answers), func(i int) {
		answers[i] = master.Fund(t, children[i%3].ID, 1)
	})
	if got := api.Count(answers); got[200] != 10 || got[402] != 20 {
		t.Errorf("30 top-ups at once from 10 credits ended in %v, want 10 of 200 and 20 of 402", got)
	}
	received := map[int64]int{}
	for i, a := range answers {
		if a.Status == 200 {
			received[children[i%3].ID]++
		}
	}
	for _, child := range children {
		srv.Admin(t).Fund(t, child.ID, 100).Is(200).Has(fields{"credits": received[child.ID] + 100})
	}
	if got := master.Balance(t, children[0].ID); got != "0" {
		t.Errorf("the master is left with %s credits, want 0", got)
	}
}

// crossedTransfers moves credits along, into and out of the same accounts at once; what was issued is what is held.
func crossedTransfers(t *testing.T, srv *server) {
	top := srv.Admin(t).Master(t, "1000")
	mid := top.Master(t, "100")
	low := mid.Reseller(t, "0")
	api.AtOnce(60, func(i int) {
		switch i % 3 {
		case 0:
			top.Fund(t, mid.ID, "0.5").Is(200)
		case 1:
			mid.Fund(t, low.ID, "0.25").Is(200)
		case 2:
			srv.Admin(t).Fund(t, top.ID, "0.125").Is(200)
		}
	})
	if got := top.Balance(t, mid.ID); got != "892.5" { // 1000 - 100 - 20 × 0.5 + 20 × 0.125
		t.Errorf("the top holds %s, want 892.5", got)
	}
	if got := mid.Balance(t, low.ID); got != "105" { // 100 + 20 × 0.5 - 20 × 0.25
		t.Errorf("the middle holds %s, want 105", got)
	}
}

// extensionsAtOnce extends one line many times at the same time: each counts
// from where the one before it ended, and is paid for.
func extensionsAtOnce(t *testing.T, srv *server) {
	r := srv.Admin(t).Reseller(t, "10.5")
	l := r.Official(t)
	ends := r.Get(t, api.Path("/lines", l.ID)).Instant("expDate")
	answers := make([]answer, 15)
	api.AtOnce(len(answers), func(i int) {
		answers[i] = r.Extend(t, l.ID, 1)
	})
	if got := api.Count(answers); got[200] != 10 || got[402] != 5 {
		t.Errorf("15 extensions at once against 10 credits ended in %v, want 10 of 200 and 5 of 402", got)
	}
	for range 10 {
		ends = api.MonthsAfter(ends, 1)
	}
	r.Get(t, api.Path("/lines", l.ID)).Has(fields{"expDate": ends.Format(api.ISOMillis)})
	if got := len(r.Get(t, api.Path("/users", r.ID, "/ledger")).List()); got != 12 {
		t.Errorf("the statement has %d entries, want an opening, an activation and 10 extensions", got)
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

// reclaimsNeverOverdraw takes back what there is once, from all sides.
func reclaimsNeverOverdraw(t *testing.T, srv *server) {
	master := srv.Admin(t).Master(t, "30")
	child := master.Master(t, "6")
	leaf := child.Reseller(t, "6")
	answers := make([]answer, 24)
	api.AtOnce(len(answers), func(i int) {
		by := []caller{child.Caller, master.Caller, srv.Admin(t)}[i%3]
		answers[i] = by.Reclaim(t, leaf.ID, 1)
	})
	if got := api.Count(answers); got[200] != 6 || got[402] != 18 {
		t.Errorf("24 reclaims of 1 credit at once from 6 ended in %v, want 6 of 200 and 18 of 402", got)
	}
	if got := leaf.Credits(t); got != "0" {
		t.Errorf("after all was taken back %s is left", got)
	}
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
