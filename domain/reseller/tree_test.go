package reseller_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func amount(t testing.TB, text string) credit.Amount {
	t.Helper()
	r, err := credit.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func unitsOf(t testing.TB, n int64) credit.Amount {
	t.Helper()
	r, err := credit.FromUnits(n)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func username(t testing.TB, text string) profile.Username {
	t.Helper()
	name, err := profile.ParseUsername(text)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func text(t testing.TB, s string) profile.Text {
	t.Helper()
	parsed, err := profile.ParseText(s)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func provenance(id int64, at time.Time) credit.Provenance {
	return credit.Provenance{ID: id, Actor: 9, Request: "request", Notes: "notes", At: at}
}

// resellerAt returns one that stands below others, the root first.
func resellerAt(t testing.TB, id int64, role reseller.Role, credits string, above ...int64) *reseller.Reseller {
	t.Helper()
	r, err := reseller.Restore(reseller.State{
		Position:     reseller.Position{ID: id, Ancestors: above},
		Role:         role,
		Username:     username(t, "user"),
		PasswordHash: "hash",
		Token:        reseller.Generation{byte(id)},
		Contact: reseller.Contact{
			Country: text(t, "PT"), Whatsapp: text(t, "1"), Telegram: text(t, "@t"), Email: text(t, "a@b.c"), Notes: text(t, "n"),
		},
		Language:    text(t, "en"),
		Credits:     amount(t, credits),
		Tip:         credit.Tip{Seq: 40 + id, Hash: credit.Hash{byte(id)}},
		RechargedAt: noon.Add(-time.Hour),
		Trials:      []reseller.TrialSlot{{Start: noon, Count: 1}},
		CreatedAt:   noon.Add(-2 * time.Hour),
		UpdatedAt:   noon.Add(-time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// family is a tree of every case of sight and right.
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

func (f family) names() []string {
	var names []string
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (f family) states() map[string]reseller.State {
	states := map[string]reseller.State{}
	for name, r := range f {
		states[name] = r.State()
	}
	return states
}

// changed names the resellers that differ from what they were.
func (f family) changed(before map[string]reseller.State) []string {
	var names []string
	for _, name := range f.names() {
		if !reflect.DeepEqual(f[name].State(), before[name]) {
			names = append(names, name)
		}
	}
	return names
}
