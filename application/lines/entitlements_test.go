package lines_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"resellerd/application"
	"resellerd/application/access"
	"resellerd/application/events"
	"resellerd/application/lines"
	"resellerd/application/resellers"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/principal"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// shop is a tree of accounts that sell lines, all of it drawn: the admin, and below it masters and others at several
// depths.
type shop struct {
	*kit.Harness
	accounts []*reseller.Reseller // the admin first
	callers  map[int64]application.Caller
}

// newShop has above each account one of those before it.
func newShop(t *testing.T, above ...int) *shop {
	t.Helper()
	s := &shop{Harness: kit.New(t, application.Policy{}), callers: map[int64]application.Caller{}}
	s.callers[s.Admin.Reseller()] = s.Admin
	require.NoError(t, s.Dependencies.Store.View(t.Context(), func(ctx context.Context, v ports.Snapshot) error {
		admin, err := v.Resellers.Get(ctx, s.Admin.Reseller())
		s.accounts = []*reseller.Reseller{admin}
		return err
	}))
	for i, of := range above {
		a, by := s.Create(s.callers[s.accounts[of].ID()], fmt.Sprintf("account-%d", i+1), "0", true)
		s.accounts = append(s.accounts, a)
		s.callers[a.ID()] = by
		require.NoError(t, kit.ErrorOf(s.Credits.Add(t.Context(), kit.Call(s.Admin),
			resellers.Move{ID: a.ID(), Credits: fixture.Credits("1000")}, kit.Shown)))
	}
	return s
}

// serving is a key of an account that may do nothing but read entitlements.
func (s *shop) serving(account int) application.Caller {
	s.T.Helper()
	_, by := s.NewKey(s.callers[s.accounts[account].ID()], principal.EntitlementsRead)
	require.NoError(s.T, s.Authentication.Permit(s.T.Context(), by, principal.EntitlementsRead))
	return by
}

// block blocks an account, or gives its block other terms.
func (s *shop) block(account int, terms reseller.Terms) {
	s.T.Helper()
	_, err := s.Resellers.Block(s.T.Context(), kit.Call(s.Admin), resellers.Block{ID: s.accounts[account].ID(),
		Terms: terms},
		kit.Shown)
	require.NoError(s.T, err)
}

func (s *shop) unblock(account int) {
	s.T.Helper()
	require.NoError(s.T, kit.ErrorOf(s.Resellers.Unblock(s.T.Context(), kit.Call(s.Admin), s.accounts[account].ID(),
		kit.Shown)))
}

// everything returns the stored lines and accounts.
func (s *shop) everything() (lines []line.State, accounts map[int64]reseller.State) {
	s.T.Helper()
	all := s.Recorded()
	for _, id := range slices.Sorted(maps.Keys(all.Lines)) {
		lines = append(lines, all.Lines[id])
	}
	return lines, all.Resellers
}

// rights are the entitlements that a consumer has, by the ids of lines.
type rights map[int64]lines.Entitlement

// owed is the final state for a consumer, computed the slow way.
func (s *shop) owed(by application.Caller) rights {
	s.T.Helper()
	all, accounts := s.everything()
	owed := rights{}
	for _, l := range all {
		if by != s.Admin && !slices.Contains(l.Owner.Path(), by.Reseller()) {
			continue
		}
		blocked := slices.ContainsFunc(l.Owner.Path(), func(id int64) bool { return accounts[id].Block.Suspends })
		password, err := s.Keyring.Open(l.Password, fmt.Sprintf("line/[%d]", l.ID))
		require.NoError(s.T, err)
		owed[l.ID] = lines.Entitlement{
			Line: l.ID, Version: l.Version, Username: l.Username.String(), Password: profile.NewSecret(string(password)),
			Enabled: !l.Suspended && !blocked, ExpiresAt: l.ExpiresAt, ExternalID: l.ExternalID.String(), Metadata: l.Metadata,
			Plan: l.Plan, Terms: l.Terms,
		}
	}
	return owed
}

// follower applies pages, one after the other.
type follower struct {
	by     application.Caller
	cursor *lines.EntitlementCursor
	known  rights
}

func newFollower(by application.Caller) *follower { return &follower{by: by, known: rights{}} }

func (f *follower) apply(e lines.Entitlement) {
	if e.Deleted {
		delete(f.known, e.Line)
		return
	}
	f.known[e.Line] = plain(e)
}

// plain is the content of a page about a line, and nothing else.
func plain(e lines.Entitlement) lines.Entitlement {
	return lines.Entitlement{
		Line: e.Line, Deleted: e.Deleted, Version: e.Version, Username: e.Username, Password: e.Password, Enabled: e.Enabled,
		ExpiresAt: e.ExpiresAt, ExternalID: e.ExternalID, Metadata: e.Metadata, Plan: e.Plan, Terms: e.Terms,
	}
}

// follow applies the next page. It reports whether there is more.
func (s *shop) follow(f *follower, limit int) (more bool, err error) {
	page, err := s.Lines.ListEntitlements(s.T.Context(), kit.Call(f.by), lines.ListEntitlements{After: f.cursor,
		Limit: limit})
	if err != nil {
		return false, err
	}
	for _, e := range page.Items {
		f.apply(e)
	}
	f.cursor = page.Next
	return page.More, nil
}

// followToTheEnd applies pages until More is false.
func (s *shop) followToTheEnd(f *follower, limit int) error {
	for range 100 {
		if more, err := s.follow(f, limit); err != nil || !more {
			return err
		}
	}
	return errors.New("there is always more")
}

// The test changes lines and blocks between short pages. At the end each follower has the stored state.
func TestEntitlementsShowBlocks(t *testing.T) {
	s := newShop(t, 0, 1, 2, 0) // 1 above 2, 2 above 3
	followers := []*follower{newFollower(s.Admin), newFollower(s.serving(1)), newFollower(s.serving(3)),
		newFollower(s.serving(4))}
	for range 3 {
		for _, a := range s.accounts {
			s.Trial(s.callers[a.ID()])
		}
	}
	suspends := reseller.Terms{Suspends: true}
	for i, change := range []func(){
		func() {}, func() { s.block(2, suspends) }, func() { s.block(1, suspends) }, func() { s.unblock(2) },
		func() { s.block(3, reseller.Terms{}) }, func() { s.block(3, suspends) }, func() { s.unblock(1) },
	} {
		change()
		lines, _ := s.everything()
		require.NoError(t, kit.ErrorOf(s.Lines.Delete(t.Context(), kit.Call(s.Admin), lines[i].ID, kit.Shown)))
		for range 2 {
			for _, f := range followers {
				require.NoError(t, kit.ErrorOf(s.follow(f, 2)))
			}
		}
	}
	for i, f := range followers {
		require.NoError(t, s.followToTheEnd(f, 2))
		expect.DeepEqual(t, f.known, s.owed(f.by), "follower %d knows", i)
	}
}

func TestInvalidCursorsOfEntitlements(t *testing.T) {
	s := newShop(t, 0, 1, 0)
	master, other := s.callers[s.accounts[1].ID()], s.callers[s.accounts[3].ID()]
	l := s.Trial(s.callers[s.accounts[2].ID()])
	ask := func(by application.Caller, after *lines.EntitlementCursor) (lines.EntitlementPage, error) {
		return s.Lines.ListEntitlements(t.Context(), kit.Call(by), lines.ListEntitlements{After: after, Limit: 1})
	}
	f := newFollower(master)
	require.NoError(t, s.followToTheEnd(f, 10))
	s.Trial(master)
	s.Trial(s.callers[s.accounts[2].ID()])
	s.block(2, reseller.Terms{Suspends: true})
	for more := true; more; { // until the backfill of the block is in progress
		page, err := ask(master, f.cursor)
		require.NoError(t, err)
		f.cursor, more = page.Next, page.More && (len(page.Items) != 1 || page.Items[0].Line != l.ID())
	}
	require.NoError(t, kit.ErrorOf(ask(s.Admin, f.cursor)))                      // the admin sees all of it
	expect.Error(t, kit.ErrorOf(ask(other, f.cursor)), application.ErrBadCursor) // of which it sees nothing

	events, err := s.Events.List(t.Context(), kit.Call(master), events.List{Limit: 1})
	require.NoError(t, err)
	good := f.cursor.String()
	for _, cursor := range []string{"", "x", events.Next.String(), good + "A", good[:len(good)-2]} {
		expect.Error(t, kit.ErrorOf(lines.ParseEntitlementCursor(cursor)), application.ErrBadCursor)
	}
}

// A restored store assigns numbers again: the consumer starts from the beginning, at the cursor in the refusal.
func TestEntitlementsOfAnotherEpoch(t *testing.T) {
	before, s := newShop(t, 0), newShop(t, 0)
	before.Trial(before.Admin)
	require.NoError(t, s.Epochs.Begin(t.Context()))
	f := newFollower(before.Admin)
	require.NoError(t, before.followToTheEnd(f, 10))
	s.Trial(s.Admin)
	s.Trial(s.callers[s.accounts[1].ID()])
	f.by, f.known = s.Admin, rights{}
	_, err := s.follow(f, 10)
	var unknown *application.CursorUnknown
	if !errors.As(err, &unknown) {
		t.Fatalf("got error %v", err)
	}
	restart, err := lines.ParseEntitlementCursor(unknown.Restart)
	require.NoError(t, err)
	f.cursor = &restart
	require.NoError(t, s.followToTheEnd(f, 1))
	expect.DeepEqual(t, f.known, s.owed(s.Admin))
}

// An API key for entitlements alone learns of a block of its account. The block stops all other principals, and this
// key at all other operations.
func TestKeysForEntitlementsLearnOfABlock(t *testing.T) {
	s := newShop(t, 0, 1)
	owner := s.callers[s.accounts[2].ID()]
	l := s.Trial(owner)
	alone := s.serving(2)
	keyID, more := s.NewKey(owner, principal.EntitlementsRead, principal.LinesRead)
	require.NoError(t, s.Authentication.Permit(t.Context(), more, principal.EntitlementsRead))
	_, elsewhere := s.NewKey(owner, principal.EntitlementsRead)
	require.NoError(t, s.Authentication.Permit(t.Context(), elsewhere, "")) // like operations for any valid credential
	s.NewMember(owner, "member", principal.EntitlementsRead)
	member := s.By(s.SignIn("member"))
	for _, blocked := range []int{2, 1} {
		for _, suspends := range []bool{false, true} {
			s.block(blocked, reseller.Terms{Suspends: suspends})
			page, err := s.Lines.ListEntitlements(t.Context(), kit.Call(alone), lines.ListEntitlements{Limit: 10})
			if err != nil || len(page.Items) != 1 || page.Items[0].Enabled == suspends {
				t.Errorf("account %d is blocked, lines suspended: %t: got %+v, error %v", blocked, suspends, page.Items, err)
			}
			_, err = s.Lines.AuthorizeCustomer(t.Context(), kit.Call(alone), l.State().Username)
			var refusal *lines.NotServed
			if is := errors.As(err, &refusal); is != suspends || is && refusal.Effect != line.OwnerBlocked {
				t.Errorf("account %d is blocked, lines suspended: %t: got error %v", blocked, suspends, err)
			}
			for who, by := range map[string]application.Caller{"the owner": owner, "a key that may do more": more,
				"a member of the staff": member, "the key elsewhere": elsewhere} {
				_, err := s.Lines.ListEntitlements(t.Context(), kit.Call(by), lines.ListEntitlements{Limit: 10})
				expect.Error(t, err, reseller.ErrBlocked, "%s", who)
				_, err = s.Lines.AuthorizeCustomer(t.Context(), kit.Call(by), l.State().Username)
				expect.Error(t, err, reseller.ErrBlocked, "%s authorizes", who)
			}
			s.unblock(blocked)
		}
	}
	require.NoError(t, kit.ErrorOf(s.Principals.Remove(t.Context(), kit.Call(owner),
		access.RemovePrincipal{ID: keyID, Kind: principal.Key}, kit.Shown)))
	_, err := s.Lines.ListEntitlements(t.Context(), kit.Call(more), lines.ListEntitlements{Limit: 10})
	expect.Error(t, err, principal.ErrRevoked)
}

func TestAuthorizeCustomer(t *testing.T) {
	s := newShop(t, 0, 1, 0)
	owner := s.callers[s.accounts[2].ID()]
	l, err := s.Activate(owner, s.Activation(s.Trial(owner).ID(), "João.TV", "1"))
	require.NoError(t, err)
	ask := func(by application.Caller, name string) (lines.Line, error) {
		return s.Lines.AuthorizeCustomer(t.Context(), kit.Call(by), fixture.Name(name))
	}
	served := func() {
		t.Helper()
		for _, name := range []string{"João.TV", "JOÃO.tv"} {
			for _, by := range []application.Caller{owner, s.callers[s.accounts[1].ID()], s.Admin, s.serving(2)} {
				got, err := ask(by, name)
				if err != nil || got.ID() != l.ID() || got.Password.Reveal() != "7788" || !got.At.Equal(s.Now) {
					t.Errorf("got %+v, error %v", got, err)
				}
			}
		}
	}
	refused := func(want line.Effect) {
		t.Helper()
		_, err := ask(s.Admin, "João.TV")
		var refusal *lines.NotServed
		if !errors.As(err, &refusal) || refusal.Effect != want {
			t.Errorf("got error %v, want %s", err, want)
		}
		expect.Error(t, err, lines.ErrNotServed)
		expect.Contains(t, err.Error(), map[line.Effect]string{line.Suspended: "line is suspended:",
			line.OwnerBlocked: "is blocked with its lines:", line.Expired: "line has expired:"}[want])
	}
	served()
	expect.Error(t, kit.ErrorOf(ask(s.callers[s.accounts[3].ID()], "João.TV")), fault.ErrNotFound) // out of sight
	expect.Error(t, kit.ErrorOf(ask(s.Admin, "nobody")), fault.ErrNotFound)
	expect.Error(t, kit.ErrorOf(ask(s.Admin, "account-2")), fault.ErrNotFound) // the name of an account, not of a line

	require.NoError(t, kit.ErrorOf(s.Lines.Suspend(t.Context(), kit.Call(owner), lines.Suspend{ID: l.ID()}, kit.Shown)))
	refused(line.Suspended)
	s.block(1, reseller.Terms{Suspends: true})
	refused(line.Suspended)
	require.NoError(t, kit.ErrorOf(s.Lines.Resume(t.Context(), kit.Call(s.Admin), l.ID(), kit.Shown)))
	refused(line.OwnerBlocked)
	s.block(1, reseller.Terms{})
	require.NoError(t, kit.ErrorOf(ask(s.Admin, "João.TV"))) // of a block that has lines run
	s.unblock(1)
	served()
	s.Now = l.ExpiresAt().Add(-time.Millisecond)
	served()
	s.Now = l.ExpiresAt()
	refused(line.Expired)
	s.ChangeLine(l.ID(), func(state *line.State) { state.Password = line.Sealed("of another key") })
	_, err = s.Lines.Suspend(t.Context(), kit.Call(owner), lines.Suspend{ID: l.ID()}, kit.Shown)
	if err == nil {
		t.Error("a line whose password can't be opened is suspended")
	}
}
