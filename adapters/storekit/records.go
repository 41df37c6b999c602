package storekit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/reseller"
	"resellerd/ports"
	"resellerd/ports/record"
)

// ErrDamaged marks what is stored and can't have been written by this program.
var ErrDamaged = record.ErrDamaged

// Examined returns how many records a page of a list examines, at most, to find up to limit that match. If others may
// follow, the page has a Next.
func Examined(limit int) int { return max(1_000, 4*limit) }

// OnlyReseller lists the reseller that is the query's whole scope, if the query selects it.
func OnlyReseller(ctx context.Context, resellers ports.ResellerReader,
	q ports.ResellerQuery) (ports.ResellerPage, error) {
	r, err := resellers.Get(ctx, q.Scope.Reseller)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return ports.ResellerPage{}, nil
	case errors.Is(err, ErrDamaged) && q.Scope.Reseller > q.After:
		return ports.ResellerPage{Damaged: []int64{q.Scope.Reseller}}, nil
	case err != nil:
		return ports.ResellerPage{}, err
	}
	s := r.State()
	if s.ID <= q.After || q.Master != 0 && s.Parent() != q.Master || !strings.HasPrefix(s.Username.Key(), q.Username) {
		return ports.ResellerPage{}, nil
	}
	return ports.ResellerPage{Resellers: []*reseller.Reseller{r}}, nil
}

// CloneMovement returns a movement that shares nothing with m.
func CloneMovement(m credit.Movement) credit.Movement {
	m.Postings = slices.Clone(m.Postings)
	return m
}

// CloneKey returns an idempotency record that shares nothing with r.
func CloneKey(r ports.KeyRecord) ports.KeyRecord {
	r.Request, r.Body = slices.Clone(r.Request), slices.Clone(r.Body)
	return r
}

// OrEmpty returns bytes that are not nil, which a database would keep as NULL.
func OrEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Side is one side of a movement as a store keeps it: a system party or a reseller, and the reseller's posting. The
// posting of an admin is beside issuance, for which the admin acts.
type Side struct {
	System  string         // "" for a reseller
	Posting credit.Posting // the zero value if there is none
}

// Sides returns the two sides of a movement. One that JoinSides would not make of
// them again is refused; the domain makes no such movement.
func Sides(m credit.Movement) (source, target Side, err error) {
	source.System, target.System = m.Source.System(), m.Target.System()
	for _, p := range m.Postings {
		side := &source
		if credit.Reseller(p.Reseller) == m.Target {
			side = &target
		}
		side.Posting = p
	}
	again := m
	err = JoinSides(&again, source, target)
	same := func(a, b credit.Posting) bool { return a.Reseller == b.Reseller && a.Seq == b.Seq }
	if err == nil &&
		(again.Source != m.Source || again.Target != m.Target || !slices.EqualFunc(again.Postings, m.Postings, same)) {
		err = errors.New("its entries are out of place")
	}
	if err != nil {
		err = fmt.Errorf("append movement %d: %w", m.ID, err)
	}
	return source, target, err
}

// JoinSides gives a movement its parties and postings.
func JoinSides(m *credit.Movement, source, target Side) error {
	m.Postings = nil
	var errs [2]error
	m.Source, errs[0] = source.join(m)
	m.Target, errs[1] = target.join(m)
	return errors.Join(errs[:]...)
}

// join returns the party of a side and adds its posting to the movement.
func (s Side) join(m *credit.Movement) (credit.Party, error) {
	p := s.Posting
	switch none := p.Reseller == 0; {
	case p.Reseller < 0 || p.Seq < 0 || none != (p.Seq == 0) || none != (p.Hash == credit.Hash{}):
		return credit.Party{}, fmt.Errorf("half an entry of account %d, number %d", p.Reseller, p.Seq)
	case none && !p.Balance.IsZero():
		return credit.Party{}, fmt.Errorf("%s has a balance of %s", s.System, p.Balance)
	case none && s.System == "":
		return credit.Party{}, errors.New("a side names no party")
	case !none:
		m.Postings = append(m.Postings, p)
	}
	if s.System != "" {
		return credit.ParseSystemParty(s.System)
	}
	return credit.Reseller(p.Reseller), nil
}
