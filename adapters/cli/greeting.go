package cli

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Greeting is what one needs to use a service that was started.
type Greeting struct {
	URL     string           // of the service, its base path included
	Admin   string           // name of the first admin
	Sandbox []SandboxAccount // of a sandbox; nil for a service
}

// SandboxAccount is an account of a sandbox, whose password is no secret.
type SandboxAccount struct{ Name, Password, Role string }

// Greet prints it.
func Greet(out io.Writer, g Greeting) {
	columns := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	defer func() { _ = columns.Flush() }() // a failure is no error
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(columns, format+"\n", args...) }
	if g.Sandbox == nil {
		line("resellerd listens on %s", g.URL)
	} else {
		line("A sandbox listens on %s: nothing in it is kept.", g.URL)
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
