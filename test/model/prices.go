package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// Price is an entry of the price table: it buys months or days.
type Price struct {
	Credits, Period string
	Months, Days    int
	Plan            int64
	Book, Version   int64 // that have the price
}

// Amount is the price's cost.
func (p Price) Amount() decimal.Decimal { return decimal.RequireFromString(p.Credits) }

// After returns when a period that begins at from ends, by the day of the month that counts, and the day that counts
// from then on.
func (p Price) After(from time.Time, day int) (end time.Time, counts int) {
	if p.Months > 0 {
		return Months(from, p.Months, day), day
	}
	end = from.AddDate(0, 0, p.Days)
	return end, end.Day()
}

// Prices are the prices of the contract, which a new store has.
func Prices() []Price {
	return []Price{
		{"0.5", "15 days", 0, 15, 1, 0, 1},
		{"1", "1 month", 1, 0, 2, 0, 1},
		{"2", "2 months", 2, 0, 3, 0, 1},
		{"3", "3 months", 3, 0, 4, 0, 1},
		{"5", "180 days", 0, 180, 5, 0, 1},
		{"10", "360 days", 0, 360, 6, 0, 1},
	}
}

// Asked is a price that a request names: by its credits, and maybe its plan.
type Asked struct {
	Credits string
	Plan    int64 // 0: none
}

// BookVersion is a version of a price book, in the order of the plans. Without prices the book above counts.
type BookVersion struct {
	Number int64
	At     time.Time
	Prices []Price
}

const (
	lead      = time.Minute // of a version before its instant
	mostAhead = 20
)

// book returns the versions of a book: of an account, or of the platform for nil.
func (w *World) book(of *Reseller) []BookVersion {
	if of == nil {
		return append([]BookVersion{{Number: 1, Prices: Prices()}}, w.Books[nil]...)
	}
	return w.Books[of]
}

// inForce returns the latest of some versions whose instant has come, the zero value for none.
func inForce(versions []BookVersion, now time.Time) (is BookVersion) {
	for _, v := range versions {
		if !v.At.After(now) && !v.At.Before(is.At) {
			is = v
		}
	}
	return is
}

// Offered returns the prices for the lines of an owner: those of the nearest book in force.
func (w *World) Offered(owner *Reseller, now time.Time) []Price {
	for {
		if v := inForce(w.book(owner), now); len(v.Prices) > 0 {
			return v.Prices
		}
		owner = owner.Parent
	}
}

// price finds the price that a request for a line names, and the refusal if it is not sold so.
func (w *World) price(l *Line, asked Asked, now time.Time) (is Price, refusal string) {
	if l == nil {
		return Price{Credits: asked.Credits}, ""
	}
	for _, p := range w.Offered(l.Owner, now) {
		switch {
		case asked.Plan == 0 && p.Credits == asked.Credits, asked.Plan == p.Plan && p.Credits == asked.Credits:
			return p, ""
		case asked.Plan == p.Plan:
			return Price{Credits: asked.Credits}, "price-changed"
		}
	}
	return Price{Credits: asked.Credits}, "unknown-price"
}

// SetPrices decides a new version of the price book of a reseller, or of the platform. Without an instant it is in
// force as soon as may be. The effect returns the newest version: nothing changes if that is the same, or if an account
// without prices is to inherit.
func (w *World) SetPrices(by, target *Reseller, platform bool, v BookVersion, at Moment) (refusal string,
	effect func() BookVersion) {
	if platform {
		target = nil
	}
	if v.At.IsZero() {
		v.At = at.Now.Add(lead)
	}
	var newest BookVersion
	ahead, priced := 0, false
	if platform || target != nil {
		versions := w.book(target)
		priced = len(inForce(versions, at.Now).Prices) > 0
		for _, is := range versions {
			if newest = is; is.At.After(at.Now) {
				ahead++
				priced = priced || len(is.Prices) > 0
			}
		}
	}
	if v.Number = newest.Number + 1; len(v.Prices) > 0 {
		v.Prices = slices.Clone(v.Prices)
	}
	for i := range v.Prices {
		if v.Prices[i].Version = v.Number; target != nil {
			v.Prices[i].Book = target.ID
		}
	}
	same := v.rows() == newest.rows() && v.At.Equal(newest.At) || len(v.Prices) == 0 && !priced
	return firstOf(
			by.Frozen(), "account-blocked",
			!platform && !by.Sees(target), "not-found",
			!by.Admin || target != nil && target.Admin, "not-allowed",
			!same && v.At.Before(at.Now.Add(lead)), "effective-too-soon",
			!same && ahead >= mostAhead, "too-many-versions",
		), func() BookVersion {
			if same {
				return newest
			}
			if w.Books == nil {
				w.Books = map[*Reseller][]BookVersion{}
			}
			w.Books[target] = append(w.Books[target], v)
			e := did(by, "prices.changed", at)
			if e.Data = map[string]any{}; target != nil {
				e.Account, e.Data = target, named(target.Name)
			}
			e.Data["version"], e.Data["effective_at"], e.Data["rows"] = v.Number, iso(v.At), v.rows()
			w.happened(e)
			return v
		}
}

// rows are the prices of a version as the journal has them.
func (v BookVersion) rows() string {
	rows := []string{}
	for _, p := range v.Prices {
		rows = append(rows, fmt.Sprintf("%d=%s", p.Plan, p.Credits))
	}
	return strings.Join(rows, " ")
}
