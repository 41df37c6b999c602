package application_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resellerd/application"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// counting counts the passwords that are compared.
type counting struct {
	ports.PasswordHasher
	compared int
}

func (h *counting) Matches(ctx context.Context, p profile.Secret, hash string) (bool, error) {
	h.compared++
	return h.PasswordHasher.Matches(ctx, p, hash)
}

// A name that nobody has must cost what a wrong password costs, or the time of the
// answer tells which names there are.
func TestEveryFailedLoginComparesOnePassword(t *testing.T) {
	w := newWorld(t, application.Policy{})
	for _, username := range []string{"admin", "nobody", ""} {
		hasher := &counting{PasswordHasher: w.outside.Hasher}
		dependencies := w.outside
		dependencies.Hasher = hasher
		u, _ := profile.ParseUsername(username)
		_, err := application.New(dependencies, application.Policy{}).Login(t.Context(), application.Login{
			Username: u, Password: profile.NewSecret("wrong"), Client: "192.0.2.1",
		})
		wantFault(t, err, application.ErrCredentials)
		if hasher.compared != 1 {
			t.Errorf("login as %q: %d passwords were compared, want 1", username, hasher.compared)
		}
	}
}

// halting holds up the comparisons until the test ends them.
type halting struct {
	ports.PasswordHasher
	under atomic.Int64
	end   chan struct{}
}

func (h *halting) Matches(context.Context, profile.Secret, string) (bool, error) {
	h.under.Add(1)
	defer h.under.Add(-1)
	<-h.end
	return false, nil
}

func TestAClientThatLogsInOftenHoldsUpItselfOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, application.Policy{})
		hasher := &halting{PasswordHasher: w.outside.Hasher, end: make(chan struct{})}
		w.outside.Hasher = hasher
		service := application.New(w.outside, application.Policy{})
		for i, username := range []string{"a", "b", "c", "d"} { // other names: the limiter is another bound
			client := "192.0.2.1"
			if i == 3 {
				client = "192.0.2.2"
			}
			go func() {
				_, err := service.Login(t.Context(), application.Login{Username: name(t, username), Password: profile.NewSecret("wrong"), Client: client})
				wantFault(t, err, application.ErrCredentials)
			}()
		}
		synctest.Wait()
		if got := hasher.under.Load(); got != 2 {
			t.Errorf("%d passwords are compared at once, want one for each of two clients", got)
		}
		close(hasher.end)
		synctest.Wait()
	})
}

// Whether a reseller is there must not be told by the time that the refusal takes.
func TestAnUpdateOutOfSightHashesNoPassword(t *testing.T) {
	w := newWorld(t, application.Policy{})
	_, token := w.create(w.admin, "maria", "0", false)
	hidden, _ := w.create(w.admin, "hidden", "0", false)
	w.outside.Hasher = noHasher{}
	service := application.New(w.outside, application.Policy{})
	for _, id := range []int64{hidden.ID(), 999_999} {
		_, err := service.UpdateReseller(t.Context(), call(token), application.UpdateReseller{
			ID: id, Username: name(t, "other"), Password: profile.NewSecret("password"), Country: text("BR"), Whatsapp: text("1"),
		}, shown)
		wantFault(t, err, fault.ErrNotFound)
	}
}

func TestALineIsListedAsExpiredFromTheVeryInstantOn(t *testing.T) {
	w := newWorld(t, application.Policy{})
	expires := w.trial(w.admin).State().ExpiresAt
	for _, c := range []struct {
		at      time.Time
		running bool
	}{{expires.Add(-time.Millisecond), true}, {expires, false}, {expires.Add(time.Millisecond), false}} {
		w.now = c.at
		for _, asked := range []bool{true, false} {
			page, err := w.ListLines(t.Context(), call(w.admin), application.ListLines{Running: &asked, Limit: 10})
			check(t, err)
			if listed := len(page.Lines) == 1; listed != (asked == c.running) {
				t.Errorf("%v before its expiry, asked for running %v: listed %v", expires.Sub(c.at), asked, listed)
			}
		}
	}
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
		w := newWorld(t, application.Policy{})
		store := &slowTotals{Store: w.outside.Store, end: make(chan struct{})}
		w.outside.Store = store
		service := application.New(w.outside, application.Policy{})
		for range 3 {
			go func() {
				_, err := service.Prove(t.Context(), call(w.admin))
				if err != nil {
					t.Errorf("a proof that waits for another: %v", err)
				}
			}()
		}
		synctest.Wait()
		if got := store.under.Load(); got != 1 {
			t.Errorf("%d proofs sum the ledger at once, want 1", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := service.Prove(ctx, call(w.admin))
		wantFault(t, err, application.ErrProofBusy)
		close(store.end)
		synctest.Wait()
	})
}

func TestAKeyReplaysForSevenDays(t *testing.T) {
	w := newWorld(t, application.Policy{})
	target, _ := w.create(w.admin, "target", "0", false)
	fund := application.MoveCredits{ID: target.ID(), Credits: amount(t, "1.5")}
	keyed := application.Call{Token: w.admin, Key: "k", Content: []byte("PATCH 1.5")}
	sent := w.now
	for _, c := range []struct {
		after    time.Duration
		replayed bool
	}{{0, false}, {168*time.Hour - time.Millisecond, true}, {168 * time.Hour, false}} {
		w.now = sent.Add(c.after)
		answer, err := w.AddCredits(t.Context(), keyed, fund, shown)
		check(t, err)
		if answer.Replayed != c.replayed {
			t.Errorf("%v later: replayed %v, want %v", c.after, answer.Replayed, c.replayed)
		}
	}
}

func TestAKeyOfAClockThatWasAheadEndsSevenDaysFromNow(t *testing.T) {
	w := newWorld(t, application.Policy{})
	target, _ := w.create(w.admin, "target", "0", false)
	keyed := application.Call{Token: w.admin, Key: "k", Content: []byte("PATCH 1.5")}
	present := w.now
	w.now = present.AddDate(1, 0, 0)
	_, err := w.AddCredits(t.Context(), keyed, application.MoveCredits{ID: target.ID(), Credits: amount(t, "1.5")}, shown)
	check(t, err)
	for _, c := range []struct {
		after     time.Duration
		forgotten int
	}{{0, 0}, {168*time.Hour - time.Millisecond, 0}, {168 * time.Hour, 1}} {
		w.now = present.Add(c.after)
		if n, err := w.ForgetExpiredKeys(t.Context(), 10); err != nil || n != c.forgotten {
			t.Errorf("%v after the clock was set right: forgot %d, %v, want %d", c.after, n, err, c.forgotten)
		}
	}
}

func TestTheAllowanceOfTrialsOutlivesAClockThatWasAhead(t *testing.T) {
	w := newWorld(t, application.Policy{TrialsPerDay: 2})
	_, token := w.create(w.admin, "maria", "0", false)
	present := w.now
	w.now = present.AddDate(1, 0, 0)
	w.trial(token)
	w.trial(token)
	w.now = present
	refused := func() time.Duration {
		t.Helper()
		_, err := w.CreateTrial(t.Context(), call(token), profile.Text{}, shown)
		var spent *reseller.AllowanceSpent
		if !errors.As(err, &spent) {
			t.Fatalf("got %v", err)
		}
		return spent.Wait
	}
	wait := refused()
	if wait > 24*time.Hour+15*time.Minute {
		t.Errorf("the wait is %v, want at most 24 hours and a quarter", wait)
	}
	w.now = present.Add(time.Hour)
	if later := refused(); later != wait-time.Hour {
		t.Errorf("an hour later the wait is %v, want %v", later, wait-time.Hour)
	}
	w.now = present.Add(wait)
	w.trial(token)
}

func TestATrialTriesABoundedNumberOfNames(t *testing.T) {
	w := newWorld(t, application.Policy{})
	taken := w.trial(w.admin).State().Username
	names := &fixedNames{w.outside.Generator, make([]profile.Username, 1000)}
	for i := range names.names {
		names.names[i] = taken
	}
	w.outside.Generator = names
	_, err := application.New(w.outside, application.Policy{TrialDuration: time.Hour}).CreateTrial(t.Context(), call(w.admin), profile.Text{}, shown)
	var refusal *fault.Fault
	if err == nil || errors.As(err, &refusal) {
		t.Errorf("got %v, want a failure of the service", err)
	}
	if len(names.names) < 900 {
		t.Errorf("%d names were tried", 1000-len(names.names))
	}
}
