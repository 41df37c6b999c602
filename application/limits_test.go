package application_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/application/webhooks"
	"resellerd/domain/fault"
	"resellerd/domain/journal"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/webhook"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// spender is a master that makes changes that cost no credits.
type spender struct {
	*kit.Master
}

// newSpender returns a master that may make so many more free changes today, or any number of them for 0.
func newSpender(t *testing.T, changes int) *spender {
	t.Helper()
	if changes > 0 {
		changes += 2 // the reseller and the trial below
	}
	return &spender{Master: kit.NewMaster(t, application.Policy{FreeChangesPerDay: changes})}
}

// keyed is the call of a turn, under its own key.
func (s *spender) keyed(turn int) application.Call {
	return application.Call{Caller: s.Caller, Request: "r", Key: fmt.Sprint("key ", turn), Content: []byte{'x'}}
}

func (s *spender) edit(password string) lines.Edit {
	return lines.Edit{ID: s.Line, Username: fixture.Name("official"), Password: profile.NewSecret(password),
		Description: line.Description{Country: new(fixture.Text("PT"))}}
}

func (s *spender) contact(notes string) resellers.Update {
	text := fixture.Text(notes)
	return resellers.Update{ID: s.Below, ContactChange: reseller.ContactChange{Notes: &text}}
}

// freeChange is refused at the limit, unlike the command that it belongs to.
func freeChange(ctx context.Context, s *spender, turn int) error {
	return kit.ErrorOf(s.Resellers.ChangeContact(ctx, kit.Call(s.Caller), s.contact(fmt.Sprint(turn)), kit.Shown))
}

func TestChangesThatCostNoCreditsAreLimited(t *testing.T) {
	const most = 5
	s, ctx := newSpender(t, most), t.Context()
	change := func(turn int) (application.Receipt, error) {
		return s.Resellers.ChangeContact(ctx, s.keyed(turn), s.contact(fmt.Sprint(turn)), kit.Shown)
	}
	for turn := range most {
		require.NoError(t, kit.ErrorOf(change(turn)))
		require.NoError(t, freeChange(ctx, s, turn)) // which changes nothing any more, and does not count
	}
	var spent *fault.Later
	if err := kit.ErrorOf(change(most)); !errors.As(err, &spent) || spent.Wait != 12*time.Hour-123*time.Millisecond {
		t.Fatalf("one more: %v", err)
	}
	require.NoError(t, freeChange(ctx, s, most-1))
	expect.Equal(t, kit.Must(change(most-1)).Replayed, true, "it is replayed")
	s.Now = s.Now.Add(12 * time.Hour)
	expect.Equal(t, kit.Must(change(most)).Replayed, false, "a day later: replayed")
}

// unlimited are the commands that the limit of free changes never refuses: those that cost credits, and those that an
// account needs in an emergency. Emergencies count.
var unlimited = []string{
	"Access.BeginFactor", "Access.ChangePassword", "Access.ConfirmFactor", "Access.RemoveFactor", "Access.ResetFactor",
	"Access.RevokeToken", "Jobs.Stop", "Lines.Activate", "Lines.ChangePlan", "Lines.Delete", "Lines.Extend",
	"Lines.Suspend",
	"Principals.Remove key", "Principals.Remove staff", "Principals.ResetFactor", "Principals.Update staff",
	"Resellers.Block", "Resellers.Block lines as well", "Resellers.Block on other terms", "Webhooks.Delete",
}

// TestWhichCommandsAreFreeChanges does each command as an account that has made all free changes of its day.
func TestWhichCommandsAreFreeChanges(t *testing.T) {
	for name, c := range commands {
		s, ctx := newStage(t), t.Context()
		by := s.Caller
		if slices.Contains(only[name], journal.BySession) {
			by = s.By(s.browser)
		}
		if prepare := ready[name]; prepare != nil {
			prepare(s, by)
		}
		s.Service = s.On(s.Dependencies.Store, application.Policy{TrialDuration: time.Hour, FreeChangesPerDay: 1})
		require.NoError(t, freeChange(ctx, s.spender, 0))
		s.Now = s.Now.Add(time.Minute) // when the code of a second factor is another one
		var want error = application.ErrTooManyFreeChanges
		if slices.Contains(unlimited, name) {
			want = nil
		}
		_, err := c.do(ctx, s, kit.Call(by))
		expect.Error(t, err, want, "%s", name)
	}
	s, ctx := newStage(t), t.Context()
	s.Service = s.On(s.Dependencies.Store, application.Policy{FreeChangesPerDay: 2})
	for turn := range 3 { // of which the first two count
		require.NoError(t, kit.ErrorOf(s.Lines.Suspend(ctx, kit.Call(s.Caller),
			lines.Suspend{ID: s.Line, Reason: fixture.Text(fmt.Sprint(turn))}, kit.Shown)))
	}
	expect.Error(t, freeChange(ctx, s.spender, 0), application.ErrTooManyFreeChanges)
	update := func(change webhook.Change) error {
		return kit.ErrorOf(s.Webhooks.Update(ctx, kit.Call(s.Caller), webhooks.Update{ID: s.hook, Change: change}, kit.Shown))
	}
	expect.Error(t, update(webhook.Change{Enabled: new(false), Description: new("x")}), application.ErrTooManyFreeChanges)
	require.NoError(t, update(webhook.Change{Enabled: new(false)}))
}

// A key uses up the free changes of its day: its owner, the staff and other keys are not limited by that.
func TestEachPrincipalHasFreeChangesOfItsOwn(t *testing.T) {
	s, ctx := newSpender(t, 4), t.Context()
	_, key := s.NewKey(s.Caller, principal.LinesWrite)
	_, other := s.NewKey(s.Caller, principal.LinesWrite)
	s.NewMember(s.Caller, "member", principal.LinesWrite)
	member := s.By(s.SignIn("member"))
	trial := func(by application.Caller) error {
		return kit.ErrorOf(s.Lines.CreateTrial(ctx, kit.Call(by), line.Description{}, kit.Shown))
	}
	for _, by := range []application.Caller{key, member, other} {
		for range 6 {
			require.NoError(t, trial(by))
		}
		expect.Error(t, trial(by), application.ErrTooManyFreeChanges)
	}
	require.NoError(t, trial(s.Caller)) // besides two keys and a member
	expect.Error(t, trial(s.Caller), application.ErrTooManyFreeChanges)
	// by token or session, it is the owner
	expect.Error(t, trial(s.By(s.SignIn("master"))), application.ErrTooManyFreeChanges)
}

func TestAFreeChangeThatIsNotCommittedIsNotCounted(t *testing.T) {
	s, ctx := newSpender(t, 0), t.Context()
	store := &kit.Store{Store: s.Dependencies.Store, Fails: true}
	s.Dependencies.Store = store
	s.Service = application.New(s.Dependencies, application.Policy{TrialDuration: time.Hour, FreeChangesPerDay: 2})
	for turn := range 5 {
		_, err := s.Resellers.ChangeContact(ctx, s.keyed(turn), s.contact(fmt.Sprint(turn)), kit.Shown)
		expect.Error(t, err, application.ErrUnavailable)
	}
	store.Fails = false
	require.NoError(t, freeChange(ctx, s, 8))
	require.NoError(t, freeChange(ctx, s, 9))
	expect.Error(t, freeChange(ctx, s, 10), application.ErrTooManyFreeChanges)
}
