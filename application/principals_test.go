package application_test

import (
	"context"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/secondfactor"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/api"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// aKey makes a key of the caller's account, and asks by it.
func (h *harness) aKey(by application.Caller, scopes ...principal.Scope) (int64, application.Caller) {
	h.t.Helper()
	var made access.Principal
	_, err := h.Principals.Create(h.t.Context(), call(by), access.CreatePrincipal{Kind: principal.Key, Name: "a key",
		Scopes: scopes}, into(&made))
	require.NoError(h.t, err)
	return made.ID, h.byKey(made.Key)
}

func (h *harness) byKey(key profile.Secret) application.Caller {
	h.t.Helper()
	by, err := h.Authentication.AuthenticateKey(h.t.Context(), key.Reveal(), principal.Network{Bits: 128}, "192.0.2.1")
	require.NoError(h.t, err)
	return by
}

// aMember adds somebody to the staff of the caller's account.
func (h *harness) aMember(by application.Caller, name string, scopes ...principal.Scope) int64 {
	h.t.Helper()
	var made access.Principal
	require.NoError(h.t, errorOf(h.Principals.Create(h.t.Context(), call(by), access.CreatePrincipal{
		Kind: principal.Staff, Username: fixture.Name(name), Password: profile.NewSecret("password-" + name), Scopes: scopes,
	}, into(&made))))
	return made.ID
}

// code is what the app shows of a second factor.
func (h *harness) code(secret profile.Secret) string {
	h.t.Helper()
	return api.Code(h.t, secret.Reveal(), h.now)
}

// begunFactor begins with a second factor of who is signed in.
func (h *harness) begunFactor(by application.Caller, password profile.Secret) profile.Secret {
	h.t.Helper()
	var begun access.NewFactor
	_, err := h.Access.BeginFactor(h.t.Context(), call(by), access.BeginFactor{Password: password}, into(&begun))
	require.NoError(h.t, err)
	return begun.Secret
}

// confirmedFactor gives who is signed in a second factor.
func (h *harness) confirmedFactor(by application.Caller, password profile.Secret) profile.Secret {
	h.t.Helper()
	secret := h.begunFactor(by, password)
	require.NoError(h.t, errorOf(h.Access.ConfirmFactor(h.t.Context(), call(by),
		access.ConfirmFactor{Code: h.code(secret)}, shown)))
	return secret
}

// Whoever is removed leaves no second factor, and no session.
func TestARemovedMemberLeavesNothing(t *testing.T) {
	h := newHarness(t, application.Policy{})
	id := h.aMember(h.admin, "member", principal.LinesRead)
	b := h.signIn("member")
	h.confirmedFactor(h.by(b), profile.NewSecret("password-member"))
	expect.Equal(t, len(h.recorded().factors), 1, "there are")
	require.NoError(t, errorOf(h.Principals.Remove(t.Context(), call(h.admin),
		access.RemovePrincipal{ID: id, Kind: principal.Staff}, shown)))
	expect.Error(t, h.ask(b), session.ErrEnded)
	expect.Equal(t, len(h.recorded().factors), 0, "factors are left")
	expect.Equal(t, len(h.recorded().principals), 0, "principals are left")
	h.aMember(h.admin, "member") // the name is free
}

// late is a store in which the first claim of a name that is asked for is not there yet: another request was first.
type late struct {
	ports.Store
	asked *int
}

func (l late) Update(ctx context.Context, do func(ctx context.Context, tx ports.Tx) error, reads ...ports.Reads) error {
	return l.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		tx.Records = lateRecords{tx.Records, l.asked}
		return do(ctx, tx)
	}, reads...)
}

type lateRecords struct {
	record.Writer
	asked *int
}

func (l lateRecords) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	if of == ports.NameClaims.Kind {
		if *l.asked++; *l.asked == 1 {
			return "", fault.ErrNotFound
		}
	}
	return l.Writer.Get(ctx, of, key)
}

// TestANameThatIsTakenMeanwhileIsTaken, whenever the store says so.
func TestANameThatIsTakenMeanwhileIsTaken(t *testing.T) {
	h := newHarness(t, application.Policy{})
	h.aMember(h.admin, "María")
	for what, attempt := range map[string]func(s *application.Service) error{
		"staff": func(s *application.Service) error {
			return errorOf(s.Principals.Create(t.Context(), call(h.admin), access.CreatePrincipal{
				Kind: principal.Staff, Username: fixture.Name("maría"), Password: profile.NewSecret("a password"),
				Role: principal.Support,
			}, shown))
		},
		"an account": func(s *application.Service) error {
			return errorOf(s.Resellers.Create(t.Context(), call(h.admin), resellers.Create{Username: fixture.Name("MARÍA"),
				Password: profile.NewSecret("a password")}, shown))
		},
	} {
		d, asked := h.dependencies, 0
		d.Store = late{d.Store, &asked}
		expect.Error(t, attempt(application.New(d, application.Policy{})), profile.ErrUsernameTaken, "%s", what)
		expect.Equal(t, asked, 2, "%s: looks", what)
	}
}

// TestARevokedKeyActsNoMore, nor does one that has expired, though it was admitted before: what it reads, what it does
// and what it repeats are refused.
func TestARevokedKeyActsNoMore(t *testing.T) {
	h := newHarness(t, application.Policy{})
	id, revoked := h.aKey(h.admin, principal.LinesRead, principal.LinesWrite)
	var made access.Principal
	require.NoError(t, errorOf(h.Principals.Create(t.Context(), call(h.admin), access.CreatePrincipal{
		Kind: principal.Key, Name: "for an hour", Role: principal.Support, Expires: h.now.Add(time.Hour),
	}, into(&made))))
	expires := h.byKey(made.Key)
	ask := func(by application.Caller, key string, want error) {
		t.Helper()
		_, err := h.Lines.CreateTrial(t.Context(), keyed(by, key), line.Description{}, shown)
		expect.Error(t, err, want, "a command")
		expect.Error(t, errorOf(h.Lines.Get(t.Context(), call(by), 1)), want, "a read")
	}
	ask(revoked, "one", nil)
	_, err := h.Principals.Remove(t.Context(), call(h.admin), access.RemovePrincipal{ID: id, Kind: principal.Key}, shown)
	require.NoError(t, err)
	ask(revoked, "one", principal.ErrRevoked)
	h.now = h.now.Add(time.Hour - time.Millisecond)
	ask(expires, "other", nil)
	h.now = h.now.Add(time.Millisecond)
	ask(expires, "other", principal.ErrExpired)

	id, bound := h.aKey(h.admin, principal.LinesRead, principal.LinesWrite)
	from := func(first byte) {
		change := principal.Change{Networks: &[]principal.Network{{Address: [16]byte{first}, Bits: 8}}}
		require.NoError(t, errorOf(h.Principals.Update(t.Context(), call(h.admin),
			access.UpdatePrincipal{ID: id, Kind: principal.Key, Change: change}, shown)))
	}
	from(0)
	ask(bound, "from there", nil)
	from(1)
	ask(bound, "from there", principal.ErrAddress)
}

// TestWhatConcernsOnePersonIsAnsweredToNobodyElse of the account, under the same idempotency key.
func TestWhatConcernsOnePersonIsAnsweredToNobodyElse(t *testing.T) {
	h := newHarness(t, application.Policy{})
	_, owner := h.create(h.admin, "owner", "0", false)
	h.aMember(owner, "ana")
	h.aMember(owner, "eva")
	ana, eva, own := h.by(h.signIn("ana")), h.by(h.signIn("eva")), h.by(h.signIn("owner"))
	begin := func(by application.Caller, name string) (secret profile.Secret, receipt application.Receipt, err error) {
		receipt, err = h.Access.BeginFactor(t.Context(), keyed(by, "key"),
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
		t.Errorf("who asks again gets %+v, %v", again, err)
	}
	for name, by := range map[string]application.Caller{"eva": eva, "owner": own} {
		_, got, err := begin(by, name)
		expect.Error(t, err, application.ErrKeyReused)
		expect.Equal(t, string(got.Content), "", "%s gets the second factor of another one", name)
	}
}

// TestASpendLimitComesBeforeWhatIsTaken has an activation be over the limit, and ask for an external id that is taken.
func TestASpendLimitComesBeforeWhatIsTaken(t *testing.T) {
	h := newHarness(t, application.Policy{})
	_, r := h.create(h.admin, "shop", "10", false)
	var made access.Principal
	require.NoError(t, errorOf(h.Principals.Create(t.Context(), call(r),
		access.CreatePrincipal{Kind: principal.Key, Name: "till",
			Role: principal.Cashier, Limit: 9_999}, into(&made))))
	_, err := h.Lines.CreateTrial(t.Context(), call(r), line.Description{ExternalID: new(fixture.Text("crm"))}, shown)
	require.NoError(t, err)
	c := h.activation(h.trial(r).ID(), "client", "1")
	c.ExternalID = new(fixture.Text("crm"))
	expect.Error(t, errorOf(h.activate(r, c)), line.ErrExternalIDTaken)
	expect.Error(t, errorOf(h.activate(h.byKey(made.Key), c)), principal.ErrSpendLimit)
}

// TestASecondFactorThatWasOnlyBegunIsNone to those who could reset it.
func TestASecondFactorThatWasOnlyBegunIsNone(t *testing.T) {
	h := newHarness(t, application.Policy{})
	id := h.aMember(h.admin, "member", principal.LinesRead)
	by := h.by(h.signIn("member"))
	secret := h.begunFactor(by, profile.NewSecret("password-member"))
	expect.Error(t, errorOf(h.Principals.ResetFactor(t.Context(), call(h.admin), id, shown)), secondfactor.ErrInactive)
	expect.Error(t, h.Admins.ResetFactor(t.Context(), fixture.Name("member")), secondfactor.ErrInactive)
	require.NoError(t, errorOf(h.Access.ConfirmFactor(t.Context(), call(by),
		access.ConfirmFactor{Code: h.code(secret)}, shown)))
	require.NoError(t, errorOf(h.Principals.ResetFactor(t.Context(), call(h.admin), id, shown)))
}
