package application_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"resellerd/adapters/credentials"
	"resellerd/adapters/loginlimit"
	"resellerd/adapters/memstore"
	"resellerd/adapters/onetime"
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// harness is the service on a real store with real adapters, its clock set by hand.
type harness struct {
	*application.Service
	t            *testing.T
	dependencies application.Dependencies
	archive      ports.Archive // the same store
	keyring      *servicekey.Keyring
	now          time.Time
	admin        application.Caller
}

func newHarness(t *testing.T, policy application.Policy) *harness {
	t.Helper()
	store := memstore.New()
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	h := newHarnessOn(t, policy, store)
	h.archive = store
	return h
}

// newHarnessOn is newHarness on a store that has no archive.
func newHarnessOn(t *testing.T, policy application.Policy, store ports.Store) *harness {
	t.Helper()
	keyring, err := servicekey.New(servicekey.Generate())
	require.NoError(t, err)
	h := &harness{t: t, keyring: keyring, now: time.Date(2026, time.January, 31, 12, 0, 0, 123_000_000, time.UTC)}
	clock := func() time.Time { return h.now }
	h.dependencies = application.Dependencies{
		Store:     storetest.Rerun(store),
		Clock:     clock,
		Generator: credentials.Generator{},
		Hasher:    credentials.NewHasher(credentials.Least, 0),
		Tokens:    keyring,
		Vault:     keyring,
		Codes:     onetime.Codes{Issuer: "resellerd"},
		Limiter:   loginlimit.New(10, time.Minute, clock),
	}
	if policy.TrialDuration == 0 {
		policy.TrialDuration = 4 * time.Hour
	}
	h.Service = application.New(h.dependencies, policy)
	require.NoError(t, h.Admins.Create(t.Context(), fixture.Name("admin"), profile.NewSecret("admin-password")))
	h.admin = h.login("admin", "admin-password")
	return h
}

// on is the service on another store.
func (h *harness) on(store ports.Store, policy application.Policy) *application.Service {
	d := h.dependencies
	d.Store = store
	return application.New(d, policy)
}

// errorOf returns the error that comes with a result.
func errorOf[R any](_ R, err error) error { return err }

func (h *harness) login(username, password string) application.Caller {
	h.t.Helper()
	issued, err := h.Access.Login(h.t.Context(),
		access.Login{Username: fixture.Name(username), Password: profile.NewSecret(password), Client: "192.0.2.1"})
	require.NoError(h.t, err)
	return h.caller(issued)
}

// caller is who has a token.
func (h *harness) caller(token profile.Secret) application.Caller {
	h.t.Helper()
	by, err := h.Authentication.Authenticate(token.Reveal())
	require.NoError(h.t, err)
	return by
}

func call(by application.Caller) application.Call {
	return application.Call{Caller: by, Request: "request-1"}
}

// shown renders whatever a use case returns as text.
func shown[R any](r R) application.Receipt {
	return application.Receipt{Code: 200, Content: fmt.Append(nil, r)}
}

// into keeps what is rendered.
func into[R any](result *R) application.Render[R] {
	return func(r R) application.Receipt {
		*result = r
		return shown(r)
	}
}

func (h *harness) create(by application.Caller, username, credits string,
	master bool) (*reseller.Reseller, application.Caller) {
	h.t.Helper()
	var created resellers.Reseller
	require.NoError(h.t, errorOf(h.Resellers.Create(h.t.Context(), call(by), resellers.Create{
		Username: fixture.Name(username), Password: profile.NewSecret("password-" + username), Master: master,
		Credits: fixture.Credits(credits), Contact: reseller.Contact{Country: fixture.Text("BR")},
		Language: fixture.Text("pt"),
	}, into(&created))))
	return created.Reseller, h.caller(h.keyring.Issue(ports.Token{Reseller: created.ID(), Generation: created.Token()}))
}

func (h *harness) balance(id int64) string {
	h.t.Helper()
	var found *reseller.Reseller
	require.NoError(h.t, h.dependencies.Store.View(h.t.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		found, err = s.Resellers.Get(ctx, id)
		return err
	}))
	return found.State().Credits.String()
}

func (h *harness) trial(by application.Caller) lines.Line {
	h.t.Helper()
	var l lines.Line
	_, err := h.Lines.CreateTrial(h.t.Context(), call(by), line.Description{Notes: new(fixture.Text("a note"))}, into(&l))
	require.NoError(h.t, err)
	return l
}

func (h *harness) activation(id int64, username, credits string) lines.Activate {
	return lines.Activate{
		Edit: lines.Edit{ID: id, Username: fixture.Name(username), Password: profile.NewSecret("7788"),
			Description: line.Description{Country: new(fixture.Text("PT"))}},
		Price: fixture.Price(credits),
	}
}

func (h *harness) activate(by application.Caller, c lines.Activate) (lines.Line, error) {
	var l lines.Line
	_, err := h.Lines.Activate(h.t.Context(), call(by), c, into(&l))
	return l, err
}

func TestTheOwnerPaysForItsLineWhoeverCalls(t *testing.T) {
	h := newHarness(t, application.Policy{})
	master, masterToken := h.create(h.admin, "master", "10", true)
	below, belowToken := h.create(masterToken, "below", "2.5", false)
	expect.Equal(t, h.balance(master.ID()), "7.5", "after funding an account below, the master has")
	trial := h.trial(belowToken)
	l, err := h.activate(masterToken, h.activation(trial.ID(), "joao.tv", "2"))
	require.NoError(t, err)
	expect.Equal(t, h.balance(below.ID()), "0.5", "the owner has")
	expect.Equal(t, h.balance(master.ID()), "7.5", "the caller has")
	expect.Equal(t, l.State().ExpiresAt, time.Date(2026, time.March, 31, 12, 0, 0, 123_000_000, time.UTC), "expires at")
	opened, err := h.keyring.Open(l.State().Password, fmt.Sprintf("line/[%d]", l.ID()))
	require.NoError(t, err)
	expect.Equal(t, string(opened), "7788", "the kept password")
	_, err = h.activate(masterToken, h.activation(h.trial(belowToken).ID(), "other.tv", "1"))
	var missing *reseller.InsufficientCredits
	if !errors.As(err, &missing) || missing.Balance.String() != "0.5" || missing.Shortfall().String() != "0.5" {
		t.Errorf("got %v", err)
	}
}

func TestRefusalsComeInTheOrderThatIsPromised(t *testing.T) {
	h := newHarness(t, application.Policy{})
	_, poor := h.create(h.admin, "poor", "0", false)
	_, other := h.create(h.admin, "other", "5", false)
	official, err := h.activate(other, h.activation(h.trial(other).ID(), "taken", "1"))
	require.NoError(t, err)
	trial := h.trial(poor)

	revoked := h.caller(h.keyring.Issue(ports.Token{Reseller: poor.Reseller()}))
	// before sight
	expect.Error(t, errorOf(h.activate(revoked, h.activation(999_999, "taken", "1"))), reseller.ErrTokenRevoked)
	_, err = h.activate(h.caller(h.keyring.Issue(ports.Token{Reseller: 999_999})), h.activation(trial.ID(), "free", "1"))
	expect.Error(t, err, reseller.ErrTokenRevoked) // a reseller that is not there has no good token
	// sight before state
	expect.Error(t, errorOf(h.activate(poor, h.activation(official.ID(), "taken", "1"))), fault.ErrNotFound)
	// state before the price
	expect.Error(t, errorOf(h.activate(h.admin, h.activation(official.ID(), "taken", "1"))), line.ErrNotTrial)
	// names before the balance
	expect.Error(t, errorOf(h.activate(poor, h.activation(trial.ID(), "TAKEN", "1"))), profile.ErrUsernameTaken)
	expect.Error(t, errorOf(h.activate(poor, h.activation(trial.ID(), "free", "1"))), reseller.ErrCredits)

	expect.Error(t, errorOf(h.Resellers.Create(t.Context(), call(poor), resellers.Create{Username: fixture.Name("OTHER"),
		Password: profile.NewSecret("password")}, shown)), reseller.ErrNotAllowed) // right before names
	_, master := h.create(h.admin, "master", "1", true)
	// names before the balance
	expect.Error(t, errorOf(h.Resellers.Create(t.Context(), call(master), resellers.Create{Username: fixture.Name("Other"),
		Password: profile.NewSecret("password"), Credits: fixture.Credits("2")}, shown)), profile.ErrUsernameTaken)
	expect.Equal(t, h.balance(master.Reseller()), "1", "a refusal left the master with")
}

func TestAKeyReplaysBeforeAnythingElseIsLookedAt(t *testing.T) {
	h := newHarness(t, application.Policy{})
	target, token := h.create(h.admin, "target", "0", false)
	fund := resellers.Move{ID: target.ID(), Credits: fixture.Credits("1.5")}
	var got resellers.Moved
	keyed := application.Call{Caller: h.admin, Request: "first", Key: "k", Content: []byte("PATCH 1.5")}

	first, err := h.Credits.Add(t.Context(), keyed, fund, into(&got))
	require.NoError(t, err)
	again, err := h.Credits.Add(t.Context(), keyed, resellers.Move{ID: 999_999, Credits: fund.Credits}, into(&got))
	require.NoError(t, err)
	expect.Equal(t, first.Replayed, false, "the first is a replay")
	expect.DeepEqual(t, again, application.Receipt{Code: first.Code, Content: first.Content, Replayed: true}, "again")
	expect.Equal(t, h.balance(target.ID()), "1.5", "the account has")

	other := keyed
	other.Content = []byte("PATCH 2")
	expect.Error(t, errorOf(h.Credits.Add(t.Context(), other, fund, into(&got))), application.ErrKeyReused)

	someone := keyed
	someone.Caller = token
	// keys belong to the reseller
	expect.Error(t, errorOf(h.Credits.Add(t.Context(), someone, fund, into(&got))), reseller.ErrNotAllowed)

	h.now = h.now.Add(application.KeyLifetime)
	late, err := h.Credits.Add(t.Context(), keyed, fund, into(&got))
	require.NoError(t, err)
	expect.Equal(t, late.Replayed, false, "with an expired key it is a replay")
	expect.Equal(t, h.balance(target.ID()), "3", "after the expired key the account has")
	expect.Equal(t, must(h.IdempotencyKeys.ForgetExpired(t.Context(), 10)), 0, "of a key that was used again it forgot")
	h.now = h.now.Add(application.KeyLifetime)
	expect.Equal(t, must(h.IdempotencyKeys.ForgetExpired(t.Context(), 10)), 1, "of one that has expired again it forgot")
}

func TestAReplayedCreationHashesNoPassword(t *testing.T) {
	h := newHarness(t, application.Policy{})
	create := resellers.Create{Username: fixture.Name("maria"), Password: profile.NewSecret("password"),
		Contact: reseller.Contact{Country: fixture.Text("BR")}}
	keyed := application.Call{Caller: h.admin, Key: "k", Content: []byte("x")}
	require.NoError(t, errorOf(h.Resellers.Create(t.Context(), keyed, create, shown)))
	h.dependencies.Hasher = noHasher{}
	again, err := application.New(h.dependencies, application.Policy{}).Resellers.Create(t.Context(), keyed, create, shown)
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
	h := newHarness(t, application.Policy{})
	maria, token := h.create(h.admin, "maria", "0", false)
	update := resellers.Update{
		ID: maria.ID(), Username: fixture.Name("MARIA"), Password: profile.NewSecret("password-maria"),
		ContactChange: reseller.ContactChange{Country: new(fixture.Text("BR")), Whatsapp: new(fixture.Text("1"))},
	}
	var got resellers.Reseller
	require.NoError(t, errorOf(h.Resellers.Update(t.Context(), call(token), update, into(&got))))
	expect.Equal(t, got.Token(), maria.Token(), "the generation of tokens after the same password")
	expect.Equal(t, got.PasswordHash(), maria.PasswordHash(), "the hash after the same password")

	// The password becomes another one while the update is under way: that one
	// is replaced in turn, so that the password of the last to answer holds.
	h.dependencies.Hasher = &meanwhile{PasswordHasher: h.dependencies.Hasher, do: func() {
		require.NoError(t, h.Admins.ResetPassword(t.Context(), fixture.Name("maria"), profile.NewSecret("in between")))
	}}
	require.NoError(t, errorOf(application.New(h.dependencies,
		application.Policy{}).Resellers.Update(t.Context(), call(h.admin), update, into(&got))))
	now := h.login("maria", "password-maria")
	if now == token || now != h.caller(h.keyring.Issue(ports.Token{Reseller: maria.ID(), Generation: got.Token()})) {
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
	h := newHarness(t, application.Policy{})
	taken := h.trial(h.admin).State().Username
	h.dependencies.Generator = &fixedNames{h.dependencies.Generator, []profile.Username{taken, taken}}
	h.Service = application.New(h.dependencies, application.Policy{TrialDuration: time.Hour})
	if got := h.trial(h.admin).State().Username; got == taken || got.String() == "" {
		t.Errorf("got %q", got)
	}
}

func TestADeletedLineLeavesATombstone(t *testing.T) {
	h := newHarness(t, application.Policy{})
	trial := h.trial(h.admin)
	deleted, err := h.activate(h.admin, h.activation(trial.ID(), trial.State().Username.String(), "1"))
	require.NoError(t, err)
	h.now = h.now.Add(time.Hour)
	require.NoError(t, errorOf(h.Lines.Delete(t.Context(), call(h.admin), deleted.ID(), shown)))
	require.NoError(t, h.archive.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		found, err := r.Tombstones(ctx, 0, 10)
		want := line.Tombstone{Line: deleted.ID(), Charge: deleted.State().Charge, Actor: h.admin.Reseller(), At: h.now}
		if len(found) != 1 || found[0].Record != want {
			t.Errorf("the tombstones are %+v, want %+v", found, want)
		}
		return err
	}))
}

func TestTheAllowanceOfTrialsSurvivesDeletion(t *testing.T) {
	h := newHarness(t, application.Policy{TrialsPerDay: 2})
	_, token := h.create(h.admin, "maria", "0", false)
	for range 2 {
		trial := h.trial(token)
		require.NoError(t, errorOf(h.Lines.Delete(t.Context(), call(token), trial.ID(), shown)))
	}
	_, err := h.Lines.CreateTrial(t.Context(), call(token), line.Description{}, shown)
	var spent *fault.Later
	if !errors.As(err, &spent) {
		t.Fatalf("got %v", err)
	}
	h.trial(h.admin) // others have their own
	h.now = h.now.Add(spent.Wait)
	h.trial(token)
}

func TestLogin(t *testing.T) {
	h := newHarness(t, application.Policy{})
	maria, token := h.create(h.admin, "maria", "0", false)
	login := func(username, password, address string) error {
		u, _ := profile.ParseUsername(username)
		return errorOf(h.Access.Login(t.Context(), access.Login{Username: u, Password: profile.NewSecret(password),
			Client: address}))
	}
	expect.Equal(t, h.login("MARIA", "password-maria"), token)
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
	h.now = h.now.Add(limited.Wait)
	require.NoError(t, login("maria", "password-maria", "192.0.2.2"))

	require.NoError(t, h.dependencies.Store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		admin, err := tx.Resellers.Get(ctx, h.admin.Reseller())
		if err != nil {
			return err
		}
		target, err := tx.Resellers.Get(ctx, maria.ID())
		if err != nil {
			return err
		}
		if err := admin.Block(target, reseller.Terms{}, h.now); err != nil {
			return err
		}
		return tx.Resellers.Save(ctx, target)
	}))
	expect.Error(t, login("maria", "password-maria", "192.0.2.3"), reseller.ErrBlocked)
	expect.Error(t, login("maria", "wrong", "192.0.2.3"), access.ErrCredentials)
	expect.Error(t, errorOf(h.Lines.CreateTrial(t.Context(), call(token), line.Description{}, shown)), reseller.ErrBlocked)
}
