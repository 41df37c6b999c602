package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/test/require"
)

// offered returns the words that complete a command line.
func offered(t *testing.T, words ...string) string {
	t.Helper()
	var stdout bytes.Buffer
	if code := run(append([]string{completing}, words...), strings.NewReader(""), &stdout, io.Discard, fake{}); code != 0 {
		t.Errorf("%q: code %d", words, code)
	}
	var offered []string
	for line := range strings.Lines(stdout.String()) {
		word, meaning, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if meaning == "" || strings.Contains(meaning, ":") {
			t.Errorf("%s means %q", word, meaning)
		}
		offered = append(offered, word)
	}
	return strings.Join(offered, " ")
}

func TestWordsAreCompleted(t *testing.T) {
	for words, want := range map[string]string{
		"|ba":                             "backup",
		"|ve":                             "verify version",
		"admin|":                          "block create list password totp-reset unblock",
		"admin|cr":                        "create",
		"admin|create|":                   "", // a name
		"key|":                            "create list revoke",
		"entitlements|":                   "follow",
		"entitlements|follow|--exec|":     "", // a command
		"import|":                         "3x-ui csv marzban marzneshin marzneshin-plain pasarguard s-ui x-ui",
		"import|csv|":                     "", // a file
		"import|csv|a.csv|--o":            "--owner",
		"key|create|--s":                  "--scopes --spend-limit --strict",
		"completion|":                     "bash fish zsh",
		"completion|z":                    "zsh",
		"completion|zsh|":                 "",
		"backup|--with":                   "--with-key",
		"backup|--dir|":                   "", // a folder
		"backup|--dir|x|--ev":             "--every",
		"backup|--dir=x|--ev":             "--every",
		"backup|--with-key|--ev":          "--every",
		"backup|--json|--with-key|--keep": "--keep",
		"verify|--ch":                     "--checkpoint",
		"token|--a":                       "", // it is hidden
		"restore|":                        "",
		"events|--format|":                "ndjson text",
		"report|--by|a":                   "account",
	} {
		if got := offered(t, strings.Split(strings.TrimPrefix(words, "|"), "|")...); got != want {
			t.Errorf("%q is completed by %q, want %q", words, got, want)
		}
	}
	if got := offered(t); !strings.Contains(got, "serve") || strings.Contains(got, completing) {
		t.Errorf("nothing is completed by %q", got)
	}
}

// TestScriptsOfShells runs each in its shell, where there is one, with a program that offers a word and what it means.
func TestScriptsOfShells(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "resellerd")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n[ \"$*\" = '__complete admin b' ] && printf 'block\\tBlock it\\nunblock\\tLift it\\n'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for shell, use := range map[string]string{
		"bash": "\nCOMP_WORDS=(" + program + " admin b); COMP_CWORD=2; _resellerd; echo \"${COMPREPLY[@]}\"; complete -p resellerd",
		"zsh":  "\n_describe() { echo \"$found[1]\" }; words=(" + program + " admin b); CURRENT=3; _resellerd",
		"fish": "",
	} {
		t.Run(shell, func(t *testing.T) {
			var script bytes.Buffer
			if code := run([]string{"completion", shell}, strings.NewReader(""), &script, io.Discard, fake{}); code != 0 || !strings.Contains(script.String(), completing) {
				t.Fatalf("code %d, printed %q", code, &script)
			}
			path := require.Tool(t, shell)
			text := script.String()
			if shell == "zsh" {
				text = "compdef() { : }\n" + text
			}
			out, err := exec.Command(path, "-c", text+use).CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			if use != "" && !strings.HasPrefix(string(out), "block") || strings.Contains(string(out), "Lift") {
				t.Errorf("it offers %q", out)
			}
		})
	}
}
