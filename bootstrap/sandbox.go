package bootstrap

import (
	"errors"
	"io"
	"os"
	"time"

	"resellerd/adapters/cli"
	"resellerd/adapters/testclock"
	"resellerd/application/sandbox"
	"resellerd/domain/profile"
)

// realOnly are the variables of a real service. If one is set, a sandbox could be mistaken for the service.
var realOnly = []string{"RESELLERD_STORE", "RESELLERD_SECRET", "RESELLERD_SECRET_FILE", "RESELLERD_SECRET_PREVIOUS",
	"RESELLERD_SECRET_PREVIOUS_FILE", "RESELLERD_ADMIN_PASSWORD", "RESELLERD_ADMIN_PASSWORD_FILE"}

// sandboxPast is how far in the past a sandbox begins, so that some of its lines have expired.
const sandboxPast = 41 * 24 * time.Hour

// Sandbox implements cli.Program.
func (p program) Sandbox(f cli.SandboxFlags, cautions []string, stdout, stderr io.Writer) error {
	c, err := checkSandbox(f)
	if err != nil {
		return err
	}
	return serveLogged(c, cautions, stdout, stderr)
}

// checkSandbox reads the settings of a sandbox. It sends no traces: a collector in the environment would show them
// beside those of a service.
func checkSandbox(f cli.SandboxFlags) (config, error) {
	var wrong cli.Misconfiguration
	for _, variable := range realOnly {
		if os.Getenv(variable) != "" {
			wrong.Add(variable, errors.New("is set: this is the environment of a real service, and a sandbox does not start in it"))
		}
	}
	if err := wrong.Err(); err != nil {
		return config{}, err
	}
	c, wrong := checkUntraced(cli.ServeFlags{
		StoreFlags:    cli.StoreFlags{Store: "memory:", LogLevel: f.LogLevel, LogFormat: f.LogFormat},
		Addr:          f.Addr,
		AdminAddr:     "off",
		BasePath:      f.BasePath,
		TrialDuration: f.TrialDuration,
		TrialsPerDay:  f.TrialsPerDay,
		ExpiringDays:  f.ExpiringDays,
		WebhookAllow:  f.WebhookAllow,
		BrandFlags:    f.BrandFlags,
		// A sandbox is in memory, and has one user.
		FreeChangesPerDay: "0",
		MaxConnections:    "4096",

		MaxConnectionsPerAddress: "0",
		RequestsPerMinute:        "0",
	}, DefaultStores())
	if err := wrong.Err(); err != nil {
		return c, err
	}
	c.adminPassword = new(profile.NewSecret(sandbox.Password(c.admin.String())))
	c.brand.Parts = true
	c.sandbox = testclock.New(now, now().Add(-sandboxPast))
	c.clock = c.sandbox.Now
	return c, nil
}

// sandboxGreeting returns the accounts of a sandbox.
func sandboxGreeting(c config) (all []cli.SandboxAccount) {
	all = append(all, cli.SandboxAccount{Name: c.admin.String(), Password: sandbox.Password(c.admin.String()),
		Role: "the operator of the platform"})
	for _, a := range sandbox.Accounts {
		all = append(all, cli.SandboxAccount{Name: a.Name, Password: sandbox.Password(a.Name), Role: a.Role})
	}
	return all
}
