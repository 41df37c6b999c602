package reseller_test

import (
	"testing"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
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
		{"over the caller's limit and more than there is", holding(t, 10, reseller.Master, most, 1), 5, 6,
			reseller.ErrBalanceLimit},
		{"more than there is", holding(t, 10, reseller.Master, 100, 1), 5, 6, reseller.ErrCredits},
		{"nothing", holding(t, 10, reseller.Master, 0, 1), 5, 0, credit.ErrNotPositive},
		{"more than moves at once", holding(t, 10, reseller.Master, 0, 1), most, credit.MaxMovement().Units() + 1,
			credit.ErrTooLarge},
		{"an admin has no limit", resellerAt(t, 1, reseller.Admin, "0"), most, credit.MaxMovement().Units(), nil},
		{"more than there is, by an admin", resellerAt(t, 1, reseller.Admin, "0"), 5, 6, reseller.ErrCredits},
		{"out of sight, and more than there is", holding(t, 11, reseller.Master, most, 1), 5, 6, fault.ErrNotFound},
	} {
		target := holding(t, 20, reseller.Standard, c.holds, 1, 10)
		before, was := c.caller.State(), target.State()
		m, err := c.caller.Reclaim(target, fixture.Units(c.takes), provenance(1, noon))
		expect.Error(t, err, c.want, "%s: movement %+v", c.situation, m)
		if err == nil {
			expect.Equal(t, target.State().Credits.Units(), c.holds-c.takes, "%s: units", c.situation)
			continue
		}
		expect.DeepEqual(t, target.State(), was, "%s: the target", c.situation)
		expect.DeepEqual(t, c.caller.State(), before, "%s: the caller", c.situation)
	}
}
