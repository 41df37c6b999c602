package credit

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// Operation is the reason why credits moved. The set is closed.
type Operation struct{ name string }

// The operations that move credits.
var (
	Opening    = Operation{"opening"}     // initial credits of a new reseller
	Recharge   = Operation{"recharge"}    // credits added to a reseller
	Reclaim    = Operation{"reclaim"}     // credits taken back from a reseller
	Activation = Operation{"activation"}  // a trial line became official
	Extension  = Operation{"extension"}   // an official line runs longer
	PlanChange = Operation{"plan_change"} // an official line gets another plan
)

// ParseOperation finds an operation by its stored name.
func ParseOperation(name string) (Operation, error) {
	for _, op := range []Operation{Opening, Recharge, Reclaim, Activation, Extension, PlanChange} {
		if op.name == name {
			return op, nil
		}
	}
	return Operation{}, fmt.Errorf("unknown operation %q", name)
}

// String returns the operation's stored name.
func (o Operation) String() string { return o.name }

// Party is one side of a movement: a reseller, or one of the two system accounts. System accounts have no stored
// balance, so their records are never contended.
type Party struct {
	system   string
	reseller int64
}

// The system accounts: credits come from Issuance and end in Consumption.
var (
	Issuance    = Party{system: "issuance"}
	Consumption = Party{system: "consumption"}
)

// Reseller returns the reseller with this id as a party.
func Reseller(id int64) Party { return Party{reseller: id} }

// ParseSystemParty finds a system account by its name.
func ParseSystemParty(name string) (Party, error) {
	for _, p := range []Party{Issuance, Consumption} {
		if p.system == name {
			return p, nil
		}
	}
	return Party{}, fmt.Errorf("unknown system account %q", name)
}

// String names the party: issuance, consumption or reseller 7.
func (p Party) String() string {
	if p.system != "" {
		return p.system
	}
	return fmt.Sprintf("account %d", p.reseller)
}

// Name returns the system account's name, or the reseller's id.
func (p Party) Name() string {
	if p.system != "" {
		return p.system
	}
	return strconv.FormatInt(p.reseller, 10)
}

// System returns the system account's name, or "" for a reseller.
func (p Party) System() string { return p.system }

// ResellerID returns the reseller's id, or 0 for a system account.
func (p Party) ResellerID() int64 { return p.reseller }

// Hash is a SHA-256 over a movement and the hash of the reseller's previous movement. So a movement that is changed,
// moved or removed later no longer fits. The zero value is the hash before the first movement.
type Hash [sha256.Size]byte

// Tip is the end of a reseller's chain of movements: their number, and the hash of the last one. The reseller's own
// record stores it.
type Tip struct {
	Seq  int64
	Hash Hash
}

// Posting is a movement as one reseller sees it: its number among the reseller's
// movements (1, 2, 3 ...), the balance right after, and the hash.
type Posting struct {
	Reseller int64
	Balance  Amount
	Tip
}

// Provenance is the caller, the time and the request of a movement.
type Provenance struct {
	ID        int64     // of the movement
	Actor     int64     // id of the reseller who made the call
	ActorName string    // of its sign-in at that time: an account, an API key or a staff member
	Request   string    // request id
	Notes     string    // free text, may be empty
	At        time.Time // UTC, to the millisecond
}

// Movement is a fact: an amount that left Source and reached Target at once. It is never changed. Its two sides sum to
// zero by construction.
type Movement struct {
	Provenance
	Operation Operation
	Source    Party
	Target    Party
	Amount    Amount
	Line      int64     // line paid for, 0 if none
	Postings  []Posting // one for each reseller of the movement, one or two
}

// Chain returns m with its postings, each linked to the reseller's previous one. For every reseller of the movement,
// last has the balance right after it and the tip of the chain so far. Chain refuses what is impossible: an amount of
// 0, more than one movement may carry, a side without a party, credits that come back from consumption, a party that
// pays itself.
func (m Movement) Chain(last ...Posting) (Movement, error) {
	switch {
	case m.Amount.IsZero():
		return Movement{}, fmt.Errorf("movement %d: %w", m.ID, ErrNotPositive)
	case m.Amount.Cmp(MaxMovement()) > 0:
		return Movement{}, fmt.Errorf("movement %d: %w", m.ID, ErrTooLarge)
	case m.Source == Party{} || m.Target == Party{} || m.Source == Consumption || m.Source == m.Target:
		return Movement{}, fmt.Errorf("movement %d: credits can't go from %s to %s", m.ID, m.Source, m.Target)
	}
	m.Postings = slices.Clone(last)
	for i := range m.Postings {
		m.Postings[i].Tip = Tip{Seq: last[i].Seq + 1}
	}
	for i, l := range last {
		m.Postings[i].Hash = m.hash(l.Reseller, l.Hash)
	}
	return m, nil
}

// Posting returns the movement's posting for a reseller; it reports false if the movement does not concern it.
func (m Movement) Posting(reseller int64) (Posting, bool) {
	for _, p := range m.Postings {
		if p.Reseller == reseller {
			return p, true
		}
	}
	return Posting{}, false
}

// Change returns the change of a reseller's balance by the movement: the amount, negative if it left, 0 if the reseller
// is not a party.
func (m Movement) Change(reseller int64) decimal.Decimal {
	switch Reseller(reseller) {
	case m.Source:
		return m.Amount.Decimal().Neg()
	case m.Target:
		return m.Amount.Decimal()
	}
	return decimal.Decimal{}
}

// Follows reports whether the movement was chained right after previous in the reseller's chain, and is unchanged.
func (m Movement) Follows(reseller int64, previous Hash) bool {
	p, concerned := m.Posting(reseller)
	return concerned && p.Hash == m.hash(reseller, previous)
}

// hash is the SHA-256 over the previous hash and every field of the movement in a fixed order, each with its length
// before it. So different movements never have the same input.
func (m Movement) hash(reseller int64, previous Hash) Hash {
	var room [512]byte // for most movements
	text := append(room[:0], previous[:]...)
	field := func(value string) {
		text = append(strconv.AppendInt(text, int64(len(value)), 10), ':')
		text = append(text, value...)
	}
	number := func(n int64) {
		var digits [20]byte
		value := strconv.AppendInt(digits[:0], n, 10)
		text = append(strconv.AppendInt(text, int64(len(value)), 10), ':')
		text = append(text, value...)
	}
	number(reseller)
	number(m.ID)
	field(m.Operation.String())
	field(m.Source.String())
	field(m.Target.String())
	number(m.Amount.Units())
	number(m.Line)
	number(m.Actor)
	field(m.ActorName)
	field(m.Request)
	field(m.Notes)
	number(m.At.UnixMilli())
	for _, e := range m.Postings {
		number(e.Reseller)
		number(e.Seq)
		number(e.Balance.Units())
	}
	return sha256.Sum256(text)
}

// Sum is an exact sum of amounts, of any size and sign.
type Sum = decimal.Decimal

// Totals are exact sums over the whole ledger, all resellers and all lines, of any size.
type Totals struct {
	Issued    Sum // from issuance, minus the credits that went back
	Consumed  Sum
	Balances  Sum // the sum of all stored balances of resellers
	Movements int64
	Last      int64 // largest id of a movement, 0 if there is none
	Imported  int64 // official lines without a movement, imported from other systems
}

// Balanced reports whether every issued credit was either consumed or is in a reseller's balance.
func (t Totals) Balanced() bool { return t.Issued.Equal(t.Consumed.Add(t.Balances)) }
