package access_test

import (
	"testing"
	"time"

	"resellerd/application"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// The operator can block an admin, which no account can over the API. An account that does not exist is refused.
func TestOperatorBlocksAndUnblocksAnyAccount(t *testing.T) {
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
	asks(reseller.ErrBlocked, asBelow) // by its own block
	require.NoError(t, h.Admins.SetBlocked(t.Context(), fixture.Name("maria"), false))
	asks(nil, asBelow)
	expect.Error(t, h.Admins.SetBlocked(t.Context(), fixture.Name("nobody"), true), fault.ErrNotFound)

	seen, err := h.Resellers.Get(t.Context(), kit.Call(h.Admin), below.ID())
	require.NoError(t, err)
	expect.Equal(t, seen.State().UpdatedAt, blocked.Add(time.Hour), "it was changed")
}

func TestOnlyAdminsAreAdmittedAsAdmins(t *testing.T) {
	h := kit.New(t, application.Policy{})
	_, maria := h.Create(h.Admin, "maria", "0", true)
	require.NoError(t, h.Access.AdmitAdmin(t.Context(), kit.Call(h.Admin)))
	expect.Error(t, h.Access.AdmitAdmin(t.Context(), kit.Call(maria)), reseller.ErrNotAllowed)
	expect.Error(t, h.Access.AdmitAdmin(t.Context(), kit.Call(application.Caller{})), reseller.ErrTokenRevoked)
}
