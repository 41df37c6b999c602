package application_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/ledger"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
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

// logins are the operations that check a password.
var logins = map[string]func(context.Context, *application.Service, access.Login) error{
	"for a token": func(ctx context.Context, s *application.Service, c access.Login) error {
		return kit.ErrorOf(s.Access.Login(ctx, c))
	},
	"for a session": func(ctx context.Context, s *application.Service, c access.Login) error {
		_, _, err := s.Access.SignIn(ctx, access.SignIn{Login: c})
		return err
	},
}

// observedLogins counts logins, by outcome.
type observedLogins map[bool]int

func (observedLogins) UseCase(ctx context.Context, _ string) (context.Context, func()) {
	return ctx, func() {}
}
func (o observedLogins) Login(err error) { o[err == nil]++ }

// An unknown name must cost the same time as a wrong password. Otherwise the time of the answer reveals which names
// exist.
func TestEveryFailedLoginComparesOnePassword(t *testing.T) {
	h := kit.New(t, application.Policy{})
	for way, login := range logins {
		for _, username := range []string{"admin", "nobody", ""} {
			hasher := &counting{PasswordHasher: h.Dependencies.Hasher}
			dependencies, observed := h.Dependencies, observedLogins{}
			dependencies.Hasher, dependencies.Observer = hasher, observed
			u, _ := profile.ParseUsername(username)
			err := login(t.Context(), application.New(dependencies, application.Policy{}), access.Login{
				Username: u, Password: profile.NewSecret("wrong"), Client: "192.0.2.1",
			})
			expect.Error(t, err, access.ErrCredentials)
			expect.Equal(t, hasher.compared, 1, "login %s as %q", way, username)
			expect.Equal(t, observed[false], 1, "observed failures")
			dependencies.Hasher = noHasher{} // which compares nothing now
			expect.Error(t, login(t.Context(), application.New(dependencies, application.Policy{}),
				access.Login{Username: u, Password: profile.NewSecret("admin-password")}), access.ErrLoginsBusy)
		}
	}
}

// The time of the refusal must not reveal whether a reseller exists.
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

func TestOneProofRunsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := kit.New(t, application.Policy{})
		views, end := 0, make(chan struct{})
		service := h.On(&kit.Store{Store: h.Dependencies.Store, AroundView: func(call func() error) error {
			if views++; views == 2 { // after the admission of the first
				<-end
			}
			return call()
		}}, application.Policy{})
		go func() {
			expect.Error(t, kit.ErrorOf(service.Ledger.Prove(t.Context(), kit.Call(h.Admin))), nil, "the first")
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		expect.Error(t, kit.ErrorOf(service.Ledger.Prove(ctx, kit.Call(h.Admin))), ledger.ErrProofBusy)
		close(end)
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
