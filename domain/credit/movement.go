package credit

import (
	"fmt"
	"time"
)

// Operation is why credits moved. The set is closed.
type Operation struct{ name string }

// The operations that move credits.
var (
	Opening    = Operation{"opening"}    // initial credits of a new account
	Recharge   = Operation{"recharge"}   // credits added to an account
	Activation = Operation{"activation"} // a trial line became official
)

// ParseOperation finds an operation by its stored name.
func ParseOperation(name string) (Operation, error) {
	for _, op := range []Operation{Opening, Recharge, Activation} {
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

// System returns the system account's name, or "" for an account.
func (p Party) System() string { return p.system }

// AccountID returns the account's id, or 0 for a system account.
func (p Party) AccountID() int64 { return p.account }

// Leg is a party of a movement and, for an account, its balance right after.
type Leg struct {
	Party   Party
	Balance Amount
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
// is never changed. Its two legs sum to zero by construction.
type Movement struct {
	Voucher
	Operation Operation
	Source    Leg
	Target    Leg
	Amount    Amount
	Line      int64 // line paid for, 0 if none
}

// Check reports what is impossible in a movement: nothing moved, more than one
// movement may carry, a side that is nobody, credits that come back from
// consumption, or a party paying itself.
func (m Movement) Check() error {
	switch {
	case m.Amount.IsZero():
		return fmt.Errorf("movement %d: %w", m.ID, ErrNotPositive)
	case m.Amount.Cmp(MaxMovement()) > 0:
		return fmt.Errorf("movement %d: %w", m.ID, ErrTooLarge)
	case m.Source.Party == Party{} || m.Target.Party == Party{} || m.Source.Party == Consumption:
		return fmt.Errorf("movement %d: credits can't go from %v to %v", m.ID, m.Source.Party, m.Target.Party)
	case m.Source.Party == m.Target.Party:
		return fmt.Errorf("movement %d: source and target are the same", m.ID)
	}
	return nil
}
