//go:build unix

package bootstrap

import (
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"

	"resellerd/test/expect"
)

// TestNoSettingNamesASpecialFile sets each setting of a file to a pipe, whose opening would never return, and to a
// device without an end.
//
//nolint:paralleltest // it sets the environment
func TestNoSettingNamesASpecialFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	parser, err := kong.New(&serveLine{})
	must(t, err)
	var variables []string
	for _, flag := range parser.Model.Children[0].Flags {
		if flag.PlaceHolder == "PATH" {
			variables = append(variables, flag.Envs[0])
		}
	}
	if len(variables) < 6 {
		t.Errorf("only %q name files", variables)
	}
	for _, file := range []string{pipe, "/dev/zero"} {
		environment := map[string]string{"RESELLERD_STORE": "mongodb://127.0.0.1/d?replicaSet=r&tlsCAFile=" +
			url.QueryEscape(file)}
		for _, variable := range variables {
			environment[variable] = file
		}
		_, err := settings(t, environment)
		if err == nil {
			t.Fatalf("%s is accepted", file)
		}
		for variable := range environment {
			named := variable == "RESELLERD_TLS_KEY" // in one line with the certificate
			for line := range strings.Lines(err.Error()) {
				named = named || strings.HasPrefix(strings.TrimSpace(line), strings.TrimSuffix(variable, "_FILE")) &&
					strings.Contains(line, file+" is a ")
			}
			expect.Equal(t, named, true, "%s is %s, and refused for it in:\n%v", variable, file, err)
		}
	}
}
