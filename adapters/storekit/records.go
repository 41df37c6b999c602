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

// ErrDamaged marks stored data that this program can't have written.
var ErrDamaged = record.ErrDamaged

// Examined returns the most records that a page of a list examines to find up to limit matches. If others may follow,
// the page has a Next.
func Examined(limit int) int { return max(1_000, 4*limit) }

// ExaminedLines is Examined for a page of lines. By name there is no index of a scope: a page sorts up to this many
// lines, or examines this many names of all lines.
func ExaminedLines(q ports.LineQuery) int {
	if q.Order == ports.LinesByName {
		return max(5_000, 4*q.Limit)
	}
	return Examined(q.Limit)
}

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

// CloneMovement returns a deep copy of m.
func CloneMovement(m credit.Movement) credit.Movement {
	m.Postings = slices.Clone(m.Postings)
	return m
}

// CloneKey returns a deep copy of an idempotency record.
func CloneKey(r ports.KeyRecord) ports.KeyRecord {
	r.Request, r.Body = slices.Clone(r.Request), slices.Clone(r.Body)
	return r
}

// OrEmpty returns bytes that are not nil, because a database would store nil as NULL.
func OrEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Side is one side of a movement as a store records it: a system party or a reseller, and the reseller's posting. A
// side of issuance may have the posting of the administrator who acts.
type Side struct {
	System  string         // "" for a reseller
	Posting credit.Posting // the zero value if there is none
}

// Sides splits a movement into its two sides. It refuses a movement that JoinSides would not restore; the domain makes
// no such movement.
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
		err = errors.New("its entries do not match its sides")
	}
	if err != nil {
		err = fmt.Errorf("append movement %d: %w", m.ID, err)
	}
	return source, target, err
}

// JoinSides sets the parties and postings of a movement from its sides.
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
