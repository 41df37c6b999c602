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

// said returns the sentences of a refusal: its detail, and each of its errors after the name of the field.
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
	return all + "\n"
}

// TestRefusalsOfMembersNameTheExpectedValue, the type of the given one, and the probable name of a misspelt member. The
// value of a misspelt member may be a secret, and is not quoted.
func TestRefusalsOfMembersNameTheExpectedValue(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	const secret = "s3cret-of-nobody"
	without := func(name string, changes fields) fields {
		body := api.NewReseller(changes)
		delete(body, name)
		return body
	}
	bulk := func(changes fields) fields {
		return api.With(fields{"action": "suspend", "select": fields{"filter": fields{}}, "dry_run": true}, changes)
	}
	for _, r := range []struct {
		path string
		body any
		want string
	}{
		{"/users", api.NewReseller(fields{"username": true}), "/username: This must be a text in quotes, not true."},
		{"/lines/test", fields{"metadata": fields{"plan": 5}},
			"/metadata: This must be an object of texts in quotes, not one with a number."},
		{"/keys", fields{"name": "n", "scopes": []any{"lines:sell"}},
			`/scopes: "lines:sell" is not a scope. Scopes are lines:read,`},
		{"/keys", api.NewKey(fields{"allowed_addresses": []string{"192.0.2.1/33"}}),
			`/allowed_addresses: "192.0.2.1/33" is neither an address nor a network.`},
		{"/webhooks", api.NewWebhook(fields{"types": []string{"line.*", "line.none"}}), `"line.none": There is no such event type`},
		{"/webhooks", api.NewWebhook(fields{"url": "https://maria:s3cret@crm.example.com/a"}), "no user name and no password"},
		{"/bulk", bulk(fields{"select": fields{"ids": []any{"7"}}}), "/select/ids: Each id must be a number of digits, " +
			"without quotes, sign or leading zero; one is a text in quotes."},
		{"/users", without("country", nil), "/country: This is required."},
		{"/users", api.NewReseller(fields{"country": nil}), "/country: This is required and must not be null."},
		{"/users", without("password", fields{"PASSWORD": secret}),
			`/password: This is required. "PASSWORD" is not "password".`},
		{"/users", without("country", fields{"country\x00": "BR"}),
			`/country: This is required. "country\x00" is not "country".`},
		{"/bulk", bulk(fields{"dry_run": nil}), "/dry_run: This must not be null; it may be left out."},
		{"/bulk", bulk(fields{"action": "extend", "params": fields{"credit": 1}}),
			`/params/credits: This is required. "credit" is not "credits".`},
		{"/bulk", bulk(fields{"select": fields{"filter": fields{"is_trial": 1}}}),
			`/select/filter/is_trial: "is_trial" is not "isTrial".`},
		// Without it an API key would never expire.
		{"/keys", fields{"name": "n", "role": "cashier", "expiresAt": "2030-01-31T00:00:00Z"},
			`/expiresAt: "expiresAt" is not "expires_at".`},
		// An amount is never rounded.
		{api.Path("/users", v.Seller.ID, "/credits/reclaim"), `{"credits":0.10000000000000001}`,
			`/credits: Credits have at most 4 decimal places. Send the amount as a text: "0.1".`},
		{api.Path("/users", v.Seller.ID, "/credits/reclaim"), `{"credits":"1.234,56"}`, "/credits: This must be a decimal " +
			"number whose decimal separator is a point, such as 1234.5, and without a comma."},
	} {
		got := said(t, v.Admin.Send(t, "POST", r.path, r.body).Is(422))
		expect.Contains(t, got, r.want, "%s %v", r.path, r.body)
		expect.Lacks(t, got, secret, "%s", r.path)
	}
	many := fields{}
	for i := range 5000 {
		many[fmt.Sprint("m", i)] = 1
	}
	v.Admin.Send(t, "POST", "/users", many).Is(422) // in a bounded time: mostNames
}

// TestOtherMembersAreIgnored: unknown members of records that clients send back, and names that are not misspellings.
// The operations of the contract ignore all unknown names.
func TestOtherMembersAreIgnored(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	line, seller := api.Path("/lines", v.Line.ID), api.Path("/users", v.Seller.ID)
	v.Admin.Send(t, "PATCH", line+"/details", v.Admin.Get(t, line).Fields).Is(200)
	v.Admin.Send(t, "PATCH", seller+"/contact", v.Admin.Get(t, seller).Fields).Is(200)
	v.Admin.Send(t, "PATCH", seller+"/contact", fields{"countries": "BR", "Extra": fields{"Notes": 1}}).Is(200)
	v.Admin.Send(t, "POST", "/lines/test", fields{"Notes": "a", "externalId": "b"}).Is(201).Has(
		fields{"notes": nil, "external_id": nil})
}

// TestWrongRoutesNameTheRightOne as a template, and quote nothing of the path.
func TestWrongRoutesNameTheRightOne(t *testing.T) {
	t.Parallel()
	const none, nothing = "There is no such route; /openapi.json lists them.", "There is nothing with this id."
	for basePath, rows := range map[string]map[string]string{
		"": {
			"POST //users":                       none + " POST /users is probably meant.",
			"PUT /users/7/Block/":                none + " PUT /users/{id}/block is probably meant.",
			"POST /users/7/credits":              none + " PATCH /users/credits/{id} is probably meant.",
			"GET /line/s3cret":                   none,
			"GET " + strings.Repeat("/users", 9): none,
			"GET /lines/test":                    nothing + " POST /lines/test is another operation.",
			"DELETE /prices":                     "This route does not have this method. It has GET, HEAD.",
		},
		"/panel/api": {
			"GET /panel/users": "There is no such route; /panel/api/openapi.json lists them. GET /panel/api/users is probably meant.",
		},
	} {
		admin := serveWith(t, httpapi.Options{BasePath: basePath}).Admin(t)
		for request, want := range rows {
			method, path, _ := strings.Cut(request, " ")
			expect.Equal(t, said(t, admin.Send(t, method, path, nil)), want+"\n", "%s", request)
		}
	}
}
