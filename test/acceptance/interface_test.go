package acceptance

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const isoMillis = "2006-01-02T15:04:05.000Z"

var (
	iso       = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	generated = regexp.MustCompile(`^[a-z0-9]{12}$`)
	anything  = regexp.MustCompile(`.`)
)

// instant returns a field that is an ISO 8601 timestamp.
func (a answer) instant(name string) time.Time {
	a.t.Helper()
	at, err := time.Parse(isoMillis, a.text(name))
	if err != nil {
		a.t.Errorf("%s: %s: %v", a.request, name, err)
	}
	return at
}

func TestToken(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).reseller(t, "0")
		body := fields{"username": r.username, "password": r.password}
		first := srv.nobody().send(t, "POST", "/auth/static-token", body).is(200).exactly(fields{"status": 200, "token": anything})
		for _, again := range []struct {
			name    string
			body    fields
			headers []string
		}{
			{"the same request", body, nil},
			{"with an API key in Authorization", body, []string{"Authorization", "some-api-key"}},
			{"with a bad token in Authorization", body, []string{"Authorization", "Bearer nonsense"}},
			{"with a key that no other operation takes", body, []string{"Idempotency-Key", "spaces are bad"}},
			{"with the name in another case", fields{"username": strings.ToUpper(r.username), "password": r.password}, nil},
		} {
			a := srv.nobody().send(t, "POST", "/auth/static-token", again.body, again.headers...).is(200).replayed(false)
			if a.text("token") != first.text("token") {
				t.Errorf("%s: got another token", again.name)
			}
		}
		if other := srv.admin(t).reseller(t, "0"); other.token == r.token {
			t.Error("two accounts have the same token")
		}
	})
}

func TestCreateReseller(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		creator := srv.admin(t).master(t, "1000")
		full := fields{
			"username":  unique("Full"),
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
		a := creator.send(t, "POST", "/users", full).is(201)
		a.exactly(fields{
			"id": a.id(), "username": full["username"], "password": "pass word 1", "is_master": 1, "credits": "12.5",
			"country": "Brasil", "whatsapp": "+55 11 91234-5678", "telegram": "@full", "master": creator.id,
			"recharge": a.instant("createdAt").Format("1/2/2006, 3:04:05 PM"), "status": 1, "is_admin": 0,
			"language": "pt-BR", "createdAt": iso, "updatedAt": iso, "token": nil, "notes": "two\nlines",
			"trash": 0, "active_tree": 1, "block_reseller": 0, "email": "full@example.com",
		})
		if a.text("createdAt") != a.text("updatedAt") {
			t.Errorf("createdAt and updatedAt differ: %s", a.body)
		}

		unset := fields{"language": "en", "whatsapp": nil, "telegram": nil, "notes": nil, "email": nil, "is_master": 0}
		optional := []string{"whatsapp", "telegram", "language", "email", "notes"}
		creator.send(t, "POST", "/users", newReseller(nil)).is(201).has(unset)
		for _, empty := range []any{nil, "", "   "} {
			body := newReseller(nil)
			for _, name := range optional {
				body[name] = empty
			}
			creator.send(t, "POST", "/users", body).is(201).has(unset)
		}

		for _, c := range []struct {
			given any
			shown string
		}{
			{"0", "0"},
			{0, "0"},
			{json.RawMessage("-0"), "0"},
			{"0.50", "0.5"},
			{json.RawMessage("1.00000"), "1"},
			{json.RawMessage("1e2"), "100"},
			{"1.5E1", "15"},
			{json.RawMessage("0.0001"), "0.0001"},
			{json.RawMessage("10.1000"), "10.1"},
		} {
			creator.send(t, "POST", "/users", newReseller(fields{"credits": c.given})).is(201).has(fields{"credits": c.shown})
		}
		creator.send(t, "POST", "/users", newReseller(fields{"unknown": fields{"any": "thing"}, "id": 1, "status": "x"})).is(201)
	})
}

func TestUpdateReseller(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).create(t, fields{"telegram": "@first", "email": "first@example.com", "notes": "first"})
		at := path("/users", r.id)
		body := fields{"username": unique("Renamed"), "password": "another password", "country": "PT", "whatsapp": " +351 "}
		kept := fields{
			"id": r.id, "username": body["username"], "password": "another password", "country": "PT", "whatsapp": "+351",
			"telegram": "@first", "email": "first@example.com", "notes": "first",
		}
		admin := srv.admin(t)
		admin.send(t, "PATCH", at, body).is(200).exactly(kept)

		set := with(body, fields{"telegram": "@second", "email": "second@example.com", "notes": "second"})
		changed := with(kept, fields{"telegram": "@second", "email": "second@example.com", "notes": "second"})
		admin.send(t, "PATCH", at, set).is(200).exactly(changed)
		admin.send(t, "PATCH", at, body).is(200).exactly(changed)

		cleared := with(kept, fields{"telegram": nil, "email": nil, "notes": nil})
		for _, empty := range []any{nil, "", "  "} {
			admin.send(t, "PATCH", at, set).is(200)
			admin.send(t, "PATCH", at, with(body, fields{"telegram": empty, "email": empty, "notes": empty})).is(200).exactly(cleared)
			admin.send(t, "PATCH", at, body).is(200).exactly(cleared)
		}

		shouted := strings.ToUpper(body["username"].(string))
		admin.send(t, "PATCH", at, with(body, fields{"username": shouted})).is(200).has(fields{"username": shouted})
		srv.login(t, body["username"].(string), "another password")
		srv.nobody().send(t, "POST", "/auth/static-token", fields{"username": r.username, "password": "another password"}).
			refused(401, "invalid-credentials")
		admin.create(t, fields{"username": r.username}) // the name that was given up
	})
}

func with(base, changes fields) fields {
	all := maps.Clone(base)
	maps.Copy(all, changes)
	return all
}

func TestAddCredits(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).reseller(t, "100")
		at := path("/users/credits", r.id)
		for _, c := range []struct {
			given any
			notes any
			total string
		}{
			{12.5, "invoice 42", "112.5"},
			{"0.50", nil, "113"},
			{json.RawMessage("1e-4"), "", "113.0001"},
			{"1.00000", "two\nlines", "114.0001"},
			{json.RawMessage("999999999.9999"), nil, "1000000114"},
		} {
			a := srv.admin(t).send(t, "PATCH", at, fields{"credits": c.given, "notes": c.notes}).is(200)
			a.exactly(fields{"id": r.id, "username": r.username, "credits": json.Number(c.total), "recharge": iso, "message": anything})
		}
		srv.admin(t).send(t, "PATCH", at, fields{"credits": 1}).is(200).has(fields{"credits": json.Number("1000000115")})
	})
}

func TestGenerateTrial(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).create(t, fields{"country": "Portugal"})
		seen := map[string]bool{}
		for _, c := range []struct {
			body  any
			notes any
		}{
			{nil, nil},
			{"{}", nil},
			{fields{"notes": nil}, nil},
			{fields{"notes": "  "}, nil},
			{fields{"notes": " for a friend "}, "for a friend"},
			{fields{"username": "not taken from here", "expDate": 5}, nil},
		} {
			a := r.send(t, "POST", "/lines/test", c.body).is(201)
			a.exactly(fields{
				"id": a.id(), "username": generated, "password": regexp.MustCompile(`^.{12}$`), "owner": r.id, "expDate": iso,
				"notes": c.notes, "status": 1, "isTrial": 1, "whatsapp": nil, "telegram": nil, "country": "Portugal",
				"email": nil, "idPlatform": nil, "trash": 0, "error_platform": 0, "updated": 0, "migrationUrl": nil,
				"lastTrust": nil, "createdAt": iso, "updatedAt": iso, "code": "201",
			})
			if runs := a.instant("expDate").Sub(a.instant("createdAt")); runs != 4*time.Hour {
				t.Errorf("the trial runs %s, want 4h", runs)
			}
			if a.text("createdAt") != a.text("updatedAt") {
				t.Errorf("createdAt and updatedAt differ: %s", a.body)
			}
			if strings.ContainsAny(a.text("username"), "01ilo") {
				t.Errorf("the name %s has characters that look alike", a.text("username"))
			}
			for _, value := range []string{a.text("username"), a.text("password")} {
				if seen[value] {
					t.Errorf("%s was generated twice", value)
				}
				seen[value] = true
			}
		}
	})
}

func TestTrialSettings(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, map[string]string{"RESELLERD_TRIAL_DURATION": "1ms", "RESELLERD_TRIALS_PER_DAY": "2"})
		r := srv.admin(t).reseller(t, "1")
		other := srv.admin(t).reseller(t, "0")

		a := r.send(t, "POST", "/lines/test", nil).is(201)
		if runs := a.instant("expDate").Sub(a.instant("createdAt")); runs != time.Millisecond {
			t.Errorf("the trial runs %s, want 1ms", runs)
		}
		expired := line{a.id(), a.text("username"), a.text("password")}
		r.send(t, "PATCH", path("/lines/active", expired.id), expired.activation(1)).is(201).has(fields{"status": 1, "isTrial": 0})

		// Neither deletion nor a race gives anything back.
		r.send(t, "DELETE", path("/lines", expired.id), nil).is(200)
		answers := make([]answer, 4)
		atOnce(len(answers), func(i int) { answers[i] = r.send(t, "POST", "/lines/test", nil) })
		if got := count(answers); got[201] != 1 || got[429] != 3 {
			t.Errorf("with 1 trial left 4 requests at once ended in %v", got)
		}
		r.send(t, "POST", "/lines/test", nil).refused(429, "trial-allowance-spent")
		other.send(t, "POST", "/lines/test", nil).is(201)
	})
}

func TestActivateLine(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := sharedServer(t, s)
		r := srv.admin(t).create(t, fields{"credits": "100", "country": "Portugal"})
		platforms := map[any]bool{}
		days := func(n int) func(time.Time) time.Time {
			return func(from time.Time) time.Time { return from.Add(time.Duration(n) * 24 * time.Hour) }
		}
		for _, c := range []struct {
			credits any
			ends    func(time.Time) time.Time
		}{
			{0.5, days(15)},
			{"0.50", days(15)},
			{1, func(from time.Time) time.Time { return monthsAfter(from, 1) }},
			{json.RawMessage("2.0"), func(from time.Time) time.Time { return monthsAfter(from, 2) }},
			{"3", func(from time.Time) time.Time { return monthsAfter(from, 3) }},
			{json.RawMessage("5e0"), days(180)},
			{10, days(360)},
		} {
			trial := r.send(t, "POST", "/lines/test", fields{"notes": "kept"}).is(201)
			l := line{trial.id(), trial.text("username"), trial.text("password")}
			body := with(l.activation(c.credits), fields{"password": "chosen", "country": "Brasil", "whatsapp": "+55"})
			a := r.send(t, "PATCH", path("/lines/active", l.id), body).is(201)
			a.exactly(fields{
				"id": l.id, "username": l.username, "password": "chosen", "owner": r.id, "expDate": iso, "notes": "kept",
				"status": 1, "isTrial": 0, "whatsapp": "+55", "telegram": nil, "country": "Brasil", "email": nil,
				"idPlatform": a.fields["idPlatform"], "trash": 0, "error_platform": 0, "updated": 0, "migrationUrl": nil,
				"lastTrust": nil, "createdAt": trial.text("createdAt"), "updatedAt": iso,
			})
			if want := c.ends(a.instant("updatedAt")); !a.instant("expDate").Equal(want) {
				t.Errorf("%v credits at %s: expDate %s, want %s", c.credits, a.text("updatedAt"), a.text("expDate"), want)
			}
			if platforms[a.fields["idPlatform"]] {
				t.Errorf("idPlatform %v was given twice", a.fields["idPlatform"])
			}
			platforms[a.fields["idPlatform"]] = true
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
				trial := r.send(t, "POST", "/lines/test", fields{"notes": "old"}).is(201)
				l := line{trial.id(), unique("Chosen"), "chosen"}
				body := with(l.activation(0.5), fields{"notes": c.given, "whatsapp": c.given})
				r.send(t, "PATCH", path("/lines/active", l.id), body).is(201).
					has(fields{"username": l.username, "notes": c.want, "whatsapp": c.want})
			})
		}
	})
}

// monthsAfter is the rule of the calendar: the same day, or the month's last.
func monthsAfter(from time.Time, months int) time.Time {
	to := from.AddDate(0, months, 0)
	for to.Day() != from.Day() && to.Day() < 4 { // it ran over into the month after
		to = to.AddDate(0, 0, -1)
	}
	return to
}

func TestEditLine(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		r := sharedServer(t, s).admin(t).reseller(t, "10")
		l := r.official(t)
		at := path("/lines", l.id)
		body := fields{"username": unique("Edited"), "password": "edited", "whatsapp": " +351 ", "country": "PT", "notes": "first"}
		want := fields{"id": l.id, "username": body["username"], "password": "edited", "whatsapp": "+351", "country": "PT", "notes": "first"}
		r.send(t, "PATCH", at, body).is(200).exactly(want)
		delete(body, "notes")
		r.send(t, "PATCH", at, body).is(200).exactly(want)
		for _, empty := range []any{nil, "", " \n "} {
			r.send(t, "PATCH", at, with(body, fields{"notes": "again"})).is(200).has(fields{"notes": "again"})
			r.send(t, "PATCH", at, with(body, fields{"notes": empty})).is(200).exactly(with(want, fields{"notes": nil}))
			r.send(t, "PATCH", at, body).is(200).exactly(with(want, fields{"notes": nil}))
		}
		shouted := strings.ToUpper(body["username"].(string))
		r.send(t, "PATCH", at, with(body, fields{"username": shouted})).is(200).has(fields{"username": shouted})
	})
}

func TestDeleteLine(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		r := sharedServer(t, s).admin(t).reseller(t, "10")
		official, trial, heir := r.official(t), r.trial(t), r.trial(t)
		for _, l := range []line{official, trial} {
			r.send(t, "DELETE", path("/lines", l.id), nil).is(200).exactly(fields{"status": 200, "message": anything})
			r.send(t, "DELETE", path("/lines", l.id), nil).refused(404, "not-found")
			r.send(t, "PATCH", path("/lines", l.id), l.edit()).refused(404, "not-found")
			r.send(t, "PATCH", path("/lines/active", l.id), l.activation(1)).refused(404, "not-found")
		}
		r.send(t, "PATCH", path("/lines/active", heir.id), with(heir.activation(1), fields{"username": official.username})).
			is(201).has(fields{"username": official.username})
	})
}

// TestNames shows how names of lines and of resellers are compared: each among
// their own, whatever their case.
func TestNames(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		admin := sharedServer(t, s).admin(t)
		name := unique("Ärger")
		r := admin.create(t, fields{"username": name, "credits": "10"})
		for _, same := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			admin.send(t, "POST", "/users", newReseller(fields{"username": same})).refused(409, "username-taken")
		}
		l, other := r.trial(t), r.trial(t)
		r.send(t, "PATCH", path("/lines/active", l.id), with(l.activation(1), fields{"username": name})).is(201).has(fields{"username": name})
		r.send(t, "PATCH", path("/lines/active", other.id), with(other.activation(1), fields{"username": strings.ToLower(name)})).
			refused(409, "username-taken")

		wide := unique("ｗｉｄｅ")
		narrow := strings.NewReplacer("ｗ", "w", "ｉ", "i", "ｄ", "d", "ｅ", "e").Replace(wide)
		admin.send(t, "POST", "/users", newReseller(fields{"username": wide})).is(201).has(fields{"username": narrow})
	})
}

// TestOneNameAtOnce asks for one name many times at the same time: one gets it.
func TestOneNameAtOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		master := sharedServer(t, s).admin(t).master(t, "100")
		expect := func(answers []answer, made int) {
			t.Helper()
			for _, a := range answers {
				if a.status != made {
					a.refused(409, "username-taken")
				}
			}
			if got := count(answers); got[made] != 1 {
				t.Errorf("%d requests for one name at once ended in %v, want one %d", len(answers), got, made)
			}
		}
		answers := make([]answer, 8)
		body := newReseller(fields{"credits": 1})
		atOnce(len(answers), func(i int) { answers[i] = master.send(t, "POST", "/users", body) })
		expect(answers, 201)

		lines := make([]line, len(answers))
		for i := range lines {
			lines[i] = master.trial(t)
		}
		name := fields{"username": unique("contested")}
		atOnce(len(answers), func(i int) {
			answers[i] = master.send(t, "PATCH", path("/lines/active", lines[i].id), with(lines[i].activation(1), name))
		})
		expect(answers, 201)
		if got := master.balance(t, master.reseller(t, "0").id); got != "98" {
			t.Errorf("the master holds %s, want 98: one account of 1 credit and one line", got)
		}
	})
}

func TestHealth(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		nobody := sharedServer(t, s).nobody()
		nobody.send(t, "GET", "/healthz", nil).is(200).exactly(fields{"status": "ok"})
		nobody.send(t, "GET", "/readyz", nil).is(200).exactly(fields{"status": "ready"})
		for _, path := range []string{"/healthz", "/readyz", "/openapi.json"} {
			got, head := nobody.send(t, "GET", path, nil).is(200), nobody.send(t, "HEAD", path, nil).is(200)
			for _, name := range []string{"Content-Type", "Cache-Control"} {
				if got.header.Get(name) != head.header.Get(name) {
					t.Errorf("HEAD %s: %s is %q, to GET %q", path, name, head.header.Get(name), got.header.Get(name))
				}
			}
		}
	})
}

func TestRequestID(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		nobody := sharedServer(t, s).nobody()
		ask := func(id string) string {
			return nobody.send(t, "GET", "/nowhere", nil, "X-Request-Id", id).refused(404, "unknown-route").text("request_id")
		}
		for _, good := range []string{"a", "client-7/9", strings.Repeat("x", 64)} {
			if got := ask(good); got != good {
				t.Errorf("request id %q, sent %q", got, good)
			}
		}
		made := []string{ask(""), ask("")}
		for _, bad := range []string{strings.Repeat("x", 2000), "ü", "a\tb"} {
			made = append(made, ask(bad))
			if slices.Contains(made, bad) {
				t.Errorf("the request id %q was taken over", bad)
			}
		}
		slices.Sort(made)
		if len(slices.Compact(made)) != 5 {
			t.Errorf("request ids that were made are not unique: %q", made)
		}
	})
}
