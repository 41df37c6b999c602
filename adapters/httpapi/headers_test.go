package httpapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"resellerd/test/api"
	"resellerd/test/expect"
)

// TestOtherNamesOfTheIdempotencyKey mean the same, and others are no keys.
func TestOtherNamesOfTheIdempotencyKey(t *testing.T) {
	t.Parallel()
	master := serve(t).Admin(t).Master(t, "100")
	r := master.Reseller(t, "0")
	funding := api.Path("/users/credits", r.ID)
	first := master.Send(t, "PATCH", funding, `{"credits":1}`, "X-Idempotency-Key", "top-up").Is(200).Replayed(false)
	for _, headers := range [][]string{
		{"X-Idempotency-Key", "top-up"}, {"Idempotency-Key", "top-up"}, {"Idempotence-Key", "top-up"},
		{"X-IDEMPOTENCE-KEY", "top-up"},
		{"Idempotent-Key", "top-up"}, {"Idempotency_Key", "top-up"}, {"IdempotencyKey", "top-up"},
		{"x-idempotency-token", `"top-up"`}, {"X-Idempotency-Key", `"top-up"`, "Idempotency-Key", "top-up"},
	} {
		master.Send(t, "PATCH", funding, `{"credits":1}`, headers...).Same(first)
	}
	master.Send(t, "PATCH", funding, `{"credits":2}`, "X-Idempotency-Key", "top-up").Refused(422, "idempotency-key-reused")
	for _, headers := range [][]string{
		{"X-Idempotency-Key", "top-up", "Idempotency-Key", "other"}, {"X-Idempotency-Key", "a b"},
		{"X-Idempotency-Key", "a b", "Idempotency-Key", "other"},
		{"X-Idempotency-Key", strings.Repeat("x", 256)}, {"X-Idempotency-Key", `"`},
		{"Idempotence-Key", "a", "Idempotency-Key", "b"}, {"Idempotency-Token", "a b"},
	} {
		master.Send(t, "PATCH", funding, `{"credits":1}`, headers...).Refused(400, "bad-idempotency-key")
	}
	two := master.Send(t, "PATCH", funding, `{"credits":1}`, "X-Idempotency-Key", "top-up", "Idempotency-Key", "other")
	two.Has(fields{"detail": "Idempotency-Key and X-Idempotency-Key have different values."})
	for _, name := range []string{"X-Request-Id", "Idempotency-Replayed", "Idempotency-Key-Expires"} {
		master.Send(t, "PATCH", funding, `{"credits":1}`, name, "top-up").Is(200).Replayed(false)
	}
	expect.Equal(t, master.Balance(t, r.ID), "96", "the master holds")
}

// TestMediaTypes sends bodies of other types than the operation takes, and such as would have to be decoded first. Each
// is refused by what it is declared as: its bytes are read by nobody. A type is named if clients often send it.
func TestMediaTypes(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	const (
		wanted    = "A body must be declared as Content-Type: application/json. "
		ofImports = "An import must be declared as Content-Type: application/x-ndjson or text/csv, in UTF-8. "
		encoding  = "A body must be sent without Content-Encoding: compressed bodies are not supported."
		charset   = "A body must be in UTF-8: Content-Type declares another charset."
		other     = "It is declared as another type."
	)
	for _, c := range []struct{ name, value, detail string }{
		{"Content-Type", "", wanted + "It has no Content-Type."},
		{"Content-Type", "text/plain", wanted + "It is declared as text/plain."},
		{"Content-Type", "application/x-www-form-urlencoded",
			wanted + "It is declared as application/x-www-form-urlencoded."},
		{"Content-Type", "application/json, text/plain", wanted + other},
		{"Content-Type", "application/jsonp", wanted + other},
		{"Content-Type", "*/*", wanted + other},
		{"Content-Type", strings.Repeat("x", 5000), wanted + other},
		{"Content-Type", "application/json; charset=iso-8859-1", charset},
		{"Content-Type", "application/json;charset=UTF-16", charset},
		{"Content-Encoding", "gzip", encoding},
		{"Content-Encoding", "identity, deflate", encoding},
	} {
		for _, op := range v.Operations() {
			media, detail := c.value, c.detail
			if op.Body == nil {
				continue
			}
			if op.Path == "/imports/lines" {
				media, detail = strings.Replace(media, "application/json;", "text/csv;", 1),
					strings.Replace(detail, wanted, ofImports, 1)
			}
			v.Admin.Send(t, op.Method, op.Path, op.Body, c.name, media).Refused(415, "unsupported-media-type").Has(
				fields{"detail": detail})
		}
	}
	login := fields{"username": "a", "password": "b"}
	v.Admin.Server.Nobody().Send(t, "POST", "/auth/static-token", login, "Content-Type", "text/plain").Refused(415,
		"unsupported-media-type")
	v.Unchanged(t)
	for _, header := range [][]string{
		{"Content-Encoding", "Identity, identity"}, {"Content-Type", "application/json; charset=utf8"},
		{"Content-Type", "Application/JSON;charset=\"UTF-8\""},
	} {
		v.Admin.Fund(t, v.Seller.ID, 1, header...).Is(200)
	}
	for _, header := range [][]string{{"Content-Encoding", "gzip"}, {"Content-Type", "text/plain"}} {
		v.Admin.Send(t, "POST", "/lines/test", nil, header...).Is(201) // there is no body
	}
}

// TestBodiesTooLargeAreNotAskedFor sends no body before the service asks for it.
func TestBodiesTooLargeAreNotAskedFor(t *testing.T) {
	t.Parallel()
	h := serve(t)
	admin := h.Admin(t)
	for _, c := range []struct {
		name, path, media, length string
		status                    int
	}{
		{"a byte more than the limit", "/users", "application/json", "Content-Length: 65537",
			http.StatusRequestEntityTooLarge},
		{"90 MB", "/users", "application/json", "Content-Length: 90000000", http.StatusRequestEntityTooLarge},
		{"the limit", "/users", "application/json", "Content-Length: 65536", http.StatusContinue},
		{"no length", "/users", "application/json", "Transfer-Encoding: chunked", http.StatusContinue},
		{"an import within its limit", "/imports/lines", "text/csv", "Content-Length: 1048576", http.StatusContinue},
		{"an import over it", "/imports/lines", "text/csv", "Content-Length: 1048577", http.StatusRequestEntityTooLarge},
	} {
		connection, err := net.Dial("tcp", h.Address)
		must(t, err)
		must(t, connection.SetDeadline(time.Now().Add(time.Minute)))
		fmt.Fprintf(connection,
			"POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n%s\r\nExpect: 100-continue\r\n\r\n",
			c.path, admin.Token, c.media, c.length)
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		expect.Equal(t, response.StatusCode, c.status, "%s: the first answer", c.name)
		_ = connection.Close()
	}
}

func TestMethodsInHeadersAreNamed(t *testing.T) {
	t.Parallel()
	h := serve(t)
	for _, header := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
		a := h.Nobody().Send(t, "POST", "/users/credits/2", `{"credits":1}`, header, "PATCH").Refused(405,
			"method-not-allowed")
		a.Has(fields{
			"detail": "The header " + header +
				" is not supported: send the request with the method itself. This route has PATCH."})
		expect.Equal(t, a.Header.Get("Allow"), "PATCH", "%s: Allow", a.Request)
	}
}

func TestAuthorizationSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	h := serve(t)
	r := h.Admin(t).Reseller(t, "0")
	key := h.Admin(t).MakeKey(t, nil).Text("key")
	const none = "An Authorization header with the value Bearer <token> is required; POST /auth/static-token gives the token."
	const word = "The Authorization header lacks the word Bearer: its value is Bearer, a space and the token."
	const scheme = "The Authorization header has another scheme than Bearer: its value is Bearer, a space and the token."
	const token = "The Authorization header has no token after the word Bearer."
	for value, detail := range map[string]string{
		"": none, r.Token: word, key: word, "Basic " + r.Token: scheme, "Basic YWRtaW46cGFzc3dvcmQ=": scheme,
		"Token " + key: scheme, r.Token + " " + r.Token: scheme,
		"Bearer: " + r.Token: scheme, "Bearer": token, "bearer": token,
	} {
		a := h.Nobody().Send(t, "GET", "/lines", nil, "Authorization", value).Refused(401, "missing-token").Has(
			fields{"detail": detail})
		expect.Equal(t, a.Header.Get("WWW-Authenticate"), "Bearer", "%q: WWW-Authenticate", value)
		told := strings.Contains(string(a.Body), r.Token) || strings.Contains(string(a.Body), key)
		expect.Equal(t, told, false, "%q: a credential is in %s", value, a.Body)
	}
}

// TestLineEndsAreLineFeeds in every text of several lines: HTML forms send CRLF.
func TestLineEndsAreLineFeeds(t *testing.T) {
	t.Parallel()
	v := api.NewFixture(t, serve(t).Service)
	const sent, kept = "first\r\nsecond\rthird\r\n", "first\nsecond\nthird"
	notes, seller := fields{"notes": sent}, api.Path("/users", v.Seller.ID)
	v.Admin.Fund(t, v.Seller.ID, 0.5).Is(200)
	for _, c := range []struct {
		method, path string
		body         fields
		member       string
	}{
		{"POST", "/users", api.NewReseller(notes), "notes"},
		{"PATCH", seller, api.With(v.Seller.Update(), notes), "notes"},
		{"PATCH", seller + "/contact", notes, "notes"},
		{"POST", "/lines/test", notes, "notes"},
		{"PATCH", api.Path("/lines/active", v.Trial.ID), api.With(v.Trial.Activation(0.5), notes), "notes"},
		{"PATCH", api.Path("/lines", v.Line.ID), api.With(v.Line.Edit(), notes), "notes"},
		{"PATCH", api.Path("/lines", v.Line.ID, "/details"), notes, "notes"},
		{"PATCH", api.Path("/lines", v.Line.ID, "/details"), fields{"metadata": fields{"plan": sent}}, "metadata.plan"},
		{"PUT", api.Path("/lines", v.Line.ID, "/suspension"), fields{"reason": sent}, "suspension_reason"},
		{"PUT", seller + "/block", fields{"reason": sent}, "block.reason"},
		{"PUT", seller + "/messages", fields{"apps": sent}, "apps"},
		{"PUT", seller + "/messages", fields{"access": sent}, "access"},
		{"PUT", seller + "/messages", fields{"reminder": sent}, "reminder"},
		{"PUT", seller + "/messages", fields{"expired": sent}, "expired"},
		{"PUT", seller + "/messages", fields{"welcome": sent}, "welcome"},
		{"POST", "/webhooks", api.NewWebhook(fields{"description": sent}), "description"},
	} {
		a := v.Admin.Send(t, c.method, c.path, c.body)
		member, within, nested := strings.Cut(c.member, ".")
		got := a.Fields[member]
		if object, is := got.(map[string]any); nested && is {
			got = object[within]
		}
		expect.Equal[any](t, got, kept, "%s: %s of %s", a.Request, c.member, a.Body)
	}
	v.Admin.Send(t, "DELETE", seller+"/block", nil).Is(200)
	v.Admin.Send(t, "PATCH", api.Path("/users/credits", v.Seller.ID), fields{"credits": 5, "notes": sent}).Is(200)
	v.Admin.Send(t, "POST", seller+"/credits/reclaim", fields{"credits": 1, "notes": sent}).Is(200)
	for _, entry := range v.Admin.Get(t, seller+"/ledger?limit=2").List() {
		entry.Has(fields{"notes": kept})
	}
	v.Admin.Send(t, "POST", "/imports/lines", api.With(api.NewImport(), fields{"username": "of.a.form", "notes": sent})).
		Is(200).Has(fields{"created": 1})
	expect.Equal(t, v.Admin.Get(t, "/lines?username=of.a.form").List()[0].Fields["notes"], kept, "imported notes")
	job := v.Admin.Send(t, "POST", "/bulk", fields{"action": "details", "select": fields{"ids": []int64{v.Line.ID}},
		"params": notes, "dry_run": true})
	job.Is(200).Has(fields{"would_succeed": 1})
}
