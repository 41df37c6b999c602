package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resellerd/test/expect"
	"resellerd/test/require"

	"github.com/alecthomas/kong"
)

// malformed maps the characters around a value to the error.
var malformed = []struct{ before, after, said string }{
	{"", "\r", `the value ends in a carriage return (\r)`},
	{`"`, "\"\r", `the value ends in a carriage return (\r)`},
	{"", "\t", `the value has the control character \t`},
	{"\x1b[31m", "", `the value has the control character \x1b`},
	{"\ufeff", "", "the value has a byte order mark (U+FEFF) at an end"},
	{"\u200b", "", "the value has the invisible character U+200B at an end"},
	{" ", "", "the value has a space at an end"},
	{"", "\u00a0", "the value has a space at an end"},
	{`"`, `"`, `the value has quotes around it (" ")`},
	{"„", "“", "the value has quotes around it („ “)"},
}

func parserOf(t *testing.T) *kong.Kong {
	t.Helper()
	var line commandLine
	parser, err := kong.New(&line, kong.Name("resellerd"))
	require.NoError(t, err)
	return parser
}

// TestEachMalformedValueIsRefusedByTheNameOfItsSetting tries each setting with one fault, and each fault with some
// setting.
func TestEachMalformedValueIsRefusedByTheNameOfItsSetting(t *testing.T) {
	for i, variable := range variables(parserOf(t).Model.Node) {
		of := malformed[i%len(malformed)]
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, of.before+"hidden:"+of.after)
			var also Misconfiguration // which the program says of the same value
			also.Add(variable, errFails)
			code, stdout, stderr := ranBy(fake{err: also.Err()}, "config")
			want := "resellerd: the configuration is wrong:\n  " + variable + ": " + of.said
			if code != ExitUsage || !strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 2 ||
				strings.Contains(stderr, "hidden") {
				t.Errorf("%q ends with %d and prints\n%s\nwant\n%s", of.before+"..."+of.after, code, stderr, want)
			}
			if !strings.Contains(stdout, variable+" ") || strings.ContainsAny(stdout, "\r\x1b\ufeff\u200b") {
				t.Errorf("it is not shown, or with invisible characters:\n%q", stdout)
			}
		})
	}
}

// TestCharactersWithinAValueAreAccepted, and a value that is only a part of a pair of quotes.
func TestCharactersWithinAValueAreAccepted(t *testing.T) {
	for _, value := range []string{
		"", "x", `"`, `it's "so"`, `'a" `[:3], "192.0.2.7, 10.0.0.0/8", "data/my shop.db", "Maria's TV", "TV 🏳️‍🌈",
		"é\u200cà", `C:\data\r.db`, "„", "key=a b,other='c'",
	} {
		expect.Error(t, CheckValue(value), nil, "%q", value)
	}
}

func TestEmptyValuesAreRefusedWhereTheyMeanNothing(t *testing.T) {
	root := parserOf(t).Model.Node
	defaults := map[string]string{
		"RESELLERD_STORE": "sqlite:data/resellerd.db", "RESELLERD_LOG_LEVEL": "info", "RESELLERD_LOG_FORMAT": "json",
		"RESELLERD_ADDR":           "127.0.0.1:8080",
		"RESELLERD_TRIAL_DURATION": "4h", "RESELLERD_TRIALS_PER_DAY": "0", "RESELLERD_FREE_CHANGES_PER_DAY": "50000",
		"RESELLERD_MAX_CONNECTIONS":             "4096",
		"RESELLERD_MAX_CONNECTIONS_PER_ADDRESS": "512", "RESELLERD_REQUESTS_PER_MINUTE": "0",
		"RESELLERD_BACKUP_DIR": "backups",
	}
	for _, variable := range variables(root) {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, "")
			want := ""
			if value, has := defaults[variable]; has {
				want = "resellerd: the configuration is wrong:\n  " + variable +
					": the value is empty: remove the setting for the default, " + value + "\n"
			}
			if code, _, stderr := ran("config"); stderr != want || (code == ExitUsage) != (want != "") {
				t.Errorf("it ends with %d and prints\n%s\nwant\n%s", code, stderr, want)
			}
		})
	}
}

func TestAVariableWithSomethingAroundItsNameIsRefused(t *testing.T) {
	for name, shown := range map[string]string{
		"\ufeffRESELLERD_STORE": `"\ufeffRESELLERD_STORE"`, "RESELLERD_STORE ": `"RESELLERD_STORE "`,
		`"RESELLERD_STORE`:       `"\"RESELLERD_STORE"`,
		"export RESELLERD_STORE": `"export RESELLERD_STORE"`, "RESELLERD_STORE\r": `"RESELLERD_STORE\r"`,
	} {
		t.Run("", func(t *testing.T) {
			t.Setenv(name, "hidden")
			code, _, stderr := ran("config")
			want := "resellerd: the configuration is wrong:\n  RESELLERD_STORE: the variable is called " + shown +
				": remove the characters around its name\n"
			expect.Equal(t, code, ExitUsage, "%q: exit code", name)
			expect.Equal(t, stderr, want, "%q prints", name)
		})
	}
}

func TestALineEndAfterASecretIsNotPartOfIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	for content, want := range map[string]string{
		" 0123456789abcdef \n":    " 0123456789abcdef ",
		"0123456789abcdef\t\r\n":  "0123456789abcdef\t",
		"\n0123456789abcdef\n\n":  "\n0123456789abcdef",
		"0123456789 abcdef":       "0123456789 abcdef",
		"\u00a00123456789abcdef ": "\u00a00123456789abcdef ",
	} {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		secret, err := SecretFile(file)
		expect.Error(t, err, nil, "%q", content)
		expect.Equal(t, secret.Reveal(), want, "the secret in %q", content)
	}
}
