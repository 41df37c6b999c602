// Package given is the vocabulary of test data: names, amounts, prices, resellers, lines, movements and a clock.
//
//	admin := given.Admin(1)
//	master := given.Master(admin, 2)
//	trial := given.Trial(master, 1)
//	var ledger given.Ledger
//	ledger.Fund(admin, master, "10")
//	ledger.Activate(trial, master, "0.5")
//
// All of it is pure: the same arguments give the same values, nothing is read, and nothing is random. What the domain
// refuses is a mistake in the test, and panics. A value that a test is about is parsed by the test itself.
package given

import (
	"fmt"
	"sync"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/profile"
)

// Noon is the instant at which everything here is made: in a month without a 30th, with a millisecond that must survive.
var Noon = time.Date(2026, time.February, 28, 12, 0, 0, 1e6, time.UTC)

// Time returns the instant that is written as in RFC 3339.
func Time(text string) time.Time { return must(time.Parse(time.RFC3339Nano, text)).UTC() }

// Name returns a user name.
func Name(text string) profile.Username { return must(profile.ParseUsername(text)) }

// Text returns a text as a store kept it.
func Text(text string) profile.Text { return profile.RestoreText(text) }

// Credits returns an amount as it is written in a request, such as 0.5.
func Credits(text string) credit.Amount { return must(credit.Parse(text)) }

// Units returns an amount of so many ten-thousandths of a credit.
func Units(n int64) credit.Amount { return must(credit.FromUnits(n)) }

// Price returns the entry of the price table for so many credits.
func Price(credits string) credit.Price { return must(credit.ParsePrice(credits)) }

func must[V any](v V, err error) V {
	if err != nil {
		panic(fmt.Sprintf("given: %v", err))
	}
	return v
}

// Clock is a clock that is set by hand. It may be used by several goroutines.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands still at an instant.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now returns the instant, UTC to the millisecond as every clock of the service.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now.UTC().Truncate(time.Millisecond)
}

// Advance sets the clock forward.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// Set sets the clock, also back.
func (c *Clock) Set(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = to
}
