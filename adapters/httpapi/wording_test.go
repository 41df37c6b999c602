package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"resellerd/adapters/httpapi"
	"resellerd/test/api"
	"resellerd/test/expect"
)

// says expects a sentence in the text of an answer to a request.
func says(t *testing.T, text, sentence string, of ...any) {
	t.Helper()
	expect.Contains(t, text, sentence, "%v", of)
}

// said returns the sentences of a refusal: its detail, and each of its errors after the field that it names.
func said(t *testing.T, a api.Answer) string {
	t.Helper()
	var p struct {
		Detail string
		Errors []struct{ Pointer, Parameter, Detail string }
	}
	must(t, json.Unmarshal(a.Body, &p))
	all := p.Detail
	for _, e := range p.Errors {
		all += "\n" + e.Pointer + e.Parameter + ": " + e.Detail
	}
	return all
}

// TestWrongTypesNameWhatWasSentAndWhatIsWanted for each type of a member, and in nested ones.
func TestWrongTypesNameWhatWasSentAndWhatIsWanted(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	bulk := func(changes fields) fields {
		return api.With(fields{"action": "suspend", "select": fields{"ids": []any{v.Line.ID}}, "dry_run": true}, changes)
	}
	for _, r := range []struct {
		method, path string
		body         any
		want         string
	}{
		{"POST", "/users", api.NewReseller(fields{"username": true}), "/username: This must be a text in quotes, not true."},
		{"POST", "/users", api.NewReseller(fields{"is_master": "0"}),
			"/is_master: This must be the number 0 or 1, not a text in quotes."},
		{"POST", "/users", api.NewReseller(fields{"credits": []int{1}}),
			"/credits: This must be a number, or a text in quotes that holds one, not an array."},
		{"POST", "/lines/test", fields{"metadata": fields{"plan": 5}},
			"/metadata: This must be an object of texts in quotes, not one with a number."},
		{"POST", "/lines/test", fields{"metadata": fields{"plan": nil}},
			"/metadata: This must be an object of texts in quotes, not one with null."},
		{"POST", "/keys", fields{"name": "n", "scopes": "lines:read"},
			"/scopes: This must be an array of texts in quotes, not a text in quotes."},
		{"POST", "/keys", fields{"name": "n", "scopes": []any{"lines:read", true}},
			"/scopes: This must be an array of texts in quotes, not one with true."},
		{"POST", "/keys", fields{"name": "n", "scopes": []any{"lines:sell"}},
			`/scopes: "lines:sell" is no scope. Scopes are lines:read,`},
		{"POST", "/keys", fields{"name": "n", "role": "cashier", "expires_at": 1767139200},
			`/expires_at: This must be a time in quotes, such as "2026-01-31T00:00:00Z", not a number.`},
		{"POST", "/keys", fields{"name": "n", "role": "cashier", "spend_limit": 50},
			"/spend_limit: This must be an object, not a number."},
		{"POST", "/keys", fields{"name": "n", "role": "cashier", "allowed_addresses": []string{"192.0.2.1/33"}},
			`/allowed_addresses: "192.0.2.1/33" is no address and no network.`},
		{"POST", "/bulk", bulk(fields{"dry_run": "true"}), "/dry_run: This must be true or false, not a text in quotes."},
		{"POST", "/bulk", bulk(fields{"select": []int{1}}), "/select: This must be an object, not an array."},
		{"POST", "/bulk", bulk(fields{"select": fields{"ids": 7}}),
			"/select/ids: This must be an array of ids, not a number."},
		{"POST", "/bulk", bulk(fields{"select": fields{"ids": []any{"7"}}}),
			"/select/ids: Each id must be a number of digits, without quotes, sign or leading zero; one is a text in quotes."},
		{"POST", "/bulk", bulk(fields{"select": fields{"filter": fields{"owner": []int{1}}}}),
			"/select/filter/owner: This must be a number, true, false or a text in quotes, not an array."},
		{"POST", "/bulk", bulk(fields{"params": fields{"reason": 5}}),
			"/params/reason: This must be a text in quotes, not a number."},
		{"POST", "/bulk", bulk(fields{"expect": fields{"count": "1", "total": true}}),
			"/expect/count: This must be a number, not a text in quotes.\n/expect/total: This must be a number, or a text"},
	} {
		says(t, said(t, v.Admin.Send(t, r.method, r.path, r.body).Is(422)), r.want, r.method, r.path, r.body)
	}
	row := string(api.Encode(t, api.NewImport())) + "\n" +
		string(api.Encode(t, api.With(api.NewImport(), fields{"password": 5, "suspended": []int{1}})))
	got := string(imports(t, v.Admin, ndjson, "?dry_run=true", row).Is(200).Body)
	says(t, got, "password: This must be a text in quotes, not a number; suspended: This must be true or false, not an array.")
	v.Unchanged(t)
}

// TestMissingMembersAreNamedWithTheOnesInTheirPlace, apart from those that are null or empty.
func TestMissingMembersAreNamedWithTheOnesInTheirPlace(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	whole := api.NewReseller(nil)
	without := func(name string, changes fields) fields {
		body := api.With(whole, changes)
		delete(body, name)
		return body
	}
	secret := "s3cret-of-nobody"
	for _, r := range []struct {
		method, path string
		body         any
		want         string
	}{
		{"POST", "/users", without("country", nil), "/country: This is required."},
		{"POST", "/users", api.With(whole, fields{"country": nil}), "/country: This is required and must not be null."},
		{"POST", "/users", api.With(whole, fields{"country": ""}), "/country: This must not be empty."},
		{"POST", "/users", without("username", fields{"userName": "a"}),
			`/username: This is required. "userName" is not "username".`},
		{"POST", "/users", without("username", fields{"usernam": "a"}),
			`/username: This is required. "usernam" is not "username".`},
		{"POST", "/users", without("password", fields{"PASSWORD": secret}),
			`/password: This is required. "PASSWORD" is not "password".`},
		{"POST", "/users", without("country", fields{"country\x00": "BR"}),
			`/country: This is required. "country\x00" is not "country".`},
		{"POST", "/users", without("username", fields{"login": "a", "name": "b"}), "/username: This is required.\n"},
		{"POST", "/users", without("username", fields{"login": "a", "user": "b"}),
			`/username: This is required. "user" is not "username".`},
		{"POST", "/users", without("country", fields{"Notes": "a"}),
			`The request has invalid fields: country. "Notes" is not "notes".`},
		{"POST", "/auth/static-token", fields{"user": "a", "pasword": secret},
			`/password: This is required. "pasword" is not "password".`},
		{"POST", "/bulk", fields{"action": "delete", "select": fields{"filter": fields{}}, "dryRun": true},
			`The request has invalid fields: expect. "dryRun" is not "dry_run".`},
		{"POST", "/bulk", fields{"action": "delete", "select": fields{"filter": fields{}}},
			"/expect: This is required unless dry_run is true"},
		{"POST", "/bulk", fields{"action": "extend", "select": fields{"filter": fields{}}, "dry_run": true,
			"params": fields{"credit": 1}}, `/params/credits: This is required. "credit" is not "credits".`},
		{"POST", "/bulk", fields{"action": "suspend", "select": fields{"filter": fields{"is_trial": 1}}, "dry_run": true},
			`/select/filter/is_trial: "is_trial" is not "isTrial".`},
		{"POST", "/bulk", fields{"action": "suspend", "select": fields{"filter": fields{"colour": 1}}, "dry_run": true},
			"/select/filter/colour: No filter of lines has this name. Filters are owner, tree,"},
		{"POST", "/bulk", fields{"action": "suspend", "select": fields{"filter": fields{}}, "dry_run": nil},
			"/dry_run: This must not be null; it may be left out."},
		// Without them a key would last for ever, be good from everywhere, or spend everything.
		{"POST", "/keys", fields{"name": "n", "role": "cashier", "expiresAt": "2030-01-31T00:00:00Z"},
			`/expiresAt: "expiresAt" is not "expires_at".`},
		{"POST", "/keys", fields{"name": "n", "role": "cashier", "allowed-addresses": []string{"192.0.2.1"}},
			`/allowed-addresses: "allowed-addresses" is not "allowed_addresses".`},
		{"POST", "/staff", fields{"username": "n", "password": secret, "role": "cashier",
			"SpendLimit": fields{"credits": 1, "per": "day"}}, `/SpendLimit: "SpendLimit" is not "spend_limit".`},
		{"POST", "/keys", fields{"name": "n", "role": "cashier", "spend_limt": fields{"credits": 1, "per": "day"}},
			`/spend_limt: "spend_limt" is not "spend_limit".`},
		{"PUT", api.Path("/users", v.Seller.ID, "/block"), fields{"line": "suspend"}, `/line: "line" is not "lines".`},
		{"PATCH", api.Path("/users", v.Seller.ID, "/contact"), fields{"passwrd": secret},
			`/passwrd: "passwrd" is not "password".`},
		{"POST", "/bulk", fields{"action": "suspend", "select": fields{"filter": fields{}}, "dry_run": true,
			"params": fields{"Reason": "a"}}, `/params/Reason: "Reason" is not "reason".`},
	} {
		got := said(t, v.Admin.Send(t, r.method, r.path, r.body).Is(422))
		says(t, got+"\n", r.want, r.method, r.path, r.body)
		expect.Lacks(t, got, secret, "%s %s", r.method, r.path)
	}
	row := api.NewImport()
	row["user_name"] = row["username"]
	delete(row, "username")
	got := string(
		imports(t, v.Admin, ndjson, "?dry_run=true", string(api.Encode(t, api.NewImport()))+"\n"+string(api.Encode(t, row))).
			Is(200).Body)
	says(t, got, `username: This is required. \"user_name\" is not \"username\".`)
	many := fields{}
	for i := range 5000 {
		many[fmt.Sprint("m", i)] = 1
	}
	v.Admin.Send(t, "POST", "/users", many).Is(422) // in a bounded time: mostNames
	v.Unchanged(t)
}

// TestOtherMembersAreIgnored in records that clients send back whole, and names that are no misspellings, and by the
// operations of the contract every name.
func TestOtherMembersAreIgnored(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	line := api.Path("/lines", v.Line.ID)
	v.Admin.Send(t, "PATCH", line+"/details", v.Admin.Get(t, line).Fields).Is(200)
	seller := api.Path("/users", v.Seller.ID)
	v.Admin.Send(t, "PATCH", seller+"/contact", v.Admin.Get(t, seller).Fields).Is(200)
	v.Admin.Send(t, "PATCH", seller+"/contact", fields{"countries": "BR", "remark": "a", "Extra": fields{"Notes": 1}}).Is(
		200)
	v.Admin.Send(t, "POST", "/lines/test", fields{"Notes": "a", "externalId": "b"}).Is(201).Has(
		fields{"notes": nil, "external_id": nil})
	v.Admin.Send(t, "POST", "/users", api.NewReseller(fields{"Notes": "a", "E-mail": "b"})).Is(201).Has(
		fields{"notes": nil, "email": nil})
	v.Admin.Send(t, "PATCH", api.Path("/users/credits", v.Seller.ID), fields{"credits": 1, "Notes": "a"}).Is(200)
	v.Admin.Send(t, "PATCH", api.Path("/lines", v.Line.ID), api.With(v.Line.Edit(), fields{"Notes": "a"})).Is(200)
}

// TestRefusedAmountsNameTheOneThatWasMeant and are never rounded.
func TestRefusedAmountsNameTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	for body, want := range map[string]string{
		`{"credits":0.10000000000000001}`:  `/credits: Credits have at most 4 decimal places. Send the amount as a text: "0.1".`,
		`{"credits":0.30000000000000004}`:  `Send the amount as a text: "0.3".`,
		`{"credits":12.499999999999998}`:   `Send the amount as a text: "12.5".`,
		`{"credits":0.12345}`:              "/credits: Credits have at most 4 decimal places.\n",
		`{"credits":0.00000000000001}`:     "/credits: Credits have at most 4 decimal places.\n",
		`{"credits":"0.1000000000000001"}`: "/credits: Credits have at most 4 decimal places.\n",
		`{"credits":"1,5"}`:                "/credits: This must be a decimal number whose decimal separator is a point, such as 1234.5, and without a comma.\n",
		`{"credits":"1.234,56"}`:           "whose decimal separator is a point",
		`{"credits":"1,234.56"}`:           "without a comma",
		`{"credits":"five"}`:               "/credits: This must be a decimal number of at most 64 characters, such as 12.5.\n",
	} {
		refused := v.Admin.Send(t, "PATCH", api.Path("/users/credits", v.Seller.ID), body).Is(422)
		says(t, said(t, refused)+"\n", want, body)
	}
	got := said(t,
		v.Admin.Send(t, "PATCH", api.Path("/lines/extend", v.Line.ID), `{"credits":0.50000000000000001}`).Is(422))
	says(t, got, `Send the amount as a text: "0.5".`)
	v.Unchanged(t)
}

// TestForbiddenSaysWhy for each right that is missing.
func TestForbiddenSaysWhy(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	v.Admin.Fund(t, v.Seller.ID, 1).Is(200)
	admin := v.Admin.Get(t, "/users/logged").ID()
	key := func(changes fields) api.Caller {
		return v.Master.ByKey(t, api.With(fields{"scopes": []string{"manage", "lines:read", "events:read", "users:write"}},
			changes))
	}
	const beyond = "This goes beyond your own rights: "
	for _, r := range []struct {
		by           api.Caller
		method, path string
		body         any
		want         string
	}{
		{v.Master.Caller, "GET", "/ledger/proof", nil, "Only an admin may do this."},
		{v.Master.Caller, "GET", "/service", nil, "Only an admin may do this."},
		{v.Master.Caller, "POST", "/imports/lines", nil, "Only an admin may import lines: no credits are paid for them."},
		{v.Seller.Caller, "POST", "/users", api.NewReseller(nil),
			"Only an admin or a master (is_master 1) may create accounts."},
		{v.Seller.Caller, "PATCH", api.Path("/users/credits", v.Seller.ID), fields{"credits": 1},
			"Only an admin or a master (is_master 1) may do this, and only to another account."},
		{v.Master.Caller, "PATCH", api.Path("/users/credits", v.Master.ID), fields{"credits": 1},
			"No account may do this to itself."},
		{v.Admin, "PUT", api.Path("/users", admin, "/block"), nil, "No account may do this to itself."},
		{key(nil), "PATCH", "/auth/password", fields{"password": "a", "new_password": "s3cret-new"},
			"A key may not do this; the token of the account, or a session, may."},
		{key(nil), "GET", "/users", nil, "This needs the scope users:read."},
		{key(nil), "POST", "/keys", fields{"name": "n", "scopes": []string{"lines:read", "lines:spend", "lines:delete"}},
			beyond + "lines:spend, lines:delete."},
		{key(fields{"spend_limit": fields{"credits": 5, "per": "day"}}), "POST", "/keys",
			fields{"name": "n", "scopes": []string{"lines:read"}}, beyond + "a spend limit above your own."},
		{key(fields{"expires_at": "2030-01-31T00:00:00Z"}), "POST", "/keys",
			fields{"name": "n", "scopes": []string{"lines:read"}}, beyond + "an expiry after your own."},
		{key(fields{"allowed_addresses": []string{"127.0.0.1", "192.0.2.0/24", "::1"}}), "POST", "/keys",
			fields{"name": "n", "scopes": []string{"lines:read"}}, beyond + "addresses outside your own."},
		{key(fields{"expires_at": "2030-01-31T00:00:00Z"}), "POST", "/webhooks",
			fields{"url": "https://a.example", "types": []string{"*"}, "scope": "own"},
			"A webhook has no expiry and sends to any address"},
		{key(nil), "PATCH", api.Path("/users", v.Master.ID), v.Seller.Update(),
			"A key, or a member of the staff, may not change the user name and the password of its own account."},
		{key(nil), "PATCH", api.Path("/users", v.Seller.ID), v.Seller.Update(),
			"A key, or a member of the staff, needs all scopes of a manager for this"},
	} {
		got := said(t, r.by.Send(t, r.method, r.path, r.body).Is(403))
		expect.Equal(t, strings.HasPrefix(got, r.want), true, "%s %s: %q says %q", r.method, r.path, got, r.want)
	}
}

// TestWrongRoutesNameTheRightOne by its template, and quote nothing of the path.
func TestWrongRoutesNameTheRightOne(t *testing.T) {
	t.Parallel()
	const none = "There is no such route; /openapi.json lists them."
	for basePath, rows := range map[string]map[string]string{
		"": {
			"POST //users":                       none + " POST /users is probably meant.",
			"GET /users/":                        none + " GET /users is probably meant.",
			"GET /Users":                         none + " GET /users is probably meant.",
			"GET /user":                          none + " GET /users is probably meant.",
			"HEAD /user":                         "",
			"PATCH /users/7/":                    none + " PATCH /users/{id} is probably meant.",
			"PUT /users/7/Block/":                none + " PUT /users/{id}/block is probably meant.",
			"PATCH /lines/activate/7":            none + " PATCH /lines/active/{id} is probably meant.",
			"POST /lines/Test":                   "This route does not have this method. It has DELETE, PATCH, GET, HEAD. POST /lines/test is probably meant.",
			"POST /api/v1/lines/test":            none + " POST /lines/test is probably meant.",
			"POST /auth/static_token":            none + " POST /auth/static-token is probably meant.",
			"POST /auth/token":                   none,
			"POST /users/7/credits":              none + " PATCH /users/credits/{id} is probably meant.",
			"PATCH /lines/7/extend":              none + " PATCH /lines/extend/{id} is probably meant.",
			"PUT /lines/suspension/7":            none + " PUT /lines/{id}/suspension is probably meant.",
			"PATCH /credits/users/7":             none,
			"GET /lines/ana.tv":                  "There is nothing with this id.",
			"GET /lines/7":                       "There is nothing with this id.",
			"GET /auth/sesion":                   none + " GET /auth/session is probably meant.",
			"PUT /user/logged":                   none + " GET /users/logged is probably meant.",
			"GET /line/s3cret":                   none,
			"GET /healthz/":                      none + " GET /healthz is probably meant.",
			"GET /" + strings.Repeat("x", 4000):  none,
			"GET " + strings.Repeat("/users", 9): none,
			"GET /":                              none,
			"POST /users":                        "",
			"GET /lines/test":                    "There is nothing with this id. POST /lines/test is another operation.",
			"GET /lines/active":                  "There is nothing with this id. PATCH /lines/active/{id} is another operation.",
			"DELETE /users/logged/block":         "There is nothing with this id.",
			"PATCH /users/logged":                "There is nothing with this id. GET /users/logged is another operation.",
			"GET /lines/{id}":                    "There is nothing with this id.",
			"PUT /lines/test":                    "This route does not have this method. It has POST, DELETE, PATCH, GET, HEAD.",
			"DELETE /prices":                     "This route does not have this method. It has GET, HEAD.",
			"OPTIONS /users":                     "This route does not have this method. The service sends no CORS headers, so a page of another site cannot call it",
		},
		"/panel/api": {
			"GET /panel/users":          "There is no such route; /panel/api/openapi.json lists them. GET /panel/api/users is probably meant.",
			"GET /users":                "There is no such route; /panel/api/openapi.json lists them. GET /panel/api/users is probably meant.",
			"GET /panel/api/users/":     "There is no such route; /panel/api/openapi.json lists them. GET /panel/api/users is probably meant.",
			"GET /panel/api/healthz":    "There is no such route; /panel/api/openapi.json lists them. GET /healthz is probably meant.",
			"GET /panel/api/lines/test": "There is nothing with this id. POST /panel/api/lines/test is another operation.",
		},
	} {
		h := serveWith(t, httpapi.Options{BasePath: basePath})
		admin := h.Admin(t)
		for request, want := range rows {
			method, path, _ := strings.Cut(request, " ")
			a := admin.Send(t, method, path, nil)
			if method == "HEAD" || want == "" {
				continue
			}
			got := said(t, a)
			if method == "OPTIONS" {
				says(t, got, want, request)
				continue
			}
			expect.Equal(t, got, want, "%.60s", request)
		}
	}
}

// TestAddressesOfWebhooksSayWhatToChange in a sentence for the field, and take the scheme in capital letters.
func TestAddressesOfWebhooksSayWhatToChange(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	for _, r := range []struct{ url, want string }{
		{" https://crm.example.com/a", "a space or a line end before or after"},
		{"https://crm.example.com/a ", "a space or a line end before or after"},
		{"https://crm.example.com/a\n", "a space or a line end before or after"},
		{"https://crm.example.com/a b", "no spaces"},
		{"https://caf\u00e9.example.com/a", "xn--"},
		{"crm.example.com/a", "an address such as https://"},
		{"ftp://crm.example.com/a", "an address such as https://"},
		{"https://maria:s3cret@crm.example.com/a", "no user name and no password"},
		{"https://crm.example.com/a#b", "no fragment"},
		{"https://crm.example.com/" + strings.Repeat("a", 2048), "at most 2048 bytes"},
	} {
		refused := v.Admin.Send(t, "POST", "/webhooks", api.NewWebhook(fields{"url": r.url}))
		got := said(t, refused.Invalid("validation-failed", map[string]string{"url": "bad-url"}))
		says(t, got, "/url: This ", r.url)
		says(t, got, r.want, r.url)
	}
	made := v.Admin.Send(t, "POST", "/webhooks", api.NewWebhook(fields{"url": "HTTPS://crm.example.com/A"})).Is(201)
	made.Has(fields{"url": "https://crm.example.com/A"})
	v.Admin.Send(t, "POST", "/webhooks", api.NewWebhook(fields{"url": "HTTP://crm.example.com/A"})).Invalid("bad-url",
		map[string]string{"url": "bad-url"})
}
