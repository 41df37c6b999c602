// Package plan implements plans and price books. A plan is what the platform sells: a period, a number of connections,
// packages. A price book has the prices of plans, for the platform or for one reseller with all accounts below it.
//
// A plan never changes what it gives. A book changes by versions, each from an instant on that lies at least a minute
// ahead: longer than a request takes and than clocks differ, so that no charge commits at a price that was replaced.
package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
)

// Limits of plans.
const (
	MaxPlans       = 200
	MaxConnections = 1000
	MaxPackages    = 50
	MaxPackageName = 40 // characters a to z, 0 to 9, dot, hyphen and underscore
	MaxSort        = 1_000_000
)

// Lead is the least time from a change of prices to its effect.
const Lead = time.Minute

// The reasons for which plans are refused.
var (
	ErrPackages = fault.New(fault.Invalid, "bad-packages",
		"This must be null, or 1 to 50 different names of 1 to 40 characters a to z, 0 to 9, '.', '-' and '_'.")
	ErrPeriod = fault.New(fault.Invalid, "bad-period",
		"This must be {count, unit}: 1 to 3660 of the unit day, or 1 to 120 of the unit month.")
	ErrTooManyPlans = fault.New(fault.Conflict, "too-many-plans", "There are at most 200 plans.")
	ErrImmutable    = fault.New(fault.Conflict, "plan-immutable",
		"The period, the connections and the packages of a plan never change: create another plan.")
	ErrChanging = fault.New(fault.Conflict, "plan-changing",
		"The sale of this plan begins or ends within a minute: repeat the change after that.")
)

// Plan is what the platform sells. It is a value.
type Plan struct {
	ID          int64
	Name        string
	Unit        string // of the period: credit.Day or credit.Month
	Count       int64
	Connections int64
	Packages    []string // in the order of their names; nil: every package
	OnSale      bool     // from SaleFrom on; before, it was the opposite
	SaleFrom    time.Time
	Sort        int64
	Metadata    []Member
}

// Member is a member of the metadata of a plan.
type Member struct{ Name, Value string }

// ParsePackages reads names of packages in any order.
func ParsePackages(names []string) ([]string, error) {
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	bad := func(name string) bool {
		return name == "" || len(name) > MaxPackageName ||
			strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != ""
	}
	if len(names) == 0 || len(names) > MaxPackages || len(sorted) != len(names) || slices.ContainsFunc(sorted, bad) {
		return nil, ErrPackages
	}
	return sorted, nil
}

// Period returns the period that the plan buys.
func (p Plan) Period() credit.Period {
	period, _ := credit.NewPeriod(p.Count, p.Unit)
	return period
}

// Terms returns the connections and packages of the plan, as a line stores them.
func (p Plan) Terms() credit.Terms {
	return credit.Terms{Connections: p.Connections, Packages: credit.Packages(strings.Join(p.Packages, ","))}
}

// Sold reports whether the plan is on sale.
func (p Plan) Sold(now time.Time) bool { return p.OnSale != now.Before(p.SaleFrom) }

// SaleChanges returns the instant at which the sale of the plan begins or ends, the zero value for none.
func (p Plan) SaleChanges(now time.Time) time.Time {
	if now.Before(p.SaleFrom) {
		return p.SaleFrom
	}
	return time.Time{}
}

// possible reports whether a stored plan is one that Create could have made.
func (p Plan) possible() bool {
	_, period := credit.NewPeriod(p.Count, p.Unit)
	packages, err := ParsePackages(p.Packages)
	return p.ID > 0 && p.Name != "" && period && p.Connections >= 1 && p.Connections <= MaxConnections &&
		(p.Packages == nil || err == nil && slices.Equal(packages, p.Packages))
}

// Catalogue has all plans, of one platform. It is a value: a change is made to a copy.
type Catalogue struct {
	Account int64 // 0
	Last    int64 // the id that was assigned last
	Plans   []Plan
}

// Founding returns the catalogue and the price book that a store begins with.
func Founding() (Catalogue, Book) {
	var c Catalogue
	var rows []Row
	for _, p := range []struct {
		units, count int64
		unit         string
	}{
		{5_000, 15, credit.Day}, {10_000, 1, credit.Month}, {20_000, 2, credit.Month}, {30_000, 3, credit.Month},
		{50_000, 180, credit.Day}, {100_000, 360, credit.Day},
	} {
		period, _ := credit.NewPeriod(p.count, p.unit)
		credits, _ := credit.FromUnits(p.units)
		c, _, _ = c.Create(Plan{Name: period.String(), Unit: p.unit, Count: p.count, Connections: 1, OnSale: true,
			Sort: c.Last + 1})
		rows = append(rows, Row{c.Last, credits})
	}
	return c, Book{Last: 1, Versions: []Version{{Number: 1, Rows: writeRows(rows)}}}
}

// Possible reports whether the catalogue is one that changes could have made.
func (c Catalogue) Possible() bool {
	return c.Account == 0 && len(c.Plans) <= MaxPlans &&
		slices.IsSortedFunc(c.Plans, func(a, b Plan) int { return cmp.Compare(a.ID, b.ID) }) &&
		!slices.ContainsFunc(c.Plans, func(p Plan) bool { return !p.possible() || p.ID > c.Last })
}

// Find returns the plan of an id.
func (c Catalogue) Find(id int64) (Plan, bool) {
	at, there := slices.BinarySearchFunc(c.Plans, id, func(p Plan, id int64) int { return cmp.Compare(p.ID, id) })
	if !there {
		return Plan{}, false
	}
	return c.Plans[at], true
}

// InOrder returns the plans by their sort, then their ids.
func (c Catalogue) InOrder() []Plan {
	return slices.SortedStableFunc(slices.Values(c.Plans), func(a, b Plan) int { return cmp.Compare(a.Sort, b.Sort) })
}

// Create adds a plan of valid values, and assigns its id. The refusal is ErrTooManyPlans.
func (c Catalogue) Create(p Plan) (Catalogue, Plan, error) {
	if len(c.Plans) >= MaxPlans {
		return c, Plan{}, ErrTooManyPlans
	}
	c.Last++
	p.ID = c.Last
	c.Plans = append(slices.Clone(c.Plans), p)
	return c, p, nil
}

// Change is a change of a plan. A nil field stays.
type Change struct {
	ID       int64
	Name     *string
	OnSale   *bool
	Sort     *int64
	Metadata *[]Member

	// What a plan gives: only the present values are accepted.
	Period      *credit.Period
	Connections *int64
	Packages    *[]string
}

// immutable reports whether the change would change what a plan gives.
func (ch Change) immutable(p Plan) bool {
	return ch.Period != nil && *ch.Period != p.Period() || ch.Connections != nil && *ch.Connections != p.Connections ||
		ch.Packages != nil && !slices.Equal(*ch.Packages, p.Packages)
}

// Update changes a plan, and returns the names of the changed fields in their order. The sale begins or ends after
// Lead. Refusals: fault.ErrNotFound, ErrImmutable, ErrChanging.
func (c Catalogue) Update(ch Change, now time.Time) (Catalogue, Plan, []string, error) {
	p, there := c.Find(ch.ID)
	switch {
	case !there:
		return c, Plan{}, nil, fault.ErrNotFound
	case ch.immutable(p):
		return c, Plan{}, nil, ErrImmutable
	}
	var changed []string
	if ch.Metadata != nil && !slices.Equal(*ch.Metadata, p.Metadata) {
		p.Metadata, changed = *ch.Metadata, append(changed, "metadata")
	}
	if ch.Name != nil && *ch.Name != p.Name {
		p.Name, changed = *ch.Name, append(changed, "name")
	}
	if ch.OnSale != nil && *ch.OnSale != p.OnSale {
		if now.Before(p.SaleFrom) {
			return c, Plan{}, nil, ErrChanging
		}
		p.OnSale, p.SaleFrom, changed = *ch.OnSale, now.Add(Lead), append(changed, "on_sale")
	}
	if ch.Sort != nil && *ch.Sort != p.Sort {
		p.Sort, changed = *ch.Sort, append(changed, "sort")
	}
	c.Plans = slices.Clone(c.Plans)
	c.Plans[slices.IndexFunc(c.Plans, func(other Plan) bool { return other.ID == p.ID })] = p
	return c, p, changed, nil
}
