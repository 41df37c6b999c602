package application_test

import (
	"context"
	"errors"
	"fmt"
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
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

func TestTheOwnerPaysForItsLineWhoeverCalls(t *testing.T) {
	h := kit.New(t, application.Policy{})
	master, masterToken := h.Create(h.Admin, "master", "10", true)
	below, belowToken := h.Create(masterToken, "below", "2.5", false)
	expect.Equal(t, h.Balance(master.ID()), "7.5", "after funding an account below, the master has")
	trial := h.Trial(belowToken)
	l, err := h.Activate(masterToken, h.Activation(trial.ID(), "joao.tv", "2"))
	require.NoError(t, err)
	expect.Equal(t, h.Balance(below.ID()), "0.5", "the owner has")
	expect.Equal(t, h.Balance(master.ID()), "7.5", "the caller has")
	expect.Equal(t, l.State().ExpiresAt, time.Date(2026, time.March, 31, 12, 0, 0, 123_000_000, time.UTC), "expires at")
	opened, err := h.Keyring.Open(l.State().Password, fmt.Sprintf("line/[%d]", l.ID()))
	require.NoError(t, err)
	expect.Equal(t, string(opened), "7788", "the kept password")
	_, err = h.Activate(masterToken, h.Activation(h.Trial(belowToken).ID(), "other.tv", "1"))
	var missing *reseller.InsufficientCredits
	if !errors.As(err, &missing) || missing.Balance.String() != "0.5" || missing.Shortfall().String() != "0.5" {
		t.Errorf("got %v", err)
	}
}

func TestRefusalsComeInTheOrderThatIsPromised(t *testing.T) {
	h := kit.New(t, application.Policy{})
	_, poor := h.Create(h.Admin, "poor", "0", false)
	_, other := h.Create(h.Admin, "other", "5", false)
	official, err := h.Activate(other, h.Activation(h.Trial(other).ID(), "taken", "1"))
	require.NoError(t, err)
	trial := h.Trial(poor)

	revoked := h.CallerOf(h.Keyring.Issue(ports.Token{Reseller: poor.Reseller()}))
	// before sight
	expect.Error(t, kit.ErrorOf(h.Activate(revoked, h.Activation(999_999, "taken", "1"))), reseller.ErrTokenRevoked)
	_, err = h.Activate(h.CallerOf(h.Keyring.Issue(ports.Token{Reseller: 999_999})), h.Activation(trial.ID(), "free", "1"))
	expect.Error(t, err, reseller.ErrTokenRevoked) // a reseller that is not there has no good token
	// sight before state
	expect.Error(t, kit.ErrorOf(h.Activate(poor, h.Activation(official.ID(), "taken", "1"))), fault.ErrNotFound)
	// state before the price
	expect.Error(t, kit.ErrorOf(h.Activate(h.Admin, h.Activation(official.ID(), "taken", "1"))), line.ErrNotTrial)
	// names before the balance
	expect.Error(t, kit.ErrorOf(h.Activate(poor, h.Activation(trial.ID(), "TAKEN", "1"))), profile.ErrUsernameTaken)
	expect.Error(t, kit.ErrorOf(h.Activate(poor, h.Activation(trial.ID(), "free", "1"))), reseller.ErrCredits)

	expect.Error(t, kit.ErrorOf(h.Resellers.Create(t.Context(), kit.Call(poor),
		resellers.Create{Username: fixture.Name("OTHER"),
			Password: profile.NewSecret("password")}, kit.Shown)), reseller.ErrNotAllowed) // right before names
	_, master := h.Create(h.Admin, "master", "1", true)
	// names before the balance
	expect.Error(t, kit.ErrorOf(h.Resellers.Create(t.Context(), kit.Call(master),
		resellers.Create{Username: fixture.Name("Other"),
			Password: profile.NewSecret("password"), Credits: fixture.Credits("2")}, kit.Shown)), profile.ErrUsernameTaken)
	expect.Equal(t, h.Balance(master.Reseller()), "1", "a refusal left the master with")
}

func TestAKeyReplaysBeforeAnythingElseIsLookedAt(t *testing.T) {
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

func TestAReplayedCreationHashesNoPassword(t *testing.T) {
	h := kit.New(t, application.Policy{})
	create := resellers.Create{Username: fixture.Name("maria"), Password: profile.NewSecret("password"),
		Contact: reseller.Contact{Country: fixture.Text("BR")}}
	keyed := application.Call{Caller: h.Admin, Key: "k", Content: []byte("x")}
	require.NoError(t, kit.ErrorOf(h.Resellers.Create(t.Context(), keyed, create, kit.Shown)))
	h.Dependencies.Hasher = noHasher{}
	again, err := application.New(h.Dependencies, application.Policy{}).Resellers.Create(t.Context(), keyed, create,
		kit.Shown)
	require.NoError(t, err)
	expect.Equal(t, again.Replayed, true, "it is a replay")
}

// noHasher refuses to work, so that whoever asks it is found out.
type noHasher struct{}

func (noHasher) Hash(context.Context, string, profile.Secret) (string, error) {
	return "", errors.New("a password was hashed")
}

func (noHasher) Matches(context.Context, string, profile.Secret, string) (bool, error) {
	return false, errors.New("a password was compared")
}

func (noHasher) Queue(string) (ports.Comparison, time.Duration) { return nil, time.Minute }

// meanwhile changes the reseller's password once, between the moment at which an
// update has compared it and the moment at which it is saved.
type meanwhile struct {
	ports.PasswordHasher
	do func()
}

func (m *meanwhile) Matches(ctx context.Context, caller string, p profile.Secret, hash string) (bool, error) {
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

	// The password becomes another one while the update is under way: that one
	// is replaced in turn, so that the password of the last to answer holds.
	h.Dependencies.Hasher = &meanwhile{PasswordHasher: h.Dependencies.Hasher, do: func() {
		require.NoError(t, h.Admins.ResetPassword(t.Context(), fixture.Name("maria"), profile.NewSecret("in between")))
	}}
	require.NoError(t, kit.ErrorOf(application.New(h.Dependencies,
		application.Policy{}).Resellers.Update(t.Context(), kit.Call(h.Admin), update, kit.Into(&got))))
	now := h.Login("maria", "password-maria")
	if now == token || now != h.CallerOf(h.Keyring.Issue(ports.Token{Reseller: maria.ID(), Generation: got.Token()})) {
		t.Error("the token of the password in between, or before it, is still good")
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

func TestATrialWhoseGeneratedNameIsTakenGetsAnother(t *testing.T) {
	h := kit.New(t, application.Policy{})
	taken := h.Trial(h.Admin).State().Username
	h.Dependencies.Generator = &fixedNames{h.Dependencies.Generator, []profile.Username{taken, taken}}
	h.Service = application.New(h.Dependencies, application.Policy{TrialDuration: time.Hour})
	if got := h.Trial(h.Admin).State().Username; got == taken || got.String() == "" {
		t.Errorf("got %q", got)
	}
}

func TestADeletedLineLeavesATombstone(t *testing.T) {
	h := kit.New(t, application.Policy{})
	trial := h.Trial(h.Admin)
	deleted, err := h.Activate(h.Admin, h.Activation(trial.ID(), trial.State().Username.String(), "1"))
	require.NoError(t, err)
	h.Now = h.Now.Add(time.Hour)
	require.NoError(t, kit.ErrorOf(h.Lines.Delete(t.Context(), kit.Call(h.Admin), deleted.ID(), kit.Shown)))
	require.NoError(t, h.Archive.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		found, err := r.Tombstones(ctx, 0, 10)
		want := line.Tombstone{Line: deleted.ID(), Charge: deleted.State().Charge, Actor: h.Admin.Reseller(), At: h.Now}
		if len(found) != 1 || found[0].Record != want {
			t.Errorf("the tombstones are %+v, want %+v", found, want)
		}
		return err
	}))
}

func TestTheAllowanceOfTrialsSurvivesDeletion(t *testing.T) {
	h := kit.New(t, application.Policy{TrialsPerDay: 2})
	_, token := h.Create(h.Admin, "maria", "0", false)
	for range 2 {
		trial := h.Trial(token)
		require.NoError(t, kit.ErrorOf(h.Lines.Delete(t.Context(), kit.Call(token), trial.ID(), kit.Shown)))
	}
	_, err := h.Lines.CreateTrial(t.Context(), kit.Call(token), line.Description{}, kit.Shown)
	var spent *fault.Later
	if !errors.As(err, &spent) {
		t.Fatalf("got %v", err)
	}
	h.Trial(h.Admin) // others have their own
	h.Now = h.Now.Add(spent.Wait)
	h.Trial(token)
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
