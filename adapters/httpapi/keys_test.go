package httpapi_test

import (
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
)

func TestKeyOfAnotherRequest(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "100")
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
		{"another operation with the same body", "POST", api.Path("/users", r.ID, "/credits/reclaim"), `{"credits":1}`},
		{"another method", "DELETE", api.Path("/lines", 1), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			master.Send(t, c.method, c.path, c.body, key...).Refused(422, "idempotency-key-reused").Replayed(false)
		})
	}
	master.Send(t, "PATCH", api.Path("/users/credits", r.ID), `{"credits":1}`, key...).Same(first)
	expect.Equal(t, master.Balance(t, r.ID), "99", "the master holds")
	for _, key := range []string{"a b", "one-request"} { // reads take no key and ignore one
		master.Send(t, "GET", "/users/logged", nil, "Idempotency-Key", key).Is(200).Replayed(false)
	}
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
	srv.Admin(t).Fund(t, r.ID, 1).Is(200)
	first := activate().Is(201).Replayed(false)
	activate().Same(first)
	r.DeleteLine(t, l.ID).Is(200)
	activate().Same(first)

	// A refused request leaves its key free for another.
	r.Send(t, "PATCH", api.Path("/lines", l.ID), l.Edit(), "Idempotency-Key", "free").Refused(404, "not-found")
	r.Send(t, "POST", "/lines/test", nil, "Idempotency-Key", "free").Is(201).Replayed(false)
}
