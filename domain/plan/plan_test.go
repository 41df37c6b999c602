package plan_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/plan"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

var noon = fixture.Time("2026-03-01T12:00:00Z")

func TestFoundingPricesAreTheContracts(t *testing.T) {
	all, book := plan.Founding()
	offers, is := plan.InForce(all, book, time.Time{})
	expect.Equal(t, is, true, "the book of a new store is in force")
	want := []struct{ credits, period string }{
		{"0.5", "15 days"}, {"1", "1 month"}, {"2", "2 months"}, {"3", "3 months"}, {"5", "180 days"}, {"10", "360 days"},
	}
	got := offers.All()
	expect.Equal(t, len(got), len(want), "number of prices")
	for i, o := range got {
		expect.Equal(t, o.Credits.String(), want[i].credits, "price %d", i)
		expect.Equal(t, o.Price.Period.String(), want[i].period, "price %d", i)
		expect.Equal(t, o.Name, want[i].period, "name of plan %d", i)
		expect.Equal(t, o.Price.Terms, credit.Terms{Connections: 1}, "terms of plan %d", i)
	}
	expect.Equal(t, all.Possible() && book.Possible(), true, "they are possible")
}

func TestPackagesAreDifferentPlainNames(t *testing.T) {
	got, err := plan.ParsePackages([]string{"sport", "full", "a.b-c_9"})
	require.NoError(t, err)
	expect.Equal(t, fmt.Sprint(got), "[a.b-c_9 full sport]", "in their order")
	for _, names := range [][]string{{}, {""}, {"a", "a"}, {"A"}, {"a,b"}, {"a b"}, {"é"}, make([]string, 51),
		{"abcdefghijklmnopqrstuvwxyz-abcdefghijklmn"}} {
		_, err := plan.ParsePackages(names)
		expect.Error(t, err, plan.ErrPackages, "%q", names)
	}
}

func TestCatalogueHasAtMost200Plans(t *testing.T) {
	all, _ := plan.Founding()
	for i := range plan.MaxPlans - 6 {
		var created plan.Plan
		var err error
		all, created, err = all.Create(plan.Plan{Name: "n", Unit: credit.Day, Count: 1, Connections: 1})
		require.NoError(t, err)
		expect.Equal(t, created.ID, int64(7+i), "ids are assigned one after the other")
	}
	_, _, err := all.Create(plan.Plan{})
	expect.Error(t, err, plan.ErrTooManyPlans, "plan 201")
	expect.Equal(t, all.Possible(), true, "it is possible")
}

func TestPlanNeverChangesWhatItGives(t *testing.T) {
	all, _ := plan.Founding()
	month, _ := credit.NewPeriod(1, credit.Month)
	day, _ := credit.NewPeriod(1, credit.Day)
	for _, c := range []plan.Change{
		{ID: 2, Period: &day}, {ID: 2, Connections: new(int64(2))}, {ID: 2, Packages: &[]string{"full"}},
		{ID: 2, Period: &month, Connections: new(int64(1)), Packages: &[]string{"full"}, Name: new("other")},
	} {
		is, _, _, err := all.Update(c, noon)
		expect.Error(t, err, plan.ErrImmutable, "%v", c)
		expect.Equal(t, fmt.Sprint(is), fmt.Sprint(all), "nothing changes")
	}
	is, changed, fields, err := all.Update(plan.Change{ID: 2, Period: &month, Connections: new(int64(1)),
		Packages: &[]string{}, Name: new("Month"), Sort: new(int64(9)), Metadata: &[]plan.Member{{"a", "b"}}}, noon)
	require.NoError(t, err)
	expect.Equal(t, fmt.Sprint(fields), "[metadata name sort]", "changed fields")
	want, _ := all.Find(2)
	want.Name, want.Sort, want.Metadata = "Month", 9, []plan.Member{{"a", "b"}}
	expect.Equal(t, fmt.Sprint(changed), fmt.Sprint(want), "the changed plan")
	found, _ := is.Find(2)
	expect.Equal(t, fmt.Sprint(found), fmt.Sprint(want), "the plan in the catalogue")
	was, _ := all.Find(2)
	expect.Equal(t, was.Name, "1 month", "the catalogue before is unchanged")
	_, _, fields, err = is.Update(plan.Change{ID: 2, Name: new("Month")}, noon)
	expect.Equal(t, fmt.Sprint(fields, err), "[] <nil>", "a repetition changes nothing")
	_, _, _, err = all.Update(plan.Change{ID: 99}, noon)
	expect.Error(t, err, fault.ErrNotFound, "a plan that does not exist")
}

func TestSaleBeginsAndEndsAMinuteAhead(t *testing.T) {
	all, _ := plan.Founding()
	all, p, changed, err := all.Update(plan.Change{ID: 1, OnSale: new(false)}, noon)
	require.NoError(t, err)
	expect.Equal(t, fmt.Sprint(changed), "[on_sale]", "changed")
	expect.Equal(t, p.Sold(noon.Add(59_999*time.Millisecond)), true, "before the minute")
	expect.Equal(t, p.Sold(noon.Add(time.Minute)), false, "after the minute")
	expect.Equal(t, p.SaleChanges(noon), noon.Add(time.Minute), "the instant is shown before")
	expect.Equal(t, p.SaleChanges(noon.Add(time.Minute)), time.Time{}, "and not after")
	_, _, _, err = all.Update(plan.Change{ID: 1, OnSale: new(true)}, noon.Add(59_999*time.Millisecond))
	expect.Error(t, err, plan.ErrChanging, "a second change within the minute")
	_, p, _, err = all.Update(plan.Change{ID: 1, OnSale: new(true)}, noon.Add(time.Minute))
	require.NoError(t, err)
	expect.Equal(t, p.Sold(noon.Add(119_999*time.Millisecond)), false, "before the second minute")
	expect.Equal(t, p.Sold(noon.Add(2*time.Minute)), true, "after the second minute")
}

func rows(prices ...string) (all []plan.Row) {
	for i, p := range prices {
		if p != "" {
			all = append(all, plan.Row{Plan: int64(i + 1), Credits: fixture.Credits(p)})
		}
	}
	return all
}

func TestVersionCountsFromItsInstantOn(t *testing.T) {
	_, book := plan.Founding()
	tomorrow := noon.Add(24 * time.Hour)
	var err error
	book, later, _, err := book.Put(plan.Next{Rows: rows("2"), EffectiveAt: &tomorrow}, noon)
	require.NoError(t, err)
	book, soon, _, err := book.Put(plan.Next{Rows: rows("", "7", "3")}, noon)
	require.NoError(t, err)
	book, tie, _, err := book.Put(plan.Next{Rows: rows("4"), EffectiveAt: &tomorrow, Note: "n"}, noon)
	require.NoError(t, err)
	expect.Equal(t, fmt.Sprint(later.Number, soon.Number, tie.Number), "2 3 4", "numbers")
	expect.Equal(t, soon.EffectiveAt, noon.Add(plan.Lead), "the earliest instant")
	expect.Equal(t, soon.Rows, "2=7 3=3", "rows")
	for _, c := range []struct {
		at   time.Time
		want int64
	}{
		{noon, 1}, {noon.Add(plan.Lead - 1), 1}, {noon.Add(plan.Lead), 3}, {tomorrow.Add(-1), 3}, {tomorrow, 4},
		{tomorrow.Add(time.Hour), 4},
	} {
		v, _ := book.InForce(c.at)
		expect.Equal(t, v.Number, c.want, "at %s", c.at)
	}
	expect.Equal(t, book.Possible(), true, "it is possible")
}

func TestPricesChangeAMinuteAhead(t *testing.T) {
	_, book := plan.Founding()
	at := noon.Add(plan.Lead - time.Millisecond)
	_, _, _, err := book.Put(plan.Next{Rows: rows("2"), EffectiveAt: &at}, noon)
	expect.Error(t, err, plan.ErrTooSoon, "a millisecond too soon")
	at = noon.Add(plan.Lead)
	book, v, _, err := book.Put(plan.Next{Rows: rows("2"), EffectiveAt: &at}, noon)
	require.NoError(t, err)
	again, same, left, err := book.Put(plan.Next{Rows: rows("2"), EffectiveAt: &at, Note: "again"}, noon.Add(time.Second))
	require.NoError(t, err)
	expect.Equal(t, fmt.Sprint(again, same, left), fmt.Sprint(book, v, []plan.Past(nil)), "a repetition changes nothing")
	other, _, _, err := book.Put(plan.Next{Rows: rows("2.5"), EffectiveAt: &at}, noon)
	require.NoError(t, err)
	expect.Equal(t, other.Last, int64(3), "other rows are another version")
	_, _, err = book.Cancel(2, noon)
	require.NoError(t, err)
	for number, want := range map[int64]error{0: fault.ErrNotFound, 3: fault.ErrNotFound, 1: plan.ErrVersionInForce} {
		_, _, err := book.Cancel(number, noon)
		expect.Error(t, err, want, "version %d", number)
	}
	_, _, err = book.Cancel(2, noon.Add(time.Millisecond))
	expect.Error(t, err, plan.ErrVersionInForce, "less than a minute before its instant")
	without, _, err := book.Cancel(2, noon)
	require.NoError(t, err)
	next, v, _, err := without.Put(plan.Next{Rows: rows("2"), EffectiveAt: &at}, noon)
	require.NoError(t, err)
	expect.Equal(t, fmt.Sprint(v.Number, len(next.Versions)), "3 2", "no number is assigned again")
}

func TestBookHas20VersionsAhead(t *testing.T) {
	book := plan.Book{Account: 7}
	for i := range plan.MaxAhead {
		at := noon.Add(plan.Lead + time.Duration(i))
		var err error
		book, _, _, err = book.Put(plan.Next{Rows: rows(strconv.Itoa(i + 1)), EffectiveAt: &at}, noon)
		require.NoError(t, err)
	}
	_, _, _, err := book.Put(plan.Next{Rows: rows("30")}, noon)
	expect.Error(t, err, plan.ErrTooManyVersions, "version 21 ahead")
	_, _, _, err = book.Put(plan.Next{Rows: rows("30")}, noon.Add(plan.Lead))
	expect.Error(t, err, nil, "after the first came into force")
}

func TestReplacedVersionsLeaveTheBookAfterTenMinutes(t *testing.T) {
	book, now := plan.Book{Account: 7}, noon
	var all []plan.Past
	var left []plan.Past
	var err error
	for i := range 5 {
		book, _, left, err = book.Put(plan.Next{Rows: rows(strconv.Itoa(i + 1))}, now)
		require.NoError(t, err)
		all = append(all, left...)
		now = now.Add(4 * time.Minute)
	}
	expect.Equal(t, fmt.Sprint(len(all), all[0].Number, all[0].Account, all[0].Key()), "1 1 77/1", "what has left")
	expect.Equal(t, len(book.Versions), 4, "what is there")
	v, _ := book.InForce(now.Add(-10 * time.Minute))
	expect.Equal(t, v.Number, int64(3), "the version of ten minutes ago")
}

func TestAccountInheritsAgain(t *testing.T) {
	all, platform := plan.Founding()
	book := plan.Book{Account: 7}
	none, v, _, err := book.Put(plan.Next{}, noon)
	require.NoError(t, err)
	expect.Equal(t, fmt.Sprint(none, v), fmt.Sprint(book, plan.Version{}), "without prices nothing changes")
	book, _, _, err = book.Put(plan.Next{Rows: rows("9")}, noon)
	require.NoError(t, err)
	book, v, _, err = book.Put(plan.Next{}, noon)
	require.NoError(t, err)
	expect.Equal(t, v.Inherits() && book.Possible(), true, "it inherits")
	_, is := plan.InForce(all, book, noon.Add(plan.Lead))
	expect.Equal(t, is, false, "the book above counts")
	again, _, _, err := book.Put(plan.Next{}, noon.Add(time.Hour))
	require.NoError(t, err)
	expect.Equal(t, len(again.Versions), len(book.Versions), "a repetition changes nothing")
	broken := platform
	broken.Versions = []plan.Version{{Number: 1}}
	expect.Equal(t, broken.Possible(), false, "the platform always has prices")
}
