// Package reseller implements the reseller aggregate: role, position in the tree, balance, and rights over other
// resellers. Only verbs change it. A verb does the whole step, or returns a fault and changes nothing.
//
// A block freezes the reseller and everything below it, with API keys and staff, reads included. Resellers above may
// still act on it. The block says whether lines below are served. It is one record: its effect on accounts below is
// computed when they are read, so lifting it restores every reseller and every line. A key with the scope
// entitlements:read alone is not frozen, because the service that admits customers must learn of the block.
package reseller

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/profile"
)

// MinPassword is the least number of characters in a reseller's password.
const MinPassword = 6

// Generation is random and new at each event that revokes a reseller's token; a
// token is good while it carries the reseller's present one.
type Generation [16]byte

// State is a reseller as a store keeps it.
type State struct {
	Position
	Role         Role
	Username     profile.Username
	PasswordHash string
	Token        Generation
	Contact      Contact
	Language     profile.Text
	Credits      credit.Amount
	Tip          credit.Tip // end of the chain of its movements
	RechargedAt  time.Time  // last addition of credits, creation included
	Blocked      bool       // itself, whatever stands above it
	Block        Block      // zero unless it is blocked
	Trials       []TrialSlot
	CreatedAt    time.Time
	UpdatedAt    time.Time
	Version      int64 // one more after each change that UpdatedAt dates
	Alert        Alert
}

// Reseller is the aggregate.
type Reseller struct {
	s     State
	alert AlertChange
}

// Restore returns the reseller that a store kept. It refuses impossible states only, whatever today's policy is.
func Restore(s State) (*Reseller, error) {
	switch {
	case s.ID <= 0:
		return nil, fmt.Errorf("account %d: an id is positive", s.ID)
	case slices.ContainsFunc(s.Ancestors, func(id int64) bool { return id <= 0 || id == s.ID }):
		return nil, fmt.Errorf("account %d: the path %v leads nowhere", s.ID, s.Ancestors)
	case s.Role == Role{}:
		return nil, fmt.Errorf("account %d: no role", s.ID)
	case (s.Role == Admin) != (len(s.Ancestors) == 0):
		return nil, fmt.Errorf("account %d: an admin, and nobody else, has no account above", s.ID)
	case s.Tip.Seq < 0 || (s.Tip.Seq == 0) != (s.Tip.Hash == credit.Hash{}):
		return nil, fmt.Errorf("account %d: a chain of %d movements can't end like this", s.ID, s.Tip.Seq)
	case !s.Blocked && s.Block != (Block{}):
		return nil, fmt.Errorf("account %d: it is not blocked, and so a block can't be like anything", s.ID)
	case s.Role == Admin && !s.Credits.IsZero():
		return nil, fmt.Errorf("account %d: an admin holds no credits", s.ID)
	case s.Role == Admin && !s.Alert.Below.IsZero(), !s.Alert.possible(s.Credits):
		return nil, fmt.Errorf("account %d: the alert of its balance can't be like this", s.ID)
	}
	return &Reseller{s: s.clone()}, nil
}

// State returns a copy of what is to be kept.
func (r *Reseller) State() State { return r.s.clone() }

func (s State) clone() State {
	s.Ancestors = slices.Clone(s.Ancestors)
	s.Trials = slices.Clone(s.Trials)
	return s
}

// ID returns the reseller's id.
func (r *Reseller) ID() int64 { return r.s.ID }

// Position returns where the reseller stands in the tree.
func (r *Reseller) Position() Position { return Position{r.s.ID, slices.Clone(r.s.Ancestors)} }

// Country returns the reseller's country.
func (r *Reseller) Country() profile.Text { return r.s.Contact.Country }

// PasswordHash returns the stored hash, to compare a password with.
func (r *Reseller) PasswordHash() string { return r.s.PasswordHash }

// Token returns the generation that a good token carries.
func (r *Reseller) Token() Generation { return r.s.Token }

// NewReseller is what a new reseller starts with.
type NewReseller struct {
	ID           int64
	Master       bool
	Username     profile.Username
	PasswordHash string
	Token        Generation
	Contact      Contact
	Language     profile.Text
	Credits      credit.Amount // initial, 0 moves nothing
}

// NewAdmin returns an operator's reseller, which stands at the root of a tree and is never made over the API.
func NewAdmin(n NewReseller, now time.Time) *Reseller {
	return n.at(Position{ID: n.ID}, Admin, now)
}

// at returns the new reseller at a position, without credits.
func (n NewReseller) at(position Position, role Role, now time.Time) *Reseller {
	return &Reseller{s: State{
		Position:     position,
		Role:         role,
		Username:     n.Username,
		PasswordHash: n.PasswordHash,
		Token:        n.Token,
		Contact:      n.Contact,
		Language:     n.Language,
		RechargedAt:  now,
		CreatedAt:    now,
		UpdatedAt:    now,
		Version:      1,
	}}
}

// Create makes a reseller below a. Initial credits are issued by an admin and leave a master's balance; without any
// there is no movement. Refusals: ErrNotAllowed, ErrTreeTooDeep, *InsufficientCredits.
func (r *Reseller) Create(n NewReseller, p credit.Provenance) (*Reseller, *credit.Movement, error) {
	if err := r.MayCreate(); err != nil {
		return nil, nil, err
	}
	position := Position{ID: n.ID, Ancestors: r.Position().Path()}
	if len(position.Ancestors) > MaxDepth {
		return nil, nil, ErrTreeTooDeep
	}
	role := Standard
	if n.Master {
		role = Master
	}
	created := n.at(position, role, p.At)
	if n.Credits.IsZero() {
		return created, nil, nil
	}
	m, err := move(credit.Opening, r, created, n.Credits, 0, p)
	if err != nil {
		return nil, nil, err
	}
	return created, &m, nil
}

// Update is a change of a reseller's own record.
type Update struct {
	Username     profile.Username
	PasswordHash string     // the present one if the password stays
	Token        Generation // taken with a new password only
	ContactChange
}

// changed dates a change of the record that had an effect.
func (r *Reseller) changed(was State, now time.Time) {
	if !reflect.DeepEqual(r.s, was) { // over all fields that a reseller has
		r.date(now)
	}
}

// date dates and counts a change.
func (r *Reseller) date(now time.Time) {
	r.s.UpdatedAt = now
	r.s.Version++
}

// Update changes the record on behalf of by, who must see it. A password hash other than the present one revokes the
// token. A change without an effect has no date.
func (r *Reseller) Update(by *Reseller, u Update, now time.Time) error {
	if err := by.Sees(r.s.Position); err != nil {
		return err
	}
	was := r.s
	if u.PasswordHash != r.s.PasswordHash {
		r.s.PasswordHash = u.PasswordHash
		r.s.Token = u.Token
	}
	r.s.Username = u.Username
	r.s.become(u.ContactChange)
	r.changed(was, now)
	return nil
}

// ChangeContact changes what is known of the person behind the reseller on behalf of by, who must see it but, unlike
// for Update, need not know its password.
func (r *Reseller) ChangeContact(by *Reseller, c ContactChange, now time.Time) error {
	if err := by.Sees(r.s.Position); err != nil {
		return err
	}
	was := r.s
	r.s.become(c)
	r.changed(was, now)
	return nil
}

// SetPassword gives the reseller a new password and revokes its token, without a check of rights: for the operator at
// the machine, and for a caller who has given the present one.
func (r *Reseller) SetPassword(hash string, token Generation, now time.Time) {
	r.s.PasswordHash, r.s.Token = hash, token
	r.date(now)
}

// RevokeToken makes the reseller's token dead at once; the next login gives another.
func (r *Reseller) RevokeToken(next Generation, now time.Time) {
	r.s.Token = next
	r.date(now)
}
