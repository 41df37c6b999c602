package jobs

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"resellerd/application/dryrun"
	"resellerd/application/internal/usecase"
	"resellerd/domain/bulk"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/line"
	"resellerd/domain/principal"
)

// dryRunResult is the result that a bulk job would have.
type dryRunResult struct {
	bulk.Outcome
	lines []int64 // selected lines
	whole bool    // the outcome includes all of them
}

// dryRun decides the outcome of a bulk job, for the first most lines, by the rules of the job itself: the same commands
// run over a snapshot. Their changes only reach the balances that the next commands read.
func dryRun(ctx context.Context, s *usecase.Kernel, in usecase.View, call usecase.Call, c Start,
	most int) (found dryRunResult, err error) {
	r := dryrun.New(in, call)
	refused, left := map[string]int{}, map[int64]credit.Amount{}
	one := func(id int64, l *line.Line) error {
		if found.lines = append(found.lines, id); len(found.lines) > bulk.MaxLines {
			return bulk.ErrTooManyLines
		}
		if len(found.lines) > most {
			return nil
		}
		item, err := item(s, c.Change, id, time.Time{})
		if err != nil {
			return err
		}
		if _, err := dryrun.Try(ctx, r, item, l); err != nil {
			code, is := refusalOf(err)
			if !is {
				return err
			}
			refused[code]++
			return nil
		}
		found.Succeeded++
		for _, m := range r.Posted {
			found.Total += bulk.Units(m.Amount.Units())
			for _, p := range m.Postings {
				left[p.Reseller] = p.Balance
			}
		}
		return nil
	}
	if c.IDs == nil {
		err = eachSelected(ctx, in, c.Filter, func(l *line.Line) error { return one(l.ID(), l) })
	} else {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(c.IDs))) {
			if err = one(id, nil); err != nil {
				break
			}
		}
	}
	found.Matched, found.whole = len(found.lines), len(found.lines) <= most
	for _, code := range slices.Sorted(maps.Keys(refused)) {
		found.Refused = append(found.Refused, bulk.Count{Code: code, Times: refused[code]})
	}
	for _, id := range slices.Sorted(maps.Keys(left)) {
		found.BalancesAfter = append(found.BalancesAfter,
			bulk.BalanceAfter{Account: id, Balance: principal.Units(left[id].Units())})
	}
	return found, err
}

// ErrCounting refuses a request while another dry run of its account is being counted.
var ErrCounting = fault.New(fault.Exhausted, "count-running",
	"Another bulk job of this account is being counted: retry after that.")

const (
	// countedAtOnce is how many jobs of all accounts this process counts at a time. The others wait.
	countedAtOnce = 2
	// MostSelected is how many bytes of memory the lines of these jobs take, at most: 16 KiB each, as in pages.
	MostSelected = countedAtOnce * selectedAtOnce * 16 << 10
)

// counting limits the cost of requests that read up to a million lines.
type counting struct {
	turns chan usecase.None // has a value for each job that is being counted

	mu       sync.Mutex
	accounts map[int64]bool // that count, or wait for their turn
}

// enter waits for an account's turn. Refusals: ErrCounting, and ErrUnavailable if ctx ends first.
func (c *counting) enter(ctx context.Context, account int64) (leave func(), err error) {
	c.mu.Lock()
	counts := c.accounts[account]
	c.accounts[account] = true
	c.mu.Unlock()
	if counts {
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

func (c *counting) unmark(account int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.accounts, account)
}
