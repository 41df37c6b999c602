package application

import (
	"context"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/ports"
)

// Reseller is a reseller as a reader sees it.
type Reseller struct {
	*reseller.Reseller
	BlockedAbove bool // a reseller above it is blocked
}

// read runs look over one snapshot on behalf of the token's reseller.
func (s *Service) read(ctx context.Context, call Call, look func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error) error {
	return s.dependencies.Store.View(ctx, func(ctx context.Context, snapshot ports.Snapshot) error {
		actor, err := admit(ctx, snapshot.Resellers, call.Token)
		if err != nil {
			return err
		}
		return look(ctx, snapshot, actor)
	})
}

// Self returns the caller's own reseller.
func (s *Service) Self(ctx context.Context, call Call) (Reseller, error) {
	return s.Reseller(ctx, call, call.Token.Reseller)
}

// Reseller returns a reseller that the caller sees, or fault.ErrNotFound.
func (s *Service) Reseller(ctx context.Context, call Call, id int64) (r Reseller, err error) {
	err = s.read(ctx, call, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) (err error) {
		if r.Reseller, err = seenReseller(ctx, snapshot.Resellers, actor, id); err != nil {
			return err
		}
		r.BlockedAbove, err = snapshot.Resellers.AnyBlocked(ctx, r.Position().Ancestors)
		return err
	})
	return r, err
}

func seenReseller(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller, id int64) (*reseller.Reseller, error) {
	if id == actor.ID() {
		return actor, nil
	}
	a, err := resellers.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return a, actor.Sees(a.Position())
}

// Resellers is a page of resellers.
type Resellers struct {
	Resellers []Reseller
	Next      int64 // 0: no further page
}

// ListResellers asks for resellers that the caller sees. A nil filter is none;
// one that names a reseller out of sight selects nothing.
type ListResellers struct {
	Tree     *int64
	Master   *int64
	Username string // prefix of the name's key
	After    int64
	Limit    int
}

// ListResellers returns a page of the resellers that the caller sees, by id.
func (s *Service) ListResellers(ctx context.Context, call Call, c ListResellers) (page Resellers, err error) {
	err = s.read(ctx, call, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error {
		page = Resellers{}
		q := ports.ResellerQuery{Username: c.Username, After: c.After, Limit: c.Limit}
		var visible bool
		var err error
		if q.Scope, visible, err = scope(ctx, snapshot.Resellers, actor, nil, c.Tree); err != nil || !visible {
			return err
		}
		if c.Master != nil {
			if _, visible, err = scope(ctx, snapshot.Resellers, actor, nil, c.Master); err != nil || !visible {
				return err
			}
			q.Master = *c.Master
		}
		found, err := snapshot.Resellers.List(ctx, q)
		if err != nil {
			return err
		}
		var above []int64
		for _, a := range found.Resellers {
			above = append(above, a.Position().Ancestors...)
		}
		slices.Sort(above)
		blocked, err := snapshot.Resellers.Blocked(ctx, slices.Compact(above))
		if err != nil {
			return err
		}
		page.Next = found.Next
		for _, a := range found.Resellers {
			page.Resellers = append(page.Resellers, Reseller{a, slices.ContainsFunc(blocked, a.Position().Under)})
		}
		return nil
	})
	return page, err
}

// scope returns the part of the tree that a query of actor's is bounded to: what
// it sees, narrowed to one owner or to a tree. It reports false where the two
// have nothing in common.
func scope(ctx context.Context, resellers ports.ResellerReader, actor *reseller.Reseller, owner, tree *int64) (ports.Scope, bool, error) {
	bound := actor.Sight()
	for _, narrower := range []struct {
		reseller *int64
		tree     bool
	}{{tree, true}, {owner, false}} {
		if narrower.reseller == nil {
			continue
		}
		a, err := resellers.Get(ctx, *narrower.reseller)
		if isNotFound(err) {
			return ports.Scope{}, false, nil
		}
		if err != nil {
			return ports.Scope{}, false, err
		}
		if place := a.Position(); bound != 0 && place.ID != bound && !place.Under(bound) {
			return ports.Scope{}, false, nil
		}
		bound = a.ID()
	}
	return ports.Scope{Reseller: bound, Tree: owner == nil}, true, nil
}

// Line returns a line that the caller may manage, with its password, or
// fault.ErrNotFound.
func (s *Service) Line(ctx context.Context, call Call, id int64) (l Line, err error) {
	now := s.dependencies.Clock()
	err = s.read(ctx, call, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error {
		found, err := seenLine(ctx, snapshot.Lines, actor, id)
		if err != nil {
			return err
		}
		l, err = s.reveal(found, now)
		return err
	})
	return l, err
}

// Lines is a page of lines without their passwords.
type Lines struct {
	Lines []Line
	Next  *ports.LineCursor // nil: no further page
}

// ListLines asks for lines that the caller may manage. A nil filter is none; one
// that names a reseller out of sight selects nothing.
type ListLines struct {
	Owner         *int64
	Tree          *int64
	Running       *bool
	Trial         *bool
	ExpiresAfter  *time.Time // at this instant or later
	ExpiresBefore *time.Time // before this instant
	Username      string     // prefix of the name's key
	After         ports.LineCursor
	Limit         int
}

// ByExpiry reports whether the page is in the order of expiry, which it is where
// a status or a window is asked for, and not of ids.
func (c ListLines) ByExpiry() bool {
	return c.Running != nil || c.ExpiresAfter != nil || c.ExpiresBefore != nil
}

// ListLines returns a page of the lines that the caller may manage.
func (s *Service) ListLines(ctx context.Context, call Call, c ListLines) (page Lines, err error) {
	now := s.dependencies.Clock()
	err = s.read(ctx, call, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error {
		page = Lines{}
		q := ports.LineQuery{
			Trial: c.Trial, ExpiresAfter: c.ExpiresAfter, ExpiresBefore: c.ExpiresBefore,
			Username: c.Username, ByExpiry: c.ByExpiry(), After: c.After, Limit: c.Limit,
		}
		// A line runs until its expiry, the very instant excluded.
		switch justAfter := now.Add(time.Millisecond); {
		case c.Running == nil:
		case *c.Running:
			q.ExpiresAfter = laterOf(q.ExpiresAfter, justAfter)
		default:
			q.ExpiresBefore = earlierOf(q.ExpiresBefore, justAfter)
		}
		var visible bool
		var err error
		if q.Scope, visible, err = scope(ctx, snapshot.Resellers, actor, c.Owner, c.Tree); err != nil || !visible {
			return err
		}
		found, err := snapshot.Lines.List(ctx, q)
		if err != nil {
			return err
		}
		page.Next = found.Next
		for _, l := range found.Lines {
			page.Lines = append(page.Lines, Line{Line: l, At: now})
		}
		return nil
	})
	return page, err
}

func laterOf(a *time.Time, b time.Time) *time.Time {
	if a != nil && a.After(b) {
		return a
	}
	return &b
}

func earlierOf(a *time.Time, b time.Time) *time.Time {
	if a != nil && a.Before(b) {
		return a
	}
	return &b
}

// Statement returns up to limit movements that concern a reseller, the newest
// first, with numbers less than before (0: from the newest on). The refusal is
// fault.ErrNotFound.
func (s *Service) Statement(ctx context.Context, call Call, r, before int64, limit int) (movements []credit.Movement, err error) {
	err = s.read(ctx, call, func(ctx context.Context, snapshot ports.Snapshot, actor *reseller.Reseller) error {
		if _, err := seenReseller(ctx, snapshot.Resellers, actor, r); err != nil {
			return err
		}
		movements, err = snapshot.Ledger.Statement(ctx, r, before, limit)
		return err
	})
	return movements, err
}

// Prices returns the price table, to who may ask for anything at all.
func (s *Service) Prices(ctx context.Context, call Call) ([]credit.Price, error) {
	err := s.read(ctx, call, func(context.Context, ports.Snapshot, *reseller.Reseller) error { return nil })
	return credit.Prices(), err
}

// ErrProofBusy refuses a proof that could not be finished: one runs at a time,
// and a large store takes longer than a request may.
var ErrProofBusy = fault.New(fault.Unavailable, "proof-unavailable", "The proof could not be finished in time; 'resellerd verify' does the same and more, offline.")

// Proof is the sum of everything, at an instant.
type Proof struct {
	credit.Totals
	At time.Time
}

// Prove sums the stored facts, from one snapshot, one proof at a time. Refusals:
// reseller.ErrNotAllowed for anyone but an admin, ErrProofBusy.
func (s *Service) Prove(ctx context.Context, call Call) (proof Proof, err error) {
	now := s.dependencies.Clock()
	// Who may not ask waits for nobody.
	if err := s.read(ctx, call, mayAudit); err != nil {
		return Proof{}, err
	}
	select {
	case s.proving <- struct{}{}:
		defer func() { <-s.proving }()
	case <-ctx.Done():
		return Proof{}, ErrProofBusy
	}
	err = s.read(ctx, call, func(ctx context.Context, snapshot ports.Snapshot, _ *reseller.Reseller) error {
		totals, err := snapshot.Ledger.Totals(ctx)
		proof = Proof{totals, now}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return Proof{}, ErrProofBusy
	}
	return proof, err
}

func mayAudit(_ context.Context, _ ports.Snapshot, actor *reseller.Reseller) error {
	return actor.MayAudit()
}
