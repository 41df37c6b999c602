package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

var (
	noon  = time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)
	begin = state{balances: [groupSize]units{100_0000, 10_0000, 0}}
)

// past is a history of operations that come one after the other, but for those
// that are begun together.
type past struct{ operations []porcupine.Operation }

func (p *past) then(r request, o outcome) *past {
	call := int64(0)
	for _, op := range p.operations {
		call = max(call, op.Return)
	}
	return p.between(call+1, call+2, r, o)
}

func (p *past) between(call, end int64, r request, o outcome) *past {
	r.asked = noon
	p.operations = append(p.operations, porcupine.Operation{
		ClientId: len(p.operations), Input: r, Call: call, Output: o, Return: end,
	})
	return p
}

func holds(balance units) outcome { return outcome{balance: balance} }

func unpaid(balance, required units) outcome {
	return outcome{refusal: insufficient, balance: balance, required: required, shortfall: required - balance}
}

var newLine = outcome{line: 7, trial: true, at: noon, expires: noon.Add(4 * time.Hour)}

func give(amount units) request { return request{kind: transfer, reseller: 1, amount: amount} }

func read(reseller int) request { return request{kind: resellerRead, reseller: reseller} }

func onLine(k kind, price string) request { return request{kind: k, line: 7, price: price} }

// nextMonth is a month after noon and inTwoMonths two, each on its last day.
var (
	nextMonth   = time.Date(2030, 2, 28, 12, 0, 0, 0, time.UTC)
	inTwoMonths = time.Date(2030, 3, 31, 12, 0, 0, 0, time.UTC)
)

func TestFalseHistoriesAreRefused(t *testing.T) {
	official := func() *past {
		return new(past).
			then(request{kind: trial, reseller: 1}, newLine).
			then(onLine(activation, "1"), outcome{at: noon, expires: nextMonth})
	}
	for name, p := range map[string]*past{
		"a lost update": new(past).
			between(1, 10, give(1_0000), holds(11_0000)).
			between(2, 9, give(2_0000), holds(12_0000)),
		"an acknowledged effect that is gone": new(past).
			then(give(1_0000), holds(11_0000)).
			then(read(1), holds(10_0000)),
		"a doubled effect": new(past).
			then(give(1_0000), holds(11_0000)).
			then(read(1), holds(12_0000)),
		"a doubled charge": official().
			then(read(1), holds(8_0000)),
		"an invented credit": new(past).
			then(read(2), holds(1)),
		"credits that were given and not taken": new(past).
			then(give(1_0000), holds(11_0000)).
			then(read(master), holds(100_0000)),
		"an overdraft": new(past).
			then(give(100_0001), holds(110_0001)),
		"two at once that only one balance covers": new(past).
			between(1, 10, give(60_0000), holds(70_0000)).
			between(2, 9, give(60_0000), holds(130_0000)),
		"a refusal that the balance does not explain": new(past).
			then(give(60_0000), unpaid(40_0000, 60_0000)),
		"a refusal before what would explain it": new(past).
			then(give(60_0000), unpaid(40_0000, 60_0000)).
			then(give(60_0000), holds(70_0000)),
		"a refusal with another shortfall": new(past).
			then(give(101_0000), outcome{refusal: insufficient, balance: 100_0000, required: 101_0000, shortfall: 2_0000}),
		"a refusal of no known kind": new(past).
			then(give(1_0000), outcome{refusal: "account-blocked"}),
		"two activations of one trial": official().
			then(onLine(activation, "1"), outcome{at: noon, expires: nextMonth}),
		"an activation that is gone": official().
			then(onLine(lineRead, ""), outcome{trial: true, expires: newLine.expires}),
		"an activation refused that was not made": new(past).
			then(request{kind: trial, reseller: 1}, newLine).
			then(onLine(activation, "1"), outcome{refusal: "line-not-trial"}),
		"an extension that is lost": official().
			then(onLine(extension, "1"), outcome{at: noon, expires: inTwoMonths}).
			then(onLine(extension, "1"), outcome{at: noon, expires: inTwoMonths}),
		"an extension without a charge": official().
			then(onLine(extension, "1"), outcome{at: noon, expires: inTwoMonths}).
			then(read(1), holds(9_0000)),
		"an extension of what was deleted": official().
			then(onLine(deletion, ""), outcome{}).
			then(onLine(extension, "1"), outcome{at: noon, expires: inTwoMonths}),
		"a period that is not too long": official().
			then(onLine(extension, "1"), outcome{refusal: tooLong}),
		"a line that nobody deleted": new(past).
			then(request{kind: trial, reseller: 1}, newLine).
			then(onLine(lineRead, ""), outcome{refusal: absent}),
		"an id given twice": new(past).
			then(request{kind: trial, reseller: 1}, newLine).
			then(request{kind: trial, reseller: 2}, newLine),
	} {
		verdict, reason := judge(begin, p.operations, time.Minute)
		if verdict != porcupine.Illegal {
			t.Errorf("%s: %s", name, verdict)
		}
		if !strings.Contains(reason, "next would be one of\n  ") {
			t.Errorf("%s: the reason does not say what does not fit: %s", name, reason)
		}
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]units{"0": 0, "12.5": 12_5000, "-0.0001": -1, "100000000000": 100_000_000_000_0000,
		"7": 7_0000} {
		if got, err := parseUnits(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s is %d, written %s, %v; want %d", text, got, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "0.00001", "1e30"} {
		if got, err := parseUnits(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
