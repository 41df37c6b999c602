package cli

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type configCommand struct {
	ServeFlags
	OutputFlags
}

// setting is the effective value of a setting.
type setting struct {
	Name   string `json:"setting"` // of its variable
	Value  string `json:"value"`   // of a secret: set, or not set
	Source string `json:"source"`  // default, environment, flag, or file for a secret
}

// settingWithoutFlag comes from the environment. A secret may also come from a file, and is never printed.
type settingWithoutFlag struct {
	name, unset string
	secret      bool
	help        string
}

// withoutFlag are the settings of serve without a flag.
var withoutFlag = []settingWithoutFlag{
	{"OTEL_EXPORTER_OTLP_ENDPOINT", "", false,
		"Collector of traces, if RESELLERD_OTLP_ENDPOINT is not set. The service sends to /v1/traces below it."},
	{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "", false,
		"Whole address of the collector of traces, if RESELLERD_OTLP_ENDPOINT is not set."},
	{"OTEL_SERVICE_NAME", "resellerd", false, "Name of the service in traces."},
	{"OTEL_EXPORTER_OTLP_HEADERS", "", true, "Headers for the collector: name=value, comma separated."},
	{"RESELLERD_SECRET", "", true,
		"Service key, at least 16 bytes: openssl rand -hex 32. Without it the embedded store uses the key file beside " +
			"the database. MongoDB needs it, the same for every process."},
	{"RESELLERD_SECRET_PREVIOUS", "", true, "Previous service key, while the service key is replaced."},
	{"RESELLERD_ADMIN_PASSWORD", "", true, "Password of the first administrator."},
}

// tokenSetting is the setting of commands that call a running service.
var tokenSetting = settingWithoutFlag{tokenVariable, "", true,
	"Token or API key of the account for which the command acts. Without it the command reads one from a terminal or standard input."}

// variablesWithoutFlag returns the names of the variables without a flag that serve reads.
func variablesWithoutFlag() (names []string) {
	for _, of := range withoutFlag {
		names = append(names, of.name)
	}
	return names
}

// Run runs the command.
func (c configCommand) Run(s *session) error {
	wrong := s.settings()
	given := map[*kong.Flag]bool{}
	for _, part := range s.line.Path {
		if part.Flag != nil {
			given[part.Flag] = true
		}
	}
	all := slices.Concat(settingsOf(s.line.Selected(), given), settingsOf(s.line.Model.Node, given))
	all = append(all, settingsWithoutFlag(all)...)
	for _, command := range s.line.Model.Leaves(false) {
		for _, one := range settingsOf(command, nil) { // such as RESELLERD_URL, which serve does not read
			if !slices.ContainsFunc(all, func(other setting) bool { return other.Name == one.Name }) {
				all = append(all, one)
			}
		}
	}
	if err := listed(s, c.OutputFlags, "SETTING\tVALUE\tSOURCE", all, func(one setting) []string {
		return []string{one.Name, one.Value, one.Source}
	}); err != nil {
		return err
	}
	return wrong.and(s.Check(c.ServeFlags))
}

// settingsOf returns the settings of a command's flags.
func settingsOf(command *kong.Node, given map[*kong.Flag]bool) (all []setting) {
	for _, flag := range command.Flags {
		if len(flag.Envs) == 0 {
			continue
		}
		one := setting{Name: flag.Envs[0], Value: flag.Target.String(), Source: "default"}
		// without a default, an empty value is not set
		if _, set := os.LookupEnv(one.Name); set && (one.Value != "" || flag.Default != "") {
			one.Source = "environment"
		}
		if given[flag] {
			one.Source = "flag"
		}
		one = one.shown()
		if one.Value == "" {
			one.Value = flag.Tag.Vars["unset"] // the behaviour without a value
		}
		all = append(all, one)
	}
	return all
}

// settingsWithoutFlag returns the settings without a flag. One of the others may name the file of a secret.
func settingsWithoutFlag(others []setting) (all []setting) {
	for _, of := range append(slices.Clone(withoutFlag), tokenSetting) {
		one := setting{of.name, of.unset, "default"}
		if of.secret {
			one.Value = "not set"
			if slices.ContainsFunc(others, func(other setting) bool {
				return other.Name == of.name+"_FILE" && other.Value != ""
			}) {
				one.Value, one.Source = "set", "file"
			}
		}
		if value := os.Getenv(of.name); value != "" {
			one.Value, one.Source = value, "environment"
			if of.secret {
				one.Value = "set"
			}
		}
		all = append(all, one.shown())
	}
	return all
}

// shown returns the setting without the credentials in an address.
func (s setting) shown() setting {
	switch {
	case s.Name == "RESELLERD_STORE", s.Name == "RESELLERD_URL", strings.HasPrefix(s.Name, "RESELLERD_COPY_"),
		strings.HasSuffix(s.Name, "_ENDPOINT"):
		s.Value = RedactedAddress(s.Value)
	}
	return s
}

const redacted = "[redacted]"

// plainOptions are the options in the address of a store that are not secret.
var plainOptions = map[string]bool{
	"authsource": true, "connecttimeoutms": true, "directconnection": true, "maxpoolsize": true, "minpoolsize": true,
	"readpreference": true,
	"replicaset":     true, "retrywrites": true, "serverselectiontimeoutms": true, "ssl": true, "tls": true, "w": true,
}

// schemeForm is the scheme of an address, such as mongodb:// or sqlite:.
var schemeForm = regexp.MustCompile(`^[^:@/?]*:(//)?`)

// hosts matches the rest after the scheme if each colon precedes a port, or is in an IPv6 address or an option. Any
// other colon may precede a password.
var hosts = regexp.MustCompile(
	`^(\[[0-9a-fA-F:.]*\]|[^][:/?,]*)(:\d{0,5})?(,(\[[0-9a-fA-F:.]*\]|[^][:/?,]*)(:\d{0,5})?)*(/[^:?]*)?(\?.*)?$`)

// RedactedAddress returns the address of a store or a collector without its credentials, even if it is misspelled. It
// removes the text before the last @, or without an @ the text in place of a port, and the values of unknown options.
func RedactedAddress(address string) string {
	scheme := schemeForm.FindString(address)
	if strings.Contains(address, "@") && !strings.HasSuffix(scheme, "//") {
		scheme = "" // it may be a user name
	}
	rest := address[len(scheme):]
	switch at := strings.LastIndex(rest, "@"); {
	case at >= 0 && strings.Contains(rest[:at], "?"):
		return scheme + redacted // the rest after the @ may be the end of an option
	case at >= 0:
		rest = redacted + rest[at:]
	case strings.HasPrefix(address, "sqlite:"):
		return address // a path, without a password or options
	case !hosts.MatchString(rest):
		user, _, _ := strings.Cut(rest, ":")
		return scheme + user + ":" + redacted
	}
	rest, query, found := strings.Cut(rest, "?")
	if !found {
		return scheme + rest
	}
	options := strings.Split(query, "&")
	for i, option := range options {
		name, _, valued := strings.Cut(option, "=")
		switch decoded, err := url.QueryUnescape(name); {
		case err == nil && plainOptions[strings.ToLower(decoded)]:
		case valued:
			options[i] = name + "=" + redacted
		default:
			options[i] = redacted
		}
	}
	return scheme + rest + "?" + strings.Join(options, "&")
}
