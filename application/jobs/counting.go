package jobs

import (
	"context"
	"sync"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/fault"
)

// ErrCounting refuses an order while another one of its account is being counted.
var ErrCounting = fault.New(fault.Exhausted, "count-running",
	"Another order of this account for many lines is being counted: ask again once it is.")

const (
	// countedAtOnce is how many orders of all accounts are counted at a time by this process. The others wait.
	countedAtOnce = 2
	// MostSelected is how many bytes of memory the lines of these orders take, at most: 16 KiB each, as in pages.
	MostSelected = countedAtOnce * selectedAtOnce * 16 << 10
)

// counting bounds what a request can cost that has up to a million lines read.
type counting struct {
	turns chan usecase.None // holds a value for each that is counted

	mu       sync.Mutex
	accounts map[int64]bool // that count, or wait for their turn
}

// enter waits for an account's turn. Refusals: ErrCounting, and ErrUnavailable if ctx ends first.
func (c *counting) enter(ctx context.Context, account int64) (leave func(), err error) {
	if !c.mark(account) {
		return nil, fault.After(time.Second, ErrCounting)
	}
	select {
	case c.turns <- usecase.None{}:
		return func() {
			<-c.turns
			c.unmark(account)
		}, nil
	case <-ctx.Done():
		c.unmark(account)
		return nil, usecase.ErrUnavailable
	}
}

func (c *counting) mark(account int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.accounts[account] {
		return false
	}
	c.accounts[account] = true
	return true
}

func (c *counting) unmark(account int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.accounts, account)
}
