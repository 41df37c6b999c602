package access_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// A removed member leaves no second factor, and no session.
func TestRemovedMemberLeavesNoFactorAndNoSession(t *testing.T) {
	h := kit.New(t, application.Policy{})
	id := h.NewMember(h.Admin, "member", principal.LinesRead)
	b := h.SignIn("member")
	h.ConfirmFactor(h.By(b), profile.NewSecret("password-member"))
	expect.Equal(t, len(h.Recorded().Factors), 1, "there are")
	for _, f := range h.Recorded().Factors {
		f.Secret = []byte("sealed with another key")
		require.NoError(t, h.Dependencies.Store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
			return ports.SecondFactors.In(tx.Records).Save(ctx, f)
		}))
	}
	err := kit.ErrorOf(h.Access.RemoveFactor(t.Context(), kit.Call(h.By(b)),
		access.RemoveFactor{Password: profile.NewSecret("password-member"), Code: "123456"}, kit.Shown))
	if _, refused := errors.AsType[*fault.Fault](err); err == nil || refused {
		t.Errorf("a factor that can't be opened: got error %v, want one that is no refusal", err)
	}
	require.NoError(t, kit.ErrorOf(h.Principals.Remove(t.Context(), kit.Call(h.Admin),
		access.RemovePrincipal{ID: id, Kind: principal.Staff}, kit.Shown)))
	expect.Error(t, ask(h, b), session.ErrEnded)
	expect.Equal(t, len(h.Recorded().Factors), 0, "factors are left")
	expect.Equal(t, len(h.Recorded().Principals), 0, "principals are left")
	h.NewMember(h.Admin, "member") // the name is free
}

// A revoked or expired key was admitted before: its reads, commands and repetitions are refused.
func TestRevokedOrExpiredKeyIsRefused(t *testing.T) {
	h := kit.New(t, application.Policy{})
	id, revoked := h.NewKey(h.Admin, principal.LinesRead, principal.LinesWrite)
	var made access.Principal
	require.NoError(t, kit.ErrorOf(h.Principals.Create(t.Context(), kit.Call(h.Admin), access.CreatePrincipal{
		Kind: principal.Key, Name: "for an hour", Role: principal.Support, Expires: h.Now.Add(time.Hour),
	}, kit.Into(&made))))
	expires := h.ByKey(made.Key)
	ask := func(by application.Caller, key string, want error) {
		t.Helper()
		_, err := h.Lines.CreateTrial(t.Context(), kit.Keyed(by, key), line.Description{}, kit.Shown)
		expect.Error(t, err, want, "a command")
		expect.Error(t, kit.ErrorOf(h.Lines.Get(t.Context(), kit.Call(by), 1)), want, "a read")
	}
	ask(revoked, "one", nil)
	_, err := h.Principals.Remove(t.Context(), kit.Call(h.Admin), access.RemovePrincipal{ID: id, Kind: principal.Key},
		kit.Shown)
	require.NoError(t, err)
	ask(revoked, "one", principal.ErrRevoked)
	h.Now = h.Now.Add(time.Hour - time.Millisecond)
	ask(expires, "other", nil)
	h.Now = h.Now.Add(time.Millisecond)
	ask(expires, "other", principal.ErrExpired)

	id, bound := h.NewKey(h.Admin, principal.LinesRead, principal.LinesWrite)
	from := func(first byte) {
		change := principal.Change{Networks: &[]principal.Network{{Address: [16]byte{first}, Bits: 8}}}
		require.NoError(t, kit.ErrorOf(h.Principals.Update(t.Context(), kit.Call(h.Admin),
			access.UpdatePrincipal{ID: id, Kind: principal.Key, Change: change}, kit.Shown)))
	}
	from(0)
	ask(bound, "from there", nil)
	from(1)
	ask(bound, "from there", principal.ErrAddress)
	listed, err := h.Principals.List(t.Context(), kit.Call(h.Admin), principal.Key)
	require.NoError(t, err)
	expect.Elements(t, []int64{listed[0].ID, listed[1].ID}, []int64{made.ID, id}, "the keys in the order of their ids")
}

// Another person of the account sends the same request with the same idempotency key.
func TestPersonalAnswersAreNotReplayedToOthers(t *testing.T) {
	h := kit.New(t, application.Policy{})
	_, owner := h.Create(h.Admin, "owner", "0", false)
	h.NewMember(owner, "ana")
	h.NewMember(owner, "eva")
	ana, eva, own := h.By(h.SignIn("ana")), h.By(h.SignIn("eva")), h.By(h.SignIn("owner"))
	begin := func(by application.Caller, name string) (secret profile.Secret, receipt application.Receipt, err error) {
		receipt, err = h.Access.BeginFactor(t.Context(), kit.Keyed(by, "key"),
			access.BeginFactor{Password: profile.NewSecret("password-" + name)},
			func(f access.NewFactor) application.Receipt {
				secret = f.Secret
				return application.Receipt{Code: 200, Content: []byte(f.Secret.Reveal())}
			})
		return secret, receipt, err
	}
	secret, _, err := begin(ana, "ana")
	require.NoError(t, err)
	if _, again, err := begin(ana, "ana"); err != nil || !again.Replayed || string(again.Content) != secret.Reveal() {
		t.Errorf("a repetition gets %+v, %v", again, err)
	}
	for name, by := range map[string]application.Caller{"eva": eva, "owner": own} {
		_, got, err := begin(by, name)
		expect.Error(t, err, application.ErrKeyReused)
		expect.Equal(t, string(got.Content), "", "%s gets the second factor of another one", name)
	}
}
