package given_test

import (
	"testing"
	"time"

	"resellerd/domain/reseller"
	"resellerd/test/given"
)

// TestWhatIsGivenHangsTogether makes a tree, a line and a ledger: balances and chains are what the domain makes of them.
func TestWhatIsGivenHangsTogether(t *testing.T) {
	admin := given.Admin(1)
	master := given.Master(admin, 2)
	owner := given.Reseller(master, 3, func(s *reseller.State) { s.Blocked = true })
	trial := given.Trial(owner, 1)
	var ledger given.Ledger
	ledger.Fund(admin, master, "10")
	ledger.Fund(master, owner, "4.5")
	ledger.Activate(trial, owner, "0.5")
	ledger.Extend(trial, owner, "2")
	ledger.Reclaim(master, owner, "1")
	if got := master.State().Credits; got.Units() != 6_5000 {
		t.Errorf("the master holds %s", got)
	}
	if s := owner.State(); s.Credits.Units() != 1_0000 || !s.Blocked || s.Tip.Seq != 4 {
		t.Errorf("the owner is %+v", s)
	}
	var head reseller.State
	for i, m := range ledger.Movements {
		if m.ID != int64(i)+1 {
			t.Errorf("movement %d has the id %d", i+1, m.ID)
		}
		if e, concerned := m.Posting(owner.ID()); concerned {
			if !m.Fits(owner.ID(), head.Tip.Hash) {
				t.Errorf("movement %d does not follow the one before it", m.ID)
			}
			head.Tip = e.Tip
		}
	}
	if head.Tip != owner.State().Tip {
		t.Errorf("the chain ends at %v, and the owner's record says %v", head.Tip, owner.State().Tip)
	}
}

func TestWhatTheDomainRefusesIsNotGiven(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a user name with a space was given")
		}
	}()
	given.Name("a b")
}

func TestAClockStandsStill(t *testing.T) {
	clock := given.NewClock(given.Noon.Add(time.Microsecond))
	if !clock.Now().Equal(given.Noon) {
		t.Errorf("the clock says %s, want it to the millisecond", clock.Now())
	}
	clock.Advance(time.Hour)
	if want := given.Noon.Add(time.Hour); !clock.Now().Equal(want) {
		t.Errorf("the clock says %s, want %s", clock.Now(), want)
	}
	clock.Set(given.Noon)
	if !clock.Now().Equal(given.Noon) {
		t.Errorf("the clock says %s, want %s", clock.Now(), given.Noon)
	}
}
