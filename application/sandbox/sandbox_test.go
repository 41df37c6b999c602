package sandbox_test

import (
	"fmt"
	"testing"

	"resellerd/application"
	"resellerd/application/lines"
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
	page, err := h.Lines.List(t.Context(), kit.Call(h.Login("admin", password)), lines.List{Limit: 9})
	require.NoError(t, err)
	got := map[string]int{}
	for _, l := range page.Items {
		got[fmt.Sprintf("trial: %t, %s", l.Shown().Trial, l.Effect())]++
	}
	expect.DeepEqual(t, got, map[string]int{"trial: true, expired": 1, "trial: false, expired": 1,
		"trial: true, running": 1, "trial: false, running": 2})
}
