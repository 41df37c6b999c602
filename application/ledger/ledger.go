// Package ledger implements statements of movements of credits, and the proof that their sums agree with the balances.
package ledger

import (
	"context"
	"errors"
	"slices"
	"time"

	"resellerd/application/internal/usecase"
	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Service lists movements and prices, and proves the ledger.
type Service struct {
	k       *usecase.Kernel
	proving chan struct{} // holds a value while a proof runs
}

// New returns the use cases of the ledger.
func New(k *usecase.Kernel) Service { return Service{k, make(chan struct{}, 1)} }

// Entry is a movement in a reseller's statement.
type Entry struct {
	credit.Movement
	Posting credit.Posting // of the reseller itself

	LineName         string // the line's present name, or its last; "" if it is unknown
	CounterpartyName string // the present name of a reseller that the caller sees, "" for other parties
}

// Counterparty returns the party of a movement that is not the reseller.
func (e Entry) Counterparty() credit.Party {
	if e.Target == credit.Reseller(e.Posting.Reseller) {
		return e.Source
	}
	return e.Target
}

// Statement selects the movements of a reseller.
type Statement struct {
	Reseller int64
	Period   *Period         // of this statement, nil: all
	After    *usecase.Cursor // next_cursor of the page before, nil: from the beginning
	Limit    int
}

// Cursor parses a cursor of a statement, or returns ErrBadCursor.
func (c Statement) Cursor(text string) (usecase.Cursor, error) {
	return usecase.NewestEntries.Parse(text)
}

// PageAfter returns the query for up to limit of the same items, after a cursor.
func (c Statement) PageAfter(after *usecase.Cursor, limit int) Statement {
	c.After, c.Limit = after, limit
	return c
}

// Statement returns a page of the movements of a reseller, the newest first. The refusal is fault.ErrNotFound.
func (s Service) Statement(ctx context.Context, call usecase.Call, c Statement) (usecase.Page[Entry], error) {
	return usecase.Query(ctx, s.k, call, "read statement",
		func(ctx context.Context, in usecase.View) (usecase.Page[Entry], error) {
			var page usecase.Page[Entry]
			page.After = func(e Entry) usecase.Cursor { return usecase.NewestEntries.NumberCursor(e.Posting.Seq) }
			of, err := usecase.VisibleReseller(ctx, in.Resellers, in.Actor, c.Reseller)
			if err != nil {
				return page, err
			}
			inSight := in.Actor.VisiblePath(of.Position())
			end, first, limit := c.part()
			if limit == 0 {
				return page, nil
			}
			movements, err := in.Ledger.Statement(ctx, c.Reseller, end, limit)
			left, damaged := errors.AsType[*ports.IncompletePage](err)
			if err != nil && !damaged {
				return page, err
			}
			for _, m := range movements {
				posting, _ := m.Posting(c.Reseller)
				if in.Actor.VisibleRoot() != 0 && !slices.Contains(inSight, m.Actor) {
					m.ActorName, m.Request = "", ""
				}
				page.Items = append(page.Items, Entry{Movement: m, Posting: posting})
			}
			if err := nameEntries(ctx, in, page.Items); err != nil {
				return page, err
			}
			if damaged {
				page.Damaged = left.Damaged
				if left.Next > first {
					page.Next = new(usecase.NewestEntries.NumberCursor(left.Next))
				}
			} else if last := len(page.Items) - 1; last == limit-1 && page.Items[last].Posting.Seq > first {
				page.Next = new(page.After(page.Items[last]))
			}
			return page, nil
		})
}

// part returns the numbers between which the page is, from first and below end, and how many movements it has at most.
// End is 0 for a page from the newest movement on.
func (c Statement) part() (end, first int64, limit int) {
	end, first = c.After.Position().ID, 1
	if c.Period == nil {
		return end, first, c.Limit
	}
	first = c.Period.before + 1
	if end == 0 || end > c.Period.last {
		end = c.Period.last + 1
	}
	return end, first, int(max(0, min(int64(c.Limit), end-first)))
}

// nameEntries adds the names of lines and counterparties to entries, at one read for all lines, one for each deleted
// line and one for each counterparty.
func nameEntries(ctx context.Context, in usecase.View, entries []Entry) error {
	var lines []int64
	for _, e := range entries {
		if e.Line != 0 {
			lines = append(lines, e.Line)
		}
	}
	slices.Sort(lines)
	names, err := usecase.LineNames(ctx, in, slices.Compact(lines))
	if err != nil {
		return err
	}
	others := map[int64]string{0: ""}
	for i := range entries {
		e := &entries[i]
		e.LineName = names[e.Line]
		other := e.Counterparty().ResellerID()
		if _, known := others[other]; !known {
			r, err := usecase.VisibleReseller(ctx, in.Resellers, in.Actor, other)
			if err != nil && !usecase.IsNotFound(err) {
				return err
			}
			if others[other] = ""; err == nil {
				others[other] = r.State().Username.String()
			}
		}
		e.CounterpartyName = others[other]
	}
	return nil
}

// ErrProofBusy refuses a proof that could not be finished: one runs at a time, and a large store takes longer than the
// limit of a request.
var ErrProofBusy = fault.New(fault.Unavailable, "proof-unavailable",
	"The proof could not be finished in time; 'resellerd verify' does the same and more, offline.")

// Proof is the sum of all movements and balances, at an instant.
type Proof struct {
	credit.Totals
	At time.Time
}

// Prove sums the stored movements and balances, from one snapshot, one proof at a time. Refusals:
// reseller.ErrNotAllowed for every account but an admin, ErrProofBusy.
func (s Service) Prove(ctx context.Context, call usecase.Call) (proof Proof, err error) {
	ctx, ended := s.k.Observe(ctx, "prove ledger")
	defer ended()
	now := s.k.Dependencies.Clock()
	// A caller without the right does not wait for its refusal.
	if err := s.k.Read(ctx, call, now, usecase.MayAudit); err != nil {
		return Proof{}, err
	}
	select {
	case s.proving <- struct{}{}:
		defer func() { <-s.proving }()
	case <-ctx.Done():
		return Proof{}, ErrProofBusy
	}
	err = s.k.Read(ctx, call, now, func(ctx context.Context, snapshot ports.Snapshot, _ *reseller.Reseller) error {
		totals, err := snapshot.Ledger.Totals(ctx)
		proof = Proof{totals, now}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return Proof{}, ErrProofBusy
	}
	return proof, err
}
