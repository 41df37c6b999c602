// Package bootstrap is the composition root: it reads the configuration, chooses
// the adapters, wires them, and runs the command line.
package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"resellerd/adapters/credentials"
	"resellerd/application"
	"resellerd/domain/fault"
	"resellerd/domain/profile"
	"resellerd/domain/reseller"
)

// Exit codes of the command line.
const (
	exitFailed = 1
	exitUsage  = 2 // the command line or the configuration is wrong
	exitFound  = 3 // audit, or copy in its source, found a record that does not fit
)

type commandLine struct {
	Serve serveFlags `cmd:"" help:"Run the service."`
	Admin struct {
		Create   adminCommand `cmd:"" help:"Make another admin."`
		Password adminCommand `cmd:"" help:"Give an account a new password, which revokes its token."`
	} `cmd:"" help:"Make or mend an admin, with the store at hand; the service may be running."`
	Audit   auditCommand     `cmd:"" aliases:"verify" help:"Audit every record of the store and name each that someone changed; exit code 3 says that there are any."`
	Copy    copyCommand      `cmd:"" help:"Copy all records of a store into another, new one, and prove that they are the same."`
	Version kong.VersionFlag `help:"Print the version and exit."`
}

type adminCommand struct {
	storeFlags
	Username     string `arg:"" help:"Name of the account."`
	PasswordFile string `placeholder:"PATH" help:"File that holds the password; without it one is generated and printed."`
}

// Run runs the command line and returns the exit code: 0, 1 where the command
// failed, 2 where the command line or the configuration is wrong, 3 where audit
// found something, or copy in its source.
func Run(args []string, stdout, stderr io.Writer, stores Stores) int {
	var line commandLine
	parser, err := kong.New(&line,
		kong.Name("resellerd"),
		kong.Description("The reseller and client management service. Settings come from flags or from the environment."),
		kong.Writers(stdout, stderr),
		kong.Vars{"version": version()},
	)
	if err != nil {
		panic(err) // the grammar above is wrong
	}
	command, err := parser.Parse(args)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "resellerd: %s\nresellerd --help lists the commands and flags\n", err)
		return exitUsage
	}
	switch command.Command() {
	case "serve":
		err = line.Serve.run(stores, stdout, stderr)
	case "admin create <username>":
		err = line.Admin.Create.run(stores, stdout, stderr, (*application.Service).CreateAdmin)
	case "audit":
		err = line.Audit.run(stores, stdout, stderr)
	case "copy":
		err = line.Copy.run(stores, stdout, stderr)
	case "admin password <username>":
		err = line.Admin.Password.run(stores, stdout, stderr, (*application.Service).ResetPassword)
	}
	var wrong *misconfiguration
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFound):
		return exitFound
	case errors.As(err, &wrong):
		_, _ = fmt.Fprintf(stderr, "resellerd: %s\n", err)
		return exitUsage
	default:
		_, _ = fmt.Fprintf(stderr, "resellerd: %s\n", err)
		return exitFailed
	}
}

func (f serveFlags) run(stores Stores, stdout, stderr io.Writer) error {
	c, err := f.check(stores)
	if err != nil {
		return err
	}
	return serve(c, stdout, newLogger(c.storeConfig, stderr))
}

// on opens a store that is there and gives do a service on it, outside any server.
func (c storeConfig) on(ctx context.Context, log *slog.Logger, do func(*application.Service) error) (err error) {
	if err := c.opener.exists(c.address); err != nil {
		return fmt.Errorf("RESELLERD_STORE: %w", err)
	}
	store, keyring, err := c.open(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return do(application.New(outside(store, keyring), application.Policy{}))
}

// run gives a reseller to do, which makes or changes it.
func (f adminCommand) run(stores Stores, stdout, stderr io.Writer, do func(*application.Service, context.Context, profile.Username, profile.Secret) error) error {
	var wrong misconfiguration
	c := f.parseWithKey(stores, &wrong)
	name, err := profile.ParseUsername(f.Username)
	wrong.add("username", err)
	given, err := secretFile(f.PasswordFile)
	password := credentials.Generator{}.Password()
	if err == nil && given != nil {
		password, err = profile.ParsePassword(given.Reveal(), reseller.MinPassword)
	}
	wrong.add("--password-file", err)
	if err := wrong.err(); err != nil {
		return err
	}
	ctx := context.Background()
	err = c.on(ctx, newLogger(c, stderr), func(s *application.Service) error { return do(s, ctx, name, password) })
	if errors.Is(err, fault.ErrNotFound) {
		return fmt.Errorf("there is no account named %s", name)
	}
	if err != nil {
		return err
	}
	if given != nil {
		_, err = fmt.Fprintf(stdout, "username: %s\n", name)
	} else {
		_, err = fmt.Fprintf(stdout, "username: %s\npassword: %s\n", name, password.Reveal())
	}
	return err
}

func newLogger(c storeConfig, stderr io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.logLevel}
	if c.logJSON {
		return slog.New(slog.NewJSONHandler(stderr, options))
	}
	return slog.New(slog.NewTextHandler(stderr, options))
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
