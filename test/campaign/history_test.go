package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/shopspring/decimal"

	"resellerd/domain/credit"
	"resellerd/test/expect"
	"resellerd/test/model"
)

// units is a number of credits in ten-thousandths, the finest part that there is.
type units int64

func parseUnits(text string) (units, error) {
	d, err := decimal.NewFromString(text)
	if d = d.Shift(credit.Scale); err == nil && !d.IsInteger() {
		err = fmt.Errorf("%q is no number of credits", text)
	}
	return units(d.IntPart()), err
}

// UnmarshalJSON implements json.Unmarshaler, for credits as the service writes them: a string, a number or null.
func (u *units) UnmarshalJSON(text []byte) (err error) {
	if string(text) != "null" {
		*u, err = parseUnits(strings.Trim(string(text), `"`))
	}
	return err
}

// String returns the credits as the service writes them.
func (u units) String() string { return decimal.New(int64(u), -credit.Scale).String() }

// The accounts of a group, by their index: a master and resellers below it.
const (
	master    = 0
	groupSize = 3
)

// kind is the operation of a request.
type kind string

const (
	recharge   kind = "recharge"   // an admin issues credits to an account
	transfer   kind = "transfer"   // the master moves credits to a reseller
	reclaim    kind = "reclaim"    // the master takes credits back from a reseller
	withdrawal kind = "withdrawal" // an admin takes credits back from an account
	opening    kind = "opening"    // an admin creates the master, or the master a reseller
	trial      kind = "trial"
	activation kind = "activation"
	extension  kind = "extension"
	deletion   kind = "deletion"

	// Reads, while nothing else goes on.
	accountRead kind = "account read"
	lineRead    kind = "line read"
)

// request is a client's request in its group.
type request struct {
	kind    kind
	id      string // request id, which its movement has
	account int    // whose credits change or are read, or who owns the trial
	amount  units  // also the price of a line
	line    int64
	asked   time.Time // first
}

// outcome is the final answer to a request.
type outcome struct {
	refusal string // code of the problem; "" for a success

	balance             units // of the account, after it; where credits were missing, of the payer
	required, shortfall units

	line        int64 // a new one
	trial       bool
	at, expires time.Time // when the line was changed, and when it ends
}

// Codes of refusals.
const (
	insufficient = "insufficient-credits"
	absent       = "not-found"
	tooLong      = "period-too-long"
)

// Counterparties that are no account of the group.
const (
	issuance    = -1
	consumption = -2
)

// posting is the part of a movement that one account has.
type posting struct {
	account, counterparty int
	kind                  string
	change                units
}

// postings returns the postings of a request that succeeds. owner is the account that owns the line.
func (r request) postings(owner int) []posting {
	switch r.kind {
	case recharge:
		return []posting{{r.account, issuance, "recharge", r.amount}}
	case withdrawal:
		return []posting{{r.account, issuance, "reclaim", -r.amount}}
	case transfer:
		return between(r.account, "recharge", r.amount)
	case reclaim:
		return between(r.account, "reclaim", -r.amount)
	case opening:
		if r.account == master {
			return []posting{{r.account, issuance, "opening", r.amount}}
		}
		return between(r.account, "opening", r.amount)
	case activation, extension:
		return []posting{{owner, consumption, string(r.kind), -r.amount}}
	case trial, deletion, accountRead, lineRead:
	}
	return nil
}

func between(account int, kind string, change units) []posting {
	return []posting{{account, master, kind, change}, {master, account, kind, -change}}
}

// state is the state of a group at an instant. It is never changed, only followed by another.
type state struct {
	balances [groupSize]units
	lines    []lineState // by id; a deleted one is gone
}

type lineState struct {
	id      int64
	owner   int
	trial   bool
	expires time.Time
	day     int // of the month, by which months count
}

func (s state) equal(other state) bool {
	return s.balances == other.balances && slices.EqualFunc(s.lines, other.lines, func(a, b lineState) bool {
		return a.id == b.id && a.owner == b.owner && a.trial == b.trial && a.expires.Equal(b.expires) && a.day == b.day
	})
}

// find returns the index of a line, and whether it exists.
func (s state) find(id int64) (int, bool) {
	return slices.BinarySearchFunc(s.lines, id, func(l lineState, id int64) int { return cmp.Compare(l.id, id) })
}

// mostYears is how long a line may run from now on.
const mostYears = 10

// lineAfter returns a line as a request leaves it, or how it is refused.
func (l lineState) lineAfter(r request, o outcome) (after lineState, refusal string) {
	prices := model.Prices()
	price := prices[slices.IndexFunc(prices, func(p model.Price) bool { return p.Credits == r.amount.String() })]
	if r.kind == activation {
		if !l.trial {
			return l, "line-not-trial"
		}
		l.trial = false
		l.expires, l.day = price.After(o.at, o.at.Day())
		return l, ""
	}
	at := o.at
	switch { // a refusal does not say when it was decided
	case l.trial:
		return l, "line-is-trial"
	case o.refusal == tooLong:
		at = r.asked
	case o.refusal != "":
		at = l.expires
	}
	from, day := l.expires, l.day
	if !from.After(at) {
		from, day = at, at.Day()
	}
	l.expires, l.day = price.After(from, day)
	if o.refusal != insufficient && l.expires.After(model.Months(at, 12*mostYears, at.Day())) {
		return l, tooLong
	}
	return l, ""
}

// after returns the state that follows where the request was executed at once in this one and ended so, or why that is
// impossible.
func (s state) after(r request, o outcome) (next state, contradiction string) {
	next, owner := s, 0
	next.lines = slices.Clone(s.lines)
	at, there := s.find(max(r.line, o.line))
	switch r.kind {
	case accountRead:
		return s, balanceIs(s.balances[r.account], o)
	case lineRead:
		return s, s.shows(r.line, o)
	case trial:
		if there {
			return s, "the line was there"
		}
		next.lines = slices.Insert(next.lines, at, lineState{id: o.line, owner: r.account, trial: true, expires: o.expires})
	case activation, extension, deletion:
		if !there {
			return s, refused(o, absent)
		}
		if owner = s.lines[at].owner; r.kind == deletion {
			next.lines = slices.Delete(next.lines, at, at+1)
			break
		}
		var refusal string
		if next.lines[at], refusal = s.lines[at].lineAfter(r, o); refusal != "" {
			return s, refused(o, refusal)
		}
	case recharge, transfer, reclaim, withdrawal, opening:
	}
	for _, p := range r.postings(owner) {
		if next.balances[p.account] += p.change; next.balances[p.account] < 0 {
			if o.refusal == insufficient && (o.required != r.amount || o.shortfall != r.amount-o.balance) {
				return s, "the figures of the refusal are wrong: " + r.amount.String() + " required"
			}
			return s, cmp.Or(refused(o, insufficient), balanceIs(s.balances[p.account], o))
		}
	}
	switch {
	case o.refusal != "":
		return s, o.refusal + " has no reason"
	case r.kind == trial || r.kind == activation || r.kind == extension:
		return next, next.shows(max(r.line, o.line), o)
	case r.kind == deletion:
		return next, ""
	}
	return next, balanceIs(next.balances[r.account], o)
}

func balanceIs(balance units, o outcome) string {
	if o.balance != balance {
		return fmt.Sprintf("the balance was %s", balance)
	}
	return ""
}

// shows expects that a line is as the outcome says, or that it is not there.
func (s state) shows(line int64, o outcome) string {
	at, there := s.find(line)
	if !there {
		return refused(o, absent)
	}
	if l := s.lines[at]; o.refusal != "" || o.trial != l.trial || !o.expires.Equal(l.expires) {
		return fmt.Sprintf("it was trial: %t, until %s", l.trial, l.expires)
	}
	return ""
}

func refused(o outcome, code string) string {
	if o.refusal == code {
		return ""
	}
	return "it had to be refused as " + code
}

// judge decides whether a history that begins in a state is linearizable. Where it is not, the reason shows the longest
// order of its operations, and the operations that do not fit after it.
func judge(initial state, history []porcupine.Operation, patience time.Duration) (porcupine.CheckResult, string) {
	orders := porcupine.Model{
		Init: func() any { return initial },
		Step: func(before, input, output any) (bool, any) {
			next, contradiction := before.(state).after(input.(request), output.(outcome))
			return contradiction == "", next
		},
		Equal: func(a, b any) bool { return a.(state).equal(b.(state)) },
	}
	verdict := porcupine.CheckOperationsTimeout(orders, history, patience)
	if verdict != porcupine.Illegal {
		return verdict, fmt.Sprintf("looked for an order for at most %s", patience)
	}
	_, info := porcupine.CheckOperationsVerbose(orders, history, patience)
	var order []int // the longest
	for _, partial := range slices.Concat(info.PartialLinearizations()...) {
		if len(partial) > len(order) {
			order = partial
		}
	}
	var text strings.Builder
	s := initial
	fmt.Fprintf(&text, "%d of %d operations have an order, which ends with\n", len(order), len(history))
	for i, id := range order {
		if s, _ = s.after(history[id].Input.(request), history[id].Output.(outcome)); i >= len(order)-8 {
			fmt.Fprintf(&text, "  %s\n", describe(history[id]))
		}
	}
	fmt.Fprintf(&text, "in %+v; left are\n", s)
	for id, op := range history {
		if _, why := s.after(op.Input.(request), op.Output.(outcome)); !slices.Contains(order, id) && text.Len() < 8<<10 {
			fmt.Fprintf(&text, "  %s: %s\n", describe(op), why)
		}
	}
	return verdict, text.String()
}

func describe(op porcupine.Operation) string {
	return fmt.Sprintf("%s to %s: %+v -> %+v", time.Duration(op.Call), time.Duration(op.Return), op.Input, op.Output)
}

// TestFalseHistoriesAreRefused shows that the judge can fail: a lost update fits in no order.
func TestFalseHistoriesAreRefused(t *testing.T) {
	t.Parallel()
	for balance, want := range map[units]porcupine.CheckResult{13_0000: porcupine.Ok, 11_0000: porcupine.Illegal} {
		verdict, reason := judge(state{balances: [groupSize]units{100_0000, 10_0000, 0}}, []porcupine.Operation{
			{ClientId: 0, Return: 100, Input: request{kind: transfer, account: 1, amount: 1_0000},
				Output: outcome{balance: balance}},
			{ClientId: 1, Return: 100, Input: request{kind: transfer, account: 1, amount: 2_0000},
				Output: outcome{balance: 12_0000}},
		}, time.Minute)
		expect.Equal(t, verdict, want, "%s", reason)
	}
}
