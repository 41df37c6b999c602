package faults

import (
	"slices"
	"strings"
	"testing"
)

// acknowledged are requests that were done, and statements what they left at
// reseller 1.
var (
	acknowledged = []done{
		{request{kind: recharge, id: "a", reseller: 1, amount: 10_0000}, holds(10_0000)},
		{request{kind: transfer, id: "b", reseller: 1, amount: 5_0000}, holds(15_0000)},
		{request{kind: trial, id: "c", reseller: 1}, newLine},
		{request{kind: activation, id: "d", line: 7, price: "0.5"}, outcome{at: noon, expires: noon}},
		{request{kind: extension, id: "e", line: 7, price: "2"}, outcome{at: noon, expires: noon}},
		{request{kind: reclaim, id: "f", reseller: 1, amount: 2_5000}, holds(10_0000)},
		{request{kind: withdrawal, id: "g", reseller: 1, amount: 10_0000}, holds(0)},
	}
	statement = []entry{
		{6, "reclaim", -10_0000, 0, "issuance", 0, "g"},
		{5, "reclaim", -2_5000, 10_0000, "21", 0, "f"},
		{4, "extension", -2_0000, 12_5000, "consumption", 7, "e"},
		{3, "activation", -5000, 14_5000, "consumption", 7, "d"},
		{2, "recharge", 5_0000, 15_0000, "21", 0, "b"},
		{1, "recharge", 10_0000, 10_0000, "issuance", 0, "a"},
	}
)

func left(reseller int) (all []wanted) {
	for _, d := range acknowledged {
		entries, _ := d.leaves()
		all = append(all, entries[reseller]...)
	}
	return all
}

func (d done) leaves() ([groupSize][]wanted, sums) {
	return d.entries(func(int64) int { return 1 }, [groupSize]string{"21", "22", "23"})
}

func TestAStatementThatHoldsWhatWasAcknowledged(t *testing.T) {
	if problems := compare(statement, left(1)); len(problems) > 0 {
		t.Error(problems)
	}
	above := []entry{
		{3, "reclaim", 2_5000, 97_5000, "22", 0, "f"},
		{2, "recharge", -5_0000, 95_0000, "22", 0, "b"},
		{1, "opening", 100_0000, 100_0000, "issuance", 0, "z"},
	}
	created := done{request{kind: opening, id: "z", reseller: master, amount: 100_0000}, holds(100_0000)}
	entries, _ := created.leaves()
	if problems := compare(above, append(left(master), entries[master]...)); len(problems) > 0 {
		t.Error(problems)
	}
	if problems := compare(nil, left(2)); len(problems) > 0 {
		t.Error(problems)
	}
	var total sums
	for _, d := range acknowledged {
		_, sum := d.leaves()
		total = total.plus(sum)
	}
	if want := (sums{issued: 0, consumed: 2_5000, held: -2_5000, movements: 6}); total != want {
		t.Errorf("the sums are %s, want %s", total, want)
	}
}

func TestWhatIsLostOfAStatement(t *testing.T) {
	if problems := lost(statement, left(1)[1:4]); len(problems) > 0 {
		t.Errorf("what nobody was told of yet: %q", problems)
	}
	twice := slices.Insert(slices.Clone(statement), 0, entry{7, "reclaim", 0, 0, "issuance", 0, "g"})
	for name, problems := range map[string][]string{
		"acknowledged and is not there": lost(statement[2:], left(1)),
		"is there again":                lost(twice, nil),
	} {
		if len(problems) == 0 || !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, name) }) {
			t.Errorf("found %q, want one that says %q", problems, name)
		}
	}
}

func TestAStatementThatDoesNot(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s []entry) []entry
		want   string
	}{
		"a lost movement": {
			func(s []entry) []entry {
				s[0].balance, s[0].seq = s[0].balance+2_5000, s[0].seq-1
				return slices.Delete(s, 1, 2)
			},
			"f was acknowledged and is not there",
		},
		"a doubled movement": {
			func(s []entry) []entry { return slices.Insert(s, 0, entry{7, "reclaim", 0, 0, "issuance", 0, "g"}) },
			"g is there again",
		},
		"an invented movement": {
			func(s []entry) []entry {
				return slices.Insert(s, 0, entry{7, "recharge", 1_0000, 1_0000, "issuance", 0, "h"})
			},
			"nobody was told of h",
		},
		"another amount": {func(s []entry) []entry { s[0].amount = -9_0000; return s }, "its entry says 0"},
		"another balance": {func(s []entry) []entry {
			s[4].balance++
			return s
		}, "b leaves 15, and its entry says 15.0001"},
		"another line":         {func(s []entry) []entry { s[2].line = 8; return s }, "e is extension"},
		"another counterparty": {func(s []entry) []entry { s[1].counterparty = "23"; return s }, "f is reclaim"},
		"another kind":         {func(s []entry) []entry { s[5].kind = "opening"; return s }, "a is opening"},
		"a gap":                {func(s []entry) []entry { s[0].seq = 7; return s }, "entry 6 has the number 7"},
	} {
		problems := compare(c.change(slices.Clone(statement)), left(1))
		if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, c.want) }) {
			t.Errorf("%s: %q, want %q", name, problems, c.want)
		}
	}
	twice := append(left(1), left(1)[0])
	if problems := compare(statement, twice); len(problems) != 1 || problems[0] != "a was asked for twice" {
		t.Errorf("%q", problems)
	}
}
