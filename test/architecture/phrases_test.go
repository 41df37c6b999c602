package architecture

import (
	_ "embed"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"resellerd/test/documents"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// longestSentence is the limit of words of a sentence in a document.
const longestSentence = 30

//go:embed phrases.txt
var phraseList string

var (
	generated = regexp.MustCompile(`(?m)^(//|#|<!--) Code generated .*DO NOT EDIT\.`)
	listItem  = regexp.MustCompile(`^\s*([-*+]|\d+[.)])\s+`)
	linked    = regexp.MustCompile(`\]\([^)]*\)`)
	textLine  = regexp.MustCompile(`^\s*(?:'[^']+'|"[^"]+"|[\w.]+):\s*(.*)$`)
	endOfWord = regexp.MustCompile(`[^.][.!?]["')*_\]»”]*$`)
)

// phrase is a regular expression, and the plain words that replace it.
type phrase struct {
	pattern     *regexp.Regexp
	literal     string // in each match, in lower case: to look for it first takes a tenth of the time
	replacement string
}

// passage is text without a break, over one line or more.
type passage []documents.Line

// TestPhrases checks the texts of the checkout: comments and strings in Go, YAML, documents and the console's English.
func TestPhrases(t *testing.T) {
	found, err := findPhrases(os.DirFS("../.."), parsePhrases(phraseList))
	require.NoError(t, err)
	for _, violation := range found {
		t.Error(violation)
	}
}

// parsePhrases reads a list of phrases, one a line.
func parsePhrases(list string) (phrases []phrase) {
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, replacement, _ := strings.Cut(line, " => ")
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			panic(err)
		}
		phrases = append(phrases, phrase{regexp.MustCompile("(?i)" + pattern), longestLiteral(tree), replacement})
	}
	return phrases
}

// longestLiteral returns the longest text that is in each match of an expression, as far as it is simple to see.
func longestLiteral(tree *syntax.Regexp) (longest string) {
	if tree.Op == syntax.OpLiteral {
		return strings.ToLower(string(tree.Rune))
	}
	if tree.Op == syntax.OpConcat || tree.Op == syntax.OpCapture {
		for _, part := range tree.Sub {
			if literal := longestLiteral(part); len(literal) > len(longest) {
				longest = literal
			}
		}
	}
	return longest
}

// findPhrases returns each phrase of the list, and each sentence of a document that breaks a rule, as file:line.
func findPhrases(root fs.FS, phrases []phrase) (found []string, err error) {
	ignored, err := ignoredNames(root)
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{".git", "testdata", "node_modules"}, entry.Name()) ||
				slices.Contains(ignored, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		reads := passagesOf(name)
		if reads == nil {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil || generated.Match(text) {
			return err
		}
		for _, p := range reads(string(text)) {
			found = append(found, p.check(name, phrases)...)
		}
		return nil
	})
	return found, err
}

// passagesOf returns the function that reads the passages of a file, nil if the file is not checked.
func passagesOf(name string) func(text string) []passage {
	switch {
	case path.Ext(name) == ".go":
		return goPassages
	case path.Ext(name) == ".yaml" || path.Ext(name) == ".yml":
		return yamlPassages
	case path.Ext(name) == ".md":
		return markdownPassages
	case name == "adapters/console/files/text/en.js":
		return consolePassages
	}
	return nil
}

// goPassages returns the comments and the string literals. A comment continues that of the line before, unless one of
// them follows code.
func goPassages(text string) (passages []passage) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	last, code := 0, 0 // the lines of the last comment that is alone on its line, and of the last other token
	for {
		position, kind, literal := s.Scan()
		number := file.Line(position)
		if kind == token.EOF {
			return passages
		}
		if kind == token.COMMENT {
			literal = strings.TrimSuffix(strings.TrimLeft(literal, "/*"), "*/")
			if p := linesFrom(number, literal); last == number-1 && last != 0 && code != number {
				passages[len(passages)-1] = append(passages[len(passages)-1], p...)
			} else {
				passages = append(passages, p)
			}
			last = 0
			if code != number {
				last = number
			}
			continue
		}
		if kind == token.STRING {
			if value, err := strconv.Unquote(literal); err == nil && literal[0] == '"' {
				passages = append(passages, passage{{Number: number, Text: value}})
			} else {
				passages = append(passages, linesFrom(number, strings.Trim(literal, "`")))
			}
		}
		if literal != "\n" { // of a semicolon that the scanner adds
			code, last = number, 0
		}
	}
}

// yamlPassages returns the comments and values between lines that are blank, or begin an item or a key.
func yamlPassages(text string) (passages []passage) {
	begins := true
	for _, l := range linesFrom(1, text) {
		line := strings.TrimLeft(strings.TrimSpace(l.Text), "#- ")
		if begins = begins || textLine.MatchString(line) || strings.HasPrefix(strings.TrimSpace(l.Text), "- "); begins {
			passages = append(passages, nil)
		}
		begins = line == ""
		passages[len(passages)-1] = append(passages[len(passages)-1], documents.Line{Number: l.Number, Text: line})
	}
	return passages
}

// markdownPassages returns the paragraphs, headings, items of lists and cells of tables, without fenced blocks.
func markdownPassages(text string) (passages []passage) {
	begins, front := true, strings.HasPrefix(text, "---\n")
	before := 0
	for _, l := range documents.Parse("", text).Prose {
		line := strings.TrimSpace(codeSpan.ReplaceAllString(linked.ReplaceAllString(l.Text, "]"), "code"))
		begins = begins || l.Number != before+1
		before = l.Number
		switch {
		case front:
			front = l.Number == 1 || line != "---"
		case line == "" || strings.HasPrefix(line, "<!--"):
			begins = true
		case strings.HasPrefix(line, "|"):
			for cell := range strings.SplitSeq(line, "|") {
				passages = append(passages, passage{{Number: l.Number, Text: strings.TrimSpace(cell)}})
			}
			begins = true
		case strings.HasPrefix(line, "#"):
			passages = append(passages, passage{{Number: l.Number, Text: strings.TrimLeft(line, "# ")}})
			begins = true
		default:
			if item := listItem.FindString(line); item != "" {
				line, begins = line[len(item):], true
			}
			if begins {
				passages = append(passages, nil)
			}
			begins = false
			passages[len(passages)-1] = append(passages[len(passages)-1], documents.Line{Number: l.Number, Text: line})
		}
	}
	return passages
}

// consolePassages returns the texts of a language of the console, one a line.
func consolePassages(text string) (passages []passage) {
	for _, l := range linesFrom(1, text) {
		if m := textLine.FindStringSubmatch(l.Text); m != nil {
			passages = append(passages, passage{{Number: l.Number, Text: m[1]}})
		}
	}
	return passages
}

func linesFrom(number int, text string) (p passage) {
	for line := range strings.SplitSeq(text, "\n") {
		p = append(p, documents.Line{Number: number, Text: strings.TrimSpace(line)})
		number++
	}
	return p
}

// check returns the violations in a passage of a file.
func (p passage) check(name string, phrases []phrase) (found []string) {
	var text strings.Builder
	var starts []int // of each line in the text
	for _, l := range p {
		starts = append(starts, text.Len())
		text.WriteString(l.Text + " ")
	}
	complain := func(offset int, format string, args ...any) {
		after, exact := slices.BinarySearch(starts, offset)
		if !exact {
			after--
		}
		found = append(found, fmt.Sprintf("%s:%d: %s", name, p[after].Number, fmt.Sprintf(format, args...)))
	}
	lower := strings.ToLower(text.String())
	for _, phrase := range phrases {
		if !strings.Contains(lower, phrase.literal) {
			continue
		}
		for _, at := range phrase.pattern.FindAllStringIndex(text.String(), -1) {
			complain(at[0], "%q: %s", strings.TrimSpace(text.String()[at[0]:at[1]]), phrase.replacement)
		}
	}
	if path.Ext(name) != ".md" {
		return found
	}
	for offset, sentence := range sentences(text.String()) {
		if words := countWords(sentence); words > longestSentence {
			complain(offset, "a sentence of %d words, more than %d: one fact a sentence", words, longestSentence)
		}
		plain := strings.TrimLeft(sentence, "*_[(\"")
		if (strings.HasPrefix(plain, "Who ") || strings.HasPrefix(plain, "What ")) &&
			!strings.HasSuffix(strings.TrimRight(sentence, "*_])\""), "?") {
			complain(offset, "%q begins with a clause: name the subject", sentence[:min(len(sentence), 30)])
		}
	}
	return found
}

// sentences returns the sentences of a passage by their offsets.
func sentences(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		start := 0
		for i := range len(text) {
			if text[i] != ' ' || i < len(text)-1 && !endsSentence(text[start:i]) {
				continue
			}
			if sentence := text[start:i]; strings.TrimSpace(sentence) != "" && !yield(start, sentence) {
				return
			}
			start = i + 1
		}
	}
}

// endsSentence reports whether the last word of a text ends a sentence.
func endsSentence(text string) bool {
	word := text[strings.LastIndexByte(text, ' ')+1:]
	return endOfWord.MatchString(word) && !slices.Contains([]string{"e.g.", "i.e.", "etc.", "vs."}, word)
}

// countWords counts what has a letter or a digit.
func countWords(sentence string) (n int) {
	for word := range strings.FieldsSeq(sentence) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// TestPhrasesAreFoundInEachKindOfFile has a phrase, or a wrong sentence, in a file of each kind.
func TestPhrasesAreFoundInEachKindOfFile(t *testing.T) {
	phrases := parsePhrases("# a comment\n\n\\bfoo bar\\b => baz\n")
	words := func(n int, last string) string { return strings.Repeat("word ", n-1) + last }
	const console = "adapters/console/files/text/en.js"
	for _, c := range []struct{ name, text, want string }{
		{"a.go", "package a\n\n// A is Foo bar.\n", `a.go:3: "Foo bar": baz`},
		{"a.go", "package a\n\n// A is foo\n// bar.\n", `a.go:3: "foo bar": baz`},
		{"a.go", "package a\n\n/* A is\nfoo bar. */\n", `a.go:4: "foo bar": baz`},
		{"a.go", "package a\n\nvar a = 1 // foo\n// bar\n", ""},
		{"a.go", "package a\n\n// foo\n\n// bar\n", ""},
		{"a.go", "package a\n\nconst a = \"a foo bar\"\n", `a.go:3: "foo bar": baz`},
		{"a.go", "package a\n\nconst a = `\nfoo\nbar`\n", `a.go:4: "foo bar": baz`},
		{"a.go", "// Code generated by b. DO NOT EDIT.\n\npackage a\n\n// foo bar\n", ""},
		{"testdata/a.go", "package a\n\n// foo bar\n", ""},
		{"bin/a.go", "package a\n\n// foo bar\n", ""},
		{"a.yaml", "b:\n  c: >\n    some foo\n    bar\n", `a.yaml:3: "foo bar": baz`},
		{"a.yaml", "b: foo\nc: bar\n", ""},
		{"a.yml", "# foo\n# bar\n", `a.yml:1: "foo bar": baz`},
		{console, "export default {\n  'a.b': 'Foo bar',\n};\n", console + `:2: "Foo bar": baz`},
		{"adapters/console/files/text/es.js", "export default {\n  'a.b': 'Foo bar',\n};\n", ""},
		{"a.md", "# Foo bar\n", `a.md:1: "Foo bar": baz`},
		{"a.md", "A foo\nbar.\n", `a.md:1: "foo bar": baz`},
		{"a.md", "| a | foo bar |\n", `a.md:1: "foo bar": baz`},
		{"a.md", "- foo\n- bar\n", ""},
		{"a.md", "```sh\nfoo bar\n```\n\nIt is `foo bar`.\n", ""},
		{"a.md", words(30, "end.") + " Another one.\n", ""},
		{"a.md", "First.\n" + words(31, "end.\n"), "a.md:2: a sentence of 31 words, more than 30: one fact a sentence"},
		{"a.md", "It ends. What it is, is unknown.\n", `a.md:1: "What it is, is unknown." begins with a clause: name the subject`},
		{"a.md", "- **Who pays** is known.\n", `a.md:1: "**Who pays** is known." begins with a clause: name the subject`},
		{"a.md", "What is it? Whatever it is.\n", ""},
	} {
		found, err := findPhrases(fstest.MapFS{
			".gitignore": {Data: []byte("/bin/\n")},
			c.name:       {Data: []byte(c.text)},
		}, phrases)
		require.NoError(t, err)
		expect.Equal(t, strings.Join(found, "\n"), c.want, "%s: %q", c.name, c.text)
	}
	for _, p := range parsePhrases(phraseList) {
		expect.Equal(t, p.replacement != "", true, "%s has a replacement", p.pattern)
	}
}
