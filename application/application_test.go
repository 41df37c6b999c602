package application_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

func TestKeyReplaysBeforeAnyOtherCheck(t *testing.T) {
	h := kit.New(t, application.Policy{})
	target, token := h.Create(h.Admin, "target", "0", false)
	fund := resellers.Move{ID: target.ID(), Credits: fixture.Credits("1.5")}
	var got resellers.Moved
	keyed := application.Call{Caller: h.Admin, Request: "first", Key: "k", Content: []byte("PATCH 1.5")}

	first, err := h.Credits.Add(t.Context(), keyed, fund, kit.Into(&got))
	require.NoError(t, err)
	again, err := h.Credits.Add(t.Context(), keyed, resellers.Move{ID: 999_999, Credits: fund.Credits}, kit.Into(&got))
	require.NoError(t, err)
	expect.Equal(t, first.Replayed, false, "the first is a replay")
	expect.DeepEqual(t, again, application.Receipt{Code: first.Code, Content: first.Content, Replayed: true}, "again")
	expect.Equal(t, h.Balance(target.ID()), "1.5", "the account has")

	other := keyed
	other.Content = []byte("PATCH 2")
	expect.Error(t, kit.ErrorOf(h.Credits.Add(t.Context(), other, fund, kit.Into(&got))), application.ErrKeyReused)

	someone := keyed
	someone.Caller = token
	// keys belong to the reseller
	expect.Error(t, kit.ErrorOf(h.Credits.Add(t.Context(), someone, fund, kit.Into(&got))), reseller.ErrNotAllowed)

	h.Now = h.Now.Add(application.KeyLifetime)
	late, err := h.Credits.Add(t.Context(), keyed, fund, kit.Into(&got))
	require.NoError(t, err)
	expect.Equal(t, late.Replayed, false, "with an expired key it is a replay")
	expect.Equal(t, h.Balance(target.ID()), "3", "after the expired key the account has")
	expect.Equal(t, kit.Must(h.IdempotencyKeys.ForgetExpired(t.Context(), 10)), 0, "of a key that was used again it forgot")
	h.Now = h.Now.Add(application.KeyLifetime)
	expect.Equal(t, kit.Must(h.IdempotencyKeys.ForgetExpired(t.Context(), 10)), 1, "of one that has expired again it forgot")
}

// noHasher fails each call, so that a test finds the call.
type noHasher struct{}

func (noHasher) Hash(context.Context, string, profile.Secret) (string, error) {
	return "", errors.New("a password was hashed")
}

func (noHasher) Matches(context.Context, string, profile.Secret, string) (bool, error) {
	return false, errors.New("a password was compared")
}

func (noHasher) Queue(string) (ports.Comparison, time.Duration) { return nil, time.Minute }

// changedBetween changes the reseller's password once, between the moment at which an update has compared it and the
// moment at which it is saved.
type changedBetween struct {
	ports.PasswordHasher
	do func()
}

func (m *changedBetween) Matches(ctx context.Context, caller string, p profile.Secret, hash string) (bool, error) {
	same, err := m.PasswordHasher.Matches(ctx, caller, p, hash)
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return same, err
}

func TestAnUpdateComparesItsPasswordWithThePresentOne(t *testing.T) {
	h := kit.New(t, application.Policy{})
	maria, token := h.Create(h.Admin, "maria", "0", false)
	update := resellers.Update{
		ID: maria.ID(), Username: fixture.Name("MARIA"), Password: profile.NewSecret("password-maria"),
		ContactChange: reseller.ContactChange{Country: new(fixture.Text("BR")), Whatsapp: new(fixture.Text("1"))},
	}
	var got resellers.Reseller
	require.NoError(t, kit.ErrorOf(h.Resellers.Update(t.Context(), kit.Call(token), update, kit.Into(&got))))
	expect.Equal(t, got.Token(), maria.Token(), "the generation of tokens after the same password")
	expect.Equal(t, got.PasswordHash(), maria.PasswordHash(), "the hash after the same password")

	// The password changes while the update runs. The update replaces that password in turn, so the password of the
	// last answer is valid.
	h.Dependencies.Hasher = &changedBetween{PasswordHasher: h.Dependencies.Hasher, do: func() {
		require.NoError(t, h.Admins.ResetPassword(t.Context(), fixture.Name("maria"), profile.NewSecret("in between")))
	}}
	require.NoError(t, kit.ErrorOf(application.New(h.Dependencies,
		application.Policy{}).Resellers.Update(t.Context(), kit.Call(h.Admin), update, kit.Into(&got))))
	now := h.Login("maria", "password-maria")
	if now == token || now != h.CallerOf(h.Keyring.Issue(ports.Token{Reseller: maria.ID(), Generation: got.Token()})) {
		t.Error("the token of the password in between, or before it, is still valid")
	}
}

// fixedNames generates these names first and real ones after them.
type fixedNames struct {
	ports.Generator
	names []profile.Username
}

func (g *fixedNames) LineUsername() profile.Username {
	if len(g.names) == 0 {
		return g.Generator.LineUsername()
	}
	next := g.names[0]
	g.names = g.names[1:]
	return next
}

// A command starts again once if another request has inserted the same record.
func TestConflictingInsertStartsACommandAgain(t *testing.T) {
	h := kit.New(t, application.Policy{})
	for conflicts, want := range []error{nil, nil, record.ErrExists} {
		left := conflicts
		service := h.On(&kit.Store{Store: h.Dependencies.Store, AroundUpdate: func(call func() error) error {
			if left--; left >= 0 {
				return record.ErrExists
			}
			return call()
		}}, application.Policy{TrialDuration: time.Hour})
		_, err := service.Lines.CreateTrial(t.Context(), kit.Call(h.Admin), line.Description{}, kit.Shown)
		expect.Error(t, err, want, "after %d conflicts", conflicts)
	}
}

func TestATrialWhoseGeneratedNameIsTakenGetsAnother(t *testing.T) {
	h := kit.New(t, application.Policy{})
	taken := h.Trial(h.Admin).State().Username
	h.Dependencies.Generator = &fixedNames{h.Dependencies.Generator, []profile.Username{taken, taken}}
	h.Service = application.New(h.Dependencies, application.Policy{TrialDuration: time.Hour})
	if got := h.Trial(h.Admin).State().Username; got == taken || got.String() == "" {
		t.Errorf("got %q", got)
	}
}

func TestLogin(t *testing.T) {
	h := kit.New(t, application.Policy{})
	maria, token := h.Create(h.Admin, "maria", "0", false)
	login := func(username, password, address string) error {
		u, _ := profile.ParseUsername(username)
		return kit.ErrorOf(h.Access.Login(t.Context(), access.Login{Username: u, Password: profile.NewSecret(password),
			Client: address}))
	}
	expect.Equal(t, h.Login("MARIA", "password-maria"), token)
	for _, username := range []string{"nobody", "not a name"} {
		expect.Error(t, login(username, "password-maria", "192.0.2.9"), access.ErrCredentials)
	}
	for range 10 {
		expect.Error(t, login("maria", "wrong", "192.0.2.2"), access.ErrCredentials)
	}
	err := login("maria", "password-maria", "192.0.2.2")
	var limited *fault.Later
	if !errors.As(err, &limited) || limited.Wait <= 0 || limited.Wait > time.Minute {
		t.Errorf("after 10 failures a right password gets %v", err)
	}
	require.NoError(t, login("maria", "password-maria", "192.0.2.3"))
	h.Now = h.Now.Add(limited.Wait)
	require.NoError(t, login("maria", "password-maria", "192.0.2.2"))

	require.NoError(t, kit.ErrorOf(h.Resellers.Block(t.Context(), kit.Call(h.Admin), resellers.Block{ID: maria.ID()},
		kit.Shown)))
	expect.Error(t, login("maria", "password-maria", "192.0.2.3"), reseller.ErrBlocked)
	expect.Error(t, login("maria", "wrong", "192.0.2.3"), access.ErrCredentials)
	expect.Error(t, kit.ErrorOf(h.Lines.CreateTrial(t.Context(), kit.Call(token), line.Description{}, kit.Shown)),
		reseller.ErrBlocked)
}
