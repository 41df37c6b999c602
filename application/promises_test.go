package application_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/ledger"
	"resellerd/application/resellers"
	"resellerd/domain/credit"
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

// counting counts the passwords that are compared.
type counting struct {
	ports.PasswordHasher
	compared int
}

func (c *counting) Matches(ctx context.Context, caller string, p profile.Secret, hash string) (bool, error) {
	c.compared++
	return c.PasswordHasher.Matches(ctx, caller, p, hash)
}

func (c *counting) Queue(caller string) (ports.Comparison, time.Duration) {
	place, wait := c.PasswordHasher.Queue(caller)
	return &countingPlace{place, c}, wait
}

type countingPlace struct {
	ports.Comparison
	hasher *counting
}

func (c *countingPlace) Matches(ctx context.Context, p profile.Secret, hash string) (bool, time.Duration, error) {
	c.hasher.compared++
	return c.Comparison.Matches(ctx, p, hash)
}

// logins are the ways to say who one is.
var logins = map[string]func(context.Context, *application.Service, access.Login) error{
	"for a token": func(ctx context.Context, s *application.Service, c access.Login) error {
		return kit.ErrorOf(s.Access.Login(ctx, c))
	},
	"for a session": func(ctx context.Context, s *application.Service, c access.Login) error {
		_, _, err := s.Access.SignIn(ctx, access.SignIn{Login: c})
		return err
	},
}

// A name that nobody has must cost what a wrong password costs, or the time of the answer tells which names there are.
func TestEveryFailedLoginComparesOnePassword(t *testing.T) {
	h := kit.New(t, application.Policy{})
	for way, login := range logins {
		for _, username := range []string{"admin", "nobody", ""} {
			hasher := &counting{PasswordHasher: h.Dependencies.Hasher}
			dependencies := h.Dependencies
			dependencies.Hasher = hasher
			u, _ := profile.ParseUsername(username)
			err := login(t.Context(), application.New(dependencies, application.Policy{}), access.Login{
				Username: u, Password: profile.NewSecret("wrong"), Client: "192.0.2.1",
			})
			expect.Error(t, err, access.ErrCredentials)
			expect.Equal(t, hasher.compared, 1, "login %s as %q", way, username)
		}
	}
}

// unseen fails the test where anything is read of the store.
type unseen struct {
	ports.Store
	t *testing.T
}

func (u unseen) View(context.Context, func(context.Context, ports.Snapshot) error) error {
	u.t.Error("a name was looked up")
	return ports.ErrUnavailable
}

// unasked fails the test where an attempt is counted.
type unasked struct{ t *testing.T }

func (u unasked) Attempt(context.Context, string, string) (func(bool), time.Duration, error) {
	u.t.Error("an attempt was counted")
	return func(bool) {}, 0, nil
}

// What is decided before anything is known of the name tells nothing of it, by its time either.
func TestABusyLoginIsRefusedBeforeItsNameIsLookedUp(t *testing.T) {
	h := kit.New(t, application.Policy{})
	h.Dependencies.Store, h.Dependencies.Limiter = unseen{h.Dependencies.Store, t}, unasked{t}
	h.Dependencies.Hasher = noHasher{}
	for way, login := range logins {
		for _, username := range []string{"admin", "nobody"} {
			err := login(t.Context(), application.New(h.Dependencies, application.Policy{}), access.Login{
				Username: fixture.Name(username), Password: profile.NewSecret("admin-password"), Client: "192.0.2.1",
			})
			var busy *fault.Later
			if expect.Error(t, err, access.ErrLoginsBusy); !errors.As(err, &busy) || busy.Wait != time.Minute {
				t.Errorf("%s: got %v", way, err)
			}
		}
	}
}

// asking keeps who asks for passwords to be hashed or compared.
type asking struct {
	ports.PasswordHasher
	callers []string
}

func (a *asking) Hash(ctx context.Context, caller string, p profile.Secret) (string, error) {
	a.callers = append(a.callers, caller)
	return a.PasswordHasher.Hash(ctx, caller, p)
}

func (a *asking) Matches(ctx context.Context, caller string, p profile.Secret, hash string) (bool, error) {
	a.callers = append(a.callers, caller)
	return a.PasswordHasher.Matches(ctx, caller, p, hash)
}

func (a *asking) Queue(caller string) (ports.Comparison, time.Duration) {
	a.callers = append(a.callers, caller)
	return a.PasswordHasher.Queue(caller)
}

// Each caller waits for itself at the hasher, so a login is one of its client, whatever
// its name, and an effect one of the reseller that asks.
func TestTheHasherIsToldWhoAsks(t *testing.T) {
	h := kit.New(t, application.Policy{})
	h.Create(h.Admin, "master", "0", true)
	hasher := &asking{PasswordHasher: h.Dependencies.Hasher}
	h.Dependencies.Hasher = hasher
	service := application.New(h.Dependencies, application.Policy{})
	asks := func(do func() error) string {
		t.Helper()
		hasher.callers = nil
		if err := do(); err != nil {
			expect.Error(t, err, access.ErrCredentials)
		}
		callers := slices.Compact(hasher.callers)
		if len(callers) != 1 {
			t.Fatalf("one request asks as %q", callers)
		}
		return callers[0]
	}
	login := func(username, client, way string) string {
		return asks(func() error {
			return logins[way](t.Context(), service,
				access.Login{Username: fixture.Name(username), Password: profile.NewSecret("wrong"), Client: client})
		})
	}
	client := login("admin", "1", "for a token")
	expect.Equal(t, login("nobody", "1", "for a session"), client, "the same client asks as")
	all := []string{client, login("admin", "2", "for a session"), asks(func() error {
		return kit.ErrorOf(service.Resellers.Create(t.Context(), kit.Call(h.Admin), resellers.Create{
			Username: fixture.Name("below"), Password: profile.NewSecret("password"),
		}, kit.Shown))
	}), asks(func() error {
		return service.Admins.ResetPassword(t.Context(), fixture.Name("master"), profile.NewSecret("password"))
	})}
	slices.Sort(all)
	expect.Equal(t, len(slices.Compact(all)), 4, "callers are told apart: %q", all)
}

// Whether a reseller is there must not be told by the time that the refusal takes.
func TestAnUpdateOutOfSightHashesNoPassword(t *testing.T) {
	h := kit.New(t, application.Policy{})
	_, token := h.Create(h.Admin, "maria", "0", false)
	hidden, _ := h.Create(h.Admin, "hidden", "0", false)
	h.Dependencies.Hasher = noHasher{}
	service := application.New(h.Dependencies, application.Policy{})
	for _, id := range []int64{hidden.ID(), 999_999} {
		expect.Error(t, kit.ErrorOf(service.Resellers.Update(t.Context(), kit.Call(token), resellers.Update{
			ID: id, Username: fixture.Name("other"), Password: profile.NewSecret("password"),
			ContactChange: reseller.ContactChange{Country: new(fixture.Text("BR")), Whatsapp: new(fixture.Text("1"))},
		}, kit.Shown)), fault.ErrNotFound)
	}
}

// A name without a password costs no hash, and keeps the password and the token.
func TestAnUpdateWithoutAPasswordHashesNone(t *testing.T) {
	h := kit.New(t, application.Policy{})
	maria, token := h.Create(h.Admin, "maria", "0", false)
	h.Dependencies.Hasher = noHasher{}
	service := application.New(h.Dependencies, application.Policy{})
	var got resellers.Reseller
	require.NoError(t, kit.ErrorOf(service.Resellers.ChangeContact(t.Context(), kit.Call(token),
		resellers.Update{ID: maria.ID(), Username: fixture.Name("ana")}, kit.Into(&got))))
	is := got.State()
	expect.Equal(t, is.Username, fixture.Name("ana"), "the name")
	expect.Equal(t, is.PasswordHash, maria.PasswordHash(), "with another name the hash is")
	expect.Equal(t, is.Token, maria.Token(), "with another name the generation of tokens is")
}

// slowTotals is a store whose sums take until the test ends them.
type slowTotals struct {
	ports.Store
	under atomic.Int64
	end   chan struct{}
}

func (s *slowTotals) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	return s.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		snapshot.Ledger = slowStatements{snapshot.Ledger, s}
		return look(ctx, snapshot)
	})
}

type slowStatements struct {
	ports.Statements
	of *slowTotals
}

func (s slowStatements) Totals(ctx context.Context) (credit.Totals, error) {
	s.of.under.Add(1)
	defer s.of.under.Add(-1)
	<-s.of.end
	return s.Statements.Totals(ctx)
}

func TestOneProofRunsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := kit.New(t, application.Policy{})
		store := &slowTotals{Store: h.Dependencies.Store, end: make(chan struct{})}
		h.Dependencies.Store = store
		service := application.New(h.Dependencies, application.Policy{})
		for range 3 {
			go func() {
				expect.Error(t, kit.ErrorOf(service.Ledger.Prove(t.Context(), kit.Call(h.Admin))), nil, "a proof that waits for another")
			}()
		}
		synctest.Wait()
		expect.Equal(t, store.under.Load(), 1, "proofs sum the ledger at once")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		expect.Error(t, kit.ErrorOf(service.Ledger.Prove(ctx, kit.Call(h.Admin))), ledger.ErrProofBusy)
		close(store.end)
		synctest.Wait()
	})
}

func TestAKeyOfAClockThatWasAheadEndsSevenDaysFromNow(t *testing.T) {
	h := kit.New(t, application.Policy{})
	target, _ := h.Create(h.Admin, "target", "0", false)
	keyed := application.Call{Caller: h.Admin, Key: "k", Content: []byte("PATCH 1.5")}
	present := h.Now
	h.Now = present.AddDate(1, 0, 0)
	require.NoError(t, kit.ErrorOf(h.Credits.Add(t.Context(), keyed,
		resellers.Move{ID: target.ID(), Credits: fixture.Credits("1.5")}, kit.Shown)))
	for _, c := range []struct {
		after     time.Duration
		forgotten int
	}{{0, 0}, {168*time.Hour - time.Millisecond, 0}, {168 * time.Hour, 1}} {
		h.Now = present.Add(c.after)
		n := kit.Must(h.IdempotencyKeys.ForgetExpired(t.Context(), 10))
		expect.Equal(t, n, c.forgotten, "%v after the clock was set right it forgot", c.after)
	}
}

func TestATrialTriesABoundedNumberOfNames(t *testing.T) {
	h := kit.New(t, application.Policy{})
	taken := h.Trial(h.Admin).State().Username
	names := &fixedNames{h.Dependencies.Generator, make([]profile.Username, 1000)}
	for i := range names.names {
		names.names[i] = taken
	}
	h.Dependencies.Generator = names
	_, err := application.New(h.Dependencies, application.Policy{TrialDuration: time.Hour}).Lines.CreateTrial(t.Context(),
		kit.Call(h.Admin), line.Description{}, kit.Shown)
	var refusal *fault.Fault
	if err == nil || errors.As(err, &refusal) {
		t.Errorf("got %v, want a failure of the service", err)
	}
	expect.Equal(t, len(names.names) >= 900, true, "at most 100 names were tried: %d", 1000-len(names.names))
}
