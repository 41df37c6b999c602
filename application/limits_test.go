package application_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/application/webhooks"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/message"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/secondfactor"
	"resellerd/domain/webhook"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// spender is a master that makes changes that cost no credits.
type spender struct {
	*kit.Master
	hook   int64 // a webhook, 0 until one is asked for
	member int64 // of its staff, if there is one
}

// newSpender returns a master that may make so many more free changes today, or any number of them for 0.
func newSpender(t *testing.T, changes int) *spender {
	t.Helper()
	if changes > 0 {
		changes += 2 // the reseller and the trial below
	}
	return &spender{Master: kit.NewMaster(t, application.Policy{FreeChangesPerDay: changes})}
}

// anyWebhook makes a webhook once.
func (s *spender) anyWebhook() int64 {
	if s.hook == 0 {
		s.hook = s.NewWebhook(s.Caller).ID
	}
	return s.hook
}

// keyed is the call of a turn, under a key of its own.
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

var freeChanges = map[string]func(ctx context.Context, s *spender, c application.Call,
	turn int) (application.Receipt, error){
	"a trial": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		return s.Lines.CreateTrial(ctx, c, line.Description{}, kit.Shown)
	},
	"another contact": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.Resellers.ChangeContact(ctx, c, s.contact(fmt.Sprint(turn)), kit.Shown)
	},
	"an unblock of who is not blocked": func(ctx context.Context, s *spender, c application.Call,
		_ int) (application.Receipt, error) {
		return s.Resellers.Unblock(ctx, c, s.Below, kit.Shown)
	},
	"credits to and fro": func(ctx context.Context, s *spender, c application.Call,
		turn int) (application.Receipt, error) {
		move := resellers.Move{ID: s.Below, Credits: fixture.Credits("0.0001")}
		if turn%2 == 0 {
			return s.Credits.Add(ctx, c, move, kit.Shown)
		}
		return s.Credits.Reclaim(ctx, c, move, kit.Shown)
	},
	"messages": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.Resellers.SetMessages(ctx, c,
			resellers.SetMessages{ID: s.Below, Texts: message.Texts{Server: fmt.Sprint(turn)}},
			kit.Shown)
	},
	"a key": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.Principals.Create(ctx, c, access.CreatePrincipal{Kind: principal.Key, Name: fmt.Sprint(turn),
			Scopes: []principal.Scope{principal.LinesRead}}, kit.Shown)
	},
	"a webhook": func(ctx context.Context, s *spender, c application.Call, _ int) (application.Receipt, error) {
		return s.Webhooks.Create(ctx, c, kit.CreateWebhook("https://a.example/"), kit.Shown)
	},
	"an edit": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.Lines.Edit(ctx, c, s.edit(fmt.Sprint("password ", turn)), kit.Shown)
	},
	"another alert": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.Resellers.SetAlert(ctx, c,
			resellers.SetAlert{ID: s.Reseller(), Below: fixture.Credits([]string{"1000", "2000"}[turn%2])}, kit.Shown)
	},
	"a new reseller": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.Resellers.Create(ctx, c, resellers.Create{Username: fixture.Name(fmt.Sprint("new", turn)),
			Password: profile.NewSecret("password")}, kit.Shown)
	},
	"an update": func(ctx context.Context, s *spender, c application.Call, turn int) (application.Receipt, error) {
		return s.Resellers.Update(ctx, c, resellers.Update{ID: s.Below, Username: fixture.Name("below"),
			Password:      profile.NewSecret("password-below"),
			ContactChange: reseller.ContactChange{Country: new(fixture.Text(fmt.Sprint(turn)))}}, kit.Shown)
	},
}

// freeChange is refused once the limit is reached, unlike what comes with it.
func freeChange(ctx context.Context, s *spender, turn int) error {
	return kit.ErrorOf(s.Resellers.ChangeContact(ctx, kit.Call(s.Caller), s.contact(fmt.Sprint(turn)), kit.Shown))
}

func TestChangesThatCostNoCreditsAreLimited(t *testing.T) {
	const most = 5
	for change, do := range freeChanges {
		s, ctx := newSpender(t, most), t.Context()
		for turn := range most {
			if _, err := do(ctx, s, s.keyed(turn), turn); err != nil {
				t.Fatalf("%s, %d. of %d: %v", change, turn+1, most, err)
			}
		}
		_, err := do(ctx, s, s.keyed(most), most)
		var spent *fault.Later
		if !errors.As(err, &spent) || spent.Wait != 12*time.Hour-123*time.Millisecond {
			t.Fatalf("%s, one more: %v", change, err)
		}
		again, err := do(ctx, s, s.keyed(most-1), most-1)
		require.NoError(t, err)
		expect.Equal(t, again.Replayed, true, "%s: it is replayed", change)
		s.Now = s.Now.Add(12 * time.Hour)
		expect.Equal(t, kit.Must(do(ctx, s, s.keyed(most), most)).Replayed, false, "%s, a day later: replayed", change)
	}
}

// TestWhatChangesNothingIsNoFreeChange repeats a change without a key, so that not even its answer is stored.
func TestWhatChangesNothingIsNoFreeChange(t *testing.T) {
	s := newSpender(t, 1)
	for range 5 {
		require.NoError(t, freeChange(t.Context(), s, 7))
	}
	expect.Error(t, freeChange(t.Context(), s, 8), application.ErrTooManyFreeChanges)
	require.NoError(t, freeChange(t.Context(), s, 7))
}

// TestFreeChangesAtOnceAreCounted by their callers' limit, to the last one.
func TestFreeChangesAtOnceAreCounted(t *testing.T) {
	s := newSpender(t, 3)
	refused := make(chan error)
	for turn := range 10 {
		go func() { refused <- freeChange(t.Context(), s, turn) }()
	}
	done := 0
	for range 10 {
		if err := <-refused; err == nil {
			done++
		} else {
			expect.Error(t, err, application.ErrTooManyFreeChanges)
		}
	}
	expect.Equal(t, done, 3, "changes are made")
}

// TestWhereTheLimitOfFreeChangesStands asks as who has nothing left.
func TestWhereTheLimitOfFreeChangesStands(t *testing.T) {
	s, ctx := newSpender(t, 3), t.Context()
	trial := s.Trial(s.Caller).ID()
	key, _ := s.NewKey(s.Caller)
	member := s.NewMember(s.Caller, "member")
	err := freeChange(ctx, s, 0)
	expect.Error(t, err, application.ErrTooManyFreeChanges)

	// What costs credits goes on, what is refused before is refused so, and the balance comes later.
	require.NoError(t, kit.ErrorOf(s.Activate(s.Caller, s.Activation(trial, "another", "1"))))
	require.NoError(t, kit.ErrorOf(s.Lines.Extend(ctx, kit.Call(s.Caller),
		lines.Extend{ID: s.Line, Price: fixture.Price("1")}, kit.Shown)))
	// So does the end of a key that may have used it all up.
	for id, kind := range map[int64]principal.Kind{key: principal.Key, member: principal.Staff} {
		require.NoError(t, kit.ErrorOf(s.Principals.Remove(ctx, kit.Call(s.Caller),
			access.RemovePrincipal{ID: id, Kind: kind}, kit.Shown)))
	}
	expect.Error(t, kit.ErrorOf(s.Lines.Delete(ctx, kit.Call(s.Caller), 999_999, kit.Shown)), fault.ErrNotFound)
	_, err = s.Resellers.Block(ctx, kit.Call(s.Caller), resellers.Block{ID: s.Reseller()}, kit.Shown)
	expect.Error(t, err, reseller.ErrNotAllowed)
	expect.Error(t, kit.ErrorOf(s.Lines.Edit(ctx, kit.Call(s.Caller), lines.Edit{ID: s.Line,
		Username: fixture.Name("another"),
		Password: profile.NewSecret("password")}, kit.Shown)), profile.ErrUsernameTaken)
	expect.Error(t, kit.ErrorOf(s.Credits.Add(ctx, kit.Call(s.Caller),
		resellers.Move{ID: s.Below, Credits: fixture.Credits("1000")}, kit.Shown)), application.ErrTooManyFreeChanges)
	// Nor is a password hashed for what is refused.
	s.Dependencies.Hasher = noHasher{}
	for _, name := range []string{"below", "new"} {
		_, create := s.Resellers.Create(ctx, kit.Call(s.Caller),
			resellers.Create{Username: fixture.Name(name), Password: profile.NewSecret("password")}, kit.Shown)
		_, update := s.Resellers.Update(ctx, kit.Call(s.Caller),
			resellers.Update{ID: s.Reseller(), Username: fixture.Name(name), Password: profile.NewSecret("password")},
			kit.Shown)
		want := application.ErrTooManyFreeChanges
		if name == "below" {
			want = profile.ErrUsernameTaken
		}
		expect.Error(t, create, want)
		expect.Error(t, update, want)
	}

	// Others have theirs, and an admin has no limit.
	other, _ := s.Create(s.Admin, "other", "0", false)
	for turn := range 30 {
		require.NoError(t, kit.ErrorOf(s.Resellers.ChangeContact(ctx, kit.Call(s.Admin),
			resellers.Update{ID: other.ID(), ContactChange: s.contact(fmt.Sprint(turn)).ContactChange}, kit.Shown)))
	}
	s.Trial(s.Login("below", "password-below"))
}

// emergencies are the operations that the limit of free changes never refuses.
var emergencies = map[string]func(ctx context.Context, s *spender, c application.Call, turn int) error{
	"a sign-in and its end": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		c.Caller = s.By(s.SignIn("master"))
		return s.Access.SignOut(ctx, c)
	},
	"a sign-in and the end of another session": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		other := s.SignIn("master")
		c.Caller = s.By(s.SignIn("master"))
		return s.Access.EndSession(ctx, c, other.ID)
	},
	"a token": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		_, err := s.Access.RevokeToken(ctx, c, kit.Shown)
		s.Caller = s.Login("master", "password-master")
		return err
	},
	"a password": func(ctx context.Context, s *spender, c application.Call, turn int) error {
		passwords := []profile.Secret{profile.NewSecret("password-master"), profile.NewSecret("another password")}
		_, err := s.Access.ChangePassword(ctx, c, access.ChangePassword{Present: passwords[turn%2], New: passwords[1-turn%2]},
			kit.Shown)
		s.Caller = s.Login("master", passwords[1-turn%2].Reveal())
		return err
	},
	"a second factor and its end": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		password := profile.NewSecret("password-master")
		c.Caller = s.By(s.SignIn("master"))
		secret := s.ConfirmFactor(c.Caller, password)
		s.Now = s.Now.Add(time.Minute)
		_, err := s.Access.RemoveFactor(ctx, c, access.RemoveFactor{Password: password, Code: s.Code(secret)}, kit.Shown)
		s.Now = s.Now.Add(time.Minute)
		return err
	},
	"a password of the staff": func(ctx context.Context, s *spender, c application.Call, turn int) error {
		return kit.ErrorOf(s.Principals.Update(ctx, c, access.UpdatePrincipal{ID: s.member, Kind: principal.Staff,
			Password: new(profile.NewSecret(fmt.Sprint("password-", turn)))}, kit.Shown))
	},
	"a block": func(ctx context.Context, s *spender, c application.Call, turn int) error {
		return kit.ErrorOf(s.Resellers.Block(ctx, c,
			resellers.Block{ID: s.Below, Terms: reseller.Terms{Reason: fixture.Text(fmt.Sprint(turn))}}, kit.Shown))
	},
	"a suspension": func(ctx context.Context, s *spender, c application.Call, turn int) error {
		return kit.ErrorOf(s.Lines.Suspend(ctx, c, lines.Suspend{ID: s.Line, Reason: fixture.Text(fmt.Sprint(turn))},
			kit.Shown))
	},
	"a webhook that is disabled": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		disable := webhooks.Update{ID: s.hook, Change: webhook.Change{Enabled: new(false)}}
		return kit.ErrorOf(s.Webhooks.Update(ctx, c, disable, kit.Shown))
	},
	"a factor of the staff": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		_, err := s.Principals.ResetFactor(ctx, c, s.member, kit.Shown)
		if errors.Is(err, secondfactor.ErrInactive) {
			return nil
		}
		return err
	},
	"a factor of who is below": func(ctx context.Context, s *spender, c application.Call, _ int) error {
		_, err := s.Access.ResetFactor(ctx, c, s.Below, kit.Shown)
		if errors.Is(err, secondfactor.ErrInactive) {
			return nil
		}
		return err
	},
}

// TestEmergencyOperationsAreNeverRefused repeats each one after its caller has made all changes that it may.
func TestEmergencyOperationsAreNeverRefused(t *testing.T) {
	s, ctx := newSpender(t, 10), t.Context()
	s.member = s.NewMember(s.Caller, "member")
	key, _ := s.NewKey(s.Caller)
	s.anyWebhook()
	trial := s.Trial(s.Caller).ID()
	s.ConfirmFactor(s.By(s.SignIn("member")), profile.NewSecret("password-member"))
	s.ConfirmFactor(s.By(s.SignIn("below")), profile.NewSecret("password-below"))
	var err error
	for turn := 0; err == nil; turn++ {
		err = freeChange(ctx, s, turn)
	}
	expect.Error(t, err, application.ErrTooManyFreeChanges)
	for what, do := range emergencies {
		for turn := range 4 {
			expect.Error(t, do(ctx, s, kit.Call(s.Caller), turn), nil, "%s, %d. time", what, turn+1)
		}
	}
	_, line := s.Lines.Delete(ctx, kit.Call(s.Caller), trial, kit.Shown)
	_, hook := s.Webhooks.Delete(ctx, kit.Call(s.Caller), s.hook, kit.Shown)
	_, revoked := s.Principals.Remove(ctx, kit.Call(s.Caller), access.RemovePrincipal{ID: key, Kind: principal.Key},
		kit.Shown)
	_, removed := s.Principals.Remove(ctx, kit.Call(s.Caller), access.RemovePrincipal{ID: s.member, Kind: principal.Staff},
		kit.Shown)
	require.NoError(t, errors.Join(line, hook, revoked, removed))
	change := webhooks.Update{ID: s.hook, Change: webhook.Change{Enabled: new(false), Description: new("x")}}
	expect.Equal(t, change.OnlyDisables(), false, "a webhook's text is changed without a limit")
	expect.Error(t, freeChange(ctx, s, -1), application.ErrTooManyFreeChanges)
}

// TestEmergencyOperationsCount as free changes.
func TestEmergencyOperationsCount(t *testing.T) {
	s, ctx := newSpender(t, 3), t.Context()
	for turn := range 3 {
		require.NoError(t, emergencies["a suspension"](ctx, s, kit.Call(s.Caller), turn))
	}
	expect.Error(t, freeChange(ctx, s, 0), application.ErrTooManyFreeChanges)
}

// TestEachPrincipalHasFreeChangesOfItsOwn has a key use up those of a day: its owner, the staff and other keys go on.
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
	require.NoError(t, trial(s.Caller)) // beside two keys and a member
	expect.Error(t, trial(s.Caller), application.ErrTooManyFreeChanges)
	// by token or session, it is the owner
	expect.Error(t, trial(s.By(s.SignIn("master"))), application.ErrTooManyFreeChanges)
}

func TestAFreeChangeThatIsNotCommittedIsNotCounted(t *testing.T) {
	s, ctx := newSpender(t, 0), t.Context()
	store := &kit.Uncommitted{Store: s.Dependencies.Store, Fails: true}
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
