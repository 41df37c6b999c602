package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// completing is the command that a shell runs for the completions of the line in COMP_LINE up to COMP_POINT, as
// complete -C of bash does. No library for kong is used: all need posener/complete 1, which has had no release since
// 2019, and five modules more.
const completing = "__complete"

// scripts make a shell run the program, so that they are never outdated. Without an answer the shell completes files.
var scripts = map[string]string{
	"bash": "complete -o default -C 'resellerd __complete' resellerd\n",
	"zsh": `_resellerd() { compadd -- ${(f)"$(COMP_LINE="$words[1,CURRENT]" resellerd __complete)"} || _files }
compdef _resellerd resellerd
`,
	"fish": `complete -c resellerd -f -n 'COMP_LINE=(commandline -cp) resellerd __complete | string length -q' \
	-a '(COMP_LINE=(commandline -cp) resellerd __complete)'
`,
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run runs the command.
func (c completionCommand) Run(s *session) error {
	_, err := io.WriteString(s.stdout, scripts[c.Shell])
	return err
}

// printCompletions writes the words that complete the shell's line, each on a line of its own.
func printCompletions(out io.Writer, parser *kong.Kong) {
	line := os.Getenv("COMP_LINE")
	if point, err := strconv.Atoi(os.Getenv("COMP_POINT")); err == nil && point >= 0 && point < len(line) {
		line = line[:point]
	}
	words := strings.Fields(line + "|") // marks the last word, which may be empty
	if len(words) < 2 {
		return
	}
	last := strings.TrimSuffix(words[len(words)-1], "|")
	found := candidates(parser, words[1:len(words)-1], last)
	slices.Sort(found)
	for _, word := range found {
		if word != "" && strings.HasPrefix(word, last) {
			_, _ = fmt.Fprintln(out, word)
		}
	}
}

// candidates returns the words that may follow others, or no words if any text may follow, such as the name of a file.
func candidates(parser *kong.Kong, words []string, last string) (found []string) {
	line, err := kong.Trace(parser, words)
	if err != nil {
		return nil
	}
	node, arguments := parser.Model.Node, 0
	for _, step := range line.Path {
		if step.Command != nil {
			node = step.Command
		}
		if step.Positional != nil {
			arguments++
		}
	}
	for _, flag := range slices.Concat(node.AllFlags(true)...) {
		if len(words) > 0 && words[len(words)-1] == "--"+flag.Name && !flag.IsBool() {
			return flag.EnumSlice()
		}
		if strings.HasPrefix(last, "-") {
			found = append(found, "--"+flag.Name)
		}
	}
	switch {
	case found != nil:
	case arguments < len(node.Positional):
		found = node.Positional[arguments].EnumSlice()
	default:
		for _, child := range node.Children {
			found = append(append(found, child.Name), child.Aliases...)
		}
	}
	return found
}
