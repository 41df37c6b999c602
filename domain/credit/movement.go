package credit

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// Operation is why credits moved. The set is closed.
type Operation struct{ name string }

// The operations that move credits.
var (
	Opening    = Operation{"opening"}    // initial credits of a new account
	Recharge   = Operation{"recharge"}   // credits added to an account
	Reclaim    = Operation{"reclaim"}    // credits taken back from an account
	Activation = Operation{"activation"} // a trial line became official
	Extension  = Operation{"extension"}  // an official line runs longer
)

// ParseOperation finds an operation by its stored name.
func ParseOperation(name string) (Operation, error) {
	for _, op := range []Operation{Opening, Recharge, Reclaim, Activation, Extension} {
		if op.name == name {
			return op, nil
		}
	}
	return Operation{}, fmt.Errorf("unknown operation %q", name)
}

// String returns the operation's stored name.
func (o Operation) String() string { return o.name }

// Party is one side of a movement: a reseller's account, or one of the two
// system accounts, which hold no stored balance and so never become hot records.
type Party struct {
	system  string
	account int64
}

// The system accounts: credits come from Issuance and end in Consumption.
var (
	Issuance    = Party{system: "issuance"}
	Consumption = Party{system: "consumption"}
)

// Account returns the party that is the account with this id.
func Account(id int64) Party { return Party{account: id} }

// ParseSystemParty finds a system account by its name.
func ParseSystemParty(name string) (Party, error) {
	for _, p := range []Party{Issuance, Consumption} {
		if p.system == name {
			return p, nil
		}
	}
	return Party{}, fmt.Errorf("unknown system account %q", name)
}

// String names the party: issuance, consumption or account 7.
func (p Party) String() string {
	if p.system != "" {
		return p.system
	}
	return fmt.Sprintf("account %d", p.account)
}

// Name returns the system account's name, or the account's id.
func (p Party) Name() string {
	if p.system != "" {
		return p.system
	}
	return strconv.FormatInt(p.account, 10)
}

// System returns the system account's name, or "" for an account.
func (p Party) System() string { return p.system }

// AccountID returns the account's id, or 0 for a system account.
func (p Party) AccountID() int64 { return p.account }

// Link is a SHA-256 that chains an account's movements: over the movement and the
// link of the account's previous one, so that a movement that was changed, moved
// or removed later no longer fits. The zero value stands before the first.
type Link [sha256.Size]byte

// Head is where an account's chain of movements ends: how many there are, and the
// link of the last. The account keeps it in its own record.
type Head struct {
	Seq  int64
	Link Link
}

// Entry is a movement as one account sees it: its number among the account's
// movements (1, 2, 3 ...), the balance right after, and the link.
type Entry struct {
	Account int64
	Balance Amount
	Head
}

// Voucher is who moved credits, when and on whose request: what a movement
// records besides the two parties and the amount.
type Voucher struct {
	ID      int64     // of the movement
	Actor   int64     // account that asked
	Request string    // request id
	Notes   string    // free text, may be empty
	At      time.Time // UTC, to the millisecond
}

// Movement is a fact: an amount that left Source and reached Target at once. It
// is never changed. Its two sides sum to zero by construction.
type Movement struct {
	Voucher
	Operation Operation
	Source    Party
	Target    Party
	Amount    Amount
	Line      int64   // line paid for, 0 if none
	Entries   []Entry // one for each account that it concerns, one or two
}

// Concern is an account that a movement concerns: where its chain ends so far,
// and its balance right after the movement.
type Concern struct {
	Account int64
	Balance Amount
	Head    Head
}

// Chain returns m with an entry for each concern, linked to the account's
// previous one. It refuses what is impossible: nothing moved, more than one
// movement may carry, a side that is nobody, credits that come back from
// consumption, a party paying itself.
func (m Movement) Chain(concerns ...Concern) (Movement, error) {
	switch {
	case m.Amount.IsZero():
		return Movement{}, fmt.Errorf("movement %d: %w", m.ID, ErrNotPositive)
	case m.Amount.Cmp(MaxMovement()) > 0:
		return Movement{}, fmt.Errorf("movement %d: %w", m.ID, ErrTooLarge)
	case m.Source == Party{} || m.Target == Party{} || m.Source == Consumption || m.Source == m.Target:
		return Movement{}, fmt.Errorf("movement %d: credits can't go from %s to %s", m.ID, m.Source, m.Target)
	}
	m.Entries = make([]Entry, len(concerns))
	for i, c := range concerns {
		m.Entries[i] = Entry{Account: c.Account, Balance: c.Balance, Head: Head{Seq: c.Head.Seq + 1}}
	}
	for i, c := range concerns {
		m.Entries[i].Link = m.link(m.Entries[i].Account, c.Head.Link)
	}
	return m, nil
}

// Entry returns the movement's entry for an account; it reports false where the
// movement does not concern it.
func (m Movement) Entry(account int64) (Entry, bool) {
	for _, e := range m.Entries {
		if e.Account == account {
			return e, true
		}
	}
	return Entry{}, false
}

// Change returns what the movement did to the balance of an account: the amount,
// negative where it left, 0 where it neither left nor reached it.
func (m Movement) Change(account int64) decimal.Decimal {
	switch Account(account) {
	case m.Source:
		return m.Amount.Decimal().Neg()
	case m.Target:
		return m.Amount.Decimal()
	}
	return decimal.Decimal{}
}

// Fits reports whether the movement is, to the last character, what was chained
// after previous in the account's chain.
func (m Movement) Fits(account int64, previous Link) bool {
	e, concerned := m.Entry(account)
	return concerned && e.Link == m.link(account, previous)
}

// link is the SHA-256 over the previous link and every field of the movement in a
// fixed order, each with its length before it: no two movements spell the same.
func (m Movement) link(account int64, previous Link) Link {
	h := sha256.New()
	h.Write(previous[:])
	field := func(text string) {
		h.Write([]byte(strconv.Itoa(len(text))))
		h.Write([]byte{':'})
		h.Write([]byte(text))
	}
	number := func(n int64) { field(strconv.FormatInt(n, 10)) }
	number(account)
	number(m.ID)
	field(m.Operation.String())
	field(m.Source.String())
	field(m.Target.String())
	number(m.Amount.Units())
	number(m.Line)
	number(m.Actor)
	field(m.Request)
	field(m.Notes)
	number(m.At.UnixMilli())
	for _, e := range m.Entries {
		number(e.Account)
		number(e.Seq)
		number(e.Balance.Units())
	}
	return Link(h.Sum(nil))
}
