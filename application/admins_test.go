package application_test

import (
	"testing"
	"time"

	"resellerd/application"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
)

// TestAnOperatorBlocksAndUnblocksAnybody blocks an admin, which nobody can over the API, and one that is not there.
func TestAnOperatorBlocksAndUnblocksAnybody(t *testing.T) {
	h := newHarness(t, application.Policy{})
	below, asBelow := h.create(h.admin, "maria", "5", true)
	asks := func(want *fault.Fault, by ...application.Caller) {
		t.Helper()
		for _, by := range by {
			if _, err := h.Resellers.Self(t.Context(), call(by)); want == nil {
				check(t, err)
			} else {
				wantFault(t, err, want)
			}
		}
	}
	for range 2 { // it may be repeated
		check(t, h.Admins.SetBlocked(t.Context(), fixture.Name("ADMIN"), true))
		asks(reseller.ErrBlocked, h.admin, asBelow)
	}
	blocked := h.now
	h.now = h.now.Add(time.Hour)
	check(t, h.Admins.SetBlocked(t.Context(), fixture.Name("maria"), true))
	check(t, h.Admins.SetBlocked(t.Context(), fixture.Name("admin"), true))
	check(t, h.Admins.SetBlocked(t.Context(), fixture.Name("admin"), false))
	asks(nil, h.admin)
	asks(reseller.ErrBlocked, asBelow) // by its own
	check(t, h.Admins.SetBlocked(t.Context(), fixture.Name("maria"), false))
	asks(nil, asBelow)
	wantFault(t, h.Admins.SetBlocked(t.Context(), fixture.Name("nobody"), true), fault.ErrNotFound)

	seen, err := h.Resellers.Get(t.Context(), call(h.admin), below.ID())
	check(t, err)
	expect.Equal(t, seen.State().UpdatedAt, blocked.Add(time.Hour), "it was changed")
}

// TestAnOperatorSeesEveryAdmin among others.
func TestAnOperatorSeesEveryAdmin(t *testing.T) {
	h := newHarness(t, application.Policy{})
	for _, name := range []string{"second", "third"} {
		_, _ = h.create(h.admin, "below-"+name, "0", true)
		check(t, h.Admins.Create(t.Context(), fixture.Name(name), profile.NewSecret("a password")))
	}
	check(t, h.Admins.SetBlocked(t.Context(), fixture.Name("second"), true))
	admins, err := h.Admins.List(t.Context())
	check(t, err)
	var names []string
	for _, a := range admins {
		names = append(names, a.State().Username.String())
		expect.Equal(t, a.State().Blocked, a.State().Username.String() == "second",
			"%s is blocked", a.State().Username)
	}
	expect.Elements(t, names, []string{"admin", "second", "third"})
}

func TestWhoIsAnAdminIsAdmitted(t *testing.T) {
	h := newHarness(t, application.Policy{})
	_, maria := h.create(h.admin, "maria", "0", true)
	check(t, h.Access.AdmitAdmin(t.Context(), call(h.admin)))
	wantFault(t, h.Access.AdmitAdmin(t.Context(), call(maria)), reseller.ErrNotAllowed)
	wantFault(t, h.Access.AdmitAdmin(t.Context(), call(application.Caller{})), reseller.ErrTokenRevoked)
}
