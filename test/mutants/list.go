package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is a bug to plant: texts of files to replace, and the tests to run then.
type mutant struct {
	name       string
	why        string
	equivalent string // why no test can tell it from the program; "" where one has to
	changes    []change
	steps      [][]string // arguments of go test, one step after the other
}

// change replaces a text that stands once in a file.
type change struct {
	file     string // slash-separated, below the module's root
	old, new string
}

// parse reads a list. A line is a word and what it says:
//
//	mutant      its name, which begins it
//	why         what goes wrong with it; for people
//	file        where the changes below it are made
//	-           a line of the text to replace, from the second column after the sign on
//	+           a line of what replaces it; none takes the text away
//	tests       packages and flags of go test, -C FOLDER for a module in it; of several, the first that fails is the last
//	equivalent  why it may survive
//
// Empty lines and those that begin with # say nothing.
func parse(list string) ([]mutant, error) {
	var mutants []mutant
	var file, before string
	number := 0
	for text := range strings.Lines(list) {
		number++
		text = strings.TrimRight(text, "\r\n")
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		word, rest, _ := strings.Cut(text, " ")
		sign := word == "-" || word == "+"
		if !sign {
			rest = strings.TrimSpace(rest)
		}
		fail := func(why string) error { return fmt.Errorf("line %d: %s: %q", number, why, text) }
		if word == "mutant" {
			if slices.ContainsFunc(mutants, func(m mutant) bool { return m.name == rest }) {
				return nil, fail("the name stands twice")
			}
			mutants, file = append(mutants, mutant{name: rest}), ""
		}
		if len(mutants) == 0 {
			return nil, fail("no mutant was begun")
		}
		m := &mutants[len(mutants)-1]
		switch {
		case !sign && rest == "":
			return nil, fail("it says nothing")
		case sign && file == "":
			return nil, fail("no file was named")
		case word == "mutant":
		case word == "why":
			m.why = rest
		case word == "equivalent":
			m.equivalent = rest
		case word == "file":
			file = rest
		case word == "tests":
			m.steps = append(m.steps, strings.Fields(rest))
		case word == "-" && before == "-":
			m.changes[len(m.changes)-1].old += "\n" + rest
		case word == "-":
			m.changes = append(m.changes, change{file: file, old: rest})
		case word == "+" && before == "-":
			m.changes[len(m.changes)-1].new = rest
		case word == "+" && before == "+":
			m.changes[len(m.changes)-1].new += "\n" + rest
		default:
			return nil, fail("this is not a line of a list")
		}
		before = word
	}
	for _, m := range mutants {
		if len(m.changes) == 0 || len(m.steps) == 0 || m.why == "" {
			return nil, fmt.Errorf("mutant %s: it needs a change, tests and a why", m.name)
		}
	}
	return mutants, nil
}

// planted returns the changed texts of the mutant's files, by their paths below
// root. Where a text to replace does not stand there exactly once the list is
// older than the source, and that is the error.
func (m mutant) planted(root string) (map[string]string, error) {
	texts := map[string]string{}
	var stale []error
	for _, c := range m.changes {
		if _, read := texts[c.file]; !read {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.file)))
			if err != nil {
				return nil, fmt.Errorf("mutant %s: %w", m.name, err)
			}
			texts[c.file] = string(text)
		}
		if found := strings.Count(texts[c.file], c.old); found != 1 {
			stale = append(stale, fmt.Errorf("mutant %s: the list is stale: this stands %d times in %s: %q", m.name, found, c.file, c.old))
			continue
		}
		texts[c.file] = strings.Replace(texts[c.file], c.old, c.new, 1)
	}
	return texts, errors.Join(stale...)
}
