package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"resellerd/adapters/spelling"
	"resellerd/domain/profile"
)

// quotes are pairs of quotes that env files and texts copied from a document have around a value.
var quotes = []string{`""`, `''`, "``", "“”", "„“", "‘’", "«»"}

// CheckValue refuses a value with characters that an env file, a YAML file or a copied text has added. The error does
// not show the value, which may be a secret.
func CheckValue(value string) error {
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	if last == '\r' {
		return errors.New(
			`the value ends in a carriage return (\r), as each line of a Windows file does: save the file with Unix line ends`)
	}
	if at := strings.IndexFunc(value, unicode.IsControl); at >= 0 {
		control, _ := utf8.DecodeRuneInString(value[at:])
		return fmt.Errorf("the value has the control character %s: remove it",
			strings.Trim(strconv.QuoteRuneToASCII(control), "'"))
	}
	for _, end := range []rune{first, last} {
		switch {
		case end == '\ufeff':
			return errors.New("the value has a byte order mark (U+FEFF) at an end: save the file as UTF-8 without a mark")
		case profile.IsFormat(end):
			return fmt.Errorf("the value has the invisible character %U at an end: remove it", end)
		case unicode.IsSpace(end):
			return errors.New("the value has a space at an end: remove it")
		}
	}
	if len(value) > utf8.RuneLen(first) && slices.Contains(quotes, string(first)+string(last)) {
		return fmt.Errorf("the value has quotes around it (%c %c): remove them, since env files of Docker keep them",
			first, last)
	}
	return nil
}

// checkValues refuses the malformed values of all variables and of the command's flags, and empty values of settings
// that have a default and no meaning of the empty text.
func (s *session) checkValues(wrong *Misconfiguration) {
	known := variables(s.line.Model.Node)
	values := map[string]string{}
	for _, name := range known {
		values[name] = os.Getenv(name)
	}
	flagNames := map[string]string{}
	for _, flag := range slices.Concat(s.line.Selected().Flags, s.line.Model.Flags) {
		if len(flag.Envs) == 0 {
			continue
		}
		name, value := flag.Envs[0], flag.Target.String()
		values[name], flagNames[name] = value, "--"+flag.Name
		if value == "" && flag.Default != "" && flag.Tag.Vars["empty"] == "" {
			wrong.refuse(fmt.Errorf("the value is empty: remove the setting for the default, %s", flag.Default), name,
				flagNames[name])
		}
	}
	for _, name := range known {
		err := CheckValue(values[name])
		if file := name + "_FILE"; err != nil && slices.Contains(known, file) {
			err = fmt.Errorf("%w; if it belongs to the secret, put the secret into a file and name that in %s", err, file)
		}
		if err != nil {
			wrong.refuse(err, name, flagNames[name])
		}
	}
	for _, variable := range slices.Sorted(slices.Values(os.Environ())) {
		name, _, _ := strings.Cut(variable, "=")
		if meant := settingMeant(name); meant != name && slices.Contains(known, meant) {
			wrong.Add(meant, fmt.Errorf("the variable is called %s: remove the characters around its name", strconv.QuoteToASCII(name)))
		}
	}
}

// settingMeant returns the name of a variable without characters that an env file may have left around it.
func settingMeant(name string) string {
	return strings.TrimFunc(strings.TrimPrefix(name, "export "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || profile.IsFormat(r) || r == '"' || r == '\''
	})
}

// CheckListen refuses an invalid address to listen on.
func CheckListen(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
	}
	if err != nil {
		return fmt.Errorf("%q is not an address such as 127.0.0.1:8080, [::1]:8080 or :8080", addr)
	}
	return nil
}

// variables returns the names of the variables that some command reads, in order.
func variables(root *kong.Node) (names []string) {
	_ = kong.Visit(root, func(part kong.Visitable, next kong.Next) error { // this visitor never fails
		if flag, is := part.(*kong.Flag); is {
			names = append(names, flag.Envs...)
		}
		return next(nil)
	})
	names = append(append(names, variablesWithoutFlag()...), tokenVariable)
	slices.Sort(names)
	return slices.Compact(names)
}

// unknownVariables returns a fault for each variable of an environment that looks like a setting and is not a setting.
// It does not show values, which may be secrets.
func unknownVariables(root *kong.Node, environment []string) (wrong Misconfiguration) {
	known := variables(root)
	for _, variable := range slices.Sorted(slices.Values(environment)) {
		name, _, _ := strings.Cut(variable, "=")
		if runtime.GOOS == "windows" { // where case does not matter
			name = strings.ToUpper(name)
		}
		_, found := slices.BinarySearch(known, name)
		if found || !strings.HasPrefix(name, "RESELLERD_") || ofOthers(name) || slices.Contains(known, settingMeant(name)) {
			continue
		}
		nearest := slices.MinFunc(known, func(a, b string) int {
			return spelling.Distance(a, name) - spelling.Distance(b, name)
		})
		wrong.Add(name, errors.New("this is not a setting; the nearest one is "+nearest))
	}
	return wrong
}

// ofOthers reports whether a variable belongs to the tests, or may come from Kubernetes for a service of this name.
func ofOthers(name string) bool {
	return strings.HasPrefix(name, "RESELLERD_TEST_") || strings.Contains(name, "_SERVICE_") ||
		strings.Contains(name, "_PORT")
}

// environment returns the faults of the values of all settings, and those of the names of variables: as errors if
// RESELLERD_STRICT is 1, otherwise as warnings.
func (s *session) environment() (wrong Misconfiguration, cautions []string) {
	unknown := unknownVariables(s.line.Model.Node, os.Environ())
	s.checkValues(&wrong)
	switch s.strict {
	case "1":
		wrong.faults = append(wrong.faults, unknown.faults...)
		return wrong, nil
	case "0", "":
	default:
		wrong.Add("RESELLERD_STRICT", fmt.Errorf("%q is neither 0 nor 1", s.strict))
	}
	for _, fault := range unknown.faults {
		cautions = append(cautions, fault.Error())
	}
	return wrong, cautions
}

// settings prints the warnings of environment for a command without a log, and returns the faults.
func (s *session) settings() Misconfiguration {
	wrong, cautions := s.environment()
	for _, caution := range cautions {
		_, _ = fmt.Fprintln(s.stderr, "resellerd:", caution)
	}
	return wrong
}
