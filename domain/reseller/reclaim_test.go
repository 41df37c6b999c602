package reseller_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/test/fixture"
)

func TestRefusedReclaims(t *testing.T) {
	most := credit.MaxBalance().Units()
	for _, c := range []struct {
		situation    string
		caller       *reseller.Reseller
		holds, takes int64
		want         error
	}{
		{"all that there is", holding(t, 10, reseller.Master, 0, 1), 5, 5, nil},
		{"to the caller's limit", holding(t, 10, reseller.Master, most-5, 1), 5, 5, nil},
		{"over the caller's limit", holding(t, 10, reseller.Master, most-4, 1), 5, 5, reseller.ErrBalanceLimit},
		{"over the caller's limit and more than there is", holding(t, 10, reseller.Master, most, 1), 5, 6, reseller.ErrBalanceLimit},
		{"more than there is", holding(t, 10, reseller.Master, 100, 1), 5, 6, reseller.ErrCredits},
		{"nothing", holding(t, 10, reseller.Master, 0, 1), 5, 0, credit.ErrNotPositive},
		{"more than moves at once", holding(t, 10, reseller.Master, 0, 1), most, credit.MaxMovement().Units() + 1, credit.ErrTooLarge},
		{"an admin has no limit", resellerAt(t, 1, reseller.Admin, "0"), most, credit.MaxMovement().Units(), nil},
		{"more than there is, by an admin", resellerAt(t, 1, reseller.Admin, "0"), 5, 6, reseller.ErrCredits},
		{"out of sight, and more than there is", holding(t, 11, reseller.Master, most, 1), 5, 6, fault.ErrNotFound},
	} {
		target := holding(t, 20, reseller.Standard, c.holds, 1, 10)
		before, was := c.caller.State(), target.State()
		m, err := c.caller.Reclaim(target, fixture.Units(c.takes), provenance(1, noon))
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: got movement %+v, error %v, want %v", c.situation, m, err, c.want)
		}
		if err != nil && (!same(was, target.State()) || !same(before, c.caller.State())) {
			t.Errorf("%s: something changed", c.situation)
		}
		if got := target.State().Credits.Units(); err == nil && got != c.holds-c.takes {
			t.Errorf("%s: %d units are left, want %d", c.situation, got, c.holds-c.takes)
		}
	}
}

// Resellers number their movements each on its own, without a gap, whatever they are a side of and whoever stands on
// the other one; what an admin issues and takes back is none of its movements, its own lines are.
func TestEveryResellerNumbersItsMovements(t *testing.T) {
	admin := reseller.NewAdmin(reseller.NewReseller{ID: 1}, noon)
	master, opening, err := admin.Create(reseller.NewReseller{ID: 10, Master: true, Credits: fixture.Credits("100")}, provenance(1, noon))
	if err != nil {
		t.Fatal(err)
	}
	seller, none, err := master.Create(reseller.NewReseller{ID: 20}, provenance(2, noon))
	if err != nil || none != nil {
		t.Fatalf("got movement %+v, error %v", none, err)
	}
	if h := seller.State().Tip; h != (credit.Tip{}) {
		t.Errorf("an account without movements has %+v", h)
	}
	type numbers map[int64]int64 // of the movement, by reseller
	recorded := []credit.Movement{*opening}
	want := []numbers{{10: 1}}
	for _, step := range []struct {
		do   func(p credit.Provenance) (credit.Movement, error)
		want numbers
	}{
		{func(p credit.Provenance) (credit.Movement, error) {
			return master.Fund(seller, fixture.Credits("3"), p)
		}, numbers{10: 2, 20: 1}},
		{func(p credit.Provenance) (credit.Movement, error) { return admin.Fund(seller, fixture.Credits("3"), p) }, numbers{20: 2}},
		{func(p credit.Provenance) (credit.Movement, error) {
			return admin.Pay(credit.Activation, fixture.Credits("1"), 5, p)
		}, numbers{1: 1}},
		{func(p credit.Provenance) (credit.Movement, error) {
			return seller.Pay(credit.Activation, fixture.Credits("1"), 6, p)
		}, numbers{20: 3}},
		{func(p credit.Provenance) (credit.Movement, error) {
			return master.Reclaim(seller, fixture.Credits("2"), p)
		}, numbers{20: 4, 10: 3}},
		{func(p credit.Provenance) (credit.Movement, error) {
			return admin.Reclaim(master, fixture.Credits("2"), p)
		}, numbers{10: 4}},
		{func(p credit.Provenance) (credit.Movement, error) {
			return admin.Pay(credit.Extension, fixture.Credits("1"), 5, p)
		}, numbers{1: 2}},
	} {
		m, err := step.do(provenance(int64(len(recorded))+2, noon))
		if err != nil {
			t.Fatal(err)
		}
		recorded, want = append(recorded, m), append(want, step.want)
	}
	ends := map[int64]credit.Tip{}
	for i, m := range recorded {
		got := numbers{}
		for _, e := range m.Postings {
			got[e.Reseller] = e.Seq
			if !m.Fits(e.Reseller, ends[e.Reseller].Hash) {
				t.Errorf("movement %d does not fit the chain of account %d", m.ID, e.Reseller)
			}
			ends[e.Reseller] = e.Tip
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("movement %d: numbers, want and got:\n%s", m.ID, diff)
		}
	}
	for _, r := range []*reseller.Reseller{admin, master, seller} {
		if got := r.State().Tip; got != ends[r.ID()] {
			t.Errorf("account %d ends at %+v, its movements at %+v", r.ID(), got, ends[r.ID()])
		}
	}
}

func TestWhoMayAudit(t *testing.T) {
	f := newFamily(t)
	for name, r := range f {
		var want error
		if name != "admin" && name != "otherAdmin" {
			want = reseller.ErrNotAllowed
		}
		if err := r.MayAudit(); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%s: got error %v, want %v", name, err, want)
		}
	}
}

// What a reseller sees is the tree of its sight.
func TestSight(t *testing.T) {
	f := newFamily(t)
	for name, r := range f {
		for other, b := range f {
			sight := r.Sight()
			inTree := sight == 0 || b.ID() == sight || b.Position().Under(sight)
			if sees := r.Sees(b.Position()) == nil; sees != inTree {
				t.Errorf("%s sees %s: %t, and its sight is account %d", name, other, sees, sight)
			}
		}
	}
}

func TestARevokedTokenIsDeadAtOnce(t *testing.T) {
	r := resellerAt(t, 20, reseller.Standard, "5", 1, 10)
	old, next, later := r.Token(), reseller.Generation{99}, noon.Add(time.Hour)
	want := r.State()
	r.RevokeToken(next, later)
	want.Token, want.UpdatedAt = next, later
	if got := r.State(); !same(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := r.Admit(old, false); !errors.Is(err, reseller.ErrTokenRevoked) {
		t.Errorf("the old token: got error %v, want %v", err, reseller.ErrTokenRevoked)
	}
	if err := r.Admit(next, false); err != nil {
		t.Errorf("the next token: got error %v", err)
	}
}
