package reseller_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// posting is a movement's posting of a reseller, before it is chained.
func posting(was reseller.State, balance string) credit.Posting {
	return credit.Posting{Reseller: was.ID, Balance: fixture.Credits(balance), Tip: was.Tip}
}

// wantMovement compares a movement with the expected one, and returns that one as it is recorded.
func wantMovement(t *testing.T, got, want credit.Movement, postings ...credit.Posting) credit.Movement {
	t.Helper()
	want, err := want.Chain(postings...)
	require.NoError(t, err)
	expect.Equal(t, cmp.Diff(want, got, byValue), "", "movement, want and got")
	return want
}

// tipAfter returns the end of a reseller's chain after the movement.
func tipAfter(t *testing.T, m credit.Movement, reseller int64) credit.Tip {
	t.Helper()
	p, concerned := m.Posting(reseller)
	if !concerned {
		t.Fatalf("movement %d does not concern reseller %d", m.ID, reseller)
	}
	return p.Tip
}

// byValue compares amounts by value and everything else by structure.
var byValue = cmp.Options{
	cmp.Comparer(func(r, b profile.Username) bool { return r == b }),
	cmp.Comparer(func(r, b profile.Text) bool { return r == b }),
	cmp.Comparer(func(r, b reseller.Role) bool { return r == b }),
	cmp.Comparer(func(r, b credit.Operation) bool { return r == b }),
	cmp.Comparer(func(r, b credit.Party) bool { return r == b }),
}

// An admin's movements come from issuance or return to it, and its own record does not change. A reclaim changes no
// time of the last recharge: neither that of its target nor that of the caller, for which it is no recharge.
func TestMovedCredits(t *testing.T) {
	later := noon.Add(time.Hour)
	for _, c := range []struct {
		name            string
		by, other       *reseller.Reseller
		amount          string
		operation       credit.Operation
		byHas, otherHas string
	}{
		{"an admin funds", resellerAt(t, 1, reseller.Admin, "0"), resellerAt(t, 10, reseller.Standard, "99.9999", 1),
			"0.0001", credit.Recharge, "0", "100"},
		{"a master funds", resellerAt(t, 10, reseller.Master, "12.5", 1), resellerAt(t, 20, reseller.Standard, "0.25", 1, 10),
			"12.5", credit.Recharge, "0", "12.75"},
		{"an admin reclaims", resellerAt(t, 1, reseller.Admin, "0"), resellerAt(t, 10, reseller.Master, "12.75", 2), "0.0001",
			credit.Reclaim, "0", "12.7499"},
		{"a master reclaims", resellerAt(t, 10, reseller.Master, "1", 1),
			resellerAt(t, 30, reseller.Standard, "12.75", 1, 10, 20), "12.75", credit.Reclaim, "13.75", "0"},
	} {
		wantBy, wantOther := c.by.State(), c.other.State()
		own := credit.Issuance
		var postings []credit.Posting
		if wantBy.Role != reseller.Admin {
			own, postings = credit.Reseller(c.by.ID()), []credit.Posting{posting(wantBy, c.byHas)}
		}
		postings = append(postings, posting(wantOther, c.otherHas))
		move, source, target := c.by.Fund, own, credit.Reseller(c.other.ID())
		if c.operation == credit.Reclaim {
			move, source, target = c.by.Reclaim, target, source
			slices.Reverse(postings) // the source's comes first
		}
		m, err := move(c.other, fixture.Credits(c.amount), provenance(77, later))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		recorded := wantMovement(t, m, credit.Movement{
			Provenance: provenance(77, later), Operation: c.operation, Source: source, Target: target,
			Amount: fixture.Credits(c.amount),
		}, postings...)
		if wantBy.Role != reseller.Admin {
			wantBy.Credits, wantBy.UpdatedAt, wantBy.Tip = fixture.Credits(c.byHas), later, tipAfter(t, recorded, wantBy.ID)
			wantBy.Version++
		}
		wantOther.Credits, wantOther.UpdatedAt, wantOther.Tip = fixture.Credits(c.otherHas), later,
			tipAfter(t, recorded, wantOther.ID)
		wantOther.Version++
		if c.operation == credit.Recharge {
			wantOther.RechargedAt = later
		}
		states := []reseller.State{c.by.State(), c.other.State()}
		diff := cmp.Diff([]reseller.State{wantBy, wantOther}, states, byValue)
		expect.Equal(t, diff, "", "%s: accounts, want and got", c.name)
	}
}

func TestInitialCredits(t *testing.T) {
	for _, c := range []struct {
		by     *reseller.Reseller
		left   string
		source credit.Party
	}{
		{resellerAt(t, 1, reseller.Admin, "0"), "0", credit.Issuance},
		{resellerAt(t, 10, reseller.Master, "8", 1), "5.5", credit.Reseller(10)},
	} {
		want := c.by.State()
		n := reseller.NewReseller{
			ID: 20, Master: true, Username: fixture.Name("New"), PasswordHash: "h", Token: reseller.Generation{5},
			Contact: reseller.Contact{Country: fixture.Text("PT"), Whatsapp: fixture.Text("1")}, Language: fixture.Text("pt"),
			Credits: fixture.Credits("2.5"),
		}
		created, m, err := c.by.Create(n, provenance(77, noon))
		if err != nil || m == nil {
			t.Fatalf("by %d: got movement %v, error %v", c.by.ID(), m, err)
		}
		var postings []credit.Posting
		if want.Role != reseller.Admin {
			postings = append(postings, posting(want, c.left))
		}
		recorded := wantMovement(t, *m, credit.Movement{
			Provenance: provenance(77, noon), Operation: credit.Opening, Source: c.source, Target: credit.Reseller(20),
			Amount: fixture.Credits("2.5"),
		}, append(postings, credit.Posting{Reseller: 20, Balance: fixture.Credits("2.5")})...)
		if diff := cmp.Diff(reseller.State{
			Position: reseller.Position{ID: 20, Ancestors: c.by.Position().Path()}, Role: reseller.Master,
			Username: n.Username, PasswordHash: "h", Token: n.Token, Contact: n.Contact, Language: n.Language,
			Credits: fixture.Credits("2.5"), Tip: tipAfter(t, recorded, 20), RechargedAt: noon, CreatedAt: noon,
			UpdatedAt: noon, Version: 2,
		}, created.State(), byValue); diff != "" {
			t.Errorf("by %d: account, want and got:\n%s", c.by.ID(), diff)
		}
		if want.Role != reseller.Admin {
			want.Credits, want.Tip, want.UpdatedAt, want.Version = fixture.Credits(c.left), tipAfter(t, recorded, 10), noon, 1
		}
		expect.Equal(t, cmp.Diff(want, c.by.State(), byValue), "", "by %d: the creator, want and got", c.by.ID())
	}
}

func TestMissingCreditsAreNamed(t *testing.T) {
	master := resellerAt(t, 10, reseller.Master, "2.25", 1)
	for operation, do := range map[string]func() error{
		"create": func() error {
			_, _, err := master.Create(reseller.NewReseller{ID: 30, Credits: fixture.Credits("2.2501")}, provenance(1, noon))
			return err
		},
		"reclaim": func() error { // from the one whose balance does not cover it
			_, err := resellerAt(t, 1, reseller.Admin, "0").Reclaim(master, fixture.Credits("2.2501"), provenance(1, noon))
			return err
		},
		"pay": func() error {
			_, err := master.Pay(credit.Activation, fixture.Credits("2.2501"), 5, provenance(1, noon))
			return err
		},
	} {
		before := master.State()
		err := do()
		var missing *reseller.InsufficientCredits
		if !errors.As(err, &missing) || !errors.Is(err, reseller.ErrCredits) {
			t.Fatalf("%s: got error %v", operation, err)
		}
		if missing.Balance.String() != "2.25" || missing.Required.String() != "2.2501" ||
			missing.Shortfall().String() != "0.0001" {
			t.Errorf("%s: got balance %s, required %s, shortfall %s", operation, missing.Balance, missing.Required,
				missing.Shortfall())
		}
		expect.DeepEqual(t, master.State(), before, "%s: the master", operation)
	}
}

func TestLimitsOfBalancesAndMovements(t *testing.T) {
	most, move := credit.MaxBalance().Units(), credit.MaxMovement().Units()
	for _, c := range []struct {
		situation string
		has, adds int64
		want      error
	}{
		{"to the limit", most - 1, 1, nil},
		{"over the limit", most - 1, 2, reseller.ErrBalanceLimit},
		{"at the limit", most, 1, reseller.ErrBalanceLimit},
		{"the most that moves", 0, move, nil},
		{"more than moves", 0, move + 1, credit.ErrTooLarge},
		{"nothing", 0, 0, credit.ErrNotPositive},
	} {
		for _, by := range []*reseller.Reseller{resellerAt(t, 1, reseller.Admin, "0"),
			holding(t, 10, reseller.Master, 2*move, 1)} {
			target := holding(t, 20, reseller.Standard, c.has, 1, 10)
			before, was := by.State(), target.State()
			_, err := by.Fund(target, fixture.Units(c.adds), provenance(1, noon))
			expect.Error(t, err, c.want, "%s, by %s", c.situation, before.Role)
			if err == nil {
				expect.Equal(t, target.State().Credits.Units(), c.has+c.adds, "%s, by %s", c.situation, before.Role)
				continue
			}
			expect.DeepEqual(t, target.State(), was, "%s, by %s: the target", c.situation, before.Role)
			expect.DeepEqual(t, by.State(), before, "%s, by %s", c.situation, before.Role)
		}
	}
}

// Issuance pays for an admin's line. The movement is in the admin's own chain, with a balance of 0.
func TestPaying(t *testing.T) {
	later := noon.Add(time.Hour)
	for _, c := range []struct {
		by     *reseller.Reseller
		left   string
		source credit.Party
	}{
		{resellerAt(t, 1, reseller.Admin, "0"), "0", credit.Issuance},
		{resellerAt(t, 10, reseller.Master, "8", 1), "7.5", credit.Reseller(10)},
		{resellerAt(t, 20, reseller.Standard, "0.5", 1, 10), "0", credit.Reseller(20)},
	} {
		for _, op := range []credit.Operation{credit.Activation, credit.Extension} {
			by := fixture.Changed(c.by)
			want := by.State()
			m, err := by.Pay(op, fixture.Credits("0.5"), 5, provenance(77, later))
			require.NoError(t, err)
			recorded := wantMovement(t, m, credit.Movement{
				Provenance: provenance(77, later), Operation: op, Source: c.source, Target: credit.Consumption,
				Amount: fixture.Credits("0.5"), Line: 5,
			}, posting(want, c.left))
			want.Credits, want.Tip, want.UpdatedAt, want.Version = fixture.Credits(c.left), tipAfter(t, recorded, want.ID),
				later, 1
			expect.Equal(t, cmp.Diff(want, by.State(), byValue), "", "by %d: account, want and got", want.ID)
		}
	}
}

func TestImpossibleResellersAreNotRestored(t *testing.T) {
	good := resellerAt(t, 10, reseller.Master, "5", 1).State()
	for situation, spoil := range map[string]func(*reseller.State){
		"no id":                func(s *reseller.State) { s.ID = 0 },
		"no role":              func(s *reseller.State) { s.Role = reseller.Role{} },
		"admin below another":  func(s *reseller.State) { s.Role, s.Credits = reseller.Admin, credit.Amount{} },
		"admin with credits":   func(s *reseller.State) { s.Role, s.Ancestors = reseller.Admin, nil },
		"master without admin": func(s *reseller.State) { s.Ancestors = nil },
		"below itself":         func(s *reseller.State) { s.Ancestors = []int64{1, 10} },
		"below account 0":      func(s *reseller.State) { s.Ancestors = []int64{0} },
		"a negative number of movements": func(s *reseller.State) {
			s.Tip = credit.Tip{Seq: -1, Hash: credit.Hash{1}}
		},
		"a link and no movements": func(s *reseller.State) { s.Tip = credit.Tip{Hash: credit.Hash{31: 1}} },
		"movements and no link":   func(s *reseller.State) { s.Tip = credit.Tip{Seq: 1} },
		"a low balance untold":    func(s *reseller.State) { s.Alert.Below = fixture.Credits("5.0001") },
		"alert sent for a balance that has recovered": func(s *reseller.State) {
			s.Alert = reseller.Alert{Below: fixture.Credits("4.1666"), Sent: true}
		},
		"alert sent without a threshold": func(s *reseller.State) { s.Alert.Sent = true },
		"an admin's alert": func(s *reseller.State) {
			s.Role, s.Ancestors, s.Credits, s.Alert = reseller.Admin, nil, credit.Amount{},
				reseller.Alert{Below: fixture.Credits("1")}
		},
		"no block, which suspends lines": func(s *reseller.State) { s.Block.Suspends = true },
		"no block, for a reason":         func(s *reseller.State) { s.Block.Reason = fixture.Text("unpaid") },
	} {
		s := good
		spoil(&s)
		if r, err := reseller.Restore(s); err == nil || r != nil {
			t.Errorf("%s: got %v, error %v", situation, r, err)
		}
	}
	// Today's policy does not matter: an earlier state stays readable.
	deep := good
	deep.Ancestors = []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	deep.Blocked = true // by a version without the terms of blocks
	deep.Tip = credit.Tip{Seq: 1 << 40, Hash: credit.Hash{31: 1}}
	r, err := reseller.Restore(deep)
	require.NoError(t, err)
	expect.DeepEqual(t, r.State(), deep)
}

// The holder of a state may change it, in both directions.
func TestStatesAreCopies(t *testing.T) {
	in := resellerAt(t, 20, reseller.Standard, "5", 1, 10).State()
	r, err := reseller.Restore(in)
	require.NoError(t, err)
	want, out, position := resellerAt(t, 20, reseller.Standard, "5", 1, 10).State(), r.State(), r.Position()
	for _, s := range []reseller.State{in, out} {
		s.Ancestors[0], s.Trials[0].Count = 99, 99
	}
	position.Ancestors[0] = 99
	r.Position().Path()[0] = 99
	expect.DeepEqual(t, r.State(), want)
}
