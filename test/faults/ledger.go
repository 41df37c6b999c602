package faults

import (
	"fmt"
	"slices"
	"strconv"

	"resellerd/test/model"
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

// played returns what the model makes of a request that was done, in a group that can pay for it. Owner says whose each
// line is.
func (d done) played(owner func(line int64) int) *scene {
	before := state{balances: plenty}
	if d.line != 0 {
		before.lines = []lineState{{id: d.line, owner: owner(d.line), trial: d.kind == activation}}
	}
	w := before.scene(d.request, d.told)
	_, effect := w.decide(d.request, d.told)
	effect()
	return w
}

// plenty is more than any request moves.
var plenty = [groupSize]units{1_000_000_0000, 1_000_000_0000, 1_000_000_0000}

// entries returns what a request that was done must have left in the statements of
// a group's resellers, and in the totals. Names are what each reseller is called.
func (d done) entries(owner func(line int64) int, names [groupSize]string) (left [groupSize][]wanted, total sums) {
	w := d.played(owner)
	called := func(r *model.Reseller) string {
		switch {
		case r == nil:
			return consumption
		case r.Admin:
			return issuance
		default:
			return names[slices.Index(w.resellers[:], r)]
		}
	}
	for i, r := range w.resellers {
		for _, e := range r.Statement {
			other := e.From
			if other == r {
				other = e.To
			}
			want := wanted{
				entry: entry{kind: e.Kind, amount: unitsOf(e.Change), balance: d.told.balance, counterparty: called(other),
					request: d.id},
				told: i == d.reseller && e.Line == nil,
			}
			if e.Line != nil {
				want.line = e.Line.ID
			}
			left[i] = append(left[i], want)
		}
	}
	total = sums{unitsOf(w.Issued), unitsOf(w.Consumed), unitsOf(w.Issued.Sub(w.Consumed)), int64(len(w.Movements))}
	return left, total
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

func name(id int64) string { return strconv.FormatInt(id, 10) }
