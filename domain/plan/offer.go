package plan

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
)

// The reasons for which a line is not sold at a price.
var (
	ErrUnknownPrice   = fault.New(fault.Invalid, "unknown-price", "No period is sold for this number of credits.")
	ErrAmbiguousPrice = fault.New(fault.Invalid, "ambiguous-price", "Several plans have this price: send the plan.")
	ErrPriceChanged   = fault.New(fault.Conflict, "price-changed", "The price is not the expected one.")
	ErrOffSale        = fault.New(fault.Conflict, "plan-off-sale", "This plan is no longer sold.")
	ErrDiffers        = fault.New(fault.Conflict, "plan-differs",
		"The plan has other connections or packages than the line, which is running.")
	ErrPeriodDiffers = fault.New(fault.Conflict, "period-differs",
		"A running line changes between plans of the same period: take this plan at its extension.")
	ErrDowngrade = fault.New(fault.Conflict, "downgrade-at-extension",
		"The plan is cheaper than the present one: take it at an extension, when the line has expired.")
)

// NotSold refuses a request for a price. It matches ErrUnknownPrice or ErrAmbiguousPrice.
type NotSold struct {
	refusal error
	ByPlan  bool    // the request named a plan, not credits alone
	Prices  []Offer // that are sold, or that are ambiguous
}

// Error returns the sentence for people.
func (e *NotSold) Error() string { return e.refusal.Error() }

// Unwrap makes the error match its fault.
func (e *NotSold) Unwrap() error { return e.refusal }

// PriceChanged refuses to charge another price than the expected one. It matches ErrPriceChanged.
type PriceChanged struct {
	Plan             int64
	Expected, Actual credit.Amount
	Version          int64
}

// Error returns the sentence for people.
func (e *PriceChanged) Error() string {
	return "The price is " + e.Actual.String() + ", and not the expected " + e.Expected.String() + "."
}

// Unwrap makes the error match its fault.
func (e *PriceChanged) Unwrap() error { return ErrPriceChanged }

// Members implements fault.Detailed.
func (e *PriceChanged) Members() []fault.Member {
	return []fault.Member{{Name: "plan", Value: e.Plan}, {Name: "expected", Value: e.Expected},
		{Name: "actual", Value: e.Actual}, {Name: "version", Value: e.Version}}
}

// Offers are the prices for the lines of an account at an instant: all plans, and the version of the book in force.
type Offers struct {
	Catalogue
	Book int64 // account that has the book, 0: the platform
	Version
	At time.Time
}

// InForce returns the offers of a book at an instant, and false if the book above counts.
func InForce(c Catalogue, b Book, at time.Time) (Offers, bool) {
	v, has := b.InForce(at)
	return Offers{c, b.Account, v, at}, has && !v.Inherits()
}

// Offer is a plan with its price.
type Offer struct {
	Plan
	credit.Price
}

// All returns the plans with a price in the book that are on sale, the cheapest first.
func (o Offers) All() []Offer {
	return o.where(func(of Offer) bool { return of.Sold(o.At) })
}

// where returns the plans with a price that have a property, the cheapest first.
func (o Offers) where(has func(Offer) bool) (all []Offer) {
	for _, r := range o.Prices() {
		if p, there := o.Find(r.Plan); there {
			of := Offer{p, credit.Price{Plan: p.ID, Book: o.Book, Version: o.Number, Credits: r.Credits, Period: p.Period(),
				Terms: p.Terms()}}
			if has(of) {
				all = append(all, of)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Offer) int { return a.Credits.Cmp(b.Credits) })
	return all
}

// Of returns the price of a plan, on sale or not, and false if the book lacks the plan.
func (o Offers) Of(id int64) (credit.Price, bool) {
	found := o.where(func(of Offer) bool { return of.ID == id })
	if len(found) == 0 {
		return credit.Price{}, false
	}
	return found[0].Price, true
}

// Request names a price: by its plan, by its credits, or by both, which must agree.
type Request struct {
	Plan    int64          // 0: none
	Credits *credit.Amount // nil: none; 0: a number that no plan costs
	Hint    string         // a sentence about credits that no plan costs
}

// ForActivation returns the price of an activation. Refusals: *NotSold, *PriceChanged, ErrOffSale.
func (o Offers) ForActivation(r Request) (credit.Price, error) {
	if r.Plan != 0 {
		return o.byPlan(r, nil)
	}
	return o.byCredits(r, oneConnection)
}

func oneConnection(t credit.Terms) bool { return t.Connections == 1 }

// ForExtension returns the price of an extension of a line with these terms. A line without a plan takes a plan with
// one connection. A line that has expired takes any plan that is named. Refusals: *NotSold, *PriceChanged, ErrOffSale,
// ErrDiffers.
func (o Offers) ForExtension(r Request, terms credit.Terms, running bool) (credit.Price, error) {
	fits := func(t credit.Terms) bool { return t == terms }
	if terms == (credit.Terms{}) {
		fits = oneConnection
	}
	switch {
	case r.Plan == 0:
		return o.byCredits(r, fits)
	case running:
		return o.byPlan(r, fits)
	}
	return o.byPlan(r, nil)
}

// byCredits finds the one price for so many credits whose terms fit.
func (o Offers) byCredits(r Request, fits func(credit.Terms) bool) (credit.Price, error) {
	found := o.where(func(of Offer) bool { return of.Credits.Equal(*r.Credits) && fits(of.Price.Terms) })
	sold := slices.DeleteFunc(slices.Clone(found), func(of Offer) bool { return !of.Sold(o.At) })
	switch {
	case len(sold) == 1:
		return sold[0].Price, nil
	case len(sold) > 1:
		return credit.Price{}, &NotSold{refusal: ErrAmbiguousPrice, Prices: sold}
	case len(found) > 0:
		return credit.Price{}, ErrOffSale
	}
	return credit.Price{}, o.notSold(r)
}

// byPlan finds the price of a plan whose terms fit, nil for any.
func (o Offers) byPlan(r Request, fits func(credit.Terms) bool) (credit.Price, error) {
	p, there := o.Find(r.Plan)
	price, priced := o.Of(r.Plan)
	switch {
	case !there:
		return credit.Price{}, o.notSold(r)
	case !p.Sold(o.At):
		return credit.Price{}, ErrOffSale
	case fits != nil && !fits(p.Terms()):
		return credit.Price{}, ErrDiffers
	case !priced:
		return credit.Price{}, o.notSold(r)
	case r.Credits != nil && !r.Credits.Equal(price.Credits):
		return credit.Price{}, &PriceChanged{r.Plan, *r.Credits, price.Credits, price.Version}
	}
	return price, nil
}

// notSold returns the refusal of a request, with the prices that are sold.
func (o Offers) notSold(r Request) error {
	sold, said := o.All(), "No period is sold for this number of credits; prices are "
	if r.Plan != 0 {
		said = "This plan is not sold; prices are "
	}
	var credits []string
	for _, p := range sold {
		credits = append(credits, p.Credits.String())
	}
	if said += strings.Join(credits, ", ") + "."; r.Hint != "" {
		said += " " + r.Hint
	}
	return &NotSold{ErrUnknownPrice.WithDetail("%s", said), r.Plan != 0, sold}
}

// Switch is the change of a running line to a plan of the same period, and its cost.
type Switch struct {
	From, To  credit.Price
	Remaining time.Duration // until the line expires
	Cost      credit.Amount
}

// ForSwitch returns the cost of another plan for a line that runs for remaining: the share of the difference of the
// prices, a month as 30 days, rounded up, and at least 0.0001 credits. Refusals: *NotSold, ErrOffSale,
// ErrPeriodDiffers, ErrDowngrade.
func (o Offers) ForSwitch(from, to int64, remaining time.Duration) (s Switch, err error) {
	if s.To, err = o.byPlan(Request{Plan: to}, nil); err != nil {
		return s, err
	}
	was, priced := o.Of(from)
	if !priced {
		return s, &NotSold{ErrUnknownPrice.WithDetail("The present plan of the line has no price any more."), true, o.All()}
	}
	s.From, s.Remaining = was, remaining
	switch {
	case s.From.Period != s.To.Period:
		return s, ErrPeriodDiffers
	case s.To.Credits.Cmp(s.From.Credits) < 0:
		return s, ErrDowngrade
	}
	var ok bool
	if s.Cost, ok = CostOfSwitch(s.From.Credits, s.To.Credits, remaining, s.To.Period.Nominal()); !ok {
		return s, credit.ErrTooLarge
	}
	return s, nil
}

// CostOfSwitch returns ceil((to - from) x remaining / period) in the smallest unit, at least one unit. It returns false
// for more than a movement can carry.
func CostOfSwitch(from, to credit.Amount, remaining, period time.Duration) (credit.Amount, bool) {
	n := big.NewInt(to.Units() - from.Units())
	n.Mul(n, big.NewInt(remaining.Milliseconds()))
	d := big.NewInt(period.Milliseconds())
	n.Add(n, new(big.Int).Sub(d, big.NewInt(1))).Div(n, d)
	if !n.IsInt64() {
		return credit.Amount{}, false
	}
	cost, err := credit.FromUnits(max(1, n.Int64()))
	return cost, err == nil && cost.Cmp(credit.MaxMovement()) <= 0
}
