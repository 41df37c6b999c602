// Package reseller holds the reseller aggregate: its role, its place in the tree,
// its balance, and the rules of who may act on whom. It changes by verbs only,
// each of which does the whole step or returns a fault and changes nothing.
package reseller

import (
	"fmt"
	"slices"
	"time"

	"resellerd/domain/credit"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
)

// MinPassword is the least number of characters in a reseller's password.
const MinPassword = 6

// MaxDepth is how many resellers deep the tree below an admin may be.
const MaxDepth = 8

// Why something is refused to a reseller.
var (
	ErrNotAllowed   = fault.New(fault.Forbidden, "not-allowed", "This account may not do this.")
	ErrBlocked      = fault.New(fault.Forbidden, "account-blocked", "This account, or one above it, is blocked.")
	ErrTokenRevoked = fault.New(fault.Unauthenticated, "invalid-token", "The token is not valid.")
	ErrTreeTooDeep  = fault.New(fault.Conflict, "tree-too-deep", "The tree of accounts is at most 8 deep.")
	ErrBalanceLimit = fault.New(fault.Conflict, "balance-limit", "An account holds at most 100000000000 credits.")
	ErrCredits      = fault.New(fault.Unpaid, "insufficient-credits", "The balance does not cover this.")
)

// InsufficientCredits is ErrCredits with the figures.
type InsufficientCredits struct {
	Balance, Required credit.Amount
}

// Error returns the sentence for people, with the figures.
func (e *InsufficientCredits) Error() string {
	return fmt.Sprintf("The balance is %s credits and %s are required.", e.Balance, e.Required)
}

// Unwrap makes the error match ErrCredits.
func (e *InsufficientCredits) Unwrap() error { return ErrCredits }

// Shortfall returns how many credits are missing.
func (e *InsufficientCredits) Shortfall() credit.Amount {
	missing, _ := e.Required.Minus(e.Balance)
	return missing
}

// Role is what a reseller may do. The set is closed.
type Role struct{ name string }

// The roles.
var (
	Admin    = Role{"admin"}    // the platform's operator: sees all, issues credits
	Master   = Role{"master"}   // creates and funds resellers below itself
	Standard = Role{"reseller"} // owns lines only
)

// ParseRole finds a role by its stored name.
func ParseRole(name string) (Role, error) {
	for _, r := range []Role{Admin, Master, Standard} {
		if r.name == name {
			return r, nil
		}
	}
	return Role{}, fmt.Errorf("unknown role %q", name)
}

// String returns the role's stored name.
func (r Role) String() string { return r.name }

// Position is where a reseller stands: its id and the ids above it, the root first.
// It never changes, so it may be kept with whatever the reseller owns.
type Position struct {
	ID        int64
	Ancestors []int64
}

// Parent returns the id of the reseller right above, 0 for a root.
func (p Position) Parent() int64 {
	if len(p.Ancestors) == 0 {
		return 0
	}
	return p.Ancestors[len(p.Ancestors)-1]
}

// Under reports whether the reseller with this id is above p.
func (p Position) Under(id int64) bool { return slices.Contains(p.Ancestors, id) }

// Path returns the ids from the root down to the reseller itself.
func (p Position) Path() []int64 { return append(slices.Clone(p.Ancestors), p.ID) }

// Contact is what is known of the person behind a reseller.
type Contact struct {
	Country  profile.Text
	Whatsapp profile.Text
	Telegram profile.Text
	Email    profile.Text
	Notes    profile.Text
}

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
	Trials       []TrialSlot
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Reseller is the aggregate.
type Reseller struct{ s State }

// Restore returns the reseller that a store kept. It refuses impossible states
// only: today's policy is not asked.
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
	case s.Role == Admin && !s.Credits.IsZero():
		return nil, fmt.Errorf("account %d: an admin holds no credits", s.ID)
	}
	return &Reseller{s.clone()}, nil
}

// State returns a copy of what is to be kept.
func (a *Reseller) State() State { return a.s.clone() }

func (s State) clone() State {
	s.Ancestors = slices.Clone(s.Ancestors)
	s.Trials = slices.Clone(s.Trials)
	return s
}

// ID returns the reseller's id.
func (a *Reseller) ID() int64 { return a.s.ID }

// Position returns where the reseller stands in the tree.
func (a *Reseller) Position() Position { return Position{a.s.ID, slices.Clone(a.s.Ancestors)} }

// Country returns the reseller's country.
func (a *Reseller) Country() profile.Text { return a.s.Contact.Country }

// PasswordHash returns the stored hash, to compare a password with.
func (a *Reseller) PasswordHash() string { return a.s.PasswordHash }

// Token returns the generation that a good token carries.
func (a *Reseller) Token() Generation { return a.s.Token }

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

// NewAdmin returns an operator's reseller, which stands at the root of a tree and
// is never made over the API.
func NewAdmin(n NewReseller, now time.Time) *Reseller {
	return &Reseller{State{
		Position:     Position{ID: n.ID},
		Role:         Admin,
		Username:     n.Username,
		PasswordHash: n.PasswordHash,
		Token:        n.Token,
		Contact:      n.Contact,
		Language:     n.Language,
		RechargedAt:  now,
		CreatedAt:    now,
		UpdatedAt:    now,
	}}
}

// MayAudit returns ErrNotAllowed for anyone but an admin.
func (a *Reseller) MayAudit() error {
	if a.s.Role != Admin {
		return ErrNotAllowed
	}
	return nil
}

// MayCreate returns ErrNotAllowed for a reseller that creates no others.
func (a *Reseller) MayCreate() error {
	if a.s.Role == Standard {
		return ErrNotAllowed
	}
	return nil
}

// Create makes a reseller below a. Initial credits are issued by an admin and
// leave a master's balance; without any there is no movement. Refusals:
// ErrNotAllowed, ErrTreeTooDeep, *InsufficientCredits.
func (a *Reseller) Create(n NewReseller, v credit.Provenance) (*Reseller, *credit.Movement, error) {
	if err := a.MayCreate(); err != nil {
		return nil, nil, err
	}
	place := Position{ID: n.ID, Ancestors: a.Position().Path()}
	if len(place.Ancestors) > MaxDepth {
		return nil, nil, ErrTreeTooDeep
	}
	role := Standard
	if n.Master {
		role = Master
	}
	created := &Reseller{State{
		Position:     place,
		Role:         role,
		Username:     n.Username,
		PasswordHash: n.PasswordHash,
		Token:        n.Token,
		Contact:      n.Contact,
		Language:     n.Language,
		RechargedAt:  v.At,
		CreatedAt:    v.At,
		UpdatedAt:    v.At,
	}}
	if n.Credits.IsZero() {
		return created, nil, nil
	}
	m, err := move(credit.Opening, a, created, n.Credits, 0, v)
	if err != nil {
		return nil, nil, err
	}
	return created, &m, nil
}

// Admit decides whether the holder of a token of this generation may act at all:
// ErrTokenRevoked, then ErrBlocked. blockedAbove tells of the resellers above.
func (a *Reseller) Admit(token Generation, blockedAbove bool) error {
	if token != a.s.Token {
		return ErrTokenRevoked
	}
	if a.s.Blocked || blockedAbove {
		return ErrBlocked
	}
	return nil
}

// Sees returns fault.ErrNotFound unless p is a itself or stands below it; an
// admin sees everything. Sight is decided before any right.
func (a *Reseller) Sees(p Position) error {
	if a.s.Role == Admin || p.ID == a.s.ID || p.Under(a.s.ID) {
		return nil
	}
	return fault.ErrNotFound
}

// Sight returns the reseller whose tree, itself included, is all that a sees; 0
// for an admin, who sees everything.
func (a *Reseller) Sight() int64 {
	if a.s.Role == Admin {
		return 0
	}
	return a.s.ID
}

// mayGovern returns nil where a may fund or block target: any reseller but an
// admin for an admin, those below for a master, nobody for a seller.
func (a *Reseller) mayGovern(target *Reseller) error {
	if err := a.Sees(target.s.Position); err != nil {
		return err
	}
	if a.s.Role == Standard || target.s.Role == Admin || target.s.ID == a.s.ID {
		return ErrNotAllowed
	}
	return nil
}

// Update is a change of a reseller's own record. A nil text is left alone, a
// pointer to an empty one clears it.
type Update struct {
	Username     profile.Username
	PasswordHash string     // the present one where the password stays
	Token        Generation // taken with a new password only
	Country      profile.Text
	Whatsapp     profile.Text
	Telegram     *profile.Text
	Email        *profile.Text
	Notes        *profile.Text
}

// Update changes the record on behalf of by, who must see it. A password hash
// other than the present one revokes the token.
func (a *Reseller) Update(by *Reseller, u Update, now time.Time) error {
	if err := by.Sees(a.s.Position); err != nil {
		return err
	}
	if u.PasswordHash != a.s.PasswordHash {
		a.s.PasswordHash = u.PasswordHash
		a.s.Token = u.Token
	}
	a.s.Username = u.Username
	a.s.Contact.Country = u.Country
	a.s.Contact.Whatsapp = u.Whatsapp
	a.s.Contact.Telegram.Change(u.Telegram)
	a.s.Contact.Email.Change(u.Email)
	a.s.Contact.Notes.Change(u.Notes)
	a.s.UpdatedAt = now
	return nil
}

// SetPassword gives the reseller a new password and revokes its token, without
// asking who wants it: for the operator at the machine.
func (a *Reseller) SetPassword(hash string, token Generation, now time.Time) {
	a.s.PasswordHash, a.s.Token, a.s.UpdatedAt = hash, token, now
}

// Fund moves credits to target: issued by an admin, from the own balance of a
// master. Refusals: fault.ErrNotFound, ErrNotAllowed, ErrBalanceLimit,
// *InsufficientCredits.
func (a *Reseller) Fund(target *Reseller, amount credit.Amount, v credit.Provenance) (credit.Movement, error) {
	if err := a.mayGovern(target); err != nil {
		return credit.Movement{}, err
	}
	m, err := move(credit.Recharge, a, target, amount, 0, v)
	if err == nil {
		target.s.RechargedAt = v.At
	}
	return m, err
}

// Reclaim moves credits back from target: to the own balance of a master, to
// issuance by an admin. Refusals: fault.ErrNotFound, ErrNotAllowed,
// ErrBalanceLimit, *InsufficientCredits with target's balance.
func (a *Reseller) Reclaim(target *Reseller, amount credit.Amount, v credit.Provenance) (credit.Movement, error) {
	if err := a.mayGovern(target); err != nil {
		return credit.Movement{}, err
	}
	return move(credit.Reclaim, target, a, amount, 0, v)
}

// Pay charges the reseller for a line: an admin's lines are paid by issuance. The
// refusal is *InsufficientCredits.
func (a *Reseller) Pay(op credit.Operation, amount credit.Amount, line int64, v credit.Provenance) (credit.Movement, error) {
	return move(op, a, nil, amount, line, v)
}

// move moves credits from one reseller to another, or to consumption where to is
// nil, and enters the movement in the chain of each reseller whose balance it
// changes, and of the one that pays for a line. An admin stands for issuance: its
// balance is always 0, and its record is not written for what it issues.
func move(op credit.Operation, from, to *Reseller, amount credit.Amount, line int64, v credit.Provenance) (credit.Movement, error) {
	m := credit.Movement{Provenance: v, Operation: op, Source: from.party(), Target: credit.Consumption, Amount: amount, Line: line}
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

// CouldMake reports whether the reseller could have made a movement, as far as roles
// and places tell, which never change. The other reseller is the one that was funded,
// that credits were reclaimed from, or that paid for a line.
func (a *Reseller) CouldMake(m credit.Movement, other *Reseller) bool {
	switch m.Operation {
	case credit.Opening:
		return m.Source == a.party() && a.mayGovern(other) == nil && other.s.Parent() == a.s.ID
	case credit.Recharge:
		return m.Source == a.party() && a.mayGovern(other) == nil
	case credit.Reclaim:
		return m.Target == a.party() && a.mayGovern(other) == nil
	default:
		return m.Source == other.party() && a.Sees(other.s.Position) == nil
	}
}

// party is what the reseller is called in a movement.
func (a *Reseller) party() credit.Party {
	if a.s.Role == Admin {
		return credit.Issuance
	}
	return credit.Reseller(a.s.ID)
}

// enter takes over what a movement that concerns the reseller says of it.
func (a *Reseller) post(m credit.Movement) {
	if e, concerned := m.Posting(a.s.ID); concerned {
		a.s.Credits, a.s.Tip, a.s.UpdatedAt = e.Balance, e.Tip, m.At
	}
}

// RevokeToken makes the reseller's token dead at once; the next login gives
// another.
func (a *Reseller) RevokeToken(next Generation, now time.Time) {
	a.s.Token, a.s.UpdatedAt = next, now
}

// Block freezes target and everything below it at their next request. It may be
// repeated. Refusals: fault.ErrNotFound, ErrNotAllowed.
func (a *Reseller) Block(target *Reseller, now time.Time) error {
	return a.setBlocked(target, true, now)
}

// Unblock lifts target's own block and nobody else's, so that every reseller
// below is again what it was. It may be repeated.
func (a *Reseller) Unblock(target *Reseller, now time.Time) error {
	return a.setBlocked(target, false, now)
}

func (a *Reseller) setBlocked(target *Reseller, blocked bool, now time.Time) error {
	if err := a.mayGovern(target); err != nil {
		return err
	}
	if target.s.Blocked != blocked {
		target.s.Blocked = blocked
		target.s.UpdatedAt = now
	}
	return nil
}
