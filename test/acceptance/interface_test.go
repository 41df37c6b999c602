package acceptance

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	lines "resellerd/domain/line"
	"resellerd/test/api"
)

func TestCreateReseller(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		creator := srv.Admin(t).Master(t, "1000")
		full := fields{
			"username":  api.Unique("Full"),
			"password":  "pass word 1",
			"is_master": 1,
			"credits":   "12.50",
			"whatsapp":  "  +55 11 91234-5678 ",
			"telegram":  "@full",
			"language":  "pt-BR",
			"country":   " Brasil ",
			"email":     "full@example.com",
			"notes":     " two\nlines ",
		}
		a := creator.Send(t, "POST", "/users", full).Is(201)
		a.Exactly(fields{
			"id": a.ID(), "username": full["username"], "password": "pass word 1", "is_master": 1, "credits": "12.5",
			"country": "Brasil", "whatsapp": "+55 11 91234-5678", "telegram": "@full", "master": creator.ID,
			"recharge": a.Instant("createdAt").Format("1/2/2006, 3:04:05 PM"), "status": 1, "is_admin": 0,
			"language": "pt-BR", "createdAt": api.ISO, "updatedAt": api.ISO, "token": nil, "notes": "two\nlines",
			"trash": 0, "active_tree": 1, "block_reseller": 0, "email": "full@example.com", "block": nil,
		})
		if a.Text("createdAt") != a.Text("updatedAt") {
			t.Errorf("createdAt and updatedAt differ: %s", a.Body)
		}

		unset := fields{"language": "en", "whatsapp": nil, "telegram": nil, "notes": nil, "email": nil, "is_master": 0}
		optional := []string{"whatsapp", "telegram", "language", "email", "notes"}
		creator.Send(t, "POST", "/users", api.NewReseller(nil)).Is(201).Has(unset)
		for _, empty := range []any{nil, "", "   "} {
			body := api.NewReseller(nil)
			for _, name := range optional {
				body[name] = empty
			}
			creator.Send(t, "POST", "/users", body).Is(201).Has(unset)
		}

		creator.Send(t, "POST", "/users", api.NewReseller(fields{"unknown": fields{"any": "thing"}, "id": 1, "status": "x"})).
			Is(201)
	})
}

func TestUpdateReseller(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.Admin(t).Create(t, fields{"telegram": "@first", "email": "first@example.com", "notes": "first"})
		at := api.Path("/users", r.ID)
		body := fields{"username": api.Unique("Renamed"), "password": "another password", "country": "PT",
			"whatsapp": " +351 "}
		kept := fields{
			"id": r.ID, "username": body["username"], "password": "another password", "country": "PT", "whatsapp": "+351",
			"telegram": "@first", "email": "first@example.com", "notes": "first",
		}
		admin := srv.Admin(t)
		admin.Send(t, "PATCH", at, body).Is(200).Exactly(kept)

		set := api.With(body, fields{"telegram": "@second", "email": "second@example.com", "notes": "second"})
		changed := api.With(kept, fields{"telegram": "@second", "email": "second@example.com", "notes": "second"})
		admin.Send(t, "PATCH", at, set).Is(200).Exactly(changed)
		admin.Send(t, "PATCH", at, body).Is(200).Exactly(changed)

		cleared := api.With(kept, fields{"telegram": nil, "email": nil, "notes": nil})
		for _, empty := range []any{nil, "", "  "} {
			admin.Send(t, "PATCH", at, set).Is(200)
			admin.Send(t, "PATCH", at, api.With(body, fields{"telegram": empty, "email": empty, "notes": empty})).Is(200).
				Exactly(cleared)
			admin.Send(t, "PATCH", at, body).Is(200).Exactly(cleared)
		}

		shouted := strings.ToUpper(body["username"].(string))
		admin.Send(t, "PATCH", at, api.With(body, fields{"username": shouted})).Is(200).Has(fields{"username": shouted})
		srv.Login(t, body["username"].(string), "another password")
		srv.Nobody().Send(t, "POST", "/auth/static-token", fields{"username": r.Username, "password": "another password"}).
			Refused(401, "invalid-credentials")
		admin.Create(t, fields{"username": r.Username}) // the name that was given up
	})
}

func TestChangeContact(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		master := srv.Admin(t).Master(t, "0")
		r := master.Create(t, fields{"telegram": "@first", "email": "first@example.com", "notes": "first", "whatsapp": "1"})
		at, change := api.Path("/users", r.ID), api.Path("/users", r.ID, "/contact")
		want := api.With(master.Get(t, at).Fields, fields{"updatedAt": api.ISO})
		becomes := func(change fields) fields {
			want = api.With(want, change)
			return want
		}
		for _, body := range []any{nil, "{}", fields{"credits": 1, "block_reseller": 1}} {
			master.Send(t, "PATCH", change, body).Is(200).Exactly(want)
		}
		for name, text := range map[string]string{"country": "PT", "whatsapp": "+351", "telegram": "@second",
			"email": "second@example.com", "notes": "two\nlines"} {
			master.Send(t, "PATCH", change, fields{name: "  " + text + " "}).Is(200).Exactly(becomes(fields{name: text}))
			master.Get(t, at).Exactly(want)
		}
		for _, name := range []string{"whatsapp", "telegram", "email", "notes"} {
			for _, empty := range []any{nil, "", "  "} {
				master.Send(t, "PATCH", change, fields{name: "a@example.com"}).Is(200)
				r.Send(t, "PATCH", change, fields{name: empty}).Is(200).Exactly(becomes(fields{name: nil}))
			}
		}
		for _, empty := range []any{nil, "", "  "} {
			master.Send(t, "PATCH", change, fields{"country": empty, "notes": "x"}).Invalid("validation-failed",
				map[string]string{"country": "required"})
		}
		master.Get(t, at).Exactly(want)
		if token := srv.Login(t, r.Username, r.Password); token != r.Token {
			t.Error("another contact has revoked the token")
		}

		keyed := []string{"Idempotency-Key", "contact"}
		first := master.Send(t, "PATCH", change, fields{"notes": "once"}, keyed...).Is(200)
		r.Send(t, "PATCH", change, fields{"notes": "meanwhile"}).Is(200)
		master.Send(t, "PATCH", change, fields{"notes": "once"}, keyed...).Same(first)
		master.Get(t, at).Has(fields{"notes": "meanwhile"})

		master.Block(t, r.ID).Is(200)
		master.Send(t, "PATCH", change, fields{"notes": "did not pay"}).Is(200).Has(
			fields{"notes": "did not pay", "active_tree": 0, "block_reseller": 1})
		srv.Admin(t).Block(t, master.ID).Is(200)
		master.Unblock(t, r.ID).Refused(403, "account-blocked")
		srv.Admin(t).Unblock(t, r.ID).Is(200)
		srv.Admin(t).Send(t, "PATCH", change, nil).Is(200).Has(fields{"active_tree": 0, "block_reseller": 0})
	})
}

func TestTrialSettings(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, map[string]string{"RESELLERD_TRIAL_DURATION": "1ms", "RESELLERD_TRIALS_PER_DAY": "2"})
		r := srv.Admin(t).Reseller(t, "1")
		other := srv.Admin(t).Reseller(t, "0")

		a := r.Send(t, "POST", "/lines/test", nil).Is(201)
		if runs := a.Instant("expDate").Sub(a.Instant("createdAt")); runs != time.Millisecond {
			t.Errorf("the trial runs %s, want 1ms", runs)
		}
		expired := a.Line()
		r.Activate(t, expired, 1).Is(201).Has(fields{"status": 1, "isTrial": 0})

		// Neither deletion nor a race gives anything back.
		r.DeleteLine(t, expired.ID).Is(200)
		answers := make([]answer, 4)
		api.AtOnce(len(answers), func(i int) { answers[i] = r.Send(t, "POST", "/lines/test", nil) })
		if got := api.Count(answers); got[201] != 1 || got[429] != 3 {
			t.Errorf("with 1 trial left 4 requests at once ended in %v", got)
		}
		r.Send(t, "POST", "/lines/test", nil).Refused(429, "trial-allowance-spent")
		other.Send(t, "POST", "/lines/test", nil).Is(201)
	})
}

func TestActivateLine(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.Admin(t).Create(t, fields{"credits": "100", "country": "Portugal"})
		platforms := map[any]bool{}
		texts := fields{}
		for _, m := range new(lines.Known).Texts() {
			texts[m.Name] = nil
		}
		days := func(n int) func(time.Time) time.Time {
			return func(from time.Time) time.Time { return from.Add(time.Duration(n) * 24 * time.Hour) }
		}
		for _, c := range []struct {
			credits any
			ends    func(time.Time) time.Time
		}{
			{0.5, days(15)},
			{"0.50", days(15)},
			{1, func(from time.Time) time.Time { return api.MonthsAfter(from, 1) }},
			{json.RawMessage("2.0"), func(from time.Time) time.Time { return api.MonthsAfter(from, 2) }},
			{"3", func(from time.Time) time.Time { return api.MonthsAfter(from, 3) }},
			{json.RawMessage("5e0"), days(180)},
			{10, days(360)},
		} {
			trial := r.Send(t, "POST", "/lines/test", fields{"notes": "kept"}).Is(201)
			l := trial.Line()
			body := api.With(l.Activation(c.credits), fields{"password": "chosen", "country": "Brasil", "whatsapp": "+55"})
			a := r.Send(t, "PATCH", api.Path("/lines/active", l.ID), body).Is(201)
			a.Exactly(api.With(texts, fields{
				"id": l.ID, "username": l.Username, "password": "chosen", "owner": r.ID, "expDate": api.ISO, "notes": "kept",
				"status": 1, "isTrial": 0, "whatsapp": "+55", "country": "Brasil", "idPlatform": a.Fields["idPlatform"],
				"trash": 0, "error_platform": 0, "updated": 0, "migrationUrl": nil,
				"lastTrust": nil, "createdAt": trial.Text("createdAt"), "updatedAt": api.ISO, "metadata": nil,
				"suspended": false, "suspension_reason": nil, "effective": "running",
			}))
			if want := c.ends(a.Instant("updatedAt")); !a.Instant("expDate").Equal(want) {
				t.Errorf("%v credits at %s: expDate %s, want %s", c.credits, a.Text("updatedAt"), a.Text("expDate"), want)
			}
			if platforms[a.Fields["idPlatform"]] {
				t.Errorf("idPlatform %v was given twice", a.Fields["idPlatform"])
			}
			platforms[a.Fields["idPlatform"]] = true
		}

		for _, c := range []struct {
			name  string
			given any
			want  any
		}{
			{"null clears", nil, nil},
			{"an empty text clears", " ", nil},
			{"a text replaces", " new ", "new"},
		} {
			t.Run(c.name, func(t *testing.T) {
				trial := r.Send(t, "POST", "/lines/test", fields{"notes": "old"}).Is(201)
				l := line{ID: trial.ID(), Username: api.Unique("Chosen"), Password: "chosen"}
				body := api.With(l.Activation(0.5), fields{"notes": c.given, "whatsapp": c.given})
				r.Send(t, "PATCH", api.Path("/lines/active", l.ID), body).Is(201).
					Has(fields{"username": l.Username, "notes": c.want, "whatsapp": c.want})
			})
		}
	})
}

func TestEditLine(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		r := sharedServer(t, s).Admin(t).Reseller(t, "10")
		l := r.Official(t)
		at := api.Path("/lines", l.ID)
		body := fields{"username": api.Unique("Edited"), "password": "edited", "whatsapp": " +351 ", "country": "PT",
			"notes": "first"}
		want := fields{"id": l.ID, "username": body["username"], "password": "edited", "whatsapp": "+351", "country": "PT",
			"notes": "first"}
		r.Send(t, "PATCH", at, body).Is(200).Exactly(want)
		delete(body, "notes")
		r.Send(t, "PATCH", at, body).Is(200).Exactly(want)
		for _, empty := range []any{nil, "", " \n "} {
			r.Send(t, "PATCH", at, api.With(body, fields{"notes": "again"})).Is(200).Has(fields{"notes": "again"})
			r.Send(t, "PATCH", at, api.With(body, fields{"notes": empty})).Is(200).Exactly(api.With(want, fields{"notes": nil}))
			r.Send(t, "PATCH", at, body).Is(200).Exactly(api.With(want, fields{"notes": nil}))
		}
		shouted := strings.ToUpper(body["username"].(string))
		r.Send(t, "PATCH", at, api.With(body, fields{"username": shouted})).Is(200).Has(fields{"username": shouted})
	})
}
