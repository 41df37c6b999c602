package architecture

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"resellerd/test/documents"
	"resellerd/test/require"
)

const (
	longestProse  = 120      // characters of a line, outside of tables and blocks
	longestREADME = 9 * 1000 // bytes
)

// history is the document with paths and targets of earlier versions.
const history = "CHANGELOG.md"

var (
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	elsewhere = regexp.MustCompile(`^[a-z]+:`)
	codeSpan  = regexp.MustCompile("`[^`]*`")
	rooms     = regexp.MustCompile(`^(domain|application|adapters|ports|bootstrap|test|\.github|\.ci)/[\w./-]*$`)
	makes     = regexp.MustCompile(`(?m)(?:^|[ ;&|])make ([a-z][a-z-]*)`)
	target    = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
)

// TestDocuments checks every document of the checkout against the rules.
func TestDocuments(t *testing.T) {
	found, err := checkDocuments(os.DirFS("../.."))
	require.NoError(t, err)
	for _, violation := range found {
		t.Error(violation)
	}
}

// checkDocuments returns the lines and documents that are too long, and the links that are broken.
func checkDocuments(root fs.FS) (found []string, err error) {
	all, err := documents.All(root)
	if err != nil {
		return nil, err
	}
	makefile, err := fs.ReadFile(root, "Makefile")
	if err != nil {
		return nil, err
	}
	readme, err := fs.Stat(root, "README.md")
	if err != nil {
		return nil, err
	}
	if readme.Size() > longestREADME {
		found = append(found, fmt.Sprintf("README.md has %d bytes, more than %d", readme.Size(), longestREADME))
	}
	var targets []string
	for _, t := range target.FindAllStringSubmatch(string(makefile), -1) {
		targets = append(targets, t[1])
	}
	anchors := map[string][]string{}
	for _, d := range all {
		anchors[d.Name] = d.Anchors()
	}
	exists := func(name string) bool {
		_, err := fs.Stat(root, name)
		return err == nil
	}
	for _, d := range all {
		complain := func(line int, format string, args ...any) {
			found = append(found, fmt.Sprintf("%s:%d: ", d.Name, line)+fmt.Sprintf(format, args...))
		}
		for _, l := range d.Prose {
			if n := utf8.RuneCountInString(l.Text); n > longestProse && !strings.HasPrefix(strings.TrimSpace(l.Text), "|") {
				complain(l.Number, "%d characters, more than %d", n, longestProse)
			}
			for _, to := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(l.Text, "``"), -1) {
				if elsewhere.MatchString(to[1]) {
					continue
				}
				name, anchor, _ := strings.Cut(to[1], "#")
				linked := d.Name
				if name != "" {
					linked = path.Join(path.Dir(d.Name), name)
				}
				if !exists(linked) {
					complain(l.Number, "the link %s is broken", to[1])
				} else if anchor != "" && !slices.Contains(anchors[linked], anchor) {
					complain(l.Number, "%s has no heading %s", linked, anchor)
				}
			}
		}
		if d.Name == history {
			continue
		}
		commands := d.Spans()
		for _, span := range commands {
			if span.Text != "application/json" && span.Text != "application/x-ndjson" && rooms.MatchString(span.Text) &&
				!exists(path.Clean(span.Text)) {
				complain(span.Number, "there is no %s", span.Text)
			}
		}
		for _, b := range d.Blocks {
			commands = append(commands, documents.Line{Number: b.Number, Text: b.Text})
		}
		for _, command := range commands {
			for _, named := range makes.FindAllStringSubmatch(command.Text, -1) {
				if !slices.Contains(targets, named[1]) {
					complain(command.Number, "the Makefile has no target %s", named[1])
				}
			}
		}
	}
	return found, nil
}
