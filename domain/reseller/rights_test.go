package reseller_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	_ "resellerd/test/rapidflags"
	"resellerd/test/require"
)

// rights are the rights of each reseller (row) over each other one, in the order of others: s is itself, a an admin, o
// one below, - one that it does not see. Sight comes before right: an admin above is out of sight, not forbidden.
var (
	others = []string{"admin", "otherAdmin", "master", "sibling", "child", "nephew", "grandchild", "cousin"}
	rights = map[string]string{
		"admin":      "aaoooooo",
		"otherAdmin": "aaoooooo",
		"master":     "--s-o-o-",
		"sibling":    "---s-o--",
		"child":      "----s-o-",
		"nephew":     "-----s--",
		"grandchild": "------s-",
		"cousin":     "-------s",
	}
	govern = map[byte]error{'s': reseller.ErrNotAllowed, 'a': reseller.ErrNotAllowed, '-': fault.ErrNotFound}
	see    = map[byte]error{'-': fault.ErrNotFound}
	alerts = map[byte]error{'a': reseller.ErrNoBalance, '-': fault.ErrNotFound}
)

func TestRightsBetweenResellers(t *testing.T) {
	later := noon.Add(time.Minute)
	for _, verb := range []struct {
		name     string
		verdicts map[byte]error
		do       func(actor, target *reseller.Reseller) error
	}{
		{"fund", govern, func(actor, target *reseller.Reseller) error {
			_, err := actor.Fund(target, fixture.Credits("1"), provenance(1, later))
			return err
		}},
		{"reclaim", govern, func(actor, target *reseller.Reseller) error {
			_, err := actor.Reclaim(target, fixture.Credits("1"), provenance(1, later))
			return err
		}},
		{"block", govern, func(actor, target *reseller.Reseller) error {
			return actor.Block(target, reseller.Terms{}, later)
		}},
		{"unblock", govern, func(actor, target *reseller.Reseller) error { return actor.Unblock(target, later) }},
		{"update", see, func(actor, target *reseller.Reseller) error {
			return target.Update(actor, reseller.Update{Username: fixture.Name("new"), PasswordHash: "hash"}, later)
		}},
		{"change the contact of", see, func(actor, target *reseller.Reseller) error {
			country := fixture.Text("AO")
			return target.ChangeContact(actor, reseller.ContactChange{Country: &country}, later)
		}},
		{"set the alert of", alerts, func(actor, target *reseller.Reseller) error {
			return target.SetAlert(actor, fixture.Credits("3"), later)
		}},
		{"see", see, func(actor, target *reseller.Reseller) error { return actor.Sees(target.Position()) }},
	} {
		for actor, row := range rights {
			for i, target := range others {
				f := newFamily(t)
				before := f.states()
				err := verb.do(f[actor], f[target])
				expect.Error(t, err, verb.verdicts[row[i]], "%s %ss %s", actor, verb.name, target)
				changed := f.changed(before)
				for _, name := range changed {
					// An admin that issues and takes back credits stays unchanged.
					if f[name].MayAudit() == nil && verb.name != "update" && verb.name != "change the contact of" {
						t.Errorf("%s %ss %s: admin %s changed", actor, verb.name, target, name)
					}
					if err != nil || name != target && (name != actor || verb.name != "fund" && verb.name != "reclaim") {
						t.Errorf("%s %ss %s, error %v: %s changed", actor, verb.name, target, err, name)
					}
				}
				if err == nil && len(changed) == 0 && verb.name != "see" && verb.name != "unblock" {
					t.Errorf("%s %ss %s: nothing changed", actor, verb.name, target)
				}
			}
		}
	}
}

func TestWhoMayCreate(t *testing.T) {
	for actor, may := range map[string]bool{"admin": true, "master": true, "child": true, "grandchild": false} {
		f := newFamily(t)
		before := f.states()
		var want error
		if !may {
			want = reseller.ErrNotAllowed
		}
		for _, master := range []bool{true, false} {
			created, m, err := f[actor].Create(reseller.NewReseller{ID: 50, Master: master, Username: fixture.Name("new")},
				provenance(1, noon))
			if !errors.Is(err, want) || (created != nil) != may || m != nil {
				t.Errorf("%s creates, master %v: got %v, movement %v, error %v, want error %v", actor, master, created,
					m, err, want)
			}
			if may && (created.State().Role == reseller.Master) != master {
				t.Errorf("%s creates, master %v: got role %s", actor, master, created.State().Role)
			}
		}
		expect.Error(t, f[actor].MayCreate(), want, "%s", actor)
		expect.Elements(t, f.changed(before), nil, "%s creates without credits: changed", actor)
	}
}

func TestTreeIsEightDeep(t *testing.T) {
	parent := reseller.NewAdmin(reseller.NewReseller{ID: 1}, noon)
	want := []int64{1}
	for id := int64(2); id <= 1+reseller.MaxDepth; id++ {
		created, _, err := parent.Create(reseller.NewReseller{ID: id, Master: true}, provenance(1, noon))
		if err != nil {
			t.Fatalf("depth %d: %v", id-1, err)
		}
		position := created.Position()
		if position.ID != id || !slices.Equal(position.Ancestors, want) || position.Parent() != id-1 ||
			!slices.Equal(position.Path(), append(want, id)) {
			t.Fatalf("depth %d: got %+v, want below %v", id-1, position, want)
		}
		want, parent = append(want, id), created
	}
	// The depth is refused before missing credits, too.
	for _, credits := range []string{"0", "1"} {
		n := reseller.NewReseller{ID: 99, Credits: fixture.Credits(credits)}
		_, _, err := parent.Create(n, provenance(1, noon))
		expect.Error(t, err, reseller.ErrTreeTooDeep, "with %s credits", credits)
	}
}

// Revoked is reported before blocked: a caller that lost the token must learn nothing of the reseller.
func TestAdmit(t *testing.T) {
	token, old := reseller.Generation{1}, reseller.Generation{2}
	for _, c := range []struct {
		token         reseller.Generation
		itself, above bool
		want          error
	}{
		{token, false, false, nil},
		{token, true, false, reseller.ErrBlocked},
		{token, false, true, reseller.ErrBlocked},
		{token, true, true, reseller.ErrBlocked},
		{old, false, false, reseller.ErrTokenRevoked},
		{old, true, true, reseller.ErrTokenRevoked},
		{reseller.Generation{}, false, false, reseller.ErrTokenRevoked},
	} {
		r, err := reseller.Restore(reseller.State{Position: reseller.Position{ID: 7, Ancestors: []int64{1}},
			Role: reseller.Standard, Token: token, Blocked: c.itself})
		require.NoError(t, err)
		expect.Error(t, r.Admit(c.token, c.above), c.want, "%+v", c)
	}
}

func TestRepeatedBlocksChangeNothing(t *testing.T) {
	admin, target := resellerAt(t, 1, reseller.Admin, "0"), resellerAt(t, 2, reseller.Standard, "5", 1)
	was := target.State()
	block := func(terms reseller.Terms) func(*reseller.Reseller, time.Time) error {
		return func(target *reseller.Reseller, now time.Time) error { return admin.Block(target, terms, now) }
	}
	other := reseller.Terms{Suspends: true, Reason: fixture.Text("unpaid")}
	first, second, third := noon.Add(time.Minute), noon.Add(time.Hour), noon.Add(2*time.Hour)
	for _, step := range []struct {
		do      func(*reseller.Reseller, time.Time) error
		at      time.Time
		blocked bool
		block   reseller.Block
		updated time.Time
		version int64
	}{
		{admin.Unblock, first, false, reseller.Block{}, was.UpdatedAt, 0},
		{block(reseller.Terms{}), first, true, reseller.Block{At: first}, first, 1},
		{block(reseller.Terms{}), second, true, reseller.Block{At: first}, first, 1},
		{block(other), second, true, reseller.Block{Terms: other, At: first}, second, 2}, // blocked since then
		{block(other), third, true, reseller.Block{Terms: other, At: first}, second, 2},
		{admin.Unblock, third, false, reseller.Block{}, third, 3},
		{block(other), third, true, reseller.Block{Terms: other, At: third}, third, 4},
	} {
		require.NoError(t, step.do(target, step.at))
		want := was
		want.Blocked, want.Block, want.UpdatedAt, want.Version = step.blocked, step.block, step.updated, step.version
		expect.DeepEqual(t, target.State(), want)
	}
}

func TestUpdateOfARecord(t *testing.T) {
	later := noon.Add(time.Hour)
	empty, telegram := profile.Text{}, fixture.Text("@new")
	// No update ends the block.
	r := fixture.Changed(resellerAt(t, 7, reseller.Master, "5", 1), func(s *reseller.State) { s.Blocked = true })
	before := r.State()
	u := reseller.Update{
		Username: fixture.Name("New"), PasswordHash: before.PasswordHash, Token: reseller.Generation{99},
		ContactChange: reseller.ContactChange{Country: new(fixture.Text("BR")), Whatsapp: new(fixture.Text("2")),
			Telegram: &telegram, Email: &empty},
	}
	require.NoError(t, r.Update(r, u, later))
	want := before
	want.Username, want.UpdatedAt, want.Version = fixture.Name("New"), later, 1
	want.Contact.Country, want.Contact.Whatsapp, want.Contact.Telegram, want.Contact.Email = fixture.Text("BR"),
		fixture.Text("2"), telegram, empty
	expect.DeepEqual(t, r.State(), want, "the present password")

	u.PasswordHash = "another"
	require.NoError(t, r.Update(r, u, later))
	want.PasswordHash, want.Token, want.Version = "another", reseller.Generation{99}, 2
	expect.DeepEqual(t, r.State(), want, "another password")

	r.SetPassword("by hand", reseller.Generation{100}, later.Add(1))
	want.PasswordHash, want.Token, want.UpdatedAt, want.Version = "by hand", reseller.Generation{100}, later.Add(1), 3
	expect.DeepEqual(t, r.State(), want, "by the operator")
	expect.Equal(t, r.PasswordHash(), "by hand")
	expect.Equal(t, r.Token(), reseller.Generation{100})
}
