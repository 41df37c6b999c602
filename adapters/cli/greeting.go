package cli

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Greeting has the addresses and names to use a started service.
type Greeting struct {
	URL     string           // of the service, its base path included
	Admin   string           // name of the first administrator
	Sandbox []SandboxAccount // of a sandbox; nil for a service
}

// SandboxAccount is an account of a sandbox. Its password is public.
type SandboxAccount struct{ Name, Password, Role string }

// Greet prints a greeting.
func Greet(out io.Writer, g Greeting) {
	columns := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	defer func() { _ = columns.Flush() }() // the service runs without a greeting, too
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(columns, format+"\n", args...) }
	if g.Sandbox == nil {
		line("resellerd listens on %s", g.URL)
	} else {
		line("A sandbox listens on %s. It loses everything at its end.", g.URL)
	}
	line("  console\t%s/console", g.URL)
	line("  pages\t%s/docs", g.URL)
	line("  interface\t%s/openapi.json", g.URL)
	line("  log in\tresellerd token %s --url %s", g.Admin, g.URL)
	if g.Sandbox != nil {
		line("  clock\tPOST %s/sandbox/clock {\"forward\": \"36h\"} with the token of %s", g.URL, g.Admin)
	}
	line("  stop\tCtrl-C")
	if g.Sandbox == nil {
		return
	}
	line("\nACCOUNT\tPASSWORD\tIT IS")
	for _, a := range g.Sandbox {
		line("%s\t%s\t%s", a.Name, a.Password, a.Role)
	}
}
