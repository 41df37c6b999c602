package httpapi_test

import (
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestNoBodyGivesWhatItDoesNotName sends fields of records that no operation takes, and names that others have. What
// masters may do to whom is in TestWhoMayDoWhat, and random histories of all of it in test/simulate.
func TestNoBodyGivesWhatItDoesNotName(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	above := srv.Admin(t).Master(t, "1000")
	sibling := above.Create(t, fields{"username": api.Unique("outside"), "is_master": 1, "credits": "200",
		"notes": "a secret of outside"})
	attacker := above.Master(t, "100")
	minor := attacker.Reseller(t, "5")
	gift := fields{"id": sibling.ID, "master": sibling.ID, "is_admin": 1, "role": "admin", "path": "/1/", "credits": "99",
		"block_reseller": 0, "status": 1, "token": "x"}
	attacker.Send(t, "POST", "/users", api.With(gift, api.NewReseller(fields{"credits": "1"}))).Is(201).
		Has(fields{"master": attacker.ID, "is_admin": 0, "credits": "1", "token": nil})
	attacker.Send(t, "PATCH", api.Path("/users", attacker.ID), api.With(gift, attacker.Update())).Is(200)
	attacker.Send(t, "PATCH", api.Path("/users", attacker.ID, "/contact"), api.With(gift, fields{"notes": "x"})).Is(200)
	attacker.Get(t, "/users/logged").Has(fields{
		"id": attacker.ID, "username": attacker.Username, "master": above.ID, "is_admin": 0, "is_master": 1, "credits": "94",
	})
	attacker.Login(t)
	minor.Send(t, "PATCH", api.Path("/users", minor.ID), api.With(api.With(gift, fields{"is_master": 1}), minor.Update())).
		Is(200)
	minor.Get(t, "/users/logged").Has(fields{"master": attacker.ID, "is_master": 0, "credits": "5"})

	longer := fields{"owner": sibling.ID, "expDate": "2999-01-01T00:00:00.000Z"}
	issued := attacker.Send(t, "POST", "/lines/test", api.With(longer, fields{"isTrial": 0})).Is(201).Has(
		fields{"owner": attacker.ID, "isTrial": 1})
	l := issued.Line()
	bought := attacker.Send(t, "PATCH", api.Path("/lines/active", l.ID),
		api.With(api.With(longer, l.Activation(0.5)), fields{"price": 0, "period": "10 years"})).
		Is(201).Has(fields{"owner": attacker.ID, "isTrial": 0})
	attacker.Send(t, "PATCH", api.Path("/lines", l.ID), api.With(api.With(longer, l.Edit()), fields{"isTrial": 1})).Is(200)
	attacker.Get(t, api.Path("/lines", l.ID)).Has(fields{"owner": attacker.ID, "isTrial": 0,
		"expDate": bought.Text("expDate")})
	expect.Equal(t, bought.Instant("expDate").Year() < 2100, true, "it ends before its buyer said: %s", bought.Body)

	// A name that another has is taken, and that is all that is said of the other.
	for _, a := range []answer{
		attacker.Send(t, "POST", "/users", api.NewReseller(fields{"username": sibling.Username})),
		attacker.Send(t, "PATCH", api.Path("/users", minor.ID),
			api.With(minor.Update(), fields{"username": strings.ToUpper(sibling.Username)})),
	} {
		a.Refused(409, "username-taken")
		expect.Lacks(t, string(a.Body), "outside", "%s", a.Request)
	}
	srv.audit(t)
}
