package plan_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/plan"
	"resellerd/test/expect"
	"resellerd/test/fixture"
	"resellerd/test/require"
)

// shop has the plans: 7 and 8 with two devices, at the prices of 1 and 2 devices; 9 is off sale; 10 has no price.
func shop(t *testing.T) plan.Offers {
	t.Helper()
	all, _ := plan.Founding()
	for _, p := range []plan.Plan{
		{Name: "two", Unit: credit.Month, Count: 1, Connections: 2, OnSale: true},
		{Name: "sport", Unit: credit.Month, Count: 1, Connections: 1, Packages: []string{"sport"}, OnSale: true},
		{Name: "old", Unit: credit.Month, Count: 1, Connections: 1},
		{Name: "unpriced", Unit: credit.Month, Count: 1, Connections: 1, OnSale: true},
		{Name: "half", Unit: credit.Day, Count: 15, Connections: 2, OnSale: true},
	} {
		var err error
		all, _, err = all.Create(p)
		require.NoError(t, err)
	}
	book := plan.Book{Account: 5}
	prices := rows("0.5", "1", "2", "", "", "", "2", "3", "4")
	prices = append(prices, plan.Row{Plan: 11, Credits: fixture.Credits("3")})
	book, _, _, err := book.Put(plan.Next{Rows: prices}, noon)
	require.NoError(t, err)
	offers, is := plan.InForce(all, book, noon.Add(plan.Lead))
	expect.Equal(t, is, true, "in force")
	return offers
}

func request(of int64, credits string) plan.Request {
	r := plan.Request{Plan: of}
	if credits != "" {
		r.Credits = new(fixture.Credits(credits))
	}
	return r
}

func TestPriceOfACharge(t *testing.T) {
	offers := shop(t)
	one, two := credit.Terms{Connections: 1}, credit.Terms{Connections: 2}
	sport := credit.Terms{Connections: 1, Packages: "sport"}
	none := credit.Terms{}
	for _, c := range []struct {
		of      int64
		credits string
		line    *credit.Terms // nil: activation
		running bool
		want    any // the plan, or the refusal
	}{
		{0, "1", nil, false, int64(2)},
		{0, "2", nil, false, int64(3)}, // plan 7 has two connections
		{0, "3", nil, false, int64(8)},
		{0, "4", nil, false, plan.ErrOffSale},
		{0, "5", nil, false, plan.ErrUnknownPrice},
		{0, "0", nil, false, plan.ErrUnknownPrice},
		{7, "", nil, false, int64(7)},
		{7, "2", nil, false, int64(7)},
		{7, "1", nil, false, plan.ErrPriceChanged},
		{9, "4", nil, false, plan.ErrOffSale},
		{10, "", nil, false, plan.ErrUnknownPrice},
		{12, "", nil, false, plan.ErrUnknownPrice},
		{0, "2", &two, true, int64(7)},
		{0, "2", &one, true, int64(3)},
		{0, "1", &two, true, plan.ErrUnknownPrice},
		{0, "3", &two, true, int64(11)},
		{0, "3", &sport, false, int64(8)},
		{0, "1", &none, true, int64(2)},
		{0, "2", &none, true, int64(3)},
		{7, "", &one, true, plan.ErrDiffers},
		{7, "", &one, false, int64(7)},
		{2, "1", &one, true, int64(2)},
		{2, "2", &one, true, plan.ErrPriceChanged},
		{11, "", &two, true, int64(11)},
		{7, "", &none, true, plan.ErrDiffers},
		{2, "", &none, true, int64(2)},
	} {
		asked := request(c.of, c.credits)
		price, err := offers.ForActivation(asked)
		if c.line != nil {
			price, err = offers.ForExtension(asked, *c.line, c.running)
		}
		name := fmt.Sprintf("plan %d for %q, line %v, running %t", c.of, c.credits, c.line, c.running)
		if refusal, is := c.want.(error); is {
			expect.Error(t, err, refusal, "%s", name)
			expect.Equal(t, price, credit.Price{}, "%s", name)
			continue
		}
		require.NoError(t, err)
		p, _ := offers.Find(c.want.(int64))
		row, _ := offers.Of(p.ID)
		expect.Equal(t, price.Plan, p.ID, "%s", name)
		expect.Equal(t, fmt.Sprint(price), fmt.Sprint(credit.Price{Plan: p.ID, Book: 5, Version: 1, Credits: row.Credits,
			Period: p.Period(), Terms: p.Terms()}), "%s", name)
	}
}

func TestTwoPlansOfOnePriceAreAmbiguous(t *testing.T) {
	all, book := plan.Founding()
	book, _, _, err := book.Put(plan.Next{Rows: rows("1", "1", "2")}, noon)
	require.NoError(t, err)
	offers, _ := plan.InForce(all, book, noon.Add(plan.Lead))
	_, err = offers.ForActivation(request(0, "1"))
	expect.Error(t, err, plan.ErrAmbiguousPrice, "two plans")
	unsold, _ := errors.AsType[*plan.NotSold](err)
	expect.Equal(t, fmt.Sprint(len(unsold.Prices), unsold.Prices[0].ID, unsold.Prices[1].ID), "2 1 2", "both")
	price, err := offers.ForActivation(request(2, "1"))
	require.NoError(t, err)
	expect.Equal(t, price.Plan, int64(2), "with the plan")
}

func TestRefusalOfAPriceListsWhatIsSold(t *testing.T) {
	offers := shop(t)
	_, err := offers.ForActivation(plan.Request{Credits: new(credit.Amount), Hint: "Send it."})
	expect.Equal(t, err.Error(),
		"No period is sold for this number of credits; prices are 0.5, 1, 2, 2, 3, 3. Send it.", "the sentence")
	_, err = offers.ForActivation(request(7, "1.5"))
	changed, _ := errors.AsType[*plan.PriceChanged](err)
	expect.Equal(t, fmt.Sprint(changed.Members()), "[{plan 7} {expected 1.5} {actual 2} {version 1}]", "the members")
}

func TestCostOfAnotherPlan(t *testing.T) {
	offers := shop(t)
	day := 24 * time.Hour
	for _, c := range []struct {
		from, to  int64
		remaining time.Duration
		want      any
	}{
		{2, 7, 30 * day, "1"},
		{2, 7, 15 * day, "0.5"},
		{2, 7, 15*day + time.Millisecond, "0.5001"},
		{2, 7, time.Millisecond, "0.0001"},
		{2, 7, 60 * day, "2"},
		{2, 2, 60 * day, "0.0001"},
		{7, 2, day, plan.ErrDowngrade},
		{2, 3, day, plan.ErrPeriodDiffers},
		{1, 11, 15 * day, "2.5"},
		{2, 9, day, plan.ErrOffSale},
		{2, 10, day, plan.ErrUnknownPrice},
		{10, 2, day, plan.ErrUnknownPrice},
	} {
		s, err := offers.ForSwitch(c.from, c.to, c.remaining)
		if refusal, is := c.want.(error); is {
			expect.Error(t, err, refusal, "%v", c)
			continue
		}
		require.NoError(t, err)
		expect.Equal(t, s.Cost.String(), c.want.(string), "%v", c)
		expect.Equal(t, fmt.Sprint(s.From.Plan, s.To.Plan, s.Remaining), fmt.Sprint(c.from, c.to, c.remaining), "%v", c)
	}
	_, ok := plan.CostOfSwitch(fixture.Credits("1"), credit.MaxMovement(), 3600*day, day)
	expect.Equal(t, ok, false, "more than a movement can carry")
}
