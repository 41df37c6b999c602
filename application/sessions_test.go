package application_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/domain/session"
	"resellerd/ports"
	"resellerd/ports/record"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
	"resellerd/test/storetest"
)

// browser is what a browser holds.
type browser struct {
	secret string
	id     session.ID
}

// signIn signs a reseller in whose password create has made.
func (h *harness) signIn(username string) browser {
	h.t.Helper()
	begun, secret, err := h.Access.SignIn(h.t.Context(), signIn(username))
	require.NoError(h.t, err)
	return browser{secret.Reveal(), begun.ID}
}

func signIn(username string) access.SignIn {
	return access.SignIn{
		Login: access.Login{Username: fixture.Name(username), Password: profile.NewSecret("password-" + username),
			Client: "192.0.2.1"},
		Device: "a browser", Address: "192.0.2.1",
	}
}

// by is who asks with a browser.
func (h *harness) by(b browser) application.Caller {
	h.t.Helper()
	caller, err := h.Authentication.AuthenticateSession(h.t.Context(), b.secret)
	require.NoError(h.t, err)
	return caller
}

// ask returns why a browser is refused, nil where it is not.
func (h *harness) ask(b browser) error {
	h.t.Helper()
	caller, err := h.Authentication.AuthenticateSession(h.t.Context(), b.secret)
	if err == nil {
		_, err = h.Resellers.Self(h.t.Context(), call(caller))
	}
	return err
}

func (h *harness) kept(reseller int64) []session.Session {
	h.t.Helper()
	var page record.Page[session.ID, session.Session]
	require.NoError(h.t, h.dependencies.Store.View(h.t.Context(), func(ctx context.Context, s ports.Snapshot) (err error) {
		page, err = ports.SessionsByHolder.List(ctx, s.Records, record.Query{Equal: record.Tuple{reseller}, Descending: true,
			Limit: 100})
		return err
	}))
	return page.Items
}

func TestASessionIsKeptWithoutItsSecret(t *testing.T) {
	h := newHarness(t, application.Policy{})
	maria, _ := h.create(h.admin, "maria", "0", false)
	command := signIn("MARIA")
	command.Password = profile.NewSecret("password-maria")
	begun, secret, err := h.Access.SignIn(t.Context(), command)
	require.NoError(t, err)
	want := session.Session{
		ID: session.IDOf(secret.Reveal()), Reseller: maria.ID(), Password: session.MarkOf(maria.PasswordHash()),
		Device: "a browser", Address: "192.0.2.1", Created: h.now, Used: h.now,
	}
	expect.Equal(t, begun.Session, want, "begun")
	expect.Equal(t, begun.Reseller.ID(), maria.ID(), "begun for account")
	expect.Elements(t, h.kept(maria.ID()), []session.Session{want}, "kept")
	by := h.by(browser{secret: secret.Reveal()})
	expect.Equal(t, by.Reseller(), maria.ID(), "the browser asks for account")
	expect.Equal(t, by.SessionID(), want.ID, "the browser asks by the session")
	shown, err := h.Access.Session(t.Context(), call(by))
	require.NoError(t, err)
	expect.Equal(t, shown.Session, want, "shown")
	expect.Equal(t, shown.Reseller.ID(), maria.ID(), "shown of account")
	h.trial(by)
	for _, other := range []string{"", string(want.ID), secret.Reveal() + "x",
		fmt.Sprintf("%x", session.MarkOf(secret.Reveal()))} {
		err := errorOf(h.Authentication.AuthenticateSession(t.Context(), other))
		expect.Error(t, err, session.ErrEnded, "%q in place of the secret", other)
	}
}

func TestASessionIsGoodForThePasswordThatItBeganWith(t *testing.T) {
	h := newHarness(t, application.Policy{})
	maria, token := h.create(h.admin, "maria", "0", false)
	first, second := h.signIn("maria"), h.signIn("maria")
	require.NoError(t, errorOf(h.Access.RevokeToken(t.Context(), call(h.by(first)), shown)))
	expect.Error(t, errorOf(h.Resellers.Self(t.Context(), call(token))), reseller.ErrTokenRevoked)
	require.NoError(t, h.ask(first)) // of which the token is none

	update := resellers.Update{
		ID: maria.ID(), Username: fixture.Name("maria"), Password: profile.NewSecret("password-maria"),
		ContactChange: reseller.ContactChange{Country: new(fixture.Text("BR")), Whatsapp: new(fixture.Text("1"))},
	}
	require.NoError(t, errorOf(h.Resellers.Update(t.Context(), call(h.by(first)), update, shown)))
	require.NoError(t, h.ask(first)) // the same password is no change

	let := h.by(second)
	update.Password = profile.NewSecret("another")
	keyed := call(h.by(first))
	keyed.Key, keyed.Content = "password", []byte("x")
	require.NoError(t, errorOf(h.Resellers.Update(t.Context(), keyed, update, shown))) // who changes it is answered
	expect.Error(t, h.ask(first), session.ErrEnded)
	expect.Error(t, h.ask(second), session.ErrEnded)
	// and so it is for who was let in before
	expect.Error(t, errorOf(h.Lines.CreateTrial(t.Context(), call(let), line.Description{}, shown)), session.ErrEnded)
	for _, end := range []error{h.Access.SignOut(t.Context(), call(let)),
		h.Access.EndSession(t.Context(), call(let), first.id)} {
		expect.Error(t, end, session.ErrEnded)
	}

	again, secret, err := h.Access.SignIn(t.Context(),
		access.SignIn{Login: access.Login{Username: fixture.Name("maria"), Password: update.Password}})
	require.NoError(t, err)
	keyed.Caller = h.by(browser{secret: secret.Reveal()})
	receipt, err := h.Resellers.Update(t.Context(), keyed, update, shown)
	require.NoError(t, err)
	expect.Equal(t, receipt.Replayed, true, "the change of the password is replayed under its key")
	listed, err := h.Access.Sessions(t.Context(), call(keyed.Caller))
	if require.NoError(t, err); len(listed) != 1 || listed[0].Session != again.Session {
		t.Errorf("listed are %+v, want %+v", listed, again.Session)
	}
	require.NoError(t, h.Admins.ResetPassword(t.Context(), fixture.Name("maria"), profile.NewSecret("by the operator")))
	expect.Error(t, h.ask(browser{secret: secret.Reveal()}), session.ErrEnded)
}

func TestASessionOfWhoIsBlockedCanOnlyBeEnded(t *testing.T) {
	h := newHarness(t, application.Policy{})
	master, _ := h.create(h.admin, "master", "0", true)
	b := h.signIn("master")
	below, _ := h.create(h.by(b), "below", "0", false)
	own, other := h.signIn("below"), h.signIn("below")
	require.NoError(t, errorOf(h.Resellers.Block(t.Context(), call(h.admin), resellers.Block{ID: master.ID()}, shown)))
	for _, b := range []browser{b, own, other} {
		expect.Error(t, h.ask(b), reseller.ErrBlocked)
	}
	_, _, err := h.Access.SignIn(t.Context(), signIn("below"))
	expect.Error(t, err, reseller.ErrBlocked)
	expect.Error(t, errorOf(h.Access.Sessions(t.Context(), call(h.by(own)))), reseller.ErrBlocked)
	expect.Error(t, h.Access.EndSession(t.Context(), call(h.by(own)), other.id), reseller.ErrBlocked)
	require.NoError(t, h.Access.SignOut(t.Context(), call(h.by(own))))
	require.NoError(t, errorOf(h.Resellers.Unblock(t.Context(), call(h.admin), master.ID(), shown)))
	require.NoError(t, h.ask(b))
	require.NoError(t, h.ask(other))
	expect.Error(t, h.ask(own), session.ErrEnded)
	expect.Equal(t, len(h.kept(below.ID())), 1, "kept are")
}

func TestSessionsAreEndedByWhoHasThem(t *testing.T) {
	h := newHarness(t, application.Policy{})
	maria, token := h.create(h.admin, "maria", "0", false)
	h.create(h.admin, "joao", "0", false)
	phone := h.signIn("maria")
	h.now = h.now.Add(time.Second)
	desk := h.signIn("maria")
	strange := h.signIn("joao")
	ids := func() (ids []session.ID) {
		listed, err := h.Access.Sessions(t.Context(), call(h.by(desk)))
		require.NoError(t, err)
		for _, s := range listed {
			ids = append(ids, s.ID)
		}
		return ids
	}
	expect.Elements(t, ids(), []session.ID{desk.id, phone.id}, "listed are")
	let := h.by(phone)
	expect.Error(t, h.Access.EndSession(t.Context(), call(h.by(strange)), phone.id), fault.ErrNotFound)
	expect.Error(t, h.Access.EndSession(t.Context(), call(h.by(desk)), strange.id), fault.ErrNotFound)
	require.NoError(t, h.Access.EndSession(t.Context(), call(h.by(desk)), phone.id))
	expect.Error(t, h.Access.EndSession(t.Context(), call(h.by(desk)), phone.id), fault.ErrNotFound)
	expect.Error(t, h.ask(phone), session.ErrEnded)
	expect.Error(t, h.Access.SignOut(t.Context(), call(let)), session.ErrEnded)
	expect.Elements(t, ids(), []session.ID{desk.id}, "listed are")
	leaving := h.by(desk)
	require.NoError(t, h.Access.SignOut(t.Context(), call(leaving)))
	expect.Error(t, h.Access.SignOut(t.Context(), call(leaving)), session.ErrEnded)
	expect.Elements(t, h.kept(maria.ID()), nil, "kept are")
	require.NoError(t, h.ask(strange))
	require.NoError(t, errorOf(h.Resellers.Self(t.Context(), call(token)))) // which no session has to do with
	expect.Error(t, errorOf(h.Access.Session(t.Context(), call(token))), session.ErrEnded)
	expect.Error(t, errorOf(h.Access.Sessions(t.Context(), call(token))), session.ErrEnded)
	expect.Error(t, h.Access.SignOut(t.Context(), call(token)), session.ErrEnded)
	expect.Error(t, h.Access.EndSession(t.Context(), call(token), strange.id), session.ErrEnded)
}

// TestAnEndedSessionActsNoMore ends a session between the moment in which its cookie is read and that in which the
// request is decided.
func TestAnEndedSessionActsNoMore(t *testing.T) {
	for how, end := range map[string]func(h *harness, b browser){
		"signed out": func(h *harness, b browser) { require.NoError(t, h.Access.SignOut(t.Context(), call(h.by(b)))) },
		"ended by another": func(h *harness, b browser) {
			require.NoError(t, h.Access.EndSession(t.Context(), call(h.by(h.signIn("maria"))), b.id))
		},
		"unused for too long": func(h *harness, _ browser) { h.now = h.now.Add(session.Idle) },
		"the oldest of too many": func(h *harness, _ browser) {
			for range session.Most {
				h.now = h.now.Add(time.Millisecond)
				h.signIn("maria")
			}
		},
	} {
		h := newHarness(t, application.Policy{})
		h.create(h.admin, "maria", "0", true)
		b := h.signIn("maria")
		asks := call(h.by(b))
		keyed := asks
		keyed.Key, keyed.Content = "key", []byte("x")
		require.NoError(t, errorOf(h.Lines.CreateTrial(t.Context(), keyed, line.Description{}, shown)))
		end(h, b)
		for doing, use := range map[string]func() error{
			"read":   func() error { _, err := h.Resellers.Self(t.Context(), asks); return err },
			"change": func() error { _, err := h.Lines.CreateTrial(t.Context(), asks, line.Description{}, shown); return err },
			"replay": func() error { _, err := h.Lines.CreateTrial(t.Context(), keyed, line.Description{}, shown); return err },
			"hash": func() error {
				return errorOf(h.Resellers.Create(t.Context(), asks,
					resellers.Create{Username: fixture.Name("joao"), Password: profile.NewSecret("password")}, shown))
			},
			"list sessions": func() error { _, err := h.Access.Sessions(t.Context(), asks); return err },
			"end a session": func() error { return h.Access.EndSession(t.Context(), asks, b.id) },
			"sign out":      func() error { return h.Access.SignOut(t.Context(), asks) },
			"change the password": func() error {
				return errorOf(h.Access.ChangePassword(t.Context(), asks,
					access.ChangePassword{Present: profile.NewSecret("password-maria"), New: profile.NewSecret("another")}, shown))
			},
		} {
			expect.Error(t, use(), session.ErrEnded, "%s, then %s", how, doing)
		}
		page, err := h.Lines.List(t.Context(), call(h.admin), lines.List{Limit: 9})
		require.NoError(t, err)
		expect.Equal(t, len(page.Items), 1, "%s: the lines are", how)
	}
}

func TestANewSessionTakesThePlaceOfTheOneThatTheBrowserHas(t *testing.T) {
	h := newHarness(t, application.Policy{})
	h.create(h.admin, "maria", "0", false)
	h.create(h.admin, "joao", "0", false)
	kept, own := h.signIn("maria"), h.signIn("maria")
	again := func(username, previous, password string) (browser, error) {
		command := signIn(username)
		command.Password, command.Previous = profile.NewSecret(password), previous
		begun, secret, err := h.Access.SignIn(t.Context(), command)
		return browser{secret.Reveal(), begun.ID}, err
	}
	expect.Error(t, errorOf(again("joao", own.secret, "wrong")), access.ErrCredentials)
	require.NoError(t, h.ask(own))
	other, err := again("joao", own.secret, "password-joao") // another person at the same browser
	require.NoError(t, err)
	expect.Error(t, h.ask(own), session.ErrEnded)
	require.NoError(t, h.ask(other))
	expect.Equal(t, other.secret == own.secret, false, "the browser goes on with the secret that it had")
	for _, previous := range []string{own.secret, "never begun", string(kept.id)} {
		require.NoError(t, errorOf(again("maria", previous, "password-maria")))
	}
	require.NoError(t, h.ask(kept))
}

// failing is a store that does not update, or look, as long as it says so.
type failing struct {
	ports.Store
	update, view error
	damaged      bool // every session is
}

func (f *failing) Update(ctx context.Context, work func(context.Context, ports.Tx) error, hints ...ports.Reads) error {
	if f.update != nil {
		return f.update
	}
	return f.Store.Update(ctx, func(ctx context.Context, tx ports.Tx) error {
		tx.Records = failingRecords{tx.Records, f}
		return work(ctx, tx)
	}, hints...)
}

func (f *failing) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	if f.view != nil {
		return f.view
	}
	return f.Store.View(ctx, func(ctx context.Context, s ports.Snapshot) error {
		s.Records = failingReader{s.Records, f}
		return look(ctx, s)
	})
}

type failingRecords struct {
	record.Writer
	f *failing
}

func (r failingRecords) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	payload, err := r.Writer.Get(ctx, of, key)
	if r.f.damaged && err == nil {
		payload = "{}"
	}
	return payload, err
}

type failingReader struct {
	record.Lister
	f *failing
}

func (r failingReader) Get(ctx context.Context, of *record.Kind, key string) (string, error) {
	payload, err := r.Lister.Get(ctx, of, key)
	if r.f.damaged && err == nil {
		payload = "{}"
	}
	return payload, err
}

func (r failingReader) List(ctx context.Context, q record.Range) ([]record.Found, error) {
	found, err := r.Lister.List(ctx, q)
	for i := range found {
		if r.f.damaged {
			found[i].Payload = "{}"
		}
	}
	return found, err
}

// onFailing has the service run on a store that fails when it is told to.
func (h *harness) onFailing() *failing {
	store := &failing{Store: h.dependencies.Store}
	h.dependencies.Store = store
	h.Service = application.New(h.dependencies, application.Policy{TrialDuration: time.Hour})
	return store
}

func TestFailuresOfTheStoreOfSessions(t *testing.T) {
	h := newHarness(t, application.Policy{})
	maria, _ := h.create(h.admin, "maria", "0", false)
	b := h.signIn("maria")
	began := h.now
	store := h.onFailing()
	full := fmt.Errorf("%w: the disk is full", ports.ErrUnavailable)

	// A use of which the last that is kept is not 10 minutes old writes nothing.
	h.now = began.Add(10*time.Minute - 1)
	store.update = errors.New("a defect")
	require.NoError(t, h.ask(b))

	// What can't be written does not keep anybody from reading, and is written later.
	h.now = began.Add(time.Hour)
	store.update = full
	by := h.by(b)
	expect.Equal(t, must(h.Access.Session(t.Context(), call(by))).Used, began, "with a use that is not kept, used")
	store.update = errors.New("a defect")
	expect.Error(t, h.ask(b), store.update)
	store.update = nil
	expect.Equal(t, must(h.Access.Session(t.Context(), call(by))).Used, h.now, "with a use that is kept, used")
	expect.Equal(t, h.kept(maria.ID())[0].Used, h.now, "the use that is kept")

	store.view = full
	expect.Error(t, h.ask(b), ports.ErrUnavailable) // which says nothing of the session
	expect.Error(t, errorOf(h.Authentication.AuthenticateSession(t.Context(), "another")), ports.ErrUnavailable)
	store.view, store.update = nil, full
	again := signIn("maria")
	again.Previous = b.secret
	_, _, err := h.Access.SignIn(t.Context(), again)
	expect.Error(t, err, ports.ErrUnavailable)
	expect.Error(t, h.Access.SignOut(t.Context(), call(by)), ports.ErrUnavailable)
	store.update = nil
	require.NoError(t, h.ask(b))
}

func TestADamagedSessionIsOver(t *testing.T) {
	h := newHarness(t, application.Policy{})
	maria, _ := h.create(h.admin, "maria", "0", false)
	b := h.signIn("maria")
	h.onFailing().damaged = true
	_, err := h.Authentication.AuthenticateSession(t.Context(), b.secret)
	expect.Error(t, err, session.ErrEnded)
	if told, is := errors.AsType[*application.DamagedSession](err); !is || !errors.Is(told.Damage, record.ErrDamaged) ||
		told.Error() != session.ErrEnded.Error() {
		t.Errorf("got %v", err)
	}
	again := signIn("maria")
	again.Previous = b.secret
	_, _, err = h.Access.SignIn(t.Context(), again)
	require.NoError(t, err)
	expect.Elements(t, h.kept(maria.ID()), nil, "left are")
}

// countedViews counts how often a store is asked.
type countedViews struct {
	ports.Store
	views, updates atomic.Int64
}

func (c *countedViews) View(ctx context.Context, look func(context.Context, ports.Snapshot) error) error {
	c.views.Add(1)
	return c.Store.View(ctx, look)
}

func (c *countedViews) Update(ctx context.Context, work func(context.Context, ports.Tx) error,
	hints ...ports.Reads) error {
	c.updates.Add(1)
	return c.Store.Update(ctx, work, hints...)
}

// TestABrowserAsksTheStoreOnce has one ask again and again: what it asks for is read with its session.
func TestABrowserAsksTheStoreOnce(t *testing.T) {
	h := newHarness(t, application.Policy{})
	h.create(h.admin, "maria", "0", false)
	b := h.signIn("maria")
	counted := &countedViews{Store: h.dependencies.Store}
	h.dependencies.Store = counted
	h.Service = application.New(h.dependencies, application.Policy{TrialDuration: time.Hour})
	require.NoError(t, h.ask(b)) // whose it is nobody remembers yet
	for range 3 {
		before := counted.views.Load()
		require.NoError(t, h.ask(b))
		expect.Equal(t, counted.views.Load()-before, 1, "times that a read asks")
		expect.Equal(t, counted.updates.Load(), 0, "times that a read updates")
	}
	before := counted.views.Load()
	h.trial(h.by(b))
	expect.Equal(t, counted.views.Load()-before, 0, "times that a change looks")
	expect.Equal(t, counted.updates.Load(), 1, "times that a change updates")
}

// TestSignInsAtOnceLeaveTheNewest has a reseller sign in more often than may be, at once.
func TestSignInsAtOnceLeaveTheNewest(t *testing.T) {
	h := newHarness(t, application.Policy{})
	maria, _ := h.create(h.admin, "maria", "0", false)
	old := h.signIn("maria")
	h.now = h.now.Add(time.Second)
	for _, err := range storetest.AtOnce(3*session.Most, func(i int) error {
		command := signIn("maria")
		command.Client = fmt.Sprint(i)
		for {
			_, _, err := h.Access.SignIn(t.Context(), command)
			if busy := (*fault.Later)(nil); errors.As(err, &busy) {
				time.Sleep(time.Millisecond)
				continue
			}
			return err
		}
	}) {
		require.NoError(t, err)
	}
	expect.Error(t, h.ask(old), session.ErrEnded)
	expect.Equal(t, len(h.kept(maria.ID())), session.Most, "sessions are left")
}

// TestASessionOfAClockThatWasAheadEndsAsOthersDo dates one by a year too late.
func TestASessionOfAClockThatWasAheadEndsAsOthersDo(t *testing.T) {
	h := newHarness(t, application.Policy{})
	h.create(h.admin, "maria", "0", false)
	now := h.now
	h.now = now.AddDate(1, 0, 0)
	unused, used := h.signIn("maria"), h.signIn("maria")
	h.now = now
	dropped, err := h.Access.ForgetSessions(t.Context(), 100)
	require.NoError(t, err)
	expect.Equal(t, dropped, 0, "are dropped")
	for h.now.Before(now.Add(session.Longest)) {
		require.NoError(t, h.ask(used))
		h.now = h.now.Add(session.Idle - time.Minute)
		if h.now.Sub(now) > session.Idle {
			expect.Error(t, h.ask(unused), session.ErrEnded)
		}
	}
	h.now = now.Add(session.Longest)
	expect.Error(t, h.ask(used), session.ErrEnded)
}

// observed keeps how logins ended.
type observed struct {
	ports.Observer
	logins []error
}

func (o *observed) UseCase(ctx context.Context, _ string) (context.Context, func()) {
	return ctx, func() {}
}
func (o *observed) Login(err error) { o.logins = append(o.logins, err) }

func TestSignInsAreLogins(t *testing.T) {
	h := newHarness(t, application.Policy{})
	h.create(h.admin, "maria", "0", false)
	told := &observed{}
	h.dependencies.Observer = told
	h.Service = application.New(h.dependencies, application.Policy{})
	h.signIn("maria")
	wrong := signIn("maria")
	wrong.Password = profile.NewSecret("wrong")
	for i := range 11 { // both ways count together
		if i%2 == 0 {
			_, _, err := h.Access.SignIn(t.Context(), wrong)
			want := access.ErrCredentials
			if i == 10 {
				want = access.ErrTooManyAttempts
			}
			expect.Error(t, err, want)
			continue
		}
		expect.Error(t, errorOf(h.Access.Login(t.Context(), wrong.Login)), access.ErrCredentials)
	}
	if len(told.logins) != 12 || told.logins[0] != nil || !errors.Is(told.logins[11], access.ErrTooManyAttempts) {
		t.Errorf("told of %v", told.logins)
	}
}

func TestKeysBelongToTheAccountHoweverItAsks(t *testing.T) {
	h := newHarness(t, application.Policy{})
	_, token := h.create(h.admin, "maria", "0", false)
	first := h.signIn("maria")
	keyed := application.Call{Caller: h.by(first), Request: "first", Key: "k", Content: []byte("POST /lines/test")}
	receipt, err := h.Lines.CreateTrial(t.Context(), keyed, line.Description{}, shown)
	require.NoError(t, err)
	require.NoError(t, h.Access.SignOut(t.Context(), call(keyed.Caller)))
	for way, by := range map[string]application.Caller{"the token": token, "another session": h.by(h.signIn("maria"))} {
		keyed.Caller = by
		again, err := h.Lines.CreateTrial(t.Context(), keyed, line.Description{}, shown)
		require.NoError(t, err)
		expect.Equal(t, again.Replayed, true, "by %s it is replayed", way)
		expect.Equal(t, string(again.Content), string(receipt.Content), "by %s", way)
	}
}

func TestSessionsThatAreOverAreForgotten(t *testing.T) {
	h := newHarness(t, application.Policy{})
	maria, _ := h.create(h.admin, "maria", "0", false)
	for range 3 {
		h.signIn("maria")
	}
	h.now = h.now.Add(11 * time.Hour)
	fresh := h.signIn("maria")
	for _, c := range []struct {
		after           time.Duration
		forgotten, left int
	}{{0, 0, 4}, {time.Hour, 2, 2}, {time.Hour, 1, 1}, {time.Hour, 0, 1}} {
		h.now = h.now.Add(c.after)
		expect.Equal(t, must(h.Access.ForgetSessions(t.Context(), 2)), c.forgotten, "forgot")
		expect.Equal(t, len(h.kept(maria.ID())), c.left, "are left")
	}
	require.NoError(t, h.ask(fresh))
}
