package faults

import (
	"fmt"
	"slices"
	"strconv"
)

// entry is a movement as the statement of one reseller shows it.
type entry struct {
	seq          int64
	kind         string
	amount       units // negative where it left the reseller
	balance      units // right after
	counterparty string
	line         int64
	request      string // its id
}

// wanted is an entry that an acknowledged request must have left.
type wanted struct {
	entry      // without seq
	told  bool // the client was told the balance, so the entry must have it
}

// compare finds what a statement, the newest first, has too much or too little of:
// every wanted entry is there once, and nothing else; they are numbered without a
// gap, and each balance follows from the one before.
func compare(statement []entry, want []wanted) (problems []string) {
	problem := func(format string, values ...any) { problems = append(problems, fmt.Sprintf(format, values...)) }
	missing := make(map[string]wanted, len(want))
	for _, w := range want {
		if _, twice := missing[w.request]; twice {
			problem("%s was asked for twice", w.request)
		}
		missing[w.request] = w
	}
	seen := map[string]bool{}
	var balance units
	for i, e := range slices.Backward(statement) {
		if place := int64(len(statement) - i); e.seq != place {
			problem("entry %d has the number %d", place, e.seq)
		}
		if balance += e.amount; e.balance != balance {
			problem("%s leaves %s, and its entry says %s", e.request, balance, e.balance)
			balance = e.balance
		}
		w, asked := missing[e.request]
		switch {
		case seen[e.request]:
			problem("%s is there again: %s", e.request, e)
		case !asked:
			problem("nobody was told of %s: %s", e.request, e)
		default:
			if !w.told {
				w.balance = e.balance
			}
			if w.seq = e.seq; w.entry != e {
				problem("%s is %s, and was acknowledged as %s", e.request, e, w.entry)
			}
		}
		seen[e.request] = true
		delete(missing, e.request)
	}
	for _, w := range want {
		if _, lost := missing[w.request]; lost {
			problem("%s was acknowledged and is not there: %s", w.request, w.entry)
			delete(missing, w.request)
		}
	}
	return problems
}

// lost finds what of the wanted entries a statement lacks, has twice, or has otherwise. There may be others, of
// requests that have no answer yet.
func lost(statement []entry, want []wanted) (problems []string) {
	known := make(map[string]bool, len(want))
	for _, w := range want {
		known[w.request] = true
	}
	for _, e := range statement {
		if !known[e.request] {
			known[e.request] = true // where it is there again, compare tells
			want = append(want, wanted{e, true})
		}
	}
	return compare(statement, want)
}

// String returns the entry in one line.
func (e entry) String() string {
	text := fmt.Sprintf("%s of %s with %s, then %s", e.kind, e.amount, e.counterparty, e.balance)
	if e.line != 0 {
		text += fmt.Sprintf(", line %d", e.line)
	}
	return text
}

// Names in statements.
const (
	issuance    = "issuance"
	consumption = "consumption"
)

// done is a request that was done, and what was told of it.
type done struct {
	request
	told outcome
}

// entries returns what a request that was done must have left in the statements of
// a group's resellers. Owner says whose each line is, names what each reseller is
// called.
func (d done) entries(owner func(line int64) int, names [groupSize]string) (left [groupSize][]wanted) {
	leave := func(reseller int, told bool, e entry) {
		e.request, e.balance = d.id, d.told.balance
		left[reseller] = append(left[reseller], wanted{e, told})
	}
	switch d.kind {
	case recharge:
		leave(d.reseller, true, entry{kind: "recharge", amount: d.amount, counterparty: issuance})
	case withdrawal:
		leave(d.reseller, true, entry{kind: "reclaim", amount: -d.amount, counterparty: issuance})
	case transfer:
		leave(d.reseller, true, entry{kind: "recharge", amount: d.amount, counterparty: names[master]})
		leave(master, false, entry{kind: "recharge", amount: -d.amount, counterparty: names[d.reseller]})
	case reclaim:
		leave(d.reseller, true, entry{kind: "reclaim", amount: -d.amount, counterparty: names[master]})
		leave(master, false, entry{kind: "reclaim", amount: d.amount, counterparty: names[d.reseller]})
	case activation, extension:
		cost, err := parseUnits(d.price)
		if err != nil {
			panic(err) // it is one of ours
		}
		leave(owner(d.line), false, entry{kind: d.kind.name, amount: -cost, counterparty: consumption, line: d.line})
	}
	return left
}

// sums are the totals of a ledger.
type sums struct {
	issued, consumed, held units
	movements              int64
}

// String returns the sums in one line.
func (s sums) String() string {
	return fmt.Sprintf("%s issued = %s consumed + %s held, %d movements", s.issued, s.consumed, s.held, s.movements)
}

func (s sums) plus(other sums) sums {
	return sums{s.issued + other.issued, s.consumed + other.consumed, s.held + other.held, s.movements + other.movements}
}

// sum returns what a request that was done adds to the totals.
func (d done) sum() sums {
	switch d.kind {
	case recharge:
		return sums{issued: d.amount, held: d.amount, movements: 1}
	case withdrawal:
		return sums{issued: -d.amount, held: -d.amount, movements: 1}
	case transfer, reclaim:
		return sums{movements: 1}
	case activation, extension:
		cost, err := parseUnits(d.price)
		if err != nil {
			panic(err) // it is one of ours
		}
		return sums{consumed: cost, held: -cost, movements: 1}
	default:
		return sums{}
	}
}

func name(id int64) string { return strconv.FormatInt(id, 10) }
