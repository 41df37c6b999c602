package reseller_test

import (
	"testing"

	"resellerd/domain/credit"
	"resellerd/domain/reseller"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// The test checks, for every two resellers of a tree, which movement either could have made.
func TestCouldMake(t *testing.T) {
	r := func(role reseller.Role, path ...int64) *reseller.Reseller {
		a, err := reseller.Restore(
			reseller.State{Position: reseller.Position{ID: path[len(path)-1], Ancestors: path[:len(path)-1]}, Role: role})
		require.NoError(t, err)
		return a
	}
	admin, another := r(reseller.Admin, 1), r(reseller.Admin, 9)
	master, below, seller := r(reseller.Master, 1, 2), r(reseller.Master, 1, 2, 3), r(reseller.Standard, 1, 2, 3, 4)
	stranger := r(reseller.Standard, 9, 5)
	of := func(a *reseller.Reseller) credit.Party { return credit.Reseller(a.ID()) }
	for _, c := range []struct {
		how            string
		operation      credit.Operation
		source, target credit.Party
		actor, other   *reseller.Reseller
		want           bool
	}{
		{"an admin opens", credit.Opening, credit.Issuance, of(master), admin, master, true},
		{"an admin opens for a master", credit.Opening, credit.Issuance, of(below), admin, below, false},
		{"another admin opens", credit.Opening, credit.Issuance, of(master), another, master, false},
		{"a master opens", credit.Opening, of(master), of(below), master, below, true},
		{"a master opens two below", credit.Opening, of(master), of(seller), master, seller, false},
		{"a master opens from issuance", credit.Opening, credit.Issuance, of(below), master, below, false},
		{"a seller opens", credit.Opening, of(seller), of(stranger), seller, stranger, false},

		{"an admin funds any reseller", credit.Recharge, credit.Issuance, of(stranger), admin, stranger, true},
		{"an admin funds an admin", credit.Recharge, credit.Issuance, of(another), admin, another, false},
		{"an admin funds from a balance", credit.Recharge, of(admin), of(master), admin, master, false},
		{"a master funds two below", credit.Recharge, of(master), of(seller), master, seller, true},
		{"a master funds from another's", credit.Recharge, of(below), of(seller), master, seller, false},
		{"a master funds a stranger", credit.Recharge, of(master), of(stranger), master, stranger, false},
		{"a master funds above", credit.Recharge, of(below), of(master), below, master, false},
		{"a seller funds", credit.Recharge, of(seller), of(seller), seller, seller, false},

		{"an admin reclaims", credit.Reclaim, of(seller), credit.Issuance, admin, seller, true},
		{"a master reclaims", credit.Reclaim, of(seller), of(master), master, seller, true},
		{"a master reclaims for another", credit.Reclaim, of(seller), of(below), master, seller, false},
		{"a master reclaims to issuance", credit.Reclaim, of(seller), credit.Issuance, master, seller, false},
		{"a seller reclaims", credit.Reclaim, of(stranger), of(seller), seller, stranger, false},

		{"an owner pays", credit.Activation, of(seller), credit.Consumption, seller, seller, true},
		{"an owner pays for one above", credit.Extension, of(seller), credit.Consumption, master, seller, true},
		{"an owner pays for an admin", credit.Extension, of(stranger), credit.Consumption, admin, stranger, true},
		{"an owner pays for one below", credit.Activation, of(master), credit.Consumption, below, master, false},
		{"issuance pays for an admin", credit.Activation, credit.Issuance, credit.Consumption, another, admin, true},
		{"issuance pays for a seller", credit.Activation, credit.Issuance, credit.Consumption, seller, seller, false},
		{"an admin pays", credit.Activation, of(admin), credit.Consumption, admin, admin, false},
	} {
		m := credit.Movement{Operation: c.operation, Source: c.source, Target: c.target}
		expect.Equal(t, c.actor.CouldMake(m, c.other), c.want, "%s", c.how)
	}
}
