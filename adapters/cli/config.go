package cli

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"
)

type configCommand struct {
	ServeFlags
	OutputFlags
}

// setting is a setting as it is in force.
type setting struct {
	Name   string `json:"setting"` // of its variable
	Value  string `json:"value"`   // of a secret: set, or not set
	Source string `json:"source"`  // default, environment or flag
}

// secrets are the settings that have no flag. Their values are never printed.
var secrets = []string{"RESELLERD_SECRET", "RESELLERD_ADMIN_PASSWORD"}

// Run runs the command.
func (c configCommand) Run(s *session) error {
	given := map[*kong.Flag]bool{}
	for _, part := range s.line.Path {
		if part.Flag != nil {
			given[part.Flag] = true
		}
	}
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprint(columns, "SETTING\tVALUE\tSOURCE")
	for _, one := range append(settingsOf(s.line.Selected(), given), secretSettings()...) {
		if c.JSON {
			if err := s.printed(c.OutputFlags, one, ""); err != nil {
				return err
			}
			continue
		}
		_, _ = fmt.Fprintf(columns, "\n%s\t%s\t%s", one.Name, one.Value, one.Source)
	}
	if !c.JSON {
		_ = columns.Flush() // into memory
		if _, err := fmt.Fprintln(s.stdout, table.String()); err != nil {
			return err
		}
	}
	return s.Check(c.ServeFlags)
}

// settingsOf returns those that flags of a command stand for.
func settingsOf(command *kong.Node, given map[*kong.Flag]bool) (all []setting) {
	for _, flag := range command.Flags {
		if len(flag.Envs) == 0 {
			continue
		}
		one := setting{Name: flag.Envs[0], Value: flag.Target.String(), Source: "default"}
		if _, set := os.LookupEnv(one.Name); set {
			one.Source = "environment"
		}
		if given[flag] {
			one.Source = "flag"
		}
		if one.Name == "RESELLERD_STORE" {
			one.Value = RedactedAddress(one.Value)
		}
		all = append(all, one)
	}
	return all
}

func secretSettings() (all []setting) {
	for _, name := range secrets {
		one := setting{name, "not set", "default"}
		if os.Getenv(name) != "" {
			one.Value, one.Source = "set", "environment"
		}
		all = append(all, one)
	}
	return all
}

const redacted = "[redacted]"

// plainOptions are the options in the address of a store that hold no secret.
var plainOptions = map[string]bool{
	"authsource": true, "connecttimeoutms": true, "directconnection": true, "maxpoolsize": true, "minpoolsize": true, "readpreference": true,
	"replicaset": true, "retrywrites": true, "serverselectiontimeoutms": true, "ssl": true, "tls": true, "w": true,
}

// RedactedAddress returns a store's address without its credentials, however it is misspelled: they stand before the
// last @, and in options.
func RedactedAddress(address string) string {
	if at := strings.LastIndex(address, "@"); at >= 0 {
		scheme := ""
		if name, _, found := strings.Cut(address[:at], "://"); found {
			scheme = name + "://"
		}
		address = scheme + redacted + address[at:]
	}
	if !strings.HasPrefix(address, "mongodb") {
		return address
	}
	rest, query, found := strings.Cut(address, "?")
	if !found {
		return address
	}
	options := strings.Split(query, "&")
	for i, option := range options {
		name, _, valued := strings.Cut(option, "=")
		if decoded, err := url.QueryUnescape(name); valued && (err != nil || !plainOptions[strings.ToLower(decoded)]) {
			options[i] = name + "=" + redacted
		}
	}
	return rest + "?" + strings.Join(options, "&")
}
