package sandbox_test

import (
	"fmt"
	"slices"
	"testing"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/application/sandbox"
	"resellerd/domain/profile"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

func TestSandboxHasTrialsAndLinesThatRunOrHaveExpired(t *testing.T) {
	h := kit.New(t, application.Policy{})
	password := sandbox.Password("admin")
	require.NoError(t, h.Admins.ResetPassword(t.Context(), fixture.Name("admin"), profile.NewSecret(password)))
	present := func() error {
		h.Now = h.Now.AddDate(0, 2, 0)
		return nil
	}
	require.NoError(t, sandbox.Fill(t.Context(), h.Service, "admin", present, nil))
	accounts, err := h.Resellers.List(t.Context(), kit.Call(h.Login("admin", password)), resellers.List{Limit: 9})
	require.NoError(t, err)
	blocked := slices.DeleteFunc(accounts.Items, func(r resellers.Reseller) bool { return !r.State().Blocked })
	expect.Equal(t, len(blocked), 1, "blocked accounts")
	page, err := h.Lines.List(t.Context(), kit.Call(h.Login("admin", password)), lines.List{Limit: 9})
	require.NoError(t, err)
	got := map[string]int{}
	for _, l := range page.Items {
		got[fmt.Sprintf("trial: %t, %s, of %s", l.Shown().Trial, l.Effect(), l.Shown().Country)]++
	}
	expect.DeepEqual(t, got, map[string]int{"trial: true, expired, of BR": 1, "trial: false, expired, of BR": 1,
		"trial: true, running, of BR": 1, "trial: false, running, of BR": 2})
	sold := map[string]string{}
	for _, name := range []string{"maria", "admin"} {
		offers, err := h.Prices.Prices(t.Context(), kit.Call(h.Login(name, sandbox.Password(name))), nil)
		require.NoError(t, err)
		for _, o := range offers {
			sold[name] += fmt.Sprintf("%s: %s; ", o.Name, o.Credits)
		}
	}
	others := "15 days: 0.5; 1 month: 1; %s2 months: 2; 3 months: 3; 180 days: 5; 360 days: 10; "
	expect.DeepEqual(t, sold, map[string]string{"maria": "7 days: 0.25; " + fmt.Sprintf(others, "Family: 1.6; "),
		"admin": "7 days: 0.3; " + fmt.Sprintf(others, "Family: 1.8; ")})
}
