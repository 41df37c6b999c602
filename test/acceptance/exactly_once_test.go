package acceptance

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"

	"resellerd/test/api"
)

// TestRetriesAtOnceOfEveryOperation sends each operation that changes an account, a
// line, a balance, a webhook or who acts for an account 24 times at the same time under one key: it runs once.
func TestRetriesAtOnceOfEveryOperation(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		admin := srv.Admin(t)
		master := admin.Master(t, "100")
		r := master.Reseller(t, "20")
		official, trial, gone := r.Official(t), r.Trial(t), r.Trial(t)
		hook, key, member := master.MakeWebhook(t, nil).ID(), master.MakeKey(t, nil).ID(), master.MakeMember(t, nil).ID()
		movements := func() string { return fmt.Sprint(admin.Get(t, "/ledger/proof").Fields["movements"]) }
		for _, c := range []struct {
			operation
			moves   int    // movements that it makes
			credits string // of the reseller, after it
		}{
			{api.Op("POST", api.Path("/users", r.ID, "/credits/reclaim"), fields{"credits": 4, "notes": "once"}), 1, "15.5"},
			{api.Op("PATCH", api.Path("/users/credits", r.ID), fields{"credits": 3, "notes": "once"}), 1, "18.5"},
			{api.Op("PATCH", api.Path("/lines/extend", official.ID), fields{"credits": 2}), 1, "16.5"},
			{api.Op("PATCH", api.Path("/lines/active", trial.ID), trial.Activation(1)), 1, "15.5"},
			{api.Op("POST", "/users", api.NewReseller(fields{"credits": 2})), 1, "15.5"},
			{api.Op("POST", "/lines/test", fields{}), 0, "15.5"},
			{api.Op("PATCH", api.Path("/lines", official.ID), official.Edit()), 0, "15.5"},
			{api.Op("PUT", api.Path("/users", r.ID, "/block"), nil), 0, "15.5"},
			{api.Op("DELETE", api.Path("/users", r.ID, "/block"), nil), 0, "15.5"},
			{api.Op("PATCH", api.Path("/users", r.ID), api.With(r.Update(), fields{"notes": "once"})), 0, "15.5"},
			{api.Op("DELETE", api.Path("/lines", gone.ID), nil), 0, "15.5"},
			{api.Op("PUT", api.Path("/users", r.ID, "/alerts"), fields{"balance_low": "20"}), 0, "15.5"},
			{api.Op("POST", "/webhooks", api.NewWebhook(nil)), 0, "15.5"},
			{api.Op("POST", api.Path("/webhooks", hook, "/rotate"), nil), 0, "15.5"},
			{api.Op("DELETE", api.Path("/webhooks", hook), nil), 0, "15.5"},
			{api.Op("POST", "/keys", api.NewKey(nil)), 0, "15.5"},
			{api.Op("PATCH", api.Path("/keys", key), fields{"role": "cashier"}), 0, "15.5"},
			{api.Op("DELETE", api.Path("/keys", key), nil), 0, "15.5"},
			{api.Op("POST", "/staff", api.NewMember(nil)), 0, "15.5"},
			{api.Op("PATCH", api.Path("/staff", member), fields{"password": "another password"}), 0, "15.5"},
			{api.Op("DELETE", api.Path("/staff", member), nil), 0, "15.5"},
		} {
			t.Run(c.Method+" "+c.Path, func(t *testing.T) {
				before, _ := strconv.Atoi(movements())
				under := api.Unique("at-once")
				answers := make([]answer, 24)
				api.AtOnce(len(answers), func(i int) { answers[i] = c.By(t, master.Caller, "Idempotency-Key", under) })
				firsts, first := 0, answers[0]
				for _, a := range answers {
					if a.Header.Get("Idempotency-Replayed") == "" {
						firsts, first = firsts+1, a
					}
					if a.Status >= 300 || a.Status != answers[0].Status || !bytes.Equal(a.Body, answers[0].Body) {
						t.Errorf("answers differ: %d %s and %d %s", a.Status, a.Body, answers[0].Status, answers[0].Body)
					}
				}
				if firsts != 1 {
					t.Errorf("%d of 24 retries took effect, want 1", firsts)
				}
				if got := movements(); got != strconv.Itoa(before+c.moves) {
					t.Errorf("there are %s movements, want %d more than %d", got, c.moves, before)
				}
				admin.Get(t, api.Path("/users", r.ID)).Has(fields{"credits": c.credits})
				// Long after, it still has no further effect.
				c.By(t, master.Caller, "Idempotency-Key", under).Same(first)
				admin.Get(t, api.Path("/users", r.ID)).Has(fields{"credits": c.credits})
			})
		}
		if got := master.Get(t, api.Path("/users", r.ID, "/ledger")).List()[0].Text("kind"); got != "activation" {
			t.Errorf("the newest entry is of kind %s, want activation", got)
		}
		srv.stopAndAudit(t)
	})
}

func TestReplayAfterRestart(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		create := api.NewReseller(fields{"credits": "5"})
		created := srv.Admin(t).Send(t, "POST", "/users", create, "Idempotency-Key", "create").Is(201)
		topUp := func() answer {
			return srv.Admin(t).Fund(t, created.ID(), 1, "Idempotency-Key", "top-up")
		}
		first := topUp().Is(200)
		srv.restart(t)
		topUp().Same(first)
		srv.Admin(t).Send(t, "POST", "/users", create, "Idempotency-Key", "create").Same(created)
		srv.Admin(t).Fund(t, created.ID(), 1).Is(200).Has(fields{"credits": 7})
	})
}
