package storetest

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resellerd/ports"
)

// retired are the numbers of promises that were taken back: they are never used again. N was of sessions, which became
// a kind, and A15 since when deletions left tombstones: they always do.
var retired = strings.Fields("N1 N2 N3 N4 N5 N6 N7 N8 N9 N10 N11 N12 N13 N14 N15 N16 N17 A15")

// highest is the greatest number of each series, those that were retired included.
var highest = map[string]int{
	"S": 8, "V": 3, "U": 10, "I": 4, "F": 8, "E": 2, // ports.Store
	"R": 20, "L": 29, "M": 7, "K": 4, // resellers, lines, ledger, keys
	"A": 21, "C": 15, // archive, copies
	"J": 20, // journal
	"N": 17, // sessions
	"D": 14, // kinds of records
}

var numbered = regexp.MustCompile(`(?m)^\s+- ([A-Z]\d+) (.+)`)

// promisesOf returns the promises in the documentation of the ports, by number, and the numbers that occur twice.
func promisesOf(t *testing.T) (found map[string]string, twice []string) {
	t.Helper()
	found = map[string]string{}
	for _, folder := range []string{"../../ports/*.go", "../../ports/record/*.go"} {
		names, err := filepath.Glob(folder)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %q, %v", folder, names, err)
		}
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, comment := range file.Comments {
				for _, m := range numbered.FindAllStringSubmatch(comment.Text(), -1) {
					if found[m[1]] != "" {
						twice = append(twice, m[1])
					}
					found[m[1]] = m[2]
				}
			}
		}
	}
	return found, twice
}

// TestEachPromiseHasACheck compares the numbers in the documentation of the ports with those that checks prove.
// TestBrokenStoresFail checks that a store breaks each.
func TestEachPromiseHasACheck(t *testing.T) {
	promises, twice := promisesOf(t)
	if len(twice) > 0 {
		t.Errorf("%s are two promises each", twice)
	}
	proven, names := map[string]bool{}, map[string]bool{}
	for _, c := range allChecks() {
		if names[c.Name] || len(c.Promises) == 0 {
			t.Errorf("%s proves no promise, or is the name of two checks", c.Name)
		}
		names[c.Name] = true
		for _, number := range c.Promises {
			if proven[number] = true; promises[number] == "" {
				t.Errorf("%s proves %s, which is no promise", c.Name, number)
			}
		}
	}
	for number, sentence := range promises {
		if !proven[number] {
			t.Errorf("no check proves %s %s", number, sentence)
		}
		if n, err := strconv.Atoi(number[1:]); err != nil || n > highest[number[:1]] || slices.Contains(retired, number) {
			t.Errorf("%s is beyond the highest number of its series, which is to be raised, or is retired", number)
		}
	}
	for series, last := range highest {
		for n := 1; n <= last; n++ {
			if number := series + strconv.Itoa(n); promises[number] == "" && !slices.Contains(retired, number) {
				t.Errorf("%s is gone: retire it", number)
			}
		}
	}
}

// TestDeclarationsAreChecked declares missing capabilities, rightly and wrongly.
func TestDeclarationsAreChecked(t *testing.T) {
	reopen := func(T, ports.Store) ports.Store { return nil }
	beside := func(T, ports.Store) (ports.Store, error) { return nil, nil }
	for situation, c := range map[string]struct {
		subject Subject
		want    int
	}{
		"nothing":                {Subject{Reopen: reopen, Beside: beside}, 0},
		"no reason":              {Subject{Reopen: reopen, Beside: beside, Exempt: map[string]string{"S3": ""}}, 1},
		"no such promise":        {Subject{Reopen: reopen, Beside: beside, Exempt: map[string]string{"S999": "a reason"}}, 1},
		"lacks without a reason": {Subject{Lacks: map[Capability]string{Durability: ""}}, 1},
		"no Reopen":              {Subject{Beside: beside}, 1},
	} {
		if got := c.subject.complaints(); len(got) != c.want {
			t.Errorf("%s: got complaints %q, want %d", situation, got, c.want)
		}
	}
	s := Subject{Lacks: map[Capability]string{Durability: "in memory", Copies: "not yet", Rekeys: "never"},
		Exempt: map[string]string{"R9": "no names"}}
	for _, c := range allChecks() {
		is := slices.ContainsFunc(c.needs(), func(n Capability) bool { return n != Sharing }) || slices.Contains(c.Promises,
			"R9")
		if got := s.skips(c); (got != "") != is {
			t.Errorf("%s: skipped for %q", c.Name, got)
		}
	}
}

// TestAStoreThatLacksSharingRefusesASecondProcess runs the check of a second process on stores that refuse it.
func TestAStoreThatLacksSharingRefusesASecondProcess(t *testing.T) {
	t.Parallel()
	c := secondProcessChecks[0]
	s := broken{when: besides}.subject(c)
	s.Beside = func(_ T, open ports.Store) (ports.Store, error) { return open, nil }
	lacks := map[Capability]string{Sharing: "a lock"}
	refuses := func(T, ports.Store) (ports.Store, error) { return nil, errRefused }
	for situation, declared := range map[string]struct {
		Subject
		sound bool
	}{
		"lacks sharing and is opened twice": {Subject{s.Open, s.Reopen, s.Beside, lacks, false, nil, false},
			false},
		"lacks sharing and refuses a second process": {Subject{s.Open, s.Reopen, refuses, lacks, false, nil, false},
			true},
		"refuses a second process and does not lack sharing": {Subject{s.Open, s.Reopen, refuses, nil, false, nil, false},
			false},
	} {
		if found := failures(t, c, declared.Subject); (len(found) == 0) != declared.sound {
			t.Errorf("a store %s: %q", situation, found)
		}
	}
}
