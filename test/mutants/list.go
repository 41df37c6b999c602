package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mutant is a bug to plant: texts of files to replace, and the tests to run then.
type mutant struct {
	name    string
	why     string
	changes []change
	steps   [][]string // arguments of go test, one step after the other
}

// change replaces a text that stands once in a place.
type change struct {
	place
	old, new string
}

// place is where a change is made. It names no more than has to stay for the bug to be the same one: a room and a
// function survive that files are renamed and divided.
type place struct {
	path     string // slash-separated, below the module's root: a file, or a folder with the packages below it
	function string // or method that it is in, such as Activate; "" where that does not matter
}

// parse reads a list. A line is a word and what it says:
//
//	mutant  its name, which begins it
//	why     what goes wrong with it; for people
//	in      where the changes below it are made: a file or a folder, and the name of a function or method there, such as
//	        Activate
//	-       a line of the text to replace, from the second column after the sign on; any white space stands for any other
//	+       a line of what replaces it; none takes the text away
//	tests   packages and flags of go test, -C FOLDER for a module in it; of several, the first that fails is the last
//
// Empty lines and those that begin with # say nothing.
func parse(list string) ([]mutant, error) {
	var mutants []mutant
	var in place
	var before string
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
			mutants, in = append(mutants, mutant{name: rest}), place{}
		}
		if len(mutants) == 0 {
			return nil, fail("no mutant was begun")
		}
		m := &mutants[len(mutants)-1]
		switch {
		case !sign && rest == "":
			return nil, fail("it says nothing")
		case sign && in.path == "":
			return nil, fail("no place was named")
		case word == "mutant":
		case word == "why":
			m.why = rest
		case word == "in":
			in.path, in.function, _ = strings.Cut(rest, " ")
		case word == "tests":
			m.steps = append(m.steps, strings.Fields(rest))
		case word == "-" && before == "-":
			m.changes[len(m.changes)-1].old += "\n" + rest
		case word == "-":
			m.changes = append(m.changes, change{place: in, old: rest})
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
// root. Where a text to replace does not stand in its place exactly once the list is
// older than the source, and that is the error.
func (m mutant) planted(root string) (map[string]string, error) {
	texts := map[string]string{}
	var stale []error
	for _, c := range m.changes {
		if err := c.apply(root, texts); err != nil {
			stale = append(stale, fmt.Errorf("mutant %s: %w", m.name, err))
		}
	}
	return texts, errors.Join(stale...)
}

// apply changes the text of the file in which its own text stands.
func (c change) apply(root string, texts map[string]string) error {
	files, err := c.files(root)
	if err != nil {
		return err
	}
	found, where, at := 0, "", []int(nil)
	words := strings.Fields(c.old)
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	old := regexp.MustCompile(strings.Join(words, `\s+`))
	for _, file := range files {
		text, read := texts[file]
		if !read {
			source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			text = string(source)
		}
		for _, part := range c.parts(text) {
			for _, is := range old.FindAllStringIndex(text[part[0]:part[1]], -1) {
				found++
				where, at = file, []int{part[0] + is[0], part[0] + is[1]}
				texts[file] = text
			}
		}
	}
	if found != 1 {
		return fmt.Errorf("the list is stale: this stands %d times in %s: %q", found,
			strings.TrimSpace(c.path+" "+c.function), c.old)
	}
	texts[where] = texts[where][:at[0]] + c.new + texts[where][at[1]:]
	return nil
}

// files returns the files of a place: one, or the source of the packages in a folder.
func (p place) files(root string) (files []string, err error) {
	top := filepath.Join(root, filepath.FromSlash(p.path))
	err = filepath.WalkDir(top, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == top && !entry.IsDir() || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			below, err := filepath.Rel(root, name)
			files = append(files, filepath.ToSlash(below))
			return err
		}
		return nil
	})
	return files, err
}

// parts returns where in a text the functions of a place are: from and to. Without a function it is the whole text.
func (p place) parts(text string) (parts [][2]int) {
	if p.function == "" {
		return [][2]int{{0, len(text)}}
	}
	head := regexp.MustCompile(`(?m)^func (\(.+?\) )?` + regexp.QuoteMeta(p.function) + `[(\[].*$`)
	for _, at := range head.FindAllStringIndex(text, -1) {
		from, to := at[0], at[1]
		if !strings.HasSuffix(text[from:to], "}") {
			to += max(strings.Index(text[to:], "\n}\n"), 0)
		}
		parts = append(parts, [2]int{from, to})
	}
	return parts
}
