package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"resellerd/domain/profile"
)

// quotes are pairs of them, as env files and texts that are copied from a document have them around a value.
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

// checkValues refuses the malformed values of all variables and of the command's flags, and empty values where the
// empty text means nothing.
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
			wrong.Add(meant, fmt.Errorf("the variable is called %s: remove what is around its name", strconv.QuoteToASCII(name)))
		}
	}
}

// settingMeant returns the name of a variable without what an env file may have left around it.
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
