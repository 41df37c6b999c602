package application_test

import (
	"testing"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/profile"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// TestNamesThatDifferInTheirSigma has one name be one, however it is spelled: to sign in, to be taken, to be found.
func TestNamesThatDifferInTheirSigma(t *testing.T) {
	const small = "οδος"
	h := kit.New(t, application.Policy{})
	made, by := h.Create(h.Admin, small, "9", false)
	sold, err := h.Activate(by, h.Activation(h.Trial(by).ID(), small, "1"))
	require.NoError(t, err)
	for _, spelled := range []string{small, "ΟΔΟΣ", "Οδος", "οδοσ"} {
		expect.Equal(t, h.Login(spelled, "password-"+small).Reseller(), made.ID(), "%s is", spelled)
		expect.Error(t, kit.ErrorOf(h.Resellers.Create(t.Context(), kit.Call(h.Admin), resellers.Create{
			Username: fixture.Name(spelled), Password: profile.NewSecret("password"),
		}, kit.Shown)), profile.ErrUsernameTaken, "an account of the name %s", spelled)
		expect.Error(t, kit.ErrorOf(h.Activate(h.Admin, h.Activation(h.Trial(h.Admin).ID(), spelled, "1"))),
			profile.ErrUsernameTaken, "a line of the name %s", spelled)
		prefix, err := profile.UsernamePrefix(spelled)
		require.NoError(t, err)
		found, err := h.Lines.List(t.Context(), kit.Call(h.Admin), lines.List{Username: prefix, Limit: 9})
		require.NoError(t, err)
		if len(found.Items) != 1 || found.Items[0].ID() != sold.ID() {
			t.Errorf("%s: found %+v", spelled, found.Items)
		}
	}
}
