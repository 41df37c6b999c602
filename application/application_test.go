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
	"resellerd/adapters/servicekey"
	"resellerd/application"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// rerun is a store that runs every work twice and keeps the second run only, as
// a store may at any time.
type rerun struct{ ports.Store }

var errAgain = errors.New("run again")

func (s rerun) Update(ctx context.Context, work func(context.Context, ports.Tx) error) error {
	err := s.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		if err := work(ctx, tx); err != nil {
			return err
		}
		return errAgain
	})
	if !errors.Is(err, errAgain) {
		return err
	}
	return s.Store.Update(ctx, work)
}

// world is the service on a real store with real adapters, its clock set by hand.
type world struct {
	*application.Service
	t       *testing.T
	outside application.Dependencies
	archive ports.Archive // the same store
	keyring *servicekey.Keyring
	now     time.Time
	admin   ports.Token
}

func newWorld(t *testing.T, policy application.Policy) *world {
	t.Helper()
	keyring, err := servicekey.New(servicekey.Generate())
	check(t, err)
	w := &world{t: t, keyring: keyring, now: time.Date(2026, time.January, 31, 12, 0, 0, 123_000_000, time.UTC)}
	clock := func() time.Time { return w.now }
	store := memstore.New()
	t.Cleanup(func() { check(t, store.Close()) })
	w.archive = store
	w.outside = application.Dependencies{
		Store:     rerun{store},
		Clock:     clock,
		Generator: credentials.Generator{},
		Hasher:    credentials.NewHasher(credentials.Least, 0),
		Tokens:    keyring,
		Vault:     keyring,
		Limiter:   loginlimit.New(10, time.Minute, clock),
	}
	if policy.TrialDuration == 0 {
		policy.TrialDuration = 4 * time.Hour
	}
	w.Service = application.New(w.outside, policy)
	check(t, w.CreateAdmin(t.Context(), name(t, "admin"), profile.NewSecret("admin-password")))
	w.admin = w.login("admin", "admin-password")
	return w
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantFault(t *testing.T, err error, want *fault.Fault) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

func name(t *testing.T, text string) profile.Username {
	t.Helper()
	u, err := profile.ParseUsername(text)
	check(t, err)
	return u
}

func amount(t *testing.T, text string) credit.Amount {
	t.Helper()
	a, err := credit.Parse(text)
	check(t, err)
	return a
}

func price(t *testing.T, text string) credit.Price {
	t.Helper()
	p, err := credit.ParsePrice(text)
	check(t, err)
	return p
}

func (w *world) login(username, password string) ports.Token {
	w.t.Helper()
	issued, err := w.Login(w.t.Context(), application.Login{Username: name(w.t, username), Password: profile.NewSecret(password), Client: "192.0.2.1"})
	check(w.t, err)
	token, err := w.keyring.Verify(issued.Reveal())
	check(w.t, err)
	return token
}

func call(by ports.Token) application.Call { return application.Call{Token: by, Request: "request-1"} }

func text(of string) profile.Text { return profile.RestoreText(of) }

// shown renders whatever a use case returns as text.
func shown[R any](r R) application.Answer {
	return application.Answer{Status: 200, Body: fmt.Append(nil, r)}
}

func account(into **reseller.Reseller) application.Render[*reseller.Reseller] {
	return func(a *reseller.Reseller) application.Answer {
		*into = a
		return shown(a.State().Credits)
	}
}

func (w *world) create(by ports.Token, username, credits string, master bool) (*reseller.Reseller, ports.Token) {
	w.t.Helper()
	var created *reseller.Reseller
	_, err := w.CreateReseller(w.t.Context(), call(by), application.CreateReseller{
		Username: name(w.t, username), Password: profile.NewSecret("password-" + username), Master: master,
		Credits: amount(w.t, credits), Contact: reseller.Contact{Country: text("BR")}, Language: text("pt"),
	}, account(&created))
	check(w.t, err)
	return created, ports.Token{Reseller: created.ID(), Generation: created.Token()}
}

func (w *world) balance(id int64) string {
	w.t.Helper()
	var found *reseller.Reseller
	check(w.t, w.outside.Store.View(w.t.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		found, err = s.Resellers.Get(ctx, id)
		return err
	}))
	return found.State().Credits.String()
}

func (w *world) trial(by ports.Token) application.Line {
	w.t.Helper()
	var l application.Line
	_, err := w.CreateTrial(w.t.Context(), call(by), text("a note"), func(created application.Line) application.Answer {
		l = created
		return shown(created.ID())
	})
	check(w.t, err)
	return l
}

func (w *world) activation(id int64, username, credits string) application.ActivateLine {
	return application.ActivateLine{
		EditLine: application.EditLine{ID: id, Username: name(w.t, username), Password: profile.NewSecret("7788"), Country: text("PT")},
		Price:    price(w.t, credits),
	}
}

func (w *world) activate(by ports.Token, c application.ActivateLine) (application.Line, error) {
	var l application.Line
	_, err := w.ActivateLine(w.t.Context(), call(by), c, func(done application.Line) application.Answer {
		l = done
		return shown(done.ID())
	})
	return l, err
}

func TestTheOwnerPaysForItsLineWhoeverCalls(t *testing.T) {
	w := newWorld(t, application.Policy{})
	master, masterToken := w.create(w.admin, "master", "10", true)
	below, belowToken := w.create(masterToken, "below", "2.5", false)
	if got := w.balance(master.ID()); got != "7.5" {
		t.Errorf("after funding an account below, the master has %s, want 7.5", got)
	}
	trial := w.trial(belowToken)
	l, err := w.activate(masterToken, w.activation(trial.ID(), "joao.tv", "2"))
	check(t, err)
	if got := w.balance(below.ID()); got != "0.5" {
		t.Errorf("the owner has %s, want 0.5", got)
	}
	if got := w.balance(master.ID()); got != "7.5" {
		t.Errorf("the caller has %s, want 7.5", got)
	}
	if got, want := l.State().ExpiresAt, time.Date(2026, time.March, 31, 12, 0, 0, 123_000_000, time.UTC); !got.Equal(want) {
		t.Errorf("expires at %s, want %s", got, want)
	}
	if opened, err := w.keyring.Open(l.State().Password, fmt.Sprintf("line/[%d]", l.ID())); err != nil || string(opened) != "7788" {
		t.Errorf("the kept password opens as %q, %v", opened, err)
	}
	_, err = w.activate(masterToken, w.activation(w.trial(belowToken).ID(), "other.tv", "1"))
	var missing *reseller.InsufficientCredits
	if !errors.As(err, &missing) || missing.Balance.String() != "0.5" || missing.Shortfall().String() != "0.5" {
		t.Errorf("got %v", err)
	}
}

func TestRefusalsComeInTheOrderThatIsPromised(t *testing.T) {
	w := newWorld(t, application.Policy{})
	_, poor := w.create(w.admin, "poor", "0", false)
	_, other := w.create(w.admin, "other", "5", false)
	official, err := w.activate(other, w.activation(w.trial(other).ID(), "taken", "1"))
	check(t, err)
	trial := w.trial(poor)

	revoked := poor
	revoked.Generation[0]++
	_, err = w.activate(revoked, w.activation(999_999, "taken", "1"))
	wantFault(t, err, reseller.ErrTokenRevoked) // before sight
	_, err = w.activate(ports.Token{Reseller: 999_999}, w.activation(trial.ID(), "free", "1"))
	wantFault(t, err, reseller.ErrTokenRevoked) // a reseller that is not there has no good token
	_, err = w.activate(poor, w.activation(official.ID(), "taken", "1"))
	wantFault(t, err, fault.ErrNotFound) // sight before state
	_, err = w.activate(w.admin, w.activation(official.ID(), "taken", "1"))
	wantFault(t, err, line.ErrNotTrial) // state before the price
	_, err = w.activate(poor, w.activation(trial.ID(), "TAKEN", "1"))
	wantFault(t, err, profile.ErrUsernameTaken) // names before the balance
	_, err = w.activate(poor, w.activation(trial.ID(), "free", "1"))
	wantFault(t, err, reseller.ErrCredits)

	_, err = w.CreateReseller(t.Context(), call(poor), application.CreateReseller{Username: name(t, "OTHER"), Password: profile.NewSecret("password")}, shown)
	wantFault(t, err, reseller.ErrNotAllowed) // right before names
	_, master := w.create(w.admin, "master", "1", true)
	_, err = w.CreateReseller(t.Context(), call(master), application.CreateReseller{Username: name(t, "Other"), Password: profile.NewSecret("password"), Credits: amount(t, "2")}, shown)
	wantFault(t, err, profile.ErrUsernameTaken) // names before the balance
	if got := w.balance(master.Reseller); got != "1" {
		t.Errorf("a refusal left the master with %s, want 1", got)
	}
}

func TestAKeyReplaysBeforeAnythingElseIsLookedAt(t *testing.T) {
	w := newWorld(t, application.Policy{})
	target, token := w.create(w.admin, "target", "0", false)
	fund := application.MoveCredits{ID: target.ID(), Credits: amount(t, "1.5")}
	var got *reseller.Reseller
	keyed := application.Call{Token: w.admin, Request: "first", Key: "k", Content: []byte("PATCH 1.5")}

	first, err := w.AddCredits(t.Context(), keyed, fund, account(&got))
	check(t, err)
	again, err := w.AddCredits(t.Context(), keyed, application.MoveCredits{ID: 999_999, Credits: fund.Credits}, account(&got))
	check(t, err)
	if first.Replayed || !again.Replayed || string(first.Body) != string(again.Body) || first.Status != again.Status {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if got := w.balance(target.ID()); got != "1.5" {
		t.Errorf("the account has %s, want 1.5", got)
	}

	other := keyed
	other.Content = []byte("PATCH 2")
	_, err = w.AddCredits(t.Context(), other, fund, account(&got))
	wantFault(t, err, application.ErrKeyReused)

	someone := keyed
	someone.Token = token
	_, err = w.AddCredits(t.Context(), someone, fund, account(&got))
	wantFault(t, err, reseller.ErrNotAllowed) // keys belong to the reseller

	w.now = w.now.Add(application.KeyLifetime)
	late, err := w.AddCredits(t.Context(), keyed, fund, account(&got))
	check(t, err)
	if late.Replayed || w.balance(target.ID()) != "3" {
		t.Errorf("an expired key counts as absent: got %+v, balance %s", late, w.balance(target.ID()))
	}
	if n, err := w.ForgetExpiredKeys(t.Context(), 10); err != nil || n != 0 {
		t.Errorf("the key was used again: forgot %d, %v", n, err)
	}
	w.now = w.now.Add(application.KeyLifetime)
	if n, err := w.ForgetExpiredKeys(t.Context(), 10); err != nil || n != 1 {
		t.Errorf("forgot %d, %v, want 1", n, err)
	}
}

func TestAReplayedCreationHashesNoPassword(t *testing.T) {
	w := newWorld(t, application.Policy{})
	create := application.CreateReseller{Username: name(t, "maria"), Password: profile.NewSecret("password"), Contact: reseller.Contact{Country: text("BR")}}
	keyed := application.Call{Token: w.admin, Key: "k", Content: []byte("x")}
	_, err := w.CreateReseller(t.Context(), keyed, create, shown)
	check(t, err)
	w.outside.Hasher = noHasher{}
	again, err := application.New(w.outside, application.Policy{}).CreateReseller(t.Context(), keyed, create, shown)
	if err != nil || !again.Replayed {
		t.Errorf("got %+v, %v", again, err)
	}
}

// noHasher refuses to work, so that whoever asks it is found out.
type noHasher struct{}

func (noHasher) Hash(context.Context, profile.Secret) (string, error) {
	return "", errors.New("a password was hashed")
}

func (noHasher) Matches(context.Context, profile.Secret, string) (bool, error) {
	return false, errors.New("a password was compared")
}

// meanwhile changes the reseller's password once, between the moment at which an
// update has compared it and the moment at which it is saved.
type meanwhile struct {
	ports.PasswordHasher
	do func()
}

func (m *meanwhile) Matches(ctx context.Context, p profile.Secret, hash string) (bool, error) {
	same, err := m.PasswordHasher.Matches(ctx, p, hash)
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return same, err
}

func TestAnUpdateComparesItsPasswordWithThePresentOne(t *testing.T) {
	w := newWorld(t, application.Policy{})
	maria, token := w.create(w.admin, "maria", "0", false)
	update := application.UpdateReseller{
		ID: maria.ID(), Username: name(t, "MARIA"), Password: profile.NewSecret("password-maria"), Country: text("BR"), Whatsapp: text("1"),
	}
	var got *reseller.Reseller
	_, err := w.UpdateReseller(t.Context(), call(token), update, account(&got))
	check(t, err)
	if got.Token() != maria.Token() || got.PasswordHash() != maria.PasswordHash() {
		t.Error("the same password revoked the token or changed the hash")
	}

	// The password becomes another one while the update is under way: that one
	// is replaced in turn, so that the password of the last to answer holds.
	w.outside.Hasher = &meanwhile{PasswordHasher: w.outside.Hasher, do: func() {
		check(t, w.ResetPassword(t.Context(), name(t, "maria"), profile.NewSecret("in between")))
	}}
	_, err = application.New(w.outside, application.Policy{}).UpdateReseller(t.Context(), call(w.admin), update, account(&got))
	check(t, err)
	now := w.login("maria", "password-maria")
	if now == token || now.Generation != got.Token() {
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
	w := newWorld(t, application.Policy{})
	taken := w.trial(w.admin).State().Username
	w.outside.Generator = &fixedNames{w.outside.Generator, []profile.Username{taken, taken}}
	w.Service = application.New(w.outside, application.Policy{TrialDuration: time.Hour})
	if got := w.trial(w.admin).State().Username; got == taken || got.String() == "" {
		t.Errorf("got %q", got)
	}
}

func TestADeletedLineLeavesATombstone(t *testing.T) {
	w := newWorld(t, application.Policy{})
	trial := w.trial(w.admin)
	deleted, err := w.activate(w.admin, w.activation(trial.ID(), trial.State().Username.String(), "1"))
	check(t, err)
	w.now = w.now.Add(time.Hour)
	_, err = w.DeleteLine(t.Context(), call(w.admin), deleted.ID(), shown)
	check(t, err)
	check(t, w.archive.ViewRecords(t.Context(), func(ctx context.Context, r ports.Records) error {
		found, err := r.Tombstones(ctx, 0, 10)
		want := line.Tombstone{Line: deleted.ID(), Charge: deleted.State().Charge, Actor: w.admin.Reseller, At: w.now}
		if len(found) != 1 || found[0].Record != want {
			t.Errorf("the tombstones are %+v, want %+v", found, want)
		}
		return err
	}))
}

func TestTheAllowanceOfTrialsSurvivesDeletion(t *testing.T) {
	w := newWorld(t, application.Policy{TrialsPerDay: 2})
	_, token := w.create(w.admin, "maria", "0", false)
	for range 2 {
		trial := w.trial(token)
		_, err := w.DeleteLine(t.Context(), call(token), trial.ID(), shown)
		check(t, err)
	}
	_, err := w.CreateTrial(t.Context(), call(token), profile.Text{}, shown)
	var spent *reseller.AllowanceSpent
	if !errors.As(err, &spent) {
		t.Fatalf("got %v", err)
	}
	w.trial(w.admin) // others have their own
	w.now = w.now.Add(spent.Wait)
	w.trial(token)
}

func TestLogin(t *testing.T) {
	w := newWorld(t, application.Policy{})
	maria, token := w.create(w.admin, "maria", "0", false)
	login := func(username, password, address string) error {
		u, _ := profile.ParseUsername(username)
		_, err := w.Login(t.Context(), application.Login{Username: u, Password: profile.NewSecret(password), Client: address})
		return err
	}
	if got := w.login("MARIA", "password-maria"); got != token {
		t.Errorf("got %v, want %v", got, token)
	}
	for _, username := range []string{"nobody", "not a name"} {
		wantFault(t, login(username, "password-maria", "192.0.2.9"), application.ErrCredentials)
	}
	for range 10 {
		wantFault(t, login("maria", "wrong", "192.0.2.2"), application.ErrCredentials)
	}
	err := login("maria", "password-maria", "192.0.2.2")
	var limited *application.TooManyAttempts
	if !errors.As(err, &limited) || limited.Wait <= 0 || limited.Wait > time.Minute {
		t.Errorf("after 10 failures a right password gets %v", err)
	}
	check(t, login("maria", "password-maria", "192.0.2.3"))
	w.now = w.now.Add(limited.Wait)
	check(t, login("maria", "password-maria", "192.0.2.2"))

	check(t, w.outside.Store.Update(t.Context(), func(ctx context.Context, tx ports.Tx) error {
		admin, err := tx.Resellers.Get(ctx, w.admin.Reseller)
		if err != nil {
			return err
		}
		target, err := tx.Resellers.Get(ctx, maria.ID())
		if err != nil {
			return err
		}
		if err := admin.Block(target, w.now); err != nil {
			return err
		}
		return tx.Resellers.Save(ctx, target)
	}))
	wantFault(t, login("maria", "password-maria", "192.0.2.3"), reseller.ErrBlocked)
	wantFault(t, login("maria", "wrong", "192.0.2.3"), application.ErrCredentials)
	_, err = w.CreateTrial(t.Context(), call(token), profile.Text{}, shown)
	wantFault(t, err, reseller.ErrBlocked)
}
