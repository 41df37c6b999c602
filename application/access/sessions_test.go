package access_test

import (
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
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// ask returns the refusal of a request of a session, nil if there is none.
func ask(h *kit.Harness, b kit.Browser) error {
	h.T.Helper()
	caller, err := h.Authentication.AuthenticateSession(h.T.Context(), b.Secret)
	if err == nil {
		_, err = h.Resellers.Self(h.T.Context(), kit.Call(caller))
	}
	return err
}

func TestSessionIsStoredWithoutItsSecret(t *testing.T) {
	h := kit.New(t, application.Policy{})
	maria, _ := h.Create(h.Admin, "maria", "0", false)
	command := kit.SignInOf("MARIA")
	command.Password = profile.NewSecret("password-maria")
	begun, secret, err := h.Access.SignIn(t.Context(), command)
	require.NoError(t, err)
	want := session.Session{
		ID: session.IDOf(secret.Reveal()), Reseller: maria.ID(), Password: session.MarkOf(maria.PasswordHash()),
		Device: "a browser", Address: "192.0.2.1", Created: h.Now, Used: h.Now,
	}
	expect.Equal(t, begun.Session, want, "begun")
	expect.Equal(t, begun.Reseller.ID(), maria.ID(), "begun for account")
	expect.DeepEqual(t, h.Recorded().Sessions, map[session.ID]session.Session{want.ID: want}, "the stored sessions")
	by := h.By(kit.Browser{Secret: secret.Reveal()})
	expect.Equal(t, by.Reseller(), maria.ID(), "the account of the session")
	expect.Equal(t, by.SessionID(), want.ID, "the session of the call")
	shown, err := h.Access.Session(t.Context(), kit.Call(by))
	require.NoError(t, err)
	expect.Equal(t, shown.Session, want, "shown")
	expect.Equal(t, shown.Reseller.ID(), maria.ID(), "shown of account")
	h.Trial(by)
	for _, other := range []string{"", string(want.ID), secret.Reveal() + "x"} {
		err := kit.ErrorOf(h.Authentication.AuthenticateSession(t.Context(), other))
		expect.Error(t, err, session.ErrEnded, "%q in place of the secret", other)
	}
}

func TestSessionEndsWithItsPassword(t *testing.T) {
	h := kit.New(t, application.Policy{})
	maria, token := h.Create(h.Admin, "maria", "0", false)
	first, second := h.SignIn("maria"), h.SignIn("maria")
	require.NoError(t, kit.ErrorOf(h.Access.RevokeToken(t.Context(), kit.Call(h.By(first)), kit.Shown)))
	expect.Error(t, kit.ErrorOf(h.Resellers.Self(t.Context(), kit.Call(token))), reseller.ErrTokenRevoked)
	require.NoError(t, ask(h, first)) // the session does not depend on the token

	update := resellers.Update{
		ID: maria.ID(), Username: fixture.Name("maria"), Password: profile.NewSecret("password-maria"),
		ContactChange: reseller.ContactChange{Country: new(fixture.Text("BR")), Whatsapp: new(fixture.Text("1"))},
	}
	require.NoError(t, kit.ErrorOf(h.Resellers.Update(t.Context(), kit.Call(h.By(first)), update, kit.Shown)))
	require.NoError(t, ask(h, first)) // the same password is no change

	let := h.By(second)
	update.Password = profile.NewSecret("another")
	keyed := kit.Call(h.By(first))
	keyed.Key, keyed.Content = "password", []byte("x")
	require.NoError(t, kit.ErrorOf(h.Resellers.Update(t.Context(), keyed, update,
		kit.Shown))) // the caller is answered
	expect.Error(t, ask(h, first), session.ErrEnded)
	expect.Error(t, ask(h, second), session.ErrEnded)
	// The same holds for a session that began before.
	expect.Error(t, kit.ErrorOf(h.Lines.CreateTrial(t.Context(), kit.Call(let), line.Description{}, kit.Shown)),
		session.ErrEnded)
	_, secret, err := h.Access.SignIn(t.Context(),
		access.SignIn{Login: access.Login{Username: fixture.Name("maria"), Password: update.Password}})
	require.NoError(t, err)
	keyed.Caller = h.By(kit.Browser{Secret: secret.Reveal()})
	receipt, err := h.Resellers.Update(t.Context(), keyed, update, kit.Shown)
	require.NoError(t, err)
	expect.Equal(t, receipt.Replayed, true, "the change of the password is replayed under its key")
	require.NoError(t, h.Admins.ResetPassword(t.Context(), fixture.Name("maria"), profile.NewSecret("by the operator")))
	expect.Error(t, ask(h, kit.Browser{Secret: secret.Reveal()}), session.ErrEnded)
}

func TestBlockedAccountCanOnlySignOut(t *testing.T) {
	h := kit.New(t, application.Policy{})
	master, _ := h.Create(h.Admin, "master", "0", true)
	b := h.SignIn("master")
	h.Create(h.By(b), "below", "0", false)
	own, other := h.SignIn("below"), h.SignIn("below")
	require.NoError(t, kit.ErrorOf(h.Resellers.Block(t.Context(), kit.Call(h.Admin), resellers.Block{ID: master.ID()},
		kit.Shown)))
	for _, b := range []kit.Browser{b, own, other} {
		expect.Error(t, ask(h, b), reseller.ErrBlocked)
	}
	_, _, err := h.Access.SignIn(t.Context(), kit.SignInOf("below"))
	expect.Error(t, err, reseller.ErrBlocked)
	expect.Error(t, kit.ErrorOf(h.Access.Sessions(t.Context(), kit.Call(h.By(own)))), reseller.ErrBlocked)
	expect.Error(t, h.Access.EndSession(t.Context(), kit.Call(h.By(own)), other.ID), reseller.ErrBlocked)
	leaving := kit.Call(h.By(own))
	require.NoError(t, h.Access.SignOut(t.Context(), leaving))
	expect.Error(t, h.Access.SignOut(t.Context(), leaving), session.ErrEnded)
	require.NoError(t, kit.ErrorOf(h.Resellers.Unblock(t.Context(), kit.Call(h.Admin), master.ID(), kit.Shown)))
	require.NoError(t, ask(h, b))
	require.NoError(t, ask(h, other))
	expect.Error(t, ask(h, own), session.ErrEnded)
	expect.Equal(t, len(h.Recorded().Sessions), 2, "stored sessions")
}

func TestSessionsAreEndedByTheirOwners(t *testing.T) {
	h := kit.New(t, application.Policy{})
	_, token := h.Create(h.Admin, "maria", "0", false)
	h.Create(h.Admin, "joao", "0", false)
	phone := h.SignIn("maria")
	h.Now = h.Now.Add(time.Second)
	desk := h.SignIn("maria")
	strange := h.SignIn("joao")
	ids := func() (ids []session.ID) {
		listed, err := h.Access.Sessions(t.Context(), kit.Call(h.By(desk)))
		require.NoError(t, err)
		for _, s := range listed {
			ids = append(ids, s.ID)
		}
		return ids
	}
	expect.Elements(t, ids(), []session.ID{desk.ID, phone.ID}, "listed are")
	let := h.By(phone)
	expect.Error(t, h.Access.EndSession(t.Context(), kit.Call(h.By(strange)), phone.ID), fault.ErrNotFound)
	expect.Error(t, h.Access.EndSession(t.Context(), kit.Call(h.By(desk)), strange.ID), fault.ErrNotFound)
	require.NoError(t, h.Access.EndSession(t.Context(), kit.Call(h.By(desk)), phone.ID))
	expect.Error(t, h.Access.EndSession(t.Context(), kit.Call(h.By(desk)), phone.ID), fault.ErrNotFound)
	expect.Error(t, ask(h, phone), session.ErrEnded)
	expect.Error(t, h.Access.SignOut(t.Context(), kit.Call(let)), session.ErrEnded)
	expect.Elements(t, ids(), []session.ID{desk.ID}, "listed are")
	leaving := h.By(desk)
	require.NoError(t, h.Access.SignOut(t.Context(), kit.Call(leaving)))
	expect.Error(t, h.Access.SignOut(t.Context(), kit.Call(leaving)), session.ErrEnded)
	expect.Equal(t, len(h.Recorded().Sessions), 1, "stored sessions")
	require.NoError(t, ask(h, strange))
	require.NoError(t, kit.ErrorOf(h.Resellers.Self(t.Context(), kit.Call(token)))) // no session affects it
	expect.Error(t, kit.ErrorOf(h.Access.Session(t.Context(), kit.Call(token))), session.ErrEnded)
	expect.Error(t, kit.ErrorOf(h.Access.Sessions(t.Context(), kit.Call(token))), session.ErrEnded)
	expect.Error(t, h.Access.SignOut(t.Context(), kit.Call(token)), session.ErrEnded)
	expect.Error(t, kit.ErrorOf(h.Access.RemoveFactor(t.Context(), kit.Call(token), access.RemoveFactor{}, kit.Shown)),
		session.ErrEnded)
	expect.Error(t, h.Access.EndSession(t.Context(), kit.Call(token), strange.ID), session.ErrEnded)
}

// The session ends between the moment in which its cookie is read and that in which the request is decided.
func TestEndedSessionIsRefused(t *testing.T) {
	for how, end := range map[string]func(h *kit.Harness, b kit.Browser){
		"signed out": func(h *kit.Harness, b kit.Browser) {
			require.NoError(t, h.Access.SignOut(t.Context(), kit.Call(h.By(b))))
		},
		"ended by another": func(h *kit.Harness, b kit.Browser) {
			require.NoError(t, h.Access.EndSession(t.Context(), kit.Call(h.By(h.SignIn("maria"))), b.ID))
		},
		"unused for too long": func(h *kit.Harness, _ kit.Browser) { h.Now = h.Now.Add(session.IdleTimeout) },
		"the oldest of too many": func(h *kit.Harness, _ kit.Browser) {
			for range session.MaxSessions {
				h.Now = h.Now.Add(time.Millisecond)
				h.SignIn("maria")
			}
		},
	} {
		h := kit.New(t, application.Policy{})
		h.Create(h.Admin, "maria", "0", true)
		b := h.SignIn("maria")
		asks := kit.Call(h.By(b))
		keyed := asks
		keyed.Key, keyed.Content = "key", []byte("x")
		require.NoError(t, kit.ErrorOf(h.Lines.CreateTrial(t.Context(), keyed, line.Description{}, kit.Shown)))
		end(h, b)
		expect.Error(t, kit.ErrorOf(h.Authentication.AuthenticateSession(t.Context(), b.Secret)), session.ErrEnded, how)
		for doing, use := range map[string]func() error{
			"read": func() error { _, err := h.Resellers.Self(t.Context(), asks); return err },
			"change": func() error {
				_, err := h.Lines.CreateTrial(t.Context(), asks, line.Description{}, kit.Shown)
				return err
			},
			"replay": func() error {
				_, err := h.Lines.CreateTrial(t.Context(), keyed, line.Description{}, kit.Shown)
				return err
			},
			"sign out": func() error { return h.Access.SignOut(t.Context(), asks) },
		} {
			expect.Error(t, use(), session.ErrEnded, "%s, then %s", how, doing)
		}
		expect.Equal(t, len(h.Recorded().Lines), 1, "%s: the lines are", how)
	}
}

func TestNewSessionReplacesTheBrowsersPreviousOne(t *testing.T) {
	h := kit.New(t, application.Policy{})
	h.Create(h.Admin, "maria", "0", false)
	h.Create(h.Admin, "joao", "0", false)
	kept, own := h.SignIn("maria"), h.SignIn("maria")
	again := func(username, previous, password string) (kit.Browser, error) {
		command := kit.SignInOf(username)
		command.Password, command.Previous = profile.NewSecret(password), previous
		begun, secret, err := h.Access.SignIn(t.Context(), command)
		return kit.Browser{Secret: secret.Reveal(), ID: begun.ID}, err
	}
	expect.Error(t, kit.ErrorOf(again("joao", own.Secret, "wrong")), access.ErrCredentials)
	require.NoError(t, ask(h, own))
	other, err := again("joao", own.Secret, "password-joao") // another person at the same browser
	require.NoError(t, err)
	expect.Error(t, ask(h, own), session.ErrEnded)
	require.NoError(t, ask(h, other))
	expect.Equal(t, other.Secret == own.Secret, false, "the browser goes on with the secret that it had")
	for _, previous := range []string{own.Secret, "never begun", string(kept.ID)} {
		require.NoError(t, kit.ErrorOf(again("maria", previous, "password-maria")))
	}
	require.NoError(t, ask(h, kept))
}

func TestFailuresOfTheStoreOfSessions(t *testing.T) {
	h := kit.New(t, application.Policy{})
	h.Create(h.Admin, "maria", "0", false)
	b := h.SignIn("maria")
	began := h.Now
	var update, view error
	failing := func(failure *error) func(call func() error) error {
		return func(call func() error) error {
			if *failure != nil {
				return *failure
			}
			return call()
		}
	}
	h.Service = h.On(&kit.Store{Store: h.Dependencies.Store, AroundView: failing(&view), AroundUpdate: failing(&update)},
		application.Policy{TrialDuration: time.Hour})
	full, defect := fmt.Errorf("%w: the disk is full", ports.ErrUnavailable), errors.New("a defect")

	// A use less than 10 minutes after the stored one writes nothing.
	h.Now = began.Add(10*time.Minute - 1)
	update = defect
	require.NoError(t, ask(h, b))

	// A read succeeds while the store can't write. A later request writes the use.
	h.Now = began.Add(time.Hour)
	update = full
	by := h.By(b)
	expect.Equal(t, kit.Must(h.Access.Session(t.Context(), kit.Call(by))).Used, began, "the last use, if it is not stored")
	update = defect
	expect.Error(t, ask(h, b), defect)
	update = nil
	expect.Equal(t, kit.Must(h.Access.Session(t.Context(), kit.Call(by))).Used, h.Now, "the last use, if it is stored")
	expect.Equal(t, h.Recorded().Sessions[b.ID].Used, h.Now, "the stored last use")

	view = full
	expect.Error(t, ask(h, b), ports.ErrUnavailable) // the session may be valid
	view, update = nil, full
	again := kit.SignInOf("maria")
	again.Previous = b.Secret
	_, _, err := h.Access.SignIn(t.Context(), again)
	expect.Error(t, err, ports.ErrUnavailable)
	expect.Error(t, h.Access.SignOut(t.Context(), kit.Call(by)), ports.ErrUnavailable)
	update = nil
	require.NoError(t, ask(h, b))
}

// TestSessionOfAFastClockEndsAsOthersDo dates a session a year too late.
func TestSessionOfAFastClockEndsAsOthersDo(t *testing.T) {
	h := kit.New(t, application.Policy{})
	h.Create(h.Admin, "maria", "0", false)
	now := h.Now
	h.Now = now.AddDate(1, 0, 0)
	unused, used := h.SignIn("maria"), h.SignIn("maria")
	h.Now = now
	dropped, err := h.Access.ForgetSessions(t.Context(), 100)
	require.NoError(t, err)
	expect.Equal(t, dropped, 0, "are dropped")
	for h.Now.Before(now.Add(session.MaxLifetime)) {
		require.NoError(t, ask(h, used))
		h.Now = h.Now.Add(session.IdleTimeout - time.Minute)
		if h.Now.Sub(now) > session.IdleTimeout {
			expect.Error(t, ask(h, unused), session.ErrEnded)
		}
	}
	h.Now = now.Add(session.MaxLifetime)
	expect.Error(t, ask(h, used), session.ErrEnded)
}

func TestEndedSessionsAreRemoved(t *testing.T) {
	h := kit.New(t, application.Policy{})
	h.Create(h.Admin, "maria", "0", false)
	for range 3 {
		h.SignIn("maria")
	}
	h.Now = h.Now.Add(11 * time.Hour)
	fresh := h.SignIn("maria")
	for _, c := range []struct {
		after           time.Duration
		forgotten, left int
	}{{0, 0, 4}, {time.Hour, 2, 2}, {time.Hour, 1, 1}, {time.Hour, 0, 1}} {
		h.Now = h.Now.Add(c.after)
		expect.Equal(t, kit.Must(h.Access.ForgetSessions(t.Context(), 2)), c.forgotten, "forgot")
		expect.Equal(t, len(h.Recorded().Sessions), c.left, "are left")
	}
	require.NoError(t, ask(h, fresh))
}
