package ledger

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// BalanceAt selects the balance of an account at an instant.
type BalanceAt struct {
	Reseller int64
	At       *time.Time // nil, or in the future: now
}

// Balance is the balance of an account at an instant.
type Balance struct {
	Reseller int64
	Credits  credit.Amount
	At       time.Time
}

// BalanceAt returns the balance of an account at an instant: the balance after its last movement until then, 0 before
// the first. It reads some twenty movements of a million. The refusal is fault.ErrNotFound.
func (s Service) BalanceAt(ctx context.Context, call usecase.Call, c BalanceAt) (Balance, error) {
	return usecase.Query(ctx, s.k, call, "read balance", func(ctx context.Context, in usecase.View) (Balance, error) {
		r, err := usecase.VisibleReseller(ctx, in.Resellers, in.Actor, c.Reseller)
		if err != nil {
			return Balance{}, err
		}
		found := Balance{r.ID(), r.State().Credits, in.Now}
		if c.At == nil || c.At.After(in.Now) {
			return found, nil
		}
		found.At = *c.At
		_, found.Credits, err = lastUntil(ctx, in.Ledger, r, found.At)
		return found, err
	})
}

// Bounds selects the movements of a statement that are not earlier than From, and earlier than To.
type Bounds struct {
	Reseller int64
	From, To *time.Time // nil: no bound
}

// Period is a part of a statement without gaps, with the balances before its first movement and after its last.
type Period struct {
	Opening, Closing credit.Amount

	before, last int64 // numbers of the movement before the first one, and of the last
}

// Period finds a period of a statement, at the cost of BalanceAt. Periods of adjacent bounds have no movement in
// common, and none is missing. The refusal is fault.ErrNotFound.
func (s Service) Period(ctx context.Context, call usecase.Call, c Bounds) (Period, error) {
	return usecase.Query(ctx, s.k, call, "read period", func(ctx context.Context, in usecase.View) (found Period, err error) {
		r, err := usecase.VisibleReseller(ctx, in.Resellers, in.Actor, c.Reseller)
		if err != nil {
			return found, err
		}
		found.last, found.Closing = r.State().Tip.Seq, r.State().Credits
		if c.From != nil {
			found.before, found.Opening, err = lastUntil(ctx, in.Ledger, r, c.From.Add(-time.Millisecond))
		}
		if err == nil && c.To != nil && !c.To.After(in.Now) {
			found.last, found.Closing, err = lastUntil(ctx, in.Ledger, r, c.To.Add(-time.Millisecond))
		}
		return found, err
	})
}

// lastUntil returns the number of the last movement until an instant, and the balance after it, or 0 before the first.
//
// It is a binary search in the statement, which is in the order of the instants, except for movements of nearly the
// same moment. Later movements do not change which ones the search reads, so the result for a past instant stays.
func lastUntil(ctx context.Context, ledger ports.Statements, of *reseller.Reseller,
	at time.Time) (number int64, balance credit.Amount, err error) {
	tip := of.State().Tip.Seq
	for step := int64(1) << bits.Len64(uint64(tip)); step > 0; step /= 2 { //nolint:gosec // a number is not negative
		next := number + step
		if next > tip {
			continue
		}
		m, err := lastBefore(ctx, ledger, of.ID(), next+1)
		if err != nil {
			return 0, balance, err
		}
		posting, _ := m.Posting(of.ID())
		switch {
		case posting.Seq <= number: // all movements in between are damaged
			number = next
		case !m.At.After(at):
			number, balance = next, posting.Balance
		}
	}
	return number, balance, nil
}

// lastBefore returns the last readable movement of a statement before a number, the zero value without one.
func lastBefore(ctx context.Context, ledger ports.Statements, of, number int64) (credit.Movement, error) {
	for {
		found, err := ledger.Statement(ctx, of, number, 1)
		left, damaged := errors.AsType[*ports.IncompletePage](err)
		switch {
		case err != nil && !damaged:
			return credit.Movement{}, err
		case len(found) > 0:
			return found[0], nil
		case !damaged || left.Next == 0:
			return credit.Movement{}, nil
		}
		number = left.Next
	}
}
