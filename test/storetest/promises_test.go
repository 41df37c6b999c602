package storetest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// retired are the numbers of promises that were taken back: they are never used again.
var retired = []string{
	// Of sessions, which became a kind.
	"N1", "N2", "N3", "N4", "N5", "N6", "N7", "N8", "N9", "N10", "N11", "N12", "N13", "N14", "N15", "N16", "N17",
	"A15", // Since when deletions left tombstones: they always do.
}

// highest is the greatest number of each series, those that were retired included.
var highest = map[string]int{
	"S": 8, "V": 3, "U": 10, "I": 4, "F": 8, "E": 2, // ports.Store
	"R": 20, "L": 29, "M": 7, "K": 4, // resellers, lines, ledger, keys
	"A": 21, "C": 15, // archive, copies
	"J": 20, // journal
	"N": 17, // sessions
	"D": 14, // kinds of records
}

var numbered = regexp.MustCompile(`(?m)^\s+- ([A-Z])(\d+) (.+)`)

// promisesOf returns the promises in doc comments, by their numbers.
func promisesOf(files ...*ast.File) (found map[string]string, wrong []string) {
	found = map[string]string{}
	for _, file := range files {
		for _, comment := range file.Comments {
			for _, m := range numbered.FindAllStringSubmatch(comment.Text(), -1) {
				number := m[1] + m[2]
				if _, twice := found[number]; twice {
					wrong = append(wrong, number+" is two promises")
				}
				found[number] = m[3]
			}
		}
	}
	return found, wrong
}

// unlike returns in what the checks are not of the promises.
func unlike(promises map[string]string, checks []Check) (wrong []string) {
	proven := map[string]bool{}
	for _, c := range checks {
		if len(c.Promises) == 0 {
			wrong = append(wrong, c.Name+" proves no promise")
		}
		for _, number := range c.Promises {
			proven[number] = true
			if _, is := promises[number]; !is {
				wrong = append(wrong, fmt.Sprintf("%s proves %s, which is no promise", c.Name, number))
			}
		}
	}
	for number, sentence := range promises {
		if !proven[number] {
			wrong = append(wrong, fmt.Sprintf("no check proves %s %s", number, sentence))
		}
	}
	return wrong
}

// misnumbered returns which numbers are used again, left out, or not written down as given.
func misnumbered(promises map[string]string, retired []string, highest map[string]int) (wrong []string) {
	for number := range promises {
		if slices.Contains(retired, number) {
			wrong = append(wrong, number+" was retired and is used again")
		}
		if n, err := strconv.Atoi(number[1:]); err != nil || n < 1 || n > highest[number[:1]] {
			wrong = append(wrong, number+" is beyond what was given: raise it")
		}
	}
	for series, last := range highest {
		for n := 1; n <= last; n++ {
			number := series + strconv.Itoa(n)
			if _, is := promises[number]; !is && !slices.Contains(retired, number) {
				wrong = append(wrong, number+" is gone: retire it")
			}
		}
	}
	return wrong
}

func TestEachPromiseHasACheck(t *testing.T) {
	names, err := filepath.Glob("../../ports/*.go")
	kinds, _ := filepath.Glob("../../ports/record/*.go")
	if names = slices.Concat(names, kinds); err != nil || len(kinds) == 0 {
		t.Fatalf("the ports: %q, %v", names, err)
	}
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	promises, wrong := promisesOf(files...)
	for _, complaint := range slices.Concat(wrong, unlike(promises, allChecks()),
		misnumbered(promises, retired, highest)) {
		t.Error(complaint)
	}
}

func TestPromisesWithoutAProofAreFound(t *testing.T) {
	source := `package ports

// Store keeps.
//
//   - S1 One.
//   - S2 Two,
//     which goes on - S9 here.
type Store interface {
	// Get gets.
	//
	//   - S4 Four.
	Get()
}

// Other repeats.
//
//   - S4 Four again.
type Other struct{}
`
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	promises, wrong := promisesOf(file)
	checks := []Check{{Name: "a", Promises: proves{"S1", "S3"}}, {Name: "b", Promises: proves{"S4"}}, {Name: "c"}}
	got := slices.Concat(wrong, unlike(promises, checks), misnumbered(promises, []string{"S1"}, map[string]int{"S": 3}))
	want := []string{
		"S4 is two promises",
		"a proves S3, which is no promise", "c proves no promise", "no check proves S2 Two,",
		"S1 was retired and is used again", "S4 is beyond what was given: raise it", "S3 is gone: retire it",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
