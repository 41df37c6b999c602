// Package faults hurts a replica set under two processes of the service that are
// under load, and kills a process, and proves from what the clients were answered
// that nothing acknowledged was lost and nothing happened twice.
//
// The clients repeat every request without an answer under its Idempotency-Key
// until it has one, at either process; a few ask without a key and only once, and
// the ledger says later whether that was done. So each request has one outcome and
// an interval in which it took effect, and the outcomes of a group of resellers are
// a history that must be linearizable. At the end the ledger of each reseller holds
// exactly the movements of what was done, once each.
//
// Plain reads are no part of a history while faults are injected: just after an
// election one may show an earlier committed state.
package faults

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/shopspring/decimal"

	"resellerd/domain/credit"
)

// units is a number of credits in ten-thousandths, the finest part that there is.
type units int64

// parseUnits reads what an answer says, which may be negative in a statement.
func parseUnits(text string) (units, error) {
	d, err := decimal.NewFromString(text)
	if err != nil {
		return 0, err
	}
	d = d.Shift(credit.Scale)
	if !d.IsInteger() || !d.BigInt().IsInt64() {
		return 0, fmt.Errorf("%q is no number of credits", text)
	}
	return units(d.IntPart()), nil
}

// String returns the credits as the service writes them.
func (u units) String() string { return u.credits().String() }

func (u units) credits() decimal.Decimal { return decimal.New(int64(u), -credit.Scale) }

// unitsOf is a number of credits that has no finer part.
func unitsOf(credits decimal.Decimal) units { return units(credits.Shift(credit.Scale).IntPart()) }

// The resellers of a group, by their place in it: a master and resellers below it.
const (
	master    = 0
	groupSize = 3
)

// kind is what a request asks for. The set is closed.
type kind struct{ name string }

// The kinds.
var (
	recharge   = kind{"recharge"}   // an admin issues credits to a reseller
	transfer   = kind{"transfer"}   // the master gives of its own to a reseller
	reclaim    = kind{"reclaim"}    // the master takes back from a reseller
	withdrawal = kind{"withdrawal"} // an admin takes back from a reseller
	opening    = kind{"opening"}    // an admin creates the master, or that a reseller
	trial      = kind{"trial"}
	activation = kind{"activation"}
	extension  = kind{"extension"}
	deletion   = kind{"deletion"}

	// Reads of a reseller and of a line, while nothing else goes on.
	resellerRead = kind{"account read"}
	lineRead     = kind{"line read"}
)

// moves are the kinds that move credits and nothing else, and effects all that
// change something.
var (
	moves   = []kind{recharge, transfer, reclaim, withdrawal}
	effects = append(slices.Clone(moves), trial, activation, extension, deletion)
)

// request is what a client asks of its group.
type request struct {
	kind     kind
	id       string // request id, which its movement keeps
	reseller int    // whose credits change or are read, or who is to own the trial
	amount   units
	line     int64
	price    string
	asked    time.Time // when it was asked first
}

// outcome is what the client was told in the end.
type outcome struct {
	refusal string // code of the problem; "" where it was done

	balance   units // of the reseller, after; where credits were missing, of who has too few
	required  units
	shortfall units

	line    int64 // that is new
	trial   bool
	at      time.Time // when the line was changed
	expires time.Time
}

// String returns the request in one line.
func (r request) String() string {
	text := r.kind.name
	switch r.kind {
	case trial, resellerRead:
		text += fmt.Sprintf(" of reseller %d", r.reseller)
	case activation, extension:
		text += fmt.Sprintf(" of line %d for %s", r.line, r.price)
	case deletion, lineRead:
		text += fmt.Sprintf(" of line %d", r.line)
	default:
		text += fmt.Sprintf(" of %s at account %d", r.amount, r.reseller)
	}
	if r.id != "" {
		text += " [" + r.id + "]"
	}
	return text
}

// String returns the outcome in one line.
func (o outcome) String() string {
	switch {
	case o.refusal == insufficient:
		return fmt.Sprintf("%s: balance %s, required %s", o.refusal, o.balance, o.required)
	case o.refusal != "":
		return o.refusal
	case o.line != 0:
		return fmt.Sprintf("line %d until %s", o.line, o.expires.Format(time.RFC3339))
	case !o.expires.IsZero():
		return fmt.Sprintf("trial: %t, until %s", o.trial, o.expires.Format(time.RFC3339))
	default:
		return fmt.Sprintf("balance %s", o.balance)
	}
}

// Codes of the refusals whose answers say more, or less, than others do.
const (
	insufficient = "insufficient-credits"
	absent       = "not-found"
	tooLong      = "period-too-long"
)

// state is what a group has at an instant. It is never changed, only followed by
// another.
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

// String returns the state in one line.
func (s state) String() string {
	lines := make([]string, len(s.lines))
	for i, l := range s.lines {
		lines[i] = strconv.FormatInt(l.id, 10)
		if l.trial {
			lines[i] += " (trial)"
		}
	}
	return fmt.Sprintf("balances %v, lines %s", s.balances, strings.Join(lines, ", "))
}

func (s state) equal(other state) bool {
	return s.balances == other.balances && slices.EqualFunc(s.lines, other.lines, func(a, b lineState) bool {
		return a.id == b.id && a.owner == b.owner && a.trial == b.trial && a.expires.Equal(b.expires) && a.day == b.day
	})
}

// find returns the place of a line, and whether it is there.
func (s state) find(id int64) (int, bool) {
	return slices.BinarySearchFunc(s.lines, id, func(l lineState, id int64) int { return cmp.Compare(l.id, id) })
}

// after returns the state that follows where the request was executed at once in
// this one and ended so, or why that can't be.
func (s state) after(r request, o outcome) (next state, contradiction string) {
	switch r.kind {
	case resellerRead:
		return s, balanceIs(s.balances[r.reseller], o)
	case lineRead:
		return s, s.shows(r.line, o)
	}
	w := s.scene(r, o)
	if r.kind == trial && w.line != nil {
		return s, "the line was there"
	}
	refusal, effect := w.decide(r, o)
	switch {
	case o.refusal != refusal:
		return s, refused(o, refusal)
	case refusal == insufficient:
		return s, w.unpaid(r, o)
	case refusal != "":
		return s, ""
	}
	effect()
	next = s.following(w)
	switch {
	case slices.Contains(moves, r.kind) || r.kind == opening:
		return next, balanceIs(next.balances[r.reseller], o)
	case r.kind != deletion:
		return next, next.shows(w.line.ID, o)
	}
	return next, ""
}

func balanceIs(balance units, o outcome) string {
	if o.balance != balance {
		return fmt.Sprintf("the balance was %s", balance)
	}
	return ""
}

// shows expects that a line is as it was told, or that it is not there.
func (s state) shows(line int64, o outcome) string {
	at, there := s.find(line)
	if !there {
		return refused(o, absent)
	}
	if l := s.lines[at]; o.trial != l.trial || !o.expires.Equal(l.expires) {
		return fmt.Sprintf("it was trial: %t, until %s", l.trial, l.expires)
	}
	return refused(o, "")
}

// refused expects a refusal, or, where code is "", none.
func refused(o outcome, code string) string {
	switch {
	case o.refusal == code:
		return ""
	case code == "":
		return o.refusal + " explains nothing"
	default:
		return "it had to be refused as " + code
	}
}

// specification returns that of histories that begin in a state. Their
// inputs are requests, their outputs outcomes.
func specification(initial state) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return initial },
		Step: func(before, input, output any) (bool, any) {
			next, contradiction := before.(state).after(input.(request), output.(outcome))
			return contradiction == "", next
		},
		Equal: func(a, b any) bool { return a.(state).equal(b.(state)) },
	}
}

// judge decides whether a history that begins in a state is linearizable. Where it
// is not, the reason shows how far an order of its operations can be found.
// porcupine.Unknown says that patience ended before.
func judge(initial state, history []porcupine.Operation,
	patience time.Duration) (verdict porcupine.CheckResult, reason string) {
	verdict = porcupine.CheckOperationsTimeout(specification(initial), history, patience)
	if verdict == porcupine.Unknown {
		reason = fmt.Sprintf("not decided within %s", patience)
	}
	if verdict == porcupine.Illegal {
		_, info := porcupine.CheckOperationsVerbose(specification(initial), history, patience)
		reason = explain(initial, history, info)
	}
	return verdict, reason
}

// explain shows the longest order that was found and what fits nowhere after it.
func explain(initial state, history []porcupine.Operation, info porcupine.LinearizationInfo) string {
	var longest []int
	for _, partition := range info.PartialLinearizations() {
		for _, order := range partition {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d of %d operations can be put in an order, which ends with\n", len(longest), len(history))
	s, placed := initial, make(map[int]bool, len(longest))
	for i, id := range longest {
		s, _ = s.after(history[id].Input.(request), history[id].Output.(outcome))
		placed[id] = true
		if i >= len(longest)-8 {
			fmt.Fprintf(&text, "  %s\n", describe(history[id]))
		}
	}
	fmt.Fprintf(&text, "in %s; next would be one of\n", s)
	var left []porcupine.Operation
	for id, op := range history {
		if !placed[id] {
			left = append(left, op)
		}
	}
	slices.SortFunc(left, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	for _, op := range left[:min(len(left), 6)] {
		contradiction := "fits here, but not with those after it"
		if _, c := s.after(op.Input.(request), op.Output.(outcome)); c != "" {
			contradiction = c
		}
		fmt.Fprintf(&text, "  %s: %s\n", describe(op), contradiction)
	}
	return text.String()
}

func describe(op porcupine.Operation) string {
	r, o := op.Input.(request), op.Output.(outcome)
	told := o.String()
	if r.kind == deletion && o.refusal == "" {
		told = "done"
	}
	return fmt.Sprintf("%8.3f to %8.3f s: %s -> %s", seconds(op.Call), seconds(op.Return), r, told)
}

func seconds(nanoseconds int64) float64 { return time.Duration(nanoseconds).Seconds() }
