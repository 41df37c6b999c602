package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completing is the command by which the scripts below ask for completions of the last word after it.
const completing = "__complete"

// scripts make a shell ask the program itself, so that they are never outdated. Without an answer files are completed.
var scripts = map[string]string{
	"bash": `_resellerd() {
	local IFS=$'\n'
	COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _resellerd resellerd
`,
	"zsh": `#compdef resellerd
_resellerd() {
	local -a found
	local line
	for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $line ]] && found+=("${line%%$'\t'*}:${line#*$'\t'}")
	done
	if (( $#found )); then
		_describe resellerd found
	else
		_files
	fi
}
if [ "$funcstack[1]" = _resellerd ]; then
	_resellerd "$@"
else
	compdef _resellerd resellerd
fi
`,
	"fish": `function __resellerd_complete
	set -l words (commandline -opc)
	$words[1] __complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c resellerd --no-files -n 'test (count (__resellerd_complete)) -gt 0' -a '(__resellerd_complete)'
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

// printCandidates writes the completions of the last word, each with its meaning after a tab.
func printCandidates(out io.Writer, root *kong.Node, words []string) {
	for _, c := range candidates(root, words) {
		_, _ = fmt.Fprintf(out, "%s\t%s\n", c.word, c.meaning)
	}
}

// candidate is a possible word.
type candidate struct{ word, meaning string }

// candidates returns the completions of the last word; none if it may be anything, such as the name of a file.
func candidates(root *kong.Node, words []string) (found []*candidate) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	node, positionals := root, 0
	var valueOf *kong.Flag // whose value comes next
	for _, word := range before {
		switch {
		case valueOf != nil:
			valueOf = nil
		case strings.HasPrefix(word, "--"):
			name, _, valued := strings.Cut(word[2:], "=")
			if f := flagNamed(node, name); f != nil && !f.IsBool() && !valued {
				valueOf = f
			}
		default:
			if child := childNamed(node, word); child != nil {
				node, positionals = child, 0
			} else {
				positionals++
			}
		}
	}
	add := func(word, meaning string) {
		if strings.HasPrefix(word, last) {
			found = append(found, &candidate{word, firstSentence(meaning)})
		}
	}
	switch {
	case valueOf != nil && valueOf.Enum != "":
		for _, word := range valueOf.EnumSlice() {
			add(word, valueOf.Help)
		}
	case valueOf != nil:
	case strings.HasPrefix(last, "-"):
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				add("--"+f.Name, f.Help)
			}
		}
	case positionals < len(node.Positional) && node.Positional[positionals].Enum != "":
		for _, word := range node.Positional[positionals].EnumSlice() {
			add(word, node.Positional[positionals].Help)
		}
	default:
		for _, child := range node.Children {
			for _, name := range append([]string{child.Name}, child.Aliases...) {
				add(name, child.Help)
			}
		}
	}
	slices.SortFunc(found, func(a, b *candidate) int { return strings.Compare(a.word, b.word) })
	return found
}

func flagNamed(node *kong.Node, name string) *kong.Flag {
	for _, group := range node.AllFlags(false) {
		for _, f := range group {
			if f.Name == name {
				return f
			}
		}
	}
	return nil
}

func childNamed(node *kong.Node, word string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == word || slices.Contains(child.Aliases, word) {
			return child
		}
	}
	return nil
}

// firstSentence shortens a meaning to a line without special characters of shells.
func firstSentence(help string) string {
	text, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(strings.ReplaceAll(text, ":", ","), ".")
}
