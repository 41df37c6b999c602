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

// Generation is random, and new at each event that revokes a reseller's token. A token is valid while it has the
// reseller's present generation.
type Generation [16]byte

// State is a reseller as a store has it.
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
	RechargedAt  time.Time  // the last addition of credits, creation included
	Blocked      bool       // by its own block, whatever blocks its parents have
	Block        Block      // zero unless it is blocked
	Trials       []TrialSlot
	CreatedAt    time.Time
	UpdatedAt    time.Time
	Version      int64 // the number of changes that UpdatedAt dated, plus 1
	Alert        Alert
}

// Reseller is the aggregate.
type Reseller struct {
	s     State
	alert AlertChange
}

// Restore returns the reseller of a stored state. It refuses impossible states only, whatever today's policy is.
func Restore(s State) (*Reseller, error) {
	switch {
	case s.ID <= 0:
		return nil, fmt.Errorf("account %d: an id is positive", s.ID)
	case slices.ContainsFunc(s.Ancestors, func(id int64) bool { return id <= 0 || id == s.ID }):
		return nil, fmt.Errorf("account %d: the path %v is impossible", s.ID, s.Ancestors)
	case s.Role == Role{}:
		return nil, fmt.Errorf("account %d: no role", s.ID)
	case (s.Role == Admin) != (len(s.Ancestors) == 0):
		return nil, fmt.Errorf("account %d: an admin has no parent, every other account has one", s.ID)
	case s.Tip.Seq < 0 || (s.Tip.Seq == 0) != (s.Tip.Hash == credit.Hash{}):
		return nil, fmt.Errorf("account %d: the tip does not fit a chain of %d movements", s.ID, s.Tip.Seq)
	case !s.Blocked && s.Block != (Block{}):
		return nil, fmt.Errorf("account %d: block terms are set on an account that is not blocked", s.ID)
	case s.Role == Admin && !s.Credits.IsZero():
		return nil, fmt.Errorf("account %d: an admin holds no credits", s.ID)
	case s.Role == Admin && !s.Alert.Below.IsZero(), !s.Alert.possible(s.Credits):
		return nil, fmt.Errorf("account %d: the low-balance alert does not fit the balance", s.ID)
	}
	return &Reseller{s: s.clone()}, nil
}

// State returns a copy of the state to store.
func (r *Reseller) State() State { return r.s.clone() }

func (s State) clone() State {
	s.Ancestors = slices.Clone(s.Ancestors)
	s.Trials = slices.Clone(s.Trials)
	return s
}

// ID returns the reseller's id.
func (r *Reseller) ID() int64 { return r.s.ID }

// Position returns the reseller's position in the tree.
func (r *Reseller) Position() Position { return Position{r.s.ID, slices.Clone(r.s.Ancestors)} }

// Country returns the reseller's country.
func (r *Reseller) Country() profile.Text { return r.s.Contact.Country }

// PasswordHash returns the stored hash, to compare a password with.
func (r *Reseller) PasswordHash() string { return r.s.PasswordHash }

// Token returns the generation that a valid token has.
func (r *Reseller) Token() Generation { return r.s.Token }

// NewReseller has the fields of a new reseller.
type NewReseller struct {
	ID           int64
	Master       bool
	Username     profile.Username
	PasswordHash string
	Token        Generation
	Contact      Contact
	Language     profile.Text
	Credits      credit.Amount // initial; 0: no movement
}

// NewAdmin returns an operator's account, the root of a tree. The API never creates one.
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

// Create makes a reseller below r. An admin issues initial credits, a master pays them from its balance. Without
// initial credits there is no movement. Refusals: ErrNotAllowed, ErrTreeTooDeep, *InsufficientCredits.
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
	PasswordHash string     // the present hash if the password stays
	Token        Generation // used with a new password only
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

// Update changes the record for by, who must see it. A new password hash revokes the token. A change without an effect
// has no date.
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

// ChangeContact changes the contacts of the person behind the reseller, for by. by must see the reseller but, unlike
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

// SetPassword sets a new password and revokes the token, without a check of rights. The operator, and a caller that
// sent the present password, may use it.
func (r *Reseller) SetPassword(hash string, token Generation, now time.Time) {
	r.s.PasswordHash, r.s.Token = hash, token
	r.date(now)
}

// RevokeToken makes the reseller's token invalid at once. The next login returns a new one.
func (r *Reseller) RevokeToken(next Generation, now time.Time) {
	r.s.Token = next
	r.date(now)
}
