// Package cli is the command line: the commands, what they take, ask and print, and
// the codes that they end with. What they do their work with is handed to them.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"resellerd/application"
	"resellerd/application/audit"
	"resellerd/application/transfer"
	"resellerd/domain/profile"
)

// Exit codes of the command line, besides 0.
const (
	ExitFailed = 1
	ExitUsage  = 2 // the command line or the configuration is wrong
	ExitFound  = 3 // audit, or copy in its source, found a record that does not fit, or rekey one that it can't open
)

// Program is what the commands do their work with.
type Program interface {
	// Serve runs the service until a signal or a failure ends it.
	Serve(f ServeFlags, stdout, stderr io.Writer) error
	// Store returns the store that the flags name, checked and not yet opened. What is wrong with them is added to wrong.
	// With withKey the service key is read as well, which only those commands need that decrypt what the store holds.
	Store(f StoreFlags, withKey bool, stderr io.Writer, wrong *Misconfiguration) Store
	// Transfer returns the copy that the flags ask for, checked and not yet begun. What
	// is wrong with them is added to wrong.
	Transfer(f CopyFlags, stderr io.Writer, wrong *Misconfiguration) Transfer
	// Password returns a new password, for a reseller whose operator gave none.
	Password() profile.Secret
}

// Store is a store as commands use it, beside a service that may be running on it.
type Store interface {
	// UseCases opens the store, which must exist, and gives do the use cases on it.
	UseCases(ctx context.Context, do func(*application.Service) error) error
	// Audit opens the store, which must exist, to be read alone and audits it.
	Audit(ctx context.Context, o audit.Options) (audit.Verdict, error)
	// Rekey opens the store, which must exist, and seals everything in it under the service
	// key that is set, in place of the previous one.
	Rekey(ctx context.Context, o application.RekeyOptions) (application.Rekeyed, error)
}

// Transfer is a copy of a store into another one.
type Transfer interface {
	// Run opens both ends and copies.
	Run(ctx context.Context, o transfer.Options) (transfer.Result, error)
	// KeyFiles returns the file in which the target looks for its service key, and the
	// one in which the source has its own; "" where there is none.
	KeyFiles() (ofTarget, ofSource string)
}

type commandLine struct {
	Serve ServeFlags `cmd:"" help:"Run the service."`
	Admin struct {
		Create   adminCommand `cmd:"" help:"Make another admin."`
		Password adminCommand `cmd:"" help:"Give an account a new password, which revokes its token."`
	} `cmd:"" help:"Make or mend an admin, with the store at hand; the service may be running."`
	Audit   auditCommand     `cmd:"" aliases:"verify" help:"Audit every record of the store and name each that someone changed; exit code 3 says that there are any."`
	Copy    CopyFlags        `cmd:"" help:"Copy all records of a store into another, new one, and prove that they are the same."`
	Rekey   rekeyCommand     `cmd:"" help:"Seal everything in the store under a new service key; the service may be running. The old one is the previous key, RESELLERD_SECRET_PREVIOUS, or the key file's name with .previous."`
	Version kong.VersionFlag `help:"Print the version and exit."`
}

// Run runs the command line and returns the exit code: 0, or one of those above.
func Run(args []string, stdout, stderr io.Writer, program Program) int {
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
		return ExitUsage
	}
	switch command.Command() {
	case "serve":
		err = program.Serve(line.Serve, stdout, stderr)
	case "admin create <username>":
		err = line.Admin.Create.run(program, stdout, stderr, (*application.Service).CreateAdmin)
	case "audit":
		err = line.Audit.run(program, stdout, stderr)
	case "rekey":
		err = line.Rekey.run(program, stdout, stderr)
	case "copy":
		err = line.Copy.run(program, stdout, stderr)
	case "admin password <username>":
		err = line.Admin.Password.run(program, stdout, stderr, (*application.Service).ResetPassword)
	}
	var wrong *Misconfiguration
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFound):
		return ExitFound
	case errors.As(err, &wrong):
		_, _ = fmt.Fprintf(stderr, "resellerd: %s\n", err)
		return ExitUsage
	default:
		_, _ = fmt.Fprintf(stderr, "resellerd: %s\n", err)
		return ExitFailed
	}
}

// released is the version of a release, which the linker sets:
// -X resellerd/adapters/cli.released=1.2.3.
var released string

func version() string {
	if released != "" {
		return released
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
