package httpapi_test

import (
	"strings"
	"testing"

	"resellerd/test/api"
)

// refused is the answer to a request that two rules refuse, with the code of the first rule.
type refused struct {
	name   string
	got    answer
	status int
	code   string
}

// TestPrecedence sends requests that two rules refuse: the first rule decides the answer.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	v := api.NewFixture(t, srv.Service)
	nobody := srv.Nobody()
	stranger := srv.Admin(t).Master(t, "0")
	revoked := srv.Admin(t).Master(t, "0")
	recorded := revoked.Trial(t)
	revoked.DeleteLine(t, recorded.ID, "Idempotency-Key", "deleted").Is(200)
	revoked.Send(t, "PATCH", api.Path("/users", revoked.ID),
		api.With(revoked.Update(), fields{"password": "another password"})).Is(200)
	renewed := api.Reseller{Caller: srv.As(srv.Login(t, revoked.Username, "another password")), ID: revoked.ID}
	big := strings.Repeat("x", 64<<10+1)
	funding := api.Path("/users/credits", v.Seller.ID)
	activating := api.Path("/lines/active", v.Trial.ID)
	for _, c := range []refused{
		{"route before token", nobody.Send(t, "POST", "/nowhere", nil), 404, "unknown-route"},
		{"token before body", nobody.Send(t, "PATCH", funding, big), 401, "missing-token"},
		{"id before size", v.Admin.Send(t, "PATCH", "/users/credits/x", big), 404, "not-found"},
		{"size before media type", v.Admin.Send(t, "PATCH", funding, big, "Content-Type", "text/plain"), 413,
			"body-too-large"},
		{"media type before syntax", v.Admin.Send(t, "PATCH", funding, "{", "Content-Type", "text/plain"), 415,
			"unsupported-media-type"},
		{"syntax before fields", v.Admin.Send(t, "PATCH", funding, `{"credits":-1,"credits":-1}`), 400, "malformed-body"},
		{"key before fields", v.Admin.Send(t, "PATCH", funding, `{"credits":-1}`, "Idempotency-Key", "a b"), 400,
			"bad-idempotency-key"},
		{"key before query", v.Master.Send(t, "DELETE", api.Path("/keys", v.Master.Key)+"?y=z", nil, "Idempotency-Key",
			"a b"), 400, "bad-idempotency-key"},
		{"fields before a revoked token", revoked.Send(t, "PATCH", funding, `{"credits":-1}`), 422, "validation-failed"},
		{"sight before price", stranger.Send(t, "PATCH", activating, v.Trial.Activation(4)), 404, "not-found"},
		{"state before price", v.Seller.Send(t, "PATCH", api.Path("/lines/active", v.Line.ID), v.Line.Activation(4)), 409,
			"line-not-trial"},
		{"price before balance", v.Seller.Send(t, "PATCH", activating, v.Trial.Activation(4)), 422, "unknown-price"},
		{"a revoked token before replay", revoked.DeleteLine(t, recorded.ID, "Idempotency-Key", "deleted"), 401,
			"invalid-token"},
		{"a revoked token before sight", revoked.Send(t, "PATCH", funding, `{"credits":1}`), 401, "invalid-token"},
		{"a used key before sight", renewed.DeleteLine(t, recorded.ID+1_000_000, "Idempotency-Key", "deleted"), 422,
			"idempotency-key-reused"},
		{"sight before right", v.Seller.Send(t, "PATCH", api.Path("/users/credits", stranger.ID), `{"credits":1}`), 404,
			"not-found"},
		{"sight before state", stranger.Activate(t, v.Line, 1), 404, "not-found"},
		{"right before balance", v.Seller.Send(t, "POST", "/users", api.NewReseller(fields{"credits": "1000"})), 403,
			"not-allowed"},
		{"state before balance", v.Seller.Activate(t, v.Line, 10), 409, "line-not-trial"},
	} {
		c.got.Request += ", " + c.name
		c.got.Refused(c.status, c.code)
	}
	renewed.DeleteLine(t, recorded.ID, "Idempotency-Key", "deleted").Is(200).Replayed(true) // replay before sight
}
