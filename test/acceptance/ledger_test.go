package acceptance

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"resellerd/test/api"
)

// TestStatementOfEveryKind moves credits in every way there is and compares each
// entry of each statement, field by field, with what was asked and answered.
func TestStatementOfEveryKind(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		admin := srv.Admin(t)
		want := map[int64][]fields{} // by account, the oldest first
		requests := 0
		// request does something under a request id of its own, and returns what every entry that it leaves says.
		request := func(by caller, actor int64, op operation, kind string, at string) (answer, fields) {
			t.Helper()
			requests++
			id := fmt.Sprintf("request-%d", requests)
			a := op.By(t, by, "X-Request-Id", id)
			if a.Status >= 300 {
				t.Fatalf("%s: %s", a.Request, a.Body)
			}
			common := fields{"kind": kind, "actor": actor, "request_id": id, "notes": nil, "line": nil, "at": api.ISO}
			if at != "" {
				common["at"] = a.Text(at)
			}
			return a, common
		}
		enter := func(account int64, common fields, amount, balance, counterparty string) {
			seq := len(want[account]) + 1
			want[account] = append(want[account], api.With(common, fields{"seq": seq, "amount": amount, "balance": balance, "counterparty": counterparty}))
		}
		create := func(by caller, actor int64, changes fields) (api.Reseller, fields) {
			t.Helper()
			body := api.NewReseller(changes)
			a, common := request(by, actor, api.Op("POST", "/users", body), "opening", "createdAt")
			made := api.Reseller{ID: a.ID(), Username: body["username"].(string), Password: body["password"].(string)}
			made.Caller = srv.As(srv.Login(t, made.Username, made.Password))
			return made, common
		}

		master, common := create(admin, 1, fields{"is_master": 1, "credits": "100"})
		enter(master.ID, common, "100", "100", "issuance")
		seller, common := create(master.Caller, master.ID, fields{"credits": "10"})
		enter(master.ID, common, "-10", "90", seller.Name())
		enter(seller.ID, common, "10", "10", master.Name())
		idle, _ := create(master.Caller, master.ID, nil) // no credits, no movement

		recharge := func(by caller, actor int64, credits string, notes any) fields {
			t.Helper()
			_, common := request(by, actor, api.Op("PATCH", api.Path("/users/credits", seller.ID), fields{"credits": credits, "notes": notes}), "recharge", "recharge")
			common["notes"] = notes
			return common
		}
		enter(seller.ID, recharge(admin, 1, "5", "two\nlines, \"quoted\" <b>&é😀"), "5", "15", "issuance")
		common = recharge(master.Caller, master.ID, "2.5", nil)
		enter(master.ID, common, "-2.5", "87.5", seller.Name())
		enter(seller.ID, common, "2.5", "17.5", master.Name())

		trial := seller.Trial(t)
		_, common = request(seller.Caller, seller.ID, api.Op("PATCH", api.Path("/lines/active", trial.ID), api.With(trial.Activation(1), fields{"notes": "of the line"})), "activation", "updatedAt")
		common["line"] = trial.ID
		enter(seller.ID, common, "-1", "16.5", "consumption")
		_, common = request(master.Caller, master.ID, api.Op("PATCH", api.Path("/lines/extend", trial.ID), fields{"credits": 0.5}), "extension", "updatedAt")
		common["line"] = trial.ID
		enter(seller.ID, common, "-0.5", "16", "consumption")

		reclaim := func(by caller, actor int64, credits string, notes any) fields {
			t.Helper()
			_, common := request(by, actor, api.Op("POST", api.Path("/users", seller.ID, "/credits/reclaim"), fields{"credits": credits, "notes": notes}), "reclaim", "")
			common["notes"] = notes
			return common
		}
		common = reclaim(master.Caller, master.ID, "6", "too much")
		enter(seller.ID, common, "-6", "10", master.Name())
		enter(master.ID, common, "6", "93.5", seller.Name())
		enter(seller.ID, reclaim(admin, 1, "3.0001", nil), "-3.0001", "6.9999", "issuance")

		own := admin.Trial(t)
		_, common = request(admin, 1, api.Op("PATCH", api.Path("/lines/active", own.ID), own.Activation(10)), "activation", "updatedAt")
		common["line"] = own.ID
		enter(1, common, "-10", "0", "consumption")
		_, common = request(admin, 1, api.Op("PATCH", api.Path("/lines/extend", own.ID), fields{"credits": 2}), "extension", "updatedAt")
		common["line"] = own.ID
		enter(1, common, "-2", "0", "consumption")

		// What is refused leaves nothing, nor does what moves nothing.
		master.Fund(t, seller.ID, 1000).Refused(402, "insufficient-credits")
		master.Reclaim(t, seller.ID, 1000).Refused(402, "insufficient-credits")
		seller.Get(t, api.Path("/lines/extend-preview", trial.ID, "?credits=1"))
		seller.Send(t, "PATCH", api.Path("/lines", trial.ID), trial.Edit()).Is(200)
		admin.Block(t, seller.ID).Is(200)
		admin.Unblock(t, seller.ID).Is(200)

		ids := map[string]string{} // of movements, by the request that asked for them
		check := func() {
			t.Helper()
			for _, id := range []int64{1, master.ID, seller.ID, idle.ID} {
				page := admin.Get(t, api.Path("/users", id, "/ledger"))
				entries := page.List()
				if len(entries) != len(want[id]) || page.Next() != "" {
					t.Fatalf("account %d: %d entries, want %d and no more: %s", id, len(entries), len(want[id]), page.Body)
				}
				slices.Reverse(entries)
				for i, e := range entries {
					e.Exactly(api.With(want[id][i], fields{"id": e.Fields["id"]}))
					movement, request := fmt.Sprint(e.ID()), e.Text("request_id")
					if known := ids[request]; known != "" && known != movement {
						t.Errorf("%s is movement %s to one account and %s to another", request, known, movement)
					}
					ids[request] = movement
				}
			}
		}
		check()
		movements := len(ids)
		if got := len(slices.Compact(slices.Sorted(maps.Values(ids)))); got != movements {
			t.Errorf("%d movements have %d ids", movements, got)
		}
		// The ledger outlives lines.
		seller.DeleteLine(t, trial.ID).Is(200)
		check()
		admin.Get(t, "/ledger/proof").Exactly(fields{
			"issued": "113.9999", "balances": "100.4999", "consumed": "13.5", "balanced": true, "movements": movements, "at": api.ISO,
		})
		if s.durable {
			srv.restart(t)
			check()
		}
		srv.stopAndAudit(t)
	})
}
