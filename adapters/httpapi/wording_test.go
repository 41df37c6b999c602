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

// wording is a request, and what its refusal says.
type wording struct {
	method, path string
	body         any
	want         string
}

// TestWrongTypesNameWhatWasSentAndWhatIsWanted for each type of a member, and in nested ones.
func TestWrongTypesNameWhatWasSentAndWhatIsWanted(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	key := func(changes fields) fields { return api.With(fields{"name": "n", "role": "cashier"}, changes) }
	bulk := func(changes fields) fields {
		return api.With(fields{"action": "suspend", "select": fields{"ids": []any{v.Line.ID}}, "dry_run": true}, changes)
	}
	for _, r := range []wording{
		{"POST", "/users", api.NewReseller(fields{"username": true}), "/username: This must be a text in quotes, not true."},
		{"POST", "/users", api.NewReseller(fields{"is_master": "0"}),
			"/is_master: This must be the number 0 or 1, not a text in quotes."},
		{"POST", "/users", api.NewReseller(fields{"credits": []int{1}}),
			"/credits: This must be a number, or a text in quotes that holds one, not an array."},
		{"POST", "/lines/test", fields{"metadata": fields{"plan": 5}},
			"/metadata: This must be an object of texts in quotes, not one with a number."},
		{"POST", "/keys", key(fields{"scopes": []any{"lines:read", true}}),
			"/scopes: This must be an array of texts in quotes, not one with true."},
		{"POST", "/keys", key(fields{"scopes": []any{"lines:sell"}}),
			`/scopes: "lines:sell" is no scope. Scopes are lines:read,`},
		{"POST", "/keys", key(fields{"expires_at": 1767139200}),
			`/expires_at: This must be a time in quotes, such as "2026-01-31T00:00:00Z", not a number.`},
		{"POST", "/keys", key(fields{"allowed_addresses": []string{"192.0.2.1/33"}}),
			`/allowed_addresses: "192.0.2.1/33" is no address and no network.`},
		{"POST", "/webhooks", api.NewWebhook(fields{"types": []string{"line.*", "line.none"}}),
			`"line.none": There is no such type`},
		{"POST", "/bulk", bulk(fields{"dry_run": "true"}), "/dry_run: This must be true or false, not a text in quotes."},
		{"POST", "/bulk", bulk(fields{"select": fields{"ids": 7}}), "/select/ids: This must be an array of ids, not a number."},
		{"POST", "/bulk", bulk(fields{"select": fields{"ids": []any{"7"}}}),
			"/select/ids: Each id must be a number of digits, without quotes, sign or leading zero; one is a text in quotes."},
		{"POST", "/bulk", bulk(fields{"select": fields{"filter": fields{"owner": []int{1}}}}),
			"/select/filter/owner: This must be a number, true, false or a text in quotes, not an array."},
		{"POST", "/bulk", bulk(fields{"expect": fields{"count": "1", "total": true}}),
			"/expect/count: This must be a number, not a text in quotes.\n/expect/total: This must be a number, or a text"},
	} {
		says(t, said(t, v.Admin.Send(t, r.method, r.path, r.body).Is(422)), r.want, r.method, r.path, r.body)
	}
}

// TestMissingMembersAreNamedWithTheOnesInTheirPlace, apart from those that are null or empty.
func TestMissingMembersAreNamedWithTheOnesInTheirPlace(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	const secret = "s3cret-of-nobody"
	without := func(name string, changes fields) fields {
		body := api.NewReseller(changes)
		delete(body, name)
		return body
	}
	bulk := func(changes fields) fields {
		return api.With(fields{"action": "suspend", "select": fields{"filter": fields{}}}, changes)
	}
	for _, r := range []wording{
		{"POST", "/users", without("country", nil), "/country: This is required."},
		{"POST", "/users", api.NewReseller(fields{"country": nil}), "/country: This is required and must not be null."},
		{"POST", "/users", api.NewReseller(fields{"country": ""}), "/country: This must not be empty."},
		{"POST", "/users", without("username", fields{"userName": "a"}),
			`/username: This is required. "userName" is not "username".`},
		{"POST", "/users", without("password", fields{"PASSWORD": secret}),
			`/password: This is required. "PASSWORD" is not "password".`},
		{"POST", "/users", without("country", fields{"country\x00": "BR"}),
			`/country: This is required. "country\x00" is not "country".`},
		{"POST", "/users", without("username", fields{"login": "a", "user": "b"}),
			`/username: This is required. "user" is not "username".`},
		{"POST", "/bulk", bulk(fields{"dryRun": true}), `The request has invalid fields: expect. "dryRun" is not "dry_run".`},
		{"POST", "/bulk", bulk(nil), "/expect: This is required unless dry_run is true"},
		{"POST", "/bulk", bulk(fields{"action": "extend", "dry_run": true, "params": fields{"credit": 1}}),
			`/params/credits: This is required. "credit" is not "credits".`},
		{"POST", "/bulk", bulk(fields{"select": fields{"filter": fields{"is_trial": 1}}, "dry_run": true}),
			`/select/filter/is_trial: "is_trial" is not "isTrial".`},
		{"POST", "/bulk", bulk(fields{"select": fields{"filter": fields{"colour": 1}}, "dry_run": true}),
			"/select/filter/colour: No filter of lines has this name. Filters are owner, tree,"},
		{"POST", "/bulk", bulk(fields{"dry_run": nil}), "/dry_run: This must not be null; it may be left out."},
		// Without it a key would last for ever.
		{"POST", "/keys", fields{"name": "n", "role": "cashier", "expiresAt": "2030-01-31T00:00:00Z"},
			`/expiresAt: "expiresAt" is not "expires_at".`},
		{"PATCH", api.Path("/users", v.Seller.ID, "/contact"), fields{"passwrd": secret},
			`/passwrd: "passwrd" is not "password".`},
	} {
		got := said(t, v.Admin.Send(t, r.method, r.path, r.body).Is(422))
		says(t, got+"\n", r.want, r.method, r.path, r.body)
		expect.Lacks(t, got, secret, "%s %s", r.method, r.path)
	}
	many := fields{}
	for i := range 5000 {
		many[fmt.Sprint("m", i)] = 1
	}
	v.Admin.Send(t, "POST", "/users", many).Is(422) // in a bounded time: mostNames
}

// TestOtherMembersAreIgnored in records that clients send back whole, and names that are no misspellings, and by the
// operations of the contract every name.
func TestOtherMembersAreIgnored(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	line, seller := api.Path("/lines", v.Line.ID), api.Path("/users", v.Seller.ID)
	v.Admin.Send(t, "PATCH", line+"/details", v.Admin.Get(t, line).Fields).Is(200)
	v.Admin.Send(t, "PATCH", seller+"/contact", v.Admin.Get(t, seller).Fields).Is(200)
	v.Admin.Send(t, "PATCH", seller+"/contact", fields{"countries": "BR", "Extra": fields{"Notes": 1}}).Is(200)
	v.Admin.Send(t, "POST", "/lines/test", fields{"Notes": "a", "externalId": "b"}).Is(201).Has(
		fields{"notes": nil, "external_id": nil})
	v.Admin.Send(t, "POST", "/users", api.NewReseller(fields{"Notes": "a", "E-mail": "b"})).Is(201).Has(
		fields{"notes": nil, "email": nil})
	v.Admin.Send(t, "PATCH", line, api.With(v.Line.Edit(), fields{"Notes": "a"})).Is(200)
}

// TestRefusedAmountsNameTheOneThatWasMeant and are never rounded.
func TestRefusedAmountsNameTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	const places = "/credits: Credits have at most 4 decimal places."
	for credits, want := range map[string]string{
		`0.10000000000000001`:  places + ` Send the amount as a text: "0.1".`,
		`12.499999999999998`:   `Send the amount as a text: "12.5".`,
		`0.12345`:              places + "\n",
		`"0.1000000000000001"`: places + "\n",
		`"1.234,56"`:           "/credits: This must be a decimal number whose decimal separator is a point, such as 1234.5, and without a comma.\n",
		`"five"`:               "/credits: This must be a decimal number of at most 64 characters, such as 12.5.\n",
	} {
		refused := v.Admin.Send(t, "PATCH", api.Path("/users/credits", v.Seller.ID), `{"credits":`+credits+`}`).Is(422)
		says(t, said(t, refused)+"\n", want, credits)
	}
}

// TestWrongRoutesNameTheRightOne by its template, and quote nothing of the path.
func TestWrongRoutesNameTheRightOne(t *testing.T) {
	t.Parallel()
	const none, nothing = "There is no such route; /openapi.json lists them.", "There is nothing with this id."
	for basePath, rows := range map[string]map[string]string{
		"": {
			"POST //users":                       none + " POST /users is probably meant.",
			"PUT /users/7/Block/":                none + " PUT /users/{id}/block is probably meant.",
			"PATCH /lines/activate/7":            none + " PATCH /lines/active/{id} is probably meant.",
			"POST /lines/Test":                   "This route does not have this method. It has DELETE, PATCH, GET, HEAD. POST /lines/test is probably meant.",
			"POST /api/v1/lines/test":            none + " POST /lines/test is probably meant.",
			"POST /auth/static_token":            none + " POST /auth/static-token is probably meant.",
			"POST /users/7/credits":              none + " PATCH /users/credits/{id} is probably meant.",
			"GET /lines/ana.tv":                  nothing,
			"GET /line/s3cret":                   none,
			"GET /" + strings.Repeat("x", 4000):  none,
			"GET " + strings.Repeat("/users", 9): none,
			"GET /lines/test":                    nothing + " POST /lines/test is another operation.",
			"DELETE /prices":                     "This route does not have this method. It has GET, HEAD.",
			"OPTIONS /users":                     "This route does not have this method. The service sends no CORS headers, so a page of another site cannot call it",
		},
		"/panel/api": {
			"GET /panel/users":          "There is no such route; /panel/api/openapi.json lists them. GET /panel/api/users is probably meant.",
			"GET /panel/api/healthz":    "There is no such route; /panel/api/openapi.json lists them. GET /healthz is probably meant.",
			"GET /panel/api/lines/test": "There is nothing with this id. POST /panel/api/lines/test is another operation.",
		},
	} {
		admin := serveWith(t, httpapi.Options{BasePath: basePath}).Admin(t)
		for request, want := range rows {
			method, path, _ := strings.Cut(request, " ")
			got := said(t, admin.Send(t, method, path, nil))
			if method == "OPTIONS" {
				got = got[:min(len(want), len(got))]
			}
			expect.Equal(t, got, want, "%.60s", request)
		}
	}
}

// TestAddressesOfWebhooksSayWhatToChange in a sentence for the field, and take the scheme in capital letters.
func TestAddressesOfWebhooksSayWhatToChange(t *testing.T) {
	t.Parallel()
	admin := serve(t).Admin(t)
	send := func(url string) answer { return admin.Send(t, "POST", "/webhooks", api.NewWebhook(fields{"url": url})) }
	for url, want := range map[string]string{
		"https://crm.example.com/a\n":                    "a space or a line end before or after",
		"https://crm.example.com/a b":                    "no spaces",
		"https://caf\u00e9.example.com/a":                "xn--",
		"ftp://crm.example.com/a":                        "an address such as https://",
		"https://crm.example.com/a#b":                    "no fragment",
		"https://maria:s3cret@crm.example.com/a":         "no user name and no password",
		"https://a.example/" + strings.Repeat("a", 2031): "at most 2048 bytes",
	} {
		says(t, said(t, send(url).Invalid("validation-failed", map[string]string{"url": "bad-url"})), want, url)
	}
	for _, url := range []string{"https://A.Example:443/Hooks?of=me&a=%2F", "https://[2001:db8::1]:8443/x",
		"https://a.example/" + strings.Repeat("x", 2048-18)} {
		send(url).Is(201).Has(fields{"url": url})
	}
	send("HTTPS://crm.example.com/A").Is(201).Has(fields{"url": "https://crm.example.com/A"})
}
