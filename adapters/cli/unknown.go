package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"resellerd/adapters/spelling"
)

// variables returns the names of the variables that some command reads, in order.
func variables(root *kong.Node) (names []string) {
	_ = kong.Visit(root, func(part kong.Visitable, next kong.Next) error { // this visitor never fails
		if flag, is := part.(*kong.Flag); is {
			names = append(names, flag.Envs...)
		}
		return next(nil)
	})
	names = append(append(names, VariablesWithoutFlag()...), tokenVariable)
	slices.Sort(names)
	return slices.Compact(names)
}

// unknownVariables returns a fault for each variable of an environment that looks like a setting and is none. Values
// may be secrets, and are not shown.
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

// ofOthers reports whether a variable is one of the tests, or may be one of Kubernetes for a service of this name.
func ofOthers(name string) bool {
	return strings.HasPrefix(name, "RESELLERD_TEST_") || strings.Contains(name, "_SERVICE_") ||
		strings.Contains(name, "_PORT")
}

// environment returns what is wrong with the names of variables, as errors if the operator wants that, otherwise as
// warnings, and with the values of all settings.
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

// settings begins to read the settings of a command that does not log: it warns, or returns what is wrong so far.
func (s *session) settings() Misconfiguration {
	wrong, cautions := s.environment()
	for _, caution := range cautions {
		_, _ = fmt.Fprintln(s.stderr, "resellerd:", caution)
	}
	return wrong
}
