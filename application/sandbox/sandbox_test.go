package sandbox_test

import (
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/sandbox"
	"resellerd/domain/profile"
	"resellerd/ports"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// busy compares no password at the first attempt.
type busy struct {
	ports.PasswordHasher
	refused int
}

// Queue implements the port.
func (b *busy) Queue(caller string) (ports.Comparison, time.Duration) {
	if b.refused++; b.refused%2 == 1 {
		return nil, time.Millisecond
	}
	return b.PasswordHasher.Queue(caller)
}

func TestASandboxIsFilledOnABusyMachine(t *testing.T) {
	h := kit.New(t, application.Policy{TrialDuration: time.Hour})
	require.NoError(t, h.Admins.ResetPassword(t.Context(), fixture.Name(api.AdminName),
		profile.NewSecret(sandbox.Password(api.AdminName))))
	hasher := &busy{PasswordHasher: h.Dependencies.Hasher}
	h.Dependencies.Hasher = hasher
	service := h.On(h.Dependencies.Store, application.Policy{TrialDuration: time.Hour})
	require.NoError(t, sandbox.Fill(t.Context(), service, api.AdminName, func() error { return nil },
		func(time.Duration) {}))
	expect.Equal(t, hasher.refused, 2*(1+len(sandbox.Accounts)), "attempts to log in")
}
