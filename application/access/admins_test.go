package access_test

import (
	"testing"
	"time"

	"resellerd/application"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// TestAnOperatorBlocksAndUnblocksAnybody blocks an admin, which nobody can over the API, and one that is not there.
func TestAnOperatorBlocksAndUnblocksAnybody(t *testing.T) {
	h := kit.New(t, application.Policy{})
	below, asBelow := h.Create(h.Admin, "maria", "5", true)
	asks := func(want *fault.Fault, by ...application.Caller) {
		t.Helper()
		for _, by := range by {
			if _, err := h.Resellers.Self(t.Context(), kit.Call(by)); want == nil {
				require.NoError(t, err)
			} else {
				expect.Error(t, err, want)
			}
		}
	}
	for range 2 { // it may be repeated
		require.NoError(t, h.Admins.SetBlocked(t.Context(), fixture.Name("ADMIN"), true))
		asks(reseller.ErrBlocked, h.Admin, asBelow)
	}
	blocked := h.Now
	h.Now = h.Now.Add(time.Hour)
	require.NoError(t, h.Admins.SetBlocked(t.Context(), fixture.Name("maria"), true))
	require.NoError(t, h.Admins.SetBlocked(t.Context(), fixture.Name("admin"), true))
	require.NoError(t, h.Admins.SetBlocked(t.Context(), fixture.Name("admin"), false))
	asks(nil, h.Admin)
	asks(reseller.ErrBlocked, asBelow) // by its own
	require.NoError(t, h.Admins.SetBlocked(t.Context(), fixture.Name("maria"), false))
	asks(nil, asBelow)
	expect.Error(t, h.Admins.SetBlocked(t.Context(), fixture.Name("nobody"), true), fault.ErrNotFound)

	seen, err := h.Resellers.Get(t.Context(), kit.Call(h.Admin), below.ID())
	require.NoError(t, err)
	expect.Equal(t, seen.State().UpdatedAt, blocked.Add(time.Hour), "it was changed")
}

// TestAnOperatorSeesEveryAdmin among others.
func TestAnOperatorSeesEveryAdmin(t *testing.T) {
	h := kit.New(t, application.Policy{})
	for _, name := range []string{"second", "third"} {
		_, _ = h.Create(h.Admin, "below-"+name, "0", true)
		require.NoError(t, h.Admins.Create(t.Context(), fixture.Name(name), profile.NewSecret("a password")))
	}
	require.NoError(t, h.Admins.SetBlocked(t.Context(), fixture.Name("second"), true))
	admins, err := h.Admins.List(t.Context())
	require.NoError(t, err)
	var names []string
	for _, a := range admins {
		names = append(names, a.State().Username.String())
		expect.Equal(t, a.State().Blocked, a.State().Username.String() == "second",
			"%s is blocked", a.State().Username)
	}
	expect.Elements(t, names, []string{"admin", "second", "third"})
}

func TestWhoIsAnAdminIsAdmitted(t *testing.T) {
	h := kit.New(t, application.Policy{})
	_, maria := h.Create(h.Admin, "maria", "0", true)
	require.NoError(t, h.Access.AdmitAdmin(t.Context(), kit.Call(h.Admin)))
	expect.Error(t, h.Access.AdmitAdmin(t.Context(), kit.Call(maria)), reseller.ErrNotAllowed)
	expect.Error(t, h.Access.AdmitAdmin(t.Context(), kit.Call(application.Caller{})), reseller.ErrTokenRevoked)
}
