package acceptance

import (
	"fmt"
	"maps"
	"testing"

	"resellerd/test/api"
)

func TestReadAccounts(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		admin := srv.Admin(t)
		full := api.NewReseller(fields{
			"username": api.Unique("Read"), "is_master": 1, "credits": "12.50", "whatsapp": "+55", "telegram": "@read", "language": "pt-BR",
			"country": "Brasil", "email": "read@example.com", "notes": "two\nlines",
		})
		created := admin.Send(t, "POST", "/users", full).Is(201)
		want := api.With(created.Fields, fields{"recharge": created.Text("createdAt")})
		delete(want, "password")
		at := api.Path("/users", created.ID())
		admin.Get(t, at).Exactly(want)
		r := api.Reseller{Caller: srv.Nobody(), ID: created.ID(), Username: created.Text("username"), Password: "a reseller's password"}.Login(t)
		r.Get(t, at).Exactly(want)
		r.Get(t, "/users/logged").Exactly(want)
		if got := r.Get(t, "/users").List(); len(got) != 1 {
			t.Errorf("it sees %d accounts, want itself", len(got))
		} else {
			got[0].Exactly(want)
		}

		funded := admin.Fund(t, r.ID, "0.0001").Is(200)
		want = api.With(want, fields{"credits": "12.5001", "recharge": funded.Text("recharge"), "updatedAt": funded.Text("recharge")})
		r.Get(t, at).Exactly(want)
		r.Send(t, "PATCH", at, api.With(r.Update(), fields{"telegram": nil, "email": nil, "notes": nil, "country": "PT"})).Is(200)
		want = api.With(want, fields{"telegram": nil, "email": nil, "notes": nil, "country": "PT", "whatsapp": "+55", "updatedAt": api.ISO})
		r.Get(t, at).Exactly(want)

		unset := r.Reseller(t, "0")
		unset.Get(t, "/users/logged").Exactly(fields{
			"id": unset.ID, "username": unset.Username, "is_master": 0, "credits": "0", "country": "BR", "whatsapp": nil, "telegram": nil,
			"master": r.ID, "recharge": api.ISO, "status": 1, "is_admin": 0, "language": "en", "createdAt": api.ISO, "updatedAt": api.ISO, "token": nil,
			"notes": nil, "trash": 0, "active_tree": 1, "block_reseller": 0, "email": nil,
		})
		self := admin.Get(t, "/users/logged").Exactly(fields{
			"id": 1, "username": api.AdminName, "is_master": 1, "credits": "0", "country": "ZZ", "whatsapp": nil, "telegram": nil,
			"master": 0, "recharge": api.ISO, "status": 1, "is_admin": 1, "language": "en", "createdAt": api.ISO, "updatedAt": api.ISO, "token": nil,
			"notes": nil, "trash": 0, "active_tree": 1, "block_reseller": 0, "email": nil,
		})
		admin.Get(t, "/users/1").Exactly(api.With(self.Fields, fields{"updatedAt": api.ISO})) // it is shared, and others change it
	})
}

func TestReadLines(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		master := sharedServer(t, s).Admin(t).Master(t, "10")
		r := master.Reseller(t, "10")
		trial := r.Send(t, "POST", "/lines/test", fields{"notes": "kept"}).Is(201)
		l := trial.Line()
		at := api.Path("/lines", l.ID)
		read := func(want fields) {
			t.Helper()
			for _, by := range []caller{r.Caller, master.Caller} {
				by.Get(t, at).Exactly(want)
				listed := by.Get(t, fmt.Sprintf("/lines?owner=%d", r.ID)).List()
				if len(listed) != 1 {
					t.Errorf("%d lines, want 1", len(listed))
					continue
				}
				shown := maps.Clone(want)
				delete(shown, "password")
				listed[0].Exactly(shown)
			}
		}
		want := maps.Clone(trial.Fields)
		delete(want, "code")
		read(want)
		activated := r.Send(t, "PATCH", api.Path("/lines/active", l.ID), api.With(l.Activation(1), fields{"password": "chosen", "whatsapp": "+55"})).Is(201)
		read(activated.Fields)
		master.Send(t, "PATCH", at, api.With(l.Edit(), fields{"password": "edited", "notes": nil, "country": "PT"})).Is(200)
		read(api.With(activated.Fields, fields{"password": "edited", "notes": nil, "country": "PT", "whatsapp": "+55", "updated": 1, "updatedAt": api.ISO}))
		extended := r.Extend(t, l.ID, 2).Is(200)
		read(extended.Fields)
		r.Send(t, "DELETE", at, nil).Is(200)
		r.Send(t, "GET", at, nil).Refused(404, "not-found")
		if got := r.Get(t, "/lines").IDs(); len(got) > 0 {
			t.Errorf("after the deletion the lines %v are listed", got)
		}
	})
}
