package httpapi_test

import (
	"strings"
	"testing"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestOtherNamesOfTheIdempotencyKey have the same effect; headers with different names are ignored.
func TestOtherNamesOfTheIdempotencyKey(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "100")
	r := master.Reseller(t, "0")
	fund := func(headers ...string) answer { return master.Fund(t, r.ID, 1, headers...) }
	first := fund("X-Idempotency-Key", "top-up").Is(200).Replayed(false)
	for _, headers := range [][]string{{"Idempotency-Key", "top-up"}, {"X-IDEMPOTENCE-KEY", "top-up"},
		{"Idempotency_Key", "top-up"}, {"X-Idempotency-Key", `"top-up"`, "Idempotency-Key", "top-up"}} {
		fund(headers...).Same(first)
	}
	fund("X-Idempotency-Key", strings.Repeat("x", 256)).Refused(400, "bad-idempotency-key")
	fund("X-Idempotency-Key", "top-up", "Idempotency-Key", "other").Refused(400, "bad-idempotency-key").
		Has(fields{"detail": "Idempotency-Key and X-Idempotency-Key have different values."})
	fund("Idempotency-Replayed", "top-up").Is(200).Replayed(false)
	expect.Equal(t, master.Credits(t), "98", "the master holds")
}

// TestKeyOfAnotherRequest sends an idempotency key of another request: it is refused, whatever the difference. A
// refused request leaves its idempotency key free.
func TestKeyOfAnotherRequest(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "1")
	r, other := master.Reseller(t, "0"), master.Reseller(t, "0")
	key, at := []string{"Idempotency-Key", "one-request"}, api.Path("/users/credits", r.ID)
	master.Send(t, "PATCH", at, `{"credits":2}`, key...).Refused(402, "insufficient-credits").Replayed(false)
	first := master.Send(t, "PATCH", at, `{"credits":1}`, key...).Is(200).Replayed(false)
	for _, c := range []struct{ name, method, path, body string }{
		{"the same amount in other bytes", "PATCH", at, `{"credits": 1}`},
		{"another account", "PATCH", api.Path("/users/credits", other.ID), `{"credits":1}`},
		{"a query", "PATCH", at + "?again", `{"credits":1}`},
		{"another operation with the same body", "POST", api.Path("/users", r.ID, "/credits/reclaim"), `{"credits":1}`},
	} {
		a := master.Send(t, c.method, c.path, c.body, key...)
		a.Request += ", " + c.name
		a.Refused(422, "idempotency-key-reused").Replayed(false)
	}
	master.Send(t, "PATCH", at, `{"credits":1}`, key...).Same(first)
	master.Send(t, "GET", "/users/logged", nil, key...).Is(200).Replayed(false) // reads ignore keys
}

// TestMediaTypes sends bodies of other types than the operation accepts, and encoded ones. The declaration decides the
// refusal, and the bytes are not read. The refusal names types that clients often send.
func TestMediaTypes(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	const wanted, other = "A body must be declared as Content-Type: application/json. ", "It is declared as another type."
	for _, c := range []struct{ name, value, detail string }{
		{"Content-Type", "", wanted + "It has no Content-Type."},
		{"Content-Type", "application/x-www-form-urlencoded",
			wanted + "It is declared as application/x-www-form-urlencoded."},
		{"Content-Type", "application/jsonp", wanted + other},
		{"Content-Type", "application/json; charset=iso-8859-1",
			"A body must be in UTF-8: Content-Type declares another charset."},
		{"Content-Encoding", "identity, deflate",
			"A body must be sent without Content-Encoding: compressed bodies are not supported."},
	} {
		v.Admin.Fund(t, v.Seller.ID, 1, c.name, c.value).Refused(415, "unsupported-media-type").Has(
			fields{"detail": c.detail})
	}
	for _, op := range v.Operations() {
		if op.Body != nil {
			op.By(t, v.Admin, "Content-Type", "text/plain").Refused(415, "unsupported-media-type")
		}
	}
	v.Unchanged(t)
	for _, header := range [][]string{{"Content-Encoding", "Identity, identity"},
		{"Content-Type", "application/json; charset=utf8"}, {"Content-Type", "Application/JSON;charset=\"UTF-8\""}} {
		v.Admin.Fund(t, v.Seller.ID, 1, header...).Is(200)
	}
	v.Admin.Send(t, "POST", "/lines/test", nil, "Content-Type", "text/plain").Is(201) // there is no body
}

// TestAuthorizationHeader: the refusal describes the fault, and never quotes the header.
func TestAuthorizationHeader(t *testing.T) {
	t.Parallel()
	h := serve(t)
	token := h.Admin(t).Reseller(t, "0").Token
	ask := func(value string) answer { return h.Nobody().Send(t, "GET", "/lines", nil, "Authorization", value) }
	for _, good := range []string{"bearer " + token, "Bearer  " + token} { // RFC 9110, 11.1 and 11.4
		ask(good).Is(200)
	}
	const scheme = "The Authorization header has another scheme than Bearer: its value is Bearer, a space and the token."
	for value, detail := range map[string]string{
		"":               "An Authorization header with the value Bearer <token> is required; POST /auth/static-token gives the token.",
		token:            "The Authorization header lacks the word Bearer: its value is Bearer, a space and the token.",
		"Basic " + token: scheme,
		"bearer":         "The Authorization header has no token after the word Bearer.",
	} {
		a := ask(value).Refused(401, "missing-token").Has(fields{"detail": detail})
		expect.Equal(t, a.Header.Get("WWW-Authenticate"), "Bearer", "%q: WWW-Authenticate", value)
		expect.Lacks(t, string(a.Body), token, "%q", value)
	}
	for _, value := range []string{token + "x", token + " " + token, "a.b.c",
		"eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + strings.Split(token+"..", ".")[1] + ".",
		serve(t).Admin(t).Token /* of another service */} {
		ask("Bearer "+value).Refused(401, "invalid-token")
	}
}
