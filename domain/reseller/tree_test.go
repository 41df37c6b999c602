package reseller_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/reseller"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func provenance(id int64, at time.Time) credit.Provenance {
	return credit.Provenance{ID: id, Actor: 9, Request: "request", Notes: "notes", At: at}
}

// resellerAt returns a reseller below others, the root first.
func resellerAt(t testing.TB, id int64, role reseller.Role, credits string, above ...int64) *reseller.Reseller {
	t.Helper()
	r, err := reseller.Restore(reseller.State{
		Position:     reseller.Position{ID: id, Ancestors: above},
		Role:         role,
		Username:     fixture.Name("user"),
		PasswordHash: "hash",
		Token:        reseller.Generation{byte(id)},
		Contact: reseller.Contact{
			Country: fixture.Text("PT"), Whatsapp: fixture.Text("1"), Telegram: fixture.Text("@t"), Email: fixture.Text("a@b.c"),
			Notes: fixture.Text("n"),
		},
		Language:    fixture.Text("en"),
		Credits:     fixture.Credits(credits),
		Tip:         credit.Tip{Seq: 40 + id, Hash: credit.Hash{byte(id)}},
		RechargedAt: noon.Add(-time.Hour),
		Trials:      []reseller.TrialSlot{{Start: noon, Count: 1}},
		CreatedAt:   noon.Add(-2 * time.Hour),
		UpdatedAt:   noon.Add(-time.Hour),
	})
	require.NoError(t, err)
	return r
}

// holding is resellerAt with a balance in ten-thousandths.
func holding(t testing.TB, id int64, role reseller.Role, units int64, above ...int64) *reseller.Reseller {
	t.Helper()
	return fixture.Changed(resellerAt(t, id, role, "0", above...), func(s *reseller.State) {
		s.Credits = fixture.Units(units)
	})
}

// family is a tree with every case of sight and right.
type family map[string]*reseller.Reseller

func newFamily(t testing.TB) family {
	return family{
		"admin":      resellerAt(t, 1, reseller.Admin, "0"),
		"otherAdmin": resellerAt(t, 2, reseller.Admin, "0"),
		"master":     resellerAt(t, 10, reseller.Master, "100", 1),
		"sibling":    resellerAt(t, 11, reseller.Master, "100", 1),
		"child":      resellerAt(t, 20, reseller.Master, "100", 1, 10),
		"nephew":     resellerAt(t, 21, reseller.Standard, "100", 1, 11),
		"grandchild": resellerAt(t, 30, reseller.Standard, "100", 1, 10, 20),
		"cousin":     resellerAt(t, 40, reseller.Standard, "100", 2),
	}
}

func (f family) states() map[string]reseller.State {
	states := map[string]reseller.State{}
	for name, r := range f {
		states[name] = r.State()
	}
	return states
}

// changed names the resellers that differ from their earlier state.
func (f family) changed(before map[string]reseller.State) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if !reflect.DeepEqual(f[name].State(), before[name]) {
			names = append(names, name)
		}
	}
	return names
}
