package reseller

import (
	"fmt"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
)

// The reasons for which credits do not move.
var (
	ErrCredits      = fault.New(fault.Unpaid, "insufficient-credits", "The balance does not cover this.")
	ErrBalanceLimit = fault.New(fault.Conflict, "balance-limit", "An account holds at most 100000000000 credits.")
)

// InsufficientCredits is ErrCredits with the figures.
type InsufficientCredits struct {
	Balance, Required credit.Amount
}

// Error returns the sentence for people, with the figures.
func (e *InsufficientCredits) Error() string {
	return fmt.Sprintf("Required credits: %s. Balance: %s.", e.Required, e.Balance)
}

// Unwrap makes the error match ErrCredits.
func (e *InsufficientCredits) Unwrap() error { return ErrCredits }

// Shortfall returns how many credits are missing.
func (e *InsufficientCredits) Shortfall() credit.Amount {
	missing, _ := e.Required.Minus(e.Balance)
	return missing
}

// Members implements fault.Detailed.
func (e *InsufficientCredits) Members() []fault.Member {
	return []fault.Member{{Name: "balance", Value: e.Balance}, {Name: "required", Value: e.Required},
		{Name: "shortfall", Value: e.Shortfall()}}
}

// Fund moves credits to target: an admin issues them, a master pays from its own balance. Refusals: fault.ErrNotFound,
// ErrNotAllowed, ErrBalanceLimit, *InsufficientCredits.
func (r *Reseller) Fund(target *Reseller, amount credit.Amount, p credit.Provenance) (credit.Movement, error) {
	if err := r.mayGovern(target); err != nil {
		return credit.Movement{}, err
	}
	m, err := move(credit.Recharge, r, target, amount, 0, p)
	if err == nil {
		target.s.RechargedAt = p.At
	}
	return m, err
}

// Reclaim moves credits back from target: to a master's own balance, or by an admin to issuance. Refusals:
// fault.ErrNotFound, ErrNotAllowed, ErrBalanceLimit, *InsufficientCredits with target's balance.
func (r *Reseller) Reclaim(target *Reseller, amount credit.Amount, p credit.Provenance) (credit.Movement, error) {
	if err := r.mayGovern(target); err != nil {
		return credit.Movement{}, err
	}
	return move(credit.Reclaim, target, r, amount, 0, p)
}

// Pay charges the reseller for a line; issuance pays for an admin's lines. The refusal is *InsufficientCredits.
func (r *Reseller) Pay(op credit.Operation, amount credit.Amount, line int64,
	p credit.Provenance) (credit.Movement, error) {
	return move(op, r, nil, amount, line, p)
}

// move moves credits from one reseller to another, or to consumption if to is nil. It adds the movement to the chain of
// each reseller whose balance it changes, and of the one that pays for a line. An admin's side is issuance: its balance
// is always 0, and its record is not written when it issues credits.
func move(op credit.Operation, from, to *Reseller, amount credit.Amount, line int64,
	p credit.Provenance) (credit.Movement, error) {
	m := credit.Movement{Provenance: p, Operation: op, Source: from.party(), Target: credit.Consumption,
		Amount: amount, Line: line}
	var left, reached credit.Amount
	var ok bool
	if to != nil {
		m.Target = to.party()
		if to.s.Role != Admin {
			if reached, ok = to.s.Credits.Plus(amount); !ok {
				return credit.Movement{}, ErrBalanceLimit
			}
		}
	}
	if from.s.Role != Admin {
		if left, ok = from.s.Credits.Minus(amount); !ok {
			return credit.Movement{}, &InsufficientCredits{Balance: from.s.Credits, Required: amount}
		}
	}
	var postings []credit.Posting
	if from.s.Role != Admin || line != 0 {
		postings = append(postings, credit.Posting{Reseller: from.s.ID, Balance: left, Tip: from.s.Tip})
	}
	if to != nil && to.s.Role != Admin {
		postings = append(postings, credit.Posting{Reseller: to.s.ID, Balance: reached, Tip: to.s.Tip})
	}
	m, err := m.Chain(postings...)
	if err != nil {
		return credit.Movement{}, err
	}
	from.post(m)
	if to != nil {
		to.post(m)
	}
	return m, nil
}

// party returns the reseller as a side of a movement.
func (r *Reseller) party() credit.Party {
	if r.s.Role == Admin {
		return credit.Issuance
	}
	return credit.Reseller(r.s.ID)
}

// post applies the reseller's posting of a movement.
func (r *Reseller) post(m credit.Movement) {
	if e, concerned := m.Posting(r.s.ID); concerned {
		r.s.Credits, r.s.Tip = e.Balance, e.Tip
		r.s.Alert, r.alert = r.s.Alert.after(e.Balance)
		r.date(m.At)
	}
}

// CouldMake reports whether the reseller could have made a movement, according to roles and positions, which never
// change. The other reseller is the one that was funded, that credits were reclaimed from, or that paid for a line.
func (r *Reseller) CouldMake(m credit.Movement, other *Reseller) bool {
	switch m.Operation {
	case credit.Opening:
		return m.Source == r.party() && r.mayGovern(other) == nil && other.s.Parent() == r.s.ID
	case credit.Recharge:
		return m.Source == r.party() && r.mayGovern(other) == nil
	case credit.Reclaim:
		return m.Target == r.party() && r.mayGovern(other) == nil
	default:
		return m.Source == other.party() && r.Sees(other.s.Position) == nil
	}
}
