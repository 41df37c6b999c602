package acceptance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
)

// TestKeysOfAnAccount are made, used, limited and revoked, and are after a restart what they were before.
func TestKeysOfAnAccount(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		again := func() {
			if s.durable {
				srv.restart(t)
			}
		}
		master := srv.Admin(t).Master(t, "100")
		below := master.Reseller(t, "0")
		made := master.MakeKey(t,
			fields{"name": "till", "role": "manager", "spend_limit": fields{"credits": 10, "per": "day"},
				"allowed_addresses": []string{"127.0.0.1"}}, "Idempotency-Key", "till")
		at := api.Path("/keys", made.ID())
		ask := func() caller { return srv.As(made.Text("key")) } // wherever the server is now
		again()
		master.On(srv.Service).MakeKey(t,
			fields{"name": "till", "role": "manager", "spend_limit": fields{"credits": 10, "per": "day"},
				"allowed_addresses": []string{"127.0.0.1"}}, "Idempotency-Key", "till").Same(made)
		l := ask().Trial(t)
		ask().Activate(t, l, 3).Is(201).Has(fields{"owner": master.ID})
		ask().Fund(t, below.ID, 5).Is(200)
		ask().Extend(t, l.ID, 3).Refused(429, "spend-limit-reached").Has(fields{"limit": "10", "spent": "8", "required": "3"})
		ask().Send(t, "GET", "/keys", nil).Refused(403, "insufficient-scope").Has(fields{"required_scope": "manage"})
		used := master.On(srv.Service).Get(t, at).Has(fields{"spent": "8", "last_used_address": "127.0.0.1"})
		again()
		kept := master.On(srv.Service).Get(t, at)
		kept.Has(fields{"spent": "8", "spend_limit": used.Fields["spend_limit"], "allowed_addresses": []any{"127.0.0.1"},
			"created_at": used.Fields["created_at"]})
		ask().Extend(t, l.ID, 3).Refused(429, "spend-limit-reached")

		// At once none of many spends what another has spent.
		answers := make([]answer, 12)
		api.AtOnce(len(answers), func(i int) { answers[i] = ask().Extend(t, l.ID, "0.5") })
		if got := api.Count(answers); got[200] != 4 || got[429] != 8 {
			t.Errorf("12 requests at once for 2 credits ended in %v", got)
		}
		master.On(srv.Service).Get(t, at).Has(fields{"spent": "10"})

		// Nor do many at once make more keys than there may be, or use the name of one of the staff twice.
		others := make([]answer, 12)
		name := api.Unique("clerk")
		api.AtOnce(len(others), func(i int) {
			by := master.On(srv.Service)
			switch i % 3 {
			case 0:
				others[i] = by.Send(t, "POST", "/keys", api.NewKey(nil))
			case 1:
				others[i] = by.Send(t, "POST", "/staff", api.NewMember(fields{"username": name}))
			default:
				others[i] = by.Send(t, "POST", "/users", api.NewReseller(fields{"username": strings.ToUpper(name)}))
			}
		})
		if got := api.Count(others); got[201] != 5 || got[409] != 7 {
			t.Errorf("12 at once ended in %v, want 4 keys and one of a name", got)
		}

		// While it is revoked it is used: it works, and then never again.
		var worked, dead int
		asked := make([]answer, 12)
		api.AtOnce(len(asked), func(i int) {
			if i == 6 {
				asked[i] = master.On(srv.Service).Send(t, "DELETE", at, nil)
			} else {
				asked[i] = ask().Send(t, "POST", "/lines/test", nil)
			}
		})
		for i, a := range asked {
			switch {
			case i == 6:
				a.Is(200)
			case a.Status == 201:
				worked++
			default:
				a.Refused(401, "key-revoked")
				dead++
			}
		}
		t.Logf("beside its revocation it worked %d times, and was dead %d times", worked, dead)
		for range 2 {
			ask().Send(t, "GET", "/lines", nil).Refused(401, "key-revoked")
			master.On(srv.Service).Send(t, "GET", at, nil).Refused(404, "not-found")
			again()
		}
		srv.stopAndAudit(t)
	})
}

// TestPrincipalsOnTwoProcesses are on one what the other has made of them, at their next request.
func TestPrincipalsOnTwoProcesses(t *testing.T) {
	forEachDurableStore(t, func(t *testing.T, s store) {
		all := startServers(t, s, 2)
		one, two := all[0], all[1]
		master := one.Admin(t).Master(t, "100")
		below := master.Reseller(t, "0")
		there := func(by caller) caller { return by.On(two.Service) }
		for range 8 {
			made := master.MakeKey(t, fields{"role": "manager"})
			key, at := one.As(made.Text("key")), api.Path("/keys", made.ID())
			body := api.NewMember(fields{"role": "manager"})
			member := api.Path("/staff", master.Send(t, "POST", "/staff", body).Is(201).ID())
			clerk := two.SignIn(t, body["username"].(string), body["password"].(string))
			for _, by := range []caller{key, clerk} { // both processes know both
				by.On(one.Service).Get(t, "/lines")
				there(by).Trial(t)
			}

			there(master.Caller).Send(t, "PATCH", at, fields{"scopes": []string{"lines:read"}}).Is(200)
			there(master.Caller).Send(t, "PATCH", member, fields{"scopes": []string{"lines:read"}}).Is(200)
			for _, by := range []caller{key, clerk.On(one.Service)} {
				by.Send(t, "POST", "/lines/test", nil).Refused(403, "insufficient-scope")
				by.Get(t, "/lines")
			}
			master.Block(t, below.ID).Is(200) // others are none of their business
			master.Unblock(t, below.ID).Is(200)

			there(master.Caller).Send(t, "DELETE", at, nil).Is(200)
			key.Send(t, "GET", "/lines", nil).Refused(401, "key-revoked")
			there(key).Send(t, "GET", "/lines", nil).Refused(401, "key-revoked")
			master.Send(t, "DELETE", member, nil).Is(200)
			there(clerk).Send(t, "GET", "/lines", nil).SessionEnded()
			clerk.On(one.Service).Send(t, "POST", "/lines/test", nil).SessionEnded()
		}
		stopAndAudit(t, all)
	})
}

// TestACodeIsGoodOnceAtOnce lets one of many in that come with the same code, on whatever process.
func TestACodeIsGoodOnceAtOnce(t *testing.T) {
	onOneAndOnTwo(t, func(t *testing.T, all []*server) {
		owner := all[0].Admin(t).Reseller(t, "5")
		body := api.NewMember(nil)
		owner.Send(t, "POST", "/staff", body).Is(201)
		for _, p := range []struct{ username, password string }{{owner.Username, owner.Password},
			{body["username"].(string), body["password"].(string)}} {
			in := all[0].SignIn(t, p.username, p.password)
			secret, recovery := in.HaveFactor(t, p.password, time.Now().Add(-30*time.Second))
			for _, code := range []string{api.Code(t, secret, time.Now()), recovery[0]} {
				before := len(in.Get(t, "/auth/sessions").List())
				answers := make([]answer, 8)
				api.AtOnce(len(answers), func(i int) {
					answers[i] = all[i%len(all)].Nobody().Send(t, "POST", "/auth/session",
						fields{"username": p.username, "password": p.password, "totp": code})
				})
				if got := api.Count(answers); got[201] != 1 || got[401]+got[429] != 7 { // too many of them failed
					t.Errorf("8 with one code at once ended in %v, want one of 201", got)
				}
				if more := len(in.Get(t, "/auth/sessions").List()) - before; more != 1 {
					t.Errorf("they began %d sessions", more)
				}
			}
		}
	})
}

// TestWrongCodesOfAllAddresses are 20 in an hour, on all processes together, however many are given at once. They do
// not stop a recovery code.
func TestWrongCodesOfAllAddresses(t *testing.T) {
	onOneAndOnTwo(t, func(t *testing.T, all []*server) {
		r := all[0].Admin(t).Reseller(t, "5")
		secret, recovery := r.SignIn(t).HaveFactor(t, r.Password, time.Now().Add(-30*time.Second))
		addresses := 0
		signIn := func(i int, code string) answer {
			from := []string{"X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", i/200, i%200)}
			return all[i%len(all)].Nobody().Send(t, "POST", "/auth/session",
				fields{"username": r.Username, "password": r.Password, "totp": code}, from...)
		}
		wrong := 0
		for refused := false; !refused; addresses += 24 { // until none of them is looked at; some find the logins busy
			answers := make([]answer, 24)
			api.AtOnce(len(answers), func(i int) { answers[i] = signIn(addresses+i, "000000x") })
			wrong += api.Count(answers)[401]
			refused = !slices.ContainsFunc(answers, func(a answer) bool { return a.Fields["code"] != "too-many-attempts" })
		}
		if wrong != 20 {
			t.Errorf("%d wrong codes were looked at, want 20", wrong)
		}
		signIn(addresses, api.Code(t, secret, time.Now())).Refused(429, "too-many-attempts")
		signIn(addresses+1, recovery[0]).Is(201)
	})
}

// TestSecondFactors are asked for by the whole program, also after a restart, and reset by those above.
func TestSecondFactors(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store) {
		srv := startServer(t, s, nil)
		r := srv.Admin(t).Master(t, "5")
		body := api.NewMember(fields{"role": "support"})
		member := r.Send(t, "POST", "/staff", body).Is(201).ID()
		people := []struct{ username, password, path string }{
			{r.Username, r.Password, api.Path("/users", r.ID, "/totp")},
			{body["username"].(string), body["password"].(string), api.Path("/staff", member, "/totp")},
		}
		for i, p := range people {
			signIn := func(code any) answer {
				return srv.Nobody().Send(t, "POST", "/auth/session",
					fields{"username": p.username, "password": p.password, "totp": code})
			}
			in := srv.BySession(signIn(nil).Is(201))
			secret, recovery := in.HaveFactor(t, p.password, time.Now().Add(-30*time.Second))
			signIn(nil).Refused(401, "totp-required")
			code := api.Code(t, secret, time.Now())
			signIn(code).Is(201)
			signIn(code).Refused(401, "invalid-credentials")
			signIn(recovery[0]).Is(201)
			if s.durable {
				srv.restart(t)
			}
			signIn(nil).Refused(401, "totp-required")
			signIn(code).Refused(401, "invalid-credentials")
			signIn(recovery[0]).Refused(401, "invalid-credentials")
			in = srv.BySession(signIn(recovery[1]).Is(201))
			in.Send(t, "DELETE", "/auth/totp", fields{"password": p.password, "totp": recovery[2]}).Is(200)
			signIn(nil).Is(201)

			secret, _ = in.HaveFactor(t, p.password, time.Now().Add(-30*time.Second))
			by := []caller{srv.Admin(t), r.On(srv.Service).Caller}[i]
			by.Send(t, "DELETE", p.path, nil).Is(200)
			signIn(nil).Is(201)
			in.Send(t, "DELETE", "/auth/totp", fields{"password": p.password, "totp": api.Code(t, secret, time.Now())}).Refused(
				409, "totp-inactive")
		}
		srv.stopAndAudit(t)
	})
}

// TestADayOfAShop has its owner, a cashier who may spend 10 credits a day, and a bot that reads work for a day of a
// sandbox, hour by hour. The journal tells who did what.
func TestADayOfAShop(t *testing.T) {
	t.Parallel()
	p, srv := startSandbox(t)
	admin := srv.As(srv.Login(t, "admin", "sandbox-admin"))
	status, now, _ := setClock(t, srv, admin.Token, `{"forward":"1ms"}`)
	began, err := time.Parse(time.RFC3339, now)
	if status != 200 || err != nil {
		t.Fatalf("the clock shows %q (%d, %v)", now, status, err)
	}
	midnight := began.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	is := func(hour float64) {
		t.Helper()
		to := midnight.Add(time.Duration(hour * float64(time.Hour))).Format(api.ISOMillis)
		if status, _, code := setClock(t, srv, admin.Token, `{"to":"`+to+`"}`); status != 200 {
			t.Fatalf("it does not become %s: %d %s", to, status, code)
		}
	}
	is(0)
	owner := admin.Master(t, "100")
	cashier := api.NewMember(fields{"role": "cashier", "spend_limit": fields{"credits": "10", "per": "day"}})
	person := owner.Send(t, "POST", "/staff", cashier).Is(201)
	program := owner.MakeKey(t, fields{"name": "figures"})
	bot := srv.As(program.Text("key"))
	spent := func(want string) {
		t.Helper()
		owner.Get(t, api.Path("/staff", person.ID())).Has(
			fields{"spent": want, "resets_at": midnight.Add(24 * time.Hour).Format(api.ISOMillis)})
	}

	is(8.9)
	till := srv.SignIn(t, cashier["username"].(string), cashier["password"].(string))
	sold := 0
	for hour := 9; hour < 19; hour++ {
		is(float64(hour))
		l := till.Trial(t)
		till.Activate(t, l, 1).Is(201).Has(fields{"owner": owner.ID, "password": l.Password})
		sold++
		spent(fmt.Sprint(sold))
		for _, path := range []string{"/lines", api.Path("/lines", l.ID), "/reports/summary",
			api.Path("/users", owner.ID, "/balance"), api.Path("/users", owner.ID, "/ledger"), "/events?order=desc"} {
			bot.Get(t, path)
		}
		bot.Get(t, api.Path("/lines", l.ID)).Has(fields{"password": nil})
		bot.Send(t, "DELETE", api.Path("/lines", l.ID), nil).Refused(403, "insufficient-scope")
		bot.Send(t, "POST", "/lines/test", nil).Refused(403, "insufficient-scope")
		if hour == 15 {
			owner.Activate(t, owner.Trial(t), 10).Is(201)
		}
	}
	last := till.Trial(t)
	over := till.Activate(t, last, "0.5").Refused(429, "spend-limit-reached")
	if over.Has(fields{"limit": "10", "spent": "10", "required": "0.5"}); over.Header.Get("Retry-After") != "21600" &&
		over.Header.Get("Retry-After") != "21599" {
		t.Errorf("Retry-After at 18:00 is %s", over.Header.Get("Retry-After"))
	}
	till.Send(t, "DELETE", api.Path("/lines", last.ID), nil).Refused(403, "insufficient-scope").Has(
		fields{"required_scope": "lines:delete"})
	till.Send(t, "GET", "/keys", nil).Refused(403, "insufficient-scope")
	is(23.9)
	once := []string{"Idempotency-Key", "the-last-of-the-day"}
	till.Activate(t, last, "0.5", once...).Refused(429, "spend-limit-reached")
	is(24)
	begun := till.Activate(t, last, "0.5", once...).Is(201).Replayed(false) // what was refused is not kept under a key
	till.Activate(t, last, "0.5", once...).Same(begun)
	owner.Get(t, api.Path("/staff", person.ID())).Has(fields{"spent": "0.5"})
	owner.Send(t, "DELETE", api.Path("/staff", person.ID()), nil).Is(200)
	till.Send(t, "GET", "/lines", nil).SessionEnded()

	// Who did what, of all that happened.
	did := map[string]int{}
	for _, e := range owner.Get(t, fmt.Sprintf("/events?limit=500&account=%d", owner.ID)).List() {
		actor, _ := e.Fields["actor"].(map[string]any)
		id := ""
		if actor["id"] != nil {
			id = "(" + fmt.Sprint(actor["id"]) + ")"
		}
		did[fmt.Sprint(actor["kind"], id, " ", e.Fields["type"])]++
	}
	clerk := fmt.Sprintf("staff(%d)", person.ID())
	want := map[string]int{
		"token reseller.created": 1, "token staff.created": 1, "token key.created": 1, "token line.trial_created": 1,
		"token line.activated": 1, "token staff.removed": 1,
		clerk + " session.started": 1, clerk + " line.trial_created": 11, clerk + " line.activated": 11,
	}
	if fmt.Sprint(did) != fmt.Sprint(want) {
		t.Errorf("the journal tells of\n%v, want\n%v", did, want)
	}
	summary := owner.Get(t, "/reports/summary?days=2").Fields["days"].([]any)
	var days []string
	for _, day := range summary {
		d, _ := day.(map[string]any)
		days = append(days, fmt.Sprint(d["activations"].(json.Number), " for ", d["spent"]))
	}
	if !slices.Equal(days, []string{"11 for 20", "1 for 0.5"}) && !slices.Equal(days, []string{"1 for 0.5", "11 for 20"}) {
		t.Errorf("the days had %q", days)
	}
	owner.Get(t, api.Path("/keys", program.ID())).Has(fields{"spent": "0", "spend_limit": nil})
	owner.Get(t, "/users/logged").Has(fields{"credits": "79.5"})
	admin.Get(t, "/ledger/proof").Has(fields{"balanced": true})
	if status := p.Terminate(); status != 0 {
		t.Errorf("SIGTERM ended it with status %d", status)
	}
}
