package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"resellerd/test/documents"
	"resellerd/test/expect"
	"resellerd/test/require"
)

// references is the folder of the generated pages.
const references = "../../bootstrap/deploy/docs/reference/"

// TestReferencePagesAreCurrent compares the pages of settings, commands and exit codes with the grammar.
func TestReferencePagesAreCurrent(t *testing.T) {
	t.Parallel()
	root := grammar(new(commandLine), io.Discard, io.Discard).Model.Node
	leaves := root.Leaves(true)
	slices.SortFunc(leaves, func(a, b *kong.Node) int { return strings.Compare(commandName(a), commandName(b)) })
	cases, err := os.ReadFile("testdata/commands.txt")
	require.NoError(t, err)
	for _, leaf := range leaves {
		name := commandName(leaf)
		expect.Equal(t, len(helps[name].codes) > 0, true, "%s has a row of helps", name)
		expect.Equal(t, regexp.MustCompile("\n"+name+"[ =]").Match(cases), true, "%s has a case in commands.txt", name)
	}
	documents.Generated(t, references+"settings.md", settingsPage(root, leaves))
	documents.Generated(t, references+"commands.md", commandsPage(leaves))
	documents.Generated(t, references+"exit-codes.md", exitCodesPage(leaves))
}

// commandName returns the words of a command, without its aliases.
func commandName(leaf *kong.Node) string {
	if leaf.Parent.Type == kong.ApplicationNode {
		return leaf.Name
	}
	return commandName(leaf.Parent) + " " + leaf.Name
}

var (
	defaultNamed = regexp.MustCompile(` \(default: .*\)`)
	codeNames    = regexp.MustCompile(`\b(?:RESELLERD|OTEL)_[A-Z_]+\b|--[a-z-]+`)
)

// marked returns a text of the help as Markdown.
func marked(text string) string {
	text = strings.NewReplacer("<", `\<`, "*", `\*`, "|", `\|`).Replace(text)
	return codeNames.ReplaceAllString(text, "`$0`")
}

// cell returns code in a table, "" for none.
func cell(code string) string {
	if code == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(code, "|", `\|`) + "`"
}

// defaultOf returns the default of a flag, and the behaviour of the command without the flag.
func defaultOf(flag *kong.Flag) string {
	unset := flag.Tag.Vars["unset"]
	switch {
	case flag.Default != "":
		return cell(flag.Default)
	case strings.Contains(unset, ", "): // a sentence about a value
		value, about, _ := strings.Cut(unset, ", ")
		return cell(value) + ", " + about
	}
	return cell(unset)
}

func settingsPage(root *kong.Node, leaves []*kong.Node) string {
	var page strings.Builder
	row := func(variable, flag, unset, help string) {
		_, _ = fmt.Fprintf(&page, "| %s | %s | %s | %s |\n", cell(variable), cell(flag), unset, marked(help))
	}
	listed := map[string]bool{}
	flags := func(of []*kong.Flag) {
		for _, flag := range of {
			if len(flag.Envs) > 0 && !listed[flag.Envs[0]] && !flag.Hidden {
				listed[flag.Envs[0]] = true
				row(flag.Envs[0], "--"+flag.Name, defaultOf(flag), defaultNamed.ReplaceAllString(flag.Help, ""))
			}
		}
	}
	header := "\n| Variable | Flag | Default | Meaning |\n|---|---|---|---|\n"
	page.WriteString("\n## Settings of the service\n" + header)
	for _, leaf := range leaves {
		if leaf.Name == "serve" {
			flags(leaf.Flags)
		}
	}
	for _, of := range withoutFlag {
		row(of.name, "", cell(of.unset), of.help)
	}
	flags(root.Flags)
	page.WriteString("\n## Settings of other commands\n" + header)
	for _, leaf := range leaves {
		flags(leaf.Flags)
	}
	row(tokenSetting.name, "", "", tokenSetting.help)
	return page.String()
}

func commandsPage(leaves []*kong.Node) string {
	var page strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&page, format+"\n", args...) }
	for _, leaf := range leaves {
		name := commandName(leaf)
		line("\n## %s\n\n%s\n\n%s", name, wrapped(marked(leaf.Help)), cell("resellerd "+leaf.Summary()))
		if about := helps[name].about; strings.HasPrefix(leaf.Detail, about+"\n\n") {
			line("\n%s", wrapped(marked(about)))
		}
		var rows, settings []string
		for _, argument := range leaf.Positional {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s |", cell("<"+argument.Name+">"), cell(argument.Default),
				marked(defaultNamed.ReplaceAllString(argument.Help, ""))))
		}
		for _, flag := range leaf.Flags {
			value := flag.PlaceHolder
			if flag.Enum != "" {
				value = strings.ReplaceAll(flag.Enum, ",", "|")
			}
			switch {
			case flag.Hidden:
			case len(flag.Envs) > 0:
				settings = append(settings, cell("--"+flag.Name))
			case flag.IsBool():
				rows = append(rows, fmt.Sprintf("| %s | | %s |", cell("--"+flag.Name), marked(flag.Help)))
			default:
				rows = append(rows, fmt.Sprintf("| %s | %s | %s |", cell("--"+flag.Name+" "+value), cell(flag.Default),
					marked(flag.Help)))
			}
		}
		if len(rows) > 0 {
			line("\n| Argument or flag | Default | Meaning |\n|---|---|---|\n%s", strings.Join(rows, "\n"))
		}
		if len(settings) > 0 {
			line("\n%s", wrapped("[Settings](settings.md): "+strings.Join(settings, ", ")+"."))
		}
		line("\nExamples:\n")
		for _, example := range helps[name].examples {
			line("- `%s`", example)
		}
	}
	return page.String()
}

func exitCodesPage(leaves []*kong.Node) string {
	var page strings.Builder
	page.WriteString("\n| Command | Code | Meaning |\n|---|---|---|\n")
	for _, leaf := range leaves {
		for _, code := range helps[commandName(leaf)].codes {
			number, meaning, _ := strings.Cut(code, "  ")
			_, _ = fmt.Fprintf(&page, "| %s | %s | %s |\n", cell(commandName(leaf)), number, marked(meaning))
		}
	}
	return page.String()
}

// wrapped returns a text in lines of at most 120 characters.
func wrapped(text string) string {
	const longest = 120
	var lines []string
	for word := range strings.FieldsSeq(text) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(word) <= longest {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return strings.Join(lines, "\n")
}
