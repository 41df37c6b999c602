package httpapi_test

import (
	"strings"
	"testing"

	"resellerd/test/api"
)

// TestKeysBetweenOperations sends what one operation was asked under a key to the
// others that take the same body, or none: it is another request.
func TestKeysBetweenOperations(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "100")
	r := master.Reseller(t, "10")
	l := r.Official(t)
	for _, pair := range [][2]operation{
		{api.Op("PATCH", api.Path("/users/credits", r.ID), fields{"credits": 1}), api.Op("POST", api.Path("/users", r.ID, "/credits/reclaim"), fields{"credits": 1})},
		{api.Op("PATCH", api.Path("/lines/extend", l.ID), fields{"credits": 1}), api.Op("PATCH", api.Path("/users/credits", r.ID), fields{"credits": 1})},
		{api.Op("PATCH", api.Path("/users", r.ID, "/contact"), fields{"notes": "1"}), api.Op("PATCH", api.Path("/users", master.ID, "/contact"), fields{"notes": "1"})},
		{api.Op("PUT", api.Path("/users", r.ID, "/block"), nil), api.Op("DELETE", api.Path("/users", r.ID, "/block"), nil)},
		{api.Op("DELETE", api.Path("/users", r.ID, "/block"), nil), api.Op("DELETE", api.Path("/lines", l.ID), nil)},
		{api.Op("DELETE", api.Path("/users", r.ID, "/block"), nil), api.Op("DELETE", "/auth/static-token", nil)},
	} {
		key := api.Unique("pair")
		first := pair[0].By(t, master.Caller, "Idempotency-Key", key).Is(200)
		pair[1].By(t, master.Caller, "Idempotency-Key", key).Refused(422, "idempotency-key-reused").Replayed(false)
		pair[0].By(t, master.Caller, "Idempotency-Key", key).Same(first)
	}
	master.Get(t, api.Path("/users", r.ID)).Has(fields{"credits": "9.5", "block_reseller": 0})

	// A block that was lifted is not set again by the repetition of its request.
	block, lift := api.Op("PUT", api.Path("/users", r.ID, "/block"), nil), api.Op("DELETE", api.Path("/users", r.ID, "/block"), nil)
	first := block.By(t, master.Caller, "Idempotency-Key", "block").Is(200)
	lift.By(t, master.Caller).Is(200)
	block.By(t, master.Caller, "Idempotency-Key", "block").Same(first)
	r.Trial(t)

	// Refusals are not recorded: what was missing comes in between.
	extend := api.Op("PATCH", api.Path("/lines/extend", l.ID), fields{"credits": 10})
	extend.By(t, r.Caller, "Idempotency-Key", "cured").Refused(402, "insufficient-credits").Replayed(false)
	master.Fund(t, r.ID, 1).Is(200)
	cured := extend.By(t, r.Caller, "Idempotency-Key", "cured").Is(200).Replayed(false)
	extend.By(t, r.Caller, "Idempotency-Key", "cured").Same(cured)
	reclaim := api.Op("POST", api.Path("/users", r.ID, "/credits/reclaim"), fields{"credits": 1})
	reclaim.By(t, master.Caller, "Idempotency-Key", "cured").Refused(402, "insufficient-credits").Replayed(false)
	master.Fund(t, r.ID, 1).Is(200)
	taken := reclaim.By(t, master.Caller, "Idempotency-Key", "cured").Is(200).Replayed(false)
	reclaim.By(t, master.Caller, "Idempotency-Key", "cured").Same(taken)

	// Reads take no key and ignore one.
	for _, key := range []string{"a b", "cured"} {
		for range 2 {
			r.Send(t, "GET", "/users/logged", nil, "Idempotency-Key", key).Is(200).Replayed(false)
		}
	}
}

func TestKeyOfAnotherRequest(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	master := srv.Admin(t).Master(t, "100")
	r, other := master.Reseller(t, "0"), master.Reseller(t, "0")
	key := []string{"Idempotency-Key", "one-request"}
	first := master.Send(t, "PATCH", api.Path("/users/credits", r.ID), `{"credits":1}`, key...).Is(200)
	for _, c := range []struct {
		name               string
		method, path, body string
	}{
		{"another amount", "PATCH", api.Path("/users/credits", r.ID), `{"credits":2}`},
		{"the same amount in other bytes", "PATCH", api.Path("/users/credits", r.ID), `{"credits": 1}`},
		{"another account", "PATCH", api.Path("/users/credits", other.ID), `{"credits":1}`},
		{"a query", "PATCH", api.Path("/users/credits", r.ID) + "?again", `{"credits":1}`},
		{"another operation", "POST", "/lines/test", `{"credits":1}`},
		{"another method", "DELETE", api.Path("/lines", 1), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			master.Send(t, c.method, c.path, c.body, key...).Refused(422, "idempotency-key-reused").Replayed(false)
		})
	}
	master.Send(t, "PATCH", api.Path("/users/credits", r.ID), `{"credits":1}`, key...).Same(first)
	if got := master.Balance(t, r.ID); got != "99" {
		t.Errorf("the master holds %s, want 99", got)
	}
	// Keys are an account's own.
	srv.Admin(t).Send(t, "PATCH", api.Path("/users/credits", r.ID), `{"credits":1}`, "Idempotency-Key", api.Unique("own")).Is(200).Has(fields{"credits": 2})
	second := srv.Admin(t).Master(t, "5")
	below := second.Reseller(t, "0")
	second.Send(t, "PATCH", api.Path("/users/credits", below.ID), `{"credits":1}`, key...).Is(200).Replayed(false).Has(fields{"credits": 1})
}

func TestRefusalsAreNotRecorded(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0")
	l := r.Trial(t)
	activate := func() answer {
		return r.Activate(t, l, 1, "Idempotency-Key", "activate")
	}
	activate().Refused(402, "insufficient-credits").Replayed(false)
	activate().Refused(402, "insufficient-credits").Replayed(false)
	srv.Admin(t).Fund(t, r.ID, 1).Is(200)
	first := activate().Is(201).Replayed(false)
	activate().Same(first)
	r.DeleteLine(t, l.ID).Is(200)
	activate().Same(first)

	// A refused request leaves its key free for another.
	r.Send(t, "PATCH", api.Path("/lines", l.ID), l.Edit(), "Idempotency-Key", "free").Refused(404, "not-found")
	r.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "free").Is(201).Replayed(false)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	r := serve(t).Admin(t).Reseller(t, "0")
	for _, key := range []string{
		"a b", "ü", `"open`, `open"`, `"a"b"`, `""`, "\"a b\"", "a\tb", strings.Repeat("x", 256), `"` + strings.Repeat("x", 256) + `"`,
	} {
		r.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", key).Refused(400, "bad-idempotency-key")
		r.Send(t, "DELETE", "/lines/1", nil, "Idempotency-Key", key).Refused(400, "bad-idempotency-key")
	}
	for _, key := range []string{"x", "8e03978e-40d5-43dd-bc93-6894a57f9324", strings.Repeat("x", 255), "a,b;c=d/"} {
		first := r.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", key).Is(201).Replayed(false)
		r.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", `"`+key+`"`).Same(first)
	}
	upper := r.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "X").Is(201)
	upper.Replayed(false) // keys are compared with case
}

func TestRevocationBeatsReplay(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	r := srv.Admin(t).Reseller(t, "0")
	trial := r.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "trial").Is(201)
	change := api.With(r.Update(), fields{"password": "another password"})
	changed := r.Send(t, "PATCH", api.Path("/users", r.ID), change, "Idempotency-Key", "password").Is(200)
	r.Send(t, "PATCH", api.Path("/users", r.ID), change, "Idempotency-Key", "password").Refused(401, "invalid-token")
	r.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "trial").Refused(401, "invalid-token")

	renewed := srv.As(srv.Login(t, r.Username, "another password"))
	renewed.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "trial").Same(trial)
	renewed.Send(t, "PATCH", api.Path("/users", r.ID), change, "Idempotency-Key", "password").Same(changed)
}
