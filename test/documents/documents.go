// Package documents reads the project's documents, and its tests run the examples
// in them against the real program.
//
// An example is a fenced block. Its language says how it is run:
//
//   - sh is run by bash. Every call of curl in it has to be answered with success.
//     A block whose last command serves is left running until the next one.
//   - json, right after a sh block, is the last answer of that block, in part: see
//     matches. A status of 400 or more in it expects that refusal.
//   - console has commands after "$ ", continued after "> ", each with what it
//     prints, where any key fingerprint matches, and "..." matches any text but none.
//   - go and python are files, whose name is the comment in the first line.
//   - text is anything else, and calls neither the service nor its command. A recipe for
//     the service under systemd calls both: TestRecipes runs it below a folder, with a systemctl of its own.
package documents

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Document is a Markdown file.
type Document struct {
	Name   string // relative to the root of the checkout
	Prose  []Line // outside of blocks, tables and front matter included
	Blocks []Block
}

// Line is a line and its number, from 1 on.
type Line struct {
	Number int
	Text   string
}

// Block is a fenced block.
type Block struct {
	Language string
	Text     string // with a line end after each line
	Number   int    // of the line that opens it
	Follows  bool   // no text is between it and the block before
}

// Parse reads a document.
func Parse(name, text string) Document {
	d := Document{Name: name}
	var block *Block
	follows := false
	number := 0
	for line := range strings.Lines(text) {
		number++
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && block == nil:
			language := strings.TrimPrefix(strings.TrimSpace(line), "```")
			block = &Block{Language: language, Number: number, Follows: follows}
		case fence:
			d.Blocks = append(d.Blocks, *block)
			block, follows = nil, true
		case block != nil:
			block.Text += line
		default:
			follows = follows && strings.TrimSpace(line) == ""
			d.Prose = append(d.Prose, Line{number, strings.TrimRight(line, "\r\n")})
		}
	}
	return d
}

// All reads every document of the checkout.
func All(root fs.FS) (all []Document, err error) {
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", ".cache", "bin", "data", "node_modules"}, entry.Name()) {
			return fs.SkipDir
		}
		if entry.IsDir() || path.Ext(name) != ".md" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		all = append(all, Parse(name, string(text)))
		return err
	})
	return all, err
}

var (
	codeSpan = regexp.MustCompile("`[^`]*`")
	heading  = regexp.MustCompile(`^#+ +(.*)$`)
	notName  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Spans returns the texts between backticks in the prose.
func (d Document) Spans() (spans []Line) {
	for _, l := range d.Prose {
		for _, span := range codeSpan.FindAllString(l.Text, -1) {
			spans = append(spans, Line{l.Number, strings.Trim(span, "`")})
		}
	}
	return spans
}

// Anchors returns the names that a link can have after the #, as GitHub makes them from headings.
func (d Document) Anchors() (anchors []string) {
	for _, l := range d.Prose {
		if h := heading.FindStringSubmatch(l.Text); h != nil {
			anchors = append(anchors, Anchor(h[1]))
		}
	}
	return anchors
}

// Anchor returns the name of a heading after the # of a link, as GitHub makes it.
func Anchor(heading string) string {
	return strings.ReplaceAll(notName.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
